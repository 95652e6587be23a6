from __future__ import annotations

import csv
import io
import unicodedata
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagegrade.model.outcome import Evidence
from pagegrade.render.csv import LIST_COLUMNS, RESULT_COLUMNS, cell, render_csv, render_list_csv
from pagegrade.report.serialize import report_to_dict
from tests.report_builders import (
    make_failed_report,
    make_images,
    make_report,
    make_result,
    make_results,
    poisoned_report,
)

FORMULAS = [
    "=1+1",
    "+1",
    "-1",
    "@SUM(A1)",
    '=HYPERLINK("https://evil.test","x")',
    "  =1",
    "\t=1",
    "\r\n=1",
    "\u00a0=1",
    "\u3000=1",
    "＝1+1",
    "＋1",
    "－1",
    "＠x",
    "﹦1",
    "⁼1",
    "=cmd|' /C calc'!A0",
]


def rows_of(text: str) -> list[list[str]]:
    """The rows as another program reads them."""
    assert text.startswith("\ufeff")
    return list(csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""), strict=True))


def table(text: str) -> list[dict[str, str]]:
    """The rows below the header, by column."""
    head, *rows = rows_of(text)
    return [dict(zip(head, row, strict=True)) for row in rows]


def starts_like_a_formula(text: str) -> bool:
    """Return whether a spreadsheet may run it, in whichever width it is written."""
    return unicodedata.normalize("NFKC", text).lstrip().startswith(("=", "+", "-", "@", "\t", "\r"))


def test_every_result_is_a_row() -> None:
    """The header says the columns; each row repeats what it is about, so that rows can be sorted and filtered."""
    report = make_report()
    rows = table(render_csv([report], ids=[17]))

    assert [row["check"] for row in rows] == [result.check for result in report.results]
    assert {(row["report"], row["url"], row["score"], row["result"]) for row in rows} == {
        ("17", report.url, "79", "decent")
    }
    assert tuple(rows[0]) == RESULT_COLUMNS


def test_a_row_names_the_check_that_is_charged_for_it() -> None:
    """Else a finding that costs nothing would have no reason for it."""
    rows = table(render_csv([make_report()]))
    counted = {row["check"]: row["counted_in"] for row in rows if row["counted_in"]}

    assert counted == {
        result.check: result.counted_in or result.inherited_from
        for result in make_results()
        if result.counted_in or result.inherited_from
    }
    assert "https" in counted.values()


def test_a_row_says_what_the_check_found() -> None:
    """Numbers are plain, the fix is plain text, the first place stands for the others."""
    found = make_result(lost=2.1234567, value=12, fix="Do `this`.\n\n```html\n<a>\n```", evidence=make_images(3))
    (row,) = table(render_csv([make_report(found)]))

    assert (row["lost"], row["value"], row["evidence_count"]) == ("2.1235", "12", "3")
    assert row["fix"] == "Do `this`. `<a>`"
    assert row["evidence_place"].endswith("main > figure:nth-of-type(1) > img · line 101")
    assert row["evidence_snippet"].startswith("<img src=")
    assert row["generated_at"] == "2026-01-05T12:34:56.789Z"
    assert row["report"] == ""


def test_a_page_that_failed_has_a_row_that_says_so() -> None:
    """A list of pages loses none of them."""
    first, second = table(render_csv([make_report(make_result()), make_failed_report()], ids=[1, 2]))

    assert first["check"] == "title-length"
    assert (second["report"], second["check"], second["result"]) == ("2", "", "not analyzed")
    assert second["reason"] == "challenge_page"
    assert second["message"]


@pytest.mark.parametrize("payload", FORMULAS)
def test_no_cell_is_a_formula(payload: str) -> None:
    """A cell that begins like one is text, in plain, small and full width, also behind spaces of any kind."""
    cells = [text for row in rows_of(render_csv([poisoned_report(payload)])) for text in row]

    assert not [text for text in cells if starts_like_a_formula(text)]
    assert any(text.startswith("'") for text in cells)


@pytest.mark.parametrize("payload", ["a;=1+1", 'a; "=1+1', "a;@x", "a;;-1", "a;\t＋1"])
def test_no_formula_begins_behind_a_semicolon(payload: str) -> None:
    """With semicolons as separators, a spreadsheet ends cells there."""
    cells = [text for row in rows_of(render_csv([poisoned_report(payload)])) for text in row]

    assert not [text for text in cells for part in text.split(";")[1:] if starts_like_a_formula(part.lstrip('" '))]


