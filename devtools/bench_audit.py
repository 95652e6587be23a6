"""Cost of an audit per page: a generated site on loopback is crawled and evaluated without a pace.

Beside it, in the same run, a bare fetch of the same pages and a bare walk over their elements. For each size: CPU of
the parent and of the children, what is stored, and the most memory; then how much more memory each further page takes.
The server is a process of its own, whose work is not counted. The last line is JSON.

``--made 1000000`` measures sizes that would take hours to read: the frontier, its tables, the relations and the
analysis are those of a crawl, with ``MADE_LINKS`` links a page, and only the answers are made without requests.

``--known 1000000`` measures the analysis alone, on the relations of a made site with 30 links a page whose findings are
known (``made_crawl``), and fails if one of them is not as expected.
"""

from __future__ import annotations

import argparse
import asyncio
import http.client
import json
import random
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from typing import Final

import turbohtml

from devtools.made_crawl import compare, write_made
from pagegrade.clock import now_ms
from pagegrade.model.audit import AuditSettings, FoundSignature, Link, PageRecord, URLState, WaitingURL
from pagegrade.sandbox.pool import Children
from pagegrade.service.audits.analysis import analyze_folder, analyze_ids
from pagegrade.service.audits.crawl import begin_crawl, finish_crawl, run_crawl
from pagegrade.service.audits.frontier import open_frontier
from pagegrade.service.audits.relations import write_relations
from pagegrade.service.audits.slice import BATCH_PAGES
from pagegrade.service.audits.visits import Visit
from pagegrade.service.runs.options import AnalyzeOptions
from pagegrade.store.analysis.relations import SPILL
from pagegrade.store.repositories.crawls import last_crawl, take_crawl
from pagegrade.wiring import open_audit_database

SIZES: Final = (1_000, 10_000)
NAVIGATION: Final = 50
LINKS: Final = 100
"""Of the main content; with those of the navigation 150 a page."""
PARAGRAPHS: Final = 95
BARE_PAGES: Final = 300
MADE_LINKS: Final = 30
"""Of a page that is made without a request."""
MADE_MENU: Final = 10
"""Those of them that every page has."""
MADE_FOUND: Final = 5
"""Findings of such a page."""
TOLD_EVERY: Final = 100_000
"""Such pages after which memory and time are told."""
_MIX: Final = 0x9E3779B97F4A7C15
_ALL_BITS: Final = (1 << 64) - 1
MAX_RESIDENT_MB: Final = 200.0
"""Of the parent, whatever the size of the site."""
MAX_ANALYSIS_MB: Final = 1_024.0
"""Of the process of the analysis, likewise."""
_LOOK_S: Final = 0.1
"""Between two looks at what does not fit into memory."""
_MADE: Final = "http://example.com"
_WORDS: Final = [f"{first}{second}" for first in "len mur tar sel".split() for second in "dan rek vim sun".split()]
_STYLE: Final = ".skip { position: absolute; left: -9999px } .menu.closed { display: none }" + "".join(
    f".c{number} {{ color: #222; margin: {number}px }}" for number in range(300)
)


@lru_cache(maxsize=64)
def page(number: int, pages: int) -> bytes:
    """About 60 kB of HTML with 150 links, the same for the same numbers."""
    words = random.Random(number)  # noqa: S311 - a page, no secret

    def text(count: int) -> str:
        return " ".join(words.choice(_WORDS) for _ in range(count)).capitalize()

    menu = "".join(f'<li><a href="/p/{at % pages}">Section {at}</a></li>' for at in range(NAVIGATION))
    first = number * LINKS + 1
    items = "".join(
        f'<li class="item"><a href="/p/{at % pages}">{text(4)}</a> <span class="c{at % 300}">{text(6)}.</span></li>'
        for at in range(first, first + LINKS)
    )
    body = "".join(
        f'<section class="c{at}"><h2>{text(5)}</h2><p>{text(50)}. {text(40)}.</p></section>' for at in range(PARAGRAPHS)
    )
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{text(4)} {number}</title>'
        '<meta name="viewport" content="width=device-width"><link rel="stylesheet" href="/site.css">'
        f'<meta name="description" content="{text(14)}."></head><body><header><a class="skip" href="#main">Skip</a>'
        f'<nav><ul class="menu">{menu}</ul></nav></header><main id="main"><h1>{text(5)} {number}</h1>'
        f"{body}<ul>{items}</ul></main><footer><p>{text(20)}.</p></footer></body></html>"
    ).encode()


