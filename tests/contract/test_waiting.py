"""Tests wait for events: a fixed pause is too short on a busy machine and too long on an idle one."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Final

import pytest

TESTS: Final = Path(__file__).resolve().parents[1]
HELPER: Final = "waiting.py"


def sleeps(source: str) -> list[int]:
    """Lines with a call of ``time.sleep`` or ``asyncio.sleep`` that lasts longer than a turn of the loop."""
    if ".sleep" not in source:
        return []  # reading a thousand files as programs takes seconds
    calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    return [
        call.lineno
        for call in calls
        if isinstance(call.func, ast.Attribute)
        and call.func.attr == "sleep"
        and isinstance(call.func.value, ast.Name)
        and call.func.value.id in {"asyncio", "time"}
        and not (isinstance(call.args[0], ast.Constant) and call.args[0].value == 0)
    ]


def test_tests_wait_for_events() -> None:
    """With ``tests.waiting``: until something holds, or for a time that is itself the subject and named."""
    paths = {path.relative_to(TESTS).as_posix(): path for path in TESTS.rglob("*.py")}
    found = {name: sleeps(path.read_text(encoding="utf-8")) for name, path in paths.items() if name != HELPER}

    assert {name: lines for name, lines in found.items() if lines} == {}


@pytest.mark.parametrize(
    ("source", "count"), [("time.sleep(0.1)", 1), ("await asyncio.sleep(n)", 1), ("asyncio.sleep(0)", 0), ("f(1)", 0)]
)
def test_a_pause_is_noticed(source: str, count: int) -> None:
    """A turn of the loop is none."""
    assert len(sleeps(f"async def f(): {source}")) == count
