"""``pagegrade audit``."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final, TextIO

import msgspec

from pagegrade.checks import all_site_checks
from pagegrade.cli import exit_codes
from pagegrade.cli.access_options import TypedAccess, accesses_of
from pagegrade.cli.exit_codes import run_async
from pagegrade.cli.files import read_file
from pagegrade.cli.output import color_wanted, encodes_ornaments, terminal_width, write_bytes, write_parts, write_stdout
from pagegrade.clock import now_ms
from pagegrade.gather.temporary import own_folder
from pagegrade.model.audit import MAX_DEPTH, MAX_PATTERN_CHARACTERS, MAX_PATTERNS, AuditSettings, Crawl, ScopeKind
from pagegrade.model.audit_result import AuditResult
from pagegrade.model.errors import InvalidInput, PDFNotInstalled
from pagegrade.parse.url import host, is_nearby, parse_target_url, project_of
from pagegrade.parse.urls.identity import identity
from pagegrade.render.audit import (
    PAGE_COLUMNS,
    finding_rows,
    render_audit_csv,
    render_audit_html,
    render_audit_text,
    render_comparison_text,
)
from pagegrade.render.audit_pdf import audit_sheet
from pagegrade.render.escape import visible
from pagegrade.render.pdf import is_installed as sets_pdf
from pagegrade.render.pdf import render_sheet_pdf
from pagegrade.render.prompt import render_audit_prompt
from pagegrade.render.sarif import render_site_sarif
from pagegrade.report.gates import Gate, parse_site_gate
from pagegrade.sandbox.pool import Children, child_environment
from pagegrade.service.audits.analysis import PAGES, RESULT, SECONDS, AnalysisFailed, analyze_folder
from pagegrade.service.audits.compare import compare_folders
from pagegrade.service.audits.crawl import begin_crawl, read_start, run_crawl
from pagegrade.service.audits.frontier import Frontier
from pagegrade.service.audits.relations import write_relations
from pagegrade.service.runs.options import AnalyzeOptions
from pagegrade.store.analysis.relations import AnalysisNotInstalled, finding_pages, is_installed
from pagegrade.store.analysis.tables import TableFailed, write_parquet
from pagegrade.store.engine.database import Database
from pagegrade.store.repositories.crawls import CrawlTakenOver, last_crawl
from pagegrade.web.schemas.crawl import audit_comparison_object
from pagegrade.wiring import Rendered, open_audit_database, typed_options

DEFAULT_RATE: Final = 2.0
_PART_BYTES: Final = 1 << 20
"""Of a file that is written to the terminal at a time."""
OWN_RATE: Final = 20.0
"""Requests a second on a site that is the person's own."""
FOLDER: Final = Path("pagegrade-audit")
FORMATS: Final = ("text", "json", "html", "csv", "sarif", "prompt", "pdf", "parquet")
_BINARY: Final = frozenset({"pdf", "parquet"})
_FORMATS: Final = f"{', '.join(FORMATS[:-1])} or {FORMATS[-1]}"
_CLEAR: Final = "\r\x1b[2K"
"""Back to the first column, erase the line (ECMA-48 8.3.41)."""
_SHOWN_PATTERNS: Final = 3
_EVERY_S: Final = 30.0
"""Seconds between two lines of progress where there is no terminal."""
_OPEN: Final = frozenset({"queued", "crawling", "paused"})
"""States of a crawl that can go on."""
_STOPPED: Final = {
    "done": "Every page that was found has been asked for.",
    "max_depth": "Pages with a longer way from the start were left out; --max-depth sets how long it may be.",
    "max_pages": "The crawl has as many pages as it may have; --max-pages sets how many.",
    "max_time": "The time for the crawl is over.",
    "site_refuses": "The site turns most requests away, so the crawl pauses.",
    "robots_unreachable": "robots.txt could not be had, and without it nothing may be fetched; the crawl pauses.",
    "start_unreachable": "The start page could not be fetched.",
    "canceled": "The crawl was canceled.",
}


class AuditRequest(msgspec.Struct, frozen=True, kw_only=True):
    """Arguments of the command."""

    typed: str
    scope: ScopeKind = "host"
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    max_pages: int = 10_000
    max_depth: int = 50
    max_minutes: int = 1_440
    rate: float | None = None
    own_site: bool = False
    list_file: str | None = None
    external: bool = False
    render: bool = False
    folder: Path | None = None
    resume: bool = False
    fresh: bool = False
    allow_networks: tuple[str, ...] = ()
    access: TypedAccess | None = None
    """``None``: nothing was typed, and settings may give one."""
    proxy: str | None = None
    format_name: str = "text"
    fail_on: tuple[str, ...] = ()
    quiet: bool = False


