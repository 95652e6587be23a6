from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
import typer

from pagegrade.cli.output import Plan, check_format, color_wanted, deliver, plan_output, terminal_width, write_list
from tests.report_builders import make_report


class Terminal(io.StringIO):
    """A stream that is a terminal."""

    def isatty(self) -> bool:
        """Yes."""
        return True


@pytest.mark.parametrize(
    ("formats", "outputs", "parts"),
    [
        ([], [], (("text", "-"),)),
        (["json"], [], (("json", "-"),)),
        (["json"], ["a"], (("json", "a"),)),
        (["json", "text"], ["a"], (("json", "a"), ("text", "-"))),
        (["json", "html"], ["a", "b"], (("json", "a"), ("html", "b"))),
        (["text", "json"], ["-", "b"], (("text", "-"), ("json", "b"))),
        ([], ["r.html"], (("html", "r.html"),)),
        (["json"], ["a", "b.sarif", "c.xml"], (("json", "a"), ("sarif", "b.sarif"), ("junit", "c.xml"))),
    ],
)
def test_formats_and_files_pair_in_order(
    formats: list[str], outputs: list[str], parts: tuple[tuple[str, str], ...]
) -> None:
    """The first file takes the first format; what has no file goes to the terminal."""
    assert plan_output(formats, outputs, quiet=False) == Plan(parts)


@pytest.mark.parametrize(
    ("formats", "outputs", "words"),
    [
        (["text", "json"], [], "--output FILE"),
        (["nonsense"], [], "jsonl"),
        ([], ["report"], "--format"),
        (["json", "html"], ["same", "same"], "named twice"),
        ([], ["/"], "is a folder"),
    ],
)
def test_a_plan_that_cannot_work_is_refused_at_once(formats: list[str], outputs: list[str], words: str) -> None:
    """Not after a minute of work."""
    with pytest.raises(typer.BadParameter, match=words):
        plan_output(formats, outputs, quiet=False)


def test_files_get_no_colours_and_stdout_its_own_format(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Forced colors are for the terminal."""
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.delenv("NO_COLOR", raising=False)
    target = tmp_path / "report.txt"
    deliver(Plan((("text", str(target)), ("json", "-"))), [make_report()])

    assert "79 of 100" in target.read_text(encoding="utf-8")
    assert "\x1b" not in target.read_text(encoding="utf-8")
    assert json.loads(capsys.readouterr().out)["score"] == 79


def test_a_file_that_cannot_be_written_is_reported(tmp_path: Path) -> None:
    """Its name and the system's reason."""
    with pytest.raises(typer.BadParameter, match="cannot be written"):
        deliver(Plan((("json", str(tmp_path)),)), [make_report()])


@pytest.mark.parametrize(
    ("stream", "environment", "wanted"),
    [
        (Terminal(), {}, True),
        (io.StringIO(), {}, False),
        (Terminal(), {"NO_COLOR": "1"}, False),
        (Terminal(), {"NO_COLOR": ""}, True),
        (Terminal(), {"TERM": "dumb"}, False),
        (io.StringIO(), {"FORCE_COLOR": "1"}, True),
        (io.StringIO(), {"FORCE_COLOR": "0"}, False),
        (io.StringIO(), {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
    ],
)
def test_colour_follows_the_conventions(stream: io.StringIO, environment: dict[str, str], *, wanted: bool) -> None:
    """NO_COLOR first, then FORCE_COLOR, then whether the stream is a terminal."""
    assert color_wanted(stream, environment) is wanted


def test_what_is_no_terminal_is_80_columns_wide(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pipe has no width of its own; COLUMNS may say one."""
    monkeypatch.delenv("COLUMNS", raising=False)
    narrow = terminal_width(io.StringIO())
    monkeypatch.setenv("COLUMNS", "66")

    assert narrow == 80
    assert terminal_width(io.StringIO()) == 66


ROWS = [
    {"id": 1, "name": "Žofie\x1b[31m", "tags": ["a", "b"], "at": None},
    {"id": 10, "name": "B", "tags": [], "at": "2026-01-01T00:00:00.000Z"},
]


def test_a_table_stands_in_columns(capfd: pytest.CaptureFixture[str]) -> None:
    """As wide as what is in them, one line a row; nothing a terminal would obey."""
    write_list(ROWS, {"id": "ID", "name": "NAME", "tags": "TAGS", "at": "AT"}, "text")

    assert capfd.readouterr().out == (
        "ID  NAME        TAGS  AT\n"
        "1   Žofie\N{REPLACEMENT CHARACTER}[31m  a b   -\n"
        "10  B                 2026-01-01T00:00:00.000Z\n"
    )


def test_programs_get_everything(capfd: pytest.CaptureFixture[str]) -> None:
    """Also what the table leaves out, and an empty list for nothing."""
    write_list(ROWS, {"id": "ID"}, "json")
    full = capfd.readouterr().out
    write_list([], {"id": "ID"}, "json")

    assert json.loads(full) == ROWS
    assert json.loads(capfd.readouterr().out) == []


def test_an_empty_table_has_its_headings(capfd: pytest.CaptureFixture[str]) -> None:
    """The command visibly worked."""
    write_list([], {"id": "ID", "name": "NAME"}, "text")

    assert capfd.readouterr().out == "ID  NAME\n"


def test_a_format_must_exist() -> None:
    """Said before anything is done."""
    check_format("json")

    with pytest.raises(typer.BadParameter, match="'xml' is no format here"):
        check_format("xml")
