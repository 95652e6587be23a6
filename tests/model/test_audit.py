"""Tests of what is known of a crawl."""

from __future__ import annotations

from msgspec.structs import replace

from pagegrade.model.audit import AuditSettings, Crawl, withheld
from pagegrade.model.audit_result import summary_of
from tests.audit_builders import result_of


def test_a_crawl_without_a_grade_says_why() -> None:
    """From its result, else from what ended it; nothing is withheld while it is under way."""
    crawl = Crawl(
        id=1,
        account_id=1,
        number=1,
        start_url="https://example.com/",
        state="crawling",
        settings=AuditSettings(),
        secret=b"",
        created_at_ms=0,
    )
    failed = replace(crawl, state="failed", finished_at_ms=1)
    summary = replace(summary_of(result_of("https://example.com/")), no_grade="")

    assert withheld(crawl, None) is None
    assert withheld(failed, None) == "internal"
    assert withheld(replace(failed, error="not_installed", stop_reason="time"), None) == "not_installed"
    assert withheld(replace(failed, stop_reason="time"), None) == "time"
    assert withheld(failed, summary) is None
    assert withheld(failed, replace(summary, no_grade="too_few_pages")) == "too_few_pages"
