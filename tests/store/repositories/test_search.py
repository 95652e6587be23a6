"""Substrings of URLs: what is searched for, and how it differs from patterns."""

from __future__ import annotations

from pathlib import Path

import pytest

from pagegrade.model.errors import ValidationFailed
from pagegrade.model.stored import ListQuery, SortBy
from pagegrade.store.engine.database import Database, Transaction
from pagegrade.store.repositories import search
from pagegrade.store.repositories.report_list import list_reports, list_window
from pagegrade.store.repositories.reports import add_report, delete_report
from pagegrade.store.repositories.search import as_parameters, find_few, search_patterns
from tests.linear import MAX_RATIO, growth
from tests.store_builders import NOW_MS, add_owner, make_database
from tests.waiting import HANG_S


@pytest.mark.parametrize(
    ("typed", "patterns"),
    [
        ("Pricing", ("pricing",)),
        ("a b", ("a%20b",)),
        ("ü", ("%c3%bc", "xn--tda")),
        ("Bücher.Example", ("b%c3%bccher.example", "xn--bcher-kva.example")),
        ("/ü", ("/%c3%bc",)),
        ("\x00", ("%00",)),
        ("\ud800", ("%ef%bf%bd",)),
        ("%_\\\"'*", ("%_\\\"'*",)),
        ("x" * 2_049, ()),
        ("ü" * 400, ()),
    ],
)
def test_text_is_searched_for_as_it_would_stand_in_a_url(typed: str, patterns: tuple[str, ...]) -> None:
    """Canonical URLs are ASCII in percent-encoding and punycode; longer text than any of them finds nothing."""
    assert search_patterns(typed) == patterns


def test_signs_with_a_meaning_in_like_mean_themselves() -> None:
    """Percent sign, underscore and backslash are escaped."""
    assert as_parameters(("50%_\\", "b")) == {"pattern_0": "%50\\%\\_\\\\%", "pattern_1": "%b%"}


def test_the_index_finds_phrases_and_no_operators(tmp_path: Path) -> None:
    """Words and signs that the query language of the index knows are plain text here."""
    database = make_database(tmp_path)
    add_owner(database)

    def work(tx: Transaction) -> None:
        urls = (
            "https://a.example/or",
            'https://a.example/?q="near"',
            "https://a.example/NOT*x",
            "https://b.example/a_b",
        )
        for number, url in enumerate(urls):
            add_report(
                tx, account_id=1, url=url, project="a.example", privacy=0, password_hash=None, slug=str(number),
                now_ms=NOW_MS,
            )  # fmt: skip

        assert find_few(tx, ("a.example/or",)) == (1,)
        assert find_few(tx, ('"near"',)) == (2,)
        assert find_few(tx, ("not*x",)) == (3,)
        assert find_few(tx, ("not*",)) == (3,)
        assert find_few(tx, ("not*y",)) == ()
        assert find_few(tx, ("url:a",)) == ()
        assert find_few(tx, ('" or "',)) == ()
        assert find_few(tx, ('zzz" OR "exam',)) == ()
        assert find_few(tx, ('a"bc',)) == ()
        assert find_few(tx, ('="ne',)) == (2,)
        assert find_few(tx, ("a_b",)) == (4,)
        assert find_few(tx, ("zzz", "b.ex")) == (4,)
        delete_report(tx, 1, 4)

        assert find_few(tx, ("b.ex",)) == ()

    database.write_here(work)
    database.close()


def test_the_index_is_not_asked_for_less_than_three_characters(tmp_path: Path) -> None:
    """It could not answer; every URL is read instead."""
    database = make_database(tmp_path)

    assert database.read_here(lambda tx: find_few(tx, ("ab",))) is None
    assert database.read_here(lambda tx: find_few(tx, ("abc", "b"))) is None
    assert database.read_here(lambda tx: find_few(tx, ())) is None
    database.close()


