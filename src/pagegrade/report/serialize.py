"""A report as the JSON object that every interface hands out, and back."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final, cast

import msgspec

from pagegrade.model.access import AccessNote
from pagegrade.model.errors import InvalidInput
from pagegrade.model.outcome import Evidence
from pagegrade.model.report import (
    REPORT_VERSION,
    CategoryScore,
    Counts,
    Failure,
    Ignored,
    IgnoredTotal,
    LoadedFile,
    PageFacts,
    Preview,
    PreviewPicture,
    Report,
    Result,
    RunFacts,
    Withheld,
)
from pagegrade.report.rendered import rendered_shape, rendered_to_dict
from pagegrade.report.sanitize import storable_json
from pagegrade.report.unseen import unseen_by_browser

JSONObject = dict[str, Any]
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
ANALYZE_AGAIN: Final = "make a new one with: pagegrade analyze URL --format json --output FILE"


def report_to_dict(report: Report) -> JSONObject:
    """The report as plain values: dicts, lists, strings, numbers, booleans and ``None`` only.

    Results are keyed by check id in catalogue order. What only a server knows (``id``, ``privacy``, ``share_url``,
    ``created_at``, ``updated_at``, ``run.number``) is ``None``, and ``password`` is false. No NaN, NUL or lone
    surrogate remains.
    """
    return cast("JSONObject", storable_json(report_members(report)))


def report_members(report: Report) -> JSONObject:
    """Return the members of ``report_to_dict``, as long as their texts and numbers may not be storable.

    Evidence and causes are still the values of the report: they are the bulk of it, and the encoder reads them in C.
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
        "withheld": None if report.withheld is None else _withheld(report.withheld),
        "analysis": analysis_to_dict(report),
        "ignored": None if report.ignored is None else _ignored_total(report.ignored),
        "caps": [{"check": cap.check, "max_score": cap.max_score, "category": cap.category} for cap in report.caps],
        "counts": _counts(report.counts),
        "categories": {name: _category(category) for name, category in report.categories.items()},
        "results": {result.check: _result(result) for result in report.results},
        "page": None if report.page is None else _page(report.page),
        "rendered": None if report.rendered is None else rendered_to_dict(report.rendered),
        "run": _run(report.run),
        "error": None if report.error is None else _error(report.error),
        "share_url": None,
        "generated_at": format_timestamp(report.generated_at),
        "created_at": None,
        "updated_at": None,
    }


def timestamp(at_ms: int) -> str:
    """RFC 3339 in UTC with milliseconds and ``Z``, of milliseconds since 1970.

    Source: https://www.rfc-editor.org/rfc/rfc3339#section-5.6
    """
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


def analysis_to_dict(report: Report) -> JSONObject:
    """Return which engine a report comes from, the device it imitated, and what it left open without a browser."""
    rendered, unseen = report.rendered, unseen_by_browser(report)
    return {
        "engine": "static" if rendered is None else "rendered",
        "device": None if rendered is None else rendered.device,
        **({} if unseen is None else {"unseen_checks": unseen.checks, "unseen_points": unseen.max_points}),
    }


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
    run = data.get("run")
    shaped = {
        **_without_none(data),
        "results": [_result_shape(name, result) for name, result in results.items()],
        "run": run,
    }
    if isinstance(run, Mapping):
        listed = run.get("not_gathered")
        not_gathered = [
            [item.get("artifact"), item.get("reason")]
            for item in (listed if isinstance(listed, list) else [])
            if isinstance(item, dict)
        ]
        thresholds = run.get("thresholds")
        limits = {f"{name}_from": value for name, value in thresholds.items()} if isinstance(thresholds, dict) else {}
        shaped["run"] = {**_without_none(run), "not_gathered": not_gathered, **limits}
    page = data.get("page")
    if isinstance(page, Mapping):
        shaped["page"] = _without_none(page)
    rendered = data.get("rendered")
    if isinstance(rendered, Mapping) and rendered.get("state") == "pending":
        del shaped["rendered"]
    elif isinstance(rendered, Mapping):
        shaped["rendered"] = rendered_shape(rendered)
    shaped.pop("analysis", None)
    shaped.setdefault("final_url", None)
    return shaped


def _result_shape(name: str, result: object) -> object:
    if not isinstance(result, Mapping):
        return result
    return {"state": None, "title": name, **_without_none(result), "check": name}


def _without_none(data: Mapping[str, Any]) -> JSONObject:
    return {name: value for name, value in data.items() if value is not None}


def _counts(counts: Counts) -> JSONObject:
    return {
        "passed": counts.passed,
        "critical": counts.critical,
        "high": counts.high,
        "medium": counts.medium,
        "low": counts.low,
        "informative": counts.informative,
        "not_applicable": counts.not_applicable,
        "not_evaluated": counts.not_evaluated,
    }


def _category(category: CategoryScore) -> JSONObject:
    return {
        "score": category.score,
        "result": category.result,
        "passed": category.passed,
        "failed": category.failed,
        "lost": category.lost,
        "taken": category.taken,
        "budget": category.budget,
        "coverage": category.coverage,
    }


