from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from msgspec.structs import replace

from pagegrade.model.account import Account, Caller, Role
from pagegrade.model.errors import InvalidInput, NotFound
from pagegrade.service.accounts import team
from pagegrade.service.accounts.operations import EMAIL_TAKEN, SHARED, create_account, disable, set_admin
from pagegrade.service.accounts.sessions import NewPerson, find_signed_in, start_session
from pagegrade.service.administration import begin_erasure
from pagegrade.service.sign_in import make_link
from pagegrade.store.engine.database import Database, Transaction
from pagegrade.store.repositories.accounts import list_addresses, load_account
from pagegrade.store.repositories.members import add_membership, load_role
from tests.store_builders import NOW_MS, add_owner, make_database


class World:
    """Alice and Bob, each with a session; the callers are read anew each time, as with each request."""

    def __init__(self, tmp_path: Path) -> None:
        self.database: Database = make_database(tmp_path)
        self._tokens: dict[int, str] = {}
        self.alice, self.bob = (self.add(name) for name in ("Alice", "Bob"))

    def add(self, name: str) -> Account:
        """A person who has signed in."""
        person = add_owner(self.database, name)[0]
        self._tokens[person.id] = self.database.write_here(lambda tx: start_session(tx, person, "Firefox", NOW_MS))
        return person

    def caller(self, person: Account) -> Caller:
        """Sender of a request now."""
        found = self.database.read_here(lambda tx: find_signed_in(tx, self._tokens[person.id], NOW_MS))
        assert found is not None
        return found.caller

    def invite(self, person: Account, role: Role = Role.EDITOR) -> str:
        """The token of an invitation to what this person has open."""
        caller = self.caller(person)
        return self.database.write_here(lambda tx: team.invite(tx, caller, role=role, label="Bob", now_ms=NOW_MS))[1]

    def join(self, person: Account, token: str, now_ms: int = NOW_MS) -> Account | None:
        """The account that this person joins."""
        session = self.caller(person).session
        assert session is not None
        return self.database.write_here(lambda tx: team.join(tx, token, person=person, session=session, now_ms=now_ms))

    def shared(self) -> Account:
        """A shared account of Alice."""
        caller = self.caller(self.alice)
        return self.database.write_here(lambda tx: team.create_shared(tx, caller, name="Agency", now_ms=NOW_MS))

    def role(self, account: Account, person: Account) -> Role | None:
        """Of a member."""
        return self.database.read_here(lambda tx: load_role(tx, account.id, person.id))


@pytest.fixture
def world(tmp_path: Path) -> World:
    """Two people."""
    return World(tmp_path)


def test_an_invitation_is_accepted_once(world: World) -> None:
    """It opens the account; another person, or the same one later, finds nothing."""
    token = world.invite(world.alice)
    joined = world.join(world.bob, token)
    caller = world.caller(world.bob)

    assert joined is not None
    assert (caller.account.id, caller.person.id, caller.role) == (world.alice.id, world.bob.id, Role.EDITOR)
    assert world.join(world.bob, token) is None
    assert world.database.read_here(lambda tx: team.find_invited(tx, token, NOW_MS)) is None


def test_one_of_several_who_accept_at_once_joins(world: World) -> None:
    """Whoever read the invitation while it was good."""
    shared, people = world.shared(), [world.bob, *map(world.add, ("Carol", "Dave", "Eve", "Frank"))]
    token = world.invite(world.alice)

    with ThreadPoolExecutor(len(people)) as threads:
        joined = list(threads.map(lambda person: world.join(person, token), people))

    assert sum(each is not None for each in joined) == 1
    assert [world.role(shared, person) for person in people].count(Role.EDITOR) == 1


@pytest.mark.parametrize(("late_ms", "works"), [(team.INVITATION_MS - 1, True), (team.INVITATION_MS, False)])
def test_an_invitation_is_good_for_seven_days(world: World, late_ms: int, works: bool) -> None:  # noqa: FBT001 - a parameter of the test
    """To the millisecond."""
    token = world.invite(world.alice)

    assert (world.join(world.bob, token, NOW_MS + late_ms) is not None) is works


@pytest.mark.parametrize("token", ["", "x", "\N{PILE OF POO}" * 43, "A" * 43, "A" * 100_000])
def test_nothing_else_is_an_invitation(world: World, token: str) -> None:
    """However strange."""
    assert world.join(world.bob, token) is None


