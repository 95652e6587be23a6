"""The log of an account: what people and keys changed in it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from sqlalchemy import ColumnElement, Select, and_, delete, func, insert, select

from pagegrade.model.account import Action, Caller
from pagegrade.store.engine.database import Transaction
from pagegrade.store.repositories.deletion_clock import AgeMs
from pagegrade.store.schema.account_tables import actions, passkeys
from pagegrade.store.schema.tables import access_profiles, accounts, api_keys, audits, monitors, reports, silences

KEPT_MS: Final = 90 * 86_400_000
"""So long an action is kept."""
MOST: Final = 10_000
"""Newest actions of an account that are kept, and up to ``_TRIMMED_EVERY`` more of a busy one."""
_SILENCES: Final = ("begin_silence", "create_silence", "end_silence", "stop_silence")
"""Operations on silences, whose reason the log has."""
_TRIMMED_EVERY: Final = 100
_PEOPLE: Final = (select(accounts.c.id, accounts.c.name), accounts.c.id, None)
NAMED: Final[Mapping[str, tuple[Select[Any], ColumnElement[Any], ColumnElement[Any] | None]]] = {
    "reports": (select(reports.c.id, reports.c.url), reports.c.id, reports.c.account_id),
    "monitors": (
        select(monitors.c.id, reports.c.url).join(reports, reports.c.id == monitors.c.report_id),
        monitors.c.id,
        monitors.c.account_id,
    ),
    "audits": (select(audits.c.id, audits.c.start_url), audits.c.id, audits.c.account_id),
    "keys": (select(api_keys.c.id, api_keys.c.name), api_keys.c.id, api_keys.c.account_id),
    "access-profiles": (
        select(access_profiles.c.id, access_profiles.c.name),
        access_profiles.c.id,
        access_profiles.c.account_id,
    ),
    "passkeys": (select(passkeys.c.id, passkeys.c.name), passkeys.c.id, passkeys.c.account_id),
    "members": _PEOPLE,
    "join": _PEOPLE,
    "single-sign-on": _PEOPLE,
}
"""Kind of target, a segment of the path of its operations -> names, their ids, and whose they are; of people only those
come into the log who are or were members."""


def add_action(tx: Transaction, caller: Caller, *, operation: str, target: int | None, now_ms: int) -> None:
    """Add an action of a caller to the log of the open account.

    Args:
        tx: The writing transaction of the action itself.
        caller: Who asked for it.
        operation: Name of the operation, at most 64 characters.
        target: Id of what it changed, if that has one.
        now_ms: The time now.
    """
    values = {
        "account_id": caller.account.id,
        "at_ms": now_ms,
        "person_id": None if caller.key is not None else caller.person.id,
        "key_id": None if caller.key is None else caller.key.id,
        "is_key": int(caller.key is not None),
        "operation": operation,
        "target": target,
    }
    made = int(tx.execute(insert(actions).values(values).returning(actions.c.id)).scalar_one())
    if made % _TRIMMED_EVERY == 0:
        _trim(tx, caller.account.id)


def list_actions(
    tx: Transaction, account_id: int, *, before_id: int | None = None, limit: int = MOST
) -> Sequence[Action]:
    """Return actions of an account, the newest first.

    Args:
        tx: Any transaction.
        account_id: Whose log.
        before_id: Only actions that are older than this one.
        limit: So many at most.
    """
    name = func.coalesce(api_keys.c.name, accounts.c.name, "")
    about_silence = and_(
        actions.c.operation.in_(_SILENCES),
        silences.c.id == actions.c.target,
        silences.c.account_id == actions.c.account_id,
    )
    joined = (
        actions.outerjoin(accounts, accounts.c.id == actions.c.person_id)
        .outerjoin(api_keys, api_keys.c.id == actions.c.key_id)
        .outerjoin(silences, about_silence)
    )
    reason = func.coalesce(silences.c.reason, "")
    query = (
        select(actions.c.id, actions.c.at_ms, actions.c.is_key, name, actions.c.operation, actions.c.target, reason)
        .select_from(joined)
        .where(actions.c.account_id == account_id)
        .order_by(actions.c.id.desc())
        .limit(limit)
    )
    if before_id is not None:
        query = query.where(actions.c.id < before_id)
    return [
        Action(
            id=row[0], at_ms=row[1], is_key=bool(row[2]), actor=row[3], operation=row[4], target=row[5], reason=row[6]
        )
        for row in tx.execute(query)
    ]


def names_of(tx: Transaction, account_id: int, ids: Mapping[str, Collection[int]]) -> dict[tuple[str, int], str]:
    """Return names that targets of actions have now, by kind and id; of those that are gone there is none.

    Args:
        tx: Any transaction.
        account_id: Whose log.
        ids: By kind, one of ``NAMED``; of a report, monitor or audit the name is a URL.
    """
    found: dict[tuple[str, int], str] = {}
    for kind, (query, target, account) in NAMED.items():
        if wanted := ids.get(kind):
            mine = query.where(target.in_(wanted), *(() if account is None else (account == account_id,)))
            found |= {(kind, row[0]): row[1] for row in tx.execute(mine) if row[1]}
    return found


def forget_actions(tx: Transaction, age: AgeMs, *, limit: int = 1_000) -> int:
    """Delete actions that have had their time, at most ``limit``; returns how many."""
    old = select(actions.c.id).where(actions.c.at_ms < age - KEPT_MS).order_by(actions.c.at_ms).limit(limit)
    return tx.execute(delete(actions).where(actions.c.id.in_(old))).rowcount


def _trim(tx: Transaction, account_id: int) -> None:
    mine = actions.c.account_id == account_id
    newest = select(actions.c.id).where(mine).order_by(actions.c.id.desc()).offset(MOST).limit(1).scalar_subquery()
    tx.execute(delete(actions).where(mine, actions.c.id <= newest))
