"""Content and order of every human-readable rendering of a report; the layout belongs to the format."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import floor
from typing import Final, get_args

import msgspec

from pagegrade.model.outcome import Evidence, Importance
from pagegrade.model.report import (
    CATEGORIES,
    MIN_COVERAGE,
    AppliedCap,
    Category,
    CategoryScore,
    Failure,
    IgnoredTotal,
    Report,
    Result,
)
from pagegrade.render.english import ENGLISH, N_, Words
from pagegrade.render.escape import visible
from pagegrade.render.failure_advice import cause, way_out
from pagegrade.render.figures import browser_facts, format_bytes, format_ms
from pagegrade.render.prose import parse_prose
from pagegrade.report.gates import Verdict
from pagegrade.report.serialize import format_timestamp, unseen_by_browser

CATEGORY_NAMES: Final[Mapping[Category, str]] = {
    "seo": N_("SEO"),
    "performance": N_("Performance"),
    "security": N_("Security"),
    "accessibility": N_("Accessibility"),
    "technical": N_("Technical"),
    "content": N_("Content"),
}
IMPORTANCE_ORDER: Final[tuple[Importance, ...]] = get_args(Importance)
"""The most severe first."""
NO_GRADE: Final = "no grade"
"""In place of a result that is withheld."""
FIX_FIRST: Final = 5
"""So many findings are named first, whatever their category; one that is charged with a cause stands for it."""
NAMED_CHECKS: Final = 40
"""Checks with one reason that are listed by name; of more, their number is shown."""
SHOWN_EVIDENCE: Final = 3
MINUS: Final = "\N{MINUS SIGN}"
NO_REASON: Final = N_("No reason was given.")
_NO_BROWSER: Final = "no_browser:"
_ARTIFACT_NAMES: Final[Mapping[str, str]] = {
    "robots_txt": "robots.txt",
    "sitemaps": N_("sitemaps"),
    "not_found_probe": N_("a page that does not exist"),
    "insecure_probe": N_("the URL over plain HTTP"),
    "sibling_probe": N_("the URL with or without www"),
    "favicon": "favicon.ico",
    "tls": N_("the certificate"),
    "dns": N_("DNS records"),
    "resources": N_("images, scripts, stylesheets and fonts"),
    "security_txt": "security.txt",
    "cors_probe": N_("the page as another site would ask for it"),
    "llms_txt": "llms.txt",
    "link_probes": N_("linked pages"),
    "alternates": N_("language versions"),
    "rendering": N_("the page in a browser"),
    "source_maps": N_("source maps"),
    "canonical_probe": N_("the canonical URL"),
    "markdown_probe": N_("the page as Markdown"),
    "agent_files": N_("files for agents"),
    "preview_images": N_("pictures for previews"),
    "visitor_view": N_("the page as visitors without the access see it"),
}
PHASES: Final[Mapping[str, str]] = {
    "dns": N_("DNS"),
    "connect": N_("connect"),
    "tls": N_("TLS"),
    "first_byte": N_("first byte"),
    "download": N_("download"),
}
"""Name of a phase of the document's exchange -> as people call it, in their order."""


class Finding(msgspec.Struct, frozen=True):
    """A finding with those that are counted in it, because they have the same cause."""

    result: Result
    counted: tuple[Result, ...]

    @property
    def lost(self) -> float:
        """Points lost here; in reports of ruleset 2026.1 also in the checks that inherit its failure."""
        return self.result.lost + sum(child.lost for child in self.counted)

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """The entries to show at first sight."""
        return self.result.evidence[:SHOWN_EVIDENCE]

    @property
    def further_evidence(self) -> tuple[Evidence, ...]:
        """Entries of the report beyond these."""
        return self.result.evidence[SHOWN_EVIDENCE:]

    @property
    def evidence_not_shown(self) -> int:
        """Number of further entries beyond those shown at first."""
        return max(self.result.evidence_total, len(self.result.evidence)) - len(self.evidence)


