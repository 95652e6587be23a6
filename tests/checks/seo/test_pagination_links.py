"""The traps of ``pagination-links``; what holds for every check is in ``tests/contract/test_checks.py``."""

from __future__ import annotations

from pagegrade.model.outcome import NotApplicable
from tests.builders import outcome, run


def test_each_named_page_needs_a_link() -> None:
    """A fragment of the link does not matter."""
    head = '<link rel="prev" href="/?p=1"><link rel="NEXT" href="/?p=3">'
    found = outcome("pagination-links", f'{head}<a href="?p=1#list">1</a>')

    assert (found.state, found.value, found.evidence[0].url) == ("not_linked", 1, "https://example.com/?p=3")
    assert outcome("pagination-links", f'{head}<a href="?p=1">1</a><a href="?p=3">3</a>').state == "linked"


def test_other_links_of_the_head_do_not_count() -> None:
    """Preloads, icons, and a next without an address."""
    assert isinstance(run("pagination-links", '<link rel="prefetch" href="/a"><link rel="next">'), NotApplicable)
