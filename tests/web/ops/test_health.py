"""Answers for supervisors and load balancers."""

from __future__ import annotations

import time
from pathlib import Path

import httpx
import pytest

from pagegrade.model.identity import VERSION
from tests.store_builders import Backend
from tests.web.calling import Instance, with_instance


async def ask_ready(instance: Instance) -> httpx.Response:
    """Without a key, as a load balancer does."""
    return await instance.call("GET", "/readyz", key=None)


def test_living_process_says_so(tmp_path: Path) -> None:
    """Without looking at anything that could fail."""

    async def script(instance: Instance) -> httpx.Response:
        instance.services.database.close()
        return await instance.call("GET", "/healthz", key=None)

    answer = with_instance(tmp_path, script)

    assert (answer.status_code, answer.json()) == (200, {"status": "ok"})


def test_process_without_workers_can_be_ready(tmp_path: Path, backend: Backend) -> None:
    """It only answers requests."""
    answer = with_instance(tmp_path, ask_ready, workers=0)
    disk = "none" if backend == "postgresql" else "ok"

    assert answer.status_code == 200
    assert answer.json() == {
        "status": "ready",
        "checks": {"database": "ok", "schema": "ok", "disk": disk, "workers": "none", "accepting": "ok"},
    }


def test_runs_have_to_make_progress(tmp_path: Path) -> None:
    """A process that cannot end a run had better be looked at, although its workers look for work."""

    async def script(instance: Instance) -> httpx.Response:
        instance.services.worked_at_s = time.monotonic()
        instance.services.stalled_runs = 1
        return await ask_ready(instance)

    answer = with_instance(tmp_path, script, workers=2)

    assert answer.status_code == 503
    assert answer.json()["checks"]["workers"] == "stalled"


@pytest.mark.parametrize(
    ("ago_s", "word", "status"), [(None, "starting", 503), (1.0, "ok", 200), (3600.0, "stalled", 503)]
)
def test_workers_have_to_work(tmp_path: Path, ago_s: float | None, word: str, status: int) -> None:
    """A process whose workers hang had better be looked at."""

    async def script(instance: Instance) -> httpx.Response:
        instance.services.worked_at_s = None if ago_s is None else time.monotonic() - ago_s
        return await ask_ready(instance)

    answer = with_instance(tmp_path, script, workers=2)

    assert (answer.status_code, answer.json()["checks"]["workers"]) == (status, word)


def test_process_that_is_being_stopped_is_not_ready(tmp_path: Path) -> None:
    """Requests had better go elsewhere."""

    async def script(instance: Instance) -> httpx.Response:
        instance.services.draining = True
        return await ask_ready(instance)

    answer = with_instance(tmp_path, script, workers=0)

    assert (answer.status_code, answer.json()["checks"]["accepting"]) == (503, "draining")


def test_process_without_its_database_is_not_ready(tmp_path: Path) -> None:
    """And says so quickly, in a word."""

    async def script(instance: Instance) -> httpx.Response:
        instance.services.database.close()
        return await ask_ready(instance)

    answer = with_instance(tmp_path, script, workers=0)

    assert answer.status_code == 503
    assert answer.json()["status"] == "not_ready"


def test_probes_say_nothing_about_the_inside(tmp_path: Path) -> None:
    """K18: no versions, no paths."""

    async def script(instance: Instance) -> str:
        answers = [await instance.call("GET", path, key=None) for path in ("/healthz", "/readyz")]
        return "".join(f"{answer.headers}{answer.text}" for answer in answers)

    said = with_instance(tmp_path, script)

    assert VERSION not in said
    assert str(tmp_path) not in said
    assert "python" not in said.lower()
