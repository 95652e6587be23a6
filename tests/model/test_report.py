from __future__ import annotations

import pytest

from pagegrade.model.report import Basis, Thresholds


@pytest.mark.parametrize(
    ("before", "after", "differences"),
    [
        (Basis("2026.9", None), Basis("2026.9", None), ()),
        (Basis("2026.9", "mobile"), Basis("2026.9", "mobile"), ()),
        (Basis("2026.9", None), Basis("2026.9", "mobile"), ("engine",)),
        (Basis("2026.9", "desktop"), Basis("2026.9", "mobile"), ("device",)),
        (Basis("2026.2", None), Basis("2026.9", None), ("ruleset",)),
        (Basis("2026.2", "mobile"), Basis("2026.9", None), ("engine", "ruleset")),
    ],
)
def test_what_keeps_two_runs_from_being_compared(before: Basis, after: Basis, differences: tuple[str, ...]) -> None:
    """In either direction; another engine is not another device as well."""
    assert before.differences(after) == after.differences(before) == differences


def test_the_engine_follows_from_the_device() -> None:
    """A browser always imitates one."""
    assert (Basis("2026.9", None).engine, Basis("2026.9", "mobile").engine) == ("static", "rendered")


def test_thresholds_move_the_word_not_the_score() -> None:
    """The grade is a reading of the score."""
    thresholds = Thresholds(good=90, decent=50)

    assert [thresholds.grade(n) for n in (49, 50, 89, 90)] == ["bad", "decent", "decent", "good"]
