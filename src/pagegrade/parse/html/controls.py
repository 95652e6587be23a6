"""Interactive elements, and what disables them, stylesheets aside."""

from __future__ import annotations

from typing import Final

from turbohtml import Element

from pagegrade.parse.aria.implicit import is_focusable, role_of
from pagegrade.parse.cascade.states import is_details_summary

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
    """Return whether the element is interactive and focusable; an enclosing fieldset is not considered.

    Some fields, such as those for dates and passwords, have no role, and neither has a player or a summary.
    """
    strings = text_attributes(node)
    if not is_focusable(node.tag, strings):
        return False
    if node.tag == "summary":
        return is_details_summary(node)
    return node.tag in {"audio", "input", "video"} or role_of(node, strings) in WIDGETS


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
