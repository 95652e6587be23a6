"""Tests of the check in-page-links."""

from __future__ import annotations

import pytest

from pagegrade.checks.seo.in_page_links import in_page_links
from pagegrade.model.outcome import NotRun, Outcome
from tests.builders import outcome, run


def found(body: str, *, head: str = "", url: str = "https://www.example.co.uk/") -> Outcome:
    """The finding of the check for a page with that body."""
    return outcome(in_page_links, f"<!doctype html><title>T</title>{head}<body>{body}", url=url)


def links(count: int) -> str:
    """That many different links."""
    return "".join(f'<a href="/p/{number}">x</a> ' for number in range(count))


@pytest.mark.parametrize(
    ("count", "state"),
    [(0, "none"), (1, "ok"), (300, "ok"), (301, "many"), (1_000, "many"), (1_001, "far_too_many")],
)
def test_limits(count: int, state: str) -> None:
    """Each limit and one past it."""
    result = found(links(count))

    assert (result.state, result.value) == (state, count)


def test_same_address_counts_once() -> None:
    """Logo, menu and footer may all lead to one page, with and without a fragment."""
    assert (
        found('<a href="/a">1</a><a href="/a#b">2</a><a href="a">3</a><a href="//www.example.co.uk/a">4</a>').value == 1
    )


def test_only_pages_count() -> None:
    """Mail, phone, scripts, jumps, broken addresses and anchors without href are no links to pages."""
    body = (
        '<a href="mailto:a@example.com">a</a><a href="tel:+1">b</a><a href="javascript:void(0)">c</a>'
        '<a href="#top">d</a>'
        '<a name="x">e</a><a href="http://[">f</a><a href="/#main">g</a><area href="/map" alt="g">'
    )

    assert found(body).value == 1


def test_base_decides_what_an_address_means() -> None:
    """Relative links follow the base element."""
    result = found('<a href="a">1</a>', head='<base href="https://other.example/">')

    assert [detail.actual for detail in result.details if detail.code == "external"] == [1]


def test_kinds_are_counted() -> None:
    """Own site by registrable domain, also under other names and across a public suffix of two labels."""
    result = found(
        '<a href="/a">1</a><a href="http://shop.example.co.uk/">2</a>'
        '<a href="https://other.co.uk/" rel="nofollow ugc">3</a>'
        '<a href="https://ads.example/" rel="sponsored NOFOLLOW">4</a>'
    )

    assert {detail.code: detail.actual for detail in result.details} == {
        "links": 4,
        "internal": 2,
        "external": 2,
        "nofollow": 2,
        "sponsored": 1,
        "ugc": 1,
    }


def test_page_drawn_by_scripts_is_not_evaluated() -> None:
    """A shell has no links yet; links it has are evaluated."""
    shell = '<!doctype html><title>T</title><div id="root"></div><script src="/app.js"></script>'

    assert isinstance(run(in_page_links, shell), NotRun)


def test_the_links_that_are_too_many_are_counted() -> None:
    """The first of them is shown, so what remains is not all links of the page."""
    result = found(links(305))

    assert (result.total, len(result.evidence)) == (5, 1)


def test_links_that_lead_nowhere_into_the_site_are_none() -> None:
    """Added by an intruder, they would make a page without links one that has some."""
    assert outcome(in_page_links, "<a href=https://casino.example/>casino</a><a href=/a></a>").state == "none"
    assert outcome(in_page_links, "<div hidden><a href=https://casino.example/>casino</a></div>").state == "none"
    assert outcome(in_page_links, "<div hidden><a href=/a>a</a></div><a href=/b>b</a>").state == "ok"
