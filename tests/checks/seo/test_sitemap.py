"""Tests of the check sitemap."""

from __future__ import annotations

from typing import Any

import pytest

from pagegrade.checks.seo.sitemap import sitemap
from pagegrade.model.artifacts import Artifacts, SitemapFile, Sitemaps
from pagegrade.model.outcome import NotRun
from tests.builders import make_artifacts, outcome, run


def file(source: str = "robots", **more: Any) -> SitemapFile:
    """A readable sitemap by default."""
    defaults: dict[str, Any] = {
        "url": "https://example.com/sitemap.xml",
        "status": 200,
        "kind": "urlset",
        "url_count": 3,
    }
    return SitemapFile(source=source, **{**defaults, **more})  # type: ignore[arg-type]


def site(*files: SitemapFile, url: str = "https://example.com/") -> Artifacts:
    """A site whose sitemap files turned out to be these."""
    return make_artifacts(url=url, sitemaps=Sitemaps(files=files))


def state(*files: SitemapFile, url: str = "https://example.com/") -> str:
    """The state for such a site."""
    return outcome(sitemap, site(*files, url=url)).state


def test_declared_sitemap_passes() -> None:
    """The value is the number of addresses; those of an index are not pages."""
    found = outcome(
        sitemap, site(file(kind="index", url_count=2), file("index", url_count=5), file("index", url_count=7))
    )

    assert (found.state, found.value) == ("ok", 12)


@pytest.mark.parametrize("kind", ["urlset", "index", "text"])
def test_every_kind_passes(kind: str) -> None:
    """XML, an index and a plain list are all sitemaps."""
    assert state(file(kind=kind)) == "ok"


def test_found_by_guessing_warns() -> None:
    """A sitemap that robots.txt does not name is found by luck, wherever it was tried."""
    assert state(file("guessed", status=404, kind=None), file("guessed")) == "undeclared"


def test_missing_fails() -> None:
    """Usual addresses that answer 404, or with the page of the application, are no sitemap."""
    assert state(file("guessed", status=404, kind=None)) == "missing"
    assert state(file("guessed", kind=None, error="html")) == "missing"
    assert state() == "missing"


@pytest.mark.parametrize("error", ["malformed", "doctype", "empty", "html", "timeout", "dns"])
def test_declared_file_that_cannot_be_read_fails(error: str) -> None:
    """Web page in its place, bad XML, a document type, nothing in it, no answer."""
    found = outcome(sitemap, site(file(kind=None, error=error, error_detail="Line 1.")))

    assert found.state == "broken"
    assert "Line 1." in found.evidence[0].reason


def test_declared_file_that_is_gone_fails() -> None:
    """A declared sitemap has to be there."""
    assert state(file(status=404, kind=None)) == "broken"
    assert state(file(status=500, kind=None)) == "broken"


def test_guessed_file_with_broken_xml_fails() -> None:
    """It was meant to be a sitemap."""
    assert state(file("guessed", kind=None, error="malformed")) == "broken"


def test_one_broken_file_among_good_ones_warns() -> None:
    """The rest still helps."""
    assert state(file(), file("index", kind=None, error="malformed")) == "partly_broken"


def test_too_large_file_fails() -> None:
    """More than the protocol allows."""
    assert state(file(over_limit=True, url_count=50_001)) == "over_limit"


def test_http_addresses_warn_on_an_https_site_only() -> None:
    """On a site without https they are right."""
    assert state(file(http_url_count=1)) == "http_addresses"
    assert state(file(http_url_count=1), url="http://example.com/") == "ok"


def test_dates_and_relative_addresses_warn() -> None:
    """Readers of the file skip them."""
    assert state(file(bad_lastmod_count=1)) == "bad_dates"
    assert state(file(relative_url_count=1)) == "relative_addresses"


def test_other_hosts_are_allowed() -> None:
    """A sitemap may lie on another host and may list other hosts."""
    assert state(file(url="https://cdn.example.net/sitemap.xml", foreign_host_count=3)) == "ok"


def test_our_own_limit_is_no_fault_of_the_site() -> None:
    """A file that was read in part is evaluated by that part; one that was not fetched is not evaluated."""
    assert state(file(truncated=True)) == "ok"
    assert isinstance(run(sitemap, site(file(status=None, kind=None, error="budget"))), NotRun)
    assert state(file(), file(status=None, kind=None, error="budget")) == "ok"


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        (file(kind=None, error="html", error_detail="The file is an HTML page."), "instead of the sitemap."),
        (file(kind=None, error="empty", error_detail="The file is empty."), "It lists nothing."),
        (file(kind=None, status=404), "It answers with status 404."),
    ],
)
def test_nothing_is_said_twice(broken: SitemapFile, said: str) -> None:
    """A detail or a status that repeats the reason is left out."""
    shown = outcome(sitemap, site(broken)).evidence[0]

    assert shown.reason.endswith(said)
    assert shown.value == ("" if "404" in shown.reason else "status 200")


@pytest.mark.parametrize("namespace", ["", "https://www.sitemaps.org/schemas/sitemap/0.9"])
def test_wrong_namespace_warns(namespace: str) -> None:
    """It is named, or said to be missing."""
    found = outcome(sitemap, site(file(bad_namespace=namespace)))

    assert found.state == "namespace"
    assert (namespace or "no namespace") in found.evidence[0].reason
