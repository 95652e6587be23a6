"""Use cases of administrators: invite, disable and enable accounts; and the erasure of an account.

Each begins by reading the administrator again: two of them may act on each other at the same moment.

The first transaction of an erasure ends all access and wipes what is known of the person. Reports follow a part at a
time, so that other writers come in between, and the account's row goes last. Whatever ends the process meanwhile, the
mark on the row stays: the next start, the next minute or the next call of the command goes on.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pagegrade.model.account import Account, Caller, Member, Quotas
from pagegrade.model.errors import InvalidInput, NotFound
from pagegrade.service.accounts.operations import (
    DISABLED,
    create_account,
    disable,
    enable,
    hold_accounts,
    keep_an_admin,
    set_admin,
)
from pagegrade.service.accounts.quotas import set_quotas
from pagegrade.service.accounts.team import LAST_OWNER, owned_alone
from pagegrade.service.container import Services
from pagegrade.service.sign_in import INVITATION_HOURS, make_link
from pagegrade.store.engine.database import Transaction
from pagegrade.store.locks import hold_account
from pagegrade.store.repositories.accounts import (
    count_accounts,
    delete_account,
    list_erasing,
    list_members,
    load_account,
    mark_erasing,
)
from pagegrade.store.repositories.reports import delete_of_account
from pagegrade.store.repositories.search import compact_index

ERASED_AT_ONCE: Final = 200
"""Reports of one transaction."""
OWN_ERASURE: Final = "own_erasure"
"""``reason`` of ``InvalidInput``: an administrator wants to erase their own account as if it were of another."""
PARTS_OF_A_REQUEST: Final = 5
"""So many are done while the browser waits; more are left to the housekeeping."""


def begin_erasure(tx: Transaction, account_id: int, now_ms: int, *, by: Account | None) -> Account:
    """End all access to an account and mark it as being erased; return the account as it was.

    Args:
        by: Who wants it: an administrator, or the account itself. Neither may leave the installation without an
            administrator. ``None``: the operator at the machine, who may.

    Raises:
        InvalidInput: The account is the last one that administers the installation, or the only owner of another
            account; ``reason`` says which.
        NotFound: There is no such account, or it is being erased.
    """
    hold_accounts(tx)
    account = load_account(tx, account_id)
    if account is None:
        raise NotFound(f"There is no account {account_id}; `pagegrade accounts list` shows them.")
    if by is not None:
        keep_an_admin(tx, account)
    alone = owned_alone(tx, account_id)
    if alone:
        names = ", ".join(f"{each.id} ({each.name})" for each in alone[:10])
        raise InvalidInput(
            f"Account {account_id} is the only owner of {names}. Make another member an owner, or erase those first.",
            reason=LAST_OWNER,
        )
    mark_erasing(tx, account_id, now_ms)
    return account


def erase_part(tx: Transaction, account_id: int, *, limit: int = ERASED_AT_ONCE) -> tuple[int, ...]:
    """Delete up to ``limit`` reports of an account that is being erased, and the account once it has none.

    Returns:
        Ids of the reports that are gone; none once the account is gone, too.
    """
    hold_account(tx, account_id)
    if account_id not in list_erasing(tx):
        return ()
    gone = delete_of_account(tx, account_id, limit=limit)
    if not gone:
        delete_account(tx, account_id)
    return gone


def refuse_own(account: Account, by: Account) -> None:
    """Refuse an administrator's own account on the pages about others: its owner types the password to erase it.

    Raises:
        InvalidInput: It is their own.
    """
    if account.id == by.id:
        raise InvalidInput("Delete your own account on the page of your account.", reason=OWN_ERASURE)


async def finish_erasure(services: Services, account_id: int, *, parts: int | None = None) -> bool:
    """Erase an account that is marked, part by part; return whether it is gone.

    Args:
        parts: At most so many; ``None``: until it is gone. Housekeeping does the rest within a minute.

    Raises:
        Unavailable: The database cannot be written now; what is left is done later.
    """
    done = 0
    while gone := await services.database.write(lambda tx: erase_part(tx, account_id)):
        for report_id in gone:
            # Requests that wait for the report stop waiting, and a worker stops working on it.
            services.changes.notify(report_id)
        done += 1
        if done == parts:
            return False
    is_first = True
    while await services.database.write(lambda tx, is_first=is_first: compact_index(tx, is_first=is_first)):  # type: ignore[misc]
        is_first = False
    return True


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
