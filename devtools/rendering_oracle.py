"""Comparison of the rendered engine with Lighthouse and axe-core, page by page, on pages made for it.

``python -m devtools.rendering_oracle --lighthouse node_modules/.bin/lighthouse`` needs Lighthouse (npm) and a Chromium.
Lighthouse loads each page and saves its trace; the metrics that we compute from the same trace must equal those that it
reports. Our own browser loads the page, too: its unused bytes are compared with Lighthouse's, and its violations with
those of axe-core run alone in the page. The pages are served on the loopback. Exit status 1: something differs by more
than its bound.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import resources
from ipaddress import ip_network
from pathlib import Path
from threading import Thread
from time import sleep
from typing import Any, Final

from pagegrade.checks._unused import wasted_bytes
from pagegrade.gather.browser.options import DEVICES, HOW_TO_GET_ONE, RenderOptions, VisitOptions, find_browser
from pagegrade.gather.browser.process import run_browser
from pagegrade.gather.browser.render import render
from pagegrade.gather.browser.visit import Visit
from pagegrade.gather.guard import Guard, Policy
from pagegrade.gather.http import HTTPClient
from pagegrade.model.rendering import Rendering, Timeline
from pagegrade.parse.rendering.metrics import measure_load
from pagegrade.parse.rendering.timeline import Recording, read_timeline

_HEAD: Final = (
    "<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content='width=device-width'><title>{name}"
    "</title><style>body{{margin:16px;font:18px sans-serif}}img,section{{display:block}}</style><body>"
)
_WORDS: Final = "<p>" + "Brass lamps need some care, and every part of them can be replaced. " * 6
_BUSY: Final = "const busy=(ms)=>{const end=performance.now()+ms;while(performance.now()<end);};"

PAGES: Final[dict[str, str]] = {
    "text": f"<h1>Lamps</h1>{_WORDS}",
    "late-image": f"<h1>Lamps</h1>{_WORDS}<img src=/a.png?600 width=380 height=300 alt=Lamp>",
    "shifts": f"<h1>Lamps</h1><div id=top></div>{_WORDS * 2}"
    "<script>[200,500,900,2600,2900].forEach((ms)=>setTimeout(()=>{const one=document.createElement('div');"
    "one.style.height='60px';document.getElementById('top').append(one);},ms));</script>",
    "tasks": f"<h1>Lamps</h1>{_WORDS}<script>{_BUSY}"
    "[300,900,1500].forEach((ms,n)=>setTimeout(()=>busy(80+n*100),ms));</script>",
    "drawn": f"<div id=app></div><script>{_BUSY}setTimeout(()=>{{busy(200);document.getElementById('app').innerHTML="
    "'<h1>Lamps</h1>'+'<p>Drawn by a script, line after line.</p>'.repeat(20);},500);</script>",
    "steps": "<h1>Lamps</h1><script>let n=0;const more=setInterval(()=>{const one=document.createElement('section');"
    "one.style.cssText=`height:120px;background:hsl(${n*60} 70% 45%)`;document.body.append(one);"
    "if(++n===6)clearInterval(more);},350);</script>",
    "dark": "<style>body{background:#102030;color:#eee}</style><h1>Lamps</h1>"
    f"{_WORDS}<img src=/b.png?900 width=380 height=400 alt=Lamp>",
    "frame": f"<h1>Lamps</h1>{_WORDS}<iframe src=/shifts/ width=360 height=300 title=Shifts></iframe>",
    "polling": f"<h1>Lamps</h1>{_WORDS}<script>for(let n=0;n<4;n+=1)fetch(`/c.txt?${{1200+n*500}}`);</script>",
    "unused": f"<link rel=stylesheet href=/unused.css><h1>Lamps</h1>{_WORDS}<script src=/unused.js></script>",
    "banner": f"<h1 style=height:200px>Lamps</h1>{_WORDS}<script>setTimeout(()=>{{document.body.prepend("
    "Object.assign(document.createElement('section'),{textContent:'Cookies',style:'height:180px;background:#ddd'}));"
    "},700);</script>",
    "carousel": "<h1>Lamps</h1><div id=stage><img src=/a.png width=380 height=300 alt=One></div><script>"
    "setTimeout(()=>{document.getElementById('stage').innerHTML='<img src=/b.png width=380 height=400 alt=Two>';},800);"
    "</script>",
    "spinner": "<style>@keyframes turn{to{transform:rotate(1turn)}}#wait{width:80px;height:80px;background:#c33;"
    "animation:turn 1s linear infinite}</style><h1>Lamps</h1><div id=wait></div><script>setTimeout(()=>{"
    "document.getElementById('wait').outerHTML='<p>'+'Ready at last. '.repeat(60);},2000);</script>",
    "faults": "<h1>Lamps</h1><p style='color:#bbb'>Pale words</p><img src=/a.png><input><a href=/x></a>"
    "<button></button><div role=checkbox>On</div><ul><div>x</div></ul><span role=wrong>x</span>"
    "<a href=/a style='font-size:10px'>a</a><a href=/b style='font-size:10px'>b</a>",
}
"""Name -> markup of its body. A number in the query of a file delays it by so many milliseconds."""
METRICS: Final[dict[str, tuple[str, float, float]]] = {
    "fcp_ms": ("observedFirstContentfulPaint", 0.01, 1.0),
    "lcp_ms": ("observedLargestContentfulPaint", 0.01, 1.0),
    "cls": ("observedCumulativeLayoutShift", 0.01, 0.0005),
    "tbt_ms": ("totalBlockingTime", 0.01, 1.0),
    "si_ms": ("observedSpeedIndex", 0.03, 1.0),
    "tti_ms": ("interactive", 0.0, 100.0),
}
"""Our metric -> name in Lighthouse's audit of metrics, largest relative and absolute difference. Lighthouse rounds
times to a millisecond."""
UNUSED: Final = {"script": "unused-javascript", "stylesheet": "unused-css-rules"}
MAX_UNUSED_DIFFERENCE: Final = 0.02
TIMEOUT_S: Final = 180
_FLAGS: Final = (
    "--headless=new --no-sandbox --disable-gpu --disable-background-networking --disable-component-update "
    "--disable-sync --no-first-run"
)


def answer(path: str) -> tuple[str, bytes, float]:
    """Media type, body and delay in seconds of what is served at a path; the type is empty for what does not exist."""
    path, _, query = path.partition("?")
    delay_s = int(query) / 1_000 if query.isdecimal() else 0.0
    name = path.strip("/")
    if name in PAGES:
        return "text/html; charset=utf-8", (_HEAD.format(name=name) + PAGES[name]).encode(), delay_s
    if name == "elements":
        rows = "".join(f"<p>Lamp {number} <b>brass</b></p>" for number in range(int(query or 0) // 2))
        return "text/html; charset=utf-8", (_HEAD.format(name=name) + f"<h1>Lamps</h1><main>{rows}</main>").encode(), 0
    found = _FILES.get(name)
    return (*found, delay_s) if found is not None else ("", b"", 0.0)


def _png(red: int, green: int, blue: int) -> bytes:
    width, height = 400, 300
    rows = b"".join(
        b"\0" + bytes(channel for x in range(width) for channel in ((red + x) % 256, (green + y) % 256, blue))
        for y in range(height)
    )

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def _script() -> bytes:
    """60 functions of which every third is called."""
    parts = []
    for number in range(60):
        body = f"const text{number}='{chr(97 + number % 26) * 1_500}';return text{number}.length+{number};"
        parts.append(f"function part{number}(){{{body}}}\n" + (f"part{number}();\n" if number % 3 == 0 else ""))
    return "".join(parts).encode()


def _sheet() -> bytes:
    """400 rules of which two select something."""
    rules = [f".none{number}{{color:#{number:06x};background:#fff;padding:{number}px}}\n" for number in range(800)]
    return "".join((*rules, "h1{color:#123}\n", "p{color:#234}\n")).encode()


_FILES: Final[dict[str, tuple[str, bytes]]] = {
    "a.png": ("image/png", _png(20, 90, 160)),
    "b.png": ("image/png", _png(160, 60, 40)),
    "c.txt": ("text/plain", b"later"),
    "unused.js": ("text/javascript", _script()),
    "unused.css": ("text/css", _sheet()),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; the exit status."""
    parser = argparse.ArgumentParser(prog="python -m devtools.rendering_oracle")
    parser.add_argument("--lighthouse", type=Path, required=True, help="the command, as npm installs it")
    parser.add_argument("--chrome", default=shutil.which("chromium") or "chromium", help="for Lighthouse and axe-core")
    parser.add_argument("--only", nargs="*", choices=sorted(PAGES), help="names of pages")
    given = parser.parse_args(arguments)
    program = find_browser()
    if program is None:
        parser.error(HOW_TO_GET_ONE)
    failed = 0
    sys.stdout.write(f"{'page':12}{'value':20}{'ours':>12}{'theirs':>12}{'difference':>12}\n")
    with tempfile.TemporaryDirectory() as scratch, serving() as origin:
        for name in given.only or PAGES:
            url = f"{origin}/{name}/"
            report, trace = run_lighthouse(url, given.lighthouse, given.chrome, Path(scratch))
            rows = [
                *asyncio.run(compare_metrics(program, trace, report["audits"]["metrics"]["details"]["items"][0])),
                *compare_page(asyncio.run(draw(program, url)), report, run_axe(url, given.chrome)),
            ]
            for what, ours, theirs, holds in rows:
                failed += not holds
                difference = (
                    f"{_number(ours) - _number(theirs):+.3f}" if ours is not None and theirs is not None else ""
                )
                mark = "" if holds else "  !"
                sys.stdout.write(f"{name:12}{what:20}{ours!s:>12}{theirs!s:>12}{difference:>12}{mark}\n")
            sys.stdout.flush()
    sys.stdout.write(f"{failed} beyond their bounds\n")
    return 1 if failed else 0


