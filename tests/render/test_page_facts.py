from __future__ import annotations

import pytest
from msgspec.structs import replace

from pagegrade.model.rendering import ElementFacts, LargestPaint, LoadMetrics, RenderedPage, StoredEntry
from pagegrade.model.report import Report
from pagegrade.render.english import ENGLISH
from pagegrade.render.html import render_html
from pagegrade.render.i18n import texts_for
from pagegrade.render.markdown import render_markdown
from pagegrade.render.page_facts import browser_facts, drawing_limits, paint_phases, tls_facts
from pagegrade.render.pdf_model import sheet
from pagegrade.render.text import render_text
from pagegrade.report.page_summary import rendered_page
from tests.render.test_figures import rendered
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
