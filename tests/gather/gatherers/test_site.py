from __future__ import annotations

import asyncio
import gzip
from typing import Any

import pytest

from pagegrade.gather.context import GatherLimits, OffloadFailed
from pagegrade.gather.exchange import FetchError
from pagegrade.gather.gatherers.site import (
    KEPT_ICON_BYTES,
    MAX_FILE_BYTES,
    MAX_ICON_BYTES,
    MAX_NOT_FOUND_BYTES,
    MAX_ROBOTS_BYTES,
    front_door,
    gather_agent_files,
    gather_favicon,
    gather_insecure_probe,
    gather_llms_txt,
    gather_not_found_probe,
    gather_robots_txt,
    gather_security_txt,
    gather_sibling_probe,
    gather_sitemaps,
    sibling_host,
)
from pagegrade.model.artifacts import AgentFiles, NotGathered, Response, Sitemaps, WellKnown
from pagegrade.parse.files.agent_files import PATHS
from tests.gather.sites import Dying, Names, Reply, Site, Visit, html, make_options, redirect, typed

LIST = "<urlset><url><loc>{origin}/page</loc></url></urlset>"
ALLOW_ALL = WellKnown(requested_url="x", response=Response(url="x", status=404))
CATALOG = PATHS["api-catalog"]


def fetch(routes: dict[str, Reply], **limits: float) -> WellKnown:
    """The artifact of a site with a page."""

    async def go() -> WellKnown:
        options = make_options(limits=GatherLimits(**limits))  # type: ignore[arg-type]
        async with (
            Site({"/deep/page": html("<p>"), **routes}) as site,
            Visit(site, "/deep/page", options=options) as page,
        ):
            return await gather_robots_txt(page)

    return asyncio.run(go())


def test_it_is_asked_for_at_the_root_of_the_origin() -> None:
    """Scheme, host and port are those of the document."""
    found = fetch({"/robots.txt": typed("User-agent: *\n", "text/plain")})

    assert found.requested_url.endswith("/robots.txt")
    assert found.requested_url.startswith("http://127.0.0.1:")
    assert found.response.body == b"User-agent: *\n"


def test_redirects_are_followed() -> None:
    """They belong to the artifact."""
    found = fetch({"/robots.txt": redirect("/r"), "/r": typed("x", "text/plain")})

    assert ([hop.status for hop in found.hops], found.response.status) == ([302], 200)


@pytest.mark.parametrize(
    "reply", [html("<!doctype html>"), html("gone", status=404), typed(b"\x00\xff", "image/png"), html("", status=503)]
)
def test_whatever_answers_is_kept(reply: Reply) -> None:
    """An application's fallback page is for the checks to check."""
    found = fetch({"/robots.txt": reply})

    assert (found.response.status, found.response.body) == (reply.status, reply.body)


@pytest.mark.parametrize(("size", "cut"), [(MAX_ROBOTS_BYTES, None), (MAX_ROBOTS_BYTES + 1, "limit")])
def test_it_is_read_up_to_its_limit(size: int, cut: str | None) -> None:
    """500 KiB are read, the rest is cut."""
    response = fetch({"/robots.txt": typed(b"#" * size, "text/plain")}).response

    assert (len(response.body), response.truncated) == (MAX_ROBOTS_BYTES, cut)


def test_silence_is_a_failed_exchange() -> None:
    """The run makes data of it."""
    with pytest.raises(FetchError) as caught:
        fetch({"/robots.txt": Reply(hangs=True)}, well_known_s=0.3)

    assert caught.value.code == "timeout"


