"""``pagegrade analyze``, with its live line on the terminal's stderr, and ``pagegrade evaluate``."""

from __future__ import annotations

import asyncio
import logging
import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final, TextIO

import msgspec
import typer

from pagegrade.cli import exit_codes
from pagegrade.cli.access_options import TypedAccess, accesses_of
from pagegrade.cli.exit_codes import run_async
from pagegrade.cli.files import STDIN, read_file
from pagegrade.cli.output import Criteria, Plan, ReportLines, deliver, report_verdicts
from pagegrade.model.access import Access
from pagegrade.model.artifacts import Artifacts, NotGathered
from pagegrade.model.errors import InvalidArtifacts, InvalidInput
from pagegrade.model.outcome import IgnoreRule
from pagegrade.model.report import Report, Thresholds
from pagegrade.parse.url import Target, parse_target_url
from pagegrade.render.escape import export_name, visible
from pagegrade.render.har import render_har
from pagegrade.render.view import grade_word
from pagegrade.report.artifacts_file import load_artifacts, save_artifacts
from pagegrade.sandbox.pool import Children
from pagegrade.service.runs.analysis import Analysis, analyze_target, artifacts_of_document, evaluate_in_child
from pagegrade.service.runs.options import AnalyzeOptions
from pagegrade.wiring import Rendered, configured_options, typed_options


class AnalyzeRequest(msgspec.Struct, frozen=True, kw_only=True):
    """Arguments of the command."""

    typed: tuple[str, ...]
    save_artifacts: str | None = None
    budget_s: float | None = None
    subresources: bool = True
    allow_networks: tuple[str, ...] = ()
    access: TypedAccess | None = None
    """Access as typed; ``None``: as the settings say."""
    concurrency: int = 4
    ignores: tuple[IgnoreRule, ...] = ()
    quiet: bool = False
    render: Rendered | None = None
    """Options of the rendered engine; ``None``: static analysis alone."""
    pictures: str | None = None
    """Folder for the pictures of the browser; ``None`` for a new temporary one."""
    har: str | None = None
    """File for the requests of the browser; ``None``: they are not saved."""
    save_trace: str | None = None
    """File for the trace of the last load; ``None``: it is not saved."""
    proxy: str | None = None
    """URL of the proxy that sites are reached through; ``None``: as configured."""


def analyze_pages(request: AnalyzeRequest, plan: Plan, criteria: Criteria) -> int:
    """Analyze every page, write the reports, hold them to the criteria; the exit code.

    Raises:
        InvalidInput, typer.BadParameter: What was typed cannot be used.
    """
    targets = _targets(request.typed)
    accesses = accesses_of(request.access or TypedAccess(), targets)
    options = typed_options(
        budget_s=request.budget_s,
        subresources=request.subresources,
        allow_networks=request.allow_networks,
        render=request.render,
        ignores=request.ignores,
        proxy=request.proxy,
    )
    if request.save_artifacts is not None:
        _check_artifacts_place(request.save_artifacts, len(targets))
    for option, path in (("--har", request.har), ("--save-trace", request.save_trace)):
        if path is not None and (request.render is None or len(targets) > 1):
            raise typer.BadParameter("It holds one page that a browser drew: add --render.", param_hint=f"'{option}'")
    _check_trace_place(request.save_trace)
    if sys.flags.dev_mode:
        # ``python -X dev -m pagegrade`` shows where a mistake of ours happened.
        logging.basicConfig()
    lines = ReportLines(plan)
    progress = Progress(sys.stderr, len(targets), quiet=request.quiet, environment=os.environ)
    try:
        reports, refused = run_async(_analyze_all(accesses, options, request, progress, lines))
    finally:
        progress.clear()
    for error in refused:
        sys.stderr.write(f"Error: {error.message}\n")
    if not reports:
        return exit_codes.USAGE
    comparisons = criteria.compare(reports)
    verdicts = criteria.evaluate(reports, comparisons)
    deliver(plan, reports, comparisons, verdicts, lines_written=True)
    if not plan.text_on_stdout and not request.quiet:
        _summarize(reports)
    code = report_verdicts(criteria, reports, comparisons, verdicts, quiet=request.quiet)
    return exit_codes.USAGE if refused else code


def _targets(typed: Sequence[str]) -> list[Target]:
    """The addresses in order, each once; stdin is read where ``-`` stands."""
    targets: dict[str, Target] = {}
    problems: list[str] = []
    for place, text in _addresses(typed):
        try:
            target = parse_target_url(text)
        except InvalidInput as error:
            problems.append(f"{place}{error.message}")
        else:
            targets.setdefault(target.url, target)
    if problems:
        raise typer.BadParameter("\n  ".join(problems), param_hint="'URL...'")
    if not targets:
        raise typer.BadParameter("There is no URL on stdin. Write one per line.", param_hint="'URL...'")
    return list(targets.values())


