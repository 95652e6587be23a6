from __future__ import annotations

import pytest

from pagegrade.checks.security.vulnerable_js_libraries import vulnerable_js_libraries
from pagegrade.model.artifacts import Resources, ScriptFacts
from pagegrade.model.outcome import NotApplicable
from tests.builders import make_resource, make_resources, outcome, run

OWN = "https://example.com/lib.js"
PAGE = f"<script src={OWN}></script>"


def served(**facts: object) -> Resources:
    """The page's own script as it was read."""
    return make_resources(make_resource(OWN, kind="script", script=ScriptFacts(**facts)))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("src", "state"),
    [
        ("https://code.jquery.com/jquery-3.4.1.min.js", "vulnerable"),
        ("https://code.jquery.com/jquery-3.5.0.min.js", "none"),
        ("https://code.jquery.com/ui/1.12.1/jquery-ui.js", "vulnerable"),
        ("https://code.jquery.com/ui/1.13.2/jquery-ui.js", "none"),
        ("https://cdn.jsdelivr.net/npm/bootstrap@3.4.1/dist/js/bootstrap.js", "none"),
        ("https://cdn.jsdelivr.net/npm/bootstrap@4.3.0/dist/js/bootstrap.js", "vulnerable"),
        ("https://cdn.jsdelivr.net/npm/bootstrap@5.3.3/dist/js/bootstrap.js", "none"),
        ("https://cdnjs.cloudflare.com/ajax/libs/moment.js/2.29.4/moment.min.js", "none"),
        ("https://cdnjs.cloudflare.com/ajax/libs/moment.js/2.29.3/moment.min.js", "vulnerable"),
        ("https://ajax.googleapis.com/ajax/libs/angularjs/1.8.3/angular.js", "vulnerable"),
        ("/js/jquery-1.12.4.min.js", "possible"),
        ("/js/jquery-3.7.1.min.js", "none"),
    ],
)
def test_versions_in_addresses(src: str, state: str) -> None:
    """Proof on delivery networks, a hint elsewhere; the border of each range."""
    assert outcome(vulnerable_js_libraries, f"<script src={src}></script>").state == state


@pytest.mark.parametrize(
    "html",
    [
        "",
        "<script>jQuery('x')</script>",
        "<script src=/jquery.min.js?ver=1.12.4></script>",
        "<script src=/wp-includes/js/jquery/jquery-1.12.4-wp.min.js></script>",
        "<script type=text/plain src=https://code.jquery.com/jquery-1.9.0.js></script>",
        "<link rel=preload as=script href=https://code.jquery.com/jquery-1.9.0.js>",
    ],
)
def test_unknown_scripts_are_not_evaluated(html: str) -> None:
    """Nor scripts that do not run, nor those that a distribution has fixed."""
    assert isinstance(run(vulnerable_js_libraries, html), NotApplicable)


def test_own_words_of_a_file_are_proof() -> None:
    """And count more than its name."""
    assert outcome(vulnerable_js_libraries, PAGE, resources=served(jquery_versions=("1.12.4",))).state == "vulnerable"
    assert outcome(vulnerable_js_libraries, PAGE, resources=served(jquery_versions=("3.7.1",))).state == "none"
    assert (
        outcome(vulnerable_js_libraries, PAGE, resources=served(libraries=(("lodash", "4.17.20"),))).state
        == "vulnerable"
    )
    renamed = make_resources(
        make_resource(
            "https://example.com/jquery-1.9.0.min.js", kind="script", script=ScriptFacts(jquery_versions=("3.7.1",))
        )
    )
    page = "<script src=/jquery-1.9.0.min.js></script>"

    assert outcome(vulnerable_js_libraries, page, resources=renamed).state == "none"


def test_preliminary_versions_are_not_compared() -> None:
    """A suffix may mean a fixed copy."""
    assert outcome(vulnerable_js_libraries, PAGE, resources=served(libraries=(("axios", "1.0.0-x1"),))).state == "none"


def test_records_are_named() -> None:
    """Version and record of each copy, the certain ones first."""
    html = "<script src=/jquery-1.9.0.min.js></script><script src=https://code.jquery.com/jquery-3.4.1.js></script>"
    found = outcome(vulnerable_js_libraries, html)

    assert [place.value for place in found.evidence] == ["jquery 3.4.1", "jquery 1.9.0"]
    assert found.evidence[0].reason == "CVE-2020-11022, CVE-2020-11023"
    assert "name of the file" in found.evidence[1].reason


@pytest.mark.parametrize(
    ("begin", "state"),
    [
        ("/*! jQuery v2.1.4 | (c) 2005, 2015 jQuery Foundation, Inc. */", "vulnerable"),
        ("/*! jQuery v3.7.1 | (c) OpenJS Foundation */", "none"),
        ("// Knockout JavaScript library v3.4.0-rc", "vulnerable"),
        ("/* AngularJS v1.4.9 */", "vulnerable"),
    ],
)
def test_library_inside_the_page_is_recognised(begin: str, state: str) -> None:
    """By its own first line, as in a file."""
    page = f"<script>{begin}{';x=1' * 1000}</script>"
    found = outcome(vulnerable_js_libraries, page)

    assert found.state == state
    assert all(place.line == 1 and place.url == "" for place in found.evidence)


def test_short_script_that_speaks_of_a_library_is_none() -> None:
    """It only uses one."""
    assert isinstance(run(vulnerable_js_libraries, "<script>/*! jQuery v1.9.0 */ $('a')</script>"), NotApplicable)
