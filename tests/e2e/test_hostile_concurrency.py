"""Many at the same moment, and requests that are repeated, against a real server."""

from __future__ import annotations

import signal
import threading
from pathlib import Path

from tests.e2e.asking import REPORTS, at_once, count, rows
from tests.e2e.shapes import wrong_problem
from tests.server import OWNER, Reply, Server, running_server, start_server
from tests.site.serve import Site
from tests.waiting import wait_until


@rows("N01")
def test_fifty_repeats_of_one_request_make_one_report(server: Server, site: Site) -> None:
    """All get the same answer, those that came too early after asking again."""
    _, key = server.add_account("Repeater")

    def ask(_number: int) -> Reply:
        def reply_in_the_end() -> Reply | None:
            reply = server.call(
                "POST", REPORTS, key=key, form={"url": f"{site.http}/about?once"}, headers={"Idempotency-Key": "once"}
            )
            if reply.status != 409:
                return reply
            if int(reply.need("Retry-After")) < 1 or wrong_problem(
                reply.json, status=409, code="idempotency_in_progress"
            ):
                raise AssertionError(f"{reply}")
            return None

        return wait_until(reply_in_the_end)

    replies = at_once(50, ask)
    replayed = [reply for reply in replies if reply.header("Idempotency-Replayed") == "true"]

    assert {reply.status for reply in replies} == {201}
    assert len({reply.body for reply in replies}) == 1
    assert {reply.need("Location") for reply in replies} == {replies[0].need("Location")}
    assert len(replayed) == 49
    assert count(server, key) == 1


@rows("N02", "N03", "N04")
def test_an_idempotency_key_belongs_to_one_request_of_one_account(idle: Server) -> None:
    """Another body is refused, another account is independent, a key that is none is a bad request."""
    _, bob = idle.add_account("Independent")

    def ask(url: str, idempotency_key: str, key: object = OWNER) -> Reply:
        headers = {"Idempotency-Key": idempotency_key, "Prefer": "respond-async"}
        return idle.call("POST", REPORTS, key=key, form={"url": url}, headers=headers)

    first = ask("https://example.com/one", "k1")
    other_body = ask("https://example.com/two", "k1")
    other_account = ask("https://example.com/one", "k1", bob)
    longest = ask("https://example.com/one", "x" * 255)
    broken = [ask("https://example.com/one", value).status for value in ("", "x" * 256, "x" * 10_000, "a\tb", "é")]

    assert first.status == 201
    assert wrong_problem(other_body.json, status=422, code="idempotency_key_reused") == []
    assert other_account.status == 201
    assert other_account.data["id"] != first.data["id"]
    assert longest.status == 201
    assert broken == [400] * 5


@rows("N05", "O02")
def test_a_kill_before_the_answer_loses_nothing(tmp_path: Path, site: Site) -> None:
    """The process dies while a client waits for the result: after a restart the same key leads to the same report."""
    folder, body = tmp_path / "data", {"url": f"{site.http}/slow?killed"}
    headers = {"Idempotency-Key": "killed-1"}
    first = start_server(folder, key="bootstrap-key-for-the-kill")
    failure: list[BaseException] = []

    def ask() -> None:
        try:
            first.call("POST", REPORTS, form=body, headers=headers)
        except (OSError, ConnectionError, Exception) as error:  # noqa: BLE001 - that the connection breaks is the point
            failure.append(error)

    thread = threading.Thread(target=ask)
    thread.start()
    wait_until(lambda: count(first))
    first.stop(signal.SIGKILL)
    thread.join()
    with running_server(folder, key="bootstrap-key-for-the-kill") as second:
        again = second.call("POST", REPORTS, form=body, headers=headers)
        report = second.finished(again.data["id"])

        assert len(failure) == 1
        assert again.status == 201
        assert count(second) == 1
        assert report["state"] == "completed"


