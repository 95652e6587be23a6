"""The report: every verdict about one page with its reasons, and the thresholds of its grade."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Final, Literal, NamedTuple, Protocol, get_args

import msgspec
from msgspec import UNSET, UnsetType

from pagegrade.model.access import AccessNote
from pagegrade.model.artifacts import PreviewProblem
from pagegrade.model.errors import FAILURE_CODES
from pagegrade.model.identity import VERSION
from pagegrade.model.outcome import Cap, Detail, Evidence, Importance, Saving, Severity
from pagegrade.model.rendering import Device, RenderedPage
from pagegrade.model.schema import Amount, Count, Points, Timestamp, about

ManualOutcome = Literal["passed", "failed", "not_applicable"]
MANUAL_OUTCOMES: Final[tuple[ManualOutcome, ...]] = get_args(ManualOutcome)
MAX_NOTE: Final = 2_000
"""Characters of a note, and of the evidence."""


class ManualResult(msgspec.Struct, frozen=True, kw_only=True):
    """Result of a criterion on a page, by a person; it stays with the report until it is replaced or removed."""

    criterion: str
    """Its number in WCAG 2.2, such as ``1.4.3``."""
    outcome: ManualOutcome
    note: str
    evidence: str
    """Place that shows it, such as an address or the name of a file; may be empty, as the note."""
    author: str
    """Name that the person, or the key, has now; empty if there is none any more."""
    at_ms: int
    page_sha256: bytes
    """Of what the shown run knew of the page (``report.fingerprint``)."""
    is_stale: bool = False
    """The page, or how it was analyzed, has changed since; then it decides nothing."""


Difference = Literal["engine", "device", "ruleset"]


class Basis(NamedTuple):
    """Everything beside the page that decides what a run finds.

    Runs with different bases are two measurements: no figure, trend, budget or event compares them. The fields are
    columns of ``runs``, too.
    """

    ruleset: str
    device: Device | None
    """Device that a browser imitated; ``None``: the static engine, without a browser."""

    @property
    def engine(self) -> Literal["static", "rendered"]:
        """The engine, as the API names it."""
        return "static" if self.device is None else "rendered"

    def differences(self, other: Basis) -> tuple[Difference, ...]:
        """Return what keeps the two from being compared; empty if they compare."""
        found: list[Difference] = []
        if self.device != other.device:
            found.append("engine" if None in {self.device, other.device} else "device")
        if self.ruleset != other.ruleset:
            found.append("ruleset")
        return tuple(found)


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
    """Reason why a finding has no penalty, and its penalty without the ignore rules."""

    outcome: Annotated[Literal["warning", "failed"], about("Outcome without the rules.", "failed")]
    reason: Annotated[str, about("Reason given in the matching rules.", "The banner is replaced in May.")]
    rules: Annotated[tuple[int, ...], about("Numbers of the matching rules.", [12])] = ()
    """Empty on the command line."""
    author: Annotated[str, about("Name of the account that created the first of them.", "Example")] = ""
    expires_at: Annotated[Timestamp | None, about("Expiry of the rule that expires first; null: never.", None)] = None
    points: Annotated[Amount, about("Points lost without the rules, before budgets, caps and rounding.", 3)] = 0.0
    """0 without a score."""


class IgnoredTotal(msgspec.Struct, frozen=True, kw_only=True):
    """Effect of the ignore rules on a report."""

    findings: Annotated[Count, about("Ignored findings; those of one cause count once.", 1)]
    points: Annotated[Count | None, about("Points that the rules add to the score; null without a score.", 3)]


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
    """Score of the page in one category."""

    score: Annotated[
        Points | None,
        about("Null when the result is withheld or too little of the category could be evaluated.", 81),
    ]
    result: Annotated[Grade | None, about("Good, decent or bad, by the same thresholds as the page.", "good")]
    passed: Annotated[Count, about("Checks that found nothing wrong.", 20)]
    failed: Annotated[
        Count,
        about("Checks that failed or warned; those that are counted in another finding are not among them.", 3),
    ]
    lost: Annotated[
        Amount | None, about("Points its findings cost; absent from reports of ruleset 2026.1.", 7.6, later=True)
    ] = None
    taken: Annotated[
        Amount | None, about("Points taken from the score of the page: lost, at most budget.", 7.6, later=True)
    ] = None
    budget: Annotated[
        Count | None, about("The most points it can take; null in reports of ruleset 2026.1.", 40, later=True)
    ] = None
    coverage: Annotated[
        float | None,
        about(
            "Share of its checks that were evaluated, by price, those for a browser included; absent from older "
            "reports.",
            0.93,
            later=True,
        ),
    ] = None


class AppliedCap(msgspec.Struct, frozen=True, kw_only=True):
    """A finding that limits the score of the page or of one category."""

    check: Annotated[str, about("Id of the check.", "https")]
    max_score: Annotated[Points, about("Upper limit of the score.", 69)]
    category: Annotated[
        Category | None, about("The category that is limited; null: the score of the page.", None, "security")
    ] = None


class Withheld(msgspec.Struct, frozen=True, kw_only=True):
    """Reason why a completed report has no score and no result."""

    kind: Annotated[
        str, about("Kind of page that was served instead, or `coverage`: too little of it was evaluated.", "parked")
    ]
    message: Annotated[
        str,
        about("The reason in one sentence.", "The domain is parked: this is a page of its registrar, not of the site."),
    ]
    fix: Annotated[str, about("Step that leads to a grade.", "Point the domain to the site and analyze it again.")]


class Counts(msgspec.Struct, frozen=True, kw_only=True):
    """Number of checks by outcome. Critical to low count failed and warning findings; those of one cause count once."""

    passed: Annotated[Count, about("Checks that found nothing wrong.", 71)] = 0
    critical: Annotated[
        Count, about("Findings of critical severity; absent from reports of ruleset 2026.1.", 0, later=True)
    ] = 0
    high: Annotated[Count, about("Findings of high severity.", 2)] = 0
    medium: Annotated[Count, about("Findings of medium severity.", 4)] = 0
    low: Annotated[Count, about("Findings of low severity.", 3)] = 0
    informative: Annotated[Count, about("Checks that inform without affecting the score.", 6)] = 0
    not_applicable: Annotated[Count, about("Checks that do not apply to this page.", 12)] = 0
    not_evaluated: Annotated[Count, about("Checks that could not be evaluated.", 0)] = 0


class Redirect(msgspec.Struct, frozen=True, kw_only=True):
    """One redirect on the way to the page."""

    url: Annotated[str, about("The requested URL.", "https://example.com/pricing")]
    status: Annotated[int, about("HTTP status of the response.", 301)]
    location: Annotated[str, about("Target of the redirect, as written.", "/pricing/")]
    address: Annotated[str | None, about("IP address of the server.", "192.0.2.10")] = None
    total_ms: Annotated[Amount | None, about("Duration in milliseconds.", 31.4)] = None
    http_version: Annotated[str, about("Protocol of the response.", "HTTP/2")] = ""


ResourceType = Literal["document", "stylesheet", "script", "image", "font", "media", "other"]
RESOURCE_TYPES: Final[tuple[ResourceType, ...]] = get_args(ResourceType)


class ResourceTotal(msgspec.Struct, frozen=True, kw_only=True):
    """Number and size of the files of one type that the page loads."""

    type: Annotated[ResourceType, about("Type of the files; the page itself is one document.", "script")]
    count: Annotated[Count, about("Requested files.", 9)]
    failed: Annotated[Count, about("Files that could not be loaded.", 0)] = 0
    """No answer, or an error status."""
    transfer_bytes: Annotated[Count, about("Transfer size of the loaded files.", 182_440)] = 0


class LoadedFile(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """A file of the page as it was fetched, without a browser."""

    url: Annotated[str, about("URL of the file, cut after 500 characters.", "https://example.com/app.js")]
    type: Annotated[ResourceType, about("Type of the file.", "script")]
    initiator_url: Annotated[
        str, about("URL of the document or stylesheet that refers to it.", "https://example.com/pricing")
    ]
    """The first one."""
    first_party: Annotated[bool, about("True if the file belongs to the site itself.", True)]  # noqa: FBT003
    """Wherever it is served from."""
    status: Annotated[int | None, about("HTTP status; null without a response.", 200)] = None
    """Of the last response; so the next ones."""
    failure: Annotated[str, about("Code of the reason why there is no response; empty if there is one.", "")] = ""
    http_version: Annotated[str, about("Protocol of the response.", "HTTP/2")] = ""
    transfer_bytes: Annotated[Count | None, about("Transfer size of its body.", 20_310)] = None
    redirects: Annotated[Count, about("Number of redirects before the response.", 0)] = 0
    first_byte_ms: Annotated[Amount | None, about("Time to the first byte, in milliseconds.", 31.0)] = None
    """From the start of the first request."""
    total_ms: Annotated[Amount | None, about("Total time, in milliseconds.", 44.2)] = None


class PreviewPicture(msgspec.Struct, frozen=True, kw_only=True):
    """An image of a preview that is stored with the report."""

    name: Annotated[
        Literal["social", "icon"],
        about("The last segment of its address: `/api/v1/reports/{id}/pictures/{name}`.", "social"),
    ]
    format: Annotated[str, about("Of the file.", "jpeg", enum=["png", "jpeg", "webp", "gif", "avif"])]
    width_px: Annotated[Count, about("Pixels.", 1200)]
    height_px: Annotated[Count, about("Pixels.", 630)]
    bytes: Annotated[Count, about("Size of the file.", 84_211)]


class Preview(msgspec.Struct, frozen=True, kw_only=True):
    """Texts and image in search results and link previews, besides the title."""

    description: Annotated[str, about("Meta description.", "What each plan has, and what it costs.")] = ""
    site_name: Annotated[str, about("`og:site_name`.", "Example")] = ""
    social_title: Annotated[str, about("`og:title`.", "Pricing and plans")] = ""
    social_description: Annotated[str, about("`og:description`.", "What each plan has, and what it costs.")] = ""
    image_url: Annotated[str, about("`og:image`, or `twitter:image`, as written.", "https://example.com/share.png")] = (
        ""
    )
    image: Annotated[
        PreviewPicture | None,
        about(
            "The image, where it is stored with the report; absent in reports from before images were stored.",
            later=True,
        ),
    ] = None
    image_problem: Annotated[
        PreviewProblem,
        about(
            "Reason why it is not stored: its URL is not absolute, no image came, it is of another type than PNG, "
            "JPEG, WebP, GIF and AVIF, or it has too many bytes or pixels; empty where there is no such reason.",
            later=True,
        ),
    ] = ""
    icon: Annotated[PreviewPicture | None, about("The icon, likewise.", later=True)] = None


NameAndValue = Annotated[tuple[str, str], msgspec.Meta(extra_json_schema={"minItems": 2, "maxItems": 2})]
"""Of a header, in this order."""


class PageFacts(msgspec.Struct, frozen=True, kw_only=True):
    """Figures of the page itself."""

    http_status: Annotated[int, about("HTTP status of the page.", 200)]
    redirects: Annotated[tuple[Redirect, ...], about("Redirects to the page, in order.")] = ()
    http_version: Annotated[str, about("Protocol of the response.", "HTTP/2")] = ""
    address: Annotated[str | None, about("IP address of the server.", "192.0.2.10")] = None
    bytes: Annotated[Count, about("Decoded size of the markup.", 48_211)] = 0
    transfer_bytes: Annotated[Count | None, about("Transfer size.", 11_873)] = None
    requests: Annotated[Count, about("Number of requests of the page, itself included.", 37)] = 0
    timing_ms: Annotated[
        dict[str, Amount | None],
        about(
            "Phase → milliseconds: dns, connect, tls, first_byte, download.",
            {"dns": 3.1, "connect": 8.0, "tls": 14.2, "first_byte": 41.0, "download": 9.9},
        ),
    ] = msgspec.field(default_factory=dict)
    title: Annotated[str, about("Title of the page.", "Pricing and plans for every kind of team | Example")] = ""
    language: Annotated[str, about("Declared language.", "en")] = ""
    server: Annotated[str, about("Value of the Server header.", "nginx")] = ""
    resources: Annotated[tuple[ResourceTotal, ...], about("Loaded files by type; empty if they were not fetched.")] = ()
    """In the order of ``RESOURCE_TYPES``."""
    files: Annotated[
        tuple[LoadedFile, ...],
        about("The files themselves, 200 at most; absent in reports from before they were listed.", later=True),
    ] = ()
    """In the order in which they were found."""
    headers: Annotated[
        tuple[NameAndValue, ...],
        about(
            "Names and values of the response headers, at most 60; values that may be secrets are `…`.",
            [["Content-Type", "text/html; charset=utf-8"], ["Set-Cookie", "id=…; Secure; HttpOnly"]],
        ),
    ] = ()
    preview: Annotated[Preview | None, about("Search result and link preview; null if not evaluated.")] = None


class NotGathered(msgspec.Struct, frozen=True, kw_only=True):
    """Something that could not be fetched."""

    artifact: Annotated[str, about("Name of the missing artifact.", "sitemaps")]
    reason: Annotated[str, about("Reason as `code: sentence`.", "timeout: The site did not answer in time.")]


class Thresholds(msgspec.Struct, frozen=True, kw_only=True):
    """Lowest scores for the results good and decent."""

    good: Annotated[Points, about("Good at or above this score.", 80)] = GOOD_FROM
    decent: Annotated[Points, about("Decent at or above this score, bad below.", 50)] = DECENT_FROM

    def grade(self, value: int) -> Grade:
        """The word for a score."""
        return "good" if value >= self.good else "decent" if value >= self.decent else "bad"


class RunFacts(msgspec.Struct, frozen=True, kw_only=True):
    """The analysis that the results come from."""

    number: Annotated[Count | None, about("Number of the run within the report, from 1.", 3)] = None
    """``None`` except in answers of a service."""
    engine: Annotated[str, about("Version of Pagegrade.", VERSION)]
    ruleset: Annotated[str, about("Version of the checks, severities and caps.", RULESET)] = RULESET
    duration_ms: Annotated[Amount | None, about("Duration in milliseconds.", 1840.5)] = None
    partial: Annotated[
        bool,
        about("True if the result is withheld or a category could not be evaluated.", False),  # noqa: FBT003
    ] = False
    vantage: Annotated[str, about("Network location of the analysis.", "direct")] = ""
    """The headers of the request for the page; empty without a request (a local page)."""
    access: (
        Annotated[AccessNote, about("What let the run in; absent where it saw what everybody sees.")] | UnsetType
    ) = UNSET
    not_gathered: Annotated[
        tuple[NotGathered, ...], about("Artifacts that could not be fetched, with reasons.", [])
    ] = ()
    notes: Annotated[tuple[str, ...], about("Further notes about this run.", [])] = ()
    """Sentences about the run a reader should know, e.g. that the page is drawn by scripts."""
    thresholds: Annotated[Thresholds, about("Thresholds of the results.")] = Thresholds()


class Failure(msgspec.Struct, frozen=True, kw_only=True):
    """Reason why the last run failed."""

    code: Annotated[str, about("Stable code.", "blocked", enum=list(FAILURE_CODES))]
    message: Annotated[str, about("The reason in one sentence.", "The site answered 403 to our fetcher.")]
    reason: Annotated[str | None, about("More specific code.", "http_403")] = None
    http_status: Annotated[int | None, about("HTTP status of the site, if it responded.", 403)] = None
    retryable: Annotated[bool, about("True if another run may succeed.", True)] = False  # noqa: FBT003


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


class StateLike(Protocol):
    """A state of a check."""

    @property
    def name(self) -> str: ...  # noqa: D102
    @property
    def message(self) -> str:
        """One sentence about the page."""
        ...

    @property
    def title(self) -> str: ...  # noqa: D102
    @property
    def why(self) -> str: ...  # noqa: D102
    @property
    def fix(self) -> str: ...  # noqa: D102
    @property
    def counted(self) -> bool: ...  # noqa: D102
    @property
    def loss(self) -> float:
        """The least share of the severity that the state costs, 0 to 1."""
        ...

    @property
    def highest(self) -> float:
        """The most that it costs, 0 to 1."""
        ...


class CheckLike(Protocol):
    """A check."""

    @property
    def id(self) -> str: ...  # noqa: D102
    @property
    def title(self) -> str: ...  # noqa: D102
    @property
    def category(self) -> Category: ...  # noqa: D102
    @property
    def severity(self) -> Severity: ...  # noqa: D102
    @property
    def cause(self) -> str | None: ...  # noqa: D102
    @property
    def caps(self) -> tuple[Cap, ...]: ...  # noqa: D102
    @property
    def sources(self) -> tuple[str, ...]: ...  # noqa: D102
    @property
    def states(self) -> Sequence[StateLike]: ...  # noqa: D102
    def state(self, name: str) -> StateLike: ...  # noqa: D102


def severity_of_finding(check: CheckLike, state: str, loss: float) -> Severity:
    """Return the severity of what a check found: a check that can find something critical finds trifles as well.

    It is the lowest whose points cover the penalty, and at least that of the caps which the state brings.

    Args:
        loss: Share of the points of the check that the finding costs, 0 to 1.
    """
    caps = (cap.severity for cap in check.caps if (state in cap.states if cap.states else check.state(state).loss >= 1))
    penalty = Severity.of_points(check.severity.value * loss)
    return max((penalty, *caps), key=lambda severity: severity.value)
