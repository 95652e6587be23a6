from __future__ import annotations

import asyncio
import ssl
import struct
import zlib
from datetime import UTC, datetime
from ipaddress import ip_network
from pathlib import Path
from time import sleep
from typing import Any

import pytest
import trustme

from pagegrade.checks._facts import Facts
from pagegrade.checks._registry import all_checks
from pagegrade.checks._run import run_check
from pagegrade.gather.browser.options import RenderingFailed, RenderOptions
from pagegrade.gather.browser.render import render
from pagegrade.gather.guard import Guard, Policy
from pagegrade.gather.http import HTTPClient
from pagegrade.model.outcome import NotRun, Outcome
from pagegrade.model.rendering import Rendering
from pagegrade.parse.rendering.metrics import rendered_metrics
from pagegrade.parse.rendering.timeline import Recording
from tests.builders import make_artifacts
from tests.gather.browser.pages import ONE_ADDRESS, PLAIN, draw, serving, tripwire
from tests.gather.forward_proxies import ADDRESS, needs_tinyproxy, policy_through, tinyproxy
from tests.gather.forward_proxies import Proxy as ForwardProxy
from tests.gather.scripted import Names
from tests.gather.sites import Site, html

ALL_OF_LOOPBACK = Policy(allow_networks=(ip_network("127.0.0.0/8"),), typed_host="127.0.0.1")


SHOP = """<!doctype html><html lang=en><title>Served</title>
<style>.pale{color:#bbb;background:#fff} .gone{display:none} .veiled{visibility:hidden} .unused{color:red}</style>
<body><h1>Shop with a long name</h1><p class=pale>Pale words</p>
<p class=gone>gone words</p><p class=veiled>veiled words</p>
<div id=late></div>
<script>
document.title = "Drawn";
document.getElementById("late").innerHTML = "<p>Added by a script</p>";
document.cookie = "seen=1";
console.error("broken", 7);
function never() { return "this function is never called, and is long enough to be seen as unused"; }
fetch("/missing");
</script>"""


@pytest.fixture(scope="module")
def shop(program: Path) -> Rendering:
    """A page that scripts and styles change."""
    return draw(program, {"/": SHOP})[0]


def test_metrics_come_from_the_trace(shop: Rendering) -> None:
    """A small page without a network shape is painted and interactive at once."""
    metrics = rendered_metrics(shop)

    assert metrics.fcp_ms is not None
    assert metrics.lcp_ms is not None
    assert 0 < metrics.fcp_ms <= metrics.lcp_ms
    assert metrics.cls == 0
    assert metrics.tti_ms is not None
    assert metrics.tbt_ms is not None
    assert metrics.load_ms is not None


def test_the_document_is_that_after_scripts(shop: Rendering) -> None:
    """With marks on what is hidden and how, and nothing else changed."""
    assert shop.title == "Drawn"
    assert "<p>Added by a script</p>" in shop.html
    assert '<p class="gone" data-pagegrade-hidden="off">' in shop.html
    assert '<p class="veiled" data-pagegrade-hidden="veiled">' in shop.html
    assert '<p class="pale">' in shop.html


def test_the_largest_element_is_named(shop: Rendering) -> None:
    """By a selector that finds it."""
    assert shop.lcp_element is not None
    assert shop.lcp_element.selector.endswith("h1")
    assert shop.lcp_element.width_px > 0


def test_requests_are_listed_with_their_answers(shop: Rendering) -> None:
    """The one that fails, too."""
    found = {request.url.rpartition("/")[2]: request for request in shop.requests}

    assert found[""].kind == "document"
    assert found[""].status == 200
    assert found["missing"].status == 404
    assert found["missing"].initiator == "script"


def test_the_console_is_kept(shop: Rendering) -> None:
    """Messages of scripts and of the browser."""
    texts = [message.text for message in shop.console if message.level == "error"]

    assert "broken 7" in texts
    assert any("404" in text for text in texts)


