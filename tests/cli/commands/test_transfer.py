from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import Any

import pytest

from pagegrade.clock import now_ms
from pagegrade.model.stored import ClaimedRun
from pagegrade.service.access.operations import KEY_FILE
from pagegrade.service.container import Services
from pagegrade.store.engine.data_dir import hold_locks, lock_files
from pagegrade.store.engine.database import Transaction
from pagegrade.store.queue.runs import finish_run
from pagegrade.worker import worker as room
from pagegrade.worker.worker import Worker
from tests.cli.command_line import CommandLine
from tests.populated_installation import BODY, IDEMPOTENT, Left, a_new_instance, moved_in
from tests.postgres import databases
from tests.queue_builders import completed
from tests.store_builders import add_owner, on
from tests.waiting import wait_for
from tests.web.calling import REPORTS, Instance
from tests.web.sharing import OPENED, guess, see

pytestmark = pytest.mark.backend("sqlite", reason="the command is about both of them")
SOON_S = 60.0
LISTS = (REPORTS, f"{REPORTS}?state=completed", f"{REPORTS}?search=xample.co", "/api/v1/projects")


@pytest.fixture
def url() -> str:
    """Of a database without tables."""
    return databases().make_empty()


async def lists(instance: Instance, left: Left) -> list[list[Any]]:
    """The lists that Alice and Bob are shown."""
    answers = []
    for key in (left.key, left.bob_key):
        for path in LISTS:
            answer = await instance.call("GET", path, key=key)
            answer.raise_for_status()
            answers.append(answer.json()["data"])
    return answers


def settled(answers: list[list[Any]], left: Left) -> list[object]:
    """Without the two reports whose runs were under way."""
    changed = {left.under_way, left.exhausted}
    return [[each for each in data if not isinstance(each, dict) or each.get("id") not in changed] for data in answers]


def count_waiting(tx: Transaction) -> int:
    """Runs that are not finished."""
    return int(tx.exec_driver_sql("SELECT count(*) FROM runs WHERE state IN ('queued', 'running')").scalar_one())


