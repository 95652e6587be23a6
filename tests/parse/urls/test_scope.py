"""Pages that belong to a site, and those that do not."""

from __future__ import annotations

import pytest

from pagegrade.model.audit import ScopeKind
from pagegrade.parse.urls.scope import Scope


@pytest.mark.parametrize(
    ("kind", "url", "inside"),
    [
        ("host", "https://www.example.com/b", True),
        ("host", "http://example.com/b", True),
        ("host", "https://example.com/b", True),
        ("host", "https://shop.example.com/", False),
        ("host", "https://example.com:8443/", False),
        ("host", "https://example.com.evil.example/", False),
        ("host", "mailto:a@example.com", False),
        ("domain", "https://shop.example.com/", True),
        ("domain", "https://example.org/", False),
        ("folder", "https://www.example.com/docs/a/b", True),
        ("folder", "https://www.example.com/docs", False),
        ("folder", "https://www.example.com/docsearch/", False),
    ],
)
def test_host_domain_and_folder(kind: ScopeKind, url: str, *, inside: bool) -> None:
    """The www sibling and both schemes are one site; another port or subdomain is another."""
    assert Scope("https://www.example.com/docs/start", kind).holds(url) is inside


def test_a_port_of_its_own_stays_the_only_one() -> None:
    """Another port of this machine is another site."""
    scope = Scope("http://127.0.0.1:8000/")

    assert scope.holds("http://127.0.0.1:8000/a")
    assert not scope.holds("http://127.0.0.1:8001/a")
    assert not scope.holds("http://127.0.0.1/a")


def test_patterns_are_those_of_robots_txt() -> None:
    """An exclusion wins; without a pattern to include, everything is."""
    scope = Scope("https://example.com/", include=("/blog/*", "/*.html$"), exclude=("/blog/draft-",))

    assert scope.holds("https://example.com/blog/a")
    assert scope.holds("https://example.com/a.html")
    assert not scope.holds("https://example.com/a.html?x")
    assert not scope.holds("https://example.com/blog/draft-1")
    assert not scope.holds("https://example.com/about")
    assert scope.is_of_site("https://example.com/")


def test_the_start_page_is_always_part_of_the_site() -> None:
    """A crawl of the blog alone begins at the front page."""
    blog = Scope("https://example.com/", include=("/blog/*",))
    without = Scope("https://example.com/en/", exclude=("/en/*",))

    assert blog.holds("https://example.com/")
    assert not blog.holds("https://example.com/about")
    assert without.holds("https://example.com/en/")
    assert not without.excludes("https://example.com/en/")
    assert without.excludes("https://example.com/en/about")
