"""The traps of ``http-internal-links``; what holds for every check is in ``tests/contract/test_checks.py``."""

from __future__ import annotations

from pagegrade.model.outcome import NotApplicable
from tests.builders import make_artifacts, outcome, run


def test_the_own_host_with_and_without_www() -> None:
    """Other hosts, also those of the same domain, may have no encryption."""
    body = (
        '<a href="http://example.com/a">a</a><a href="http://www.example.com/b">b</a>'
        '<a href="http://old.example.com/c">c</a><a href="http://other.example/d">d</a>'
        '<a href="https://example.com/e">e</a><a href="/f">f</a><a href="mailto:a@example.com">g</a>'
    )
    found = outcome("http-internal-links", body)

    assert (found.state, found.value) == ("plain", 2)
    assert [entry.url for entry in found.evidence] == ["http://example.com/a", "http://www.example.com/b"]


def test_a_page_without_encryption_is_not_evaluated() -> None:
    """Its relative links are http as well; the missing encryption is said once."""
    page = make_artifacts('<a href="/a">a</a>', url="http://example.com/")

    assert isinstance(run("http-internal-links", page), NotApplicable)


def test_base_can_make_all_links_plain() -> None:
    """A base with http turns every relative link."""
    found = outcome("http-internal-links", '<base href="http://example.com/"><a href="/a">a</a>')

    assert found.value == 1
