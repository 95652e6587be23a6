from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from pagegrade.model.outcome import Detail
from pagegrade.model.rendering import Metrics, RenderedPage, Viewport
from pagegrade.render.figures import CLS, MAX_SHOWN, Measured, format_bytes, format_ms, key_figures, measured, rate
from pagegrade.render.i18n import texts_for
from tests.report_builders import make_passed, make_report, make_result


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (format_bytes(1), "1 byte"),
        (format_bytes(48_211), "48.2 kB"),
        (format_bytes(3_100_000), "3.1 MB"),
        (format_ms(0.44), "0.4 ms"),
        (format_ms(41.2), "41 ms"),
        (format_ms(1840), "1.8 s"),
    ],
)
def test_amounts_have_the_unit_that_people_read(text: str, expected: str) -> None:
    """Powers of 1000, one decimal."""
    assert text == expected


def test_numbers_are_written_as_in_the_language() -> None:
    """The unit is the same."""
    german = texts_for("de")

    assert format_bytes(48_211, german) == f"{german.number(48.2, digits=1)} kB"


def rendered(**metrics: Any) -> RenderedPage:
    """A page in a browser with those metrics."""
    return RenderedPage(
        device="mobile",
        browser="Chromium 140",
        network="slow 4G",
        viewport=Viewport(width_px=412, height_px=823),
        load_count=1,
        metrics=Metrics(**metrics),
        spread={},
    )


def test_without_a_browser_requests_are_counted() -> None:
    """Time to first byte, weight and number; only the first has a threshold."""
    figures = key_figures(make_report())

    assert [(one.name, one.value, one.rating) for one in figures] == [
        ("TTFB", "41 ms", "good"),
        ("Weight", "834.3 kB", ""),
        ("Requests", "37", ""),
    ]


def test_the_document_is_a_request_as_well() -> None:
    """The check counts the files that the document names; the table of all requests begins with the document."""
    figures = key_figures(make_report(make_passed("http-requests", value=2)))

    assert figures[-1].value == "3"


def test_with_a_browser_its_metrics_come_first() -> None:
    """Rated by the thresholds of web.dev; what was not measured is a dash without a rating."""
    figures = key_figures(replace(make_report(), rendered=rendered(lcp_ms=2_600, cls=0.31, tbt_ms=None)))

    assert [(one.name, one.value, one.rating) for one in figures] == [
        ("LCP", "2.6 s", "decent"),
        ("CLS", "0.31", "bad"),
        ("TBT", "–", ""),
    ]


def test_a_page_that_was_not_seen_has_no_figures() -> None:
    """Not even zeros."""
    assert key_figures(make_report(page=None)) == ()


@pytest.mark.parametrize(
    ("value", "rating"), [(None, ""), (0.1, "good"), (0.11, "decent"), (0.25, "decent"), (0.26, "bad")]
)
def test_a_value_at_its_threshold_still_has_the_better_rating(value: float | None, rating: str) -> None:
    """As the source defines them."""
    assert rate(value, CLS) == rating


def test_names_are_translated() -> None:
    """Abbreviations stay."""
    assert [one.name for one in key_figures(make_report(), texts_for("de"))] == ["TTFB", "Gewicht", "Anfragen"]


def test_the_weight_is_that_of_the_check() -> None:
    """More can be fetched than a browser loads: the two must not contradict each other."""
    weight = make_result("total-byte-weight", category="performance", value=700_000)
    requests = make_passed("http-requests", category="performance", value=31)
    shown = {one.name: one.value for one in key_figures(make_report(weight, requests))}

    assert (shown["Weight"], shown["Requests"]) == ("700 kB", "32")


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
