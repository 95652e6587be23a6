"""Bounds on what a report holds of a page, however many places its checks found, so that showing it stays cheap.

The largest of twenty news and reference pages has 359 entries of evidence with 100 kB.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import islice
from typing import Final

import msgspec

from pagegrade.model.outcome import MAX_EVIDENCE, Detail, Evidence
from pagegrade.model.report import Result
from pagegrade.report.sanitize import clean

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


def bound_results(results: Iterable[Result]) -> tuple[Result, ...]:
    """The results with no more evidence than a report may hold; the true numbers stay beside it.

    Where there is more, every check keeps its first entry before any keeps its second, findings first.
    """
    whole = tuple(_bound_texts(result) for result in results)
    if sum(_text_length(detail) for result in whole for detail in result.errors) > MAX_DETAIL_CHARACTERS:
        whole = tuple(replace(result, errors=result.errors[:FEW_DETAILS]) for result in whole)
    sizes = [[_characters(entry) for entry in result.evidence] for result in whole]
    if sum(map(len, sizes)) <= MAX_ENTRIES and sum(map(sum, sizes)) <= MAX_CHARACTERS:
        return whole
    order = sorted(range(len(whole)), key=lambda index: whole[index].passed is not False)
    turns = ((depth, index) for depth in range(MAX_EVIDENCE) for index in order if depth < len(sizes[index]))
    kept = [0] * len(whole)
    characters = 0
    for depth, index in islice(turns, MAX_ENTRIES):
        characters += sizes[index][depth]
        if characters > MAX_CHARACTERS:
            break
        kept[index] += 1
    return tuple(_cut(result, count) for result, count in zip(whole, kept, strict=True))


def _cut(result: Result, count: int) -> Result:
    return result if count == len(result.evidence) else replace(result, evidence=result.evidence[:count])


def _bound_texts(result: Result) -> Result:
    long_evidence = any(_longest(entry) > MAX_TEXT for entry in result.evidence)
    long_errors = len(result.errors) > MAX_DETAILS or any(map(_is_long, result.errors))
    if not long_evidence and not long_errors:
        return result
    return replace(
        result,
        evidence=tuple(map(_bound_entry, result.evidence)),
        errors=tuple(map(_bound_detail, result.errors[:MAX_DETAILS])),
    )


def _texts(entry: Evidence) -> tuple[str, ...]:
    return entry.selector, entry.snippet, entry.header, entry.url, entry.value, entry.reason


def _characters(entry: Evidence) -> int:
    return sum(map(len, _texts(entry)))


def _longest(entry: Evidence) -> int:
    return max(map(len, _texts(entry)))


def _bound_entry(entry: Evidence) -> Evidence:
    selector, snippet, header, url, value, reason = (clean(text, MAX_TEXT) for text in _texts(entry))
    return msgspec.structs.replace(
        entry, selector=selector, snippet=snippet, header=header, url=url, value=value, reason=reason
    )


def _text_length(detail: Detail) -> int:
    return sum(len(value) for value in (detail.actual, detail.limit) if isinstance(value, str))


def _is_long(detail: Detail) -> bool:
    return any(isinstance(value, str) and len(value) > MAX_DETAIL_TEXT for value in (detail.actual, detail.limit))


def _bound_detail(detail: Detail) -> Detail:
    actual, limit = (
        clean(value, MAX_DETAIL_TEXT) if isinstance(value, str) else value for value in (detail.actual, detail.limit)
    )
    return Detail(code=detail.code, actual=actual, limit=limit)
