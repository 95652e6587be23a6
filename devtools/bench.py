"""Speed of the engine: ratios of one run on one machine, because absolute times mean little on a shared one.

For every page of a folder: CPU of the bare parse, of a bare walk that reads every tag and attribute, of the facts, of
all checks, of the score, and the ratio of facts + checks + score to the bare pair. ``ratio`` is that of the HTML alone;
``+files`` is the ratio with every file that the page names at hand: made-up answers, and for each linked style sheet
the rules of a library. The bound applies to the median of ``+files``. The parts are measured in turn, several times,
and the best of each counts: a disturbance that lasts affects all of them, and one that does not is dropped. Then whole
analyses per second against the local test site, and their bound.
"""

from __future__ import annotations

import argparse
import gc
import json
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

import turbohtml
from msgspec.structs import replace

from devtools.bench_resources import resources_of
from pagegrade.checks import Facts, all_checks, run_checks
from pagegrade.checks._run import run_check
from pagegrade.model.artifacts import Artifacts
from pagegrade.model.document import Document
from pagegrade.parse import url as urls
from pagegrade.parse.cascade.rules import reduce_stylesheet
from pagegrade.parse.cascade.sheets import visibility_of
from pagegrade.parse.cascade.visibility import Visibility
from pagegrade.parse.html.collect import Collector
from pagegrade.parse.html.parser import parse_document
from pagegrade.parse.html.walk import walk
from pagegrade.scoring import Observed, rules_of, score
from pagegrade.service.runs.analysis import artifacts_of_document

ROOT = Path(__file__).resolve().parents[1]
REAL_PAGES = ROOT.parent / "shared" / "corpus"
PASS_RATIO = 10.0
"""Maximum ratio of the engine with all files to the bare pair, on the median page."""
SLOWEST = 10
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
    facts_with_files: float
    """The same with the rules of a library for every linked style sheet."""
    checks: float
    checks_with_files: float
    """The same when every file that the page names was fetched."""
    score: float
    cascade: float = 0.0
    """Time that the stylesheets of the page and one library sheet per linked one add to the walk of the facts."""

    @property
    def ratio(self) -> float:
        """Everything we do against the bare pair."""
        return (self.facts + self.checks + self.score) / (self.parse + self.walk)

    @property
    def ratio_with_files(self) -> float:
        """The same with the files of the page."""
        return self.with_files / (self.parse + self.walk)

    @property
    def with_files(self) -> float:
        """Milliseconds of an evaluation with the files of the page."""
        return self.facts_with_files + self.checks_with_files + self.score


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