def findings(report: Report) -> tuple[Finding, ...]:
    """List the findings to fix: by what they hold the score down, severity and id.

    A finding that is counted in another follows that one.
    """
    found = {result.check: result for result in report.results if result.passed is False}
    carriers = _carriers(report)
    children: dict[str, list[Result]] = {}
    own = []
    for result in report.results:
        carrier = result.counted_in or result.inherited_from or carriers.get(result.check)
        if carrier is not None and carrier in found:
            children.setdefault(carrier, []).append(result)
        elif result.passed is False:
            own.append(result)
    return tuple(
        sorted(
            (Finding(result, tuple(children.get(result.check, ()))) for result in own),
            key=lambda f: (
                -round(_held_down(f, report), 4),
                -round(f.lost, 4),
                IMPORTANCE_ORDER.index(f.result.importance),
                f.result.check,
            ),
        )
    )


def limit_of(finding: Finding, report: Report) -> int | None:
    """The highest score that a page with this finding can have; ``None`` where the finding sets no limit."""
    names = {finding.result.check, *(child.check for child in finding.counted)}
    return min((cap.max_score for cap in report.caps if cap.category is None and cap.check in names), default=None)


def _held_down(finding: Finding, report: Report) -> float:
    """Points that a page without any other finding would lose by this one: its cost, or what its limit takes."""
    limit = limit_of(finding, report)
    return finding.lost if limit is None else max(finding.lost, 100.0 - limit)


def find_finding(report: Report, check: str) -> Finding | None:
    """The finding of a check; ``None`` if it found nothing, or is counted in another."""
    return next((finding for finding in findings(report) if finding.result.check == check), None)


def _carriers(report: Report) -> dict[str, str]:
    """Informative check with advice -> the finding of the same cause, which says the same with a penalty."""
    charged = {r.cause: r.check for r in report.results if r.cause and r.passed is False and r.counted_in is None}
    return {
        r.check: charged[r.cause]
        for r in report.results
        if r.outcome == "informative" and r.fix and r.cause is not None and r.cause in charged
    }


def access_note(report: Report) -> str:
    """The sentences about the access that the report was made with; empty where it saw what everybody sees."""
    access = report.run.access
    if not access:
        return ""
    return " ".join(visible(note, 400) for note in report.run.notes[: 1 if access.visitors is None else 2])


def fix_first(report: Report) -> tuple[Finding, ...]:
    """The findings that hold the score down most, as many as are to fix first."""
    return (found := findings(report))[: count_first(found)]


def count_first(found: Sequence[Finding]) -> int:
    """Return how many are to fix first, ``FIX_FIRST`` at most; minor ones after a more important one can wait."""
    first = found[:FIX_FIRST]
    important = [number for number, one in enumerate(first, 1) if one.lost > 0 and one.result.importance != "low"]
    return important[-1] if important else len(first)


def further_findings(report: Report) -> tuple[tuple[Category, tuple[Finding, ...]], ...]:
    """The other findings by category, in the order of the categories; categories without any are left out."""
    found = findings(report)
    rest = found[count_first(found) :]
    by_category = ((name, tuple(one for one in rest if one.result.category == name)) for name in CATEGORIES)
    return tuple((name, found) for name, found in by_category if found)


def worst_first(
    reports: Sequence[Report], verdicts: Sequence[Sequence[Verdict]] = ()
) -> tuple[tuple[Report, Sequence[Verdict]], ...]:
    """The reports with the conditions of the build: not analyzed, below a condition, without a grade, by score."""

    def rank(one: tuple[Report, Sequence[Verdict]]) -> tuple[bool, bool, float]:
        report, gates = one
        is_below = any(gate.failure is not None for gate in gates)
        return report.error is None, not is_below, -1 if report.score is None else report.score

    return tuple(sorted(with_verdicts(reports, verdicts), key=rank))


def with_verdicts(
    reports: Sequence[Report], verdicts: Sequence[Sequence[Verdict]]
) -> tuple[tuple[Report, Sequence[Verdict]], ...]:
    """Every report with the conditions of the build at the same place of ``verdicts``, if there are any."""
    return tuple((report, verdicts[index] if index < len(verdicts) else ()) for index, report in enumerate(reports))


