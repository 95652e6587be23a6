from __future__ import annotations

import asyncio
from typing import Any

import pytest

from pagegrade.gather.context import OffloadFailed
from pagegrade.gather.gatherers.agent_files import MAX_BYTES, gather_agent_files
from pagegrade.model.artifacts import AgentFiles, NotGathered, Response, WellKnown
from pagegrade.parse.files.agent_files import PATHS
from tests.gather.sites import Dying, Reply, Site, Visit, html, make_options, redirect, typed

ALLOW_ALL = WellKnown(requested_url="x", response=Response(url="x", status=404))
CATALOG = PATHS["api-catalog"]


def robots(body: str) -> WellKnown:
    """A file with these rules."""
    return WellKnown(requested_url="x", response=Response(url="x", status=200, body=body.encode()))


def gathered(
    routes: dict[str, Any] | None = None, *, known: dict[str, object] | None = None, **more: Any
) -> tuple[AgentFiles | NotGathered, list[str]]:
    """The artifact, the paths that were asked for, and nothing left of the memory for the answers."""
    site = Site({"/": html("<p>"), **(routes or {})})
    artifacts = {"robots_txt": ALLOW_ALL, "load_samples": (1.0,)} if known is None else known

    async def go() -> AgentFiles | NotGathered:
        async with site, Visit(site, artifacts=artifacts, **more) as context:
            del site.asked[:]
            return await gather_agent_files(context)

    found = asyncio.run(go())
    return found, sorted(site.paths())


def test_each_file_is_asked_for_once() -> None:
    """Those that are missing are known to be."""
    found, paths = gathered({CATALOG: typed('{"linkset":[{}]}', "application/linkset+json")})

    assert isinstance(found, AgentFiles)
    assert paths == sorted(PATHS.values())
    assert {item.kind: (item.status, item.entries) for item in found.items} == {
        "api-catalog": (200, 1),
        "agent-card": (404, 0),
        "mcp-server-card": (404, 0),
    }


def test_robots_txt_is_respected() -> None:
    """For each file, and for all."""
    some = {"robots_txt": robots("User-agent: *\nDisallow: /.well-known/mcp"), "load_samples": (1.0,)}
    none = {"robots_txt": robots("User-agent: *\nDisallow: /.well-known/"), "load_samples": (1.0,)}
    found, paths = gathered(known=some)

    assert isinstance(found, AgentFiles)
    assert paths == sorted([CATALOG, PATHS["agent-card"]])

    nothing, paths = gathered(known=none)

    assert isinstance(nothing, NotGathered)
    assert (nothing.code, paths) == ("skipped", [])


def test_nothing_is_asked_for_without_robots_txt_or_by_choice() -> None:
    """Rules that are not known might forbid it."""
    unknown, paths = gathered(known={"load_samples": (1.0,)})
    declined, more = gathered(options=make_options(subresources=False))

    assert isinstance(unknown, NotGathered)
    assert isinstance(declined, NotGathered)
    assert (unknown.code, declined.code, paths, more) == ("skipped", "skipped", [], [])


@pytest.mark.parametrize(("size", "faults"), [(MAX_BYTES, ()), (MAX_BYTES + 1, ("cut off",))])
def test_size_is_bounded(size: int, faults: tuple[str, ...]) -> None:
    """At the limit and one past it."""
    body = '{"linkset":[{}]}'
    found, _ = gathered({CATALOG: typed(body + " " * (size - len(body)), "application/linkset+json")})

    assert isinstance(found, AgentFiles)
    assert next(item.faults for item in found.items if item.kind == "api-catalog") == faults


def test_failure_of_one_is_no_failure_of_the_others() -> None:
    """A loop and a broken answer."""
    found, _ = gathered({CATALOG: redirect(CATALOG), PATHS["agent-card"]: Reply(raw=b"what?\r\n\r\n")})

    assert isinstance(found, AgentFiles)
    assert {item.kind: item.failure.code if item.failure else item.status for item in found.items} == {
        "api-catalog": "protocol",
        "agent-card": "protocol",
        "mcp-server-card": 404,
    }


def test_parser_that_dies_is_reported() -> None:
    """The runner says why there is nothing."""
    with pytest.raises(OffloadFailed):
        gathered({CATALOG: typed("{}", "application/json")}, offload=Dying("read_agent_files"))
