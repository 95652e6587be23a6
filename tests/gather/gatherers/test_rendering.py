from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

from pagegrade.gather.browser.options import RenderOptions
from pagegrade.gather.gatherers.rendering import gather_rendering
from pagegrade.model.artifacts import NOT_RENDERED, NotGathered
from pagegrade.model.rendering import Rendering
from tests.gather.sites import Site, Visit, html, make_options

PAGE = html("<!doctype html><html lang=en><title>T</title><h1>Hello</h1>")


def gather(program: Path | None, **options: object) -> Rendering | NotGathered:
    """The artifact of a small page."""

    async def run() -> Rendering | NotGathered:
        render = None if program is None else RenderOptions(program=program, network="none", loads=1, **options)  # type: ignore[arg-type]
        options_of_visit = replace(make_options(), render=render)
        async with Site({"/": PAGE}) as site, Visit(site, "/", options=options_of_visit) as visit:
            return await gather_rendering(visit)

    return asyncio.run(run())


def test_without_being_asked_nothing_is_drawn() -> None:
    """Static analysis needs no browser."""
    assert gather(None) == NOT_RENDERED


def test_a_browser_that_cannot_be_started_is_a_missing_artifact() -> None:
    """Everything else of the report stands."""
    found = gather(Path("/bin/true"))

    assert isinstance(found, NotGathered)
    assert found.code in {"browser_crash", "browser_sandbox"}


def test_the_time_of_the_rendering_is_limited() -> None:
    """And said."""
    found = gather(Path("/bin/cat"), time_s=1.5)

    assert isinstance(found, NotGathered)