async def _serve(pages: int) -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with_body = True
        try:
            while line := await reader.readline():
                method, path, _ = line.decode("latin-1").split(" ", 2)
                with_body = method != "HEAD"
                while await reader.readline() not in {b"\r\n", b""}:
                    pass
                status, kind, body = _answer(path, pages)
                head = f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n"
                writer.write(head.encode() + (body if with_body else b""))
                await writer.drain()
        except ConnectionError:
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    sys.stdout.write(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}\n")
    sys.stdout.flush()
    async with server:
        await server.serve_forever()


def _answer(path: str, pages: int) -> tuple[str, str, bytes]:
    number = 0 if path == "/" else int(path[3:]) if path.startswith("/p/") and path[3:].isdecimal() else -1
    if 0 <= number < pages:
        return "200 OK", "text/html; charset=utf-8", page(number, pages)
    if path == "/site.css":
        return "200 OK", "text/css", _STYLE.encode()
    return "404 Not Found", "text/plain", b"There is no such page."


@contextmanager
def serving(pages: int) -> Iterator[str]:
    """Serve a site of so many pages; gives its origin."""
    command = [sys.executable, "-m", __spec__.name, "--serve", str(pages)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield (process.stdout or sys.stdin).readline().strip()
        finally:
            process.terminate()


def measure_bare(origin: str, pages: int) -> float:
    """CPU milliseconds per page of a fetch and a walk over all elements."""
    connection = http.client.HTTPConnection(origin.removeprefix("http://"))
    count = min(pages, BARE_PAGES)
    began = time.process_time()
    seen = 0
    for number in range(count):
        connection.request("GET", f"/p/{number}")
        seen += sum(1 for _ in turbohtml.parse(connection.getresponse().read().decode()).find_all())
    connection.close()
    if seen < 100 * count:
        raise ValueError("The site does not answer with its pages.")
    return 1_000 * (time.process_time() - began) / count


def crawl(origin: str, folder: Path) -> dict[str, float]:
    """Crawl a site in this process, with its children; what that took."""
    database = open_audit_database(folder)
    options = AnalyzeOptions(allow_typed_private=True)
    settings = AuditSettings(rate_per_s=None, max_pages=10_000_000)
    begun = database.write_here(lambda tx: begin_crawl(tx, f"{origin}/", settings, options=options))

    async def work() -> int:
        async with Children() as children:
            ended = await run_crawl(database, begun.id, options=options, children=children)
        return ended.fetched

    began, before = time.monotonic(), resource.getrusage(resource.RUSAGE_SELF)
    fetched = asyncio.run(work())
    took = time.monotonic() - began
    own, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    database.close()
    stored = sum(path.stat().st_size for path in folder.glob("audit.db*"))
    return {
        "pages": fetched,
        "pages_per_s": fetched / took,
        "parent_ms": 1_000 * (own.ru_utime + own.ru_stime - before.ru_utime - before.ru_stime) / fetched,
        "child_ms": 1_000 * (children.ru_utime + children.ru_stime) / fetched,
        "resident_mb": own.ru_maxrss / 1_024,
        "child_resident_mb": children.ru_maxrss / 1_024,
        "stored_bytes": stored / fetched,
    }


def crawl_made(pages: int, folder: Path) -> dict[str, float]:
    """Crawl a site whose answers are made in this process; what that took."""
    database = open_audit_database(folder)
    settings = AuditSettings(rate_per_s=None, max_pages=pages, sitemaps=False)
    begun = database.write_here(lambda tx: begin_crawl(tx, f"{_MADE}/", settings, options=AnalyzeOptions()))
    began = time.process_time()

    async def work() -> int:
        crawl = await database.write(lambda tx: take_crawl(tx, begun.id, now_ms()))
        frontier = await open_frontier(database, crawl)
        await frontier.add_seeds([crawl.start_url], 0)
        told = TOLD_EVERY
        while rows := await frontier.take(min(BATCH_PAGES, pages - frontier.crawl.fetched), set()):
            await frontier.commit([_made_visit(row, pages) for row in rows])
            if frontier.crawl.fetched >= min(told, pages):
                told += TOLD_EVERY
                mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1_024
                used = time.process_time() - began
                sys.stderr.write(f"{frontier.crawl.fetched:,} pages: {mb:.0f} MB, {used:.0f} s of processor time\n")
            if frontier.crawl.fetched >= pages:
                break
        return (await finish_crawl(database, frontier, "done")).fetched

    fetched = asyncio.run(work())
    used = time.process_time() - began
    database.close()
    return {
        "pages": fetched,
        "commit_ms": 1_000 * used / fetched,
        "resident_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1_024,
        "stored_bytes": sum(path.stat().st_size for path in folder.glob("audit.db*")) / fetched,
    }


def _made_visit(row: WaitingURL, pages: int) -> Visit:
    """A page of a site with a menu, sections, and links to pages that no other page has led to before."""
    number = int(row.url.rpartition("/")[2] or 0)
    spread = number * _MIX & _ALL_BITS
    first = number * (MADE_LINKS - MADE_MENU) + 1
    targets = (*range(MADE_MENU), *range(first, first + MADE_LINKS - MADE_MENU))
    links = tuple(
        Link(f"{_MADE}/s{at % pages % 997}/{at % pages}" if at % pages else f"{_MADE}/", anchor=f"Page {at % pages}")
        for at in targets
    )
    record = PageRecord(
        title=f"Title of {number}",
        h1=f"Heading of {number}",
        description=f"Description of {number}",
        lang="en",
        words=300,
        digest=spread,
        simhash=spread ^ spread >> 29,
        template=tuple((number % 7 * _MIX * (at + 1) & _ALL_BITS) >> 48 for at in range(16)),
        score=90,
        links=links,
        found=tuple(
            FoundSignature(name, "missing", 1.0, 1, number % 3 + 10 * at)
            for at, name in enumerate(("title", "csp", "image-alt", "link-text", "lists")[:MADE_FOUND])
        ),
    )
    visit = Visit(row=row, state=URLState.FETCHED, status=200, content_type="text/html", bytes=60_000, time_ms=80.0)
    visit.record = record
    return visit


def evaluate(folder: Path) -> dict[str, float]:
    """Write the relations of a crawl and evaluate them; what that took."""
    database = open_audit_database(folder)
    done = database.read_here(last_crawl)
    if done is None:
        raise ValueError(f"There is no crawl in {folder}.")
    place = folder / "1"
    began = time.process_time()
    database.read_here(lambda tx: write_relations(tx, done, place))
    database.close()
    written_s = time.process_time() - began
    files = sum(path.stat().st_size for path in place.iterdir())
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    analyze_folder(place)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return {
        "relations_ms": 1_000 * written_s / done.fetched,
        "relations_bytes": files / done.fetched,
        "analysis_ms": 1_000 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) / done.fetched,
        "analysis_resident_mb": after.ru_maxrss / 1_024,
    }


