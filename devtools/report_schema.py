"""The shape of a report's JSON, as types: what ``docs/reference/report.schema.json`` is made of.

The product writes the object in ``pagegrade.report.serialize`` without these types. They are strict: a member that
is missing here, or one too many, fails the test that reads real reports by them, so the schema cannot lag behind.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec

from pagegrade.model.outcome import Importance
from pagegrade.model.rendering import PaintCause, ShiftCause, StorageKind
from pagegrade.model.report import Category, Grade, OutcomeName, ResourceType

Points = Annotated[int, msgspec.Meta(ge=0, le=100)]
Count = Annotated[int, msgspec.Meta(ge=0)]
Scalar = str | int | float | None
Timestamp = Annotated[str, msgspec.Meta(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")]


class Shape(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """Base of all objects of the report: exactly the declared members."""


class Cap(Shape):
    """A finding that limits the score, or the score of one category."""

    check: str
    max_score: Points
    category: Category | None


class Counts(Shape):
    """Number of checks by outcome; critical, high, medium and low count findings."""

    passed: Count
    critical: Count
    high: Count
    medium: Count
    low: Count
    informative: Count
    not_applicable: Count
    not_evaluated: Count


class CategoryScore(Shape):
    """Score of one category."""

    score: Points | None
    result: Grade | None
    passed: Count
    failed: Count
    lost: Annotated[float, msgspec.Meta(ge=0)] | None
    taken: Annotated[float, msgspec.Meta(ge=0)] | None
    budget: Count | None
    coverage: Annotated[float, msgspec.Meta(ge=0, le=1)] | None


class Withheld(Shape):
    """Reason why a completed report has no score and no result."""

    kind: str
    message: str
    fix: str


class Detail(Shape):
    """Measured value and its limit, for programs."""

    code: str
    actual: Scalar
    limit: Scalar


class Evidence(Shape):
    """A place or fact to look at; members that are not known are absent."""

    selector: str | msgspec.UnsetType = msgspec.UNSET
    line: Count | msgspec.UnsetType = msgspec.UNSET
    column: Count | msgspec.UnsetType = msgspec.UNSET
    snippet: str | msgspec.UnsetType = msgspec.UNSET
    header: str | msgspec.UnsetType = msgspec.UNSET
    url: str | msgspec.UnsetType = msgspec.UNSET
    value: str | msgspec.UnsetType = msgspec.UNSET
    reason: str | msgspec.UnsetType = msgspec.UNSET
    state: str | msgspec.UnsetType = msgspec.UNSET


class Saving(Shape):
    """Amount that fixing a finding would save each visitor."""

    amount: Annotated[float, msgspec.Meta(ge=0)]
    unit: Literal["bytes", "ms"]


class Ignored(Shape):
    """The reason for which a finding costs nothing, and what it would cost."""

    outcome: Literal["warning", "failed"]
    reason: str
    rules: list[int]
    author: str
    expires_at: Timestamp | None
    points: Annotated[float, msgspec.Meta(ge=0)]


class IgnoredTotal(Shape):
    """Effect of the ignore rules: findings that are ignored, and points that they hold back."""

    findings: Count
    points: Count | None


class Result(Shape):
    """Result of one check, and its penalty in points of the score."""

    name: str
    title: str
    category: Category
    outcome: OutcomeName
    state: str | None
    passed: bool | None
    importance: Importance
    price: Annotated[float, msgspec.Meta(ge=0)]
    lost: Annotated[float, msgspec.Meta(ge=0)]
    cause: str | None
    counted_in: str | None
    inherited_from: str | None
    value: Scalar
    message: str
    reason: str | None
    errors: list[Detail]
    evidence: list[Evidence]
    evidence_total: Count
    why: str
    fix: str
    count: Count | None
    saving: Saving | None
    learn_more: str
    ignored: Ignored | msgspec.UnsetType = msgspec.UNSET


class Redirect(Shape):
    """One hop on the way to the document."""

    url: str
    status: int
    location: str
    address: str | None
    total_ms: float | None
    http_version: str


class ResourceTotal(Shape):
    """Files of one type that the page loads; bytes are those on the wire."""

    type: ResourceType
    count: Count
    failed: Count
    transfer_bytes: Count


class LoadedFile(Shape):
    """One file of the page as it was fetched, without a browser."""

    url: str
    type: ResourceType
    initiator_url: str
    first_party: bool
    status: int | None
    failure: str
    http_version: str
    transfer_bytes: Count | None
    redirects: Count
    first_byte_ms: float | None
    total_ms: float | None


class PreviewPicture(Shape):
    """Image of a preview that is stored with the report."""

    name: Literal["social", "icon"]
    format: Literal["png", "jpeg", "webp", "gif", "avif"]
    width_px: Count
    height_px: Count
    bytes: Count


class Preview(Shape):
    """Preview of the page in search results and shared links, beside its title."""

    description: str
    site_name: str
    social_title: str
    social_description: str
    image_url: str
    image: PreviewPicture | None
    image_problem: Literal["", "relative", "not_loaded", "type", "bytes", "pixels"]
    icon: PreviewPicture | None


class Page(Shape):
    """Figures of the page itself."""

    http_status: int
    redirects: list[Redirect]
    http_version: str
    address: str | None
    bytes: Count
    transfer_bytes: Count | None
    requests: Count
    timing_ms: dict[str, float | None]
    title: str
    language: str
    server: str
    resources: list[ResourceTotal]
    files: list[LoadedFile]
    headers: list[tuple[str, str]]
    preview: Preview | None


class NotGathered(Shape):
    """An artifact that is missing, and why."""

    artifact: str
    reason: str


class Thresholds(Shape):
    """The scores from which this report calls a page good and decent."""

    good: Points
    decent: Points


class Run(Shape):
    """Evaluating version, ruleset, and whether the whole page was seen."""

    number: int | None
    engine: str
    ruleset: str
    thresholds: Thresholds
    duration_ms: float | None
    partial: bool
    vantage: str
    not_gathered: list[NotGathered]
    notes: list[str]


class Error(Shape):
    """Reason why there is no result."""

    code: str
    message: str
    reason: str | None
    http_status: int | None
    retryable: bool


class Analysis(Shape):
    """The engine that a report comes from."""

    engine: Literal["static", "rendered"]
    device: Literal["mobile", "desktop"] | None
    unseen_checks: Count | msgspec.UnsetType = msgspec.UNSET
    unseen_points: Count | msgspec.UnsetType = msgspec.UNSET


class Viewport(Shape):
    """Size of the browser's window."""

    width_px: Count
    height_px: Count


