"""The URL under which a browser shows a page that a script chooses by the fragment."""

from __future__ import annotations

import pytest

from pagegrade.parse.urls.routes import page_url
from tests.builders import make_artifacts, make_response


@pytest.mark.parametrize(
    ("asked", "locations", "shown"),
    [
        ("/", (), "/"),
        ("/#/chairs", (), "/#/chairs"),
        ("/#/chairs", ("/", "https://example.com/"), "/#/chairs"),
        ("/#/chairs", ("/#/lamps", "/"), "/#/lamps"),
        ("/", ("/#!lamps",), "/#!lamps"),
        ("/#/chairs", ("/#top",), "/"),
    ],
)
def test_redirects_keep_a_route_unless_they_name_another(asked: str, locations: tuple[str, ...], shown: str) -> None:
    """As browsers do."""
    base = "https://example.com"
    hops = [make_response(url=f"{base}/", status=302, headers=[("Location", one)]) for one in locations]
    navigation = make_artifacts(url=f"{base}/", requested_url=base + asked, hops=hops).navigation

    assert page_url(navigation) == base + shown
