"""Whole analyses against the local test site, beside bare fetches of the same files in the same run."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
import time
from ipaddress import ip_network
from pathlib import Path

import pycurl

from pagegrade.model.artifacts import NotGathered
from pagegrade.parse.url import parse_target_url
from pagegrade.sandbox.pool import Children
from pagegrade.service.runs.analysis import analyze_target
from pagegrade.service.runs.options import AnalyzeOptions
from pagegrade.web.server.serve import loop_factory

ROOT = Path(__file__).resolve().parents[1]
PAGE = "/many"
"""A page with thirty sub-resources."""
CONCURRENT = 4
SITE_RATIO = 1.7
"""Maximum ratio of the time of whole analyses to that of bare fetches."""


def measure_site(count: int) -> dict[str, float]:
    """Analyses per second and CPU per analysis, printed and returned."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.site", "--port", "0"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        origin = _origin(process)
        urls, bare_s, bare_cpu_s = _bare(origin, count)
        # The event loop that the service uses.
        with asyncio.Runner(loop_factory=loop_factory()) as runner:
            wall_s, cpu_s = runner.run(_analyses(origin, count, server=process.pid))
    finally:
        process.terminate()
        process.wait(timeout=10)
    figures = {
        "analyses_per_second": round(count / wall_s, 1),
        "cpu_ms_per_analysis": round(1000 * cpu_s / count, 1),
        "against_bare_fetches": round(wall_s / bare_s, 2),
        "cpu_against_bare_fetches": round(cpu_s / bare_cpu_s, 2),
    }
    held = "within" if figures["against_bare_fetches"] <= SITE_RATIO else "ABOVE"
    print(
        f"site: {figures['analyses_per_second']} analyses per second of a page with {len(urls) - 1} sub-resources "
        f"({CONCURRENT} at a time), {figures['cpu_ms_per_analysis']} ms CPU each, "
        f"{figures['against_bare_fetches']}x the time of fetching the same files with bare curl ({held} the bound of "
        f"{SITE_RATIO:g}x), {figures['cpu_against_bare_fetches']}x its CPU"
    )
    return figures


def _origin(process: subprocess.Popen[str]) -> str:
    """Return the origin of the site: the first URL that it prints."""
    if process.stdout is None:
        raise RuntimeError("the site has no standard output")
    for line in process.stdout:
        found = re.search(r"http://127\.0\.0\.1:\d+", line)
        if found:
            return found.group()
    raise RuntimeError("the site did not start")


async def _analyses(origin: str, count: int, server: int) -> tuple[float, float]:
    """(wall seconds, CPU seconds of this process and the children) of ``count`` analyses.

    As in a service that runs: the children have been started, and have loaded what they need, before.
    """
    options = AnalyzeOptions(allow_networks=(ip_network("127.0.0.0/8"),), load_samples=1)
    target = parse_target_url(origin + PAGE)
    async with Children() as children:
        async with asyncio.TaskGroup() as group:
            for _ in range(3 * CONCURRENT):
                group.create_task(analyze_target(target, options=options, children=children))
        cpu = _cpu_s(server)
        start = time.perf_counter()
        places = asyncio.Semaphore(CONCURRENT)

        async def one() -> None:
            async with places:
                analysis = await analyze_target(target, options=options, children=children)
                if analysis.artifacts is None or isinstance(analysis.artifacts.resources, NotGathered):
                    raise RuntimeError(f"an analysis failed: {analysis.report.error}")

        async with asyncio.TaskGroup() as group:
            for _ in range(count):
                group.create_task(one())
        return time.perf_counter() - start, _cpu_s(server) - cpu


def _cpu_s(server: int) -> float:
    """CPU seconds of this process and of its children that live, the site's server aside (on Linux)."""
    ticks = 0
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = status.read_text().rpartition(")")[2].split()
        except OSError:
            continue  # It has ended.
        if int(fields[1]) == os.getpid() and status.parent.name != str(server):
            ticks += int(fields[11]) + int(fields[12])
    return time.process_time() + ticks / os.sysconf("SC_CLK_TCK")


def _bare(origin: str, count: int) -> tuple[list[str], float, float]:
    """(the files of one analysis, wall and CPU seconds of fetching them ``count`` times with bare curl)."""
    urls = asyncio.run(_files(origin))
    cpu = time.process_time()
    start = time.perf_counter()
    for _ in range(count):
        multi = pycurl.CurlMulti()
        handles = []
        for url in urls:
            handle = pycurl.Curl()
            handle.setopt(pycurl.URL, url)
            handle.setopt(pycurl.PROXY, "")
            handle.setopt(pycurl.WRITEFUNCTION, len)
            multi.add_handle(handle)
            handles.append(handle)
        active = len(handles)
        while active:
            _, active = multi.perform()
            multi.select(0.05)
        multi.close()
    return urls, time.perf_counter() - start, time.process_time() - cpu


async def _files(origin: str) -> list[str]:
    options = AnalyzeOptions(allow_networks=(ip_network("127.0.0.0/8"),), load_samples=1)
    async with Children(1) as children:
        analysis = await analyze_target(parse_target_url(origin + PAGE), options=options, children=children)
    if analysis.artifacts is None or isinstance(analysis.artifacts.resources, NotGathered):
        raise RuntimeError(f"the page could not be analyzed: {analysis.report.error}")
    return [origin + PAGE, *(item.url for item in analysis.artifacts.resources.items)]