def _addresses(typed: Sequence[str]) -> list[tuple[str, str]]:
    """(place for an error message, text)."""
    found: list[tuple[str, str]] = []
    for text in typed:
        if text != STDIN:
            found.append(("", text))
            continue
        lines = read_file(STDIN, "URL...").decode("utf-8", "replace").splitlines()
        for number, line in enumerate(lines, start=1):
            entry = line.strip().removeprefix("\ufeff")
            if entry and not entry.startswith("#"):
                found.append((f"line {number}: ", entry))
    return found


async def _analyze_all(
    targets: Mapping[Target, Access | None],
    options: AnalyzeOptions,
    request: AnalyzeRequest,
    progress: Progress,
    lines: ReportLines,
) -> tuple[list[Report], list[InvalidInput]]:
    """The reports in order, and what could not be done: an address refused, artifacts not saved."""
    gate = asyncio.Semaphore(request.concurrency)
    outcomes: dict[str, Report] = {}
    refusals: list[InvalidInput] = []

    async def one(target: Target) -> None:
        async with gate:
            progress.start(target.url)
            try:
                own = replace(options, access=targets[target])
                analysis = await analyze_target(target, options=own, children=children)
                outcomes[target.url] = analysis.report
                lines.write(analysis.report)
                _save_pictures(analysis, request)
                _save_har(analysis.report, request.har)
                if request.save_artifacts is not None:
                    _save(analysis, request.save_artifacts, quiet=request.quiet)
            except InvalidInput as error:
                refusals.append(error)
            finally:
                progress.finish(target.url)

    async with Children() as children, asyncio.TaskGroup() as tasks:
        for target in targets:
            tasks.create_task(one(target))
    return [outcomes[target.url] for target in targets if target.url in outcomes], refusals


def _check_artifacts_place(path: str, pages: int) -> None:
    place = Path(path)
    if pages > 1 and not place.is_dir():
        raise typer.BadParameter(
            f"{pages} pages do not fit into one file. Give an existing folder.", param_hint="'--save-artifacts'"
        )
    if not place.is_dir() and not place.parent.is_dir():
        raise typer.BadParameter(
            f"The folder {place.parent} does not exist. Make it first.", param_hint="'--save-artifacts'"
        )


def _save(analysis: Analysis, path: str, *, quiet: bool) -> None:
    if analysis.artifacts is None:
        if not quiet:
            sys.stderr.write(f"Nothing was gathered from {visible(analysis.report.url, 2048)}, so nothing is saved.\n")
        return
    place = Path(path)
    if place.is_dir():
        place /= export_name(analysis.report, "json.gz", kind=("artifacts",))
    try:
        place.write_bytes(save_artifacts(analysis.artifacts))
    except OSError as error:
        raise InvalidInput(f"--save-artifacts: {place} cannot be written: {error.strerror}.") from error


def _save_pictures(analysis: Analysis, request: AnalyzeRequest) -> None:
    """Write the pictures that the browser made where ``--pictures`` says."""
    if request.pictures is None:
        return
    rendering = None if analysis.artifacts is None else analysis.artifacts.rendering
    if rendering is None or isinstance(rendering, NotGathered) or not rendering.pictures:
        return
    try:
        folder = Path(request.pictures)
        folder.mkdir(parents=True, exist_ok=True)
        for number, picture in enumerate(rendering.pictures):
            label = picture.kind.replace("_", "-")
            suffix = f"-{number}" if picture.kind == "frame" else ""
            name = export_name(analysis.report, "webp", kind=(rendering.device, f"{label}{suffix}"))
            (folder / name).write_bytes(picture.data)
    except OSError as error:
        raise InvalidInput(f"--pictures: {error.filename} cannot be written: {error.strerror}.") from error
    if not request.quiet:
        sys.stderr.write(f"Pictures of the page: {folder}\n")


def _save_har(report: Report, path: str | None) -> None:
    if path is None:
        return
    if report.rendered is None:
        raise InvalidInput(f"--har: no browser drew {visible(report.url, 2048)}, so nothing is saved.")
    try:
        Path(path).write_text(render_har(report), encoding="utf-8")
    except OSError as error:
        raise InvalidInput(f"--har: {path} cannot be written: {error.strerror}.") from error


def _check_trace_place(path: str | None) -> None:
    if path is None:
        return
    try:
        Path(path).open("ab").close()
    except OSError as error:
        raise InvalidInput(f"--save-trace: {path} cannot be written: {error.strerror}.") from error


def _summarize(reports: Sequence[Report]) -> None:
    """Print a summary of the reports to stderr, while the reports themselves go to a file or a program."""
    if len(reports) == 1:
        report = reports[0]
        verdict = grade_word(report) if report.score is None else f"{report.score} of 100, {grade_word(report)}"
        sys.stderr.write(f"{visible(report.url, 2048)}: {verdict}\n")
        reason = report.error or report.withheld
        if reason is not None:
            sys.stderr.write(f"  {visible(reason.message, 400)}\n")
        return
    words = ["failed" if report.error else grade_word(report) for report in reports]
    counted = ", ".join(f"{words.count(word)} {word}" for word in dict.fromkeys(sorted(words)))
    sys.stderr.write(f"{len(reports)} pages: {counted}\n")