def evaluate_known(folder: Path, pages: int) -> dict[str, float]:
    """Evaluate a made site as a service does, and compare the findings with what is known; what that took."""
    most, ended = 0, threading.Event()

    def watch() -> None:
        nonlocal most
        while not ended.wait(_LOOK_S):
            most = max(most, _bytes_in(folder.glob(f"{SPILL}-*/*")))

    watcher = threading.Thread(target=watch)
    watcher.start()
    began = time.monotonic()
    try:
        result, segments, _ = asyncio.run(analyze_ids(folder))
    finally:
        ended.set()
        watcher.join()
    child, own = resource.getrusage(resource.RUSAGE_CHILDREN), resource.getrusage(resource.RUSAGE_SELF)
    found = {
        "analysis_time_s": time.monotonic() - began,
        "analysis_cpu_s": child.ru_utime + child.ru_stime,
        "analysis_resident_mb": child.ru_maxrss / 1_024,
        "resident_mb": own.ru_maxrss / 1_024,
        "spilled_mb": most / 1e6,
        "findings": len(result.findings),
        "rows_bytes": sum(map(len, segments.values())),
    }
    wrong = compare(result, segments, pages)
    for one in wrong:
        sys.stderr.write(f"Not as expected: {one}\n")
    return found | {"wrong": len(wrong)}


