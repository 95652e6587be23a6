from __future__ import annotations

import json
from contextlib import closing

import pytest

from pagegrade.clock import now_ms
from pagegrade.model.account import Caller, Role
from pagegrade.service.accounts.team import create_shared, find_invited
from pagegrade.store.repositories.accounts import list_accounts, load_account
from pagegrade.store.repositories.members import add_membership
from tests.cli.command_line import CommandLine, Said

ORIGIN = "http://127.0.0.1:8080"


@pytest.fixture
def people(command_line: CommandLine) -> CommandLine:
    """Alice, in whose workspace Bob is an editor."""
    for name in ("Alice", "Bob"):
        assert command_line("accounts", "create", "--name", name, "--email", f"{name}@example.org").code == 0
    with closing(command_line.open()) as database:
        database.write_here(lambda tx: add_membership(tx, 1, 2, Role.EDITOR, now_ms()))
    return command_line


def listed(said: Said) -> list[tuple[object, ...]]:
    """Id and role of each entry of a list."""
    assert said.code == 0, said.err
    return [(each["id"], each["role"]) for each in json.loads(said.out)]


def test_members_are_listed_changed_and_removed(people: CommandLine) -> None:
    """The person whose workspace it is comes first."""
    before = people("members", "list", "--account", "1", "--format", "json")
    table = people("members", "list", "--account", "1")
    changed = people("members", "role", "2", "admin", "--account", "1")
    between = people("members", "list", "--account", "1", "--format", "json")
    removed = people("members", "remove", "2", "--account", "1")
    after = people("members", "list", "--account", "1", "--format", "json")

    assert listed(before) == [(1, "owner"), (2, "editor")]
    assert table.out.splitlines()[0].split() == ["ID", "NAME", "E-MAIL", "ROLE", "MEMBER", "SINCE"]
    assert "Member 2 of account 1 (Alice) has the role admin." in changed.err
    assert listed(between) == [(1, "owner"), (2, "admin")]
    assert "was removed" in removed.err
    assert listed(after) == [(1, "owner")]


def test_an_invitation_is_a_link_on_stdout(people: CommandLine) -> None:
    """It works until it is withdrawn; the list does not show it."""
    made = people("members", "invite", "--account", "1", "--for", "Carol", "--role", "viewer")
    token = made.out.strip().removeprefix(f"{ORIGIN}/join/")
    waiting = people("members", "invitations", "--account", "1", "--format", "json")
    with closing(people.open()) as database:
        invited = database.read_here(lambda tx: find_invited(tx, token, now_ms()))
    withdrawn = people("members", "withdraw", "1", "--account", "1")
    with closing(people.open()) as database:
        gone = database.read_here(lambda tx: find_invited(tx, token, now_ms()))

    assert made.out == f"{ORIGIN}/join/{token}\n"
    assert "with the role viewer" in made.err
    assert listed(waiting) == [(1, "viewer")]
    assert token not in waiting.out
    assert invited is not None
    assert invited.account.id == 1
    assert withdrawn.code == 0
    assert gone is None


def test_what_cannot_be_done_is_said(people: CommandLine) -> None:
    """One sentence on stderr, nothing on stdout, nothing changed, and the exit code for usage."""
    refused = {
        "is no role. Use one of viewer, editor, admin, owner.": ("members", "role", "2", "boss", "--account", "1"),
        "There is no member 9 whose role can change": ("members", "role", "9", "admin", "--account", "1"),
        "There is no member 1 whose role can change": ("members", "remove", "1", "--account", "1"),
        "There is no invitation 5": ("members", "withdraw", "5", "--account", "1"),
        "There is no account 7": ("members", "list", "--account", "7"),
        "has 1 to 200 characters": ("members", "invite", "--for", "", "--account", "1"),
    }
    said = {sentence: people(*command) for sentence, command in refused.items()}
    with closing(people.open()) as database:
        accounts = database.read_here(list_accounts)

    assert {sentence: (each.code, each.out) for sentence, each in said.items()} == dict.fromkeys(refused, (2, ""))
    assert [sentence for sentence, each in said.items() if sentence not in each.err] == []
    assert len(accounts) == 2


def test_a_shared_workspace_keeps_an_owner(people: CommandLine) -> None:
    """Neither another role nor removal takes the last one away."""
    with closing(people.open()) as database:
        bob = database.read_here(lambda tx: load_account(tx, 2))
        assert bob is not None
        caller = Caller(account=bob)
        database.write_here(lambda tx: create_shared(tx, caller, name="Agency", now_ms=now_ms()))
    role = people("members", "role", "2", "viewer", "--account", "3")
    removal = people("members", "remove", "2", "--account", "3")

    assert (role.code, removal.code) == (2, 2)
    assert "make another member an owner first" in role.err
    assert listed(people("members", "list", "--account", "3", "--format", "json")) == [(2, "owner")]
