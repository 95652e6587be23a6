from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest

from pagegrade.clock import now_ms
from pagegrade.model.monitors import Budget, Monitor, Silence
from pagegrade.report.serialize import timestamp
from pagegrade.service.monitors.due_runs import queue_due
from pagegrade.store.repositories.monitors import load_monitor
from pagegrade.web.api import monitors as schema
from pagegrade.web.api.monitors import Monitor as Description
from pagegrade.web.api.monitors import MonitorAnswer, MonitorList, monitor_object
from tests.api_shapes import assert_described
from tests.report_builders import make_failed_report, make_report
from tests.store_builders import NOW_MS
from tests.web.calling import BASE_URL, Instance, with_instance

MONITOR = Monitor(
    id=7,
    account_id=1,
    report_id=1042,
    schedule="daily",
    timezone="UTC",
    jitter=3,
    budgets=(Budget(condition="score<80"), Budget(condition="high>0", state="breached", since_ms=1, in_a_row=0)),
    paused=True,
    due_at_ms=5,
    last_due_at_ms=None,
    last_run_at_ms=None,
    failures=0,
    unreachable_since_ms=None,
    created_at_ms=0,
    updated_at_ms=1,
    revision=2,
)


def test_every_member_of_the_description_is_there() -> None:
    """In its order; a paused monitor has no next run."""
    members = msgspec.json.decode(monitor_object(MONITOR))

    assert list(members) == list(Description.__struct_encode_fields__)
    assert {name for name, value in members.items() if value is None} == {
        *("audit_id", "project", "sitemap", "tag", "pages_found", "parent_id"),
        *("next_run_at", "last_run_at", "unreachable_since"),
    }
    assert members["budgets"] == [
        {"condition": "score<80", "state": "unknown", "since": None, "analysis": None, "unmeasured_since": None},
        {
            "condition": "high>0",
            "state": "breached",
            "since": "1970-01-01T00:00:00.001Z",
            "analysis": None,
            "unmeasured_since": None,
        },
    ]


@pytest.mark.parametrize(("monitor_id", "project"), [(7, ""), (None, "example.com")])
def test_the_object_is_as_described(monitor_id: int | None, project: str) -> None:
    """Of a monitor, and of a site."""
    made = schema.silence_object(
        Silence(
            id=1,
            monitor_id=monitor_id,
            project=project,
            reason="x",
            author="A",
            until_ms=NOW_MS + 1,
            created_at_ms=NOW_MS,
        )
    )
    data = json.loads(made)

    assert_described(schema.Silence, data)

    assert set(data) == set(schema.Silence.__struct_encode_fields__)
    assert (data["monitor_id"], data["project"]) == (monitor_id, project or None)


MONITORS = "/api/v1/monitors"
NEW: dict[str, Any] = {"report_id": 1, "schedule": "daily"}


