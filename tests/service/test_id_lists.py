from __future__ import annotations

import pytest

from pagegrade.service.id_lists import Part, page_of, walk, walk_of

IDS = (9, 7, 4, 2)


def read(count: int, *, beside: int | None, backward: bool) -> tuple[int, ...]:
    """Some of the ids, the newest first."""
    if beside is None:
        return IDS[:count]
    return tuple(each for each in IDS if each > beside)[-count:] if backward else _after(beside)[:count]


def _after(beside: int) -> tuple[int, ...]:
    return tuple(each for each in IDS if each < beside)


@pytest.mark.parametrize(
    ("part", "items", "before", "after"),
    [
        (Part(per_page=2), (9, 7), None, 7),
        (Part(per_page=2, beside=7), (4, 2), 4, None),
        (Part(per_page=2, beside=4, backward=True), (9, 7), None, 7),
        (Part(per_page=1, beside=8), (7,), 7, 7),
        (Part(per_page=9), IDS, None, None),
        (Part(per_page=2, beside=2), (), None, None),
    ],
)
def test_a_part_knows_what_is_on_either_side(
    part: Part, items: tuple[int, ...], before: int | None, after: int | None
) -> None:
    """Also beside an id that is not there; nothing is counted unasked."""
    found = walk(read, lambda item: item, part, lambda: pytest.fail("counted"))

    assert (found.items, found.before, found.after, found.total) == (items, before, after, None)


def test_the_whole_list_is_counted_where_that_is_asked_for() -> None:
    """Whatever part of it is read."""
    found = walk(read, lambda item: item, Part(per_page=1, beside=1, count=True), lambda: len(IDS))

    assert (found.items, found.total) == ((), 4)


@pytest.mark.parametrize(
    "part",
    [
        *(Part(per_page=count, beside=beside) for count in (1, 2, 9) for beside in (None, 10, 9, 5, 2, 1)),
        *(Part(per_page=count, beside=beside, backward=True) for count in (1, 2, 9) for beside in (10, 9, 5, 2, 1)),
    ],
)
def test_a_list_that_was_read_whole_is_walked_as_others(part: Part) -> None:
    """The same items, with the same to either side."""
    assert walk_of(IDS, int, part) == walk(read, int, part, lambda: len(IDS))


@pytest.mark.parametrize(("page", "items"), [(1, (9, 7, 4)), (2, (2,)), (3, ())])
def test_a_list_that_was_read_whole_has_pages(page: int, items: tuple[int, ...]) -> None:
    """Pages past the last one are empty."""
    listed = page_of(IDS, page=page, per_page=3)

    assert (listed.items, listed.total) == (items, 4)
