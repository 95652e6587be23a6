"""Crawls of sites: the row of each, its hosts, the transaction of a batch of pages, and claims by workers.

A worker claims one slice at a time of a crawl and of a target, over all processes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, Literal, get_args

import msgspec
from msgspec.structs import replace
from sqlalchemy import (
    ColumnElement,
    RowMapping,
    and_,
    bindparam,
    case,
    delete,
    exists,
    func,
    insert,
    or_,
    select,
    update,
)

from pagegrade.model.audit import OPEN_STATES, AuditSettings, Crawl, CrawlHost, CrawlState, SiteFacts, StopReason
from pagegrade.model.identity import VERSION
from pagegrade.model.report import RULESET
from pagegrade.store.engine.database import Transaction, moment
from pagegrade.store.locks import hold_place
from pagegrade.store.repositories.accounts import count_pages
from pagegrade.store.schema.tables import crawl_hosts, crawls

_encode: Final = msgspec.json.encode
_settings: Final = msgspec.json.Decoder(AuditSettings).decode
_facts: Final = msgspec.json.Decoder(SiteFacts).decode
COLUMNS: Final = tuple(crawls.c[name] for name in Crawl.__struct_fields__)


class CrawlTakenOver(Exception):
    """Another process works on the crawl by now; nothing was written."""


def add_crawl(
    tx: Transaction,
    start_url: str,
    settings: AuditSettings,
    *,
    secret: bytes,
    now_ms: int,
    account_id: int | None = None,
    audit_id: int | None = None,
    target: str | None = None,
) -> Crawl:
    """Begin another crawl of a site.

    Args:
        start_url: Identity of the start page.
        secret: Key of the hashes of its URLs.
        account_id: Whose it is; ``None``: of the command line.
        target: Workers are at one crawl of it at a time.
    """
    same = _of_site(audit_id, account_id, start_url)
    last = tx.execute(select(func.max(crawls.c.number)).where(*same)).scalar() or 0
    row = {
        "account_id": account_id,
        "audit_id": audit_id,
        "target": target,
        "number": last + 1,
        "start_url": start_url,
        "state": "queued",
        "settings": _encode(settings),
        "secret": secret,
        "engine": VERSION,
        "ruleset": RULESET,
        "created_at_ms": now_ms,
        "updated_at_ms": now_ms,
    }
    return crawl_of(tx.execute(insert(crawls).values(**row).returning(*COLUMNS)).mappings().one())


def _of_site(audit_id: int | None, account_id: int | None, start_url: str) -> tuple[ColumnElement[bool], ...]:
    if audit_id is not None:
        return (crawls.c.audit_id == audit_id,)
    return (crawls.c.account_id.is_(account_id), crawls.c.start_url == start_url, crawls.c.audit_id.is_(None))


def last_completed(tx: Transaction, crawl: Crawl) -> Crawl | None:
    """Return the last crawl of the same site that has completed before one; ``None``: there is none."""
    query = (
        select(*COLUMNS)
        .where(
            *_of_site(crawl.audit_id, crawl.account_id, crawl.start_url),
            crawls.c.number < crawl.number,
            crawls.c.state == "completed",
        )
        .order_by(crawls.c.number.desc())
        .limit(1)
    )
    row = tx.execute(query).mappings().first()
    return None if row is None else crawl_of(row)


def is_of_these_rules(tx: Transaction, crawl_id: int) -> bool:
    """Return true if a crawl was made by this version and its rules."""
    query = select(crawls.c.engine, crawls.c.ruleset).where(crawls.c.id == crawl_id)
    return tuple(tx.execute(query).one()) == (VERSION, RULESET)


def last_crawl(tx: Transaction) -> Crawl | None:
    """Return the newest crawl of the command line."""
    of = select(*COLUMNS).where(crawls.c.account_id.is_(None)).order_by(crawls.c.id.desc()).limit(1)
    row = tx.execute(of).mappings().first()
    return None if row is None else crawl_of(row)


def take_crawl(tx: Transaction, crawl_id: int, now_ms: int) -> Crawl:
    """Begin to work on a crawl; the worker before writes nothing more.

    Raises:
        CrawlTakenOver: It was deleted.
    """
    change = (
        update(crawls)
        .where(crawls.c.id == crawl_id)
        .values(
            epoch=crawls.c.epoch + 1,
            state="crawling",
            stop_reason=None,
            resume_at_ms=None,
            finished_at_ms=None,
            updated_at_ms=now_ms,
        )
        .returning(*COLUMNS)
    )
    row = tx.execute(change).mappings().first()
    if row is None:
        raise CrawlTakenOver
    return crawl_of(row)


def advance_crawl(tx: Transaction, crawl: Crawl, now_ms: int) -> None:
    """Store the counters of a crawl; first in a transaction, because of those that must not write.

    Raises:
        CrawlTakenOver: Another process has taken it since.
    """
    count_pages(tx, crawl.id, crawl.fetched, now_ms)
    change_crawl(
        tx,
        crawl,
        urls=crawl.urls,
        fetched=crawl.fetched,
        segments=crawl.segments,
        bytes=crawl.bytes,
        worked_ms=crawl.worked_ms,
        seeded=int(crawl.seeded),
        facts=None if crawl.facts is None else _encode(crawl.facts),
        tries=0,
        updated_at_ms=now_ms,
    )


def limit_crawl(tx: Transaction, crawl: Crawl, now_ms: int) -> None:
    """Store the settings of a crawl, and what is known of its site.

    Raises:
        CrawlTakenOver: Another process has taken it since.
    """
    # What to exclude may have been changed since it was taken.
    now = hold_crawl(tx, crawl.id)
    settings = crawl.settings if now is None else replace(crawl.settings, exclude=now.settings.exclude)
    change_crawl(tx, crawl, settings=_encode(settings), facts=_encode(crawl.facts), updated_at_ms=now_ms)


def hold_crawl(tx: Transaction, crawl_id: int) -> Crawl | None:
    """Return a crawl as it is now, which nobody else changes before this transaction ends; ``None`` if it is gone."""
    row = tx.execute(select(*COLUMNS).where(crawls.c.id == crawl_id).with_for_update()).mappings().first()
    return None if row is None else crawl_of(row)


def pages_of_target(tx: Transaction, crawl: Crawl, target: str, since_ms: int) -> int:
    """URLs of a target that other crawls of audits have fetched since a moment, and those that they may fetch yet."""
    others = (crawls.c.target == target, crawls.c.id != crawl.id, crawls.c.facts.is_not(None))
    recent = select(crawls.c.settings, crawls.c.fetched, crawls.c.finished_at_ms).where(
        *others, crawls.c.updated_at_ms > since_ms
    )
    return sum(
        row.fetched if row.finished_at_ms is not None else max(row.fetched, _settings(bytes(row.settings)).max_pages)
        for row in tx.execute(recent)
    )


def end_crawl(
    tx: Transaction,
    crawl: Crawl,
    state: CrawlState,
    *,
    reason: StopReason | None,
    complete: bool,
    now_ms: int,
    resume_at_ms: int | None = None,
    error: str | None = None,
) -> Crawl:
    """Store that a crawl has ended or pauses, or is to be evaluated, and why; its lease ends.

    Raises:
        CrawlTakenOver: Another process has taken it since.
    """
    changes = {
        "state": state,
        "stop_reason": reason,
        "resume_at_ms": resume_at_ms,
        "finished_at_ms": None if state in OPEN_STATES else now_ms,
        "tries": 0,
        "error": error,
    }
    change_crawl(tx, crawl, complete=int(complete), lease_until_ms=None, updated_at_ms=now_ms, **changes)
    return replace(crawl, complete=complete, **changes)


def change_crawl(tx: Transaction, crawl: Crawl, **values: object) -> None:
    """Store columns of a crawl.

    Raises:
        CrawlTakenOver: Another process has taken it since, or it was deleted.
    """
    mine = (crawls.c.id == crawl.id, crawls.c.epoch == crawl.epoch)
    if tx.execute(update(crawls).where(*mine).values(**values)).rowcount != 1:
        raise CrawlTakenOver


def crawl_of(row: RowMapping) -> Crawl:
    """The crawl of a row with ``COLUMNS``."""
    values: dict[str, Any] = {name: row[name] for name in Crawl.__struct_fields__}
    facts = values.pop("facts")
    values |= {
        "settings": _settings(bytes(values["settings"])),
        "secret": bytes(values["secret"]),
        "facts": None if facts is None else _facts(bytes(facts)),
        "seeded": bool(values["seeded"]),
        "complete": bool(values["complete"]),
    }
    return Crawl(**values)


def list_hosts(tx: Transaction, crawl_id: int) -> list[CrawlHost]:
    """Return the origins of a crawl in the order of their numbers."""
    columns = [crawl_hosts.c[name] for name in CrawlHost.__struct_fields__]
    rows = tx.execute(select(*columns).where(crawl_hosts.c.crawl_id == crawl_id).order_by(crawl_hosts.c.host_no))
    return [CrawlHost(**{**row, "robots": bytes(row["robots"] or b"")}) for row in rows.mappings()]


def save_hosts(tx: Transaction, crawl_id: int, hosts: Iterable[CrawlHost]) -> None:
    """Store origins, new ones and those that are known."""
    rows: Sequence[dict[str, object]] = [
        {"crawl_id": crawl_id, **{name: getattr(host, name) for name in CrawlHost.__struct_fields__}} for host in hosts
    ]
    if rows:
        same = (crawl_hosts.c.crawl_id == bindparam("crawl_id"), crawl_hosts.c.host_no == bindparam("host_no"))
        tx.execute(
            delete(crawl_hosts).where(*same), [{name: row[name] for name in ("crawl_id", "host_no")} for row in rows]
        )
        tx.execute(insert(crawl_hosts), rows)


CrawlPlace = Literal["running", "worker", "account", "target", "site", "paused"]
CRAWL_PLACES: Final[tuple[CrawlPlace, ...]] = get_args(CrawlPlace)
"""A worker is at it; or it waits: for one, for another crawl of its account, for a crawl of the same site, until the
site may be asked again, or because a person paused it."""
MAX_LEASE_MS: Final = 600_000
MAX_PAUSE_MS: Final = 2 * 3_600_000
"""No lease and no pause is longer: a time farther ahead was written by a clock that was set back since."""
_BEGUN: Final = ("crawling", "analyzing")
_OPEN: Final = (crawls.c.finished_at_ms.is_(None), crawls.c.audit_id.is_not(None))
_PLACE: Final = "crawls"
"""Locked by a claim: two of them at a time would not see each other's targets."""


