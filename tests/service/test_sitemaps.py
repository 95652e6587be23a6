"""Addresses out of a sitemap, from a site of our own on the loopback."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from pagegrade.model.errors import InvalidURL, URLNotAllowed
from pagegrade.service import sitemaps
from pagegrade.service.container import Services
from pagegrade.service.options import AT_ONCE, ServiceOptions
from pagegrade.service.runs.options import AnalyzeOptions, parse_networks
from pagegrade.service.sitemaps import FILES, FoundURLs, read_sitemap_urls
from tests.gather.sites import Reply, Site, html, redirect, typed
from tests.store_builders import make_database

LOOPBACK = ServiceOptions(analyze=AnalyzeOptions(allow_networks=parse_networks(["127.0.0.0/8"])))

CUT_OFF = (
    b"HTTP/1.1 200 OK\r\nContent-Type: application/xml\r\nContent-Length: 999\r\nConnection: close\r\n\r\n"
    b"<urlset><url><loc>https://a.example/2</loc></url>"
)


def entry(path: str) -> str:
    """A page in a sitemap."""
    return f"<url><loc>{{origin}}{path}</loc></url>"


def index(*paths: str) -> str:
    """A sitemap of sitemaps."""
    listed = "".join(f"<sitemap><loc>{{origin}}{path}</loc></sitemap>" for path in paths)
    return f"<sitemapindex>{listed}</sitemapindex>"


def read(
    tmp_path: Path, routes: Mapping[str, str | Reply], path: str = "/sitemap.xml", options: ServiceOptions = LOOPBACK
) -> tuple[FoundURLs, list[str], str]:
    """(what was found, the paths asked for, the origin); texts are XML in which ``{origin}`` stands for the site."""

    async def go() -> tuple[FoundURLs, list[str], str]:
        services = Services(database=make_database(tmp_path), options=options)
        try:
            site = Site({})
            async with site:
                site.routes = {
                    place: typed(reply.replace("{origin}", site.origin), "application/xml")
                    if isinstance(reply, str)
                    else reply
                    for place, reply in routes.items()
                }
                found = await read_sitemap_urls(services, f"{site.origin}{path}", account_id=1)
                return found, site.paths(), site.origin
        finally:
            services.database.close()
            services.passwords.close()

    return asyncio.run(go())


def test_the_installation_is_not_asked_for_its_sitemaps(tmp_path: Path) -> None:
    """An index may name it, and a redirect may lead there."""

    async def go() -> tuple[list[str], list[str]]:
        async with Site({}, address="127.0.0.9") as own, Site({}) as site:
            site.routes = {
                "/sitemap.xml": typed(
                    f"<sitemapindex><sitemap><loc>{own.origin}/a.xml</loc></sitemap>"
                    f"<sitemap><loc>{site.origin}/b.xml</loc></sitemap></sitemapindex>",
                    "application/xml",
                ),
                "/b.xml": redirect(f"{own.origin}/b.xml"),
            }
            options = replace(LOOPBACK, base_url=own.origin)
            services = Services(database=make_database(tmp_path), options=options)
            try:
                with pytest.raises(URLNotAllowed):
                    await read_sitemap_urls(services, f"{own.origin}/sitemap.xml", account_id=1)
                await read_sitemap_urls(services, f"{site.origin}/sitemap.xml", account_id=1)
            finally:
                services.database.close()
                services.passwords.close()
            return site.paths(), own.paths()

    assert asyncio.run(go()) == (["/sitemap.xml", "/b.xml"], [])


def test_the_pages_of_a_sitemap_are_found_in_order(tmp_path: Path) -> None:
    """Each once."""
    found, asked, base = read(tmp_path, {"/sitemap.xml": f"<urlset>{entry('/b')}{entry('/a')}{entry('/b')}</urlset>"})

    assert found.urls == (f"{base}/b", f"{base}/a")
    assert (found.files, found.is_whole, found.failure) == (1, True, "")
    assert asked == ["/sitemap.xml"]


@pytest.mark.parametrize(
    ("second", "is_partial"),
    [
        (f"<urlset>{entry('/2')}</urlset>", False),
        ("<urlset></urlset>", False),
        (index("/deeper.xml"), False),
        (Reply(status=404), False),
        (Reply(status=410), False),
        (Reply(status=403), True),
        (Reply(status=429), True),
        (Reply(status=503), True),
        (Reply(hangs=True), True),
        (typed("", "application/xml"), True),
        (html("<html><h1>Sorry</h1></html>"), True),
        (f"<urlset>{entry('/2')}<url>", True),
        (Reply(raw=CUT_OFF), True),
    ],
)
def test_a_part_that_could_not_be_read_is_no_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, second: str | Reply, *, is_partial: bool
) -> None:
    """A sitemap without pages, or an index in an index, has been read, and one that is gone for good has no pages."""
    monkeypatch.setattr(sitemaps, "FILE_S", 0.5)
    first = f"<urlset>{entry('/1')}</urlset>"
    found, _, base = read(tmp_path, {"/sitemap.xml": index("/1.xml", "/2.xml"), "/1.xml": first, "/2.xml": second})

    assert found.urls[0] == f"{base}/1"
    assert found.is_partial is is_partial


def test_what_is_beyond_the_limits_is_no_part_that_could_not_be_read(tmp_path: Path) -> None:
    """Else pages would never leave a set of the first of them; but a failure before is one."""
    many = "<urlset>" + "".join(entry(f"/{number}") for number in range(AT_ONCE + 1)) + "</urlset>"
    routes: dict[str, str | Reply] = {"/sitemap.xml": index("/1.xml", "/2.xml"), "/2.xml": many}
    cut, _, _ = read(tmp_path, {**routes, "/1.xml": many})
    failed, _, _ = read(tmp_path, {**routes, "/1.xml": Reply(status=503)})

    assert [(len(each.urls), each.is_whole, each.is_partial) for each in (cut, failed)] == [
        (AT_ONCE, False, False),
        (AT_ONCE, False, True),
    ]


@pytest.mark.parametrize(
    ("robots", "is_partial"),
    [
        (typed("User-agent: *", "text/plain"), False),
        (typed(b"#" * (sitemaps.ROBOTS_BYTES + 1), "text/plain"), False),
        (Reply(raw=CUT_OFF.replace(b"application/xml", b"text/plain")), True),
        (Reply(status=404), False),
        (Reply(status=410), False),
        (Reply(status=401), True),
        (Reply(status=403), True),
        (Reply(status=429), True),
        (Reply(status=503), True),
        (Reply(hangs=True), True),
    ],
)
def test_a_robots_file_that_may_name_others_is_a_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, robots: Reply, *, is_partial: bool
) -> None:
    """The sitemap at the usual place may be another one."""
    monkeypatch.setattr(sitemaps, "FILE_S", 0.5)
    found, _, base = read(
        tmp_path, {"/robots.txt": robots, "/sitemap.xml": f"<urlset>{entry('/1')}</urlset>"}, path="/"
    )

    assert (found.urls, found.is_partial) == ((f"{base}/1",), is_partial)


def test_an_index_is_followed_one_step(tmp_path: Path) -> None:
    """Its sitemaps are read, compressed ones too; an index in it is not followed, and the result says so."""
    packed = Reply(body=gzip.compress(b"https://example.com/packed\n"), headers=(("Content-Type", "application/gzip"),))
    routes: dict[str, str | Reply] = {
        "/sitemap.xml": index("/one.xml", "/two.gz", "/deep.xml"),
        "/one.xml": f"<urlset>{entry('/1')}</urlset>",
        "/two.gz": packed,
        "/deep.xml": index("/never.xml"),
    }
    found, asked, base = read(tmp_path, routes)

    assert found.urls == (f"{base}/1", "https://example.com/packed")
    assert not found.is_whole
    assert asked == ["/sitemap.xml", "/one.xml", "/two.gz", "/deep.xml"]


def test_a_site_stands_for_the_sitemaps_it_declares(tmp_path: Path) -> None:
    """Those of its robots.txt, else the one at the usual place."""
    listed = f"<urlset>{entry('/1')}</urlset>"
    declared = {"/robots.txt": "Sitemap: {origin}/my.xml", "/my.xml": listed}
    _, asked, _ = read(tmp_path, declared, path="/#/start")
    _, guessed, _ = read(tmp_path, {"/sitemap.xml": listed}, path="/")

    assert asked == ["/robots.txt", "/my.xml"]
    assert guessed == ["/robots.txt", "/sitemap.xml"]


def test_a_large_sitemap_is_cut(tmp_path: Path) -> None:
    """It gives as many addresses as are made at once, and no further sitemap is asked for."""
    many = "".join(entry(f"/{number}") for number in range(AT_ONCE + 1))
    found, asked, _ = read(
        tmp_path, {"/sitemap.xml": index("/one.xml", "/two.xml"), "/one.xml": f"<urlset>{many}</urlset>"}
    )

    assert len(found.urls) == AT_ONCE
    assert not found.is_whole
    assert asked == ["/sitemap.xml", "/one.xml"]


def test_an_index_cannot_make_us_ask_for_ever(tmp_path: Path) -> None:
    """So many files, and not one more; none of them named any page."""
    found, asked, _ = read(tmp_path, {"/sitemap.xml": index(*(f"/{number}.xml" for number in range(100)))})

    assert len(asked) == FILES
    assert (found.urls, found.failure, found.status) == ((), "status", 404)


@pytest.mark.parametrize(
    ("reply", "failure"),
    [
        (html("<!doctype html><p>Not found"), "html"),
        (typed("<urlset></urlset>", "application/xml"), "empty"),
        (typed("<urlset><url>", "application/xml"), "malformed"),
        (typed('<!DOCTYPE urlset [<!ENTITY x "y">]><urlset/>', "application/xml"), "doctype"),
        (typed(b"\x1f\x8b\x08broken", "application/gzip"), "decode"),
        (redirect("http://10.0.0.1/sitemap.xml"), "address_not_allowed"),
        (redirect("file:///etc/passwd"), "address_not_allowed"),
        (redirect("/sitemap.xml"), "protocol"),
        (html("secret of an inner server", status=403), "status"),
    ],
)
def test_what_gives_no_addresses_has_a_code(tmp_path: Path, reply: Reply, failure: str) -> None:
    """Nothing of what was fetched comes back."""
    found, _, _ = read(tmp_path, {"/sitemap.xml": reply})

    assert (found.urls, found.failure, found.is_whole) == ((), failure, False)


def test_addresses_that_must_not_be_contacted_are_refused_at_once(tmp_path: Path) -> None:
    """The same guard as for pages: without a permitted network, nothing on the loopback is asked for."""
    with pytest.raises(URLNotAllowed):
        read(tmp_path, {}, options=ServiceOptions())


@pytest.mark.parametrize("typed_address", ["", "http://", "a b", "ftp://a.example/", "https://u:p@a.example/"])
def test_what_is_no_address_is_refused(tmp_path: Path, typed_address: str) -> None:
    """In the words of the form for one report."""

    async def go() -> None:
        services = Services(database=make_database(tmp_path), options=LOOPBACK)
        try:
            await read_sitemap_urls(services, typed_address, account_id=1)
        finally:
            services.database.close()
            services.passwords.close()

    with pytest.raises((InvalidURL, URLNotAllowed)):
        asyncio.run(go())


def test_a_site_that_hangs_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The result says that it took too long."""
    monkeypatch.setattr("pagegrade.service.sitemaps.WHOLE_S", 0.5)
    found, _, _ = read(tmp_path, {"/sitemap.xml": Reply(hangs=True)})

    assert (found.urls, found.failure) == ((), "time")


def test_a_site_of_others_is_asked_for_only_so_many_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Wherever the index that names them lies; the operator's own sites are not counted."""
    monkeypatch.setattr("pagegrade.service.sitemaps.SITE_FILES_PER_MINUTE", 0)
    far = "<sitemapindex><sitemap><loc>https://far.example/1.xml</loc></sitemap></sitemapindex>"
    found, asked, _ = read(tmp_path, {"/sitemap.xml": far})

    assert (found.urls, found.failure, found.is_whole) == ((), "busy", False)
    assert asked == ["/sitemap.xml"]
