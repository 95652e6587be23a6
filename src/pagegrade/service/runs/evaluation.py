"""Artifacts -> report: parse, run every check, score, explain. Pure, and run in a child that can be killed."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from functools import cache, partial
from typing import Final

from msgspec import UNSET
from msgspec.structs import replace

from pagegrade.checks import Check, Evaluated, Facts, all_checks, run_checks
from pagegrade.model.access import AccessNote, VisitorView
from pagegrade.model.artifacts import GATHERED, NOT_RENDERED, NOT_SHOWN, Artifacts, NotGathered, Response
from pagegrade.model.identity import VERSION
from pagegrade.model.outcome import IgnoreRule, NotRun, Outcome
from pagegrade.model.rendering import RenderedPage, Rendering
from pagegrade.model.report import (
    CATEGORIES,
    MIN_COVERAGE,
    Category,
    CategoryScore,
    Failure,
    Ignored,
    IgnoredTotal,
    Report,
    RunFacts,
    Thresholds,
    Withheld,
)
from pagegrade.model.report import NotGathered as MissingArtifact
from pagegrade.model.stored import PackedReport
from pagegrade.parse.challenge import recognize_block, what_it_asks
from pagegrade.parse.html.visible_content import shows_nothing
from pagegrade.parse.page_kind import HIDDEN_UNTIL_SCRIPTS, empty_in_browser, leads_on, recognize_page_kind
from pagegrade.parse.rendering.causes import largest_paint, shifted_elements
from pagegrade.parse.rendering.metrics import measure_load, rendered_metrics
from pagegrade.parse.url import host, origin, project_of, registrable_domain, route
from pagegrade.parse.urls.identity import page_url
from pagegrade.report.build import count_results, page_facts, rendered_page, result_of
from pagegrade.report.codec import pack_report
from pagegrade.report.sanitize import bound_results
from pagegrade.scoring import Observed, Rule, Scores, rules_of, score
from pagegrade.service.runs.ignoring import find_ignored
from pagegrade.service.runs.options import DEFAULT_THRESHOLDS

_WITHOUT_CONTENT: Final = frozenset({204, 205})
"""Successes that carry no page (RFC 9110 15.3.5, 15.3.6)."""
_PARTIAL: Final = 206
_WHOLE_RANGE: Final = re.compile(r"bytes\s+0-(\d{1,18})/(\d{1,18})", re.IGNORECASE)
ACCESS_REFUSED: Final = "access_refused"
"""Reason of a failure: the page asks for a sign-in although an access was sent."""
ACCESS_NOT_SENT: Final = "access_not_sent"
"""Reason of a failure: the page asks for a sign-in, and an access for it stayed here because of the certificate."""
_PASSING: Final = frozenset({408, 421, 425})
"""Errors below 500 that may be gone the next time."""
_STAYS: Final = frozenset({"status_401"})
"""Refusals that no repetition passes: only a sign-in does."""
_ENDS: Final = (b"</html", b"</body")
_MAX_END: Final = 65_536
"""Bytes in which the end of a page is looked for; scripts and comments may stand behind it."""
_DOCUMENT_HOLDS: Final = frozenset({"empty_shell"})
"""Kinds of ``Withheld`` whose document is that of the page, although it is not all of it."""
_OF_THE_WAY: Final = frozenset({"redirect-chain"})
"""Checks of the redirects that lead to the document: to another page they are not those of the page."""
_OF_THE_SERVER: Final = frozenset({"hsts", "server-signature"})
"""Checks of headers that a server sends with every response, although they read the document as well."""
_MIN_COVERAGE_AT_HAND: Final = 0.5
"""Share of a category that must be evaluated for a score of it where only a document is at hand."""
_CATEGORY_WORDS: Final = {"seo": "SEO"}


@cache
def _rules() -> tuple[Mapping[str, Check], dict[str, Rule]]:
    """The registry, and what each check can cost; the same for every page."""
    checks = all_checks()
    return checks, rules_of(checks.values())


def evaluate_artifacts(
    artifacts: Artifacts, thresholds: Thresholds = DEFAULT_THRESHOLDS, ignores: Sequence[IgnoreRule] = ()
) -> Report:
    """Evaluate what was gathered.

    A page that was not really seen (a challenge page, a status outside 2xx) is reported as failed and never scored.
    The same artifacts, ruleset and ignore rules give the same report, byte for byte.
    """
    refusal = refusal_of(artifacts)
    if refusal is not None:
        url = artifacts.navigation.requested_url
        return failed_report(url, refusal, generated_at=artifacts.gathered_at, artifacts=artifacts)
    facts = Facts(artifacts)
    rules = _rules()[1]
    evaluated, not_the_page = run_on_page(facts)
    ignored = find_ignored(ignores, evaluated, facts, artifacts.gathered_at) if ignores else {}
    observed = {name: _observed(one) for name, one in evaluated.items()}
    unfiltered = scores = score(rules, observed)
    if ignored:
        scores = score(rules, observed | {name: Observed(0.0) for name in ignored})
    withheld = not_the_page or _too_little(artifacts, scores)
    results = bound_results(
        result_of(
            one.check,
            one,
            price=0.0 if withheld else rules[name].price,
            lost=0.0 if withheld else scores.lost[name],
            counted_in=scores.counted_in.get(name),
            ignored=_ignored(ignored.get(name), 0.0 if withheld else unfiltered.lost[name]),
        )
        for name, one in evaluated.items()
    )
    unseen = _unseen_categories(artifacts, scores)
    shares = _evaluated_shares(evaluated, rules)
    counts, by_category = count_results(results)
    return Report(
        url=artifacts.navigation.requested_url,
        final_url=_final_url(artifacts),
        project=project_of(artifacts.navigation.requested_url),
        state="completed",
        result=None if withheld else thresholds.grade(scores.score),
        score=None if withheld else scores.score,
        uncapped_score=None if withheld else scores.uncapped,
        coverage=scores.coverage,
        withheld=withheld,
        caps=() if withheld else scores.caps,
        ignored=_ignored_total(ignored, scores.score, unfiltered, is_graded=withheld is None),
        counts=counts,
        categories={
            category: _category_score(
                category,
                None if withheld else scores,
                thresholds,
                by_category[category],
                share=shares[category],
                is_unseen=category in unseen,
            )
            for category in scores.categories
        },
        results=results,
        page=page_facts(replace(artifacts, preview_images=NOT_SHOWN) if withheld else artifacts, facts.document),
        rendered=_rendered(artifacts.rendering),
        run=RunFacts(
            engine=artifacts.engine,
            duration_ms=artifacts.duration_ms,
            partial=withheld is not None or bool(unseen),
            vantage=artifacts.vantage,
            access=_access_of(artifacts) or UNSET,
            not_gathered=_not_gathered(artifacts),
            thresholds=thresholds,
            notes=(*_notes(artifacts, facts), *_unseen_note(artifacts, unseen)),
        ),
        generated_at=artifacts.gathered_at,
    )


def run_on_page(facts: Facts) -> tuple[dict[str, Evaluated], Withheld | None]:
    """Run every check; and what was served in place of the page, of whose content then nothing is said."""
    evaluated = run_checks(_rules()[0], facts)
    not_the_page = _not_the_page(facts)
    if not_the_page is not None and not_the_page.kind not in _DOCUMENT_HOLDS:
        evaluated = {name: _without_content(one, not_the_page) for name, one in evaluated.items()}
    return evaluated, not_the_page


def score_of(evaluated: Mapping[str, Evaluated]) -> Scores:
    """Score what the checks found."""
    return score(_rules()[1], {name: _observed(one) for name, one in evaluated.items()})


def _ignored(ignored: Ignored | None, points: float) -> Ignored | None:
    return None if ignored is None else replace(ignored, points=points)


def _ignored_total(
    ignored: Collection[str], score_with_rules: int, unfiltered: Scores, *, is_graded: bool
) -> IgnoredTotal | None:
    """Return what the ignore rules do to the report; ``None`` if they do nothing."""
    if not ignored:
        return None
    own = [name for name in ignored if unfiltered.counted_in.get(name) not in ignored]
    return IgnoredTotal(findings=len(own), points=score_with_rules - unfiltered.score if is_graded else None)


def _final_url(artifacts: Artifacts) -> str:
    """URL of the page in the end, its own redirects in a browser included."""
    rendering = artifacts.rendering
    if isinstance(rendering, Rendering) and rendering.departures:
        return rendering.final_url
    return page_url(artifacts.navigation)


def _rendered(rendering: Rendering | NotGathered) -> RenderedPage | None:
    """Summarize what a browser saw; ``None`` where none was used."""
    if isinstance(rendering, NotGathered):
        return None
    return rendered_page(
        rendering,
        [measure_load(load) for load in rendering.loads],
        rendered_metrics(rendering),
        largest_paint=largest_paint(rendering),
        shifted_elements=shifted_elements(rendering),
    )


def evaluate_and_pack(artifacts: Artifacts, thresholds: Thresholds, ignores: Sequence[IgnoreRule] = ()) -> PackedReport:
    """Evaluate artifacts and pack the report for the store: a task for ``Children``.

    It lives here, because a child that imports it then loads nothing of the network.
    """
    return pack_report(evaluate_artifacts(artifacts, thresholds, ignores))


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
        final_url=None if artifacts is None else page_url(artifacts.navigation),
        project=project_of(url),
        state="failed",
        page=None if artifacts is None else page_facts(artifacts, None),
        run=RunFacts(
            engine=VERSION if artifacts is None else artifacts.engine,
            duration_ms=duration_ms if artifacts is None else artifacts.duration_ms,
            vantage="" if artifacts is None else artifacts.vantage,
            access=UNSET if artifacts is None else _access_of(artifacts) or UNSET,
            not_gathered=() if artifacts is None else _not_gathered(artifacts),
            notes=() if artifacts is None else access_notes(artifacts),
        ),
        error=failure,
        generated_at=generated_at,
    )


def refusal_of(artifacts: Artifacts) -> Failure | None:
    """Return why this response must not be evaluated as the page; ``None`` if it is the page."""
    response = artifacts.navigation.response
    block = recognize_block(response)
    if block is not None and block.reason in _STAYS and _was_refused(artifacts):
        return Failure(
            code="blocked",
            message=f"The site answered {response.status} although an access was sent: it has expired, or is wrong.",
            reason=ACCESS_REFUSED,
            http_status=response.status,
        )
    if block is not None and block.reason in _STAYS and _was_held_back(artifacts):
        return Failure(
            code="blocked",
            message=f"The site answered {response.status}. The access was not sent: the certificate did not verify.",
            reason=ACCESS_NOT_SENT,
            http_status=response.status,
        )
    if block is not None:
        return Failure(
            code="blocked",
            message=block.message,
            reason=block.reason,
            http_status=response.status,
            retryable=block.reason not in _STAYS,
        )
    if response.status == _PARTIAL and not _holds_all(response):
        return Failure(
            code="http_error",
            message="The site answered 206 with a part of the page, although the whole was asked for.",
            reason=f"status_{response.status}",
            http_status=response.status,
        )
    if "redirect_without_location" in response.notes:
        return Failure(
            code="http_error",
            message=f"The site answered {response.status}, a redirect that does not say where to.",
            reason="redirect_without_location",
            http_status=response.status,
        )
    if not 200 <= response.status <= 299 or response.status in _WITHOUT_CONTENT:  # noqa: PLR2004 - RFC 9110 15.3
        return Failure(
            code="http_error",
            message=f"The site answered {response.status} instead of the page{what_it_asks(response)}.",
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
    is_a_part = _is_a_part(response)
    if is_a_part and response.truncated == "coding" and "truncated_stream" not in response.notes:
        return Failure(
            code="not_html",
            message="The answer could not be unpacked: its Content-Encoding is damaged or one that was not asked for.",
            reason="decode_error",
            http_status=response.status,
            retryable=True,
        )
    if is_a_part:
        # The limits are ours, and what lies below them is large enough to be judged. Anything else that ends a page
        # early is no property of it: what has not arrived is not missing from the page.
        return Failure(
            code="timeout" if response.truncated == "time" else "connect",
            message="Only a part of the page arrived before the time was over."
            if response.truncated == "time"
            else "The answer ended before the page was whole.",
            reason=f"truncated_{response.truncated}",
            http_status=response.status,
            retryable=True,
        )
    return None


def _holds_all(response: Response) -> bool:
    """Return whether the range that an answer with status 206 holds is everything (RFC 9110 14.4)."""
    found = _WHOLE_RANGE.fullmatch((response.header("Content-Range") or "").strip())
    return found is not None and int(found[1]) + 1 == int(found[2])


def _is_a_part(response: Response) -> bool:
    """Return whether the end of the page is among what did not arrive, for another reason than our limits."""
    # A body that was sent without the coding that it declares was kept as it was sent: nothing of it is missing.
    if response.truncated in {None, "limit"} or "plain_body" in response.notes:
        return False
    # Without the zeros of UTF-16.
    tail = response.body[-_MAX_END:].replace(b"\0", b"").lower()
    return not any(end in tail for end in _ENDS)


def _observed(evaluated: Evaluated) -> Observed:
    """Convert an outcome into the input of scoring."""
    verdict = evaluated.verdict
    if isinstance(verdict, Outcome):
        return Observed(evaluated.loss, verdict.state)
    # What only a browser sees is no part of a report that was made without one.
    return Observed(evaluated.loss, applies=isinstance(verdict, NotRun) and not evaluated.check.needs_browser)


def _without_content(evaluated: Evaluated, not_the_page: Withheld) -> Evaluated:
    """The verdict, or none where the check read a document that is not the page, or the way to it."""
    holds = not evaluated.check.reads_content or evaluated.check.id in _OF_THE_SERVER
    if holds and evaluated.check.id not in _OF_THE_WAY:
        return evaluated
    return Evaluated(evaluated.check, NotRun("not_the_page", not_the_page.message), "not_evaluated", None)


def _not_the_page(facts: Facts) -> Withheld | None:
    """Return the kind of page that was served in place of the requested one; ``None`` if it is the page.

    A document at hand is what its owner wants graded, unless nothing of it can be seen.
    """
    artifacts = facts.artifacts
    rendering = artifacts.rendering
    if isinstance(rendering, Rendering) and rendering.departures and not _is_same_site(artifacts, rendering.final_url):
        return Withheld(
            kind="other_site",
            message=f"The page leads on to another site by itself, to {rendering.final_url[:300]}.",
            fix="Analyze the other page by its own URL. If visitors are to stay, remove the script or the meta element "
            "that leads away; if not, redirect with a response of the server.",
        )
    stub = leads_on(artifacts.navigation, facts.document) if isinstance(rendering, NotGathered) else None
    if stub is not None and shows_nothing(facts.document):
        return Withheld(kind=stub.kind, message=stub.message, fix=stub.fix)
    likeness = facts.get("missing_page_likeness")
    recognize = partial(
        recognize_page_kind,
        artifacts.navigation,
        likeness=likeness if isinstance(likeness, float) else 0.0,
        not_found_probe=artifacts.not_found_probe,
    )
    found = recognize(facts.document)
    if found is not None and found.kind in _DOCUMENT_HOLDS and not isinstance(artifacts.rendering, NotGathered):
        # Scripts may have filled it in the browser.
        drawn = facts.for_category("content").document
        found = recognize(drawn)
        if found is not None and found.kind in _DOCUMENT_HOLDS:
            found = empty_in_browser(artifacts.rendering)
    if found is None and isinstance(rendering, NotGathered) and facts.document.visibility.hides_page:
        is_due = facts.document.running_scripts and not facts.get("is_faded")
        found = HIDDEN_UNTIL_SCRIPTS if is_due else None
    if found is None or (not artifacts.vantage and found.kind not in _DOCUMENT_HOLDS):
        return None
    if found.kind in _DOCUMENT_HOLDS and isinstance(rendering, NotGathered) and rendering.code != NOT_RENDERED.code:
        return Withheld(
            kind=found.kind,
            message=f"{found.message} {rendering.detail}".strip(),
            fix="Open the page in a browser, and look at its console and at the requests that fail.",
        )
    if found.kind == "login_wall" and _was_refused(artifacts):
        return Withheld(
            kind=found.kind,
            message="The site asks for a sign-in although an access was sent: it has expired, or is wrong.",
            fix="Sign in with your own browser, and put its new cookie or header in place of the former one.",
        )
    return Withheld(kind=found.kind, message=found.message, fix=found.fix)


def _was_sent(artifacts: Artifacts) -> bool:
    """Return whether the server of the page received, with the request for it, what should let the run in."""
    access, navigation = artifacts.access, artifacts.navigation
    if access is None or not access.lets_in or navigation.response.certificate_error is not None:
        return False
    return origin(navigation.requested_url) in access.origins


def _was_refused(artifacts: Artifacts) -> bool:
    """Return whether that was more than a user agent, so that a question for a sign-in says that it did not do."""
    return artifacts.access is not None and artifacts.access.signs_in and _was_sent(artifacts)


def _was_held_back(artifacts: Artifacts) -> bool:
    """Return whether an access is for the server of the page, which did not prove who it is."""
    access, response = artifacts.access, artifacts.navigation.response
    if access is None or not access.lets_in or response.certificate_error is None:
        return False
    return origin(response.url) in access.origins


def _is_same_site(artifacts: Artifacts, url: str) -> bool:
    return registrable_domain(host(url)) == registrable_domain(host(artifacts.navigation.main_document_url))


def _too_little(artifacts: Artifacts, scores: Scores) -> Withheld | None:
    """Explain why a page of which too little could be evaluated has no grade; a local document always has one."""
    if not artifacts.vantage or scores.coverage >= MIN_COVERAGE:
        return None
    return Withheld(
        kind="coverage",
        message=f"Only {scores.coverage:.0%} of the possible penalties could be evaluated; a grade takes "
        f"{MIN_COVERAGE:.0%}.",
        fix="Look under “Not evaluated” for what could not be fetched and why, and analyze the page again.",
    )


def _unseen_categories(artifacts: Artifacts, scores: Scores) -> frozenset[Category]:
    """The categories of which too little could be evaluated for a score of their own.

    Of a document at hand that is less than half: its files and its server were not asked.
    """
    enough = MIN_COVERAGE if artifacts.vantage else _MIN_COVERAGE_AT_HAND
    return frozenset(category for category, total in scores.categories.items() if total.coverage < enough)


def _evaluated_shares(evaluated: Mapping[str, Evaluated], rules: Mapping[str, Rule]) -> dict[Category, float]:
    """Return how much of each category was evaluated, by price; what only a browser sees is a part of it.

    Unlike the coverage that a grade takes: a static run is whole, and its reader learns all the same what it left out.
    """
    seen, missed = (dict.fromkeys(CATEGORIES, 0.0) for _ in range(2))
    for name, one in evaluated.items():
        if one.outcome != "not_applicable":
            side = missed if one.outcome == "not_evaluated" else seen
            side[one.check.category] += rules[name].price
    return {name: seen[name] / (seen[name] + missed[name]) if seen[name] + missed[name] else 1.0 for name in CATEGORIES}


def _unseen_note(artifacts: Artifacts, unseen: Collection[Category]) -> tuple[str, ...]:
    if artifacts.vantage or not unseen:
        return ()
    names = ", ".join(sorted(_CATEGORY_WORDS.get(category, category) for category in unseen))
    return (f"Only a document was at hand. Too little of these categories could be evaluated for a score: {names}.",)


def _category_score(
    category: Category,
    scores: Scores | None,
    thresholds: Thresholds,
    passed_and_failed: tuple[int, int],
    *,
    share: float,
    is_unseen: bool,
) -> CategoryScore:
    """The line of one category; without ``scores`` it has no figures.

    One of which too little was seen has no score; what it takes from the score of the page is stated all the same.
    """
    passed, failed = passed_and_failed
    budget = CATEGORIES[category]
    if scores is None:
        return CategoryScore(score=None, result=None, passed=passed, failed=failed, budget=budget)
    total = scores.categories[category]
    return CategoryScore(
        score=None if is_unseen else total.score,
        result=None if is_unseen else thresholds.grade(total.score),
        passed=passed,
        failed=failed,
        lost=total.lost,
        taken=total.taken,
        budget=budget,
        coverage=share,
    )


def _not_gathered(artifacts: Artifacts) -> tuple[MissingArtifact, ...]:
    found = []
    for name in GATHERED:
        value = getattr(artifacts, name)
        if isinstance(value, NotGathered) and value.code != "not_applicable":
            reason = f"{value.code}: {value.detail}" if value.detail else value.code
            found.append(MissingArtifact(artifact=name, reason=reason))
    return tuple(found)


def _access_of(artifacts: Artifacts) -> AccessNote | None:
    access, view = artifacts.access, artifacts.visitor_view
    return access if access is None or isinstance(view, NotGathered) else replace(access, visitors=view)


def visitor_notes(view: VisitorView | NotGathered | None) -> tuple[str, ...]:
    """Say what visitors without the access get, which search engines are, too."""
    if view is None or isinstance(view, NotGathered):
        return ()
    if view.indexable is None:
        return (f"Without it, visitors and search engines get status {view.status}.",)
    if view.is_elsewhere:
        return (f"Without it, visitors and search engines are led to {view.url}.",)
    if not view.indexable:
        return ("Without it, visitors get a page there as well, which asks search engines not to index it.",)
    return ("Without it, visitors get a page there as well, which search engines may index.",)


def access_notes(artifacts: Artifacts) -> tuple[str, ...]:
    """Say that the page was seen by an access, or that the access did not reach it."""
    access, response = artifacts.access, artifacts.navigation.response
    if access is None:
        return ()
    place = origin(response.url)
    if not access.lets_in and not access.name:
        return (describe_access(access),)
    if place not in access.origins and _was_sent(artifacts):
        return (
            f"The access was sent to {origin(artifacts.navigation.requested_url)}, and not to {place}, where the page "
            "led. Analyze the page there by its own URL, or name that origin, too.",
        )
    if place not in access.origins:
        return (
            f"The access was not used: it is for {', '.join(access.origins[:3])}, and the page led to {place}. "
            "Analyze the page there by its own URL, or name that origin, too.",
        )
    if response.certificate_error is not None:
        return ("The access was not used: the certificate did not verify, so nothing of it was sent.",)
    trusts = "certificates" in access.sent and response.url.startswith("https:")
    also = visitor_notes(artifacts.visitor_view)
    if trusts:
        also = (*also, "The certificates of the access were trusted besides those of everyone.")
    return (describe_access(access), *also)


def describe_access(access: AccessNote) -> str:
    """Say what pages were asked for with."""
    if access.name:
        return f"Analyzed with access profile {access.name}."
    if not access.lets_in:
        return "Analyzed with trust in certificates that not everybody trusts."
    return "Analyzed with an access that visitors without it do not have."


def _route_note(rendering: Rendering | NotGathered) -> str:
    """Say what was evaluated of a page that a script shows by the fragment of the URL."""
    if isinstance(rendering, Rendering):
        return (
            "A script shows this page by what follows # in its URL. The browser opened it so; servers answer with one "
            "page for all of them, and the checks for search engines are about that one."
        )
    return (
        "A script shows this page by what follows # in its URL. Servers answer with one page for all of them: that one "
        "was evaluated, and not what the script shows. To see that, analyze the page in a browser."
    )


def _notes(artifacts: Artifacts, facts: Facts) -> tuple[str, ...]:
    response: Response = artifacts.navigation.response
    notes = [*access_notes(artifacts)]
    if route(page_url(artifacts.navigation)):
        notes.append(_route_note(artifacts.rendering))
    if not response.body.strip():
        notes.append("The page is empty: the site answered with success and without content.")
    if response.truncated is not None:
        notes.append("The page was not read to its end; what follows was not evaluated.")
    if facts.document.limits_hit:
        limits = ", ".join(facts.document.limits_hit)
        notes.append(f"The page is larger than our limits ({limits}); the rest was not read.")
    if response.certificate_error is not None:
        notes.append("The page was read over a connection whose certificate did not verify.")
    return tuple(notes)
