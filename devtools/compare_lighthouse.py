"""Rank correlations of Pagegrade's category scores with Lighthouse's, over pages that both are served alike.

``python -m devtools.compare_lighthouse --lighthouse node_modules/.bin/lighthouse`` needs Lighthouse (npm) and a
Chromium. The pages are those of ``make calibrate``, served in the same network namespace, so nothing leaves the
machine: Chromium resolves every name to the loopback. Files of the saved pages are made up, of a usual size for their
kind; scripts hold no program of the site, so what they would draw or delay is not there for either of the two.
``--pages FOLDER`` compares pages with all of their files instead, such as templates and what generators build: each
folder inside of it is the root of a site, whose ``index.html`` is the page.

With ``--render`` both load the pages in a browser over the same line: our proxy, with the shape of a phone's network.
Lighthouse then reports what it observed (``--throttling-method=provided``), and neither slows the processor down. It
waits until the network and then the processor was quiet for 5 s, so that a page takes it 20 s and more.

With ``--save FILE`` every page of every run is a line of that file as soon as it is done. The same command goes on
where it was stopped, and tries again what failed.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import mimetypes
import os
import shutil
import signal
import socket
import statistics
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from ipaddress import ip_network
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from devtools.calibrate import ROOT, Round, Served, analyze_rendered, rounds_of, server_of, serving, unshare
from pagegrade.gather.browser.options import SHAPES, ProxyLimits
from pagegrade.gather.browser.proxy import Proxy
from pagegrade.gather.guard import Guard, Policy
from pagegrade.gather.http import HTTPClient
from pagegrade.parse.url import host as host_of

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
    parser.add_argument("--pages", type=Path, help="a folder with a folder for each page and its files")
    parser.add_argument("--runs", type=int, default=1, help="how often all pages are compared")
    parser.add_argument("--artifacts", type=Path, help="a folder to keep what --render gathered in")
    parser.add_argument("--save", type=Path, help="a file to add the scores to, one JSON object a line")
    parser.add_argument("--inside", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    if given.inside is not None:
        done = read_rows(given.inside)
        with given.inside.open("a", encoding="utf-8") as file:
            for row in measure(given, done):
                file.write(f"{json.dumps(row)}\n")
                file.flush()
        return 0
    with tempfile.TemporaryDirectory() as scratch:
        results = (given.save or Path(scratch, "results.jsonl")).resolve()
        command = [sys.executable, "-B", "-m", "devtools.compare_lighthouse", "--shared", str(given.shared.resolve())]
        command += ["--lighthouse", str(given.lighthouse.resolve()), "--chrome", given.chrome]
        command += ["--every", str(given.every), "--runs", str(given.runs)]
        command += [flag for flag in ("--render", "--corpus") if getattr(given, flag[2:])]
        for name in ("artifacts", "pages"):
            if getattr(given, name) is not None:
                command += [f"--{name}", str(getattr(given, name).resolve())]
        status = unshare([*command, "--inside", str(results)])
        if status:
            return status
        rows = read_rows(results)
    sys.stdout.write(table(rows))
    return 0


def read_rows(path: Path) -> list[dict[str, Any]]:
    """The last line of each page and run in a file; a line that was cut off is none."""
    rows = dict[tuple[str, int], dict[str, Any]]()
    for line in path.read_text(encoding="utf-8").splitlines() if path.is_file() else ():
        with suppress(json.JSONDecodeError):
            row = json.loads(line)
            rows[row["id"], row["run"]] = row
    return list(rows.values())


def table(rows: Sequence[Mapping[str, Any]]) -> str:
    """The rank correlation of each category in each run, over the pages that both of the two gave a score.

    Pages that one of them did not grade are listed with the reason.
    """
    lines = []
    for run in sorted({row["run"] for row in rows}):
        some = [row for row in rows if row["run"] == run]
        for own, other in PAIRS.items():
            pairs = [(row["own"].get(own), row["lighthouse"].get(other)) for row in some]
            both = [(a, b) for a, b in pairs if a is not None and b is not None]
            rank = f"{correlation(both):.2f}" if len(both) > 1 else "–"
            lines.append(f"run {run}: {own:16}{rank:>6}  ({len(both)} of {len(some)} pages)")
    lines += [f"run {row['run']}: {row['id']}: {row['error']}" for row in rows if row["error"]]
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


def rounds_of_folder(server: Any, folder: Path) -> list[Round]:
    """Each folder inside of one as a site of its own, with compression and lifetimes of a day."""
    kit, rounds = server.kit, list[Round]()
    for page in sorted(folder.glob("*/index.html")):
        root = page.parent
        paths = [path for path in sorted(root.rglob("*")) if path.is_file()]
        files = {f"/{quote(path.relative_to(root).as_posix())}": _answer(kit, path) for path in paths}
        url = f"https://www.{root.name}.example/"
        case = kit.one(root.name, "", "", url, "", setup=kit.SHARED, answer=_answer(kit, page), files=files)
        rounds.append(([case], server.World([case])))
    return rounds


def _answer(kit: Any, path: Path) -> Any:
    kind = kit.EXT.get(kit.extension(path.name)) or mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    return kit.Answer(path.read_bytes(), f"{kind}; charset=utf-8" if kind == "text/html" else kind)


def measure(given: argparse.Namespace, done: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """Inside the namespace: the scores of both for every page and run that is not done yet."""
    server = server_of(given.shared)
    if given.pages is not None:
        rounds = rounds_of_folder(server, given.pages)[:: given.every]
    else:
        labeled, *corpus = rounds_of(server, given.shared)
        rounds = [*([] if given.corpus else [(labeled[0][:: given.every], labeled[1])]), *corpus[:: given.every]]
    finished = {(row["id"], row["run"]) for row in done if not row["error"]}
    with tempfile.TemporaryDirectory() as folder, serving(server, rounds, Path(folder)) as served:
        for run, (cases, world) in itertools.product(range(1, given.runs + 1), rounds):
            served.show(world)
            for case in cases:
                if (case.id, run) not in finished:
                    found = compare(case.url, given, server, served, Path(folder))
                    yield {"id": case.id, "run": run, "url": case.url, **found}


def compare(url: str, given: argparse.Namespace, server: Any, served: Served, folder: Path) -> dict[str, Any]:
    """The scores of both for one page, our metrics, and why one of them is missing (empty: none is)."""
    if given.render:
        keep = () if given.artifacts is None else ("--save-artifacts", str(given.artifacts))
        report = analyze_rendered([url], served, folder, server.NETWORK, *keep)[url] or {}
    else:
        report = server.analyze(server.command_of(ROOT), [url], served.authority, folder)[url] or {}
    own = {name: category["score"] for name, category in (report.get("categories") or {}).items()}
    metrics = (report.get("rendered") or {}).get("metrics")
    if report.get("score") is None:
        return {"own": {}, "metrics": metrics, "lighthouse": {}, "error": "Pagegrade gave it no grade."}
    if given.render and metrics is None:
        return {"own": {}, "metrics": None, "lighthouse": {}, "error": "Pagegrade did not draw it."}
    scores, error = asyncio.run(lighthouse_scores(url, given, folder))
    return {"own": own, "metrics": metrics, "lighthouse": scores, "error": error}


Scores = tuple[dict[str, float | None], str]
"""Category -> 0 to 100, and metric -> value, of one page; and why Lighthouse did not grade it: one of both is empty."""


async def lighthouse_scores(url: str, given: argparse.Namespace, folder: Path) -> Scores:
    """What Lighthouse says of one page."""
    target = folder / "lighthouse.json"
    target.unlink(missing_ok=True)
    command = [str(given.lighthouse), url, "--quiet", "--output=json", f"--output-path={target}"]
    # The picture of the whole page is no part of any score, and takes seconds.
    command += ["--disable-full-page-screenshot", f"--only-categories={','.join(PAIRS.values())}"]
    with socket.create_server(("127.0.0.1", 0)) as listener:
        if not given.render:
            await _run([*command, f"--chrome-flags={_FLAGS}"], given.chrome, folder)
        else:
            port = listener.getsockname()[1]
            flags = f"--chrome-flags={_FLAGS} --proxy-server=socks5://127.0.0.1:{port} {_ONLY_PROXY}"
            async with HTTPClient(guard=guard_for(url)) as client:
                proxy = Proxy(permit=client.permit, guard=client.guard, shape=SHAPES["mobile"], limits=ProxyLimits())
                async with proxy.serve(listener):
                    await _run([*command, "--throttling-method=provided", flags], given.chrome, folder)
    if not target.is_file():
        return {}, "Lighthouse wrote no report."
    return scores_of(json.loads(target.read_bytes()))


def guard_for(url: str) -> Guard:
    """What the browser of Lighthouse may reach: the loopback, for the sake of the page that it is given."""
    return Guard(Policy(allow_networks=(ip_network("127.0.0.0/8"),), typed_host=host_of(url)))


def scores_of(report: Mapping[str, Any]) -> Scores:
    """What a report of Lighthouse says, which has no scores after an error."""
    if "runtimeError" in report:
        return {}, f"Lighthouse says: {report['runtimeError']['message']}"
    found = {
        name: None if category["score"] is None else 100 * category["score"]
        for name, category in report["categories"].items()
    }
    return found | {name: report["audits"][name].get("numericValue") for name in METRICS}, ""


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
