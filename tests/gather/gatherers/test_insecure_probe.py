"""Plain HTTP on port 80."""

from __future__ import annotations

import asyncio

import pytest

from pagegrade.gather.gatherers.insecure_probe import front_door, gather_insecure_probe
from pagegrade.model.artifacts import NotGathered, WellKnown
from tests.gather.sites import Site, Visit, html


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://example.com/a?b", "http://example.com/"),
        ("http://example.com/a", "http://example.com/"),
        ("https://[2606:4700::1]/", "http://[2606:4700::1]/"),
        ("https://example.com:8443/", None),
        ("http://example.com:8080/", None),
        ("http://example.com:443/", None),
        ("https://example.com:80/", None),
    ],
)
def test_only_standard_ports_have_a_front_door(url: str, expected: str | None) -> None:
    """Port 80 beside an unusual port is another site."""
    assert front_door(url) == expected


def test_an_unusual_port_is_not_applicable() -> None:
    """Nothing is asked for."""
    site = Site({"/": html("<p>")})

    async def go() -> WellKnown | NotGathered:
        async with site, Visit(site) as page:
            return await gather_insecure_probe(page)

    found = asyncio.run(go())

    assert isinstance(found, NotGathered)
    assert (found.code, site.paths()) == ("not_applicable", ["/"])
