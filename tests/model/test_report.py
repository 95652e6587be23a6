from __future__ import annotations

from pagegrade.model.report import Thresholds


def test_thresholds_move_the_word_not_the_score() -> None:
    """The grade is a reading of the score."""
    thresholds = Thresholds(good=90, decent=50)

    assert [thresholds.grade(n) for n in (49, 50, 89, 90)] == ["bad", "decent", "decent", "good"]
