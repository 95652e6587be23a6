from __future__ import annotations

import json
from pathlib import Path

import pytest

from pagegrade.checks import all_checks, all_site_checks
from pagegrade.cli.app import run
from pagegrade.cli.commands.catalogue import explain_check
from pagegrade.service.catalogue import check_penalties

CATALOGUE = {**all_checks(), **all_site_checks()}
CHECKS = list(CATALOGUE)


@pytest.mark.parametrize("check", CHECKS)
def test_every_check_can_be_explained(check: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Its sections, the states with reason and advice, and the sources, readable at 80 columns."""
    explain_check(check)
    out = capsys.readouterr().out

    # The examples of a check of a site are rows of tables.
    shown = list(CATALOGUE[check].documentation)[: 1 if check in all_site_checks() else 3]
    for heading in (*shown, "What it can find", "Sources"):
        assert f"\n{heading}\n" in out
    prose = [line for line in out.splitlines() if "://" not in line]

    assert max(map(len, prose)) <= 80


def test_an_explanation_is_a_success() -> None:
    """Of the whole command."""
    assert run(["explain", "title"]) == 0


@pytest.mark.parametrize("typed", ["Title", "TITLE", " title "])
def test_a_name_is_found_however_it_is_typed(typed: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Case and blanks do not matter."""
    assert run(["explain", typed]) == 0
    assert "[title]" in capsys.readouterr().out


@pytest.mark.parametrize(("typed", "meant"), [("titel", "title"), ("meta description", ""), ("canonicl", "canonical")])
def test_a_name_with_a_slip_is_guessed(typed: str, meant: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The error offers what was probably meant."""
    code = run(["explain", typed])
    captured = capsys.readouterr()

    assert code == (2 if meant else 0)
    assert meant in captured.err


def test_a_name_nothing_sounds_like_leads_to_the_list(capsys: pytest.CaptureFixture[str]) -> None:
    """There is always a next step."""
    assert run(["explain", "qqqqqqqq"]) == 2
    assert "pagegrade checks" in capsys.readouterr().err


def test_the_list_names_every_check(capsys: pytest.CaptureFixture[str]) -> None:
    """With category, importance and price."""
    assert run(["checks"]) == 0
    out = capsys.readouterr().out

    assert all(f"  {name} " in out for name in CHECKS)
    assert "SEO (takes at most 40 points)" in out
    assert f"{len(all_checks())} checks of a page and {len(all_site_checks())} of a site" in out


def test_the_list_is_there_for_programs(capsys: pytest.CaptureFixture[str]) -> None:
    """With what each can cost."""
    assert run(["checks", "--format", "json"]) == 0
    entries = json.loads(capsys.readouterr().out)

    assert [entry["id"] for entry in entries] == CHECKS
    assert {entry["id"]: entry["price"] for entry in entries if entry["category"] != "site"} == check_penalties()
    assert [entry["id"] for entry in entries if entry["category"] == "site"] == list(all_site_checks())
    assert all(entry["states"][0]["loss"] == 0 for entry in entries)


def test_the_description_goes_to_stdout(capsys: pytest.CaptureFixture[str]) -> None:
    """For a pipe."""
    code = run(["openapi"])

    assert code == 0
    assert json.loads(capsys.readouterr().out)["openapi"] == "3.1.0"


def test_the_description_goes_to_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The same, and nothing else is said."""
    path = tmp_path / "openapi.json"
    run(["openapi"])
    shown = capsys.readouterr().out
    code = run(["openapi", "--output", str(path)])

    assert code == 0
    assert path.read_text(encoding="utf-8") == shown
    assert capsys.readouterr().out == ""


def test_a_file_that_cannot_be_written_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With the reason."""
    path = tmp_path / "nowhere" / "openapi.json"

    assert run(["openapi", "--output", str(path)]) == 2
    assert f"{path} cannot be written" in " ".join(capsys.readouterr().err.split())
