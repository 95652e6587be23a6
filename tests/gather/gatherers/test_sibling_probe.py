"""With www or without."""

from __future__ import annotations

import asyncio

import pytest

from pagegrade.gather.gatherers.sibling_probe import gather_sibling_probe, sibling_host
from pagegrade.model.artifacts import NotGathered
from tests.gather.sites import Names, Site, Visit, html


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("example.com", "www.example.com"),
        ("www.example.com", "example.com"),
        ("example.co.uk", "www.example.co.uk"),
        ("www.example.co.uk", "example.co.uk"),
        ("blog.example.com", None),
        ("www.blog.example.com", None),
        ("www2.example.com", None),
        ("127.0.0.1", None),
        ("[::1]", None),
        ("localhost", None),
        ("xn--fa-hia.de", "www.xn--fa-hia.de"),
    ],
)
def test_only_registrable_domains_have_a_sibling(host: str, expected: str | None) -> None:
    """Public suffixes of two labels count, deeper names and addresses do not."""
    assert sibling_host(host) == expected


@pytest.mark.parametrize("host", ["127.0.0.1", "example.com", "deep.example.com"])
def test_unusual_ports_and_odd_hosts_have_none(host: str) -> None:
    """A test site's port is not the standard one, so the sibling would be another site."""

    async def go() -> object:
        async with Site({"/": html("<p>")}) as site:
            url = site.origin.replace("127.0.0.1", host) + "/"
            async with Visit(
                site, url=url, resolver=Names({"example.com": "127.0.0.1", "deep.example.com": "127.0.0.1"})
            ) as page:
                return await gather_sibling_probe(page)

    found = asyncio.run(go())

    assert isinstance(found, NotGathered)
    assert found.code == "not_applicable"
