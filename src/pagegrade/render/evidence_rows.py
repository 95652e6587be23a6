"""Places where something was found, as rows of a table and as lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec

from pagegrade.model.outcome import Evidence
from pagegrade.render.english import ENGLISH, Words
from pagegrade.render.escape import visible

_PLACE_CHARS: Final = 120


def place(evidence: Evidence, words: Words = ENGLISH) -> str:
    """Return the location of an evidence: the known ones of URL, header, selector and line."""
    # A header line names its header itself.
    header = "" if evidence.header and evidence.snippet.startswith(evidence.header) else evidence.header
    parts = [visible(part) for part in (evidence.url, header, evidence.selector) if part]
    if evidence.line is not None:
        parts.append(words.gettext("line %(line)s", line=evidence.line))
    return " · ".join(parts)


def shown_thing(evidence: Evidence) -> str:
    """Return the subject of an evidence without a snippet: its URL, its header, or the value read."""
    return "" if evidence.snippet else visible(evidence.url or evidence.header or evidence.value)


def places(evidence: Evidence, words: Words = ENGLISH) -> tuple[str, ...]:
    """Return the location of an evidence, without what ``shown_thing`` or the snippet shows; one part per item."""
    parts = [visible(evidence.selector)] if evidence.selector else []
    if evidence.snippet and evidence.header and not evidence.snippet.startswith(evidence.header):
        parts.append(visible(evidence.header))
    if evidence.snippet and evidence.url and evidence.url not in evidence.snippet:
        parts.append(visible(evidence.url, _PLACE_CHARS))
    if not evidence.snippet and evidence.url and evidence.header:
        parts.append(visible(evidence.header))
    if evidence.line is not None:
        column = "" if evidence.column is None else f":{evidence.column}"
        parts.append(words.gettext("line %(line)s", line=f"{evidence.line}{column}"))
    return tuple(parts)


def facts_of(evidence: Evidence, beside: str = "") -> str:
    """Describe an evidence: its reason and its value, without what stands ``beside`` it."""
    parts = (visible(evidence.reason), visible(evidence.value))
    return " · ".join(part for part in parts if part and part != beside)


class Row(msgspec.Struct, frozen=True):
    """An evidence as a row of a table."""

    snippet: str
    what: str
    """Return the subject of an evidence without a snippet."""
    places: tuple[str, ...]
    reason: str
    facts: str


class Table(msgspec.Struct, frozen=True):
    """Evidence as a table; a column that would be empty all the way down says nothing."""

    rows: tuple[Row, ...]
    has_places: bool
    has_facts: bool


def table_of(items: Sequence[Evidence], words: Words = ENGLISH) -> Table:
    """The table of evidence, a row for each."""
    rows = []
    for item in items:
        what = shown_thing(item)
        snippet = visible(item.snippet) if item.snippet else ""
        rows.append(Row(snippet, what, places(item, words), item.reason, facts_of(item, what)))
    return Table(tuple(rows), any(row.places for row in rows), any(row.facts for row in rows))