def audit_site(request: AuditRequest) -> int:
    """Crawl a site, write what was found into a folder, and say what it came to; the exit code.

    Raises:
        InvalidInput, typer.BadParameter: What was typed cannot be used.
        Unavailable: The folder's database cannot be used.
    """
    target = parse_target_url(request.typed)
    gates = _gates(request)
    access = accesses_of(request.access or TypedAccess(), [target])[target]
    typed = typed_options(
        allow_networks=request.allow_networks, proxy=request.proxy, render=Rendered() if request.render else None
    )
    options = replace(typed, access=access)
    folder = request.folder or FOLDER / project_of(target.url).replace(":", "_")
    database = open_audit_database(folder)
    try:
        crawl = _crawl_to_run(database, target.document_url, request, options, folder)
        progress = CrawlProgress(sys.stderr, quiet=request.quiet, environment=os.environ)
        try:
            if crawl.state in _OPEN:
                crawl = run_async(_run(database, crawl.id, options, progress))
        except KeyboardInterrupt:
            progress.clear()
            sys.stderr.write(f"Stopped. What was fetched is kept in {folder}. To go on:\n  {_how_to_go_on(request)}\n")
            raise
        except CrawlTakenOver:
            raise InvalidInput(f"Another process has gone on with the crawl in {folder}, so this one stops.") from None
        finally:
            progress.clear()
        place = folder / str(crawl.number)
        database.read_here(lambda tx: write_relations(tx, crawl, place))
    finally:
        database.close()
    _say(crawl, progress, place, request)
    result = _evaluate(place, request, crawl.finished_at_ms or now_ms())
    if crawl.state != "completed" or (result is None and (gates or request.format_name != "text")):
        return exit_codes.NOT_ANALYZED
    failures = [failure for gate in gates if result and (failure := gate.failure(result)) is not None]
    for failure in failures:
        sys.stderr.write(f"Gate failed: {failure} ({visible(crawl.start_url, 2048)})\n")
    return exit_codes.GATE_FAILED if failures else exit_codes.OK


def _gates(request: AuditRequest) -> list[Gate]:
    """The conditions, read before anything is fetched.

    Raises:
        InvalidInput: One of them, or the format, cannot be used.
    """
    if request.format_name not in FORMATS:
        raise InvalidInput(f"--format: {visible(request.format_name, 40)} is no format of an audit. Use {_FORMATS}.")
    if request.format_name in _BINARY and sys.stdout.isatty():
        raise InvalidInput(f"--format: {request.format_name} is no text. Send it to a file: > FILE")
    if request.format_name == "pdf" and not sets_pdf():
        raise InvalidInput(f"--format: {PDFNotInstalled().message}")
    if (request.fail_on or request.format_name != "text") and not is_installed():
        raise InvalidInput(f"--format and --fail-on: {AnalysisNotInstalled().message}")
    try:
        return [parse_site_gate(one, all_site_checks()) for one in request.fail_on]
    except InvalidInput as error:
        raise InvalidInput(f"--fail-on: {error.message}") from None


def _crawl_to_run(database: Database, url: str, request: AuditRequest, options: AnalyzeOptions, folder: Path) -> Crawl:
    """The crawl to go on with, or a new one; one that has ended, where only its files may be missing.

    Raises:
        InvalidInput: It is not clear which; the message says how to choose.
    """
    last = database.read_here(last_crawl)
    if last is not None and last.start_url != identity(read_start(url)[0]):
        raise InvalidInput(f"{folder} holds the audit of {visible(last.start_url)}. Choose another folder with -o.")
    if request.resume:
        if last is None:
            raise InvalidInput(f"--resume: there is no crawl in {folder}. Leave the option out.")
        return last
    if last is not None and last.state in _OPEN:
        raise InvalidInput(
            f"{folder} holds a crawl that has not ended. Add --resume to go on with it, or choose another folder with "
            "-o, or delete the folder to begin anew."
        )
    settings = _settings(url, request)
    return database.write_here(lambda tx: begin_crawl(tx, read_start(url)[0], settings, options=options))


