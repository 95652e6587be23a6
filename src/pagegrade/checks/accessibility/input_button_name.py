from pagegrade.checks._check import State, check
from pagegrade.checks._offenders import Offender, counted
from pagegrade.model.document import Document
from pagegrade.model.outcome import NotApplicable, Outcome, Severity
from pagegrade.parse.aria.implicit import input_type, keeps_role
from pagegrade.parse.aria.roles import first_role


@check(
    id="input-button-name",
    title="Input button names",
    severity=Severity.MEDIUM,
    since="0.1.0",
    states=(
        State("named", "Every input button has an accessible name."),
        State(
            "nameless",
            "Input buttons have no accessible name.",
            0.5,
            1.0,
            title="Input buttons without a name",
            why='The button shows no text, screen readers announce only "button", and voice control cannot address it.',
            fix="Write what the button does into `value`, or use a `<button>` with text inside.",
            counted=True,
        ),
    ),
    sources=(
        "https://www.w3.org/WAI/WCAG22/Understanding/name-role-value.html",
        "https://www.w3.org/WAI/standards-guidelines/act/rules/97a4e1/",
        "https://html.spec.whatwg.org/multipage/input.html#submit-button-state-(type=submit)",
    ),
)
def input_button_name(document: Document) -> Outcome | NotApplicable:
    """The `value` of an input button is its text; without one the button is empty.

    ## What it checks

    Elements `<input>` of the types `button`, `submit` and `reset` that are not hidden. The name comes from `value`,
    `aria-label`, `aria-labelledby`, a `<label>` or `title`. Browsers name submit and reset buttons without a `value`
    themselves; an empty `value=""` takes that name away. Disabled buttons with `role="none"` are left out, because they
    are not announced. No other role frees a button from having a name, since people can still press it. The loss grows
    from half (one button) to everything (ten or more).

    ## Fails on

    ```html
    <!doctype html><title>Shop</title>
    <form><input type="submit" value=""></form>
    ```

    ## Passes on

    ```html
    <!doctype html><title>Shop</title>
    <form><input type="submit" value="Order now"></form>
    ```
    """
    buttons = [
        one
        for one in document.named
        if one.node.tag == "input"
        and input_type(one.attrs) != "image"
        and not one.hidden
        and (first_role(one.attrs.get("role", "")) not in {"none", "presentation"} or keeps_role("input", one.attrs))
    ]
    if not buttons:
        return NotApplicable("The page has no input buttons.")
    found = [Offender(one.node, "no accessible name") for one in buttons if not one.name]
    return counted(
        document,
        found,
        "named",
        "nameless",
        "One input button has no accessible name.",
        "{count} input buttons have no accessible name.",
    )
