"""Puts the report together from what was evaluated."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final, Protocol

from pagegrade.model.artifacts import Artifacts, NotGathered
from pagegrade.model.document import Document
from pagegrade.model.outcome import Evidence, NotApplicable, NotRun, Outcome, Saving
from pagegrade.model.report import (
    CATEGORIES,
    Category,
    CheckLike,
    Counts,
    Ignored,
    OutcomeName,
    PageFacts,
    Redirect,
    Result,
    severity_of_finding,
)
from pagegrade.report.page_summary import (
    loaded_files,
    preview_of,
    resource_totals,
    shown_headers,
    stored_previews,
    with_pictures,
)
from pagegrade.report.sanitize import clean

MAX_VALUE: Final = 500
MAX_MESSAGE: Final = 500


class EvaluatedLike(Protocol):
    """A verdict that was read by its check's table of states."""

    @property
    def verdict(self) -> Outcome | NotApplicable | NotRun: ...  # noqa: D102
    @property
    def outcome(self) -> OutcomeName: ...  # noqa: D102
    @property
    def loss(self) -> float | None: ...  # noqa: D102


def result_of(
    check: CheckLike,
    evaluated: EvaluatedLike,
    *,
    price: float,
    lost: float,
    counted_in: str | None,
    ignored: Ignored | None = None,
) -> Result:
    """One line of the report; ``counted_in`` is the check that is charged for the cause of both."""
    title = check.title
    severity = check.severity
    why = fix = ""
    count: int | None = None
    saving: Saving | None = None
    state: str | None = None
    value: str | float | None = None
    message = reason = ""
    errors: tuple = ()  # type: ignore[type-arg]
    evidence: tuple = ()  # type: ignore[type-arg]
    total = 0
    match evaluated.verdict:
        case Outcome() as found:
            state = found.state
            explained = check.state(found.state)
            if evaluated.outcome in {"failed", "warning"} and evaluated.loss is not None:
                severity = severity_of_finding(check, found.state, evaluated.loss)
            if evaluated.outcome != "passed" and explained.title:
                title, why, fix, saving = explained.title, explained.why, explained.fix, found.saving
            value = clean(found.value, MAX_VALUE) if isinstance(found.value, str) else found.value
            message = clean(found.message or explained.message, MAX_MESSAGE)
            errors, evidence = found.details, found.evidence
            total = len(evidence) if found.total is None else found.total
            if fix:
                fix = _with_further_advice(check, fix, evidence, is_whole=total == len(evidence))
            if why and explained.counted:
                count = found.count or total or None
        case NotApplicable(why_not):
            reason = f"not_applicable: {why_not}"
            message = why_not
        case NotRun(code, detail):
            reason = f"{code}: {detail}" if detail else code
            message = detail
    if ignored is not None:
        reason = f"ignored: {ignored.reason}"
    return Result(
        check=check.id,
        title=title,
        category=check.category,
        outcome=evaluated.outcome if ignored is None else "ignored",
        state=state,
        importance=severity.label,
        price=price,
        lost=lost,
        cause=check.cause,
        counted_in=counted_in,
        value=value,
        message=message,
        reason=reason,
        why=why,
        fix=fix,
        errors=errors,
        evidence=evidence,
        evidence_total=total,
        learn_more=check.sources[0],
        name=check.title,
        count=count,
        saving=saving,
        ignored=ignored,
    )


def _with_further_advice(check: CheckLike, fix: str, evidence: Sequence[Evidence], *, is_whole: bool) -> str:
    """The advice of the outcome's state, followed by that of the other states that entries of the evidence show.

    Their number is given where the evidence ``is_whole``, so that the numbers add up to the entries listed.
    """
    advice = {fix: ""}
    for name, number in Counter(entry.state for entry in evidence).items():
        if name and (other := check.state(name)).fix:
            count = f": {number:,}" if other.counted and is_whole else ""
            advice.setdefault(other.fix, f"Also found: {other.title}{count}. ")
    return "\n\n".join(title + text for text, title in advice.items())


def count_results(results: Sequence[Result]) -> tuple[Counts, dict[Category, tuple[int, int]]]:
    """(the counts of the report, category -> (passed, findings)).

    Findings of one cause are one finding: one that is counted in another is not counted again.
    """
    totals = dict.fromkeys(
        ("passed", "critical", "high", "medium", "low", "informative", "not_applicable", "not_evaluated"),
        0,
    )
    by_category: dict[Category, tuple[int, int]] = dict.fromkeys(CATEGORIES, (0, 0))
    for result in results:
        passed, failed = by_category[result.category]
        if result.outcome == "ignored":
            continue
        if result.outcome in ("warning", "failed"):
            if result.counted_in is not None:
                continue
            totals[result.importance] += 1
            by_category[result.category] = (passed, failed + 1)
        else:
            totals[result.outcome] += 1
            if result.outcome == "passed":
                by_category[result.category] = (passed + 1, failed)
    return Counts(**totals), by_category


def page_facts(artifacts: Artifacts, document: Document | None) -> PageFacts:
    """Figures of the page; those of the document are left out where it was not evaluated."""
    navigation = artifacts.navigation
    response = navigation.response
    timings = response.timings
    requests = 0
    title = language = ""
    if document is not None:
        urls = {reference.url for reference in document.references if not reference.alternative}
        if not isinstance(artifacts.resources, NotGathered):
            urls.update(item.url for item in artifacts.resources.items)
        requests = len(urls)
        title = clean(next((one.text for one in document.titles), ""), 512)
        language = clean(document.html.attrs.get("lang", "") if document.html else "", 35)
    return PageFacts(
        http_status=response.status,
        redirects=tuple(
            Redirect(
                url=clean(hop.url, 2048),
                status=hop.status,
                location=clean(hop.header("location") or "", 2048),
                address=hop.address,
                total_ms=hop.timings.total_ms,
                http_version=hop.http_version,
            )
            for hop in navigation.hops
        ),
        http_version=response.http_version,
        address=response.address,
        bytes=len(response.body),
        transfer_bytes=response.wire_bytes,
        requests=requests,
        timing_ms={
            "dns": timings.dns_ms,
            "connect": timings.connect_ms,
            "tls": timings.tls_ms,
            "first_byte": timings.first_byte_ms,
            "download": timings.download_ms,
        },
        title=title,
        language=language,
        server=clean(response.header("server") or "", 200),
        resources=resource_totals(artifacts),
        files=loaded_files(artifacts),
        headers=shown_headers(response),
        preview=None if document is None else with_pictures(preview_of(document), stored_previews(artifacts)),
    )