def fetch_sitemaps(
    routes: dict[str, Reply | str], *, robots: str | None = None, **more: Any
) -> tuple[Sitemaps, list[str]]:
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
    found, asked = fetch_sitemaps(
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
        found, asked = fetch_sitemaps(routes, robots=robots)

        assert asked == expected
        assert {file.source for file in found.files} == {"guessed"}


def test_statuses_and_failures_are_facts() -> None:
    """Missing, broken off, forbidden and fallback pages each say what they are."""
    found, _ = fetch_sitemaps(
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
    found, asked = fetch_sitemaps(
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
    found, asked = fetch_sitemaps({}, robots="".join(f"Sitemap: /{number}\n" for number in range(count)))

    assert len(found.files) == len(asked) == expected
    assert len(found.declared_in_robots) == count


def test_gzip_as_a_file_is_read() -> None:
    """Without a content coding, as ``.xml.gz`` is served."""
    body = gzip.compress(b"<urlset><url><loc>https://example.com/</loc></url></urlset>")
    found, _ = fetch_sitemaps({"/sitemap.xml": typed(body, "application/gzip")})

    assert (found.files[0].kind, found.files[0].url_count) == ("urlset", 1)


def test_a_large_file_is_cut_and_still_counted() -> None:
    """The part that was read says what it says."""
    entries = "<url><loc>https://example.com/</loc></url>" * 1_000
    limits = GatherLimits(sitemap_bytes=10_000)
    found, _ = fetch_sitemaps({"/sitemap.xml": f"<urlset>{entries}</urlset>"}, options=make_options(limits=limits))
    file = found.files[0]

    assert (file.truncated, file.error, file.kind) == (True, None, "urlset")
    assert 0 < file.url_count < 1_000


def test_silence_is_a_fact() -> None:
    """A time-out of one file leaves the others."""
    found, _ = fetch_sitemaps(
        {"/slow": Reply(hangs=True), "/a.xml": LIST},
        robots="Sitemap: /slow\nSitemap: /a.xml",
        options=make_options(limits=GatherLimits(well_known_s=1.0)),
    )

    assert [file.error for file in found.files] == ["timeout", None]


def test_a_parser_that_dies_is_a_fact() -> None:
    """The file is named with the limit that it went over."""
    found, _ = fetch_sitemaps({"/sitemap.xml": LIST}, offload=Dying("read_sitemap"))

    assert [(file.status, file.error) for file in found.files] == [(200, "parser_limit"), (404, None)]


def test_an_html_robots_txt_declares_nothing() -> None:
    """An application that answers everything with its page is not believed."""
    found, asked = fetch_sitemaps({}, robots="<!doctype html>\nSitemap: /a.xml")

    assert found.declared_in_robots == ()
    assert "/a.xml" not in asked


def fetch_favicon(reply: Reply) -> WellKnown:
    """The artifact of a site with this icon."""

    async def go() -> WellKnown:
        async with Site({"/a/b": html("<p>"), "/favicon.ico": reply}) as site, Visit(site, "/a/b") as page:
            return await gather_favicon(page)

    return asyncio.run(go())


@pytest.mark.parametrize("size", [KEPT_ICON_BYTES, KEPT_ICON_BYTES + 1, MAX_ICON_BYTES])
def test_only_the_first_bytes_are_kept(size: int) -> None:
    """All are counted, and leaving them out is not called a cut."""
    response = fetch_favicon(typed(b"\0\0\1\0" + b"x" * (size - 4), "image/x-icon")).response

    assert (len(response.body), response.wire_bytes, response.truncated) == (KEPT_ICON_BYTES, size, None)


def test_an_icon_over_the_limit_is_cut() -> None:
    """A megabyte of icon is not needed."""
    assert fetch_favicon(typed(b"x" * (MAX_ICON_BYTES + 1), "image/x-icon")).response.truncated == "limit"


def test_a_fallback_page_is_kept_as_it_is() -> None:
    """That it is no icon is for the checks to see."""
    response = fetch_favicon(html("<!doctype html>")).response

    assert (response.status, response.body) == (200, b"<!doctype html>")


def test_file_of_the_origin_is_asked_for() -> None:
    """At its one place, up to its limit."""

    async def go() -> None:
        routes = {"/a/b": html("<p>"), "/.well-known/security.txt": typed("x" * (MAX_FILE_BYTES + 1), "text/plain")}
        async with Site(routes) as site, Visit(site, "/a/b") as visit:
            found = await gather_security_txt(visit)

            assert (found.response.status, found.response.truncated) == (200, "limit")
            assert site.paths() == ["/a/b", "/.well-known/security.txt"]

    asyncio.run(go())


def test_llms_txt_file_of_the_origin_is_asked_for() -> None:
    """At its one place, up to its limit."""

    async def go() -> None:
        routes = {"/a/b": html("<p>"), "/llms.txt": typed("x" * (MAX_FILE_BYTES + 1), "text/plain")}
        async with Site(routes) as site, Visit(site, "/a/b") as visit:
            found = await gather_llms_txt(visit)

            assert (found.response.status, found.response.truncated) == (200, "limit")
            assert site.paths() == ["/a/b", "/llms.txt"]

    asyncio.run(go())


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


@pytest.mark.parametrize(("size", "faults"), [(MAX_FILE_BYTES, ()), (MAX_FILE_BYTES + 1, ("cut off",))])
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


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://example.com/a?b", "http://example.com/"),
        ("http://example.com/a", "http://example.com/"),
        ("https://[2606:4700::1]/", "http://[2606:4700::1]/"),
        ("https://example.com:8443/", None),
        ("http://example.com:8080/", None),
        ("http://example.com:443/", None),
        ("https://example.com:80/", None),
    ],
)
def test_only_standard_ports_have_a_front_door(url: str, expected: str | None) -> None:
    """Port 80 beside an unusual port is another site."""
    assert front_door(url) == expected


def test_an_unusual_port_is_not_applicable() -> None:
    """Nothing is asked for."""
    site = Site({"/": html("<p>")})

    async def go() -> WellKnown | NotGathered:
        async with site, Visit(site) as page:
            return await gather_insecure_probe(page)

    found = asyncio.run(go())

    assert isinstance(found, NotGathered)
    assert (found.code, site.paths()) == ("not_applicable", ["/"])


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("example.com", "www.example.com"),
        ("www.example.com", "example.com"),
        ("example.co.uk", "www.example.co.uk"),
        ("www.example.co.uk", "example.co.uk"),
        ("blog.example.com", None),
        ("www.blog.example.com", None),
        ("www2.example.com", None),
        ("127.0.0.1", None),
        ("[::1]", None),
        ("localhost", None),
        ("xn--fa-hia.de", "www.xn--fa-hia.de"),
    ],
)
def test_only_registrable_domains_have_a_sibling(host: str, expected: str | None) -> None:
    """Public suffixes of two labels count, deeper names and addresses do not."""
    assert sibling_host(host) == expected


