from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest

from pagegrade.render.junit import render_junit
from pagegrade.report.build import count_results
from pagegrade.report.gates import Verdict
from tests.report_builders import make_failed_report, make_report, poisoned_report


def test_checks_are_cases_of_the_page() -> None:
    """Findings fail, what was not evaluated is skipped, the counts add up."""
    root = ET.fromstring(render_junit([make_report(), make_failed_report()]))  # noqa: S314 - our own output
    page, failed = root

    assert root.attrib == {"name": "Pagegrade", "tests": "13", "failures": "6", "errors": "1", "skipped": "3"}
    assert (page.get("tests"), page.get("failures"), page.get("skipped")) == ("12", "6", "3")
    assert failed.find("testcase/error") is not None
    failure = page.find("testcase[@name='image-alt: https://example.com/pricing']/failure")

    assert failure is not None
    assert failure.get("type") == "high"
    assert "and 9 places more" in (failure.text or "")


def test_failures_are_as_many_as_the_findings_of_the_report() -> None:
    """A finding that is counted in another one is not another failure, and says where it is counted."""
    report = make_report()
    (page,) = ET.fromstring(render_junit([report]))  # noqa: S314 - our own output
    counted = [case.find("skipped") for case in page if "counted in" in (ET.tostring(case, encoding="unicode"))]

    counts, _ = count_results(report.results)

    assert len(page.findall("testcase/failure")) == counts.critical + counts.high + counts.medium + counts.low
    assert [case is not None for case in counted] == [True]


def test_no_two_cases_have_one_name() -> None:
    """GitLab knows a case by its class and name, whatever its suite: each page has its own."""
    reports = [
        make_report(),
        make_report(url="https://example.com/other"),
        make_failed_report("dns", url="https://a.b/"),
    ]
    verdicts = [(Verdict("score<80", None),), (Verdict("score<80", None),), ()]
    cases = list(ET.fromstring(render_junit(reports, verdicts=verdicts)).iter("testcase"))  # noqa: S314 - our own output

    assert len({(case.get("classname"), case.get("name")) for case in cases}) == len(cases) == 27


def test_conditions_of_the_build_and_findings_are_distinguished() -> None:
    """By class and type; a condition that holds is a case that passes."""
    verdicts = [(Verdict("score<80", "score<80: the score is 79"), Verdict("severity>=critical", None))]
    (page,) = ET.fromstring(render_junit([make_report()], verdicts=verdicts))  # noqa: S314 - our own output
    gates = [case for case in page if case.get("classname") == "pagegrade.gate"]
    types = {failure.get("type") for case in page if case not in gates for failure in case.iter("failure")}

    assert [case.get("name") for case in gates] == [
        "score<80: https://example.com/pricing",
        "severity>=critical: https://example.com/pricing",
    ]
    assert [[failure.attrib for failure in case] for case in gates] == [
        [{"type": "gate", "message": "score<80: the score is 79"}],
        [],
    ]
    assert types <= {"critical", "high", "medium", "low"}


@pytest.mark.parametrize(
    "payload",
    ["]]><script>", "\x00\x0b\ufffe\ud800", "&amp;&lt;<!--", "\x1b[31m", "\"'", "<!DOCTYPE x [<!ENTITY e 'e'>]>&e;"],
)
def test_page_text_stays_text(payload: str) -> None:
    """The document parses, and holds no element that is not ours."""
    text = render_junit([poisoned_report(payload)])
    names = {element.tag for element in ET.fromstring(text.encode()).iter()}  # noqa: S314 - our own output

    assert names == {"testsuites", "testsuite", "testcase", "failure", "skipped"}


def test_a_cost_is_that_of_the_finding() -> None:
    """Points as in every other form, and no cost of nothing."""
    (page,) = ET.fromstring(render_junit([make_report()]))  # noqa: S314 - our own output
    texts = [(failure.text or "").partition("\n")[0] for failure in page.iter("failure")]

    assert any("costs 3.1 points of at most 3.1." in text for text in texts)
    assert not any("costs 0 " in text for text in texts)


def test_the_suite_says_where_the_page_ended() -> None:
    """A page that leads on is tested where it leads."""
    (led,) = ET.fromstring(render_junit([make_report(final_url="https://example.com/prices")]))  # noqa: S314 - our own output
    (stays,) = ET.fromstring(render_junit([make_report(final_url="https://example.com/pricing")]))  # noqa: S314 - our own output
    found = led.find("properties/property[@name='final_url']")

    assert found is not None
    assert found.get("value") == "https://example.com/prices"
    assert stays.find("properties") is None
