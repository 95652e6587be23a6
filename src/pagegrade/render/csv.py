"""Reports as CSV (RFC 4180), for spreadsheets: a row for every check, or a row for every report of a list.

A spreadsheet runs what looks like a formula, so text that begins like one gets an apostrophe in front. The table begins
with a byte order mark, without which Excel takes UTF-8 for the code page of its country; others skip it (in Python: the
codec ``utf-8-sig``). Every row is one line, whatever a page holds.
Sources: https://www.rfc-editor.org/rfc/rfc4180 and https://owasp.org/www-community/attacks/CSV_Injection
"""

from __future__ import annotations

import csv
import io
import math
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final

from pagegrade.model.outcome import Evidence
from pagegrade.model.report import CATEGORIES, Report, Result
from pagegrade.render.escape import visible
from pagegrade.render.evidence_rows import place
from pagegrade.render.view import access_note, flat_prose, grade_word, headline
from pagegrade.report.serialize import format_timestamp

MEDIA_TYPE: Final = "text/csv; charset=utf-8; header=present"
BYTE_ORDER_MARK: Final = "\ufeff"
_PART_ROWS: Final = 1_000
RESULT_COLUMNS: Final = (
    *("report", "url", "generated_at", "score", "result", "check", "category", "outcome", "importance", "lost"),
    *("price", "title", "message", "value", "reason", "fix", "evidence_count", "evidence_place", "evidence_snippet"),
    "counted_in",  # the check whose finding is charged in place of this one
    "final_url",  # where the page ended; new columns are last, for those who read by position
)
ACCESS_COLUMN: Final = "access"
"""Behind the others, in a table of reports of which one was made with an access."""
LIST_COLUMNS: Final = (
    *("id", "url", "project", "privacy", "state", "result", "score"),
    *CATEGORIES,
    *("critical", "high", "medium", "low", "passed", "generated_at", "share_url"),
)
MAX_CELL_CHARS: Final = 2048
"""As long as the longest address; a cell of a spreadsheet holds 32,767."""
_FORMULA: Final = frozenset("=+-@")
_SECOND_CELL: Final = re.compile(r"(;[\s\"]*)(?=[=+\-@\uff1d\uff0b\uff0d\uff20\ufe66\ufe62\ufe63\ufe6b])")
"""A spreadsheet of a country that lists with semicolons ends a cell at each: what follows may be a formula, too."""
Cell = str | int | float | None


def render_csv(reports: Sequence[Report], *, ids: Sequence[int | None] = ()) -> str:
    """A row for every result of every report; one that failed has a row that says so in place of results.

    Args:
        ids: To the report at the same place, its number on a server.
    """
    rows = []
    has_access = any(map(access_note, reports))
    for index, report in enumerate(reports):
        about: list[Cell] = [
            ids[index] if index < len(ids) else None,
            report.url,
            format_timestamp(report.generated_at),
            report.score,
            grade_word(report),
        ]
        about_end: list[Cell] = [report.final_url, *([access_note(report)] if has_access else [])]
        rows += [[*about, *_result(result), *about_end] for result in report.results]
        if report.error is not None:
            failure: dict[str, Cell] = {
                "outcome": "failed",
                "message": report.error.message,
                "reason": report.error.reason or report.error.code,
            }
            between = RESULT_COLUMNS[len(about) : -1]
            rows.append([*about, *(failure.get(column) for column in between), *about_end])
    return table((*RESULT_COLUMNS, ACCESS_COLUMN) if has_access else RESULT_COLUMNS, rows)


def render_list_csv(items: Iterable[Mapping[str, Any]]) -> str:
    """A row for every report of a list.

    Args:
        items: Report objects of the HTTP interface, with or without results; what one lacks is an empty cell.
    """
    return table(LIST_COLUMNS, [_item(item) for item in items])


def cell(value: Cell) -> str | int | float | None:
    """A value as it may stand in a cell: numbers as they are, text on one line and never a formula."""
    if isinstance(value, bool) or not isinstance(value, int | float | None):
        text = _SECOND_CELL.sub(r"\1'", visible(value, MAX_CELL_CHARS))
        return f"'{text}" if _begins_a_formula(text) else text
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _begins_a_formula(text: str) -> bool:
    # Full-width and small forms count as well: spreadsheets of East Asia read them as the plain ones.
    head = unicodedata.normalize("NFKC", text.lstrip()[:1]).lstrip()
    return head[:1] in _FORMULA if head else False


def _result(result: Result) -> list[Cell]:
    first = result.evidence[0] if result.evidence else Evidence()
    return [
        result.check,
        result.category,
        result.outcome,
        result.importance,
        round(result.lost, 4),
        round(result.price, 4),
        headline(result),
        result.message,
        result.value,
        result.reason,
        flat_prose(result.fix, MAX_CELL_CHARS),
        max(result.evidence_total, len(result.evidence)),
        place(first),
        first.snippet,
        result.counted_in or result.inherited_from,
    ]


def _item(item: Mapping[str, Any]) -> list[Cell]:
    categories, counts = item.get("categories") or {}, item.get("counts") or {}
    return [
        *(_plain(item.get(name)) for name in ("id", "url", "project", "privacy", "state", "result", "score")),
        *(_plain((categories.get(name) or {}).get("score")) for name in CATEGORIES),
        *(_plain(counts.get(name)) for name in ("critical", "high", "medium", "low", "passed")),
        *(_plain(item.get(name)) for name in ("generated_at", "share_url")),
    ]


def _plain(value: object) -> Cell:
    return value if isinstance(value, str | int | float | None) else str(value)


def table(columns: Sequence[str], rows: Iterable[Sequence[Cell]]) -> str:
    """A table with a row of names."""
    return "".join(each_part(columns, rows))


def each_part(columns: Sequence[str], rows: Iterable[Sequence[Cell]]) -> Iterator[str]:
    """Yield a table with a row of names, some rows at a time."""
    rest = ([cell(value) for value in row] for row in rows)
    some: list[Sequence[Cell]] = [columns]
    mark = BYTE_ORDER_MARK
    while some:
        text = io.StringIO()
        csv.writer(text, quoting=csv.QUOTE_MINIMAL, lineterminator="\r\n").writerows(some)
        yield mark + text.getvalue()
        mark = ""
        some = list(islice(rest, _PART_ROWS))