def by_place(report: Report) -> tuple[Finding, ...]:
    """Every finding as reports list them: what to fix first, then the others by category."""
    return (*fix_first(report), *(one for _, found in further_findings(report) for one in found))


def with_outcome(report: Report, outcome: str) -> tuple[Result, ...]:
    """The results with that outcome that are not shown elsewhere, in catalogue order.

    Of informative results those with advice: the others repeat what is in order. What has the same cause as a finding
    stands with that finding. What passed on another page than the one that was asked for says nothing about it.
    """
    if outcome == "passed" and not was_seen(report):
        return ()
    carried = _carriers(report) if outcome == "informative" else {}
    return tuple(
        r
        for r in report.results
        if r.outcome == outcome
        and r.inherited_from is None
        and (outcome != "informative" or r.fix)
        and r.check not in carried
    )


def was_seen(report: Report) -> bool:
    """Return whether the page itself was evaluated, even if too little of it for a grade."""
    return report.state == "completed" and (report.withheld is None or report.withheld.kind == "coverage")


def not_evaluated(report: Report) -> tuple[str, ...]:
    """The ids of checks about which nothing is known, in the order of the catalogue."""
    return tuple(result.check for result in report.results if result.outcome == "not_evaluated")


def headline(result: Result, words: Words = ENGLISH, limit: int = 120) -> str:
    """The title with its number: ``Images without alternative text: 4``, ``Compress text files: saves 113 kB``.

    The title itself is cut after ``limit`` characters.
    """
    title = counted_title(result, words, limit)
    amount = saving(result, words)
    if not amount:
        return title
    saves = words.gettext("saves %(amount)s", amount=amount)
    return f"{title}{':' if result.count is None else ','} {saves}"


def counted_title(result: Result, words: Words = ENGLISH, limit: int = 120) -> str:
    """The title, with the number of things found where there is one: ``Images without alternative text: 4``."""
    title = visible(result.title, limit)
    return title if result.count is None else f"{title}: {words.number(result.count)}"


def saving(result: Result, words: Words = ENGLISH) -> str:
    """The amount that the fix saves: ``113 kB``, ``0.8 s``; empty where none is known."""
    known = result.saving
    if known is None or known.amount <= 0:
        return ""
    return format_bytes(round(known.amount), words) if known.unit == "bytes" else format_ms(known.amount, words)


def verdict(report: Report, words: Words = ENGLISH) -> str:
    """The verdict in one sentence."""
    if report.state == "failed":
        return words.gettext("This page could not be analyzed.")
    match report.result:
        case "good":
            return words.gettext("This page is in good shape.")
        case "decent":
            return words.gettext("This page is decent; some things should be fixed.")
        case "bad":
            return words.gettext("This page needs work.")
        case None:
            if report.withheld is not None:
                if report.withheld.kind == "coverage":
                    return words.gettext("No grade: too little of the page could be evaluated.")
                return words.gettext("No grade: the page itself was not seen.")
            needed = words.percent(MIN_COVERAGE)
            if report.coverage is None:
                return words.gettext(
                    "No verdict: too little of the points could be measured, and it takes %(needed)s.", needed=needed
                )
            if report.coverage >= MIN_COVERAGE:
                return words.gettext("No verdict: scripts draw this page, and what they draw was not seen.")
            return words.gettext(
                "No verdict: only %(measured)s of the points could be measured, and it takes %(needed)s.",
                measured=words.percent(report.coverage),
                needed=needed,
            )


def grade_word(report: Report) -> str:
    """``good``, ``decent``, ``bad``, ``no grade`` or ``not analyzed``."""
    if report.state == "failed":
        return "not analyzed"
    return report.result or NO_GRADE


def evaluated_share(category: CategoryScore, words: Words = ENGLISH) -> str:
    """Return how much of a category with a score was evaluated: ``50% evaluated``; empty where it was all of it."""
    coverage = category.coverage
    if category.score is None or coverage is None or round(coverage * 100) >= 100:  # noqa: PLR2004 - per cent
        return ""
    return words.gettext("%(share)s evaluated", share=words.percent(coverage))


