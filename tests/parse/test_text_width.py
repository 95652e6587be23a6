"""Tests of measuring text."""

from __future__ import annotations

import pytest

from pagegrade.parse.text_width import MAX_CHARACTERS, column_count, grapheme_count, graphemes, text_width_px


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0),
        ("abc", 3),
        ("é", 1),
        ("e\u0301", 1),
        ("🇩🇪🇫🇷", 2),
        ("👨\u200d👩\u200d👧", 1),
        ("👍🏽", 1),
        ("❤\ufe0f", 1),
        ("한국", 2),
        ("\u1112\u1161\u11ab", 1),
        ("नि", 1),
        ("東京", 2),
        ("🏴\U000e0067\U000e0062\U000e007f", 1),
    ],
)
def test_graphemes_are_what_a_reader_counts(text: str, count: int) -> None:
    """Marks, joined emoji, flags and Hangul parts belong to the character before them."""
    assert grapheme_count(text) == count


def test_wide_characters_take_two_columns() -> None:
    """Chinese, Japanese and Korean characters and emoji count twice, Latin once."""
    assert column_count("東京ab") == 6
    assert column_count("한국") == 4
    assert column_count("Ünï") == 3


@pytest.mark.parametrize(
    ("text", "px"),
    [
        ("", 0.0),
        ("i" * 10, 44.4),
        ("W" * 10, 188.8),
        ("Hello", 44.46 + 1.1),
        ("é", 11.12),
        ("e\u0301", 11.12),
        ("東京", 40.0),
        ('"', 7.1),
        ("\u200b", 0.0),
    ],
)
def test_width_in_arial(text: str, px: float) -> None:
    """Known widths of Arial at 20 px; an accent adds nothing, a wide character is a square."""
    assert text_width_px(text) == pytest.approx(px, abs=0.05)


def test_width_scales_with_the_size() -> None:
    """Half the size is half the width."""
    assert text_width_px("Example", 10) == pytest.approx(text_width_px("Example") / 2)


def test_letters_of_other_scripts_have_an_average_width() -> None:
    """Cyrillic and Greek are neither zero nor square."""
    assert 50 < text_width_px("Привет") < 90


def test_endless_marks_and_texts_are_bounded() -> None:
    """A million marks on one letter, and a text without end, stay small."""
    assert grapheme_count("a" + "\u0301" * 1_000_000) == 1
    assert max(len(cluster) for cluster in graphemes("a" + "\u0301" * 5_000)) <= 32
    assert grapheme_count("a" * 1_000_000) == MAX_CHARACTERS
