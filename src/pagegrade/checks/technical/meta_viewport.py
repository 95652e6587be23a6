from itertools import islice
from typing import Final

from msgspec.structs import replace

from pagegrade.checks._check import Cap, State, Verdict, check
from pagegrade.model.document import Document, Meta
from pagegrade.model.outcome import MAX_EVIDENCE, Detail, Evidence, Outcome, Severity
from pagegrade.parse.html.viewport import Viewport, parse_viewport

MIN_WIDE_PX: Final = 700
"""A layout of this width is shrunk on a phone to about half, as one without any declaration is."""
MAX_READ: Final = 10
MAX_CONTENT: Final = 190
"""Characters read of each of them: together they stay below what the parser takes."""
KNOWN_KEYS: Final = frozenset(
    {
        "width",
        "height",
        "initial-scale",
        "minimum-scale",
        "maximum-scale",
        "user-scalable",
        "viewport-fit",
        "interactive-widget",
        # Old words of single browsers that others skip without harm.
        "shrink-to-fit",
        "minimal-ui",
        "target-densitydpi",
    },
)


KNOWN_WORDS: Final = {
    "viewport-fit": frozenset({"auto", "contain", "cover"}),
    "interactive-widget": frozenset({"overlays-content", "resizes-content", "resizes-visual"}),
}


