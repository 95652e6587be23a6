from typing import Final

from pagegrade.checks._check import State, check
from pagegrade.checks._offenders import Offender, counted
from pagegrade.model.accessibility import Accessibility, RoleFact
from pagegrade.model.document import Document
from pagegrade.model.outcome import Outcome, Severity
from pagegrade.parse.aria.attributes import ATTRIBUTES, GLOBAL, NAMING
from pagegrade.parse.aria.implicit import supports
from pagegrade.parse.aria.roles import ROLES

_ROW_OF_TREEGRID: Final = frozenset({"aria-expanded", "aria-level", "aria-posinset", "aria-setsize"})
_HARMLESS: Final = frozenset({("radio", "aria-required")})
"""Pairs that the specification does not have and that browsers tell all the same."""
_TEXTUAL: Final = frozenset({"searchbox", "text", "textbox"})
_NAMELESS: Final = frozenset("abbr cite dd dt figcaption kbd legend picture rp rt ruby var".split())
"""Elements without a role that must not be named."""
_APPLICATION: Final = frozenset({"audio", "canvas", "embed", "iframe", "object", "video"})
"""Elements that may hold anything; what is inside speaks for itself."""


@check(
    id="aria-allowed-attr",
    title="ARIA attributes that fit",
    severity=Severity.LOW,
    since="0.1.0",
    states=(
        State("fitting", "Every ARIA attribute fits its element."),
        State("unheard", "Elements without a role have names that are mostly not read.", 0.25),
        State("unfitting", "ARIA attributes do not fit the role of their element.", 0.5, 1.0),
    ),
    sources=(
        "https://www.w3.org/TR/wai-aria-1.2/#state_prop_def",
        "https://www.w3.org/TR/html-aria/#docconformance-naming",
        "https://www.w3.org/WAI/standards-guidelines/act/rules/5c01ea/",
        "https://www.w3.org/WAI/standards-guidelines/act/rules/kb1m8s/",
    ),
)
def aria_allowed_attr(document: Document, accessibility: Accessibility) -> Outcome:
    """Not every ARIA attribute goes with every role: a link cannot be checked, and a plain box has no name.

    ## What it checks

    The attributes of ARIA on elements that are not hidden, against the role that is written or that the HTML element
    has by itself. It fails with an attribute that the role does not support, and with `aria-label` or `aria-labelledby`
    on a role that must not be named, such as `presentation`, `code` or `paragraph`. The loss grows from half (one
    attribute) to everything (ten or more).

    It costs a quarter when elements without any role, such as `<div>` and `<span>`, have a name: some screen readers
    read it, most do not. Elements of your own (with a hyphen in their name) may have a role that cannot be seen, and
    are left out.

    ## Why it matters

    What does not fit is ignored, or read in a way that nobody expects.

    ## How to fix

    Remove the attribute, or give the element the role that it is meant for.

    ## Fails on

    ```html
    <!doctype html><title>Shop</title>
    <a href="/cart" aria-checked="true">Cart</a>
    ```

    ## Passes on

    ```html
    <!doctype html><title>Shop</title>
    <a href="/cart" aria-current="page">Cart</a>
    ```
    """
    unfitting: list[Offender] = []
    unheard: list[Offender] = []
    for one in accessibility.roles:
        if one.hidden or not one.html or ("-" in one.node.tag and not one.written):
            continue
        for name, value in one.attrs.items():
            if name not in ATTRIBUTES:
                continue
            if name in NAMING:
                if value.strip() and _has_no_name(one):
                    (unfitting if one.written and one.role == one.written else unheard).append(
                        Offender(one.node, f"{name} names nothing on {_called(one)}", value)
                    )
            elif name not in GLOBAL and not _supports(one, name):
                unfitting.append(Offender(one.node, f"{name} does not fit {_called(one)}", value))
    if unfitting:
        return counted(
            document,
            unfitting,
            "fitting",
            "unfitting",
            "One ARIA attribute does not fit its element.",
            "{count} ARIA attributes do not fit their elements.",
        )
    return counted(
        document,
        unheard,
        "fitting",
        "unheard",
        "One element without a role has a name that is mostly not read.",
        "{count} elements without a role have names that are mostly not read.",
        low=0.25,
        high=0.25,
    )


def _supports(one: RoleFact, name: str) -> bool:
    tag = one.node.tag
    if one.role:
        if supports(one.role, name) or (one.role, name) in _HARMLESS:
            return True
        if name == "aria-expanded":
            # WAI-ARIA 1.1 had it on every part of a page, and browsers still tell it.
            meaning = ROLES[one.role]
            return not meaning.name_prohibited and not meaning.children_presentational and one.role not in _TEXTUAL
        return one.role == one.native == "row" and name in _ROW_OF_TREEGRID
    if tag in {"summary", "body"}:
        return supports("button", name)
    if tag == "input":
        # Fields for dates, files and passwords have no role of their own, but states like those of text fields.
        return supports("textbox", name) or supports("combobox", name)
    return tag in _APPLICATION and supports("application", name)


def _has_no_name(one: RoleFact) -> bool:
    """Whether the role must not be named."""
    if one.role in ROLES:
        return ROLES[one.role].name_prohibited and one.node.tag not in {"body", "section"}
    return one.node.tag in _NAMELESS


def _called(one: RoleFact) -> str:
    return f"the role {one.role}" if one.written and one.role == one.written else f"<{one.node.tag}>"
