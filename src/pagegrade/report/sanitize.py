"""Text and numbers that JSON, XML and PostgreSQL all accept, and bounds on what a report holds of a page.

The largest of twenty news and reference pages has 359 entries of evidence with 100 kB.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Final

import msgspec
from msgspec.structs import replace

from pagegrade.model.outcome import MAX_EVIDENCE, Detail, Evidence
from pagegrade.model.report import Result

_UNSTORABLE: Final = re.compile("[\x00\ud800-\udfff]")
"""NUL (PostgreSQL refuses it) and lone surrogates (no UTF-8 form exists, RFC 3629 section 3)."""
MAX_ENTRIES: Final = 400
"""Entries of evidence of all checks together."""
MAX_CHARACTERS: Final = 250_000
"""Of the texts of all those entries."""
MAX_TEXT: Final = 2_048
"""Characters of one text of an entry: a whole URL."""
MAX_DETAILS: Final = 40
"""Machine-readable causes of one check."""
MAX_DETAIL_TEXT: Final = 200
MAX_DETAIL_CHARACTERS: Final = 200_000
"""Of the texts of all causes; where there are more, every check keeps ``FEW_DETAILS``."""
FEW_DETAILS: Final = 4


def clean_text(text: str) -> str:
    """``text`` with every character that cannot be stored replaced by U+FFFD."""
    # Nearly all text is plain, and a report has thousands of pieces: to look takes a tenth of the search.
    plain = text.isascii() and "\x00" not in text
    return text if plain else _UNSTORABLE.sub("\N{REPLACEMENT CHARACTER}", text)


def clean(text: str, limit: int) -> str:
    """``text`` fit to be kept: storable, and cut to ``limit`` characters with an ellipsis."""
    return clean_text(text if len(text) <= limit else text[: limit - 1] + "…")


def clean_number(number: float | None) -> float | None:
    """``number``, or ``None`` for NaN and the infinities, which JSON cannot say (RFC 8259 section 6)."""
    return None if number is None or not math.isfinite(number) else number


def storable(value: object) -> object:
    """Plain values made storable, however deep: dicts with text keys, lists, text, numbers, booleans and ``None``."""
    match value:
        case str():
            return clean_text(value)
        case float():
            return clean_number(value)
        case dict():
            return {clean_text(str(name)): storable(item) for name, item in value.items()}
        case list() | tuple():
            return [storable(item) for item in value]
        case _:
            return value


def storable_json(value: object) -> object:
    """``storable`` for values that become JSON: hardly any hold something to clean, and the encoder finds it faster.

    It writes NaN and the infinities as null, refuses lone surrogates, and escapes NUL. Members may be
    ``msgspec.Struct``, too.
    """
    encoded = _encode_storable(value)
    return storable(msgspec.to_builtins(value)) if encoded is None else msgspec.json.decode(encoded)


def encode_storable(value: object) -> bytes:
    """The JSON of ``storable(value)``."""
    return _encode_storable(value) or msgspec.json.encode(storable(msgspec.to_builtins(value)))


def _encode_storable(value: object) -> bytes | None:
    """The JSON of a value if it is storable as it is, else ``None``."""
    try:
        encoded = msgspec.json.encode(value)
    except (UnicodeEncodeError, OverflowError, ValueError):
        return None
    return None if b"\\u0000" in encoded else encoded


def bound_results(results: Iterable[Result]) -> tuple[Result, ...]:
    """The results with no more evidence than a report may hold; the true numbers stay beside it.

    Where there is more, every check keeps its first entry before any keeps its second, findings first. What is kept is
    chosen before texts are cut, so that only those are worked on.
    """
    whole = tuple(results)
    causes = sum(_text_length(detail) for result in whole for detail in result.errors[:MAX_DETAILS])
    details = FEW_DETAILS if causes > MAX_DETAIL_CHARACTERS else MAX_DETAILS
    return tuple(_bound(result, kept, details) for result, kept in zip(whole, _kept_entries(whole), strict=True))


def _kept_entries(results: Sequence[Result]) -> list[int]:
    """Number of entries of evidence that each result keeps."""
    sizes = [[_characters(entry) for entry in result.evidence] for result in results]
    counts = list(map(len, sizes))
    if sum(counts) <= MAX_ENTRIES and sum(map(sum, sizes)) <= MAX_CHARACTERS:
        return counts
    order = sorted(range(len(results)), key=lambda index: results[index].passed is not False)
    turns = ((depth, index) for depth in range(MAX_EVIDENCE) for index in order if depth < counts[index])
    kept = [0] * len(results)
    characters = 0
    for depth, index in islice(turns, MAX_ENTRIES):
        characters += sizes[index][depth]
        if characters > MAX_CHARACTERS:
            break
        kept[index] += 1
    return kept


def _bound(result: Result, entries: int, details: int) -> Result:
    """The result with so many entries and causes, their texts within bounds; itself where that changes nothing."""
    if not result.evidence and not result.errors:
        return result
    evidence, errors = result.evidence[:entries], result.errors[:details]
    if any(_longest(entry) > MAX_TEXT for entry in evidence):
        evidence = tuple(map(_bound_entry, evidence))
    if any(map(_is_long, errors)):
        errors = tuple(map(_bound_detail, errors))
    if evidence is result.evidence and errors is result.errors:
        return result
    return replace(result, evidence=evidence, errors=errors)


def _texts(entry: Evidence) -> tuple[str, ...]:
    return entry.selector, entry.snippet, entry.header, entry.url, entry.value, entry.reason


def _characters(entry: Evidence) -> int:
    """Characters that are left of the texts of an entry once each is cut."""
    texts = _texts(entry)
    total = sum(map(len, texts))
    return total if total <= MAX_TEXT else sum(min(len(text), MAX_TEXT) for text in texts)


def _longest(entry: Evidence) -> int:
    return max(map(len, _texts(entry)))


def _bound_entry(entry: Evidence) -> Evidence:
    selector, snippet, header, url, value, reason = (clean(text, MAX_TEXT) for text in _texts(entry))
    return replace(entry, selector=selector, snippet=snippet, header=header, url=url, value=value, reason=reason)


def _text_length(detail: Detail) -> int:
    """Characters that are left of the texts of a cause once each is cut."""
    actual, limit = detail.actual, detail.limit
    length = min(len(actual), MAX_DETAIL_TEXT) if isinstance(actual, str) else 0
    return length + min(len(limit), MAX_DETAIL_TEXT) if isinstance(limit, str) else length


def _is_long(detail: Detail) -> bool:
    return any(isinstance(value, str) and len(value) > MAX_DETAIL_TEXT for value in (detail.actual, detail.limit))


def _bound_detail(detail: Detail) -> Detail:
    actual, limit = (
        clean(value, MAX_DETAIL_TEXT) if isinstance(value, str) else value for value in (detail.actual, detail.limit)
    )
    return Detail(code=detail.code, actual=actual, limit=limit)
