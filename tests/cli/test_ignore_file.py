"""``pagegrade.toml``."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
import typer

from pagegrade.cli.app import run
from pagegrade.cli.ignore_file import MAX_FILE_BYTES, read_ignores
from pagegrade.model.ignores import MAX_RULES, IgnoreRule
from tests.cli.site import PAGE

RULE = '[[ignore]]\ncheck = "image-alt"\nreason = "Known."\n'


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
        ("#" + "x" * MAX_FILE_BYTES, "larger than 1 MB"),
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
