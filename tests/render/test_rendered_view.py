from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from pagegrade.library import evaluate_document
from pagegrade.model.outcome import Evidence
from pagegrade.model.rendering import Device, ElementFacts, LoadMetrics, Picture, RenderedRequest
from pagegrade.model.report import LoadedFile, NotGathered, Report
from pagegrade.render.finding_list import ReportQuery
from pagegrade.render.html import Extras, render_article
from pagegrade.render.i18n import texts_for
from pagegrade.render.rendered_view import (
    CROP_MARGIN_PX,
    MAX_CROP_RATIO,
    MAX_REQUESTS,
    element_crop,
    engine_line,
    filmstrip,
    finding_crop,
    metric_tiles,
    request_table,
    shown_picture,
)
from pagegrade.report.build import rendered_page
from tests.linear import MAX_RATIO, growth
from tests.render.test_figures import rendered
from tests.rendering_builders import make_rendering
from tests.report_builders import make_failed_report, make_report, make_result


def drawn(device: Device = "mobile", *loads: LoadMetrics) -> Report:
    """A report from a browser; its medians are those of the second of three loads."""
    picture = Picture(kind="full_page", width_px=412, height_px=900, data=b"RIFF")
    medians = loads[1] if loads else LoadMetrics()
    return make_report(rendered=rendered_page(make_rendering(device=device, pictures=(picture,)), loads, medians))


def without_rendering(reason: str) -> Report:
    """A report without what a browser draws, for a reason."""
    report = make_report()
    return replace(report, run=replace(report.run, not_gathered=(NotGathered(artifact="rendering", reason=reason),)))


@pytest.mark.parametrize(
    ("report", "line"),
    [
        (make_report(), "Static analysis"),
        (drawn("mobile"), "Analyzed in a browser, mobile"),
        (drawn("desktop"), "Analyzed in a browser, desktop"),
        (make_failed_report("dns"), ""),
        (evaluate_document(b"<title>Chairs</title>", url="https://example.org/"), "Static analysis"),
        (
            without_rendering("browser_failed: It ended."),
            "Static analysis, because the page could not be drawn in a browser",
        ),
    ],
)
def test_a_report_names_its_engine(report: Report, line: str) -> None:
    """A page that was not seen was seen by none; a browser is said to have failed only where one was asked."""
    assert engine_line(report) == line


def test_metrics_come_with_their_spread() -> None:
    """None where all loads agree; a metric that could not be measured has no tile."""
    loads = [LoadMetrics(fcp_ms=value, cls=0.12, tbt_ms=0.0) for value in (900.0, 1_200.0, 1_500.0)]
    tiles = {tile.name: (tile.value, tile.spread) for tile in metric_tiles(drawn("mobile", *loads))}

    assert list(tiles) == ["First Contentful Paint", "Total Blocking Time", "Cumulative Layout Shift"]
    assert tiles["Cumulative Layout Shift"] == ("0.12", "")
    assert tiles["First Contentful Paint"][1].startswith("900 ms to ")
    assert tiles["Total Blocking Time"][1] == ""
    assert metric_tiles(make_report()) == ()


def test_a_picture_is_found_by_its_name() -> None:
    """And only in a report that has it."""
    found = shown_picture(drawn(), "full-page")

    assert found is not None
    assert (found.width_px, found.height_px) == (412, 900)
    assert shown_picture(drawn(), "viewport") is None
    assert shown_picture(make_report(), "full-page") is None


LCP = ElementFacts(selector="main > img", html="<img>", x_px=20.0, y_px=100.0, width_px=372.0, height_px=200.0)


def pictured() -> Report:
    """A report with the whole page at half scale and three pictures of its load."""
    pictures = (
        Picture(kind="full_page", width_px=206, height_px=1_000, data=b"RIFF"),
        *(Picture(kind="frame", width_px=120, height_px=240, data=b"RIFF", time_ms=ms) for ms in (0.0, 400.0, 900.0)),
    )
    metrics = LoadMetrics(fcp_ms=420.0, lcp_ms=430.0, load_ms=2_000.0)
    rendering = make_rendering(pictures=pictures, lcp_element=LCP)
    results = (make_result("lcp", evidence=(Evidence(selector="main > img", snippet="<img>"),)),)
    return make_report(rendered=rendered_page(rendering, [metrics], metrics), results=results)


def test_events_stand_at_the_closest_picture_of_the_load() -> None:
    """Two at one picture; what is after the last picture stands at the last one."""
    strip = filmstrip(pictured())

    assert [frame.picture.name for frame in strip] == ["frame-1", "frame-2", "frame-3"]
    assert [frame.marks for frame in strip] == [(), ("FCP", "LCP"), ("loaded",)]
    assert filmstrip(make_report()) == ()
    assert filmstrip(drawn()) == ()


def test_a_crop_shows_the_element_and_a_margin() -> None:
    """In pixels of the picture, which has half the scale of the page."""
    crop = element_crop(pictured(), LCP)

    assert crop is not None
    assert crop.mark == (10.0, 50.0, 186.0, 100.0)
    assert (crop.x, crop.y) == (0.0, 50.0 - CROP_MARGIN_PX / 2)
    assert (crop.width, crop.height) == (206.0, 100.0 + CROP_MARGIN_PX)


@pytest.mark.parametrize(
    "element",
    [
        ElementFacts(selector="a", html="", x_px=0.0, y_px=9_000.0, width_px=100.0, height_px=100.0),
        ElementFacts(selector="a", html="", x_px=-500.0, y_px=0.0, width_px=100.0, height_px=100.0),
        ElementFacts(selector="a", html="", x_px=0.0, y_px=0.0, width_px=0.0, height_px=100.0),
        None,
    ],
    ids=["below the picture", "left of it", "without a size", "unknown"],
)
def test_an_element_that_the_picture_does_not_show_has_no_crop(element: ElementFacts | None) -> None:
    """No empty frame is drawn."""
    assert element_crop(pictured(), element) is None
    assert element_crop(make_report(), LCP) is None


def test_the_crop_of_a_high_element_is_cut() -> None:
    """A page that is one element does not fill the report."""
    high = ElementFacts(selector="body", html="", x_px=0.0, y_px=0.0, width_px=412.0, height_px=2_000.0)
    crop = element_crop(pictured(), high)

    assert crop is not None
    assert crop.height == crop.width * MAX_CROP_RATIO


def test_the_finding_about_an_element_shows_it() -> None:
    """Only where it is open, only for readers who may see pictures, and only for that element."""
    report = pictured()
    result = report.results[0]
    other = make_result(evidence=(Evidence(selector="main > p"),))
    pages = {
        name: str(render_article(report, texts_for("en"), extras))
        for name, extras in {
            "open": Extras(query=ReportQuery(path="/", opened="lcp"), picture_url=lambda name: f"/pictures/{name}"),
            "closed": Extras(query=ReportQuery(path="/"), picture_url=lambda name: f"/pictures/{name}"),
            "without pictures": Extras(query=ReportQuery(path="/", opened="lcp")),
        }.items()
    }

    assert finding_crop(report, result) is not None
    assert finding_crop(report, other) is None
    assert {name: 'class="crop' in page for name, page in pages.items()} == {
        "open": True,
        "closed": False,
        "without pictures": False,
    }
    assert '<image href="/pictures/full-page"' in pages["open"]


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
