from pagegrade.checks._check import State, check
from pagegrade.checks._offenders import Offender, counted
from pagegrade.model.accessibility import Accessibility, RoleFact
from pagegrade.model.document import Document
from pagegrade.model.outcome import NotApplicable, Outcome, Severity
from pagegrade.parse.aria.roles import ROLES


@check(
    id="aria-parent-child",
    title="ARIA parent and child roles",
    severity=Severity.LOW,
    since="0.1.0",
    states=(
        State("together", "Roles have the parents and children that they require."),
        State(
            "apart",
            "Elements lack the parent or child roles that their role requires.",
            0.5,
            1.0,
            title="Elements without the parent or child roles they require",
            why='Screen readers announce the element as something else or without its position, such as "tab 2 of 5".',
            fix=(
                'Put the element into an element with the parent role, such as `role="tablist"` around tabs, or '
                "remove a role that was not meant."
            ),
            counted=True,
        ),
    ),
    sources=(
        "https://www.w3.org/TR/wai-aria-1.2/#scope",
        "https://www.w3.org/TR/wai-aria-1.2/#mustContain",
        "https://www.w3.org/WAI/standards-guidelines/act/rules/ff89c9/",
        "https://www.w3.org/WAI/standards-guidelines/act/rules/bc4a75/",
    ),
)
def aria_parent_child(document: Document, accessibility: Accessibility) -> Outcome | NotApplicable:
    """Some roles need a parent or children: an option a list box, a tab a tab list, a row a table.

    ## What it checks

    Elements with such a role that are not hidden. It fails when the nearest role around an element, or around what owns
    it with `aria-owns`, is not one it belongs to; elements that have no meaning of their own do not count in between.
    An explicit role counts even where it equals the implicit role. And it fails when a list, menu, table or the like
    contains or owns none of the roles that it requires, or other roles among them; an element without a role counts as
    another role when it takes the focus or has an attribute of ARIA that goes with every role. What is still empty or
    has `aria-busy="true"` is left out, since scripts fill it. Lists and tables of HTML without a `role` have checks of
    their own. The loss grows from half (one element) to everything (ten or more).

    ## Fails on

    ```html
    <!doctype html><title>Shop</title>
    <div role="tab" tabindex="0">Details</div>
    ```

    ## Passes on

    ```html
    <!doctype html><title>Shop</title>
    <div role="tablist"><div role="tab" tabindex="0">Details</div></div>
    ```
    """
    found = []
    evaluated = 0
    for one in accessibility.roles:
        if one.hidden or not one.written or one.role != one.written:
            continue
        meaning = ROLES[one.written]
        evaluated += bool(meaning.context or meaning.owned)
        if meaning.context and one.around != "…" and one.around not in meaning.context:
            place = f"in {one.around}" if one.around else "alone"
            found.append(
                Offender(one.node, f"stands {place}, and belongs into {_either(meaning.context)}", one.written)
            )
        elif meaning.owned and not one.empty and one.attrs.get("aria-busy", "").strip().lower() != "true":
            reason = _wrong_inside(one, meaning.owned)
            if reason:
                found.append(Offender(one.node, reason, one.written))
    if not evaluated:
        return NotApplicable("No role of the page requires a parent or children.")
    return counted(
        document,
        found,
        "together",
        "apart",
        "One element lacks the parent or child roles that its role requires.",
        "{count} elements lack the parent or child roles that their role requires.",
    )


def _wrong_inside(one: RoleFact, allowed: frozenset[str]) -> str:
    """Describe a child that the role does not allow, or a required one that is missing; "" when all is well."""
    if any(role == "…" for role, _ in one.inside):
        return ""
    for role, _ in one.inside:
        if role not in allowed:
            return f"holds {role or 'an element without a role'}, and may hold {_either(allowed)}"
    if not one.inside and "aria-owns" not in one.attrs:
        return f"holds no {_either(allowed)}"
    return ""


def _either(roles: frozenset[str]) -> str:
    return " or ".join(sorted(roles))
