from __future__ import annotations

import pytest
from msgspec.structs import replace

from pagegrade.model.stored import (
    GRADES,
    ORDERS,
    RATINGS,
    STATES,
    UNFINISHED,
    ListQuery,
    Privacy,
    SortBy,
    StoredReport,
    parts_of,
)

REPORT = StoredReport(
    id=1042,
    account_id=1,
    url="https://example.com/",
    project="example.com",
    privacy=Privacy.PUBLIC,
    password_hash=None,
    password_version=0,
    slug="9fK2vQ7xLmB3dT0aYw5cZg",
    state="queued",
    rating=None,
    score=None,
    run_number=None,
    summary=None,
    error=None,
    generated_at_ms=None,
    created_at_ms=0,
    updated_at_ms=0,
    revision=7,
)


@pytest.mark.parametrize(("rating", "result"), [(None, None), (1, "bad"), (2, "decent"), (3, "good")])
def test_a_rating_is_a_result(rating: int | None, result: str | None) -> None:
    """Numbers are kept because they sort by severity; people see words."""
    assert replace(REPORT, rating=rating).result == result


def test_the_entity_tag_names_report_and_revision() -> None:
    """Strong, with its quotes; another revision has another one."""
    assert REPORT.etag == '"1042-7"'
    assert replace(REPORT, revision=8).etag != REPORT.etag


def test_ratings_and_grades_are_each_others_inverse() -> None:
    """No result gets lost on its way into the database and back."""
    assert {grade: rating for rating, grade in GRADES.items()} == RATINGS
    assert min(RATINGS.values()) > 0


def test_what_is_unfinished_is_a_state() -> None:
    """Everything else has ended."""
    assert set(STATES) - UNFINISHED == {"completed", "failed"}


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
