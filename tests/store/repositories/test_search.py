"""Substrings of URLs: what is searched for, and how it is told from patterns."""

from __future__ import annotations

from pathlib import Path

import pytest

from pagegrade.model.report_list import ListQuery
from pagegrade.store.engine.database import Transaction
from pagegrade.store.repositories import search
from pagegrade.store.repositories.report_list import list_reports
from pagegrade.store.repositories.reports import add_report, delete_report
from pagegrade.store.repositories.search import as_parameters, find_few, search_patterns
from tests.store_builders import NOW_MS, add_owner, make_database


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
