from __future__ import annotations

import json
import math
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from msgspec import to_builtins
from msgspec.structs import replace

from pagegrade.model.errors import FAILURE_CODES, InvalidInput
from pagegrade.model.report import CategoryScore, Report, Result
from pagegrade.report.serialize import (
    Unseen,
    analysis_of,
    format_timestamp,
    report_from_dict,
    report_to_dict,
    timestamp,
    unseen_by_browser,
)
from tests.report_builders import make_failed_report, make_report, make_result, poisoned_report

MEMBERS = [
    "id",
    "object",
    "version",
    "url",
    "final_url",
    "project",
    "privacy",
    "password",
    "render",
    "device",
    "state",
    "result",
    "score",
    "uncapped_score",
    "coverage",
    "withheld",
    "analysis",
    "ignored",
    "caps",
    "counts",
    "categories",
    "results",
    "page",
    "rendered",
    "run",
    "error",
    "share_url",
    "generated_at",
    "created_at",
    "updated_at",
]


def unseen(check: str, price: float, **more: Any) -> Result:
    """A check that only a browser can evaluate."""
    usual: dict[str, Any] = {"outcome": "not_evaluated", "state": None, "lost": 0.0, "category": "performance"}
    return make_result(check, price=price, reason="no_browser: The page was not drawn.", **{**usual, **more})


def report(*results: Result, taken: float = 0.0, score: int | None = 90) -> Report:
    """A static report of which one category lost some points."""
    category = CategoryScore(score=90, result="good", passed=1, failed=1, taken=taken, lost=taken, budget=40)
    return make_report(*results, score=score, categories={"performance": category})


def test_checks_of_one_cause_cost_once() -> None:
    """And less what is charged for the cause already."""
    found = unseen_by_browser(report(unseen("a", 8.0, cause="x"), unseen("b", 3.0, cause="x"), unseen("c", 1.0)))
    charged = make_result("d", cause="x", lost=2.0, price=3.0, outcome="failed", category="performance")

    assert found == Unseen(checks=3, max_points=9)
    assert unseen_by_browser(report(charged, unseen("a", 8.0, cause="x"), taken=2.0)) == Unseen(checks=1, max_points=6)


def test_a_category_takes_no_more_than_its_budget() -> None:
    """Nor a page more than it has."""
    assert unseen_by_browser(report(unseen("a", 25.0), unseen("b", 25.0), taken=30.0)) == Unseen(
        checks=2, max_points=10
    )
    assert unseen_by_browser(report(unseen("a", 25.0), score=12)) == Unseen(checks=1, max_points=12)


def test_nothing_is_open_with_a_browser_without_a_score_and_for_other_reasons() -> None:
    """A check that failed for another reason is no matter of the browser."""
    other = replace(unseen("a", 8.0), reason="timeout: It took too long.")

    assert unseen_by_browser(report(other)) is None
    assert unseen_by_browser(report(unseen("a", 8.0), score=None)) is None
    assert unseen_by_browser(report()) is None


def test_the_json_says_how_far_the_score_can_fall() -> None:
    """The members are absent where nothing is open."""
    assert to_builtins(analysis_of(report(unseen("a", 8.0)))) == {
        "engine": "static",
        "device": None,
        "unseen_checks": 1,
        "unseen_points": 8,
    }
    assert to_builtins(analysis_of(report())) == {"engine": "static", "device": None}


@pytest.mark.parametrize("report", [make_report(), make_failed_report()], ids=["completed", "failed"])
def test_every_member_of_the_contract_is_there(report: Report) -> None:
    """Clients may rely on each member, whatever became of the page."""
    assert list(report_to_dict(report)) == MEMBERS


def test_what_only_a_server_knows_is_null() -> None:
    """A report from the command line has no identity, no privacy and no share page."""
    data = report_to_dict(make_report())

    assert data["password"] is False
    assert [data[name] for name in ("id", "privacy", "share_url", "created_at", "updated_at")] == [None] * 5
    assert data["run"]["number"] is None


def test_results_are_keyed_by_check() -> None:
    """A client looks a check up by its id."""
    result = report_to_dict(make_report())["results"]["title-length"]

    assert result["passed"] is False
    assert result["importance"] == "high"
    assert result["errors"] == [{"code": "too_long", "actual": 79, "limit": 60}]
    assert result["evidence"] == [
        {
            "selector": "head > title",
            "line": 4,
            "column": 3,
            "snippet": "<title>Pricing and plans for every…</title>",
        }
    ]


@pytest.mark.parametrize(
    ("outcome", "passed"),
    [
        ("passed", True),
        ("warning", False),
        ("failed", False),
        ("informative", None),
        ("not_applicable", None),
        ("not_evaluated", None),
    ],
)
def test_passed_says_yes_no_or_not_evaluated(*, outcome: Any, passed: bool | None) -> None:
    """The three outcomes that evaluate nothing are neither passed nor failed."""
    data = report_to_dict(make_report(make_result(outcome=outcome)))

    assert data["results"]["title-length"]["passed"] is passed


