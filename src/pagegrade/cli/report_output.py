"""Gates and baselines: what of the reports becomes the exit code."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Final

import msgspec
import typer

from pagegrade.cli import exit_codes
from pagegrade.cli.files import read_file
from pagegrade.model.errors import InvalidInput
from pagegrade.model.report import Report
from pagegrade.render.escape import visible
from pagegrade.render.history import why_not_compared
from pagegrade.report.compare import Comparison, compare_reports
from pagegrade.report.gates import SEVERITIES, Gate, Importance, Verdict, parse_gate
from pagegrade.report.serialize import report_from_dict

_SHOWN_NEW: Final = 5
_NEW_BASELINE: Final = "Make a new baseline with the options of this run."


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
