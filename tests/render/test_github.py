from __future__ import annotations

import re

import pytest

from pagegrade.model.report import Withheld
from pagegrade.render.github import render_github
from pagegrade.report.gates import Verdict
from tests.report_builders import make_failed_report, make_report, make_result, poisoned_report


def test_findings_are_annotations_and_the_verdict_is_the_first() -> None:
    """High is an error, medium a warning, low a notice."""
    lines = render_github([make_report(final_url=None)]).splitlines()

    assert lines[1].startswith("::error title=HTTPS (https)::https://example.com/pricing%0A")
    assert [line.split(" ")[0] for line in lines] == ["::notice"] + ["::error"] * 4 + ["::warning", "::notice"]
    assert lines[0].startswith("::notice title=Pagegrade::https://example.com/pricing: 79 of 100 (decent)")


def test_a_failed_page_is_an_error() -> None:
    """The job's log says which page and why."""
    verdict, error = render_github([make_failed_report()]).splitlines()

    assert verdict.endswith("not analyzed")
    assert error.startswith("::error title=Pagegrade%3A not analyzed::https://")


@pytest.mark.parametrize(
    ("importance", "kind", "fit"), [("high", "error", 10), ("medium", "warning", 10), ("low", "notice", 9)]
)
def test_ten_annotations_of_a_kind_are_shown_and_the_others_are_counted(importance: str, kind: str, fit: int) -> None:
    """The verdict is a notice itself. At the limit nothing is left out; one past it, one is."""
    for number in (fit, fit + 1):
        found = [make_result(f"c{index}", importance=importance) for index in range(number)]
        lines = render_github([make_report(*found)]).splitlines()

        assert [line.split(" ")[0] for line in lines[1:]] == [f"::{kind}"] * fit
        assert (f"Not annotated: 1 {kind}." in lines[0]) is (number > fit)


def test_the_worst_comes_first() -> None:
    """Pages that were not analyzed, then those below a condition, then by score; conditions before findings."""
    urls = [f"https://example.com/{name}" for name in "abcd"]
    reports = [
        make_report(make_result(), url=urls[0], final_url=None, score=90),
        make_report(make_result(), url=urls[1], final_url=None, score=40),
        make_report(make_result(importance="critical"), url=urls[2], final_url=None, score=95),
        make_failed_report(url=urls[3]),
    ]
    verdicts = [(), (), (Verdict("severity>=critical", "severity>=critical: 1 finding"),), ()]
    lines = render_github(reports, verdicts=verdicts).splitlines()
    pages = [re.findall(r"https://example.com/(\w)", line)[0] for line in lines[1:]]

    assert re.findall(r"https://example.com/(\w)", lines[0]) == ["d", "c", "b", "a"]
    assert "4 pages, 1 of them below the conditions" in lines[0]
    assert "Condition failed" in lines[2]
    assert pages == ["d", "c", "c", "b", "a"]


def test_the_verdict_names_ten_pages() -> None:
    """The others are counted."""
    reports = [make_report(url=f"https://example.com/{number}", final_url=None, score=number) for number in range(11)]
    verdict = render_github(reports).splitlines()[0]

    assert verdict.count("https://example.com/") == 10
    assert "and 1 more page." in verdict


@pytest.mark.parametrize(
    "payload",
    [
        "\n::set-output name=x::y",
        "\r\n::error::forged",
        "a,b:c",
        "100%0A::add-mask::x",
        "\u2028::stop-commands::t",
        "::",
    ],
)
def test_page_text_cannot_give_a_command(payload: str) -> None:
    """Every line is one of our own commands, and titles cannot add properties."""
    lines = re.split(r"[\r\n\u2028\u2029\x85]", render_github([poisoned_report(payload)]).rstrip("\n"))

    for line in lines:
        assert re.fullmatch(r"::(error|warning|notice) title=[^,:]*::.*", line)
        assert "%0A::add-mask" not in line.replace("%250A", "")


def test_a_per_cent_sign_survives() -> None:
    """Escapes of ours are decoded by the runner; the page's own stay what they were."""
    assert "100%2520 sure" in render_github([make_report(make_result(message="100%20 sure"))])


def test_the_verdict_names_where_the_page_ended_and_why_it_has_no_grade() -> None:
    """A job's log is often all that is read."""
    withheld = Withheld(kind="other_site", message="The page leads on to another site by itself.", fix="Analyze it.")
    led = make_report(final_url="https://elsewhere.example/", score=None, result=None, withheld=withheld)
    stays = make_report(final_url="https://example.com/pricing")
    first, second = render_github([led, stays]).splitlines()[0].split("%0A")[1:]

    assert first.startswith("https://example.com/pricing → https://elsewhere.example/: no score")
    assert first.endswith("The page leads on to another site by itself.")
    assert second.startswith("https://example.com/pricing: 79 of 100")
