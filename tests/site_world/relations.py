"""The relations that a crawl of a site brings, made from the description of the site, without a crawl."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from tests.site_builders import number_of
from tests.site_world.world import GONE, Link, Page, World

ORIGIN: Final = "http://example.com"
_MASK: Final = (1 << 64) - 1


_SPREAD: Final = [sum((byte >> bit & 1) << 16 * bit for bit in range(8)) for byte in range(256)]
"""Byte -> each of its bits in a column of its own."""


def simhash_of(text: str) -> int:
    """64 bits that differ in few places for texts that differ in few words."""
    words = text.lower().split()
    count = max(1, len(words) - 2)
    columns = 0
    for at in range(count):
        number = number_of(" ".join(words[at : at + 3]))
        for byte in range(8):
            columns += _SPREAD[number >> 8 * byte & 255] << 128 * byte
    return sum(1 << bit for bit in range(64) if 2 * (columns >> 16 * bit & 65_535) > count)


def shape_of(page: Page) -> tuple[int, ...]:
    """The 16 values of a page's template."""
    shape = number_of(page.template)
    return tuple((shape * (at + 1) & _MASK) >> 48 for at in range(16))


def rows_of_world(
    world: World, *, scores: Mapping[str, int] | None = None, found: Mapping[str, list[dict[str, Any]]] | None = None
) -> dict[str, list[dict[str, Any]]]:
    """Whole rows of a crawl that reached all of the site.

    Args:
        world: Without endless parts.
        scores: Template -> score of its pages; 90 for the others.
        found: Path -> rows of ``found`` without the page.
    """
    depths = world.depths()
    ids = {path: at for at, path in enumerate(depths, 1)}
    outside: dict[str, int] = {}
    asset_ids: dict[str, int] = {}

    def number(target: str) -> int:
        if target in ids:
            return ids[target]
        return outside.setdefault(target, 1_000_000 + len(outside))

    sessions = {link.path for page in world.pages.values() for link in page.links if link.session}
    pages: list[dict[str, Any]] = []
    links: list[dict[str, Any]] = []
    marks: list[dict[str, Any]] = []
    for path, page_id in ids.items():
        page = world.at(path)
        assert page is not None, path
        blocked = world.is_blocked(path)
        row = _page_row(page, page_id, depths[path], ids, blocked=blocked, scores=scores or {})
        pages.append(row | {"session_id": path in sessions})
        if blocked:
            continue
        marks += [{"page_id": page_id, **mark} for mark in (found or {}).get(path, ())]
        if page.redirect is not None or page.status != 200:
            continue
        links += [_link_row(page_id, link, number(link.path)) for link in page.links]
        links += [
            {"from_id": page_id, "to_id": number(target), "kind": "hreflang", "hreflang": language}
            for language, target in page.alternates
        ]
        if page.asset is not None:
            asset_ids.setdefault(page.asset, 2_000_000 + len(asset_ids))
            links.append({"from_id": page_id, "to_id": asset_ids[page.asset], "kind": "asset"})
    probe = {"status": 200 if world.soft_404 else 404, "simhash": simhash_of(GONE), "words": len(GONE.split())}
    facts = {
        "url": f"{ORIGIN}/",
        "start": "1",
        "complete": "1",
        "sitemap": "1",
        "assets": "1",
        "external": "0",
        "rendered": "0",
        "traps": "1",
        "robots": "ok",
        "probes": str([probe]).replace("'", '"'),
    }
    return {
        "pages": pages,
        "links": links,
        "found": marks,
        "outside": [{"target_id": at, "url": url} for url, at in outside.items()],
        "assets": [
            {"asset_id": at, "url": ORIGIN + path, "kind": "stylesheet", "status": world.pages[path].status}
            for path, at in asset_ids.items()
        ],
        "sitemap": [{"page_id": ids[page.path], "lastmod": page.lastmod} for page in world.sitemap()],
        "site": [{"key": key, "value": value} for key, value in facts.items()],
    }


def _link_row(page_id: int, link: Link, target: int) -> dict[str, Any]:
    about = {"nofollow": link.nofollow, "place": link.place, "anchor": link.text}
    return {"from_id": page_id, "to_id": target, "kind": "a", **about}


def _page_row(
    page: Page, page_id: int, depth: int | None, ids: Mapping[str, int], *, blocked: bool, scores: Mapping[str, int]
) -> dict[str, Any]:
    row: dict[str, Any] = {
        "page_id": page_id,
        "url": ORIGIN + page.path,
        "host": "example.com",
        "path": page.path,
        "pattern": re.sub(r"[^/]+$", "{s}", page.path) or "/",
        "depth": 254 if depth is None else depth,
        "state": "blocked" if blocked else "fetched",
        "in_sitemap": page.in_sitemap,
    }
    if blocked:
        return row
    row |= {"status": page.status, "time_ms": 80}
    if page.redirect is not None:
        return row | {"redirect_id": ids[page.redirect], "redirect_url": ORIGIN + page.redirect}
    if page.status != 200:
        return row
    canonical = page.canonical
    return row | {
        "title": page.title,
        "h1": page.h1,
        "description": page.description,
        "noindex": page.noindex,
        "canonical_id": None if canonical is None else ids.get(canonical),
        "canonical_url": None if canonical is None else ORIGIN + canonical if canonical[0] == "/" else canonical,
        "lang": page.lang,
        "words": len(page.text.split()),
        "digest": number_of(page.text),
        "simhash": simhash_of(page.text),
        "template": list(shape_of(page)),
        "types": list(page.types),
        "page_kind": page.seen_as or None,
        "score": None if page.seen_as else scores.get(page.template, 90),
    }
