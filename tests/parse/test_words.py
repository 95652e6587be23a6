"""Words in any script."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagegrade.parse.words import (
    contains_word,
    count_words,
    has_unspaced_script,
    significant_words,
    stop_words_of,
    top_terms,
    top_terms_of_text,
)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", 0),
        ("   \n ", 0),
        ("one two  three", 3),
        ("Don’t stop – it’s “quoted” text", 5),
        ("Home | Shop | About", 3),
        ("Größe, déjà vu", 3),
        ("Привет, мир", 2),
        ("한국어 문장 입니다", 3),
        ("हिन्दी में लिखा", 3),
        ("漢" * 17, 10),
        ("漢字。かな、カナ!" * 10, 36),
        ("ภาษาไทย" * 17, 70),
        ("iPhone 15 を買う", 4),
    ],
)
def test_words_are_counted_by_the_habits_of_the_script(text: str, words: int) -> None:
    """Spaces separate words where they are written; elsewhere 1.7 characters are one."""
    count = count_words(text)

    assert count == words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain", False),
        ("“typographic” – quotes …", False),
        ("Ελληνικά, русский, עברית, العربية", False),
        ("한국어", False),
        ("हिन्दी ქართული አማርኛ", False),
        ("emoji 🎉", False),
        ("日本", True),
        ("ไทย", True),
        ("ខ្មែរ", True),
        ("\U00020000", True),
        ("\ud800", False),
    ],
)
def test_scripts_without_spaces_are_recognised(text: str, expected: bool) -> None:  # noqa: FBT001 - a table
    """Only scripts that write no spaces; Korean, Hindi and Georgian do."""
    found = has_unspaced_script(text)

    assert found is expected


@given(st.text(max_size=80))
def test_any_text_is_counted(text: str) -> None:
    """Text comes from the world, and a count is never below zero."""
    count = count_words(text)

    assert 0 <= count <= len(text)


@pytest.mark.parametrize(
    ("title", "language", "words"),
    [
        ("Garden furniture for small balconies | Acme", "en", ("garden", "furniture", "small", "balconies", "acme")),
        ("Die Gärten von Berlin", "de-AT", ("gärten", "berlin")),
        ("Die Hard", "en", ("die", "hard")),
        ("L’accueil des enfants", "fr", ("enfants",)),
        ("Hagemøbler til din terrasse", "nb", ("hagemøbler", "terrasse")),
        ("Garden furniture and more", None, ("garden", "furniture")),
        ("Gartenmöbel und mehr", "xx", ("gartenmöbel",)),
        ("2026 – 10 TV", "en", ()),
        ("GARDEN garden", "en", ("garden",)),
        ("", "en", ()),
    ],
)
def test_significant_words_leave_out_what_says_nothing(
    title: str, language: str | None, words: tuple[str, ...]
) -> None:
    """Stop words of the page's language, short words, numbers and repetitions do not count."""
    found = significant_words(title, language)

    assert found == words


def test_only_the_beginning_of_a_huge_title_is_read() -> None:
    """A title of megabytes costs no more than a long one."""
    found = significant_words("word%d " * 1 + "x1a " * 1_000_000, "en")

    assert len(found) < 500


@pytest.mark.parametrize(
    ("text", "word", "expected"),
    [
        ("our garden furniture", "garden", True),
        ("(garden)", "garden", True),
        ("gardens", "garden", True),
        ("a shoe for you", "shoes", True),
        ("two balconies", "balcony", True),
        ("kindergarden", "garden", False),
        ("category", "cat", False),
        ("cats", "cat", True),
        ("kindergarden in a garden", "garden", True),
        ("", "garden", False),
    ],
)
def test_a_word_is_found_in_its_forms_but_not_inside_others(text: str, word: str, expected: bool) -> None:  # noqa: FBT001
    """Plurals count; the same letters in the middle of another word do not."""
    found = contains_word(text, word)

    assert found is expected


def test_top_terms_are_words_that_say_something() -> None:
    """Case and signs do not matter, stop words, short words and numbers are left out, ties are in order."""
    text = "The chair, the CHAIR (chair) and an oak table. Table! 2026 2026 2026 zoo bar"

    assert top_terms(Counter(text.split()), 3) == [("chair", 3), ("table", 2), ("bar", 1)]
    assert top_terms_of_text(text, 3) == [("chair", 3), ("table", 2), ("bar", 1)]
    assert top_terms({}, 3) == []
    assert top_terms({"und": 3, "Möbel": 1, "the": 3}, 3) == [("möbel", 1)]


def test_a_long_text_is_counted_in_parts() -> None:
    """As if it had been split as a whole."""
    text = "one Two\u2003three,\n" * 20_000

    assert top_terms_of_text(text, 3) == [("one", 20_000), ("three", 20_000), ("two", 20_000)]
    assert top_terms_of_text("", 3) == []


def test_stop_words_of_a_language() -> None:
    """By its first part; all of them where it is missing or unknown."""
    assert "und" in stop_words_of("de-AT")
    assert "the" not in stop_words_of("de")
    assert {"und", "the"} <= stop_words_of(None)
    assert stop_words_of("nb") == stop_words_of("no")
