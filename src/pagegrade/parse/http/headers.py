"""Field values of HTTP headers: lists, directives, media types and links.

Everything here walks its input once, keeps what is bounded and never raises: a header is whatever a server sends.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Final

import msgspec

REGISTERED_CODINGS: Final = frozenset(
    ("aes128gcm br compress dcb dcz deflate exi gzip identity pack200-gzip x-compress x-gzip zstd").split()
)
"""Content codings that exist. Browsers pass a body on as it came where only other words are declared.

Source: https://www.iana.org/assignments/http-parameters/http-parameters.xhtml#content-coding
"""
_MAX_KNOWN: Final = 200
"""Characters of media types that are read once."""
MAX_LINKS: Final = 100
"""Links read from the ``Link`` headers of one answer; a thousand of them is an attack, not a page."""
_SPACE: Final = " \t\r\n\f"
_TOKEN: Final = frozenset("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")


def is_token(text: str) -> bool:
    """Return whether ``text`` is a ``token``: not empty and only of the characters a header name may have.

    Source: https://www.rfc-editor.org/rfc/rfc9110#section-5.6.2
    """
    return bool(text) and all(character in _TOKEN for character in text)


def split_outside_quotes(value: str, separator: str) -> list[str]:
    """Cut ``value`` at every ``separator`` (one character) that stands outside a quoted string.

    The parts are stripped, keep their quotes, and may be empty. An unclosed quote runs to the end.
    """
    if '"' not in value:
        return [part.strip(_SPACE) for part in value.split(separator)]
    parts: list[str] = []
    start = 0
    quoted = escaped = False
    for index, character in enumerate(value):
        if escaped:
            escaped = False
        elif quoted:
            escaped = character == "\\"
            quoted = character != '"'
        elif character == '"':
            quoted = True
        elif character == separator:
            parts.append(value[start:index].strip(_SPACE))
            start = index + 1
    parts.append(value[start:].strip(_SPACE))
    return parts


def unquote(text: str) -> str:
    """The content of a quoted string without its escapes; any other text as it is."""
    if not text.startswith('"'):
        return text
    inner = text[1:-1] if text.endswith('"') else text[1:]
    if "\\" not in inner:
        return inner
    characters: list[str] = []
    escaped = False
    for character in inner:
        if character == "\\" and not escaped:
            escaped = True
            continue
        characters.append(character)
        escaped = False
    return "".join(characters)


def parse_list(values: Iterable[str]) -> tuple[str, ...]:
    """Members of a comma-separated header over all its lines, in order, without the empty ones.

    Source: https://www.rfc-editor.org/rfc/rfc9110#section-5.6.1
    """
    return tuple(part for value in values for part in split_outside_quotes(value, ",") if part)


def parse_tokens(values: Iterable[str]) -> tuple[str, ...]:
    """The same in lower case, for headers whose members are words (``Vary``, ``X-Content-Type-Options``)."""
    return tuple(part.lower() for part in parse_list(values))


def parse_directives(values: Iterable[str]) -> dict[str, str]:
    """Directives of a header such as ``Cache-Control``: lower-case name -> value, "" for one without; first wins.

    Source: https://www.rfc-editor.org/rfc/rfc9111#section-5.2
    """
    directives: dict[str, str] = {}
    for member in parse_list(values):
        name, value = _parameter(member)
        if name:
            directives.setdefault(name, value)
    return directives


class MediaType(msgspec.Struct, frozen=True):
    """A media type such as ``text/html; charset=utf-8``."""

    essence: str
    """``type/subtype`` in lower case."""
    parameters: Mapping[str, str] = msgspec.field(default_factory=lambda: MappingProxyType({}))
    """Lower-case name -> value without quotes; the first of a repeated name."""

    @property
    def charset(self) -> str | None:
        """The ``charset`` parameter as written; ``None`` when absent."""
        return self.parameters.get("charset")


def parse_media_type(value: str | None) -> MediaType | None:
    """Read the value of ``Content-Type``; ``None`` when absent or not a media type.

    Lines that were joined by commas are read as one value, as a media type has no list form: the last readable one
    counts, which is what browsers do.

    Source: https://mimesniff.spec.whatwg.org/#parsing-a-mime-type and
    https://fetch.spec.whatwg.org/#concept-header-extract-mime-type
    """
    if not value:
        return None
    # The files of a page declare the same few types.
    return _known_media_type(value) if len(value) <= _MAX_KNOWN else _media_type(value)


def _media_type(value: str) -> MediaType | None:
    found: MediaType | None = None
    for part in split_outside_quotes(value, ","):
        essence, *parameters = split_outside_quotes(part, ";")
        kind, _, subtype = essence.lower().partition("/")
        if not is_token(kind) or not is_token(subtype) or essence == "*/*":
            continue
        known: dict[str, str] = {}
        for text in parameters:
            name, content = _parameter(text)
            if is_token(name) and content:
                known.setdefault(name, content)
        if found is not None and found.essence == essence.lower() and "charset" not in known and found.charset:
            known["charset"] = found.charset
        found = MediaType(essence.lower(), MappingProxyType(known))
    return found


_known_media_type: Final = lru_cache(maxsize=256)(_media_type)


class LinkValue(msgspec.Struct, frozen=True):
    """One link of a ``Link`` header."""

    target: str
    """As written between the angle brackets; resolve it against the URL of the answer."""
    rel: tuple[str, ...]
    """Lower-case relation types; of a repeated ``rel`` only the first counts."""
    parameters: Mapping[str, str]
    """Other parameters, lower-case name -> value; the first of a repeated name."""


def parse_links(values: Iterable[str]) -> tuple[LinkValue, ...]:
    """Read the ``Link`` headers of one answer, at most ``MAX_LINKS`` links; malformed ones are left out.

    Links with an ``anchor`` parameter concern another page and are kept with that parameter.

    Source: https://www.rfc-editor.org/rfc/rfc8288#section-3 and its appendix B.2
    """
    links: list[LinkValue] = []
    for value in values:
        position = 0
        while len(links) < MAX_LINKS:
            opening = value.find("<", position)
            closing = value.find(">", opening + 1) if opening >= 0 else -1
            if closing < 0:
                break
            end = _end_of_member(value, closing + 1)
            skipped = value[position:opening].strip(_SPACE + ",")
            position = end + 1
            if skipped:
                continue
            links.append(_link(value[opening + 1 : closing].strip(_SPACE), value[closing + 1 : end]))
    return tuple(links)


def _link(target: str, parameters: str) -> LinkValue:
    known: dict[str, str] = {}
    for text in split_outside_quotes(parameters, ";"):
        name, content = _parameter(text)
        if name:
            known.setdefault(name, content)
    rel = tuple(known.pop("rel", "").lower().split())
    return LinkValue(target, rel, MappingProxyType(known))


def _end_of_member(value: str, start: int) -> int:
    """Return the end of the current list member: the next comma outside quotes, or the end of the value."""
    quoted = escaped = False
    for index in range(start, len(value)):
        character = value[index]
        if escaped:
            escaped = False
        elif quoted:
            escaped = character == "\\"
            quoted = character != '"'
        elif character == '"':
            quoted = True
        elif character == ",":
            return index
    return len(value)


def _parameter(text: str) -> tuple[str, str]:
    """``name=value`` with the name in lower case and the value unquoted; "" for a missing value."""
    name, _, value = text.partition("=")
    return name.strip(_SPACE).lower(), unquote(value.strip(_SPACE))
