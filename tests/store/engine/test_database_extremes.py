"""The longest, the oddest and the largest of what may be stored is stored and read back as it was."""

from __future__ import annotations

import random
import string
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import insert, select
from sqlalchemy.exc import DBAPIError

from pagegrade.model.account import IdempotentRequest
from pagegrade.model.stored import STATES, ListQuery
from pagegrade.parse.url import MAX_URL_CHARACTERS
from pagegrade.store.engine.database import Transaction
from pagegrade.store.engine.factory import open_database
from pagegrade.store.queue.runs import enqueue_run
from pagegrade.store.repositories.accounts import add_account, load_account
from pagegrade.store.repositories.idempotency import add_request, find_request
from pagegrade.store.repositories.projects import list_projects
from pagegrade.store.repositories.report_list import list_reports
from pagegrade.store.repositories.reports import (
    add_report,
    delete_report,
    load_report,
    load_report_by_slug,
    mark_report,
)
from pagegrade.store.repositories.run_history import save_detail
from pagegrade.store.schema.tables import installation, metadata, run_details
from tests.queue_builders import add_queued
from tests.store.repositories.test_report_list import packed
from tests.store_builders import NOW_MS, add_key, add_owner, make_database

ODD = "a\u0000b"


def noise(characters: int, seed: int) -> str:
    """Text that no index can make shorter."""
    chance = random.Random(seed)  # noqa: S311 - any will do
    return "".join(chance.choices(string.ascii_lowercase + string.digits + "-._~%", k=characters))


def add(tx: Transaction, url: str, *, project: str = "example.com", slug: str = "x" * 22) -> int:
    """A report of the first account."""
    return add_report(
        tx, account_id=1, url=url, project=project, privacy=0, password_hash=None, slug=slug, now_ms=NOW_MS
    ).id


def test_the_longest_addresses_fit_into_every_index(tmp_path: Path) -> None:
    """As long as an address may be, in each state and with each result, and found by all of it and by parts."""
    database = make_database(tmp_path)
    add_owner(database)
    project = noise(300, 0)
    urls = [f"https://{noise(MAX_URL_CHARACTERS - 8, seed)}" for seed in range(1, 5)]

    def work(tx: Transaction) -> None:
        for number, (url, state) in enumerate(zip(urls, STATES, strict=True)):
            report_id = add(tx, url, project=project, slug=f"{number:022d}")
            report = load_report(tx, 1, report_id)
            assert report is not None
            enqueue_run(tx, report=report, priority=0, target="t" * 300, now_ms=NOW_MS)
            ended = state in {"completed", "failed"}
            outcome = packed(3, 100, NOW_MS, failed=state == "failed") if ended else None
            mark_report(tx, report_id, state=state, now_ms=NOW_MS, packed=outcome, run_number=1)

    database.write_here(work)
    found, total = database.read_here(lambda tx: list_reports(tx, ListQuery(account_id=1, sort_by="url")))
    by_part = [
        database.read_here(partial(list_reports, query=ListQuery(account_id=1, search=part)))[1]
        for part in (urls[0], urls[1][100:900], urls[2][-5:], urls[3] + "x")
    ]
    projects = database.read_here(lambda tx: list_projects(tx, 1, 1, 10))
    database.close()

    assert [report.url for report in found] == sorted(urls, reverse=True)
    assert total == 4
    assert by_part == [1, 1, 1, 0]
    assert [each.name for each in projects[0]] == [project]


def test_the_longest_keys_of_requests_fit(tmp_path: Path) -> None:
    """As long as a header and a path may be."""
    database = make_database(tmp_path)
    add_owner(database)
    request = IdempotentRequest(
        key_id=1, method="DELETE", path=f"/{noise(199, 1)}", idempotency_key=noise(255, 2), request_sha256=b"\xff" * 32
    )
    database.write_here(lambda tx: add_request(tx, request, 2**62, 2**62))
    found = database.write_here(lambda tx: find_request(tx, request, 2**62))
    database.close()

    assert found == 2**62


def test_every_character_is_kept(tmp_path: Path) -> None:
    """Outside of the plane that most letters lie in, right to left, combined, private, not a character at all."""
    database = make_database(tmp_path)
    names = [
        "👩‍👩‍👧‍👦 🏳️‍🌈",
        "\U0010ffff\ufffe\uffff",
        "שלום\u200f",
        "e\u0301\u0327",
        "\ue000",
        "'\"\\%_;--\n\t\r\x7f",
        " ",
    ]
    ids = [database.write_here(partial(add_account, name=name, email="a@b", now_ms=NOW_MS)).id for name in names]
    accounts = [database.read_here(partial(load_account, account_id=number)) for number in ids]
    database.close()

    assert [account and account.name for account in accounts] == names


