from __future__ import annotations

import pytest

from pagegrade.checks.seo.llms_txt import llms_txt
from pagegrade.model.outcome import NotApplicable, NotRun
from tests.builders import evaluated, make_well_known, outcome, run

URL = "https://example.com/llms.txt"
GOOD = "# Chairs\n\n> Made of oak.\n\n- [Catalogue](https://example.com/c.md): all models\n"


def state(body: str | bytes, *, status: int = 200, content_type: str = "text/plain; charset=utf-8") -> str:
    """The state of the check for a file."""
    file = make_well_known(body, url=URL, status=status, headers=(("Content-Type", content_type),))
    found = run(llms_txt, "<p>", llms_txt=file)
    if isinstance(found, NotRun):
        return "not run"
    return "none" if isinstance(found, NotApplicable) else outcome(llms_txt, "<p>", llms_txt=file).state


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (GOOD, "complete"),
        ("\ufeff" + GOOD, "complete"),
        (GOOD.replace("\n", "\r\n"), "complete"),
        (GOOD.replace("# Chairs", "## Chairs"), "lacking"),
        (GOOD.replace("# Chairs", "#Chairs"), "lacking"),
        (GOOD.replace("(https://example.com/c.md)", ""), "lacking"),
        ("# A\n[b](/c)", "lacking"),
        ("# A " + "x" * 40 + "\nhttps://example.com/", "complete"),
        ("", "none"),
        ("<!doctype html><title># App</title>", "none"),
    ],
)
def test_what_the_file_is_meant_to_hold(body: str, expected: str) -> None:
    """A heading, a link and some text; an application's page is no file."""
    assert state(body) == expected


@pytest.mark.parametrize(("status", "expected"), [(404, "none"), (403, "none"), (410, "none"), (500, "not run")])
def test_other_answers(status: int, expected: str) -> None:
    """Most sites have no such file."""
    assert state(GOOD, status=status) == expected


def test_a_page_by_its_type_is_no_file() -> None:
    """Whatever it begins with."""
    assert state(GOOD, content_type="text/html") == "none"
    assert state(GOOD, content_type="text/markdown") == "complete"


def test_it_costs_nothing_and_says_what_lacks() -> None:
    """And a file that was not asked for is not evaluated."""
    file = make_well_known("hello", url=URL, headers=(("Content-Type", "text/plain"),))
    (evidence,) = outcome(llms_txt, "<p>", llms_txt=file).evidence

    assert evidence.reason == "no main heading; no link; fewer than 50 characters"
    assert evaluated(llms_txt, "<p>", llms_txt=file).outcome == "informative"
    assert isinstance(run(llms_txt, "<p>"), NotRun)
