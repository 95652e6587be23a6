"""Sites that were graded by hand, with the reason, before any of them was evaluated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from pagegrade.model.report import Grade
from tests.site_builders import evaluated
from tests.site_world.relations import rows_of_world
from tests.site_world.world import ENDLESS, FAULTS, World, make_world

SEVERAL: Final = (("title", "missing"), ("meta-description", "missing"), ("image-alt", "missing"), ("csp", "missing"))
"""Faults that share what a page loses."""
BANDS: Final = ("bad", "decent", "good")


@dataclass(frozen=True, kw_only=True)
class Labelled:
    """A site as it is described to who grades it."""

    label: Grade
    reason: str
    pages: int = 60
    templates: int = 3
    language: str = "en"
    faults: Sequence[str] = ()
    """Of ``FAULTS``."""
    lost: Mapping[str, float] = field(default_factory=dict)
    """Template -> points that each of its pages loses, ``*`` for all."""
    causes: int = 1
    """Faults that share them."""
    facts: Mapping[str, str] = field(default_factory=dict)
    """Facts of the site that are other than usual."""
    hidden: bool = False
    """The start page asks search engines to leave it out."""
    failing: int = 0
    """One page of so many answers with an error of the server; 0: none does."""


SITES: Final = (
    Labelled(label="good", reason="A small site without a fault.", pages=12),
    Labelled(label="good", reason="The same, larger and in German.", pages=60, language="de"),
    Labelled(label="good", reason="A large one with five kinds of pages.", pages=150, templates=5),
    Labelled(label="good", reason="One dead link among hundreds; readers hardly meet it.", faults=["broken-link"]),
    Labelled(label="good", reason="A thin page and an odd title are trifles.", faults=["thin", "title-pattern"]),
    Labelled(
        label="good",
        reason="Readers and search engines arrive, by a detour now and then.",
        pages=120,
        faults=["redirect-chain", "canonical-chain"],
    ),
    Labelled(label="good", reason="Every page has the same small flaw, and no other.", lost={"*": 3.0}),
    Labelled(
        label="good",
        reason="A page that is hard to find harms no other.",
        pages=120,
        faults=["orphan", "missing-from-sitemap"],
    ),
    Labelled(label="good", reason="One kind of pages is decent, the others are sound.", lost={"news": 30.0}),
    Labelled(label="decent", reason="Every page has a fault that matters, and works.", lost={"*": 30.0}),
    Labelled(label="decent", reason="The same by four faults.", lost={"*": 30.0}, causes=4, language="ar"),
    Labelled(
        label="decent", reason="Two of three kinds of pages have grave faults.", lost={"guide": 45.0, "news": 45.0}
    ),
    Labelled(label="decent", reason="Every third page is bad: readers meet one soon.", lost={"product": 65.0}),
    Labelled(
        label="decent",
        reason="Many kinds of faults, each on a few of many pages.",
        pages=150,
        templates=5,
        faults=sorted(FAULTS.keys() - ENDLESS),
    ),
    Labelled(label="decent", reason="All pages are mediocre, in a large site.", pages=150, lost={"*": 42.0}, causes=4),
    Labelled(label="bad", reason="One page of six answers with an error of the server.", failing=6),
    Labelled(label="bad", reason="Search engines are asked to leave the start page out.", hidden=True),
    Labelled(label="bad", reason="robots.txt keeps search engines out of all of it.", facts={"robots": "blocks_all"}),
    Labelled(label="bad", reason="Every page is bad.", lost={"*": 70.0}, causes=4),
    Labelled(label="bad", reason="Every page is bad by a single fault of the frame.", pages=12, lost={"*": 65.0}),
)


def result_of(site: Labelled) -> str | None:
    """The grade that the product gives."""
    world = world_of(site)
    rows = rows_of_world(world, found={path: marks(site, world, path) for path in world.pages})
    for row in rows["pages"]:
        page = world.pages.get(row["path"])
        if page is not None and row.get("score") is not None:
            row["score"] = round(100 - sum(one["lost"] for one in marks(site, world, page.path)))
            row["noindex"] = row["noindex"] or (site.hidden and page.path == "/")
    for row in rows["pages"][3 :: site.failing] if site.failing else ():
        row |= {"status": 503, "score": None, "words": None}
    rows["site"] = [{**row, "value": site.facts.get(row["key"], row["value"])} for row in rows["site"]]
    return evaluated(rows).rating


def world_of(site: Labelled) -> World:
    """The pages of a site."""
    world = make_world(SITES.index(site), pages=site.pages, templates=site.templates, faults=site.faults)
    for page in world.pages.values():
        page.lang = site.language if page.lang == "en" else page.lang
    return world


def marks(site: Labelled, world: World, path: str) -> list[dict[str, Any]]:
    """Findings of a page."""
    lost = site.lost.get(world.pages[path].template, site.lost.get("*", 0.0))
    shares = [lost / site.causes] * site.causes if lost else []
    return [
        {"check_id": check, "state": state, "lost": share, "total": 1, "signature": number}
        for number, ((check, state), share) in enumerate(zip(SEVERAL, shares, strict=False), 1)
    ]


def test_the_product_grades_sites_as_people_do() -> None:
    """Nine of ten agree, and none is two bands off."""
    found = [(site.label, result_of(site), site.reason) for site in SITES]
    other = [one for one in found if one[0] != one[1]]

    assert len(SITES) == 20
    assert len(other) <= len(SITES) // 10, other
    assert [one for one in other if one[1] is None or abs(BANDS.index(one[0]) - BANDS.index(one[1])) > 1] == []
