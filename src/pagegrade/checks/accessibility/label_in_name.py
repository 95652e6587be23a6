from pagegrade.checks._check import State, check
from pagegrade.checks._offenders import Offender, counted
from pagegrade.model.document import Anchor, Document, NamedElement
from pagegrade.model.outcome import NotApplicable, Outcome, Severity


@check(
    id="label-in-name",
    title="Visible text in names",
    severity=Severity.INFO,
    since="0.1.0",
    states=(
        State("same", "Names contain the text that is seen."),
        State("different", "Names do not contain the text that is seen."),
    ),
    sources=(
        "https://www.w3.org/WAI/WCAG22/Understanding/label-in-name.html",
        "https://www.w3.org/WAI/standards-guidelines/act/rules/2ee8b8/",
        "https://www.w3.org/WAI/WCAG22/Techniques/failures/F96",
    ),
)
def label_in_name(document: Document) -> Outcome | NotApplicable:
    """People who speak to their computer say the words they see, so the hidden name must contain them.

    ## What it checks

    Links and buttons that are not hidden, show text, and have another name by `aria-label` or `aria-labelledby`: it is
    shown when the name does not contain the words that are seen, in that order. Case, punctuation and symbols do not
    count, and a single sign such as × is no text. It costs nothing, because text in front of the eyes may be an icon.

    ## Why it matters

    "Click buy now" does nothing when the button is called "add to cart".

    ## How to fix

    Begin the name with the visible words, or remove the `aria-label`.

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
    elements: list[Anchor | NamedElement] = [one for one in document.anchors if one.href is not None]
    elements += [one for one in document.named if one.role in {"button", "link"}]
    labelled = [
        one
        for one in elements
        if ("aria-label" in one.attrs or "aria-labelledby" in one.attrs) and not one.hidden and one.name and one.text
    ]
    if not labelled:
        return NotApplicable("No link or button has another name than its text.")
    found = [
        Offender(one.node, f'shows "{one.text[:80]}"', one.name)
        for one in labelled
        if (shown := _words(one.text)).strip() and shown not in _words(one.name) and not _is_sign(one.text)
    ]
    return counted(
        document,
        found,
        "same",
        "different",
        "One name does not contain the text that is seen.",
        "{count} names do not contain the text that is seen.",
        low=0,
        high=0,
    )


def _words(text: str) -> str:
    """Lower case words with a blank around each."""
    letters = "".join(sign if sign.isalnum() else " " for sign in text.casefold())
    return f" {' '.join(letters.split())} "


def _is_sign(text: str) -> bool:
    return sum(sign.isalnum() for sign in text) < 2