@pytest.mark.parametrize(
    ("moment", "text"),
    [
        (datetime(2026, 1, 5, 12, 34, 56, 789_999, tzinfo=UTC), "2026-01-05T12:34:56.789Z"),
        (datetime(2026, 1, 5, 0, 0, tzinfo=timezone(timedelta(hours=2))), "2026-01-04T22:00:00.000Z"),
        (datetime(2026, 1, 5), "2026-01-05T00:00:00.000Z"),  # noqa: DTZ001 - read as UTC
    ],
)
def test_times_are_utc_with_milliseconds(moment: datetime, text: str) -> None:
    """RFC 3339 with Z, whatever zone the time came in."""
    assert format_timestamp(moment) == text


@pytest.mark.parametrize("report", [make_report(), make_failed_report()], ids=["completed", "failed"])
def test_what_is_written_reads_back(report: Report) -> None:
    """A baseline is the report it was saved from."""
    assert report_from_dict(json.loads(json.dumps(report_to_dict(report)))) == report


@pytest.mark.parametrize("payload", ["\ud800", "a\x00b", "\u2028", "</script>", '"\\', "{{7*7}}"])
def test_hostile_text_stays_valid_json(payload: str) -> None:
    """Whatever a page holds, the document parses strictly and encodes as UTF-8."""
    text = json.dumps(report_to_dict(poisoned_report(payload)), allow_nan=False, ensure_ascii=False)

    assert report_from_dict(json.loads(text.encode())).state == "completed"
    assert "\x00" not in text


def test_numbers_stay_valid_json() -> None:
    """A figure that is no number becomes null, not NaN."""
    report = replace(make_report(make_result(value=math.nan, price=math.inf)), uncapped_score=math.nan)
    data = report_to_dict(report)

    assert data["uncapped_score"] is None
    assert data["results"]["title-length"]["value"] is None
    json.dumps(data, allow_nan=False)


def test_an_answer_of_the_interface_is_read_too() -> None:
    """A baseline may come straight from the HTTP interface, envelope, identity and all."""
    data = {**report_to_dict(make_report()), "id": 7, "privacy": 2, "password": True, "share_url": "https://h/r/x"}
    data["run"] = {**data["run"], "number": 3}

    assert report_from_dict({"data": data, "status": 200, "later": {"member": 1}}) == make_report()


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (None, "not a Pagegrade report"),
        ([], "not a Pagegrade report"),
        ({"object": "account"}, "not a Pagegrade report"),
        ({"object": "report", "version": 99}, "newer Pagegrade"),
        ({"object": "report", "state": "running"}, "not finished"),
        ({"object": "report", "state": "completed"}, "no results"),
        ({"object": "report", "state": "completed", "results": {"x": 1}}, "cannot be read"),
        ({"object": "report", "state": "completed", "results": {}}, "cannot be read"),
    ],
)
def test_what_is_no_report_is_refused_in_words(data: object, words: str) -> None:
    """The error says what is wrong with the file."""
    with pytest.raises(InvalidInput, match=words):
        report_from_dict(data)


@pytest.mark.parametrize(
    ("member", "value"),
    [
        ("score", "79"),
        ("generated_at", "yesterday"),
        ("categories", {"seo": 1}),
        ("caps", [{"check": "https"}]),
        ("run", {"engine": 1}),
        ("run", []),
        ("page", {"http_status": "ok"}),
    ],
)
def test_a_member_of_the_wrong_kind_is_refused(member: str, value: object) -> None:
    """A damaged baseline is not compared with."""
    data = {**report_to_dict(make_report()), member: value}

    with pytest.raises(InvalidInput):
        report_from_dict(data)


@pytest.mark.parametrize("code", FAILURE_CODES)
def test_every_failure_is_reported(code: str) -> None:
    """The error member carries the stable code and whether trying again helps."""
    error = report_to_dict(make_failed_report(code))["error"]

    assert error["code"] == code
    assert error["retryable"] is FAILURE_CODES[code][0]
    assert error["message"]


@pytest.mark.parametrize(
    ("at_ms", "text"),
    [
        (0, "1970-01-01T00:00:00.000Z"),
        (1_767_616_496_789, "2026-01-05T12:34:56.789Z"),
        (951_782_399_999, "2000-02-28T23:59:59.999Z"),
        (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
    ],
)
def test_timestamps_are_exact_to_the_millisecond(at_ms: int, text: str) -> None:
    """RFC 3339, UTC, three digits, Z."""
    assert timestamp(at_ms) == text
    assert timestamp(None) is None
