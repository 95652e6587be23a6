from typing import Final

from pagegrade.checks._amounts import amount
from pagegrade.checks._check import NEEDS_RENDERING, Cap, State, Verdict, check
from pagegrade.checks._offenders import Offender, evidence_of
from pagegrade.model.artifacts import NotGathered
from pagegrade.model.document import Document
from pagegrade.model.outcome import NotApplicable, Outcome, Severity
from pagegrade.model.rendering import Rendering
from pagegrade.parse.html.concealed_text import ConcealedText

MIN_WORDS: Final = 15
"""Fewer are labels and names that icons replace."""
MUCH: Final = 0.2
"""Share of the text from which on it is a good part of the page."""
PALE: Final = 0.5
MIN_PALE: Final = 300
"""Share of the text, and characters, from which on a page is pale; what is less may lie on a picture."""
MOST: Final = 0.5
"""The same from which on the page cannot be read."""
_REASONS: Final = {
    "page": "hidden with the whole page",
    "tiny": "too small to be seen",
    "huge": "larger than a line of the window",
    "away": "moved out of the window",
    "transparent": "transparent",
    "ground": "hardly different from its background",
    "turned": "mirrored, upside down or seen from behind",
    "side": "on its side",
    "signs": "in a font that draws signs in place of letters",
    "struck": "blackened by a line through or around its letters",
    "piled": "with its letters on one another",
    "stacked": "with its lines on one another",
    "reversed": "with its letters from the last to the first",
    "dots": "with dots in place of its letters",
    "narrow": "in lines that hold no more than two letters",
    "cut": "cut off by the height of the box",
}
_TITLE: Final = "Text that no one can see"
_WHY: Final = (
    "Visitors miss it, and search engines take text that only they see for spam and may drop the page from their "
    "results."
)
_FIX: Final = (
    "Give text and background colors that differ, in the same rule, and a readable size. Remove text that is not meant "
    "to be read."
)


@check(
    id="invisible-text",
    title="Invisible text",
    severity=Severity.CRITICAL,
    since="0.1.0",
    visible_only=True,
    states=(
        State("visible", "The page's own styles leave its text visible."),
        State(
            "pale",
            "The text of the page hardly stands out from its background.",
            loss=0.32,
            title="The page is too pale to be read with ease",
            why="In bright light and with tired eyes nobody can read it, and people with low vision never can.",
            fix="Darken the text or lighten its background in the rules for the listed elements.",
        ),
        State("some", "Some of the text cannot be seen.", loss=0.32, title=_TITLE, why=_WHY, fix=_FIX),
        State("much", "A good part of the text cannot be seen.", loss=0.6, title=_TITLE, why=_WHY, fix=_FIX),
        State("most", "Most of the text cannot be seen.", loss=1.0, title=_TITLE, why=_WHY, fix=_FIX),
    ),
    cap=Cap(49),
    sources=(
        "https://developers.google.com/search/docs/essentials/spam-policies#hidden-text-and-links",
        "https://www.w3.org/WAI/WCAG22/Understanding/contrast-minimum.html",
    ),
)
def invisible_text(document: Document, concealed_text: ConcealedText, rendering: Rendering | NotGathered) -> Verdict:
    """Text in the color of its background, or too small to be read, is of no use to visitors.

    ## What it checks

    The colors, sizes and boxes that style attributes, the page's own rules and its style sheets give to its text: text
    whose contrast with its background is below 1.5:1, transparent text, text smaller than 4.5 pixels, text that an
    indent moves out of the window, text in lines that hold no more than two letters, text that does not fit into a box
    that cuts it off where no script could unfold it, and text that is mirrored, upside down, turned away, spaced so
    that its letters or its lines lie on one another, laid against the direction of its script, or shown as dots, from
    15 words on. Transforms, filters, blending and opacity are taken together, with those of the elements around: what
    counts is the size, the direction and the contrast that the eye gets. A text of 100 characters also counts where its
    lines run up or down in a script that is not written so, or its letters are 240 pixels high; any text where a font
    of symbols draws signs for its letters, or a line of two fifths of their size goes through them. A page that its own
    rules hide as a whole counts as well, where there is no script that could show it. Colors that depend on an image, a
    gradient of several, a variable or a sheet that was not read are unknown, and count as visible; what is not rendered
    at all, such as menus that open, does not count either.

    Without a browser, which measures contrasts better, a page is called pale where the same rules give a half of its
    text a contrast below 3:1.

    What it costs grows with the share of the text: 8 points, 15 from a fifth, and a page of which a half cannot be
    seen scores 49 at most.

    ## Fails on

    ```html
    <!doctype html><title>Chairs</title>
    <h1>Chairs</h1>
    <div style="color: #fff; background: white">
    <!-- the next line 9 times -->
    <p>Cheap chairs, buy chairs, best chairs, chairs near me.
    </div>
    ```

    ## Passes on

    ```html
    <!doctype html><title>Chairs</title>
    <div style="color: #fff; background: #222">
    <!-- the next line 9 times -->
    <p>Our chairs are made of teak, and they stay outside in every season.
    </div>
    ```
    """
    if document.client_rendered:
        return NEEDS_RENDERING
    if not document.text:
        return NotApplicable("The page has no text.")
    found = concealed_text
    is_seen = found.words < MIN_WORDS and found.share < MOST
    is_pale = found.pale >= max(MIN_PALE, PALE * len(document.text))
    # A browser measures contrasts, and another check has them.
    if is_seen and is_pale and isinstance(rendering, NotGathered):
        places = [Offender(node, "contrast below 3:1", ratio) for node, ratio in found.pale_places]
        return Outcome("pale", value=amount(found.pale, "character"), evidence=evidence_of(document, places))
    if is_seen:
        return Outcome("visible", value=0)
    state = "most" if found.share >= MOST else "much" if found.share >= MUCH else "some"
    return Outcome(
        state,
        value=amount(found.words, "word"),
        evidence=evidence_of(document, [Offender(node, _REASONS[why], text) for node, why, text in found.places]),
        message=f"{found.share:.0%} of the text cannot be seen.",
    )
