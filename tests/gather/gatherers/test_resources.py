"""Sub-resources of the page and its stylesheets."""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import struct
from typing import Any

import pytest
from msgspec.structs import replace

from pagegrade.gather.context import MAX_REDIRECTS, Context, GatherLimits, OffloadFailed
from pagegrade.gather.exchange import Limits
from pagegrade.gather.gatherers.resources import (
    BATCH_BYTES,
    KEPT_SOURCE_MAP_BYTES,
    MAX_CONCURRENT,
    MAX_ICONS,
    MAX_READ_BYTES,
    MEDIA_BYTES,
    MIN_GZIP_BYTES,
    gather_resources,
    gather_source_maps,
)
from pagegrade.gather.held_bytes import HeldBytes
from pagegrade.model.artifacts import NotGathered, Resource, Resources, ScriptFacts, SourceMaps
from pagegrade.parse.files.image import HEAD_BYTES
from pagegrade.parse.measure import Sample, measure_samples
from tests.builders import make_resource
from tests.gather.sites import Asked, Dying, Names, Reply, Site, Visit, html, make_options, redirect, typed
from tests.waiting import HANG_S

PNG = b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sIIBBBBBI", 13, b"IHDR", 640, 480, 8, 2, 0, 0, 0, 0)


def fetch(page: str, routes: dict[str, Any] | None = None, **more: Any) -> tuple[Resources, Site]:
    """The artifact of a page with this body."""
    site = Site({"/page/": html(page), **(routes or {})})

    async def go() -> Resources:
        async with site, Visit(site, "/page/", **more) as context:
            del site.asked[:]
            found = await gather_resources(context)
            assert isinstance(found, Resources), found
            return found

    return asyncio.run(go()), site


def short(url: str) -> str:
    """The path of an address."""
    return "/" + url.split("/", 3)[3]


def limited(**limits: Any) -> Any:
    """Options with other limits."""
    return make_options(limits=GatherLimits(**limits))


def test_everything_the_page_names_is_fetched_once() -> None:
    """One entry for each address, with every use of it, in document order; fragments and data: do not count."""
    found, site = fetch(
        "<link rel=stylesheet href=/a.css><script src=b.js></script><img src=/c.png><img src=/c.png#x>"
        '<img src="data:image/png;base64,AAAA"><iframe src=/frame></iframe><link rel=preload as=image href=/c.png>',
        {
            "/a.css": typed("", "text/css"),
            "/page/b.js": typed("1", "text/javascript"),
            "/c.png": typed(PNG, "image/png"),
        },
    )

    assert sorted(site.paths()) == ["/a.css", "/c.png", "/frame", "/page/b.js"]
    assert [(short(item.url), item.kinds) for item in found.items] == [
        ("/a.css", ("stylesheet",)),
        ("/page/b.js", ("script",)),
        ("/c.png", ("image", "preload")),
        ("/frame", ("frame",)),
    ]
    assert all(item.first_party and item.failure is None for item in found.items)
    assert all(item.response is not None and item.response.body == b"" for item in found.items)


def test_transport_facts_are_kept_and_the_page_is_named_as_referer() -> None:
    """Status, headers, sizes, codings and redirects belong to each resource; hot-link protection sees our origin."""
    packed = gzip.compress(b"x" * 5_000)
    found, site = fetch(
        "<script src=/old.js></script><img src=/gone.png>",
        {
            "/old.js": redirect("/new.js", 301),
            "/new.js": Reply(body=packed, headers=(("Content-Type", "text/javascript"), ("Content-Encoding", "gzip"))),
        },
    )
    script, image = found.items

    assert [hop.status for hop in script.hops] == [301]
    assert script.response is not None
    assert (script.response.wire_bytes, script.response.content_encodings) == (len(packed), ("gzip",))
    assert script.response.http_version == "HTTP/1.1"
    assert image.response is not None
    assert image.response.status == 404
    assert {asked.headers["referer"] for asked in site.asked} == {site.asked[0].headers["referer"]}
    assert site.asked[0].headers["referer"].count("/") == 3


