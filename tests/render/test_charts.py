from __future__ import annotations

import pytest

from pagegrade.render.charts import arc, losses, score_strip, size_bars, timing_bars
from tests.report_builders import make_failed_report, make_passed, make_report, make_result


@pytest.mark.parametrize("score", [None, 0, 50, 100])
def test_the_gauge_stays_inside_its_circle(score: int | None) -> None:
    """Three quarters of the circle at most."""
    drawn, whole = map(float, arc(score).split())

    assert drawn == pytest.approx(whole * 0.75 * (score or 0) / 100, abs=0.01)


def test_the_strip_adds_up_to_a_hundred() -> None:
    """Kept and lost points are all the points there are."""
    strip = score_strip(make_report())

    assert sum(width for _, _, width in strip) == pytest.approx(100)
    assert strip[0][0] == "kept"
    assert score_strip(make_report(make_result(lost=400.0)))[-1][1:] == (0.0, 100.0)


def test_phases_follow_each_other() -> None:
    """Each bar begins where the one before ended; without times there are none."""
    bars = timing_bars(make_report())

    assert [label for label, *_ in bars] == ["DNS", "Connect", "TLS", "First byte", "Download"]
    assert sum(width for _, _, width, _ in bars) == pytest.approx(100)
    assert timing_bars(make_failed_report()) == ()


def test_the_heaviest_type_fills_its_bar() -> None:
    """The others are measured against it; nothing loaded, nothing drawn."""
    bars = size_bars(make_report())

    assert [total.type for total, _ in bars] == ["image", "script", "document"]
    assert bars[0][1] == 100
    assert bars[1][1] == pytest.approx(100 * 182_440 / 640_000)
    assert size_bars(make_failed_report()) == ()


def test_losses_are_listed_by_what_they_cost() -> None:
    """Findings without a cost are not among them."""
    report = make_report(make_result("small", lost=0.5), make_result("large", lost=2.0), make_passed("none"))

    assert [result.check for result in losses(report)] == ["large", "small"]
