from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from pagegrade.checks._facts import Facts
from pagegrade.checks._registry import all_checks
from pagegrade.checks._run import run_check
from pagegrade.model.outcome import Evidence, NotApplicable, NotRun, Outcome
from pagegrade.render.finding_texts import (
    MAX_LENGTH,
    FindingTexts,
    Untranslated,
    comparison_in_language,
    finding_texts,
    in_language,
)
from pagegrade.render.i18n import LOCALES
from pagegrade.report.compare import compare_reports
from tests.builders import SKIPPED
from tests.examples import artifacts_of_example
from tests.linear import MAX_RATIO, growth
from tests.report_builders import make_passed, make_report, make_result

MESSAGES = {
    "The page has no title.": "Die Seite hat keinen Titel.",
    "{0} links have no name.": "{0} Links haben keinen Namen.",
    "{0} of {1}": "{0} von {1}",
    "{0} file": "{0} Datei",
    "{0} files": "{0} Dateien",
    "Not minified: {0}.": "Nicht minifiziert: {0}.",
    "The {type} lacks {property}.": "{property} fehlt bei {type}.",
    "no name": "kein Name",
    "hidden": "verborgen",
    "Write `{{ title }}`.": "Schreiben Sie `{{ title }}`.",
    "Add this:\n\n```\n<img>\n```": "Fügen Sie dies hinzu:\n\n```\n<img>\n```",
}
QUOTED = frozenset(
    {
        *("content-dates", "font-count", "font-display", "font-format", "http-requests", "open-graph", "social-links"),
        *("third-party-share", "twitter-card", "vulnerable-js-libraries", "api-catalog"),
    }
)
"""Checks of whose evidence the reason is a name or a value of the page."""


SKIPPED_DETAIL = str(SKIPPED.detail)


def texts() -> FindingTexts:
    """A small catalogue."""
    return FindingTexts(MESSAGES, group=".", decimal=",")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The page has no title.", "Die Seite hat keinen Titel."),
        ("1,234 links have no name.", "1.234 Links haben keinen Namen."),
        ("Not minified: 3 of 12 files.", "Nicht minifiziert: 3 von 12 Dateien."),
        ("Not minified: 1 of 1 file.", "Nicht minifiziert: 1 von 1 Datei."),
        ("The Product lacks offers.", "offers fehlt bei Product."),
        ("no name; hidden", "kein Name; verborgen"),
        ("The page has no title. 3 links have no name.", "Die Seite hat keinen Titel. 3 Links haben keinen Namen."),
        ("no name.", "kein Name."),
        ("Write `{{ title }}`.", "Schreiben Sie `{{ title }}`."),
        ("Add this:\n\n```\n<img src=a>\n```", "Fügen Sie dies hinzu:\n\n```\n<img src=a>\n```"),
        (
            "Add this:\n\n```\n<img src=a>\n```\n\nThe page has no title. no name.",
            "Fügen Sie dies hinzu:\n\n```\n<img src=a>\n```\n\nDie Seite hat keinen Titel. kein Name.",
        ),
        ("12.5%", "12,5%"),
        ("", ""),
    ],
)
def test_a_text_is_found_with_its_values(text: str, expected: str) -> None:
    """As it is, as a sentence with values, as several texts in one."""
    found = texts().translate(text)

    assert found == expected
    assert not isinstance(found, Untranslated)


@pytest.mark.parametrize(
    "text",
    [
        *("Our chairs", "no name; our chairs", "Our own files", "Joy of wood", "links have no name."),
        "x" * (MAX_LENGTH + 1),
    ],
)
def test_what_is_not_known_stays_as_it_is(text: str) -> None:
    """Words of the page stay whole: no part of them is translated."""
    found = texts().translate(text)

    assert found == text
    assert isinstance(found, Untranslated)


def test_only_whole_texts_and_numbers_of_things_are_translated_among_values() -> None:
    """A value may be a word of the page that happens to be one of ours."""
    assert texts().amount("12 files") == "12 Dateien"
    assert texts().amount("no name") == "kein Name"
    assert texts().amount("hidden") == "hidden"
    assert texts().amount("The chair lacks comfort.") == "The chair lacks comfort."