def test_contrast_is_measured(shop: Rendering) -> None:
    """By axe-core, with the colours."""
    assert shop.axe is not None
    contrast = next(result for result in shop.axe if result.rule == "color-contrast" and result.outcome == "violation")

    assert [node.selector for node in contrast.nodes] == [".pale"]
    assert dict(contrast.nodes[0].data)["fgColor"] == "#bbbbbb"
    assert contrast.nodes[0].characters == len("Palewords")


def test_most_of_the_pale_text_is_listed(program: Path) -> None:
    """A long list is cut, and what costs most comes first."""
    words = "<p style='color: #bbb'>Pale</p>" * 40 + "<p style='color: #bbb'>A longer pale sentence</p>"
    rendering = draw(program, {"/": f"<!doctype html><html lang=en><title>Pale</title><h1>Pale</h1>{words}"})[0]

    found = next(one for one in rendering.axe or () if one.rule == "color-contrast" and one.outcome == "violation")

    assert found.node_count == 41
    assert [node.characters for node in found.nodes] == [len("Alongerpalesentence"), *[len("Pale")] * 29]


def test_unused_code_is_counted(shop: Rendering) -> None:
    """Of scripts the functions that never ran, of style sheets the rules that select nothing."""
    kinds = {one.kind: one for one in shop.coverage or ()}

    assert 0 < kinds["script"].unused_bytes < kinds["script"].total_bytes
    assert 0 < kinds["stylesheet"].unused_bytes < kinds["stylesheet"].total_bytes


def test_cookies_of_scripts_are_named(shop: Rendering) -> None:
    """The server set none."""
    assert shop.cookies_by_script == ("seen",)


def test_pictures_are_webp_that_the_browser_made(shop: Rendering) -> None:
    """Of the viewport, the whole page, and some moments of the load."""
    kinds = {picture.kind for picture in shop.pictures}

    assert kinds == {"viewport", "full_page", "frame"}
    assert all(picture.data[:4] == b"RIFF" and picture.data[8:12] == b"WEBP" for picture in shop.pictures)


def png(width: int, height: int) -> bytes:
    """A picture of one colour."""
    rows = (b"\0" + b"\x50\x80\xa0" * width) * height

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


FAULTY = """<!doctype html><html lang=en><title>Faulty</title>
<meta http-equiv=Content-Security-Policy content="script-src 'self' 'unsafe-inline'">
<style>@font-face{font-family:"Own Font";src:url(/f.woff2)} @font-face{font-family:Unused;src:url(/u.woff2)}
h1{font-family:"Own Font"} .cover{object-fit:cover;width:120px;height:80px;padding:10px;border:1px solid}</style>
<body><h1>Faulty</h1><img id=a src=/a.png width=100 alt=a><img class=cover src=/a.png srcset="/b.png 2x" alt=b>
<my-box><p id=words>slotted words</p></my-box><div style=height:3000px></div><img src=/c.png alt=c width=50>
<script>
customElements.define("my-box", class extends HTMLElement {
  connectedCallback() {
    this.attachShadow({mode: "open"}).innerHTML =
      "<h2 id=words>shadow words</h2><div aria-labelledby=words><slot>none</slot></div><img src=/a.png width=20 alt=s>";
  }
});
addEventListener("unload", () => 1);
const late = document.createElement("script");
late.src = "/late.js";
document.head.append(late);
</script><script src=/busy.js></script><script>eval("1")</script>"""
BUSY = b"const end = performance.now() + 300; while (performance.now() < end) ;"


@pytest.fixture(scope="module")
def faulty(program: Path) -> Rendering:
    """A page with what the checks for rendered pages look for."""
    pictures = {f"/{name}.png": ("image/png", png(*size)) for name, size in (("a", (400, 300)), ("b", (800, 600)))}
    files = {"/busy.js": ("text/javascript", BUSY), "/late.js": ("text/javascript", b"let a = 'regeneratorRuntime'")}
    return draw(program, {"/": FAULTY, "/c.png": ("image/png", png(50, 50)), **pictures, **files})[0]


