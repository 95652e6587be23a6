"""The traps of ``og-image``; what holds for every check is in ``tests/contract/test_checks.py``."""

from __future__ import annotations

import pytest

from pagegrade.model.artifacts import ImageFacts
from tests.builders import evaluated, make_resource, make_resources, outcome

URL = "https://cdn.example.net/a.jpg"


def page(content: str, **more: str) -> str:
    """A page with that picture; ``width`` stands for ``og:image:width``."""
    rest = "".join(f'<meta property="og:image:{name}" content="{value}">' for name, value in more.items())
    return f'<title>T</title><meta property="og:image" content="{content}">{rest}'


@pytest.mark.parametrize(
    ("content", "state"),
    [
        (URL, "usable"),
        (" HTTPS://cdn.example.net/a.jpg ", "usable"),
        ("http://cdn.example.net/a.jpg", "insecure"),
        ("/a.jpg", "relative"),
        ("//cdn.example.net/a.jpg", "relative"),
        ("data:image/png;base64,AA", "relative"),
        ("https://[", "broken"),
        ("https://cdn.example.net/a.SVG?x=1", "vector"),
        (" ", "missing"),
    ],
)
def test_addresses(content: str, state: str) -> None:
    """It has to be a whole address of something that is no drawing."""
    assert outcome("og-image", page(content)).state == state


def test_secure_address_beside_a_plain_one() -> None:
    """Networks take the secure one."""
    assert outcome("og-image", page("http://a.example/a.jpg", secure_url="https://a.example/a.jpg")).state == "usable"


@pytest.mark.parametrize(
    ("width", "height", "state"),
    [
        ("600", "315", "usable"),
        ("599", "315", "small"),
        ("600", "314", "small"),
        ("1200", "x", "usable"),
        ("200px", "", "small"),
    ],
)
def test_declared_size(width: str, height: str, state: str) -> None:
    """As far as it is a number."""
    assert outcome("og-image", page(URL, width=width, height=height)).state == state


def test_what_was_seen_rules_over_what_is_declared() -> None:
    """For a picture that the page shows as well, status, size and kind are known."""
    small = make_resource(URL, image=ImageFacts(format="jpeg", width_px=100, height_px=100))
    vector = make_resource(URL, image=ImageFacts(format="svg"))
    heavy = make_resource(URL, decoded_bytes=9_000_000)
    gone = make_resource(URL, status=404)
    barred = make_resource(URL, status=403)
    found = [
        outcome("og-image", page(URL, width="1200", height="630"), resources=make_resources(item)).state
        for item in (small, vector, heavy, gone, barred)
    ]

    assert found == ["small", "vector", "heavy", "broken", "usable"]


def test_a_missing_picture_costs_as_much_as_a_broken_one() -> None:
    """So adding one never costs points."""
    assert [evaluated("og-image", text).loss for text in ("<title>T</title>", page("/a.jpg"), page(URL))] == [1, 1, 0]


def test_the_first_one_counts() -> None:
    """Further pictures are alternatives."""
    assert outcome("og-image", page(URL) + '<meta property="og:image" content="/b.jpg">').state == "usable"
