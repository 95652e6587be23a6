"""Claims of crawls by workers: one slice at a time of a crawl and of a target, over all processes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, get_args

import msgspec
from sqlalchemy import ColumnElement, and_, case, exists, func, or_, select, update

from pagegrade.model.audit import Crawl
from pagegrade.store.engine.database import Transaction, moment
from pagegrade.store.locks import hold_place
from pagegrade.store.repositories.crawls import COLUMNS, crawl_of
from pagegrade.store.schema.tables import crawls

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
        tx: A write transaction.
        now_ms: The time now.
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
