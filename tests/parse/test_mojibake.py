from __future__ import annotations

import pytest

from pagegrade.parse.mojibake import MAX_FOUND, find_mojibake, misread_as


def garbled(text: str, *, times: int = 1) -> str:
    """The text with its UTF-8 read as Windows-1252 by a browser, so many times."""
    for _ in range(times):
        text = "".join(bytes([octet]).decode("cp1252", "ignore") or chr(octet) for octet in text.encode())
    return text


@pytest.mark.parametrize(
    "text",
    [
        "Grüße aus München", "Österreich", "Übersicht", "Straße", "don’t", "“quoted”", "a – b", "naïve café", "Málaga",
        "peña", "ação", "5 °C", "© 2026", "« bonjour »", "§ 5", "€ 20", "Shop™", "→ weiter", "😀", "œuvre ça",
        "½ cup", "piùttosto",
    ],
)  # fmt: skip
@pytest.mark.parametrize("times", [1, 2])
def test_utf8_read_as_windows_1252_is_found(text: str, times: int) -> None:
    """Once or twice, in the languages of Western Europe; and the text itself is fine."""
    assert list(find_mojibake(garbled(text, times=times)))
    assert list(find_mojibake(text)) == []


@pytest.mark.parametrize(
    "text",
    [
        "SÃO PAULO", "JOÃO e IRMÃ", "“IRMÃ”", "IRMÃ…", "IRMÃ – não", "MAÇÃ", "CÂMARA", "TÂN”", "Âge d’or", "fenêtre",
        "«Ã»", "TÂM®", "ðÞ Íslenska", "maðurinn", "â la carte", "pâté", "Hà Nội ĐÂY", "lone � here", "�", "x = â",
        "ÂÃ", "România, Â mare",
    ],
)  # fmt: skip
def test_single_characters_are_letters(text: str) -> None:
    """Portuguese, Vietnamese, Romanian and Icelandic need them."""
    assert list(find_mojibake(text)) == []


def test_lost_characters_are_found_in_words_and_in_rows() -> None:
    """The text that was meant is not known."""
    assert [one.meant for one in find_mojibake("M\ufffdnchen and \ufffd\ufffd")] == ["", ""]


def test_what_was_meant_is_named_with_its_surroundings() -> None:
    """Both help to find the place."""
    (one,) = find_mojibake(garbled("Our tables don’t need any care"))

    assert (one.meant, one.context) == ("’", garbled("Our tables don’t need any care"))


@pytest.mark.parametrize(("count", "found"), [(MAX_FOUND, MAX_FOUND), (MAX_FOUND + 1, MAX_FOUND)])
def test_only_so_many_are_found(count: int, found: int) -> None:
    """At the limit and one past it."""
    assert len(list(find_mojibake("Ã¤ " * count))) == found


@pytest.mark.parametrize(
    "text",
    [
        "€ 19,90 " * 240,
        "„Gut“, sagte sie – „sehr gut“. " * 40,
        "« Bonjour », dit-il : « ça va à Orléans ? » " * 40,
        "SÃO JOÃO, IRMÃ «MAÇÃ» " * 40,
        "ОАО «РОСС» № 5 – «С», ПРИКАЗ № 7 " * 40,
        "─┬─┤ ├──┴┐ ═╗╔═╝ " * 40,
        "یک کتاب و یک گل پژمرده در کوچه " * 40,
        "Việt Nam, Đà Nẵng, tiếng Việt " * 40,
        "✓ ✗ ★ → • ™ © ® ½ °C " * 40,
    ],
)
def test_signs_that_come_again_and_again_were_not_misread(text: str) -> None:
    """Currencies, quotation marks, frames and capitals, in any number."""
    assert misread_as(" ".join(text.split())) is None
