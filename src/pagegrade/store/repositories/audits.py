"""Audits of accounts: the row of each, with its newest crawl, and the results of its crawls."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec
from msgspec.structs import replace
from sqlalchemy import Row, Select, and_, delete, func, insert, or_, select, update

from pagegrade.model.audit import (
    OPEN_STATES,
    Audit,
    AuditFilter,
    AuditSettings,
    Crawl,
    CrawlState,
    withheld,
)
from pagegrade.model.audit_result import AuditResult, AuditSummary, SummaryChange, summary_of
from pagegrade.model.stored import ListPart, Privacy
from pagegrade.model.webhooks import Event, EventType
from pagegrade.report.gates import COMPARED_RUNS
from pagegrade.store.engine.database import Transaction
from pagegrade.store.locks import hold_account
from pagegrade.store.repositories.crawl_segments import add_blocks
from pagegrade.store.repositories.crawls import COLUMNS, change_crawl, crawl_of, end_crawl, hold_crawl
from pagegrade.store.repositories.id_order import rows_of
from pagegrade.store.repositories.monitor_outcomes import record_crawl
from pagegrade.store.repositories.outbox import add_event
from pagegrade.store.repositories.reports import GREATEST_ID, is_of_origin
from pagegrade.store.schema.tables import audits, crawls, events

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

_LEVEL: Final = 6
_encode: Final = msgspec.json.encode
_settings: Final = msgspec.json.Decoder(AuditSettings).decode
_summary: Final = msgspec.json.Decoder(AuditSummary).decode
_result: Final = msgspec.json.Decoder(AuditResult).decode
_graded: Final = crawls.alias("graded")
_ENDED: Final = ("number", "state", "stop_reason", "complete", "fetched")
_OWN: Final = tuple(
    audits.c[name].label(f"audit_{name}")
    for name in (
        *("id", "account_id", "start_url", "project", "settings", "graded", "created_at_ms", "updated_at_ms"),
        *("privacy", "password_hash", "password_version", "slug"),
    )
)


def add_audit(
    tx: Transaction, account_id: int, start_url: str, *, project: str, settings: AuditSettings, now_ms: int
) -> int:
    """Store an audit, whose first crawl is yet to be added; return its id."""
    row = {
        "account_id": account_id,
        "start_url": start_url,
        "project": project,
        "settings": _encode(settings),
        "crawls": 1,
        "created_at_ms": now_ms,
        "updated_at_ms": now_ms,
    }
    return int(tx.execute(insert(audits).values(row).returning(audits.c.id)).scalar_one())


def note_crawl(tx: Transaction, crawl: Crawl, now_ms: int) -> None:
    """Make a crawl the newest of its audit."""
    newest = update(audits).where(audits.c.id == crawl.audit_id)
    tx.execute(newest.values(crawls=crawl.number, updated_at_ms=now_ms))


def _query(account_id: int, which: AuditFilter) -> Select[Any]:
    query = _all().where(audits.c.account_id == account_id)
    if which.project is not None:
        query = query.where(audits.c.project == which.project)
    if which.state is not None:
        query = query.where(crawls.c.state == which.state)
    if which.rating is not None:
        query = query.where(_graded.c.rating == which.rating)
    if which.search is not None:
        query = query.where(func.lower(audits.c.start_url).contains(which.search.lower(), autoescape=True))
    return query


def _all() -> Select[Any]:
    newest = and_(crawls.c.audit_id == audits.c.id, crawls.c.number == audits.c.crawls)
    evaluated = and_(_graded.c.audit_id == audits.c.id, _graded.c.number == audits.c.graded)
    return (
        select(*_OWN, *COLUMNS, _graded.c.summary.label("graded_summary"))
        .join_from(audits, crawls, newest)
        .outerjoin(_graded, evaluated)
    )


def load_audit(tx: Transaction, account_id: int, audit_id: int) -> Audit | None:
    """Return an audit of this account; ``None`` when there is none."""
    if not 0 < audit_id <= GREATEST_ID:
        return None
    row = tx.execute(_query(account_id, AuditFilter()).where(audits.c.id == audit_id)).first()
    return None if row is None else _audit(row)


def load_audit_by_slug(tx: Transaction, slug: str) -> Audit | None:
    """Return the audit of a share link, for any visitor; ``None`` when there is none."""
    row = tx.execute(_all().where(audits.c.slug == slug)).first()
    return None if row is None else _audit(row)


def save_sharing(
    tx: Transaction,
    audit: Audit,
    *,
    privacy: int,
    password_hash: str | None,
    password_version: int,
    slug: str,
    now_ms: int,
) -> None:
    """Store who may see an audit; arguments as of a ``Shareable``."""
    values = {
        "privacy": int(privacy),
        "password_hash": password_hash,
        "password_version": password_version,
        "slug": slug or None,
    }
    if any(value != (getattr(audit, name) or None) for name, value in values.items()):
        tx.execute(update(audits).where(audits.c.id == audit.id).values(**values, updated_at_ms=now_ms))


def access_of_audits(tx: Transaction, account_id: int) -> tuple[tuple[str, int | str | None], ...]:
    """(URL it begins at, access of its settings) of each audit of an account."""
    rows = tx.execute(select(audits.c.start_url, audits.c.settings).where(audits.c.account_id == account_id))
    return tuple((row.start_url, _settings(row.settings).access) for row in rows)


def make_audits_private(tx: Transaction, account_id: int, origins: Sequence[str], now_ms: int) -> int:
    """As ``make_private`` of reports, for audits that begin at these origins."""
    if not origins:
        return 0
    begins = or_(*(is_of_origin(origin, audits.c.start_url) for origin in origins))
    public = (audits.c.account_id == account_id, audits.c.privacy == Privacy.PUBLIC, begins)
    values = {"privacy": int(Privacy.PRIVATE), "updated_at_ms": now_ms}
    return tx.execute(update(audits).where(*public).values(values)).rowcount


def list_audits(tx: Transaction, account_id: int, which: AuditFilter, part: ListPart) -> tuple[Audit, ...]:
    """Some of the audits of an account, the newest first."""
    return tuple(map(_audit, rows_of(tx, _query(account_id, which), audits.c.id, part)))


def count_audits(tx: Transaction, account_id: int, which: AuditFilter) -> int:
    """Return how many audits an account has."""
    return int(tx.execute(select(func.count()).select_from(_query(account_id, which).subquery())).scalar_one())


def count_open_crawls(tx: Transaction, account_id: int) -> int:
    """Return how many crawls of an account have not ended."""
    mine = (crawls.c.account_id == account_id, crawls.c.finished_at_ms.is_(None))
    return int(tx.execute(select(func.count()).select_from(crawls).where(*mine)).scalar_one())


def count_pages_ahead(tx: Transaction, account_id: int) -> int:
    """Return how many more URLs the crawls of an account that have not ended may fetch."""
    mine = (crawls.c.account_id == account_id, crawls.c.finished_at_ms.is_(None), crawls.c.state != "analyzing")
    rows = tx.execute(select(crawls.c.settings, crawls.c.fetched).where(*mine))
    return sum(max(0, _settings(bytes(settings)).max_pages - fetched) for settings, fetched in rows)


def delete_audit(tx: Transaction, audit_id: int) -> None:
    """Delete an audit with all of its crawls; who works on one of them writes nothing more."""
    owner = select(audits.c.account_id).where(audits.c.id == audit_id).scalar_subquery()
    tx.execute(delete(events).where(events.c.account_id == owner, events.c.audit_id == audit_id))
    tx.execute(delete(crawls).where(crawls.c.audit_id == audit_id))
    tx.execute(delete(audits).where(audits.c.id == audit_id))


def stop_crawl(tx: Transaction, crawl: Crawl, state: CrawlState, now_ms: int) -> None:
    """Pause, resume or end a crawl; its worker writes nothing more."""
    values = {
        "epoch": crawls.c.epoch + 1,
        "state": state,
        "stop_reason": "canceled" if state == "canceled" else None,
        "resume_at_ms": None,
        "lease_until_ms": None,
        "tries": 0,
        "finished_at_ms": None if state in OPEN_STATES else now_ms,
        "updated_at_ms": now_ms,
    }
    # It may have ended meanwhile.
    tx.execute(update(crawls).where(crawls.c.id == crawl.id, crawls.c.finished_at_ms.is_(None)).values(values))


def exclude_pages(tx: Transaction, audit: Audit, patterns: Sequence[str], now_ms: int) -> int:
    """Let the crawls of an audit leave out what matches a pattern; one that is under way does so from its next slice.

    One that has begun goes on leaving out what it has left out: it does not know all of that any more.

    Args:
        patterns: In place of those until now.

    Returns:
        How many patterns the newest crawl leaves out, if it has not ended; 0 if it has.
    """
    settings = _encode(replace(audit.settings, exclude=tuple(patterns)))
    tx.execute(update(audits).where(audits.c.id == audit.id).values(settings=settings, updated_at_ms=now_ms))
    crawl = hold_crawl(tx, audit.crawl.id)
    # It may have ended meanwhile.
    if crawl is None or crawl.state not in {"queued", "crawling", "paused"}:
        return 0
    kept = crawl.settings.exclude if crawl.urls or crawl.state == "crawling" else ()
    excluded = tuple(dict.fromkeys((*patterns, *kept)))
    changed = _encode(replace(crawl.settings, exclude=excluded))
    tx.execute(update(crawls).where(crawls.c.id == crawl.id).values(settings=changed))
    return len(excluded)


def list_crawls(
    tx: Transaction, audit_id: int, *, number: int | None = None
) -> list[tuple[Crawl, AuditSummary | None]]:
    """Return the crawls of an audit, the newest first, with what each came to."""
    query = select(*COLUMNS, crawls.c.summary).where(crawls.c.audit_id == audit_id)
    if number is not None:
        query = query.where(crawls.c.number == number)
    rows = tx.execute(query.order_by(crawls.c.number.desc())).mappings()
    return [(crawl_of(row), None if row["summary"] is None else _summary(bytes(row["summary"]))) for row in rows]


def load_result(tx: Transaction, crawl_id: int) -> AuditResult | None:
    """Return the result of a crawl; ``None`` where it was not evaluated."""
    body = tx.execute(select(crawls.c.result).where(crawls.c.id == crawl_id)).scalar()
    return None if body is None else _result(zstd.decompress(bytes(body)))


def save_result(
    tx: Transaction,
    crawl: Crawl,
    result: AuditResult,
    pages: Mapping[int, bytes],
    now_ms: int,
    *,
    standings: Mapping[int, bytes],
    change: SummaryChange | None = None,
) -> None:
    """End a crawl with what its pages came to; the monitors of its audit are evaluated.

    Args:
        pages: Of its findings, as ``pack_findings`` has packed them.
        standings: Of its pages, as ``pack_standings`` has packed them.
        change: Since the last crawl that compares; ``None``: there is none.

    Raises:
        CrawlTakenOver: Another process has taken it since, or it was deleted.
    """
    hold_owner(tx, crawl)
    summary = summary_of(result, change)
    ended = end_crawl(tx, crawl, "completed", reason=crawl.stop_reason, complete=crawl.complete, now_ms=now_ms)
    body = zstd.compress(_encode(result), _LEVEL)
    change_crawl(tx, crawl, summary=_encode(summary), result=body, rating=summary.rating)
    add_blocks(tx, crawl.id, "finding", pages)
    add_blocks(tx, crawl.id, "standing", standings)
    graded = update(audits).where(audits.c.id == crawl.audit_id)
    tx.execute(graded.values(graded=crawl.number, updated_at_ms=now_ms))
    announce_end(tx, ended, summary, result)


def hold_owner(tx: Transaction, crawl: Crawl) -> None:
    """Hold the account of a crawl that will end in this transaction, before anything else of it is locked."""
    if crawl.account_id is not None:
        hold_account(tx, crawl.account_id)


def announce_end(
    tx: Transaction, crawl: Crawl, summary: AuditSummary | None = None, result: AuditResult | None = None
) -> None:
    """Evaluate monitors on the end of a crawl, and add it to the outbox, at the end of the transaction that stores it.

    Args:
        tx: A write transaction, which began with ``hold_owner``.
        crawl: As it ended; of the command line: nothing is written.
        summary: Of its result; ``None``: it was not evaluated, which is a failure.
    """
    project = _project(tx, crawl)
    if project is None or crawl.account_id is None or crawl.audit_id is None:
        return
    score = None if summary is None else summary.score
    data = _told(crawl, project, summary)
    change = None if summary is None else summary.change
    if change is not None:
        moved = None if score is None or change.score is None else score - change.score
        counts = {name: getattr(change, name) for name in ("new", "worse", "fixed", "better")}
        data["change"] = {"score": moved, "since": change.crawl, **counts}
    at_ms = crawl.finished_at_ms or 0
    types: list[EventType] = ["audit.failed" if summary is None else "audit.completed"]
    earlier = () if summary is None else _comparable(tx, crawl.audit_id, summary)
    is_said = record_crawl(tx, crawl, project, data, at_ms, result=result, earlier=earlier)
    if summary is not None and summary.is_worse and not is_said:
        types.append("audit.regressed")
    for type_ in types:
        add_event(tx, Event(type_, crawl.account_id, project, None, None, at_ms, data, crawl.audit_id))


def announce_pause(tx: Transaction, crawl: Crawl, now_ms: int) -> None:
    """Add to the outbox that a site makes a crawl pause; of the command line: nothing is written."""
    project = _project(tx, crawl)
    if project is not None and crawl.account_id is not None:
        data = _told(crawl, project, None)
        add_event(tx, Event("audit.paused", crawl.account_id, project, None, None, now_ms, data, crawl.audit_id))


def _project(tx: Transaction, crawl: Crawl) -> str | None:
    return tx.execute(select(audits.c.project).where(audits.c.id == crawl.audit_id)).scalar()


def _told(crawl: Crawl, project: str, summary: AuditSummary | None) -> dict[str, Any]:
    """Data of an event, without the change."""
    return {
        "audit": {
            "id": crawl.audit_id,
            "url": crawl.start_url,
            "project": project,
            "score": None if summary is None else summary.score,
            "result": None if summary is None else summary.rating,
            "withheld": withheld(crawl, summary),
        },
        "crawl": {name: getattr(crawl, name) for name in _ENDED},
        "change": None,
    }


def _comparable(tx: Transaction, audit_id: int, summary: AuditSummary) -> tuple[AuditSummary, ...]:
    """The last crawls of an audit that compare with one, the newest first."""
    if summary.change is None:
        return ()
    known = {crawl.number: one for crawl, one in list_crawls(tx, audit_id)}
    found: list[AuditSummary] = []
    last: AuditSummary | None = summary
    while last is not None and last.change is not None and len(found) < COMPARED_RUNS:
        last = known.get(last.change.crawl)
        found += () if last is None else (last,)
    return tuple(found)


def _audit(row: Row[Any]) -> Audit:
    values = row._mapping  # noqa: SLF001 - SQLAlchemy's own name for it
    own = {column.name.removeprefix("audit_"): values[column.name] for column in _OWN}
    summary = values["graded_summary"]
    own["slug"] = own["slug"] or ""
    own["settings"] = _settings(bytes(own["settings"]))
    return Audit(**own, crawl=crawl_of(values), summary=None if summary is None else _summary(bytes(summary)))
