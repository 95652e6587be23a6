from __future__ import annotations

from datetime import UTC, datetime

import pytest

from pagegrade.checks.security.outdated_software import outdated_software
from pagegrade.model.artifacts import Artifacts
from pagegrade.model.outcome import NotApplicable
from tests.builders import evaluated, make_artifacts, make_response, outcome, run


def page(year: int, *headers: tuple[str, str], html: str = "<title>x</title>") -> Artifacts:
    """A page that was gathered in the middle of that year."""
    response = make_response(html, headers=(("Content-Type", "text/html"), *headers))
    return make_artifacts(response=response, gathered_at=datetime(year, 7, 1, tzinfo=UTC))


@pytest.mark.parametrize(("year", "loss"), [(2026, 0.0), (2027, 0.5), (2029, 0.75), (2030, 1.0)])
def test_the_longer_the_end_is_past_the_more_it_costs(year: int, loss: float) -> None:
    """PHP 8.1 ends with Ubuntu 22.04, in April 2027; the time of the report counts, not that of the reader."""
    assert evaluated(outdated_software, page(year, ("X-Powered-By", "PHP/8.1.20"))).loss == loss


def test_the_oldest_is_named_and_all_are_listed() -> None:
    """With the day on which the support ended."""
    found = outcome(outdated_software, page(2026, ("Server", "Apache/2.2.34"), ("X-Powered-By", "PHP/7.3.33")))

    assert found.message == "Support for Apache HTTP Server 2.2.34 ended on 2020-11-30."
    assert [one.value for one in found.evidence] == ["Apache HTTP Server 2.2.34", "PHP 7.3.33"]


def test_hidden_versions_are_not_evaluated() -> None:
    """Hiding the number is no fault, and no proof of an update either."""
    assert isinstance(run(outdated_software, page(2026, ("Server", "nginx"))), NotApplicable)
