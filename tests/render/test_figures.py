from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from pagegrade.model.outcome import Detail
from pagegrade.model.rendering import (
    ElementFacts,
    LargestPaint,
    LoadMetrics,
    Metrics,
    RenderedPage,
    StoredEntry,
    Viewport,
)
from pagegrade.model.report import Report
from pagegrade.render.english import ENGLISH
from pagegrade.render.figures import (
    CLS,
    MAX_SHOWN,
    Measured,
    browser_facts,
    drawing_limits,
    format_bytes,
    format_ms,
    key_figures,
    measured,
    paint_phases,
    rate,
    tls_facts,
)
from pagegrade.render.html import render_html
from pagegrade.render.i18n import texts_for
from pagegrade.render.markdown import render_markdown
from pagegrade.render.pdf_model import sheet
from pagegrade.render.text import render_text
from pagegrade.report.build import rendered_page
from tests.rendering_builders import make_rendering
from tests.report_builders import make_passed, make_report, make_result

PAINT = LargestPaint(
    time_ms=4_600,
    kind="image",
    url="https://example.com/hero.jpg",
    first_byte_ms=300,
    load_delay_ms=3_000,
    load_time_ms=1_200,
    render_delay_ms=100,
    cause="lazy",
    cause_url="https://example.com/hero.jpg",
    cause_ms=3_000,
    message="Its image is asked for late, because it is loaded lazily.",
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (format_bytes(1), "1 byte"),
        (format_bytes(48_211), "48.2 kB"),
        (format_bytes(3_100_000), "3.1 MB"),
        (format_ms(0.44), "0.4 ms"),
        (format_ms(41.2), "41 ms"),
        (format_ms(1840), "1.8 s"),
    ],
)
def test_amounts_have_the_unit_that_people_read(text: str, expected: str) -> None:
    """Powers of 1000, one decimal."""
    assert text == expected


def test_numbers_are_written_as_in_the_language() -> None:
    """The unit is the same."""
    german = texts_for("de")

    assert format_bytes(48_211, german) == f"{german.number(48.2, digits=1)} kB"


def rendered(**metrics: Any) -> RenderedPage:
    """A page in a browser with those metrics."""
    return RenderedPage(
        device="mobile",
        browser="Chromium 140",
        network="slow 4G",
        viewport=Viewport(width_px=412, height_px=823),
        load_count=1,
        metrics=Metrics(**metrics),
        spread={},
    )


def test_without_a_browser_requests_are_counted() -> None:
    """Time to first byte, weight and number; only the first has a threshold."""
    figures = key_figures(make_report())

    assert [(one.name, one.value, one.rating) for one in figures] == [
        ("TTFB", "41 ms", "good"),
        ("Weight", "834.3 kB", ""),
        ("Requests", "37", ""),
    ]


def test_the_document_is_a_request_as_well() -> None:
    """The check counts the files that the document names; the table of all requests begins with the document."""
    figures = key_figures(make_report(make_passed("http-requests", value=2)))

    assert figures[-1].value == "3"


def test_with_a_browser_its_metrics_come_first() -> None:
    """Rated by the thresholds of web.dev; what was not measured is a dash without a rating."""
    figures = key_figures(replace(make_report(), rendered=rendered(lcp_ms=2_600, cls=0.31, tbt_ms=None)))

    assert [(one.name, one.value, one.rating) for one in figures] == [
        ("LCP", "2.6 s", "decent"),
        ("CLS", "0.31", "bad"),
        ("TBT", "–", ""),
    ]


def test_a_page_that_was_not_seen_has_no_figures() -> None:
    """Not even zeros."""
    assert key_figures(make_report(page=None)) == ()


@pytest.mark.parametrize(
    ("value", "rating"), [(None, ""), (0.1, "good"), (0.11, "decent"), (0.25, "decent"), (0.26, "bad")]
)
def test_a_value_at_its_threshold_still_has_the_better_rating(value: float | None, rating: str) -> None:
    """As the source defines them."""
    assert rate(value, CLS) == rating


def test_names_are_translated() -> None:
    """Abbreviations stay."""
    assert [one.name for one in key_figures(make_report(), texts_for("de"))] == ["TTFB", "Gewicht", "Anfragen"]


