from __future__ import annotations

import pytest

from pagegrade.checks._run import Evaluated
from pagegrade.checks.performance.page_size import page_size
from pagegrade.model.outcome import NotApplicable, NotRun, Outcome
from tests.builders import evaluated, make_response, run


def evaluate_size(decoded: int, wire: int | None, *, truncated: str | None = None) -> Evaluated:
    """The verdict on a page of these sizes."""
    return evaluated(page_size, response=make_response(b"x" * decoded, wire_bytes=wire, truncated=truncated))


@pytest.mark.parametrize(
    ("decoded", "wire", "state", "loss"),
    [
        (10, 10, "light", 0),
        (330_000, 100_000, "light", 0),
        (330_001, 60_000, "heavy", 0.2),
        (700_000, 60_000, "heavy", 0.6),
        (1_000_000, 60_000, "heavy", 0.8),
        (1_000_001, 60_000, "very_heavy", 1),
        (120_000, 100_001, "heavy", 0.2),
        (330_000, 330_000, "heavy", 0.4),
    ],
)
def test_both_sizes_have_their_limits(decoded: int, wire: int, state: str, loss: float) -> None:
    """The transferred size and the decoded size are evaluated, and the worse one counts."""
    found = evaluate_size(decoded, wire)

    assert isinstance(found.verdict, Outcome)
    assert found.verdict.state == state
    assert found.loss == pytest.approx(loss)


def test_it_says_which_number_is_evaluated() -> None:
    """A page may be large to read and small on the way."""
    found = evaluate_size(400_000, 60_000)

    assert isinstance(found.verdict, Outcome)
    assert found.verdict.message == "The HTML has 400,000 bytes, compressed to 60,000 bytes."


def test_a_page_without_compression_has_one_size() -> None:
    """Framing adds a few bytes to the transfer, which are not counted."""
    found = evaluate_size(400_000, 400_010)

    assert isinstance(found.verdict, Outcome)
    assert found.verdict.message == "The HTML has 400,000 bytes."


def test_a_little_more_markup_costs_nothing() -> None:
    """Steps keep good markup from costing a hair."""
    before = evaluate_size(500_000, 60_000)
    after = evaluate_size(500_400, 60_100)

    assert before.loss == after.loss


def test_compressing_never_costs_points() -> None:
    """The same page with fewer bytes on the way."""
    before = evaluate_size(300_000, 300_000)
    after = evaluate_size(300_000, 60_000)

    assert before.loss is not None
    assert after.loss is not None
    assert after.loss < before.loss


def test_a_saved_page_is_evaluated_by_what_is_known() -> None:
    """Without the transfer its decompressed size remains."""
    assert evaluate_size(300_000, None).loss == 0
    assert evaluate_size(2_000_000, None).loss == 1


def test_a_body_that_broke_off_is_not_called_light() -> None:
    """The missing part could be large."""
    verdict = run(page_size, response=make_response(b"x" * 100, truncated="connection"))

    assert verdict == NotRun("truncated", "The body did not arrive whole, so its size is not known.")


def test_a_body_cut_at_our_limit_is_at_least_that_heavy() -> None:
    """The part that arrived is enough to evaluate."""
    found = evaluate_size(2_000_000, 400_000, truncated="limit")

    assert isinstance(found.verdict, Outcome)
    assert found.loss == 1
    assert "at least 2,000,000" in found.verdict.message


def test_an_empty_body_is_not_evaluated() -> None:
    """There is no HTML."""
    assert isinstance(run(page_size, response=make_response(b"")), NotApplicable)
