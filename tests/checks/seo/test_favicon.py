"""Tests of the check favicon."""

from __future__ import annotations

import struct
from typing import Any

import pytest

from pagegrade.checks.seo.favicon import favicon
from pagegrade.model.artifacts import Artifacts, ImageFacts, NotGathered, Resource, WellKnown
from pagegrade.model.outcome import NotRun
from tests.builders import make_artifacts, make_resource, make_resources, make_well_known, outcome, run

ICO_URL = "https://example.com/favicon.ico"
ICON_URL = "https://example.com/icon.png"
KEPT = ("Cache-Control", "max-age=86400")


def png(width: int = 96, height: int = 96) -> ImageFacts:
    """The facts read from a PNG."""
    return ImageFacts(format="png", width_px=width, height_px=height)


def icon(url: str = ICON_URL, *, content_type: str = "image/png", kept: bool = True, **more: Any) -> Resource:
    """A fetched icon without a flaw by default."""
    headers = [("Content-Type", content_type), *([KEPT] if kept else [])]
    return make_resource(url, kind="icon", headers=headers, **{"image": png(), **more})


def ico(
    side: int = 64, *, status: int = 200, body: bytes | None = None, content_type: str = "image/x-icon"
) -> WellKnown:
    """``/favicon.ico`` with one entry of that size."""
    data = b"\0\0\1\0\1\0" + bytes([side, side]) + b"\0" * 2 + struct.pack("<HHII", 1, 32, 100, 22) + b"\0" * 100
    return make_well_known(
        data if body is None else body, url=ICO_URL, status=status, headers=[("Content-Type", content_type), KEPT]
    )


NO_ICO = ico(status=404, body=b"<html>", content_type="text/html")


def page(head: str, *icons: Resource, ico: WellKnown | NotGathered = NO_ICO, **more: Any) -> Artifacts:
    """A page with that head whose icons were fetched."""
    html = f"<!doctype html><html><head><title>T</title>{head}</head><body>x"
    return make_artifacts(html, resources=make_resources(*icons), favicon=ico, **more)


def state(head: str, *icons: Resource, ico: WellKnown | NotGathered = NO_ICO, **more: Any) -> str:
    """The state for such a page."""
    return outcome(favicon, page(head, *icons, ico=ico, **more)).state


@pytest.mark.parametrize("rel", ["icon", "ICON", "shortcut icon", "apple-touch-icon", "icon mask"])
def test_named_icon_passes(rel: str) -> None:
    """Every way of naming an icon counts."""
    assert state(f'<link rel="{rel}" href="/icon.png">', icon()) == "ok"


def test_file_at_the_usual_place_passes() -> None:
    """Browsers ask for it by themselves."""
    assert state("", ico=ico()) == "ok"


def test_address_resolves_against_the_base() -> None:
    """A relative address follows the base element, not the path of the page."""
    head = '<base href="https://example.com/assets/"><link rel="icon" href="i.png">'

    assert state(head, icon("https://example.com/assets/i.png"), url="https://example.com/a/b/") == "ok"


def test_drawing_has_no_pixels() -> None:
    """An SVG is sharp at every size."""
    svg = icon(
        "https://example.com/i.svg",
        content_type="image/svg+xml",
        image=ImageFacts(format="svg", width_px=16, height_px=16),
    )

    assert state('<link rel="icon" href="/i.svg">', svg) == "ok"


def test_icon_inside_the_page_passes() -> None:
    """A data address holds the image; the empty one that switches the icon off does not."""
    assert state('<link rel="icon" href="data:image/svg+xml,<svg xmlns=%22http://www.w3.org/2000/svg%22/>">') == "ok"
    assert state('<link rel="icon" href="data:,">') == "missing"


def test_missing_fails() -> None:
    """Neither a link nor a file."""
    assert state("") == "missing"


def test_page_in_place_of_the_file_fails() -> None:
    """An application that answers everything with its page has no icon."""
    assert state("", ico=ico(body=b"<!doctype html><title>App</title>", content_type="text/html")) == "missing"


@pytest.mark.parametrize(
    "resource",
    [
        icon(status=404),
        icon(content_type="text/html", image=None),
        make_resource(ICON_URL, kind="icon", image=None),
        Resource(url=ICON_URL, kinds=("icon",), initiator_url="x", failure=NotGathered(code="timeout")),
    ],
)
def test_named_icon_that_cannot_be_loaded_fails(resource: Resource) -> None:
    """404, a web page, no type at all, and no answer; a file at the usual place still saves it."""
    head = '<link rel="icon" href="/icon.png">'

    assert state(head, resource) == "broken"
    assert state(head, resource, ico=ico()) == "ok"


@pytest.mark.parametrize("href", ["", "https://["])
def test_link_without_usable_address_fails(href: str) -> None:
    """It names nothing."""
    assert state(f'<link rel="icon" href="{href}">') == "broken"


def test_size_limits() -> None:
    """48 pixels and 10,000 bytes are fine, one past them is not."""
    head = '<link rel="icon" href="/icon.png">'

    assert state(head, icon(image=png(48, 48), body_bytes=10_000)) == "ok"
    assert state(head, icon(image=png(47, 47))) == "small"
    assert state(head, icon(body_bytes=10_001)) == "large"
    assert state(head, icon(image=png(96, 48))) == "not_square"


def test_lifetime() -> None:
    """An icon that says nothing of its lifetime is asked for again and again."""
    assert state('<link rel="icon" href="/icon.png">', icon(kept=False)) == "no_lifetime"


def test_icon_barred_by_robots_txt() -> None:
    """Search engines cannot show what they may not fetch; rules of this site say nothing of another."""
    robots = make_well_known("User-agent: *\nDisallow: /icon", url="https://example.com/robots.txt")
    other = "https://cdn.example.net/icon.png"

    assert state('<link rel="icon" href="/icon.png">', icon(), robots_txt=robots) == "blocked"
    assert state(f'<link rel="icon" href="{other}">', icon(other), robots_txt=robots) == "ok"


def test_best_icon_speaks_for_the_page() -> None:
    """A small icon beside a large one is what sizes are for."""
    head = '<link rel="icon" href="/16.png" sizes="16x16"><link rel="icon" href="/icon.png">'

    assert state(head, icon("https://example.com/16.png", image=png(16, 16)), icon()) == "ok"


def test_small_file_at_the_usual_place_warns() -> None:
    """The largest entry of the file counts."""
    assert state("", ico=ico(32)) == "small"


def test_icon_that_was_not_fetched_is_not_evaluated() -> None:
    """Our own limits, and a run without sub-resources, say nothing."""
    head = '<link rel="icon" href="/icon.png">'
    skipped = Resource(url=ICON_URL, kinds=("icon",), initiator_url="x", failure=NotGathered(code="budget"))

    assert isinstance(run(favicon, page(head)), NotRun)
    assert isinstance(run(favicon, page(head, skipped)), NotRun)
    assert isinstance(run(favicon, make_artifacts("<title>T</title>")), NotRun)


@pytest.mark.parametrize(
    ("flawed", "said"),
    [
        (icon(image=png(47, 47)), "It has 47 x 47 pixels."),
        (icon(image=png(96, 48)), "It has 96 x 48 pixels."),
        (icon(body_bytes=10_001), "It has 10,001 bytes."),
        (icon(kept=False), ""),
    ],
)
def test_the_evidence_says_how_far_off_the_icon_is(flawed: Resource, said: str) -> None:
    """The reader need not open the file to find out."""
    found = outcome(favicon, page('<link rel="icon" href="/icon.png">', flawed))

    assert found.evidence[0].reason == said
