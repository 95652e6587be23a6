from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from ipaddress import ip_network
from pathlib import Path
from typing import Any

import pytest
import trustme

from pagegrade.gather.browser.options import RenderingFailed, RenderOptions
from pagegrade.gather.browser.page import MAX_DEPARTURES, MAX_DOCUMENTS, Page, RequestAccess
from pagegrade.gather.browser.render import render
from pagegrade.gather.guard import Guard, Policy
from pagegrade.gather.http import HTTPClient
from pagegrade.model.access import Access
from pagegrade.model.artifacts import Artifacts
from pagegrade.model.rendering import Rendering
from pagegrade.parse.http.access import read_access
from tests.gather.scripted import Names
from tests.gather.sites import Asked, Reply, Site, gather_page, html, make_options, redirect, typed
from tests.gather.test_http import context

LOOPBACK = Policy(allow_networks=(ip_network("127.0.0.0/8"),), typed_host="127.0.0.1")
SECRETS = {
    "basic": "Basic cmVhZGVyOm4wdC1TaG93bi0x",
    "header": "n0t-Shown-2",
    "cookie": "n0t-Shown-3",
    "query": "n0t-Shown-4",
}
ACCESS: dict[str, Any] = {
    "user": "reader",
    "password": "n0t-Shown-1",
    "headers": [("X-Door", SECRETS["header"])],
    "cookies": [("session", SECRETS["cookie"])],
    "query": [("key", SECRETS["query"])],
    "user_agent": "Company browser",
}


@dataclass(frozen=True)
class Drawn:
    """A page that was drawn, and what arrived at its own site, another host and another port of its host."""

    rendering: Rendering
    own: Site
    host: Site
    port: Site


def seen(site: Site) -> dict[str, set[str]]:
    """Path without its query -> the secrets that came with a request for it."""
    found: dict[str, set[str]] = {}
    for asked in site.asked:
        text = " ".join((asked.target, *asked.headers.values()))
        arrived = {name for name, secret in SECRETS.items() if secret in text}
        found.setdefault(asked.target.partition("?")[0], set()).update(arrived)
    return found


def draw(program: Path, answer: Callable[[str, Drawn], Reply | None], *, over_tls: bool = False) -> Drawn:
    """Draw ``/`` of a site that answers by path, with an access to its own origin; over TLS all three are."""
    authority = trustme.CA() if over_tls else None

    async def run() -> Drawn:
        async with AsyncExitStack() as stack:
            addresses = ("127.0.0.1", "127.0.0.2")
            tls = [context(authority, each) if authority else None for each in addresses]
            own, host, port = Site({}, tls=tls[0]), Site({}, tls=tls[1], address="127.0.0.2"), Site({}, tls=tls[0])
            places = Drawn(rendering=None, own=own, host=host, port=port)  # type: ignore[arg-type]

            def reply(asked: Asked) -> Reply:
                found = answer(asked.target.partition("?")[0], places)
                return found or html("<title>Not found</title>", status=404)

            for site in (own, host, port):
                site.missing = reply
                await stack.enter_async_context(site)
            access = read_access(origins=[own.origin], **ACCESS)
            trusted = authority.cert_pem.bytes().decode() if authority else ""
            guard = Guard(replace(LOOPBACK, authorities=trusted))
            return Drawn(await _draw(program, own, access, guard), own, host, port)

    return asyncio.run(run())


async def _draw(
    program: Path,
    site: Site,
    access: Access,
    guard: Guard | None = None,
    *,
    url: str = "",
    resolver: Names | None = None,
) -> Rendering:
    async with HTTPClient(guard=guard or Guard(LOOPBACK), resolver=resolver, access=access) as client:
        options = RenderOptions(program=program, network="none", loads=1, time_s=90.0)
        return await render(f"{url or site.origin}/", options, client=client)


