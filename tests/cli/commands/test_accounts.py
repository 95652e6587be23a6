from __future__ import annotations

import io
import json
import re
from contextlib import closing

import pytest
from argon2 import PasswordHasher

from pagegrade.clock import now_ms
from pagegrade.model.account import Caller, Role
from pagegrade.service.accounts.access import authenticate, is_well_formed
from pagegrade.service.accounts.team import create_shared, find_invited
from pagegrade.service.sign_in import find_linked
from pagegrade.store.repositories.accounts import list_accounts, load_account, load_password
from pagegrade.store.repositories.installation import note_origin
from pagegrade.store.repositories.members import add_membership
from tests.cli.command_line import CommandLine, Said

DAY_MS = 86_400_000
ORIGIN = "http://127.0.0.1:8080"


def test_an_account_is_made_listed_and_disabled(command_line: CommandLine) -> None:
    """Its id alone goes to stdout, so that a script can take it."""
    made = command_line("accounts", "create", "--name", "Alice", "--email", "alice@example.org")
    listed = command_line("accounts", "list")
    disabled = command_line("accounts", "disable", made.out.strip())
    again = command_line("accounts", "disable", made.out.strip())
    entries = json.loads(command_line("accounts", "list", "--format", "json").out)

    assert (made.code, made.out) == (0, "1\n")
    assert "keys create --account 1" in made.err
    assert listed.out.splitlines()[0].split() == ["ID", "NAME", "E-MAIL", "STATUS", "CREATED"]
    assert listed.out.splitlines()[1].split()[:4] == ["1", "Alice", "alice@example.org", "active"]
    assert (disabled.code, again.code) == (0, 0)
    assert "was disabled before" in again.err
    assert [entry["status"] for entry in entries] == ["disabled"]
    assert set(entries[0]) == {
        "id", "name", "email", "locale", "timezone", "status", "is_admin", "has_password", "is_personal", "created_at",
            "disabled_at",
    }  # fmt: skip


def test_what_cannot_be_done_is_said(command_line: CommandLine) -> None:
    """One sentence on stderr, nothing on stdout, and the exit code for usage."""
    wrong = [
        command_line("accounts", "create", "--name", "Alice", "--email", "no-address"),
        command_line("accounts", "disable", "7"),
        command_line("accounts", "list", "--format", "xml"),
    ]

    assert [(each.code, each.out) for each in wrong] == [(2, "")] * 3
    assert "'no-address' is no e-mail address" in wrong[0].err
    assert "There is no account 7" in wrong[1].err
    assert "Use text or json" in wrong[2].err


def test_a_name_cannot_play_with_the_terminal(command_line: CommandLine) -> None:
    """One that turns the direction of writing is shown as what it is."""
    command_line("accounts", "create", "--name", "abc\u202edef", "--email", "a@example.org")

    assert "\u202e" not in command_line("accounts", "list").out
    assert "abc\N{REPLACEMENT CHARACTER}def" in command_line("accounts", "list").out


def link_of(said: Said, origin: str = "http://127.0.0.1:8080") -> str:
    """The token of the link that stands alone on stdout."""
    found = re.fullmatch(rf"{re.escape(origin)}/sign-in/([\w-]{{43}})\n", said.out)
    if found is None:
        raise AssertionError(said)
    return found[1]


def test_a_link_to_sign_in_stands_alone_on_stdout(command_line: CommandLine) -> None:
    """Also on an empty database, whose owner it makes; stderr says whose it is, that it works once, and until when."""
    said = command_line("accounts", "login-link", "--hours", "2")
    token = link_of(said)
    database = command_line.open()
    account = database.read_here(lambda tx: find_linked(tx, token, now_ms()))
    late = database.read_here(lambda tx: find_linked(tx, token, now_ms() + 2 * 3_600_000))
    database.close()

    assert said.code == 0
    assert account is not None
    assert (account.id, account.is_admin) == (1, True)
    assert late is None
    assert "account 1 (Owner) once, until 20" in said.err
    assert token not in said.err


