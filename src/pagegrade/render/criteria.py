"""Success criteria A and AA of WCAG 2.2, the checks that test them, and what a report says about each.

Automatic tests find failures; that they find none does not make a criterion met. Of the failures that a check can find
only those count as failed that break the criterion whatever else is true of the page; the others are for a person.

Sources: https://www.w3.org/TR/WCAG22/ (criteria), EN 301 549 V3.2.1 (2021-03), clause 9 (those of WCAG 2.1, by the same
numbers), 36 CFR 1194 Appendix A, E205.4 (those of WCAG 2.0), and https://www.w3.org/WAI/standards-guidelines/act/rules/
(which failures break which criterion).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from typing import Final, Literal

import msgspec

from pagegrade.model.outcome import DOUBTS
from pagegrade.model.report import MAX_NOTE, Category, ManualOutcome, ManualResult, Report, Result
from pagegrade.render.english import ENGLISH, N_, Words
from pagegrade.render.escape import visible
from pagegrade.render.finding_texts import translated
from pagegrade.render.i18n import LOCALES
from pagegrade.render.view import evaluated_share, reason, was_seen

Level = Literal["A", "AA"]
Status = Literal["failed", "passed", "not_evaluated", "needs_person", "confirmed", "excluded"]
STATUS_NAMES: Final[Mapping[Status, str]] = {
    "failed": N_("Failed"),
    "passed": N_("Passed by automatic tests"),
    "not_evaluated": N_("Not evaluated here"),
    "needs_person": N_("Needs a person"),
    "confirmed": N_("Passed, by a person"),
    "excluded": N_("Does not apply, by a person"),
}
_BY_PERSON: Final[Mapping[ManualOutcome, Status]] = {
    "passed": "confirmed",
    "failed": "failed",
    "not_applicable": "excluded",
}
OUTCOME_NAMES: Final[Mapping[ManualOutcome, str]] = {
    "passed": N_("Passed"),
    "failed": N_("Failed"),
    "not_applicable": N_("Does not apply"),
}
"""Results that a person records -> their names."""


class Criterion(msgspec.Struct, frozen=True):
    """A success criterion."""

    number: str
    name: str
    """A message id: the name in English."""
    level: Level
    since: Literal["2.0", "2.1", "2.2"]
    """Version of WCAG that introduced it."""

    @property
    def en_clause(self) -> str:
        """Clause of EN 301 549 V3.2.1 for web pages; empty for criteria that are younger than WCAG 2.1."""
        return "" if self.since == "2.2" else f"9.{self.number}"

    @property
    def section_508(self) -> str:
        """Provision of the Section 508 standards, which take over WCAG 2.0; empty for younger criteria."""
        return "E205.4" if self.since == "2.0" else ""

    @property
    def slug(self) -> str:
        """Its fragment in WCAG 2.2, and its page in the explanations of W3C."""
        return re.sub(r"[^a-z0-9]+", "-", self.name.lower()).strip("-")

    @property
    def source(self) -> str:
        """URL of the explanation by W3C."""
        return f"https://www.w3.org/WAI/WCAG22/Understanding/{self.slug}.html"


CRITERIA: Final = tuple(
    Criterion(*row)
    for row in (
        ("1.1.1", N_("Non-text Content"), "A", "2.0"),
        ("1.2.1", N_("Audio-only and Video-only (Prerecorded)"), "A", "2.0"),
        ("1.2.2", N_("Captions (Prerecorded)"), "A", "2.0"),
        ("1.2.3", N_("Audio Description or Media Alternative (Prerecorded)"), "A", "2.0"),
        ("1.2.4", N_("Captions (Live)"), "AA", "2.0"),
        ("1.2.5", N_("Audio Description (Prerecorded)"), "AA", "2.0"),
        ("1.3.1", N_("Info and Relationships"), "A", "2.0"),
        ("1.3.2", N_("Meaningful Sequence"), "A", "2.0"),
        ("1.3.3", N_("Sensory Characteristics"), "A", "2.0"),
        ("1.3.4", N_("Orientation"), "AA", "2.1"),
        ("1.3.5", N_("Identify Input Purpose"), "AA", "2.1"),
        ("1.4.1", N_("Use of Color"), "A", "2.0"),
        ("1.4.2", N_("Audio Control"), "A", "2.0"),
        ("1.4.3", N_("Contrast (Minimum)"), "AA", "2.0"),
        ("1.4.4", N_("Resize Text"), "AA", "2.0"),
        ("1.4.5", N_("Images of Text"), "AA", "2.0"),
        ("1.4.10", N_("Reflow"), "AA", "2.1"),
        ("1.4.11", N_("Non-text Contrast"), "AA", "2.1"),
        ("1.4.12", N_("Text Spacing"), "AA", "2.1"),
        ("1.4.13", N_("Content on Hover or Focus"), "AA", "2.1"),
        ("2.1.1", N_("Keyboard"), "A", "2.0"),
        ("2.1.2", N_("No Keyboard Trap"), "A", "2.0"),
        ("2.1.4", N_("Character Key Shortcuts"), "A", "2.1"),
        ("2.2.1", N_("Timing Adjustable"), "A", "2.0"),
        ("2.2.2", N_("Pause, Stop, Hide"), "A", "2.0"),
        ("2.3.1", N_("Three Flashes or Below Threshold"), "A", "2.0"),
        ("2.4.1", N_("Bypass Blocks"), "A", "2.0"),
        ("2.4.2", N_("Page Titled"), "A", "2.0"),
        ("2.4.3", N_("Focus Order"), "A", "2.0"),
        ("2.4.4", N_("Link Purpose (In Context)"), "A", "2.0"),
        ("2.4.5", N_("Multiple Ways"), "AA", "2.0"),
        ("2.4.6", N_("Headings and Labels"), "AA", "2.0"),
        ("2.4.7", N_("Focus Visible"), "AA", "2.0"),
        ("2.4.11", N_("Focus Not Obscured (Minimum)"), "AA", "2.2"),
        ("2.5.1", N_("Pointer Gestures"), "A", "2.1"),
        ("2.5.2", N_("Pointer Cancellation"), "A", "2.1"),
        ("2.5.3", N_("Label in Name"), "A", "2.1"),
        ("2.5.4", N_("Motion Actuation"), "A", "2.1"),
        ("2.5.7", N_("Dragging Movements"), "AA", "2.2"),
        ("2.5.8", N_("Target Size (Minimum)"), "AA", "2.2"),
        ("3.1.1", N_("Language of Page"), "A", "2.0"),
        ("3.1.2", N_("Language of Parts"), "AA", "2.0"),
        ("3.2.1", N_("On Focus"), "A", "2.0"),
        ("3.2.2", N_("On Input"), "A", "2.0"),
        ("3.2.3", N_("Consistent Navigation"), "AA", "2.0"),
        ("3.2.4", N_("Consistent Identification"), "AA", "2.0"),
        ("3.2.6", N_("Consistent Help"), "A", "2.2"),
        ("3.3.1", N_("Error Identification"), "A", "2.0"),
        ("3.3.2", N_("Labels or Instructions"), "A", "2.0"),
        ("3.3.3", N_("Error Suggestion"), "AA", "2.0"),
        ("3.3.4", N_("Error Prevention (Legal, Financial, Data)"), "AA", "2.0"),
        ("3.3.7", N_("Redundant Entry"), "A", "2.2"),
        ("3.3.8", N_("Accessible Authentication (Minimum)"), "AA", "2.2"),
        ("4.1.2", N_("Name, Role, Value"), "A", "2.0"),
        ("4.1.3", N_("Status Messages"), "AA", "2.1"),
    )
)
"""All success criteria A and AA of WCAG 2.2, by number; 4.1.1 is not in it any more."""


class Link(msgspec.Struct, frozen=True):
    """Meaning of the states of a check for a criterion."""

    check: str
    criterion: str
    failed: tuple[str, ...] = ()
    """States that break the criterion, whatever else is true of the page."""
    person: tuple[str, ...] = ()
    """States that may break it: a person has to decide."""


LINKS: Final = (
    Link("area-alt", "1.1.1", ("nameless",)),
    Link("area-alt", "2.4.4", ("nameless",)),
    Link("area-alt", "4.1.2", ("nameless",)),
    Link("aria-allowed-attr", "4.1.2", (), ("unheard", "unfitting")),
    Link("aria-attr-value", "4.1.2", (), ("unresolved", "invalid")),
    Link("aria-hidden-body", "1.3.1", ("hidden", "inert")),
    Link("aria-hidden-body", "4.1.2", ("hidden", "inert")),
    Link("aria-hidden-focus", "4.1.2", ("reached",)),
    Link("aria-name", "4.1.2", ("nameless",), ("unnamed_groups",)),
    Link("aria-parent-child", "1.3.1", ("apart",)),
    Link("aria-required-attr", "4.1.2", (), ("incomplete",)),
    Link("aria-roles", "4.1.2", (), ("unknown",)),
    Link("aria-valid-attr", "4.1.2", (), ("unknown",)),
    Link("autocomplete-valid", "1.3.5", ("invalid",)),
    Link("autoplay-media", "1.4.2", ("loud",)),
    Link("button-name", "4.1.2", ("nameless",)),
    Link("bypass", "2.4.1", ("missing",)),
    Link("color-contrast", "1.4.3", ("low",), ("partly",)),
    Link("duplicate-id", "1.3.1", (), ("ambiguous",)),
    Link("duplicate-id", "4.1.2", (), ("ambiguous",)),
    Link("empty-heading", "1.3.1", (), ("empty",)),
    Link("empty-heading", "2.4.6", (), ("empty",)),
    Link("form-label", "1.3.1", (), ("unlabelled",)),
    Link("form-label", "3.3.2", (), ("placeholder", "unlabelled")),
    Link("form-label", "4.1.2", ("unlabelled",)),
    Link("form-multiple-labels", "3.3.2", (), ("several",)),
    Link("frame-title", "4.1.2", ("untitled",)),
    Link("frame-title-unique", "4.1.2", (), ("shared",)),
    Link("heading-order", "1.3.1", (), ("skipping",)),
    Link(
        "html-lang", "3.1.1", ("missing", "empty", "invalid", "unregistered"), ("conflict", "elsewhere", "other-text")
    ),
    Link("image-alt", "1.1.1", ("missing",), ("poor",)),
    Link("image-redundant-alt", "1.1.1", (), ("twice",)),
    Link("inline-text-spacing", "1.4.12", ("fixed",)),
    Link("input-button-name", "4.1.2", ("nameless",)),
    Link("input-image-alt", "1.1.1", ("nameless",), ("poor",)),
    Link("input-image-alt", "4.1.2", ("nameless",)),
    Link("invisible-text", "1.4.3", (), ("some", "much", "most")),
    Link("label-in-name", "2.5.3", (), ("different",)),
    Link("lang-of-parts", "3.1.2", ("unknown",)),
    Link("link-in-text-block", "1.4.1", ("color_alone",)),
    Link("link-name", "2.4.4", ("nameless",)),
    Link("link-name", "4.1.2", ("nameless",)),
    Link("link-text", "2.4.4", (), ("generic",)),
    Link("list-structure", "1.3.1", ("broken",)),
    Link("marquee-blink", "2.2.2", ("moving", "text", "flashing")),
    Link("marquee-blink", "2.3.1", (), ("flashing",)),
    Link("meta-refresh", "2.2.1", ("timed", "restless"), ("leaves",)),
    Link("mouse-only", "2.1.1", ("some", "most", "cancelled")),
    Link("mouse-only", "4.1.2", (), ("some", "most")),
    Link("nested-interactive", "4.1.2", ("nested",)),
    Link("object-alt", "1.1.1", ("nameless",)),
    Link("paste-blocked", "3.3.8", (), ("blocked",)),
    Link("presentation-conflict", "1.3.1", (), ("conflicting",)),
    Link("scrollable-focus", "2.1.1", ("unreachable",)),
    Link("server-side-image-map", "2.1.1", (), ("used",)),
    Link("skip-link-target", "2.4.1", (), ("lost",)),
    Link("summary-name", "4.1.2", ("nameless",)),
    Link("svg-img-alt", "1.1.1", ("nameless",), ("poor",)),
    Link("tabindex", "2.4.3", (), ("forced",)),
    Link("table-caption-misuse", "1.3.1", (), ("imitated",)),
    Link("table-headers", "1.3.1", ("broken",), ("partial", "unmarked")),
    Link("target-size", "2.5.8", ("small",)),
    Link("text-direction", "1.3.2", (), ("contrary", "missing")),
    Link("title", "2.4.2", ("missing", "empty"), ("scripted", "generic", "url", "unfilled")),
    Link("video-captions", "1.2.2", (), ("uncaptioned",)),
    Link("viewport-zoom", "1.4.4", ("too-small", "blocked")),
)
"""Checks and the criteria that they test, by check."""
_TESTED: Final = frozenset(link.criterion for link in LINKS if link.failed)
"""Criteria of which automatic tests find failures for certain."""


class CriterionResult(msgspec.Struct, frozen=True, kw_only=True):
    """Statement of a report about a criterion."""

    criterion: Criterion
    status: Status
    """Of the person where one recorded a result that is not stale, unless the tests found a failure for certain."""
    by_machine: Status
    """Of the automatic tests alone."""
    manual: ManualResult | None = None
    """Result that a person recorded."""
    found: tuple[Result, ...] = ()
    """Results that break it, or that a person has to look at."""
    passed: tuple[Result, ...] = ()
    """Results of checks that found nothing."""
    not_evaluated: tuple[Result, ...] = ()
    """Results of checks that could not be evaluated."""


def links_of(check: str) -> tuple[Link, ...]:
    """The criteria that a check tests."""
    return tuple(link for link in LINKS if link.check == check)


def by_criterion(report: Report) -> tuple[CriterionResult, ...]:
    """List what the report says about every criterion A and AA of WCAG 2.2, by number."""
    results = {result.check: result for result in report.results} if was_seen(report) else {}
    manual = {each.criterion: each for each in report.manual}
    return tuple(_result_of(criterion, results, manual.get(criterion.number)) for criterion in CRITERIA)


def _result_of(criterion: Criterion, results: Mapping[str, Result], manual: ManualResult | None) -> CriterionResult:
    failed, person, passed, unknown = [], [], [], []
    proven = False
    for link in LINKS:
        result = results.get(link.check)
        if link.criterion != criterion.number or result is None or result.outcome == "not_applicable":
            continue
        if result.outcome == "not_evaluated":
            unknown.append(result)
        elif result.outcome == "ignored":
            person.append(result)
        elif result.state in link.failed and not result.message.endswith(_doubts()):
            failed.append(result)
        elif result.state in {*link.failed, *link.person}:
            person.append(result)
        else:
            passed.append(result)
            proven |= bool(link.failed)
    status: Status = "needs_person"
    if failed:
        status = "failed"
    elif not person and proven:
        status = "passed"
    elif criterion.number in _TESTED and not person and (unknown or not results):
        status = "not_evaluated"
    return CriterionResult(
        criterion=criterion,
        status=status if manual is None or manual.is_stale or failed else _BY_PERSON[manual.outcome],
        by_machine=status,
        manual=manual,
        found=(*failed, *person),
        passed=tuple(passed),
        not_evaluated=tuple(unknown),
    )


@cache
def _doubts() -> tuple[str, ...]:
    """The sentences of a doubt in every language: a report may have been translated."""
    return tuple(str(translated(sentence, tag)) for sentence in DOUBTS for tag in LOCALES)


def machine_count(report: Report) -> int:
    """Number of criteria that automatic tests evaluated: those that failed, and those in which they found nothing."""
    return sum(one.by_machine in {"failed", "passed"} for one in by_criterion(report))


def machine_share(report: Report, words: Words = ENGLISH) -> str:
    """``15 of 55 criteria A and AA evaluated by machine``; beside every score of accessibility."""
    return words.gettext(
        "%(count)s of %(total)s criteria A and AA evaluated by machine",
        count=words.number(machine_count(report)),
        total=words.number(len(CRITERIA)),
    )


def category_note(report: Report, name: Category, words: Words = ENGLISH) -> str:
    """Return the evaluated share of a category with a score; of accessibility always, in criteria."""
    category = report.categories[name]
    share = evaluated_share(category, words)
    if name != "accessibility" or category.score is None:
        return share
    return ", ".join(filter(None, (share, machine_share(report, words))))


def manual_remark(result: CriterionResult, words: Words = ENGLISH) -> str:
    """Say what a person recorded of a criterion, when and why; empty where none did."""
    manual = result.manual
    if manual is None:
        return ""
    day = datetime.fromtimestamp(manual.at_ms / 1000, UTC).date().isoformat()
    said = words.gettext(
        "%(outcome)s, recorded by %(author)s on %(day)s.",
        outcome=words.gettext(OUTCOME_NAMES[manual.outcome]),
        author=visible(manual.author, 200) or words.gettext("a deleted account"),
        day=day,
    )
    parts = [said]
    if manual.is_stale:
        parts.append(words.gettext("The page, or how it was analyzed, has changed since: look at it again."))
    parts.append(visible(manual.note, MAX_NOTE))
    if manual.evidence:
        parts.append(words.gettext("Evidence: %(evidence)s", evidence=visible(manual.evidence, MAX_NOTE)))
    return " ".join(filter(None, parts))


def remark(result: CriterionResult, words: Words = ENGLISH) -> str:
    """The reason for the status of a criterion by machine, where findings do not give it."""
    if result.by_machine == "failed" or (result.manual is not None and not result.manual.is_stale):
        return ""
    if result.by_machine == "passed":
        if result.not_evaluated:
            return words.gettext("No failure was found; some tests could not be evaluated.")
        return words.gettext("No failure was found, which is no proof.")
    if result.by_machine == "not_evaluated":
        reasons = dict.fromkeys(reason(one, words) for one in result.not_evaluated)
        return " ".join(reasons) or words.gettext("The page itself was not seen.")
    if result.found:
        return words.gettext("Automatic tests found what may be a failure.")
    if result.criterion.number in _TESTED:
        return words.gettext("The page has nothing that the tests apply to.")
    return words.gettext("No automatic test decides it.")
