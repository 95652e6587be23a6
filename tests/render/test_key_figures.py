from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from pagegrade.model.rendering import Metrics, RenderedPage, Viewport
from pagegrade.render.i18n import texts_for
from pagegrade.render.key_figures import CLS, key_figures, rate
from tests.report_builders import make_passed, make_report, make_result


def rendered(**metrics: Any) -> RenderedPage:
    """A page in a browser with those metrics."""
    return RenderedPage(
        device="mobile",
        browser="Chromium 140",
        network="slow 4G",
        viewport=Viewport(width_px=412, height_px=823),
        load_count=1,
        metrics=Metrics(**metrics),
        spread={},
    )


def test_without_a_browser_requests_are_counted() -> None:
    """Time to first byte, weight and number; only the first has a threshold."""
    figures = key_figures(make_report())

    assert [(one.name, one.value, one.rating) for one in figures] == [
        ("TTFB", "41 ms", "good"),
        ("Weight", "834.3 kB", ""),
        ("Requests", "37", ""),
    ]


def test_the_document_is_a_request_as_well() -> None:
    """The check counts the files that the document names; the table of all requests begins with the document."""
    figures = key_figures(make_report(make_passed("http-requests", value=2)))

    assert figures[-1].value == "3"


def test_with_a_browser_its_metrics_come_first() -> None:
    """Rated by the thresholds of web.dev; what was not measured is a dash without a rating."""
    figures = key_figures(replace(make_report(), rendered=rendered(lcp_ms=2_600, cls=0.31, tbt_ms=None)))

    assert [(one.name, one.value, one.rating) for one in figures] == [
        ("LCP", "2.6 s", "decent"),
        ("CLS", "0.31", "bad"),
        ("TBT", "–", ""),
    ]


def test_a_page_that_was_not_seen_has_no_figures() -> None:
    """Not even zeros."""
    assert key_figures(make_report(page=None)) == ()


@pytest.mark.parametrize(
    ("value", "rating"), [(None, ""), (0.1, "good"), (0.11, "decent"), (0.25, "decent"), (0.26, "bad")]
)
def test_a_value_at_its_threshold_still_has_the_better_rating(value: float | None, rating: str) -> None:
    """As the source defines them."""
    assert rate(value, CLS) == rating


def test_names_are_translated() -> None:
    """Abbreviations stay."""
    assert [one.name for one in key_figures(make_report(), texts_for("de"))] == ["TTFB", "Gewicht", "Anfragen"]


def test_the_weight_is_that_of_the_check() -> None:
    """More can be fetched than a browser loads: the two must not contradict each other."""
    weight = make_result("total-byte-weight", category="performance", value=700_000)
    requests = make_passed("http-requests", category="performance", value=31)
    shown = {one.name: one.value for one in key_figures(make_report(weight, requests))}

    assert (shown["Weight"], shown["Requests"]) == ("700 kB", "32")
