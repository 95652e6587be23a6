"""A report as the JSON object that every interface hands out, and back."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, Final, Literal, cast, overload

import msgspec
from msgspec import UNSET, UnsetType

from pagegrade.model.artifacts import NOT_RENDERED
from pagegrade.model.errors import InvalidInput
from pagegrade.model.outcome import Detail, Evidence, Importance, Saving
from pagegrade.model.rendering import Device
from pagegrade.model.report import CATEGORIES, REPORT_VERSION, Category, Ignored, OutcomeName, Report, Result
from pagegrade.model.schema import Amount, Count, Scalar, about
from pagegrade.report.sanitize import storable_json

JSONObject = dict[str, Any]
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
ANALYZE_AGAIN: Final = "make a new one with: pagegrade analyze URL --format json --output FILE"


class Unseen(msgspec.Struct, frozen=True, kw_only=True):
    """Checks that were not evaluated because no browser was used."""

    checks: int
    max_points: int
    """The most by which they can lower the score, limits to the score aside; whole points, rounded up."""


def unseen_by_browser(report: Report) -> Unseen | None:
    """Return what a report without a browser leaves open; ``None`` if it used one, or has no score.

    Checks of one cause cost once, and less what is charged for it already; a category takes its budget at most.
    """
    if report.score is None or report.rendered is not None:
        return None
    charged: dict[str, float] = {}
    for result in report.results:
        if result.cause is not None:
            charged[result.cause] = max(charged.get(result.cause, 0.0), result.lost)
    open_by_cause: dict[tuple[Category, str], float] = {}
    checks = 0
    for result in report.results:
        if result.outcome != "not_evaluated" or result.reason.partition(":")[0] != NOT_RENDERED.code:
            continue
        checks += 1
        cause = result.cause or f"check {result.check}"
        more = max(0.0, result.price - charged.get(cause, 0.0))
        open_by_cause[result.category, cause] = max(more, open_by_cause.get((result.category, cause), 0.0))
    if not checks:
        return None
    points = 0.0
    for name, budget in CATEGORIES.items():
        category = report.categories.get(name)
        taken = 0.0 if category is None else category.taken or 0.0
        most = sum(more for (owner, _), more in open_by_cause.items() if owner == name)
        points += min(most, max(0.0, budget - taken))
    return Unseen(checks=checks, max_points=min(report.score, -int(-points // 1)))


class CheckResult(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """Result of one check and its effect on the score."""

    name: Annotated[str, about("Name of the check.", "Title length")]
    title: Annotated[
        str, about("The finding or its fix as a heading; the name of the check if it passed.", "Shorten the title")
    ]
    category: Annotated[Category, about("Category of the check.", "seo")]
    outcome: Annotated[
        OutcomeName, about("`not_applicable`, `not_evaluated` and `ignored` come with a reason.", "failed")
    ]
    state: Annotated[str | None, about("State defined by the check; null if it was not evaluated.", "too_long")]
    passed: Annotated[bool | None, about("False: failed or warning; null: not evaluated.", False)]  # noqa: FBT003
    importance: Annotated[Importance, about("Importance of the finding; of the check where nothing was found.", "high")]
    price: Annotated[Amount, about("Maximum penalty, in points of the score.", 8)]
    lost: Annotated[Amount, about("Points lost, before budgets, caps and rounding.", 4)]
    cause: Annotated[
        str | None,
        about("Checks with the same cause lose points once; absent without a shared cause.", "title", later=True),
    ]
    counted_in: Annotated[
        str | None,
        about("The check that is charged for the cause; null: this one, or nothing is.", None, later=True),
    ]
    inherited_from: Annotated[
        str | None, about("Only in reports of ruleset 2026.1: the failed check that cost this one too.", None)
    ]
    value: Annotated[Scalar, about("Value that was found.", "Pricing and plans for every kind of team | Example")]
    message: Annotated[
        str, about("The finding in one sentence.", "The title has 79 characters; search cuts it near 60.")
    ]
    reason: Annotated[
        str | None, about("Reason why it was not evaluated, as `code: sentence`.", None, "missing: It has no images.")
    ]
    errors: Annotated[tuple[Detail, ...], about("Details for programs; the number is limited.")]
    evidence: Annotated[
        tuple[Evidence, ...],
        about(
            "Locations of the finding, at most 100.",
            [{"selector": "head > title", "line": 7, "column": 5, "snippet": "<title>Pricing and plans…"}],
        ),
    ]
    evidence_total: Annotated[Count, about("Total number of locations.", 1)]
    why: Annotated[
        str,
        about(
            "Reason to fix this finding; empty where there is nothing to do.",
            "Search engines show the title as the heading of the result.",
        ),
    ]
    fix: Annotated[
        str,
        about(
            "Instructions for this finding, as Markdown; empty where there is nothing to do.",
            "Shorten it to 60 characters and keep the topic first.",
        ),
    ]
    count: Annotated[Count | None, about("Number of the items that `title` names; null: not counted.", None, 4)]
    saving: Annotated[Saving | None, about("Amount that fixing it would save per visit; null: unknown.", None)]
    learn_more: Annotated[
        str, about("Address of the standard or guide behind it.", "https://html.spec.whatwg.org/#the-title-element")
    ]
    ignored: (
        Annotated[Ignored, about("Reason why it costs nothing; only where `outcome` is `ignored`.")] | UnsetType
    ) = UNSET


class Analysis(msgspec.Struct, frozen=True, kw_only=True):
    """The engine that a report comes from."""

    engine: Annotated[Literal["static", "rendered"], about("`rendered` when a browser drew the page.", "static")]
    device: Annotated[Device | None, about("Device that the browser imitated.", None, "mobile")]
    unseen_checks: (
        Annotated[Count, about("Checks that were not evaluated because no browser was used.", 24)] | UnsetType
    ) = UNSET
    unseen_points: (
        Annotated[Count, about("The most by which those can lower the score, limits to it aside.", 60)] | UnsetType
    ) = UNSET


def report_to_dict(report: Report) -> JSONObject:
    """The report as plain values: dicts, lists, strings, numbers, booleans and ``None`` only.

    Results are keyed by check id in catalogue order. What only a server knows (``id``, ``privacy``, ``share_url``,
    ``created_at``, ``updated_at``, ``run.number``) is ``None``, and ``password`` is false. No NaN, NUL or lone
    surrogate remains.
    """
    return cast("JSONObject", storable_json(report_members(report)))


def report_members(report: Report) -> JSONObject:
    """Return the members of ``report_to_dict``, as long as their texts and numbers may not be storable.

    Most of them are still the values of the report, which the encoder reads in C.
    """
    return {
        "id": None,
        "object": "report",
        "version": report.version,
        "url": report.url,
        "final_url": report.final_url,
        "project": report.project,
        "privacy": None,
        "password": False,
        "render": None,
        "device": None,
        "state": report.state,
        "result": report.result,
        "score": report.score,
        "uncapped_score": report.uncapped_score,
        "coverage": report.coverage,
        "withheld": report.withheld,
        "analysis": analysis_of(report),
        "ignored": report.ignored,
        "caps": report.caps,
        "counts": report.counts,
        "categories": report.categories,
        "results": {result.check: _result(result) for result in report.results},
        "page": report.page,
        "rendered": report.rendered,
        "run": report.run,
        "error": report.error,
        "share_url": None,
        "generated_at": format_timestamp(report.generated_at),
        "created_at": None,
        "updated_at": None,
    }


@overload
def timestamp(at_ms: int) -> str: ...


@overload
def timestamp(at_ms: None) -> None: ...


def timestamp(at_ms: int | None) -> str | None:
    """RFC 3339 in UTC with milliseconds and ``Z``, of milliseconds since 1970; ``None`` for ``None``.

    Source: https://www.rfc-editor.org/rfc/rfc3339#section-5.6
    """
    if at_ms is None:
        return None
    return (_EPOCH + timedelta(milliseconds=at_ms)).isoformat(timespec="milliseconds")[:-6] + "Z"


def format_timestamp(moment: datetime) -> str:
    """RFC 3339 in UTC with milliseconds and ``Z``; a moment without zone is taken as UTC."""
    aware = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
    return aware.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def report_from_dict(data: object) -> Report:
    """Read a report that ``report_to_dict`` made, or an answer of the HTTP interface that holds one in ``data``.

    Members this version does not know are ignored.

    Raises:
        InvalidInput: It is no report, one that is not finished, one without results, or one of a later version.
    """
    if isinstance(data, Mapping) and isinstance(data.get("data"), Mapping):
        data = data["data"]
    if not isinstance(data, Mapping) or data.get("object") != "report":
        raise InvalidInput(f"This is not a Pagegrade report; {ANALYZE_AGAIN}")
    version = data.get("version", REPORT_VERSION)
    if not isinstance(version, int) or version > REPORT_VERSION:
        raise InvalidInput(
            f"The report has format version {version!r}; this Pagegrade reads up to {REPORT_VERSION}. "
            "Install a newer Pagegrade."
        )
    if data.get("state") not in {"completed", "failed"}:
        raise InvalidInput(f"The report is not finished (state {data.get('state')!r}); wait for it and save it again.")
    results = data.get("results")
    if not isinstance(results, Mapping):
        raise InvalidInput("The report holds no results; take a whole report, not an item of a list.")
    try:
        return msgspec.convert(_shape(data, results), Report, strict=True)
    except (msgspec.ValidationError, TypeError) as error:
        raise InvalidInput(f"The report cannot be read: {error}; {ANALYZE_AGAIN}") from error


def analysis_of(report: Report) -> Analysis:
    """Return which engine a report comes from, the device it imitated, and what it left open without a browser."""
    rendered, unseen = report.rendered, unseen_by_browser(report)
    return Analysis(
        engine="static" if rendered is None else "rendered",
        device=None if rendered is None else rendered.device,
        unseen_checks=UNSET if unseen is None else unseen.checks,
        unseen_points=UNSET if unseen is None else unseen.max_points,
    )


def results_from_dict(results: Mapping[str, Any]) -> tuple[Result, ...]:
    """Read the ``results`` of a report that ``report_to_dict`` made.

    Raises:
        InvalidInput: They are none.
    """
    try:
        shaped = [_result_shape(name, result) for name, result in results.items()]
        return msgspec.convert(shaped, tuple[Result, ...], strict=True)
    except (msgspec.ValidationError, TypeError) as error:
        raise InvalidInput(f"The results cannot be read: {error}; {ANALYZE_AGAIN}") from error


def _shape(data: Mapping[str, Any], results: Mapping[str, Any]) -> JSONObject:
    """The JSON object rearranged to the fields of the structs; ``None`` members fall back to their defaults."""
    shaped = {
        **_without_none(data),
        "results": [_result_shape(name, result) for name, result in results.items()],
        "run": data.get("run"),
    }
    for name in ("run", "page", "rendered"):
        if isinstance(shaped.get(name), Mapping):
            shaped[name] = _without_none(shaped[name])
    if isinstance(shaped["run"], dict):
        shaped["run"].pop("number", None)
    if isinstance(shaped.get("rendered"), Mapping) and shaped["rendered"].get("state") == "pending":
        del shaped["rendered"]
    shaped.pop("analysis", None)
    shaped.setdefault("final_url", None)
    return shaped


def _result_shape(name: str, result: object) -> object:
    if not isinstance(result, Mapping):
        return result
    return {"state": None, "title": name, **_without_none(result), "check": name}


def _without_none(data: Mapping[str, Any]) -> JSONObject:
    return {name: value for name, value in data.items() if value is not None}


def _result(result: Result) -> CheckResult:
    return CheckResult(
        name=result.check_name,
        title=result.title,
        category=result.category,
        outcome=result.outcome,
        state=result.state,
        passed=result.passed,
        importance=result.importance,
        price=result.price or 0.0,
        lost=result.lost or 0.0,
        cause=result.cause,
        counted_in=result.counted_in,
        inherited_from=result.inherited_from,
        value=result.value,
        message=result.message,
        reason=result.reason or None,
        errors=result.errors,
        evidence=result.evidence,
        evidence_total=max(result.evidence_total, len(result.evidence)),
        why=result.why,
        fix=result.fix,
        count=result.count,
        saving=result.saving,
        learn_more=result.learn_more,
        ignored=result.ignored or UNSET,
    )
