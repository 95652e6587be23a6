from pagegrade.checks._check import State, check
from pagegrade.checks._offenders import Offender, counted
from pagegrade.model.accessibility import Accessibility
from pagegrade.model.document import Document
from pagegrade.model.outcome import NotApplicable, Outcome, Severity


@check(
    id="tabindex",
    title="Positive tabindex",
    severity=Severity.LOW,
    since="0.1.0",
    states=(
        State("natural", "The Tab key follows the order of the page."),
        State(
            "forced",
            "Elements have a positive tabindex.",
            0.5,
            1.0,
            title="Elements with a positive tabindex",
            why=(
                "These elements come first, before everything else on the page, so the focus jumps about and "
                "people lose their place."
            ),
            fix='Use `tabindex="0"`, and put the elements into the right order in the page.',
            counted=True,
        ),
    ),
    sources=(
        "https://www.w3.org/WAI/WCAG22/Understanding/focus-order.html",
        "https://www.w3.org/WAI/WCAG22/Techniques/failures/F44",
        "https://html.spec.whatwg.org/multipage/interaction.html#attr-tabindex",
    ),
)
def tabindex(document: Document, accessibility: Accessibility) -> Outcome | NotApplicable:
    """The Tab key follows the order of the page, unless a `tabindex` above 0 changes it.

    ## What it checks

    Elements with a `tabindex` greater than 0 that are not hidden. `0` and negative numbers are fine, and so is what is
    no number. The loss grows from half (one element) to everything (ten or more).

    ## Fails on

    ```html
    <!doctype html><title>Shop</title>
    <a href="/">Home</a><a href="/cart" tabindex="1">Cart</a>
    ```

    ## Passes on

    ```html
    <!doctype html><title>Shop</title>
    <a href="/">Home</a><a href="/cart" tabindex="0">Cart</a>
    ```
    """
    if not accessibility.focusables:
        return NotApplicable("Nothing on the page takes the focus.")
    found = [
        Offender(one.node, "comes before everything without a number", f"tabindex {one.value}")
        for one in accessibility.tabindexes
        if one.value > 0 and not one.hidden and one.attrs.get("type", "").strip().lower() != "hidden"
    ]
    return counted(
        document,
        found,
        "natural",
        "forced",
        "One element has a positive tabindex.",
        "{count} elements have a positive tabindex.",
    )
