"""The states and properties of WAI-ARIA with the types of their values.

Sources: https://www.w3.org/TR/wai-aria-1.2/#state_prop_def (6 June 2023) and what browsers already take from the draft
https://www.w3.org/TR/wai-aria-1.3/ (aria-actions, aria-description, aria-braillelabel, aria-brailleroledescription,
aria-colindextext, aria-rowindextext). Read in November 2026.
"""

from __future__ import annotations

from typing import Final, Literal

import msgspec

Kind = Literal["boolean", "token", "tokens", "id", "ids", "integer", "number", "text"]


class Attribute(msgspec.Struct, frozen=True, kw_only=True):
    """Type and values of one attribute."""

    kind: Kind
    tokens: frozenset[str] = frozenset()
    """Allowed words, for booleans and tokens."""
    least: int | None = None
    """Smallest allowed integer."""
    is_global: bool = False
    """Allowed with every role (and without one)."""


_TABLE: Final = """
actions ids global
activedescendant id
atomic boolean global
autocomplete token inline list both none
braillelabel text global
brailleroledescription text global
busy boolean global
checked token true false mixed undefined
colcount integer -1
colindex integer 1
colindextext text
colspan integer 1
controls ids global
current token page step location date time true false global
describedby ids global
description text global
details ids global
disabled boolean global
dropeffect tokens copy execute link move none popup global
errormessage ids global
expanded token true false undefined
flowto ids global
grabbed token true false undefined global
haspopup token true false menu listbox tree grid dialog global
hidden token true false undefined global
invalid token true false grammar spelling global
keyshortcuts text global
label text global
labelledby ids global
level integer 1
live token off polite assertive global
modal boolean
multiline boolean
multiselectable boolean
orientation token horizontal vertical undefined
owns ids global
placeholder text
posinset integer 1
pressed token true false mixed undefined
readonly boolean
relevant tokens additions all removals text global
required boolean
roledescription text global
rowcount integer -1
rowindex integer 1
rowindextext text
rowspan integer 0
selected token true false undefined
setsize integer -1
sort token ascending descending none other
valuemax number
valuemin number
valuenow number
valuetext text
"""
_WHOLE: Final = frozenset("0123456789")


def _read() -> dict[str, Attribute]:
    table: dict[str, Attribute] = {}
    for line in _TABLE.strip().split("\n"):
        name, kind, *more = line.split()
        is_global = bool(more) and more[-1] == "global"
        if is_global:
            more.pop()
        if kind == "boolean":
            more = ["true", "false"]
        table[f"aria-{name}"] = Attribute(
            kind=kind,  # type: ignore[arg-type]
            tokens=frozenset(more) if kind in {"boolean", "token", "tokens"} else frozenset(),
            least=int(more[0]) if kind == "integer" else None,
            is_global=is_global,
        )
    return table


ATTRIBUTES: Final = _read()
"""Attribute name -> what it may say."""
GLOBAL: Final = frozenset(name for name, attribute in ATTRIBUTES.items() if attribute.is_global)
NAMING: Final = frozenset({"aria-braillelabel", "aria-label", "aria-labelledby"})
OF_TREEGRIDS: Final = frozenset({"aria-expanded", "aria-level", "aria-posinset", "aria-setsize"})
"""Attributes of rows that mean something in a treegrid only."""


def value_problem(name: str, value: str) -> str:
    """Explain why ``value`` is not of the type of the attribute ``name``; "" if it is, or if it is empty (unset).

    References are evaluated for their form only: whether an id exists is another question.

    Raises:
        KeyError: There is no such attribute.
    """
    attribute = ATTRIBUTES[name]
    text = value.strip().lower()
    if not text:
        return ""
    match attribute.kind:
        case "boolean" | "token":
            return "" if text in attribute.tokens else f"not one of {_words(attribute)}"
        case "tokens":
            return "" if attribute.tokens.issuperset(text.split()) else f"not made of {_words(attribute)}"
        case "integer":
            if not _is_whole(text):
                return "not a whole number"
            least = attribute.least
            return "" if least is None or len(text) > 9 or int(text) >= least else f"less than {least}"
        case "number":
            return "" if _is_number(text) else "not a number"
        case "id":
            return "not one id" if len(text.split()) > 1 else ""
        case "ids" | "text":
            return ""


def _words(attribute: Attribute) -> str:
    return ", ".join(sorted(attribute.tokens))


def _is_whole(text: str) -> bool:
    digits = text[1:] if text[0] in "+-" else text
    return bool(digits) and _WHOLE.issuperset(digits)


def _is_number(text: str) -> bool:
    mantissa, _, exponent = text.partition("e")
    sign = mantissa[1:] if mantissa[:1] in {"+", "-"} else mantissa
    whole, _, fraction = sign.partition(".")
    digits = whole + fraction
    return bool(digits) and _WHOLE.issuperset(digits) and ("e" not in text or (bool(exponent) and _is_whole(exponent)))
