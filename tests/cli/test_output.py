from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
import typer

from pagegrade.cli import exit_codes
from pagegrade.cli.output import (
    Criteria,
    Plan,
    check_format,
    color_wanted,
    deliver,
    plan_output,
    read_criteria,
    report_verdicts,
    terminal_width,
    write_list,
)
from pagegrade.model.report import Report
from pagegrade.render import render
from tests.report_builders import make_failed_report, make_passed, make_report, make_result

BEFORE = make_report(make_passed("a"), make_result("b"))
AFTER = make_report(make_result("a", importance="medium"), make_result("b"))


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


def saved(tmp_path: Path, *reports: Report, format_name: str = "json") -> str:
    """A file with these reports."""
    path = tmp_path / "baseline"
    path.write_text(render(reports, format_name), encoding="utf-8")
    return str(path)


def exit_code(criteria: Criteria, reports: list[Report], *, quiet: bool) -> int:
    """The exit code of a command with these reports."""
    comparisons = criteria.compare(reports)
    return report_verdicts(criteria, reports, comparisons, criteria.evaluate(reports, comparisons), quiet=quiet)


@pytest.mark.parametrize(
    ("fail_on", "reports", "code"),
    [
        ([], [make_report()], exit_codes.OK),
        (["score<50"], [make_report()], exit_codes.OK),
        (["score<80"], [make_report()], exit_codes.GATE_FAILED),
        (["score<50", "severity=high"], [make_report()], exit_codes.GATE_FAILED),
        (["score<80"], [make_report(score=90), make_report()], exit_codes.GATE_FAILED),
        ([], [make_failed_report()], exit_codes.NOT_ANALYZED),
        (["score<80"], [make_report(), make_failed_report()], exit_codes.NOT_ANALYZED),
    ],
)
def test_the_exit_code_says_how_it_went(
    fail_on: list[str], reports: list[Report], code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    """A page that could not be analyzed weighs more than a failed gate; both are reported on stderr."""
    criteria = read_criteria(fail_on, None, None)
    found = exit_code(criteria, reports, quiet=True)

    assert found == code
    captured = capsys.readouterr()

    assert captured.out == ""
    assert ("Gate failed" in captured.err) is ("score<80" in fail_on or "severity=high" in fail_on)


@pytest.mark.parametrize(
    ("severity", "code"), [("low", exit_codes.GATE_FAILED), ("medium", exit_codes.GATE_FAILED), ("high", exit_codes.OK)]
)
@pytest.mark.parametrize("format_name", ["json", "jsonl"])
def test_only_new_findings_of_the_severity_fail(tmp_path: Path, severity: str, code: int, format_name: str) -> None:
    """Older findings do not stop the build, and neither does a smaller new one."""
    baseline = saved(tmp_path, BEFORE, format_name=format_name)
    criteria = read_criteria([], baseline, severity)

    assert exit_code(criteria, [AFTER], quiet=True) == code


@pytest.mark.parametrize(("severity", "code"), [("low", exit_codes.GATE_FAILED), ("high", exit_codes.OK)])
def test_a_finding_that_got_worse_does_not_get_through(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], severity: str, code: int
) -> None:
    """It is not new, and it is news."""
    before = make_report(make_result("csp", importance="medium", evidence=(), state="weak", lost=0.5))
    after = make_report(make_result("csp", importance="medium", evidence=(), state="missing", lost=1.0))
    criteria = read_criteria([], saved(tmp_path, before), severity)

    assert exit_code(criteria, [after], quiet=True) == code
    assert ("worse than in the baseline" in capsys.readouterr().err) is (code == exit_codes.GATE_FAILED)


def test_each_page_finds_its_own_baseline(tmp_path: Path) -> None:
    """By its address, in whatever order they are."""
    other = make_report(url="https://example.com/other")
    criteria = read_criteria([], saved(tmp_path, other, BEFORE), "low")
    first, second, third = criteria.compare([AFTER, other, make_report(url="https://example.com/third")])

    assert first is not None
    assert len(first.new) == 1
    assert second is not None
    assert second.new == ()
    assert third is None


def test_a_page_without_baseline_does_not_pass_unseen(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A gate that cannot be evaluated is closed, and the reason is printed."""
    reports = [AFTER, make_report(url="https://example.com/third")]
    criteria = read_criteria([], saved(tmp_path, AFTER), "high")

    assert exit_code(criteria, reports, quiet=False) == exit_codes.GATE_FAILED
    assert "https://example.com/third" in capsys.readouterr().err


def test_one_with_one_compares_across_addresses(tmp_path: Path) -> None:
    """Staging against production."""
    criteria = read_criteria([], saved(tmp_path, BEFORE), None)
    (comparison,) = criteria.compare([make_report(make_result("a"), url="https://staging.example.com/")])

    assert comparison is not None
    assert comparison.same_url is False


@pytest.mark.parametrize("text", ["", "not json", "{}", "[]", "[1]", '{"object":"report"}', "{\n}\n{", "[" * 100_000])
def test_a_baseline_that_is_none_is_refused(tmp_path: Path, text: str) -> None:
    """Before any page is fetched, with the file's name."""
    path = tmp_path / "baseline"
    path.write_text(text, encoding="utf-8")

    with pytest.raises(typer.BadParameter, match="baseline"):
        read_criteria([], str(path), None)


def test_a_failed_report_is_no_baseline(tmp_path: Path) -> None:
    """There is nothing in it to compare with."""
    with pytest.raises(typer.BadParameter, match="no finished report"):
        read_criteria([], saved(tmp_path, make_failed_report()), None)


def test_a_change_needs_a_baseline(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """And is measured from the report of the same page in it."""
    before, after = make_report(score=90), make_report(score=79)
    with pytest.raises(typer.BadParameter, match="--baseline"):
        read_criteria(["score drop>=5"], None, None)
    codes = []
    for limit in (11, 12):
        criteria = read_criteria([f"score drop>={limit}"], saved(tmp_path, before), None)
        codes.append(exit_code(criteria, [after], quiet=True))

    assert codes == [exit_codes.GATE_FAILED, exit_codes.OK]
    assert "the score is 79, it was 90" in capsys.readouterr().err


def test_a_check_that_does_not_exist_cannot_be_a_condition() -> None:
    """A spelling mistake must not look like a page that passes, nor like one that fails."""
    with pytest.raises(typer.BadParameter, match="no such check"):
        read_criteria(["check.image-alts"], None, None)
    (gate,) = read_criteria(["check.image-alt"], None, None).gates

    assert str(gate) == "check.image-alt"


def test_every_condition_has_a_verdict_on_every_page(tmp_path: Path) -> None:
    """Those that a build passes, too; a page that could not be analyzed has none."""
    criteria = read_criteria(["score<80", "severity=critical"], saved(tmp_path, BEFORE), "medium")
    reports = [AFTER, make_failed_report()]
    verdicts = criteria.evaluate(reports, criteria.compare(reports))
    conditions = [[(one.condition, one.failure is not None) for one in found] for found in verdicts]

    assert conditions == [[("score<80", True), ("severity=critical", False), ("new>=medium", True)], []]
