"""Read request bodies: check the media type and the length, and parse the fields.

Names and values come from a query string, a form, a multipart form or a JSON object. Strict: UTF-8 and no NUL. If a
name occurs more than once, the last value counts, except in JSON, where it is an error (RFC 8259 section 4). Parameters
of a header value, such as ``boundary`` of a media type (RFC 9110 section 5.6.6), are read once from left to right, with
a bound; ``email.message`` takes quadratic time for values that an untrusted client chooses.
"""

from __future__ import annotations

import asyncio
import json
import logging
import re
from collections.abc import Awaitable, Callable, Mapping, MutableMapping, Sequence
from string import hexdigits
from typing import Any, Final, NoReturn

from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser

from pagegrade.web.problems import Rejected, bad_request

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


MAX_PAIRS: Final = 1_000
"""Maximum number of pairs of a query or form: half a million fit into the longest form and would block the event loop
for a second."""
MAX_PARTS: Final = 100
"""Maximum number of parts of a multipart form."""
_PLAIN_ENCODINGS: Final = frozenset({b"7bit", b"8bit", b"binary"})
"""Values of Content-Transfer-Encoding that change nothing; forms have no other one (RFC 7578 section 4.7)."""
# Its warnings are about malformed requests, which clients get as problems; they could be used to fill the log.
logging.getLogger("python_multipart").setLevel(logging.ERROR)
_UNUSABLE: Final = re.compile("[\x00\ud800-\udfff]")
_ESCAPE: Final = re.compile(rb"%([0-9A-Fa-f]{2})")
_BYTES: Final = {one + other: bytes.fromhex(one + other) for one in hexdigits for other in hexdigits}


def parse_pairs(raw: bytes, where: str) -> dict[str, str]:
    """Parse ``application/x-www-form-urlencoded`` (https://url.spec.whatwg.org/#urlencoded-parsing).

    Args:
        where: Name of the input for the message.

    Raises:
        Rejected: The input is not UTF-8, contains a NUL, or has too many pairs.
    """
    found: dict[str, str] = {}
    pairs = raw.split(b"&", MAX_PAIRS)
    if len(pairs) > MAX_PAIRS:
        raise bad_request(f"{where} has more than {MAX_PAIRS} fields.")
    for pair in pairs:
        if pair:
            name, _, value = pair.partition(b"=")
            found[_decode(name, where)] = _decode(value, where)
    return found


def parse_multipart(body: bytes, boundary: bytes) -> dict[str, str]:
    """Parse the fields of ``multipart/form-data`` (RFC 7578).

    Raises:
        Rejected: The body is malformed, is not UTF-8, or contains a NUL, too many parts or a file.
    """
    return parse_upload(body, boundary, "")[0]


def parse_upload(body: bytes, boundary: bytes, file: str) -> tuple[dict[str, str], bytes]:
    """Parse the fields of ``multipart/form-data``, one of which may be a file.

    Args:
        boundary: Of its parts.
        file: Name of the field that may be a file; empty: none.

    Returns:
        The other fields, and the bytes of the file, which are empty if none was chosen.

    Raises:
        Rejected: As of ``parse_multipart``, but for that file.
    """
    form = _Multipart(file)
    try:
        parser = MultipartParser(boundary, form.callbacks())
        parser.write(body)
        parser.finalize()
    except (FormParserError, UnicodeDecodeError, ValueError):
        raise bad_request("The multipart form is broken.") from None
    if not form.ended:
        raise bad_request("The multipart form ends too early.")
    return form.fields, form.content


