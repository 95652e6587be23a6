from __future__ import annotations

import pytest

from pagegrade.checks.security.unsafe_cross_origin_links import unsafe_cross_origin_links
from pagegrade.model.outcome import NotApplicable
from tests.builders import outcome, run

OTHER = "https://other.test/"


@pytest.mark.parametrize(
    "element",
    [
        f'<a href="{OTHER}" target="_blank" rel="opener">x</a>',
        f'<a href="{OTHER}" target="_BLANK" rel="nofollow Opener">x</a>',
        f'<map name="m"><area href="{OTHER}" target="_blank" rel="opener"></map>',
        f'<form action="{OTHER}" target="_blank" rel="opener"></form>',
        f'<base target="_blank"><a href="{OTHER}" rel="opener">x</a>',
        '<a href="//other.test/" target="_blank" rel="opener">x</a>',
    ],
)
def test_rel_opener_is_found(element: str) -> None:
    """For links, areas and forms; it switches the browser's own protection off."""
    found = outcome(unsafe_cross_origin_links, element)

    assert (found.state, found.total) == ("opener", 1)
    assert found.evidence[0].url == OTHER


@pytest.mark.parametrize(
    "element",
    [
        f'<a href="{OTHER}" target="_blank" rel="noopener">x</a>',
        f'<a href="{OTHER}" target="_blank" rel="NoReferrer external">x</a>',
        f'<a href="{OTHER}" target="_blank">x</a>',
        f'<a href="{OTHER}" rel="opener">x</a>',
        f'<a href="{OTHER}" target="_self" rel="opener">x</a>',
        f'<base target="_blank"><a href="{OTHER}" target="_self">x</a>',
        f'<form action="{OTHER}" target="_blank" rel="noopener"></form>',
    ],
)
def test_protected_links_and_the_own_site_are_safe(element: str) -> None:
    """New windows imply ``noopener``, and so does ``noreferrer``; subdomains belong to the site."""
    assert outcome(unsafe_cross_origin_links, element).state == "safe"


def test_noopener_beside_opener_wins() -> None:
    """Browsers give the protection precedence."""
    html = f'<a href="{OTHER}" target="_blank" rel="opener noopener">x</a>'

    assert outcome(unsafe_cross_origin_links, html).state == "safe"


def test_same_url_counts_once() -> None:
    """Offenders are counted by URL."""
    assert outcome(unsafe_cross_origin_links, f'<a href="{OTHER}" target="_blank" rel="opener">x</a>' * 5).total == 1


def test_evidence_is_bounded() -> None:
    """The true number stands beside it."""
    html = "".join(f'<a href="https://o{number}.test/" target="_blank" rel="opener">x</a>' for number in range(150))
    found = outcome(unsafe_cross_origin_links, html)

    assert (len(found.evidence), found.total) == (100, 150)


@pytest.mark.parametrize(
    "html",
    [
        '<a href="/page" target="_blank">x</a>',
        '<a href="https://shop.example.com/" target="_blank">x</a>',
        '<a href="mailto:a@b.test" target="_blank">x</a>',
        '<a target="_blank">x</a>',
    ],
)
def test_nothing_to_judge_is_not_applicable(html: str) -> None:
    """Every link stays on the site, which its subdomains belong to."""
    assert isinstance(run("unsafe-cross-origin-links", html), NotApplicable)
