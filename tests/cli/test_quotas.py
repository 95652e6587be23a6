from __future__ import annotations

import json

import pytest

from tests.cli.command_line import CommandLine

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