def test_the_weight_is_that_of_the_check() -> None:
    """More can be fetched than a browser loads: the two must not contradict each other."""
    weight = make_result("total-byte-weight", category="performance", value=700_000)
    requests = make_passed("http-requests", category="performance", value=31)
    shown = {one.name: one.value for one in key_figures(make_report(weight, requests))}

    assert (shown["Weight"], shown["Requests"]) == ("700 kB", "32")


@pytest.mark.parametrize(
    ("code", "actual", "limit", "expected"),
    [
        ("characters", 79, 60, ("characters", "79", "should be at most 60")),
        ("words", 3, 10, ("words", "3", "should be at least 10")),
        ("main_headings", 2, 1, ("main headings", "2", "should be at most 1")),
        ("wire_bytes", 9_000_000, 100_000, ("transferred", "9 MB", "should be at most 100 kB")),
        ("bytes", 512, 100, ("size", "512 bytes", "should be at most 100 bytes")),
        ("first_byte_ms", 1400, 800, ("time to first byte", "1.4 s", "should be at most 800 ms")),
        ("width_px", 1068, 600, ("width", "1,068 px", "should be at most 600 px")),
        ("max_age_s", 1, 3000, ("max-age", "1 second", "should be at least 3,000 seconds")),
        ("days_left", 1, 14, ("days left", "1", "should be at least 14")),
        ("lifetime_days", 399, 398, ("lifetime", "399 days", "should be at most 398 days")),
        ("status", 200, 404, ("status", "200", "expected 404")),
        ("max_age_s", 86_400, 15_768_000, ("max-age", "86,400 seconds", "should be at least 183 days")),
        ("max_age_s", 259_200, 500_000, ("max-age", "3 days", "should be at least 5.8 days")),
        ("encoding_used", "gbk", "UTF-8", ("encoding", "gbk", "expected UTF-8")),
    ],
)
def test_figures_stand_beside_what_is_expected(
    code: str, actual: str | float, limit: str | float, expected: tuple[str, str, str]
) -> None:
    """With their units, and with the side of the limit they are on."""
    detail = Detail(code=code, actual=actual, limit=limit)

    assert measured(make_result(errors=(detail,))) == (Measured(*expected),)


def test_figures_without_an_expected_value_are_left_out() -> None:
    """They are in the evidence."""
    details = (Detail(code="text_bytes", actual=12), Detail(code="missing", limit=0), Detail(code="none"))

    assert measured(make_result(errors=details)) == ()


@pytest.mark.parametrize(
    ("code", "actual", "limit"),
    [
        ("wire_bytes", 78_000, 100_000),
        ("wire_bytes", 100_000, 100_000),
        ("unlabelled", 0, 0),
        ("unlabelled", 2, 0),
        ("title_words_in_text", 7, 1),
        ("side_px", 48, 48),
        ("status", 404, 404),
        ("encoding_used", "UTF-8", "UTF-8"),
        ("main_headings", 1, 1),
        ("main_headings", 0, 1),
        ("descriptions", 0, 1),
    ],
)
def test_figures_within_their_limit_are_left_out(code: str, actual: str | float, limit: str | float) -> None:
    """A light transfer "should be at least" nothing; what is right or missing altogether explains none."""
    assert measured(make_result(errors=(Detail(code=code, actual=actual, limit=limit),))) == ()


@pytest.mark.parametrize(
    ("check", "actual", "expected"),
    [
        ("meta-description", 12, "should be at least 50"),
        ("meta-description-length", 12, "should be at least 50"),
        ("meta-description-length", 70, "should be at most 50"),
        ("title-length", 70, "should be at most 50"),
        ("title-length", 12, ""),
    ],
)
def test_the_same_word_may_have_limits_on_either_side(check: str, actual: int, expected: str) -> None:
    """The check says which."""
    found = measured(make_result(check=check, errors=(Detail(code="characters", actual=actual, limit=50),)))

    assert [figure.limit for figure in found] == ([expected] if expected else [])


def test_there_are_never_too_many() -> None:
    """A finding begins with its figures; it does not consist of them."""
    details = tuple(Detail(code=f"kind_{number}", actual=number + 1, limit=1) for number in range(1, 30))

    assert len(measured(make_result(errors=details))) == MAX_SHOWN


def test_hostile_details_are_made_visible() -> None:
    """Some hold text of the page."""
    (figure,) = measured(make_result(errors=(Detail(code="a\u202eb", actual="\x1b[31m", limit="x"),)))

    assert figure.name == r"a\u202eb"
    assert figure.found == r"\x1b[31m"