def findings_heading(report: Report, words: Words = ENGLISH) -> str:
    """Return the heading above the first findings; without a grade, all findings that are known."""
    if not findings(report):
        return words.gettext("Nothing to fix") if report.withheld is None else words.gettext("No findings")
    return words.gettext("Fix first") if report.withheld is None else words.gettext("What was found all the same")


def nothing_found(report: Report, words: Words = ENGLISH) -> str:
    """Return the sentence in place of the findings; without a grade no finding has a cost."""
    if report.withheld is None:
        return words.gettext("No check found anything that costs points.")
    return words.gettext("The checks that could be evaluated found nothing.")


def cost(finding: Finding, report: Report, words: Words = ENGLISH) -> str:
    """``costs 3 points``, with the limit that it sets to the score; empty where no score was given."""
    if report.score is None:
        return ""
    costs, limit = points(finding.lost, words), limit_of(finding, report)
    if limit is None:
        return words.gettext("costs %(points)s", points=costs)
    return words.gettext("costs %(points)s, at most %(max)s of 100 with it", points=costs, max=limit)


def brief_points(number: float, words: Words = ENGLISH) -> str:
    """Points lost with a minus sign, for a narrow column: ``3.1``, ``<0.1`` for what rounds to nothing, empty for 0."""
    if number <= 0:
        return ""
    if number < 0.05:  # noqa: PLR2004 - what rounds to 0.0
        return f"{MINUS}<{words.number(0.1, digits=1)}"
    return f"{MINUS}{words.number(round(number, 1), digits=1)}"


def counted(report: Report) -> str:
    """Describe the number of findings and passed checks."""
    parts = [f"{number} {name}" for name, number in counted_findings(report) if number]
    total = sum(number for _, number in counted_findings(report))
    found = f"{plural(total, 'finding')} ({', '.join(parts)})" if parts else "no findings"
    ignored = "" if report.ignored is None else f", {report.ignored.findings:,} ignored"
    passed = f", {plural(report.counts.passed, 'check')} passed" if was_seen(report) else ""
    return f"{found}{ignored}{passed}"


def counted_findings(report: Report) -> tuple[tuple[Importance, int], ...]:
    """(importance, number of findings), the most severe first."""
    counts = report.counts
    return (("critical", counts.critical), ("high", counts.high), ("medium", counts.medium), ("low", counts.low))


def scale(report: Report) -> str:
    """Explain the numbers."""
    return f"good from {report.run.thresholds.good}, decent from {report.run.thresholds.decent}"


def score_steps(report: Report, words: Words = ENGLISH) -> tuple[str, ...]:
    """Explain the score, one sentence per step."""
    if report.score is None:
        return ()
    lost = sum(result.lost for result in report.results)
    uncapped = report.uncapped_score if report.uncapped_score is not None else 100 - lost
    taken = [(name, category) for name, category in report.categories.items() if category.taken is not None]
    if taken:
        steps = [words.gettext("Every page starts with 100 points.")]
        steps += [_taken_sentence(name, category, words) for name, category in taken if category.taken]
        left = words.gettext("That leaves %(left)s.", left=points(uncapped, words))
    else:
        steps = []
        left = words.gettext(
            "Every page starts with 100 points; the findings cost %(points)s, which leaves %(left)s.",
            points=points(lost, words),
            left=words.number(uncapped, digits=2),
        )
    steps.append(left)
    steps += [cap_sentence(report, cap, words) for cap in effective_caps(report)]
    limit = min((cap.max_score for cap in report.caps if cap.category is None), default=100)
    if report.ignored is not None and report.ignored.points is not None:
        steps.append(ignored_sentence(report.ignored, words))
    if min(uncapped, limit) != report.score:
        steps.append(words.gettext("The score is a whole number, halves rounded down: %(score)s.", score=report.score))
    if report.coverage is not None and report.coverage >= 1:
        steps.append(
            words.gettext("Everything that applies to the page could be evaluated.")
            if report.rendered is not None
            else words.gettext("Everything that applies to the page and needs no browser could be evaluated.")
        )
    elif report.coverage is not None:
        steps.append(
            words.gettext(
                "%(share)s of the possible penalties could be evaluated; what could not be evaluated costs nothing.",
                # Rounded down: what is not whole must not read as 100 %.
                share=words.percent(floor(report.coverage * 100 + 1e-9) / 100),
            )
        )
    return tuple(steps)


