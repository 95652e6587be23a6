from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest
from pydantic import BaseModel, create_model

from pagegrade.clock import now_ms
from pagegrade.store.repositories.idempotency import KEPT_MS
from pagegrade.store.repositories.installation import trust_clock
from pagegrade.web import request as module
from pagegrade.web.app import make_app
from pagegrade.web.http.fields import read_fields
from pagegrade.web.idempotency import sent_fields
from pagegrade.web.parameters import CreateReportBody
from pagegrade.web.routes import ALL_OPERATIONS
from tests.database_clock import make_clock, show
from tests.waiting import HANG_S, turns
from tests.web.calling import BASE_URL, REPORTS, Instance, a_neighbour, with_instance

KEY = {"Idempotency-Key": "one"}
URL = "https://example.com/"


async def post(instance: Instance, headers: dict[str, str] | None = None, **fields: Any) -> httpx.Response:
    """Create a report."""
    return await instance.call(
        "POST", REPORTS, data={"url": URL, **fields}, headers=KEY if headers is None else headers
    )


async def total(instance: Instance) -> int:
    """The number of Alice's reports."""
    found: int = (await instance.call("GET", REPORTS)).json()["meta"]["total"]
    return found


shared_only = pytest.mark.backend("postgresql", reason="elsewhere there is one process")
SLOW = {**KEY, "Prefer": "wait=30"}


async def count_runs(instance: Instance) -> int:
    """The number of runs of all reports."""
    count = "SELECT count(*) FROM runs"
    return int(await instance.services.database.read(lambda tx: tx.exec_driver_sql(count).scalar_one()))


async def begun(instance: Instance, request: asyncio.Task[httpx.Response]) -> None:
    """Wait until a request has stored its report."""
    async with asyncio.timeout(HANG_S):
        while not await total(instance):
            assert not request.done()
            await turns()


def test_a_repeated_request_is_answered_with_the_report_as_it_is_now(tmp_path: Path) -> None:
    """The first status, however the body is encoded; who repeats until the report is finished gets it finished."""

    async def script(instance: Instance) -> tuple[list[httpx.Response], int]:
        first = await post(instance, {**KEY, "Prefer": "respond-async"})
        early = await post(instance, {**KEY, "Prefer": "respond-async"})
        await instance.finish()
        again = await post(instance)
        as_json = await instance.call("POST", REPORTS, json={"url": URL}, headers=KEY)
        return [first, early, again, as_json], await total(instance)

    (first, early, again, as_json), count = with_instance(tmp_path, script)

    assert count == 1
    assert "idempotency-replayed" not in first.headers
    assert [answer.json()["data"]["state"] for answer in (first, early, again)] == ["queued", "queued", "completed"]
    assert early.content == first.content
    assert as_json.content == again.content
    assert "retry-after" in early.headers
    assert "retry-after" not in again.headers
    for answer in (early, again, as_json):
        assert answer.status_code == first.status_code == 201
        assert answer.headers["idempotency-replayed"] == "true"
        assert answer.headers["location"] == first.headers["location"]


def test_a_repeated_request_waits_as_it_asks_to(tmp_path: Path) -> None:
    """Also beside the first one, which waits itself."""

    async def script(instance: Instance) -> list[httpx.Response]:
        async with asyncio.TaskGroup() as group:
            first = group.create_task(post(instance, SLOW))
            await begun(instance, first)
            # The report is there a moment before the first request begins to wait: until then the answer is 409.
            async with asyncio.timeout(HANG_S):
                while (at_once := await post(instance, {**KEY, "Prefer": "wait=0"})).status_code == 409:
                    assert not first.done()
            again = group.create_task(post(instance, SLOW))
            await instance.finish()
        return [first.result(), again.result(), at_once]

    answers = with_instance(tmp_path, script)

    assert [answer.json()["data"]["state"] for answer in answers] == ["completed", "completed", "queued"]
    assert ["idempotency-replayed" in answer.headers for answer in answers] == [False, True, True]


