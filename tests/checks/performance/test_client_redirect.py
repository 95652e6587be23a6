from __future__ import annotations

import pytest

from pagegrade.checks._run import Evaluated
from pagegrade.checks.performance.client_redirect import client_redirect
from pagegrade.model.outcome import Outcome
from pagegrade.model.rendering import Departure
from tests.builders import evaluated
from tests.rendering_builders import make_rendering


def evaluate(*after_ms: float) -> Evaluated:
    """The verdict on a page that leaves so often, at these times."""
    departures = tuple(Departure(kind="script", url=f"https://example.com/{one}", after_ms=one) for one in after_ms)
    return evaluated(client_redirect, rendering=make_rendering(departures=departures))


@pytest.mark.parametrize(("after_ms", "loss"), [(1.0, 0.4), (800.0, 0.4), (1_201.0, 0.8), (2_000.0, 1), (9_000.0, 1)])
def test_a_redirect_costs_the_time_until_the_last_document(after_ms: float, loss: float) -> None:
    """It is never without a price."""
    found = evaluate(0.5, after_ms)

    assert found.loss == pytest.approx(loss)
    assert isinstance(found.verdict, Outcome)
    assert found.verdict.saving is not None
    assert found.verdict.saving.amount == after_ms
    assert len(found.verdict.evidence) == 2


def test_a_page_that_stays_passes() -> None:
    """As nearly all do."""
    assert evaluate().loss == 0
