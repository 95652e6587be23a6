"""``pagegrade evaluate``."""

from __future__ import annotations

import msgspec
import typer

from pagegrade.cli.files import read_file
from pagegrade.cli.interrupts import run_async
from pagegrade.cli.output import Plan, deliver
from pagegrade.cli.report_output import Criteria, report_verdicts
from pagegrade.model.artifacts import Artifacts
from pagegrade.model.errors import InvalidArtifacts, InvalidInput
from pagegrade.model.ignores import IgnoreRule
from pagegrade.model.report import Report, Thresholds
from pagegrade.report.artifacts_file import load_artifacts
from pagegrade.sandbox.pool import Children
from pagegrade.service.runs.analysis import artifacts_of_document, evaluate_in_child
from pagegrade.wiring import configured_options


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
