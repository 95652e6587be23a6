"""JSON of reports, runs, comparisons, projects, batches and accounts, as the modules beside this one describe it.

A report is assembled from the bytes in which it is stored: parsing its results only to write them again would be most
of the cost of a request.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum
from functools import lru_cache
from typing import Any, Final

import msgspec

from pagegrade.model.account import Account, Key, Usage
from pagegrade.model.outcome import Evidence
from pagegrade.model.report import REPORT_VERSION
from pagegrade.model.stored import GRADES, StoredReport, StoredRun
from pagegrade.report.codec import Summary, detail_members, read_summary
from pagegrade.report.compare import Change
from pagegrade.report.serialize import evidence_to_dict, timestamp
from pagegrade.service.options import AT_ONCE, ServiceOptions
from pagegrade.service.reports.batches import BatchState
from pagegrade.service.reports.history import ComparedRuns, RunResults
from pagegrade.service.reports.projects import ProjectSize

DEFAULT_PER_PAGE: Final = 10
_RESULT: Final[dict[int | None, bytes]] = {rating: f'"{grade}"'.encode() for rating, grade in GRADES.items()}
_DEVICE: Final = {None: b"null", "mobile": b'"mobile"', "desktop": b'"desktop"'}
_encode: Final[Callable[[Any], bytes]] = msgspec.json.Encoder().encode
_NULL: Final = msgspec.Raw(b"null")
_NO_SUMMARY: Final = Summary(
    version=msgspec.Raw(str(REPORT_VERSION).encode()),
    final_url=_NULL,
    uncapped_score=_NULL,
    coverage=_NULL,
    caps=msgspec.Raw(b"[]"),
    counts=_NULL,
    categories=msgspec.Raw(b"{}"),
    run=_NULL,
)
_NO_DETAIL: Final = b'"results":null,"page":null,"rendered":null'


class Absent(Enum):
    """Not asked for, as opposed to not there."""

    ABSENT = 0


ABSENT: Final = Absent.ABSENT
DetailBytes = bytes | Absent | None
"""JSON object with ``results`` and ``page``; ``None``: there are none, ``ABSENT``: leave the members out."""


def share_url(base_url: str, slug: str) -> str:
    """URL of the share page."""
    return f"{base_url}/r/{slug}"


_items: Final[dict[tuple[str, str], tuple[StoredReport, bytes]]] = {}
"""Slug and base URL -> a report as it was, and its JSON object without results."""
ITEMS: Final = 2_000
"""Number of items that are kept: a few megabytes."""


def report_item(stored: StoredReport, *, base_url: str) -> bytes:
    """The JSON object of a report as an item of a list; the latest ones are kept."""
    key = (stored.slug, base_url)
    kept = _items.get(key)
    if kept is not None and kept[0] == stored:
        return kept[1]
    if len(_items) >= ITEMS:
        _items.clear()
    item = report_object(stored, base_url=base_url, detail=ABSENT)
    _items[key] = stored, item
    return item


def report_object(stored: StoredReport, *, base_url: str, detail: DetailBytes) -> bytes:
    """The JSON object of a report.

    Args:
        stored: The report.
        base_url: Public origin, without a slash at the end.
        detail: Of the run it shows.
    """
    summary = _NO_SUMMARY if stored.summary is None else read_summary(stored.summary)
    return b"".join((
        b'{"id":%d,"object":"report","version":' % stored.id,
        summary.version,
        b',"url":',
        _encode(stored.url),
        b',"final_url":',
        summary.final_url,
        b',"project":',
        _encode(stored.project),
        b',"privacy":%d,"password":' % stored.privacy,
        b"false" if stored.password_hash is None else b"true",
        b',"render":',
        _integer(stored.render),
        b',"device":',
        _DEVICE[stored.device],
        b',"state":"',
        stored.state.encode(),
        b'","result":',
        _RESULT.get(stored.rating, b"null"),
        b',"score":',
        _integer(stored.score),
        *_middle(summary, detail, stored.run_number),
        b',"error":',
        stored.error or b"null",
        b',"share_url":',
        _encode(share_url(base_url, stored.slug)),
        b',"generated_at":',
        _time(stored.generated_at_ms),
        b',"created_at":',
        _time(stored.created_at_ms),
        b',"updated_at":',
        _time(stored.updated_at_ms),
        b"}",
    ))  # fmt: skip


def run_item(run: StoredRun) -> bytes:
    """The JSON object of a run as an item of a list."""
    return _run_object(run, ABSENT)


def run_object(found: RunResults) -> bytes:
    """The JSON object of a run, whole."""
    return _run_object(found.run, found.detail)


def _run_object(run: StoredRun, detail: DetailBytes) -> bytes:
    summary = _NO_SUMMARY if run.summary is None else read_summary(run.summary)
    return b"".join((
        b'{"object":"run","report_id":%d,"number":%d,"state":"' % (run.report_id, run.number),
        run.state.encode(),
        b'","final_url":',
        summary.final_url,
        b',"result":',
        _RESULT.get(run.rating, b"null"),
        b',"score":',
        _integer(run.score),
        *_middle(summary, detail, run.number),
        b',"error":',
        run.error or b"null",
        b',"created_at":',
        _time(run.created_at_ms),
        b',"started_at":',
        _time(run.started_at_ms),
        b',"finished_at":',
        _time(run.finished_at_ms),
        b"}",
    ))  # fmt: skip


def project_object(project: ProjectSize) -> bytes:
    """The JSON object of a project."""
    return _encode({"object": "project", "project": project.name, "reports": project.reports})


def batch_item(batch: BatchState) -> bytes:
    """The JSON object of a batch as an item of a list."""
    return _encode(_batch(batch))


def batch_object(batch: BatchState) -> bytes:
    """The JSON object of a batch, whole."""
    reports = [
        {
            "id": report.id,
            "object": "report",
            "url": report.url,
            "state": report.state,
            "result": None if report.rating is None else GRADES[report.rating],
            "score": report.score,
        }
        for report in batch.reports
    ]
    return _encode({**_batch(batch), "refused": msgspec.Raw(batch.refused), "reports": reports})


def _batch(batch: BatchState) -> dict[str, Any]:
    return {
        "id": batch.id,
        "object": "batch",
        "total": len(batch.reports),
        "queued": batch.unfinished,
        "completed": batch.count("completed"),
        "failed": batch.count("failed"),
        "created_at": timestamp(batch.created_at_ms),
    }


def _key_members(key: Key) -> dict[str, Any]:
    """The members of a key as its account shows them."""
    return {
        "id": key.id,
        "name": key.name,
        "prefix": key.prefix,
        "scopes": list(key.scopes),
        "project": key.project,
        "expires_at": None if key.expires_at_ms is None else timestamp(key.expires_at_ms),
        "last_used_at": None if key.last_used_at_ms is None else timestamp(key.last_used_at_ms),
    }


def key_object(key: Key, **more: Any) -> bytes:
    """The JSON object of a key of a list, with further members."""
    listed = {"object": "key", "made_by": key.made_by, "created_at": timestamp(key.created_at_ms)}
    return msgspec.json.encode({**_key_members(key), **listed, **more})


def account_object(account: Account, key: Key, usage: Usage, options: ServiceOptions) -> bytes:
    """The JSON object of an account, as the holder of ``key`` sees it."""
    thresholds = options.analyze.thresholds
    return _encode(
        {
            "id": account.id,
            "object": "account",
            "name": account.name,
            "email": account.email,
            "locale": account.locale,
            "timezone": account.timezone,
            "plan": {
                "id": 1,
                "name": "self-hosted",
                "features": {"api": 1, "reports": -1 if options.max_reports is None else options.max_reports},
            },
            "limits": {
                "requests_per_minute": options.requests_per_minute,
                "analyses_per_minute": options.analyses_per_minute,
                "queued_runs": options.account_queue,
                "batch": AT_ONCE,
                "reports": options.max_reports,
                "retention_days": options.retention_days,
            },
            "usage": {
                "reports": usage.reports,
                "projects": usage.projects,
                "queued_runs": usage.queued_runs,
                "analyses_today": usage.analyses_today,
                "analyses_total": usage.analyses_total,
                "stored_bytes": usage.stored_bytes,
            },
            "defaults": {
                "privacy": int(options.default_privacy if account.default_privacy is None else account.default_privacy),
                "per_page": DEFAULT_PER_PAGE,
            },
            "thresholds": {"good": thresholds.good, "decent": thresholds.decent},
            "api_key": _key_members(key),
            "created_at": timestamp(account.created_at_ms),
        }
    )


def comparison_object(compared: ComparedRuns) -> bytes:
    """The JSON object of what changed from one run to another."""
    comparison = compared.comparison
    return _encode(
        {
            "object": "comparison",
            "report_id": compared.report_id,
            "from": compared.before,
            "to": compared.after,
            "score_before": comparison.score_before,
            "score_after": comparison.score_after,
            "uncapped_score_before": _tenths(comparison.exact_before),
            "uncapped_score_after": _tenths(comparison.exact_after),
            "same_ruleset": comparison.same_ruleset,
            "same_final_url": comparison.same_final_url,
            "new": [_change(change) for change in comparison.new],
            "fixed": [_change(change) for change in comparison.fixed],
            "still": [_change(change) for change in comparison.still],
            "worse": [result.check for result in comparison.worse],
            "not_comparable": [{"check": one.check, "reason": one.reason} for one in comparison.not_comparable],
        }
    )


def _tenths(points: float | None) -> float | None:
    """A score with one decimal; reports of ruleset 2026.1 have more."""
    return None if points is None else round(points, 1)


def _middle(summary: Summary, detail: DetailBytes, number: int | None) -> tuple[bytes | memoryview | msgspec.Raw, ...]:
    """From ``uncapped_score`` to ``run``: what reports and runs have in common."""
    whole: tuple[bytes | memoryview, ...] = ()
    if not isinstance(detail, Absent):
        whole = (b",", _NO_DETAIL if detail is None else detail_members(detail))
    run = bytes(summary.run)
    if number is not None and run != b"null":
        run = b'{"number":%d,' % number + run[1:]
    return (
        b',"uncapped_score":',
        summary.uncapped_score,
        b',"coverage":',
        summary.coverage,
        b',"withheld":',
        summary.withheld,
        b',"analysis":',
        summary.analysis,
        b',"ignored":',
        summary.ignored,
        b',"caps":',
        summary.caps,
        b',"counts":',
        summary.counts,
        b',"categories":',
        summary.categories,
        *whole,
        b',"run":',
        run,
    )


def _change(change: Change) -> Mapping[str, Any]:
    result = change.result
    evidence: Evidence | None = change.evidence
    return {
        "check": result.check,
        "title": result.title,
        "category": result.category,
        "importance": result.importance,
        "state": result.state,
        "lost": result.lost,
        "message": result.message,
        "evidence": None if evidence is None else evidence_to_dict(evidence),
    }


def _integer(number: int | None) -> bytes:
    return b"null" if number is None else b"%d" % number


@lru_cache(maxsize=4_096)
def _time(at_ms: int | None) -> bytes:
    return b"null" if at_ms is None else f'"{timestamp(at_ms)}"'.encode()