def _withheld(withheld: Withheld) -> JSONObject:
    return {"kind": withheld.kind, "message": withheld.message, "fix": withheld.fix}


def _result(result: Result) -> JSONObject:
    return {
        "name": result.check_name,
        "title": result.title,
        "category": result.category,
        "outcome": result.outcome,
        "state": result.state,
        "passed": result.passed,
        "importance": result.importance,
        "price": result.price or 0.0,
        "lost": result.lost or 0.0,
        "cause": result.cause,
        "counted_in": result.counted_in,
        "inherited_from": result.inherited_from,
        "value": result.value,
        "message": result.message,
        "reason": result.reason or None,
        "errors": result.errors,
        "evidence": result.evidence,
        "evidence_total": max(result.evidence_total, len(result.evidence)),
        "why": result.why,
        "fix": result.fix,
        "count": result.count,
        "saving": None if result.saving is None else {"amount": result.saving.amount, "unit": result.saving.unit},
        "learn_more": result.learn_more,
        **({} if result.ignored is None else {"ignored": _ignored(result.ignored)}),
    }


def _ignored_total(total: IgnoredTotal) -> JSONObject:
    return {"findings": total.findings, "points": total.points}


def _ignored(ignored: Ignored) -> JSONObject:
    return {
        "outcome": ignored.outcome,
        "reason": ignored.reason,
        "rules": list(ignored.rules),
        "author": ignored.author,
        "expires_at": None if ignored.expires_at is None else format_timestamp(ignored.expires_at),
        "points": ignored.points,
    }


def evidence_to_dict(evidence: Evidence) -> JSONObject:
    """Serialize an evidence; empty members are left out."""
    return cast("JSONObject", msgspec.to_builtins(evidence))


def _page(page: PageFacts) -> JSONObject:
    return {
        "http_status": page.http_status,
        "redirects": [
            {
                "url": hop.url,
                "status": hop.status,
                "location": hop.location,
                "address": hop.address,
                "total_ms": hop.total_ms,
                "http_version": hop.http_version,
            }
            for hop in page.redirects
        ],
        "http_version": page.http_version,
        "address": page.address,
        "bytes": page.bytes,
        "transfer_bytes": page.transfer_bytes,
        "requests": page.requests,
        "timing_ms": dict(page.timing_ms),
        "title": page.title,
        "language": page.language,
        "server": page.server,
        "resources": [
            {
                "type": total.type,
                "count": total.count,
                "failed": total.failed,
                "transfer_bytes": total.transfer_bytes,
            }
            for total in page.resources
        ],
        "files": [_file(file) for file in page.files],
        "headers": [[name, value] for name, value in page.headers],
        "preview": None if page.preview is None else _preview(page.preview),
    }


def _file(file: LoadedFile) -> JSONObject:
    return {
        "url": file.url,
        "type": file.type,
        "initiator_url": file.initiator_url,
        "first_party": file.first_party,
        "status": file.status,
        "failure": file.failure,
        "http_version": file.http_version,
        "transfer_bytes": file.transfer_bytes,
        "redirects": file.redirects,
        "first_byte_ms": file.first_byte_ms,
        "total_ms": file.total_ms,
    }


def _preview(preview: Preview) -> JSONObject:
    return {
        "description": preview.description,
        "site_name": preview.site_name,
        "social_title": preview.social_title,
        "social_description": preview.social_description,
        "image_url": preview.image_url,
        "image": None if preview.image is None else _preview_picture(preview.image),
        "image_problem": preview.image_problem,
        "icon": None if preview.icon is None else _preview_picture(preview.icon),
    }


def _preview_picture(picture: PreviewPicture) -> JSONObject:
    return {
        "name": picture.name,
        "format": picture.format,
        "width_px": picture.width_px,
        "height_px": picture.height_px,
        "bytes": picture.bytes,
    }


def _run(run: RunFacts) -> JSONObject:
    return {
        "number": None,
        "engine": run.engine,
        "ruleset": run.ruleset,
        "duration_ms": run.duration_ms,
        "partial": run.partial,
        "vantage": run.vantage,
        **({} if run.access is None else {"access": _access(run.access)}),
        "not_gathered": [{"artifact": name, "reason": why} for name, why in run.not_gathered],
        "notes": list(run.notes),
        "thresholds": {"good": run.good_from, "decent": run.decent_from},
    }


def _access(access: AccessNote) -> JSONObject:
    visitors = access.visitors
    known: JSONObject = {"name": access.name, "origins": list(access.origins), "sent": list(access.sent)}
    if visitors is not None:
        known["visitors"] = {
            "status": visitors.status,
            "url": visitors.url,
            "is_elsewhere": visitors.is_elsewhere,
            "indexable": visitors.indexable,
        }
    return known


def _error(error: Failure) -> JSONObject:
    return {
        "code": error.code,
        "message": error.message,
        "reason": error.reason,
        "http_status": error.http_status,
        "retryable": error.retryable,
    }