def _settings(url: str, request: AuditRequest) -> AuditSettings:
    for option, patterns in (("--include", request.include), ("--exclude", request.exclude)):
        if len(patterns) > MAX_PATTERNS:
            raise InvalidInput(f"{option}: {len(patterns)} patterns are too many; at most {MAX_PATTERNS} are read.")
        for pattern in patterns:
            if not pattern.startswith(("/", "*")) or len(pattern) > MAX_PATTERN_CHARACTERS:
                raise InvalidInput(
                    f"{option}: {visible(pattern, 80)} is no pattern. Write it as in robots.txt, with / or * first, "
                    f"with at most {MAX_PATTERN_CHARACTERS} characters: /blog/*, *.pdf$"
                )
    if not 0 < request.max_depth <= MAX_DEPTH:
        raise InvalidInput(f"--max-depth: {request.max_depth} is no depth; give 1 to {MAX_DEPTH}.")
    highest = OWN_RATE if request.own_site else DEFAULT_RATE
    rate = highest if request.rate is None else request.rate
    if not 0 < rate <= OWN_RATE:
        raise InvalidInput(f"--rate: {rate:g} requests a second is no rate; give more than 0 and at most {OWN_RATE:g}.")
    if rate > highest:
        raise InvalidInput(
            f"--rate: {rate:g} requests a second are for a site of your own; at most {DEFAULT_RATE:g} for any other. "
            "Add --own-site if it is yours."
        )
    # This machine, or one on an intranet, is asked as fast as it answers.
    unlimited = is_nearby(host(url)) and request.rate is None
    return AuditSettings(
        scope=request.scope,
        include=request.include,
        exclude=request.exclude,
        max_pages=request.max_pages,
        max_depth=request.max_depth,
        max_minutes=request.max_minutes,
        rate_per_s=None if unlimited else rate,
        urls=_listed(request.list_file),
        sitemaps=request.list_file is None,
        sitemap=read_start(url)[1] if request.list_file is None else None,
        fresh=request.fresh,
        external=request.external,
        render=request.render,
        follows=request.list_file is None,
    )


def _listed(path: str | None) -> tuple[str, ...]:
    """The URLs of a file, one on each line; comments begin with ``#``."""
    if path is None:
        return ()
    lines = read_file(path, "--list").decode("utf-8", "replace").splitlines()
    typed = [line.strip().removeprefix("\ufeff") for line in lines]
    found: dict[str, None] = {}
    for number, line in enumerate(typed, start=1):
        if line and not line.startswith("#"):
            try:
                found[parse_target_url(line).document_url] = None
            except InvalidInput as error:
                raise InvalidInput(f"--list: line {number}: {error.message}") from None
    if not found:
        raise InvalidInput(f"--list: there is no URL in {path}. Write one per line.")
    return tuple(found)


async def _run(database: Database, crawl_id: int, options: AnalyzeOptions, progress: CrawlProgress) -> Crawl:
    async with Children() as children:
        return await run_crawl(database, crawl_id, options=options, children=children, watch=progress.show)


class CrawlProgress:
    """One live line about a crawl on a terminal; elsewhere a line now and then."""

    def __init__(self, stream: TextIO, *, quiet: bool, environment: Mapping[str, str]) -> None:
        """Prepare; nothing is written yet."""
        self._stream = stream
        self._quiet = quiet
        self._live = stream.isatty() and environment.get("TERM") != "dumb"
        self._started_s = time.monotonic()
        self._fetched_before: int | None = None
        self._written_s = self._started_s
        self.patterns: list[tuple[str, int, int, int, int]] = []
        """(text, found, fetched, distinct, lane) of those with the most fetched pages."""

    def show(self, frontier: Frontier) -> None:
        """Show how far the crawl is."""
        crawl = frontier.crawl
        if self._fetched_before is None:
            self._fetched_before = crawl.fetched
        known = sorted(frontier.patterns.values(), key=lambda one: (-one.fetched, one.text))
        self.patterns = [(one.text, one.found, one.fetched, one.distinct, one.lane) for one in known]
        now = time.monotonic()
        if self._quiet or (not self._live and now - self._written_s < _EVERY_S):
            return
        self._written_s = now
        line = self._line(crawl, sum(one.found for one in frontier.patterns.values()), now)
        if self._live:
            width = shutil.get_terminal_size((80, 24)).columns
            self._stream.write(_CLEAR + visible(line, max(20, width - 1)))
        else:
            self._stream.write(f"{visible(line, 400)}\n")
        self._stream.flush()

    def clear(self) -> None:
        """Leave the line as it was found."""
        if self._live and not self._quiet:
            self._stream.write(_CLEAR)
            self._stream.flush()

    def _line(self, crawl: Crawl, found: int, now: float) -> str:
        rate = (crawl.fetched - (self._fetched_before or 0)) / max(0.001, now - self._started_s)
        left = max(0, min(found, crawl.settings.max_pages) - crawl.fetched)
        words = [f"{crawl.fetched:,} of {found:,} pages"]
        if not left:
            words.append("their files, other sites and the browser come next")
        elif rate > 0:
            words += [f"{rate:.1f} a second", f"about {_duration(left / rate)} left"]
        words += [f"{text or 'others'} {fetched:,}" for text, _, fetched, _, _ in self.patterns[:_SHOWN_PATTERNS]]
        return ", ".join(words)


