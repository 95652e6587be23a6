"""Team of an account: its members, invitations to become one, and which account is open in a session.

Each change reads the role of who wants it again: two owners may act on each other at the same moment.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Final, NamedTuple

import msgspec
from msgspec.structs import replace

from pagegrade.model.account import Account, Action, Caller, Invitation, Role, Session, Teammate
from pagegrade.model.errors import InvalidInput, NotFound
from pagegrade.model.stored import ListPart
from pagegrade.service.accounts.operations import clean_label
from pagegrade.service.accounts.sessions import NewPerson, digest, is_token, make_token, start_as_new
from pagegrade.service.id_lists import Listed, part_of
from pagegrade.store.engine.database import Transaction
from pagegrade.store.locks import hold_account
from pagegrade.store.repositories.accounts import add_account, load_account, save_account
from pagegrade.store.repositories.credentials import find_session, save_workspace
from pagegrade.store.repositories.members import (
    MOST_ACTIONS,
    add_action,
    add_invitation,
    add_membership,
    find_invitation,
    list_actions,
    list_invitations,
    list_memberships,
    list_teammates,
    load_role,
    names_of,
    remove_invitation,
    remove_membership,
    save_role,
)

INVITATION_MS: Final = 7 * 86_400_000
"""So long an invitation can be accepted."""
MAX_TEAM: Final = 100
"""Members of an account and invitations to become one, together."""
MAX_WORKSPACES: Final = 100
"""Accounts that a person is a member of."""
LAST_OWNER: Final = "last_owner"
OWN: Final = "own"
ROLE: Final = "role"
TOO_MANY: Final = "too_many"


class Team(msgspec.Struct, frozen=True, kw_only=True):
    """Members of an account and invitations."""

    members: tuple[Teammate, ...]
    """The person whose own account it is first, then the others as they joined."""
    invitations: tuple[Invitation, ...]
    """That can be accepted."""


class NewInvitation(NamedTuple):
    """An invitation with its token, which is shown only once, and empty afterwards."""

    invitation: Invitation
    token: str

    @property
    def id(self) -> int:
        """Id that the log names."""
        return self.invitation.id


class Invited(msgspec.Struct, frozen=True, kw_only=True):
    """An invitation that can be accepted, and the account that it is about."""

    invitation: Invitation
    account: Account


def find_team(tx: Transaction, caller: Caller, now_ms: int) -> Team:
    """Return who works in the open account."""
    account = caller.account
    return Team(members=_members(tx, account), invitations=list_invitations(tx, account.id, now_ms))


def list_members(tx: Transaction, caller: Caller, part: ListPart) -> Listed[Teammate]:
    """Some of the members of the open account, the highest id first."""
    return part_of(_members_by_id(tx, caller), lambda each: each.person.id, part)


def show_member(tx: Transaction, caller: Caller, person_id: int) -> Teammate:
    """A person who works in the open account.

    Raises:
        NotFound: They do not.
    """
    for each in _members_by_id(tx, caller):
        if each.person.id == person_id:
            return each
    raise NotFound


def list_open_invitations(tx: Transaction, caller: Caller, now_ms: int, part: ListPart) -> Listed[Invitation]:
    """Some of the invitations that can be accepted, newest first."""
    return part_of(list_invitations(tx, caller.account.id, now_ms), lambda each: each.id, part)


def show_invitation(tx: Transaction, caller: Caller, invitation_id: int, *, now_ms: int) -> Invitation:
    """An invitation that can be accepted.

    Raises:
        NotFound: The account has no such one.
    """
    for each in list_invitations(tx, caller.account.id, now_ms):
        if each.id == invitation_id:
            return each
    raise NotFound


def show_without_token(tx: Transaction, caller: Caller, invitation_id: int, *, now_ms: int) -> NewInvitation:
    """An invitation as ``invite`` returns it, with an empty token; raises as ``show_invitation``."""
    return NewInvitation(show_invitation(tx, caller, invitation_id, now_ms=now_ms), "")


def invite(tx: Transaction, caller: Caller, *, role: Role, label: str, now_ms: int) -> NewInvitation:
    """Create an invitation.

    Args:
        caller: An owner.
        role: Of the person who accepts it.
        label: Whom it is for: 1 to 200 characters.

    Raises:
        InvalidInput: The label cannot be used, or the account has too many members; ``reason`` says which.
        NotFound: The caller is no owner.
    """
    _require_owner(tx, caller)
    cleaned = clean_label(label, what="Whom an invitation is for")
    team = find_team(tx, caller, now_ms)
    if len(team.members) + len(team.invitations) >= MAX_TEAM:
        raise InvalidInput(f"An account has at most {MAX_TEAM} members and invitations.", reason=TOO_MANY)
    token = make_token()
    made = add_invitation(
        tx,
        caller.account.id,
        token_sha256=digest(token),
        role=role,
        label=cleaned,
        now_ms=now_ms,
        expires_at_ms=now_ms + INVITATION_MS,
    )
    return NewInvitation(made, token)


def withdraw(tx: Transaction, caller: Caller, invitation_id: int) -> None:
    """Delete an invitation.

    Raises:
        NotFound: The account has no such invitation, or the caller is no owner.
    """
    _require_owner(tx, caller)
    if not remove_invitation(tx, caller.account.id, invitation_id):
        raise NotFound


def change_role(tx: Transaction, caller: Caller, person_id: int, role: Role | None) -> None:
    """Give a member another role.

    Raises:
        InvalidInput: There is no such role (``None``), or the account would have no owner left; ``reason`` says which.
        NotFound: There is no such member, or the caller is no owner.
    """
    _require_owner(tx, caller)
    if load_role(tx, caller.account.id, person_id) is None:
        raise NotFound
    if role is None:
        raise InvalidInput("There is no such role.", reason=ROLE)
    if role is not Role.OWNER:
        _keep_an_owner(tx, caller.account, but=person_id)
    save_role(tx, caller.account.id, person_id, role)


def remove_member(tx: Transaction, caller: Caller, person_id: int) -> None:
    """Make a person a member no longer; what they have open is closed with their next request.

    Raises:
        InvalidInput: The account would have no owner left.
        NotFound: There is no such member, or the caller is no owner.
    """
    _require_owner(tx, caller)
    _keep_an_owner(tx, caller.account, but=person_id)
    if not remove_membership(tx, caller.account.id, person_id):
        raise NotFound


def leave(tx: Transaction, caller: Caller) -> None:
    """End the caller's membership of the open account.

    Raises:
        InvalidInput: It is their own, or it would have no owner left; ``reason`` says which.
    """
    if caller.own is None:
        raise InvalidInput("This is your own account.", reason=OWN)
    _keep_an_owner(tx, caller.account, but=caller.own.id)
    remove_membership(tx, caller.account.id, caller.own.id)


def open_account(tx: Transaction, caller: Caller, account_id: int) -> None:
    """Open an account that the person works in, in this session.

    Raises:
        NotFound: They do not work in it.
    """
    if caller.session is None:
        raise NotFound
    is_own = account_id == caller.person.id
    if not is_own and account_id not in {each.account.id for each in caller.memberships}:
        raise NotFound
    save_workspace(tx, caller.session.id, None if is_own else account_id)


def create_shared(tx: Transaction, caller: Caller, *, name: str, now_ms: int) -> Account:
    """Create an account that nobody signs in to, whose first owner is the caller, and open it.

    Raises:
        InvalidInput: The name cannot be used, or the person works in too many accounts; ``reason`` says which.
    """
    label = clean_label(name, what="The name of an account")
    person = caller.person
    _check_room(tx, person)
    made = add_account(
        tx,
        name=label,
        email=person.email,
        locale=person.locale,
        timezone=person.timezone,
        is_personal=False,
        now_ms=now_ms,
    )
    add_membership(tx, made.id, person.id, Role.OWNER, now_ms)
    if caller.session is not None:
        save_workspace(tx, caller.session.id, made.id)
    return made


def rename(tx: Transaction, caller: Caller, *, name: str) -> None:
    """Rename the open account.

    Raises:
        InvalidInput: The name cannot be used, or it is a person's own account, which bears their name.
    """
    if caller.account.is_personal:
        raise InvalidInput("This is the account of a person.", reason=OWN)
    save_account(tx, replace(caller.account, name=clean_label(name, what="The name of an account")))


def find_invited(tx: Transaction, token: str, now_ms: int) -> Invited | None:
    """Return what an invitation is about, without accepting it; ``None`` if it is invalid, used or expired.

    Args:
        token: As in the address, however long or strange.
    """
    invitation = find_invitation(tx, digest(token), now_ms) if is_token(token) else None
    account = None if invitation is None else load_account(tx, invitation.account_id)
    if invitation is None or account is None or account.disabled_at_ms is not None:
        return None
    return Invited(invitation=invitation, account=account)


def join(tx: Transaction, token: str, *, person: Account, session: Session, now_ms: int) -> Account | None:
    """Accept an invitation, and open the account; who works in it already keeps their role, and the invitation stays.

    Args:
        token: As in the address, however long or strange.
        person: Who has signed in.
        session: In which the account is opened.

    Returns:
        The account; ``None``: the invitation is invalid, used or expired.

    Raises:
        InvalidInput: The person works in too many accounts.
    """
    invited = _hold_invited(tx, token, now_ms)
    if invited is None:
        return None
    account = invited.account
    if account.id == person.id:
        save_workspace(tx, session.id, None)
        return account
    if load_role(tx, account.id, person.id) is None:
        _check_room(tx, person)
        _accept(tx, invited, person, now_ms)
    save_workspace(tx, session.id, account.id)
    return account


def join_as_new(tx: Transaction, token: str, new: NewPerson, *, now_ms: int) -> str | None:
    """Create an account for a new person, accept an invitation, and sign them in.

    Args:
        token: As in the address, however long or strange.

    Returns:
        The token of the new session; ``None``: the invitation is invalid, used or expired.

    Raises:
        InvalidInput: Name or address cannot be used; ``reason`` says which.
    """
    invited = _hold_invited(tx, token, now_ms)
    if invited is None:
        return None
    person, made = start_as_new(tx, new, timezone=invited.account.timezone, now_ms=now_ms)
    _accept(tx, invited, person, now_ms)
    found = find_session(tx, digest(made))
    if found is not None:
        save_workspace(tx, found[0].id, invited.account.id)
    return made


def follow_group(tx: Transaction, account_id: int, person: Account, role: Role | None, *, now_ms: int) -> None:
    """Make a person a member with a role, or no longer, as their groups at the identity provider say.

    A person's own account stays theirs, the last owner of a shared one stays owner, and where there is no room for
    another member nothing happens.

    Args:
        tx: One that may write and holds the account.
        account_id: Of the workspace, if there is one.
        person: Who has just signed in.
        role: That their groups give; ``None``: none.
    """
    account = load_account(tx, account_id)
    if account is None or account.disabled_at_ms is not None or account_id == person.id:
        return
    has = load_role(tx, account_id, person.id)
    is_last_owner = has is Role.OWNER and not account.is_personal and not _other_owners(tx, account, person.id)
    if has is role or is_last_owner:
        return
    if role is None:
        remove_membership(tx, account_id, person.id)
    elif has is not None:
        save_role(tx, account_id, person.id, role)
    elif len(_members(tx, account)) < MAX_TEAM and len(list_memberships(tx, person.id)) < MAX_WORKSPACES:
        add_membership(tx, account_id, person.id, role, now_ms)
    else:
        return
    follower = Caller(account=account, own=person, role=role or Role.VIEWER)
    add_action(tx, follower, operation="finish_single_sign_on", target=person.id, now_ms=now_ms)


def owned_alone(tx: Transaction, person_id: int) -> tuple[Account, ...]:
    """Return the accounts that nobody else owns and that would have no owner without this person."""
    return tuple(
        each.account
        for each in list_memberships(tx, person_id)
        if each.role is Role.OWNER and not each.account.is_personal and not _other_owners(tx, each.account, person_id)
    )


def list_log(
    tx: Transaction, caller: Caller, *, before_id: int | None = None, limit: int = MOST_ACTIONS
) -> Sequence[Action]:
    """Return what was changed in the open account, and by whom, the newest first; with an id only what is older."""
    return list_actions(tx, caller.account.id, before_id=before_id, limit=limit)


def find_names(tx: Transaction, caller: Caller, ids: Mapping[str, Collection[int]]) -> dict[tuple[str, int], str]:
    """Return names that targets of the log of the open account have now; ``names_of`` says of which."""
    return names_of(tx, caller.account.id, ids)


def _members_by_id(tx: Transaction, caller: Caller) -> list[Teammate]:
    return sorted(_members(tx, caller.account), key=lambda each: each.person.id, reverse=True)


def _members(tx: Transaction, account: Account) -> tuple[Teammate, ...]:
    own = (Teammate(person=account, role=Role.OWNER, joined_at_ms=None),) if account.is_personal else ()
    return own + list_teammates(tx, account.id)


def _hold_invited(tx: Transaction, token: str, now_ms: int) -> Invited | None:
    """Find an invitation and let nobody else change the members of its account until the transaction ends."""
    invited = find_invited(tx, token, now_ms)
    if invited is None:
        return None
    hold_account(tx, invited.account.id)
    return find_invited(tx, token, now_ms)


def _accept(tx: Transaction, invited: Invited, person: Account, now_ms: int) -> None:
    remove_invitation(tx, invited.account.id, invited.invitation.id)
    add_membership(tx, invited.account.id, person.id, invited.invitation.role, now_ms)
    joined = Caller(account=invited.account, own=person, role=invited.invitation.role)
    add_action(tx, joined, operation="accept_invitation", target=person.id, now_ms=now_ms)


def _require_owner(tx: Transaction, caller: Caller) -> None:
    if caller.own is not None and load_role(tx, caller.account.id, caller.own.id) is not Role.OWNER:
        raise NotFound


def _keep_an_owner(tx: Transaction, account: Account, *, but: int) -> None:
    if not account.is_personal and not _other_owners(tx, account, but):
        raise InvalidInput(
            "This is the only owner of the account; make another member an owner first.", reason=LAST_OWNER
        )


def _other_owners(tx: Transaction, account: Account, but: int) -> bool:
    team = list_teammates(tx, account.id)
    return any(each.role is Role.OWNER and each.person.id != but for each in team)


def _check_room(tx: Transaction, person: Account) -> None:
    if len(list_memberships(tx, person.id)) >= MAX_WORKSPACES:
        raise InvalidInput(f"A person works in at most {MAX_WORKSPACES} accounts of others.", reason=TOO_MANY)
