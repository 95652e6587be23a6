"""Words in any script."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagegrade.parse.words import (
    MAX_SAYING,
    collapse,
    contains_word,
    count_words,
    fold_for_search,
    has_unspaced_script,
    says_more_than,
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


@pytest.mark.parametrize(
    ("one", "other", "language"),
    [
        ("ΚΉΠΟΣ ΜΕ ΡΌΔΑ", "κήπος με ρόδα", "el"),
        ("ΚΗΠΟΣ", "κήπος", "el"),
        ("DIŞ KAPI", "dış kapı", "tr"),
        ("İNCİR", "incir", "az"),
        ("GARDINEN", "gardinen", "de"),
        ("Größe", "GRÖSSE", "de"),
        ("co\u00adope\u00adrative", "cooperative", "en"),
        ("cafe\u0301", "café", "fr"),
        ("حَدِيقَة", "حديقة", "ar"),
        ("حـــديقة", "حديقة", "ar"),
        ("گلی", "گلي", "fa"),
        ("שָׁלוֹם", "שלום", "he"),
        ("می\u200cروم", "میروم", "fa"),
        ("\u1112\u1161\u11ab\u1100\u1173\u11af", "한글", "ko"),
        ("ПЁТР", "петр", "ru"),
        ("ＯＲＡＣＬＥ １２", "oracle 12", "ja"),
        ("ｶﾞﾗｽ ﾍﾟﾝ", "ガラス ペン", "ja"),
        ("第Ⅲ章", "第iii章", "zh"),
        ("\ufe91\ufef4\ufe96", "بيت", "ar"),
        ("\ufefbجئ", "لاجئ", "ar"),
        ("o\ufb03ce", "office", "en"),
        ("\ufb2aלום", "שלום", "he"),
    ],
)
def test_differences_that_search_engines_ignore_disappear(one: str, other: str, language: str) -> None:
    """Case by the language, accents and points, invisible characters, decomposed, wide, narrow and joined forms."""
    assert fold_for_search(one, language) == fold_for_search(other, language)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Oak\u2122", "oaktm"),
        ("\u2116 5", "no 5"),
        ("किताब", "कतब"),
        ("பூ", "ப"),
        ("がく", "かく"),
        ("ข้าว", "ขว"),
        ("i", "ı"),
    ],
)
def test_letters_that_make_another_word_stay(one: str, other: str) -> None:
    """Vowel signs of Indic scripts, Thai vowels and voiced kana are letters of their own; signs are no letters."""
    assert fold_for_search(one, "hi") != fold_for_search(other, "hi")


@pytest.mark.parametrize("characters", ["ÄéñĶ\u00adé", "".join(map(chr, range(0xC0, 0x250)))])
def test_folding_a_text_folds_each_of_its_characters_however_many_differ(characters: str) -> None:
    """A few characters and many are folded in different ways."""
    assert fold_for_search(characters) == "".join(map(fold_for_search, characters))


@given(st.text(max_size=80))
def test_folding_twice_is_folding_once(text: str) -> None:
    """A folded text has nothing left to fold, whatever it is."""
    once = fold_for_search(text)

    assert fold_for_search(once) == once


@pytest.mark.parametrize(
    ("text", "word", "expected"),
    [
        ("정원에서 놀아요", "정원", True),
        ("고양이를 키워요", "고양이", True),
        ("대정원을", "정원", False),
        ("البستان الكبير", "بستان", True),
        ("בגינה שלנו", "גינה", True),
        ("बगीचों में", "बगीचा", True),
        ("सबगीचा", "बगीचा", False),
    ],
)
def test_words_of_other_scripts_are_found_in_their_forms(text: str, word: str, expected: bool) -> None:  # noqa: FBT001
    """Particles follow in Korean, articles come first in Arabic and Hebrew, and marks belong to the word."""
    assert contains_word(fold_for_search(text), fold_for_search(word)) is expected


@pytest.mark.parametrize(
    ("title", "language", "words"),
    [
        ("텃밭 가꾸기", "ko", ("텃밭", "가꾸기")),
        ("बगीचे की देखभाल।", "hi", ("बगीचे", "देखभाल")),
        ("العناية بالحديقة، دليل", "ar", ("العناية", "بالحديقة", "دليل")),
        ("DIŞ KAPI", "tr", ("dış", "kapı")),
        ("የአትክልት ቦታ", "am", ("የአትክልት", "ቦታ")),
    ],
)
def test_significant_words_of_other_scripts(title: str, language: str, words: tuple[str, ...]) -> None:
    """Two syllables are a word, marks are part of one, and punctuation of any script is none."""
    found = significant_words(title, language)

    assert found == words


@pytest.mark.parametrize("mark", ["।", "،", "؟", "۔", "·", "¿", "፣", "。", "״"])
def test_punctuation_of_any_script_is_no_part_of_a_term(mark: str) -> None:
    """One word with and without it is one word."""
    text = f"बगीचा{mark} बगीचा {mark}बगीचा"

    assert top_terms(Counter(text.split()), 3) == [("बगीचा", 3)]
    assert top_terms_of_text(text, 3) == [("बगीचा", 3)]


@pytest.mark.parametrize(
    "text",
    [
        "one two three",
        "one two three " * 40,
        "one 2 two 3 three 4 5 – 6",
        "one two three " + "1234 " * 5_000,
    ],
)
def test_what_is_repeated_says_no_more(text: str) -> None:
    """Neither do numbers and signs."""
    assert says_more_than(text, 2) is True
    assert says_more_than(text, 3) is False


def test_words_behind_repetitions_are_found() -> None:
    """Up to the end of what is looked at."""
    assert says_more_than("one " * 1_000 + "two three", 2)


@given(
    st.lists(
        st.sampled_from(["one", "two", "x" * 97, "a-b", "–", "日本", "日", "\u0e01\u0e48", "\n", "\u3000"]), max_size=9
    ),
    st.integers(1, 900),
    st.integers(-3, 3),
    st.sampled_from([500, 2_000, MAX_SAYING]),
    st.integers(0, 9),
)
def test_says_more_than_looks_at_whole_words(parts: list[str], times: int, off: int, end: int, words: int) -> None:
    """Wherever its looks end, as one look at the beginning would."""
    text = " ".join(parts * times)[: end + off] + " four five"
    different = dict.fromkeys(text[:MAX_SAYING].split())
    said = " ".join(one for one in different if any(map(str.isalpha, one)))

    assert says_more_than(text, words) is (count_words(said) > words)


def test_says_more_than_counts_pieces_without_spaces_between_words_as_a_whole() -> None:
    """Three pieces of one character each are two words."""
    assert says_more_than("日 本 語", 1)
    assert not says_more_than("日 本 語", 2)
    assert says_more_than("東京都の観光案内", 4)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \u00a0 ",
        "\u200b",
        "\u2060\u00ad",
        "\ufeff \u200d",
        "\u115f\u3164",
        "\u061c\u200f",
        "\u180e",
        "\uf015",
        "\U000f0001",
    ],
)
def test_text_of_which_nothing_can_be_read_aloud_is_none(text: str) -> None:
    """Blanks, joiners, fillers, marks of direction, glyphs of icon fonts."""
    assert not collapse(text)


@pytest.mark.parametrize(
    ("text", "collapsed"),
    [
        (" a \n b ", "a b"),
        ("\u200ba", "\u200ba"),
        ("میخواهم\u200cکه", "میخواهم\u200cکه"),
        ("क\u094d\u200dष", "क\u094d\u200dष"),
        ("\uf015 Home", "\uf015 Home"),
        ("👩\u200d🌾", "👩\u200d🌾"),
        ("×", "×"),
        ("한\u3164", "한\u3164"),
        ("ᠮᠣᠩᠭᠣᠯ\u180e\u1820", "ᠮᠣᠩᠭᠣᠯ\u180e\u1820"),
    ],
)
def test_text_keeps_what_joins_its_letters(text: str, collapsed: str) -> None:
    """In any script; only white space is changed."""
    assert collapse(text) == collapsed