@pytest.mark.parametrize("method", ["POST", "PUT"])
def test_a_request_whose_report_was_deleted_is_gone(tmp_path: Path, method: str) -> None:
    """With nothing of its content; and nothing is made or analyzed anew."""

    async def script(instance: Instance) -> tuple[httpx.Response, int]:
        await instance.create("https://secret.example/")
        path, fields = (
            (REPORTS, {"url": "https://secret.example/"}) if method == "POST" else (f"{REPORTS}/1", {"results": "1"})
        )
        first = await instance.call(method, path, data=fields, headers=KEY)
        number = first.json()["data"]["id"]
        await instance.call("DELETE", f"{REPORTS}/{number}")
        return await instance.call(method, path, data=fields, headers=KEY), await total(instance)

    answer, count = with_instance(tmp_path, script)

    assert (answer.status_code, answer.json()["code"]) == (410, "report_deleted")
    assert "secret" not in answer.text
    assert count == (1 if method == "POST" else 0)


def test_a_report_that_is_deleted_while_a_repeated_request_waits_is_gone(tmp_path: Path) -> None:
    """As if it had been deleted before."""

    async def script(instance: Instance) -> httpx.Response:
        await post(instance, {**KEY, "Prefer": "wait=0"})
        async with asyncio.TaskGroup() as group:
            again = group.create_task(post(instance, SLOW))
            await asyncio.sleep(0)
            await instance.call("DELETE", f"{REPORTS}/1")
        return again.result()

    answer = with_instance(tmp_path, script)

    assert (answer.status_code, answer.json()["code"]) == (410, "report_deleted")


def test_fifty_at_once_make_one_report(tmp_path: Path) -> None:
    """The others have to wait or get its report (N01)."""

    async def script(instance: Instance) -> tuple[list[httpx.Response], int]:
        return list(await asyncio.gather(*(post(instance) for _ in range(50)))), await total(instance)

    answers, count = with_instance(tmp_path, script)
    made = [answer for answer in answers if answer.status_code == 201]
    waiting = [answer for answer in answers if answer.status_code == 409]

    assert count == 1
    assert len(made) + len(waiting) == 50
    assert sum("idempotency-replayed" not in answer.headers for answer in made) == 1
    assert {answer.json()["data"]["id"] for answer in made} == {1}
    assert {(answer.json()["code"], answer.headers["retry-after"]) for answer in waiting} <= {
        ("idempotency_in_progress", "2")
    }


def test_a_key_stands_for_one_request(tmp_path: Path) -> None:
    """Another body is refused, also while the first one waits for its analysis (N02)."""

    async def script(instance: Instance) -> list[httpx.Response]:
        async with asyncio.TaskGroup() as group:
            first = group.create_task(post(instance, SLOW))
            await begun(instance, first)
            meanwhile = await post(instance, SLOW, privacy="1")
            await instance.finish()
        return [first.result(), meanwhile, await post(instance, privacy="1"), await post(instance, password="x")]

    answers = with_instance(tmp_path, script)

    assert [answer.status_code for answer in answers] == [201, 422, 422, 422]
    assert {answer.json()["code"] for answer in answers[1:]} == {"idempotency_key_reused"}


def test_keys_of_others_mean_nothing(tmp_path: Path) -> None:
    """Another account, another API key, another method or path: another request (N03)."""

    async def script(instance: Instance) -> list[int]:
        bob, other = instance.add_bob(), instance.add_key()
        made = [
            await instance.call("POST", REPORTS, key=key, data={"url": URL}, headers=KEY)
            for key in (instance.key, bob, other)
        ]
        again = [
            await instance.call(method, f"{REPORTS}/1", data={"results": "1"}, headers=KEY)
            for method in ("PUT", "PATCH")
        ]
        assert not [answer for answer in (*made, *again) if "idempotency-replayed" in answer.headers]
        return [answer.json()["data"]["id"] for answer in (*made, *again)]

    assert with_instance(tmp_path, script) == [1, 2, 3, 1, 1]