def test_tasks_of_the_main_thread_are_recorded(faulty: Rendering) -> None:
    """The one that blocks, with the script that it runs."""
    (load,) = faulty.loads
    metrics = rendered_metrics(faulty)

    assert load.has_tasks
    assert any((task.end_ms or 0) - task.start_ms >= 300 for task in load.long_tasks)
    assert load.script_times[0].url.endswith("/busy.js")
    assert load.script_times[0].time_ms >= 290
    assert metrics.tbt_ms is not None


def test_images_have_their_place_and_the_pixels_of_their_file(faulty: Rendering) -> None:
    """The chosen candidate, without border and padding; images of shadow trees, too."""
    found = [
        (image.url.rpartition("/")[2], image.natural_width_px, round(image.width_px), image.fit, image.y_px > 3_000)
        for image in faulty.images
    ]

    assert found == [
        ("a.png", 400, 100, "fill", False),
        ("b.png", 800, 120, "cover", False),
        ("c.png", 50, 50, "fill", True),
        ("a.png", 400, 20, "fill", False),
    ]
    assert faulty.pixel_ratio == 1.75


def test_fonts_that_were_used_are_named(faulty: Rendering) -> None:
    """Not those that are only declared."""
    assert [(font.family, font.display) for font in faulty.fonts] == [("Own Font", "auto")]


def test_the_browsers_issues_are_kept(faulty: Rendering) -> None:
    """Violations of its own policy, and features that browsers will remove."""
    found = {(issue.kind, issue.subject) for issue in faulty.issues}

    assert ("csp", "script-src") in found
    assert ("deprecation", "UnloadHandler") in found


def test_scripts_that_scripts_load_are_read(faulty: Rendering) -> None:
    """For traces of outdated code."""
    legacy = {one.url.rpartition("/")[2]: one.legacy for one in faulty.coverage or () if not one.inline}

    assert legacy["late.js"] == ("regenerator (compiled generators)",)
    assert legacy["busy.js"] == ()


def test_shadow_trees_are_part_of_the_document(faulty: Rendering) -> None:
    """Slots hold what is assigned to them, and equal ids of two trees stay apart."""
    assert (
        '<my-box><h2 id="words--tree-1">shadow words</h2><div aria-labelledby="words--tree-1">'
        '<p id="words">slotted words</p></div>' in faulty.html
    )
    assert faulty.html.count(">none<") == 1, "that of the script"


@pytest.mark.parametrize(
    ("check_id", "state"),
    [
        ("oversized-images", "fitting"),
        ("offscreen-images", "deferred"),
        ("long-tasks", "long"),
        ("deprecated-apis", "own"),
        ("csp-violations", "blocked"),
        ("legacy-javascript", "some"),
        ("dom-size", "moderate"),
    ],
)
def test_checks_evaluate_what_a_browser_drew(faulty: Rendering, check_id: str, state: str) -> None:
    """With the facts of a real browser, as with those of their examples; the pictures are too small to matter."""
    page = make_artifacts(FAULTY, url=faulty.final_url, rendering=faulty)
    verdict = run_check(all_checks()[check_id], Facts(page))

    assert isinstance(verdict, Outcome), verdict
    assert verdict.state == state


