"""Plain HTTP on port 80."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from types import SimpleNamespace

import pytest

from pagegrade.gather.context import Context
from pagegrade.gather.gatherers.insecure_probe import KEPT_BYTES, MAX_BYTES, gather_insecure_probe
from pagegrade.model.artifacts import NotGathered, WellKnown
from tests.gather.sites import Site, Visit, html


def probe_at(url: str) -> tuple[WellKnown | NotGathered, list[tuple[str, dict[str, object]]]]:
    """The artifact of a document at ``url``, and what would have been fetched for it."""
    fetched: list[tuple[str, dict[str, object]]] = []

    async def go() -> WellKnown | NotGathered:
        async with Site({"/": html("<p>")}) as site, Visit(site) as page:
            navigation = replace(page.navigation, response=replace(page.navigation.response, url=url))
            answer = WellKnown(requested_url=url, response=navigation.response)

            async def record(target: str, **more: object) -> WellKnown:
                fetched.append((target, more))
                return answer

            elsewhere = SimpleNamespace(
                main_document_url=url, host=Context.host.fget(replace(page, navigation=navigation)), fetch_well_known=record  # type: ignore[attr-defined]
            )
            return await gather_insecure_probe(elsewhere)  # type: ignore[arg-type]

    return asyncio.run(go()), fetched


@pytest.mark.parametrize("url", ["https://example.com/a?b", "http://example.com/a", "https://[2606:4700::1]/"])
def test_the_root_of_port_80_is_asked(url: str) -> None:
    """For a document on a standard port, whatever its path."""
    _, fetched = probe_at(url)
    host = url.split("/")[2]

    assert fetched == [(f"http://{host}/", {"max_bytes": MAX_BYTES, "keep_bytes": KEPT_BYTES, "purpose": "document"})]


@pytest.mark.parametrize("url", ["https://example.com:8443/", "http://example.com:8080/", "http://example.com:443/"])
def test_unusual_ports_have_no_front_door(url: str) -> None:
    """Port 80 of such a host is another site."""
    found, fetched = probe_at(url)

    assert isinstance(found, NotGathered)
    assert found.code == "not_applicable"
    assert fetched == []