class _Multipart:
    """Collects the fields found by a parser of multipart bodies.

    The parser's own ``FormParser`` is not used: it takes quadratic time for the parameters of a part's header.
    """

    def __init__(self, file: str) -> None:
        self.fields: dict[str, str] = {}
        self.content = b""
        self._file = file
        self._is_file = False
        self.ended = False
        self._count = 0
        self._header: list[bytes] = []
        self._value: list[bytes] = []
        self._headers: dict[bytes, bytes] = {}
        self._name = ""
        self._data: list[bytes] = []

    def callbacks(self) -> Any:
        """Return the callbacks of the parser, one for each kind of token."""
        return {
            "on_part_begin": self._begin,
            "on_header_field": lambda data, start, end: self._header.append(data[start:end]),
            "on_header_value": lambda data, start, end: self._value.append(data[start:end]),
            "on_header_end": self._end_header,
            "on_headers_finished": self._end_headers,
            "on_part_data": lambda data, start, end: self._data.append(data[start:end]),
            "on_part_end": self._end_part,
            "on_end": self._end,
        }

    def _begin(self) -> None:
        self._count += 1
        if self._count > MAX_PARTS:
            raise bad_request(f"The form has more than {MAX_PARTS} parts.")
        self._headers, self._data = {}, []

    def _end_header(self) -> None:
        self._headers[b"".join(self._header).lower()] = b"".join(self._value).strip(b" \t")
        self._header, self._value = [], []

    def _end_headers(self) -> None:
        parsed = parse_parameters(self._headers.get(b"content-disposition", b"").decode("utf-8"))
        if parsed is None or parsed[0] != "form-data" or "name" not in parsed[1]:
            raise bad_request("A part of the multipart form does not say which field it is.")
        name = _text(parsed[1]["name"].encode(), "The form")
        self._is_file = "filename" in parsed[1] or "filename*" in parsed[1]
        if self._is_file and (not name or name != self._file):
            raise bad_request("Files are not taken here; send fields only.")
        if self._headers.get(b"content-transfer-encoding", b"8bit").lower() not in _PLAIN_ENCODINGS:
            raise bad_request("Send the parts of the form as they are, without Content-Transfer-Encoding.")
        self._name = name

    def _end_part(self) -> None:
        if self._is_file:
            self.content = b"".join(self._data)
            return
        self.fields[self._name] = _text(b"".join(self._data), "The form")

    def _end(self) -> None:
        self.ended = True


def parse_json_object(body: bytes) -> dict[str, Any]:
    """Parse a JSON object, strictly (RFC 8259).

    Rejected: The body is not UTF-8, not JSON, not an object, nested too deeply, repeats a name, or contains a NUL, a
        lone surrogate, NaN or an infinity.
    """
    text = _utf8(body, "The body")
    try:
        value = json.loads(text, object_pairs_hook=_unique, parse_constant=_refuse_constant)
    except RecursionError:
        raise bad_request("The JSON is nested too deeply.") from None
    except ValueError:
        raise bad_request("The body is not valid JSON.") from None
    if not isinstance(value, dict):
        raise bad_request("The JSON must be an object.")
    if "\\u" in text or "\x00" in text:
        _refuse_characters(value)
    return value


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise bad_request("A name stands twice in a JSON object.")
    return found


def _refuse_constant(_name: str) -> NoReturn:
    raise bad_request("NaN and Infinity are not JSON.")


def _refuse_characters(value: object) -> None:
    waiting = [value]
    while waiting:
        match waiting.pop():
            case str() as text:
                if _UNUSABLE.search(text):
                    raise bad_request("The JSON holds a NUL or half a character.")
            case Mapping() as members:
                waiting += [*members.keys(), *members.values()]
            case list() as items:
                waiting += items
            case _:
                pass


def _decode(raw: bytes, where: str) -> str:
    if b"+" in raw:
        raw = raw.replace(b"+", b" ")
    return _text(_ESCAPE.sub(_unescape, raw) if b"%" in raw else raw, where)


def _unescape(match: re.Match[bytes]) -> bytes:
    return _BYTES[match[1].decode("ascii")]


def _text(raw: bytes, where: str) -> str:
    if b"\x00" in raw:
        raise bad_request(f"{where} holds a NUL.")
    return _utf8(raw, where)


def _utf8(raw: bytes, where: str) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        raise bad_request(f"{where} is not UTF-8.") from None


Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
MAX_BYTES: Final = 65_536
MAX_BYTES_ON_LOOP: Final = 8_192
"""A longer body is parsed in a thread: the most expensive one takes about 1 ms for so many bytes."""
MAX_SECONDS: Final = 15.0
"""Time for the body to arrive; a client that sends a byte now and then would hold the connection for nothing."""
MAX_SKIPPED_BYTES: Final = 16_777_216
"""The server skips a rejected body up to this declared length, so that the client can read the error. For a longer
body, or one of unknown length, it closes the connection."""
FORM: Final = "application/x-www-form-urlencoded"
MULTIPART: Final = "multipart/form-data"
JSON: Final = "application/json"
MEDIA_TYPES: Final = (FORM, MULTIPART, JSON)
PAGE_MEDIA_TYPES: Final = (FORM, MULTIPART)
"""Media types of page forms. JSON is not among them: page forms may be longer than a JSON body, and parsing so much
JSON would block all other threads."""
CLOSE: Final = ("Connection", "close")


class ClientGone(Exception):
    """The client closed the connection before it got an answer."""


