"""Load runs R1, R4, R5 and R7, made small: what must hold whatever the machine; the whole ones are ``make load``."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.fault import load_soak
from tests.fault.load import perform
from tests.fault.load_run import Size
from tests.fault.load_site import PAGE, PAGE_BYTES
from tests.fault.load_soak import trend
from tests.fault.load_stack import percentiles

SMALL = Size(clients=4, each=3, apis=2, workers=2, concurrency=1, flood=80, quiet=3, queue=15, outage_s=3, timed=False)


@pytest.mark.parametrize("apis", [2, 0], ids=["postgresql", "sqlite"])
def test_steady_load_is_all_done_once(tmp_path: Path, apis: int) -> None:
    """R1: each report is accepted, done at the first attempt, and its page is asked for as often as by one analysis."""
    figures = perform("R1", tmp_path, replace(SMALL, apis=apis))

    assert figures["failures"] == []
    assert figures["accepted"] == figures["done"] == 12
    assert figures["attempts"] == {1: 12}
    assert figures["refused"] == {}
    assert len(figures["visits_of_each_page"]) == 1


def test_a_flood_is_refused_and_others_are_served(tmp_path: Path) -> None:
    """R4: the client that asked for too much is refused with the reason; no other client is."""
    figures = perform("R4", tmp_path, SMALL)

    assert figures["failures"] == []
    assert set(figures["refused"]) <= {"429 quota_exceeded", "503 unavailable"}
    assert figures["done"] == figures["accepted"]


def test_a_database_that_goes_away_loses_nothing(tmp_path: Path) -> None:
    """R5: what was accepted before, during or after is done; what could not be accepted was refused, not left open."""
    figures = perform("R5", tmp_path, SMALL)

    assert figures["failures"] == []
    assert figures["lost"] == 0
    assert figures["refused_while_down"] > 0
    assert {word.split()[0] for word in figures["refused"]} == {"503"}
    assert figures["done"] >= figures["accepted"] > 0


def test_a_soak_samples_every_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """R7: nothing that was kept is lost; the memory of the process is in the trends and in the file of samples."""
    monkeypatch.setattr(load_soak, "SAMPLE_S", 1.0)
    file = tmp_path / "samples"

    figures = perform("R7", tmp_path, replace(SMALL, apis=0, minutes=0.1, per_second=1.0, samples=str(file)))

    assert figures["failures"] == []
    assert figures["trends"]["api-0 rss_mb"]["last"] > 20
    assert file.read_text().count("\n") >= 3


def test_a_trend_leaves_the_first_quarter_out_of_its_slope() -> None:
    """Half an MB each minute after a jump; the medians are of the first and last quarter."""
    samples = [{"hours": n / 60, "mb": 50.0 if n < 25 else 75.0 + n / 2} for n in range(100)]

    assert trend(samples, "mb") == {"first": 50.0, "last": 118.5, "per_hour": 30.0}
    assert trend(samples[:1], "mb") == {"first": 50.0, "last": 50.0, "per_hour": 0.0}
    assert trend([], "mb") == {"first": 0.0, "last": 0.0, "per_hour": 0.0}


def test_percentiles_are_of_the_values() -> None:
    """The one at that place of all in their order."""
    found = percentiles([float(number) for number in range(100, 0, -1)])

    assert found == {"p50": 51.0, "p95": 96.0, "p99": 100.0, "max": 100.0}
    assert percentiles([]) == {}


def test_the_page_is_as_large_as_it_says() -> None:
    """20 kB."""
    assert len(PAGE) == PAGE_BYTES