async def work(instance: Instance, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Let a worker do all that waits; the reports it analyzed."""
    done: list[int] = []

    async def perform(services: Services, run: ClaimedRun, **_: object) -> None:
        done.append(run.report_id)
        await services.database.write(lambda tx: finish_run(tx, run, completed(), now_ms()))

    monkeypatch.setattr(room, "perform_run", perform)
    worker = Worker(instance.services)

    async def until_done() -> None:
        await wait_for(lambda: not instance.services.database.read_here(count_waiting))
        worker.stop()

    async with asyncio.TaskGroup() as group:
        group.create_task(worker.run())
        group.create_task(until_done())
    return done


def test_an_installation_goes_on_where_it_stopped(
    command_line: CommandLine, tmp_path: Path, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Lists, keys, sessions, links, answers, share pages and the queue, after one command."""

    async def old() -> tuple[Left, list[list[Any]], bytes]:
        async with moved_in(tmp_path) as (instance, left):
            repeated = await instance.call("POST", REPORTS, data=BODY, headers=IDEMPOTENT)
            return left, await lists(instance, left), repeated.content

    async def new(left: Left, before: list[list[Any]], answered: bytes) -> None:
        async with a_new_instance(url, left.key) as instance:
            after = await lists(instance, left)
            page = await instance.call("GET", "/reports", key=None, headers=left.cookie)
            repeated = await instance.call("POST", REPORTS, data=BODY, headers=IDEMPOTENT)
            revoked = await instance.call("GET", REPORTS, key=left.revoked_key)
            opened = [await see(instance, left.open_slug), await see(instance, left.locked_slug)]
            opened.append(await guess(instance, left.locked_slug))
            instance.client.cookies.clear()
            linked = await instance.call(
                "POST", f"/sign-in/{left.link}", key=None, headers={"Sec-Fetch-Site": "same-origin"}
            )
            made = await instance.create("https://example.com/new")
            done = await work(instance, monkeypatch)
            ended = [(await instance.call("GET", f"{REPORTS}/{each}")).json()["data"]["state"] for each in done]

        assert settled(after, left) == settled(before, left)
        assert (page.status_code, revoked.status_code) == (200, 401)
        assert (repeated.content, repeated.headers["idempotency-replayed"]) == (answered, "true")
        seen = [(answer.status_code, OPENED in answer.text) for answer in opened]
        assert seen == [(200, True), (200, False), (303, False)]
        assert (linked.status_code, bool(linked.headers.get("set-cookie"))) == (303, True)
        assert made["id"] == left.deleted + 1
        # The follower takes over what its leader got.
        leader, follower, again = left.waiting
        assert set(done) - {follower} == {left.under_way, leader, again, made["id"]}
        assert set(ended) == {"completed"}

    with on("sqlite"):
        left, before, answered = asyncio.run(old())
    result = command_line("transfer", "--from", str(left.path), "--to", url)

    assert (result.code, result.err) == (0, "")
    assert re.search(r"^reports +10 +10 ", result.out, re.MULTILINE)
    assert "DIFFERENT" not in result.out
    assert "Runs that were under way and go on as if their worker had died: 2." in result.out
    assert f"Keep {left.path}" in result.out
    assert f"2. Set PAGEGRADE_SECRET_KEY_FILE to a copy of {left.path.with_name(KEY_FILE)}" in result.out
    asyncio.run(new(left, before, answered))


def set_up(command_line: CommandLine) -> None:
    """An installation with an account in it, as configured."""
    command_line("migrate")
    database = command_line.open()
    add_owner(database)
    database.close()


def test_the_url_may_come_from_a_file(command_line: CommandLine, tmp_path: Path, url: str) -> None:
    """So that a password stands in no list of processes."""
    set_up(command_line)
    (tmp_path / "url").write_text(f"{url}\n")
    first = command_line("transfer", "--to-file", str(tmp_path / "url"))
    second = command_line("transfer", "--to-file", str(tmp_path / "url"))

    assert first.code == 0
    assert "pagegrade@" not in first.out
    assert second.code == 2
    assert "is in use" in second.err


def test_the_target_may_be_what_is_configured(
    command_line: CommandLine, monkeypatch: pytest.MonkeyPatch, url: str
) -> None:
    """The file of the data folder goes to the database that all processes use from now on."""
    set_up(command_line)
    monkeypatch.setenv("PAGEGRADE_DATABASE_URL", url)

    assert command_line("transfer").code == 0
    assert "Alice" in command_line("accounts", "list").out


def test_a_server_has_to_be_stopped_first(command_line: CommandLine, url: str) -> None:
    """Wherever its data folder is."""
    set_up(command_line)
    file = command_line.folder / "pagegrade.db"
    results = []
    for folder in (command_line.folder, command_line.folder.parent):
        with hold_locks(lock_files(folder, file)):
            results.append(command_line("transfer", "--to", url))

    for each in results:
        assert each.code == 2
        assert "Stop it and leave it stopped" in each.err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([], "Say where to"),
        (["--to", "sqlite:////tmp/x.db"], "one of PostgreSQL"),
        (["--to", "postgresql+psycopg://a@127.0.0.1:1/b", "--to-file", "x"], "not both"),
        (["--to-file", "/nowhere/url"], "cannot be read"),
        (["--to", "postgresql+psycopg://a@127.0.0.1:1/b", "--from", "/nowhere/x.db"], "There is no database"),
    ],
    ids=["nothing", "sqlite", "both", "file", "source"],
)
def test_what_cannot_be_done_is_said(command_line: CommandLine, arguments: list[str], says: str) -> None:
    """In one sentence, before anything is touched."""
    result = command_line("transfer", *arguments)

    assert result.code == 2
    assert says in result.err


def test_an_empty_file_is_refused(command_line: CommandLine, tmp_path: Path, url: str) -> None:
    """It would leave an installation without anything."""
    (tmp_path / "empty.db").touch()
    result = command_line("transfer", "--from", str(tmp_path / "empty.db"), "--to", url)

    assert result.code == 2
    assert "holds nothing" in result.err


def test_a_target_that_does_not_answer_is_named(command_line: CommandLine) -> None:
    """Not the source."""
    set_up(command_line)
    result = command_line("transfer", "--to", "postgresql+psycopg://missing:secret@127.0.0.1:1/nothing")

    assert result.code == 4
    assert "nothing on 127.0.0.1:1 does not answer" in result.err
    assert "secret" not in result.err + result.out
