"""robots.txt of the document's origin."""

from __future__ import annotations

import asyncio

import pytest

from pagegrade.gather.context import GatherLimits
from pagegrade.gather.exchange import FetchError
from pagegrade.gather.gatherers.robots_txt import MAX_BYTES, gather_robots_txt
from pagegrade.model.artifacts import WellKnown
from tests.gather.sites import Reply, Site, Visit, html, make_options, redirect, typed


def fetch(routes: dict[str, Reply], **limits: float) -> WellKnown:
    """The artifact of a site with a page."""

    async def go() -> WellKnown:
        options = make_options(limits=GatherLimits(**limits))  # type: ignore[arg-type]
        async with (
            Site({"/deep/page": html("<p>"), **routes}) as site,
            Visit(site, "/deep/page", options=options) as page,
        ):
            return await gather_robots_txt(page)

    return asyncio.run(go())


def test_it_is_asked_for_at_the_root_of_the_origin() -> None:
    """Scheme, host and port are those of the document."""
    found = fetch({"/robots.txt": typed("User-agent: *\n", "text/plain")})

    assert found.requested_url.endswith("/robots.txt")
    assert found.requested_url.startswith("http://127.0.0.1:")
    assert found.response.body == b"User-agent: *\n"


def test_redirects_are_followed() -> None:
    """They belong to the artifact."""
    found = fetch({"/robots.txt": redirect("/r"), "/r": typed("x", "text/plain")})

    assert ([hop.status for hop in found.hops], found.response.status) == ([302], 200)


@pytest.mark.parametrize(
    "reply", [html("<!doctype html>"), html("gone", status=404), typed(b"\x00\xff", "image/png"), html("", status=503)]
)
def test_whatever_answers_is_kept(reply: Reply) -> None:
    """An application's fallback page is for the checks to check."""
    found = fetch({"/robots.txt": reply})

    assert (found.response.status, found.response.body) == (reply.status, reply.body)


@pytest.mark.parametrize(("size", "cut"), [(MAX_BYTES, None), (MAX_BYTES + 1, "limit")])
def test_it_is_read_up_to_its_limit(size: int, cut: str | None) -> None:
    """500 KiB are read, the rest is cut."""
    response = fetch({"/robots.txt": typed(b"#" * size, "text/plain")}).response

    assert (len(response.body), response.truncated) == (MAX_BYTES, cut)


def test_silence_is_a_failed_exchange() -> None:
    """The run makes data of it."""
    with pytest.raises(FetchError) as caught:
        fetch({"/robots.txt": Reply(hangs=True)}, well_known_s=0.3)

    assert caught.value.code == "timeout"
