from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest

from pagegrade.render.junit import render_junit
from tests.report_builders import make_failed_report, make_report, poisoned_report


def test_checks_are_cases_of_the_page() -> None:
    """Findings fail, what was not evaluated is skipped, the counts add up."""
    root = ET.fromstring(render_junit([make_report(), make_failed_report()]))  # noqa: S314 - our own output
    page, failed = root

    assert root.attrib == {"name": "Pagegrade", "tests": "13", "failures": "7", "errors": "1", "skipped": "2"}
    assert (page.get("tests"), page.get("failures"), page.get("skipped")) == ("12", "7", "2")
    assert failed.find("testcase/error") is not None
    failure = page.find("testcase[@name='image-alt']/failure")

    assert failure is not None
    assert failure.get("type") == "high"
    assert "and 9 places more" in (failure.text or "")


@pytest.mark.parametrize(
    "payload",
    ["]]><script>", "\x00\x0b\ufffe\ud800", "&amp;&lt;<!--", "\x1b[31m", "\"'", "<!DOCTYPE x [<!ENTITY e 'e'>]>&e;"],
)
def test_page_text_stays_text(payload: str) -> None:
    """The document parses, and holds no element that is not ours."""
    text = render_junit([poisoned_report(payload)])
    names = {element.tag for element in ET.fromstring(text.encode()).iter()}  # noqa: S314 - our own output

    assert names == {"testsuites", "testsuite", "testcase", "failure", "skipped"}


def test_a_cost_is_that_of_the_finding_or_named_where_it_is_counted() -> None:
    """Points as in every other form, and no cost of nothing."""
    (page,) = ET.fromstring(render_junit([make_report()]))  # noqa: S314 - our own output
    texts = [(failure.text or "").partition("\n")[0] for failure in page.iter("failure")]

    assert any("costs 3.1 points of at most 3.1." in text for text in texts)
    assert any(": counted in " in text for text in texts)
    assert not any("costs 0 " in text for text in texts)