def many_ways(path: str, places: Drawn) -> Reply | None:
    """A page that asks for files of its own, and of another host and port, in each way there is."""
    own = places.own.origin
    if path == "/":
        return html(
            f"""<!doctype html><html lang=en><title>T</title><link rel=stylesheet href=/style.css>
            <body><h1>Hello</h1><p>Some text.<img src=/picture.png><iframe src=/inner></iframe>
            <script>
            fetch("/own-api"); new Worker("/worker.js"); navigator.serviceWorker.register("/service.js");
            new WebSocket("{own.replace("http", "ws")}/own-socket"); document.title = document.cookie;
            </script>{_foreign(places.host.origin, "host")}{_foreign(places.port.origin, "port")}"""
        )
    answers = {
        "/style.css": typed("p{color:#111}", "text/css"),
        "/inner": html(f'<img src="/inner.png"><img src="{places.host.origin}/image.png">'),
        "/own-api": typed("{}", "application/json"),
        "/to-host": redirect(f"{places.host.origin}/redirected"),
        "/to-port": redirect(f"{places.port.origin}/redirected", 307),
        "/to-own": redirect("/arrived"),
        "/worker.js": typed(
            f'fetch("/from-worker"); fetch("{places.host.origin}/worker-api", {{mode: "no-cors"}})', "text/javascript"
        ),
        "/service.js": typed(
            f"""self.oninstall = event => event.waitUntil(Promise.all([fetch("/own-service-api"),
            fetch("{places.host.origin}/service-api", {{mode: "no-cors"}})]))""",
            "text/javascript",
        ),
        "/frame": html(f'<img src="{own}/asked-by-frame.png"><img src=/of-frame.png>'),
    }
    return answers.get(path)


def _foreign(place: str, name: str) -> str:
    return f"""<script src="{place}/script.js"></script><iframe src="{place}/frame"></iframe>
        <img src="{place}/image.png"><img src="/to-{name}"><img src="/to-own?{name}">
        <script>
        fetch("{place}/api", {{mode: "no-cors"}}); fetch("{place}/api", {{mode: "no-cors", credentials: "include"}});
        fetch("/to-{name}?fetched", {{mode: "no-cors"}});
        new WebSocket("{place.replace("http", "ws")}/socket"); navigator.sendBeacon("{place}/beacon");
        </script>"""


@pytest.mark.allow_hosts(["127.0.0.1", "127.0.0.2"])
@pytest.mark.parametrize("over_tls", [False, True], ids=["http", "https"])
def test_it_goes_to_the_origin_whatever_asks_and_nowhere_else(program: Path, *, over_tls: bool) -> None:
    """With the document, files, frames, scripts and workers; not with what goes to another host or port.

    There that is files, frames, scripts, workers, service workers, WebSockets, beacons and redirects. Nothing of it
    comes back: scripts have no cookie to read, and no URL that was seen holds the parameter that was added.
    """
    drawn = draw(program, many_ways, over_tls=over_tls)
    own, host, port = map(seen, (drawn.own, drawn.host, drawn.port))

    for path in ("/", "/style.css", "/picture.png", "/inner", "/inner.png", "/own-api", "/worker.js", "/arrived"):
        assert own[path] == set(SECRETS), path

    assert drawn.own.asked[0].headers["user-agent"] == "Company browser"
    for site, arrived in ((drawn.host, host), (drawn.port, port)):
        assert {"/script.js", "/frame", "/image.png", "/api", "/socket", "/beacon", "/redirected"} <= set(arrived)
        assert set().union(*arrived.values()) == set()
        assert not any("Company browser" in asked.headers.get("user-agent", "") for asked in site.asked)

    assert {"/worker-api", "/service-api"} <= set(host)
    assert own["/own-socket"] == set()
    assert own["/own-service-api"] == set(SECRETS)
    assert drawn.rendering.title == ""
    assert not any(secret in repr(drawn.rendering) for secret in SECRETS.values())


def test_a_page_keeps_what_its_server_sets_meanwhile(program: Path) -> None:
    """A cookie of the server wins over one of the same name, and a header of a script over the password."""

    def answer(path: str, _places: Drawn) -> Reply | None:
        page = """<!doctype html><html lang=en><title>T</title><body><h1>Hello</h1>
            <script>fetch("/api", {headers: {Authorization: "Bearer of-the-page"}})</script>"""
        return Reply(
            body=page.encode(),
            headers=(("Content-Type", "text/html"), ("Set-Cookie", "session=renewed"), ("Set-Cookie", "more=1")),
        )

    drawn = draw(program, answer)
    api = next(asked for asked in drawn.own.asked if asked.target.startswith("/api"))

    assert set(api.headers["cookie"].split("; ")) == {"session=renewed", "more=1"}
    assert api.headers["authorization"] == "Bearer of-the-page"


