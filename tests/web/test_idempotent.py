from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path
from typing import Any

import httpx
import pytest

from pagegrade.model.errors import Unavailable
from pagegrade.service.clock import now_ms
from pagegrade.store.idempotency import KEPT_MS
from pagegrade.store.processes import forget
from pagegrade.web import call as module
from pagegrade.web.app import make_app
from tests.web.calling import BASE_URL, REPORTS, House, a_neighbour, in_house

KEY = {"Idempotency-Key": "one"}
URL = "https://example.com/"


async def post(house: House, headers: dict[str, str] | None = None, **fields: Any) -> httpx.Response:
    """Create a report."""
    return await house.call("POST", REPORTS, data={"url": URL, **fields}, headers=KEY if headers is None else headers)


async def total(house: House) -> int:
    """How many reports Alice has."""
    found: int = (await house.call("GET", REPORTS)).json()["meta"]["total"]
    return found


def test_a_repeated_request_gets_the_same_answer(tmp_path: Path) -> None:
    """Body, status and the headers that belong to it, whatever has happened since and however it is encoded."""

    async def script(house: House) -> tuple[list[httpx.Response], int]:
        first = await post(house)
        await house.finish()
        again = await post(house)
        as_json = await house.call("POST", REPORTS, json={"url": URL}, headers=KEY)
        return [first, again, as_json], await total(house)

    (first, again, as_json), count = in_house(tmp_path, script)

    assert count == 1
    assert "idempotency-replayed" not in first.headers
    for answer in (again, as_json):
        assert (answer.status_code, answer.content) == (first.status_code, first.content)
        assert answer.headers["idempotency-replayed"] == "true"
        for name in ("location", "etag", "retry-after", "last-modified", "content-type"):
            assert answer.headers[name] == first.headers[name]


def test_fifty_at_once_make_one_report(tmp_path: Path) -> None:
    """The others are told to wait or get its answer (N01)."""

    async def script(house: House) -> tuple[list[httpx.Response], int]:
        return list(await asyncio.gather(*(post(house) for _ in range(50)))), await total(house)

    answers, count = in_house(tmp_path, script)
    made = [answer for answer in answers if answer.status_code == 201]
    waiting = [answer for answer in answers if answer.status_code == 409]

    assert count == 1
    assert len(made) + len(waiting) == 50
    assert len({answer.content for answer in made}) == 1
    assert {(answer.json()["code"], answer.headers["retry-after"]) for answer in waiting} <= {
        ("idempotency_in_progress", "2")
    }


def test_a_key_stands_for_one_request(tmp_path: Path) -> None:
    """Another body is refused, also while the first one is being answered; nobody's answer is handed out (N02)."""

    async def script(house: House) -> list[httpx.Response]:
        slow = {**KEY, "Prefer": "wait=30"}
        async with asyncio.TaskGroup() as group:
            first = group.create_task(post(house, slow))
            while not await total(house):  # noqa: ASYNC110 - nothing tells that a request was stored
                await asyncio.sleep(0.01)
            meanwhile = [await post(house, slow), await post(house, slow, privacy="1")]
            await house.finish()
        return [first.result(), *meanwhile, await post(house, privacy="1"), await post(house, password="x")]

    answers = in_house(tmp_path, script)

    assert [answer.status_code for answer in answers] == [201, 409, 422, 422, 422]
    assert {answer.json()["code"] for answer in answers[2:]} == {"idempotency_key_reused"}


def test_keys_of_others_mean_nothing(tmp_path: Path) -> None:
    """Another account, another API key, another method or path: another request (N03)."""

    async def script(house: House) -> list[int]:
        bob, other = house.add_bob(), house.add_key()
        made = [
            await house.call("POST", REPORTS, key=key, data={"url": URL}, headers=KEY)
            for key in (house.key, bob, other)
        ]
        again = [
            await house.call(method, f"{REPORTS}/1", data={"results": "1"}, headers=KEY) for method in ("PUT", "PATCH")
        ]
        assert not [answer for answer in (*made, *again) if "idempotency-replayed" in answer.headers]
        return [answer.json()["data"]["id"] for answer in (*made, *again)]

    assert in_house(tmp_path, script) == [1, 2, 3, 1, 1]


