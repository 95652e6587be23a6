"""Which elements people act on, and whether anything keeps them from it, as far as no stylesheet is needed to know."""

from __future__ import annotations

from typing import Final

from turbohtml import Element

from pagegrade.parse.aria.implicit import is_focusable, role_of
from pagegrade.parse.html.accessible_names import is_unseen

WIDGETS: Final = frozenset(
    (
        "button checkbox combobox gridcell link listbox menuitem menuitemcheckbox menuitemradio option progressbar "
        "radio scrollbar searchbox slider spinbutton switch tab textbox treeitem"
    ).split()
)


def text_attributes(node: Element) -> dict[str, str]:
    """The attributes of an element as strings; the parser splits token lists."""
    return {
        name: value if type(value) is str else " ".join(value) if value else "" for name, value in node.attrs.items()
    }


def is_control(node: Element) -> bool:
    """Whether people act on the element, and the keyboard or a program can focus it; a fieldset around is not asked.

    Some fields, such as those for dates and passwords, have no role, and so has a summary.
    """
    strings = text_attributes(node)
    if not is_focusable(node.tag, strings):
        return False
    if node.tag == "summary":
        return is_details_summary(node)
    return node.tag == "input" or role_of(node, strings) in WIDGETS


def is_hidden_by_style(node: Element) -> bool:
    """Hidden from everybody, or out of everybody's reach, by its own attributes; ``aria-hidden`` is for some only."""
    attrs = node.attrs
    return bool(attrs) and ("inert" in attrs or is_unseen(attrs))


def is_details_summary(node: Element) -> bool:
    """Whether a ``<summary>`` opens and closes a part of the page: the first one that is a child of ``<details>``."""
    parent = node.parent
    if not isinstance(parent, Element) or parent.tag != "details":
        return False
    # Backwards to the nearest one: looking from the front would cost all siblings for each of many.
    before = node.previous_sibling
    while before is not None:
        if isinstance(before, Element) and before.tag == "summary":
            return False
        before = before.previous_sibling
    return True


def in_disabled_fieldset(node: Element) -> bool:
    """Fields of a disabled fieldset are disabled, but for those in its legend."""
    inside_legend = False
    for ancestor in node.ancestors:
        if isinstance(ancestor, Element):
            if ancestor.tag == "legend":
                inside_legend = True
            elif ancestor.tag == "fieldset":
                if "disabled" in ancestor.attrs and not inside_legend:
                    return True
                inside_legend = False
    return False