def test_images_are_measured_by_their_bytes() -> None:
    """Whatever extension and declared type say; an error page in place of an image is none."""
    found, _ = fetch(
        "<img src=/a.jpg><img src=/b.png>",
        {"/a.jpg": typed(PNG + b"\0" * 100_000, "image/jpeg"), "/b.png": html("<!doctype html>")},
    )
    picture, page = found.items

    assert picture.image is not None
    assert (picture.image.format, picture.image.width_px, picture.image.height_px) == ("png", 640, 480)
    assert page.image is None


def test_gzip_is_tried_on_plain_text_that_is_large_enough() -> None:
    """Not on what is coded already, on pictures, or on what fits a packet."""
    text = b"body{color:red}\n" * 200
    packed = Reply(body=gzip.compress(text), headers=(("Content-Type", "text/css"), ("Content-Encoding", "gzip")))
    found, _ = fetch(
        "<link rel=stylesheet href=/plain.css><link rel=stylesheet href=/packed.css><link rel=stylesheet href=/s.css>"
        "<link rel=stylesheet href=/limit.css><img src=/a.png><img src=/b.svg>",
        {
            "/plain.css": typed(text, "text/css; charset=utf-8"),
            "/packed.css": packed,
            "/s.css": typed(text[: MIN_GZIP_BYTES - 1], "text/css"),
            "/limit.css": typed(text[:MIN_GZIP_BYTES], "text/css"),
            "/a.png": typed(PNG + b"\0" * 9_999, "image/png"),
            "/b.svg": typed(b"<svg width='3' height='4'>" + b" " * 9_999, "image/svg+xml"),
        },
    )
    sizes = {short(item.url): item.gzip_bytes for item in found.items}

    assert sizes["/plain.css"] == len(gzip.compress(text, 6))
    assert sizes["/limit.css"] is not None
    assert sizes["/b.svg"] is not None
    assert (sizes["/packed.css"], sizes["/s.css"], sizes["/a.png"]) == (None, None, None)


def test_stylesheets_are_read_for_imports_images_and_fonts() -> None:
    """Relative to the sheet's own place after redirects; of a face only the best format is fetched."""
    found, site = fetch(
        "<link rel=stylesheet href=/main.css>",
        {
            "/main.css": redirect("/css/main.css"),
            "/css/main.css": typed(
                "@import 'more.css'; p{background:url(a.png)} @font-face{src:url(f.woff2),url(f.woff)}", "text/css"
            ),
            "/css/more.css": typed("p{background:url(../b.png)}", "text/css"),
        },
    )

    assert sorted(site.paths()) == [
        "/b.png",
        "/css/a.png",
        "/css/f.woff2",
        "/css/main.css",
        "/css/more.css",
        "/main.css",
    ]
    assert [(short(ref.url), ref.kind, short(ref.stylesheet_url)) for ref in found.stylesheet_references] == [
        ("/css/more.css", "stylesheet", "/main.css"),
        ("/css/a.png", "image", "/main.css"),
        ("/css/f.woff2", "font", "/main.css"),
        ("/css/f.woff", "font", "/main.css"),
        ("/b.png", "image", "/css/more.css"),
    ]
    assert [(short(url), why) for url, why in found.not_fetched] == [("/css/f.woff", "skipped")]
    assert short(found.by_url()[found.stylesheet_references[4].url].initiator_url) == "/css/more.css"


def test_import_chains_and_loops_end() -> None:
    """Three steps of import are followed, the fourth is noted; a sheet that imports itself is fetched once."""
    routes = {f"/{n}.css": typed(f"@import '{n + 1}.css'; @import '{n}.css';", "text/css") for n in range(6)}
    found, site = fetch("<link rel=stylesheet href=/0.css>", routes)

    assert site.paths() == ["/0.css", "/1.css", "/2.css", "/3.css"]
    assert [(short(url), why) for url, why in found.not_fetched] == [("/4.css", "skipped")]


