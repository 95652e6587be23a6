"""Candidates of a srcset as the HTML standard splits them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagegrade.parse.srcset import MAX_CANDIDATES, parse_srcset


@pytest.mark.parametrize(
    ("value", "urls"),
    [
        ("a.png", ["a.png"]),
        ("a.png 1x, b.png 2x", ["a.png", "b.png"]),
        (" a.png , b.png 2x ", ["a.png", "b.png"]),
        ("a.png,b.png", ["a.png,b.png"]),
        ("a.png, b.png", ["a.png", "b.png"]),
        ("https://i.example/w_300,h_200/a.png 1x, c.png 2x", ["https://i.example/w_300,h_200/a.png", "c.png"]),
        ("data:image/png;base64,AAA= 1x, b.png 2x", ["data:image/png;base64,AAA=", "b.png"]),
        ("a.png (x, y) 1x, b.png", ["a.png", "b.png"]),
        (",,a.png", ["a.png"]),
        ("", []),
        (" , ,", []),
    ],
)
def test_candidates_are_split_as_browsers_split_them(value: str, urls: list[str]) -> None:
    """Commas inside addresses do not separate."""
    assert [url for url, _ in parse_srcset(value)] == urls


def test_descriptor_comes_along() -> None:
    """Width and density are kept as written."""
    assert parse_srcset("a 100w, b 2.5x") == [("a", "100w"), ("b", "2.5x")]


def test_candidates_are_bounded() -> None:
    """Two hundred are read, one more is not."""
    assert len(parse_srcset(", ".join(["a 1x"] * MAX_CANDIDATES))) == MAX_CANDIDATES
    assert len(parse_srcset(", ".join(["a 1x"] * (MAX_CANDIDATES + 1)))) == MAX_CANDIDATES


@given(st.text(alphabet="ab, ()\t1x", max_size=80))
def test_any_value_gives_addresses_without_blanks(value: str) -> None:
    """Whatever it is, what comes out can be an address."""
    assert all(url and not set(url) & set(" \t\n") for url, _ in parse_srcset(value))