class CrawlFigures(msgspec.Struct, frozen=True, kw_only=True):
    """Crawls of audits that have not ended."""

    places: Mapping[CrawlPlace, int]
    """Number of them by what they are at or wait for; all of ``CRAWL_PLACES``."""
    still_ms: int
    """Time since the one that stands still for longest moved, of those that run or wait for a worker; 0: none does."""


def has_due_crawl(tx: Transaction, *, now_ms: int, account_crawls: int) -> bool:
    """Return whether there is a crawl to go on with."""
    due = select(crawls.c.id).where(*_due(moment(tx, now_ms), account_crawls)).limit(1)
    return tx.execute(due).first() is not None


def claim_crawl(tx: Transaction, *, now_ms: int, lease_ms: int, account_crawls: int) -> Crawl | None:
    """Begin to work on the crawl that waited for longest; the worker before writes nothing more.

    Args:
        lease_ms: Another worker goes on with it unless the lease is extended within this time; at most
            ``MAX_LEASE_MS``.
        account_crawls: Crawls of an account that may be under way.

    Returns:
        ``None``: there is none to go on with.
    """
    hold_place(tx, _PLACE)
    now_ms = moment(tx, now_ms)
    first = (
        select(crawls.c.id, crawls.c.state, crawls.c.epoch)
        .where(*_due(now_ms, account_crawls))
        .order_by(crawls.c.updated_at_ms, crawls.c.id)
        .limit(1)
    )
    found = tx.execute(first).first()
    if found is None:
        return None
    values: dict[str, object] = {
        "epoch": crawls.c.epoch + 1,
        "tries": crawls.c.tries + 1,
        "lease_until_ms": now_ms + min(lease_ms, MAX_LEASE_MS),
        "updated_at_ms": now_ms,
    }
    if found.state != "analyzing":
        values |= {"state": "crawling", "stop_reason": None, "resume_at_ms": None}
    # Its account may have paused it meanwhile.
    same = (crawls.c.id == found.id, crawls.c.epoch == found.epoch, crawls.c.state == found.state)
    row = tx.execute(update(crawls).where(*same).values(values).returning(*COLUMNS)).mappings().first()
    return None if row is None else crawl_of(row)