Row = tuple[str, Any, Any, bool]
"""Name of a value, ours, theirs, and whether they agree."""


def _number(value: object) -> float:
    return float(value) if isinstance(value, (int, float)) else 0.0


@contextmanager
def serving() -> Iterator[str]:
    """Serve the pages; their origin."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            kind, body, delay_s = answer(self.path)
            sleep(delay_s)
            self.send_response(200 if kind else 404)
            self.send_header("Content-Type", kind or "text/plain")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name of the base class
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def run_lighthouse(
    url: str, lighthouse: Path, chrome: str, folder: Path, *, everything: bool = False
) -> tuple[dict[str, Any], list[Any]]:
    """The report about a page, with all audits or those that are compared, and the events of its trace.

    Raises:
        subprocess.CalledProcessError: Lighthouse failed.
    """
    target = folder / "report.json"
    command = [
        *("node", str(lighthouse.resolve()), url, "--quiet", "--output=json", f"--output-path={target}"),
        *("--save-assets", "--throttling-method=provided", f"--chrome-flags={_FLAGS}"),
        *(() if everything else (f"--only-audits=metrics,{','.join(UNUSED.values())}",)),
    ]
    environment = {**os.environ, "CHROME_PATH": chrome, "HOME": str(folder)}
    subprocess.run(command, env=environment, cwd=folder, timeout=TIMEOUT_S, capture_output=True, check=True)
    trace = json.loads((folder / "report-0.trace.json").read_bytes())
    return json.loads(target.read_bytes()), trace["traceEvents"]


async def compare_metrics(program: Path, trace: Sequence[Any], theirs: Mapping[str, Any]) -> list[Row]:
    """Our metrics of Lighthouse's trace against its own."""
    metrics = measure_load(await timeline_of(program, trace))
    rows: list[Row] = []
    for name, (other, share, least) in METRICS.items():
        ours, expected = getattr(metrics, name), theirs.get(other)
        agree = (ours is None) == (expected is None)
        if ours is not None and expected is not None:
            ours = round(ours, 4)
            agree = abs(ours - expected) <= max(least, share * expected)
        rows.append((name, ours, expected, agree))
    return rows


