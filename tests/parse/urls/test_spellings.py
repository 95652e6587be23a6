"""Spellings of one page are found from each other."""

from __future__ import annotations

import pytest

from pagegrade.model.audit import Way
from pagegrade.parse.urls.spellings import spellings


@pytest.mark.parametrize(
    ("way", "one", "other", "both_ways"),
    [
        ("slash", "https://example.com/tea", "https://example.com/tea/", True),
        ("slash", "https://example.com/tea?a=1", "https://example.com/tea/?a=1", True),
        ("index", "https://example.com/", "https://example.com/index.html", True),
        ("index", "https://example.com/tea/", "https://example.com/tea/index.php", True),
        ("case", "https://example.com/Tea", "https://example.com/tea", False),
        ("order", "https://example.com/tea?b=1&a=2", "https://example.com/tea?a=2&b=1", False),
        ("www", "https://example.com/tea", "https://www.example.com/tea", True),
        ("scheme", "http://example.com/tea?a=1", "https://example.com/tea?a=1", True),
    ],
)
def test_spellings_lead_to_each_other(way: Way, one: str, other: str, *, both_ways: bool) -> None:
    """One way at a time; of capitals and parameters only to the plain form."""
    assert (way, other) in set(spellings(one))
    assert ((way, one) in set(spellings(other))) == both_ways


def test_what_is_no_other_spelling() -> None:
    """A file has no final slash, an escape no capitals, and a port no other scheme."""
    ways = [way for way, _ in spellings("http://example.com:8000/T%C3%A9.pdf?a=1")]

    assert ways == ["www"]
    assert all(other != "https://example.com/" for _, other in spellings("https://example.com/"))
