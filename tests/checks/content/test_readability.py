"""The traps of ``readability``; what holds for every check is in ``tests/contract/test_checks.py``."""

from __future__ import annotations

import pytest

from pagegrade.model.outcome import NotApplicable
from tests.builders import outcome, run

EASY = "<p>The cat sat on the mat. It was warm and soft. "
HARD = "<p>Institutional considerations regarding organizational responsibilities necessitate documentation. "
GERMAN = "<p>Die Katze sitzt im Haus. Sie ist warm und weich. "


def page(paragraph: str, *, lang: str = "en-GB", times: int = 20) -> str:
    """A page of that paragraph."""
    return f'<html lang="{lang}"><title>T</title>{paragraph * times}'


def test_scores() -> None:
    """Short words in short sentences against long ones; the score stays between 0 and 100."""
    hard = outcome("readability", page(HARD))

    assert outcome("readability", page(EASY)).value == 100
    assert (hard.state, hard.value) == ("hard", 0)


def test_german_has_its_own_formula() -> None:
    """The same sentence length and longer words are still easy."""
    found = outcome("readability", page(GERMAN, lang="de"))

    assert found.state == "readable"
    assert 60 <= int(found.value or 0) <= 100


@pytest.mark.parametrize("lang", ["", "fr", "ja", "x"])
def test_other_languages_are_not_evaluated(lang: str) -> None:
    """A formula holds for one language only."""
    assert isinstance(run("readability", page(EASY, lang=lang)), NotApplicable)


def test_lists_are_no_sentences() -> None:
    """Paragraphs without full stops are left out, and few words say nothing."""
    assert isinstance(run("readability", page("<p>" + "fast car " * 100, times=3)), NotApplicable)
    assert isinstance(run("readability", page(EASY, times=2)), NotApplicable)


def test_long_paragraphs_are_shown() -> None:
    """More than a thousand characters, with their place."""
    found = outcome("readability", page(EASY) + "<p>" + "The cat sat. " * 100)

    assert (found.state, found.total) == ("long_paragraphs", 1)


@pytest.mark.parametrize(
    ("paragraph", "words"),
    [
        ("<p>The cat sat here. The dog ran off</p>", 4.0),
        ("<p>The cat sat here. The dog ran off.</p>", 4.0),
        ("<p>The cat sat here. “The dog ran off!”</p>", 4.0),
        ("<p>The cat sat here and the dog ran</p>", 8.0),
    ],
)
def test_last_sentence_needs_no_full_stop(paragraph: str, words: float) -> None:
    """A paragraph ends its last sentence."""
    details = {detail.code: detail.actual for detail in outcome("readability", page(paragraph)).details}

    assert details["words_per_sentence"] == words
