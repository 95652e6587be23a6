from __future__ import annotations

import pytest

from pagegrade.checks.performance.total_byte_weight import total_byte_weight
from pagegrade.model.outcome import NotRun, Outcome
from tests.builders import URL, evaluated, make_resource, make_resources, make_response, outcome, run

PAGE = "<!doctype html><title>t</title><img src=/a.jpg><script src=/b.js></script>"
PAGE_BYTES = len(PAGE)


@pytest.mark.parametrize(
    ("total", "state", "loss"),
    [
        (1_600_000, "light", 0),
        (1_600_001, "heavy", 0.2),
        (4_000_000, "heavy", 0.8),
        (4_000_001, "very_heavy", 1),
        (14_999_999, "very_heavy", 1),
        (15_000_000, "enormous", 1),
    ],
)
def test_the_limits_are_inclusive(total: int, state: str, loss: float) -> None:
    """The HTML counts with its files."""
    files = make_resources(make_resource(URL + "a.jpg", body_bytes=total - PAGE_BYTES))
    found = evaluated(total_byte_weight, PAGE, resources=files)

    assert isinstance(found.verdict, Outcome)
    assert (found.verdict.state, found.verdict.value) == (state, total)
    assert found.loss == pytest.approx(loss)


@pytest.mark.parametrize(
    "html",
    [
        "<img loading=lazy src=/a.jpg>",
        "<img src=/s.jpg srcset='/a.jpg 2x'>",
        "<style>p{background:url(/a.jpg)}</style>",
        "<link rel=icon href=/a.jpg>",
        "<p>named by a stylesheet only",
    ],
)
def test_what_may_never_be_fetched_does_not_count(html: str) -> None:
    """A browser decides about lazy images, candidates, backgrounds and icons."""
    files = make_resources(make_resource(URL + "a.jpg", body_bytes=9_000_000))

    assert outcome(total_byte_weight, "<!doctype html>" + html, resources=files).state == "light"


def test_a_background_in_a_style_attribute_counts() -> None:
    """Its element is there, so it is fetched."""
    files = make_resources(make_resource(URL + "a.jpg", body_bytes=9_000_000))

    assert outcome(total_byte_weight, "<p style='background:url(/a.jpg)'>", resources=files).state == "very_heavy"


def test_a_low_number_proves_nothing_when_files_are_missing() -> None:
    """Our limits are no merit of the page; a high number stays high."""
    light = make_resources(make_resource(URL + "b.js", kind="script"), not_fetched=((URL + "a.jpg", "budget"),))
    heavy = make_resources(
        make_resource(URL + "b.js", kind="script", body_bytes=5_000_000), not_fetched=((URL + "a.jpg", "budget"),)
    )

    assert isinstance(run(total_byte_weight, PAGE, resources=light), NotRun)
    assert outcome(total_byte_weight, PAGE, resources=heavy).state == "very_heavy"


def test_a_saved_page_has_no_weight() -> None:
    """Its transfer was not seen."""
    saved = make_response(PAGE, wire_bytes=None)

    assert isinstance(run(total_byte_weight, response=saved, resources=make_resources()), NotRun)


def test_the_heaviest_files_come_first() -> None:
    """Ten are enough to know where to begin."""
    files = make_resources(
        make_resource(URL + "b.js", kind="script", body_bytes=900_000),
        make_resource(URL + "a.jpg", body_bytes=1_900_000),
    )
    found = outcome(total_byte_weight, PAGE, resources=files)

    assert [entry.url for entry in found.evidence] == [URL + "a.jpg", URL + "b.js"]
    assert {"image_bytes", "script_bytes"} <= {detail.code for detail in found.details}


def test_the_files_counted_are_those_listed_and_those_left_out() -> None:
    """The heaviest ten are listed; the HTML is counted and is no file of the list."""
    names = [f"{number}.jpg" for number in range(12)]
    files = make_resources(*(make_resource(URL + name, body_bytes=200_000) for name in names))
    found = outcome(total_byte_weight, "".join(f"<img src='/{name}'>" for name in names), resources=files)

    assert "in 13 files" in found.message
    assert (len(found.evidence), found.total) == (10, 12)
