from typing import Final

from pagegrade.checks._check import State, check
from pagegrade.checks._offenders import Offender, counted
from pagegrade.model.accessibility import Accessibility, RoleFact
from pagegrade.model.document import Document
from pagegrade.model.outcome import NotApplicable, Outcome, Severity
from pagegrade.parse.aria.attributes import ATTRIBUTES, GLOBAL, NAMING, OF_TREEGRIDS
from pagegrade.parse.aria.implicit import supports
from pagegrade.parse.aria.roles import ROLES

_HARMLESS: Final = frozenset(
    {
        ("combobox", "aria-orientation"),
        ("grid", "aria-level"),
        ("radio", "aria-required"),
        ("tablist", "aria-level"),
        ("treegrid", "aria-level"),
    }
)
"""Pairs that the specification does not have, or no longer has, and that browsers expose all the same."""
_WITH_EXPANDED: Final = frozenset(
    (
        "alert alertdialog article banner cell complementary contentinfo definition dialog directory document feed "
        "figure form grid group heading img list listitem log main marquee math menu menubar navigation note "
        "progressbar radiogroup region search status table tablist tabpanel term timer toolbar tooltip tree treegrid"
    ).split()
)
"""Roles that could be expanded in WAI-ARIA 1.1; browsers still expose that state."""
_NAMELESS: Final = frozenset("abbr cite figcaption kbd label legend map picture rp rt ruby time var".split())
"""Elements without a role, or with one that may be named only where it is written, that must not be named."""
_BREAKS: Final = frozenset({"br", "wbr"})
"""Elements on which HTML allows `aria-hidden` and no other attribute of ARIA."""
_DESCRIBING: Final = frozenset({"aria-brailleroledescription", "aria-roledescription"})
"""Other words for a role, where there is none."""
_ROLELESS: Final = frozenset({"generic", "none", "presentation"})
_APPLICATION: Final = frozenset({"audio", "canvas", "embed", "iframe", "object", "video"})
"""Elements that may hold anything; what is inside speaks for itself."""


