from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from pagegrade.model.rendering import RenderedRequest
from pagegrade.model.report import LoadedFile, Report
from pagegrade.render.request_rows import MAX_REQUESTS, request_table
from tests.linear import MAX_RATIO, growth
from tests.render.test_key_figures import rendered
from tests.report_builders import make_report

PAGE = "https://example.com/pricing/"


def file(name: str, **more: Any) -> LoadedFile:
    """A script of the page."""
    defaults: dict[str, Any] = {
        "type": "script",
        "initiator_url": PAGE,
        "first_party": True,
        "status": 200,
        "transfer_bytes": 1_000,
        "first_byte_ms": 20.0,
        "total_ms": 30.0,
    }
    return LoadedFile(url=f"https://example.com/{name}", **defaults | more)


def with_files(*files: LoadedFile) -> Report:
    """A report whose document took 76.2 ms."""
    report = make_report()
    if report.page is None:
        raise AssertionError("make_report gives page facts")
    return replace(report, final_url=PAGE, page=replace(report.page, files=files))


def test_old_reports_have_no_table() -> None:
    """Their single requests were not recorded."""
    assert request_table(make_report()) is None
    assert request_table(make_report(page=None)) is None


def test_a_file_starts_where_the_one_that_names_it_ends() -> None:
    """A font of a stylesheet waits for the document and the stylesheet; the document comes first."""
    style = file("a.css", type="stylesheet")
    table = request_table(with_files(style, file("f.woff2", type="font", initiator_url=style.url)))

    assert table is not None
    assert not table.measured
    assert [row.start_ms for row in table.rows] == pytest.approx([0, 76.2, 106.2])
    assert table.span_ms == pytest.approx(136.2)
    assert all(row.start >= 0 and row.start + row.width <= 100.01 for row in table.rows)
    assert all(0 <= row.wait <= row.width for row in table.rows)


@pytest.mark.parametrize(
    ("order", "names"),
    [
        ("start", ["pricing/", "b", "a", "c"]),
        ("size", ["pricing/", "c", "b", "a"]),
        ("time", ["pricing/", "a", "b", "c"]),
        ("type", ["pricing/", "b", "a", "c"]),
        ("url", ["a", "b", "c", "pricing/"]),
    ],
)
def test_columns_sort(order: str, names: list[str]) -> None:
    """The largest and the slowest first, the others upwards."""
    report = with_files(
        file("b", transfer_bytes=20, total_ms=40.0, type="stylesheet"),
        file("a", transfer_bytes=10, total_ms=50.0, initiator_url="https://example.com/b"),
        file("c", transfer_bytes=30, total_ms=None, type="image", initiator_url="https://example.com/a"),
    )
    table = request_table(report, order)

    assert table is not None
    assert [row.url.removeprefix("https://example.com/") for row in table.rows] == names


def test_other_sites_and_failures_are_marked() -> None:
    """A file without a response, one with an error, and one of another site."""
    table = request_table(
        with_files(
            file("gone", status=404),
            file("refused", status=None, failure="connect", total_ms=None, first_byte_ms=None, transfer_bytes=None),
            replace(file("x"), url="https://cdn.example.net/x.js", first_party=False),
        )
    )

    assert table is not None
    assert [row.failed for row in table.rows].count(True) == 2
    assert (table.third_parties, table.third_party_bytes) == (1, 1_000)


def test_a_browser_measures_starts() -> None:
    """Its requests are shown in place of those of static analysis."""
    request = RenderedRequest(
        url="https://other.example/app.js", kind="script", start_ms=10, response_ms=30, end_ms=60, status=200
    )
    report = replace(with_files(file("a")), rendered=replace(rendered(), requests=(request,), request_count=1))
    table = request_table(report)

    assert table is not None
    assert table.measured
    assert [(row.url, row.start_ms, row.took_ms, row.first_party) for row in table.rows] == [
        (request.url, 10, 50, False)
    ]


@pytest.mark.parametrize("count", [MAX_REQUESTS - 1, MAX_REQUESTS])
def test_a_table_has_so_many_rows(count: int) -> None:
    """The document is one of them; the others are counted."""
    report = with_files(*(file(f"{number}.js") for number in range(count)))
    table = request_table(report)

    assert table is not None
    assert len(table.rows) == MAX_REQUESTS


def test_rows_cost_linear_time() -> None:
    """Also where every file is named by the one before it."""

    def run(size: int) -> None:
        files = [file("0")]
        for number in range(1, size):
            files.append(file(str(number), initiator_url=files[-1].url))
        request_table(with_files(*files))

    assert growth(run, 2_000) <= MAX_RATIO