def test_a_monitor_is_created_shown_listed_changed_and_deleted(tmp_path: Path) -> None:
    """With the members that were sent."""

    async def script(instance: Instance) -> list[httpx.Response]:
        await instance.create()
        sent = {**NEW, "schedule": " 30 6 * * MON-FRI", "timezone": "Europe/Prague", "budgets": ["Score < 80"]}
        made = await instance.call("POST", MONITORS, json=sent)
        place = made.headers["location"].removeprefix(BASE_URL)
        tag = {"If-None-Match": made.headers["etag"]}
        return [
            made,
            await instance.call("GET", place),
            await instance.call("GET", place, headers=tag),
            await instance.call("GET", MONITORS),
            await instance.call("GET", f"{MONITORS}?report_id=2"),
            await instance.call("PUT", place, json={"paused": 1, "budgets": []}),
            await instance.call("DELETE", place),
            await instance.call("GET", place),
        ]

    made, shown, same, listed, filtered, changed, deleted, gone = with_instance(tmp_path, script)
    data = made.json()["data"]

    assert [made.status_code, shown.status_code, same.status_code] == [201, 200, 304]
    assert shown.json()["data"] == data
    assert shown.headers["etag"] == made.headers["etag"]
    assert listed.json()["data"] == [data]
    assert filtered.json()["data"] == []
    assert (deleted.json()["deleted"], gone.status_code) == (True, 404)
    assert data["next_run_at"] > data["created_at"]
    times = {"next_run_at": "", "created_at": "", "updated_at": ""}

    assert data | times == {
        "id": 1,
        "object": "monitor",
        "report_id": 1,
        "audit_id": None,
        **dict.fromkeys(("project", "sitemap", "tag", "pages_found", "parent_id")),
        "schedule": "30 6 * * mon-fri",
        "timezone": "Europe/Prague",
        "budgets": [
            {"condition": "score<80", "state": "unknown", "since": None, "analysis": None, "unmeasured_since": None}
        ],
        "paused": False,
        "remind": "never",
        "last_run_at": None,
        "unreachable_since": None,
        **times,
    }
    after = changed.json()["data"]

    assert (after["paused"], after["next_run_at"], after["budgets"]) == (True, None, [])
    assert after["schedule"] == data["schedule"]


def test_an_audit_is_monitored_with_conditions_of_its_own(tmp_path: Path) -> None:
    """One of a report and an audit is named; what a site does not have is refused, also in a change."""

    async def script(instance: Instance) -> list[httpx.Response]:
        await instance.create()
        await instance.call("POST", "/api/v1/audits", json={"url": "https://example.com/"})
        new = {"audit_id": 1, "schedule": "weekly", "budgets": ["pages drop>=10%", "check.broken-internal-links"]}
        return [
            await instance.call("POST", MONITORS, json=new),
            await instance.call("PUT", f"{MONITORS}/1", json={"budgets": ["score<80", "check.orphan-pages"]}),
            await instance.call("GET", f"{MONITORS}?audit_id=1"),
            await instance.call("GET", f"{MONITORS}?project=example.com"),
            await instance.call("GET", f"{MONITORS}?report_id=1"),
            await instance.call("POST", MONITORS, json={**new, "report_id": 1, "budgets": []}),
            await instance.call("POST", MONITORS, json={"schedule": "daily"}),
            await instance.call("POST", MONITORS, json={**new, "audit_id": 2}),
            await instance.call("PUT", f"{MONITORS}/1", json={"budgets": ["lcp_ms>2500"]}),
            await instance.call("DELETE", "/api/v1/audits/1"),
            await instance.call("GET", f"{MONITORS}/1"),
        ]

    made, changed, *lists, both, neither, unknown, of_page, deleted, gone = with_instance(tmp_path, script)
    data = made.json()["data"]

    assert (made.status_code, data["report_id"], data["audit_id"], data["schedule"]) == (201, None, 1, "weekly")
    assert [one["condition"] for one in changed.json()["data"]["budgets"]] == ["score<80", "check.orphan-pages"]
    assert [[one["id"] for one in answer.json()["data"]] for answer in lists] == [[1], [1], []]
    faults = [(one.status_code, *one.json()["errors"]) for one in (both, neither, unknown, of_page)]

    assert faults == [(422, "audit_id"), (422, "report_id"), (422, "audit_id"), (422, "budgets")]
    assert (deleted.status_code, gone.status_code) == (200, 404)


def test_a_form_says_the_same_as_json(tmp_path: Path) -> None:
    """Budgets several times, or as lines; what is not sent stays, and an empty field removes them."""

    async def script(instance: Instance) -> list[list[str]]:
        await instance.create()
        answers = [
            await instance.call("POST", MONITORS, data={**NEW, "budgets[]": ["score<80", "high>0"], "paused": "0"}),
            await instance.call("PUT", f"{MONITORS}/1", data={"budgets": "score<70\nlcp_ms>2500 for 3"}),
            await instance.call("PUT", f"{MONITORS}/1", data={"schedule": "weekly"}),
            await instance.call("PUT", f"{MONITORS}/1", data={"budgets": ""}),
        ]
        return [[one["condition"] for one in answer.json()["data"]["budgets"]] for answer in answers]

    assert with_instance(tmp_path, script) == [
        ["score<80", "high>0"],
        ["score<70", "lcp_ms>2500 for 3"],
        ["score<70", "lcp_ms>2500 for 3"],
        [],
    ]


