from __future__ import annotations

import asyncio
from typing import Any

from msgspec.structs import replace

from pagegrade.gather.gatherers.source_maps import KEPT_BYTES, gather_source_maps
from pagegrade.model.artifacts import NotGathered, Resource, Resources, ScriptFacts, SourceMaps
from tests.builders import make_resource
from tests.gather.sites import Site, Visit, html, make_options, typed


def ask(
    routes: dict[str, Any], *scripts: tuple[str, str], first_party: bool = True, **more: Any
) -> tuple[SourceMaps | NotGathered, list[str]]:
    """The artifact for scripts, each with what it names, and the paths that were asked for."""
    site = Site({"/": html("<p>"), **routes})

    async def go() -> SourceMaps | NotGathered:
        async with site:
            items: list[Resource] = []
            for path, named in scripts:
                item = make_resource(site.origin + path, kind="script", script=ScriptFacts(source_map=named))
                items.append(replace(item, first_party=first_party))
            known = {"resources": Resources(items=tuple(items))}
            async with Visit(site, artifacts=known, **more) as context:
                del site.asked[:]
                return await gather_source_maps(context)

    return asyncio.run(go()), site.paths()


def test_the_beginning_of_each_map_is_kept() -> None:
    """Relative to its script, and known by it."""
    long = typed(b'{"version":3}' + b" " * 9_000, "application/json")
    found, paths = ask({"/js/a.js.map": long}, ("/js/a.js", "a.js.map"), ("/js/b.js", "/maps/b.map"))

    items = found.items if isinstance(found, SourceMaps) else ()
    answers = [(item.response.status, item.response.body[:13]) for item in items if item.response is not None]

    assert sorted(paths) == ["/js/a.js.map", "/maps/b.map"]
    assert [item.named_by.rpartition("/")[2] for item in items] == ["a.js", "b.js"]
    assert answers == [(200, b'{"version":3}'), (404, b"<title>Not fo")]
    assert items[0].response is not None
    assert len(items[0].response.body) == KEPT_BYTES


def test_only_own_maps_of_own_scripts_and_few() -> None:
    """Neither those inside a script nor those elsewhere."""
    many = [(f"/{n}.js", f"/{n}.map") for n in range(5)]
    found, paths = ask({}, *many, ("/x.js", "data:"), ("/y.js", "https://other.example/y.map"), ("/z.js", ""))
    foreign, silence = ask({}, ("/a.js", "a.map"), first_party=False)

    assert isinstance(found, SourceMaps)
    assert (sorted(paths), found.found) == ([f"/{n}.map" for n in range(3)], 5)
    assert (foreign, silence) == (SourceMaps(), [])


def test_scripts_that_are_not_known() -> None:
    """Then neither are their maps."""
    found, _ = ask({}, options=make_options(subresources=False))

    async def go() -> SourceMaps | NotGathered:
        async with Site({"/": html("<p>")}) as site, Visit(site) as context:
            return await gather_source_maps(context)

    assert isinstance(found, NotGathered)
    assert isinstance(asyncio.run(go()), NotGathered)
