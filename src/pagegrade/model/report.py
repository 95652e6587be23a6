"""The report: every verdict about one page with its reasons."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Literal, get_args

from pagegrade.model.outcome import Detail, Evidence, Saving

REPORT_VERSION: Final = 1
RULESET: Final = "2026.1"
"""Version of the checks, weights, prices and caps; stored in every report."""
GOOD_FROM: Final = 80
DECENT_FROM: Final = 50
MIN_COVERAGE: Final = 0.8
"""Below this share of measured points a score is shown but no result."""

Grade = Literal["good", "decent", "bad"]
OutcomeName = Literal["passed", "warning", "failed", "informative", "not_applicable", "not_evaluated"]
Category = Literal["seo", "performance", "security", "accessibility", "technical", "content"]
CATEGORIES: Final[dict[Category, int]] = {
    "seo": 30,
    "performance": 20,
    "security": 20,
    "accessibility": 15,
    "technical": 10,
    "content": 5,
}
"""Category -> points of the overall score it is worth; they add up to 100."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What one check said about the page, and what that costs."""

    check: str
    """Id of the check."""
    title: str
    """What is wrong or what to do where something was found; elsewhere the name of the check."""
    category: Category
    outcome: OutcomeName
    state: str | None
    """Name of the check's own state; ``None`` when it did not judge."""
    importance: Literal["high", "medium", "low", "informative"]
    price: float
    """What the check can cost, in points of the final score."""
    lost: float
    """What it did cost, before caps and rounding."""
    value: str | int | float | None = None
    message: str = ""
    reason: str = ""
    """Why it was not applicable or not evaluated, as ``code: sentence``."""
    inherited_from: str | None = None
    """The failing check whose failure makes this one lose too."""
    why: str = ""
    """Why the finding matters; empty where there is nothing to do."""
    fix: str = ""
    """What to do about it, as Markdown; empty where there is nothing to do."""
    errors: tuple[Detail, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    evidence_total: int = 0
    learn_more: str = ""
    name: str = ""
    """Name of the check, whatever it found; empty in reports that were made before it was recorded."""
    count: int | None = None
    """How many of the things that ``title`` names were found."""
    saving: Saving | None = None
    """What fixing this would save each visitor."""

    @property
    def check_name(self) -> str:
        """Name of the check for people."""
        return self.name or self.title

    @property
    def passed(self) -> bool | None:
        """True, False (warning, failed) or ``None`` where nothing was judged."""
        return {"passed": True, "warning": False, "failed": False}.get(self.outcome)


@dataclass(frozen=True, slots=True, kw_only=True)
class CategoryScore:
    """Score of one category."""

    score: int | None
    result: Grade | None
    passed: int
    failed: int
    """Warnings and failures."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AppliedCap:
    """A check that failed and so limits the score, whatever the rest says."""

    check: str
    max_score: int
    category: Category | None = None
    """``None``: the overall score."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """How many checks ended how; the three middle ones count findings by importance."""

    passed: int = 0
    high: int = 0
    medium: int = 0
    low: int = 0
    informative: int = 0
    not_applicable: int = 0
    not_evaluated: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Redirect:
    """One hop on the way to the document."""

    url: str
    status: int
    location: str
    address: str | None = None
    total_ms: float | None = None
    http_version: str = ""


ResourceType = Literal["document", "stylesheet", "script", "image", "font", "media", "other"]
RESOURCE_TYPES: Final[tuple[ResourceType, ...]] = get_args(ResourceType)


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceTotal:
    """What of one type the page loads."""

    type: ResourceType
    count: int
    """Files that were asked for; the page itself is one document."""
    failed: int = 0
    """Those of them that did not come: no answer, or an error status."""
    transfer_bytes: int = 0
    """Of those that came, on the wire."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """What search results and shared links show of the page, beside its title; empty where it says nothing."""

    description: str = ""
    """Of ``<meta name=description>``."""
    site_name: str = ""
    """``og:site_name``; so the next ones."""
    social_title: str = ""
    social_description: str = ""
    image_url: str = ""
    """As written; never fetched to be shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageFacts:
    """Figures of the page itself, shown beside the verdicts."""

    http_status: int
    redirects: tuple[Redirect, ...] = ()
    http_version: str = ""
    address: str | None = None
    bytes: int = 0
    transfer_bytes: int | None = None
    requests: int = 0
    """Sub-resources named by the page."""
    timing_ms: dict[str, float | None] = field(default_factory=dict)
    """``dns``, ``connect``, ``tls``, ``first_byte``, ``download``."""
    title: str = ""
    language: str = ""
    server: str = ""
    resources: tuple[ResourceTotal, ...] = ()
    """In the order of ``RESOURCE_TYPES``; empty where they were not looked at."""
    headers: tuple[tuple[str, str], ...] = ()
    """(name, value) of the document's answer, bounded; what may be a secret is ``…``."""
    preview: Preview | None = None
    """``None``: the document was not judged."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFacts:
    """Who judged, by which rules, and whether all of it was seen."""

    engine: str
    ruleset: str = RULESET
    duration_ms: float | None = None
    partial: bool = False
    vantage: str = ""
    """The request headers the page was asked with; empty when nobody asked (a page at hand)."""
    not_gathered: tuple[tuple[str, str], ...] = ()
    """(artifact, why) for everything that is missing."""
    notes: tuple[str, ...] = ()
    """Sentences about the run a reader should know, e.g. that the page is drawn by scripts."""
    good_from: int = GOOD_FROM
    """Score from which a page was called good."""
    decent_from: int = DECENT_FROM
    """Score from which it was called decent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """Why there is no verdict."""

    code: str
    """One of ``model.errors.FAILURE_CODES``."""
    message: str
    reason: str | None = None
    """The finer cause, e.g. ``dns_nxdomain``."""
    http_status: int | None = None
    retryable: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The judgement of one page at one time."""

    version: int = REPORT_VERSION
    url: str
    """As asked for, canonical."""
    final_url: str | None
    project: str
    """Host of ``url``: lower case, without ``www.``, with a port that is not the scheme's own."""
    state: Literal["completed", "failed"]
    result: Grade | None = None
    score: int | None = None
    uncapped_score: float | None = None
    """100 minus all losses, before caps and rounding."""
    coverage: float | None = None
    caps: tuple[AppliedCap, ...] = ()
    counts: Counts = field(default_factory=Counts)
    categories: dict[Category, CategoryScore] = field(default_factory=dict)
    results: tuple[Result, ...] = ()
    """In the order of the catalogue: category, then id."""
    page: PageFacts | None = None
    run: RunFacts
    error: Failure | None = None
    generated_at: datetime