def test_one_candidate_of_each_image_is_fetched() -> None:
    """The plain source; where there is none, the first of the set; the others are noted."""
    found, site = fetch(
        '<img src=/a.png srcset="/a2.png 2x, /a3.png 3x"><img srcset="/b1.png 1x, /b2.png 2x">'
        '<picture><source srcset="/c.avif" type=image/avif><img src=/c.png></picture>'
    )

    assert sorted(site.paths()) == ["/a.png", "/b1.png", "/c.png"]
    assert {short(url): why for url, why in found.not_fetched} == dict.fromkeys(
        ("/a2.png", "/a3.png", "/b2.png", "/c.avif"), "skipped"
    )


def test_lazy_images_and_icons_come_last() -> None:
    """With a budget for one request only, the eager one gets it; icons are fetched up to a few."""
    page = "<link rel=icon href=/i.png><img loading=lazy src=/late.png><img src=/now.png>"
    found, site = fetch(page, options=limited(requests=1))
    icons = "".join(f"<link rel=icon href=/{number}.png>" for number in range(MAX_ICONS + 1))
    _, with_icons = fetch(icons)

    assert site.paths() == ["/now.png"]
    assert {short(url): why for url, why in found.not_fetched} == {"/i.png": "count", "/late.png": "count"}
    assert len(with_icons.asked) == MAX_ICONS


@pytest.mark.parametrize(("count", "left_out"), [(5, 0), (6, 1), (50, 45)])
def test_requests_are_bounded(count: int, left_out: int) -> None:
    """At the limit all are fetched, past it the later ones are noted."""
    page = "".join(f"<img src=/{number}.png>" for number in range(count))
    found, site = fetch(page, options=limited(requests=5))

    assert len(site.asked) == 5
    assert [why for _, why in found.not_fetched] == ["count"] * left_out


@pytest.mark.parametrize(("count", "left_out"), [(3, 0), (4, 1)])
def test_hosts_are_bounded(count: int, left_out: int) -> None:
    """One host more than allowed is left out."""
    page = "".join(f"<img src=//h{number}.example.net/a.png>" for number in range(count))
    found, _ = fetch(page, options=limited(hosts=3), resolver=Names({}))

    assert [why for _, why in found.not_fetched] == ["hosts"] * left_out
    assert [item.failure.code for item in found.items if item.failure is not None] == ["dns"] * 3
    assert not any(item.first_party for item in found.items)


def test_bytes_are_bounded() -> None:
    """Once the total is reached nothing more is begun."""
    routes: dict[str, Any] = {f"/{n}.css": typed(f"@import '{n + 1}.css';" + " " * 6_000, "text/css") for n in range(4)}
    for total, fetched in ((6_000, 1), (6_100, 2)):
        found, site = fetch("<link rel=stylesheet href=/0.css>", routes, options=limited(total_wire_bytes=total))

        assert len(site.asked) == fetched
        assert [why for _, why in found.not_fetched] == ["bytes"]


def test_those_under_way_are_cut_when_the_total_is_used_up() -> None:
    """Many at once take no more together than one after the other."""
    count, total = 8, 50_000
    routes: dict[str, Any] = {f"/{n}.js": typed(b"a" * 20_000, "text/javascript") for n in range(count)}
    page = "".join(f"<script src=/{n}.js></script>" for n in range(count))
    found, _ = fetch(page, routes, options=limited(total_wire_bytes=total))
    taken = sum(item.response.wire_bytes or 0 for item in found.items if item.response is not None)

    assert taken == total


@pytest.mark.parametrize(("size", "cut"), [(10_000, None), (10_001, "limit")])
def test_one_resource_is_cut_at_its_limit(size: int, cut: str | None) -> None:
    """A cut body says so, and is not measured for compression."""
    found, _ = fetch(
        "<script src=/a.js></script>",
        {"/a.js": typed(b"a" * size, "text/javascript")},
        options=limited(resource_bytes=10_000),
    )
    response = found.items[0].response

    assert response is not None
    assert response.truncated == cut
    assert (found.items[0].gzip_bytes is None) is (cut is not None)