@pytest.mark.parametrize(
    ("change", "field", "code"),
    [
        ({"report_id": None}, "report_id", "required"),
        ({"report_id": 4711}, "report_id", "unknown"),
        ({"report_id": 0}, "report_id", "too_small"),
        ({"schedule": None}, "schedule", "required"),
        ({"schedule": "often"}, "schedule", "invalid"),
        ({"schedule": "* * * * *"}, "schedule", "invalid"),
        ({"schedule": "0" * 101}, "schedule", "too_long"),
        ({"timezone": "Mars/Olympus"}, "timezone", "unknown"),
        ({"timezone": "x" * 65}, "timezone", "too_long"),
        ({"budgets": ["score"]}, "budgets", "invalid"),
        ({"budgets": ["score<80"] * 21}, "budgets", "too_many"),
        ({"budgets": [80]}, "budgets", "type"),
        ({"paused": 2}, "paused", "not_in"),
    ],
)
def test_what_cannot_be_used_is_named(tmp_path: Path, change: dict[str, Any], field: str, code: str) -> None:
    """Each field with its own code."""

    async def script(instance: Instance) -> httpx.Response:
        await instance.create()
        return await instance.call("POST", MONITORS, json={**NEW, **change})

    answer = with_instance(tmp_path, script)

    assert answer.status_code == 422
    assert [(one["field"], one["code"]) for one in answer.json()["violations"]] == [(field, code)]


def test_a_condition_on_the_state_is_heeded(tmp_path: Path) -> None:
    """Changes and deletions with the tag of an earlier state are refused with the tag of this one."""

    async def script(instance: Instance) -> list[httpx.Response]:
        await instance.create()
        made = await instance.call("POST", MONITORS, json=NEW)
        old = {"If-Match": made.headers["etag"]}
        return [
            await instance.call("PUT", f"{MONITORS}/1", json={"paused": 1}, headers=old),
            await instance.call("PUT", f"{MONITORS}/1", json={"paused": 0}, headers=old),
            await instance.call("DELETE", f"{MONITORS}/1", headers=old),
            await instance.call("DELETE", f"{MONITORS}/1", headers={"If-Match": "*"}),
        ]

    changed, refused, kept, deleted = with_instance(tmp_path, script)

    assert [each.status_code for each in (changed, refused, kept, deleted)] == [200, 412, 412, 200]
    assert refused.headers["etag"] == changed.headers["etag"]


def test_a_request_with_an_idempotency_key_is_executed_once(tmp_path: Path) -> None:
    """Creating and changing; it answers 410 once the monitor is deleted."""

    async def script(instance: Instance) -> list[httpx.Response]:
        await instance.create()
        key = {"Idempotency-Key": "one"}
        made = [await instance.call("POST", MONITORS, json=NEW, headers=key) for _ in range(2)]
        made.append(await instance.call("POST", MONITORS, json={**NEW, "paused": 1}, headers=key))
        made += [await instance.call("PUT", f"{MONITORS}/1", json={"paused": 1}, headers=key) for _ in range(2)]
        await instance.call("DELETE", f"{MONITORS}/1")
        made.append(await instance.call("POST", MONITORS, json=NEW, headers=key))
        return made

    answers = with_instance(tmp_path, script)
    first, again, _, changed, replayed, _ = answers

    assert [each.status_code for each in answers] == [201, 201, 422, 200, 200, 410]
    assert again.headers["idempotency-replayed"] == replayed.headers["idempotency-replayed"] == "true"
    assert again.json() == first.json()
    assert replayed.json() == changed.json()