def test_a_saving_is_no_limit_to_keep() -> None:
    """The headline says what is saved; from how many bytes a check begins to look is not for owners."""
    assert measured(make_result(errors=(Detail(code="saving_bytes", actual=2_100, limit=1_400),))) == ()


def painted() -> RenderedPage:
    """A page whose largest element is a lazy image."""
    return replace(
        rendered(lcp_ms=4_600),
        largest_paint=PAINT,
        lcp_element=ElementFacts(selector="#hero", html='<img id="hero">'),
        storage=(
            *(StoredEntry(kind="cookie", name=f"c{number}") for number in range(7)),
            StoredEntry(kind="local_storage", name="seen"),
        ),
    )


def test_every_format_for_people_names_the_largest_element_its_phases_and_its_cause() -> None:
    """A reader of one format knows what a reader of another does."""
    report = make_report(rendered=painted())
    formats = (render_text([report], width=100), render_markdown([report]), render_html([report]), str(sheet(report)))

    for text in formats:
        flat = " ".join(text.split()).replace("\\u200b", "").replace("\u200b", "").replace("\\", "")
        for part in ("#hero", "load delay", "3 s", "because it is loaded lazily", "hero.jpg", "local storage"):
            assert part in flat, part


def test_a_language_has_its_own_names_of_the_phases() -> None:
    """They stand in their order."""
    german = [name for name, _ in paint_phases(painted(), texts_for("de"))]

    assert german == ["erstes Byte", "Verzögerung bis zum Laden", "Ladezeit", "Verzögerung bis zur Anzeige"]
    assert paint_phases(rendered()) == ()


def test_of_many_stored_entries_the_first_are_named() -> None:
    """The others are counted; nothing is said where nothing is stored."""
    stored = dict(browser_facts(make_report(rendered=painted())))["Stored"]

    assert stored == "cookies (7): c0, c1, c2, c3, c4, …; local storage (1): seen"
    assert dict(browser_facts(make_report(rendered=rendered())))["Stored"] == ""
    assert browser_facts(make_report()) == ()


def drawn(*notes: str) -> Report:
    """A report from a browser with these notes."""
    return make_report(rendered=rendered_page(replace(make_rendering(), notes=notes), (), LoadMetrics()))


@pytest.mark.parametrize(
    ("notes", "sentences"),
    [
        ((), ""),
        (("cpu_slowdown_4", "failed_Network.getCookies"), ""),
        (("loads_cut",), "There was no time for further loads."),
        (
            ("load_timeout", "loads_cut"),
            "There was no time for further loads. Scripts kept the page busy; its load was cut off.",
        ),
    ],
)
def test_limits_have_sentences(notes: tuple[str, ...], sentences: str) -> None:
    """In one order; a note that only adds a fact has none."""
    rendered = drawn(*notes).rendered

    assert rendered is not None
    assert drawing_limits(rendered, ENGLISH) == sentences


def test_limits_are_translated_and_shown_with_the_facts_of_the_page() -> None:
    """Only where there are any."""
    rendered = drawn("loads_cut").rendered

    assert rendered is not None
    assert drawing_limits(rendered, texts_for("de")) != drawing_limits(rendered, ENGLISH)
    assert "There was no time for further loads." in " ".join(render_text([drawn("loads_cut")]).split())
    assert "Limits" not in render_text([drawn()])


def test_versions_and_certificate_are_what_the_checks_found() -> None:
    """A sound certificate with its days, a bad one in the words of its finding."""
    versions = make_passed("tls-version", category="security", value="TLSv1.2, TLSv1.3")
    sound = make_passed("tls-certificate", category="security", value=68)
    bad = make_result("tls-certificate", category="security", value="expired", message="The certificate has expired.")

    assert tls_facts(make_report(versions, sound)) == (
        ("TLS versions", "TLSv1.2, TLSv1.3"),
        ("Certificate", "valid, expires in 68 days"),
    )
    assert tls_facts(make_report(bad)) == (("Certificate", "The certificate has expired."),)


def test_without_encryption_there_is_nothing_to_list() -> None:
    """Neither where the checks did not apply, nor where they could not be evaluated."""
    absent = make_passed("tls-certificate", outcome="not_applicable", value=None)
    unknown = make_passed("tls-version", outcome="not_evaluated", value=None)

    assert tls_facts(make_report(absent, unknown)) == ()
