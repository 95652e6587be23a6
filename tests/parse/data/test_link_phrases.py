"""Tests of phrases that say nothing of a link."""

from __future__ import annotations

import pytest

from pagegrade.parse.data.link_phrases import MAX_CHARACTERS, is_generic_phrase


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("Read more »", "en-US", True),
        ("  HERE. ", "EN", True),
        ("ler mais", "pt_BR", True),
        ("Подробнее", "ru", True),
        ("mer", "nb", True),
        ("mehr", "", True),
        ("Klicke hier", "de", True),
        ("aqui", "es", True),
        ("اینجا", "fa", True),
        ("மேலும் அறிக", "ta-IN", True),
        ("Plus", "fr", True),
        ("start", "en", True),
        ("Start", "", False),
        ("Plus", "", False),
        ("mehr", "en", False),
        ("more", "sw", False),
        ("go", "en", False),
        ("more chairs", "en", False),
        ("", "en", False),
        ("»", "", False),
        ("x" * (MAX_CHARACTERS + 1), "", False),
    ],
)
def test_phrases(text: str, language: str, expected: bool) -> None:  # noqa: FBT001 - one column of a table
    """Whole texts in their language, or in any where none is named."""
    assert is_generic_phrase(text, language) is expected