def test_too_many_matches_are_left_to_the_list(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The answer is the same, found in another way."""
    monkeypatch.setattr(search, "FEW", 3)
    database = make_database(tmp_path)
    add_owner(database)

    def work(tx: Transaction) -> None:
        for number in range(8):
            url = f"https://a.example/{'many' if number % 2 else 'more'}/{number}"
            add_report(
                tx, account_id=1, url=url, project="a.example", privacy=0, password_hash=None, slug=str(number),
                now_ms=NOW_MS,
            )  # fmt: skip

        assert find_few(tx, ("many",)) is None
        found, total = list_reports(tx, ListQuery(account_id=1, search="MANY", per_page=3))
        assert ([report.id for report in found], total) == ([8, 6, 4], 4)

    database.write_here(work)
    database.close()


def add_worst(database: Database, count: int, *, account_id: int = 1, first: int = 0) -> None:
    """Long URLs that hold every part of some texts and none of the texts, and that look alike in all places."""

    def work(tx: Transaction) -> None:
        for number in range(first, first + count):
            url = f"https://a.example/{number}/aabab/".ljust(2_000, "a")
            add_report(
                tx, account_id=account_id, url=url, project="a.example", privacy=0, password_hash=None,
                slug=str(number), now_ms=NOW_MS,
            )  # fmt: skip

    database.change_schema(work)


WORST = ("aaaa" * 25, "a" * 99 + "b", "ab" * 50, "b" + "a" * 99, "aa", "zq", "a" * 50 + "ba" * 25, "/aabab/" + "a" * 93)


@pytest.mark.parametrize("sort_by", ["id", "score", "url", "result", "generated_at"])
def test_a_search_among_the_worst_urls_finds_all_or_says_that_it_took_too_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sort_by: SortBy
) -> None:
    """Never a part; what it took longer for leaves the connection as it was."""
    database = make_database(tmp_path)
    add_owner(database)
    add_worst(database, 1_200)

    def found(text: str) -> int | str:
        query = ListQuery(account_id=1, search=text, sort_by=sort_by)
        try:
            return database.read_here(lambda tx: list_window(tx, query, None, count=True))[1] or 0
        except ValidationFailed as error:
            return ", ".join(violation.code for violation in error.violations)

    right = [1_200 if text in "/aabab/" + "a" * 1_900 else 0 for text in WORST]
    monkeypatch.setattr(search, "SEARCH_S", HANG_S)
    patient = [found(text) for text in WORST]
    monkeypatch.setattr(search, "SEARCH_S", 0.001)
    impatient = [found(text) for text in WORST]
    monkeypatch.undo()
    ordinary = found("aabab")
    database.close()

    assert patient == right
    assert all(one in (two, "too_expensive") for one, two in zip(impatient, right, strict=True))
    assert "too_expensive" in impatient
    assert ordinary == 1_200


def test_a_search_does_not_take_longer_because_of_other_accounts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their URLs are looked at through the index only, or not for long."""
    database = make_database(tmp_path)
    add_owner(database)
    other, _ = add_owner(database, "Bob")
    add_worst(database, 1_200)
    add_worst(database, 3, account_id=other.id, first=2_000)
    monkeypatch.setattr(search, "INSTALLATION_S", 0.001)

    counted = []
    for text in WORST:
        query = ListQuery(account_id=other.id, search=text)
        counted.append(database.read_here(lambda tx, query=query: list_reports(tx, query))[1])  # type: ignore[misc]
    database.close()

    assert counted == [3 if text in "/aabab/" + "a" * 1_900 else 0 for text in WORST]


@pytest.mark.backend("sqlite")
def test_the_index_takes_time_in_proportion_to_the_text(tmp_path: Path) -> None:
    """Its work cannot be interrupted: among URLs of one letter as little as among others."""
    database = make_database(tmp_path)
    add_owner(database)
    add_worst(database, 300)

    def look(length: int) -> None:
        for _ in range(20):
            database.read_here(lambda tx: find_few(tx, ("a" * (length - 1) + "b",)))

    assert growth(look, 25) <= MAX_RATIO
    database.close()


def test_a_long_text_is_looked_up_by_some_of_its_parts() -> None:
    """From its beginning to its end, at most so many; quotes are signs like others."""
    shortest, longest = search._parts("abc"), search._parts("".join(map(chr, range(0x21, 0x21 + 90))))

    assert shortest == '"abc"'
    assert longest.startswith('"!""#" AND ')
    assert longest.endswith('"xyz"')
    assert longest.count(" AND ") <= search.TRIGRAMS
