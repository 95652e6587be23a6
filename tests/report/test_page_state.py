from __future__ import annotations

from datetime import timedelta

from msgspec.structs import replace

from pagegrade.report.page_state import page_fingerprint
from tests.report_builders import make_report


def test_a_page_that_stays_the_same_keeps_its_fingerprint() -> None:
    """Another time of analysis changes nothing; another title, rule or place of a finding does."""
    report = make_report()
    known = page_fingerprint(report)
    later = replace(report, generated_at=report.generated_at + timedelta(days=1), score=1)

    assert report.page is not None

    titled = replace(report, page=replace(report.page, title="Another"))
    ruled = replace(report, run=replace(report.run, ruleset="1900.1"))
    without = replace(report, results=tuple(each for each in report.results if each.category != "accessibility"))

    assert page_fingerprint(later) == known
    assert known not in {page_fingerprint(each) for each in (titled, ruled, without)}
    assert page_fingerprint(replace(report, page=None)) != known