def test_a_member_keeps_their_role_and_the_invitation(world: World) -> None:
    """A person who opens the link of another by mistake neither loses a role nor spends it; nor does the owner."""
    world.join(world.bob, world.invite(world.alice, Role.ADMIN))
    token = world.invite(world.alice, Role.VIEWER)
    world.join(world.bob, token)
    world.join(world.alice, token)

    assert world.role(world.alice, world.bob) is Role.ADMIN
    assert world.role(world.alice, world.alice) is None
    assert world.database.read_here(lambda tx: team.find_invited(tx, token, NOW_MS)) is not None


def test_a_new_person_joins_with_an_account_of_their_own(world: World) -> None:
    """They sign in to it, and it administers nothing."""
    token = world.invite(world.alice, Role.VIEWER)
    new = NewPerson(
        name="Carol",
        email="carol@example.org",
        locale="de",
        password_hash="$argon2id$x",
        agent="Firefox",
        tokens=(),
    )

    def work(tx: Transaction) -> str | None:
        return team.join_as_new(tx, token, new, now_ms=NOW_MS)

    made = world.database.write_here(work)

    assert made is not None
    found = world.database.read_here(lambda tx: find_signed_in(tx, made, NOW_MS))

    assert found is not None
    caller = found.caller

    assert (caller.account.id, caller.role) == (world.alice.id, Role.VIEWER)
    assert (caller.person.name, caller.person.locale, caller.person.has_password) == ("Carol", "de", True)
    assert (caller.person.is_admin, caller.person.is_personal) == (False, True)
    assert world.database.write_here(work) is None


def test_nobody_takes_the_address_of_another(world: World) -> None:
    """The invitation stays good."""
    token = world.invite(world.alice)
    email = world.bob.email.upper()
    new = NewPerson(name="Bob", email=email, locale="en", password_hash="$argon2id$x", agent="", tokens=())

    def work(tx: Transaction) -> str | None:
        return team.join_as_new(tx, token, new, now_ms=NOW_MS)

    with pytest.raises(InvalidInput) as caught:
        world.database.write_here(work)

    assert caught.value.reason == EMAIL_TAKEN
    assert world.join(world.bob, token) is not None


def test_a_removed_member_is_out_with_the_next_request(world: World) -> None:
    """Their own account is open then."""
    world.join(world.bob, world.invite(world.alice))
    alice = world.caller(world.alice)
    world.database.write_here(lambda tx: team.remove_member(tx, alice, world.bob.id))
    caller = world.caller(world.bob)

    assert (caller.account.id, caller.own, caller.role, caller.memberships) == (world.bob.id, None, Role.OWNER, ())


def test_the_open_account_is_closed_while_it_is_disabled(world: World) -> None:
    """Enabled again, it is open again."""
    world.join(world.bob, world.invite(world.alice))
    world.database.write_here(lambda tx: disable(tx, world.alice.id, NOW_MS))

    assert world.caller(world.bob).account.id == world.bob.id


def test_only_owners_change_the_team(world: World) -> None:
    """Whatever the caller was when the request began: the role is read again."""
    world.join(world.bob, world.invite(world.alice, Role.OWNER))
    bob = world.caller(world.bob)
    world.database.write_here(lambda tx: team.change_role(tx, world.caller(world.alice), world.bob.id, Role.ADMIN))
    attempts = (
        lambda tx: team.invite(tx, bob, role=Role.VIEWER, label="x", now_ms=NOW_MS),
        lambda tx: team.withdraw(tx, bob, 1),
        lambda tx: team.change_role(tx, bob, world.bob.id, Role.OWNER),
        lambda tx: team.remove_member(tx, bob, world.bob.id),
    )
    for attempt in attempts:
        with pytest.raises(NotFound):
            world.database.write_here(attempt)

    assert bob.role is Role.OWNER
    assert world.role(world.alice, world.bob) is Role.ADMIN


def test_the_account_of_a_person_stays_theirs(world: World) -> None:
    """Other owners can neither remove them nor change what they are, and they cannot leave it."""
    world.join(world.bob, world.invite(world.alice, Role.OWNER))
    bob, alice = world.caller(world.bob), world.caller(world.alice)

    for attempt in (
        lambda tx: team.change_role(tx, bob, world.alice.id, Role.VIEWER),
        lambda tx: team.remove_member(tx, bob, world.alice.id),
    ):
        with pytest.raises(NotFound):
            world.database.write_here(attempt)
    for attempt in (lambda tx: team.leave(tx, alice), lambda tx: team.rename(tx, bob, name="Bob's")):
        with pytest.raises(InvalidInput) as caught:
            world.database.write_here(attempt)
        assert caught.value.reason == team.OWN
    world.database.write_here(lambda tx: team.leave(tx, bob))

    assert world.caller(world.bob).account.id == world.bob.id


