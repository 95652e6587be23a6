"""Tests of the links of a page that lead to pages."""

from __future__ import annotations

from pagegrade.checks._links import links_to_pages
from tests.builders import make_document


def test_links_to_pages_by_registrable_domain() -> None:
    """Only http and https, in order, each with whether it stays on the site."""
    document = make_document(
        '<a href="/a">a</a><a href="mailto:x@example.com">b</a><a href="https://shop.example.com/c">c</a>'
        '<a href="//other.example/d">d</a><a href="http://[">e</a><a>f</a>'
    )
    links = links_to_pages(document)
    found = [(url, internal) for _, url, internal in links.found]

    assert found == [
        ("https://example.com/a", True),
        ("https://shop.example.com/c", True),
        ("https://other.example/d", False),
    ]
    assert links.authorities == {"example.com": True, "shop.example.com": True, "other.example": False}
