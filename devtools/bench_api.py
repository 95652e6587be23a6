"""Speed of the service, against a bare handler that runs the same SQL on the same database.

On a database of 100,000 reports: requests per second of list, show and create beside those of ``devtools.bench_bare``,
taken in turns in the same minute, because absolute times mean little on a shared machine. Then whole reports per
second on the local test site, and how the server's memory grows with every report. The last line is JSON.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlencode

import msgspec
from sqlalchemy import insert, text, update

from devtools import bench_bare
from devtools.bench import URL, generated_pages
from devtools.bench_load import Load, Request, children, children_cpu_s, own_cpu_s, put_load, resident_kb, tool
from devtools.bench_store import NOW_MS, fill
from pagegrade.model.stored import PackedReport
from pagegrade.report.codec import pack_report, unpacked_bytes
from pagegrade.service.accounts.access import issue_key
from pagegrade.service.runs.analysis import artifacts_of_document
from pagegrade.service.runs.evaluation import evaluate_artifacts
from pagegrade.store.engine.data_dir import DATABASE_NAME
from pagegrade.store.engine.database import Transaction
from pagegrade.store.engine.sqlite_database import SQLiteDatabase
from pagegrade.store.schema.migrate import migrate
from pagegrade.store.schema.tables import reports, run_details, runs
from tests.ports import free_port

ROOT: Final = Path(__file__).resolve().parents[1]
STORED: Final = 100_000
CONNECTIONS: Final = 32
SECONDS: Final = 3.0
ROUNDS: Final = 2
GOAL_RATIO: Final = 0.5
GOAL_P99_MS: Final = 20.0
GOAL_REPORTS: Final = 40.0
REAL: Final = 200
"""The newest reports get a real summary and real results; lists and shows read those."""
UNLIMITED: Final = 1_000_000_000
START_S: Final = 60.0
SITE_PAGE: Final = "/many"
"""A page with thirty sub-resources."""
FORM: Final = {"Content-Type": "application/x-www-form-urlencoded"}


def main(arguments: list[str] | None = None) -> int:
    """Run the bench; exit status 0, whatever the figures: they are for people to assess."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--stored", type=int, default=STORED, help="reports in the database")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="of load for each figure")
    parser.add_argument("--reports", type=int, default=1_000, help="whole reports on the local site; 0 for none")
    parser.add_argument("--long", action="store_true", help="10,000 whole reports, for the slope of the memory")
    parser.add_argument("--json", type=Path, help="write the figures to this file too")
    options = parser.parse_args(arguments)
    figures: dict[str, float] = {}
    if options.stored:
        with tempfile.TemporaryDirectory(prefix="pagegrade-bench-") as folder:
            figures.update(measure_api(Path(folder), options.stored, options.seconds))
    count = 10_000 if options.long else options.reports
    if count:
        with tempfile.TemporaryDirectory(prefix="pagegrade-bench-") as folder:
            figures.update(measure_reports(Path(folder), count))
    line = json.dumps(figures)
    print(line)
    if options.json:
        options.json.write_text(line + "\n")
    return 0


def measure_api(folder: Path, count: int, seconds: float) -> dict[str, float]:
    """Ratios and times of list, show and create."""
    path = folder / DATABASE_NAME
    secret, shown = prepare(path, count)
    print(
        f"a database of {count} reports, {path.stat().st_size / 1e6:.0f} MB; "
        f"load by {tool()}, on the same {os.cpu_count()} cores"
    )
    calls: dict[str, bench_bare.Call] = {
        "list": ("GET", "/api/v1/reports?per_page=10", b""),
        "show": ("GET", f"/api/v1/reports/{shown}", b""),
        "create": ("POST", "/api/v1/reports", urlencode({"url": bench_bare.CREATED_URL}).encode()),
    }
    recording = folder / "recording"
    recording.write_bytes(msgspec.msgpack.encode(bench_bare.record(path, secret, calls)))
    headers = {"Authorization": f"Bearer {secret}", "Accept": "application/json"}
    requests = {name: Request(method, target, headers) for name, (method, target, _) in calls.items()}
    requests["create"] = Request(
        "POST",
        "/api/v1/reports",
        {**headers, **FORM, "Prefer": "respond-async"},
        urlencode({"url": "https://bench.example/"}) + "{n}",
    )
    figures: dict[str, float] = {}
    with serving(folder, "--workers", "0") as (real, server), bare(recording) as (twin, handler):
        print(
            f"{'at 32 connections':<18}{'per s':>8}{'bare':>8}{'ratio':>7}"
            f"{'p50 ms':>8}{'p99 ms':>8}{'CPU us':>8}{'bare':>7}"
        )
        for name, request in requests.items():
            ours, theirs = [], []
            for _ in range(ROUNDS):
                ours.append(put_load(real, request, pid=server, connections=CONNECTIONS, seconds=seconds))
                theirs.append(put_load(twin, request, pid=handler, connections=CONNECTIONS, seconds=seconds))
            mine, other = best(ours), best(theirs)
            print(
                f"{name:<18}{mine.per_second:>8.0f}{other.per_second:>8.0f}{mine.per_second / other.per_second:>7.2f}"
                f"{mine.p50_ms:>8.1f}{mine.p99_ms:>8.1f}{mine.cpu_us:>8.0f}{other.cpu_us:>7.0f}"
            )
            figures |= {
                f"{name}_per_second": round(mine.per_second, 1),
                f"{name}_ratio": round(mine.per_second / other.per_second, 3),
                f"{name}_cpu_ratio": round(other.cpu_us / mine.cpu_us, 3),
                f"{name}_p50_ms": mine.p50_ms,
                f"{name}_p99_ms": mine.p99_ms,
            }
    print(
        f"goals: list and show at least {GOAL_RATIO:g} of bare "
        f"({figures['list_ratio']:.2f}, {figures['show_ratio']:.2f}), "
        f"p99 of list below {GOAL_P99_MS:g} ms ({figures['list_p99_ms']:.1f})"
    )
    return figures


