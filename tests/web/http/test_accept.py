from __future__ import annotations

import pytest

from pagegrade.web.http.accept import HTML, JSON, LONGEST, preferred

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