async def timeline_of(program: Path, trace: Sequence[Any]) -> Timeline:
    """The timeline of a trace, with its pictures compared in our browser as in every run.

    Raises:
        ValueError: The trace has no navigation to an http(s) document.
    """
    recording = Recording()
    recording.add(trace)
    marks = sorted(recording.marks, key=lambda event: float(event["ts"]), reverse=True)
    start = next(event for event in marks if _opens_page(event))
    end_us = max(event["ts"] + event.get("dur", 0) for event in trace if isinstance(event.get("ts"), (int, float)))
    read = read_timeline(recording, frame=start["args"]["frame"], lasted_s=(end_us - start["ts"]) / 1e6)
    if read is None:
        raise ValueError("the trace shows no page")
    timeline, origin_us = read
    shots = [((time - origin_us) / 1_000, picture) for time, picture in sorted(recording.screenshots)]
    async with run_browser(program, max_memory_bytes=1_000_000_000) as browser:
        visit = Visit(browser.connection, VisitOptions(device=DEVICES["mobile"], network="none", time_s=60.0))
        timeline, _ = await visit.with_frames(timeline, shots, keep=0)
    return timeline


def _opens_page(event: Mapping[str, Any]) -> bool:
    """Return whether an event is the navigation of the main frame to an http(s) document."""
    data = event["args"].get("data", {})
    is_main = data.get("isOutermostMainFrame", True)
    return event["name"] == "navigationStart" and is_main and str(data.get("documentLoaderURL")).startswith("http")


