"""The traps of ``internal-nofollow``; what holds for every check is in ``tests/contract/test_checks.py``."""

from __future__ import annotations

import pytest

from pagegrade.model.outcome import NotApplicable
from tests.builders import evaluated, outcome, run


def page(*links: str) -> str:
    """A page with those links and a good one."""
    return f'<title>T</title><a href="/good">Good</a>{"".join(links)}'


def test_own_pages_count_across_hosts() -> None:
    """Same registrable domain; other sites may be cut off at will."""
    found = outcome(
        "internal-nofollow",
        page(
            '<a href="/a" rel="NoFollow noopener">a</a>',
            '<a href="https://shop.example.com/b" rel="nofollow">b</a>',
            '<a href="https://other.example/c" rel="nofollow">c</a>',
        ),
    )

    assert (found.state, found.value) == ("cut_off", 2)


@pytest.mark.parametrize(
    "link",
    [
        '<a href="/login" rel="nofollow">a</a>',
        '<a href="/my-account/" rel="nofollow">a</a>',
        '<a href="/de/warenkorb" rel="nofollow">a</a>',
        '<a href="/wp-login.php" rel="nofollow">a</a>',
        '<a href="/posts/12/edit" rel="nofollow">a</a> <a href="/posts/12/reply" rel="nofollow">b</a>',
        '<a href="/ads/click/3" rel="nofollow">a</a>',
        '<a href="/chairs?sort=price" rel="nofollow">a</a>',
        '<a href="/a" rel="ugc nofollow">a</a>',
        '<a href="/a" rel="sponsored nofollow">a</a>',
        '<a href="#reply" rel="nofollow">a</a>',
    ],
)
def test_links_that_may_be_cut_off(link: str) -> None:
    """Personal pages, sorted lists, links of visitors and advertisers, and jumps."""
    assert outcome("internal-nofollow", page(link)).state == "followed"


def test_a_word_that_only_holds_another_is_no_excuse() -> None:
    """``cartoons`` is no cart."""
    assert outcome("internal-nofollow", page('<a href="/cartoons" rel="nofollow">a</a>')).state == "cut_off"


def test_it_never_fails() -> None:
    """Ten cost half, and so do a hundred."""
    links = [f'<a href="/{n}" rel="nofollow">a</a>' for n in range(100)]

    assert [evaluated("internal-nofollow", page(*links[:count])).loss for count in (1, 10, 100)] == [0.25, 0.5, 0.5]


def test_without_own_links_there_is_nothing_to_evaluate() -> None:
    """Links to others alone."""
    assert isinstance(run("internal-nofollow", '<a href="https://o.example/" rel="nofollow">a</a>'), NotApplicable)