def test_a_key_is_forgotten_after_a_day(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Then it makes a new report (N04)."""

    async def script(instance: Instance) -> list[int]:
        database = instance.services.database
        make_clock(database)
        ids = [(await post(instance)).json()["data"]["id"]]
        for later in (KEPT_MS - 60_000, KEPT_MS + 60_000):
            moment = now_ms() + later
            monkeypatch.setattr(module, "now_ms", lambda moment=moment: moment)
            show(database, moment)
            # The clock ran evenly meanwhile.
            database.submit(partial(trust_clock, now_ms=moment)).result()
            ids.append((await post(instance)).json()["data"]["id"])
        return ids

    assert with_instance(tmp_path, script) == [1, 1, 2]


def bodies() -> list[type[BaseModel]]:
    """The bodies of all operations that can be repeated."""
    found = [each.body for each in ALL_OPERATIONS if each.body is not None and "Idempotency-Key" in each.headers]
    return list(dict.fromkeys(found))


@pytest.mark.parametrize("body", bodies(), ids=lambda body: body.__name__)
def test_a_field_of_a_later_version_is_no_part_of_an_earlier_request(body: type[BaseModel]) -> None:
    """The same request is the same before and after an upgrade, as every operation reads it."""
    later = create_model("Later", __base__=body, engine=(str, "auto"))
    sent = {name: "1" for name, field in body.model_fields.items() if field.is_required()}

    before, after, other = (
        sent_fields(read_fields(model, {**sent, **more}, "body")[0])
        for model, more in ((body, {}), (later, {}), (later, {"engine": "static"}))
    )

    assert before == after
    assert before != other


def test_the_order_of_fields_means_nothing() -> None:
    """The same request, written otherwise."""
    sent = {"privacy": 1, "url": URL}

    first, second = (read_fields(CreateReportBody, each, "body")[0] for each in (sent, dict(reversed(sent.items()))))

    assert sent_fields(first) == sent_fields(second)


@pytest.mark.parametrize("key", ["", "a" * 256, "a b", "é"])
def test_a_key_is_visible_ascii(tmp_path: Path, key: str) -> None:
    """1 to 255 of it."""

    async def script(instance: Instance) -> int:
        sent = [(b"idempotency-key", key.encode()), (b"authorization", f"Bearer {instance.key}".encode())]
        return (await instance.client.post(REPORTS, data={"url": URL}, headers=sent)).status_code

    assert with_instance(tmp_path, script) == 400


def test_what_was_refused_may_be_sent_again(tmp_path: Path) -> None:
    """A request that came to nothing does not take the key."""

    async def script(instance: Instance) -> list[int]:
        wrong = await post(instance, url="ftp://x/")
        full = await post(instance, url="https://b.example/") if not await instance.create() else await post(instance)
        await instance.call("DELETE", f"{REPORTS}/1")
        return [wrong.status_code, full.status_code, (await post(instance)).status_code]

    assert with_instance(tmp_path, script, max_reports=1) == [422, 429, 201]


def test_an_analysis_is_counted_once(tmp_path: Path) -> None:
    """A repeated request starts none, and gets its answer also when no more could be started."""

    async def script(instance: Instance) -> list[int]:
        answers = [await post(instance) for _ in range(3)]
        return [answer.status_code for answer in (*answers, await post(instance, {"Idempotency-Key": "two"}))]

    assert with_instance(tmp_path, script, analyses_per_minute=1) == [201, 201, 201, 429]


@pytest.mark.parametrize("headers", [{}, {"Idempotency-Key": "one"}])
def test_an_analysis_that_was_refused_is_not_counted(tmp_path: Path, headers: dict[str, str]) -> None:
    """The account was full; after a report is deleted, the same minute has place for another."""

    async def script(instance: Instance) -> list[int]:
        made = await post(instance, {}, url="https://b.example/")
        full = await post(instance, headers)
        await instance.call("DELETE", f"{REPORTS}/1")
        return [made.status_code, full.status_code, (await post(instance, headers)).status_code]

    assert with_instance(tmp_path, script, max_reports=1, analyses_per_minute=2) == [201, 429, 201]


def test_a_process_that_died_before_it_answered_has_made_the_report(tmp_path: Path) -> None:
    """The report it stored is the answer of the next request (N05)."""

    async def script(instance: Instance) -> tuple[list[Any], int]:
        request = asyncio.get_running_loop().create_task(post(instance, SLOW))
        await begun(instance, request)
        request.cancel()
        await asyncio.wait([request])
        app = make_app(instance.services)
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url=BASE_URL) as client:
            headers = {**KEY, "Authorization": f"Bearer {instance.key}"}
            answer = await client.post(REPORTS, data={"url": URL}, headers=headers)
        return [answer.status_code, answer.json()["data"]["id"], answer.headers["idempotency-replayed"]], await total(
            instance
        )

    assert with_instance(tmp_path, script) == ([201, 1, "true"], 1)


def test_a_re_run_is_started_once(tmp_path: Path) -> None:
    """For an update that asks for results; without them the key says nothing."""

    async def script(instance: Instance) -> tuple[list[bool], int]:
        await instance.create()
        await instance.finish()
        path = f"{REPORTS}/1"
        answers = []
        for fields in ({"results": "1"}, {"results": "1"}, {"privacy": "1"}, {"privacy": "0"}):
            answers.append(await instance.call("PUT", path, data=fields, headers=KEY))
            await instance.finish()
        runs = (await instance.call("GET", f"{path}/runs")).json()["meta"]["total"]
        return ["idempotency-replayed" in answer.headers for answer in answers], runs

    assert with_instance(tmp_path, script) == ([False, True, False, False], 2)


def test_no_password_can_be_guessed_from_what_is_kept(tmp_path: Path) -> None:
    """The same body gives another fingerprint with another key, so it takes more than the database to try passwords."""

    async def script(instance: Instance) -> list[bytes]:
        for key in (instance.key, instance.add_key()):
            await instance.call(
                "POST", REPORTS, key=key, data={"url": URL, "privacy": "2", "password": "letmein"}, headers=KEY
            )
        return list(
            instance.services.database.read_here(
                lambda tx: tx.exec_driver_sql("SELECT request_sha256 FROM idempotency").scalars().all()
            )
        )

    first, second = with_instance(tmp_path, script)

    assert first != second


@shared_only
def test_two_processes_make_one_report(tmp_path: Path) -> None:
    """However many requests come to both of them at the same moment (N01)."""

    async def script(instance: Instance) -> tuple[list[httpx.Response], int, int]:
        async with a_neighbour(instance) as first, a_neighbour(instance) as second:
            answers = await asyncio.gather(*(post((first, second)[number % 2]) for number in range(40)))
            later = await post(instance)
            return [*answers, later], await total(instance), await count_runs(instance)

    answers, count, runs = with_instance(tmp_path, script)
    made = [answer for answer in answers if answer.status_code == 201]
    others = {(answer.status_code, answer.json()["code"]) for answer in answers if answer.status_code != 201}

    assert (count, runs) == (1, 1)
    assert len({answer.content for answer in made}) == 1
    assert others <= {(409, "idempotency_in_progress")}
    assert "idempotency-replayed" in answers[-1].headers


@shared_only
def test_what_a_neighbour_waits_for_is_answered_by_any_process(tmp_path: Path) -> None:
    """From the moment it is stored. Another body is refused at once (N02)."""

    async def script(instance: Instance) -> list[httpx.Response]:
        async with a_neighbour(instance) as first, a_neighbour(instance) as second, asyncio.TaskGroup() as group:
            request = group.create_task(post(first, SLOW))
            await begun(instance, request)
            meanwhile = [await post(second, {**KEY, "Prefer": "wait=0"}), await post(second, SLOW, privacy="1")]
            await instance.finish()
            first.services.changes.notify(1)
            answer = await request
            return [answer, *meanwhile, await post(second, SLOW)]

    first, early, reused, replayed = with_instance(tmp_path, script)

    assert [answer.status_code for answer in (first, early, reused, replayed)] == [201, 201, 422, 201]
    assert early.json()["data"]["state"] == "queued"
    assert replayed.content == first.content
    assert "idempotency-replayed" in replayed.headers
