"""Every page, from the table of operations: one without parameters finds itself, others have a recipe.

The contract test ``tests/contract/test_pages.py`` fails when an operation of a page has no recipe.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from pagegrade.web.operations import PAGES, Operation
from pagegrade.web.routes import ALL_OPERATIONS
from tests.browser.recipes import FILES, RECIPES, Visit

LEADS_ON: Final = 303
_PEOPLE: Final = {"anyone": "Charlie", "account": "Alice", "admin": "Alice"}


def plain(path: str) -> str:
    """A path of an operation as in ``RECIPES``: parameters without their patterns."""
    return re.sub(r"\{(\w+)[^}]*\}", r"{\1}", path)


def page_operations() -> tuple[Operation, ...]:
    """The operations for people."""
    return tuple(operation for operation in ALL_OPERATIONS if operation.tag == PAGES)


def visits_of(operation: Operation) -> tuple[Visit, ...]:
    """The states of an operation.

    Raises:
        LookupError: No rule says how to reach it.
    """
    path = plain(operation.path)
    found = RECIPES.get((operation.method, path))
    if found is None:
        if operation.method != "GET" or "{" in path:
            raise LookupError(f"{operation.method} {path} has no recipe in tests/browser/recipes.py")
        found = (Visit(path=path, person=_PEOPLE[operation.access]),)
    return tuple(replace(each, operation=operation.name.replace("_", "-")) for each in found)


def _visits(*, files: bool) -> Iterator[Visit]:
    for operation in page_operations():
        path = plain(operation.path)
        finds_itself = operation.method == "GET" and "{" not in path
        # Without a recipe it is the contract test that fails, once and with a clear message.
        if (path in FILES) == files and (finds_itself or (operation.method, path) in RECIPES):
            yield from visits_of(operation)


def all_visits() -> list[Visit]:
    """Every state of every page that shows something."""
    return [visit for visit in _visits(files=False) if visit.status != LEADS_ON]


def file_visits() -> list[Visit]:
    """The answers that are no pages."""
    return list(_visits(files=True))


def form_visits() -> list[Visit]:
    """Forms that do what they are for, and lead on."""
    return [visit for visit in _visits(files=False) if visit.status == LEADS_ON]


def one_visit_each() -> list[Visit]:
    """The first state of every page."""
    found: dict[str, Visit] = {}
    for visit in all_visits():
        found.setdefault(visit.operation, visit)
    return list(found.values())