_CLEAR: Final = "\r\x1b[2K"
"""Back to the first column, erase the line (ECMA-48 8.3.41)."""


class Progress:
    """Shows how many pages are done and which one is in progress; silent without a terminal."""

    def __init__(self, stream: TextIO, total: int, *, quiet: bool, environment: Mapping[str, str]) -> None:
        """Prepare; nothing is written when ``stream`` is no terminal."""
        self._stream = stream
        self._total = total
        self._done = 0
        self._under_way: dict[str, None] = {}
        self._live = not quiet and stream.isatty() and environment.get("TERM") != "dumb"

    def start(self, url: str) -> None:
        """A page is being analyzed."""
        self._under_way[url] = None
        self._draw()

    def finish(self, url: str) -> None:
        """It is done, well or not."""
        self._under_way.pop(url, None)
        self._done += 1
        self._draw()

    def clear(self) -> None:
        """Leave the line as it was found."""
        if self._live:
            self._stream.write(_CLEAR)
            self._stream.flush()

    def _draw(self) -> None:
        if not self._live:
            return
        count = f"{self._done}/{self._total} " if self._total > 1 else ""
        line = f"{count}analyzing {next(iter(self._under_way), '')}".rstrip()
        width = shutil.get_terminal_size((80, 24)).columns
        self._stream.write(_CLEAR + visible(line, max(20, width - 1)))
        self._stream.flush()


class EvaluateRequest(msgspec.Struct, frozen=True, kw_only=True):
    """Arguments of the command."""

    artifacts: str | None = None
    html: str | None = None
    url: str | None = None
    status: int | None = None
    headers: tuple[str, ...] = ()
    robots_txt: str | None = None
    ignores: tuple[IgnoreRule, ...] = ()


def evaluate_page(request: EvaluateRequest, plan: Plan, criteria: Criteria) -> int:
    """Evaluate the page, write the report, hold it to the criteria; the exit code.

    Raises:
        InvalidInput, typer.BadParameter: What was typed cannot be used.
    """
    thresholds = configured_options().thresholds
    artifacts = _artifacts(request)
    report = run_async(_evaluate(artifacts, thresholds, request.ignores))
    comparisons = criteria.compare([report])
    verdicts = criteria.evaluate([report], comparisons)
    deliver(plan, [report], comparisons, verdicts)
    return report_verdicts(criteria, [report], comparisons, verdicts, quiet=plan.quiet)


async def _evaluate(artifacts: Artifacts, thresholds: Thresholds, ignores: tuple[IgnoreRule, ...]) -> Report:
    async with Children(1) as children:
        return await evaluate_in_child(artifacts, thresholds, ignores, children=children)


def _artifacts(request: EvaluateRequest) -> Artifacts:
    if (request.artifacts is None) == (request.html is None):
        raise typer.BadParameter(
            "Give either a file of saved artifacts, or --html FILE with --url URL.", param_hint="'ARTIFACTS'"
        )
    if request.html is not None:
        return _from_html(request, request.html)
    for option, value in (
        ("--url", request.url),
        ("--status", request.status),
        ("--header", request.headers or None),
        ("--robots-txt", request.robots_txt),
    ):
        if value is not None:
            raise typer.BadParameter(
                "It belongs to --html; saved artifacts hold their own. Leave it out.", param_hint=f"'{option}'"
            )
    path = request.artifacts or ""
    try:
        return load_artifacts(read_file(path, "ARTIFACTS"))
    except InvalidArtifacts as error:
        raise typer.BadParameter(f"{path}: {error.message}", param_hint="'ARTIFACTS'") from error


def _from_html(request: EvaluateRequest, path: str) -> Artifacts:
    if request.url is None:
        raise typer.BadParameter(
            "--html needs to know where the page lives. Give its URL with --url URL.", param_hint="'--url'"
        )
    # A file says nothing of the headers it came with: without --header they are unknown, not missing.
    headers = tuple(_header(line) for line in request.headers) or None
    robots_txt = None if request.robots_txt is None else read_file(request.robots_txt, "--robots-txt")
    body = read_file(path, "--html")
    try:
        return artifacts_of_document(
            body,
            url=request.url,
            status=200 if request.status is None else request.status,
            headers=headers,
            robots_txt=robots_txt,
        )
    except InvalidInput as error:
        raise typer.BadParameter(error.message, param_hint="'--url'") from error


def _header(line: str) -> tuple[str, str]:
    name, colon, value = line.partition(":")
    if not colon or not name.strip() or any(character in line for character in "\r\n\0"):
        raise typer.BadParameter(f"{line!r} is no header. Write it as 'Name: value'.", param_hint="'--header'")
    return name.strip(), value.strip()
