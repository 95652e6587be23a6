from __future__ import annotations

from pagegrade.checks.security.cookies_by_script import cookies_by_script
from pagegrade.model.outcome import Outcome
from tests.builders import evaluated
from tests.rendering_builders import make_rendering


def test_names_are_listed_and_cost_nothing() -> None:
    """It is information."""
    found = evaluated(cookies_by_script, rendering=make_rendering(cookies_by_script=("_a", "_b")))

    assert isinstance(found.verdict, Outcome)
    assert found.loss == 0
    assert found.verdict.state == "set"
    assert [one.snippet for one in found.verdict.evidence] == ["_a", "_b"]


def test_no_cookies_are_no_finding() -> None:
    """The usual case."""
    found = evaluated(cookies_by_script, rendering=make_rendering())

    assert isinstance(found.verdict, Outcome)
    assert found.verdict.state == "none"
