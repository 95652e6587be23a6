"""The traps of ``keyword-density``; what holds for every check is in ``tests/contract/test_checks.py``."""

from __future__ import annotations

from pagegrade.model.outcome import NotApplicable
from tests.builders import outcome, run


def text(words: str, times: int) -> str:
    """A page in English with those words again and again, and a hundred others."""
    return f'<html lang="en"><title>T</title><p>{words * times}{" ".join(f"w{n}x" for n in range(95))}'


def test_limit() -> None:
    """Five of a hundred words are five per cent; one more is too many."""
    found = outcome("keyword-density", text("chairs ", 6))

    assert outcome("keyword-density", text("chairs ", 5)).state == "varied"
    assert (found.state, found.value, found.evidence[0].value) == ("stuffed", "chairs", "chairs")


def test_case_and_signs_do_not_make_another_word() -> None:
    """All are one word."""
    assert outcome("keyword-density", text("Chairs, (chairs) chairs! ", 3)).evidence[0].reason.startswith("9 times")


def test_words_that_say_nothing_do_not_count() -> None:
    """Stop words, short words and numbers."""
    assert outcome("keyword-density", text("the of 2026 and ", 20)).state == "varied"


def test_what_cannot_be_evaluated() -> None:
    """Short texts, and scripts without spaces."""
    assert isinstance(run("keyword-density", "<p>" + "chairs " * 99), NotApplicable)
    assert isinstance(run("keyword-density", "<p>" + "椅子很好" * 99), NotApplicable)
