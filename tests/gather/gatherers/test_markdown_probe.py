from __future__ import annotations

import asyncio
from typing import Any

from pagegrade.gather.gatherers.markdown_probe import KEPT_BYTES, MAX_BYTES, gather_markdown_probe
from pagegrade.model.artifacts import NotGathered, Response, WellKnown
from tests.gather.sites import Asked, Reply, Site, Visit, html, make_options, typed

ALLOW_ALL = WellKnown(requested_url="x", response=Response(url="x", status=404))
BAN = WellKnown(requested_url="x", response=Response(url="x", status=200, body=b"User-agent: *\nDisallow: /a\n"))


def answer(asked: Asked) -> Reply:
    """A server that looks at what is preferred."""
    if asked.headers["accept"].startswith("text/markdown"):
        return typed("# Chairs\n" + "x" * MAX_BYTES, "text/markdown")
    return html("<h1>Chairs</h1>")


def gathered(*, known: dict[str, object] | None = None, **more: Any) -> tuple[WellKnown | NotGathered, list[str]]:
    """The artifact, and what was asked for."""
    site = Site({"/a": answer})
    artifacts = {"robots_txt": ALLOW_ALL, "load_samples": (1.0,)} if known is None else known

    async def go() -> WellKnown | NotGathered:
        async with site, Visit(site, "/a", artifacts=artifacts, **more) as context:
            del site.asked[:]
            return await gather_markdown_probe(context)

    found = asyncio.run(go())
    return found, [asked.headers["accept"] for asked in site.asked]


def test_page_is_asked_for_once_as_markdown() -> None:
    """Only the beginning is kept, and HTML is welcome where there is none."""
    found, accepts = gathered()

    assert isinstance(found, WellKnown)
    assert accepts == ["text/markdown,text/html;q=0.9,*/*;q=0.1"]
    assert (found.response.header("content-type"), found.response.truncated) == ("text/markdown", "limit")
    assert len(found.response.body) == KEPT_BYTES


def test_robots_txt_is_respected() -> None:
    """And where it is not known, nothing is asked for."""
    without: dict[str, object] = {"load_samples": (1.0,)}
    for known in ({"robots_txt": BAN, **without}, without):
        found, accepts = gathered(known=known)

        assert isinstance(found, NotGathered)
        assert (found.code, accepts) == ("skipped", [])


def test_it_is_skipped_by_choice() -> None:
    """With the other requests that are not needed for the page."""
    found, accepts = gathered(options=make_options(subresources=False))

    assert isinstance(found, NotGathered)
    assert accepts == []
