import re
from collections import Counter
from collections.abc import Sequence
from itertools import islice
from typing import Final

from pagegrade.checks._check import Cap, State, check
from pagegrade.checks._offenders import Offender, counted, evidence_of
from pagegrade.model.document import Document, Node
from pagegrade.model.outcome import Outcome, Severity
from pagegrade.parse.html.layers import covers_window
from pagegrade.parse.html.single_elements import text_length

MAX_MOVING: Final = 100
MIN_MOVING: Final = 300
"""Characters of text that move, from which on it may be the text of the page."""
MAX_FLASHES: Final = 3
"""Changes of light a second up to which no one is in danger (WCAG 2.3.1)."""
MAX_RULES: Final = 400
_MAX_STYLES: Final = 50
_MAX_CSS: Final = 200_000
_WHOLE: Final = frozenset({"html", "body", "main", ":root", "*"})
_OF_PAGE: Final = re.compile(r"(?:html|body|:root)[.#\[][\w.#=\"'\[\]-]{1,120}")
"""The page in one of its states."""
_MAX_BLOCKS: Final = 4_000
_END: Final = re.compile(r"\}\s*\}")
_TIME: Final = re.compile(r"(?<![\w.-])(\d{0,4}(?:\.\d{1,4})?)(ms|s)(?![\w-])")
_WORD: Final = re.compile(r"(?<![\w.-])[a-z_][\w-]{0,80}(?!\()", re.IGNORECASE)
_CHANGES: Final = re.compile(r"(?<![\w-])(?:background(?:-color)?|color|filter|opacity|visibility)\s{0,5}:")


@check(
    id="marquee-blink",
    title="Moving and blinking text",
    severity=Severity.LOW,
    since="0.1.0",
    states=(
        State("still", "No element makes text move or blink."),
        State(
            "moving",
            "Text moves or blinks.",
            0.5,
            1.0,
            title="Elements that move or blink",
            why=(
                "Moving text distracts from everything else, and slow readers never reach its end. It cannot be "
                "stopped."
            ),
            fix="Replace `<marquee>` and `<blink>` by static text, and emphasize it with a stylesheet.",
            counted=True,
        ),
        State(
            "text",
            "Most of the text moves.",
            loss=1.0,
            title="The text of the page moves",
            why="Visitors cannot read a text that runs away from them, and cannot stop it.",
            fix="Take the text out of the `<marquee>` element.",
            counted=True,
        ),
        State(
            "flashing",
            "The page flashes several times a second.",
            loss=1.0,
            title="The page flashes",
            why="More than three flashes a second can set off seizures in people with photosensitive epilepsy.",
            fix="Remove the animation, or let it take a second and more for each change.",
            counted=True,
        ),
    ),
    cap=Cap(49, states=("text", "flashing")),
    sources=(
        "https://www.w3.org/WAI/WCAG22/Understanding/pause-stop-hide.html",
        "https://html.spec.whatwg.org/multipage/obsolete.html#the-marquee-element",
        "https://www.w3.org/WAI/WCAG22/Techniques/failures/F47",
        "https://www.w3.org/WAI/WCAG22/Understanding/three-flashes-or-below-threshold.html",
    ),
)
def marquee_blink(document: Document) -> Outcome:
    """Many people cannot read text that moves or blinks, and it cannot be stopped.

    ## What it checks

    Elements `<marquee>` and `<blink>` that are shown; `aria-hidden` hides them from no one who sees. Empty ones count,
    because scripts may fill them. Where they hold half of the main text, and 300 characters or more, the page scores 49
    at most, and so does one whose own `<style>` elements let `<html>`, `<body>`, `<main>`, all elements or a layer over
    the whole window change their color, ground, filter or opacity more than three times a second without an end. The
    loss grows from half (one element) to everything (ten or more). Whether a browser still moves the text is not
    evaluated: what it does with `<blink>` is up to scripts and styles.

    ## Fails on

    ```html
    <!doctype html><title>Shop</title>
    <marquee>Sale until Sunday</marquee>
    ```

    ## Passes on

    ```html
    <!doctype html><title>Shop</title>
    <p><strong>Sale until Sunday</strong></p>
    ```
    """
    flashing = [Offender(one, "flashes") for one in _find_flashing(document)]
    if flashing:
        return Outcome("flashing", value=len(flashing), evidence=evidence_of(document, flashing), total=len(flashing))
    found = [
        Offender(one.node, "moves by itself and cannot be stopped")
        for one in document.obsolete
        if one.node.tag in {"marquee", "blink"} and not one.hidden
    ]
    moving = sum(text_length(one.node) for one in found[:MAX_MOVING])
    if moving >= MIN_MOVING and 2 * moving >= len(document.main_text):
        return Outcome("text", value=len(found), evidence=evidence_of(document, found), total=len(found))
    return counted(
        document,
        found,
        "still",
        "moving",
        "One element moves or blinks.",
        "{count} elements move or blink.",
    )


def _find_flashing(document: Document) -> tuple[Node, ...]:
    """The ``<style>`` elements that let the whole window flash faster than ``MAX_FLASHES``, without an end."""
    found = []
    for style in document.styles[:_MAX_STYLES]:
        css = style.text[:_MAX_CSS]
        if "@keyframes" not in css or "infinite" not in css:
            continue
        blocks = [_block(one) for one in islice((one for one in css.split("}") if "{" in one), _MAX_BLOCKS)]
        endless = islice(((names, done) for names, done in blocks if "infinite" in done), MAX_RULES)
        # What fills the window is looked for only where something flashes.
        flashing = [names for names, done in endless if (flashes := _flashes(css, done)) and flashes > MAX_FLASHES]
        if flashing and any(_is_whole(one, blocks) for names in flashing for one in names):
            found.append(style.node)
    return tuple(found)


def _block(text: str) -> tuple[list[str], str]:
    """(selectors, declarations) of a rule without its closing brace."""
    before, _, declarations = text.rpartition("{")
    selectors = before.rpartition("{")[2].rpartition(";")[2].rpartition("*/")[2]
    return [one.strip() for one in selectors.split(",")], declarations


def _is_whole(selector: str, blocks: Sequence[tuple[list[str], str]]) -> bool:
    """Return whether a selector is that of the page, or of something that a rule for it spreads over the window."""
    if selector in _WHOLE or _OF_PAGE.fullmatch(selector) is not None:
        return True
    return any(covers_window(done) for names, done in blocks if selector in names)


def _flashes(css: str, declarations: str) -> float:
    """Flashes a second of an endless animation; 0 for one that changes nothing that can be seen."""
    times = [
        float(one[1]) / (1_000 if one[2] == "ms" else 1) for one in _TIME.finditer(declarations) if one[1].strip(".")
    ]
    if not times or times[0] <= 0:
        return 0
    names = {one[0] for one in _WORD.finditer(declarations[:1_000])}
    for part in css.split("@keyframes", MAX_RULES)[1:]:
        name, _, rest = part[:2_000].partition("{")
        if name.strip() not in names:
            continue
        looks: Counter[str] = Counter()
        for step in _END.split(rest, maxsplit=1)[0].split("}"):
            at, _, look = step.rpartition("{")
            if _CHANGES.search(look) is not None:
                # The end of one run is the beginning of the next.
                looks["".join(look.split())] += len({one.strip().replace("100%", "0%") for one in at.split(",")})
        if looks:
            # One that comes back to the same look several times flashes as often.
            most = max(looks.values())
            return most / times[0]
    return 0
