"""Ageing by one clock: no statement of the store deletes old rows by a time that could have jumped."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Final

import pagegrade.store.repositories.installation as clock
from pagegrade.store import __file__ as store_file

STORE: Final = Path(store_file).parent
AGED: Final = re.compile(r"delete\(|DELETE FROM", re.IGNORECASE)
IS_TIME: Final = re.compile(r"_at_ms\"?\]? *[<>]|\b(?:_OLD|before_ms)\b")
BY_THE_CLOCK: Final = {
    "repositories/host_slots.py": "visits count for a minute, and those of the future are as dead as those of the past",
    "repositories/installation.py": "heartbeats, by the database's clock: a process that lives adds itself again",
    "repositories/rate_limit.py": "buckets of seconds to days, by the database's clock: limits begin anew",
}
"""Module -> why its rows may go by the clock as it is: nothing is lost that people made."""


def aging_functions() -> dict[str, ast.FunctionDef]:
    """Functions that delete rows by a time, each with the module it is in."""
    found = {}
    for path in sorted(STORE.rglob("*.py")):
        module = path.relative_to(STORE).as_posix()
        if "migrations/" in module or module in BY_THE_CLOCK:
            continue
        source = path.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.FunctionDef):
                body = ast.get_source_segment(source, node) or ""
                if AGED.search(body) and IS_TIME.search(body):
                    found[f"{module}:{node.name}"] = node
    return found


def goes_by_the_deletion_clock(function: ast.FunctionDef) -> bool:
    """Return whether a time by which rows are aged is asked for, or read."""
    arguments = [*function.args.args, *function.args.kwonlyargs]
    annotated = any(isinstance(each.annotation, ast.Name) and each.annotation.id == "AgeMs" for each in arguments)
    called = {
        node.func.id for node in ast.walk(function) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    return annotated or "age_ms" in called


def test_all_that_deletes_by_age_goes_by_the_deletion_clock() -> None:
    """By the type of its argument, which only one module makes; the type checker follows it through the callers."""
    functions = aging_functions()
    wrong = [name for name, node in functions.items() if not goes_by_the_deletion_clock(node)]

    assert wrong == []
    assert {"repositories/retention.py:prune", "repositories/credentials.py:forget_ended"} <= set(functions)


def test_only_the_deletion_clock_makes_such_a_time() -> None:
    """No other module of the product turns a number into one."""
    product = STORE.parent
    makers = [
        path.relative_to(product).as_posix()
        for path in sorted(product.rglob("*.py"))
        if re.search(r"\bAgeMs\(", path.read_text(encoding="utf-8"))
    ]

    assert makers == [Path(clock.__file__).relative_to(product).as_posix()]


def test_every_exception_is_a_module_that_deletes() -> None:
    """And there are no others in the list."""
    unused = [name for name in BY_THE_CLOCK if not AGED.search((STORE / name).read_text(encoding="utf-8"))]

    assert unused == []