@pytest.mark.parametrize("host", ["127.0.0.1", "example.com", "deep.example.com"])
def test_unusual_ports_and_odd_hosts_have_none(host: str) -> None:
    """A test site's port is not the standard one, so the sibling would be another site."""

    async def go() -> object:
        async with Site({"/": html("<p>")}) as site:
            url = site.origin.replace("127.0.0.1", host) + "/"
            async with Visit(
                site, url=url, resolver=Names({"example.com": "127.0.0.1", "deep.example.com": "127.0.0.1"})
            ) as page:
                return await gather_sibling_probe(page)

    found = asyncio.run(go())

    assert isinstance(found, NotGathered)
    assert found.code == "not_applicable"


def probe(missing: Reply) -> WellKnown:
    """The artifact of a site that answers like this for what it does not have."""

    async def go() -> WellKnown:
        async with Site({"/shop/": html("<p>")}, missing=missing) as site, Visit(site, "/shop/") as page:
            return await gather_not_found_probe(page)

    return asyncio.run(go())


@pytest.mark.parametrize("status", [404, 410, 200, 403, 500])
def test_every_answer_is_kept(status: int) -> None:
    """A good error page, a soft one, a firewall and a crash all come back as they are."""
    found = probe(html("<title>Nothing here</title>", status=status))

    assert found.requested_url.endswith("/zebra-lantern-c0ffee")
    assert (found.response.status, found.response.body) == (status, b"<title>Nothing here</title>")


def test_redirect_to_the_front_page_is_kept() -> None:
    """The way is part of the artifact."""
    found = probe(redirect("/shop/"))

    assert [hop.status for hop in found.hops] == [302]
    assert found.response.status == 200


def test_a_huge_error_page_is_cut() -> None:
    """Only its beginning matters."""
    response = probe(html("x" * (MAX_NOT_FOUND_BYTES + 1), status=404)).response

    assert (len(response.body), response.truncated) == (MAX_NOT_FOUND_BYTES, "limit")