def read_media_type(
    method: str, content_type: str | None, content_encoding: str | None, accepted: Sequence[str] = MEDIA_TYPES
) -> tuple[str | None, bytes]:
    """Read the media type of a body from the request headers.

    Args:
        method: Request method; decides which header lists the accepted types.
        content_type: Header; ``None`` when it was not sent.
        content_encoding: Header; ``None`` when it was not sent.
        accepted: Media types; the first is that of forms.

    Returns:
        The media type, ``None`` when the header is missing, and the boundary of a multipart form.

    Raises:
        Rejected: The type is none of ``accepted``, the body is compressed or in another charset than UTF-8, or the
            header is malformed or too long.
    """
    if content_encoding and content_encoding.strip().lower() != "identity":
        raise Rejected(
            "unsupported_media_type",
            "Send the body as it is, without Content-Encoding.",
            headers=(("Accept-Encoding", "identity"),),
        )
    if content_type is None or not content_type.strip():
        return None, b""
    if content_type == FORM:
        return FORM, b""
    parsed = parse_parameters(content_type)
    if parsed is None:
        raise bad_request("The Content-Type cannot be read.")
    media_type, parameters = parsed
    if media_type not in accepted:
        raise _unsupported(method, f"Send the body as one of {', '.join(accepted)}.", accepted)
    if parameters.get("charset", "").lower() not in {"", "utf-8", "utf8"}:
        raise _unsupported(method, "Send the body in UTF-8.", accepted)
    boundary = parameters.get("boundary", "")
    if media_type == MULTIPART and not boundary:
        raise bad_request("The Content-Type of a multipart form needs its boundary.")
    return media_type, boundary.encode("latin-1", "replace")


async def read_body(receive: Receive, content_length: str | None, *, max_bytes: int = MAX_BYTES) -> bytes:
    """Read the body and count its bytes while they arrive, whatever length was declared.

    Args:
        receive: Gives the next part of the request.
        content_length: Header; ``None`` when it was not sent.

    Raises:
        Rejected: It is too long, or did not arrive in time.
        ClientGone: The client hung up.
    """
    declared = int(content_length) if content_length is not None and _is_length(content_length) else None
    if declared is not None and declared > max_bytes:
        raise _too_large(max_bytes, () if declared <= MAX_SKIPPED_BYTES else (CLOSE,))
    pieces: list[bytes] = []
    size = 0
    try:
        async with asyncio.timeout(MAX_SECONDS):
            while True:
                message = await receive()
                if message["type"] != "http.request":
                    raise ClientGone
                piece: bytes = message.get("body", b"")
                size += len(piece)
                if size > max_bytes:
                    raise _too_large(max_bytes, (CLOSE,) if declared is None else ())
                pieces.append(piece)
                if not message.get("more_body", False):
                    return b"".join(pieces)
    except TimeoutError:
        raise Rejected(
            "bad_request", f"The body did not arrive within {MAX_SECONDS:g} seconds.", headers=(CLOSE,)
        ) from None


def parse_body(body: bytes, media_type: str | None, boundary: bytes) -> dict[str, Any]:
    """Parse the fields of a body.

    Args:
        media_type: One of ``MEDIA_TYPES``; ``None`` is read as a form, because clients send forms without a type.
        boundary: Of a multipart form.

    Raises:
        Rejected: The body is malformed.
    """
    if media_type == JSON:
        return parse_json_object(body)
    if media_type == MULTIPART:
        return dict(parse_multipart(body, boundary)) if body else {}
    return dict(parse_pairs(body, "The form"))


async def parse_received(body: bytes, media_type: str | None, boundary: bytes) -> dict[str, Any]:
    """Parse like ``parse_body``, but parse long bodies in a thread, so that they do not block the event loop.

    Raises:
        Rejected: The body is malformed.
    """
    if len(body) <= MAX_BYTES_ON_LOOP:
        return parse_body(body, media_type, boundary)
    return await asyncio.to_thread(parse_body, body, media_type, boundary)


def _is_length(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= len(str(2**63))


def _unsupported(method: str, message: str, accepted: Sequence[str]) -> Rejected:
    listed = ", ".join(accepted)
    headers = [("Accept", listed)]
    if method in {"POST", "PATCH"}:
        headers.append((f"Accept-{method.title()}", listed))
    return Rejected("unsupported_media_type", message, headers=tuple(headers))


def _too_large(max_bytes: int, headers: tuple[tuple[str, str], ...]) -> Rejected:
    return Rejected("too_large", f"The body may have at most {max_bytes} bytes.", headers=headers)
