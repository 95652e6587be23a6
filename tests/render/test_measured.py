from __future__ import annotations

import pytest

from pagegrade.model.outcome import Detail
from pagegrade.render.measured import MAX_SHOWN, Measured, measured, value_beside
from tests.report_builders import make_result


@pytest.mark.parametrize(
    ("detail", "expected"),
    [
        (Detail(code="characters", actual=79, limit=60), Measured("characters", "79", "at most 60")),
        (Detail(code="characters", actual=3, limit=10), Measured("characters", "3", "at least 10")),
        (Detail(code="main_headings", actual=2, limit=1), Measured("main headings", "2", "at most 1")),
        (Detail(code="wire_bytes", actual=9_000_000, limit=100_000), Measured("on the wire", "9 MB", "at most 100 kB")),
        (Detail(code="bytes", actual=512, limit=100), Measured("", "512 bytes", "at most 100 bytes")),
        (Detail(code="first_byte_ms", actual=1400, limit=800), Measured("first byte", "1.4 s", "at most 800 ms")),
        (Detail(code="width_px", actual=1068, limit=600), Measured("wide", "1,068 px", "at most 600 px")),
        (Detail(code="max_age_s", actual=1, limit=3000), Measured("max-age", "1 second", "at least 3,000 seconds")),
        (Detail(code="days_left", actual=1, limit=14), Measured("days left", "1", "at least 14")),
        (Detail(code="lifetime_days", actual=1, limit=398), Measured("lifetime", "1 day", "at least 398 days")),
        (Detail(code="status", actual=200, limit=404), Measured("status", "200", "expected 404")),
        (Detail(code="encoding_used", actual="gbk", limit="UTF-8"), Measured("encoding used", "gbk", "expected UTF-8")),
    ],
)  # fmt: skip
def test_figures_stand_beside_what_is_expected(detail: Detail, expected: Measured) -> None:
    """With their units, and with the side of the limit they are on."""
    assert measured(make_result(errors=(detail,))) == (expected,)


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
