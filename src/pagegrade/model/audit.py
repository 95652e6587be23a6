"""A site audit: settings of a crawl, its states, and what it keeps of a page."""

from __future__ import annotations

from enum import IntEnum
from typing import Final, Literal

import msgspec

from pagegrade.model.access import AccessNote
from pagegrade.model.audit_result import AuditSummary
from pagegrade.model.report import Grade
from pagegrade.model.stored import Privacy

ScopeKind = Literal["host", "domain", "folder"]
CrawlState = Literal["queued", "crawling", "paused", "analyzing", "completed", "failed", "canceled"]
StopReason = Literal[
    "done",
    "max_pages",
    "max_depth",
    "max_time",
    "site_refuses",
    "robots_unreachable",
    "start_unreachable",
    "site_not_proved",
    "target_limit",
    "canceled",
]
"""Reason why a crawl fetches nothing more; of these ``done`` alone means that every known page was asked for."""
REACHED_ITS_END: Final[frozenset[StopReason]] = frozenset({"done", "max_depth", "max_pages"})
"""Those after which there was time for what comes behind the pages."""
ProofMethod = Literal["dns", "file", "meta", "network"]
"""Proof that a site is that of the account: a TXT record, a file, a tag of the start page; or it lies in a
network that the operator allows."""
PageState = Literal["fetched", "blocked", "failed", "throttled", "not_fetched"]
LinkKind = Literal["a", "canonical", "hreflang", "next", "prev", "redirect", "asset", "refresh", "frame"]
AssetKind = Literal["image", "script", "stylesheet", "font", "icon", "manifest", "media", "preload"]
"""Ways in which a page loads a file."""
Place = Literal["nav", "header", "footer", "main"]

Way = Literal["slash", "index", "case", "order", "www", "scheme"]
"""Difference between two spellings of a URL: the final slash, an index file, capitals in the path, the order of
parameters, ``www.`` before the host, http or https."""

MAX_PATTERNS: Final = 100
"""Patterns of ``include`` and of ``exclude``."""
MAX_KEPT_PATTERNS: Final = 400
"""Patterns of ``exclude`` of a crawl that has begun, with those that were taken back since."""
MAX_PATTERN_CHARACTERS: Final = 500
PANE: Final = "pane"
"""Kind of a page of little but links that open in one other frame. If a frame shows it, it is the navigation of a
frameset, and nothing to come to by itself."""
UNKNOWN_DEPTH: Final = 254
"""Depth of a page that no link was found to yet: it is fetched after those that links reach."""
MAX_DEPTH: Final = 250


class AuditSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Settings of one crawl, as they were when it began."""

    scope: ScopeKind = "host"
    """``host``: the start host and its www sibling, both schemes; ``domain``: every host of the registrable domain;
    ``folder``: what lies below the folder of the start URL."""
    include: tuple[str, ...] = ()
    """Patterns of robots.txt (``*``, ``$``); a page of the scope that matches none is outside. Empty: all are in."""
    exclude: tuple[str, ...] = ()
    """Patterns of robots.txt; what matches one is outside."""
    max_pages: int = 10_000
    """URLs that are fetched, redirects and errors included."""
    max_depth: int = 50
    """Clicks from the start, at most ``MAX_DEPTH``."""
    max_minutes: int = 1_440
    rate_per_s: float | None = 2.0
    """Requests that may begin in a second on one host; ``None``: no limit (a network of one's own)."""
    connections: int = 2
    """Requests under way at a time on one host."""
    sitemaps: bool = True
    """Read the sitemaps of the site."""
    sitemap: str | None = None
    """URL of a sitemap or an index of them to begin with, which the site need not declare."""
    drop_parameters: tuple[str, ...] = ()
    """Parameters that a page is known without, beside those that only follow visitors."""
    urls: tuple[str, ...] = ()
    """Further pages to begin with."""
    access: int | str | None = None
    """Id of the access profile, or ``NO_ACCESS``; ``None``: the oldest one for the origin of the start page. A name
    until it is stored."""
    fresh: bool = False
    """Read every page anew, even where the site says that it has not changed since the crawl before."""
    external: bool = False
    """Ask whether the pages of other sites are there that links lead to."""
    render: bool = False
    """Draw the start page and a page of each template in a browser, when there are no more pages."""
    follows: bool = True
    """Follow links; otherwise only the pages that are known at the beginning are fetched."""


class URLState(IntEnum):
    """State of a URL of a crawl, as it is stored."""

    WAITING = 0
    FETCHED = 1
    BLOCKED = 2
    """robots.txt forbids it."""
    FAILED = 3
    """There was no answer in three tries, or its content cannot be read."""
    THROTTLED = 4
    """The site asked for fewer requests each time."""
    NOFOLLOW = 5
    """Only links that ask robots to stay away lead there."""
    TOO_DEEP = 6
    ACTS = 7
    """Its name says that asking for it does something."""
    GROWING = 8
    """Its path repeats itself."""
    TOO_LONG = 9
    SAMPLED_OUT = 10
    """Its pattern brings the same content again and again, so that only one of fifty is fetched."""
    OUTSIDE = 11
    """Out of scope."""
    VARIANT = 12
    """Another spelling of a page that was fetched, on a host where such spellings show the same."""


PAGE_STATES: Final[dict[URLState, tuple[PageState, str]]] = {
    URLState.WAITING: ("not_fetched", "limit"),
    URLState.FETCHED: ("fetched", ""),
    URLState.BLOCKED: ("blocked", ""),
    URLState.FAILED: ("failed", ""),
    URLState.THROTTLED: ("throttled", ""),
    URLState.NOFOLLOW: ("not_fetched", "nofollow"),
    URLState.TOO_DEEP: ("not_fetched", "depth"),
    URLState.ACTS: ("not_fetched", "acts"),
    URLState.GROWING: ("not_fetched", "growing"),
    URLState.TOO_LONG: ("not_fetched", "too_long"),
    URLState.SAMPLED_OUT: ("not_fetched", "sampled_out"),
    URLState.VARIANT: ("not_fetched", "variant"),
}
"""State of a URL in scope -> its state in the relations, and why it was not fetched."""


class Link(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """A link of a page, each (target, kind, place, text) once."""

    url: str
    """Identity of the target (``parse.urls.identity``), or the address as resolved where it is too long for one."""
    kind: LinkKind = "a"
    place: Place = "main"
    nofollow: bool = False
    anchor: str = ""
    """Accessible name, at most ``MAX_ANCHOR`` characters; of an ``asset`` what the page loads it as."""
    hreflang: str = ""
    session: bool = False
    """The address as written carries an id of a session, which the identity leaves out."""
    hidden: bool = False
    """Nobody sees it, such as one of a menu that is closed: then it has no name, whatever its text."""


KEPT_HEADERS: Final = (
    "cache-control",
    "content-security-policy",
    "referrer-policy",
    "server",
    "strict-transport-security",
    "x-content-type-options",
    "x-frame-options",
)
"""Headers that pages of one site should have in common."""
MAX_HEADER: Final = 200
MAX_ANCHOR: Final = 80
META_NAME: Final = "pagegrade-site-verification"
"""Tag in the head of a start page that may prove whose the site is."""
MAX_TEXT: Final = 300
"""Characters of a title, heading or description that are kept."""
MAX_LINKS: Final = 3_000
"""Links of one page that are kept."""
MAX_ASSETS: Final = 200
"""Files of one page that are kept."""
MAX_SIGNATURES: Final = 8
"""Of one check on one page; further places count with the last one."""
PROVED_BY: Final = 5
"""Different pages after which the spelling of URLs makes no difference on a host."""
MAX_EXAMPLES: Final = 3
MAX_EXAMPLE: Final = 120


class FoundSignature(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """Findings of a check on a page, as far as they look the same."""

    check: str
    state: str
    lost: float
    """Points that it costs the page; those of a page add up to what its categories and caps take from 100."""
    total: int
    """Places on the page."""
    signature: int
    """64 bits, the same for what looks the same on any page."""
    examples: tuple[str, ...] = ()
    """Snippets of the first places."""


class DrawnOutcome(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """Outcome of a check on a page that a browser has drawn."""

    check: str
    state: str
    loss: float
    """0 to 1; 0 where nothing is wrong."""
    value: str
    """The value that was measured, or the first element; at most ``MAX_EXAMPLE`` characters."""


class PageRecord(msgspec.Struct, frozen=True, kw_only=True):
    """Facts that a crawl keeps of a page; a child process makes them of the answer."""

    title: str = ""
    h1: str = ""
    description: str = ""
    noindex: bool = False
    nofollow: bool = False
    """The page asks robots to follow none of its links."""
    canonical: str = ""
    """The first canonical URL that counts; empty without one."""
    lang: str = ""
    next: str = ""
    prev: str = ""
    words: int = 0
    """Of the main content."""
    digest: int = 0
    """64 bits of the text of the main content."""
    simhash: int = 0
    """64 bits that differ in few places where the main contents differ in few words."""
    template: tuple[int, ...] = ()
    """16 values of 16 bits, most of which pages of one structure have in common."""
    types: tuple[str, ...] = ()
    """Of structured data, sorted."""
    score: int | None = None
    """``None``: it is not the page that was asked for, such as a wall or an empty shell."""
    verification: str = ""
    """Content of the tag that may prove whose the site is."""
    refusal: str = ""
    """Reason why the answer is not the page: a challenge, a block."""
    kind: str = ""
    """Kind of page that it is in place of the one that was asked for, as of ``Withheld``, or ``PANE``; empty: it is
    that one."""
    headers: dict[str, str] = msgspec.field(default_factory=dict)
    """Those of ``KEPT_HEADERS`` that the page came with."""
    links: tuple[Link, ...] = ()
    links_cut: bool = False
    """It has more links than were kept."""
    found: tuple[FoundSignature, ...] = ()
    unread_sheets: tuple[str, ...] = ()
    """Addresses of style sheets that decide what people see, and that it was read without."""


class Sheet(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """A style sheet of a site, as far as the checks of its pages need it."""

    url: str
    """As pages and other sheets name it."""
    status: int | None = None
    """``None``: it could not be had, or must not be asked for."""
    content_type: str = ""
    visibility_rules: tuple[str, ...] | None = None
    ink_rules: tuple[str, ...] | None = None
    image_space: tuple[str, ...] = ()
    validator: str = ""
    """As of ``Request``."""


class Probe(msgspec.Struct, frozen=True, kw_only=True):
    """Answer to a URL that should not exist."""

    url: str
    status: int
    simhash: int = 0
    words: int = 0
    digest: int = 0


class SitemapRead(msgspec.Struct, frozen=True, kw_only=True):
    """One sitemap file that was asked for."""

    url: str
    status: int | None = None
    error: str = ""
    urls: int = 0


class SpellingRule(msgspec.Struct, frozen=True, gc=False):
    """Pages of one host whose URLs differ in their spelling, so far."""

    host_no: int
    way: Way
    contents: tuple[int, ...] = ()
    """Digests of different pages that two spellings showed alike, at most ``PROVED_BY`` of them."""
    disproved: bool = False
    """Two spellings showed something different."""

    @property
    def is_proved(self) -> bool:
        """The host shows the same under both spellings."""
        return not self.disproved and len(self.contents) >= PROVED_BY


class SiteFacts(msgspec.Struct, frozen=True, kw_only=True):
    """Answers of the site that were asked for once, before its pages, and what these said about its URLs."""

    probes: tuple[Probe, ...] = ()
    sitemaps: tuple[SitemapRead, ...] = ()
    sessions: int = 0
    """URLs of sitemaps that carry the id of a session."""
    proof: ProofMethod | None = None
    """``None``: there is no proof, or none was needed."""
    access: AccessNote | None = None
    """Access that the site was asked with; ``None``: as everybody asks."""
    spellings: tuple[SpellingRule, ...] = ()


class Crawl(msgspec.Struct, frozen=True, kw_only=True):
    """One pass over a site: the row that is the truth about it."""

    id: int
    account_id: int | None
    """``None``: of the command line."""
    number: int
    start_url: str
    state: CrawlState
    settings: AuditSettings
    secret: bytes
    """Key of the hashes of its URLs, so that no page can make two of them collide."""
    epoch: int = 0
    """Raised by each process that begins to work on it; the one before writes nothing more."""
    seeded: bool = False
    """Its sitemaps were read."""
    urls: int = 0
    """URLs that are known, those out of scope included; also the id of the last one."""
    fetched: int = 0
    segments: int = 0
    bytes: int = 0
    worked_ms: int = 0
    stop_reason: StopReason | None = None
    complete: bool = False
    """Every known page of the scope was asked for, and of a hundred fewer than one had no answer."""
    resume_at_ms: int | None = None
    """Of one that the site stopped: when to go on."""
    facts: SiteFacts | None = None
    created_at_ms: int
    finished_at_ms: int | None = None
    audit_id: int | None = None
    """``None``: of the command line."""
    tries: int = 0
    """Times that a worker began to work on it since something was stored."""
    error: str | None = None
    """Code of the reason why it failed, or why its pages were not evaluated together."""


OPEN_STATES: Final[frozenset[CrawlState]] = frozenset({"queued", "crawling", "paused", "analyzing"})
"""States of a crawl that has not ended."""


def withheld(crawl: Crawl, summary: AuditSummary | None) -> str | None:
    """The reason why a crawl has no grade; ``None``: it has one, or has not ended.

    Args:
        summary: Of its result; ``None`` where it was not evaluated.
    """
    if summary is not None:
        return summary.no_grade or None
    if crawl.state in OPEN_STATES:
        return None
    return crawl.error or crawl.stop_reason or "internal"


class Audit(msgspec.Struct, frozen=True, kw_only=True):
    """A site of an account, with what its crawls came to."""

    id: int
    account_id: int
    start_url: str
    project: str
    settings: AuditSettings
    """Of the next crawl."""
    created_at_ms: int
    updated_at_ms: int
    crawl: Crawl
    """The newest."""
    graded: int | None = None
    """Number of the newest crawl that was evaluated."""
    summary: AuditSummary | None = None
    """Of that crawl."""
    privacy: int = Privacy.PRIVATE
    """This and the next ones as of a ``Shareable``."""
    password_hash: str | None = None
    password_version: int = 0
    slug: str = ""


class AuditFilter(msgspec.Struct, frozen=True, kw_only=True):
    """Filters of a list of audits; ``None``: all."""

    project: str | None = None
    state: CrawlState | None = None
    rating: Grade | None = None
    search: str | None = None


class URLFilter(msgspec.Struct, frozen=True, kw_only=True):
    """Filters of a list of URLs in scope; ``None``: all."""

    status: int | None = None
    states: tuple[URLState, ...] | None = None
    search: str | None = None
    depth: int | None = None
    """Clicks from the start."""
    ids: tuple[int, ...] | None = None
    """At most some hundreds."""


class PageFilter(URLFilter, frozen=True, kw_only=True):
    """Filters of a list of URLs in scope by what the evaluation of the crawl found, too; ``None``: all."""

    template: int | None = None
    """Number of the template."""
    indexable: bool | None = None
    """True: search engines may show it; false: all others."""
    finding: int | None = None
    """Number of a finding of the site that the page has."""


class CrawlHost(msgspec.Struct, kw_only=True):
    """One origin of a crawl."""

    host_no: int
    origin: str
    robots_status: int | None = None
    """``None``: robots.txt had no answer, or was not asked for."""
    robots: bytes = b""
    robots_at_ms: int | None = None
    """``None``: it was not asked for."""
    crawl_delay_ms: int = 0
    delay_ms: int = 0
    next_at_ms: int = 0
    """No request may begin before."""
    pause_ms: int = 0
    """Length of the last pause that the server asked for, which the next one doubles; 0 after it answered well."""


class WaitingURL(msgspec.Struct, frozen=True, gc=False):
    """A URL that is to be fetched."""

    url_id: int
    url: str
    host_no: int
    pattern_no: int
    depth: int
    lane: int
    tries: int


class NewURL(msgspec.Struct, frozen=True, gc=False):
    """A URL that a crawl did not know."""

    url_id: int
    hash: int
    host_no: int
    pattern_no: int
    depth: int
    lane: int
    state: URLState
    url: str


class SettledURL(msgspec.Struct, frozen=True, gc=False):
    """Outcome of a URL that was to be fetched."""

    url_id: int
    state: URLState
    lane: int
    tries: int
    status: int | None = None
    error: str | None = None
    digest: int | None = None
    segment: int | None = None
    """That holds what is kept of the page."""


class Pattern(msgspec.Struct, kw_only=True):
    """URLs of one shape."""

    pattern_no: int
    text: str
    found: int = 0
    fetched: int = 0
    distinct: int = 0
    """Fetched pages whose main content no other of the pattern had before."""
    lane: int = 0
