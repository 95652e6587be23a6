"""The report, whole and as an item of a list."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from pydantic import Field

from pagegrade.model.errors import FAILURE_CODES
from pagegrade.model.identity import VERSION
from pagegrade.model.outcome import Importance
from pagegrade.model.report import RULESET, Category, OutcomeName, ResourceType
from pagegrade.model.stored import State
from pagegrade.web.schemas.rendered import Analysis, RenderedPage
from pagegrade.web.schemas.shape import (
    URL,
    Amount,
    Count,
    Document,
    Points,
    Result,
    Scalar,
    Timestamp,
    about,
    example_of,
    sometimes,
)

_REPORT: Final = "https://reports.example.org"


class Cap(Document):
    """A finding that limits the score, or the score of one category, whatever the rest says."""

    check: str = about("Id of the check.", "https")
    max_score: Points = about("The score is at most this.", 69)
    category: Category | None = about("The category that is limited; null: the score of the page.", None, "security")


class Counts(Document):
    """How many checks ended how. Critical, high, medium and low count findings: what failed or warned, a cause once."""

    passed: Count = about("Checks that found nothing wrong.", 71)
    critical: Count = sometimes("Findings of critical importance; absent from reports of ruleset 2026.1.", 0)
    high: Count = about("Findings of high importance.", 2)
    medium: Count = about("Findings of medium importance.", 4)
    low: Count = about("Findings of low importance.", 3)
    informative: Count = about("Checks that only tell.", 6)
    not_applicable: Count = about("Checks that had nothing to judge on this page.", 12)
    not_evaluated: Count = about("Checks that could not look.", 0)


class CategoryScore(Document):
    """How the page does in one category."""

    score: Points | None = about(
        "Null when the result is withheld or too little of the category could be evaluated.", 81
    )
    result: Result | None = about("Good, decent or bad, by the same thresholds as the page.", "good")
    passed: Count = about("Checks that found nothing wrong.", 20)
    failed: Count = about(
        "Checks that failed or warned; those that are counted in another finding are not among them.", 3
    )
    lost: Amount | None = sometimes("Points its findings cost; absent from reports of ruleset 2026.1.", 7.6)
    taken: Amount | None = sometimes("Points taken from the score of the page: lost, at most budget.", 7.6)
    budget: Count = sometimes("The most points it can take.", 40)


class Withheld(Document):
    """Why a completed report has no score and no result."""

    kind: str = about("What was seen in place of the page, or `coverage`: too little of it was evaluated.", "parked")
    message: str = about("What was seen.", "The domain is parked: this is a page of its registrar, not of the site.")
    fix: str = about("What to do to get a grade.", "Point the domain to the site and analyze it again.")


class Detail(Document):
    """What was found against what is allowed, for programs."""

    code: str = about("A stable word.", "too_long")
    actual: Scalar = about("What the page has.", 79)
    limit: Scalar = about("What it may have.", 60)


class Evidence(Document):
    """A place or fact to look at. What is not known is left out."""

    selector: str = sometimes("CSS selector that finds exactly this element.", "head > title")
    line: Count = sometimes("Line of the source, from 1.", 7)
    column: Count = sometimes("Column of that line, from 1.", 5)
    snippet: str = sometimes("Up to 200 characters of the element, header or line.", "<title>Pricing and plans…")
    header: str = sometimes("Name of the header the fact was read from.", "Strict-Transport-Security")
    url: str = sometimes("The address it is about.", "https://example.com/logo.png")
    value: str = sometimes("What was measured, with its unit.", "79 characters")
    reason: str = sometimes("Why it is listed.", "longer than the limit")
    state: str = sometimes("The check's word for what was seen here, where it is not the result's state.", "relative")


class Saving(Document):
    """What fixing a finding would save each visitor."""

    amount: Amount = about("Number of bytes or milliseconds.", 113_000)
    unit: Literal["bytes", "ms"] = about("What is saved.", "bytes")


class Ignored(Document):
    """The reason for which a finding costs nothing, and what it would cost."""

    outcome: Literal["warning", "failed"] = about("What it is without the rules.", "failed")
    reason: str = about("The reason of the rules that cover it.", "The banner is replaced in May.")
    rules: list[int] = about("Their numbers.", [12])
    author: str = about("Name of the account that made the first of them.", "Example")
    expires_at: Timestamp | None = about("When the first of them expires; null: never.", None)
    points: Amount = about("Points it would cost, before budgets, caps and rounding.", 3)


class IgnoredTotal(Document):
    """Effect of the ignore rules on a report."""

    findings: Count = about("Findings that are ignored, those of one cause once.", 1)
    points: Count | None = about("How much lower the score would be without the rules; null without a score.", 3)


class CheckResult(Document):
    """What one check says of the page, and what that costs."""

    name: str = about("Name of the check, for people.", "Title length")
    title: str = about("What was found or what to do; the name of the check where it passed.", "Shorten the title")
    category: Category = about("What it counts for.", "seo")
    outcome: OutcomeName = about("`not_applicable`, `not_evaluated` and `ignored` come with a reason.", "failed")
    state: str | None = about("The check's own word for what it saw; null when it did not judge.", "too_long")
    passed: bool | None = about("False: failed or warned; null: nothing was judged.", False)  # noqa: FBT003
    importance: Importance = about("How much it matters.", "high")
    price: Amount = about("The most it can cost, in points of the score.", 8)
    lost: Amount = about("What it did cost, before budgets, caps and rounding.", 4)
    cause: str | None = sometimes("Checks with the same cause are charged once; null: it shares none.", "title")
    counted_in: str | None = sometimes("The check that is charged for the cause; null: this one, or nothing is.", None)
    inherited_from: str | None = about(
        "Only in reports of ruleset 2026.1: the failed check that cost this one too.", None
    )
    value: Scalar = about("What was seen.", "Pricing and plans for every kind of team | Example")
    message: str = about("What that means, in one sentence.", "The title has 79 characters; search cuts it near 60.")
    reason: str | None = about("Why nothing was judged, as `code: sentence`.", None, "missing: It has no images.")
    errors: list[Detail] = about("Causes for programs, a bounded number.")
    evidence: list[Evidence] = about(
        "Places to look at, 100 at most.",
        [{"selector": "head > title", "line": 7, "column": 5, "snippet": "<title>Pricing and plans…"}],
    )
    evidence_total: Count = about("How many places there truly are.", 1)
    why: str = about(
        "Why this finding matters; empty where there is nothing to do.",
        "Search engines show the title as the heading of the result.",
    )
    fix: str = about(
        "What to do about this finding, as Markdown; empty where there is nothing to do.",
        "Shorten it to 60 characters and keep the topic first.",
    )
    count: Count | None = about("How many of the things that `title` names were found; null: not counted.", None, 4)
    saving: Saving | None = about("What fixing it would save each visitor; null: unknown.", None)
    ignored: Ignored = sometimes("Why it costs nothing; only where `outcome` is `ignored`.")
    learn_more: str = about(
        "Address of the standard or guide behind it.", "https://html.spec.whatwg.org/#the-title-element"
    )


class Redirect(Document):
    """One hop on the way to the page."""

    url: str = about("The address that was asked.", "https://example.com/pricing")
    status: int = about("HTTP status of its answer.", 301)
    location: str = about("Where it sent us, as written.", "/pricing/")
    address: str | None = about("IP address that answered.", "192.0.2.10")
    total_ms: Amount | None = about("Time it took, in milliseconds.", 31.4)
    http_version: str = about("Protocol of the answer.", "HTTP/2")


class ResourceTotal(Document):
    """What of one type the page loads."""

    type: ResourceType = about("What the files are used as; the page itself is one document.", "script")
    count: Count = about("Files that were asked for.", 9)
    failed: Count = about("Those of them that did not come.", 0)
    transfer_bytes: Count = about("Size of the others on the wire.", 182_440)


class LoadedFile(Document):
    """A file of the page as it was fetched, without a browser."""

    url: str = about("Its URL, cut after 500 characters.", "https://example.com/app.js")
    type: ResourceType = about("What it is used as.", "script")
    initiator_url: str = about("URL of the document or stylesheet that names it.", "https://example.com/pricing")
    first_party: bool = about("It belongs to the site itself.", True)  # noqa: FBT003
    status: int | None = about("HTTP status; null without a response.", 200)
    failure: str = about("Code of the reason why there is no response; empty where there is one.", "")
    http_version: str = about("Protocol of the response.", "HTTP/2")
    transfer_bytes: Count | None = about("Size of its body on the wire.", 20_310)
    redirects: Count = about("Number of redirects before the response.", 0)
    first_byte_ms: Amount | None = about("Milliseconds to the first byte.", 31.0)
    total_ms: Amount | None = about("Milliseconds to its end.", 44.2)


class Preview(Document):
    """What search results and shared links show of the page, beside its title."""

    description: str = about("Its meta description.", "What each plan has, and what it costs.")
    site_name: str = about("`og:site_name`.", "Example")
    social_title: str = about("`og:title`.", "Pricing and plans")
    social_description: str = about("`og:description`.", "What each plan has, and what it costs.")
    image_url: str = about("`og:image`, as written.", "https://example.com/share.png")


NameAndValue = Annotated[list[str], Field(min_length=2, max_length=2)]
"""Of a header, in this order."""


class Page(Document):
    """Figures of the page itself."""

    http_status: int = about("HTTP status of the page.", 200)
    redirects: list[Redirect] = about("The hops that led to it, in order.")
    http_version: str = about("Protocol it came with.", "HTTP/2")
    address: str | None = about("IP address that answered.", "192.0.2.10")
    bytes: Count = about("Size of the markup, decoded.", 48_211)
    transfer_bytes: Count | None = about("Size on the wire.", 11_873)
    requests: Count = about("Requests the page needs, itself included.", 37)
    timing_ms: dict[str, Amount | None] = about(
        "Phase → milliseconds: dns, connect, tls, first_byte, download.",
        {"dns": 3.1, "connect": 8.0, "tls": 14.2, "first_byte": 41.0, "download": 9.9},
    )
    title: str = about("Text of its title.", "Pricing and plans for every kind of team | Example")
    language: str = about("Language it declares.", "en")
    server: str = about("How the server calls itself.", "nginx")
    resources: list[ResourceTotal] = about("What it loads, by type; empty where that was not looked at.")
    files: list[LoadedFile] | None = sometimes(
        "The files themselves, 200 at most; absent in reports from before they were listed."
    )
    headers: list[NameAndValue] = about(
        "Name and value of its answer's headers, 60 at most; values that may be secrets are `…`.",
        [["Content-Type", "text/html; charset=utf-8"], ["Set-Cookie", "id=…; Secure; HttpOnly"]],
    )
    preview: Preview | None = about("What others show of it; null when it was not judged.")


class NotGathered(Document):
    """Something that could not be had for judging."""

    artifact: str = about("What is missing.", "sitemaps")
    reason: str = about("Why.", "timeout: The site did not answer in time.")


class Thresholds(Document):
    """From which score on a page is called good and decent."""

    good: Points = about("Good from here.", 80)
    decent: Points = about("Decent from here, bad below.", 50)


class RunFacts(Document):
    """The analysis the shown results come from."""

    number: Count | None = about("Its number within the report, from 1.", 3)
    engine: str = about("Version of Pagegrade that looked.", VERSION)
    ruleset: str = about("Version of the checks, severities and caps.", RULESET)
    duration_ms: Amount | None = about("Time it took, in milliseconds.", 1840.5)
    partial: bool = about("The result is withheld, or a category could not be looked at.", False)  # noqa: FBT003
    vantage: str = about("From where the page was seen.", "direct")
    not_gathered: list[NotGathered] = about("What could not be had, and why.", [])
    notes: list[str] = about("Anything else worth knowing about this run.", [])
    thresholds: Thresholds = about("The thresholds its results were made with.")


class Failure(Document):
    """Why the last run has no verdict."""

    code: str = about("A stable word.", "blocked", json_schema_extra={"enum": list(FAILURE_CODES)})
    message: str = about("What happened, for people.", "The site answered 403 to our fetcher.")
    reason: str | None = about("A finer word than the code.", "http_403")
    http_status: int | None = about("What the site answered, if it did.", 403)
    retryable: bool = about("Whether running it again may help.", True)  # noqa: FBT003


class ReportItem(Document):
    """A report as it stands in a list.

    `state` speaks of the last analysis, `result`, `score` and what belongs to them of the last one that succeeded.
    Until one has, they are null. A failed re-run keeps the old results and fills `error`.
    """

    id: int = about("Grows with every new report; never used again.", 1042, ge=1)
    object: Literal["report"] = about("The kind of object.", "report")
    version: int = about("Version of the report's format.", 1)
    url: URL = about("The address to analyze, in its canonical form.", "https://example.com/pricing")
    final_url: str | None = about("Where it led.", "https://example.com/pricing/")
    project: str = about("Host of the URL, without `www.`.", "example.com")
    privacy: Literal[0, 1, 2] = about(
        "Who sees the share page: 0 anyone with the link, 1 the account only, 2 by password.", 2
    )
    password: bool = about("Whether a password is set.", True)  # noqa: FBT003
    render: Literal[0, 1] | None = about(
        "Whether a browser is to draw the page; null: as the installation decides.", None
    )
    device: Literal["mobile", "desktop"] | None = about(
        "Device that a browser is to imitate; null: the default, `mobile`.", None
    )
    state: State = about("Where the last analysis stands.", "completed")
    result: Result | None = about("Good, decent or bad; null as the score.", "decent")
    score: Points | None = about("0 to 100; null: withheld, or no results yet.", 74)
    uncapped_score: float | None = about("100 minus what the categories took, before caps and rounding.", 74.3)
    coverage: float | None = about(
        "Share of the possible penalties of what applies that could be evaluated.", 0.98, ge=0, le=1
    )
    withheld: Withheld | None = about("Why a completed report has no score and no result; null when it has.", None)
    analysis: Analysis = about("The engine the results come from.")
    ignored: IgnoredTotal | None = about("What ignore rules do to the score; null: no finding is ignored.", None)
    caps: list[Cap] = about("Findings that limit the score.")
    counts: Counts | None = about("How many checks ended how.")
    categories: dict[Category, CategoryScore] = about(
        "Category → how the page does in it; empty before there are results."
    )
    run: RunFacts | None = about("The analysis the results come from.")
    error: Failure | None = about("Why the last analysis failed; null when it did not.", None)
    share_url: URL = about("The page to show to others.", f"{_REPORT}/r/9fK2vQ7xLmB3dT0aYw5cZg")
    generated_at: Timestamp | None = about("When the shown results were made.", "2026-01-05T12:34:56.789Z")
    created_at: Timestamp = about("When the report was created.", "2026-01-02T08:00:00.000Z")
    updated_at: Timestamp = about("When anything about it last changed.", "2026-01-05T12:34:56.789Z")


class ListedReport(ReportItem):
    """A report as it stands in a list; with `include=results` it is whole."""

    results: dict[str, CheckResult] | None = sometimes("Only with `include=results`: check id → what it says.")
    page: Page | None = sometimes("Only with `include=results`: figures of the page.")
    rendered: RenderedPage | None = sometimes("Only with `include=results`: the page in a browser.")


class Report(ReportItem):
    """A report, whole."""

    results: dict[str, CheckResult] | None = about(
        "Check id → what it says; null until there are results.",
        {"title-length": example_of(CheckResult)},
    )
    page: Page | None = about("Figures of the page; null until it was seen.")
    rendered: RenderedPage | None = about("The page in a browser; null when none was used.")


def unfinished(report: dict[str, Any]) -> dict[str, Any]:
    """The example ``report`` as it is before its first analysis has ended."""
    nothing = dict.fromkeys(
        (
            "final_url",
            "result",
            "score",
            "uncapped_score",
            "coverage",
            "withheld",
            "ignored",
            "counts",
            "run",
            "generated_at",
        )
    )
    absent = {name: None for name in ("results", "page", "rendered") if name in report}
    return report | nothing | absent | {"state": "queued", "caps": [], "categories": {}, "error": None}
