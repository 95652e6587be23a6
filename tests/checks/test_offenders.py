"""Counting offenders."""

from __future__ import annotations

import pytest

from pagegrade.checks._offenders import Offender, counted, evidence_of
from pagegrade.model.outcome import MAX_EVIDENCE
from tests.builders import make_document


def test_no_offender_is_the_good_state() -> None:
    """Without a loss of its own."""
    found = counted(make_document("<p>x"), [], "good", "bad", "One.", "{count}.")

    assert (found.state, found.value, found.loss) == ("good", 0, None)


@pytest.mark.parametrize(
    ("count", "loss", "message"),
    [(1, 0.2, "One."), (10, 0.8, "10 of them."), (500, 0.8, "500 of them.")],
)
def test_loss_grows_between_its_bounds(count: int, loss: float, message: str) -> None:
    """From the first offender to the tenth."""
    document = make_document("<p id=a>x")
    offenders = [Offender(document.ids["a"].node, "why")] * count
    found = counted(document, offenders, "good", "bad", "One.", "{count} of them.", low=0.2, high=0.8)

    assert found.loss == pytest.approx(loss)
    assert (found.message, found.total) == (message, count)
    assert len(found.evidence) == min(count, MAX_EVIDENCE)


def test_evidence_says_where_why_and_what() -> None:
    """The value is cut: it may be a whole page."""
    document = make_document("<p id=a>x")
    (place,) = evidence_of(document, [Offender(document.ids["a"].node, "why", "v" * 500, "/url")])

    assert (place.reason, len(place.value), place.url) == ("why", 200, "/url")
    assert "a" in place.selector
