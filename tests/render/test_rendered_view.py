from __future__ import annotations

import pytest

from pagegrade.model.rendering import Device, LoadMetrics, Picture
from pagegrade.model.report import Report
from pagegrade.render.rendered_view import engine_line, metric_tiles, shown_picture
from pagegrade.report.rendered import rendered_page
from tests.rendering_builders import make_rendering
from tests.report_builders import make_failed_report, make_report


def drawn(device: Device = "mobile", *loads: LoadMetrics) -> Report:
    """A report from a browser; its medians are those of the second of three loads."""
    picture = Picture(kind="full_page", width_px=412, height_px=900, data=b"RIFF")
    medians = loads[1] if loads else LoadMetrics()
    return make_report(rendered=rendered_page(make_rendering(device=device, pictures=(picture,)), loads, medians))


@pytest.mark.parametrize(
    ("report", "line"),
    [
        (make_report(), "Static analysis"),
        (drawn("mobile"), "Analyzed in a browser, mobile"),
        (drawn("desktop"), "Analyzed in a browser, desktop"),
        (make_failed_report("dns"), ""),
    ],
)
def test_a_report_names_its_engine(report: Report, line: str) -> None:
    """A page that was not seen was seen by none."""
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
