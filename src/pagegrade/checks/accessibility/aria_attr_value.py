from pagegrade.checks._check import State, check
from pagegrade.checks._offenders import Offender, counted
from pagegrade.model.accessibility import Accessibility, RoleFact
from pagegrade.model.document import Document
from pagegrade.model.outcome import NotApplicable, Outcome, Severity
from pagegrade.parse.aria.attributes import ATTRIBUTES, value_problem


@check(
    id="aria-attr-value",
    title="ARIA attribute values",
    severity=Severity.MEDIUM,
    since="0.1.0",
    states=(
        State("valid", "Every ARIA attribute has a valid value."),
        State(
            "unresolved",
            "ARIA attributes refer to ids that the page does not have.",
            0.25,
            title="ARIA attributes that refer to missing ids",
            why=(
                "The name or description that the attribute should supply is missing, unless a script adds the "
                "element later."
            ),
            fix="Correct the id, or add the element to the page.",
            counted=True,
        ),
        State(
            "invalid",
            "ARIA attributes have invalid values.",
            0.5,
            1.0,
            title="Invalid ARIA attribute values",
            why="A browser ignores an invalid value, so the state is not announced or announced wrongly.",
            fix='Use a value of the specification, for example `aria-expanded="true"` instead of `"yes"`.',
            counted=True,
        ),
    ),
    sources=(
        "https://www.w3.org/TR/wai-aria-1.2/#state_prop_def",
        "https://www.w3.org/WAI/standards-guidelines/act/rules/6a7281/",
        "https://www.w3.org/WAI/WCAG22/Understanding/name-role-value.html",
    ),
)
def aria_attr_value(document: Document, accessibility: Accessibility) -> Outcome | NotApplicable:
    """An ARIA attribute takes values of one kind: true or false, certain words, a number, or an id.

    ## What it checks

    The ARIA attributes of elements that are not hidden. It fails with a value that is not of the kind the attribute
    takes, such as `aria-expanded="yes"` or `aria-level="two"`. Case and spaces do not matter, and an empty value is the
    same as no attribute. The loss grows from half (one value) to everything (ten or more).

    It costs a quarter when attributes name only ids that the page does not have, since scripts may add the elements
    later. This is not reported for pages rendered by scripts, for `aria-controls` of something that is collapsed or
    opens a menu, because its target appears when it opens, and for `aria-errormessage` without an error
    (`aria-invalid`). How an error is announced is not evaluated.

    ## Fails on

    ```html
    <!doctype html><title>Shop</title>
    <button aria-expanded="yes">Menu</button>
    ```

    ## Passes on

    ```html
    <!doctype html><title>Shop</title>
    <button aria-expanded="true">Menu</button>
    ```
    """
    if not accessibility.uses_aria:
        return NotApplicable("The page uses no ARIA attributes.")
    invalid: list[Offender] = []
    unresolved: list[Offender] = []
    for one in accessibility.roles:
        if one.hidden:
            continue
        for name, value in one.attrs.items():
            attribute = ATTRIBUTES.get(name)
            if attribute is None:
                continue
            problem = value_problem(name, value)
            if problem and name == "aria-current":
                # Every other word counts as true.
                continue
            if problem:
                invalid.append(Offender(one.node, f"{name} is invalid: {problem}", value))
            elif attribute.kind in {"id", "ids"} and _leads_nowhere(document, one, name, value):
                unresolved.append(Offender(one.node, f"{name} names no element of the page", value))
    if document.client_rendered:
        unresolved = []
    if invalid:
        return counted(
            document,
            invalid,
            "valid",
            "invalid",
            "One ARIA attribute has an invalid value.",
            "{count} ARIA attributes have invalid values.",
            lesser={"unresolved": unresolved},
        )
    return counted(
        document,
        unresolved,
        "valid",
        "unresolved",
        "One ARIA attribute refers to an id that the page does not have.",
        "{count} ARIA attributes refer to ids that the page does not have.",
        low=0.25,
        high=0.25,
    )


def _leads_nowhere(document: Document, one: RoleFact, name: str, value: str) -> bool:
    """Return whether none of the ids exists although one should."""
    targets = value.split()
    if not targets or any(target in document.ids for target in targets):
        return False
    attrs = one.attrs
    if name in {"aria-controls", "aria-owns"}:
        opens = attrs.get("aria-haspopup", "false").strip().lower() not in {"", "false"}
        closed = "false" in {attrs.get(state, "").strip().lower() for state in ("aria-expanded", "aria-selected")}
        return not opens and not closed
    return name != "aria-errormessage" or attrs.get("aria-invalid", "false").strip().lower() not in {"", "false"}
