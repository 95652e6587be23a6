"""How fast the engine is: ratios of one run on one machine, because absolute times mean little on a shared one.

For every page of a folder: CPU of the bare parse, of a bare walk that reads every tag and attribute, of the facts, of
all checks, of the score, and what parse + facts + checks + score cost against the bare pair. Then whole analyses per
second against the local test site.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import turbohtml

from pagegrade.checks import Facts, all_checks, run_checks
from pagegrade.checks._run import run_check
from pagegrade.model.document import Document
from pagegrade.parse.html import parse_document
from pagegrade.score import Weighed, prices, score
from pagegrade.service.analysis import artifacts_of_document

ROOT = Path(__file__).resolve().parents[1]
REAL_PAGES = ROOT.parent / "shared" / "corpus"
GOAL_RATIO = 8.0
SMALL_BYTES = 10_000
"""Pages below are left out of the cost by size: what every page costs outweighs them."""
URL = "https://bench.example/section/page"


@dataclass(frozen=True, kw_only=True)
class Row:
    """CPU milliseconds of one page; ``facts`` contains its own parse."""

    name: str
    page_bytes: int
    parse: float
    walk: float
    facts: float
    checks: float
    score: float

    @property
    def ratio(self) -> float:
        """Everything we do against the bare pair."""
        return (self.facts + self.checks + self.score) / (self.parse + self.walk)


def generated_pages() -> Iterator[tuple[str, bytes]]:
    """Pages of several sizes, alike in kind to articles: for machines without a folder of real ones."""
    for paragraphs in (20, 80, 320):
        items = "".join(
            f"<div class='c{n % 7} card' id=i{n}><h2>Part {n}</h2><p class=text>Words about <a href='/t/{n}?a=b#c' "
            f"rel=nofollow>topic {n}</a> and <em>more</em> of them, so that a line is full.</p>"
            f"<img src='/i/{n}.jpg' alt='Picture {n}' width=300 height=200 loading=lazy></div>"
            for n in range(paragraphs)
        )
        yield (
            f"generated-{paragraphs}",
            (
                "<!doctype html><html lang=en><head><meta charset=utf-8><title>A generated page</title>"
                "<meta name=description content='Made for measuring.'><link rel=stylesheet href=/a.css>"
                "<script src=/a.js defer></script><style>p{margin:0}</style></head><body><nav><ul>"
                + "".join(f"<li><a href=/n/{n}>Entry {n}</a>" for n in range(30))
                + f"</ul></nav><main><h1>Generated</h1>{items}</main></body></html>"
            ).encode(),
        )


def cpu_ms(work: Callable[[], object], repeat: int) -> float:
    """Least CPU time of several runs: what the work costs when nothing disturbs it."""
    best = float("inf")
    for _ in range(repeat):
        start = time.process_time_ns()
        work()
        best = min(best, time.process_time_ns() - start)
    return best / 1e6


def bare_walk(tree: turbohtml.Document) -> int:
    """Read every tag and every attribute, and do nothing with them."""
    seen = 0
    for element in tree.iter_elements():
        seen += len(element.tag)
        for _name, _value in element.attrs.items():
            seen += 1
    return seen


def measure(name: str, body: bytes, repeat: int) -> tuple[Row, dict[str, float]]:
    """(the row of one page, CPU milliseconds of each check)."""
    checks = all_checks()
    weighed = {
        check.id: Weighed(category=check.category, weight=check.severity.value, requires=check.requires)
        for check in checks.values()
    }
    price = prices(weighed)
    tree = turbohtml.parse(body)
    artifacts = artifacts_of_document(body, url=URL, headers=(("Content-Type", "text/html; charset=utf-8"),))
    document = parse(body)
    losses = {name: one.loss for name, one in run_checks(checks, Facts(artifacts, document=document)).items()}
    row = Row(
        name=name,
        page_bytes=len(body),
        parse=cpu_ms(lambda: turbohtml.parse(body), repeat),
        walk=cpu_ms(lambda: bare_walk(tree), repeat),
        facts=cpu_ms(lambda: parse(body), repeat),
        checks=cpu_ms(lambda: run_checks(checks, Facts(artifacts, document=fresh(document))), repeat),
        score=cpu_ms(lambda: score(weighed, price, losses), repeat),
    )
    each = {
        check.id: cpu_ms(lambda check=check: run_check(check, Facts(artifacts, document=document)), max(3, repeat // 3))  # type: ignore[misc]
        for check in checks.values()
    }
    return row, each


def parse(body: bytes) -> Document:
    """The facts of a page of the bench."""
    return parse_document(body, url=URL, content_type="text/html; charset=utf-8")


def fresh(document: Document) -> Document:
    """The document without what checks have computed and kept on it."""
    document.__dict__.pop("_metas_by_name", None)
    return document


def print_engine(rows: list[Row], each: dict[str, list[float]]) -> float:
    """The table of pages and the dearest checks; gives the median ratio."""
    print(f"{'page':<22}{'kB':>7}{'parse':>8}{'walk':>8}{'facts':>8}{'checks':>8}{'score':>8}{'ratio':>8}")
    for row in rows:
        print(
            f"{row.name[:21]:<22}{row.page_bytes / 1000:>7.0f}{row.parse:>8.2f}{row.walk:>8.2f}"
            f"{row.facts:>8.2f}{row.checks:>8.2f}{row.score:>8.2f}{row.ratio:>7.1f}x"
        )
    parts = ("parse", "walk", "facts", "checks", "score")
    medians = "".join(f"{statistics.median(getattr(row, part) for row in rows):>8.2f}" for part in parts)
    median = statistics.median(row.ratio for row in rows)
    size = statistics.median(row.page_bytes for row in rows) / 1000
    print(f"{'median':<22}{size:>7.0f}{medians}{median:>7.1f}x")
    per_100_kb = statistics.median(
        (row.facts + row.checks + row.score) / (row.page_bytes / 100_000)
        for row in rows
        if row.page_bytes > SMALL_BYTES
    )
    print(
        f"median: {median:.1f}x the bare pair (goal: at most {GOAL_RATIO:g}x), {per_100_kb:.1f} ms CPU per 100 kB; "
        f"facts {statistics.median(r.facts / (r.parse + r.walk) for r in rows):.1f}x, "
        f"checks {statistics.median(r.checks / (r.parse + r.walk) for r in rows):.1f}x"
    )
    dearest = sorted(((statistics.median(times), name) for name, times in each.items()), reverse=True)[:10]
    print("dearest checks (median ms): " + ", ".join(f"{name} {ms:.3f}" for ms, name in dearest))
    return median


def main(arguments: list[str] | None = None) -> int:
    """Run the bench; exit status 0, whatever the figures: they are for people to judge."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--corpus", type=Path, help="folder of .html files (default: real pages if there, else generated)"
    )
    parser.add_argument("--repeat", type=int, default=7, help="runs of each measurement, of which the best counts")
    parser.add_argument("--analyses", type=int, default=20, help="whole analyses of the local site; 0 for none")
    parser.add_argument("--json", type=Path, help="write the figures to this file too")
    options = parser.parse_args(arguments)
    folder = options.corpus or (REAL_PAGES if REAL_PAGES.is_dir() else None)
    pages = (
        [(path.stem, path.read_bytes()) for path in sorted(folder.glob("*.html"))]
        if folder
        else list(generated_pages())
    )
    if not pages:
        print(f"No .html files in {folder}.", file=sys.stderr)
        return 2
    rows: list[Row] = []
    each: dict[str, list[float]] = {}
    for name, body in pages:
        row, times = measure(name, body, options.repeat)
        rows.append(row)
        for check, ms in times.items():
            each.setdefault(check, []).append(ms)
    median = print_engine(rows, each)
    figures = {"pages": len(rows), "median_ratio": round(median, 2)}
    if options.analyses > 0:
        from devtools.bench_site import measure_site

        figures.update(measure_site(options.analyses))
    if options.json:
        options.json.write_text(json.dumps(figures) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
