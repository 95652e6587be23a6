from pagegrade.checks._check import State, Verdict, check
from pagegrade.checks._offenders import Offender, counted
from pagegrade.model.accessibility import Accessibility
from pagegrade.model.document import Document
from pagegrade.model.outcome import NotApplicable, Severity
from pagegrade.parse.aria.implicit import conflict_of_presentation


@check(
    id="presentation-conflict",
    title="Conflicting presentation role",
    severity=Severity.INFO,
    since="0.1.0",
    states=(
        State("clear", "No interactive element is marked as presentational."),
        State(
            "conflicting",
            "Interactive elements are marked as presentational.",
            title="Elements with a conflicting presentation role",
            why="Browsers ignore the role, so the element is announced although it was meant to be decorative.",
            fix="Remove the role or the empty `alt`, or remove the `tabindex` or ARIA attribute that contradicts it.",
            counted=True,
        ),
    ),
    sources=(
        "https://www.w3.org/TR/wai-aria-1.2/#conflict_resolution_presentation_none",
        "https://www.w3.org/WAI/standards-guidelines/act/rules/46ca7f/",
    ),
)
def presentation_conflict(document: Document, accessibility: Accessibility) -> Verdict:
    """An element with the role `none` or `presentation` cannot be interactive at the same time.

    ## What it checks

    Elements with the role `none` or `presentation`, and images with an empty `alt`, that are not hidden: those that
    take the focus or have an attribute of ARIA that goes with every role and says something. Browsers then ignore the
    role. Frames and players are left out unless they have a `tabindex`. It is informative and costs nothing.

    ## Fails on

    ```html
    <!doctype html><title>Shop</title>
    <ul role="presentation" aria-label="Menu"><li>Home</li></ul>
    ```

    ## Passes on

    ```html
    <!doctype html><title>Shop</title>
    <ul role="presentation"><li>Home</li></ul>
    ```
    """
    found = []
    judged = any(image.alt == "" and not image.hidden for image in document.images)
    for one in accessibility.roles:
        if one.hidden:
            continue
        decorative = one.written in {"none", "presentation"}
        if not decorative and not (one.node.tag == "img" and one.attrs.get("alt") == "" and not one.tokens):
            continue
        judged = True
        conflict = conflict_of_presentation(one.node.tag, one.attrs)
        if conflict and (decorative or conflict != "focus"):
            found.append(Offender(one.node, "takes the focus" if conflict == "focus" else f"has {conflict}"))
    found += [
        Offender(image.node, "takes the focus")
        for image in document.images
        if image.alt == "" and "tabindex" in image.attrs and "role" not in image.attrs and not image.hidden
        if conflict_of_presentation("img", image.attrs) == "focus"
    ]
    if not judged:
        return NotApplicable("No element of the page is marked as presentational.")
    return counted(
        document,
        found,
        "clear",
        "conflicting",
        "One interactive element is marked as presentational.",
        "{count} interactive elements are marked as presentational.",
        low=0,
        high=0,
    )