def test_the_page_that_leaves_its_origin_leaves_it_behind(program: Path) -> None:
    """By a redirect of the document itself, to another port."""

    def answer(path: str, places: Drawn) -> Reply | None:
        if path == "/":
            return redirect(f"{places.port.origin}/there")
        return html("<!doctype html><html lang=en><title>T</title><body><h1>Hello</h1><p>Some text.")

    drawn = draw(program, answer)

    assert seen(drawn.own)["/"] == set(SECRETS)
    assert seen(drawn.port)["/there"] == set()


def test_what_is_for_https_never_goes_over_http(program: Path) -> None:
    """By a redirect of the document or of a file, or as a file, to the host and port that get it over https."""
    authority = trustme.CA()

    async def run() -> tuple[Site, Site]:
        async with Site({}, tls=context(authority, "127.0.0.1")) as own, Site({}, missing=html("x")) as plain:
            page = f"""<!doctype html><html lang=en><title>T</title><body><h1>Hello</h1>
                <img src="{plain.origin}/file.png"><img src="/moved.png">
                <script>setTimeout(() => location = "/leave", 500)</script>"""
            own.routes = {
                f"/?key={SECRETS['query']}": html(page),
                f"/moved.png?key={SECRETS['query']}": redirect(f"{plain.origin}/moved.png"),
                f"/leave?key={SECRETS['query']}": redirect(f"{plain.origin}/left"),
            }
            origins = [own.origin, plain.origin.replace("http:", "https:")]
            access = read_access(origins=origins, **ACCESS)
            policy = replace(LOOPBACK, authorities=authority.cert_pem.bytes().decode())
            await _draw(program, own, access, Guard(policy))
            return own, plain

    own, plain = asyncio.run(run())

    assert seen(own)["/"] == seen(own)["/moved.png"] == set(SECRETS)
    assert plain.asked
    assert set().union(*seen(plain).values()) == set()