FORBIDDEN = """<!doctype html><html lang=en><title>Hostile</title><body><h1>Hostile</h1>
<img src="http://{target}/img"><link rel=stylesheet href="http://{target}/css"><script src="http://{target}/js"></script>
<link rel=preconnect href="http://{target}"><link rel=dns-prefetch href="http://{target}">
<link rel=prefetch href="http://{target}/prefetch"><link rel=prerender href="http://{target}/prerender">
<iframe src="http://{target}/iframe"></iframe><object data="http://{target}/object"></object>
<video src="http://{target}/video" autoplay muted></video><embed src="http://{target}/embed">
<iframe src="file:///etc/passwd"></iframe>
<form action="http://{target}/form" method=post target=f id=form></form><iframe name=f></iframe>
<script type=speculationrules>{{"prefetch":[{{"source":"list","urls":["http://{target}/speculation"]}}]}}</script>
<script>
const quietly = (work) => {{
  try {{ const done = work(); if (done && done.catch) done.catch(() => 0); }} catch (error) {{}}
}};
quietly(() => fetch("http://{target}/fetch", {{mode: "no-cors"}}));
quietly(() => navigator.sendBeacon("http://{target}/beacon", "x"));
quietly(() => new WebSocket("ws://{target}/socket"));
quietly(() => new EventSource("http://{target}/events"));
quietly(() => new WebTransport("https://{target}/transport"));
quietly(() => window.open("http://{target}/popup"));
quietly(() => document.getElementById("form").submit());
quietly(() => new Worker(URL.createObjectURL(new Blob([`fetch("http://{target}/worker", {{mode: "no-cors"}});
  importScripts("http://{target}/import")`]))));
const shared = new Blob([`fetch("http://{target}/shared", {{mode: "no-cors"}})`]);
quietly(() => new SharedWorker(URL.createObjectURL(shared)));
quietly(() => navigator.serviceWorker.register("/service-worker.js"));
quietly(() => {{
  const urls = ["stun:{target}", "turn:{target}?transport=tcp"];
  const peer = new RTCPeerConnection({{iceServers: [{{urls, username: "u", credential: "c"}}]}});
  peer.createDataChannel("x");
  return peer.createOffer().then((one) => peer.setLocalDescription(one));
}});
quietly(() => {{ const request = new XMLHttpRequest(); request.open("GET", "/redirect"); request.send(); }});
quietly(() => {{ const image = new Image(); image.src = "//{target}/late"; }});
quietly(() => alert("dialog")); quietly(() => confirm("dialog")); quietly(() => print());
addEventListener("beforeunload", (event) => {{ event.preventDefault(); }});
</script>"""


def touches(program: Path, policy: Policy) -> tuple[Rendering, list[bytes]]:
    """Draw a page that tries to reach another address in every way; what arrived there."""

    async def run() -> tuple[Rendering, list[bytes]]:
        async with tripwire("127.0.0.2") as (port, touched):
            pages: dict[str, str | tuple[str, bytes]] = {
                "/": FORBIDDEN.format(target=f"127.0.0.2:{port}"),
                "/service-worker.js": ("text/javascript", f'fetch("http://127.0.0.2:{port}/sw")'.encode()),
            }
            async with serving(pages) as site, HTTPClient(guard=Guard(policy)) as client:
                options = RenderOptions(program=program, network="none", loads=1, time_s=90.0)
                return await render(f"{site.origin}/", options, client=client), touched

    return asyncio.run(run())


@pytest.mark.allow_hosts(["127.0.0.1", "127.0.0.2"])
def test_no_forbidden_address_is_touched(program: Path) -> None:
    """Through none of the ways that a page has to reach one; the page is drawn all the same."""
    rendering, touched = touches(program, ONE_ADDRESS)

    assert touched == []
    assert dict(rendering.refused_hosts)["127.0.0.2"] > 0
    assert rendering.title == "Hostile"
    assert "root:" not in rendering.html


@pytest.mark.allow_hosts(["127.0.0.1", "127.0.0.2"])
def test_the_tripwire_can_be_touched(program: Path) -> None:
    """If the policy allows the address, the same page reaches it in many ways."""
    _, touched = touches(program, ALL_OF_LOOPBACK)
    paths = {data.split(b" ")[1].decode() for data in touched if data.count(b" ") > 1}

    assert {"/img", "/css", "/js", "/iframe", "/fetch", "/beacon", "/socket", "/events", "/worker"} <= paths


@pytest.mark.parametrize(
    "script",
    [
        "for (;;) ;",
        "setInterval(() => { for (;;) ; }, 1)",
        "document.body.innerHTML = '<iframe src=/loop></iframe>'.repeat(20)",
    ],
    ids=["at once", "later", "in frames"],
)
def test_endless_loops_end_with_the_time(program: Path, script: str) -> None:
    """The browser is ended from outside."""
    page = f"{PLAIN}<script>{script}</script>"

    with pytest.raises(RenderingFailed) as failed:
        draw(program, {"/": page, "/loop": "<script>for(;;);</script>"}, time_s=8.0)

    assert failed.value.code == "timeout"


