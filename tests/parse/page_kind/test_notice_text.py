"""Notices and short pages are told apart by their words, in texts that the model has not seen."""

from __future__ import annotations

from pathlib import Path

import pytest

from devtools.train_notice_text import Example, digest_of, read_examples
from pagegrade.parse.page_kind.notice_text import BUCKETS, MAX_CHARACTERS, WEIGHTS, notice_margin, parts_of

UNSEEN = read_examples(Path(__file__).with_name("notice_texts"))
"""Written by somebody who had not seen the examples, in thirty languages."""


def test_weights_are_those_of_the_examples() -> None:
    """``python -m devtools.train_notice_text`` makes them anew after each change of the texts."""
    assert WEIGHTS.read_bytes()[BUCKETS:] == digest_of(read_examples())


def test_unseen_notices_are_found_and_unseen_pages_are_not() -> None:
    """At the margin that counts, four in ten notices read like one, and few pages; their structure tells most apart.

    The texts are odd on purpose: ironic, indirect and terse ones, half of them pages about such messages.
    """
    notices = [notice_margin(one.text) >= 0.6 for one in UNSEEN if one.is_notice]
    pages = [notice_margin(one.text) >= 0.6 for one in UNSEEN if not one.is_notice]

    assert len({one.language for one in UNSEEN}) >= 25
    assert sum(notices) >= 0.36 * len(notices)
    assert sum(pages) <= 0.045 * len(pages)


@pytest.mark.parametrize(
    "text",
    [
        "ድረ ገጹ ለጊዜው ተዘግቷል። እባክዎ ከአንድ ሰዓት በኋላ እንደገና ይሞክሩ። ስለ ትዕግስትዎ እናመሰግናለን።",
        "વેબસાઇટ હાલ બંધ છે. કૃપા કરીને એક કલાક પછી ફરી પ્રયાસ કરો. તમારી ધીરજ બદલ આભાર.",
        "xqvjw kzzpt wqxv jkqzx vvwxq pzkjt qqxwz tjvkx zwpqj xkvtz jqwpx zzvkt qjxpw vktzq wxjpq zkvtj qpxwz",
    ],
    ids=["Amharic", "Gujarati", "letters"],
)
def test_nothing_is_said_about_languages_without_examples(text: str) -> None:
    """Few of their parts have weights, so that a text is neither."""
    assert notice_margin(text) == 0.0


def test_only_the_beginning_is_read() -> None:
    """A thousand characters are looked at, and what follows changes nothing."""
    text = "word " * (MAX_CHARACTERS // 5)

    assert len(text) == MAX_CHARACTERS
    assert parts_of(text + "entirely different") == parts_of(text)
    assert parts_of(text[5:] + "end of") != parts_of(text)


def test_letters_and_marks_of_typing_change_nothing() -> None:
    """Capitals, typographic apostrophes, line breaks, digits and signs are not parts."""
    assert parts_of("We’ll be BACK\nat 6!") == parts_of("we'll be back at 18")
    assert parts_of("") == parts_of("2026 – 1.5 € !") == frozenset()
    assert notice_margin("") == 0.0


def test_marks_belong_to_their_letters() -> None:
    """A word of Hindi is one word, and composed letters are those with marks."""
    assert parts_of("वेबसाइट") != parts_of("व बस इट")
    assert parts_of("fermé été") == parts_of("ferme\u0301 e\u0301te\u0301")


def test_scripts_without_spaces_are_read_by_letters() -> None:
    """A letter more in a run of Chinese changes few of its parts."""
    shorter, longer = parts_of("网站维护中"), parts_of("本网站维护中")

    assert len(shorter) == 9
    assert shorter < longer
    assert len(longer - shorter) == 2


def test_examples_are_written_once() -> None:
    """No text stands in both, or twice."""
    texts = [one.text for one in (*read_examples(), *UNSEEN)]

    assert len(texts) == len(set(texts))
    assert all(isinstance(one, Example) for one in UNSEEN)
