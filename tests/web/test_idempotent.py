from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path
from typing import Any

import httpx
import pytest

from pagegrade.service.clock import now_ms
from pagegrade.store.idempotency import KEPT_MS
from pagegrade.web import call as module
from pagegrade.web.app import make_app
from tests.web.calling import BASE_URL, REPORTS, House, in_house

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
        with sqlite3.connect(house.services.database.path) as raw:
            raw.execute("UPDATE idempotency SET status = NULL, headers = NULL, body = NULL")
        raw.close()
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
        with sqlite3.connect(house.services.database.path) as raw:
            found = [row[0] for row in raw.execute("SELECT request_sha256 FROM idempotency")]
        raw.close()
        return found

    first, second = in_house(tmp_path, script)

    assert first != second
