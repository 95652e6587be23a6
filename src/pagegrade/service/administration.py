"""Use cases of administrators: invite, disable, enable and erase accounts.

Each begins by reading the administrator again: two of them may act on each other at the same moment.
"""

from __future__ import annotations

from collections.abc import Sequence

from pagegrade.model.account import Account, Caller, Member, Quotas
from pagegrade.model.errors import InvalidInput, NotFound
from pagegrade.service.accounts.operations import DISABLED, create_account, disable, enable, set_admin
from pagegrade.service.accounts.quotas import set_quotas
from pagegrade.service.erasure import begin_erasure, refuse_own
from pagegrade.service.sign_in import INVITATION_HOURS, make_link
from pagegrade.store.engine.database import Transaction
from pagegrade.store.repositories.accounts import count_accounts, list_members, load_account

Invitation = tuple[Account, str, int]
"""Account, token of its sign-in link, end of the link in milliseconds since 1970."""


def find_members(tx: Transaction, _caller: Caller, *, page: int, per_page: int) -> tuple[int, tuple[Member, ...]]:
    """Return the number of accounts, and those on a page of the list."""
    return count_accounts(tx), list_members(tx, limit=per_page, offset=per_page * (page - 1))


def find_member(tx: Transaction, _caller: Caller, account_id: int) -> Member:
    """Return an account with its usage.

    Raises:
        NotFound: There is no such account.
    """
    found = list_members(tx, account_id=account_id)
    if not found:
        raise NotFound
    return found[0]


def find_account(tx: Transaction, _caller: Caller, account_id: int) -> Account:
    """Return an account.

    Raises:
        NotFound: There is no such account.
    """
    account = load_account(tx, account_id)
    if account is None:
        raise NotFound
    return account


def invite_member(tx: Transaction, caller: Caller, *, name: str, email: str, now_ms: int) -> Invitation:
    """Create an account with a sign-in link for its owner.

    Raises:
        InvalidInput: Name or e-mail address cannot be used; ``reason`` says which.
        NotFound: The caller is no administrator.
    """
    admin = _current_admin(tx, caller)
    account = create_account(tx, name=name, email=email, locale=admin.locale, timezone=admin.timezone, now_ms=now_ms)
    return account, *make_link(tx, account.id, hours=INVITATION_HOURS, now_ms=now_ms)


def give_link(tx: Transaction, caller: Caller, account_id: int, now_ms: int) -> Invitation:
    """Create a sign-in link for the owner of an account.

    Raises:
        InvalidInput: The account is disabled.
        NotFound: There is no such account, or the caller is no administrator.
    """
    _current_admin(tx, caller)
    account = find_account(tx, caller, account_id)
    if account.disabled_at_ms is not None:
        raise InvalidInput(reason=DISABLED)
    return account, *make_link(tx, account_id, hours=INVITATION_HOURS, now_ms=now_ms)


def disable_member(tx: Transaction, caller: Caller, account_id: int, now_ms: int) -> None:
    """Disable an account; raises as ``disable``, and ``NotFound`` where the caller is no administrator."""
    disable(tx, account_id, now_ms, by=_current_admin(tx, caller))


def enable_member(tx: Transaction, caller: Caller, account_id: int) -> None:
    """Enable an account; raises as ``enable``, and ``NotFound`` where the caller is no administrator."""
    _current_admin(tx, caller)
    enable(tx, account_id)


def set_member_admin(tx: Transaction, caller: Caller, account_id: int, *, is_admin: bool) -> None:
    """Give or take administrator rights; raises as ``set_admin``, and ``NotFound`` where the caller has none."""
    _current_admin(tx, caller)
    set_admin(tx, account_id, is_admin=is_admin)


def set_member_quotas(
    tx: Transaction,
    caller: Caller,
    account_id: int,
    *,
    plan: str | None,
    quotas: Quotas,
    plans: Sequence[tuple[str, Quotas]],
) -> None:
    """Give an account a plan and quotas; raises as ``set_quotas``, and ``NotFound`` where the caller has no rights."""
    _current_admin(tx, caller)
    set_quotas(tx, account_id, plan=plan, quotas=quotas, plans=plans)


def begin_member_erasure(tx: Transaction, caller: Caller, account_id: int, now_ms: int) -> None:
    """Begin to erase an account.

    Raises:
        InvalidInput: It is the administrator's own account, or the last administrator's.
        NotFound: There is no such account, or the caller is no administrator.
    """
    admin = _current_admin(tx, caller)
    refuse_own(find_account(tx, caller, account_id), admin)
    begin_erasure(tx, account_id, now_ms, by=admin)


def _current_admin(tx: Transaction, caller: Caller) -> Account:
    account = find_account(tx, caller, caller.person.id)
    if not account.is_admin or account.disabled_at_ms is not None:
        raise NotFound
    return account
