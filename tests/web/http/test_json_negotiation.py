from __future__ import annotations

import pytest

from pagegrade.web.http.json_negotiation import LONGEST, accepts_json


@pytest.mark.parametrize(
    "accept",
    [
        None,
        "",
        "*/*",
        "application/json",
        "application/json; charset=utf-8",
        "APPLICATION/JSON",
        "application/*",
        "application/problem+json",
        "text/html, application/json;q=0.1",
        "text/html;q=0.9, */*;q=0.1",
        "text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2",
        "*/*;q=0, application/json",
        "nonsense",
        ";;;,,,",
        "application/json;q=high, */*",
        "text/html," * LONGEST,
    ],
    ids=str,
)
def test_json_is_accepted(accept: str | None) -> None:
    """Who says nothing, nothing readable, or something that covers JSON gets it."""
    assert accepts_json(accept)


@pytest.mark.parametrize(
    "accept",
    [
        "text/html",
        "text/*",
        "application/xml, text/html;q=0.9",
        "application/json;q=0",
        "application/json;q=0.0, */*",
        "application/*;q=0, */*",
        "*/*;q=0",
        "application/json;q=0, application/problem+json;q=0, */*;q=1",
        "image/*, application/jsonp",
    ],
)
def test_json_is_ruled_out(accept: str) -> None:
    """The most specific range decides, and a weight of 0 refuses (RFC 9110 12.4.2)."""
    assert not accepts_json(accept)
