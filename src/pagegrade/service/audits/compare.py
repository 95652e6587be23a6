"""Compare crawls of an audit, or of folders of the command line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec
from msgspec.structs import replace

from pagegrade.model.account import Caller
from pagegrade.model.audit import PAGE_STATES, Audit, AuditSettings, Crawl, URLFilter
from pagegrade.model.audit_result import AuditResult, SummaryChange
from pagegrade.model.errors import InvalidInput, ValidationFailed, Violation
from pagegrade.report.compare_audits import (
    AuditComparison,
    AuditSide,
    PageFacts,
    audit_differences,
    compare_audits,
)
from pagegrade.service.audits.analysis import PAGES, read_result
from pagegrade.service.audits.operations import show_audit
from pagegrade.service.audits.pages import pages_of
from pagegrade.store.analysis.relations import finding_pages as stored_places
from pagegrade.store.engine.database import Transaction
from pagegrade.store.repositories.audits import list_crawls, load_result
from pagegrade.store.repositories.crawl_segments import each_finding_page, unpack_finding
from pagegrade.store.repositories.crawl_urls import urls_beside, urls_of

_AT_ONCE: Final = 5_000


class _Fact(msgspec.Struct):
    """A fact of a site, as ``site.jsonl`` has it."""

    key: str
    value: str


class _Page(PageFacts, frozen=True, gc=False, kw_only=True):
    """A line of ``pages.jsonl``."""

    url: str


_fact: Final = msgspec.json.Decoder(_Fact).decode
_page: Final = msgspec.json.Decoder(_Page).decode
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
    sides = (_side(tx, crawl, known) for crawl, known in ((older, _result(tx, older)), (newer, result)))
    return audit, compare_audits(*sides)


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
    comparison = compare_audits(_side(tx, older, before), _side(tx, crawl, result, pages))
    return SummaryChange(crawl=older.number, score=before.score, **comparison.counts)


def _side(tx: Transaction, crawl: Crawl, result: AuditResult, made: Mapping[int, bytes] | None = None) -> AuditSide:
    urls: dict[int, str] = {}
    pages: dict[str, PageFacts] = {}
    last: int | None = None
    while stored := urls_beside(tx, crawl.id, URLFilter(), _AT_ONCE, beside=last, backward=False):
        for shown in pages_of(tx, crawl, stored):
            one, row = shown.stored, shown.row
            urls[one.url_id] = one.url
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
            pages[one.url] = facts
        last = stored[-1].url_id
    found = {
        one.number: list(each_finding_page(tx, crawl.id, one.number))
        if made is None
        else unpack_finding(made, one.number)
        for one in result.findings
    }
    outside = {row.target_id for rows in found.values() for row in rows if row.target_id is not None} - urls.keys()
    urls |= urls_of(tx, crawl.id, outside)
    places = {
        number: [(urls[row.page_id], urls.get(row.target_id or 0)) for row in rows] for number, rows in found.items()
    }
    return AuditSide(number=crawl.number, settings=crawl.settings, result=result, pages=pages, places=places)


def compare_folders(before: Path, after: Path) -> AuditComparison:
    """Compare what two crawls of ``pagegrade audit`` wrote, the older one first.

    Args:
        before: Folder of the older crawl, such as ``pagegrade-audit/example.com/1``.
        after: Of the newer one.

    Raises:
        InvalidInput: One of them is not the folder of a crawl that was evaluated.
        AnalysisNotInstalled: DuckDB is not there.
    """
    return compare_audits(_folder_side(before), _folder_side(after))


def _folder_side(folder: Path) -> AuditSide:
    try:
        result = read_result(folder)
        facts = {one.key: one.value for one in map(_fact, _lines(folder / "site.jsonl"))}
        pages = {one.url: one for one in map(_page, _lines(folder / "pages.jsonl"))}
        settings = _settings(facts["settings"])
        number = int(facts["crawl"])
    except OSError:
        raise InvalidInput(f"{folder} is not the folder of an evaluated crawl.") from None
    except (msgspec.MsgspecError, KeyError, ValueError):
        raise InvalidInput(f"{folder} was written by another version, or is damaged. Crawl the site again.") from None
    places: dict[int, list[tuple[str, str | None]]] = {}
    for finding, page, target, _ in stored_places(folder / PAGES):
        places.setdefault(finding, []).append((page, target))
    return AuditSide(number=number, settings=settings, result=result, pages=pages, places=places)


def _lines(path: Path) -> list[bytes]:
    return path.read_bytes().splitlines()
