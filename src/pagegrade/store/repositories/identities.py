"""People as an identity provider knows them, and their accounts."""

from __future__ import annotations

from sqlalchemy import delete, insert, select, update

from pagegrade.model.single_sign_on import Identity
from pagegrade.store.engine.database import Transaction
from pagegrade.store.schema.account_tables import identities


def find_account_id(tx: Transaction, issuer: str, subject: str) -> int | None:
    """Return the account that a person signs in to; ``None``: no account is theirs."""
    query = select(identities.c.account_id).where(identities.c.issuer == issuer, identities.c.subject == subject)
    found: int | None = tx.execute(query).scalar()
    return found


def find_email(tx: Transaction, account_id: int, issuer: str) -> str | None:
    """Return the address that a provider has for the person of an account, empty where it has none.

    ``None``: it does not sign anybody in to the account.
    """
    query = select(identities.c.email).where(identities.c.account_id == account_id, identities.c.issuer == issuer)
    found: str | None = tx.execute(query).scalar()
    return found


def add_identity(tx: Transaction, account_id: int, identity: Identity, now_ms: int) -> None:
    """Let a person sign in to an account, who signs in to none yet; no other person of that provider does any more."""
    remove_identity(tx, account_id, identity.issuer)
    values = {
        "issuer": identity.issuer,
        "subject": identity.subject,
        "account_id": account_id,
        "email": identity.email,
        "linked_at_ms": now_ms,
    }
    tx.execute(insert(identities).values(values))


def save_email(tx: Transaction, identity: Identity) -> None:
    """Store the address that a provider has for a person now."""
    query = update(identities).where(identities.c.issuer == identity.issuer, identities.c.subject == identity.subject)
    tx.execute(query.where(identities.c.email != identity.email).values(email=identity.email))


def remove_identity(tx: Transaction, account_id: int, issuer: str) -> None:
    """Let nobody of a provider sign in to an account."""
    tx.execute(delete(identities).where(identities.c.account_id == account_id, identities.c.issuer == issuer))
