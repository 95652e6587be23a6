"""Tests of the check hreflang."""

from __future__ import annotations

import pytest

from pagegrade.checks.seo.hreflang import hreflang
from pagegrade.model.artifacts import Artifacts
from pagegrade.model.outcome import NotApplicable
from tests.builders import evaluated, make_artifacts, outcome, run

HTML = ("Content-Type", "text/html; charset=utf-8")
EN = ("en", "https://example.com/")
DE = ("de", "https://example.com/de/")
DEFAULT = ("x-default", "https://example.com/")


def page(
    *alternates: tuple[str, str], lang: str = "en", url: str = "https://example.com/", head: str = "", link: str = ""
) -> Artifacts:
    """A page with these (code, address) pairs."""
    tags = "".join(f'<link rel="alternate" hreflang="{code}" href="{href}">' for code, href in alternates)
    return make_artifacts(
        f'<!doctype html><html lang="{lang}"><head><title>T</title>{head}{tags}</head><body><p>x',
        url=url,
        headers=[HTML, ("Link", link)] if link else [HTML],
    )


def state(*alternates: tuple[str, str], **more: str) -> str:
    """The state for such a page."""
    return outcome(hreflang, page(*alternates, **more)).state


def test_complete_list_passes() -> None:
    """Page itself, another version and a default."""
    assert state(EN, DE, DEFAULT) == "ok"


def test_page_without_versions_has_nothing_to_evaluate() -> None:
    """One language is no mistake; feeds and style sheets are no versions."""
    feed = '<link rel="alternate" hreflang="en" type="application/rss+xml" href="/feed">'
    style = '<link rel="alternate stylesheet" hreflang="en" href="/a.css">'

    assert isinstance(run(hreflang, page()), NotApplicable)
    assert isinstance(run(hreflang, page(head=feed + style)), NotApplicable)


def test_headers_count() -> None:
    """Versions may be listed in Link headers alone."""
    header = ", ".join(f'<{url}>; rel="alternate"; hreflang="{code}"' for code, url in (EN, DE, DEFAULT))

    assert state(link=header) == "ok"
    assert state(link='<https://example.com/x>; rel="alternate"; hreflang="en-UK"') == "invalid_code"


@pytest.mark.parametrize("code", ["es-419", "en-EU", "en-001", "en-un", "sr-YU", "en-XX", "en-zz", "en-QM"])
def test_region_that_is_no_country_warns(code: str) -> None:
    """A good language tag, but search engines serve countries."""
    assert state((code, "https://example.com/other"), EN, DEFAULT) == "no_country"
    assert evaluated(hreflang, page((code, "https://example.com/other"), EN, DEFAULT)).loss == 0.5


@pytest.mark.parametrize("code", ["EN", "en-gb", "en-GB", "zh-Hant", "zh-hans-CN", "fil", "X-Default"])
def test_valid_codes_pass_in_any_case(code: str) -> None:
    """Language, script and region as registered; case does not matter."""
    assert state((code, "https://example.com/other"), EN, DEFAULT) in {"ok", "several_addresses"}


@pytest.mark.parametrize("code", ["en-UK", "eng", "us", "en_US", "", " x-default", "en ", "x-klingon", "english", "GB"])
def test_classic_mistakes_fail(code: str) -> None:
    """A country that is none, three letters for two, a country alone, an underscore and blanks are invalid."""
    found = outcome(hreflang, page(EN, (code, "https://example.com/other"), DEFAULT))

    assert found.state == "invalid_code"
    assert len(found.evidence) == 1


@pytest.mark.parametrize("href", ["", "/de/", "de/", "//example.com/de/", "https://["])
def test_address_without_scheme_and_host_fails(href: str) -> None:
    """Addresses must be whole."""
    assert state(EN, ("de", href), DEFAULT) == "bad_address"


def test_list_without_the_page_itself_fails() -> None:
    """The page has to be in its own list."""
    assert state(DE, ("fr", "https://example.com/fr/"), ("x-default", "https://example.com/choose")) == "no_self"


def test_canonical_address_counts_as_the_page() -> None:
    """With tracking parameters in the address, the list names the canonical one."""
    canonical = '<link rel="canonical" href="https://example.com/">'

    assert state(EN, DE, DEFAULT, url="https://example.com/?utm=1", head=canonical) == "ok"
    assert state(EN, DE, DEFAULT, url="https://example.com/?utm=1") == "no_self"


def test_missing_default_warns() -> None:
    """Without x-default others get any version; a page that lists only itself has no others."""
    assert state(EN, DE) == "no_default"
    assert state(EN) == "ok"


def test_several_addresses_for_one_code_warn() -> None:
    """One language, one address; the same address twice is harmless."""
    assert state(EN, DE, ("DE", "https://example.com/at/"), DEFAULT) == "several_addresses"
    assert state(EN, EN, DE, DEFAULT) == "ok"


def test_listing_under_another_language_warns() -> None:
    """The page says it is French and lists itself as English."""
    assert state(EN, DE, DEFAULT, lang="fr") == "other_language"
    assert state(EN, DE, DEFAULT, lang="en-US") == "ok"
    assert state(EN, DE, DEFAULT, lang="") == "ok"


def test_links_in_the_body_do_not_count() -> None:
    """They are ignored, and the reason says so."""
    html = '<!doctype html><title>T</title><body><p>x<link rel="alternate" hreflang="en-UK" href="/x">'
    verdict = run(hreflang, html)

    assert isinstance(verdict, NotApplicable)
    assert "body" in verdict.reason


def test_a_fix_never_costs_more() -> None:
    """From an invalid code to a complete list, each step costs at most as much as the one before."""
    steps = [
        page(EN, ("en-UK", "/x")),
        page(EN, ("en-GB", "/x")),
        page(EN, ("en-GB", "https://example.com/x")),
        page(EN, DE, DEFAULT),
    ]
    losses = [evaluated(hreflang, step).loss for step in steps]

    assert losses == [1.0, 1.0, 0.5, 0.0]


@pytest.mark.parametrize(
    "code", ["es-LA", "pt-LA", "es-SA", "ar-AR", "ja-JA", "ko-KP", "pt-PT", "zh-Hant-TW", "en-JP", "hi-IN"]
)
def test_language_that_has_no_place_in_the_country_is_listed(code: str) -> None:
    """It costs nothing: a shop may serve them; English is read everywhere, and an unregistered region is worse."""
    expected = {"es-LA": "unlikely_country", "pt-LA": "unlikely_country", "es-SA": "unlikely_country"}
    expected |= {"ar-AR": "unlikely_country", "ja-JA": "invalid_code"}
    url = "https://example.com/"

    found = state(("x-default", url), ("en", url), (code, "https://example.com/other"))

    assert found == expected.get(code, "ok")
