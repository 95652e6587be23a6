"""Results of an analysis, which reports and runs have in common: their description, and the pieces of their JSON.

Pieces are assembled from the bytes in which they are stored: parsing the results only to write them again would be most
of the cost of a request.
"""

from __future__ import annotations

from enum import Enum
from functools import lru_cache
from typing import Annotated, Final, Literal

import msgspec
from pydantic import Field

from pagegrade.model.errors import FAILURE_CODES
from pagegrade.model.identity import VERSION
from pagegrade.model.outcome import Importance
from pagegrade.model.report import REPORT_VERSION, RULESET, Category, OutcomeName, ResourceType
from pagegrade.model.stored import GRADES
from pagegrade.report.codec import Summary, detail_members
from pagegrade.report.serialize import timestamp
from pagegrade.web.schemas.shape import (
    Amount,
    Count,
    Document,
    Points,
    Result,
    Scalar,
    Timestamp,
    about,
    sometimes,
)

RESULTS: Final[dict[int | None, bytes]] = {rating: f'"{grade}"'.encode() for rating, grade in GRADES.items()}
"""Rating of a report or run -> its result in JSON; ratings that are not in it are null."""
_NULL: Final = msgspec.Raw(b"null")
_NOT: Final = (False,)
NO_SUMMARY: Final = Summary(
    version=msgspec.Raw(str(REPORT_VERSION).encode()),
    final_url=_NULL,
    uncapped_score=_NULL,
    coverage=_NULL,
    caps=msgspec.Raw(b"[]"),
    counts=_NULL,
    categories=msgspec.Raw(b"{}"),
    run=_NULL,
)
"""Members of what has no results yet."""
_NO_DETAIL: Final = b'"results":null,"page":null,"rendered":null'


class Cap(Document):
    """A finding that limits the score of the page or of one category."""

    check: str = about("Id of the check.", "https")
    max_score: Points = about("Upper limit of the score.", 69)
    category: Category | None = about("The category that is limited; null: the score of the page.", None, "security")


class Counts(Document):
    """Number of checks by outcome. Critical to low count failed and warning findings; those of one cause count once."""

    passed: Count = about("Checks that found nothing wrong.", 71)
    critical: Count = sometimes("Findings of critical importance; absent from reports of ruleset 2026.1.", 0)
    high: Count = about("Findings of high importance.", 2)
    medium: Count = about("Findings of medium importance.", 4)
    low: Count = about("Findings of low importance.", 3)
    informative: Count = about("Checks that inform without affecting the score.", 6)
    not_applicable: Count = about("Checks that do not apply to this page.", 12)
    not_evaluated: Count = about("Checks that could not be evaluated.", 0)


class CategoryScore(Document):
    """Score of the page in one category."""

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
    budget: Count | None = sometimes("The most points it can take; null in reports of ruleset 2026.1.", 40)
    coverage: float | None = sometimes(
        "Share of its checks that were evaluated, by price, those for a browser included; absent from older reports.",
        0.93,
    )


class Withheld(Document):
    """Reason why a completed report has no score and no result."""

    kind: str = about("Kind of page that was served instead, or `coverage`: too little of it was evaluated.", "parked")
    message: str = about(
        "The reason in one sentence.", "The domain is parked: this is a page of its registrar, not of the site."
    )
    fix: str = about("Step that leads to a grade.", "Point the domain to the site and analyze it again.")


class Detail(Document):
    """Measured value against its limit, for programs."""

    code: str = about("Stable code.", "too_long")
    actual: Scalar = about("Value on the page.", 79)
    limit: Scalar = about("Limit of the value.", 60)


class Evidence(Document):
    """Location or fact behind a finding. Unknown members are absent."""

    selector: str = sometimes("CSS selector that finds exactly this element.", "head > title")
    line: Count = sometimes("Line of the source, from 1.", 7)
    column: Count = sometimes("Column of that line, from 1.", 5)
    snippet: str = sometimes("Up to 200 characters of the element, header or line.", "<title>Pricing and plans…")
    header: str = sometimes("Name of the header the fact was read from.", "Strict-Transport-Security")
    url: str = sometimes("URL of the resource.", "https://example.com/logo.png")
    value: str = sometimes("Measured value with its unit.", "79 characters")
    reason: str = sometimes("Reason to list it.", "longer than the limit")
    state: str = sometimes("The check's word for what was seen here, where it is not the result's state.", "relative")


