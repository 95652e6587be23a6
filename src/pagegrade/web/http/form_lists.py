"""Fields that a form holds several times: ``urls=a&urls=b``, ``urls[]=a&urls[]=b`` and ``urls[0]=a&urls[1]=b``."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final
from urllib.parse import unquote_plus

_NAME: Final = re.compile(r"([A-Za-z0-9_]{1,64})(?:\[[0-9]{0,9}\])?")


def with_lists(sent: Mapping[str, Any], body: bytes, lists: Sequence[str]) -> dict[str, Any]:
    """The fields of a form with every value of some of them, in the order in which they came, without empty ones.

    Args:
        sent: What ``forms.parse_pairs`` made of the body, which is UTF-8 therefore.
        body: As received.
        lists: Names of the fields.
    """
    found: dict[str, list[str]] = {}
    for pair in body.split(b"&"):
        name, _, value = pair.decode("latin-1").partition("=")
        listed = _NAME.fullmatch(unquote_plus(name))
        if listed is not None and listed[1] in lists:
            text = unquote_plus(value.encode("latin-1").decode())
            values = found.setdefault(listed[1], [])
            if text:
                values.append(text)
    rest = {name: value for name, value in sent.items() if _base(name) not in lists}
    return rest | found


def _base(name: str) -> str:
    listed = _NAME.fullmatch(name)
    return name if listed is None else listed[1]