def _due(now_ms: int, account_crawls: int) -> tuple[ColumnElement[bool], ...]:
    may_resume = and_(crawls.c.state == "paused", ~_waits_for_site(now_ms))
    begins = or_(crawls.c.state == "queued", may_resume)
    return (
        *_OPEN,
        or_(crawls.c.lease_until_ms.is_(None), ~_is_held(crawls.c.lease_until_ms, now_ms)),
        or_(crawls.c.state.in_(_BEGUN), and_(begins, _under_way() < account_crawls)),
        ~_at_target(now_ms),
    )


def _at_target(now_ms: int) -> ColumnElement[bool]:
    """A worker is at a crawl of the same target."""
    others = crawls.alias()
    return exists().where(
        others.c.finished_at_ms.is_(None),
        others.c.target == crawls.c.target,
        _is_held(others.c.lease_until_ms, now_ms),
    )


def _is_held(lease_until_ms: ColumnElement[int | None], now_ms: int) -> ColumnElement[bool]:
    """A worker is at the crawl with this lease; ``NULL`` where it has none."""
    return lease_until_ms.between(now_ms, now_ms + MAX_LEASE_MS)


def _waits_for_site(now_ms: int) -> ColumnElement[bool]:
    """The site may be asked again later; ``NULL`` for a crawl that a person paused."""
    return crawls.c.resume_at_ms.between(now_ms + 1, now_ms + MAX_PAUSE_MS)


