"""Names and values from a query string, a form, a multipart form or a JSON object. Strict: UTF-8 and no NUL.

Of a name that comes more than once the last value counts, except in JSON, where it is an error (RFC 8259 section 4).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final, NoReturn
from urllib.parse import unquote_to_bytes

from python_multipart import FormParser
from python_multipart.exceptions import FormParserError
from python_multipart.multipart import Field, File

from pagegrade.web.problems import bad_request

MAX_PAIRS: Final = 1_000
"""Of a query or a form; half a million would fit into the longest form, and keep everybody waiting for a second."""
MAX_PARTS: Final = 100
"""Of a multipart form."""
_SURROGATES: Final = ("\ud800", "\udfff")


def parse_pairs(raw: bytes, where: str) -> dict[str, str]:
    """Read ``application/x-www-form-urlencoded`` (https://url.spec.whatwg.org/#urlencoded-parsing).

    Args:
        raw: As received.
        where: What it is, for the message.

    Raises:
        Rejected: It is not UTF-8, holds a NUL, or has too many pairs.
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
    """Read the fields of ``multipart/form-data`` (RFC 7578).

    Raises:
        Rejected: It is broken, is not UTF-8, holds a NUL, too many parts or a file.
    """
    found: dict[str, str] = {}
    parts = 0
    ended = False

    def on_field(field: Field) -> None:
        nonlocal parts
        parts += 1
        if parts > MAX_PARTS:
            raise bad_request(f"The form has more than {MAX_PARTS} parts.")
        found[_text(field.field_name or b"", "The form")] = _text(field.value or b"", "The form")

    def on_file(_file: File) -> NoReturn:
        raise bad_request("Files are not taken here; send fields only.")

    def on_end() -> None:
        nonlocal ended
        ended = True

    parser = FormParser("multipart/form-data", on_field, on_file, on_end=on_end, boundary=boundary)
    try:
        parser.write(body)
        parser.finalize()
    except (FormParserError, UnicodeDecodeError, ValueError):
        raise bad_request("The multipart form is broken.") from None
    finally:
        parser.close()
    if not ended:
        raise bad_request("The multipart form ends too early.")
    return found


def parse_json_object(body: bytes) -> dict[str, Any]:
    """Read a JSON object, strictly (RFC 8259).

    Raises:
        Rejected: It is not UTF-8, not JSON, not an object, nested too deeply, says a name twice, or holds a NUL, a lone
            surrogate or a number that is none.
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
                if "\x00" in text or any(_SURROGATES[0] <= each <= _SURROGATES[1] for each in text):
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
    return _text(unquote_to_bytes(raw) if b"%" in raw else raw, where)


def _text(raw: bytes, where: str) -> str:
    if b"\x00" in raw:
        raise bad_request(f"{where} holds a NUL.")
    return _utf8(raw, where)


def _utf8(raw: bytes, where: str) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        raise bad_request(f"{where} is not UTF-8.") from None
