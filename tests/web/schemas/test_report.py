from __future__ import annotations

import msgspec
from msgspec.structs import replace

from pagegrade.model.stored import PackedReport, StoredReport, StoredRun
from pagegrade.report.codec import pack_report, unpack_detail
from pagegrade.report.compare import compare_reports
from pagegrade.report.serialize import report_from_dict, report_to_dict
from pagegrade.service.reports.views import ComparedRuns, RunResults
from pagegrade.web.schemas.report import (
    ABSENT,
    NO_SUMMARY,
    DetailBytes,
    Report,
    ReportItem,
    RunItem,
    comparison_object,
    integer,
    moment,
    report_object,
    result_members,
    run_item,
    run_object,
    share_url,
    unfinished,
)
from pagegrade.web.schemas.shape import example_of
from tests.report_builders import make_failed_report, make_passed, make_report, make_result, poisoned_report
from tests.store_builders import NOW_MS


def members(detail: DetailBytes) -> dict[str, object]:
    """The members of what has no results yet."""
    found: dict[str, object] = msgspec.json.decode(b"{" + b"".join(result_members(NO_SUMMARY, detail, 3))[1:] + b"}")
    return found


def test_what_is_not_asked_for_is_left_out() -> None:
    """An item of a list has no results; a whole object has null until there are some."""
    item, whole = members(ABSENT), members(None)

    assert set(item) <= set(RunItem.__struct_encode_fields__)
    assert set(whole) - set(item) == {"results", "page", "rendered"}
    assert whole["run"] is None


def test_a_missing_number_or_time_is_null() -> None:
    """Zero is a number, and 1970 is a time."""
    assert (integer(None), integer(0)) == (b"null", b"0")
    assert (moment(None), moment(0)) == (b"null", b'"1970-01-01T00:00:00.000Z"')


BASE = "https://reports.example.org"
MEMBERS = (
    "id", "object", "version", "url", "final_url", "project", "privacy", "password", "render", "device", "state",
    "result", "score", "uncapped_score", "coverage", "withheld", "analysis", "ignored", "caps", "counts", "categories",
    "results", "page", "rendered", "run", "error",
    "share_url", "generated_at", "created_at", "updated_at",
)  # fmt: skip
"""In the order in which they are handed out."""


def stored(packed: PackedReport | None = None, **more: object) -> StoredReport:
    """A report as it is kept: without a result, or with that of a run."""
    made = {} if packed is None else {
        "state": packed.state,
        "rating": packed.rating,
        "score": packed.score,
        "run_number": 3,
        "summary": packed.summary,
        "error": packed.error,
        "generated_at_ms": packed.generated_at_ms if packed.state == "completed" else None,
    }  # fmt: skip
    report = StoredReport(
        id=1042, account_id=1, url="https://example.com/pricing", project="example.com", privacy=0, password_hash=None,
        password_version=0, slug="9fK2vQ7xLmB3dT0aYw5cZg", state="queued", rating=None, score=None, run_number=None,
        summary=None, error=None, generated_at_ms=None, created_at_ms=NOW_MS, updated_at_ms=NOW_MS + 1, revision=7,
    )  # fmt: skip
    return replace(report, **{**made, **more})


def test_a_report_says_what_the_evaluation_said() -> None:
    """Member for member, in the order of the contract, with what only the server knows filled in."""
    report = make_report()
    packed = pack_report(report)
    shown = msgspec.json.decode(
        report_object(
            stored(packed, privacy=2, password_hash="$argon2id$"), base_url=BASE, detail=unpack_detail(packed.detail)
        )
    )
    own = {
        "id": 1042,
        "privacy": 2,
        "password": True,
        "share_url": f"{BASE}/r/9fK2vQ7xLmB3dT0aYw5cZg",
        "created_at": "2026-01-01T00:00:00.000Z",
        "updated_at": "2026-01-01T00:00:00.001Z",
    }
    evaluated = report_to_dict(report)
    evaluated["run"]["number"] = 3

    assert tuple(shown) == MEMBERS
    assert shown == evaluated | own
    assert next(iter(shown["run"])) == "number"
    assert report_from_dict(shown) == report