class Saving(Document):
    """Amount that fixing a finding would save per visit."""

    amount: Amount = about("Number of bytes or milliseconds.", 113_000)
    unit: Literal["bytes", "ms"] = about("Unit of the amount.", "bytes")


class Ignored(Document):
    """Reason why a finding has no penalty, and its penalty without the ignore rules."""

    outcome: Literal["warning", "failed"] = about("Outcome without the rules.", "failed")
    reason: str = about("Reason given in the matching rules.", "The banner is replaced in May.")
    rules: list[int] = about("Numbers of the matching rules.", [12])
    author: str = about("Name of the account that created the first of them.", "Example")
    expires_at: Timestamp | None = about("Expiry of the rule that expires first; null: never.", None)
    points: Amount = about("Points lost without the rules, before budgets, caps and rounding.", 3)


class IgnoredTotal(Document):
    """Effect of the ignore rules on a report."""

    findings: Count = about("Ignored findings; those of one cause count once.", 1)
    points: Count | None = about("Points that the rules add to the score; null without a score.", 3)


class CheckResult(Document):
    """Result of one check and its effect on the score."""

    name: str = about("Name of the check.", "Title length")
    title: str = about("The finding or its fix as a heading; the name of the check if it passed.", "Shorten the title")
    category: Category = about("Category of the check.", "seo")
    outcome: OutcomeName = about("`not_applicable`, `not_evaluated` and `ignored` come with a reason.", "failed")
    state: str | None = about("State defined by the check; null if it was not evaluated.", "too_long")
    passed: bool | None = about("False: failed or warning; null: not evaluated.", False)  # noqa: FBT003
    importance: Importance = about("Importance of the finding; of the check where nothing was found.", "high")
    price: Amount = about("Maximum penalty, in points of the score.", 8)
    lost: Amount = about("Points lost, before budgets, caps and rounding.", 4)
    cause: str | None = sometimes(
        "Checks with the same cause lose points once; absent without a shared cause.", "title"
    )
    counted_in: str | None = sometimes("The check that is charged for the cause; null: this one, or nothing is.", None)
    inherited_from: str | None = about(
        "Only in reports of ruleset 2026.1: the failed check that cost this one too.", None
    )
    value: Scalar = about("Value that was found.", "Pricing and plans for every kind of team | Example")
    message: str = about("The finding in one sentence.", "The title has 79 characters; search cuts it near 60.")
    reason: str | None = about(
        "Reason why it was not evaluated, as `code: sentence`.", None, "missing: It has no images."
    )
    errors: list[Detail] = about("Details for programs; the number is limited.")
    evidence: list[Evidence] = about(
        "Locations of the finding, at most 100.",
        [{"selector": "head > title", "line": 7, "column": 5, "snippet": "<title>Pricing and plans…"}],
    )
    evidence_total: Count = about("Total number of locations.", 1)
    why: str = about(
        "Reason to fix this finding; empty where there is nothing to do.",
        "Search engines show the title as the heading of the result.",
    )
    fix: str = about(
        "Instructions for this finding, as Markdown; empty where there is nothing to do.",
        "Shorten it to 60 characters and keep the topic first.",
    )
    count: Count | None = about("Number of the items that `title` names; null: not counted.", None, 4)
    saving: Saving | None = about("Amount that fixing it would save per visit; null: unknown.", None)
    ignored: Ignored = sometimes("Reason why it costs nothing; only where `outcome` is `ignored`.")
    learn_more: str = about(
        "Address of the standard or guide behind it.", "https://html.spec.whatwg.org/#the-title-element"
    )


class Redirect(Document):
    """One redirect on the way to the page."""

    url: str = about("The requested URL.", "https://example.com/pricing")
    status: int = about("HTTP status of the response.", 301)
    location: str = about("Target of the redirect, as written.", "/pricing/")
    address: str | None = about("IP address of the server.", "192.0.2.10")
    total_ms: Amount | None = about("Duration in milliseconds.", 31.4)
    http_version: str = about("Protocol of the response.", "HTTP/2")


class ResourceTotal(Document):
    """Number and size of the files of one type that the page loads."""

    type: ResourceType = about("Type of the files; the page itself is one document.", "script")
    count: Count = about("Requested files.", 9)
    failed: Count = about("Files that could not be loaded.", 0)
    transfer_bytes: Count = about("Transfer size of the loaded files.", 182_440)