@check(
    id="aria-allowed-attr",
    title="Allowed ARIA attributes",
    severity=Severity.LOW,
    since="0.1.0",
    states=(
        State("fitting", "Every ARIA attribute is allowed for the role of its element."),
        State(
            "unheard",
            "Elements without a role have names that most screen readers ignore.",
            0.25,
            title="Names on elements without a role",
            why=(
                "Most screen readers ignore an `aria-label` on a `<div>` or `<span>` without a role, so users "
                "do not hear it."
            ),
            fix=(
                "Give the element a role that supports a name, such as `group` or `region`, or write the text "
                "into the page."
            ),
            counted=True,
        ),
        State(
            "unfitting",
            "ARIA attributes do not match the role of their element.",
            0.5,
            1.0,
            title="ARIA attributes that the role does not support",
            why="Browsers ignore such attributes or report contradicting states to screen readers.",
            fix="Remove the attribute, or give the element the role for which it is meant.",
            counted=True,
        ),
    ),
    sources=(
        "https://www.w3.org/TR/wai-aria-1.2/#state_prop_def",
        "https://www.w3.org/TR/html-aria/#docconformance-naming",
        "https://www.w3.org/WAI/standards-guidelines/act/rules/5c01ea/",
        "https://www.w3.org/WAI/standards-guidelines/act/rules/kb1m8s/",
    ),
)
def aria_allowed_attr(document: Document, accessibility: Accessibility) -> Outcome | NotApplicable:
    """Each role supports only certain ARIA attributes: a link cannot be checked, a plain `<div>` has no name.

    ## What it checks

    The ARIA attributes of elements that are not hidden, compared with the explicit role or the implicit role of the
    HTML or SVG element. It fails with an attribute that the role does not support, and with `aria-label`,
    `aria-labelledby` or `aria-braillelabel` on a role that must not be named, such as `code` or `paragraph`. Line
    breaks (`<br>`, `<wbr>`) may have `aria-hidden` only, and no role but `none`. It also fails where a row outside a
    treegrid has a level, a position or an expanded state, and where the `aria-checked` of an HTML checkbox or radio
    button contradicts its state. The loss grows from half (one attribute) to everything (ten or more).

    It costs a quarter when elements without any role, such as `<div>`, `<span>` and `<label>`, have a name: some screen
    readers read it, most do not. The same goes for `aria-roledescription` there. Names inside a link or button are read
    as part of it and are left out here. Custom elements (with a hyphen in their name) may have a role that the HTML
    does not show, and are left out as well. Names on `role="none"` restore the implicit role, which another check
    reports.

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
        if not one.hidden and ("-" not in one.node.tag or one.written):
            _look_at(one, unfitting, unheard)
    if unfitting:
        return counted(
            document,
            unfitting,
            "fitting",
            "unfitting",
            "One ARIA attribute does not match the role of its element.",
            "{count} ARIA attributes do not match the role of their element.",
            lesser={"unheard": unheard},
        )
    if not accessibility.uses_aria:
        return NotApplicable("The page uses no ARIA attributes.")
    return counted(
        document,
        unheard,
        "fitting",
        "unheard",
        "One element without a role has a name that most screen readers ignore.",
        "{count} elements without a role have names that most screen readers ignore.",
        low=0.25,
        high=0.25,
    )


def _look_at(one: RoleFact, unfitting: list[Offender], unheard: list[Offender]) -> None:
    """Add what does not fit, and what is not read, of one element."""
    if one.node.tag in _BREAKS and one.written and one.written not in {"none", "presentation"}:
        unfitting.append(Offender(one.node, f"the role {one.written} does not fit <{one.node.tag}>"))
    for name, value in one.attrs.items():
        if name not in ATTRIBUTES:
            continue
        if one.node.tag not in _BREAKS and (name in NAMING or name in _DESCRIBING):
            if not value.strip() or not (_has_no_name(one) if name in NAMING else _is_roleless(one)):
                continue
            if one.written and one.role == one.written:
                unfitting.append(Offender(one.node, f"{name} names nothing on {_called(one)}", value))
            elif not one.in_control:
                unheard.append(Offender(one.node, f"{name} names nothing on {_called(one)}", value))
        elif (one.node.tag in _BREAKS and name != "aria-hidden") or not (name in GLOBAL or _supports(one, name)):
            unfitting.append(Offender(one.node, f"{name} does not fit {_called(one)}", value))
        elif name == "aria-checked" and _contradicts(one, value):
            unfitting.append(Offender(one.node, "aria-checked contradicts the state of the element", value))


def _supports(one: RoleFact, name: str) -> bool:
    tag = one.node.tag
    role = one.role
    if not one.html and not one.written:
        # Shapes and groups of a drawing have global attributes only.
        return tag == "a" and "href" in one.attrs and supports("link", name)
    if role:
        if role == "row" and name in OF_TREEGRIDS:
            return one.table not in {"grid", "none", "presentation", "table"}
        if supports(role, name) or (role, name) in _HARMLESS:
            return True
        return name == "aria-expanded" and role in _WITH_EXPANDED
    if tag in {"summary", "body"}:
        return supports("button", name)
    if tag == "input":
        # Fields for dates, files and passwords have no role of their own, but states like those of text fields.
        return supports("textbox", name)
    return tag in _APPLICATION and supports("application", name)


def _has_no_name(one: RoleFact) -> bool:
    """Return whether the role must not be named."""
    if not one.html and not one.written:
        return False
    if one.node.tag in _NAMELESS and not one.written:
        return True
    return one.role in ROLES and ROLES[one.role].name_prohibited and one.node.tag not in {"area", "body", "section"}


def _is_roleless(one: RoleFact) -> bool:
    return one.role in _ROLELESS or one.written in _ROLELESS


def _contradicts(one: RoleFact, value: str) -> bool:
    """Return whether the attribute contradicts the state of the checkbox or radio button in the HTML."""
    if one.node.tag != "input" or one.role != one.native or one.role not in {"checkbox", "radio"}:
        return False
    said = value.strip().lower()
    if not said:
        return False
    # A browser takes any other word for false.
    return (said if said in {"true", "mixed"} else "false") != ("true" if "checked" in one.attrs else "false")


def _called(one: RoleFact) -> str:
    return f"the role {one.role}" if one.written and one.role == one.written else f"<{one.node.tag}>"
