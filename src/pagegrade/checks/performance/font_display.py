import re
from typing import Final

from pagegrade.checks._amounts import amount, part
from pagegrade.checks._check import State, Verdict, check, offender_loss
from pagegrade.model.artifacts import NotGathered
from pagegrade.model.outcome import MAX_EVIDENCE, Detail, Evidence, NotApplicable, Outcome, Severity
from pagegrade.model.rendering import Rendering, UsedFont
from pagegrade.parse.assets import Face

FULL_AT: Final = 5
STATED: Final = frozenset({"swap", "optional", "fallback", "block"})
GOOGLE_FONTS: Final = "https://fonts.googleapis.com/"
_ICONS: Final = re.compile(r"icon|awesome|glyph|symbol|emoji|dashicons|slick|swiper|fontello|icomoon", re.IGNORECASE)


@check(
    id="font-display",
    title="font-display",
    severity=Severity.LOW,
    since="0.1.0",
    states=(
        State("stated", "Every web font declares how text is shown until it has loaded."),
        State(
            "unstated",
            "Web fonts do not declare how text is shown until they have loaded.",
            loss=0.25,
            loss_max=0.5,
            title="Web fonts without font-display",
            why="Browsers hide the text for up to three seconds while the font loads.",
            fix=(
                "Add `font-display: swap` to each `@font-face` rule. In the URL of a Google Fonts stylesheet, "
                "add `&display=swap`."
            ),
            counted=True,
        ),
    ),
    sources=(
        "https://www.w3.org/TR/css-fonts-4/#font-display-desc",
        "https://developer.chrome.com/docs/lighthouse/performance/font-display",
    ),
)
def font_display(font_faces: tuple[Face, ...], rendering: Rendering | NotGathered) -> Verdict:
    """Without `font-display`, text is invisible until its font has loaded.

    ## What it checks

    The `@font-face` rules of the page, of stylesheets from the site's own domain, and of Google Fonts, where the URL
    decides. Each should have `font-display` with `swap`, `optional`, `fallback` or `block`; `auto` is the same as
    nothing. Left out are fonts of icons, whose fallback would be wrong letters, and fonts that are embedded in the
    stylesheet, since they need no request. Where a browser rendered the page, only faces of families that it used
    count, and those that it loaded from stylesheets or scripts that were not read. The first costs a quarter, five cost
    half.

    ## Fails on

    ```json resources
    {
      "items": [
        {
          "url": "https://example.com/a.css",
          "kinds": ["stylesheet"],
          "initiator_url": "https://example.com/",
          "response": {"url": "https://example.com/a.css", "status": 200, "wire_bytes": 900}
        }
      ],
      "font_faces": [
        {
          "family": "Lato",
          "formats": ["woff2", "woff"],
          "display": "",
          "stylesheet_url": "https://example.com/a.css"
        }
      ]
    }
    ```

    ## Passes on

    ```json resources
    {
      "items": [
        {
          "url": "https://example.com/a.css",
          "kinds": ["stylesheet"],
          "initiator_url": "https://example.com/",
          "response": {"url": "https://example.com/a.css", "status": 200, "wire_bytes": 900}
        }
      ],
      "font_faces": [
        {
          "family": "Lato",
          "formats": ["woff2", "woff"],
          "display": "swap",
          "stylesheet_url": "https://example.com/a.css"
        }
      ]
    }
    ```
    """
    evaluated = [found.face for found in font_faces if _counts(found)]
    seen: list[UsedFont] = []
    if not isinstance(rendering, NotGathered):
        used = {_name(font.family) for font in rendering.fonts}
        declared = {_name(found.face.family) for found in font_faces}
        evaluated = [face for face in evaluated if _name(face.family) in used]
        seen = [font for font in rendering.fonts if _name(font.family) not in declared and not _is_icon(font.family)]
    if not evaluated and not seen:
        return NotApplicable("The page uses no web font for text.")
    found = [
        Evidence(
            value=f"font-display: {face.display}" if face.display else "no font-display",
            reason=f"{face.family or 'unnamed'}, {face.weight}",
            url=face.stylesheet_url,
        )
        for face in evaluated
        if face.display not in STATED
    ]
    found += [
        Evidence(value="font-display: auto", reason=f"{font.family or 'unnamed'}, {font.weight}, loaded by the browser")
        for font in seen
        if font.display not in STATED
    ]
    total = len(evaluated) + len(seen)
    if not found:
        return Outcome("stated", value=amount(total, "font face"))
    return Outcome(
        "unstated",
        value=part(len(found), total, "font face"),
        evidence=tuple(found[:MAX_EVIDENCE]),
        total=len(found),
        details=(Detail(code="fonts_without_display", actual=len(found), limit=0),),
        loss=0.5 * offender_loss(len(found), FULL_AT),
    )


def _counts(found: Face) -> bool:
    face = found.face
    if face.inline or _is_icon(face.family):
        return False
    return found.own or face.stylesheet_url.startswith(GOOGLE_FONTS)


def _is_icon(family: str) -> bool:
    return _ICONS.search(family) is not None


def _name(family: str) -> str:
    """A family as browsers compare it."""
    return family.strip("\"' ").casefold()