@pytest.mark.parametrize(
    ("value", "written"),
    [(-3, -3), (-0.5, -0.5), (0, 0), (None, None), (float("nan"), None), (float("-inf"), None), ("-3", "'-3")],
)
def test_numbers_stay_numbers(value: Any, written: Any) -> None:
    """A negative number is no formula; a text that looks like one might be; what is no number is an empty cell."""
    assert cell(value) == written


@pytest.mark.parametrize("payload", ["\x00", "\x1b[31m", "\u202eabc", "\u2028", "\ud800", "\x07"])
def test_control_characters_are_visible(payload: str) -> None:
    """They move no cursor and end no file."""
    text = render_csv([poisoned_report(f"a{payload}b")])

    assert payload not in text
    assert f"a\\{'x' if ord(payload[0]) < 256 else 'u'}{ord(payload[0]):02x}" in text


def test_lines_end_as_the_format_wants() -> None:
    """CR LF after every row and nowhere else, so that line tools and spreadsheets agree on the rows."""
    text = render_csv([poisoned_report('a"b,c\r\nd\ne'), make_report()])

    assert text.endswith("\r\n")
    assert text.count("\n") == text.count("\r\n") == text.count("\r") == len(rows_of(text))
    assert '"a""b,c d e"' in text


@settings(max_examples=200, deadline=None)
@given(st.text(st.one_of(st.characters(), st.sampled_from("\"',;\r\n\t\x00=+-@＝＋－＠ \u2028\ud800"))))
def test_whatever_a_page_holds_the_table_keeps_its_shape(payload: str) -> None:
    """As many rows and columns as there are results and names, and no formula, once read again."""
    report = poisoned_report(payload)
    rows = rows_of(render_csv([report]))

    assert len(rows) == 1 + len(make_results())
    assert {len(row) for row in rows} == {len(RESULT_COLUMNS)}
    assert not [text for row in rows for text in row if starts_like_a_formula(text)]


def test_a_list_has_a_row_for_every_report() -> None:
    """Of the objects that the interface lists, without results; what is missing is empty."""
    done = report_to_dict(make_report()) | {"id": 7, "privacy": 0, "share_url": "https://pagegrade.test/r/abc"}
    waiting = {"id": 8, "url": "https://example.com/", "project": "example.com", "state": "queued", "counts": None}
    first, second = table(render_list_csv([done, waiting]))

    assert tuple(first) == LIST_COLUMNS
    assert (first["id"], first["score"], first["security"], first["high"]) == ("7", "79", "49", "4")
    assert first["share_url"] == "https://pagegrade.test/r/abc"
    assert (second["id"], second["state"], second["score"], second["seo"]) == ("8", "queued", "", "")


@pytest.mark.parametrize("payload", FORMULAS)
def test_a_list_holds_no_formula(payload: str) -> None:
    """An address or a name of a project is as untrusted as a title."""
    item = {"id": -5, "url": payload, "project": payload, "state": payload, "share_url": [payload]}
    ((_, *cells),) = rows_of(render_list_csv([item]))[1:]

    assert not [text for text in cells if starts_like_a_formula(text)]


def test_an_empty_list_has_its_header() -> None:
    """A file that says what it would hold."""
    assert rows_of(render_list_csv([])) == [list(LIST_COLUMNS)]


def test_a_long_text_is_cut() -> None:
    """A cell of a spreadsheet holds 32,767 characters; ours hold what is worth reading."""
    rows = rows_of(render_csv([make_report(make_result(message="x" * 1_000_000, evidence=(Evidence(snippet="y"),)))]))

    assert max(len(text) for row in rows for text in row) <= 2049


def test_every_row_says_where_the_page_ended() -> None:
    """Behind the older columns, which keep their places; a page that was not reached ended nowhere."""
    done, failed = (table(render_csv([report])) for report in (make_report(), make_failed_report()))

    assert {row["final_url"] for row in done} == {"https://example.com/pricing/"}
    assert failed[0]["final_url"] == ""
    assert RESULT_COLUMNS[-1] == "final_url"
