"""Puts load on an HTTP server for a few seconds: with ``wrk`` where it is installed, else with a process of our own.

Either way the load comes from another process on the same machine, and takes CPU from the server it measures; the
server's own CPU is therefore measured too, from what the kernel counts for its processes.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit  # noqa: TID251 - reads the one address this module is given by its own caller

ROOT: Final = Path(__file__).resolve().parents[1]
TICKS: Final = os.sysconf("SC_CLK_TCK")
_UNITS: Final = {"us": 0.001, "ms": 1.0, "s": 1000.0, "m": 60_000.0}
_WRK_SCRIPT: Final = """
wrk.method = "{method}"
{headers}
local number, base = 0, math.random(1, 1000000000)
function setup(thread) math.randomseed(os.time()) end
function request()
  number = number + 1
  local body = {body}
  return wrk.format(nil, nil, nil, body)
end
"""


@dataclass(frozen=True, slots=True)
class Load:
    """Result of one measurement."""

    per_second: float
    p50_ms: float
    p99_ms: float
    cpu_us: float
    """Of the server, for each request."""


@dataclass(frozen=True, slots=True)
class Request:
    """Request that is sent repeatedly."""

    method: str
    target: str
    headers: Mapping[str, str]
    body: str = ""
    """``{n}`` in it is a number that no other request has."""


def tool() -> str:
    """Return the name of the load generator, for the printed figures."""
    return "wrk" if shutil.which("wrk") else "a client of our own (one process, asyncio)"


def put_load(origin: str, request: Request, *, pid: int, connections: int, seconds: float) -> Load:
    """Load for so many seconds.

    Args:
        origin: Of the server.
        request: What is asked.
        pid: The server's process; children count too.
        connections: Kept open, with one request at a time on each.
        seconds: Of load.

    Raises:
        RuntimeError: An answer was no success.
    """
    command = _with_wrk if shutil.which("wrk") else _with_our_own
    before = cpu_s(pid)
    count, per_second, p50_ms, p99_ms = command(origin, request, connections, seconds)
    return Load(per_second, p50_ms, p99_ms, 1e6 * (cpu_s(pid) - before) / max(1, count))


def cpu_s(pid: int) -> float:
    """CPU seconds of a process and of its children, the ended ones included."""
    return own_cpu_s(pid) + children_cpu_s(pid)


def own_cpu_s(pid: int) -> float:
    """CPU seconds of a process alone."""
    return _ticks(pid, slice(11, 13)) / TICKS


def children_cpu_s(pid: int) -> float:
    """CPU seconds of the children of a process, the ended ones included."""
    return (_ticks(pid, slice(13, 15)) + sum(_ticks(one, slice(11, 15)) for one in children(pid))) / TICKS


def resident_kb(pid: int) -> int:
    """Memory that a process holds, without its children, in kB."""
    for line in Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1])
    return 0


def children(pid: int) -> list[int]:
    """Processes that a process has started and that still run, and theirs."""
    found: list[int] = []
    try:
        # A process may end while it is being looked at.
        for task in Path(f"/proc/{pid}/task").glob("*/children"):
            for child in [int(word) for word in task.read_text(encoding="ascii").split()]:
                found += [child, *children(child)]
    except OSError:
        return found
    return found


def _ticks(pid: int, which: slice) -> int:
    """Sum of fields of ``/proc/PID/stat``, of which proc_pid_stat(5) calls the first one here "state"."""
    return sum(int(field) for field in _stat(pid)[which])


def _stat(pid: int) -> list[str]:
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return []
    return text.rpartition(")")[2].split()


def _with_wrk(origin: str, request: Request, connections: int, seconds: float) -> tuple[int, float, float, float]:
    headers = "\n".join(f'wrk.headers["{name}"] = "{value}"' for name, value in request.headers.items())
    parts = request.body.split("{n}")
    body = ' .. base .. "-" .. number .. '.join(f'"{part}"' for part in parts) if request.body else "nil"
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "load.lua"
        script.write_text(_WRK_SCRIPT.format(method=request.method, headers=headers, body=body))
        done = subprocess.run(
            [  # noqa: S607 - where it is installed differs
                "wrk",
                "-t1",
                f"-c{connections}",
                f"-d{seconds:.0f}s",
                "--latency",
                "-s",
                str(script),
                origin + request.target,
            ],
            capture_output=True,
            text=True,
            check=True,
        )
    if "Non-2xx" in done.stdout or "Socket errors" in done.stdout:
        raise RuntimeError(f"not every answer was a success: {done.stdout}")
    count = int(re.search(r"(\d+) requests in", done.stdout)[1])  # type: ignore[index]
    per_second = float(re.search(r"Requests/sec:\s+([\d.]+)", done.stdout)[1])  # type: ignore[index]
    shares = {
        share: float(value) * _UNITS[unit]
        for share, value, unit in re.findall(r"(\d+)%\s+([\d.]+)(us|ms|s|m)", done.stdout)
    }
    return count, per_second, shares["50"], shares["99"]


def _with_our_own(origin: str, request: Request, connections: int, seconds: float) -> tuple[int, float, float, float]:
    order = {
        "origin": origin,
        "method": request.method,
        "target": request.target,
        "headers": dict(request.headers),
        "body": request.body,
        "connections": connections,
        "seconds": seconds,
    }
    done = subprocess.run(
        [sys.executable, "-m", "devtools.bench_load"],
        input=json.dumps(order),
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    times = sorted(json.loads(done.stdout))
    return len(times), len(times) / seconds, times[len(times) // 2] * 1000, times[int(len(times) * 0.99)] * 1000


async def _load(origin: str, request: Request, connections: int, seconds: float) -> list[float]:
    """Seconds of each request."""
    host, port = urlsplit(origin).hostname, urlsplit(origin).port
    lines = "".join(f"{name}: {value}\r\n" for name, value in request.headers.items())
    times: list[float] = []
    until = time.perf_counter() + seconds

    async def one(place: int) -> None:
        reader, writer = await asyncio.open_connection(host, port)
        number = 0
        while (start := time.perf_counter()) < until:
            number += 1
            body = request.body.replace("{n}", f"{os.getpid()}-{place}-{number}")
            length = f"Content-Length: {len(body)}\r\n" if body else ""
            writer.write(f"{request.method} {request.target} HTTP/1.1\r\nHost: h\r\n{lines}{length}\r\n{body}".encode())
            head = await reader.readuntil(b"\r\n\r\n")
            found = re.search(rb"(?i)content-length: (\d+)", head)
            await reader.readexactly(int(found[1]) if found else 0)
            if not head.startswith(b"HTTP/1.1 2"):
                raise RuntimeError(head.decode("latin-1"))
            times.append(time.perf_counter() - start)
        writer.close()

    async with asyncio.TaskGroup() as group:
        for place in range(connections):
            group.create_task(one(place))
    return times


def main() -> int:
    """Load as ordered on standard input; the seconds of each request on standard output."""
    order = json.load(sys.stdin)
    request = Request(order["method"], order["target"], order["headers"], order["body"])
    json.dump(asyncio.run(_load(order["origin"], request, order["connections"], order["seconds"])), sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main())
