"""Refreshes are read as browsers read them."""

from __future__ import annotations

import pytest

from pagegrade.parse.refreshes import delay_seconds, next_page, refresh_target
from tests.builders import make_document, make_response

PAGE = "https://example.com/a/page"


@pytest.mark.parametrize(
    ("content", "delay_s", "target"),
    [
        ("0; url=/b", 0, "https://example.com/b"),
        (" 5 ,URL='b'", 5, "https://example.com/a/b"),
        ("1.9;url=//other.example/", 1, "https://other.example/"),
        (".5", 0, None),
        ("300", 300, None),
        ("9999999999999", 999_999_999, None),
        ("soon; url=/b", None, "https://example.com/b"),
        ("5x", None, None),
        ("", None, None),
    ],
)
def test_delay_and_target(content: str, delay_s: int | None, target: str | None) -> None:
    """Whole seconds; without a delay a browser does nothing."""
    document = make_document("<!doctype html><title>t</title>", url=PAGE)

    assert delay_seconds(content) == delay_s
    assert refresh_target(content, document) == target


@pytest.mark.parametrize(
    ("header", "metas", "target"),
    [
        (None, ("0;url=/b", "0;url=/c"), "https://example.com/b"),
        (None, ("soon", "0;url=/c"), "https://example.com/c"),
        (None, ("300", "0;url=/c"), None),
        (None, ("0;url=mailto:a@example.com",), None),
        ("3; url=/d", ("0;url=/b",), "https://example.com/d"),
        (None, (), None),
    ],
)
def test_first_refresh_that_a_browser_understands_decides(
    header: str | None, metas: tuple[str, ...], target: str | None
) -> None:
    """The header comes before the elements."""
    html = "".join(f'<meta http-equiv=refresh content="{one}">' for one in metas)
    response = make_response(html, url=PAGE, headers=() if header is None else (("Refresh", header),))

    assert next_page(make_document(html, url=PAGE), response) == target
