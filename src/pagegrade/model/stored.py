"""Reports and runs as they are kept, beside the evaluation of one page, and queries of lists of reports."""

from __future__ import annotations

from enum import IntEnum
from typing import Final, Literal, Protocol

import msgspec

from pagegrade.model.rendering import Device
from pagegrade.model.report import Basis, Grade

State = Literal["queued", "running", "completed", "failed"]
STATES: Final[tuple[State, ...]] = ("queued", "running", "completed", "failed")
Step = Literal["page", "files", "browser", "checks"]
"""Part of an analysis: fetching the page, then its files; drawing it in a browser; evaluating the checks."""
UNFINISHED: Final = frozenset({"queued", "running"})
RATINGS: Final[dict[Grade, int]] = {"bad": 1, "decent": 2, "good": 3}
"""Results in the order of their severity, as they are kept and sorted."""
GRADES: Final[dict[int, Grade]] = {rating: grade for grade, rating in RATINGS.items()}
MAX_ATTEMPTS: Final = 3
"""So often a run is started before it counts as failed."""


class Privacy(IntEnum):
    """Visibility of a report's share page."""

    PUBLIC = 0
    """Anyone with the link."""
    PRIVATE = 1
    """Its account only."""
    PASSWORD = 2
    """Anyone with the link and the password."""


class Shareable(Protocol):
    """Report or audit that people may see by its link."""

    @property
    def id(self) -> int:
        """Of its kind."""

    @property
    def account_id(self) -> int:
        """Account that has it."""

    @property
    def privacy(self) -> int:
        """One of ``Privacy``."""

    @property
    def password_hash(self) -> str | None:
        """PHC string of argon2id; ``None``: no password is set."""

    @property
    def password_version(self) -> int:
        """Grows with every change of the password, which ends sessions that were unlocked before."""

    @property
    def slug(self) -> str:
        """128 bits that make the share page unguessable; empty: it was never shared."""


class Priority(IntEnum):
    """Order of the queue within an account; lower goes first."""

    INTERACTIVE = 0
    RERUN = 1
    BULK = 2


class StoredReport(msgspec.Struct, kw_only=True):
    """One URL under an account: its settings, where its analysis stands, and the last good results in short."""

    id: int
    account_id: int
    url: str
    """Canonical, as asked for."""
    project: str
    privacy: int
    password_hash: str | None
    """PHC string of argon2id; ``None``: no password is set."""
    password_version: int
    """Grows with every change of the password, which ends sessions that were unlocked before."""
    slug: str
    """128 bits that make the share page unguessable."""
    state: State
    rating: int | None
    """One of ``RATINGS``; ``None`` while there is no result."""
    score: int | None
    run_number: int | None
    """The run whose results are shown; ``None`` until one has succeeded (or has failed with facts to show)."""
    summary: bytes | None
    """JSON object with the members ``pack_report`` names, of that run; ``None`` until there is one."""
    error: bytes | None
    """JSON object: why the last run failed; ``None`` when it did not."""
    generated_at_ms: int | None
    """Time of the shown results; ``None`` until there are any."""
    created_at_ms: int
    updated_at_ms: int
    revision: int
    """Grows with every change a reader could see."""
    render: int | None = None
    """1: draw the page in a browser, 0: do not; ``None``: as the installation decides."""
    device: Device | None = None
    """Device that the browser imitates; ``None``: the default."""
    pending_run: int | None = None
    """Number of the run in a browser that follows the static one by itself, until it has ended; ``None``: there is
    none. ``state`` is about the runs before it."""
    access: int | None = None
    """Id of the access profile that runs use, or ``NO_ACCESS``; ``None``: that of the origin, if there is one."""

    @property
    def is_under_way(self) -> bool:
        """True if a run of any kind has not ended."""
        return self.state in UNFINISHED or self.pending_run is not None

    @property
    def result(self) -> Grade | None:
        """The rating as a word."""
        return GRADES.get(self.rating or 0)

    @property
    def etag(self) -> str:
        """Strong entity tag of the report, with its quotes (RFC 9110 8.8.3)."""
        return f'"{self.id}-{self.revision}"'


class StoredRun(msgspec.Struct, frozen=True, kw_only=True):
    """One analysis of a report: numbered from 1 within it, immutable once finished."""

    id: int
    report_id: int
    number: int
    state: State
    attempt: int
    """Number of attempts; 0 before the first."""
    rating: int | None
    score: int | None
    engine: str | None
    ruleset: str | None
    summary: bytes | None
    error: bytes | None
    created_at_ms: int
    started_at_ms: int | None
    finished_at_ms: int | None
    step: Step | None = None
    """Part of the analysis that a run under way has come to; ``None``: none is known, as in its first second."""
    device: Device | None = None
    """Device that a browser imitated, or is to imitate; ``None``: the static engine."""

    @property
    def basis(self) -> Basis | None:
        """Properties that another run must share to be compared with this one; ``None`` without results."""
        return None if self.state != "completed" or self.ruleset is None else Basis(self.ruleset, self.device)


class PackedPicture(msgspec.Struct, frozen=True, kw_only=True):
    """A picture of the page, or one that others show beside its name, as it is stored."""

    name: str
    """Within the run: ``viewport``, ``full-page``, ``frame-1`` ..., ``social``, ``icon``."""
    body: bytes
    """WebP as the browser wrote it; an image for previews as its site sent it, in one of
    ``parse.files.image.SHOWN_TYPES``."""


