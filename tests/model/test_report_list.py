from __future__ import annotations

import pytest

from pagegrade.model.report_list import ORDERS, ListQuery, SortBy, parts_of


@pytest.mark.parametrize("sort_by", list(ORDERS))
@pytest.mark.parametrize("rating", [None, 2])
def test_every_part_ends_with_the_id_and_compares_columns_of_its_order(sort_by: SortBy, rating: int | None) -> None:
    """So that no two reports are at the same place, and the index of the order gives it."""
    for part in parts_of(ListQuery(account_id=1, sort_by=sort_by, rating=rating)):
        assert part.compared[-1] == "id"
        assert part.compared == ORDERS[sort_by][-len(part.compared) :]


@pytest.mark.parametrize(("sort_by", "parts"), [("id", 1), ("result", 3), ("score", 2)])
def test_what_has_no_value_is_in_a_part_of_its_own(sort_by: SortBy, parts: int) -> None:
    """At the end, in both directions; with a result there is always a score."""
    assert len(parts_of(ListQuery(account_id=1, sort_by=sort_by))) == parts
    assert len(parts_of(ListQuery(account_id=1, sort_by=sort_by, rating=1))) == 1


def test_only_filters_in_use_are_named() -> None:
    """Privacy 0 and the time 0 are in use."""
    assert ListQuery(account_id=1).further == ()
    assert ListQuery(account_id=1, privacy=0, updated_since_ms=0, url="x").further == (
        "url",
        "privacy",
        "updated_since_ms",
    )