async def draw(program: Path, url: str, *, loads: int = 1) -> Rendering:
    """The page in our browser."""
    policy = Policy(allow_networks=(ip_network("127.0.0.1/32"),), typed_host="127.0.0.1")
    options = RenderOptions(program=program, network="none", loads=loads)
    async with HTTPClient(guard=Guard(policy)) as client:
        return await render(url, options, client=client)


def compare_page(rendering: Rendering, report: Mapping[str, Any], axe: Mapping[str, int]) -> Iterator[Row]:
    """Unused bytes of each file that Lighthouse lists, and the violations of axe-core's rules."""
    requests = {request.url: request for request in rendering.requests}
    for kind, audit in UNUSED.items():
        ours = {
            one.url: wasted_bytes(one, requests.get(one.url))
            for one in rendering.coverage or ()
            if one.kind == kind and not one.inline
        }
        for item in report["audits"][audit]["details"]["items"]:
            expected, size = item["wastedBytes"], ours.get(item["url"])
            if item["url"].startswith("http") and not item["url"].endswith("/"):
                agree = size is not None and abs(size - expected) <= MAX_UNUSED_DIFFERENCE * expected
                yield f"unused {kind}", size, expected, agree
    found = {one.rule: one.node_count for one in rendering.axe or () if one.outcome == "violation"}
    for rule in sorted(found.keys() | axe.keys()):
        yield rule[:19], found.get(rule, 0), axe.get(rule, 0), found.get(rule) == axe.get(rule)


def run_axe(url: str, chrome: str) -> dict[str, int]:
    """Rule -> elements that violate it, of axe-core run alone in the page of another browser."""
    from playwright.sync_api import sync_playwright

    device = DEVICES["mobile"]
    source = resources.files("pagegrade.gather.browser").joinpath("scripts", "axe.min.js").read_text(encoding="utf-8")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chrome, chromium_sandbox=False)
        page = browser.new_page(
            viewport={"width": device.width_px, "height": device.height_px},
            device_scale_factor=device.pixel_ratio,
            is_mobile=True,
            has_touch=True,
        )
        page.goto(url)
        page.wait_for_timeout(6_000)
        page.evaluate(f"{source};0")
        violations = page.evaluate("axe.run({rules: {'target-size': {enabled: true}}}).then((all) => all.violations)")
        browser.close()
    return {one["id"]: len(one["nodes"]) for one in violations}


if __name__ == "__main__":
    sys.exit(main())
