from __future__ import annotations

import io
import json
import re

import pytest
from argon2 import PasswordHasher

from pagegrade.clock import now_ms
from pagegrade.service.sign_in import find_linked
from pagegrade.store.repositories.accounts import list_accounts, load_password
from pagegrade.store.repositories.installation import note_origin
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
