"""Calibration of the grades: ``make calibrate`` grades labeled and real pages and prints the results.

Both sets lie beside the checkout, in ``../shared``: ``grading`` (pages with known grades, and a server for them) and
``corpus`` (saved pages of well-known sites, which that server answers with ordinary headers). Everything runs in a
network namespace of its own (``unshare``, no privileges needed), so nothing leaves the machine. Without the folder or
the namespace nothing is graded, which is printed and counted as a skip.

The exit status is 1 when a law of the grade does not hold: the constants below.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import re
import statistics
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from pagegrade.model.report import DECENT_FROM
from pagegrade.parse.html.parser import parse_document
from pagegrade.parse.url import host as host_of
from pagegrade.service.catalogue import check_penalties

ROOT: Final = Path(__file__).resolve().parent.parent
MIN_RIGHT: Final = 0.95
"""Share of the labeled pages whose result is their label."""
MAX_GOOD: Final = 0.5
"""Share of the corpus below which its good pages stay."""
NEAR_BAD: Final = DECENT_FROM + 5
"""A score below this is bad or near it ..."""
MIN_NEAR_BAD: Final = 2
"""... as at least so many pages of the corpus are."""
MEDIAN: Final = (60, 75)
"""Between these lies the median score of the corpus."""
GRADES: Final = ("good", "decent", "bad", "none")
_NO_NAMESPACE: Final = 3
"""Status of the server's ``unshare`` where no namespace is permitted."""
_ADDRESS: Final = re.compile(
    r"<link\b[^>]*\brel=[\"']?canonical\b[^>]*\bhref=[\"']?https?://([^\"'\s>#]+)"
    r"|<meta\b[^>]*\bproperty=[\"']?og:url\b[^>]*\bcontent=[\"']?https?://([^\"'\s>#]+)",
    re.IGNORECASE,
)
Row = Mapping[str, Any]
"""One page: ``id``, ``label`` (``None`` for the corpus), ``also`` (results that can be defended as well) and ``report``
(as JSON, or ``None``)."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; the exit status."""
    parser = argparse.ArgumentParser(prog="python -m devtools.calibrate")
    parser.add_argument(
        "--shared", type=Path, default=ROOT.parent / "shared", help="the folder with both sets of pages"
    )
    parser.add_argument("--save", type=Path, help="a file to keep the reports in, one JSON object a line")
    parser.add_argument("--inside", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    if not (given.shared / "grading" / "serve.py").is_file():
        return _skip("there are no labeled pages beside the checkout")
    if given.inside is not None:
        given.inside.write_text("".join(f"{json.dumps(row)}\n" for row in grade(given.shared)), encoding="utf-8")
        return 0
    with tempfile.TemporaryDirectory() as scratch:
        results = (given.save or Path(scratch, "results.jsonl")).resolve()
        command = [sys.executable, "-B", "-m", "devtools.calibrate", "--shared", str(given.shared.resolve())]
        status = server_of(given.shared).unshare([*command, "--inside", str(results)], cwd=ROOT)
        if status:
            return _skip("no private network namespace is permitted here") if status == _NO_NAMESPACE else int(status)
        rows = [json.loads(line) for line in results.read_text(encoding="utf-8").splitlines()]
    text, faults = report([row for row in rows if row["label"]], [row for row in rows if not row["label"]])
    sys.stdout.write(text)
    return 1 if faults else 0


def _skip(reason: str) -> int:
    sys.stdout.write(f"make calibrate: 1 skipped ({reason})\n")
    return 0


def report(labeled: Sequence[Row], corpus: Sequence[Row]) -> tuple[str, list[str]]:
    """(what to print, the laws that do not hold)."""
    faults = [*label_faults(labeled), *spread_faults(corpus)]
    parts = [
        confusion(labeled),
        spread(corpus),
        penalties([row["report"] for row in (*labeled, *corpus) if score_of(row) is not None]),
        "\n".join(f"BELOW THE LAWS: {fault}" for fault in faults) or "All laws hold.",
    ]
    return "\n\n".join(parts) + "\n", faults


def result_of(row: Row) -> str:
    """``good``, ``decent``, ``bad``, or ``none`` for a failed analysis and a withheld result."""
    return (row["report"] or {}).get("result") or "none"


def score_of(row: Row) -> int | None:
    """The score; ``None`` without a result."""
    return (row["report"] or {}).get("score")


def is_near(row: Row) -> bool:
    """Return whether the result is the label, a defensible one, or the adjacent grade; no grade is adjacent to none."""
    label, result = row["label"], result_of(row)
    return result in {label, *row.get("also", ())} or (
        "none" not in {label, result} and {label, result} != {"good", "bad"}
    )


def label_faults(rows: Sequence[Row]) -> list[str]:
    """List the violations of the requirements by the labeled pages."""
    right = sum(row["label"] == result_of(row) for row in rows)
    far = [f"{row['id']} is {result_of(row)} ({score_of(row)}), not {row['label']}" for row in rows if not is_near(row)]
    few = f"{right} of {len(rows)} labeled pages are right; it takes {MIN_RIGHT:.0%}"
    return [*([few] if right < MIN_RIGHT * len(rows) else []), *far]


def spread_faults(rows: Sequence[Row]) -> list[str]:
    """List the violations of the requirements by the corpus."""
    scores = [score for row in rows if (score := score_of(row)) is not None]
    if not scores:
        return ["no page of the corpus was graded"]
    good = sum(result_of(row) == "good" for row in rows)
    near_bad = sum(score < NEAR_BAD for score in scores)
    median = statistics.median(scores)
    checks = (
        (good < MAX_GOOD * len(rows), f"{good} of {len(rows)} pages of the corpus are good"),
        (near_bad >= MIN_NEAR_BAD, f"{near_bad} pages of the corpus are bad or near it"),
        (MEDIAN[0] <= median <= MEDIAN[1], f"the median of the corpus is {median:g}"),
        (len(scores) == len(rows), f"{len(rows) - len(scores)} pages of the corpus have no grade"),
    )
    return [what for holds, what in checks if not holds]


def confusion(rows: Sequence[Row]) -> str:
    """The labels against the results, and the pages that differ."""
    matrix = Counter((row["label"], result_of(row)) for row in rows)
    lines = [f"{'label / result':16}" + "".join(f"{grade:>8}" for grade in GRADES)]
    lines += [f"{label:16}" + "".join(f"{matrix[label, result]:8}" for result in GRADES) for label in GRADES]
    for label in GRADES[:3]:
        scores = sorted(score for row in rows if row["label"] == label and (score := score_of(row)) is not None)
        if scores:
            lines.append(f"{label}: {scores[0]} to {scores[-1]}, median {statistics.median(scores):g}")
    right = sum(row["label"] == result_of(row) for row in rows)
    lines.append(f"right: {right} of {len(rows)} ({right / max(1, len(rows)):.0%})")
    lines += [
        f"  wrong: {row['id']} is {result_of(row)} ({score_of(row)}), not {row['label']}: {worst(row['report'])}"
        for row in rows
        if row["label"] != result_of(row)
    ]
    return "\n".join(lines)


def spread(rows: Sequence[Row]) -> str:
    """The scores of the corpus, the lowest first."""
    graded = sorted((score, row["id"]) for row in rows if (score := score_of(row)) is not None)
    scores = [score for score, _ in graded]
    lines = [f"{score:5}  {name}" for score, name in graded]
    lines += [f"    –  {row['id']}: no grade" for row in rows if score_of(row) is None]
    words = Counter(result_of(row) for row in rows)
    median = f", median {statistics.median(scores):g}" if scores else ""
    return "\n".join([*lines, f"corpus: {', '.join(f'{words[one]} {one}' for one in GRADES)}{median}"])


def penalties(reports: Sequence[Mapping[str, Any]]) -> str:
    """List each check's maximum and average penalty, and the share of pages that it flags."""
    flagged: Counter[str] = Counter()
    lost: Counter[str] = Counter()
    for one in reports:
        for name, result in one["results"].items():
            flagged[name] += result["passed"] is False
            lost[name] += result["lost"]
    lines = [f"{'check':32}{'at most':>8}{'mean':>8}{'flagged':>9}"]
    lines += [
        f"{name:32}{price:8.1f}{lost[name] / max(1, flagged[name]):8.1f}{flagged[name] / max(1, len(reports)):9.0%}"
        for name, price in sorted(check_penalties().items(), key=lambda item: (-lost[item[0]], item[0]))
        if price
    ]
    return "\n".join(lines)


def worst(one: Mapping[str, Any] | None, count: int = 5) -> str:
    """The findings that cost most, for a line of text."""
    results = ((one or {}).get("results") or {}).items()
    found = sorted(((result["lost"], name) for name, result in results if result["lost"]), reverse=True)
    return ", ".join(f"{name} {lost:g}" for lost, name in found[:count])


def server_of(shared: Path) -> Any:
    """The module that serves labeled pages."""
    folder = shared / "grading"
    sys.path.insert(0, str(folder))
    spec = importlib.util.spec_from_file_location("serve", folder / "serve.py")
    if spec is None or spec.loader is None:
        raise FileNotFoundError(folder / "serve.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def corpus_cases(server: Any, folder: Path) -> list[Any]:
    """Each saved page as a case of its own, at its own address, on a server with compression and lifetimes of a day."""
    cases, hosts = [], set[str]()
    for path in sorted(folder.glob("*.html")):
        # Some were saved from plain HTTP; their sites have moved to HTTPS since, with their files.
        text = path.read_text(encoding="utf-8", errors="replace").replace("http://", "https://")
        found = _ADDRESS.search(text)
        url = "https://" + ((found[1] or found[2]) if found else f"{path.stem}.example/article")
        if not host_of(url) or host_of(url) in hosts:
            url = f"https://{path.stem}.example/article"
        hosts.add(host_of(url))
        files = _nameless_files(server.kit, text, url)
        cases.append(server.kit.one(path.stem, "", "", url, text, setup=server.kit.SHARED, files=files))
    return cases


def _nameless_files(kit: Any, text: str, url: str) -> dict[str, Any]:
    """Path -> an answer for the page's own styles and scripts whose names do not say what they are."""
    document = parse_document(text.encode(), url=url, content_type="text/html; charset=utf-8")
    made = {"stylesheet": ("text/css", kit.style), "script": ("text/javascript", kit.script)}
    files = {}
    for reference in document.references:
        if reference.kind in made and host_of(reference.url) == host_of(url):
            path = "/" + reference.url.split("/", 3)[3]
            if kit.extension(path) not in kit.EXT:
                media_type, generate = made[reference.kind]
                files[path] = kit.Answer(generate(8_000, len(path)), media_type)
    return files


Round = tuple[list[Any], Any]
"""Cases that are served at once, and the server's world of them."""


def rounds_of(server: Any, shared: Path) -> list[Round]:
    """The labeled pages together, and each page of the corpus alone: those name each other's hosts."""
    labeled = server.load()
    cases = [labeled, *([case] for case in corpus_cases(server, shared / "corpus"))]
    return [(some, server.World(some)) for some in cases]


@contextmanager
def serving(server: Any, rounds: Sequence[Round], scratch: Path) -> Iterator[tuple[Path, Callable[[Any], None]]]:
    """Inside the namespace: (the authority's certificate, what switches the servers to another world)."""
    server.furnish(sorted({host for _, world in rounds for host in world.hosts()}), scratch)
    certificates = server.Certificates(scratch)
    listening = [server.Server(80, rounds[0][1], None), server.Server(443, rounds[0][1], certificates)]
    for one in listening:
        threading.Thread(target=one.serve_forever, daemon=True).start()

    def show(world: Any) -> None:
        certificates.contexts.clear()
        for one in listening:
            one.world = world

    yield certificates.file, show
    for one in listening:
        one.shutdown()


def grade(shared: Path) -> Iterator[dict[str, Any]]:
    """Inside the namespace: analyze all pages with the product's own command."""
    server = server_of(shared)
    rounds = rounds_of(server, shared)
    with tempfile.TemporaryDirectory() as folder, serving(server, rounds, Path(folder)) as (authority, show):
        for cases, world in rounds:
            show(world)
            found = server.analyze(server.command_of(ROOT), [case.url for case in cases], authority, Path(folder))
            for case in cases:
                about = {"id": case.id, "label": case.grade or None, "also": list(case.also), "url": case.url}
                yield {**about, "report": found[case.url]}


if __name__ == "__main__":
    sys.exit(main())
