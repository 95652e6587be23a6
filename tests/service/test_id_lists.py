from __future__ import annotations

import pytest

from pagegrade.model.stored import ListPart
from pagegrade.service.id_lists import part_of, read_part

IDS = (9, 7, 4, 2)


@pytest.mark.parametrize(
    ("part", "items", "before", "after"),
    [
        (ListPart(per_page=2), (9, 7), None, 7),
        (ListPart(per_page=2, beside=7), (4, 2), 4, None),
        (ListPart(per_page=2, beside=4, backward=True), (9, 7), None, 7),
        (ListPart(per_page=1, beside=8), (7,), 7, 7),
        (ListPart(per_page=9), IDS, None, None),
        (ListPart(per_page=2, beside=2), (), None, None),
    ],
)
def test_a_part_knows_what_is_on_either_side(
    part: ListPart, items: tuple[int, ...], before: int | None, after: int | None
) -> None:
    """Also beside an id that is not there; nothing is counted unasked."""
    found = part_of(IDS, int, part)

    assert (found.items, found.before, found.after, found.total) == (items, before, after, 0)


def test_the_whole_list_is_counted_where_that_is_asked_for() -> None:
    """Whatever part of it is read."""
    found = part_of(IDS, int, ListPart(per_page=1, beside=1, count=True))

    assert (found.items, found.total) == ((), 4)


@pytest.mark.parametrize(("page", "items"), [(1, (9, 7, 4)), (2, (2,)), (3, ())])
def test_numbered_pages_are_counted(page: int, items: tuple[int, ...]) -> None:
    """Pages past the last one are empty; nothing beside a page is looked for."""
    found = part_of(IDS, int, ListPart(page=page, per_page=3))

    assert (found.items, found.total, found.before, found.after) == (items, 4, None, None)


def test_a_page_past_the_last_one_is_not_read() -> None:
    """A database would walk over all rows before it."""
    part = ListPart(page=3, per_page=2)

    assert read_part(lambda _: pytest.fail("read"), int, part, lambda: len(IDS)).total == 4
