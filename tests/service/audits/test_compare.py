"""Crawls of an audit are compared as they are stored."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import msgspec
import pytest
from msgspec.structs import replace
from sqlalchemy import update

from pagegrade.clock import now_ms
from pagegrade.model.account import Caller
from pagegrade.model.audit import AuditSettings, URLState
from pagegrade.model.audit_result import AuditResult, SummaryChange
from pagegrade.model.errors import InvalidInput, NotFound, ValidationFailed
from pagegrade.service.audits.compare import change_since_last, compare_crawls, compare_folders
from pagegrade.service.audits.operations import AuditChange, change_audit, show_audit
from pagegrade.store.engine.database import Database
from pagegrade.store.repositories.crawl_segments import FindingPage, pack_findings
from pagegrade.store.repositories.crawls import change_crawl
from pagegrade.store.schema.tables import crawl_urls
from tests.audit_builders import OPTIONS, claim, fill, make_audit, result_of
from tests.store_builders import add_owner, make_database

CLEAN: AuditResult = replace(result_of("https://example.com/"), findings=(), score=100, exact=100.0)


def crawled(database: Database, *results: AuditResult) -> tuple[Caller, int]:
    """An audit with so many evaluated crawls."""
    caller = Caller(account=add_owner(database)[0])
    audit = make_audit(database, caller)
    for at, result in enumerate(results):
        if at:
            again(database, caller, audit.id)
        fill(database, claim(database), result)
    return caller, audit.id


def again(database: Database, caller: Caller, audit_id: int) -> None:
    """Queue another crawl."""
    change = AuditChange(again=True)
    database.write_here(lambda tx: change_audit(tx, caller, audit_id, change, options=OPTIONS, now_ms=now_ms()))


def test_the_last_two_that_compare_are_compared(tmp_path: Path) -> None:
    """One of other rules lies in between; who asks for it is told why it does not compare."""
    database = make_database(tmp_path)
    first = result_of("https://example.com/")
    caller, audit_id = crawled(database, first, replace(first, ruleset="0"), CLEAN)

    def read(**asked: Any) -> Any:
        return database.read_here(lambda tx: compare_crawls(tx, caller, audit_id, **asked))[1]

    newest, other, swapped = read(), read(before=2, after=3), read(before=1, after=2)

    assert (newest.before, newest.after, newest.scores) == (1, 3, (95, 100))
    assert [(one.kind, one.cost, one.pages_fixed) for one in newest.findings] == [("fixed", -5.0, 2)]
    assert newest == read()
    assert (other.differs_in, other.findings) == (("ruleset",), ())
    assert swapped.differs_in == ("ruleset",)
    with pytest.raises(NotFound):
        database.read_here(lambda tx: compare_crawls(tx, caller, audit_id + 1))


@pytest.mark.parametrize(
    ("asked", "field", "code"),
    [
        ({"before": 9}, "from", "not_comparable"),
        ({"after": 3}, "to", "not_comparable"),
        ({"before": 2}, "from", "not_older"),
        ({"after": 1}, "from", "no_crawl"),
    ],
)
def test_what_cannot_be_compared_is_named(tmp_path: Path, asked: dict[str, int], field: str, code: str) -> None:
    """A crawl that is not there, was not evaluated, or is the newer one."""
    database = make_database(tmp_path)
    caller, audit_id = crawled(database, CLEAN, CLEAN)
    again(database, caller, audit_id)

    with pytest.raises(ValidationFailed) as raised:
        database.read_here(lambda tx: compare_crawls(tx, caller, audit_id, **asked))

    assert [(one.field, one.code) for one in raised.value.violations] == [(field, code)]


def test_a_crawl_notes_what_changed_since_the_last_that_compares(tmp_path: Path) -> None:
    """Before it is stored; the first one, and one of other rules, notes nothing."""
    database = make_database(tmp_path)
    caller, audit_id = crawled(database, CLEAN)
    first = database.read_here(lambda tx: show_audit(tx, caller, audit_id)).crawl
    again(database, caller, audit_id)
    fill(database, claim(database))
    newest = database.read_here(lambda tx: show_audit(tx, caller, audit_id)).crawl
    result, pages = result_of(newest.start_url), pack_findings([(1, FindingPage(1, 2, "Welcome"))])

    def note(crawl: Any, result: AuditResult) -> SummaryChange | None:
        return database.read_here(lambda tx: change_since_last(tx, crawl, result, pages))

    assert note(first, CLEAN) is None
    assert note(newest, replace(result, ruleset="0")) is None
    assert note(newest, result) == SummaryChange(crawl=1, score=100, new=1)


@pytest.mark.parametrize("side", [0, 1])
def test_what_one_crawl_left_out_is_neither_gone_nor_new_nor_fixed(tmp_path: Path, side: int) -> None:
    """It was excluded while the other crawl was under way, which had fetched it by then; both have the same settings.

    Args:
        tmp_path: For the database.
        side: 0 where the newer crawl left out the page with the target of the link, 1 where the older one did.
    """
    database = make_database(tmp_path)
    caller, audit_id = crawled(database)
    left_out = ("/other",)
    for number in (0, 1):
        if number:
            again(database, caller, audit_id)
        crawl = claim(database)
        assert crawl is not None
        kept = replace(crawl, settings=replace(crawl.settings, exclude=left_out))
        database.write_here(lambda tx, kept=kept: change_crawl(tx, kept, settings=msgspec.json.encode(kept.settings)))  # type: ignore[misc]
        known = number == side
        fill(database, kept, result_of(crawl.start_url) if known else CLEAN)
        if not known:
            # Both pages are out of scope: that with the finding, and that to which its link leads.
            gone = update(crawl_urls).where(crawl_urls.c.crawl_id == crawl.id, crawl_urls.c.url_id > 1)
            database.write_here(lambda tx, gone=gone: tx.execute(gone.values(state=int(URLState.OUTSIDE))))  # type: ignore[misc]
    comparison = database.read_here(lambda tx: compare_crawls(tx, caller, audit_id))[1]

    assert comparison.differs_in == ()
    assert comparison.pages.totals == (0, 0, 0)
    assert [(one.kind, one.reason) for one in comparison.findings] == [("not_comparable", "not_seen")]


def test_a_folder_without_a_crawl_is_named(tmp_path: Path) -> None:
    """Two folders that were crawled are compared in tests/cli/commands/test_audit.py."""
    with pytest.raises(InvalidInput, match="not the folder of an evaluated crawl"):
        compare_folders(tmp_path, tmp_path)


def write_crawl(folder: Path, number: int, urls: str, places: list[tuple[str, str]]) -> None:
    """Files of a crawl of pages with names of one letter, with one finding of links."""
    folder.mkdir()
    result = replace(result_of("https://example.com/"), complete=True)
    (folder / "audit.json").write_bytes(msgspec.json.encode(result))
    facts = {"crawl": str(number), "settings": msgspec.json.encode(AuditSettings()).decode()}
    rows = [{"url": url, "state": "fetched", "status": 200, "words": 9, "title": url} for url in urls]
    encoder = msgspec.json.Encoder()
    (folder / "site.jsonl").write_bytes(
        encoder.encode_lines([{"key": key, "value": value} for key, value in facts.items()])
    )
    (folder / "pages.jsonl").write_bytes(encoder.encode_lines(rows))
    lines = encoder.encode_lines([{"number": 1, "page": page, "target": target} for page, target in places])
    (folder / "places.jsonl").write_bytes(lines)
    duckdb.read_json(str(folder / "places.jsonl")).write_parquet(str(folder / "finding_pages.parquet"))


def test_folders_are_compared_by_their_urls(tmp_path: Path) -> None:
    """Whatever the order of their rows; a target out of the site is no page of it."""
    write_crawl(tmp_path / "1", 1, "abcx", [("a", "https://elsewhere.example/"), ("x", "b"), ("b", "c")])
    write_crawl(tmp_path / "2", 2, "zcba", [("a", "b"), ("z", "b"), ("c", "a")])
    found = compare_folders(tmp_path / "1", tmp_path / "2")

    (one,) = found.findings

    assert (found.before, found.after, found.pages.new, found.pages.gone) == (1, 2, ("z",), ("x",))
    assert (one.kind, one.pages_new, one.pages_fixed, one.pages_unclear) == ("worse", 2, 1, 1)


def test_a_damaged_folder_is_named(tmp_path: Path) -> None:
    """A page is cut in the middle."""
    for at in (1, 2):
        write_crawl(tmp_path / f"{at}", at, "abc", [("a", "b")])
    (tmp_path / "2" / "pages.jsonl").write_text('{"url": ')
    with pytest.raises(InvalidInput, match="2 was written by another version, or is damaged"):
        compare_folders(tmp_path / "1", tmp_path / "2")