def test_a_shared_account_keeps_an_owner(world: World) -> None:
    """Its only one can neither leave, nor become less, nor be removed, nor erase their own account."""
    shared = world.shared()
    alice = world.caller(world.alice)
    for attempt in (
        lambda tx: team.leave(tx, alice),
        lambda tx: team.change_role(tx, alice, world.alice.id, Role.ADMIN),
        lambda tx: team.remove_member(tx, alice, world.alice.id),
        lambda tx: begin_erasure(tx, world.alice.id, NOW_MS, by=None),
    ):
        with pytest.raises(InvalidInput) as caught:
            world.database.write_here(attempt)
        assert caught.value.reason == team.LAST_OWNER
    world.join(world.bob, world.invite(world.alice, Role.OWNER))
    world.database.write_here(lambda tx: team.leave(tx, alice))

    assert (world.role(shared, world.alice), world.role(shared, world.bob)) == (None, Role.OWNER)


def test_nobody_signs_in_to_a_shared_account(world: World) -> None:
    """It has the address of who made it, which stays theirs, and no rights."""
    shared = world.shared()
    caller = world.caller(world.alice)

    assert (caller.account, caller.role) == (shared, Role.OWNER)
    assert (shared.is_personal, shared.has_password, shared.is_admin) == (False, False, False)
    assert shared.id not in dict(world.database.read_here(list_addresses))
    for attempt in (
        lambda tx: make_link(tx, shared.id, hours=1, now_ms=NOW_MS),
        lambda tx: set_admin(tx, shared.id, is_admin=True),
    ):
        with pytest.raises(InvalidInput) as caught:
            world.database.write_here(attempt)
        assert caught.value.reason == SHARED


def test_a_shared_account_is_renamed(world: World) -> None:
    """Nothing else of it changes."""
    shared = world.shared()
    caller = world.caller(world.alice)
    world.database.write_here(lambda tx: team.rename(tx, caller, name="  Studio "))

    assert world.database.read_here(lambda tx: load_account(tx, shared.id)) == replace(shared, name="Studio")


def test_what_a_person_works_in_can_be_opened(world: World) -> None:
    """And nothing else; their own again, too."""
    shared = world.shared()

    def opened(account_id: int) -> int:
        caller = world.caller(world.alice)
        world.database.write_here(lambda tx: team.open_account(tx, caller, account_id))
        return world.caller(world.alice).account.id

    assert opened(world.alice.id) == world.alice.id
    assert opened(shared.id) == shared.id
    for foreign in (world.bob.id, 98765, 0):
        with pytest.raises(NotFound):
            opened(foreign)


def test_a_team_has_a_limit(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Members and invitations count together; the last one fits."""
    monkeypatch.setattr(team, "MAX_TEAM", 3)
    world.join(world.bob, world.invite(world.alice))
    world.invite(world.alice)

    with pytest.raises(InvalidInput) as caught:
        world.invite(world.alice)

    assert caught.value.reason == team.TOO_MANY


def test_a_person_works_in_so_many_accounts(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """The last one fits."""
    monkeypatch.setattr(team, "MAX_WORKSPACES", 1)
    world.join(world.bob, world.invite(world.alice))
    carol = world.database.write_here(
        lambda tx: create_account(tx, name="Carol", email="carol@example.org", now_ms=NOW_MS)
    )
    world.database.write_here(lambda tx: add_membership(tx, carol.id, world.alice.id, Role.OWNER, NOW_MS))
    caller = world.caller(world.alice)
    world.database.write_here(lambda tx: team.open_account(tx, caller, carol.id))

    with pytest.raises(InvalidInput) as caught:
        world.join(world.bob, world.invite(world.alice))

    assert caught.value.reason == team.TOO_MANY


@pytest.mark.parametrize("label", ["", " ", "x" * 201, "a\x07"])
def test_an_invitation_says_whom_it_is_for(world: World, label: str) -> None:
    """In 1 to 200 characters that a terminal can show."""
    caller = world.caller(world.alice)

    with pytest.raises(InvalidInput):
        world.database.write_here(lambda tx: team.invite(tx, caller, role=Role.VIEWER, label=label, now_ms=NOW_MS))
