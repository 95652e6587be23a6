"""Members of accounts, invitations to become one, and the log of what people and keys changed in an account.

Only hashes of the tokens of invitations are stored.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from sqlalchemy import ColumnElement, Select, and_, delete, func, insert, select, update

from pagegrade.model.account import Action, Caller, Invitation, Membership, Role, Teammate
from pagegrade.store.engine.database import Transaction
from pagegrade.store.repositories.accounts import ACCOUNT_COLUMNS, account_of
from pagegrade.store.repositories.credentials import is_valid
from pagegrade.store.repositories.installation import AgeMs
from pagegrade.store.schema.account_tables import actions, invitations, memberships, passkeys
from pagegrade.store.schema.tables import (
    access_profiles,
    accounts,
    api_keys,
    audits,
    batch_reports,
    batches,
    ignores,
    monitors,
    reports,
    silences,
    webhooks,
)

_INVITATION_COLUMNS: Final = (
    invitations.c.id,
    invitations.c.account_id,
    invitations.c.role,
    invitations.c.label,
    invitations.c.created_at_ms,
    invitations.c.expires_at_ms,
)
ACTIONS_KEPT_MS: Final = 90 * 86_400_000
"""So long an action is kept."""
MOST_ACTIONS: Final = 10_000
"""Newest actions of an account that are kept, and up to ``_TRIMMED_EVERY`` more of a busy one."""
_SILENCES: Final = ("begin_silence", "create_silence", "end_silence", "stop_silence")
"""Operations on silences, whose reason the log has."""
_TRIMMED_EVERY: Final = 100
_PEOPLE: Final = (select(accounts.c.id, accounts.c.name), accounts.c.id, None)
NAMED: Final[Mapping[str, tuple[Select[Any], ColumnElement[Any], ColumnElement[Any] | None]]] = {
    "reports": (select(reports.c.id, reports.c.url), reports.c.id, reports.c.account_id),
    "monitors": (
        select(monitors.c.id, func.coalesce(reports.c.url, audits.c.start_url, monitors.c.pages_of))
        .outerjoin(reports, reports.c.id == monitors.c.report_id)
        .outerjoin(audits, audits.c.id == monitors.c.audit_id),
        monitors.c.id,
        monitors.c.account_id,
    ),
    "audits": (select(audits.c.id, audits.c.start_url), audits.c.id, audits.c.account_id),
    "batches": (
        # One look at the beginning of an index for each: a batch has up to 500 reports, and a log many batches.
        select(
            batches.c.id,
            select(reports.c.url)
            .join_from(batch_reports, reports, reports.c.id == batch_reports.c.report_id)
            .where(batch_reports.c.batch_id == batches.c.id)
            .order_by(batch_reports.c.position)
            .limit(1)
            .scalar_subquery(),
        ),
        batches.c.id,
        batches.c.account_id,
    ),
    "ignores": (select(ignores.c.id, ignores.c.check_id), ignores.c.id, ignores.c.account_id),
    "silences": (
        select(silences.c.id, func.coalesce(reports.c.url, audits.c.start_url, monitors.c.pages_of, silences.c.project))
        .outerjoin(monitors, monitors.c.id == silences.c.monitor_id)
        .outerjoin(reports, reports.c.id == monitors.c.report_id)
        .outerjoin(audits, audits.c.id == monitors.c.audit_id),
        silences.c.id,
        silences.c.account_id,
    ),
    "webhooks": (select(webhooks.c.id, webhooks.c.url), webhooks.c.id, webhooks.c.account_id),
    "invitations": (select(invitations.c.id, invitations.c.label), invitations.c.id, invitations.c.account_id),
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
come into the log who are or were members. A batch is called by its first report that is there."""


def add_membership(tx: Transaction, account_id: int, person_id: int, role: Role, now_ms: int) -> None:
    """Make a person a member of an account that they are no member of."""
    values = {"account_id": account_id, "person_id": person_id, "role": int(role), "joined_at_ms": now_ms}
    tx.execute(insert(memberships).values(values))


def list_memberships(tx: Transaction, person_id: int) -> tuple[Membership, ...]:
    """Return the accounts that a person is a member of and that work, by name."""
    query = (
        select(*ACCOUNT_COLUMNS, memberships.c.role)
        .join_from(memberships, accounts, memberships.c.account_id == accounts.c.id)
        .where(
            memberships.c.person_id == person_id, accounts.c.disabled_at_ms.is_(None), accounts.c.erase_at_ms.is_(None)
        )
        .order_by(func.lower(accounts.c.name), accounts.c.id)
    )
    return tuple(Membership(account=account_of(row[:-1]), role=Role(row[-1])) for row in tx.execute(query))


