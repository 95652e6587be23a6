"""Members of accounts, and invitations to become one. Only hashes of the tokens of invitations are stored."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import delete, func, insert, select, update

from pagegrade.model.account import Invitation, Membership, Role, Teammate
from pagegrade.store.engine.database import Transaction
from pagegrade.store.repositories.accounts import ACCOUNT_COLUMNS, account_of
from pagegrade.store.repositories.sessions import is_valid
from pagegrade.store.schema.account_tables import invitations, memberships
from pagegrade.store.schema.tables import accounts

_INVITATION_COLUMNS: Final = (
    invitations.c.id,
    invitations.c.account_id,
    invitations.c.role,
    invitations.c.label,
    invitations.c.created_at_ms,
    invitations.c.expires_at_ms,
)


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
