from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Coroutine, Iterator
from typing import Any

import pytest

from pagegrade.cli.exit_codes import run_async
from pagegrade.gather.resolver import Answer
from pagegrade.parse.url import parse_target_url
from pagegrade.sandbox.pool import Children, TaskRunner
from pagegrade.service.runs.analysis import analyze_target
from pagegrade.service.runs.options import AnalyzeOptions, parse_networks
from tests.gather.sites import Asked, Reply, Site, html
from tests.waiting import pause_for

LONG_S = 60.0


def interrupt() -> None:
    """Send SIGINT to this process."""
    os.kill(os.getpid(), signal.SIGINT)


@pytest.fixture(autouse=True)
def usual_handler() -> Iterator[None]:
    """The handler of Python before and after, so that an interrupt never reaches the test run."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


async def swallow() -> int:
    """Take the cancellation for an answer that did not come."""
    try:
        interrupt()
        await pause_for(LONG_S, "work that hangs")
    except asyncio.CancelledError:
        return 3
    return 0


async def replace() -> int:
    """End with another exception."""
    try:
        interrupt()
        await pause_for(LONG_S, "work that hangs")
    finally:
        raise ValueError("a parser found the end")


async def finish() -> int:
    """Be done in the moment of the interrupt."""
    interrupt()
    return 0


async def wait() -> int:
    """Be cancelled as it should be."""
    interrupt()
    await pause_for(LONG_S, "work that hangs")
    return 0


async def fail_beside() -> int:
    """Let one task fail because the other is cancelled."""
    async with asyncio.TaskGroup() as group:
        group.create_task(replace())
        group.create_task(swallow())
    return 0


@pytest.mark.parametrize("work", [swallow, replace, finish, wait, fail_beside])
def test_work_never_turns_an_interrupt_into_a_result(work: Callable[[], Coroutine[Any, Any, int]]) -> None:
    """Not into a result, and not into an exception of its own."""
    with pytest.raises(KeyboardInterrupt):
        run_async(work())

    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_second_interrupt_ends_work_that_ignores_the_first() -> None:
    """At once, wherever it is."""
    reached = []

    async def ignore() -> None:
        interrupt()
        reached.append("after one")
        interrupt()
        reached.append("after two")

    with pytest.raises(KeyboardInterrupt):
        run_async(ignore())

    assert reached == ["after one"]


def test_work_without_an_interrupt_gives_its_result_or_exception() -> None:
    """As ``asyncio.run`` does."""

    async def answer() -> int:
        return 42

    async def fail() -> int:
        raise LookupError("nothing there")

    assert run_async(answer()) == 42
    with pytest.raises(LookupError):
        run_async(fail())


def test_an_ignored_interrupt_stays_ignored() -> None:
    """A background job of a script is started so, and its owner's Ctrl-C is meant for something else."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    assert run_async(finish()) == 0
    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN


class _Resolver:
    """Interrupts when it is asked, then never answers."""

    async def texts(self, name: str) -> tuple[str, ...]:
        """It has no records."""
        return ()

    async def resolve(self, host: str, *, local_names: bool = False) -> Answer:
        interrupt()
        await pause_for(LONG_S, "work that hangs")
        raise AssertionError(f"waited for {host} to the end (local names: {local_names})")


class _Parser:
    """Interrupts when it is to parse; then its child answers, or dies, as children do."""

    def __init__(self, inner: TaskRunner) -> None:
        self._inner = inner

    async def run(self, function: Callable[..., Any], *arguments: object, timeout_s: float) -> Any:
        interrupt()
        return await self._inner.run(function, *arguments, timeout_s=timeout_s)


async def _analyze(moment: str) -> str:
    """Analyze a page and be interrupted at a moment; the state of the report."""

    def hang(_asked: Asked) -> Reply:
        interrupt()
        return html("<title>x</title>", hangs=True)

    routes: dict[str, Reply | Callable[[Asked], Reply]] = {
        "/": html("<title>x</title><link rel=stylesheet href=/a.css>"),
        "/a.css": hang,
        "/slow": hang,
    }
    options = AnalyzeOptions(allow_networks=parse_networks(["127.0.0.0/8"]))
    async with Site(routes) as site, Children(1) as children:
        url = {"resolving": "https://example.com/", "head": site.origin + "/slow"}.get(moment, site.origin + "/")
        analysis = await analyze_target(
            parse_target_url(url),
            options=options,
            children=_Parser(children) if moment == "parsing" else children,
            resolver=_Resolver(),
        )
    return analysis.report.state


@pytest.mark.parametrize("moment", ["resolving", "head", "parsing", "sub-resource"])
def test_an_analysis_ends_wherever_it_is_interrupted(moment: str) -> None:
    """No report, and nothing of the site or of a child is left open (asyncio would warn, which is an error here)."""
    with pytest.raises(KeyboardInterrupt):
        run_async(_analyze(moment))


HOOKED = """
import os, signal, sys

class Hook:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            {what}

sys.meta_path.insert(0, Hook())
from pagegrade.cli import main
main(["checks"])
"""
INTERRUPT = "import os, signal; os.kill(os.getpid(), signal.SIGINT)"


@pytest.mark.parametrize("module", ["pagegrade.cli.app", "pagegrade.cli.commands.catalogue"])
@pytest.mark.parametrize(
    "what",
    [
        INTERRUPT,
        f"exec({INTERRUPT!r})",
        f"try:\n                {INTERRUPT}\n            except KeyboardInterrupt:\n                raise SyntaxError",
        f"try:\n                {INTERRUPT}\n            except KeyboardInterrupt:\n                pass",
    ],
    ids=["plain", "inside of exec", "replaced", "dropped"],
)
def test_an_interrupt_while_modules_are_loaded_ends_with_130(module: str, what: str) -> None:
    """Python turns one inside of ``exec``, as dataclasses use it, into death by the signal at the end."""
    code = HOOKED.format(module=module, what=what)
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=False)

    assert (process.returncode, process.stderr) == (130, "Interrupted.\n")


def test_a_process_that_nothing_else_would_end_is_ended_by_sigterm() -> None:
    """The first process of a container ignores a signal without a handler, so there is one from the start."""
    code = (
        "import signal; from pagegrade.cli import app, exit_codes; import typer;"
        "before = signal.getsignal(signal.SIGTERM); exit_codes.end_on_sigterm();"
        "print(before is signal.SIG_DFL, callable(signal.getsignal(signal.SIGTERM)));"
        "signal.raise_signal(signal.SIGTERM)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, encoding="utf-8", timeout=LONG_S, check=False
    )

    assert (done.returncode, done.stdout, done.stderr) == (0, "True True\n", "")
