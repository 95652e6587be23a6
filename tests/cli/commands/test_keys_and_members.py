from __future__ import annotations

import json
from contextlib import closing

import pytest

from pagegrade.clock import now_ms
from pagegrade.model.account import Caller, Role
from pagegrade.service.accounts.access import authenticate, is_well_formed
from pagegrade.service.accounts.team import create_shared, find_invited
from pagegrade.store.repositories.accounts import list_accounts, load_account
from pagegrade.store.repositories.members import add_membership
from tests.cli.command_line import CommandLine, Said

DAY_MS = 86_400_000
ORIGIN = "http://127.0.0.1:8080"


def test_a_script_can_take_the_key(command_line: CommandLine) -> None:
    """KEY=$(pagegrade keys create --name ci) on a machine where nothing was ever set up."""
    made = command_line("keys", "create", "--name", "ci")
    secret = made.out.removesuffix("\n")
    database = command_line.open()
    caller = database.read_here(lambda tx: authenticate(tx, secret, now_ms()))
    database.close()

    assert made.code == 0
    assert is_well_formed(secret)
    assert secret not in made.err
    assert "one time" in made.err
    assert (caller.api_key.name, caller.account.name) == ("ci", "Owner")


def test_keys_are_listed_without_their_secrets(command_line: CommandLine) -> None:
    """L09: the first characters, for people and for programs."""
    secrets = [command_line("keys", "create", "--name", name).out.strip() for name in ("ci", "laptop")]
    table = command_line("keys", "list").out
    text = command_line("keys", "list", "--format", "json").out
    entries = json.loads(text)

    assert [line.split()[:4] for line in table.splitlines()[1:]] == [
        [str(number), "1", name, secret[:12]]
        for number, name, secret in zip((1, 2), ("ci", "laptop"), secrets, strict=True)
    ]
    assert [entry["prefix"] for entry in entries] == [secret[:12] for secret in secrets]
    assert all(secret[12:20] not in table + text for secret in secrets)
    assert set(entries[0]) == {
        "id", "account_id", "name", "prefix", "scopes", "project", "status", "created_at", "expires_at", "revoked_at",
        "last_used_at", "made_by",
    }  # fmt: skip


def test_a_key_is_revoked(command_line: CommandLine) -> None:
    """By what the list shows of it; twice is no error; the list says so."""
    secret = command_line("keys", "create", "--name", "ci").out.strip()
    revoked = command_line("keys", "revoke", secret[:12])
    again = command_line("keys", "revoke", "1")
    unknown = command_line("keys", "revoke", "pgk_nonenone")

    short = command_line("keys", "revoke", "pgk_")

    assert (revoked.code, again.code) == (0, 0)
    assert (short.code, "It may be 1 (ci, revoked)" in short.err) == (2, True)
    assert "is revoked" in revoked.err
    assert "was revoked before" in again.err
    assert (unknown.code, "no such key" in unknown.err) == (2, True)
    assert json.loads(command_line("keys", "list", "-f", "json").out)[0]["status"] == "revoked"


@pytest.mark.parametrize(
    ("arguments", "until"),
    [
        (["--expires", "2999-12-31"], "3000-01-01T00:00:00.000Z"),
        (["--expires", "2999-12-31T12:00:00+02:00"], "2999-12-31T10:00:00.000Z"),
        (["--expires", "2999-12-31T12:00:00.5Z"], "2999-12-31T12:00:00.500Z"),
        ([], None),
    ],
    ids=str,
)
def test_a_key_expires_at_the_given_time(command_line: CommandLine, arguments: list[str], until: str | None) -> None:
    """A day means its end."""
    command_line("keys", "create", "--name", "ci", *arguments)

    assert json.loads(command_line("keys", "list", "-f", "json").out)[0]["expires_at"] == until


def test_a_key_expires_after_so_many_days(command_line: CommandLine) -> None:
    """Counted from now."""
    before = now_ms()
    secret = command_line("keys", "create", "--name", "ci", "--expires-in-days", "30").out.strip()
    after = now_ms()
    database = command_line.open()
    expires_at_ms = database.read_here(lambda tx: authenticate(tx, secret, before)).api_key.expires_at_ms
    database.close()

    assert expires_at_ms is not None
    assert before <= expires_at_ms - 30 * DAY_MS <= after


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--expires", "tomorrow"], "is no time"),
        (["--expires", "2026-13-01"], "is no time"),
        (["--expires", "9999-12-31"], "is no time"),
        (["--expires", "2999-12-31T12:00:00"], "offset"),
        (["--expires", "2001-01-01"], "expired already"),
        (["--expires", "2999-12-31", "--expires-in-days", "1"], "not both"),
        (["--expires-in-days", "0"], "greater than or equal to 1"),
        (["--scope", "admin"], "'admin' is no scope"),
        (["--scopes", "reports:read,admin"], "'admin' is no scope"),
        (["--scopes", ""], "at least one scope"),
        (["--project", "a b"], "A project is a host"),
        (["--account", "7"], "There is no account 7"),
        (["--name", ""], "1 to 200 characters"),
    ],
    ids=str,
)
def test_unusable_arguments_create_no_key(command_line: CommandLine, arguments: list[str], message: str) -> None:
    """Nothing on stdout that a script could take for a key."""
    made = command_line("keys", "create", "--name", "ci", *arguments)

    assert (made.code, made.out) == (2, "")
    assert message in made.err
    assert json.loads(command_line("keys", "list", "-f", "json").out) == []


def test_a_key_can_be_limited_to_a_project(command_line: CommandLine) -> None:
    """And to scopes; both are shown when it is made and in the list."""
    made = command_line(
        "keys", "create", "--name", "ci", "--scope", "ignores", "--project", "https://www.example.com/a"
    )
    (listed,) = json.loads(command_line("keys", "list", "-f", "json").out)
    table = command_line("keys", "list").out

    assert "ignores, for the project example.com only" in made.err
    assert (listed["scopes"], listed["project"]) == (["ignores"], "example.com")
    assert table.splitlines()[1].split()[-2:] == ["ignores", "example.com"]


def test_with_several_accounts_one_must_be_said(command_line: CommandLine) -> None:
    """They are offered."""
    for name in ("alice", "bob"):
        command_line("accounts", "create", "--name", name, "--email", f"{name}@example.org")
    unclear = command_line("keys", "create", "--name", "ci")
    clear = command_line("keys", "create", "--name", "ci", "--account", "2", "--scopes", "reports:read,account:read")
    his = json.loads(command_line("keys", "list", "--account", "2", "-f", "json").out)
    hers = json.loads(command_line("keys", "list", "--account", "1", "-f", "json").out)
    nobodys = command_line("keys", "list", "--account", "3")
    command_line("accounts", "disable", "2")
    disabled = json.loads(command_line("keys", "list", "-f", "json").out)

    assert unclear.code == 2
    assert "1 (alice), 2 (bob)" in unclear.err
    assert clear.code == 0
    assert [entry["scopes"] for entry in his] == [["reports:read", "account:read"]]
    assert hers == []
    assert (nobodys.code, nobodys.out) == (2, "")
    assert [entry["status"] for entry in disabled] == ["account disabled"]


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