def best(loads: list[Load]) -> Load:
    """The round that was disturbed least."""
    return max(loads, key=lambda load: load.per_second)


def prepare(path: Path, count: int) -> tuple[str, int]:
    """Fill a database; (secret of a key of the account, id of a report with real results)."""
    database = SQLiteDatabase(f"sqlite:///{path}")
    try:
        migrate(database)
        account_id = fill(database, count)
        packed = real_report()

        def work(tx: Transaction) -> tuple[str, int]:
            _, secret = issue_key(tx, account_id, name="bench", now_ms=NOW_MS)
            newest = [
                row[0] for row in tx.execute(text("SELECT id FROM reports ORDER BY id DESC LIMIT :n"), {"n": REAL})
            ]
            for report_id in newest:
                tx.execute(
                    update(reports)
                    .where(reports.c.id == report_id, reports.c.state == "completed")
                    .values(summary=packed.summary, run_number=1)
                )
            shown: int = tx.execute(text("SELECT max(id) FROM reports WHERE state = 'completed'")).scalar_one()
            made = tx.execute(insert(runs), run_row(shown, account_id, packed)).inserted_primary_key
            if made is None:
                raise RuntimeError("the run has no id")
            detail = {"run_id": made[0], "body": packed.detail, "plain_bytes": unpacked_bytes(packed.detail)}
            tx.execute(insert(run_details), detail)
            tx.execute(text("UPDATE sqlite_sequence SET seq = :n WHERE name = 'runs'"), {"n": bench_bare.FIRST_RUN_ID})
            return secret, shown

        return database.write_here(work)
    finally:
        database.close()


def run_row(report_id: int, account_id: int, packed: PackedReport) -> dict[str, Any]:
    """The run behind the results of a report."""
    return {
        "report_id": report_id,
        "account_id": account_id,
        "number": 1,
        "url": URL,
        "target": "bench.example",
        "priority": 0,
        "state": "completed",
        "attempt": 1,
        "available_at_ms": NOW_MS,
        "rating": packed.rating,
        "score": packed.score,
        "engine": packed.engine,
        "ruleset": packed.ruleset,
        "summary": packed.summary,
        "created_at_ms": NOW_MS,
        "started_at_ms": NOW_MS,
        "finished_at_ms": NOW_MS,
    }


def real_report() -> PackedReport:
    """Return the packed report on a page of medium size."""
    body = list(generated_pages())[1][1]
    return pack_report(
        evaluate_artifacts(artifacts_of_document(body, url=URL, headers=(("Content-Type", "text/html"),)))
    )


