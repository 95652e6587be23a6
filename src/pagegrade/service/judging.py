"""Artifacts -> report: parse, run every check, score, explain. Pure, and run in a child that can be killed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Final

from pagegrade.checks import Check, Facts, Judged, all_checks, run_checks
from pagegrade.model.artifacts import Artifacts, NotGathered, Response
from pagegrade.model.identity import USER_AGENT, VERSION
from pagegrade.model.report import (
    DECENT_FROM,
    GOOD_FROM,
    MIN_COVERAGE,
    CategoryScore,
    Failure,
    Grade,
    Report,
    RunFacts,
)
from pagegrade.model.stored import PackedReport
from pagegrade.parse.challenge import recognise_block
from pagegrade.parse.url import project_of
from pagegrade.report.build import count_results, page_facts, result_of
from pagegrade.report.packing import pack_report
from pagegrade.score import Weighed, prices, score

_WITHOUT_CONTENT: Final = frozenset({204, 205})
"""Successes that carry no page (RFC 9110 15.3.5, 15.3.6)."""
_PASSING: Final = frozenset({408, 421, 425})
"""Errors below 500 that may be gone the next time."""
_ARTIFACTS: Final = (
    "robots_txt",
    "sitemaps",
    "not_found_probe",
    "insecure_probe",
    "sibling_probe",
    "favicon",
    "tls",
    "dns",
    "resources",
    "security_txt",
    "cors_probe",
    "llms_txt",
    "link_probes",
    "alternates",
    "source_maps",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Thresholds:
    """Scores from which a page is good, or decent."""

    good: int = GOOD_FROM
    decent: int = DECENT_FROM

    def grade(self, value: int) -> Grade:
        """The word for a score."""
        return "good" if value >= self.good else "decent" if value >= self.decent else "bad"


@cache
def _weighed() -> tuple[Mapping[str, Check], dict[str, Weighed], dict[str, float]]:
    """The registry as scoring sees it; the same for every page."""
    checks = all_checks()
    weighed = {
        check.id: Weighed(
            category=check.category,
            weight=check.severity.value,
            requires=check.requires,
            cap=check.cap.max_score if check.cap else None,
            category_cap=check.cap.category_max_score if check.cap else None,
        )
        for check in checks.values()
    }
    return checks, weighed, prices(weighed)


def judge_artifacts(artifacts: Artifacts, thresholds: Thresholds = Thresholds()) -> Report:
    """Judge what was gathered.

    A page that was not really seen (a challenge page, a status outside 2xx) is reported as failed and never scored.
    The same artifacts and ruleset give the same report, byte for byte.
    """
    refusal = _refusal(artifacts)
    if refusal is not None:
        url = artifacts.navigation.requested_url
        return failed_report(url, refusal, generated_at=artifacts.gathered_at, artifacts=artifacts)
    checks, weighed, price = _weighed()
    facts = Facts(artifacts)
    judged = run_checks(checks, facts)
    scores = score(weighed, price, {name: one.loss for name, one in judged.items()})
    results = tuple(
        result_of(
            one.check,
            one,
            price=price[name],
            lost=scores.lost[name],
            inherited_from=checks[scores.inherited[name]] if name in scores.inherited else None,
        )
        for name, one in judged.items()
    )
    # What scripts draw was not seen, and it is the page: a word on the rest would be a word on an empty frame.
    complete = scores.coverage >= MIN_COVERAGE and not facts.document.client_rendered
    counts, by_category = count_results(results)
    return Report(
        url=artifacts.navigation.requested_url,
        final_url=artifacts.navigation.main_document_url,
        project=project_of(artifacts.navigation.requested_url),
        state="completed",
        result=thresholds.grade(scores.score) if complete else None,
        score=scores.score,
        uncapped_score=scores.uncapped,
        coverage=scores.coverage,
        caps=scores.caps,
        counts=counts,
        categories={
            category: CategoryScore(
                score=value,
                result=thresholds.grade(value) if _seen(judged, price, category) else None,
                passed=by_category[category][0],
                failed=by_category[category][1],
            )
            for category, value in scores.categories.items()
        },
        results=results,
        page=page_facts(artifacts, facts.document),
        run=RunFacts(
            engine=artifacts.engine,
            duration_ms=artifacts.duration_ms,
            partial=not complete,
            vantage=artifacts.vantage,
            not_gathered=_not_gathered(artifacts),
            good_from=thresholds.good,
            decent_from=thresholds.decent,
            notes=_notes(artifacts, facts),
        ),
        generated_at=artifacts.gathered_at,
    )


def judge_and_pack(artifacts: Artifacts, thresholds: Thresholds) -> PackedReport:
    """Judge artifacts and pack the report for the store: a task for ``Children``.

    It lives here, because a child that imports it then loads nothing of the network.
    """
    return pack_report(judge_artifacts(artifacts, thresholds))


def failed_report(
    url: str,
    failure: Failure,
    *,
    generated_at: datetime,
    artifacts: Artifacts | None = None,
    duration_ms: float | None = None,
) -> Report:
    """A report without a verdict: the page was not really seen.

    ``artifacts`` is what was gathered all the same; ``None`` when it was nothing.
    """
    return Report(
        url=url,
        final_url=None if artifacts is None else artifacts.navigation.main_document_url,
        project=project_of(url),
        state="failed",
        page=None if artifacts is None else page_facts(artifacts, None),
        run=RunFacts(
            engine=VERSION if artifacts is None else artifacts.engine,
            duration_ms=duration_ms if artifacts is None else artifacts.duration_ms,
            vantage="" if artifacts is None else artifacts.vantage,
            not_gathered=() if artifacts is None else _not_gathered(artifacts),
        ),
        error=failure,
        generated_at=generated_at,
    )


def _refusal(artifacts: Artifacts) -> Failure | None:
    """Why this answer must not be judged as the page; ``None`` when it is the page."""
    response = artifacts.navigation.response
    block = recognise_block(response)
    if block is not None:
        return Failure(
            code="blocked",
            message=f"{block.message} Allow the user agent {USER_AGENT.split(' ', 1)[0]} and try again.",
            reason=block.reason,
            http_status=response.status,
            retryable=True,
        )
    if not 200 <= response.status <= 299 or response.status in _WITHOUT_CONTENT:  # noqa: PLR2004 - RFC 9110 15.3
        return Failure(
            code="http_error",
            message=f"The site answered {response.status} instead of the page.",
            reason=f"status_{response.status}",
            http_status=response.status,
            retryable=response.status in _PASSING or response.status >= 500,  # noqa: PLR2004 - RFC 9110 15.6
        )
    if "decode_bomb" in response.notes:
        return Failure(
            code="too_large",
            message="The page unpacks to far more than it weighs, so it was not read.",
            reason="decode_bomb",
            http_status=response.status,
        )
    if response.truncated is not None and not response.body:
        return Failure(
            code="not_html",
            message="The answer could not be unpacked: its Content-Encoding is damaged or one that was not asked for.",
            reason="decode_error" if response.truncated == "coding" else f"truncated_{response.truncated}",
            http_status=response.status,
            retryable=True,
        )
    return None


def _seen(judged: Mapping[str, Judged], price: Mapping[str, float], category: str) -> bool:
    """Whether enough of a category was evaluated to put a word on it."""
    of_category = [(price[name], one) for name, one in judged.items() if one.check.category == category]
    total = sum(points for points, _ in of_category)
    evaluated = sum(points for points, one in of_category if one.loss is not None)
    return total > 0 and evaluated >= MIN_COVERAGE * total


def _not_gathered(artifacts: Artifacts) -> tuple[tuple[str, str], ...]:
    found = []
    for name in _ARTIFACTS:
        value = getattr(artifacts, name)
        if isinstance(value, NotGathered) and value.code != "not_applicable":
            found.append((name, f"{value.code}: {value.detail}" if value.detail else value.code))
    return tuple(found)


def _notes(artifacts: Artifacts, facts: Facts) -> tuple[str, ...]:
    response: Response = artifacts.navigation.response
    notes = []
    if not response.body.strip():
        notes.append("The page is empty: the site answered with success and without content.")
    if facts.document.client_rendered:
        notes.append("The served HTML is an empty shell that scripts fill in; what they add was not seen.")
    if response.truncated is not None:
        notes.append(f"The page was not read to its end ({response.truncated}); what follows was not judged.")
    if facts.document.limits_hit:
        limits = ", ".join(facts.document.limits_hit)
        notes.append(f"The page is larger than our limits ({limits}); the rest was not read.")
    if response.certificate_error is not None:
        notes.append("The page was read over a connection whose certificate did not verify.")
    return tuple(notes)
