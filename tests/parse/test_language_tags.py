"""Tests of reading language tags."""

from __future__ import annotations

import pytest

from pagegrade.parse.language_tags import (
    is_registered_language,
    is_registered_region,
    is_registered_script,
    is_spoken_in,
    parse_language_tag,
)


@pytest.mark.parametrize(
    ("value", "primary", "script", "region"),
    [
        ("en", "en", None, None),
        ("EN-gb", "en", None, "GB"),
        ("zh-hant-TW", "zh", "Hant", "TW"),
        ("zh-Hans", "zh", "Hans", None),
        ("es-419", "es", None, "419"),
        ("zh-yue-HK", "zh", None, "HK"),
        ("de-CH-1996", "de", None, "CH"),
        ("sl-rozaj-biske", "sl", None, None),
        ("en-US-u-islamcal", "en", None, "US"),
        ("en-a-myext-b-another", "en", None, None),
        ("de-Latn-DE-x-phonebk", "de", "Latn", "DE"),
        ("haw", "haw", None, None),
        ("i-klingon", "i", None, None),
    ],
)
def test_registered_tags_are_read(value: str, primary: str, script: str | None, region: str | None) -> None:
    """Every form of the grammar comes apart, in recommended casing, with nothing unknown."""
    tag = parse_language_tag(value)

    assert tag is not None
    assert (tag.primary, tag.script, tag.region) == (primary, script, region)
    assert tag.registered
    assert tag.unregistered == ()


@pytest.mark.parametrize(
    "value",
    [
        "",
        " ",
        " en",
        "en ",
        "en_US",
        "e",
        "en-",
        "-en",
        "en--US",
        "english language",
        "toolongprimary",
        "12",
        "en-US-GB-",
        "en-a",
        "en-a-x-b",
        "en-a-bb-a-cc",
        "en-x",
        "x",
        "de-1996-1996",
        "français",
        "en-US-Latn",
        "a" * 10_000,
        "en-" * 10_000 + "us",
    ],
)
def test_malformed_values_are_no_tags(value: str) -> None:
    """Underscores, white space, empty or misplaced subtags and endless values are declined."""
    assert parse_language_tag(value) is None


@pytest.mark.parametrize("value", ["eng", "ger", "fra", "xx", "zz-DE", "english"])
def test_well_formed_unknown_languages_are_unregistered(value: str) -> None:
    """ISO 639-2 codes with a two-letter equal, and words, are well-formed but not registered."""
    tag = parse_language_tag(value)

    assert tag is not None
    assert not tag.registered
    assert tag.unregistered == (tag.primary,)


@pytest.mark.parametrize(
    ("value", "unregistered"),
    [
        ("en-asp-bog", ("bog",)),
        ("zh-yue-HK", ()),
        ("ko-en", ("EN",)),
        ("zzz-Latn", ("zzz",)),
        ("en-Lzzz", ("Lzzz",)),
        ("en-hello", ("hello",)),
        ("en-x-hello", ()),
    ],
)
def test_subtags_that_the_registry_does_not_have_are_named(value: str, unregistered: tuple[str, ...]) -> None:
    """A second extended language has no place behind the first."""
    tag = parse_language_tag(value)

    assert tag is not None
    assert tag.unregistered == unregistered


def test_unknown_region_leaves_the_language_registered() -> None:
    """``en-UK`` names a language that exists and a region that does not."""
    tag = parse_language_tag("en-UK")

    assert tag is not None
    assert tag.registered
    assert tag.unregistered == ("UK",)


def test_unknown_script_variant_and_extension_are_listed() -> None:
    """All unknown subtags are named."""
    tag = parse_language_tag("en-qqq-Abcd-ZZ-fantasy1")

    assert tag is not None
    assert tag.unregistered == ("qqq", "Abcd", "fantasy1")


@pytest.mark.parametrize(("value", "registered"), [("x-klingon", False), ("qaa", True), ("qtz-DE", True)])
def test_private_languages_are_marked(value: str, *, registered: bool) -> None:
    """A private language is distinguished from an unknown one."""
    tag = parse_language_tag(value)

    assert tag is not None
    assert tag.private_use
    assert tag.registered is registered
    assert tag.unregistered == ()


def test_text_puts_the_tag_together_again() -> None:
    """The recommended casing comes back."""
    tag = parse_language_tag("ZH-HANT-hk-x-a")

    assert tag is not None
    assert tag.text == "zh-Hant-HK"


def test_registry_has_what_it_should_and_not_more() -> None:
    """Spot checks of the packed table, private ranges included."""
    assert all(is_registered_language(code) for code in ("en", "DE", "tlh", "yue", "gsw", "zza", "aaa", "qab"))
    assert not any(is_registered_language(code) for code in ("eng", "uk-UA", "", "qua1", "zzz"))
    assert all(is_registered_region(code) for code in ("de", "US", "419", "001", "AC", "XK", "QM", "ZZ"))
    assert not any(is_registered_region(code) for code in ("UK", "EN", "999", ""))
    assert all(is_registered_script(code) for code in ("latn", "Hant", "Qaaa", "Qabx"))
    assert not any(is_registered_script(code) for code in ("Abcd", "Qaby", ""))


@pytest.mark.parametrize(
    ("language", "country", "spoken"),
    [
        ("lo", "LA", True),
        ("es", "LA", False),
        ("ca", "ES", True),
        ("tr", "DE", True),
        ("ar", "AR", False),
        ("de", "ZZ", None),
    ],
)
def test_languages_of_countries(language: str, country: str, spoken: bool | None) -> None:  # noqa: FBT001 - a column
    """Those with speakers or a status; a region that is no country says nothing."""
    assert is_spoken_in(language, country) is spoken
