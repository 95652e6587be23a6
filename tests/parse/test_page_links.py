"""Tests of canonical and language links."""

from __future__ import annotations

import pytest

from pagegrade.parse.page_links import (
    MIN_TO_ANOTHER,
    canonical_links,
    host_of_most_links,
    language_alternates,
    links_to_ask,
    path_and_query,
    same_page_key,
)
from tests.builders import make_document, make_response


def test_canonicals_of_markup_and_headers_come_in_order() -> None:
    """Headers last, each with its place; relations of other pages are left out."""
    document = make_document('<head><link rel="canonical" href=" /a#x "></head><body><p><link rel=canonical href=b>')
    response = make_response(
        headers=[
            ("Link", '<https://example.com/c>; rel="canonical", <d>; rel="next"'),
            ("link", "<e>; rel=canonical; anchor=f"),
        ]
    )
    found = canonical_links(document.links, response)

    assert [(link.href, link.url, link.in_head, link.is_absolute) for link in found] == [
        ("/a#x", "https://example.com/a", True, False),
        ("b", "https://example.com/b", False, False),
        ("https://example.com/c", "https://example.com/c", True, True),
    ]


def test_evidence_names_the_element_or_the_header() -> None:
    """A person can find the place."""
    document = make_document('<link rel="canonical" href="/a">')
    of_element, of_header = canonical_links(document.links, make_response(headers=[("Link", "</b>; rel=canonical")]))

    assert of_element.evidence(document, "why").line == 1
    assert (of_header.evidence(document, "why").header, of_header.evidence(document, "why").snippet) == ("Link", "</b>")


def test_alternates_keep_their_code_as_written() -> None:
    """Blanks in a code are a finding, so they stay; feeds and style sheets are no versions."""
    document = make_document(
        '<link rel="alternate" hreflang=" en" href="/a">'
        '<link rel="alternate" hreflang="de" type="application/atom+xml" href="/f">'
        '<link rel="alternate stylesheet" hreflang="de" href="/s"><link rel="alternate" href="/n">'
    )
    found = language_alternates(document.links, make_response(headers=[("Link", '</d>; rel=alternate; hreflang="de"')]))

    assert [(link.hreflang, link.url) for link in found] == [
        (" en", "https://example.com/a"),
        ("de", "https://example.com/d"),
    ]


@pytest.mark.parametrize(
    ("url", "parts"),
    [
        ("https://example.com", ("/", "")),
        ("https://example.com/a?b?c#d", ("/a", "b?c")),
        ("https://example.com?q=/x", ("/", "q=/x")),
    ],
)
def test_path_and_query(url: str, parts: tuple[str, str]) -> None:
    """The fragment is left out, the start page has the path of one slash."""
    assert path_and_query(url) == parts


def test_same_page_key_ignores_spelling_only() -> None:
    """Scheme, www and the closing slash do not count; path and query do."""
    assert same_page_key("http://www.example.com/a/") == same_page_key("https://example.com/a")
    assert same_page_key("https://example.com/a?b") != same_page_key("https://example.com/a")


@pytest.mark.parametrize(
    ("href", "asks"),
    [
        ("/a", True),
        ("/a?b=c", True),
        ("http://example.com/a", True),
        ("/address", True),
        ("/cartography", True),
        ("/blog/add-ons", False),
        ("/log-out", False),
        ("/account/logout", False),
        ("/?action=delete", False),
        ("/item/12/remove/", False),
        ("/newsletter/unsubscribe?u=1", False),
        ("/report.pdf?download=1", False),
        ("", False),
        ("#a", False),
        ("/page", False),
        ("https://www.example.com/a", False),
        ("https://example.com:8443/a", False),
        ("mailto:a@example.com", False),
    ],
)
def test_only_links_that_may_be_asked_for(href: str, *, asks: bool) -> None:
    """Pages of the own host, nothing that sounds as if asking for it did something."""
    document = make_document(f'<a href="{href}">x</a>', url="https://example.com/page")

    assert bool(links_to_ask(document.anchors, document.url)) is asks


def test_links_are_named_once_and_nofollow_is_kept() -> None:
    """A fragment makes no other page."""
    document = make_document('<a href="/b#1">x</a><a href="/a">x</a><a href="/b">x</a><a rel=nofollow href=/c>x</a>')

    assert links_to_ask(document.anchors, document.url) == ("https://example.com/b", "https://example.com/a")


@pytest.mark.parametrize(
    ("others", "own", "found"),
    [
        (MIN_TO_ANOTHER, MIN_TO_ANOTHER, "old.example.org"),
        (MIN_TO_ANOTHER, MIN_TO_ANOTHER + 1, ""),
        (MIN_TO_ANOTHER - 1, 0, ""),
    ],
)
def test_host_that_at_least_half_of_the_links_lead_to(others: int, own: int, found: str) -> None:
    """Its port and case make no other host."""
    there, here = "<a href=http://Old.example.org:81/x>x</a>", "<a href=/a>x</a><a href=mailto:a@b.example>y</a>"
    document = make_document(there * others + here * own)

    assert host_of_most_links(document.anchors, document.url) == found


@pytest.mark.parametrize("name", ["example.com", "cms.local", "192.168.0.1", "localhost:3000"])
def test_own_host_and_those_of_one_network_are_not_looked_up(name: str) -> None:
    """Pages of the own host are asked for themselves, and the others exist for somebody else."""
    document = make_document(f"<a href=http://{name}/x>x</a>" * 20)

    assert host_of_most_links(document.anchors, document.url) == ""
