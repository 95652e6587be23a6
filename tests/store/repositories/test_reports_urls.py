"""Addresses that an account has reports of."""

from __future__ import annotations

from pathlib import Path

from pagegrade.store.engine.database import Transaction
from pagegrade.store.repositories.reports import AT_ONCE, add_report, find_urls
from tests.store_builders import NOW_MS, add_owner, make_database


def add(tx: Transaction, account_id: int, url: str, slug: str, at_ms: int = NOW_MS) -> int:
    """The id of a new report."""
    made = add_report(
        tx, account_id=account_id, url=url, project="a.example", privacy=0, password_hash=None, slug=slug, now_ms=at_ms
    )
    return made.id


def test_addresses_are_found_with_their_newest_report(tmp_path: Path) -> None:
    """Of the account itself; what Bob has is Bob's."""
    database = make_database(tmp_path)
    add_owner(database)
    add_owner(database, "Bob")

    def work(tx: Transaction) -> None:
        add(tx, 1, "https://a.example/", "a")
        newest = add(tx, 1, "https://a.example/", "b")
        add(tx, 2, "https://a.example/bob", "c")
        asked = ("https://a.example/", "https://a.example/bob", "https://a.example/none")

        assert find_urls(tx, 1, asked) == {"https://a.example/": newest}
        assert find_urls(tx, 1, ()) == {}

    database.write_here(work)
    database.close()


def test_more_addresses_than_one_statement_takes_are_found(tmp_path: Path) -> None:
    """The last one of the list as well as the first."""
    database = make_database(tmp_path)
    add_owner(database)
    urls = [f"https://a.example/{number}" for number in range(2 * AT_ONCE + 1)]

    def work(tx: Transaction) -> None:
        first, last = add(tx, 1, urls[0], "a"), add(tx, 1, urls[-1], "b")

        assert find_urls(tx, 1, urls) == {urls[0]: first, urls[-1]: last}

    database.write_here(work)
    database.close()


def test_an_expired_report_is_none(tmp_path: Path) -> None:
    """Unless its analysis is still waited for."""
    database = make_database(tmp_path)
    add_owner(database)

    def work(tx: Transaction) -> None:
        waiting = add(tx, 1, "https://a.example/", "a")

        assert find_urls(tx, 1, ["https://a.example/"], expired_before_ms=NOW_MS + 1) == {"https://a.example/": waiting}

    database.write_here(work)
    database.close()