def test_a_link_leads_to_the_server(command_line: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    """To where it says it was reached last; what is set is stronger."""
    command_line("accounts", "list")
    database = command_line.open()
    database.write_here(lambda tx: note_origin(tx, "http://127.0.0.1:9000"))
    database.close()
    noted = command_line("accounts", "login-link")
    monkeypatch.setenv("PAGEGRADE_BASE_URL", "https://reports.example.org")
    configured = command_line("accounts", "login-link")

    assert link_of(noted, "http://127.0.0.1:9000")
    assert link_of(configured, "https://reports.example.org")


def test_of_several_accounts_one_is_named(command_line: CommandLine) -> None:
    """And it has to work."""
    for name in ("Alice", "Bob"):
        command_line("accounts", "create", "--name", name, "--email", f"{name}@example.org")
    unclear = command_line("accounts", "login-link")
    clear = command_line("accounts", "login-link", "--account", "2")
    command_line("accounts", "disable", "2")
    wrong = [command_line("accounts", "login-link", "--account", each) for each in ("2", "9")]
    long = command_line("accounts", "login-link", "--hours", "721")

    assert (unclear.code, unclear.out) == (2, "")
    assert "say which with --account" in unclear.err
    assert "account 2 (Bob)" in clear.err
    assert [(each.code, each.out) for each in (*wrong, long)] == [(2, "")] * 3
    assert "There is no account" in wrong[0].err


def test_an_invitation_is_a_link_for_the_new_account(command_line: CommandLine) -> None:
    """Instead of the id, which stderr has."""
    said = command_line("accounts", "create", "--name", "Bob", "--email", "bob@example.org", "--invite")
    token = link_of(said)
    database = command_line.open()
    account = database.read_here(lambda tx: find_linked(tx, token, now_ms() + 6 * 86_400_000))
    database.close()

    assert account is not None
    assert account.email == "bob@example.org"
    assert "Made account 1 (Bob)" in said.err


def test_a_password_is_read_from_stdin(command_line: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Exactly as it is, but for the end of its line; it is neither printed nor stored."""
    command_line("accounts", "create", "--name", "Alice", "--email", "alice@example.org")

    def type_in(text: str, account: str = "1") -> Said:
        monkeypatch.setattr("sys.stdin", io.StringIO(text))
        return command_line("accounts", "password", account)

    short, unknown = type_in("short\n"), type_in("correct horse\n", "7")
    done = type_in(" correct horse \n")
    database = command_line.open()
    hashed = database.read_here(lambda tx: load_password(tx, 1))
    database.close()

    assert (short.code, unknown.code, done.code) == (2, 2, 0)
    assert "8 to 128 characters" in short.err
    assert "There is no account 7" in unknown.err
    assert "Sign in with alice@example.org" in done.err
    assert "correct horse" not in done.out + done.err
    assert hashed is not None
    assert PasswordHasher().verify(hashed, " correct horse ")


def test_rights_are_given_and_taken(command_line: CommandLine) -> None:
    """But not the last administrator's; the operator who disables that one gets a warning."""
    for name in ("Alice", "Bob"):
        command_line("accounts", "create", "--name", name, "--email", f"{name}@example.org")
    last = command_line("accounts", "admin", "1", "--remove")
    given = command_line("accounts", "admin", "2")
    taken = command_line("accounts", "admin", "1", "--remove")
    gone = command_line("accounts", "disable", "2")
    database = command_line.open()
    rights = [account.is_admin for account in database.read_here(list_accounts)]
    database.close()

    assert (last.code, given.code, taken.code, gone.code) == (2, 0, 0, 0)
    assert "only administrator" in last.err
    assert "Account 2 (Bob) administers this installation." in given.err
    assert "Account 1 (Alice) administers this installation no longer." in taken.err
    assert rights == [False, True]
    assert "No account administers this installation now" in gone.err


def test_an_account_is_enabled_again(command_line: CommandLine) -> None:
    """Doing it twice is no error."""
    command_line("accounts", "create", "--name", "Alice", "--email", "alice@example.org")
    command_line("accounts", "disable", "1")
    first, second = command_line("accounts", "enable", "1"), command_line("accounts", "enable", "1")

    assert (first.code, second.code) == (0, 0)
    assert "works again" in first.err
    assert "was not disabled" in second.err
    assert "active" in command_line("accounts", "list").out


def test_an_account_is_erased_once_that_is_confirmed(command_line: CommandLine) -> None:
    """Without a terminal to ask on it takes --yes; doing it again is an error, because it is not there."""
    command_line("accounts", "create", "--name", "Alice", "--email", "alice@example.org")
    command_line("accounts", "create", "--name", "Bob", "--email", "bob@example.org")
    unconfirmed = command_line("accounts", "delete", "2")
    before = json.loads(command_line("accounts", "list", "--format", "json").out)
    done = command_line("accounts", "delete", "2", "--yes")
    after = json.loads(command_line("accounts", "list", "--format", "json").out)
    again = command_line("accounts", "delete", "2", "--yes")
    last = command_line("accounts", "delete", "1", "--yes")

    assert (unconfirmed.code, [entry["id"] for entry in before]) == (2, [1, 2])
    assert "--yes" in unconfirmed.err
    assert (done.code, done.out, done.err) == (0, "", "Account 2 is erased, with 0 reports.\n")
    assert [entry["id"] for entry in after] == [1]
    assert again.code == 2
    assert "There is no account 2" in again.err
    assert last.code == 0
    assert "No account administers this installation now" in last.err


ALICE = ("--name", "Alice", "--email", "alice@example.org")


def test_quotas_are_shown_and_changed(command_line: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that no option names stay as they are; an empty one is that of the plan again."""
    monkeypatch.setenv("PAGEGRADE_PLANS", "default: reports=9, agency: reports=90")
    command_line("accounts", "create", *ALICE)

    def most(*options: str) -> dict[str, int | None]:
        said = command_line("accounts", "quotas", "1", "--format", "json", *options)
        assert said.code == 0, said.err
        return {each["quota"]: each["most"] for each in json.loads(said.out)}

    before = most()
    of_plan = most("--plan", "agency", "--set", "audits=3", "--set", "monitors=none")
    own = most("--set", "reports=7", "--set", "audits=")
    back = most("--plan", "none", "--set", "reports=")
    table = command_line("accounts", "quotas", "1")

    assert (before["reports"], before["analyses_per_month"], before["monitors"]) == (9, None, 100)
    assert (of_plan["reports"], of_plan["audits"], of_plan["monitors"]) == (90, 3, None)
    assert (own["reports"], own["audits"], own["monitors"]) == (7, 1000, None)
    assert back["reports"] == 9
    assert table.out.splitlines()[0].split() == ["QUOTA", "USED", "AT", "MOST"]
    assert ["monitors", "0", "no", "limit"] in [line.split() for line in table.out.splitlines()]


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("9",), "There is no account 9"),
        (("1", "--plan", "agency"), "There is no plan 'agency'"),
        (("1", "--set", "reports"), "Write a quota like reports=500"),
        (("1", "--set", "reports=many"), "reports is a number from 0"),
        (("1", "--set", "pages=1"), "pages is no quota"),
    ],
)
def test_what_cannot_be_changed_is_said(command_line: CommandLine, arguments: tuple[str, ...], why: str) -> None:
    """And nothing is."""
    command_line("accounts", "create", *ALICE)
    said = command_line("accounts", "quotas", *arguments)

    assert (said.code, said.out) == (2, "")
    assert why in said.err


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


def test_members_what_cannot_be_done_is_said(people: CommandLine) -> None:
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
