"""Compare crawls of an audit, or of folders of the command line."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec
from msgspec.structs import replace

from pagegrade.model.account import Caller
from pagegrade.model.audit import PAGE_STATES, Audit, AuditSettings, Crawl, URLFilter
from pagegrade.model.audit_result import AuditResult, SummaryChange
from pagegrade.model.errors import InvalidInput, ValidationFailed, Violation
from pagegrade.parse.urls.identity import keyed_hash
from pagegrade.parse.urls.scope import Scope
from pagegrade.report.compare_audits import (
    AuditComparison,
    AuditSide,
    PageFacts,
    SeenPages,
    audit_differences,
    compare_audits,
)
from pagegrade.service.audits.analysis import PAGES, read_result
from pagegrade.service.audits.operations import show_audit
from pagegrade.service.audits.pages import pages_of
from pagegrade.store.analysis.relations import Relations, load_rows, open_relations
from pagegrade.store.engine.database import Transaction
from pagegrade.store.repositories.audits import list_crawls, load_result
from pagegrade.store.repositories.crawl_segments import each_finding_page, unpack_finding
from pagegrade.store.repositories.crawl_urls import StoredURL, find_urls, urls_beside, urls_of

_AT_ONCE: Final = 5_000
_LEFT_OUT: Final = PageFacts(state="not_fetched", trap="excluded")
_PAGE: Final = {
    "url": "VARCHAR",
    "state": "VARCHAR",
    "trap": "VARCHAR",
    "status": "INTEGER",
    "refusal": "VARCHAR",
    "words": "INTEGER",
    "unread": "BOOLEAN",
    "title": "VARCHAR",
    "canonical_url": "VARCHAR",
    "noindex": "BOOLEAN",
    "digest": "UBIGINT",
    "score": "INTEGER",
}
"""Of ``pages.jsonl``: the fields of ``PageFacts`` and the URL -> types of DuckDB."""
_PLACE: Final = {"number": "INTEGER", "page": "VARCHAR", "target": "VARCHAR"}
"""Of the pages of findings, likewise."""


class _Fact(msgspec.Struct):
    """A fact of a site, as ``site.jsonl`` has it."""

    key: str
    value: str


_fact: Final = msgspec.json.Decoder(_Fact).decode
_settings: Final = msgspec.json.Decoder(AuditSettings).decode


def compare_crawls(
    tx: Transaction, caller: Caller, audit_id: int, *, before: int | None = None, after: int | None = None
) -> tuple[Audit, AuditComparison]:
    """Compare two evaluated crawls of an audit.

    Args:
        tx: Any transaction.
        caller: Whose audit it is.
        audit_id: Any number.
        before: Number of the older crawl; ``None``: the last one before the newer that compares with it, or where there
            is none, the last one that was evaluated.
        after: Number of the newer crawl; ``None``: the last one that was evaluated.

    Raises:
        NotFound: There is no such audit.
        ValidationFailed: A crawl is not there, was not evaluated, is not older than the other, or there are no two.
    """
    audit = show_audit(tx, caller, audit_id)
    evaluated = {crawl.number: crawl for crawl, summary in list_crawls(tx, audit.id) if summary is not None}
    for field, number in (("from", before), ("to", after)):
        if number is not None and number not in evaluated:
            raise _unusable(field, "not_comparable", f"Crawl {number} is not there, or was not evaluated.")
    newer = evaluated.get(max(evaluated, default=0) if after is None else after)
    if newer is None:
        raise _unusable("to", "no_crawl", "No crawl was evaluated yet.")
    result = _result(tx, newer)
    older = evaluated.get(before or 0) or _last_before(tx, newer, result, tuple(evaluated.values()))
    if older is None:
        raise _unusable("from", "no_crawl", f"No crawl before crawl {newer.number} was evaluated.")
    if older.number >= newer.number:
        raise _unusable("from", "not_older", f"Crawl {older.number} is not older than crawl {newer.number}.")
    return audit, _compare(tx, (older, _result(tx, older)), (newer, result))


def _unusable(field: str, code: str, message: str) -> ValidationFailed:
    return ValidationFailed([Violation(field=field, place="query", code=code, message=message)])


def _last_before(tx: Transaction, newer: Crawl, result: AuditResult, crawls: Sequence[Crawl]) -> Crawl | None:
    """The last crawl before one that compares with it; where none does, the last one."""
    earlier = [crawl for crawl in crawls if crawl.number < newer.number]
    alike = (crawl for crawl in earlier if not _differences(tx, crawl, newer, result))
    return next(alike, next(iter(earlier), None))


def _differences(tx: Transaction, older: Crawl, newer: Crawl, result: AuditResult) -> bool:
    return bool(audit_differences(_result(tx, older), result, (older.settings, newer.settings)))


def _result(tx: Transaction, crawl: Crawl) -> AuditResult:
    found = load_result(tx, crawl.id)
    if found is None:
        raise LookupError("an evaluated crawl has a result")
    return found


def change_since_last(
    tx: Transaction, crawl: Crawl, result: AuditResult, pages: Mapping[int, bytes]
) -> SummaryChange | None:
    """The changes of the findings of a site since its last crawl that compares.

    Args:
        tx: Any transaction.
        crawl: That was evaluated just now.
        result: What it came to.
        pages: Of its findings, as ``pack_findings`` has packed them.
    """
    if crawl.audit_id is None:
        return None
    evaluated = [one for one, summary in list_crawls(tx, crawl.audit_id) if summary is not None]
    older = _last_before(tx, crawl, result, evaluated)
    if older is None or _differences(tx, older, crawl, result):
        return None
    before = _result(tx, older)
    comparison = _compare(tx, (older, before), (crawl, result), pages)
    return SummaryChange(crawl=older.number, score=before.score, **comparison.counts)


def _compare(
    tx: Transaction,
    before: tuple[Crawl, AuditResult],
    after: tuple[Crawl, AuditResult],
    made: Mapping[int, bytes] | None = None,
) -> AuditComparison:
    """Compare stored crawls.

    A URL has the id that the newer one gave it; those that only the older one knows come behind.

    Args:
        tx: Any transaction.
        before: The older crawl, and what it came to.
        after: The newer one.
        made: Pages of its findings where they are not stored yet.
    """
    (older, _), (newer, _) = before, after
    numbers, only_older = array("I", bytes(4 * (older.urls + 1))), array("I")

    def number(stored: Sequence[StoredURL]) -> None:
        hashes = {keyed_hash(one.url, newer.secret): one.url_id for one in stored}
        known = find_urls(tx, newer.id, tuple(hashes))
        for key, url_id in hashes.items():
            if key in known:
                numbers[url_id] = known[key][0]
            else:
                only_older.append(url_id)
                numbers[url_id] = newer.urls + len(only_older)

    def places_before(finding: int) -> Iterator[tuple[int, int | None]]:
        for row in each_finding_page(tx, older.id, finding):
            yield numbers[row.page_id], numbers[row.target_id or 0]

    def places_after(finding: int) -> Iterator[tuple[int, int | None]]:
        rows = each_finding_page(tx, newer.id, finding) if made is None else unpack_finding(made, finding)
        return ((row.page_id, row.target_id) for row in rows)

    def names(wanted: Sequence[int]) -> list[str]:
        new = urls_of(tx, newer.id, (one for one in wanted if one <= newer.urls))
        old = urls_of(tx, older.id, (only_older[one - newer.urls - 1] for one in wanted if one > newer.urls))
        return [new[one] if one <= newer.urls else old[only_older[one - newer.urls - 1]] for one in wanted]

    seen = (SeenPages(), SeenPages())
    for stored in _in_blocks(tx, newer):
        for url_id, facts in _facts(tx, newer, stored):
            seen[1].add(url_id, facts)
    for stored in _in_blocks(tx, older):
        number(stored)
        for url_id, facts in _facts(tx, older, stored):
            seen[0].add(numbers[url_id], facts)
        # What the older crawl fetched before it was left out, the newer one may have left out from the beginning.
        _note_left_out(newer, seen[1], ((numbers[one.url_id], one.url) for one in stored))
    for stored in _in_blocks(tx, newer) if older.settings.exclude else ():
        _note_left_out(older, seen[0], ((one.url_id, one.url) for one in stored))
    older_side, newer_side = (
        AuditSide(number=crawl.number, settings=crawl.settings, result=result, pages=pages, places=places)
        for (crawl, result), pages, places in zip((before, after), seen, (places_before, places_after), strict=True)
    )
    return compare_audits(older_side, newer_side, names)


def _note_left_out(crawl: Crawl, seen: SeenPages, urls: Iterable[tuple[int, str]]) -> None:
    """Add the (number, URL) that a crawl does not know because it leaves them out."""
    if crawl.settings.exclude:
        settings = crawl.settings
        scope = Scope(crawl.start_url, settings.scope, settings.include, settings.exclude)
        for number, url in urls:
            if seen.get(number) is None and scope.excludes(url):
                seen.add(number, _LEFT_OUT)


def _in_blocks(tx: Transaction, crawl: Crawl) -> Iterator[tuple[StoredURL, ...]]:
    """The URLs in scope, some thousands at a time."""
    last: int | None = None
    while stored := urls_beside(tx, crawl.id, URLFilter(), _AT_ONCE, beside=last, backward=False):
        yield stored
        last = stored[-1].url_id


def _facts(tx: Transaction, crawl: Crawl, stored: Sequence[StoredURL]) -> Iterator[tuple[int, PageFacts]]:
    for shown in pages_of(tx, crawl, stored):
        one, row = shown.stored, shown.row
        state, trap = PAGE_STATES[one.state]
        facts = PageFacts(state=state, trap=trap or None, status=one.status)
        if row is not None:
            facts = replace(facts, refusal=row.refusal or None, unread=row.unread)
        if row is not None and row.read:
            facts = replace(
                facts,
                words=row.words,
                title=row.title,
                canonical_url=shown.urls.get(row.canonical_id or 0),
                noindex=row.noindex,
                digest=row.digest,
                score=row.score,
            )
        yield one.url_id, facts


def compare_folders(before: Path, after: Path) -> AuditComparison:
    """Compare what two crawls of ``pagegrade audit`` wrote, the older one first.

    Args:
        before: Folder of the older crawl, such as ``pagegrade-audit/example.com/1``.
        after: Of the newer one.

    Raises:
        InvalidInput: One of them is not the folder of a crawl that was evaluated.
        AnalysisNotInstalled: DuckDB is not there.
    """
    folders = (before, after)
    with open_relations(reads=folders) as relations:
        read = [_load(relations, folder, at) for at, folder in enumerate(folders)]
        relations.run(
            "CREATE TABLE numbered AS SELECT url, row_number() OVER () AS id"
            " FROM (SELECT url FROM pages_0 UNION SELECT url FROM pages_1)"
        )

        def names(wanted: Sequence[int]) -> list[str]:
            rows = relations.rows("SELECT id, url FROM numbered WHERE list_contains($1, id)", [list(wanted)])
            urls: dict[int, str] = dict(rows)
            return [urls[one] for one in wanted]

        older, newer = (
            AuditSide(
                number=number,
                settings=settings,
                result=result,
                pages=_folder_pages(relations, at),
                places=_folder_places(relations, at),
            )
            for at, (number, settings, result) in enumerate(read)
        )
        return compare_audits(older, newer, names)


def _load(relations: Relations, folder: Path, at: int) -> tuple[int, AuditSettings, AuditResult]:
    """Make tables of the files of a crawl; return its number, its settings, and what it came to."""
    try:
        result = read_result(folder)
        facts = {one.key: one.value for one in map(_fact, (folder / "site.jsonl").read_bytes().splitlines())}
        settings, number = _settings(facts["settings"]), int(facts["crawl"])
        load_rows(relations, f"pages_{at}", folder / "pages.jsonl", _PAGE)
        load_rows(relations, f"places_{at}", folder / PAGES, _PLACE)
    except OSError:
        raise InvalidInput(f"{folder} is not the folder of an evaluated crawl.") from None
    except (msgspec.MsgspecError, KeyError, ValueError):
        raise InvalidInput(f"{folder} was written by another version, or is damaged. Crawl the site again.") from None
    return number, settings, result


def _folder_pages(relations: Relations, at: int) -> SeenPages:
    seen = SeenPages()
    names = [name for name in _PAGE if name != "url"]
    for number, *row in relations.each(f"SELECT id, {', '.join(names)} FROM pages_{at} JOIN numbered USING (url)"):
        facts = dict(zip(names, row, strict=True))
        seen.add(number, PageFacts(**facts | {"unread": bool(facts["unread"])}))
    return seen


def _folder_places(relations: Relations, at: int) -> Callable[[int], Iterator[tuple[int, int]]]:
    relations.run(
        f"CREATE TABLE numbers_{at} AS"
        " SELECT number, source.id AS page_id, coalesce(other.id, 0) AS target_id"
        f" FROM places_{at} JOIN numbered AS source ON source.url = page"
        " LEFT JOIN numbered AS other ON other.url = target"
    )
    query = f"SELECT page_id, target_id FROM numbers_{at} WHERE number = $1 ORDER BY page_id"
    return lambda finding: ((page, target) for page, target in relations.each(query, [finding]))
