"""The answers of the resolver."""

from __future__ import annotations

import asyncio
from typing import Any

from pagegrade.gather.gatherers.dns import gather_dns
from pagegrade.model.artifacts import DNSFacts, NotGathered
from tests.gather.sites import Names, Site, Visit, html


def look_up(host: str, resolver: Any) -> DNSFacts | NotGathered:
    """The artifact of a page on ``host``."""

    async def go() -> DNSFacts | NotGathered:
        async with Site({"/": html("<p>")}) as site:
            url = site.origin.replace("127.0.0.1", host) + "/"
            async with Visit(site, url=url, resolver=resolver) as page:
                return await gather_dns(page)

    return asyncio.run(go())


class Counting(Names):
    """A resolver that counts."""

    def __init__(self) -> None:
        super().__init__({"example.com": "127.0.0.1"})
        self.asked = 0

    async def texts(self, name: str) -> tuple[str, ...]:
        """It has no records."""
        return ()

    async def resolve(self, host: str, *, local_names: bool = False) -> Any:
        self.asked += 1
        return await super().resolve(host, local_names=local_names)


def test_facts_without_addresses_that_are_not_public() -> None:
    """The end of the alias chain and the time are reported; an inner address stays private."""
    found = look_up("example.com", Names({"example.com": "127.0.0.1"}))

    assert found == DNSFacts(host="example.com", addresses=(), canonical_name="edge.example.net", duration_ms=1.5)


def test_the_name_is_asked_for_once() -> None:
    """The look-up of the document is remembered."""
    counting = Counting()
    look_up("example.com", counting)

    assert counting.asked == 1


def test_an_address_has_no_dns() -> None:
    """There is nothing to look up."""
    found = look_up("127.0.0.1", Names({}))

    assert isinstance(found, NotGathered)
    assert found.code == "not_applicable"