@pytest.mark.allow_hosts(["127.0.0.1", "127.0.0.2"])
def test_it_follows_no_name_to_another_address(program: Path) -> None:
    """DNS rebinding: within a run the address stays, and the next run does not reach what the name means now."""
    names, authority = Names({"site.com": ("127.0.0.1",)}), trustme.CA()
    touched: list[str] = []

    def answer(asked: Asked) -> Reply:
        names.addresses = {"site.com": ("127.0.0.2",)}
        if asked.target.startswith("/?"):
            return html("<!doctype html><html lang=en><title>T</title><h1>Hello</h1><img src=/late.png>")
        return typed("", "image/png")

    def touch(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        touched.append("127.0.0.2")
        writer.close()

    async def run() -> tuple[list[Asked], int]:
        async with Site({}, missing=answer, tls=context(authority, "site.com")) as own:
            url = own.origin.replace("127.0.0.1", "site.com")
            networks, trusted = (ip_network("127.0.0.1/32"),), authority.cert_pem.bytes().decode()
            guard = Guard(Policy(allow_networks=networks, typed_host="site.com", authorities=trusted))
            access = read_access(origins=[url], **ACCESS)
            await _draw(program, own, access, guard, url=url, resolver=names)
            first = list(own.asked)
            async with await asyncio.start_server(touch, "127.0.0.2", int(url.rpartition(":")[2])):
                with pytest.raises(RenderingFailed):
                    await _draw(program, own, access, guard, url=url, resolver=names)
            return first, len(own.asked)

    first, count = asyncio.run(run())
    arrived = {
        asked.target.partition("?")[0] for asked in first if SECRETS["header"] in asked.headers.get("x-door", "")
    }

    assert {"/", "/late.png"} <= arrived
    assert (touched, count) == ([], len(first))


def cookie_wall(asked: Asked) -> Reply:
    """A page for those who bring a session and keep the cookie that its redirect to itself sets."""
    sent = asked.headers.get("cookie", "")
    if "session=n0t-Shown-3" not in sent:
        return html("<h1>Not for you</h1>", status=401)
    if "wall=passed" not in sent:
        headers = (
            ("Location", "/"),
            ("Set-Cookie", "wall=passed; Path=/; HttpOnly"),
            ("Set-Cookie", "gone=1; Max-Age=0"),
        )
        return Reply(status=302, headers=headers)
    if asked.target == "/style.css":
        return typed("p{color:#111}", "text/css")
    return html(
        "<!doctype html><html lang=en><title>T</title><link rel=stylesheet href=/style.css><h1>Hello</h1><p>Text"
    )


def test_both_engines_send_the_same_cookies(program: Path) -> None:
    """To a page that redirects to itself until it gets its cookie back, and to its files."""

    async def run() -> tuple[Artifacts, list[Asked]]:
        async with Site({}, missing=cookie_wall) as site:
            access = read_access(origins=[site.origin], cookies=[("session", "n0t-Shown-3"), ("theme", "dark")])
            drawn = RenderOptions(program=program, network="none", loads=1, time_s=90.0)
            return await gather_page(site, options=make_options(access=access, render=drawn)), site.asked

    artifacts, asked = asyncio.run(run())
    sent: dict[tuple[str, bool], set[str]] = {}
    for each in asked:
        if each.target in {"/", "/style.css"} and "cookie" in each.headers:
            by_browser = each.headers["user-agent"].startswith("Mozilla")
            sent.setdefault((each.target, by_browser), set()).add("; ".join(sorted(each.headers["cookie"].split("; "))))

    both = "session=n0t-Shown-3; theme=dark; wall=passed"

    assert isinstance(artifacts.rendering, Rendering)
    assert artifacts.navigation.response.status == 200
    assert artifacts.rendering.title == "T"
    assert sent["/", False] == sent["/", True] == {"session=n0t-Shown-3; theme=dark", both}
    assert sent["/style.css", False] == sent["/style.css", True] == {both}


class Wire:
    """Takes handlers, and plays events to them."""

    def __init__(self) -> None:
        self.handlers: dict[str, Any] = {}

    def on(self, event: str, handler: Any) -> None:
        self.handlers[event] = handler

    def play(self, event: str, *, session: str = "s", **params: Any) -> None:
        self.handlers[event](params, session)


def visited(*steps: tuple[str, str], session: str = "s", parent: str | None = None) -> Page:
    """A page that shows one document, and then others: (cause in the browser's words, URL)."""
    page, wire = Page(session="s", target="t", frame="f"), Wire()

    async def play() -> None:
        page.listen(wire, RequestAccess(wire, None))  # type: ignore[arg-type]
        wire.play("Page.frameNavigated", frame={"id": "f", "url": "https://example.com/"})
        for reason, url in steps:
            wire.play("Page.frameRequestedNavigation", frameId="f", reason=reason, session=session)
            wire.play("Page.frameNavigated", frame={"id": "f", "url": url, "parentId": parent}, session=session)

    asyncio.run(play())
    return page


@pytest.mark.parametrize(
    ("reason", "kind"),
    [
        ("metaTagRefresh", "meta"),
        ("httpHeaderRefresh", "header"),
        ("reload", "reload"),
        ("scriptInitiated", "script"),
        ("formSubmissionPost", "script"),
    ],
)
def test_a_departure_has_its_kind_and_its_address(reason: str, kind: str) -> None:
    """The first document is the page itself."""
    (departure,) = visited((reason, "https://example.com/next")).departures

    assert (departure.kind, departure.url) == (kind, "https://example.com/next")


def test_a_page_that_leaves_before_it_is_known_has_its_kind() -> None:
    """The browser's events may come before the answer that names the page's frame."""
    page, wire = Page(session="s", target="t"), Wire()

    async def play() -> None:
        page.listen(wire, RequestAccess(wire, None))  # type: ignore[arg-type]
        wire.play("Page.frameNavigated", frame={"id": "f", "url": "https://example.com/"})
        wire.play("Page.frameRequestedNavigation", frameId="f", reason="metaTagRefresh")
        wire.play("Page.frameRequestedNavigation", frameId="inner", reason="scriptInitiated")
        wire.play("Page.frameNavigated", frame={"id": "f", "url": "https://example.com/next"})

    asyncio.run(play())

    assert [departure.kind for departure in page.departures] == ["meta"]


def test_frames_leave_without_the_page() -> None:
    """Those of other processes have a session of their own."""
    assert visited(("scriptInitiated", "https://example.net/"), parent="f").departures == []
    assert visited(("scriptInitiated", "https://example.net/"), session="frame").departures == []


def test_departures_are_bounded() -> None:
    """As many documents are counted as show that it does not end."""
    page = visited(*[("reload", "https://example.com/")] * 100)

    assert len(page.departures) == MAX_DEPARTURES
    assert len(page.documents) == MAX_DOCUMENTS + 1


def test_only_the_process_of_the_page_crashes_it() -> None:
    """A frame of another site may crash alone."""
    page = Page(session="s", target="t")
    page.crash({}, "frame")

    assert not page.crashed
    page.crash({}, "s")

    assert page.crashed
