from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

from msgspec.structs import replace

from pagegrade.gather.browser.options import RenderOptions
from pagegrade.gather.gatherers.rendering import gather_rendering
from pagegrade.model.artifacts import NOT_RENDERED, NotGathered
from pagegrade.model.rendering import Rendering
from tests.gather.sites import Site, Visit, html, make_options

PAGE = html(
    "<!doctype html><html lang=en><title>T</title><h1>Hello</h1><script>document.title += location.hash</script>"
)


def gather(program: Path | None, path: str = "/", **options: object) -> Rendering | NotGathered:
    """The artifact of a small page."""

    async def run() -> Rendering | NotGathered:
        render = None if program is None else RenderOptions(program=program, network="none", loads=1, **options)  # type: ignore[arg-type]
        options_of_visit = replace(make_options(), render=render)
        async with Site({"/": PAGE}) as site, Visit(site, path, options=options_of_visit) as visit:
            return await gather_rendering(visit)

    return asyncio.run(run())


def test_a_page_is_opened_by_its_route(program: Path) -> None:
    """A script shows another page for each fragment; the server was asked for the one that has them all."""
    drawn = gather(program, "/#/chairs")

    assert isinstance(drawn, Rendering)
    assert (drawn.title, drawn.departures) == ("T#/chairs", ())
    assert "#" not in drawn.final_url


def test_without_being_asked_nothing_is_drawn() -> None:
    """Static analysis needs no browser."""
    assert gather(None) == NOT_RENDERED


_STATIC_ANALYSIS = """
import sys, threading
from http.server import BaseHTTPRequestHandler, HTTPServer
import pagegrade

PAGE = b"<!doctype html><html lang=en><title>Lamps</title><h1>Lamps</h1><p>Of oak. <a href=/shop>Shop</a>"

class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200 if self.path == "/" else 404)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(PAGE if self.path == "/" else b"Not found.")
    def log_message(self, *arguments):
        pass

server = HTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
report = pagegrade.analyze(f"http://127.0.0.1:{server.server_port}/", allow_networks=["127.0.0.0/8"])
print(report.error, report.score is not None)
print(*sorted(name for name in sys.modules if name.startswith("pagegrade.gather.browser.")))
"""


def test_a_static_analysis_loads_nothing_of_the_rendered_engine() -> None:
    """Only the types of its options and errors, so that it costs what it did before there was an engine."""
    done = subprocess.run(
        [sys.executable, "-c", _STATIC_ANALYSIS], env={}, capture_output=True, encoding="utf-8", check=True
    )

    assert done.stdout.splitlines() == ["None True", "pagegrade.gather.browser.options"]


def test_a_browser_that_cannot_be_started_is_a_missing_artifact() -> None:
    """Everything else of the report stands."""
    found = gather(Path("/bin/true"))

    assert isinstance(found, NotGathered)
    assert found.code in {"browser_crash", "browser_sandbox"}


def test_the_time_of_the_rendering_is_limited() -> None:
    """And said."""
    found = gather(Path("/bin/cat"), time_s=1.5)

    assert isinstance(found, NotGathered)