class LoadedFile(Document):
    """A file of the page as it was fetched, without a browser."""

    url: str = about("URL of the file, cut after 500 characters.", "https://example.com/app.js")
    type: ResourceType = about("Type of the file.", "script")
    initiator_url: str = about("URL of the document or stylesheet that refers to it.", "https://example.com/pricing")
    first_party: bool = about("True if the file belongs to the site itself.", True)  # noqa: FBT003
    status: int | None = about("HTTP status; null without a response.", 200)
    failure: str = about("Code of the reason why there is no response; empty if there is one.", "")
    http_version: str = about("Protocol of the response.", "HTTP/2")
    transfer_bytes: Count | None = about("Transfer size of its body.", 20_310)
    redirects: Count = about("Number of redirects before the response.", 0)
    first_byte_ms: Amount | None = about("Time to the first byte, in milliseconds.", 31.0)
    total_ms: Amount | None = about("Total time, in milliseconds.", 44.2)


class PreviewPicture(Document):
    """An image of a preview that is stored with the report."""

    name: Literal["social", "icon"] = about(
        "The last segment of its address: `/api/v1/reports/{id}/pictures/{name}`.", "social"
    )
    format: Literal["png", "jpeg", "webp", "gif", "avif"] = about("Of the file.", "jpeg")
    width_px: Count = about("Pixels.", 1200)
    height_px: Count = about("Pixels.", 630)
    bytes: Count = about("Size of the file.", 84_211)


class Preview(Document):
    """Texts and image in search results and link previews, besides the title."""

    description: str = about("Meta description.", "What each plan has, and what it costs.")
    site_name: str = about("`og:site_name`.", "Example")
    social_title: str = about("`og:title`.", "Pricing and plans")
    social_description: str = about("`og:description`.", "What each plan has, and what it costs.")
    image_url: str = about("`og:image`, or `twitter:image`, as written.", "https://example.com/share.png")
    image: PreviewPicture | None = sometimes(
        "The image, where it is stored with the report; absent in reports from before images were stored."
    )
    image_problem: Literal["", "relative", "not_loaded", "type", "bytes", "pixels"] | None = sometimes(
        "Reason why it is not stored: its URL is not absolute, no image came, it is of another type than PNG, JPEG, "
        "WebP, GIF and AVIF, or it has too many bytes or pixels; empty where there is no such reason."
    )
    icon: PreviewPicture | None = sometimes("The icon, likewise.")


NameAndValue = Annotated[list[str], Field(min_length=2, max_length=2)]
"""Name and value of a header, in this order."""


class Page(Document):
    """Figures of the page itself."""

    http_status: int = about("HTTP status of the page.", 200)
    redirects: list[Redirect] = about("Redirects to the page, in order.")
    http_version: str = about("Protocol of the response.", "HTTP/2")
    address: str | None = about("IP address of the server.", "192.0.2.10")
    bytes: Count = about("Decoded size of the markup.", 48_211)
    transfer_bytes: Count | None = about("Transfer size.", 11_873)
    requests: Count = about("Number of requests of the page, itself included.", 37)
    timing_ms: dict[str, Amount | None] = about(
        "Phase → milliseconds: dns, connect, tls, first_byte, download.",
        {"dns": 3.1, "connect": 8.0, "tls": 14.2, "first_byte": 41.0, "download": 9.9},
    )
    title: str = about("Title of the page.", "Pricing and plans for every kind of team | Example")
    language: str = about("Declared language.", "en")
    server: str = about("Value of the Server header.", "nginx")
    resources: list[ResourceTotal] = about("Loaded files by type; empty if they were not fetched.")
    files: list[LoadedFile] | None = sometimes(
        "The files themselves, 200 at most; absent in reports from before they were listed."
    )
    headers: list[NameAndValue] = about(
        "Names and values of the response headers, at most 60; values that may be secrets are `…`.",
        [["Content-Type", "text/html; charset=utf-8"], ["Set-Cookie", "id=…; Secure; HttpOnly"]],
    )
    preview: Preview | None = about("Search result and link preview; null if not evaluated.")


class NotGathered(Document):
    """Something that could not be fetched."""

    artifact: str = about("Name of the missing artifact.", "sitemaps")
    reason: str = about("Reason as `code: sentence`.", "timeout: The site did not answer in time.")


class Thresholds(Document):
    """Lowest scores for the results good and decent."""

    good: Points = about("Good at or above this score.", 80)
    decent: Points = about("Decent at or above this score, bad below.", 50)


