"""Success criteria and recorded results over the API."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import httpx
import pytest

from pagegrade.model.report import MAX_NOTE, ManualResult
from pagegrade.render.criteria import by_criterion
from pagegrade.web.api.criteria import CriterionOfReport, criterion_object
from tests.api_shapes import assert_described
from tests.report_builders import make_failed_report, make_report
from tests.store_builders import NOW_MS, add_owner
from tests.web.calling import BASE_URL, REPORTS, Instance, with_instance

CRITERIA = f"{REPORTS}/1/criteria"
FAILED: dict[str, Any] = {"outcome": "failed", "note": "The banner.", "evidence": "https://a.example/banner.png"}


async def analyzed(instance: Instance) -> None:
    """A report with results."""
    await instance.create()
    await instance.finish(make_report())


def test_a_result_is_recorded_shown_replaced_and_taken_back(tmp_path: Path) -> None:
    """Its criterion has it, the report counts as changed, and the rest stays what automatic tests say."""

    async def script(instance: Instance) -> list[httpx.Response]:
        await analyzed(instance)
        before = await instance.call("GET", f"{REPORTS}/1")
        place = f"{CRITERIA}/1.4.5"
        return [
            await instance.call("PUT", place, json=FAILED),
            await instance.call("GET", place),
            await instance.call("PUT", place, json={"outcome": "passed"}),
            await instance.call("GET", f"{CRITERIA}?per_page=100"),
            await instance.call("GET", f"{CRITERIA}?page=6"),
            await instance.call("DELETE", place),
            await instance.call("GET", place),
            await instance.call("DELETE", place),
            before,
            await instance.call("GET", f"{REPORTS}/1"),
        ]

    made, shown, passed, listed, last, deleted, gone, again, *reports = with_instance(tmp_path, script)
    data = made.json()["data"]
    found = {one["criterion"]: one for one in listed.json()["data"]}

    assert data["manual"] | {"recorded_at": ""} == FAILED | {"author": "test", "recorded_at": "", "stale": False}
    assert (data["status"], data["by_machine"], data["name"]) == ("failed", "needs_person", "Images of Text")
    assert (shown.json(), shown.headers["etag"]) == (made.json(), made.headers["etag"])
    assert found["1.4.5"] == passed.json()["data"]
    assert (found["1.4.5"]["status"], found["1.4.5"]["manual"]["note"]) == ("confirmed", "")
    assert (len(found), sum(one["manual"] is not None for one in found.values())) == (55, 1)
    assert (len(last.json()["data"]), last.json()["meta"]["path"]) == (5, f"{BASE_URL}{CRITERIA}")
    assert deleted.json() == {
        "criterion": "1.4.5",
        "report_id": 1,
        "object": "manual_result",
        "deleted": True,
        "status": 200,
    }
    assert (gone.json()["data"]["manual"], again.status_code) == (None, 404)
    assert reports[0].headers["etag"] != reports[1].headers["etag"]


@pytest.mark.parametrize(
    ("body", "field", "code"),
    [
        ({}, "outcome", "required"),
        ({"outcome": "good"}, "outcome", "not_in"),
        ({"outcome": "failed", "note": " "}, "note", "required"),
        ({"outcome": "not_applicable"}, "note", "required"),
        ({"outcome": "passed", "note": "x" * (MAX_NOTE + 1)}, "note", "too_long"),
        ({"outcome": "passed", "evidence": "x" * (MAX_NOTE + 1)}, "evidence", "too_long"),
    ],
)
def test_what_cannot_be_used_is_named(tmp_path: Path, body: dict[str, Any], field: str, code: str) -> None:
    """Each field with its own code, and nothing is stored."""

    async def script(instance: Instance) -> list[httpx.Response]:
        await analyzed(instance)
        place = f"{CRITERIA}/1.4.5"
        return [await instance.call("PUT", place, json=body), await instance.call("GET", place)]

    refused, shown = with_instance(tmp_path, script)

    assert refused.status_code == 422
    assert [(one["field"], one["code"]) for one in refused.json()["violations"]] == [(field, code)]
    assert shown.json()["data"]["manual"] is None


def test_the_longest_texts_are_stored(tmp_path: Path) -> None:
    """At the limit that is said."""

    async def script(instance: Instance) -> httpx.Response:
        await analyzed(instance)
        body = {"outcome": "failed", "note": "x" * MAX_NOTE, "evidence": "x" * MAX_NOTE}
        return await instance.call("PUT", f"{CRITERIA}/1.4.5", json=body)

    assert len(with_instance(tmp_path, script).json()["data"]["manual"]["note"]) == MAX_NOTE


def test_a_client_changes_only_what_it_knows(tmp_path: Path) -> None:
    """If-Match and If-None-Match, for PUT and DELETE; an unchanged criterion answers 304."""

    async def script(instance: Instance) -> list[httpx.Response]:
        await analyzed(instance)
        place = f"{CRITERIA}/1.4.5"
        old = {"If-Match": (await instance.call("GET", place)).headers["etag"]}
        new = await instance.call("PUT", place, json=FAILED, headers=old)
        tag = new.headers["etag"]
        return [
            new,
            await instance.call("PUT", place, json=FAILED, headers=old),
            await instance.call("PUT", place, json=FAILED, headers={"If-None-Match": tag}),
            await instance.call("DELETE", place, headers=old),
            await instance.call("GET", place, headers={"If-None-Match": tag}),
            await instance.call("PUT", place, json=FAILED, headers={"Prefer": "return=minimal"}),
            await instance.call("DELETE", place, headers={"If-Match": "*"}),
        ]

    new, *answers = with_instance(tmp_path, script)

    assert [each.status_code for each in (new, *answers)] == [200, 412, 412, 412, 304, 200, 200]
    assert answers[0].headers["etag"] == new.headers["etag"]
    assert answers[4].json()["data"] == {"criterion": "1.4.5", "object": "criterion", "report_id": 1}


def test_what_has_no_results_has_no_criteria(tmp_path: Path) -> None:
    """A report that waits or failed, one of another account, or a number that is no criterion."""

    async def script(instance: Instance) -> list[httpx.Response]:
        await instance.create()
        answers = [await instance.call("GET", CRITERIA)]
        await instance.finish(make_failed_report())
        answers.append(await instance.call("PUT", f"{CRITERIA}/1.4.5", json={"outcome": "passed"}))
        await instance.call("PUT", f"{REPORTS}/1", data={"results": "1"})
        await instance.finish(make_report())
        _, key = add_owner(instance.services.database, "Bob")
        for method, number, sent in (("GET", "9.9.9", None), ("PUT", "1.4", None), ("GET", "1.4.5", key)):
            more: dict[str, Any] = {"json": {"outcome": "passed"}} if method == "PUT" else {}
            more |= {} if sent is None else {"key": sent}
            answers.append(await instance.call(method, f"{CRITERIA}/{number}", **more))
        return answers

    assert {each.status_code for each in with_instance(tmp_path, script)} == {404}


@pytest.mark.parametrize("number", ["1.4.5", "2.4.11"])
def test_the_object_is_as_described(number: str) -> None:
    """Every member, for a criterion with a recorded result, and for one that is too young for other standards."""
    manual = ManualResult(
        criterion="1.4.5", outcome="failed", note="x", evidence="", author="A", at_ms=NOW_MS, page_sha256=b""
    )
    report = make_report(manual=(manual,))
    result = next(one for one in by_criterion(report) if one.criterion.number == number)
    made = json.loads(criterion_object(result, 7))

    assert_described(CriterionOfReport, made)

    assert set(made) == set(CriterionOfReport.__struct_encode_fields__)
    assert (made["manual"] is None, made["section_508"]) == ((False, "E205.4") if number == "1.4.5" else (True, None))
