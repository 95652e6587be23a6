"""Many reports from one call."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest

from pagegrade.service.options import AT_ONCE
from pagegrade.service.reports.batches import BatchState
from pagegrade.service.runs.options import AnalyzeOptions, parse_networks
from pagegrade.store.repositories.reports import BatchReport
from pagegrade.web.api.batches import Batch, BatchItem, batch_item, batch_object
from tests.site.serve import serve_site
from tests.web.calling import BASE_URL, REPORTS, Instance, with_instance

LOOPBACK = AnalyzeOptions(allow_networks=parse_networks(["127.0.0.0/8"]))
BATCHES = "/api/v1/batches"
URLS = ["https://a.example/", "https://b.example/x"]


@pytest.mark.parametrize(
    "sent",
    [
        {"json": {"urls": URLS}},
        {"data": {"urls[]": URLS}},
        {"data": {"urls": URLS}},
        {"data": {"urls[0]": URLS[0], "urls[1]": URLS[1]}},
        {"files": {"urls": (None, "\r\n".join(URLS))}},
    ],
)
def test_a_batch_makes_a_report_for_each_url(tmp_path: Path, sent: dict[str, Any]) -> None:
    """Whatever way the list is written; the answer comes at once, and the batch says how far it is."""

    async def script(instance: Instance) -> list[httpx.Response]:
        made = await instance.call("POST", BATCHES, **sent)
        await instance.finish()
        location = made.headers["location"].removeprefix(BASE_URL)
        return [made, await instance.call("GET", location), await instance.call("GET", BATCHES)]

    made, shown, listed = with_instance(tmp_path, script)
    data, done = made.json()["data"], shown.json()["data"]

    assert made.status_code == 202
    assert (data["object"], data["total"], data["queued"], data["refused"]) == ("batch", 2, 2, [])
    assert [report["url"] for report in data["reports"]] == URLS
    assert made.headers["retry-after"] == "5"
    assert (done["queued"], done["completed"], done["failed"]) == (0, 2, 0)
    assert all(report["score"] is not None for report in done["reports"])
    assert "retry-after" not in shown.headers
    assert [item["completed"] for item in listed.json()["data"]] == [2]
    assert "warnings" not in made.json()


def test_what_cannot_be_used_is_named_beside_the_rest(tmp_path: Path) -> None:
    """Every report gets the same options."""

    async def script(instance: Instance) -> tuple[dict[str, Any], dict[str, Any]]:
        sent = {"urls": [*URLS, "ftp://x/", URLS[0]], "privacy": 2, "password": "correct horse"}
        batch = (await instance.call("POST", BATCHES, json=sent)).json()["data"]
        return batch, (await instance.call("GET", f"{REPORTS}/{batch['reports'][1]['id']}")).json()["data"]

    batch, report = with_instance(tmp_path, script)

    assert [(each["url"], each["code"]) for each in batch["refused"]] == [
        ("ftp://x/", "scheme_not_allowed"),
        (URLS[0], "repeated"),
    ]
    assert (batch["total"], report["privacy"], report["password"]) == (2, 2, True)


@pytest.mark.parametrize(
    ("sent", "field", "code"),
    [
        ({}, "urls", "required"),
        ({"urls": []}, "urls", "required"),
        ({"urls": ["ftp://x/"]}, "urls", "none_usable"),
        ({"urls": [1]}, "urls", "type"),
        ({"urls": {"a": 1}}, "urls", "type"),
        ({"urls": ["https://a.example/"] * (AT_ONCE + 1)}, "urls", "too_many"),
        ({"urls": URLS, "privacy": 7}, "privacy", "not_in"),
        ({"urls": URLS, "privacy": 2}, "password", "required"),
        ({"sitemap": "ftp://x/"}, "sitemap", "scheme_not_allowed"),
        ({"sitemap": "http://10.0.0.1/"}, "sitemap", "address_not_allowed"),
    ],
)
def test_what_is_wrong_is_reported_and_nothing_is_made(
    tmp_path: Path, sent: dict[str, Any], field: str, code: str
) -> None:
    """Neither a batch nor a report."""

    async def script(instance: Instance) -> list[httpx.Response]:
        answer = await instance.call("POST", BATCHES, json=sent)
        return [answer, await instance.call("GET", BATCHES), await instance.call("GET", REPORTS)]

    answer, *lists = with_instance(tmp_path, script)

    assert answer.status_code == 422
    assert [(each["field"], each["code"]) for each in answer.json()["violations"]] == [(field, code)]
    assert [each.json()["meta"]["total"] for each in lists] == [0, 0]


def test_a_full_batch_is_made_in_one_go(tmp_path: Path) -> None:
    """As many URLs as there may be; one more than the account may have makes nothing."""

    async def script(instance: Instance) -> list[httpx.Response]:
        urls = [f"https://a.example/{'x' * 1_000}/{number}" for number in range(AT_ONCE)]
        first = await instance.call("POST", BATCHES, json={"urls": urls})
        return [first, await instance.call("POST", BATCHES, json={"urls": URLS}), await instance.call("GET", REPORTS)]

    made, refused, listed = with_instance(tmp_path, script, max_reports=AT_ONCE + 1)

    assert (made.status_code, made.json()["data"]["total"]) == (202, AT_ONCE)
    assert (refused.status_code, refused.json()["code"]) == (429, "quota_exceeded")
    assert listed.json()["meta"]["total"] == AT_ONCE


def test_a_repeated_request_makes_one_batch(tmp_path: Path) -> None:
    """It answers with the batch as it is now; once that is gone, with 410."""
    key = {"Idempotency-Key": "one"}

    async def script(instance: Instance) -> list[httpx.Response]:
        seen = [await instance.call("POST", BATCHES, json={"urls": URLS}, headers=key)]
        await instance.finish()
        seen.append(await instance.call("POST", f"{BATCHES}/", json={"urls": URLS}, headers=key))
        seen.append(await instance.call("POST", BATCHES, json={"urls": URLS[:1]}, headers=key))
        seen.append(await instance.call("DELETE", f"{BATCHES}/1"))
        seen.append(await instance.call("POST", BATCHES, json={"urls": URLS}, headers=key))
        return [*seen, await instance.call("GET", REPORTS)]

    first, again, other, gone, late, reports = with_instance(tmp_path, script)

    assert [each.status_code for each in (first, again, other, gone, late)] == [202, 202, 422, 200, 410]
    assert again.headers["idempotency-replayed"] == "true"
    assert (first.json()["data"]["completed"], again.json()["data"]["completed"]) == (0, 2)
    assert reports.json()["meta"]["total"] == 2


def test_a_batch_can_be_answered_with_next_to_nothing(tmp_path: Path) -> None:
    """`Prefer: return=minimal`."""

    async def script(instance: Instance) -> httpx.Response:
        return await instance.call("POST", BATCHES, json={"urls": URLS}, headers={"Prefer": "return=minimal"})

    answer = with_instance(tmp_path, script)

    assert answer.json()["data"] == {"id": 1, "object": "batch", "total": 2}
    assert answer.headers["preference-applied"] == "return=minimal"


def test_batches_are_limited_as_single_reports_are(tmp_path: Path) -> None:
    """By the calls of a minute that start analyses, and by what may wait."""

    async def script(instance: Instance) -> list[httpx.Response]:
        return [await instance.call("POST", BATCHES, json={"urls": URLS}) for _ in range(3)]

    limited = with_instance(tmp_path, script, analyses_per_minute=2)
    queue = with_instance(tmp_path, script, account_queue=3)

    assert [each.status_code for each in limited] == [202, 202, 429]
    assert [each.json().get("code") for each in queue] == [None, "quota_exceeded", "quota_exceeded"]


def test_a_sitemap_is_read(tmp_path: Path) -> None:
    """Together with the list; what both name gets one report."""
    with serve_site() as site:

        async def script(instance: Instance) -> httpx.Response:
            return await instance.call(
                "POST", BATCHES, json={"sitemap": f"{site.http}/sitemap.xml", "urls": [f"{site.http}/about"]}
            )

        answer = with_instance(tmp_path, script, analyze=LOOPBACK)

    urls = [report["url"] for report in answer.json()["data"]["reports"]]

    assert answer.status_code == 202
    assert urls[0] == f"{site.http}/about"
    assert len(urls) == len(set(urls)) > 1


@pytest.mark.parametrize(
    ("path", "sent"), [(REPORTS, {"url": URLS[0]}), (BATCHES, {"urls": URLS})], ids=["report", "batch"]
)
def test_a_repeated_request_makes_one_run_that_follows(tmp_path: Path, path: str, sent: dict[str, Any]) -> None:
    """Sent again before the static run, between both and after the one in the browser, it adds no run."""
    headers = {"Idempotency-Key": "one", "Prefer": "respond-async"}

    async def script(instance: Instance) -> list[list[tuple[int, str]]]:
        for _ in range(3):
            await instance.call("POST", path, json=sent, headers=headers)
            await instance.finish()
        await instance.call("POST", path, json=sent, headers=headers)
        reports = (await instance.call("GET", REPORTS)).json()["data"]
        answers = [await instance.call("GET", f"{REPORTS}/{one['id']}/runs") for one in reports]
        return [[(run["number"], run["state"]) for run in each.json()["data"]] for each in answers]

    runs = with_instance(tmp_path, script, render="auto", browser=Path("/usr/bin/a-browser"))

    assert runs == [[(2, "completed"), (1, "completed")]] * (2 if path == BATCHES else 1)


BATCH = BatchState(
    id=7,
    created_at_ms=1,
    refused=b'[{"url":"ftp://example.com/","code":"scheme_not_allowed","message":"No."}]',
    reports=(
        BatchReport(id=1, url="https://example.com/", state="completed", rating=2, score=74),
        BatchReport(id=2, url="https://example.com/b", state="queued", rating=None, score=None),
        BatchReport(id=3, url="https://example.com/c", state="failed", rating=None, score=None),
    ),
)


def test_an_item_counts_the_reports_by_state() -> None:
    """Every member of the description is there, in its order."""
    members = msgspec.json.decode(batch_item(BATCH))

    assert list(members) == list(BatchItem.__struct_encode_fields__)
    assert [members[name] for name in ("total", "queued", "completed", "failed")] == [3, 1, 1, 1]


def test_a_whole_batch_has_its_reports_and_what_was_refused() -> None:
    """A report without a result has null in place of it."""
    members = msgspec.json.decode(batch_object(BATCH))

    assert set(members) == set(Batch.__struct_encode_fields__)
    assert [report["result"] for report in members["reports"]] == ["decent", None, None]
    assert members["refused"][0]["code"] == "scheme_not_allowed"