def cpu_ms(works: Mapping[str, Callable[[], object]], repeat: int) -> dict[str, float]:
    """Least CPU milliseconds of each work: what it costs when nothing disturbs it. They take turns."""
    best = dict.fromkeys(works, float("inf"))
    gc.collect()
    # What is alive now stays alive: no collection during the measurement has to look at it.
    gc.freeze()
    for _ in range(repeat):
        for name, work in works.items():
            start = time.process_time_ns()
            work()
            best[name] = min(best[name], time.process_time_ns() - start)
    gc.unfreeze()
    return {name: ns / 1e6 for name, ns in best.items()}


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
    rules = rules_of(checks.values())
    tree = turbohtml.parse(body)
    artifacts = artifacts_of_document(body, url=URL, headers=(("Content-Type", "text/html; charset=utf-8"),))
    document = parse(body)
    with_files = replace(artifacts, resources=resources_of(document))
    sheets = {found.url: library_rules() for found in document.references if found.kind == "stylesheet"}
    styled = parse(body, sheets)
    evaluated = run_checks(checks, Facts(artifacts, document=document))
    observed = {name: Observed(one.loss, applies=one.outcome != "not_applicable") for name, one in evaluated.items()}
    best = cpu_ms(
        {
            "parse": lambda: turbohtml.parse(body),
            "walk": lambda: bare_walk(tree),
            "facts": lambda: parse(body),
            "facts_with_files": lambda: parse(body, sheets),
            "checks": lambda: run_checks(checks, Facts(artifacts, document=fresh(document))),
            "checks_with_files": lambda: run_checks(checks, Facts(with_files, document=fresh(styled))),
            "unstyled": lambda: styled_walk(tree, None),
            "styled": lambda: styled_walk(tree, sheets),
            "score": lambda: score(rules, observed),
        },
        repeat,
    )
    cascade = best.pop("styled") - best.pop("unstyled")
    return Row(name=name, page_bytes=len(body), cascade=cascade, **best), each_check(
        with_files, document, max(3, repeat // 3)
    )


def each_check(artifacts: Artifacts, document: Document, repeat: int) -> dict[str, float]:
    """CPU milliseconds of each check, without what it shares with others, which is listed as ``(shared facts)``."""
    checks = all_checks()
    warm = Facts(artifacts, document=document)
    run_checks(checks, warm)
    shared = sorted({name for check in checks.values() for name in check.requirements})

    def share() -> None:
        facts = Facts(artifacts, document=fresh(document))
        for name in shared:
            facts.get(name)

    works: dict[str, Callable[[], object]] = {
        check.id: lambda check=check: run_check(check, warm)  # type: ignore[misc]
        for check in checks.values()
    }
    found = cpu_ms(works, repeat)
    found["(shared facts)"] = cpu_ms({"share": share}, repeat)["share"]
    return found


def parse(body: bytes, sheets: Mapping[str, Sequence[str]] | None = None) -> Document:
    """Collect the facts of a page of the bench, with the kept rules of the style sheets that are at hand."""
    return parse_document(body, url=URL, content_type="text/html; charset=utf-8", sheets=sheets)


@cache
def library_rules() -> tuple[str, ...]:
    """Return the kept rules of a sheet like that of a component library: 230 rules, most of which match nothing."""
    css = "".join(
        f".part-{n}{{display:none}}.part-{n}.show{{display:block}}"
        f"@media (min-width:{500 + n}px){{.d-{n}{{display:flex}}}}"
        for n in range(70)
    )
    common = "[hidden]{display:none!important}.nav>.menu{visibility:hidden}.menu:not(.open){display:none}"
    return reduce_stylesheet(css + common + ".item .text:hover{display:block}" * 17, base_url=URL) or ()


def styled_walk(tree: turbohtml.Document, sheets: Mapping[str, Sequence[str]] | None) -> None:
    """The walk that makes the facts, with style sheets or without any."""
    visibility = Visibility() if sheets is None else visibility_of(tree, URL, sheets, quirks=False)
    if tree.root is not None:
        walk(tree.root, Collector(URL, visibility))


def fresh(document: Document) -> Document:
    """The document without what checks have computed and kept on it, or beside it."""
    urls._authority.cache_clear()  # noqa: SLF001
    for name, value in vars(type(document)).items():
        if isinstance(value, cached_property):
            document.__dict__.pop(name, None)
    return document


def print_engine(rows: list[Row], each: dict[str, list[float]]) -> tuple[float, float]:
    """Print the table of pages and the slowest checks; returns the median ratios: the HTML alone, and with files."""
    print(f"{'page':<22}{'kB':>7}{'parse':>8}{'walk':>8}{'facts':>8}{'checks':>8}{'score':>8}{'ratio':>8}{'+files':>8}")
    for row in rows:
        print(
            f"{row.name[:21]:<22}{row.page_bytes / 1000:>7.0f}{row.parse:>8.2f}{row.walk:>8.2f}"
            f"{row.facts:>8.2f}{row.checks:>8.2f}{row.score:>8.2f}{row.ratio:>7.1f}x{row.ratio_with_files:>7.1f}x"
        )
    parts = ("parse", "walk", "facts", "checks", "score")
    medians = "".join(f"{statistics.median(getattr(row, part) for row in rows):>8.2f}" for part in parts)
    median = statistics.median(row.ratio for row in rows)
    with_files = statistics.median(row.ratio_with_files for row in rows)
    size = statistics.median(row.page_bytes for row in rows) / 1000
    print(f"{'median':<22}{size:>7.0f}{medians}{median:>7.1f}x{with_files:>7.1f}x")
    per_100_kb = statistics.median(
        (row.facts + row.checks + row.score) / (row.page_bytes / 100_000)
        for row in rows
        if row.page_bytes > SMALL_BYTES
    )
    print(
        f"HTML alone: {median:.1f}x the bare pair, {per_100_kb:.1f} ms CPU per 100 kB; "
        f"facts {statistics.median(r.facts / (r.parse + r.walk) for r in rows):.1f}x, "
        f"checks {statistics.median(r.checks / (r.parse + r.walk) for r in rows):.1f}x"
    )
    print(
        f"all files at hand: {with_files:.1f}x the bare pair ({'within' if with_files <= PASS_RATIO else 'ABOVE'} the "
        f"bound of {PASS_RATIO:g}x); "
        f"facts {statistics.median(r.facts_with_files / (r.parse + r.walk) for r in rows):.1f}x, "
        f"checks {statistics.median(r.checks_with_files / (r.parse + r.walk) for r in rows):.1f}x"
    )
    print(
        f"of which the cascade: {statistics.median(row.cascade for row in rows):.2f} ms, "
        f"{statistics.median(row.cascade / (row.parse + row.walk) for row in rows):.1f}x the bare pair, "
        f"{statistics.median(row.cascade / row.walk for row in rows):.1f} bare walks on the median page, "
        f"{statistics.median(row.cascade / row.with_files for row in rows):.1%} of everything"
    )
    print_checks({name: statistics.median(times) for name, times in each.items()})
    return median, with_files


def print_checks(costs: Mapping[str, float]) -> None:
    """Print the slowest checks one by one, and the rest together."""
    total = sum(costs.values())
    ordered = sorted(costs.items(), key=lambda entry: (-entry[1], entry[0]))
    print(f"\n{'check, with the files of the page':<44}{'median ms':>10}{'share':>8}")
    for name, ms in ordered[:SLOWEST]:
        print(f"{name:<44}{ms:>10.3f}{ms / total:>8.1%}")
    rest = sum(ms for _, ms in ordered[SLOWEST:])
    print(f"{f'the {len(ordered) - SLOWEST} others together':<44}{rest:>10.3f}{rest / total:>8.1%}")


def main(arguments: list[str] | None = None) -> int:
    """Run the bench; exit status 0, whatever the figures: they are for people to assess."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--corpus", type=Path, help="folder of .html files (default: real pages if there, else generated)"
    )
    parser.add_argument("--repeat", type=int, default=15, help="runs of each measurement, of which the best counts")
    parser.add_argument("--analyses", type=int, default=100, help="whole analyses of the local site; 0 for none")
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
    median, with_files = print_engine(rows, each)
    figures: dict[str, object] = {
        "pages": len(rows),
        "median_ratio": round(median, 2),
        "median_ratio_with_files": round(with_files, 2),
        "check_ms": {name: round(statistics.median(times), 4) for name, times in sorted(each.items())},
    }
    if options.analyses > 0:
        from devtools.bench_site import measure_site

        figures.update(measure_site(options.analyses))
    if options.json:
        options.json.write_text(json.dumps(figures) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
