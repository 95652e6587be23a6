"""The installed command line as the lab calls it: ``pagegrade analyze URL --format json`` in a process of its own."""

from __future__ import annotations

import asyncio
import sys
import time
from typing import Any, Final

import msgspec

from tests.lab.case import Job, Outcome

EXIT_CODES: Final = {0: "done", 3: "failed", 2: "refused"}
START_S: Final = 120.0
"""Starting the interpreter and evaluation come on top of the budget."""


async def analyse_with_command(job: Job) -> Outcome:
    """Run the command; its exit code and the JSON it prints must agree."""
    started = time.monotonic()
    arguments = ("-m", "pagegrade", "analyze", job.url, "--format", "json", "--quiet", "--budget", str(job.budget_s))
    process = await asyncio.create_subprocess_exec(
        sys.executable, *arguments, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    try:
        async with asyncio.timeout(job.budget_s + START_S):
            out, err = await process.communicate()
    except TimeoutError:
        process.kill()
        await process.wait()
        return Outcome(id=job.id, state="hung", message="the command did not end")
    outcome = _outcome(job.id, process.returncode or 0, out, err.decode(errors="replace"))
    outcome.duration_s = max(0.0, time.monotonic() - started - START_S)
    return outcome


def _outcome(job_id: str, exit_code: int, out: bytes, said: str) -> Outcome:
    state = EXIT_CODES.get(exit_code)
    if state is None or "Traceback" in said:
        return Outcome(id=job_id, state="crashed", code=f"exit {exit_code}", message=said[-2000:])
    if state == "refused":
        # The exit code is the same for every unusable URL; rows that must distinguish them use the library.
        return Outcome(id=job_id, state="refused", code="InvalidURL", message=said[-500:])
    report: dict[str, Any] = msgspec.json.decode(out)
    if report["state"] != {"done": "completed", "failed": "failed"}[state]:
        message = f"exit code {exit_code}, but the report is {report['state']}"
        return Outcome(id=job_id, state="crashed", code="disagreement", message=message)
    outcome = Outcome(id=job_id, state="done" if state == "done" else "failed", score=report["score"])
    outcome.final_url = report["final_url"] or ""
    if report.get("error"):
        outcome.code, outcome.message = report["error"]["code"], report["error"]["message"]
        outcome.reason = report["error"].get("reason") or ""
    outcome.title = (report.get("page") or {}).get("title") or ""
    return outcome
