"""The report: every verdict about one page with its reasons, and the thresholds of its grade."""

from __future__ import annotations

from datetime import datetime
from typing import Final, Literal, get_args

import msgspec

from pagegrade.model.access import AccessNote
from pagegrade.model.artifacts import PreviewProblem
from pagegrade.model.basis import Basis
from pagegrade.model.manual_results import ManualResult
from pagegrade.model.outcome import Detail, Evidence, Importance, Saving
from pagegrade.model.rendering import RenderedPage

REPORT_VERSION: Final = 1
RULESET: Final = "2026.12"
"""Version of the checks, severities, causes, budgets and caps; stored in every report."""
GOOD_FROM: Final = 80
DECENT_FROM: Final = 50
MIN_COVERAGE: Final = 0.8
"""Below this share of evaluated penalties the result of a fetched page is withheld."""

Grade = Literal["good", "decent", "bad"]
OutcomeName = Literal["passed", "warning", "failed", "informative", "not_applicable", "not_evaluated", "ignored"]
Category = Literal["seo", "performance", "security", "accessibility", "technical", "content"]
CATEGORIES: Final[dict[Category, int]] = {
    "seo": 40,
    "performance": 40,
    "security": 30,
    "accessibility": 30,
    "technical": 20,
    "content": 15,
}
"""Category -> its budget: the most points that it can take from the score. They add up to more than 100."""


class Ignored(msgspec.Struct, frozen=True, kw_only=True):
    """The reason for which a finding costs nothing, and what it would cost."""

    outcome: Literal["warning", "failed"]
    """The outcome without the rules."""
    reason: str
    """Of the rules that cover it."""
    rules: tuple[int, ...] = ()
    """Their numbers on the server; empty on the command line."""
    author: str = ""
    """Name of the account that made the first of them."""
    expires_at: datetime | None = None
    """When the first of them expires; ``None``: never."""
    points: float = 0.0
    """Points it would cost, before category budgets, caps and rounding; 0 without a score."""


class IgnoredTotal(msgspec.Struct, frozen=True, kw_only=True):
    """Effect of the ignore rules on a report."""

    findings: int
    """Findings that are ignored, those of one cause once."""
    points: int | None
    """Points by which the score would be lower without the rules; ``None``: there is no score."""