def test_proportions_links_and_frames_are_seen(program: Path) -> None:
    """A squeezed image and no turned one, a link that only its color marks, and frames, also in a shadow tree."""
    page = f"""{PLAIN}<style>p{{color:#000;background:#fff}} a{{color:#222;text-decoration:none}}</style>
<p>Some words and <a href=/x>a link</a> among them.</p><img src=/a.png width=100 height=100 alt=a>"""
    files = {"/a.png": ("image/png", png(400, 300)), "/frame": "<img src=/b.png>"}
    without, _ = draw(program, {"/": page, **files})
    framed, _ = draw(program, {"/": f"{page}<iframe title=f src=/frame></iframe>", **files})
    turned = f"""{PLAIN}<style>img{{width:100px;height:75px;padding:9px 3px;transform:rotate(5deg) scale(2)}}</style>
<img src=/a.png alt=a><my-box></my-box><script>customElements.define("my-box", class extends HTMLElement {{
connectedCallback() {{ this.attachShadow({{mode: "open"}}).innerHTML = "<iframe title=f src=/frame></iframe>" }} }})
</script>"""
    inside, _ = draw(program, {"/": turned, **files})
    kept = run_check(all_checks()["image-aspect-ratio"], Facts(make_artifacts(turned, rendering=inside)))
    facts = Facts(make_artifacts(page, url=without.final_url, rendering=without))
    verdicts = [run_check(all_checks()[name], facts) for name in ("image-aspect-ratio", "link-in-text-block")]

    assert [verdict.state for verdict in verdicts if isinstance(verdict, Outcome)] == ["distorted", "color_alone"]
    assert "frames_not_checked" not in without.notes
    assert "frames_not_checked" in framed.notes
    assert "frames_not_checked" in inside.notes
    assert isinstance(kept, Outcome)
    assert kept.state == "kept"


def test_the_work_of_the_main_thread_is_seen_by_its_kind(program: Path) -> None:
    """A script that asks for a size after every change makes the browser lay out the page each time."""
    script = (
        "for (let i = 0; i < 300; i++) { const p = document.createElement('p'); p.textContent = 'word '.repeat(60); "
        "document.body.append(p); p.offsetHeight; }"
    )
    rendering, _ = draw(program, {"/": f"{PLAIN}<script>{script}</script>"})
    work = {one.kind: one for one in rendering.loads[0].work}

    assert {"script", "layout", "paint", "parse"} <= set(work)
    assert work["layout"].forced_ms > 0.5 * work["layout"].time_ms
    assert all(0 <= one.forced_ms <= one.time_ms + 1 for one in work.values())


def test_a_page_without_rest_keeps_what_was_seen(program: Path) -> None:
    """The time suffices for one load of three, which is cut: its facts stand, the missing ones are not evaluated."""
    script = "setInterval(() => { const end = performance.now() + 90; while (performance.now() < end); }, 400)"
    rendering, site = draw(program, {"/": f"{PLAIN}<script>{script}</script>"}, time_s=30.0, loads=3)
    unused = run_check(all_checks()["unused-javascript"], Facts(make_artifacts(rendering=rendering)))

    assert {"loads_cut", "load_timeout"} <= set(rendering.notes)
    assert len(rendering.loads) == 1
    assert site.asked.count("/") == 1
    assert rendered_metrics(rendering).fcp_ms is not None
    assert "<h1>Hello</h1>" in rendering.html
    assert rendering.axe
    assert rendering.coverage is None
    assert isinstance(unused, NotRun)


def test_a_memory_bomb_is_ended(program: Path) -> None:
    """By the watchdog, before it hurts others."""
    page = f"{PLAIN}<script>const all=[];setInterval(()=>all.push(new Uint8Array(6e7).fill(7)),5)</script>"

    with pytest.raises(RenderingFailed) as failed:
        draw(program, {"/": page}, max_memory_bytes=500_000_000)

    assert failed.value.reason == "memory"


def test_a_page_that_cannot_be_opened_says_so(program: Path) -> None:
    """With the browser's own word."""

    async def run() -> None:
        async with HTTPClient(guard=Guard(ONE_ADDRESS)) as client:
            options = RenderOptions(program=program, network="none", loads=1, time_s=60.0)
            await render("http://127.0.0.3:8080/", options, client=client)

    with pytest.raises(RenderingFailed) as failed:
        asyncio.run(run())

    assert failed.value.code == "navigation"
    assert "ERR_" in failed.value.detail


