"""Output of reports and lists: formats, tables, colors, and the gates and baselines that decide the exit code."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, TextIO

import msgspec
import typer
from msgspec.structs import replace

from pagegrade.cli import exit_codes
from pagegrade.cli.files import read_file
from pagegrade.model.errors import InvalidInput
from pagegrade.model.report import Report
from pagegrade.render import FORMATS, RenderOptions, render
from pagegrade.render.escape import visible
from pagegrade.render.history import why_not_compared
from pagegrade.report.compare import Comparison, compare_reports
from pagegrade.report.gates import SEVERITIES, Gate, Importance, Verdict, parse_gate
from pagegrade.report.serialize import report_from_dict

if TYPE_CHECKING:
    from pagegrade.render.sarif import Source

STDOUT: Final = "-"
BY_LINE: Final = "jsonl"
"""The format in which a page needs none of the others."""
_ENDINGS: Final = {
    ".txt": "text",
    ".json": "json",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".csv": "csv",
    ".md": "markdown",
    ".markdown": "markdown",
    ".html": "html",
    ".htm": "html",
    ".sarif": "sarif",
    ".jsonld": "earl",
    ".xml": "junit",
}
_DEFAULT_WIDTH: Final = 80
_SHOWN_NEW: Final = 5
_NEW_BASELINE: Final = "Make a new baseline with the options of this run."


class Plan(msgspec.Struct, frozen=True):
    """Formats with the place each is written to."""

    parts: tuple[tuple[str, str], ...]
    """(format, file); the file is ``-`` for stdout."""
    quiet: bool = False
    sources: tuple[Source, ...] = ()
    """Source folders of the pages, for SARIF."""

    @property
    def text_on_stdout(self) -> bool:
        """Return whether a person reads stdout."""
        return ("text", STDOUT) in self.parts


def plan_output(formats: Sequence[str], outputs: Sequence[str], *, quiet: bool, sources: Sequence[str] = ()) -> Plan:
    """Pair ``--format`` with ``--output`` in order; what has no file goes to stdout.

    Raises:
        typer.BadParameter: A format does not exist, a file cannot be written, stdout would hold two reports, or a
            source is none.
    """
    for name in formats:
        if name not in FORMATS:
            raise typer.BadParameter(
                f"{name!r} is no format. Use one of {', '.join(FORMATS)}.", param_hint="'--format'"
            )
    for path in outputs:
        _check_writable(path)
    chosen = [*formats, *(_format_of(path) for path in outputs[len(formats) :])] or ["text"]
    places = [*outputs, *[STDOUT] * (len(chosen) - len(outputs))]
    if places.count(STDOUT) > 1:
        raise typer.BadParameter(
            f"{places.count(STDOUT)} formats would go to the terminal at once. Give an --output FILE for all but one.",
            param_hint="'--format'",
        )
    files = [path for path in places if path != STDOUT]
    twice = next((path for path in files if files.count(path) > 1), None)
    if twice is not None:
        raise typer.BadParameter(f"{twice} is named twice. Give every format its own file.", param_hint="'--output'")
    return Plan(tuple(zip(chosen, places, strict=True)), quiet, _read_sources(sources))


def _read_sources(typed: Sequence[str]) -> tuple[Source, ...]:
    if not typed:
        return ()
    from pagegrade.render.sarif import parse_source

    try:
        return tuple(map(parse_source, typed))
    except InvalidInput as error:
        raise typer.BadParameter(error.message, param_hint="'--source'") from error


class ReportLines:
    """The formats of a line per page, each written as soon as its page is done."""

    def __init__(self, plan: Plan) -> None:
        """Begin the files.

        Raises:
            typer.BadParameter: One cannot be written.
        """
        self._places = [path for name, path in plan.parts if name == BY_LINE]
        for path in self._places:
            if path != STDOUT:
                _write(path, "", "w")

    def write(self, report: Report) -> None:
        """Add the line of a page; reports of several pages come in the order in which they are done.

        Raises:
            InvalidInput: A file cannot be written any longer.
        """
        line = render(report, BY_LINE) if self._places else ""
        for path in self._places:
            if path == STDOUT:
                write_stdout(line, machine=True)
                continue
            try:
                _write(path, line, "a")
            except typer.BadParameter as error:
                raise InvalidInput(f"--output: {error.message}") from error


def deliver(
    plan: Plan,
    reports: Sequence[Report],
    comparisons: Sequence[Comparison | None] = (),
    verdicts: Sequence[Sequence[Verdict]] = (),
    *,
    lines_written: bool = False,
) -> None:
    """Write the reports everywhere the plan says.

    Args:
        comparisons: To each, the difference from its baseline.
        verdicts: To each, the conditions of the build.
        lines_written: ``ReportLines`` has written the formats of a line per page.

    Raises:
        typer.BadParameter: A file cannot be written.
    """
    base = RenderOptions(
        quiet=plan.quiet,
        comparisons=tuple(comparisons),
        verdicts=tuple(map(tuple, verdicts)),
        sources=plan.sources,
    )
    for name, path in plan.parts:
        if name == BY_LINE and lines_written:
            continue
        if path == STDOUT:
            options = replace(
                base,
                width=terminal_width(sys.stdout),
                color=color_wanted(sys.stdout, os.environ),
                ascii_only=not encodes_ornaments(sys.stdout),
            )
            write_stdout(render(reports, name, options), machine=name != "text")
        else:
            _write(path, render(reports, name, base), "w")


def _write(path: str, text: str, mode: Literal["w", "a"]) -> None:
    try:
        with Path(path).open(mode, encoding="utf-8", newline="\n") as file:
            file.write(text)
    except OSError as error:
        raise _unwritable(path, error) from error


def write_stdout(text: str, *, machine: bool = False) -> None:
    """Write to stdout; a reader that went away (``| head``) is no error.

    Args:
        machine: For programs, so always UTF-8; text for people uses the terminal's own encoding.
    """
    encoding = "utf-8" if machine else sys.stdout.encoding or "utf-8"
    write_bytes(text.encode(encoding, "backslashreplace"))


def write_bytes(data: bytes) -> None:
    """As ``write_stdout``, of a file that is no text."""
    write_parts((data,))


def write_parts(parts: Iterable[bytes]) -> None:
    """As ``write_bytes``, a part at a time."""
    try:
        sys.stdout.flush()
        sys.stdout.buffer.writelines(parts)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        # Python flushes stdout once more at exit and would complain then: let it flush into nothing.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def color_wanted(stream: TextIO, environment: Mapping[str, str]) -> bool:
    """Return whether to color: ``NO_COLOR`` says no, else ``FORCE_COLOR`` yes, else only a terminal that is not dumb.

    Sources: https://no-color.org/ and https://force-color.org/
    """
    if environment.get("NO_COLOR"):
        return False
    if environment.get("FORCE_COLOR", "0") not in {"", "0"}:
        return True
    return stream.isatty() and environment.get("TERM") != "dumb"


def terminal_width(stream: TextIO) -> int:
    """Columns of the terminal, or of ``COLUMNS``; 80 where there is neither."""
    if not stream.isatty() and "COLUMNS" not in os.environ:
        return _DEFAULT_WIDTH
    return shutil.get_terminal_size((_DEFAULT_WIDTH, 24)).columns


def encodes_ornaments(stream: TextIO) -> bool:
    """Return whether the stream can show lines, blocks and typographic quotes."""
    try:
        "█░─→…“”•".encode(stream.encoding or "utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _format_of(path: str) -> str:
    ending = Path(path).suffix.lower()
    if path == STDOUT:
        return "text"
    if ending not in _ENDINGS:
        raise typer.BadParameter(
            f"{path} has no ending that says a format ({', '.join(_ENDINGS)}). Say it with --format.",
            param_hint="'--output'",
        )
    return _ENDINGS[ending]


def _check_writable(path: str) -> None:
    """Say now, not after minutes of work, that a file cannot be written."""
    target = Path(path)
    if path == STDOUT:
        return
    if target.is_dir():
        raise typer.BadParameter(f"{path} is a folder. Name a file in it.", param_hint="'--output'")
    if not target.parent.is_dir():
        raise typer.BadParameter(f"The folder {target.parent} does not exist. Make it first.", param_hint="'--output'")


def _unwritable(path: str, error: OSError) -> typer.BadParameter:
    return typer.BadParameter(f"{path} cannot be written: {error.strerror}.", param_hint="'--output'")


LIST_FORMATS = ("text", "json")


def check_format(name: str) -> None:
    """Say before any work that there is no such format.

    Raises:
        typer.BadParameter: There is none.
    """
    if name not in LIST_FORMATS:
        raise typer.BadParameter(f"{name!r} is no format here. Use text or json.", param_hint="'--format'")


def write_list(rows: Sequence[Mapping[str, object]], columns: Mapping[str, str], format_name: str) -> None:
    """Write rows to stdout.

    Args:
        rows: Plain values by name.
        columns: Name of a value -> heading, for the table for people; JSON has every value.
        format_name: ``text`` or ``json``.
    """
    if format_name == "json":
        write_stdout(json.dumps(list(rows), ensure_ascii=False, indent=2) + "\n", machine=True)
        return
    table = [list(columns.values()), *([_shown(row[name]) for name in columns] for row in rows)]
    widths = [max(len(line[index]) for line in table) for index in range(len(columns))]
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) for line in table)
    write_stdout("".join(f"{line.rstrip()}\n" for line in lines))


def _shown(value: object) -> str:
    """One line, and nothing a terminal would obey."""
    match value:
        case None:
            return "-"
        case list() | tuple():
            return " ".join(map(str, value))
        case _:
            return "".join(each if each.isprintable() else "\N{REPLACEMENT CHARACTER}" for each in str(value))


class Criteria(msgspec.Struct, frozen=True):
    """Conditions that the reports must meet."""

    gates: tuple[Gate, ...] = ()
    baseline: tuple[Report, ...] = ()
    fail_on_new: Importance | None = None

    def evaluate(
        self, reports: Sequence[Report], comparisons: Sequence[Comparison | None]
    ) -> tuple[tuple[Verdict, ...], ...]:
        """The verdicts on each report; none on a page that could not be analyzed."""
        return tuple(
            self._evaluate(report, comparison, alone=len(reports) == 1) if report.state == "completed" else ()
            for report, comparison in zip(reports, comparisons, strict=True)
        )

    def _evaluate(self, report: Report, comparison: Comparison | None, *, alone: bool) -> tuple[Verdict, ...]:
        before = self._before(report, alone=alone)
        earlier = () if before is None or before.basis != report.basis else (before,)
        verdicts = [Verdict(str(gate), gate.failure(report, earlier)) for gate in self.gates]
        if self.fail_on_new is not None:
            reasons = _new_findings(comparison, self.fail_on_new)
            verdicts.append(Verdict(f"new>={self.fail_on_new}", "; ".join(reasons) or None))
        return tuple(verdicts)

    def compare(self, reports: Sequence[Report]) -> tuple[Comparison | None, ...]:
        """The difference of each report from its baseline; ``None`` where there is none."""
        return tuple(self._compare(report, alone=len(reports) == 1) for report in reports)

    def _before(self, report: Report, *, alone: bool) -> Report | None:
        """The report of the baseline to compare with; ``None`` where there is none."""
        before = next((one for one in self.baseline if one.url == report.url), None)
        if before is None and alone and len(self.baseline) == 1:
            # Staging against production: one with one compares whatever the addresses.
            before = self.baseline[0]
        return before

    def _compare(self, report: Report, *, alone: bool) -> Comparison | None:
        before = self._before(report, alone=alone)
        if before is None or report.state != "completed":
            return None
        return compare_reports(before, report)


def read_criteria(fail_on: Sequence[str], baseline: str | None, fail_on_new: str | None) -> Criteria:
    """Read the options, before any work is done.

    Raises:
        typer.BadParameter: An expression, the severity or the baseline cannot be used.
    """
    gates = []
    for expression in fail_on:
        try:
            gates.append(parse_gate(expression))
        except InvalidInput as error:
            raise typer.BadParameter(error.message, param_hint="'--fail-on'") from error
    for gate in gates:
        _check_gate(gate, baseline)
    if fail_on_new is not None and fail_on_new not in SEVERITIES:
        raise typer.BadParameter(
            f"{fail_on_new!r} is no severity. Use one of {', '.join(SEVERITIES)}.", param_hint="'--fail-on-new'"
        )
    if fail_on_new is not None and baseline is None:
        raise typer.BadParameter(
            "What is new shows only against an earlier report. Give one with --baseline FILE.",
            param_hint="'--fail-on-new'",
        )
    earlier = () if baseline is None else _read_baseline(baseline)
    return Criteria(tuple(gates), earlier, fail_on_new)


def _check_gate(gate: Gate, baseline: str | None) -> None:
    if gate.change and baseline is None:
        raise typer.BadParameter(
            f"{gate}: a change shows only against an earlier report. Give one with --baseline FILE.",
            param_hint="'--fail-on'",
        )
    if gate.subject.startswith("check."):
        # Only those who name a check need the table of all checks, which takes a moment to load.
        from pagegrade.checks import all_checks

        if gate.subject.removeprefix("check.") not in all_checks():
            raise typer.BadParameter(
                f"{gate}: there is no such check. `pagegrade checks` lists them all.", param_hint="'--fail-on'"
            )


def report_verdicts(
    criteria: Criteria,
    reports: Sequence[Report],
    comparisons: Sequence[Comparison | None],
    verdicts: Sequence[Sequence[Verdict]],
    *,
    quiet: bool,
) -> int:
    """Print the failed gates on stderr and return the exit code."""
    failed = False
    for report, comparison, gates in zip(reports, comparisons, verdicts, strict=True):
        if report.state != "completed":
            continue
        for verdict in gates:
            if verdict.failure is not None:
                failed = True
                sys.stderr.write(f"Gate failed: {verdict.failure} ({visible(report.url, 2048)})\n")
        if criteria.baseline and comparison is None and not quiet:
            sys.stderr.write(f"The baseline has no report on {visible(report.url, 2048)}.\n")
        if comparison is not None and not comparison.is_comparable and not quiet:
            why = why_not_compared(*comparison.bases)
            sys.stderr.write(f"Not compared with the baseline: {why} {_NEW_BASELINE} ({visible(report.url, 2048)})\n")
    if any(report.state == "failed" for report in reports):
        return exit_codes.NOT_ANALYZED
    return exit_codes.GATE_FAILED if failed else exit_codes.OK


def _new_findings(comparison: Comparison | None, severity: Importance) -> list[str]:
    if comparison is None:
        return [f"new findings require a baseline (--fail-on-new {severity})"]
    if not comparison.is_comparable:
        # As for any other gate: what cannot be evaluated does not pass.
        return [f"what is new is not known (--fail-on-new {severity}): {why_not_compared(*comparison.bases)}"]
    new = comparison.new_from(severity)
    worse = comparison.worse_from(severity)
    reasons = []
    if new:
        shown = _names([change.result.check for change in new])
        reasons.append(f"{len(new)} new finding{'s' if len(new) > 1 else ''} from severity {severity} up ({shown})")
    if worse:
        reasons.append(
            f"worse than in the baseline, from severity {severity} up: {_names([one.check for one in worse])}"
        )
    return reasons


def _names(checks: Sequence[str]) -> str:
    names = list(dict.fromkeys(checks))
    return ", ".join(names[:_SHOWN_NEW]) + (" and others" if len(names) > _SHOWN_NEW else "")


def _read_baseline(path: str) -> tuple[Report, ...]:
    text = read_file(path, "--baseline").decode("utf-8", "replace")
    try:
        reports = tuple(report_from_dict(item) for item in _json_values(text))
    except (InvalidInput, ValueError, RecursionError) as error:
        message = error.message if isinstance(error, InvalidInput) else f"This is not JSON ({error})."
        raise typer.BadParameter(f"{path}: {message}", param_hint="'--baseline'") from error
    failed = next((report for report in reports if report.state == "failed"), None)
    if not reports or (failed is not None and len(reports) == 1):
        raise typer.BadParameter(
            f"{path} holds no finished report. Make one with: pagegrade analyze URL --format json --output {path}",
            param_hint="'--baseline'",
        )
    return tuple(report for report in reports if report.state == "completed")


def _json_values(text: str) -> list[object]:
    """A single value, a list, or one value a line."""
    try:
        value = json.loads(text)
    except ValueError:
        lines = [line for line in text.splitlines() if line.strip()]
        if len(lines) < 2:  # noqa: PLR2004 - a single line that is no JSON is no list of lines either
            raise
        return [json.loads(line) for line in lines]
    return value if isinstance(value, list) else [value]
