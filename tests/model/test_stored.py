from __future__ import annotations

import pytest
from msgspec.structs import replace

from pagegrade.model.stored import GRADES, RATINGS, STATES, UNFINISHED, Privacy, StoredReport

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