@pytest.mark.parametrize("text", ["\ud800", "x\udfffy"])
def test_half_a_character_is_never_stored(tmp_path: Path, text: str) -> None:
    """No value of ours comes so far; one that would is refused here, and not found by a reader a year later."""
    database = make_database(tmp_path)

    with pytest.raises((UnicodeEncodeError, DBAPIError)):
        database.write_here(lambda tx: add_account(tx, name=text, email="a@b", now_ms=NOW_MS))

    assert database.write_here(lambda tx: add_account(tx, name="fine", email="a@b", now_ms=NOW_MS)).name == "fine"
    database.close()


@pytest.mark.backend("postgresql", reason="which cannot store it; the doors of the product let none in")
def test_a_zero_byte_in_text_is_refused(tmp_path: Path) -> None:
    """As a fault of ours, not as a temporary fault of the database that would ask callers to try again."""
    database = make_database(tmp_path)

    with pytest.raises((DBAPIError, ValueError)):
        database.write_here(lambda tx: add_account(tx, name=ODD, email="a@b", now_ms=NOW_MS))

    assert database.write_here(lambda tx: add_account(tx, name="fine", email="a@b", now_ms=NOW_MS)).name == "fine"
    database.close()


@pytest.mark.parametrize("text", [ODD, "\x00", "%00"])
def test_what_cannot_be_there_is_not_found(tmp_path: Path, text: str) -> None:
    """Whatever is asked for, with a zero byte in it too: there is no such thing, and that is all."""
    database = make_database(tmp_path)
    add_owner(database)
    database.write_here(lambda tx: add(tx, "https://example.com/"))

    if not database.shared or "\x00" not in text:
        # Names come from a path or a form: the doors of the product let no zero byte in, and a search may hold one.
        assert database.read_here(lambda tx: load_report_by_slug(tx, text)) is None
        assert database.read_here(lambda tx: list_reports(tx, ListQuery(account_id=1, project=text))) == ((), 0)

    assert database.read_here(lambda tx: list_reports(tx, ListQuery(account_id=1, search=text))) == ((), 0)
    database.close()


def test_ten_megabytes_are_kept_byte_for_byte(tmp_path: Path) -> None:
    """Every byte there is, in the column for results and in the one for secrets."""
    database = make_database(tmp_path)
    account, _ = add_owner(database)
    large = bytes(range(256)) * 40 * 1024
    _, run = database.write_here(lambda tx: add_queued(tx, account.id))
    database.write_here(lambda tx: save_detail(tx, run.id, large))
    database.write_here(lambda tx: tx.execute(insert(installation).values(name="large", value=large)))
    detail = database.read_here(lambda tx: tx.execute(select(run_details.c.body)).scalar_one())
    value = database.read_here(
        lambda tx: tx.execute(select(installation.c.value).where(installation.c.name == "large")).scalar_one()
    )
    database.close()

    assert bytes(detail) == large
    assert bytes(value) == large


@pytest.mark.parametrize("at_ms", [0, 1, -1, 2**53 + 1, 2**63 - 1])
def test_every_time_is_kept_to_the_millisecond(tmp_path: Path, at_ms: int) -> None:
    """As far as the number goes."""
    database = make_database(tmp_path)
    account = database.write_here(lambda tx: add_account(tx, name="a", email="a@b", now_ms=at_ms))
    loaded = database.read_here(lambda tx: load_account(tx, account.id))
    database.close()

    assert loaded is not None
    assert loaded.created_at_ms == at_ms


def test_a_number_is_given_once(tmp_path: Path) -> None:
    """Not again after its report was deleted, not after what was undone, and not after a restart."""
    database = make_database(tmp_path)
    add_owner(database)
    first = database.write_here(lambda tx: add(tx, "https://example.com/1"))
    database.write_here(lambda tx: delete_report(tx, 1, first))
    second = database.write_here(lambda tx: add(tx, "https://example.com/2"))
    database.write_here(lambda tx: delete_report(tx, 1, second))
    database.close()
    again = open_database(database.url)
    third = again.write_here(lambda tx: add(tx, "https://example.com/3"))
    key, _ = add_key(again, 1)
    again.close()

    assert first < second < third
    assert key.id > 1


def test_names_of_columns_have_room_in_every_database(tmp_path: Path) -> None:
    """PostgreSQL would cut names of more than 63 characters, and two names could become one."""
    tables = metadata.tables.values()
    parts: list[Any] = [part for table in tables for part in (*table.indexes, *table.constraints)]
    names = [part.name for part in parts]

    assert max(len(str(name)) for name in names) <= 63
    assert len(set(names)) == len(names)