def test_films_are_only_begun() -> None:
    """Of a video the answer matters."""
    found, _ = fetch("<video src=/a.mp4></video>", {"/a.mp4": typed(b"x" * (MEDIA_BYTES + 1), "video/mp4")})
    response = found.items[0].response

    assert response is not None
    assert response.truncated == "limit"


def test_addresses_that_are_not_public_are_refused() -> None:
    """Links and redirects into a private network fail, one by one."""
    found, _ = fetch(
        "<img src=http://10.0.0.1/a><img src=http://[::1]/a><img src=http://localhost.internal:22/a>"
        "<img src=/r><img src=/b.png>",
        {"/r": redirect("http://169.254.169.254/"), "/b.png": typed(PNG, "image/png")},
    )
    codes = [item.failure.code if item.failure else "" for item in found.items]

    assert codes[:2] == ["address_not_allowed"] * 2
    assert codes[2] in {"address_not_allowed", "dns"}
    assert codes[3:] == ["address_not_allowed", ""]
    assert [hop.status for hop in found.items[3].hops] == [302]


@pytest.mark.parametrize(("steps", "code"), [(MAX_REDIRECTS, ""), (MAX_REDIRECTS + 1, "protocol")])
def test_redirects_of_a_resource_are_bounded(steps: int, code: str) -> None:
    """Five are followed, a sixth is a failure that keeps its way."""
    routes: dict[str, Any] = {f"/{step}": redirect(f"/{step - 1}") for step in range(1, steps + 1)}
    found, _ = fetch(f"<img src=/{steps}>", {"/0": typed(PNG, "image/png"), **routes})
    (image,) = found.items

    assert ("" if image.failure is None else image.failure.code) == code
    assert len(image.hops) == steps


def test_silence_of_one_leaves_the_others() -> None:
    """Its time-out is its own failure."""
    found, _ = fetch(
        "<img src=/slow><img src=/a.png>",
        {"/slow": Reply(hangs=True), "/a.png": typed(PNG, "image/png")},
        options=limited(resource_s=1.0),
    )

    assert [item.failure.code if item.failure else "" for item in found.items] == ["timeout", ""]


def test_what_is_not_done_in_time_is_noted_and_the_rest_kept() -> None:
    """The budget's end loses nothing that was there."""
    found, site = fetch(
        "<img src=/a.png><img src=/slow>",
        {"/slow": Reply(hangs=True), "/a.png": typed(PNG, "image/png")},
        options=make_options(budget_s=1.0),
    )

    assert [short(item.url) for item in found.items] == ["/a.png"]
    assert found.items[0].image is not None
    assert [(short(url), why) for url, why in found.not_fetched] == [("/slow", "budget")]
    assert site.open_connections == 0


def test_sub_resources_can_be_left_out() -> None:
    """Then nothing is asked for."""
    site = Site({"/": html("<img src=/a.png>")})

    async def go() -> Resources | NotGathered:
        async with site, Visit(site, options=make_options(subresources=False)) as context:
            return await gather_resources(context)

    found = asyncio.run(go())

    assert isinstance(found, NotGathered)
    assert (found.code, site.paths()) == ("skipped", ["/"])


def test_a_parser_that_dies_on_the_page_fails_the_artifact() -> None:
    """Without references there is nothing to fetch."""
    with pytest.raises(OffloadFailed):
        fetch("<img src=/a.png>", offload=Dying("find_named_urls"))


def test_a_parser_that_dies_on_resources_costs_only_its_facts() -> None:
    """The fetched files stay."""
    found, _ = fetch(
        "<link rel=stylesheet href=/a.css><img src=/b.png>",
        {"/a.css": typed("p{background:url(c.png)}", "text/css"), "/b.png": typed(PNG, "image/png")},
        offload=Dying("measure_samples"),
    )

    assert [short(item.url) for item in found.items][:2] == ["/a.css", "/b.png"]


