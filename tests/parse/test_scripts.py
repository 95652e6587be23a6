from __future__ import annotations

import pytest

from pagegrade.parse.scripts import MAX_TEXT, count_letters, main_script, scripts_of_language


@pytest.mark.parametrize(
    ("text", "script"),
    [
        ("A pond", "Latn"), ("Straße ñandú Việt", "Latn"), ("пруд", "Cyrl"), ("λίμνη", "Grek"), ("בריכה", "Hebr"),
        ("بركة", "Arab"), ("तालाब", "Deva"), ("পুকুর", "Beng"), ("குளம்", "Taml"), ("สระน้ำ", "Thai"), ("ტბორი", "Geor"),
        ("연못", "Hang"), ("庭の池を作る", "Hani"), ("池塘", "Hani"), ("ኩሬ", "Ethi"), ("123 !?", None),
    ],
)  # fmt: skip
def test_main_script(text: str, script: str | None) -> None:
    """Of any alphabet; digits and signs have none."""
    assert main_script(text) == script


@pytest.mark.parametrize(
    ("tag", "scripts"),
    [
        ("en-GB", ("Latn",)),
        ("ru", ("Cyrl",)),
        ("sr", ()),
        ("sr-Latn", ("Latn",)),
        ("zh-TW", ("Hani",)),
        ("ja", ("Kana", "Hani", "Latn")),
        ("tlh-Piqd", ()),
        ("", ()),
    ],
)
def test_scripts_of_languages(tag: str, scripts: tuple[str, ...]) -> None:
    """A script in the tag counts more; a language with several has none."""
    assert scripts_of_language(tag) == scripts


def test_only_the_beginning_is_counted() -> None:
    """At the limit and one past it."""
    assert count_letters("я" * (MAX_TEXT + 1)) == count_letters("я" * MAX_TEXT, "Cyrl") == MAX_TEXT