def unseen_sentence(report: Report, words: Words = ENGLISH) -> str:
    """Explain how far a score without a browser can fall; empty with one, and without a score."""
    unseen = unseen_by_browser(report)
    if unseen is None:
        return ""
    return words.ngettext(
        "Only a browser can evaluate %(num)s more check; at worst it costs %(points)s.",
        "Only a browser can evaluate %(num)s more checks, such as contrast and loading times; at worst they cost "
        "%(points)s together.",
        unseen.checks,
        points=points(unseen.max_points, words),
    )


def _taken_sentence(name: Category, category: CategoryScore, words: Words) -> str:
    """Explain the points that one category takes from the score, and its limit."""
    shown = words.gettext(CATEGORY_NAMES[name])
    taken, lost = category.taken or 0.0, category.lost or 0.0
    if lost <= taken:
        return words.gettext("%(category)s takes %(points)s.", category=shown, points=points(taken, words))
    return words.gettext(
        "%(category)s takes %(points)s, the most it can take: its findings cost %(lost)s.",
        category=shown,
        points=points(taken, words),
        lost=words.number(lost, digits=1),
    )


def ignored_sentence(total: IgnoredTotal, words: Words = ENGLISH) -> str:
    """State how many findings are ignored and how many points the rules hold back."""
    return words.ngettext(
        "%(num)s finding is ignored; without the ignore rules the score would be lower by %(points)s.",
        "%(num)s findings are ignored; without the ignore rules the score would be lower by %(points)s.",
        total.findings,
        points=points(total.points or 0, words),
    )


def effective_caps(report: Report) -> tuple[AppliedCap, ...]:
    """The caps of a report without the looser ones of a check that has a stricter one."""
    strictest: dict[tuple[str, str | None], AppliedCap] = {}
    for cap in sorted(report.caps, key=lambda cap: cap.max_score):
        strictest.setdefault((cap.check, cap.category), cap)
    return tuple(cap for cap in report.caps if strictest[cap.check, cap.category] is cap)


def cap_sentence(report: Report, cap: AppliedCap, words: Words = ENGLISH) -> str:
    """Explain the cap of a failed check."""
    title = next((visible(result.check_name, 80) for result in report.results if result.check == cap.check), cap.check)
    if cap.category is None:
        return words.gettext("The score is at most %(max)s while “%(title)s” fails.", max=cap.max_score, title=title)
    return words.gettext(
        "The %(category)s score is at most %(max)s while “%(title)s” fails.",
        category=words.gettext(CATEGORY_NAMES[cap.category]),
        max=cap.max_score,
        title=title,
    )


def page_facts(report: Report, words: Words = ENGLISH, *, timing: bool = True) -> tuple[tuple[str, str], ...]:
    """(name, value) of what is known about the page; values may hold page text, already made visible.

    ``timing`` says whether the phases of the exchange are among them; charts show them better.
    """
    page = report.page
    if page is None:
        return ()
    size = format_bytes(page.bytes, words)
    if page.transfer_bytes is not None and page.transfer_bytes != page.bytes:
        size = words.gettext(
            "%(size)s, %(transferred)s transferred", size=size, transferred=format_bytes(page.transfer_bytes, words)
        )
    times = [
        f"{words.gettext(label)} {format_ms(ms, words)}"
        for name, label in PHASES.items()
        if (ms := page.timing_ms.get(name)) is not None
    ]
    status = words.gettext("HTTP status %(status)s", status=page.http_status)
    version = visible(page.http_version, 20)
    answer = words.gettext("%(status)s over %(protocol)s", status=status, protocol=version) if version else status
    requests = words.ngettext(
        "%(num)s sub-resource named by the page", "%(num)s sub-resources named by the page", page.requests
    )
    facts = [
        (words.gettext("Response"), answer),
        (words.gettext("Title"), visible(page.title)),
        (words.gettext("Language"), visible(page.language, 40)),
        (words.gettext("Size"), size),
        (words.gettext("Resources"), requests if report.results else ""),
        (words.gettext("Timing"), ", ".join(times) if timing else ""),
        *browser_facts(report, words),
        (words.gettext("Server"), visible(page.server, 80)),
        (words.gettext("URL"), visible(page.address or "", 60)),
    ]
    return tuple((name, value) for name, value in facts if value)


