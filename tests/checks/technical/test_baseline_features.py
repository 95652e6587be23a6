from __future__ import annotations

import pytest

from pagegrade.checks.technical.baseline_features import baseline_features
from pagegrade.model.outcome import NotApplicable
from tests.builders import URL, evaluated, make_resource, make_resources, outcome, run


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        ("<p style='color:red'>", "widely"),
        ("<style>a{display:grid}</style>", "widely"),
        ("<style>a{color:light-dark(red,blue)}</style>", "newly"),
        ("<p style='backdrop-filter:blur(1px)'>", "newly"),
        ("<div popover>", "newly"),
        ("<style>a{width:calc-size(auto,size)}</style>", "limited"),
        ("<div popover><style>a{width:calc-size(auto,size)}</style>", "limited"),
    ],
)
def test_worst_feature_decides(page: str, expected: str) -> None:
    """In the HTML, in style elements and in style attributes."""
    assert outcome(baseline_features, page).state == expected


def test_own_stylesheets_count_and_those_of_others_do_not() -> None:
    """And what newer data no longer lists is left out."""
    own = make_resource(URL + "a.css", kind="stylesheet", css_features=("calc-size", "gone-by-now"))
    foreign = make_resource("https://o.example/a.css", kind="stylesheet", css_features=("if",), first_party=False)
    found = outcome(baseline_features, "<p>", resources=make_resources(own, foreign))

    assert [(one.url, one.value, one.reason) for one in found.evidence] == [
        (URL + "a.css", "calc-size()", "not in Firefox, Safari")
    ]


def test_what_some_browsers_lack_comes_first() -> None:
    """The number is theirs, and all are listed."""
    page = "<div popover>\n<style>a{color:light-dark(red,blue);width:calc-size(auto,size)}</style>"
    found = outcome(baseline_features, page)

    assert (found.count, found.total) == (1, 3)
    assert found.evidence[0].value == "calc-size()"
    assert {detail.code: detail.actual for detail in found.details} == {
        "limited_availability": 1,
        "newly_available": 2,
    }


def test_it_costs_nothing() -> None:
    """A feature may be used on purpose."""
    assert evaluated(baseline_features, "<style>a{width:calc-size(auto,size)}</style>").outcome == "informative"


@pytest.mark.parametrize("html", ["<p>"])
def test_nothing_to_judge_is_not_applicable(html: str) -> None:
    """Neither styles nor elements that are new."""
    assert isinstance(run("baseline-features", html), NotApplicable)
