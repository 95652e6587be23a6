from __future__ import annotations

import asyncio

import pytest

from pagegrade.gather.gatherers.site_probes import (
    MAX_NOT_FOUND_BYTES,
    front_door,
    gather_insecure_probe,
    gather_not_found_probe,
    gather_sibling_probe,
    sibling_host,
)
from pagegrade.model.artifacts import NotGathered, WellKnown
from tests.gather.sites import Names, Reply, Site, Visit, html, redirect


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


def probe(missing: Reply) -> WellKnown:
    """The artifact of a site that answers like this for what it does not have."""

    async def go() -> WellKnown:
        async with Site({"/shop/": html("<p>")}, missing=missing) as site, Visit(site, "/shop/") as page:
            return await gather_not_found_probe(page)

    return asyncio.run(go())


@pytest.mark.parametrize("status", [404, 410, 200, 403, 500])
def test_every_answer_is_kept(status: int) -> None:
    """A good error page, a soft one, a firewall and a crash all come back as they are."""
    found = probe(html("<title>Nothing here</title>", status=status))

    assert found.requested_url.endswith("/zebra-lantern-c0ffee")
    assert (found.response.status, found.response.body) == (status, b"<title>Nothing here</title>")


def test_redirect_to_the_front_page_is_kept() -> None:
    """The way is part of the artifact."""
    found = probe(redirect("/shop/"))

    assert [hop.status for hop in found.hops] == [302]
    assert found.response.status == 200


def test_a_huge_error_page_is_cut() -> None:
    """Only its beginning matters."""
    response = probe(html("x" * (MAX_NOT_FOUND_BYTES + 1), status=404)).response

    assert (len(response.body), response.truncated) == (MAX_NOT_FOUND_BYTES, "limit")
