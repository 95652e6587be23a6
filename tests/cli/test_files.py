"""Files named on the command line."""

from __future__ import annotations

import io
import json
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
import typer

from pagegrade.cli import files
from pagegrade.cli.app import run
from pagegrade.cli.files import MAX_IGNORES_BYTES, read_file, read_ignores, typed_lines
from pagegrade.model.outcome import MAX_RULES, IgnoreRule
from tests.cli.site import PAGE

RULE = '[[ignore]]\ncheck = "image-alt"\nreason = "Known."\n'


def test_file_is_read_whole(tmp_path: Path) -> None:
    """Its bytes, nothing else."""
    path = tmp_path / "page.html"
    path.write_bytes(b"\x00\xff<p>")

    assert read_file(str(path), "--html") == b"\x00\xff<p>"


def test_dash_is_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    """As everywhere."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"piped")))

    assert read_file("-", "--html") == b"piped"


@pytest.mark.parametrize("name", ["missing.html", "."])
def test_unreadable_file_names_the_option_and_the_path(tmp_path: Path, name: str) -> None:
    """The message says which file and what is wrong with it."""
    with pytest.raises(typer.BadParameter) as failure:
        read_file(str(tmp_path / name), "--html")

    assert str(tmp_path / name) in failure.value.message
    assert failure.value.param_hint == "'--html'"


def test_limit_is_the_last_size_that_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """At the limit it is read, one byte past it is refused."""
    monkeypatch.setattr(files, "MAX_FILE_BYTES", 10)
    path = tmp_path / "x"
    path.write_bytes(b"x" * 10)

    assert len(read_file(str(path), "--html")) == 10
    path.write_bytes(b"x" * 11)
    with pytest.raises(typer.BadParameter, match="larger"):
        read_file(str(path), "--html")


def test_a_value_may_stand_in_a_file(tmp_path: Path) -> None:
    """Then it is in no list of processes; empty lines count nothing."""
    path = tmp_path / "headers"
    path.write_text("X-One: 1\n\nX-Two: 2\n")

    assert typed_lines("X-One: 1", "--header") == ["X-One: 1"]
    assert typed_lines(f"@{path}", "--header") == ["X-One: 1", "X-Two: 2"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_file_of_the_current_folder_is_read(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """If there is one; ``--config`` names another."""
    (folder / "page.html").write_bytes(PAGE)
    arguments = ["evaluate", "--html", "page.html", "--url", "https://example.com/", "-f", "json"]
    outcomes = []
    for more in ([], ["--config", "other.toml"]):
        for name, text in (("pagegrade.toml", RULE), ("other.toml", "")):
            (folder / name).write_text(text)
        run([*arguments, *more])
        outcomes.append(json.loads(capsys.readouterr().out)["results"]["image-alt"]["outcome"])

    assert outcomes[0] == "ignored"
    assert outcomes[1] in {"warning", "failed"}


def test_without_a_file_there_are_no_rules() -> None:
    """A missing file that was named is an error."""
    assert read_ignores(None) == ()
    with pytest.raises(typer.BadParameter, match="cannot be read"):
        read_ignores("missing.toml")


def test_every_member_is_read(folder: Path) -> None:
    """Days, times with and without a zone, and texts of both."""
    members = 'selector = ".a b"\nurl_pattern = "*.js"\nproject = "WWW.Example.com"\nplaces = 3\nstate = "missing"\n'
    moments = {
        "2030-01-02": datetime(2030, 1, 2, 23, 59, 59, 999_999, UTC),
        '"2030-01-02"': datetime(2030, 1, 2, 23, 59, 59, 999_999, UTC),
        "2030-01-02T03:04:05": datetime(2030, 1, 2, 3, 4, 5, tzinfo=UTC),
        '"2030-01-02T03:04:05+02:00"': datetime(2030, 1, 2, 1, 4, 5, tzinfo=UTC),
    }
    (folder / "pagegrade.toml").write_text(
        "".join(f"{RULE}{members}expires_at = {moment}\n" for moment in moments), encoding="utf-8"
    )

    assert read_ignores(None) == tuple(
        IgnoreRule(
            check="image-alt",
            reason="Known.",
            selector=".a b",
            url_pattern="*.js",
            project="example.com",
            places=3,
            state="missing",
            expires_at=moment.astimezone(UTC),
        )
        for moment in moments.values()
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[[ignore", "is not TOML"),
        ("x = 1", "'x' is unknown"),
        ("ignore = 1", r"below a line \[\[ignore\]\]"),
        ("[ignore]", r"below a line \[\[ignore\]\]"),
        (RULE + "[[ignore]]\n", "rule 2: check: There is no such check"),
        (RULE.replace("alt", "alts"), "pagegrade checks` and /checks list them all"),
        ('[[ignore]]\ncheck = "image-alt"\n', "reason: Required"),
        (RULE + "why = 1", "'why' is unknown"),
        (RULE + "selector = 1", "selector must be text"),
        (RULE + 'selector = "a:hover"', "selector: Use a selector"),
        (RULE + "places = 0", "places must be"),
        (RULE + "places = true", "places must be"),
        (RULE + 'project = "//"', "is no host"),
        (RULE + 'state = "none"', "has no such state"),
        (RULE + 'expires_at = "soon"', "expires_at must be"),
        (RULE + "expires_at = 3", "expires_at must be"),
        (RULE * (MAX_RULES + 1), f"at most {MAX_RULES}"),
        ("#" + "x" * MAX_IGNORES_BYTES, "larger than 1 MB"),
    ],
)
def test_what_cannot_be_used_is_named(folder: Path, text: str, message: str) -> None:
    """With the file and the number of the rule."""
    (folder / "pagegrade.toml").write_text(text, encoding="utf-8")

    with pytest.raises(typer.BadParameter, match=message):
        read_ignores(None)


def test_as_many_rules_as_allowed_are_read(folder: Path) -> None:
    """The limit itself is fine."""
    (folder / "pagegrade.toml").write_text(RULE * MAX_RULES, encoding="utf-8")

    assert len(read_ignores(None)) == MAX_RULES
