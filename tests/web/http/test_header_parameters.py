from __future__ import annotations

import pytest

from pagegrade.web.http.header_parameters import MAX_CHARACTERS, parse_parameters


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("text/html", ("text/html", {})),
        (" Text/HTML ; Charset=UTF-8", ("text/html", {"charset": "UTF-8"})),
        ("application/json;", ("application/json", {})),
        ("a/b;;x=1 ; y=2;", ("a/b", {"x": "1", "y": "2"})),
        ('a/b; x="1; y=2"; z', ("a/b", {"x": "1; y=2", "z": ""})),
        (r'a/b; x="a\"b\\c"', ("a/b", {"x": r"a\"b\c".replace(r"\"", '"')})),
        ("a/b; x=1; X=2", ("a/b", {"x": "1"})),
        ("a/b; x=", ("a/b", {"x": ""})),
        ('form-data; name="größe"', ("form-data", {"name": "größe"})),
        ("form-data; filename*=utf-8''a", ("form-data", {"filename*": "utf-8''a"})),
    ],
)
def test_parameters_are_read(text: str, expected: tuple[str, dict[str, str]]) -> None:
    """Names in any case, values quoted or not (RFC 9110 5.6.6), empty ones as many clients send them."""
    assert parse_parameters(text) == expected


@pytest.mark.parametrize(
    "text", ["", ";a=1", "a/b/c", 'a/b; x="1', 'a/b; x="1"2', "a/b x", "a/b; =1", "a/b; x y", "a/b, c/d", "a/b; x=a b"]
)
def test_what_is_malformed_is_not_guessed(text: str) -> None:
    """Two readers that repair it differently would see two messages."""
    assert parse_parameters(text) is None


def test_length_is_bounded() -> None:
    """At the limit, and one past it."""
    start = "a/b; x="

    assert parse_parameters(start + "y" * (MAX_CHARACTERS - len(start))) is not None
    assert parse_parameters(start + "y" * (MAX_CHARACTERS - len(start) + 1)) is None
