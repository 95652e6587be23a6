import re
import unicodedata
from typing import Final

from pagegrade.checks._check import State, check
from pagegrade.checks._offenders import Offender, counted
from pagegrade.model.accessibility import Accessibility, RoleFact
from pagegrade.model.document import Anchor, Document, NamedElement
from pagegrade.model.outcome import NotApplicable, Outcome, Severity
from pagegrade.parse.aria.roles import first_role
from pagegrade.parse.html.accessibility import LABELED
from pagegrade.parse.html.single_elements import shown_text

MAX_READ: Final = 300
"""Elements of one page whose text is read anew, because it differs from the name or is not known."""
_BRACKETS: Final = re.compile(r"[(\[][^()\[\]]*[)\]]")
_PICTURE_FONT: Final = re.compile(r"material[ +_-]?(?:icons|symbols)", re.IGNORECASE)
_LIGATURE: Final = re.compile(r"[a-z_0-9]{2,40}")
_VALUED: Final = frozenset({"combobox", "listbox", "searchbox", "slider", "spinbutton", "textbox"})
"""Roles whose text is a value, not a label."""
_CJK: Final = "\u2e80"
"""The first sign of the scripts of East Asia."""


@check(
    id="label-in-name",
    title="Visible label in accessible name",
    severity=Severity.INFO,
    since="0.1.0",
    states=(
        State("same", "Accessible names contain the visible text."),
        State(
            "different",
            "Accessible names do not contain the visible text.",
            title="Accessible names that lack the visible text",
            why=(
                'Voice control users say the words they see: "click buy now" does nothing when the button is '
                'named "add to cart".'
            ),
            fix=(
                "Begin the `aria-label` with the visible words, or remove it. Ignore this where the visible "
                "text is drawn as an icon."
            ),
            counted=True,
        ),
    ),
    sources=(
        "https://www.w3.org/WAI/WCAG22/Understanding/label-in-name.html",
        "https://www.w3.org/WAI/standards-guidelines/act/rules/2ee8b8/",
        "https://www.w3.org/WAI/WCAG22/Techniques/failures/F96",
    ),
)
def label_in_name(document: Document, accessibility: Accessibility) -> Outcome | NotApplicable:
    """Voice control users say the words they see, so the accessible name must contain them.

    ## What it checks

    Links, buttons (also `<input type="submit">` with a `value`), tabs, options, checkboxes, summaries, and items of
    menus and trees that are not hidden, show text, and have another name by `aria-label` or `aria-labelledby`: it is
    shown when the name does not contain the words that are seen, in that order. Case, punctuation and symbols do not
    count, nor do words in brackets, and a single sign such as × is no text. Neither is the value that a combobox shows.
    Left out is text that well-known classes hide and that icon fonts draw as an icon. Text that other rules of a
    stylesheet hide counts as visible. It costs nothing, because visible text may still be an icon.

    ## Fails on

    ```html
    <!doctype html><title>Shop</title>
    <a href="/cart" aria-label="Checkout">Buy now</a>
    ```

    ## Passes on

    ```html
    <!doctype html><title>Shop</title>
    <a href="/cart" aria-label="Buy now: red bicycle">Buy now</a>
    ```
    """
    elements: list[Anchor | NamedElement | RoleFact] = [one for one in document.anchors if one.href is not None]
    elements += [
        one
        for one in document.named
        if one.role in {"button", "link", "summary"} and first_role(one.attrs.get("role", "")) not in _VALUED
    ]
    known = {id(one.node) for one in elements}
    elements += [one for one in accessibility.roles if one.written in LABELED and id(one.node) not in known]
    labeled = [
        one
        for one in elements
        if ("aria-label" in one.attrs or "aria-labelledby" in one.attrs) and not one.hidden and one.name
        # Of roles, the text is read below.
        if isinstance(one, RoleFact) or _text_of(one)
    ]
    if not labeled:
        return NotApplicable("No link or button has a name that differs from its text.")
    found = []
    pictured = _draws_words(document)
    left = MAX_READ
    for one in labeled:
        if not isinstance(one, RoleFact) and _is_said(_text_of(one), one.name):
            continue
        if not left:
            break
        left -= 1
        shown = one.attrs["value"] if _is_input_button(one) else shown_text(one.node, document.visibility)
        if shown and not _is_said(shown, one.name) and not (pictured and _LIGATURE.fullmatch(shown)):
            found.append(Offender(one.node, f'the visible text is "{shown[:80]}"', one.name))
    return counted(
        document,
        found,
        "same",
        "different",
        "One accessible name does not contain the visible text.",
        "{count} accessible names do not contain the visible text.",
        low=0,
        high=0,
    )


def _is_input_button(one: Anchor | NamedElement | RoleFact) -> bool:
    """Return whether the visible text is an attribute."""
    return one.node.tag == "input" and "value" in one.attrs


def _text_of(one: Anchor | NamedElement) -> str:
    return one.attrs["value"] if _is_input_button(one) else one.text


def _draws_words(document: Document) -> bool:
    """Return whether the page loads a font that draws a picture for a word."""
    return any(_PICTURE_FONT.search(link.attrs.get("href", "")) for link in document.links)


def _is_said(shown: str, name: str) -> bool:
    """Return whether the name contains the words that are seen."""
    if sum(sign.isalnum() for sign in shown) < 2:
        return True
    said = _words(name)
    if _words(shown) in said:
        return True
    plain = _words(_BRACKETS.sub(" ", unicodedata.normalize("NFKC", shown)))
    if plain.strip() and plain in said:
        return True
    # Chinese, Japanese and the like are written without blanks between words.
    return any(sign >= _CJK for sign in shown) and plain.replace(" ", "") in said.replace(" ", "")


def _words(text: str) -> str:
    """Lower case words with a blank around each."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    letters = "".join(sign if sign.isalnum() else " " for sign in plain)
    return f" {' '.join(letters.split())} "