def test_a_text_of_a_page_costs_linear_time() -> None:
    """However often the literals of a sentence appear in it."""
    sentence = "a" + "".join(f" of {{{index}}}" for index in range(20)) + " end"

    def run(size: int) -> None:
        known = FindingTexts({sentence: sentence}, group=".", decimal=",")
        for number in range(200):
            known.translate("a" + " of x" * size + str(number))

    assert growth(run, MAX_LENGTH // 40) < MAX_RATIO


@pytest.mark.parametrize(
    "piece", ["a of b and c: d, e; f. ", "no x of y in z, and x more; status is ", "in no page of "]
)
def test_the_search_for_words_of_a_page_ends(monkeypatch: pytest.MonkeyPatch, piece: str) -> None:
    """They could be cases of many sentences, whose values could be cases of many more."""
    known = finding_texts("de")
    lookups = 0

    def exact(texts: FindingTexts, text: str) -> str | None:
        nonlocal lookups
        lookups += 1
        return original(texts, text)

    original = FindingTexts.exact
    monkeypatch.setattr(FindingTexts, "exact", exact)

    assert known is not None
    assert isinstance(known._translate((piece * 99)[:MAX_LENGTH]), Untranslated)
    assert lookups < 100


def test_english_needs_no_catalogue() -> None:
    """Reports are stored in it."""
    report = make_report()

    assert finding_texts("en") is None
    assert in_language(report, "en") is report


def test_a_report_is_shown_in_the_language_of_its_reader() -> None:
    """Its sentences are, and what it quotes is not."""
    result = make_result(
        "image-alt",
        title="Images without alternative text",
        message="3 images have no text alternative.",
        why="Our own words.",
        evidence=(Evidence(snippet="<img>", reason="no alternative", value="3 images"),),
        evidence_total=1,
    )
    report = make_report(result, make_passed("title", reason="not_applicable: The page has no images."))
    shown = in_language(replace(report, run=replace(report.run, notes=("Evaluated without network access.",))), "de")
    image, title = shown.results

    assert (image.title, image.message) == ("Bilder ohne Alternativtext", "3 Bilder haben keinen Alternativtext.")
    assert image.why == "Our own words."
    assert isinstance(image.why, Untranslated)
    assert image.evidence == (Evidence(snippet="<img>", reason="kein Alternativtext", value="3 Bilder"),)
    assert title.reason == "not_applicable: Die Seite hat keine Bilder."
    assert shown.run.notes == ("Ohne Netzzugang bewertet.",)


def test_a_comparison_is_shown_in_the_language_of_its_reader() -> None:
    """With the reasons why something cannot be compared."""
    found = make_result("title", title="Add a title", message="The page has no title.")
    comparison = compare_reports(make_report(make_passed("title")), make_report(found, make_result("h1")))
    shown = comparison_in_language(comparison, "de")

    assert [change.result.title for change in shown.new] == ["Titel hinzufügen"]
    assert [one.reason for one in shown.not_comparable] == ["Die Prüfung gab es im älteren Bericht noch nicht."]
    assert comparison_in_language(comparison, "en") is comparison


def said_by_examples() -> Iterator[tuple[str, str]]:
    """Yield (check, text) of everything that any check says about any documented example."""
    checks = all_checks().values()
    for documented in checks:
        for section in ("Fails on", "Passes on"):
            facts = Facts(artifacts_of_example(documented.documentation[section]))
            for check in checks:
                match run_check(check, facts):
                    case Outcome() as outcome:
                        yield check.id, outcome.message
                        if check.id not in QUOTED:
                            yield from ((check.id, one.reason) for one in outcome.evidence)
                    case NotApplicable(reason=reason):
                        yield check.id, reason
                    case NotRun(detail=detail) if detail != SKIPPED_DETAIL:
                        yield check.id, detail


@pytest.mark.parametrize("tag", LOCALES[1:])
def test_everything_that_checks_say_is_translated(tag: str) -> None:
    """Each sentence about each example of each check, with its values."""
    known = finding_texts(tag)

    assert known is not None

    said = set(said_by_examples())
    left = {(check, text) for check, text in said if isinstance(known.translate(text), Untranslated)}

    assert left == set()
    assert len(said) > 1_000


@pytest.mark.parametrize("tag", LOCALES[1:])
def test_every_sentence_of_the_sources_is_found_again(tag: str) -> None:
    """With a value in every place it is found as itself, and not as a more general sentence."""
    known = finding_texts(tag)

    assert known is not None

    for sentence in (each for group in known._sentences.values() for each in group):
        value = "7" if sentence.fits_anything else "Zebra"
        text = value.join(sentence.literals)
        expected = re.sub(r"\{\w+\}", value, sentence.translation)

        assert known.translate(text) == expected, text
