from __future__ import annotations

import sys

import pytest
from msgspec.structs import replace

from pagegrade.model.stored import StoredRun
from pagegrade.render.i18n import texts_for
from pagegrade.service.reports.views import Viewed
from pagegrade.web.pages.reports.report_context import (
    FASTEST_S,
    FORMATS,
    SLOWEST_S,
    ReportURLs,
    check_url,
    export_links,
    point_of,
    waiting_header,
)
from pagegrade.web.report_files import PAPERS
from tests.web.pages.view_builders import make_run, make_viewed

NOW_MS = 1_800_000_000_000
HERE = ReportURLs("/r/slug")


@pytest.mark.parametrize(
    ("waited_s", "seconds"), [(-5, FASTEST_S), (0, FASTEST_S), (31, FASTEST_S), (80, 10), (10_000, SLOWEST_S)]
)
def test_the_longer_it_takes_the_less_often_a_page_asks(waited_s: int, seconds: int) -> None:
    """Never more than every few seconds, never less than twice a minute."""
    waiting = make_run(2, state="queued", created_at_ms=NOW_MS - waited_s * 1000, finished_at_ms=None)
    viewed = make_viewed(runs=(waiting, make_run(1)))

    assert waiting_header(viewed, HERE, NOW_MS) == ("Refresh", f"{seconds};url=/r/slug")


def test_a_run_is_a_point_of_the_history() -> None:
    """Dated by its end, or by its request while it has none; a failed one with its code."""
    done = point_of(make_run(1))
    failed = point_of(make_run(2, state="failed", rating=None, score=None, error=b'{"code":"dns","message":"x"}'))
    waiting = point_of(make_run(3, state="running", rating=None, score=None, finished_at_ms=None))

    assert (done.number, done.result, done.score, done.at_ms, done.error_code) == (1, "good", 92, 2_000, None)
    assert (failed.state, failed.result, failed.error_code) == ("failed", None, "dns")
    assert waiting.at_ms == 1_000


@pytest.mark.parametrize(
    ("viewed", "has_pdf"),
    [
        (make_viewed(), True),
        (replace(make_viewed(), report=replace(make_viewed().report, generated_at_ms=None)), False),
        (make_viewed(run=make_run(1)), True),
        (make_viewed(run=make_run(1, state="failed")), False),
    ],
)
def test_everything_that_can_be_taken_away_is_offered(viewed: Viewed, has_pdf: bool) -> None:  # noqa: FBT001 - a parameter
    """A PDF of results only, and of a run by its number."""
    links = export_links(texts_for("en"), viewed, HERE)
    number = "" if viewed.run is None else "?run=1"

    assert [address for *_, address in links] == [
        f"/r/slug/export/{name}{number}" for name in FORMATS if name not in PAPERS or has_pdf
    ]


def test_a_pdf_is_not_offered_where_none_can_be_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """All other formats are."""
    monkeypatch.setitem(sys.modules, "typst", None)  # as where it is not installed
    links = export_links(texts_for("en"), make_viewed(), HERE)

    assert [address for *_, address in links] == [f"/r/slug/export/{name}" for name in FORMATS if "pdf" not in name]


def test_urls_are_below_that_of_the_report() -> None:
    """For its owner and behind its link alike."""
    assert HERE.run(3) == "/r/slug/runs/3"
    assert HERE.compare(1, 2) == "/r/slug/compare?from=1&to=2"


def test_only_checks_that_there_are_have_a_page() -> None:
    """An old report may name others."""
    assert check_url("https") == "/checks/https"
    assert check_url("gone") is None


def test_a_run_without_an_error_has_no_code() -> None:
    """Whatever its state says."""
    run: StoredRun = make_run(1, state="failed")

    assert point_of(run).error_code is None
