"""Parameters of a header value, such as ``boundary`` of a media type: read once from left to right, with a bound.

``email.message`` is not used: it takes quadratic time for values that an untrusted client chooses.

Source: https://www.rfc-editor.org/rfc/rfc9110#section-5.6.6
"""

from __future__ import annotations

import re
from typing import Final

MAX_CHARACTERS: Final = 1_024
"""Of a value that is read; a boundary has at most 70 (RFC 2046 section 5.1.1), the name of a field rarely more."""
_NAME: Final = r"[!#$%&'*+.^_`|~0-9A-Za-z-]++"
_VALUE: Final = re.compile(rf"[ \t]*+({_NAME}(?:/{_NAME})?)[ \t]*+")
_PARAMETER: Final = re.compile(
    rf";[ \t]*+(?:({_NAME})(?:=(?:\"((?:[^\"\\]|\\.)*)\"|([^\s\";]*+)))?)?[ \t]*+", re.DOTALL
)
_ESCAPED: Final = re.compile(r"\\(.)", re.DOTALL)


def parse_parameters(text: str) -> tuple[str, dict[str, str]] | None:
    """Read a value and its parameters.

    Args:
        text: The header, one byte a character.

    Returns:
        The value in lower case and its parameters by their names in lower case, of doubled ones the first; a name
        without a value has an empty one. ``None`` when the header is longer than ``MAX_CHARACTERS`` or malformed.
    """
    if len(text) > MAX_CHARACTERS:
        return None
    match = _VALUE.match(text)
    if match is None:
        return None
    value = match[1].lower()
    found: dict[str, str] = {}
    position = match.end()
    while position < len(text):
        match = _PARAMETER.match(text, position)
        if match is None:
            return None
        name, quoted, plain = match.groups()
        if name is not None:
            found.setdefault(name.lower(), plain or "" if quoted is None else _ESCAPED.sub(r"\1", quoted))
        position = match.end()
    return value, found