def write_known(folder: Path, pages: int) -> dict[str, float]:
    """Write the relations of a made site; the most memory that took."""
    write_made(folder, pages)
    return {"written_resident_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1_024}


def _bytes_in(paths: Iterator[Path]) -> int:
    """Size of files that may be gone at any time."""
    total = 0
    for path in paths:
        with suppress(FileNotFoundError):
            total += path.stat().st_size
    return total


def _in_process(what: str, folder: Path, origin: str) -> dict[str, float]:
    """Measure in a process of its own, whose memory is not that of the measurement before."""
    command = [sys.executable, "-m", __spec__.name, "--step", what, str(folder), origin]
    found: dict[str, float] = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)
    return found


def _step(what: str, folder: Path, of: str) -> dict[str, float]:
    """What ``_in_process`` asks for; ``of`` is an origin or a number of pages."""
    match what:
        case "crawl":
            return crawl(of, folder)
        case "crawl-made":
            return crawl_made(int(of), folder)
        case "write-known":
            return write_known(folder, int(of))
        case "evaluate-known":
            return evaluate_known(folder, int(of))
        case _:
            return evaluate(folder)


def measure(pages: int) -> dict[str, float]:
    """All figures of a site of so many pages."""
    with serving(pages) as origin, tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        bare = measure_bare(origin, pages)
        found = _in_process("crawl", folder, origin)
        found |= _in_process("evaluate", folder, origin)
    return found | {"bare_ms": bare, "ratio": (found["parent_ms"] + found["child_ms"]) / bare}


def measure_made(pages: int) -> dict[str, float]:
    """Figures of a site of so many pages whose answers are made."""
    with tempfile.TemporaryDirectory() as place:
        found = _in_process("crawl-made", Path(place), str(pages))
        return found | _in_process("evaluate", Path(place), "")


def measure_known(pages: int) -> dict[str, float]:
    """Figures of the analysis of a made site of so many pages whose findings are known."""
    with tempfile.TemporaryDirectory() as place:
        # A process begins with the peak of the one that started it, so that one holds nothing large.
        _in_process("write-known", Path(place), str(pages))
        return _in_process("evaluate-known", Path(place), str(pages))


def main() -> int:
    """Measure and print; 1 if a bound is exceeded."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sizes", type=int, nargs="*", default=SIZES)
    parser.add_argument("--serve", type=int)
    parser.add_argument("--step", nargs=3, help="a part of a measurement, which runs in a process of its own")
    parser.add_argument("--made", type=int, help="measure a site of so many pages that is made without requests")
    parser.add_argument("--known", type=int, help="evaluate a made site of so many pages whose findings are known")
    arguments = parser.parse_args()
    if arguments.serve is not None:
        asyncio.run(_serve(arguments.serve))
    if arguments.step is not None:
        what, folder, of = arguments.step
        sys.stdout.write(json.dumps(_step(what, Path(folder), of)))
        return 0
    if arguments.made is not None:
        all_found = {arguments.made: measure_made(arguments.made)}
    elif arguments.known is not None:
        all_found = {arguments.known: measure_known(arguments.known)}
    else:
        all_found = {size: measure(size) for size in arguments.sizes}
    names = list(next(iter(all_found.values())))
    for name in names:
        sys.stdout.write(f"{name:<22}" + "".join(f"{found[name]:>14,.2f}" for found in all_found.values()) + "\n")
    first, last = min(all_found), max(all_found)
    wrong = [
        f"{size} pages: {mb:.0f} MB" for size, one in all_found.items() if (mb := one["resident_mb"]) > MAX_RESIDENT_MB
    ]
    wrong += [
        f"{size} pages: {count:.0f} findings that are not as expected"
        for size, one in all_found.items()
        if (count := one.get("wrong", 0.0))
    ]
    if arguments.known is not None and all_found[arguments.known]["analysis_resident_mb"] > MAX_ANALYSIS_MB:
        wrong.append("the analysis takes too much memory")
    slope = 0.0
    if last > first:
        grown = all_found[last]["resident_mb"] - all_found[first]["resident_mb"]
        slope = grown * (1 << 20) / (last - first)
        sys.stdout.write(f"{'bytes_per_page_more':<22}{slope:>14,.0f}\n")
    for line in wrong:
        sys.stdout.write(f"Out of bounds: {line}\n")
    sys.stdout.write(json.dumps({"sizes": all_found, "bytes_per_page_more": slope}) + "\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