class PackedReport(msgspec.Struct, frozen=True, kw_only=True):
    """The outcome of one analysis in the pieces it is stored in."""

    state: Literal["completed", "failed"]
    rating: int | None
    score: int | None
    engine: str
    ruleset: str
    summary: bytes
    """JSON object: ``version``, ``final_url``, ``uncapped_score``, ``coverage``, ``withheld``, ``caps``, ``counts``,
    ``categories``, ``run`` (without its number)."""
    detail: bytes
    """JSON object: ``results`` and ``page``; the large part, and therefore always packed: one zstd frame (RFC 8878)."""
    error: bytes | None
    """JSON object: ``code``, ``message``, ``reason``, ``http_status``, ``retryable``; ``None`` when it succeeded."""
    generated_at_ms: int
    device: Device | None = None
    """Device that a browser imitated; ``None``: the static engine, also where a browser was to be used and failed."""
    pictures: tuple[PackedPicture, ...] = ()
    """Of the page in a browser, and for previews of it."""


class ClaimedRun(msgspec.Struct, frozen=True, kw_only=True):
    """A run that this process has taken."""

    id: int
    report_id: int
    account_id: int
    url: str
    attempt: int
    """1 for the first; together with ``id`` the fence of everything that is written about the run."""
    traceparent: str | None = None
    """W3C trace context of the request that asked for it; ``None``: it was not traced."""
    device: Device | None = None
    """Device that a browser is to imitate; ``None``: static analysis."""
    target: str = ""
    """Registrable domain or address for the limits per host; empty if none apply."""


SortBy = Literal["id", "generated_at", "updated_at", "url", "result", "score"]
Filter = Literal["project", "rating", "state"]
Further = Literal["url", "privacy", "updated_since_ms"]
ORDERS: Final[dict[SortBy, tuple[str, ...]]] = {
    "id": ("id",),
    "generated_at": ("dated_at_ms", "id"),
    "updated_at": ("updated_at_ms", "id"),
    "url": ("url", "id"),
    "result": ("rating", "score", "id"),
    "score": ("score", "id"),
}
"""Columns that an order compares; those of an index are the same, after the account and a filter."""


class Position(msgspec.Struct, frozen=True, kw_only=True):
    """A place between two reports of an order: beside a report that is, or was, there."""

    part: int
    """Of the parts of the order (``parts_of``), from 0."""
    values: tuple[int | str, ...]
    """Of the columns that the part compares; the last one is an id."""
    backward: bool = False
    """Read towards the beginning of the list: the reports just before."""


MAX_TAGS: Final = 20
"""Of one site."""
MAX_TAG: Final = 40
"""Characters of a tag."""
SiteOrder = Literal["name", "score", "analyzed"]


class SiteQuery(msgspec.Struct, frozen=True, kw_only=True):
    """Filters and order of a list of projects."""

    search: str = ""
    """Part of the name; empty: any."""
    tag: str = ""
    """Only with this tag; empty: with any or none."""
    sort_by: SiteOrder = "name"
    descending: bool = False
    """Projects without a score come last in both directions."""


class ListPart(msgspec.Struct, frozen=True, kw_only=True):
    """A request for a part of a list by id: a numbered page, or what is beside an id."""

    per_page: int
    page: int | None = None
    """From 1, and past the last one there is nothing; ``None``: beside an id."""
    beside: int | None = None
    """Id that the part begins after, whether or not that item still exists; ``None``: the beginning of the list."""
    backward: bool = False
    """True for the part that ends before that id."""
    count: bool = False
    """True to count the whole list, which is always done for a page."""

    @property
    def skipped(self) -> int:
        """Items before a numbered page."""
        return 0 if self.page is None else (self.page - 1) * self.per_page


class ListQuery(msgspec.Struct, frozen=True, kw_only=True):
    """Filters, order and page of a list of reports."""

    account_id: int = 0
    """Set by the use case to the caller's."""
    search: str | None = None
    """Substring of the URL, as typed; ``None`` or empty: any."""
    url: str | None = None
    """Canonical, whole; ``None``: any. An empty one finds nothing."""
    project: str | None = None
    """As ``parse.url.project_of`` gives it; ``None``: any. An empty one finds nothing."""
    rating: int | None = None
    """One of ``RATINGS``; ``None``: any, and none."""
    state: State | None = None
    privacy: int | None = None
    updated_since_ms: int | None = None
    """Changed at this moment or later."""
    sort_by: SortBy = "id"
    descending: bool = True
    page: int = 1
    """From 1; past the last one there is nothing."""
    per_page: int = 10
    expired_before_ms: int | None = None
    """Finished reports dated before are as good as deleted; ``None``: none expires."""

    @property
    def further(self) -> tuple[Further, ...]:
        """The filters in use that have no index in every order."""
        used: dict[Further, object] = {
            "url": self.url,
            "privacy": self.privacy,
            "updated_since_ms": self.updated_since_ms,
        }
        return tuple(name for name, value in used.items() if value is not None)


class Part(msgspec.Struct, frozen=True):
    """Part of an order, in which no column that is compared is empty. Reports without a value come in a later part."""

    rated: bool | None = None
    """Only reports with a result, or only those without; ``None``: both."""
    scored: bool | None = None
    """Only reports with a score, or only those without; ``None``: both."""
    compared: tuple[str, ...] = ()


def parts_of(query: ListQuery) -> tuple[Part, ...]:
    """The parts of an order, first to last: reports without a result, or without a score, come last both ways."""
    if query.sort_by == "result" and query.rating is None:
        return (
            Part(rated=True, compared=("rating", "score", "id")),
            Part(rated=False, scored=True, compared=("score", "id")),
            Part(rated=False, scored=False, compared=("id",)),
        )
    if query.sort_by == "score" and query.rating is None:
        return Part(scored=True, compared=("score", "id")), Part(scored=False, compared=("id",))
    if query.sort_by in {"result", "score"}:
        return (Part(compared=("score", "id")),)  # whatever has a result has a score
    return (Part(compared=ORDERS[query.sort_by]),)
