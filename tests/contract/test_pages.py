"""No page is forgotten: each is reached by the tests in a browser, and every recipe leads to a page there is."""

from __future__ import annotations

import pytest

from pagegrade.web.operations import Operation
from pagegrade.web.routes import ALL_OPERATIONS
from tests.browser.recipes import FILES, RECIPES
from tests.browser.visits import all_visits, file_visits, form_visits, page_operations, plain, visits_of


@pytest.mark.parametrize("operation", page_operations(), ids=lambda operation: operation.name)
def test_every_page_is_reached(operation: Operation) -> None:
    """A page with parameters, or a form, needs a recipe in ``tests/browser/recipes.py``."""
    assert visits_of(operation) != ()


def test_every_recipe_is_of_a_page_there_is() -> None:
    """A recipe left behind by a move would test nothing."""
    offered = {(operation.method, plain(operation.path)) for operation in page_operations()}

    assert set(RECIPES) - offered == set()
    assert {path for _, path in offered} >= FILES


def test_every_state_has_a_name_of_its_own() -> None:
    """Tests and pictures are found by it."""
    names = [visit.id for visit in (*all_visits(), *file_visits(), *form_visits())]

    assert sorted(set(names)) == sorted(names)


def test_no_page_lies_where_programs_look() -> None:
    """Paths below ``/api/`` answer JSON only."""
    assert [operation.path for operation in page_operations() if operation.path.startswith("/api/")] == []
    assert len(page_operations()) < len(ALL_OPERATIONS)
