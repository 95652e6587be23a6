"""Tests of the MIME types that browsers refuse."""

from __future__ import annotations

import pytest

from pagegrade.checks._file_types import essence_of, is_nosniff, refuses_script, refuses_style
from tests.builders import make_response


@pytest.mark.parametrize(
    ("content_type", "style", "quirky_style", "script", "module"),
    [
        ("text/css", False, False, False, True),
        ("Text/CSS; charset=utf-8", False, False, False, True),
        ("text/javascript", True, False, False, False),
        ("application/x-javascript", True, False, False, False),
        ("text/plain", True, False, False, True),
        ("image/png", True, False, True, True),
        ("text/csv", True, False, True, True),
        ("nonsense", False, False, False, True),
    ],
)
def test_types(content_type: str, style: bool, quirky_style: bool, script: bool, module: bool) -> None:  # noqa: FBT001
    """A type that cannot be read is none at all."""
    response = make_response(headers=[("Content-Type", content_type)])

    assert refuses_style(response, quirks=False) is style
    assert refuses_style(response, quirks=True) is quirky_style
    assert refuses_script(response, module=False) is script
    assert refuses_script(response, module=True) is module


@pytest.mark.parametrize(
    ("value", "strict"), [("nosniff", True), ("NoSniff, x", True), ("x, nosniff", False), ("", False)]
)
def test_servers_can_ask_browsers_to_believe_them(value: str, strict: bool) -> None:  # noqa: FBT001
    """The first word of the header counts; then every type but the right one is refused."""
    response = make_response(headers=[("Content-Type", "text/plain"), ("X-Content-Type-Options", value)])

    assert is_nosniff(response) is strict
    assert refuses_style(response, quirks=True) is strict
    assert refuses_script(response, module=False) is strict


def test_the_last_of_several_types_counts() -> None:
    """As in browsers."""
    assert essence_of(make_response(headers=[("Content-Type", "text/css"), ("Content-Type", "text/plain")])) == (
        "text/plain"
    )