def _under_way() -> ColumnElement[int]:
    """Number of crawls of the same account that have begun."""
    mine = crawls.alias()
    own = (mine.c.finished_at_ms.is_(None), mine.c.account_id == crawls.c.account_id, mine.c.state.in_(_BEGUN))
    return select(func.count()).where(*own).scalar_subquery()


def count_crawls(tx: Transaction, *, now_ms: int, account_crawls: int) -> CrawlFigures:
    """Count the crawls of audits that have not ended; arguments as for ``claim_crawl``."""
    now_ms = moment(tx, now_ms)
    place = case(
        (_is_held(crawls.c.lease_until_ms, now_ms), "running"),
        (and_(crawls.c.state == "paused", crawls.c.resume_at_ms.is_(None)), "paused"),
        (and_(crawls.c.state == "paused", _waits_for_site(now_ms)), "site"),
        (_at_target(now_ms), "target"),
        (and_(crawls.c.state.not_in(_BEGUN), _under_way() >= account_crawls), "account"),
        else_="worker",
    )
    each = select(place.label("place"), crawls.c.updated_at_ms).where(*_OPEN).subquery()
    found = select(each.c.place, func.count(), func.min(each.c.updated_at_ms)).group_by(each.c.place)
    rows = {name: (int(count), int(oldest_ms)) for name, count, oldest_ms in tx.execute(found)}
    moved = [rows[name][1] for name in ("running", "worker") if name in rows]
    return CrawlFigures(
        places={name: rows[name][0] if name in rows else 0 for name in CRAWL_PLACES},
        still_ms=max(0, now_ms - min(moved, default=now_ms)),
    )


def extend_crawl(tx: Transaction, crawl: Crawl, *, now_ms: int, lease_ms: int) -> bool:
    """Keep a crawl for this time from now on; return whether it is still ours. Arguments as for ``claim_crawl``."""
    until_ms = moment(tx, now_ms) + min(lease_ms, MAX_LEASE_MS)
    mine = update(crawls).where(crawls.c.id == crawl.id, crawls.c.epoch == crawl.epoch)
    return bool(tx.execute(mine.values(lease_until_ms=until_ms)).rowcount)


def release_crawl(tx: Transaction, crawl: Crawl, now_ms: int) -> None:
    """Let others go on with a crawl, behind those that wait, if it is still ours."""
    tx.execute(
        update(crawls)
        .where(crawls.c.id == crawl.id, crawls.c.epoch == crawl.epoch)
        .values(lease_until_ms=None, tries=0, updated_at_ms=moment(tx, now_ms))
    )


def release_every_crawl(tx: Transaction) -> None:
    """Let this process go on with all crawls that one before it was at, where there is one process at a time.

    That it did not release them counts as a try.
    """
    tx.execute(update(crawls).where(crawls.c.lease_until_ms.is_not(None)).values(lease_until_ms=None))
