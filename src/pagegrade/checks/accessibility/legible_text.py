from typing import Final

from pagegrade.checks._check import State, Verdict, check
from pagegrade.model.document import Document
from pagegrade.model.outcome import MAX_EVIDENCE, Detail, Evidence, NotApplicable, NotRun, Outcome, Severity
from pagegrade.model.rendering import Rendering

LEGIBLE: Final = 0.6
"""Share of the characters that must be large enough."""
MIN_CHARACTERS: Final = 100
"""Fewer are no text to read."""
_EXACT_SHARE: Final = 0.1
"""Shares below it are shown with a digit more."""


@check(
    id="legible-text",
    title="Legible text",
    severity=Severity.LOW,
    since="0.1.0",
    visible_only=False,
    states=(
        State("legible", "Most text is large enough to read."),
        State(
            "small",
            "Much of the text is too small to read.",
            loss=1.0,
            title="Make the text larger",
            why="Text below 12 pixels is hard to read on phones, so visitors have to zoom and to scroll sideways.",
            fix="Give the listed elements a font size of at least 12 pixels, better 16 for running text.",
        ),
    ),
    sources=(
        "https://developer.chrome.com/docs/lighthouse/seo/font-size",
        "https://web.dev/learn/design/typography",
    ),
)
def legible_text(document: Document, rendering: Rendering) -> Verdict:
    """Text must be large enough to read without zooming.

    ## What it checks

    The computed font size of all text that is drawn, counted in characters. At least 60 % of them have to be 12 CSS
    pixels or larger, as Lighthouse asked for while it had this audit. The elements with most small text are listed.
    Text inside SVG, whose sizes are in units of the drawing, is left out. Without a viewport phones make the whole page
    small, whatever its font sizes: that is what `meta-viewport` finds.

    ## Fails on

    ```json rendering
    {
      "device": "mobile", "browser": "HeadlessChrome/156.0.1.2", "network": "mobile", "viewport_px": [412, 823],
      "final_url": "https://example.com/", "loads": [{"first_contentful_paint_ms": 900}],
      "html": "<!doctype html><meta name=viewport content='width=device-width'><title>Terms</title><p>Terms",
      "text_sizes": {"characters": 1000, "small_characters": 700, "small": [
        {"selector": "main > p", "html": "<p class=terms>", "size_px": 10, "characters": 700}
      ]}
    }
    ```

    ## Passes on

    ```json rendering
    {
      "device": "mobile", "browser": "HeadlessChrome/156.0.1.2", "network": "mobile", "viewport_px": [412, 823],
      "final_url": "https://example.com/", "loads": [{"first_contentful_paint_ms": 900}],
      "html": "<!doctype html><meta name=viewport content='width=device-width'><title>Terms</title><p>Terms",
      "text_sizes": {"characters": 1000, "small_characters": 40, "small": [
        {"selector": "footer > p", "html": "<p>", "size_px": 11, "characters": 40}
      ]}
    }
    ```
    """
    sizes = rendering.text_sizes
    if sizes is None:
        return NotRun("not_measured", "The browser did not report the sizes of the text.")
    if sizes.characters < MIN_CHARACTERS:
        return NotApplicable("The page draws hardly any text.")
    if rendering.device == "mobile" and not any(meta.name == "viewport" for meta in document.metas):
        return NotApplicable("Without a viewport the whole page is made small on phones.")
    small = min(1.0, sizes.small_characters / sizes.characters)
    is_small = small > 1 - LEGIBLE
    percent = f"{small:.1%}" if 0 < small < _EXACT_SHARE else f"{small:.0%}"
    return Outcome(
        "small" if is_small else "legible",
        value=round(100 * small),
        evidence=tuple(
            Evidence(
                selector=text.selector,
                snippet=text.html,
                value=f"{text.size_px:.3g} px",
                reason=f"{text.characters:,} characters",
            )
            for text in sizes.small[:MAX_EVIDENCE]
        ),
        total=len(sizes.small),
        details=(
            Detail(code="text_characters", actual=sizes.characters),
            Detail(code="small_characters", actual=sizes.small_characters),
        ),
        message=f"{percent} of the text is smaller than 12 pixels.",
    )
