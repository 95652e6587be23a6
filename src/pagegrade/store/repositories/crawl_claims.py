"""Claims of crawls by workers: one slice at a time of a crawl and of a target, over all processes."""

from __future__ import annotations

from typing import Final

from sqlalchemy import ColumnElement, and_, exists, func, or_, select, update

from pagegrade.model.audit import Crawl
from pagegrade.store.engine.database import Transaction
from pagegrade.store.locks import hold_place
from pagegrade.store.repositories.crawls import COLUMNS, crawl_of
from pagegrade.store.schema.tables import crawls

_PLACE: Final = "crawls"
"""Locked by a claim: two of them at a time would not see each other's targets."""


def has_due_crawl(tx: Transaction, *, now_ms: int, account_crawls: int) -> bool:
    """Return whether there is a crawl to go on with."""
    due = select(crawls.c.id).where(*_due(now_ms, account_crawls)).limit(1)
    return tx.execute(due).first() is not None


def claim_crawl(tx: Transaction, *, now_ms: int, lease_ms: int, account_crawls: int) -> Crawl | None:
    """Begin to work on the crawl that waited for longest; the worker before writes nothing more.

    Args:
        tx: A write transaction.
        now_ms: The time now.
        lease_ms: Another worker goes on with it unless the lease is extended within this time.
        account_crawls: Crawls of an account that may be under way.

    Returns:
        ``None``: there is none to go on with.
    """
    hold_place(tx, _PLACE)
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
        "lease_until_ms": now_ms + lease_ms,
        "updated_at_ms": now_ms,
    }
    if found.state != "analyzing":
        values |= {"state": "crawling", "stop_reason": None, "resume_at_ms": None}
    # Its account may have paused it meanwhile.
    same = (crawls.c.id == found.id, crawls.c.epoch == found.epoch, crawls.c.state == found.state)
    row = tx.execute(update(crawls).where(*same).values(values).returning(*COLUMNS)).mappings().first()
    return None if row is None else crawl_of(row)


def _due(now_ms: int, account_crawls: int) -> tuple[ColumnElement[bool], ...]:
    others = crawls.alias()
    at_target = exists().where(
        others.c.finished_at_ms.is_(None), others.c.target == crawls.c.target, others.c.lease_until_ms >= now_ms
    )
    mine = crawls.alias()
    under_way = (
        select(func.count())
        .where(
            mine.c.finished_at_ms.is_(None),
            mine.c.account_id == crawls.c.account_id,
            mine.c.state.in_(("crawling", "analyzing")),
        )
        .scalar_subquery()
    )
    begins = or_(crawls.c.state == "queued", and_(crawls.c.state == "paused", crawls.c.resume_at_ms <= now_ms))
    return (
        crawls.c.finished_at_ms.is_(None),
        crawls.c.audit_id.is_not(None),
        or_(crawls.c.lease_until_ms.is_(None), crawls.c.lease_until_ms < now_ms),
        or_(crawls.c.state.in_(("crawling", "analyzing")), and_(begins, under_way < account_crawls)),
        ~at_target,
    )


def extend_crawl(tx: Transaction, crawl: Crawl, until_ms: int) -> bool:
    """Keep a crawl for longer; return whether it is still ours."""
    mine = update(crawls).where(crawls.c.id == crawl.id, crawls.c.epoch == crawl.epoch)
    return bool(tx.execute(mine.values(lease_until_ms=until_ms)).rowcount)


def release_crawl(tx: Transaction, crawl: Crawl, now_ms: int) -> None:
    """Let others go on with a crawl, behind those that wait, if it is still ours."""
    tx.execute(
        update(crawls)
        .where(crawls.c.id == crawl.id, crawls.c.epoch == crawl.epoch)
        .values(lease_until_ms=None, tries=0, updated_at_ms=now_ms)
    )


def release_every_crawl(tx: Transaction) -> None:
    """Let this process go on with all crawls that one before it was at, where there is one process at a time.

    That it did not release them counts as a try.
    """
    tx.execute(update(crawls).where(crawls.c.lease_until_ms.is_not(None)).values(lease_until_ms=None))