@rows("N10")
def test_a_stale_change_is_refused(idle: Server) -> None:
    """Of two clients that read the same state, the first to write wins, and the other gets an error."""
    report = idle.create("https://example.com/raced")
    path = f"{REPORTS}/{report['id']}"
    tag = idle.call("GET", path).need("ETag")
    replies = at_once(
        8, lambda n: idle.call("PUT", path, form={"privacy": 2, "password": f"word {n}"}, headers={"If-Match": tag})
    )
    lost = next(reply for reply in replies if reply.status == 412)
    stale = idle.call("DELETE", path, headers={"If-Match": tag})
    any_tag = idle.call("PUT", path, form={"privacy": 0}, headers={"If-Match": "*"})

    assert sorted(reply.status for reply in replies) == [200] + [412] * 7
    assert wrong_problem(lost.json, status=412, code="precondition_failed") == []
    assert lost.need("ETag") != tag
    assert (stale.status, any_tag.status) == (412, 200)


@rows("N09", "N11")
def test_readers_see_whole_states_only(server: Server, site: Site) -> None:
    """While runs finish and settings change, every read is one consistent report and no change is lost."""
    _, key = server.add_account("Watcher")
    report = server.create(f"{site.http}/about?watched", key=key)
    path = f"{REPORTS}/{report['id']}"
    server.finished(report["id"], key=key)
    stopping = threading.Event()
    wrong: list[str] = []

    def watch() -> None:
        number = 0
        while not stopping.is_set():
            seen = server.call("GET", path, key=key).data
            states = (seen["result"] is None, seen["score"] is None, seen["results"] is None, seen["run"] is None)
            if len(set(states)) != 1 or seen["run"]["number"] < number:
                wrong.append(f"{seen['state']} {states} {seen['run']}")
            number = seen["run"]["number"]

    threads = [threading.Thread(target=watch) for _ in range(3)]
    for thread in threads:
        thread.start()
    for number in range(4):
        server.call("PUT", path, key=key, form={"results": 1}, headers={"Prefer": "respond-async"})
        changed = server.call("PUT", path, key=key, form={"privacy": number % 2})
        server.finished(report["id"], key=key)
        if server.call("GET", path, key=key).data["privacy"] != number % 2 or changed.status != 200:
            wrong.append(f"the change {number} is lost")
    stopping.set()
    for thread in threads:
        thread.join()

    assert wrong == []
    assert server.call("GET", path, key=key).data["run"]["number"] == 5


@rows("N12")
def test_twenty_writers_never_see_a_locked_database(idle: Server) -> None:
    """All changes are made, beside a command that writes from another process."""
    before = count(idle)

    def write(number: int) -> list[int]:
        statuses = []
        for step in range(5):
            made = idle.call(
                "POST",
                REPORTS,
                form={"url": f"https://example.com/{number}/{step}"},
                headers={"Prefer": "respond-async"},
            )
            statuses.append(made.status)
            statuses.append(idle.call("PUT", f"{REPORTS}/{made.data['id']}", form={"privacy": 1}).status)
        if number == 0:
            idle.add_key_by_command(1)
        return statuses

    statuses = [status for one in at_once(20, write) for status in one]

    assert sorted(set(statuses)) == [200, 201]
    assert count(idle) == before + 100


@rows("Q03")
def test_the_same_page_is_fetched_once_for_an_account_and_apart_for_others(tmp_path: Path, site: Site) -> None:
    """Requests of one account in flight share an analysis; another account's is its own."""
    with running_server(tmp_path / "data") as server:
        _, bob = server.add_account("Bob")
        url = f"{site.http}/slow?shared"
        mine = [server.create(url)["id"] for _ in range(3)]
        his = server.create(url, key=bob)["id"]
        reports = [server.finished(report_id) for report_id in mine]
        other = server.finished(his, key=bob)

        assert {report["state"] for report in [*reports, other]} == {"completed"}
        assert len({report["generated_at"] for report in reports}) == 1
        assert other["generated_at"] != reports[0]["generated_at"]