def test_an_unfinished_report_has_null_for_everything_it_will_have() -> None:
    """And empty caps and categories, which are lists and objects always."""
    shown = msgspec.json.decode(report_object(stored(), base_url=BASE, detail=None))

    assert tuple(shown) == MEMBERS
    assert (shown["state"], shown["caps"], shown["categories"], shown["version"]) == ("queued", [], {}, 1)
    assert (shown["privacy"], shown["password"]) == (0, False)
    for name in (
        "result",
        "score",
        "coverage",
        "counts",
        "run",
        "error",
        "page",
        "results",
        "generated_at",
        "final_url",
    ):
        assert shown[name] is None, name


def test_a_failed_first_run_has_an_error_and_no_results() -> None:
    """Nothing of it looks like an evaluation."""
    packed = pack_report(make_failed_report("blocked"))
    shown = msgspec.json.decode(report_object(stored(packed), base_url=BASE, detail=unpack_detail(packed.detail)))

    assert shown["state"] == "failed"
    assert shown["error"]["code"] == "blocked"
    assert shown["error"]["http_status"] == 403
    for name in ("result", "score", "results", "counts", "generated_at"):
        assert shown[name] is None, name


def test_an_item_of_a_list_has_neither_results_nor_page() -> None:
    """Left out, not null."""
    shown = msgspec.json.decode(report_object(stored(pack_report(make_report())), base_url=BASE, detail=ABSENT))

    assert tuple(shown) == tuple(name for name in MEMBERS if name not in {"results", "page", "rendered"})


def test_nothing_a_page_says_leaves_its_string() -> None:
    """Hostile text in every place a page can reach stays text."""
    payload = '"},{"id":2,"x":"\\\u2028</script>'
    report = poisoned_report(payload)
    packed = pack_report(report)
    one = stored(packed, url=payload, project=payload, error=pack_report(make_failed_report()).error)
    shown = msgspec.json.decode(report_object(one, base_url=BASE, detail=unpack_detail(packed.detail)))

    assert tuple(shown) == MEMBERS
    assert (shown["url"], shown["project"], shown["final_url"]) == (payload, payload, payload)
    assert shown["page"]["title"] == payload


def test_share_links_stand_under_the_public_address() -> None:
    """Never under what a request called its host."""
    assert share_url(BASE, "abc") == "https://reports.example.org/r/abc"


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


def test_a_run_shows_the_facts_of_its_time() -> None:
    """Waiting, it has none; finished, those it was stored with."""
    waiting = StoredRun(
        id=9, report_id=1042, number=3, state="queued", attempt=0, rating=None, score=None, engine=None, ruleset=None,
        summary=None, error=None, created_at_ms=NOW_MS, started_at_ms=None, finished_at_ms=None,
    )  # fmt: skip
    packed = pack_report(make_report())
    done = replace(waiting, state="completed", rating=2, score=74, summary=packed.summary, started_at_ms=NOW_MS + 5)
    shown = msgspec.json.decode(run_object(RunResults(run=done, detail=unpack_detail(packed.detail))))
    empty = msgspec.json.decode(run_item(waiting))

    assert (shown["object"], shown["report_id"], shown["number"], shown["state"]) == ("run", 1042, 3, "completed")
    assert (shown["result"], shown["score"], shown["run"]["number"]) == ("decent", 74, 3)
    assert shown["results"] == report_to_dict(make_report())["results"]
    assert (shown["started_at"], shown["finished_at"]) == ("2026-01-01T00:00:00.005Z", None)
    assert "results" not in empty
    assert (empty["result"], empty["run"], empty["counts"], empty["caps"]) == (None, None, None, [])


def test_a_comparison_lists_what_came_and_went() -> None:
    """With the evidence of each, and the runs it is between."""
    before, after = (
        make_report(make_passed("language"), make_result("title-length")),
        make_report(make_passed("language")),
    )
    shown = msgspec.json.decode(
        comparison_object(ComparedRuns(report_id=7, before=1, after=2, comparison=compare_reports(before, after)))
    )

    assert (shown["object"], shown["report_id"], shown["from"], shown["to"]) == ("comparison", 7, 1, 2)
    assert shown["same_ruleset"] is True
    assert [one["check"] for one in shown["not_comparable"]] == ["title-length"]
    assert (shown["new"], shown["fixed"], shown["still"]) == ([], [], [])
    assert (shown["worse"], shown["same_final_url"]) == ([], True)
