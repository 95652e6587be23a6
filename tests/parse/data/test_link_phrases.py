"""Tests of phrases that say nothing of a link."""

from __future__ import annotations

import unicodedata

import pytest

from pagegrade.parse.data.link_phrases import MAX_CHARACTERS, has_phrases, is_generic_phrase


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


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("اقرأ المزيد", "ar-EG"),
        ("انقر هنا.", "ar"),
        ("לחצו כאן", "he"),
        ("לחצו כאן", "iw"),
        ("और पढ़ें", "hi"),
        ("আরও পড়ুন", "bn"),
        ("อ่านต่อ »", "th"),
        ("Xem thêm", "vi"),
        ("ΛΕΠΤΟΜΈΡΕΙΕΣ", "el"),
        ("Baca selengkapnya", "id"),
        ("Прочетете повече", "bg"),
        ("Опширније", "sr"),
        ("Opširnije", "sr-Latn"),
        ("Skaityti daugiau", "lt"),
        ("ვრცლად", "ka"),
        ("مزید پڑھیں۔", "ur"),
        ("Tu", "sk"),
        ("Llegir més", "ca"),
    ],
)
def test_phrases_in_many_scripts(text: str, language: str) -> None:
    """Folded and composed as Unicode does it; not in another language, and not with a word that names the target."""
    assert is_generic_phrase(text, language)
    assert is_generic_phrase(unicodedata.normalize("NFD", text), language)
    assert not is_generic_phrase(text, "km")
    assert not is_generic_phrase(f"{text} 2026", language)


@pytest.mark.parametrize(
    ("name", "language"),
    [
        ("Tu", "sk"),
        ("Saite", "lv"),
        ("Hapa", "sw"),
        ("Baca", "id"),
        ("Lagi", "ms"),
        ("Hemen", "eu"),
        ("Siit", "et"),
        ("Meer", "nl"),
        ("Mais", "pt"),
        ("Mer", "nb"),
        ("Suite", "fr"),
        ("Qui", "it"),
        ("IR", "pt"),
        ("IDE", "hu"),
        ("Тук", "bg"),
        ("Детали", "mk"),
        ("هنا", "ar"),
        ("כאן", "he"),
    ],
)
def test_names_elsewhere_count_only_in_their_language(name: str, language: str) -> None:
    """A string, a lake, rooms, a programming environment; the loose reading covers them."""
    assert is_generic_phrase(name, None)
    assert is_generic_phrase(name, language)
    assert not is_generic_phrase(name, "")
    assert not is_generic_phrase(name, "km")


@pytest.mark.parametrize(
    ("language", "known"), [("ar", True), ("", True), ("zh-Hant", True), ("km", False), ("x", False)]
)
def test_languages_with_a_list(language: str, *, known: bool) -> None:
    """An empty tag means all of them."""
    assert has_phrases(language) is known


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("【こちら】", "ja"),
        ("こちら＞", "ja"),
        ("Ｍｏｒｅ", "en"),
        ("Weiter\u00adlesen", "de"),
        ("Read\u200b more ⟶", "en"),
        ("👉 Click here", "en"),
        ("\u200fاقرأ المزيد\u200f", "ar"),
        ("هنــا", "ar"),
        ("اِقْرَأ المَزِيد", "ar"),
        ("כָּאן", "he"),
        ("▶ और पढ़ें", "hi"),
    ],
)
def test_what_readers_do_not_see_hides_no_phrase(text: str, language: str) -> None:
    """Points, wide forms, arrows, emoji and invisible characters; a word more says something."""
    assert is_generic_phrase(text, language)
    assert is_generic_phrase(text, None)
    assert not is_generic_phrase(f"{text} Teich", language)


@pytest.mark.parametrize("text", ["👉", "⟶ ⟶", "\u200b", "C++"])
def test_signs_alone_are_no_phrase(text: str) -> None:
    """Nothing is left of them, or something else than a phrase."""
    assert not is_generic_phrase(text, "en")


@pytest.mark.parametrize(
    ("name", "language"),
    [
        ("#info", "en"),
        (" #more ", "en"),
        ("#hier", "de"),
        ("#здесь", "ru"),
        ("#المزيد", "ar"),
        ("\u200f#هنا", "ar"),
        ("＃詳細", "ja"),
        ("#더보기", "ko"),
        ("@info", "en"),
        ("＠リンク", "ja"),
        ("$LINK", "en"),
        ("/more", "en"),
        ("details/", "en"),
        ("~/details", "en"),
        ("&more", "en"),
        ("%more", "en"),
        (".info", "en"),
        ("--link", "en"),
        ("-view", "en"),
        (":link", "en"),
        ("<details>", "en"),
        ("start()", "en"),
        ("Info®", "de"),
        ("Mehr™", "de"),
        ("Read It ™", "en"),
        ("→ #more", "en"),
        ("#more »", "en"),
        ("#विवरण »", "hi"),
        ("#\u200fالمزيد", "ar"),
        ("📁 details/", "en"),
        ("यहाँ/", "hi"),
        ("~info", "en"),
        ("$ more", "en"),
        ("-> start()", "en"),
    ],
)
def test_signs_that_make_a_name_are_no_decoration(name: str, language: str) -> None:
    """Tags, accounts, paths, and the names of programs and of brands; the words alone say nothing."""
    assert not is_generic_phrase(name, language)
    assert not is_generic_phrase(name, "")
    assert not is_generic_phrase(name, None)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("...more", "en"),
        ("-- more --", "en"),
        ("-> more", "en"),
        ("« more »", "en"),
        ("[more]", "en"),
        ("<< more", "en"),
        ("– more", "en"),
        ("(more)", "en"),
        ("Read more /", "en"),
        ("/ Read more", "en"),
        ("// more", "en"),
        ("& more", "en"),
        ("~ Read more ~", "en"),
        ("-Read more-", "en"),
        ("<Read more>", "en"),
        ("Click here #", "en"),
        ("# Details", "en"),
        ("#Leggi tutto", "it"),
        ("Hier klicken/", "de"),
        ("～詳細～", "ja"),
        ("＃ 続きを読む", "ja"),
        ("/ Подробнее /", "ru"),
        ("# المزيد #", "ar"),
        ("और पढ़ें /", "hi"),
    ],
)
def test_decoration_around_a_phrase_adds_nothing(text: str, language: str) -> None:
    """Dots, dashes, arrows, brackets, and the signs of names where a blank shows that they are none."""
    assert is_generic_phrase(text, language)
