from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from pagegrade.model.stored import PackedPicture
from pagegrade.store.repositories.pictures import load_picture
from pagegrade.store.repositories.reports import delete_report
from tests.queue_builders import Queue, completed, failed
from tests.store_builders import add_owner, make_database

TWO = (PackedPicture(name="viewport", body=b"RIFF1"), PackedPicture(name="frame-1", body=b"RIFF\x00\xff"))


@pytest.fixture
def queue(tmp_path: Path) -> Iterator[Queue]:
    """Alice's queue in a fresh database."""
    database = make_database(tmp_path)
    yield Queue(database, add_owner(database, "Alice")[0].id)
    database.close()


def draw(queue: Queue, report_id: int | None = None) -> int:
    """Finish a run with two pictures; the id of its report."""
    report = queue.add().report_id if report_id is None else report_id
    if report_id is not None:
        queue.again(report_id)
    (run,) = queue.claim()
    queue.finish(run, replace(completed(), pictures=TWO))
    return report


def load(queue: Queue, report_id: int, number: int, name: str) -> bytes | None:
    """A picture."""
    return queue.database.read_here(lambda tx: load_picture(tx, report_id, number, name))


def test_a_picture_is_found_by_its_run_and_its_name(queue: Queue) -> None:
    """Byte for byte, and no other."""
    report = draw(queue)

    assert load(queue, report, 1, "viewport") == b"RIFF1"
    assert load(queue, report, 1, "frame-1") == b"RIFF\x00\xff"
    assert load(queue, report, 2, "viewport") is None
    assert load(queue, report + 1, 1, "viewport") is None
    assert load(queue, report, 1, "full-page") is None


def test_only_the_run_that_is_shown_keeps_its_pictures(queue: Queue) -> None:
    """The next good run replaces them; a failed one leaves them. What the account has stored follows."""
    report = draw(queue)
    draw(queue, report)
    queue.again(report)
    (run,) = queue.claim()
    queue.finish(run, failed())

    assert (load(queue, report, 1, "viewport"), load(queue, report, 2, "viewport")) == (None, b"RIFF1")
    assert queue.rows("SELECT SUM(LENGTH(body)) FROM run_pictures") == [(11,)]
    assert queue.rows("SELECT stored_bytes FROM accounts") == [
        (queue.rows("SELECT SUM(LENGTH(body)) FROM run_details")[0][0] + 11,)
    ]


def test_they_go_with_their_report(queue: Queue) -> None:
    """And are no longer counted."""
    report = draw(queue)
    queue.write(lambda tx: delete_report(tx, queue.account_id, report))

    assert queue.rows("SELECT COUNT(*) FROM run_pictures") == [(0,)]
    assert queue.rows("SELECT stored_bytes FROM accounts") == [(0,)]


def test_followers_have_pictures_of_their_own(queue: Queue) -> None:
    """Deleting the leader's report leaves theirs."""
    leader, follower = queue.add(), queue.add()
    (run,) = queue.claim()
    queue.finish(run, replace(completed(), pictures=TWO))
    queue.write(lambda tx: delete_report(tx, queue.account_id, leader.report_id))

    assert load(queue, follower.report_id, 1, "viewport") == b"RIFF1"
