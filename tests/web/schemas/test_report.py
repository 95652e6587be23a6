from __future__ import annotations

from pagegrade.web.schemas.report import Report, ReportItem, unfinished
from pagegrade.web.schemas.shape import example_of


def test_a_report_without_results_has_all_its_members() -> None:
    """A client need not ask which are there."""
    whole = example_of(Report)

    assert set(unfinished(whole)) == set(whole)


def test_a_report_without_results_has_nothing_to_show() -> None:
    """Null for what is one thing, empty for what is many."""
    waiting = unfinished(example_of(Report))

    assert waiting["state"] == "queued"
    assert {name for name, value in waiting.items() if value is None} == {
        "render",
        "device",
        "final_url",
        "result",
        "score",
        "uncapped_score",
        "coverage",
        "withheld",
        "ignored",
        "counts",
        "run",
        "error",
        "generated_at",
        "results",
        "page",
        "rendered",
    }
    assert (waiting["caps"], waiting["categories"]) == ([], {})


def test_an_item_of_a_list_gets_no_members_by_being_unfinished() -> None:
    """It has neither results nor page, not even as null."""
    assert {"results", "page", "rendered"} & set(unfinished(example_of(ReportItem))) == set()
