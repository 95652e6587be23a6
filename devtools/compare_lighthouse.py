"""Rank correlations of Pagegrade's category scores with Lighthouse's, over pages that both are served alike.

``python -m devtools.compare_lighthouse --lighthouse node_modules/.bin/lighthouse`` needs Lighthouse (npm) and a
Chromium. The pages are those of ``make calibrate``, served in the same network namespace, so nothing leaves the
machine: Chromium resolves every name to the loopback. Files of the saved pages are made up, of a usual size for their
kind; scripts hold no program of the site, so what they would draw or delay is not there for either of the two.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from devtools.calibrate import ROOT, rounds_of, server_of, serving

PAIRS: Final = {"performance": "performance", "accessibility": "accessibility", "seo": "seo"}
"""Category of Pagegrade -> category of Lighthouse."""
TIMEOUT_S: Final = 90
_FLAGS: Final = (
    "--headless=new --no-sandbox --disable-gpu --ignore-certificate-errors --disable-background-networking "
    "--disable-component-update --disable-sync --no-first-run"
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; the exit status."""
    parser = argparse.ArgumentParser(prog="python -m devtools.compare_lighthouse")
    parser.add_argument("--shared", type=Path, default=ROOT.parent / "shared")
    parser.add_argument("--lighthouse", type=Path, required=True, help="the command, as npm installs it")
    parser.add_argument("--chrome", default=shutil.which("chromium") or "chromium")
    parser.add_argument("--every", type=int, default=1, help="only each so many-th page of both sets")
    parser.add_argument("--save", type=Path, help="a file to keep the scores in, one JSON object a line")
    parser.add_argument("--inside", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    if given.inside is not None:
        with given.inside.open("w", encoding="utf-8") as file:
            for row in measure(given):
                file.write(f"{json.dumps(row)}\n")
                file.flush()
        return 0
    with tempfile.TemporaryDirectory() as scratch:
        results = (given.save or Path(scratch, "results.jsonl")).resolve()
        command = [sys.executable, "-B", "-m", "devtools.compare_lighthouse", "--shared", str(given.shared.resolve())]
        command += ["--lighthouse", str(given.lighthouse.resolve()), "--chrome", given.chrome]
        command += ["--every", str(given.every)]
        status = server_of(given.shared).unshare([*command, "--inside", str(results)], cwd=ROOT)
        if status:
            return int(status)
        rows = [json.loads(line) for line in results.read_text(encoding="utf-8").splitlines()]
    sys.stdout.write(table(rows))
    return 0


def table(rows: Sequence[Mapping[str, Any]]) -> str:
    """The rank correlation of each category, over the pages that both of the two gave a score."""
    lines = []
    for own, other in PAIRS.items():
        pairs = [(row["own"].get(own), row["lighthouse"].get(other)) for row in rows]
        both = [(a, b) for a, b in pairs if a is not None and b is not None]
        rank = f"{correlation(both):.2f}" if len(both) > 1 else "–"
        lines.append(f"{own:16}{rank:>6}  ({len(both)} of {len(rows)} pages)")
    return "\n".join(lines) + "\n"


def correlation(pairs: Sequence[tuple[float, float]]) -> float:
    """Spearman's rank correlation, equal values sharing the mean of their ranks; 0 where one side does not vary."""
    first, second = (_ranks([pair[side] for pair in pairs]) for side in (0, 1))
    if len(set(first)) == 1 or len(set(second)) == 1:
        return 0.0
    return statistics.correlation(first, second)


def _ranks(values: Sequence[float]) -> list[float]:
    """The rank of each value from 1."""
    order = sorted(values)
    return [order.index(value) + (order.count(value) + 1) / 2 for value in values]


def measure(given: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Inside the namespace: the scores of both for every page that is not withheld."""
    server = server_of(given.shared)
    labeled, *corpus = rounds_of(server, given.shared)
    rounds = [(labeled[0][:: given.every], labeled[1]), *corpus[:: given.every]]
    with tempfile.TemporaryDirectory() as folder, serving(server, rounds, Path(folder)) as (authority, show):
        for cases, world in rounds:
            show(world)
            found = server.analyze(server.command_of(ROOT), [case.url for case in cases], authority, Path(folder))
            for case in cases:
                report = found[case.url]
                if (report or {}).get("score") is None:
                    continue
                own = {name: category["score"] for name, category in report["categories"].items()}
                yield {"id": case.id, "own": own, "lighthouse": lighthouse_scores(case.url, given, Path(folder))}


def lighthouse_scores(url: str, given: argparse.Namespace, folder: Path) -> dict[str, float | None]:
    """Category -> 0 to 100 of one page; empty when Lighthouse failed."""
    target = folder / "lighthouse.json"
    target.unlink(missing_ok=True)
    command = [
        *("node", str(given.lighthouse), url, "--quiet", "--output=json", f"--output-path={target}"),
        f"--only-categories={','.join(PAIRS.values())}",
        f"--chrome-flags={_FLAGS}",
    ]
    environment = {**os.environ, "CHROME_PATH": given.chrome, "HOME": str(folder)}
    try:
        subprocess.run(command, env=environment, cwd=folder, timeout=TIMEOUT_S, capture_output=True, check=False)
    except subprocess.TimeoutExpired:
        return {}
    if not target.is_file():
        return {}
    categories = json.loads(target.read_bytes())["categories"]
    return {
        name: None if category["score"] is None else 100 * category["score"] for name, category in categories.items()
    }


if __name__ == "__main__":
    sys.exit(main())