@check(
    id="meta-viewport",
    title="Mobile viewport",
    severity=Severity.HIGH,
    cap=Cap(69),
    since="0.1.0",
    states=(
        State("responsive", "The page adapts its layout to the width of the device."),
        State(
            "unknown_keys",
            "The viewport declaration contains keys or values that no browser knows.",
            loss=0.5,
            title="Viewport declaration has invalid keys or values",
            why="Browsers ignore them, so the page may not be shown as intended.",
            fix="Use `width=device-width, initial-scale=1` and nothing else.",
        ),
        State(
            "in_body",
            "The viewport declaration is outside of the head.",
            loss=0.5,
            title="Viewport declaration is in the body",
            why="Some browsers and search engines look for it in the head only.",
            fix='Move the `<meta name="viewport">` into the head.',
        ),
        State(
            "several",
            "The page declares different viewports.",
            loss=0.5,
            title="Contradicting viewport declarations",
            why="Browsers combine the declarations or use the last one, which may differ from what was meant.",
            fix='Keep one `<meta name="viewport">`.',
        ),
        State(
            "fixed",
            "The viewport declaration does not adapt the layout to the device.",
            loss=0.5,
            title="Viewport does not adapt to the device",
            why="Phones show the page wider than the screen or shrunken, so visitors have to zoom and scroll sideways.",
            fix=(
                "Replace the declaration:\n\n"
                "```html\n"
                '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
                "```"
            ),
        ),
        State(
            "wide",
            "The viewport declaration lays the page out as wide as a desktop.",
            loss=1.0,
            title="Viewport as wide as a desktop",
            why=(
                "Phones lay the page out as wide as declared and shrink it, so the text becomes tiny, as it does "
                "without any declaration."
            ),
            fix=(
                "Replace the declaration, and make sure that the layout fits narrow screens:\n\n"
                "```html\n"
                '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
                "```"
            ),
        ),
        State(
            "missing",
            "The page has no viewport declaration.",
            loss=1.0,
            title="Add a viewport declaration",
            why=(
                "Phones lay the page out about 980 pixels wide and shrink it, so the text becomes tiny. Search "
                "engines evaluate the page in that view."
            ),
            fix=(
                "Add this to the head, and make sure that the layout fits narrow screens:\n\n"
                "```html\n"
                '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
                "```"
            ),
        ),
    ),
    sources=(
        "https://www.w3.org/TR/css-viewport-1/#viewport-meta",
        "https://developers.google.com/search/docs/crawling-indexing/mobile/mobile-sites-mobile-first-indexing",
    ),
)
def meta_viewport(document: Document) -> Verdict:
    """Without a viewport declaration, phones show the page as a shrunken desktop page.

    ## What it checks

    That the head holds one `<meta name="viewport">` with `width=device-width`, or with an `initial-scale` of 1 or more
    and no width. Commas, semicolons and spaces all separate, and case does not matter. A fixed width, a scale below 1,
    declarations that say different things, one in the body, and keys or values that no browser knows cost half; none,
    an empty one, or a width of 700 pixels and more, which has the same effect, costs everything. A scale above 1 is a
    choice and passes, and so does the same declaration twice. Whether people may zoom is evaluated by `viewport-zoom`.

    About half of a set of well-known pages of all ages were without a good one, nearly all of them made before phones
    or for desktops only. It affects every visitor on a phone, so it is not graded more leniently.

    ## Fails on

    ```html
    <!doctype html>
    <title>Garden furniture</title>
    <meta name="viewport" content="width=320">
    ```

    ## Passes on

    ```html
    <!doctype html>
    <title>Garden furniture</title>
    <meta name="viewport" content="width=device-width, initial-scale=1">
    ```
    """
    metas = [meta for meta in document.metas if meta.name == "viewport"]
    read = [(meta, parse_viewport(meta.content[:MAX_CONTENT])) for meta in metas[:MAX_READ]]
    usable = [meta for meta, viewport in read if viewport.properties]
    if not usable:
        return Outcome("missing", value="" if metas else None, evidence=_evidence(document, metas, {}))
    reasons: dict[str, str] = {}
    # Browsers read them all, and what comes later overrules.
    viewport = read[0][1] if len(read) == 1 else parse_viewport(", ".join(one.content[:MAX_CONTENT] for one in usable))
    unknown = sorted(set(viewport.properties) - KNOWN_KEYS) + [
        f"{key}={viewport.properties[key]}"
        for key, words in KNOWN_WORDS.items()
        if key in viewport.properties and viewport.properties[key] not in words
    ]
    if viewport.height == 0:
        unknown.append(f"height={viewport.properties['height']}")
    if unknown:
        reasons["unknown_keys"] = f"unknown: {', '.join(unknown)[:100]}"
    if any(not meta.in_head for meta in usable):
        reasons["in_body"] = "outside the head"
    if any(replace(one, properties={}) != replace(read[0][1], properties={}) for _, one in read):
        reasons["several"] = f"{len(metas)} declarations"
    if not viewport.responsive:
        reasons["fixed"] = _layout(viewport)
    elif viewport.initial_scale is not None and viewport.initial_scale < 1:
        reasons["fixed"] = f"the initial scale is {viewport.initial_scale:g}"
    is_wide = isinstance(viewport.width, float) and viewport.width >= MIN_WIDE_PX
    if is_wide:
        reasons["wide"] = reasons.pop("fixed")
    found = [state for state in ("wide", "fixed", "several", "in_body", "unknown_keys") if state in reasons]
    worst = next(iter(found), "responsive")
    return Outcome(
        worst,
        value=usable[-1].content.strip()[:100],
        evidence=(
            *(document.evidence(usable[-1], reason=reasons[state], state=state) for state in found[1:]),
            *_evidence(document, metas, {state: reasons[state] for state in found[:1]}),
        ),
        total=len(metas) + len(found[1:]),
        details=tuple(
            Detail(code=key[:50], actual=value[:50]) for key, value in islice(viewport.properties.items(), 20)
        ),
    )


def _layout(viewport: Viewport) -> str:
    if isinstance(viewport.width, float):
        return f"the width is fixed at {viewport.width:g} pixels" if viewport.width else "the width is no known word"
    return "neither width=device-width nor initial-scale=1 is said"


def _evidence(document: Document, metas: list[Meta], reasons: dict[str, str]) -> tuple[Evidence, ...]:
    reason = "; ".join(reasons.values())
    return tuple(document.evidence(meta, reason=reason) for meta in metas[: MAX_EVIDENCE - 10])
