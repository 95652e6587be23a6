"""Rank correlations of Pagegrade's category scores with Lighthouse's, over pages that both are served alike.

``python -m devtools.compare_lighthouse --lighthouse node_modules/.bin/lighthouse`` needs Lighthouse (npm) and a
Chromium. The pages are those of ``make calibrate``, served in the same network namespace, so nothing leaves the
machine: Chromium resolves every name to the loopback. Files of the saved pages are made up, of a usual size for their
kind; scripts hold no program of the site, so what they would draw or delay is not there for either of the two.

With ``--render`` both load the pages in a browser over the same line: our proxy, with the shape of a phone's network.
Lighthouse then reports what it observed (``--throttling-method=provided``), and neither slows the processor down.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import shutil
import signal
import socket
import statistics
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from ipaddress import ip_network
from pathlib import Path
from typing import Any, Final

from devtools.calibrate import ROOT, analyze_rendered, rounds_of, server_of, serving, unshare
from pagegrade.gather.browser.network_shape import SHAPES
from pagegrade.gather.browser.options import ProxyLimits
from pagegrade.gather.browser.proxy import Proxy
from pagegrade.gather.guard import Guard, Policy
from pagegrade.gather.http import HTTPClient

PAIRS: Final = {"performance": "performance", "accessibility": "accessibility", "seo": "seo"}
"""Category of Pagegrade -> category of Lighthouse."""
METRICS: Final = (
    "first-contentful-paint",
    "largest-contentful-paint",
    "cumulative-layout-shift",
    "total-blocking-time",
    "speed-index",
)
"""Audits of Lighthouse that its performance score consists of."""
TIMEOUT_S: Final = 90
_FLAGS: Final = (
    "--headless=new --no-sandbox --disable-gpu --ignore-certificate-errors --disable-background-networking "
    "--disable-component-update --disable-sync --no-first-run"
)
_ONLY_PROXY: Final = "--proxy-bypass-list=<-loopback> --host-resolver-rules='MAP * ~NOTFOUND , EXCLUDE 127.0.0.1'"
"""Names are resolved by the proxy, as they are for our browser."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; the exit status."""
    parser = argparse.ArgumentParser(prog="python -m devtools.compare_lighthouse")
    parser.add_argument("--shared", type=Path, default=ROOT.parent / "shared")
    parser.add_argument("--lighthouse", type=Path, required=True, help="the command, as npm installs it")
    parser.add_argument("--chrome", default=shutil.which("chromium") or "chromium")
    parser.add_argument("--every", type=int, default=1, help="only each so many-th page of both sets")
    parser.add_argument("--render", action="store_true", help="let both load the pages over the same line")
    parser.add_argument("--corpus", action="store_true", help="only the saved pages of real sites")
    parser.add_argument("--runs", type=int, default=1, help="runs of Lighthouse for each page; the median counts")
    parser.add_argument("--artifacts", type=Path, help="a folder to keep what --render gathered in")
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
        command += ["--every", str(given.every), "--runs", str(given.runs)]
        command += [flag for flag in ("--render", "--corpus") if getattr(given, flag[2:])]
        if given.artifacts is not None:
            command += ["--artifacts", str(given.artifacts.resolve())]
        status = unshare([*command, "--inside", str(results)])
        if status:
            return status
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
    rounds = [*([] if given.corpus else [(labeled[0][:: given.every], labeled[1])]), *corpus[:: given.every]]
    with tempfile.TemporaryDirectory() as folder, serving(server, rounds, Path(folder)) as served:
        for cases, world in rounds:
            served.show(world)
            urls = [case.url for case in cases]
            if given.render:
                keep = () if given.artifacts is None else ("--save-artifacts", str(given.artifacts))
                found = analyze_rendered(urls, served, Path(folder), server.NETWORK, *keep)
            else:
                found = server.analyze(server.command_of(ROOT), urls, served.authority, Path(folder))
            for case in cases:
                report = found[case.url]
                if (report or {}).get("score") is None:
                    continue
                own = {name: category["score"] for name, category in report["categories"].items()}
                runs = [asyncio.run(lighthouse_scores(case.url, given, Path(folder))) for _ in range(given.runs)]
                other = {name: median([run.get(name) for run in runs]) for name in (*PAIRS.values(), *METRICS)}
                metrics = (report.get("rendered") or {}).get("metrics")
                yield {"id": case.id, "url": case.url, "own": own, "metrics": metrics, "lighthouse": other}


def median(values: Sequence[float | None]) -> float | None:
    """The median of the values that there are."""
    known = [value for value in values if value is not None]
    return statistics.median(known) if known else None


async def lighthouse_scores(url: str, given: argparse.Namespace, folder: Path) -> dict[str, float | None]:
    """Category -> 0 to 100, and metric -> value, of one page; empty when Lighthouse failed."""
    target = folder / "lighthouse.json"
    target.unlink(missing_ok=True)
    command = [str(given.lighthouse), url, "--quiet", "--output=json", f"--output-path={target}"]
    command.append(f"--only-categories={','.join(PAIRS.values())}")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        if not given.render:
            await _run([*command, f"--chrome-flags={_FLAGS}"], given.chrome, folder)
        else:
            port = listener.getsockname()[1]
            flags = f"--chrome-flags={_FLAGS} --proxy-server=socks5://127.0.0.1:{port} {_ONLY_PROXY}"
            policy = Policy(allow_networks=(ip_network("127.0.0.0/8"),), typed_host="127.0.0.1")
            async with HTTPClient(guard=Guard(policy)) as client:
                proxy = Proxy(permit=client.permit, guard=client.guard, shape=SHAPES["mobile"], limits=ProxyLimits())
                async with proxy.serve(listener):
                    await _run([*command, "--throttling-method=provided", flags], given.chrome, folder)
    if not target.is_file():
        return {}
    report = json.loads(target.read_bytes())
    found = {
        name: None if category["score"] is None else 100 * category["score"]
        for name, category in report["categories"].items()
    }
    return found | {name: report["audits"][name].get("numericValue") for name in METRICS}


async def _run(command: Sequence[str], chrome: str, folder: Path) -> None:
    """Run Lighthouse to its end; one that takes too long writes no report."""
    environment = {**os.environ, "CHROME_PATH": chrome, "HOME": str(folder)}
    process = await asyncio.create_subprocess_exec(
        "node",
        *command,
        env=environment,
        cwd=folder,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        async with asyncio.timeout(TIMEOUT_S):
            await process.wait()
    except TimeoutError:
        # Lighthouse ends its browser with it, which no other signal does: that is in a process group of its own.
        process.send_signal(signal.SIGINT)
        await process.wait()


if __name__ == "__main__":
    sys.exit(main())