def _duration(seconds: float) -> str:
    if seconds < 90:  # noqa: PLR2004 - people count so many in seconds
        return f"{seconds:.0f} s"
    minutes = seconds / 60
    return f"{minutes:.0f} min" if minutes < 90 else f"{minutes / 60:.1f} h"  # noqa: PLR2004 - likewise


def _evaluate(place: Path, request: AuditRequest, at_ms: int) -> AuditResult | None:
    """Evaluate the pages together, add the result to the folder as a page, and show it; ``None`` without a result."""
    try:
        result = analyze_folder(place)
    except (AnalysisFailed, AnalysisNotInstalled) as error:
        if not request.quiet or request.fail_on:
            sys.stderr.write(f"{error.message}\n")
        return None
    page = render_audit_html(result)
    (place / "audit.html").write_text(page, encoding="utf-8", newline="\n")
    match request.format_name:
        case "json":
            write_stdout((place / RESULT).read_text(encoding="utf-8") + "\n", machine=True)
        case "html":
            write_stdout(page, machine=True)
        case "csv":
            write_parts(
                part.encode("utf-8", "backslashreplace")
                for part in render_audit_csv(result, finding_pages(place / PAGES))
            )
        case "sarif":
            write_stdout(render_site_sarif(result), machine=True)
        case "prompt":
            write_stdout(render_audit_prompt(result) or "", machine=True)
        case "pdf":
            sheet = msgspec.json.encode(audit_sheet(result, at_ms))
            write_bytes(render_sheet_pdf("audit", sheet, at_ms // 1_000))
        case "parquet":
            lines = (msgspec.json.encode(row) + b"\n" for row in finding_rows(result, finding_pages(place / PAGES)))
            try:
                with own_folder("table") as folder:
                    table = write_parquet(PAGE_COLUMNS, lines, folder, child_environment(), timeout_s=SECONDS)
                    with table.open("rb") as file:
                        write_parts(iter(partial(file.read, _PART_BYTES), b""))
            except TableFailed as error:
                sys.stderr.write(f"{error.message}\n")
                return None
        case _:
            if request.quiet:
                return result
            color = color_wanted(sys.stdout, os.environ)
            ascii_only = not encodes_ornaments(sys.stdout)
            width = terminal_width(sys.stdout)
            write_stdout(render_audit_text(result, width=width, color=color, ascii_only=ascii_only))
    return result


def compare_two(before: Path, after: Path, *, as_json: bool = False) -> None:
    """Show what changed between two crawls.

    Args:
        before: Folder of the older one, such as ``pagegrade-audit/example.com/1``.
        after: Folder of the newer one.
        as_json: Write JSON, as the HTTP interface has it.

    Raises:
        InvalidInput: One of them is not the folder of a crawl that was evaluated.
        AnalysisNotInstalled: DuckDB is not there.
    """
    comparison = compare_folders(before, after)
    if as_json:
        members = msgspec.json.decode(audit_comparison_object(0, comparison))
        del members["audit_id"]  # A folder belongs to no audit.
        write_stdout(msgspec.json.format(msgspec.json.encode(members), indent=2).decode() + "\n", machine=True)
        return
    color, ascii_only = color_wanted(sys.stdout, os.environ), not encodes_ornaments(sys.stdout)
    write_stdout(
        render_comparison_text(comparison, width=terminal_width(sys.stdout), color=color, ascii_only=ascii_only)
    )


def _how_to_go_on(request: AuditRequest) -> str:
    place = "" if request.folder is None else f" -o {request.folder}"
    return f"pagegrade audit {request.typed} --resume{place}"


def _say(crawl: Crawl, progress: CrawlProgress, place: Path, request: AuditRequest) -> None:
    """Say what the crawl came to."""
    if request.quiet:
        return
    reason = _STOPPED.get(crawl.stop_reason or "", "")
    sys.stderr.write(f"{crawl.fetched:,} pages of {visible(crawl.start_url, 200)} were fetched. {reason}\n")
    if crawl.state == "paused":
        sys.stderr.write(f"To go on later:\n  {_how_to_go_on(request)}\n")
    for text, found, fetched, distinct, lane in progress.patterns:
        if lane:
            why = "was sampled" if lane > 1 else "came after the others"
            sys.stderr.write(
                f"{visible(text, 100)} {why}: {fetched:,} of {found:,} pages, {distinct:,} of them different.\n"
            )
    sys.stderr.write(f"All of it is in {place}.\n")
