"""Cost of a page in a browser: processor time and memory for pages of 100, 700 and 5,000 elements.

``python -m devtools.bench_render`` prints a row for each page, drawn with everything that a report in a browser has;
``--lighthouse node_modules/.bin/lighthouse`` runs Lighthouse on the same pages and prints the ratio. The pages are
served on the loopback. Exit status 1: a page costs more than its bound. Processor time is that of all processes of the
browser; memory is their proportional set size, looked at several times a second.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import ctypes
import os
import resource
import shutil
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from devtools.rendering_oracle import draw, run_lighthouse, serving
from pagegrade.gather.browser.options import HOW_TO_GET_ONE, find_browser
from pagegrade.gather.browser.process import process_tree

BOUNDS: Final = {100: (2.5, 350), 700: (4.0, 450), 5_000: (9.0, 600)}
"""Elements -> most seconds of processor time, and most megabytes."""
_LOOK_S: Final = 0.2
_PR_SET_CHILD_SUBREAPER: Final = 36


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; the exit status."""
    parser = argparse.ArgumentParser(prog="python -m devtools.bench_render")
    parser.add_argument("--loads", type=int, default=3, help="loads of a page; a report has three")
    parser.add_argument("--lighthouse", type=Path, help="the command, as npm installs it")
    parser.add_argument("--chrome", default=shutil.which("chromium") or "chromium", help="for Lighthouse")
    given = parser.parse_args(arguments)
    program = find_browser()
    if program is None:
        sys.stdout.write(f"rendered engine: not measured. {HOW_TO_GET_ONE}\n")
        return 0
    failed = False
    # Processes that Lighthouse leaves behind become ours, or their time would not be counted.
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    with serving() as origin, tempfile.TemporaryDirectory() as scratch:
        for elements, (most_s, most_mb) in BOUNDS.items():
            url = f"{origin}/elements?{elements}"
            with watching() as peak:
                rendering = asyncio.run(draw(program, url, loads=given.loads))
            spent, megabytes = rendering.cpu_s or 0.0, peak[0] / 1e6
            is_over = spent > most_s or megabytes > most_mb
            failed = failed or is_over
            line = f"{elements:>6} elements, {given.loads} loads: {spent:5.2f} CPU s (at most {most_s:g})"
            line += f", {megabytes:4.0f} MB (at most {most_mb})"
            if given.lighthouse is not None:
                before = resource.getrusage(resource.RUSAGE_CHILDREN)
                run_lighthouse(url, given.lighthouse, given.chrome, Path(scratch), everything=True)
                reap()
                after = resource.getrusage(resource.RUSAGE_CHILDREN)
                theirs = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
                line += f"; Lighthouse {theirs:5.2f} CPU s, {spent / theirs:.0%} of it"
            sys.stdout.write(f"{line}{'  !' if is_over else ''}\n")
            sys.stdout.flush()
    return 1 if failed else 0


def reap() -> None:
    """Wait for all children, orphans of ended ones included, so that their time is counted."""
    with contextlib.suppress(ChildProcessError):
        while True:
            os.waitpid(-1, 0)


@contextlib.contextmanager
def watching() -> Iterator[list[int]]:
    """Watch the memory of all descendants; the list holds the most that they had together, in bytes."""
    peak, done = [0], threading.Event()

    def watch() -> None:
        while not done.wait(_LOOK_S):
            peak[0] = max(peak[0], sum(map(proportional_bytes, process_tree(os.getpid())[1:])))

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        yield peak
    finally:
        done.set()
        watcher.join()


def proportional_bytes(pid: int) -> int:
    """The proportional set size of a process; 0 for one that is gone."""
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1_024
    return 0


if __name__ == "__main__":
    sys.exit(main())