def measure_reports(folder: Path, count: int) -> dict[str, float]:
    """Whole reports per second, from the request to the stored result, and the slope of the memory."""
    with local_site() as (site, host), serving(folder, ALLOW_NETWORKS="127.0.0.0/8") as (origin, pid):

        def cpu_s() -> tuple[float, float, float]:
            return own_cpu_s(pid), children_cpu_s(pid), own_cpu_s(host)

        client = HTTPConnection(origin.removeprefix("http://"), timeout=60)
        headers = {"Authorization": f"Bearer {KEY}", **FORM, "Prefer": "respond-async"}

        def ask(method: str, path: str, body: str | None = None) -> Any:
            client.request(method, path, body, headers)
            answer = client.getresponse()
            document = json.loads(answer.read())
            if answer.status >= 400:  # noqa: PLR2004 - RFC 9110 15.5
                raise RuntimeError(f"{path}: {document}")
            return document

        def unfinished() -> int:
            return int(ask("GET", "/api/v1/account")["data"]["usage"]["queued_runs"])

        def make(first: int, last: int) -> None:
            for number in range(first, last):
                ask("POST", "/api/v1/reports", urlencode({"url": f"{site}{SITE_PAGE}?n={number}"}))

        warm = min(20, count)
        make(0, warm)
        while unfinished():
            time.sleep(0.02)
        before, started = cpu_s(), time.perf_counter()
        make(warm, warm + count)
        samples = []
        while left := unfinished():
            samples.append((count - left, resident_kb(pid)))
            time.sleep(0.1)
        seconds = time.perf_counter() - started
        server, parsing, site_cpu = (1000 * (now - then) / count for now, then in zip(cpu_s(), before, strict=True))
        done = ask("GET", "/api/v1/reports?state=completed&per_page=10")["meta"]["total"]
        family = resident_kb(pid), [resident_kb(child) for child in children(pid)]
        client.close()
    if done != warm + count:
        raise RuntimeError(f"{done} of {warm + count} reports were completed")
    slope = slope_kb(samples[len(samples) // 4 :])
    figures = {
        "reports_per_second": round(count / seconds, 1),
        "report_cpu_ms": round(server + parsing, 1),
        "server_cpu_ms": round(server, 1),
        "children_cpu_ms": round(parsing, 1),
        "site_cpu_ms": round(site_cpu, 1),
        "server_mb": round(family[0] / 1000, 1),
        "children_mb": round(sum(family[1]) / 1000, 1),
        "memory_kb_per_report": round(slope, 3),
    }
    print(
        f"reports: {figures['reports_per_second']} per second end to end (goal: {GOAL_REPORTS:g}) of a page with 30 "
        f"sub-resources; CPU of each: {figures['server_cpu_ms']} ms in the server, {figures['children_cpu_ms']} ms in "
        f"its children, {figures['site_cpu_ms']} ms in the site, which is on the same cores and only sends what "
        "tests.site has answered once"
    )
    print(
        f"memory: {figures['server_mb']} MB in the server, {figures['children_mb']} MB in its children; "
        f"{figures['memory_kb_per_report']:+.3f} kB for each report over {count} reports"
    )
    return figures


def slope_kb(samples: list[tuple[int, int]]) -> float:
    """Least squares: kB for each report."""
    if len(samples) < 2:  # noqa: PLR2004 - a line needs two points
        return 0.0
    mean_x = sum(x for x, _ in samples) / len(samples)
    mean_y = sum(y for _, y in samples) / len(samples)
    spread = sum((x - mean_x) ** 2 for x, _ in samples)
    return sum((x - mean_x) * (y - mean_y) for x, y in samples) / spread if spread else 0.0


KEY: Final = "bench-key-of-this-machine-only"


@contextlib.contextmanager
def serving(folder: Path, *arguments: str, **settings: str) -> Iterator[tuple[str, int]]:
    """(origin, process) of ``pagegrade serve`` on this folder; limits are on, and out of reach."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PAGEGRADE_")}
    environment |= {
        "PAGEGRADE_DATA_DIR": str(folder),
        "PAGEGRADE_BOOTSTRAP_API_KEY": KEY,
        "PAGEGRADE_RENDER": "never",
        **{
            f"PAGEGRADE_{name}": str(UNLIMITED)
            for name in ("REQUESTS_PER_MINUTE", "ANALYSES_PER_MINUTE", "QUEUE", "ACCOUNT_QUEUE")
        },
        **{f"PAGEGRADE_{name}": value for name, value in settings.items()},
    }
    command = [sys.executable, "-m", "pagegrade", "serve", "--host", "127.0.0.1", "--port", "0", *arguments]
    log = folder / "serve.log"
    with log.open("wb") as output:
        process = subprocess.Popen(command, env=environment, stdout=output, stderr=subprocess.STDOUT)
    try:
        yield wait_for(process, log), process.pid
    finally:
        process.terminate()
        process.wait(START_S)


@contextlib.contextmanager
def bare(recording: Path) -> Iterator[tuple[str, int]]:
    """(origin, process) of the bare handler."""
    port = free_port()
    process = subprocess.Popen([sys.executable, "-m", "devtools.bench_bare", str(recording), str(port)], cwd=ROOT)
    until = time.monotonic() + START_S
    try:
        while time.monotonic() < until:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
                break
            time.sleep(0.05)
        yield f"http://127.0.0.1:{port}", process.pid
    finally:
        process.terminate()
        process.wait(START_S)


@contextlib.contextmanager
def local_site() -> Iterator[tuple[str, int]]:
    """(origin, process) of the test site, served as files are."""
    command = [sys.executable, "-m", "devtools.bench_files"]
    with tempfile.NamedTemporaryFile() as output:
        process = subprocess.Popen(command, cwd=ROOT, stdout=output, stderr=subprocess.DEVNULL)
        try:
            yield wait_for(process, Path(output.name)), process.pid
        finally:
            process.terminate()
            process.wait(START_S)


def wait_for(process: subprocess.Popen[bytes], said: Path) -> str:
    """The first address a process prints.

    Raises:
        RuntimeError: It ended, or printed none.
    """
    until = time.monotonic() + START_S
    while time.monotonic() < until and process.poll() is None:
        found = re.search(r"http://127\.0\.0\.1:\d+", said.read_text(encoding="utf-8", errors="replace"))
        if found:
            return found.group()
        time.sleep(0.02)
    raise RuntimeError(f"it did not start: {said.read_text(encoding='utf-8', errors='replace')[-2000:]}")


if __name__ == "__main__":
    sys.exit(main())
