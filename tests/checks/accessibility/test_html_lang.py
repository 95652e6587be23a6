from __future__ import annotations

import pytest

from pagegrade.checks.accessibility.html_lang import html_lang
from pagegrade.model.outcome import Outcome
from tests.builders import evaluated, outcome

HTML = (("Content-Type", "text/html; charset=utf-8"),)


@pytest.mark.parametrize("lang", ["en", "EN-us", "pt-BR", "zh-Hant", "sr-Latn-RS"])
def test_registered_language_passes(lang: str) -> None:
    """Any well-formed tag with registered subtags, in any case."""
    found = outcome(html_lang, f'<html lang="{lang}">')

    assert (found.state, found.value) == ("declared", lang)


def test_missing_attribute_fails() -> None:
    """Nothing says the language."""
    assert outcome(html_lang, "<html><title>x</title>").state == "missing"


@pytest.mark.parametrize("value", ["", " ", "\t"])
def test_blank_attribute_is_empty(value: str) -> None:
    """Blanks are no language."""
    assert outcome(html_lang, f'<html lang="{value}">').state == "empty"


def test_empty_attribute_is_not_saved_by_a_header() -> None:
    """An empty ``lang`` says that the language is unknown, which overrides the header."""
    headers = (*HTML, ("Content-Language", "en"))

    assert outcome(html_lang, '<html lang="">', headers=headers).state == "empty"


@pytest.mark.parametrize(
    "value",
    [
        "en_US",
        "English language",
        " en",
        "en ",
        "-",
        "-en",
        "e",
        "#1",
        "1",
        "de-DE@euro",
        "en, fr",
        "en-",
        "en--US",
        "en-abcdefghi",
    ],
)
def test_text_that_is_no_tag_is_invalid(value: str) -> None:
    """Underscores and blanks are the classic mistakes."""
    assert outcome(html_lang, f'<html lang="{value}">').state == "invalid"


@pytest.mark.parametrize("value", ["x-klingon", "qaa", "xx", "eng", "em-US", "i-lux", "i-klingon", "english"])
def test_private_and_unknown_subtags_cost_half(value: str) -> None:
    """Well-formed, but not what a screen reader can look up."""
    assert outcome(html_lang, f'<html lang="{value}">').state == "unregistered"


@pytest.mark.parametrize("value", ["en-UK", "en-US-GB", "sr-SP", "de-hello", "en-a", "en-x"])
def test_known_language_with_a_strange_rest_costs_nothing(value: str) -> None:
    """The first part says how to read the page; the rest only refines it."""
    found = evaluated(html_lang, f'<html lang="{value}">')

    assert isinstance(found.verdict, Outcome)
    assert (found.verdict.state, found.outcome) == ("untidy", "passed")


@pytest.mark.parametrize(("lang", "other"), [("en", "de"), ("fr-CA", "en-CA"), ("en", "nonsense")])
def test_disagreeing_xml_lang_is_a_conflict(lang: str, other: str) -> None:
    """Two languages for one page."""
    assert outcome(html_lang, f'<html lang="{lang}" xml:lang="{other}">').state == "conflict"


@pytest.mark.parametrize(
    ("lang", "other"), [("en-GB", "en-gb"), ("EN", "en"), ("en-GB", "en-US"), ("fr", ""), ("fr", " ")]
)
def test_agreeing_xml_lang_passes(lang: str, other: str) -> None:
    """Neither case nor region matters, and an empty one says nothing."""
    assert outcome(html_lang, f'<html lang="{lang}" xml:lang="{other}">').state == "declared"


def test_xml_lang_alone_means_nothing() -> None:
    """HTML does not read it."""
    assert outcome(html_lang, '<html xml:lang="en">').state == "missing"


def test_header_alone_costs_half() -> None:
    """Content-Language is a fallback that assistive technology rarely reads."""
    found = outcome(html_lang, "<html>", headers=(*HTML, ("content-language", "de, en")))

    assert found.state == "elsewhere"
    assert found.evidence[0].header == "Content-Language"


def test_meta_alone_costs_half() -> None:
    """The same for the meta element."""
    assert outcome(html_lang, '<meta http-equiv="Content-Language" content="en">').state == "elsewhere"


def test_header_that_is_no_language_is_nothing() -> None:
    """A broken header does not turn missing into half."""
    assert outcome(html_lang, "<html>", headers=(*HTML, ("Content-Language", "english!"))).state == "missing"


def test_other_meta_elements_say_no_language() -> None:
    """Only Content-Language does, and only with a language in it."""
    html = '<meta http-equiv="x-language" content="en"><meta http-equiv="content-language" content="en, de">'

    assert outcome(html_lang, html).state == "missing"


ENGLISH = "We water the garden every morning, and in autumn we collect the leaves from the pond. " * 8
JAPANESE = "毎朝庭に水をやり、秋には池に落ちた葉を集めます。冬の前に水草を切りそろえます。" * 8


@pytest.mark.parametrize(
    ("lang", "body", "state"),
    [
        ("en", JAPANESE, "other-text"),
        ("de", ENGLISH, "other-text"),
        ("en-US", ENGLISH, "declared"),
        ("ja", JAPANESE, "declared"),
        ("en", f"<main lang=ja>{JAPANESE}</main>", "declared"),
        ("en", ENGLISH + JAPANESE * 2, "declared"),
        ("en", JAPANESE[:80], "declared"),
    ],
)
def test_the_language_has_to_be_that_of_the_text(lang: str, body: str, state: str) -> None:
    """Templates say English until it is changed; parts in another language, mixed and short texts say nothing."""
    found = outcome(html_lang, f"<!doctype html><html lang={lang}><title>x</title><body><p>{body}")

    assert found.state == state


def test_a_wrong_language_limits_the_score() -> None:
    """Nothing of the page is understood by who hears it; a missing one leaves the voice that is set."""
    assert [(cap.max_score, cap.states) for cap in html_lang.caps] == [(69, ("other-text",))]