class VisitorView(Document):
    """Description of what visitors without the access get at the URL of the page."""

    status: int = about("Status of the answer behind redirects.", 401, ge=100, le=999)
    url: str = about("URL of that answer, without query and fragment.", "https://staging.example/")
    is_elsewhere: bool = about("True if it is another URL than that of the page.", *_NOT)
    indexable: bool | None = about("False if it asks search engines not to index it; null for an error.", None)


class AccessNote(Document):
    """Description of what let the run in."""

    name: str = about("Name of the access profile; empty for what was typed at a terminal.", "Staging")
    origins: list[str] = about(
        "Origins that it was sent to, if anything was asked for there.", ["https://staging.example"]
    )
    sent: list[str] = about(
        "Kinds of what was sent: `basic`, `headers`, `cookies`, `user_agent`, `query`; and `certificates` where some "
        "were trusted.",
        ["basic", "headers"],
    )
    visitors: VisitorView = sometimes("The page as everybody sees it; absent if that is not known.")


class RunFacts(Document):
    """The analysis that the results come from."""

    number: Count | None = about("Number of the run within the report, from 1.", 3)
    engine: str = about("Version of Pagegrade.", VERSION)
    ruleset: str = about("Version of the checks, severities and caps.", RULESET)
    duration_ms: Amount | None = about("Duration in milliseconds.", 1840.5)
    partial: bool = about("True if the result is withheld or a category could not be evaluated.", False)  # noqa: FBT003
    vantage: str = about("Network location of the analysis.", "direct")
    access: AccessNote = sometimes("What let the run in; absent where it saw what everybody sees.")
    not_gathered: list[NotGathered] = about("Artifacts that could not be fetched, with reasons.", [])
    notes: list[str] = about("Further notes about this run.", [])
    thresholds: Thresholds = about("Thresholds of the results.")


class Failure(Document):
    """Reason why the last run failed."""

    code: str = about("Stable code.", "blocked", json_schema_extra={"enum": list(FAILURE_CODES)})
    message: str = about("The reason in one sentence.", "The site answered 403 to our fetcher.")
    reason: str | None = about("More specific code.", "http_403")
    http_status: int | None = about("HTTP status of the site, if it responded.", 403)
    retryable: bool = about("True if another run may succeed.", True)  # noqa: FBT003


class Absent(Enum):
    """Not asked for, as opposed to not there."""

    ABSENT = 0


ABSENT: Final = Absent.ABSENT
DetailBytes = bytes | Absent | None
"""JSON object with ``results`` and ``page``; ``None``: there are none, ``ABSENT``: leave the members out."""
Part = bytes | memoryview | msgspec.Raw
"""A piece of a JSON document."""


_STATIC: Final = b',"rendered":null'


def result_members(
    summary: Summary, detail: DetailBytes, number: int | None, pending_run: int | None = None
) -> tuple[Part, ...]:
    """From ``uncapped_score`` to ``run``: what reports and runs have in common.

    Args:
        summary: Of the run.
        detail: Of the run.
        number: Of the run.
        pending_run: Number of the run in a browser that follows it by itself; ``None``: none does.
    """
    whole: tuple[Part, ...] = ()
    if not isinstance(detail, Absent):
        whole = (b",", _NO_DETAIL if detail is None else detail_members(detail))
    if pending_run is not None:
        # A run that another one follows is static: its detail ends like this.
        static = whole and bytes(whole[1][-len(_STATIC) :]) == _STATIC
        whole = (*whole[:1], whole[1][: -len(_STATIC)]) if static else ()
        whole = (*whole, b',"rendered":{"state":"pending","run":%d}' % pending_run)
    run = bytes(summary.run)
    if number is not None and run != b"null":
        run = b'{"number":%d,' % number + run[1:]
    return (
        b',"uncapped_score":',
        summary.uncapped_score,
        b',"coverage":',
        summary.coverage,
        b',"withheld":',
        summary.withheld,
        b',"analysis":',
        summary.analysis,
        b',"ignored":',
        summary.ignored,
        b',"caps":',
        summary.caps,
        b',"counts":',
        summary.counts,
        b',"categories":',
        summary.categories,
        *whole,
        b',"run":',
        run,
    )


def integer(number: int | None) -> bytes:
    """Return a number in JSON."""
    return b"null" if number is None else b"%d" % number


@lru_cache(maxsize=4_096)
def moment(at_ms: int | None) -> bytes:
    """Return a point in time in JSON."""
    return b"null" if at_ms is None else f'"{timestamp(at_ms)}"'.encode()