async def drawn_at(
    program: Path, site: Site, policy: Policy, host: str = "page-lab.com"
) -> Rendering | RenderingFailed:
    """A page at a name of this machine."""
    url = f"http{'s' if site.tls else ''}://{host}:{site.origin.rpartition(':')[2]}/"
    names = Names({host: (site.address,)})
    options = RenderOptions(program=program, network="none", loads=1)
    async with HTTPClient(guard=Guard(policy), resolver=names) as client:
        try:
            return await render(url, options, client=client)
        except RenderingFailed as error:
            return error


@pytest.mark.parametrize(
    ("identity", "not_after", "is_trusted", "works"),
    [
        ("page-lab.com", datetime(2100, 1, 1, tzinfo=UTC), True, True),
        ("page-lab.com", datetime(2100, 1, 1, tzinfo=UTC), False, False),
        ("other.com", datetime(2100, 1, 1, tzinfo=UTC), True, False),
        ("page-lab.com", datetime(2020, 1, 1, tzinfo=UTC), True, False),
    ],
    ids=["trusted", "not trusted", "wrong host", "expired"],
)
def test_a_browser_trusts_the_authorities_of_the_operator(
    program: Path, identity: str, not_after: datetime, *, is_trusted: bool, works: bool
) -> None:
    """As it trusts its own: names and dates are verified all the same."""
    authority = trustme.CA()
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(identity, not_after=not_after).configure_cert(tls)
    pem = authority.cert_pem.bytes().decode() if is_trusted else ""
    policy = Policy(allow_networks=(ip_network("127.0.0.1/32"),), typed_host="page-lab.com", authorities=pem)

    async def scenario() -> Rendering | RenderingFailed:
        async with Site({"/": html(PLAIN)}, tls=tls) as site:
            return await drawn_at(program, site, policy)

    found = asyncio.run(scenario())

    assert isinstance(found, Rendering) is works, found
    assert works or "ERR_CERT_" in str(found)


@needs_tinyproxy
def test_a_browser_reaches_pages_through_the_proxy(program: Path, tmp_path: Path) -> None:
    """By addresses that were checked; what leads inside is not asked of the proxy."""
    page = f'{PLAIN}<img src="http://10.0.0.1/a.png" alt=""><script>fetch("http://inside.com/")</script>'

    async def scenario(proxy: ForwardProxy) -> tuple[Rendering | RenderingFailed, str]:
        async with Site({"/": html(page)}, address=ADDRESS) as site:
            return await drawn_at(program, site, policy_through(proxy, "page-lab.com")), site.origin.removeprefix(
                "http://"
            )

    with tinyproxy(tmp_path, password=True) as proxy:
        found, place = asyncio.run(scenario(proxy))
        asked = proxy.asked()

    assert isinstance(found, Rendering), found
    assert "Hello" in found.html
    assert set(asked) == {place}
    assert ("10.0.0.1", 1) in {(host, min(count, 1)) for host, count in found.refused_hosts}


def test_a_page_that_is_busy_for_ever_is_charged_with_its_own_tasks(
    program: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While the trace is collected nobody asks the page, which says nothing of how long its last task was."""
    add = Recording.add

    def add_slowly(self: Recording, events: list[Any]) -> None:
        if not self.marks:
            sleep(4)
        add(self, events)

    monkeypatch.setattr(Recording, "add", add_slowly)
    script = "(function work() { const end = performance.now() + 300; while (performance.now() < end); "
    rendering, _ = draw(program, {"/": f"{PLAIN}<script>{script}setTimeout(work) }})()</script>"}, time_s=30.0)
    (load,) = rendering.loads
    *tasks, last = load.long_tasks

    assert len(tasks) > 5
    assert (last.end_ms or load.end_ms) - last.start_ms < 3_000
    assert last.start_ms >= (tasks[-1].end_ms or 0.0)