def test_a_key_is_forgotten_after_a_day(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Then it makes a new report (N04)."""

    async def script(house: House) -> list[int]:
        ids = [(await post(house)).json()["data"]["id"]]
        for later in (KEPT_MS - 60_000, KEPT_MS + 60_000):
            monkeypatch.setattr(module, "now_ms", lambda later=later: now_ms() + later)
            ids.append((await post(house)).json()["data"]["id"])
        return ids

    assert in_house(tmp_path, script) == [1, 1, 2]


@pytest.mark.parametrize("key", ["", "a" * 256, "a b", "é"])
def test_a_key_is_visible_ascii(tmp_path: Path, key: str) -> None:
    """1 to 255 of it."""

    async def script(house: House) -> int:
        sent = [(b"idempotency-key", key.encode()), (b"authorization", f"Bearer {house.key}".encode())]
        return (await house.client.post(REPORTS, data={"url": URL}, headers=sent)).status_code

    assert in_house(tmp_path, script) == 400


def test_what_was_refused_may_be_sent_again(tmp_path: Path) -> None:
    """A request that came to nothing does not take the key."""

    async def script(house: House) -> list[int]:
        wrong = await post(house, url="ftp://x/")
        full = await post(house, url="https://b.example/") if not await house.create() else await post(house)
        await house.call("DELETE", f"{REPORTS}/1")
        return [wrong.status_code, full.status_code, (await post(house)).status_code]

    assert in_house(tmp_path, script, max_reports=1) == [422, 429, 201]


def test_an_analysis_is_counted_once(tmp_path: Path) -> None:
    """A repeated request starts none, and gets its answer also when no more could be started."""

    async def script(house: House) -> list[int]:
        answers = [await post(house) for _ in range(3)]
        return [answer.status_code for answer in (*answers, await post(house, {"Idempotency-Key": "two"}))]

    assert in_house(tmp_path, script, analyses_per_minute=1) == [201, 201, 201, 429]


def test_a_process_that_died_is_taken_over(tmp_path: Path) -> None:
    """The report it stored without answering is the answer of the next request (N05)."""

    async def script(house: House) -> tuple[list[Any], int]:
        first = await post(house)
        house.services.database.write_here(
            lambda tx: tx.exec_driver_sql("UPDATE idempotency SET status = NULL, headers = NULL, body = NULL")
        )
        app = make_app(house.services)
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url=BASE_URL) as client:
            headers = {**KEY, "Authorization": f"Bearer {house.key}"}
            second = await client.post(REPORTS, data={"url": URL}, headers=headers)
            third = await client.post(REPORTS, data={"url": URL}, headers=headers)
        return [
            (answer.status_code, answer.json()["data"]["id"], "idempotency-replayed" in answer.headers)
            for answer in (first, second, third)
        ], await total(house)

    assert in_house(tmp_path, script) == ([(201, 1, False), (201, 1, False), (201, 1, True)], 1)


def test_a_re_run_is_started_once(tmp_path: Path) -> None:
    """For an update that asks for results; without them the key says nothing."""

    async def script(house: House) -> tuple[list[bool], int]:
        await house.create()
        await house.finish()
        path = f"{REPORTS}/1"
        answers = []
        for fields in ({"results": "1"}, {"results": "1"}, {"privacy": "1"}, {"privacy": "0"}):
            answers.append(await house.call("PUT", path, data=fields, headers=KEY))
            await house.finish()
        runs = (await house.call("GET", f"{path}/runs")).json()["meta"]["total"]
        return ["idempotency-replayed" in answer.headers for answer in answers], runs

    assert in_house(tmp_path, script) == ([False, True, False, False], 2)


def test_no_password_can_be_guessed_from_what_is_kept(tmp_path: Path) -> None:
    """The same body gives another fingerprint with another key, so it takes more than the database to try passwords."""

    async def script(house: House) -> list[bytes]:
        for key in (house.key, house.add_key()):
            await house.call(
                "POST", REPORTS, key=key, data={"url": URL, "privacy": "2", "password": "letmein"}, headers=KEY
            )
        return list(
            house.services.database.read_here(
                lambda tx: tx.exec_driver_sql("SELECT request_sha256 FROM idempotency").scalars().all()
            )
        )

    first, second = in_house(tmp_path, script)

    assert first != second


shared_only = pytest.mark.backend("postgresql", reason="elsewhere there is one process")
SLOW = {**KEY, "Prefer": "wait=30"}


async def count_runs(house: House) -> int:
    """How many runs there are of all reports."""
    count = "SELECT count(*) FROM runs"
    return int(await house.services.database.read(lambda tx: tx.exec_driver_sql(count).scalar_one()))


async def begun(house: House, request: asyncio.Task[httpx.Response]) -> None:
    """Wait until a request has stored its report."""
    async with asyncio.timeout(30):
        while not await total(house):
            assert not request.done()
            await asyncio.sleep(0.01)


@shared_only
def test_two_processes_make_one_report(tmp_path: Path) -> None:
    """However many requests come to both of them at the same moment (N01)."""

    async def script(house: House) -> tuple[list[httpx.Response], int, int]:
        async with a_neighbour(house) as first, a_neighbour(house) as second:
            answers = await asyncio.gather(*(post((first, second)[number % 2]) for number in range(40)))
            later = await post(house)
            return [*answers, later], await total(house), await count_runs(house)

    answers, count, runs = in_house(tmp_path, script)
    made = [answer for answer in answers if answer.status_code == 201]
    others = {(answer.status_code, answer.json()["code"]) for answer in answers if answer.status_code != 201}

    assert (count, runs) == (1, 1)
    assert len({answer.content for answer in made}) == 1
    assert others <= {(409, "idempotency_in_progress")}
    assert "idempotency-replayed" in answers[-1].headers


@shared_only
def test_what_a_neighbour_is_answering_is_left_to_it(tmp_path: Path) -> None:
    """Until it has answered; then its answer is everybody's. Another body is refused at once (N02)."""

    async def script(house: House) -> list[httpx.Response]:
        async with a_neighbour(house) as first, a_neighbour(house) as second, asyncio.TaskGroup() as group:
            request = group.create_task(post(first, SLOW))
            await begun(house, request)
            meanwhile = [await post(second, SLOW), await post(second, SLOW, privacy="1")]
            await house.finish()
            first.services.changes.tell(1)
            answer = await request
            return [answer, *meanwhile, await post(second, SLOW)]

    first, in_progress, reused, replayed = in_house(tmp_path, script)

    assert [answer.status_code for answer in (first, in_progress, reused, replayed)] == [201, 409, 422, 201]
    assert in_progress.json()["code"] == "idempotency_in_progress"
    assert replayed.content == first.content
    assert "idempotency-replayed" in replayed.headers


@shared_only
def test_what_a_client_hung_up_on_is_answered_by_any_process(tmp_path: Path) -> None:
    """Though the process that began it lives on."""

    async def script(house: House) -> tuple[httpx.Response, int, int]:
        async with a_neighbour(house) as first, a_neighbour(house) as second:
            request = asyncio.get_running_loop().create_task(post(first, SLOW))
            await begun(house, request)
            request.cancel()
            await asyncio.wait([request])
            async with asyncio.timeout(30):
                while (answer := await post(second)).status_code == 409:  # noqa: ASYNC110 - as a client does
                    await asyncio.sleep(0.01)
            return answer, await total(house), len(first.services.unanswered)

    answer, count, left = in_house(tmp_path, script)

    assert (answer.status_code, answer.json()["data"]["id"]) == (201, 1)
    assert (count, left) == (1, 0)


@shared_only
def test_a_process_thought_dead_answers_its_client_and_nobody_else(tmp_path: Path) -> None:
    """It slept while another took over: what is kept is the answer of the other, and there is one report (N05)."""

    async def script(house: House) -> tuple[list[httpx.Response], int]:
        async with (
            a_neighbour(house, silent=True) as asleep,
            a_neighbour(house) as second,
            asyncio.TaskGroup() as group,
        ):
            request = group.create_task(post(asleep, SLOW))
            await begun(house, request)
            taken_over = await post(second)
            await house.finish()
            asleep.services.changes.tell(1)
            late = await request
            return [taken_over, late, await post(second), await post(asleep)], await total(house)

    (taken_over, late, *again), count = in_house(tmp_path, script)

    assert count == 1
    assert [answer.status_code for answer in (taken_over, late, *again)] == [201] * 4
    assert [answer.json()["data"]["state"] for answer in (taken_over, late)] == ["queued", "completed"]
    assert [answer.content for answer in again] == [taken_over.content] * 2
    assert all("idempotency-replayed" in answer.headers for answer in again)


@shared_only
def test_an_answer_that_could_not_be_stored_is_given_by_another_process(tmp_path: Path) -> None:
    """The database was away for the first one: as long as it lives the others wait, then they answer (N05)."""

    async def script(house: House) -> tuple[list[httpx.Response], int, int]:
        async with a_neighbour(house) as second:
            async with a_neighbour(house) as first, asyncio.TaskGroup() as group:
                request = group.create_task(post(first, SLOW))
                await begun(house, request)
                first.services.database.close()
                await house.finish()
                first.services.draining = True  # so that it waits no longer
                first.services.changes.tell(1)
                answers = [await request, await post(second)]
                left = len(first.services.unanswered)
                with contextlib.suppress(Unavailable):
                    await first.services.unanswered.settle()
                house.services.database.write_here(lambda tx: forget(tx, first.services.process))
            return [*answers, await post(second), await post(second)], await total(house), left

    (cut_off, waiting, *answers), count, left = in_house(tmp_path, script)

    assert (cut_off.status_code, waiting.status_code, left) == (503, 409, 1)
    assert [(answer.status_code, answer.json()["data"]["id"]) for answer in answers] == [(201, 1)] * 2
    assert ["idempotency-replayed" in answer.headers for answer in answers] == [False, True]
    assert count == 1


@shared_only
def test_taking_over_starts_no_analysis_and_counts_none(tmp_path: Path) -> None:
    """It may be done when no more could be started; a request that is told to wait costs nothing either."""

    async def script(house: House) -> list[int]:
        async with a_neighbour(house, silent=True) as asleep, a_neighbour(house) as second:
            request = asyncio.get_running_loop().create_task(post(asleep, SLOW))
            await begun(house, request)
            async with a_neighbour(house) as third:
                answers = [await post(second, SLOW | {"Prefer": "wait=0"}), await post(third)]
            other = [await post(second, {"Idempotency-Key": name}) for name in ("two", "three")]
            request.cancel()
            await asyncio.wait([request])
            return [answer.status_code for answer in (*answers, *other)]

    assert in_house(tmp_path, script, analyses_per_minute=2) == [201, 201, 201, 429]
