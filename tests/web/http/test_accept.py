from __future__ import annotations

import pytest

from pagegrade.web.http.accept import HTML, JSON, LONGEST, accepts_json, preferred, preferred_by_program

FIREFOX = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"


@pytest.mark.parametrize(
    ("accept", "chosen"),
    [
        (None, HTML),
        ("", HTML),
        ("*/*", HTML),
        (FIREFOX, HTML),
        ("application/json", JSON),
        ("application/json, text/html;q=0.9", JSON),
        ("application/json;q=0.5, text/html", HTML),
        ("text/*;q=0.1, application/*", JSON),
        ("*/*, text/html;q=0", JSON),
        ("text/html;q=zero, application/json;q=0.1", JSON),
        ("image/png", HTML),
        (f"application/json, {'x' * LONGEST}", HTML),
    ],
)
def test_the_client_gets_what_it_would_rather_have(accept: str | None, chosen: str) -> None:
    """The first offer where it does not mind, or likes none."""
    assert preferred(accept, (HTML, JSON)) == chosen


def test_the_first_offer_wins_a_tie() -> None:
    """A program that accepts anything gets what programs read, where that is offered first."""
    assert preferred("*/*", (JSON, HTML)) == JSON
    assert preferred(FIREFOX, (JSON, HTML)) == HTML


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
    """A client that sends nothing, nothing readable, or something that covers JSON gets it."""
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


@pytest.mark.parametrize("weight", ["nan", "-1", "1.1", "inf", "1e400", ""])
def test_an_element_with_an_unreadable_weight_is_ignored(weight: str) -> None:
    """In every kind of negotiation."""
    assert preferred(f"text/html;q={weight}, application/json;q=0.1", (HTML, JSON)) == JSON
    assert preferred_by_program(f"text/html;q={weight}", (JSON, HTML)) == JSON
    assert accepts_json(f"text/html;q={weight}")