def not_seen(report: Report, words: Words = ENGLISH) -> tuple[tuple[str, str], ...]:
    """(what, why) of everything that was not gathered; what shares a reason shares a line."""
    by_reason: dict[str, list[str]] = {}
    for one in report.run.not_gathered:
        name, why = one.artifact, one.reason
        if why.startswith(_NO_BROWSER):
            continue  # static analysis misses nothing that it was meant to see
        shown = words.gettext(_ARTIFACT_NAMES[name]) if name in _ARTIFACT_NAMES else visible(name, 40)
        by_reason.setdefault(_sentence(why), []).append(shown)
    return tuple((", ".join(names), why) for why, names in by_reason.items())


def evaluated_by(report: Report) -> str:
    """Describe the version that evaluated the page, the time and the ruleset."""
    run = report.run
    took = f" in {format_ms(run.duration_ms)}" if run.duration_ms is not None else ""
    when = format_timestamp(report.generated_at)[:19].replace("T", " ") + " UTC"
    return f"Evaluated by Pagegrade {run.engine} with ruleset {run.ruleset} on {when}{took}."


def what_to_do(error: Failure) -> str:
    """Advice for a failed analysis, one sentence after the other."""
    return " ".join(way_out(error).steps)


def what_happened(error: Failure) -> str:
    """The failure with its cause and status, on one line."""
    return f"{visible(error.message, 400)} ({cause(error)})"


def reason(result: Result, words: Words = ENGLISH) -> str:
    """Explain why a check was not applicable, not evaluated or ignored, without the code."""
    text = _sentence(result.reason) or words.gettext(NO_REASON)
    ignored = result.ignored
    if ignored is None:
        return text
    facts = []
    if ignored.points:
        facts.append(words.gettext("costs %(points)s otherwise", points=points(ignored.points, words)))
    if ignored.expires_at is not None:
        facts.append(words.gettext("until %(day)s", day=ignored.expires_at[:10]))
    return f"{text} ({', '.join(facts)})" if facts else text


def by_reason(results: Sequence[Result], words: Words = ENGLISH) -> tuple[tuple[str, tuple[Result, ...]], ...]:
    """Checks that were not applicable or not evaluated, those with the same reason together, the first one first."""
    alike: dict[str, list[Result]] = {}
    for result in results:
        alike.setdefault(reason(result, words), []).append(result)
    return tuple((text, tuple(same)) for text, same in alike.items())


def names_of_checks(results: Sequence[Result], words: Words = ENGLISH) -> str:
    """The names of checks that share a reason; of many only their number, which the reason says enough about."""
    if len(results) > NAMED_CHECKS:
        return words.ngettext("%(num)s check", "%(num)s checks", len(results))
    return ", ".join(visible(result.check_name, 80) for result in results)


def _sentence(reason_text: str) -> str:
    """``code: Sentence.`` without its code."""
    code, colon, sentence = reason_text.partition(": ")
    return visible(sentence if colon and sentence and " " not in code else reason_text)


def flat_prose(text: str, limit: int = 1000) -> str:
    """Documentation on one line, for formats that know no blocks."""
    blocks = ("".join(f"`{s.text}`" if s.code else s.text for s in block.spans) for block in parse_prose(text))
    return visible(" ".join(blocks), limit)


def points(number: float, words: Words = ENGLISH) -> str:
    """``3.1 points``, ``1 point``, ``less than 0.1 points``."""
    if 0 < number < 0.05:  # noqa: PLR2004 - what rounds to 0.0
        return words.gettext("less than %(points)s points", points=words.number(0.1, digits=1))
    shown = round(number, 1)
    return words.ngettext(
        "%(points)s point", "%(points)s points", 1 if shown == 1 else 2, points=words.number(shown, digits=1)
    )


def plural(number: int, noun: str) -> str:
    """``1 check``, ``2 checks``."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
