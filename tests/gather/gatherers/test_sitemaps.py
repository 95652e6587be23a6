"""Sitemaps, declared or guessed."""

from __future__ import annotations

import asyncio
import gzip
from typing import Any

import pytest

from pagegrade.gather.context import GatherLimits
from pagegrade.gather.gatherers.robots_txt import gather_robots_txt
from pagegrade.gather.gatherers.sitemaps import gather_sitemaps
from pagegrade.model.artifacts import NotGathered, Sitemaps
from tests.gather.sites import Dying, Reply, Site, Visit, html, make_options, redirect, typed

LIST = "<urlset><url><loc>{origin}/page</loc></url></urlset>"


def fetch(routes: dict[str, Reply | str], *, robots: str | None = None, **more: Any) -> tuple[Sitemaps, list[str]]:
    """The artifact and the paths asked for it; texts are XML in which ``{origin}`` stands for the site."""

    async def go() -> tuple[Sitemaps, list[str]]:
        site = Site({"/page": html("<p>")})
        async with site:
            filled = {
                path: typed(reply.replace("{origin}", site.origin), "application/xml")
                if isinstance(reply, str)
                else reply
                for path, reply in routes.items()
            }
            if robots is not None:
                filled["/robots.txt"] = typed(robots.replace("{origin}", site.origin), "text/plain")
            site.routes = {**site.routes, **filled}
            async with Visit(site, "/page", **more) as page:
                artifact: object = await gather_robots_txt(page) if robots is not None else NotGathered(code="timeout")
                promise: asyncio.Future[object] = asyncio.get_running_loop().create_future()
                promise.set_result(artifact)
                page.promises = {"robots_txt": promise}
                del site.asked[:]
                return await gather_sitemaps(page), site.paths()

    return asyncio.run(go())


def test_declared_files_are_read_and_nothing_is_guessed() -> None:
    """Each has its own facts; the page is found in one of them."""
    found, asked = fetch(
        {"/a.xml": LIST, "/b.xml": "<urlset><url><loc>{origin}/other</loc></url></urlset>"},
        robots="Sitemap: {origin}/a.xml\nSitemap: /b.xml\nSitemap: /a.xml",
    )

    assert asked == ["/a.xml", "/b.xml"]
    assert [(file.source, file.kind, file.url_count, file.lists_page) for file in found.files] == [
        ("robots", "urlset", 1, True),
        ("robots", "urlset", 1, False),
    ]
    assert [url.rpartition("/")[2] for url in found.declared_in_robots] == ["a.xml", "b.xml"]


@pytest.mark.parametrize(
    ("routes", "expected"),
    [
        ({"/sitemap.xml": LIST}, ["/sitemap.xml"]),
        ({"/sitemap_index.xml": LIST}, ["/sitemap.xml", "/sitemap_index.xml"]),
        ({"/sitemap.xml": html("<!doctype html>"), "/sitemap_index.xml": LIST}, ["/sitemap.xml", "/sitemap_index.xml"]),
        ({}, ["/sitemap.xml", "/sitemap_index.xml"]),
    ],
)
def test_usual_places_are_tried_without_a_declaration(routes: dict[str, Reply | str], expected: list[str]) -> None:
    """The second only when the first is no sitemap."""
    for robots in (None, "User-agent: *\n"):
        found, asked = fetch(routes, robots=robots)

        assert asked == expected
        assert {file.source for file in found.files} == {"guessed"}


def test_statuses_and_failures_are_facts() -> None:
    """Missing, broken off, forbidden and fallback pages each say what they are."""
    found, _ = fetch(
        {
            "/html": html("<!doctype html><title>App"),
            "/broken": Reply(raw=b"nonsense\r\n\r\n"),
            "/inside": redirect("http://10.0.0.1/"),
            "/doctype": "<!DOCTYPE x [<!ENTITY a 'b'>]><urlset/>",
        },
        robots="".join(f"Sitemap: /{name}\n" for name in ("missing", "html", "broken", "inside", "doctype")),
    )

    assert [(file.status, file.error) for file in found.files] == [
        (404, None),
        (200, "html"),
        (None, "protocol"),
        (None, "address_not_allowed"),
        (200, "doctype"),
    ]


def test_an_index_is_followed_one_level() -> None:
    """Its files are read; an index inside an index is not followed further, and loops end."""
    entry = "<sitemap><loc>{origin}%s</loc></sitemap>"
    found, asked = fetch(
        {
            "/sitemap.xml": "<sitemapindex>"
            + entry % "/a.xml"
            + entry % "/sitemap.xml"
            + entry % "/deep.xml"
            + "</sitemapindex>",
            "/a.xml": LIST,
            "/deep.xml": "<sitemapindex>" + entry % "/deeper.xml" + "</sitemapindex>",
        }
    )

    assert asked == ["/sitemap.xml", "/a.xml", "/deep.xml"]
    assert [(file.source, file.kind) for file in found.files] == [
        ("guessed", "index"),
        ("index", "urlset"),
        ("index", "index"),
    ]


@pytest.mark.parametrize(("count", "expected"), [(10, 10), (11, 10)])
def test_the_number_of_files_is_bounded(count: int, expected: int) -> None:
    """Ten are read, the eleventh is not."""
    found, asked = fetch({}, robots="".join(f"Sitemap: /{number}\n" for number in range(count)))

    assert len(found.files) == len(asked) == expected
    assert len(found.declared_in_robots) == count


def test_gzip_as_a_file_is_read() -> None:
    """Without a content coding, as ``.xml.gz`` is served."""
    body = gzip.compress(b"<urlset><url><loc>https://example.com/</loc></url></urlset>")
    found, _ = fetch({"/sitemap.xml": typed(body, "application/gzip")})

    assert (found.files[0].kind, found.files[0].url_count) == ("urlset", 1)


def test_a_large_file_is_cut_and_still_counted() -> None:
    """The part that was read says what it says."""
    entries = "<url><loc>https://example.com/</loc></url>" * 1_000
    limits = GatherLimits(sitemap_bytes=10_000)
    found, _ = fetch({"/sitemap.xml": f"<urlset>{entries}</urlset>"}, options=make_options(limits=limits))
    file = found.files[0]

    assert (file.truncated, file.error, file.kind) == (True, None, "urlset")
    assert 0 < file.url_count < 1_000


def test_silence_is_a_fact() -> None:
    """A time-out of one file leaves the others."""
    found, _ = fetch(
        {"/slow": Reply(hangs=True), "/a.xml": LIST},
        robots="Sitemap: /slow\nSitemap: /a.xml",
        options=make_options(limits=GatherLimits(well_known_s=1.0)),
    )

    assert [file.error for file in found.files] == ["timeout", None]


def test_a_parser_that_dies_is_a_fact() -> None:
    """The file is named with the limit that it went over."""
    found, _ = fetch({"/sitemap.xml": LIST}, offload=Dying("read_sitemap"))

    assert [(file.status, file.error) for file in found.files] == [(200, "parser_limit"), (404, None)]


def test_an_html_robots_txt_declares_nothing() -> None:
    """An application that answers everything with its page is not believed."""
    found, asked = fetch({}, robots="<!doctype html>\nSitemap: /a.xml")

    assert found.declared_in_robots == ()
    assert "/a.xml" not in asked
