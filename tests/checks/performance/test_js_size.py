from __future__ import annotations

import pytest

from pagegrade.checks.performance.js_size import js_size
from pagegrade.model.outcome import Outcome
from tests.builders import URL, evaluated, make_resource, make_resources, outcome

PAGE = "<!doctype html><script src='/a.js' defer></script>"


@pytest.mark.parametrize(
    ("wire", "state", "loss"),
    [(120_000, "light", 0), (120_001, "heavy", 0.2), (500_000, "heavy", 0.8)],
)
def test_the_limits_are_inclusive(wire: int, state: str, loss: float) -> None:
    """At a limit it is still the better state."""
    files = make_resources(make_resource(URL + "a.js", kind="script", body_bytes=wire))
    found = evaluated(js_size, PAGE, resources=files)

    assert isinstance(found.verdict, Outcome)
    assert (found.verdict.state, found.verdict.value) == (state, wire)
    assert found.loss == pytest.approx(loss)


@pytest.mark.parametrize(("size", "state"), [(500_000, "heavy"), (500_001, "very_heavy")])
def test_above_the_last_limit_everything_is_lost(size: int, state: str) -> None:
    """Own files and those of other sites alike."""
    files = make_resources(make_resource(URL + "a.js", kind="script", body_bytes=size, first_party=False))

    assert outcome(js_size, PAGE, resources=files).state == state
