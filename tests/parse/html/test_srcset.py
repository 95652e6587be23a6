"""Candidates of a srcset as the HTML standard splits them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagegrade.parse.html.srcset import MAX_CANDIDATES, parse_srcset


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
        ("a.png (x, y) 1x, b.png", ["b.png"]),
        ("a.png (((, b.png 1x, ), c.png", ["c.png"]),
        ("a.png [, b.png, ]", ["b.png", "]"]),
        ("a.png 1x 1x (, b.png", []),
        (",,a.png", ["a.png"]),
        ("a.png,,, b.png", ["a.png", "b.png"]),
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


@pytest.mark.parametrize(
    "descriptor",
    ["0x", "-0x", "-0.0e9x", ".5x", "1.5e1x", "1E-1x", "1w", "007w", "1w 1h", "1h\t1w"],
)
def test_densities_and_widths_are_descriptors(descriptor: str) -> None:
    """In every form of a number that the standard allows."""
    assert parse_srcset(f"a {descriptor}") == [("a", descriptor)]


@pytest.mark.parametrize(
    "descriptor",
    [
        "-1x", "5.x", "+1x", "1X", "1e1.5x", "Infinityx", "1e400x", "x", "0w", "-1w", "1.0w", "1www", "1W", "1h", "0h",
        "foo", "1x 2x", "1x 1w", "1w 1w", "1w 0h", "1h 1x", "1h 1w 1x", "1w foo", "(1x)", "1w\N{NO-BREAK SPACE}1h",
        "9" * 5_000 + "w",
    ],
)  # fmt: skip
def test_a_candidate_with_another_descriptor_is_dropped(descriptor: str) -> None:
    """As browsers do, and so its address is never fetched."""
    assert parse_srcset(f"a {descriptor}, b") == [("b", "")]


def test_candidates_are_bounded() -> None:
    """Two hundred are read, one more is not."""
    assert len(parse_srcset(", ".join(["a 1x"] * MAX_CANDIDATES))) == MAX_CANDIDATES
    assert len(parse_srcset(", ".join(["a 1x"] * (MAX_CANDIDATES + 1)))) == MAX_CANDIDATES


@given(st.text(alphabet="ab, ()\t1x", max_size=80))
def test_any_value_gives_addresses_without_blanks(value: str) -> None:
    """Whatever it is, what comes out can be an address."""
    assert all(url and not set(url) & set(" \t\n") for url, _ in parse_srcset(value))