class Result(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """Result of one check and its penalty."""

    check: str
    """Id of the check."""
    title: str
    """The problem or the fix for a finding; otherwise the name of the check."""
    category: Category
    outcome: OutcomeName
    state: str | None
    """Name of the check's own state; ``None`` when it did not evaluate."""
    importance: Importance
    """Of the finding; of the check where nothing was found."""
    price: float
    """The most the check can cost, in points of the score."""
    lost: float
    """Points it did cost, before category budgets, caps and rounding; 0 for what is counted in another check."""
    cause: str | None = None
    """Name of the cause it shares with other checks; ``None``: none."""
    counted_in: str | None = None
    """The check that is charged for the cause this one found as well; ``None``: it is charged itself, or found
    nothing."""
    value: str | int | float | None = None
    message: str = ""
    reason: str = ""
    """Reason why it was not applicable or not evaluated, as ``code: sentence``."""
    inherited_from: str | None = None
    """Only in reports of ruleset 2026.1: the failing check whose failure cost this one its points too."""
    why: str = ""
    """Effect of the finding; empty if there is nothing to do."""
    fix: str = ""
    """The fix, as Markdown; empty if there is nothing to do."""
    errors: tuple[Detail, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    evidence_total: int = 0
    learn_more: str = ""
    name: str = ""
    """Name of the check, whatever it found; empty in reports that were made before it was recorded."""
    count: int | None = None
    """Number of things found that ``title`` names."""
    saving: Saving | None = None
    """Amount that fixing this would save each visitor."""
    ignored: Ignored | None = None
    """``None`` unless ``outcome`` is ``ignored``."""

    @property
    def check_name(self) -> str:
        """Name of the check for people."""
        return self.name or self.title

    @property
    def passed(self) -> bool | None:
        """True, False (warning, failed) or ``None`` where nothing was evaluated."""
        return _PASSED.get(self.outcome)


_PASSED: Final[dict[OutcomeName, bool]] = {"passed": True, "warning": False, "failed": False}


class CategoryScore(msgspec.Struct, frozen=True, kw_only=True):
    """Score of one category."""

    score: int | None
    """``None``: withheld, or too little of the category was evaluated."""
    result: Grade | None
    passed: int
    failed: int
    """Warnings and failures, without those that are counted in another finding."""
    lost: float | None = None
    """Points that its findings cost; ``None`` where no score was given and in reports of ruleset 2026.1."""
    taken: float | None = None
    """Points that were taken from the score of the page: ``lost``, at most ``budget``; ``None`` as for ``lost``."""
    budget: int | None = None
    """The most points it can take; ``None`` in reports of ruleset 2026.1."""
    coverage: float | None = None
    """Share of its checks that were evaluated, by their price, those for a browser included; ``None`` in reports from
    before it was kept, and where no score was given."""


class AppliedCap(msgspec.Struct, frozen=True, kw_only=True):
    """A finding that limits the score, whatever the rest says."""

    check: str
    max_score: int
    category: Category | None = None
    """``None``: the overall score."""


class Withheld(msgspec.Struct, frozen=True, kw_only=True):
    """Reason why a completed report has no score and no result."""

    kind: str
    """A stable word: what was seen in place of the page, or ``coverage``."""
    message: str
    """The observation, in one sentence."""
    fix: str
    """Steps to get a grade, in one or two sentences."""


class Counts(msgspec.Struct, frozen=True, kw_only=True):
    """Number of checks by outcome; ``critical`` to ``low`` count findings by severity, those of one cause once."""

    passed: int = 0
    critical: int = 0
    high: int = 0
    medium: int = 0
    low: int = 0
    informative: int = 0
    not_applicable: int = 0
    not_evaluated: int = 0


class Redirect(msgspec.Struct, frozen=True, kw_only=True):
    """One hop on the way to the document."""

    url: str
    status: int
    location: str
    address: str | None = None
    total_ms: float | None = None
    http_version: str = ""


ResourceType = Literal["document", "stylesheet", "script", "image", "font", "media", "other"]
RESOURCE_TYPES: Final[tuple[ResourceType, ...]] = get_args(ResourceType)


class ResourceTotal(msgspec.Struct, frozen=True, kw_only=True):
    """Number and size of the page's files of one type."""

    type: ResourceType
    count: int
    """Files that were asked for; the page itself is one document."""
    failed: int = 0
    """Those of them that did not come: no answer, or an error status."""
    transfer_bytes: int = 0
    """Of those that came, on the wire."""


class LoadedFile(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """One file of the page as it was fetched, without a browser."""

    url: str
    type: ResourceType
    initiator_url: str
    """Of the document or stylesheet that names it first."""
    first_party: bool
    """It belongs to the site itself, wherever it is served from."""
    status: int | None = None
    """HTTP status of the last response; ``None``: there was none."""
    failure: str = ""
    """Code of the reason why there is no response; empty where there is one."""
    http_version: str = ""
    transfer_bytes: int | None = None
    """Of the body on the wire; ``None`` without a response."""
    redirects: int = 0
    """Number of redirects before the last response."""
    first_byte_ms: float | None = None
    """From the start of the first request to the first byte of the last response."""
    total_ms: float | None = None
    """To the end of the last response."""


class PreviewPicture(msgspec.Struct, frozen=True, kw_only=True):
    """An image of a preview that is stored with the report, without its bytes."""

    name: Literal["social", "icon"]
    """The last segment of its address."""
    format: str
    """``png``, ``jpeg``, ``webp``, ``gif`` or ``avif``."""
    width_px: int
    height_px: int
    bytes: int


class Preview(msgspec.Struct, frozen=True, kw_only=True):
    """Preview of the page in search results and shared links, beside its title; empty if it declares none."""

    description: str = ""
    """Of ``<meta name=description>``."""
    site_name: str = ""
    """``og:site_name``; so the next ones."""
    social_title: str = ""
    social_description: str = ""
    image_url: str = ""
    """``og:image``, or ``twitter:image``, as written."""
    image: PreviewPicture | None = None
    """``None``: it is not stored."""
    image_problem: PreviewProblem = ""
    """Reason why it could not be stored; empty where it is, and where that was not asked for."""
    icon: PreviewPicture | None = None


class PageFacts(msgspec.Struct, frozen=True, kw_only=True):
    """Figures of the page itself, shown beside the verdicts."""

    http_status: int
    redirects: tuple[Redirect, ...] = ()
    http_version: str = ""
    address: str | None = None
    bytes: int = 0
    transfer_bytes: int | None = None
    requests: int = 0
    """Sub-resources named by the page."""
    timing_ms: dict[str, float | None] = msgspec.field(default_factory=dict)
    """``dns``, ``connect``, ``tls``, ``first_byte``, ``download``."""
    title: str = ""
    language: str = ""
    server: str = ""
    resources: tuple[ResourceTotal, ...] = ()
    """In the order of ``RESOURCE_TYPES``; empty where they were not looked at."""
    files: tuple[LoadedFile, ...] = ()
    """In the order in which they were found, at most 200; empty in reports from before they were listed."""
    headers: tuple[tuple[str, str], ...] = ()
    """(name, value) of the document's answer, bounded; what may be a secret is ``…``."""
    preview: Preview | None = None
    """``None``: the document was not evaluated."""


class RunFacts(msgspec.Struct, frozen=True, kw_only=True):
    """The evaluating version, its rules, and whether the whole page was seen."""

    engine: str
    ruleset: str = RULESET
    duration_ms: float | None = None
    partial: bool = False
    vantage: str = ""
    """The headers of the request for the page; empty without a request (a local page)."""
    access: AccessNote | None = None
    """Description of what let the run in; ``None``: it saw what everybody sees."""
    not_gathered: tuple[tuple[str, str], ...] = ()
    """(artifact, why) for everything that is missing."""
    notes: tuple[str, ...] = ()
    """Sentences about the run a reader should know, e.g. that the page is drawn by scripts."""
    good_from: int = GOOD_FROM
    """Score from which a page was called good."""
    decent_from: int = DECENT_FROM
    """Score from which it was called decent."""


class Failure(msgspec.Struct, frozen=True, kw_only=True):
    """Reason why there is no result."""

    code: str
    """One of ``model.errors.FAILURE_CODES``."""
    message: str
    reason: str | None = None
    """The finer cause, e.g. ``dns_nxdomain``."""
    http_status: int | None = None
    retryable: bool = False


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """The evaluation of one page at one time."""

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
    """100 minus what the categories took, at least 0, before caps and rounding."""
    coverage: float | None = None
    """Share of the possible penalties of the checks that apply which could be evaluated, 0 to 1."""
    withheld: Withheld | None = None
    """Reason why there is no score; ``None`` if there is one, or if the analysis failed."""
    caps: tuple[AppliedCap, ...] = ()
    ignored: IgnoredTotal | None = None
    """``None``: no finding is ignored."""
    counts: Counts = msgspec.field(default_factory=Counts)
    categories: dict[Category, CategoryScore] = msgspec.field(default_factory=dict)
    results: tuple[Result, ...] = ()
    """In the order of the catalogue: category, then id."""
    page: PageFacts | None = None
    rendered: RenderedPage | None = None
    """The page in a browser; ``None`` where none was used."""
    run: RunFacts
    error: Failure | None = None
    manual: tuple[ManualResult, ...] = ()
    """Results that persons recorded of success criteria, for readers who may see it; no part of an evaluation."""
    generated_at: datetime

    @property
    def led_to(self) -> str | None:
        """The URL where the page ended; ``None`` where it is the one that was asked for, or is not known."""
        return None if self.final_url == self.url else self.final_url

    @property
    def basis(self) -> Basis:
        """Properties that another report must share to be compared with this one."""
        return Basis(self.run.ruleset, None if self.rendered is None else self.rendered.device)
