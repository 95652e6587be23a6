"""The address that should not exist."""

from __future__ import annotations

import asyncio

import pytest

from pagegrade.gather.gatherers.not_found_probe import MAX_BYTES, gather_not_found_probe
from pagegrade.model.artifacts import WellKnown
from tests.gather.sites import Reply, Site, Visit, html, redirect


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
    response = probe(html("x" * (MAX_BYTES + 1), status=404)).response

    assert (len(response.body), response.truncated) == (MAX_BYTES, "limit")
