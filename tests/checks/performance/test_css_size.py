from __future__ import annotations

import pytest
from msgspec.structs import replace

from pagegrade.checks.performance.css_size import css_size
from pagegrade.model.outcome import NotApplicable, Outcome
from tests.builders import URL, evaluated, make_resource, make_resources, outcome, run

PAGE = "<!doctype html><link rel='stylesheet' href='/a.css'>"


@pytest.mark.parametrize(
    ("wire", "state", "loss"),
    [(120_000, "light", 0), (120_001, "heavy", 0.2), (500_000, "heavy", 0.8)],
)
def test_the_limits_are_inclusive(wire: int, state: str, loss: float) -> None:
    """At a limit it is still the better state."""
    files = make_resources(make_resource(URL + "a.css", kind="stylesheet", body_bytes=wire))
    found = evaluated(css_size, PAGE, resources=files)

    assert isinstance(found.verdict, Outcome)
    assert (found.verdict.state, found.verdict.value) == (state, wire)
    assert found.loss == pytest.approx(loss)


@pytest.mark.parametrize(("size", "state"), [(400_000, "heavy"), (400_001, "very_heavy")])
def test_above_the_last_limit_everything_is_lost(size: int, state: str) -> None:
    """Decompressed bytes are what the browser has to read."""
    files = make_resources(make_resource(URL + "a.css", kind="stylesheet", body_bytes=200_000, decoded_bytes=size))

    assert outcome(css_size, PAGE, resources=files).state == state


def test_sheets_for_printing_and_those_in_reserve_do_not_count() -> None:
    """No screen waits for them; imported ones count."""
    html = "<link rel=stylesheet media=print href=/a.css><link rel='alternate stylesheet' href=/b.css>"
    files = make_resources(
        make_resource(URL + "a.css", kind="stylesheet", body_bytes=900_000),
        make_resource(URL + "b.css", kind="stylesheet", body_bytes=900_000),
    )
    imported = replace(make_resource(URL + "c.css", kind="stylesheet", body_bytes=300_000), initiator_url=URL + "x.css")

    assert isinstance(run(css_size, html, resources=files), NotApplicable)
    assert outcome(css_size, PAGE, resources=make_resources(imported)).state == "heavy"