def test_lists_come_in_pages_and_by_cursor(tmp_path: Path) -> None:
    """A cursor neither misses nor repeats a monitor that is there all the time."""

    async def script(instance: Instance) -> tuple[list[int], httpx.Response, httpx.Response]:
        await instance.create()
        for _ in range(23):
            await instance.call("POST", MONITORS, json=NEW)
        walked: list[int] = []
        link: str | None = f"{MONITORS}?per_page=10&cursor=&count=1"
        while link is not None:
            answer = (await instance.call("GET", link.removeprefix(BASE_URL))).json()
            walked += [each["id"] for each in answer["data"]]
            link = answer["links"]["next"]
            await instance.call("DELETE", f"{MONITORS}/{walked[-1]}")
        both = await instance.call("GET", f"{MONITORS}?page=2&cursor=")
        page = await instance.call("GET", f"{MONITORS}?per_page=10&page=2")
        return walked, both, page

    walked, both, page = with_instance(tmp_path, script)

    assert walked == list(range(23, 0, -1))
    assert both.status_code == 422
    assert page.json()["meta"]["total"] == 20
    assert len(page.json()["data"]) == 10


def test_an_account_has_so_many_monitors(tmp_path: Path) -> None:
    """One more is refused."""

    async def script(instance: Instance) -> list[int]:
        await instance.create()
        return [(await instance.call("POST", MONITORS, json=NEW)).status_code for _ in range(3)]

    assert with_instance(tmp_path, script, max_monitors=2) == [201, 201, 429]


def test_runs_show_in_the_state_of_budgets(tmp_path: Path) -> None:
    """The tag changes with it."""

    async def script(instance: Instance) -> list[httpx.Response]:
        await instance.create()
        await instance.call("POST", MONITORS, json={**NEW, "budgets": ["score<80", "lcp_ms>2500"]})
        seen = [await instance.call("GET", f"{MONITORS}/1")]
        await instance.finish(make_report(score=60))
        seen.append(await instance.call("GET", f"{MONITORS}/1"))
        for _ in range(2):
            await instance.call("PUT", "/api/v1/reports/1", data={"results": 1})
            await instance.finish(make_failed_report("dns"))
        seen.append(await instance.call("GET", f"{MONITORS}/1"))
        return seen

    before, breached, unreachable = with_instance(tmp_path, script)

    assert before.headers["etag"] != breached.headers["etag"]
    budget, unknown = breached.json()["data"]["budgets"]

    assert (budget["state"], unknown["state"], unknown["since"]) == ("breached", "unknown", None)
    assert budget["since"] is not None
    assert unreachable.json()["data"]["unreachable_since"] is not None
    assert unreachable.json()["data"]["budgets"] == [budget, unknown]


def test_a_list_is_filtered_by_project(tmp_path: Path) -> None:
    """As reports are, in pages and by cursor; however the host is typed."""

    async def script(instance: Instance) -> list[httpx.Response]:
        for number, url in enumerate(("https://example.com/", "https://www.example.org/a", "https://example.org/b"), 1):
            await instance.create(url)
            await instance.call("POST", "/api/v1/monitors", json={"report_id": number, "schedule": "daily"})
        path = "/api/v1/monitors?project="
        queries = ("WWW.Example.org", "https://example.com/x", "example.net", "example.org&cursor=&count=1")
        return [await instance.call("GET", f"{path}{query}") for query in queries]

    found = [answer.json() for answer in with_instance(tmp_path, script)]

    assert [[each["report_id"] for each in one["data"]] for one in found] == [[3, 2], [1], [], [3, 2]]
    assert [one["meta"]["total"] for one in found] == [2, 1, 0, 2]


SILENCES = "/api/v1/silences"


