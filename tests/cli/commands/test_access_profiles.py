from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import trustme

from pagegrade.cli import exit_codes
from pagegrade.service.access.operations import Vault, profile_for, unseal
from pagegrade.store.repositories.access_profiles import all_sealed
from tests.cli.command_line import CommandLine

ORIGIN = "https://staging.example"
OLD, NEW = "o" * 32, "n" * 32


@pytest.fixture
def run(command_line: CommandLine, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    """A command line on a database with one account, and a key to encrypt with."""
    monkeypatch.setenv("PAGEGRADE_SECRET_KEY", OLD)
    command_line("migrate")
    return command_line


def listed(run: CommandLine) -> list[dict[str, Any]]:
    """The list as a program reads it."""
    found: list[dict[str, Any]] = json.loads(run("access-profiles", "list", "--format", "json").out)
    return found


def create(run: CommandLine, *more: str) -> str:
    """The id of a new profile with a password."""
    made = run("access-profiles", "create", "--name", "Staging", "--origin", ORIGIN, "-u", "reader:n0t-Shown-1", *more)
    assert made.code == 0, made.err
    return made.out.strip()


def test_a_profile_is_created_listed_changed_and_deleted(run: CommandLine, tmp_path: Path) -> None:
    """From files too; its secrets are stored, and no output shows them."""
    (tmp_path / "headers").write_text("X-Door: n0t-Shown-2\n\nX-More: n0t-Shown-3\n")
    number = create(run, "-H", f"@{tmp_path / 'headers'}", "-b", "session=n0t-Shown-4", "--query", "key=n0t-Shown-5")
    (entry,) = listed(run)
    (tmp_path / "ca.pem").write_bytes(trustme.CA(organization_name="Company").cert_pem.bytes())
    trusting = run("access-profiles", "change", number, "--cacert", str(tmp_path / "ca.pem"))
    trusts = listed(run)[0]["sends"][-1]
    changed = run(
        "access-profiles", "change", number, "-b", "session=n0t-Shown-6", "-A", "Company browser", "--cacert", ""
    )
    database = run.open()
    profile = database.read_here(lambda tx: profile_for(tx, 1, f"{ORIGIN}/page", None))
    database.close()
    table = run("access-profiles", "list").out
    deleted = run("access-profiles", "delete", number)

    assert (trusting.code, "trust in" in trusts, "Company" in trusts) == (0, True, True)
    assert (entry["id"], entry["name"], entry["origins"]) == (1, "Staging", [ORIGIN])
    assert entry["sends"] == ["Basic reader", "header X-Door", "header X-More", "cookie session", "parameter key"]
    assert profile is not None
    access = unseal(profile, Vault(keys=(OLD,)))

    assert (access.user, access.password, access.user_agent) == ("reader", "n0t-Shown-1", "Company browser")
    assert access.headers == (("X-Door", "n0t-Shown-2"), ("X-More", "n0t-Shown-3"))
    assert access.certificates == ""
    assert (access.cookies, access.query) == ((("session", "n0t-Shown-6"),), (("key", "n0t-Shown-5"),))
    assert "n0t-Shown" not in "".join((json.dumps(entry), table, changed.out, changed.err))
    assert (changed.code, deleted.code, listed(run)) == (0, 0, [])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("create", "--origin", ORIGIN, "-H", "X-Door: n0t-Shown-1"), "'--name': Required"),
        (("create", "--name", "S", "-H", "X-Door: n0t-Shown-1"), "'--origin'"),
        (("create", "--name", "S", "--origin", ORIGIN), "nothing to send"),
        (("create", "--name", "S", "--origin", ORIGIN, "-H", "Host: n0t-Shown-1"), "'--header'"),
        (("create", "--name", "S", "--origin", ORIGIN, "-u", "reader"), "password is missing"),
        (("change", "7", "--name", "S"), "no access profile 7"),
        (("delete", "7"), "no access profile 7"),
    ],
)
def test_what_cannot_be_used_is_named_by_its_option(run: CommandLine, arguments: tuple[str, ...], message: str) -> None:
    """And no secret is repeated."""
    said = run("access-profiles", *arguments)

    assert said.code == exit_codes.USAGE
    assert message in " ".join(said.err.split())
    assert "n0t-Shown" not in said.out + said.err


def test_a_key_is_rotated(run: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Secrets of a former key are encrypted anew, and that key can go."""
    create(run)
    monkeypatch.setenv("PAGEGRADE_SECRET_KEY", f"{NEW},{OLD}")
    create(run)
    rotated = run("access-profiles", "rotate")
    again = run("access-profiles", "rotate")
    database = run.open()
    sealed = [text for _, text in database.read_here(all_sealed)]
    database.close()

    assert (rotated.code, rotated.out) == (0, "1 access profile encrypted anew; 1 had the newest key before.\n")
    assert again.out == "0 access profiles encrypted anew; 2 had the newest key before.\n"
    assert [Vault(keys=(NEW,)).key_of(each) for each in sealed] == ["current", "current"]


def test_a_key_that_is_lost_is_said(run: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is changed, for the key may be found again."""
    create(run)
    monkeypatch.setenv("PAGEGRADE_SECRET_KEY", NEW)
    rotated = run("access-profiles", "rotate")
    monkeypatch.setenv("PAGEGRADE_SECRET_KEY", f"{NEW},{OLD}")
    found = run("access-profiles", "rotate")

    assert rotated.code == exit_codes.UNFIT
    assert "1 access profile cannot be decrypted" in rotated.err
    assert found.code == 0
