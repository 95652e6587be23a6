from __future__ import annotations

import pytest

from pagegrade.model.outcome import Detail
from pagegrade.render.measured import MAX_SHOWN, Measured, measured, value_beside
from tests.report_builders import make_result


@pytest.mark.parametrize(
    ("code", "actual", "limit", "expected"),
    [
        ("characters", 79, 60, ("characters", "79", "should be at most 60")),
        ("characters", 3, 10, ("characters", "3", "should be at least 10")),
        ("main_headings", 2, 1, ("main headings", "2", "should be at most 1")),
        ("wire_bytes", 9_000_000, 100_000, ("on the wire", "9 MB", "should be at most 100 kB")),
        ("bytes", 512, 100, ("", "512 bytes", "should be at most 100 bytes")),
        ("first_byte_ms", 1400, 800, ("first byte", "1.4 s", "should be at most 800 ms")),
        ("width_px", 1068, 600, ("wide", "1,068 px", "should be at most 600 px")),
        ("max_age_s", 1, 3000, ("max-age", "1 second", "should be at least 3,000 seconds")),
        ("days_left", 1, 14, ("days left", "1", "should be at least 14")),
        ("lifetime_days", 1, 398, ("lifetime", "1 day", "should be at least 398 days")),
        ("status", 200, 404, ("status", "200", "expected 404")),
        ("encoding_used", "gbk", "UTF-8", ("encoding used", "gbk", "expected UTF-8")),
    ],
)
def test_figures_stand_beside_what_is_expected(
    code: str, actual: str | float, limit: str | float, expected: tuple[str, str, str]
) -> None:
    """With their units, and with the side of the limit they are on."""
    detail = Detail(code=code, actual=actual, limit=limit)

    assert measured(make_result(errors=(detail,))) == (Measured(*expected),)


def test_figures_without_an_expected_value_are_left_out() -> None:
    """They are in the evidence."""
    details = (Detail(code="text_bytes", actual=12), Detail(code="missing", limit=0), Detail(code="none"))

    assert measured(make_result(errors=details)) == ()


def test_there_are_never_too_many() -> None:
    """A finding begins with its figures; it does not consist of them."""
    details = tuple(Detail(code=f"kind_{number}", actual=number, limit=0) for number in range(1, 30))

    assert len(measured(make_result(errors=details))) == MAX_SHOWN


def test_hostile_details_are_made_visible() -> None:
    """Some hold text of the page."""
    (figure,) = measured(make_result(errors=(Detail(code="a\u202eb", actual="\x1b[31m", limit="x"),)))

    assert figure.name == r"a\u202eb"
    assert figure.found == r"\x1b[31m"


def test_a_value_is_not_said_twice() -> None:
    """Neither beside the figure that is the same nor beside a message that says it."""
    details = (Detail(code="characters", actual=79, limit=60),)

    assert value_beside(make_result(value=79, errors=details)) == ""
    assert value_beside(make_result(value="long title", errors=details)) == "long title"
    assert value_beside(make_result(value=5, message="It has 5 of them.", errors=())) == ""
