from __future__ import annotations

import pytest

from pagegrade.checks.security.unsafe_cross_origin_links import unsafe_cross_origin_links
from tests.builders import outcome

OTHER = "https://other.test/"


@pytest.mark.parametrize(
    "element",
    [
        f'<a href="{OTHER}" target="_blank">x</a>',
        f'<a href="{OTHER}" target="_BLANK" rel="nofollow">x</a>',
        f'<map name="m"><area href="{OTHER}" target="_blank"></map>',
        f'<form action="{OTHER}" target="_blank"></form>',
        f'<base target="_blank"><a href="{OTHER}">x</a>',
        '<a href="//other.test/" target="_blank">x</a>',
    ],
)
def test_new_window_without_noopener_costs_half(element: str) -> None:
    """For links, areas and forms; ``nofollow`` is no protection."""
    found = outcome(unsafe_cross_origin_links, element)

    assert (found.state, found.total) == ("implicit", 1)
    assert found.evidence[0].url == OTHER


@pytest.mark.parametrize(
    "element",
    [
        f'<a href="{OTHER}" target="_blank" rel="noopener">x</a>',
        f'<a href="{OTHER}" target="_blank" rel="NoReferrer external">x</a>',
        f'<a href="{OTHER}">x</a>',
        f'<a href="{OTHER}" target="_self">x</a>',
        f'<base target="_blank"><a href="{OTHER}" target="_self">x</a>',
        '<a href="/page" target="_blank">x</a>',
        '<a href="https://shop.example.com/" target="_blank">x</a>',
        '<a href="mailto:a@b.test" target="_blank">x</a>',
        '<a target="_blank">x</a>',
        f'<form action="{OTHER}" target="_blank" rel="noopener"></form>',
    ],
)
def test_protected_links_and_the_own_site_are_safe(element: str) -> None:
    """``noreferrer`` implies ``noopener``; subdomains belong to the site."""
    assert outcome(unsafe_cross_origin_links, element).state == "safe"


def test_explicit_opener_is_worse_but_still_a_warning() -> None:
    """It switches the browser's own protection off."""
    found = outcome(unsafe_cross_origin_links, f'<a href="{OTHER}" target="_blank" rel="opener">x</a>')

    assert found.state == "opener"
    assert 0.5 < unsafe_cross_origin_links.state("opener").loss < 1


def test_noopener_beside_opener_wins() -> None:
    """Browsers give the protection precedence."""
    html = f'<a href="{OTHER}" target="_blank" rel="opener noopener">x</a>'

    assert outcome(unsafe_cross_origin_links, html).state == "safe"


def test_same_address_counts_once() -> None:
    """Both kinds are counted by address."""
    html = (
        f'<a href="{OTHER}" target="_blank">x</a>' * 5
        + '<a href="https://third.test/" target="_blank" rel="opener">y</a>'
    )
    found = outcome(unsafe_cross_origin_links, html)

    assert found.total == 2
    assert [place.reason for place in found.evidence] == ["rel=opener", "no rel=noopener"]
    assert [(detail.code, detail.actual) for detail in found.details] == [("opener", 1), ("implicit", 1)]


def test_evidence_is_bounded() -> None:
    """The true number stands beside it."""
    html = "".join(f'<a href="https://o{number}.test/" target="_blank">x</a>' for number in range(150))
    found = outcome(unsafe_cross_origin_links, html)

    assert (len(found.evidence), found.total) == (100, 150)
