"""Pseudo-classes that need no argument: positions among siblings, and states that follow from the HTML."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, Protocol

from turbohtml import Element

from pagegrade.parse.cascade.conditions import Truth, conjunction, negate


class Budget(Protocol):
    """Data that every step uses."""

    def step(self) -> bool:
        """Take one step; false when none was left."""
        ...


Test = Callable[[Any, Element], Truth]
"""(matcher, element) -> whether the element is in the state."""
_TYPED: Final = frozenset({"email", "number", "password", "search", "tel", "text", "url"})
_FORM: Final = frozenset({"button", "input", "optgroup", "option", "select", "textarea", "fieldset"})


def attribute_of(node: Element, name: str) -> str | None:
    """Value of an attribute; ``None`` when the element does not have it."""
    attrs = node.attrs
    if name not in attrs:
        return None
    value = attrs[name]
    return value if type(value) is str else " ".join(value) if value else ""


def is_details_summary(node: Element) -> bool:
    """Return whether a ``<summary>`` toggles its parent: the first one that is a child of ``<details>``."""
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


def never(_matcher: Budget, _node: Element) -> Truth:
    """A state that nothing is in before anyone acts."""
    return False


def unknown(_matcher: Budget, _node: Element) -> Truth:
    """A state that only a browser knows."""
    return None


def is_root(_matcher: Budget, node: Element) -> Truth:
    """The element that holds all others."""
    return not isinstance(node.parent, Element)


def is_defined(_matcher: Budget, node: Element) -> Truth:
    """Known to the browser; a script decides that for custom elements."""
    return None if "-" in node.tag or "is" in node.attrs else True


def _is_empty(_matcher: Budget, node: Element) -> Truth:
    return not any(isinstance(child, Element) or getattr(child, "data", None) for child in _texts_and_elements(node))


def _texts_and_elements(node: Element) -> Iterator[Any]:
    return (child for child in node if type(child).__name__ in {"Element", "Text", "CData"})


def _is_checked(_matcher: Budget, node: Element) -> Truth:
    if node.tag == "option":
        return "selected" in node.attrs
    kind = (attribute_of(node, "type") or "").lower()
    return node.tag == "input" and kind in {"checkbox", "radio"} and "checked" in node.attrs


def _is_disabled(_matcher: Budget, node: Element) -> Truth:
    if node.tag not in _FORM:
        return False
    if "disabled" in node.attrs:
        return True
    return None if any(isinstance(one, Element) and one.tag == "fieldset" for one in node.ancestors) else False


def _is_enabled(matcher: Budget, node: Element) -> Truth:
    return negate(_is_disabled(matcher, node)) if node.tag in _FORM else False


def _is_open(_matcher: Budget, node: Element) -> Truth:
    return node.tag in {"details", "dialog"} and "open" in node.attrs


def _is_link(_matcher: Budget, node: Element) -> Truth:
    return node.tag in {"a", "area"} and "href" in node.attrs


def _is_required(_matcher: Budget, node: Element) -> Truth:
    return node.tag in {"input", "select", "textarea"} and "required" in node.attrs


def _is_optional(_matcher: Budget, node: Element) -> Truth:
    return node.tag in {"input", "select", "textarea"} and "required" not in node.attrs


def _is_read_write(_matcher: Budget, node: Element) -> Truth:
    if node.tag in {"input", "textarea"}:
        return "readonly" not in node.attrs and "disabled" not in node.attrs
    return (attribute_of(node, "contenteditable") or "false") != "false"


def _shows_placeholder(_matcher: Budget, node: Element) -> Truth:
    if node.tag == "textarea":
        return "placeholder" in node.attrs and not node.text
    kind = (attribute_of(node, "type") or "text").lower()
    return node.tag == "input" and kind in _TYPED and "placeholder" in node.attrs and not attribute_of(node, "value")


def _placed(*, last: bool, of_type: bool) -> Test:
    def test(matcher: Budget, node: Element) -> Truth:
        # The first sibling found decides: no need to count them all.
        sibling: Any = node.next_sibling if last else node.previous_sibling
        while sibling is not None:
            if not matcher.step():
                return None
            if isinstance(sibling, Element) and (not of_type or sibling.tag == node.tag):
                return False
            sibling = sibling.next_sibling if last else sibling.previous_sibling
        return True

    return test


def _both(one: Test, other: Test) -> Test:
    return lambda matcher, node: conjunction(one(matcher, node), other(matcher, node))


_FIRST: Final = _placed(last=False, of_type=False)
_LAST: Final = _placed(last=True, of_type=False)
_FIRST_OF_TYPE: Final = _placed(last=False, of_type=True)
_LAST_OF_TYPE: Final = _placed(last=True, of_type=True)
STATES: Final[dict[str, Test]] = {
    "root": is_root,
    "scope": is_root,
    "empty": _is_empty,
    "first-child": _FIRST,
    "last-child": _LAST,
    "only-child": _both(_FIRST, _LAST),
    "first-of-type": _FIRST_OF_TYPE,
    "last-of-type": _LAST_OF_TYPE,
    "only-of-type": _both(_FIRST_OF_TYPE, _LAST_OF_TYPE),
    "checked": _is_checked,
    "disabled": _is_disabled,
    "enabled": _is_enabled,
    "open": _is_open,
    "link": _is_link,
    "any-link": _is_link,
    "-webkit-any-link": _is_link,
    "required": _is_required,
    "optional": _is_optional,
    "read-write": _is_read_write,
    "read-only": lambda matcher, node: negate(_is_read_write(matcher, node)),
    "placeholder-shown": _shows_placeholder,
}
"""Name -> test."""


def is_closed(tag: str, raw: Mapping[str, Any]) -> bool:
    """Return whether a browser without any sheet gives the element ``display: none``."""
    if tag == "dialog" and "open" not in raw:
        return True
    if not raw:
        return False
    if "popover" in raw:
        return not (tag == "dialog" and "open" in raw)
    return "hidden" in raw and str(raw["hidden"] or "").lower() != "until-found"