class Watched:
    """Parses in a thread, and writes down what each call was handed and what the run held meanwhile."""

    def __init__(self) -> None:
        self.samples: list[tuple[Sample, ...]] = []
        self.held: list[int] = []
        self.context: Context | None = None

    async def __call__(self, function: Any, *args: Any, timeout_s: float) -> Any:
        """Call it."""
        del timeout_s
        if function is measure_samples:
            self.samples.append(args[0])
            assert self.context is not None
            self.held.append(self.context.client.held.held_bytes)
        return await asyncio.to_thread(function, *args)


def watch(page: str, routes: dict[str, Any], **more: Any) -> tuple[Resources, Watched, HeldBytes, int]:
    """(the artifact, what was parsed, the budget of the run, what the document alone holds)."""
    offload = Watched()

    async def go() -> tuple[Resources, HeldBytes, int]:
        site = Site({"/page/": html(page), **routes})
        async with site, Visit(site, "/page/", offload=offload, **more) as context:
            offload.context = context
            before = context.client.held.held_bytes
            found = await gather_resources(context)
            assert isinstance(found, Resources), found
            return found, context.client.held, before

    return (*(result := asyncio.run(go()))[:1], offload, *result[1:])


def varied(line: bytes, size: int) -> bytes:
    """So many bytes of numbered lines, which compress well and are no bomb."""
    text = b"".join(line % number for number in range(size // len(line) + 1))
    return text[: size - 1] + b"\n"


def packed(body: bytes, kind: str) -> Reply:
    """The same bytes under gzip."""
    return Reply(body=gzip.compress(body), headers=(("Content-Type", kind), ("Content-Encoding", "gzip")))


def test_bodies_are_facts_before_the_next_ones_are_held() -> None:
    """Forty megabytes of style sheets, scripts and pictures pass through a few; only heads of answers are left."""
    sheet = packed(varied(b"p%d{background:url(/x.png)}\n", 1_900_000), "text/css")
    script = packed(varied(b"function f(){ return %d }\n", 1_900_000), "text/javascript")
    picture = packed(b"GIF89a" + varied(b"frame %d", 3_000_000), "image/gif")
    names = [(f"/{n}.css", sheet, f"<link rel=stylesheet href=/{n}.css>") for n in range(8)]
    names += [(f"/{n}.js", script, f"<script src=/{n}.js></script>") for n in range(8)]
    names += [(f"/{n}.gif", picture, f"<img src=/{n}.gif>") for n in range(8)]
    page = "".join(markup for _, _, markup in names)

    # Seconds of processor time, which other programs may need at the same time.
    options = make_options(budget_s=600, exchange_limits=Limits(connect_s=HANG_S, headers_s=HANG_S))
    found, parsed, held, before = watch(page, {path: reply for path, reply, _ in names}, options=options)
    heads = sum(item.response.header_bytes or 0 for item in found.items if item.response is not None)

    assert len(found.items) == len(names) + 1
    assert held.peak_bytes <= MAX_CONCURRENT * MAX_READ_BYTES + BATCH_BYTES + heads + before
    assert held.held_bytes == before + heads
    assert max(parsed.held) <= held.peak_bytes < held.total_bytes
    assert all(item.decoded_bytes is not None and item.digest for item in found.items if ".png" not in item.url)


def test_a_stylesheet_is_sent_once_and_a_picture_with_its_head() -> None:
    """One look finds what a sheet names and what it weighs; of a picture only the beginning crosses to the child."""
    found, parsed, _, _ = watch(
        "<link rel=stylesheet href=/a.css><img src=/b.png>",
        {
            "/a.css": typed("@font-face{font-family:a;src:url(a.woff2)} p{ color : red }", "text/css"),
            "/b.png": packed(PNG + b"\0" * 400_000, "image/png"),
        },
    )
    samples = [sample for batch in parsed.samples for sample in batch]
    sheets = [sample for sample in samples if sample.referring]

    assert len(sheets) == 1
    assert sheets[0].referring is sheets[0].stylesheet
    assert [len(sample.image_head) for sample in samples if sample.image_head] == [HEAD_BYTES]
    assert {item.url.rsplit("/", 1)[1]: item.decoded_bytes for item in found.items}["b.png"] == len(PNG) + 400_000
    assert len(found.font_faces) == 1


@pytest.mark.parametrize("over", [0, 1])
def test_a_coded_script_is_read_up_to_its_limit(over: int) -> None:
    """A longer one still has its size and its digest."""
    size = MAX_READ_BYTES + over
    body = varied(b"function f(){ return %d }\n", size)
    found, _, _, _ = watch("<script src=/a.js></script>", {"/a.js": packed(body, "text/javascript")})
    (script,) = found.items

    assert (script.decoded_bytes, script.digest) == (size, hashlib.sha256(body).hexdigest()[:32])
    assert (script.script is not None) == (over == 0)


def test_a_budget_that_is_used_up_costs_facts_and_no_resource() -> None:
    """Files that cannot be held are counted all the same; nothing waits for ever."""
    body = b"function f(){ return 1 }\n" * 20_000
    routes = {f"/{n}.js": packed(body, "text/javascript") for n in range(4)}
    page = "".join(f"<script src=/{n}.js></script>" for n in range(4))

    found, _, held, _ = watch(page, routes, options=limited(held_bytes=100_000))

    assert [(item.decoded_bytes, item.script, item.failure) for item in found.items] == [(len(body), None, None)] * 4
    assert held.peak_bytes <= 100_000


def test_a_host_sees_at_most_six_connections() -> None:
    """As browsers behave with HTTP/1.1."""
    most = 0

    def watch(_: Asked) -> Reply:
        nonlocal most
        most = max(most, site.open_connections)
        return typed(PNG, "image/png")

    site = Site({"/": html("".join(f"<img src=/{number}.png>" for number in range(40)))})
    site.routes = {**site.routes, **{f"/{number}.png": watch for number in range(40)}}

    async def go() -> None:
        async with site, Visit(site) as context:
            await gather_resources(context)

    asyncio.run(go())

    assert len(site.asked) == 41
    assert 1 <= most <= 7  # Six, and one whose end the server has not noticed yet.


def test_files_get_the_cookies_of_the_page_and_of_each_other() -> None:
    """As in a browser; another site gets none of them, and a page without cookies sends none."""
    page = Reply(
        headers=(("Content-Type", "text/html"), ("Set-Cookie", "door=open; Path=/")),
        body=b"<link rel=stylesheet href=/a.css>",
    )
    sheet = Reply(
        headers=(("Content-Type", "text/css"), ("Set-Cookie", "late=1; Path=/")),
        body=b"b { background: url(/b.png) } i { background: url(http://127.0.0.2:1/c.png) }",
    )
    site = Site({"/": page, "/a.css": sheet, "/b.png": typed(PNG, "image/png")})

    async def go() -> None:
        async with site, Site({}, address="127.0.0.2") as other:
            body = sheet.body.replace(b"http://127.0.0.2:1", other.origin.encode())
            site.routes = {**site.routes, "/a.css": Reply(headers=sheet.headers, body=body)}
            async with Visit(site, "/") as context:
                await gather_resources(context)
            assert [(asked.target, asked.headers.get("cookie")) for asked in other.asked] == [("/c.png", None)]

    asyncio.run(go())

    assert [(asked.target, asked.headers.get("cookie")) for asked in site.asked] == [
        ("/", None),
        ("/a.css", "door=open"),
        ("/b.png", "door=open; late=1"),
    ]


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
    assert len(items[0].response.body) == KEPT_SOURCE_MAP_BYTES


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