def list_teammates(tx: Transaction, account_id: int) -> tuple[Teammate, ...]:
    """Return the members of an account in the order in which they joined."""
    query = (
        select(*ACCOUNT_COLUMNS, memberships.c.role, memberships.c.joined_at_ms)
        .join_from(memberships, accounts, memberships.c.person_id == accounts.c.id)
        .where(memberships.c.account_id == account_id)
        .order_by(memberships.c.joined_at_ms, accounts.c.id)
    )
    return tuple(
        Teammate(person=account_of(row[:-2]), role=Role(row[-2]), joined_at_ms=row[-1]) for row in tx.execute(query)
    )


def load_role(tx: Transaction, account_id: int, person_id: int) -> Role | None:
    """Return the role of a member; ``None``: they are none."""
    query = select(memberships.c.role).where(
        memberships.c.account_id == account_id, memberships.c.person_id == person_id
    )
    found = tx.execute(query).scalar()
    return None if found is None else Role(found)


def save_role(tx: Transaction, account_id: int, person_id: int, role: Role) -> None:
    """Store another role of a member."""
    query = update(memberships).where(memberships.c.account_id == account_id, memberships.c.person_id == person_id)
    tx.execute(query.values(role=int(role)))


def remove_membership(tx: Transaction, account_id: int, person_id: int) -> bool:
    """Make a person a member no longer; ``False`` if they were none."""
    query = delete(memberships).where(memberships.c.account_id == account_id, memberships.c.person_id == person_id)
    return tx.execute(query).rowcount == 1


def add_invitation(
    tx: Transaction, account_id: int, *, token_sha256: bytes, role: Role, label: str, now_ms: int, expires_at_ms: int
) -> Invitation:
    """Add an invitation to become a member of the account."""
    values = {
        "account_id": account_id,
        "token_sha256": token_sha256,
        "role": int(role),
        "label": label,
        "created_at_ms": now_ms,
        "expires_at_ms": expires_at_ms,
    }
    return _invitation_of(tx.execute(insert(invitations).values(values).returning(*_INVITATION_COLUMNS)).one())


def find_invitation(tx: Transaction, token_sha256: bytes, now_ms: int) -> Invitation | None:
    """Return an invitation that can be accepted; ``None`` if there is none, or it has expired."""
    query = select(*_INVITATION_COLUMNS).where(
        invitations.c.token_sha256 == token_sha256, *is_valid(invitations, now_ms)
    )
    row = tx.execute(query).first()
    return None if row is None else _invitation_of(row)


def list_invitations(tx: Transaction, account_id: int, now_ms: int) -> tuple[Invitation, ...]:
    """Return the invitations of the account that can be accepted, newest first."""
    query = select(*_INVITATION_COLUMNS).where(invitations.c.account_id == account_id, *is_valid(invitations, now_ms))
    return tuple(_invitation_of(row) for row in tx.execute(query.order_by(invitations.c.id.desc())))


def remove_invitation(tx: Transaction, account_id: int, invitation_id: int) -> bool:
    """Delete an invitation, because it was accepted or withdrawn; ``False`` if the account has no such one."""
    query = delete(invitations).where(invitations.c.id == invitation_id, invitations.c.account_id == account_id)
    return tx.execute(query).rowcount == 1


def _invitation_of(row: Sequence[Any]) -> Invitation:
    invitation_id, account_id, role, label, created, expires = row
    return Invitation(
        id=invitation_id,
        account_id=account_id,
        role=Role(role),
        label=label,
        created_at_ms=created,
        expires_at_ms=expires,
    )


def add_action(tx: Transaction, caller: Caller, *, operation: str, target: int | None, now_ms: int) -> None:
    """Add an action of a caller to the log of the open account.

    Args:
        tx: The writing transaction of the action itself.
        target: Id of what it changed, if that has one.
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
    tx: Transaction, account_id: int, *, before_id: int | None = None, limit: int = MOST_ACTIONS
) -> Sequence[Action]:
    """Return actions of an account, the newest first.

    Args:
        before_id: Only actions that are older than this one.
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
        ids: By kind, one of ``NAMED``, which says what the name is: often a URL.
    """
    found: dict[tuple[str, int], str] = {}
    for kind, (query, target, account) in NAMED.items():
        if wanted := ids.get(kind):
            mine = query.where(target.in_(wanted), *(() if account is None else (account == account_id,)))
            found |= {(kind, row[0]): row[1] for row in tx.execute(mine) if row[1]}
    return found


def forget_actions(tx: Transaction, age: AgeMs, *, limit: int = 1_000) -> int:
    """Delete actions that have had their time, at most ``limit``; returns how many."""
    old = select(actions.c.id).where(actions.c.at_ms < age - ACTIONS_KEPT_MS).order_by(actions.c.at_ms).limit(limit)
    return tx.execute(delete(actions).where(actions.c.id.in_(old))).rowcount


def _trim(tx: Transaction, account_id: int) -> None:
    mine = actions.c.account_id == account_id
    newest = (
        select(actions.c.id).where(mine).order_by(actions.c.id.desc()).offset(MOST_ACTIONS).limit(1).scalar_subquery()
    )
    tx.execute(delete(actions).where(mine, actions.c.id <= newest))