class Metrics(Shape):
    """Medians over the loads; null where a metric could not be measured."""

    fcp_ms: float | None
    lcp_ms: float | None
    cls: float | None
    tbt_ms: float | None
    si_ms: float | None
    tti_ms: float | None
    load_ms: float | None
    dom_elements: Count | None
    js_heap_bytes: Count | None


class Spread(Shape):
    """Least and greatest value over the loads."""

    min: float
    max: float


class DrawnElement(Shape):
    """An element of the drawn page."""

    selector: str
    html: str
    x_px: float
    y_px: float
    width_px: float
    height_px: float


class ShiftedElement(DrawnElement):
    """An element that moved unexpectedly."""

    time_ms: float | None
    score: float
    down_px: float
    pushed_by: DrawnElement | None
    cause: ShiftCause
    cause_url: str


class LargestPaint(Shape):
    """The largest contentful paint of the last load; its phases add up to its time."""

    time_ms: float
    kind: Literal["image", "text"]
    url: str
    first_byte_ms: float
    load_delay_ms: float | None
    load_time_ms: float | None
    render_delay_ms: float
    cause: PaintCause
    cause_url: str
    cause_ms: float
    message: str


class StoredEntry(Shape):
    """Something that the page keeps in the browser, without its value."""

    kind: StorageKind
    name: str
    size_bytes: Count | None
    by_script: bool


class DrawnRequest(Shape):
    """A request that the browser made for the page."""

    url: str
    method: str
    kind: str
    initiator: str
    initiator_url: str
    priority: str
    render_blocking: str
    protocol: str
    status: int | None
    mime_type: str
    failure: str
    redirected: bool
    from_cache: bool
    start_ms: float
    response_ms: float | None
    end_ms: float | None
    wire_bytes: Count | None
    response_headers: dict[str, str]


class ConsoleLine(Shape):
    """A line of the browser's console."""

    level: Literal["error", "warning"]
    source: str
    text: str
    url: str
    line: int | None
    count: Count


class UsedCode(Shape):
    """A script or style sheet, and the part of it that was not used."""

    url: str
    kind: Literal["script", "stylesheet"]
    total_bytes: Count
    unused_bytes: Count
    inline: bool
    legacy: list[str]


class DrawnPicture(Shape):
    """A picture of the page."""

    kind: Literal["viewport", "full_page", "frame"]
    width_px: Count
    height_px: Count
    bytes: Count
    time_ms: float | None


class RefusedHost(Shape):
    """A host that the browser was not let through to."""

    host: str
    connections: Count


class RenderedPage(Shape):
    """The page in a browser."""

    device: Literal["mobile", "desktop"]
    browser: str
    network: str
    viewport: Viewport
    load_count: Count
    metrics: Metrics
    spread: dict[str, Spread | None]
    lcp_element: DrawnElement | None
    largest_paint: LargestPaint | None
    shifted_elements: list[ShiftedElement]
    storage: list[StoredEntry]
    request_count: Count
    requests: list[DrawnRequest]
    console: list[ConsoleLine]
    coverage: list[UsedCode]
    pictures: list[DrawnPicture]
    axe_version: str | None
    refused_hosts: list[RefusedHost]
    cpu_s: float | None
    peak_memory_bytes: Count
    notes: list[str]


class Report(Shape):
    """A report on one page. Members only a server knows are null in reports made anywhere else."""

    id: int | None
    object: Literal["report"]
    version: int
    url: str
    final_url: str | None
    project: str
    privacy: int | None
    password: bool
    render: Literal[0, 1] | None
    device: Literal["mobile", "desktop"] | None
    state: Literal["completed", "failed"]
    result: Grade | None
    score: Points | None
    uncapped_score: float | None
    coverage: Annotated[float, msgspec.Meta(ge=0, le=1)] | None
    withheld: Withheld | None
    ignored: IgnoredTotal | None
    analysis: Analysis
    caps: list[Cap]
    counts: Counts
    categories: dict[Category, CategoryScore]
    results: dict[str, Result]
    page: Page | None
    rendered: RenderedPage | None
    run: Run
    error: Error | None
    share_url: str | None
    generated_at: Timestamp
    created_at: Timestamp | None
    updated_at: Timestamp | None


def report_schema() -> dict[str, Any]:
    """JSON Schema (2020-12) of a report."""
    schema = msgspec.json.schema(Report)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Pagegrade report", **schema}
