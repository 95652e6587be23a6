"""The result of an audit: what the pages of a crawl have in common, what only together they show, and the grade."""

from __future__ import annotations

from collections import Counter
from typing import Annotated, Final, Literal

import msgspec

from pagegrade.model.outcome import Importance
from pagegrade.model.report import Grade
from pagegrade.model.schema import Amount, Count, Points, about

NoGrade = Literal[
    "too_few_pages",
    "start_refused",
    "start_unreachable",
    "robots_unreachable",
    "site_not_proved",
    "target_limit",
    "analysis_not_installed",
    "analysis_failed",
    "canceled",
    "internal",
]
"""Reasons for which a crawl has no grade; ``render.audit.NO_GRADE`` says what to do."""
Extent = Literal["site", "template", "pages", "various"]
"""``site``: a site check; ``template``: nearly all pages of one template; ``pages``: some with one cause; ``various``:
the rest of a check, without a common cause."""
MAX_PLACES: Final = 50
"""Pages, or targets, of a finding that the result names; all of them are in the table of pages."""
MAX_SOURCES: Final = 5


class Place(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A page of a finding; of a link, its target with the pages that link to it."""

    url: str
    value: str = ""
    """The thing found there: a title, a number with its unit, an element."""
    sources: tuple[str, ...] = ()
    """At most ``MAX_SOURCES`` pages that name it."""
    count: int = 0
    """Number of all of them."""


class SiteFinding(msgspec.Struct, frozen=True, kw_only=True):
    """One cause, however many pages have it."""

    number: int
    """From 1 in the order of the result; names it in the table of pages."""
    extent: Extent
    check: str
    state: str
    severity: Importance
    title: str
    message: str
    why: str
    fix: str
    pages: int
    """Pages that have it."""
    share: float
    """Of what it is a share of, 0 to 1: of the pages that were read, or of all links."""
    lost: float | None
    """Points of the score of the site, to a hundredth; ``None`` where the site has no grade."""
    places: tuple[Place, ...]
    template: int | None = None
    """Number of the template, where nearly all of its pages have it."""
    counted_in: str | None = None
    """Check that is charged for the same cause; this one costs nothing."""
    fingerprint: str = ""
    """The same in each crawl."""


class Template(msgspec.Struct, frozen=True, kw_only=True):
    """Pages of one structure."""

    number: int
    name: str
    """The pattern of most of its URLs."""
    pages: int
    score: float | None
    """Mean of its pages; ``None`` where none has a grade."""
    example: str


class Folder(msgspec.Struct, frozen=True, kw_only=True):
    """Pages whose URLs begin alike up to a slash, those of the folders below it among them."""

    url: str
    """Ends with the slash."""
    level: int
    """Names in its path; 0 is the whole host."""
    pages: int
    score: float | None
    """Mean of its pages; ``None`` where none has a grade."""


class Unevaluated(msgspec.Struct, frozen=True, kw_only=True):
    """A site check that was not evaluated."""

    check: str
    title: str
    reason: str


class SiteCap(msgspec.Struct, frozen=True, kw_only=True):
    """A limit on the score, whatever else is good."""

    code: str
    message: str
    max_score: int


class Distribution(msgspec.Struct, frozen=True, kw_only=True):
    """Pages by their result."""

    good: Annotated[Count, about("Good pages.", 200)] = 0
    decent: Annotated[Count, about("Decent pages.", 30)] = 0
    bad: Annotated[Count, about("Bad pages.", 10)] = 0
    good_share: Annotated[Amount, about("Share of good pages by their weight, 0 to 1.", 0.8, maximum=1)] = 0.0
    """The three add up to 1 where there are any."""
    decent_share: Annotated[Amount, about("Share of decent pages by their weight.", 0.15, maximum=1)] = 0.0
    bad_share: Annotated[Amount, about("Share of bad pages by their weight.", 0.05, maximum=1)] = 0.0


class AuditResult(msgspec.Struct, frozen=True, kw_only=True):
    """An evaluated crawl."""

    url: str
    ruleset: str
    engine: str
    found: int
    """URLs in scope that are known."""
    fetched: int
    read: int
    """HTML pages of status 200."""
    graded: int
    """Different pages that search engines may show: those that the score is of."""
    complete: bool
    coverage: float
    partial: bool
    """Fewer than four of five known URLs were fetched."""
    score: int | None
    exact: float | None
    """100 less the points of all findings, at least 0 and before caps."""
    rating: Grade | None
    no_grade: str
    """Reason for having none, a key of ``render.audit.NO_GRADE``; empty with a grade."""
    caps: tuple[SiteCap, ...]
    distribution: Distribution
    p10: int | None
    """Score that a tenth of the pages do not exceed."""
    worst: tuple[Place, ...]
    findings: tuple[SiteFinding, ...]
    """The most expensive first; without a grade the most severe, then those of most pages."""
    passed: tuple[str, ...]
    not_applicable: tuple[str, ...]
    not_evaluated: tuple[Unevaluated, ...]
    templates: tuple[Template, ...]
    folders: tuple[Folder, ...] = ()
    """Those with most pages, in the order of a tree: each folder stands before those below it."""
    carried: int = 0
    """Of the fetched URLs, those that had not changed: what an earlier crawl read of them was carried over."""
    notes: tuple[str, ...] = ()
    """Sentences about how the site was asked, such as with an access."""


class SummaryChange(msgspec.Struct, frozen=True, kw_only=True):
    """Findings of the evaluated crawl by what became of them since an earlier one."""

    crawl: Annotated[int, about("Number of the earlier crawl: the last one before that compares.", 1, minimum=1)]
    score: Annotated[Points | None, about("Its score; null without a grade.", 81)]
    new: Annotated[Count, about("Findings that are new.", 1)] = 0
    worse: Annotated[Count, about("Findings that more pages have.", 0)] = 0
    fixed: Annotated[Count, about("Findings that are gone from all of their pages.", 2)] = 0
    better: Annotated[Count, about("Findings that fewer pages have.", 1)] = 0
    still: Annotated[Count, about("Findings that are as they were.", 13)] = 0
    not_comparable: Annotated[Count, about("Findings of which nothing can be said.", 1)] = 0


class AuditSummary(msgspec.Struct, frozen=True, kw_only=True):
    """Figures of a result that lists show."""

    score: int | None
    rating: Grade | None
    no_grade: str
    found: int
    fetched: int
    read: int
    graded: int
    coverage: float
    partial: bool
    complete: bool
    p10: int | None
    distribution: Distribution
    severities: dict[str, int]
    """Importance -> findings."""
    carried: int = 0
    """As of ``AuditResult``."""
    change: SummaryChange | None = None
    """``None``: no crawl before it compares."""

    @property
    def is_worse(self) -> bool:
        """The score fell since the last crawl that compares; or it did not rise, and findings are new or worse."""
        change = self.change
        if change is None:
            return False
        moved = 0 if self.score is None or change.score is None else self.score - change.score
        return moved < 0 or (moved == 0 and change.new + change.worse > 0)


def summary_of(result: AuditResult, change: SummaryChange | None = None) -> AuditSummary:
    """The figures of a result, and what changed since an earlier one."""
    same = {name: getattr(result, name) for name in AuditSummary.__struct_fields__ if name in _OF_RESULT}
    counts = Counter[str](one.severity for one in result.findings)
    return AuditSummary(**same, severities=dict(counts), change=change)


_OF_RESULT: Final = frozenset(AuditResult.__struct_fields__)