def test_a_silence_is_begun_shown_listed_and_ended(tmp_path: Path) -> None:
    """Once with one idempotency key; wrong fields are named."""

    async def script(instance: Instance) -> list[httpx.Response]:
        body: dict[str, Any] = {"project": "example.com", "reason": "Move.", "until": timestamp(now_ms() + 60_000)}
        key = {"Idempotency-Key": "one"}
        made = [await instance.call("POST", SILENCES, json=body, headers=key) for _ in range(2)]
        place = made[0].headers["location"].removeprefix(BASE_URL)
        return [
            *made,
            await instance.call("GET", place),
            await instance.call("GET", SILENCES),
            await instance.call("POST", SILENCES, json={**body, "until": "2001-01-01T00:00:00Z"}),
            await instance.call("POST", SILENCES, json={"project": "example.com", "until": "later"}),
            await instance.call("DELETE", place),
            await instance.call("GET", place),
        ]

    made, again, shown, listed, past, wrong, ended, gone = with_instance(tmp_path, script)
    data = made.json()["data"]

    assert [made.status_code, again.status_code, shown.status_code, ended.status_code] == [201, 201, 200, 200]
    assert (data["project"], data["monitor_id"]) == ("example.com", None)
    assert (data["reason"], data["author"]) == ("Move.", "test")
    assert again.json()["data"] == shown.json()["data"] == data
    assert listed.json()["data"] == [data]
    assert [(one["field"], one["code"]) for one in past.json()["violations"]] == [("until", "past")]
    assert {(one["field"], one["code"]) for one in wrong.json()["violations"]} == {
        ("reason", "required"),
        ("until", "not_a_time"),
    }
    assert gone.status_code == 404


def test_one_monitor_is_for_many_pages(tmp_path: Path) -> None:
    """It says which, its pages are listed for it, and other members name what they did before."""

    async def script(instance: Instance) -> None:
        await instance.create("https://a.example/1")
        await instance.create("https://a.example/2")
        await instance.finish()
        sent = {"project": "www.A.example", "schedule": "weekly", "budgets": ["score<80"]}
        made = await instance.call("POST", MONITORS, json=sent)
        now = made.json()["data"]["next_run_at"]
        monitor = instance.services.database.read_here(lambda tx: load_monitor(tx, instance.alice.id, 1))
        assert monitor is not None
        instance.services.database.write_here(
            lambda tx: queue_due(tx, monitor, instance.services.options, monitor.due_at_ms)
        )
        shown = (await instance.call("GET", f"{MONITORS}/1")).json()["data"]
        listed = (await instance.call("GET", MONITORS)).json()["data"]
        pages = await instance.call("GET", f"{MONITORS}?parent_id=1")
        refused = await instance.call("PUT", f"{MONITORS}/2", json={"paused": 1})
        both = await instance.call("POST", MONITORS, json={"tag": "shop", "report_id": 1, "schedule": "daily"})
        none = await instance.call("POST", MONITORS, json={"sitemap": "ftp://a.example/", "schedule": "daily"})

        assert_described(MonitorAnswer, made.json())
        assert_described(MonitorList, pages.json())
        names = ("project", "sitemap", "tag", "report_id", "audit_id", "parent_id", "pages_found")
        assert [shown[name] for name in names] == ["a.example", None, None, None, None, None, 2]
        assert now <= shown["last_run_at"] < shown["next_run_at"]
        assert [each["id"] for each in listed] == [1]
        assert [(each["report_id"], each["parent_id"]) for each in pages.json()["data"]] == [(2, 1), (1, 1)]
        for answer, expected in ((refused, ("parent_id", "conflict")), (both, ("tag", "conflict"))):
            found = [(each["field"], each["code"]) for each in answer.json()["violations"]]
            assert (answer.status_code, found) == (422, [expected])
        assert [(each["field"], each["code"]) for each in none.json()["violations"]] == [
            ("sitemap", "scheme_not_allowed")
        ]

    with_instance(tmp_path, script)
