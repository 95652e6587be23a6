"""What every human-readable rendering of a report says, and in which order; how it looks is theirs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from pagegrade.model.outcome import Evidence
from pagegrade.model.report import CATEGORIES, MIN_COVERAGE, Category, Failure, Report, Result
from pagegrade.render.inert import visible
from pagegrade.render.prose import parse_prose
from pagegrade.report.json import format_timestamp

CATEGORY_NAMES: Final[Mapping[Category, str]] = {
    "seo": "SEO",
    "performance": "Performance",
    "security": "Security",
    "accessibility": "Accessibility",
    "technical": "Technical",
    "content": "Content",
}
IMPORTANCE_ORDER: Final = ("high", "medium", "low", "informative")
SHOWN_EVIDENCE: Final = 3
NO_REASON: Final = "No reason was given."
_WHAT_TO_DO: Final[Mapping[str, str]] = {
    "dns": "Check the spelling of the host name, and that its DNS records exist.",
    "connect": "Check that the site is up and that its port is open to the outside.",
    "tls": "Open the address in a browser and look at its certificate, or try the http:// address.",
    "timeout": "Allow more time with --budget SECONDS.",
    "blocked": "Ask the site's operator to let this user agent through, or save the page from a browser and judge it "
    "with: pagegrade evaluate --html FILE --url URL",
    "http_error": "Check the address; a page that answers with an error is not graded.",
    "too_large": "Analyse a smaller page; no browser user waits for one this large.",
    "not_html": "Give the address of an HTML page, not of a file or an interface.",
    "redirect_loop": "Follow the redirects with a browser's developer tools and mend the one that goes back.",
    "address_not_allowed": "Private addresses are refused unless you typed them. Allow a network of your own with "
    "--allow-network CIDR.",
    "internal": "If it happens again, report it with the address of the page.",
}
_ARTIFACT_NAMES: Final[Mapping[str, str]] = {
    "robots_txt": "robots.txt",
    "sitemaps": "sitemaps",
    "not_found_probe": "a page that does not exist",
    "insecure_probe": "the address over plain HTTP",
    "sibling_probe": "the address with or without www",
    "favicon": "favicon.ico",
    "tls": "the certificate",
    "dns": "DNS records",
    "resources": "images, scripts, stylesheets and fonts",
}
_WORD: Final = re.compile(r"[\w.,-]*\w")
_BYTES_PER_KB: Final = 1000
_MS_PER_S: Final = 1000


@dataclass(frozen=True, slots=True)
class Finding:
    """A finding with the losses that other checks have only because of it."""

    result: Result
    inherited: tuple[Result, ...]

    @property
    def lost(self) -> float:
        """Points lost here and in the checks that inherit."""
        return self.result.lost + sum(child.lost for child in self.inherited)

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """The entries to show at first sight."""
        return self.result.evidence[:SHOWN_EVIDENCE]

    @property
    def further_evidence(self) -> tuple[Evidence, ...]:
        """What the report holds beyond these."""
        return self.result.evidence[SHOWN_EVIDENCE:]

    @property
    def evidence_not_shown(self) -> int:
        """How many more entries there are beyond those to show at first sight."""
        return max(self.result.evidence_total, len(self.result.evidence)) - len(self.evidence)


def findings(report: Report) -> tuple[Finding, ...]:
    """What to fix, the most severe and most expensive first; inherited losses stand with their cause."""
    found = {result.check: result for result in report.results if result.passed is False}
    children: dict[str, list[Result]] = {}
    for result in report.results:
        if result.inherited_from is not None and result.inherited_from in found:
            children.setdefault(result.inherited_from, []).append(result)
    own = [
        Finding(result, tuple(children.get(result.check, ())))
        for result in found.values()
        if result.inherited_from is None or result.inherited_from not in found
    ]
    return tuple(
        sorted(own, key=lambda f: (IMPORTANCE_ORDER.index(f.result.importance), -f.lost, f.result.check)),
    )


def with_outcome(report: Report, outcome: str) -> tuple[Result, ...]:
    """The results with that outcome that are not shown elsewhere, in catalogue order."""
    return tuple(r for r in report.results if r.outcome == outcome and r.inherited_from is None)


def verdict(report: Report) -> str:
    """The verdict in one sentence."""
    if report.state == "failed":
        return "This page could not be analysed."
    match report.result:
        case "good":
            return "This page is in good shape."
        case "decent":
            return "This page is decent, with things worth mending."
        case "bad":
            return "This page needs work."
        case None:
            if report.coverage is not None and report.coverage >= MIN_COVERAGE:
                return "No verdict: scripts draw this page, and what they draw was not seen."
            measured = "too little" if report.coverage is None else f"only {report.coverage:.0%}"
            return f"No verdict: {measured} of the points could be measured, and it takes {MIN_COVERAGE:.0%}."


def result_word(report: Report) -> str:
    """``GOOD``, ``DECENT``, ``BAD``, ``INCOMPLETE`` or ``NOT ANALYSED``."""
    if report.state == "failed":
        return "NOT ANALYSED"
    return (report.result or "incomplete").upper()


def counted(report: Report) -> str:
    """How many findings and passed checks there are, in words."""
    counts = report.counts
    parts = [
        f"{number} {name}"
        for number, name in ((counts.high, "high"), (counts.medium, "medium"), (counts.low, "low"))
        if number
    ]
    total = counts.high + counts.medium + counts.low
    found = f"{plural(total, 'finding')} ({', '.join(parts)})" if parts else "no findings"
    return f"{found}, {plural(counts.passed, 'check')} passed"


def scale(report: Report) -> str:
    """What the numbers mean."""
    return f"good from {report.run.good_from}, decent from {report.run.decent_from}"


def score_steps(report: Report) -> tuple[str, ...]:
    """How the score came to be, one sentence a step."""
    if report.score is None:
        return ()
    lost = sum(result.lost for result in report.results)
    uncapped = report.uncapped_score if report.uncapped_score is not None else 100 - lost
    steps = [f"Every page starts with 100 points; the findings cost {points(lost)}, which leaves {uncapped:.1f}."]
    titles = {result.check: visible(result.title, 80) for result in report.results}
    for cap in report.caps:
        scope = "The score" if cap.category is None else f"The {CATEGORY_NAMES[cap.category]} score"
        steps.append(f"{scope} is capped at {cap.max_score} while “{titles.get(cap.check, cap.check)}” fails.")
    steps.append(f"Rounded to a whole number, halves down: {report.score}.")
    if report.coverage is not None:
        steps.append(f"{report.coverage:.0%} of all points could be measured; what could not costs nothing.")
    weights = ", ".join(f"{CATEGORY_NAMES[name]} {weight}" for name, weight in CATEGORIES.items())
    steps.append(f"Points by category: {weights}.")
    return tuple(steps)


def page_facts(report: Report) -> tuple[tuple[str, str], ...]:
    """(name, value) of what is known about the page; values may hold page text, already made visible."""
    page = report.page
    if page is None:
        return ()
    size = format_bytes(page.bytes)
    if page.transfer_bytes is not None and page.transfer_bytes != page.bytes:
        size += f", {format_bytes(page.transfer_bytes)} transferred"
    phases = (("dns", "DNS"), ("connect", "connect"), ("tls", "TLS"), ("first_byte", "first byte"))
    named = [*phases, ("download", "download")]
    times = [f"{label} {format_ms(ms)}" for name, label in named if (ms := page.timing_ms.get(name)) is not None]
    answer = " over ".join(part for part in (f"HTTP status {page.http_status}", visible(page.http_version, 20)) if part)
    facts = [
        ("Answer", answer),
        ("Title", visible(page.title)),
        ("Language", visible(page.language, 40)),
        ("Size", size),
        ("Resources", f"{plural(page.requests, 'sub-resource')} named by the page" if report.results else ""),
        ("Timing", ", ".join(times)),
        ("Server", visible(page.server, 80)),
        ("Address", visible(page.address or "", 60)),
    ]
    return tuple((name, value) for name, value in facts if value)


def not_seen(report: Report) -> tuple[tuple[str, str], ...]:
    """(what, why) of everything that was not gathered; what shares a reason shares a line."""
    by_reason: dict[str, list[str]] = {}
    for name, why in report.run.not_gathered:
        by_reason.setdefault(_sentence(why), []).append(_ARTIFACT_NAMES.get(name, visible(name, 40)))
    return tuple((", ".join(names), why) for why, names in by_reason.items())


def judged_by(report: Report) -> str:
    """Who judged, when and by which rules."""
    run = report.run
    took = f" in {format_ms(run.duration_ms)}" if run.duration_ms is not None else ""
    when = format_timestamp(report.generated_at)[:19].replace("T", " ") + " UTC"
    return f"Judged by Pagegrade {run.engine} with ruleset {run.ruleset} on {when}{took}."


def what_to_do(error: Failure) -> str:
    """The way out of a failed analysis."""
    return _WHAT_TO_DO.get(error.code, _WHAT_TO_DO["internal"])


def what_happened(error: Failure) -> str:
    """The failure with its cause and status, on one line."""
    details = [error.code]
    if error.reason and error.reason != error.code:
        details.append(visible(error.reason, 80))
    if error.http_status is not None:
        details.append(f"HTTP status {error.http_status}")
    return f"{visible(error.message, 400)} ({', '.join(details)})"


def reason(result: Result) -> str:
    """Why a check was not applicable or not evaluated, without its machine word."""
    return _sentence(result.reason) or NO_REASON


def _sentence(reason_text: str) -> str:
    """``code: Sentence.`` without its code."""
    code, colon, sentence = reason_text.partition(": ")
    return visible(sentence if colon and sentence and " " not in code else reason_text)


def flat_prose(text: str, limit: int = 1000) -> str:
    """Documentation on one line, for formats that know no blocks."""
    blocks = ("".join(f"`{s.text}`" if s.code else s.text for s in block.spans) for block in parse_prose(text))
    return visible(" ".join(blocks), limit)


def shown_value(result: Result) -> str:
    """The measured value for reading; empty when there is none or the message says it already."""
    if result.value is None or result.value == "":
        return ""
    value = f"{result.value:g}" if isinstance(result.value, float) else visible(result.value)
    return "" if value in _WORD.findall(result.message) else value


def place(evidence: Evidence) -> str:
    """Where an evidence is: URL, header, selector and line, whichever are known."""
    # A header line names its header itself.
    header = "" if evidence.header and evidence.snippet.startswith(evidence.header) else evidence.header
    parts = [visible(part) for part in (evidence.url, header, evidence.selector) if part]
    if evidence.line is not None:
        parts.append(f"line {evidence.line}")
    return " · ".join(parts)


def facts_of(evidence: Evidence) -> str:
    """What an evidence says in words: its reason and its value."""
    reason_text, value = visible(evidence.reason), visible(evidence.value)
    return " · ".join(part for part in (reason_text, value) if part)


def points(number: float) -> str:
    """``3.1 points``, ``1 point``, ``less than 0.1 points``."""
    if 0 < number < 0.05:  # noqa: PLR2004 - what rounds to 0.0
        return "less than 0.1 points"
    text = f"{number:.1f}".removesuffix(".0")
    return f"{text} point{'' if text == '1' else 's'}"


def plural(number: int, noun: str) -> str:
    """``1 check``, ``2 checks``."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def format_bytes(number: int) -> str:
    """``512 bytes``, ``48.2 kB``, ``3.1 MB`` (powers of 1000)."""
    if number < _BYTES_PER_KB:
        return plural(number, "byte")
    if number < _BYTES_PER_KB**2:
        return f"{number / _BYTES_PER_KB:.1f} kB"
    return f"{number / _BYTES_PER_KB**2:.1f} MB"


def format_ms(milliseconds: float) -> str:
    """``0.4 ms``, ``41 ms``, ``1.8 s``."""
    if milliseconds >= _MS_PER_S:
        return f"{milliseconds / _MS_PER_S:.1f} s"
    return f"{milliseconds:.0f} ms" if milliseconds >= 1 else f"{milliseconds:.1f} ms"
