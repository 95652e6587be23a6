from __future__ import annotations

import pytest

from pagegrade.model.outcome import Detail
from pagegrade.render.measured import MAX_SHOWN, Measured, measured
from tests.report_builders import make_result


@pytest.mark.parametrize(
    ("code", "actual", "limit", "expected"),
    [
        ("characters", 79, 60, ("characters", "79", "should be at most 60")),
        ("words", 3, 10, ("words", "3", "should be at least 10")),
        ("main_headings", 2, 1, ("main headings", "2", "should be at most 1")),
        ("wire_bytes", 9_000_000, 100_000, ("transferred", "9 MB", "should be at most 100 kB")),
        ("bytes", 512, 100, ("size", "512 bytes", "should be at most 100 bytes")),
        ("first_byte_ms", 1400, 800, ("time to first byte", "1.4 s", "should be at most 800 ms")),
        ("width_px", 1068, 600, ("width", "1,068 px", "should be at most 600 px")),
        ("max_age_s", 1, 3000, ("max-age", "1 second", "should be at least 3,000 seconds")),
        ("days_left", 1, 14, ("days left", "1", "should be at least 14")),
        ("lifetime_days", 399, 398, ("lifetime", "399 days", "should be at most 398 days")),
        ("status", 200, 404, ("status", "200", "expected 404")),
        ("max_age_s", 86_400, 15_768_000, ("max-age", "86,400 seconds", "should be at least 183 days")),
        ("max_age_s", 259_200, 500_000, ("max-age", "3 days", "should be at least 5.8 days")),
        ("encoding_used", "gbk", "UTF-8", ("encoding", "gbk", "expected UTF-8")),
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


@pytest.mark.parametrize(
    ("code", "actual", "limit"),
    [
        ("wire_bytes", 78_000, 100_000),
        ("wire_bytes", 100_000, 100_000),
        ("unlabelled", 0, 0),
        ("unlabelled", 2, 0),
        ("title_words_in_text", 7, 1),
        ("side_px", 48, 48),
        ("status", 404, 404),
        ("encoding_used", "UTF-8", "UTF-8"),
        ("main_headings", 1, 1),
        ("main_headings", 0, 1),
        ("descriptions", 0, 1),
    ],
)
def test_figures_within_their_limit_are_left_out(code: str, actual: str | float, limit: str | float) -> None:
    """A light transfer "should be at least" nothing; what is right or missing altogether explains none."""
    assert measured(make_result(errors=(Detail(code=code, actual=actual, limit=limit),))) == ()


@pytest.mark.parametrize(
    ("check", "actual", "expected"),
    [
        ("meta-description", 12, "should be at least 50"),
        ("meta-description-length", 12, "should be at least 50"),
        ("meta-description-length", 70, "should be at most 50"),
        ("title-length", 70, "should be at most 50"),
        ("title-length", 12, ""),
    ],
)
def test_the_same_word_may_have_limits_on_either_side(check: str, actual: int, expected: str) -> None:
    """The check says which."""
    found = measured(make_result(check=check, errors=(Detail(code="characters", actual=actual, limit=50),)))

    assert [figure.limit for figure in found] == ([expected] if expected else [])


def test_there_are_never_too_many() -> None:
    """A finding begins with its figures; it does not consist of them."""
    details = tuple(Detail(code=f"kind_{number}", actual=number + 1, limit=1) for number in range(1, 30))

    assert len(measured(make_result(errors=details))) == MAX_SHOWN


def test_hostile_details_are_made_visible() -> None:
    """Some hold text of the page."""
    (figure,) = measured(make_result(errors=(Detail(code="a\u202eb", actual="\x1b[31m", limit="x"),)))

    assert figure.name == r"a\u202eb"
    assert figure.found == r"\x1b[31m"


def test_a_saving_is_no_limit_to_keep() -> None:
    """The headline says what is saved; from how many bytes a check begins to look is not for owners."""
    assert measured(make_result(errors=(Detail(code="saving_bytes", actual=2_100, limit=1_400),))) == ()
