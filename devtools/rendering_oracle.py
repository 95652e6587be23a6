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
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import resources
from ipaddress import ip_network
from pathlib import Path
from threading import Thread
from time import sleep
from typing import Any, Final

from devtools.rendering_pages import PAGES, answer
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
