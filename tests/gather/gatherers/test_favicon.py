"""The default icon."""

from __future__ import annotations

import asyncio

import pytest

from pagegrade.gather.gatherers.favicon import KEPT_BYTES, MAX_BYTES, gather_favicon
from pagegrade.model.artifacts import WellKnown
from tests.gather.sites import Reply, Site, Visit, html, typed


def fetch(reply: Reply) -> WellKnown:
    """The artifact of a site with this icon."""

    async def go() -> WellKnown:
        async with Site({"/a/b": html("<p>"), "/favicon.ico": reply}) as site, Visit(site, "/a/b") as page:
            return await gather_favicon(page)

    return asyncio.run(go())


@pytest.mark.parametrize("size", [KEPT_BYTES, KEPT_BYTES + 1, MAX_BYTES])
def test_only_the_first_bytes_are_kept(size: int) -> None:
    """All are counted, and leaving them out is not called a cut."""
    response = fetch(typed(b"\0\0\1\0" + b"x" * (size - 4), "image/x-icon")).response

    assert (len(response.body), response.wire_bytes, response.truncated) == (KEPT_BYTES, size, None)


def test_an_icon_over_the_limit_is_cut() -> None:
    """A megabyte of icon is not needed."""
    assert fetch(typed(b"x" * (MAX_BYTES + 1), "image/x-icon")).response.truncated == "limit"


def test_a_fallback_page_is_kept_as_it_is() -> None:
    """That it is no icon is for the checks to see."""
    response = fetch(html("<!doctype html>")).response

    assert (response.status, response.body) == (200, b"<!doctype html>")
