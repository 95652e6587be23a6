"""Facts about a page in a browser: plain values.

Times are milliseconds since the navigation began; sizes are CSS pixels or bytes as their names say. What was not seen
is ``None``.
"""

from __future__ import annotations

from typing import Literal

import msgspec

Device = Literal["mobile", "desktop"]
DepartureKind = Literal["script", "meta", "header", "reload"]
WorkKind = Literal["script", "layout", "paint", "parse", "memory"]
StorageKind = Literal["cookie", "local_storage", "session_storage", "indexed_db", "cache"]
ShiftCause = Literal["", "image", "frame", "font", "content"]
PaintCause = Literal[
    "server",
    "redirect",
    "lazy",
    "style_image",
    "script_image",
    "late_image",
    "file",
    "blocking",
    "answer",
    "font",
    "script",
    "drawing",
    "shown_late",
]


class LayoutShift(msgspec.Struct, frozen=True, kw_only=True):
    """One unexpected move of what was visible."""

    time_ms: float
    score: float
    """Its share of the viewport times the distance, weighted by the frame's size."""
    had_recent_input: bool = False
    node_ids: tuple[int, ...] = ()
    """Of the elements that moved, at most five."""
    down_px: tuple[float, ...] = ()
    """Distance by which each of them moved down; less than 0 is up."""


class PaintCandidate(msgspec.Struct, frozen=True, kw_only=True):
    """A text or image that was the largest so far when it was painted."""

    time_ms: float
    size_px: int
    """Area."""
    kind: Literal["image", "text"]
    node_id: int | None = None
    url: str = ""
    """Of an image; of ``data:`` and ``blob:`` only the scheme."""
    load_start_ms: float | None = None
    """When the image was asked for."""
    load_end_ms: float | None = None


class Span(msgspec.Struct, frozen=True, kw_only=True):
    """A time from its start to its end."""

    start_ms: float
    end_ms: float | None
    """``None`` where the end was not seen."""
    script_url: str = ""
    """Of a task: the script that took most of it; empty where that was none with an address, and for requests."""


class ScriptTime(msgspec.Struct, frozen=True, kw_only=True):
    """Time that the main thread spent on one script: compiling it and running what it calls."""

    url: str
    time_ms: float


class Frame(msgspec.Struct, frozen=True, kw_only=True):
    """A picture of the viewport."""

    time_ms: float
    progress: float
    """Share of the final picture that it shows, 0 to 1."""


class ThreadWork(msgspec.Struct, frozen=True, kw_only=True):
    """Time of the page's main thread for work of one kind."""

    kind: WorkKind
    time_ms: float
    """Without the work of other kinds inside it."""
    forced_ms: float = 0.0
    """Part of it that scripts waited for: layout in the middle of a script."""


class ThreadAnimation(msgspec.Struct, frozen=True, kw_only=True):
    """An animation of which the main thread computes every frame."""

    name: str
    """Of the keyframes, or of the property with a transition; may be empty."""
    properties: tuple[str, ...]
    """Animated properties that need the main thread."""
    node_id: int | None = None


class Timeline(msgspec.Struct, frozen=True, kw_only=True):
    """Facts that the metrics of one load are computed from."""

    first_contentful_paint_ms: float | None = None
    paint_candidates: tuple[PaintCandidate, ...] = ()
    layout_shifts: tuple[LayoutShift, ...] = ()
    first_viewport_ms: float | None = None
    """When the size of the viewport was known."""
    long_tasks: tuple[Span, ...] = ()
    """Tasks of the page's main thread that took at least 50 ms."""
    has_tasks: bool = True
    """False where the browser recorded no task at all, so that long ones were not seen."""
    script_times: tuple[ScriptTime, ...] = ()
    """Longest first; calls of less than 1 ms are left out."""
    work: tuple[ThreadWork, ...] = ()
    """Longest first; pieces of less than 0.2 ms are left out."""
    animations: tuple[ThreadAnimation, ...] = ()
    """At most twenty, in order."""
    get_requests: tuple[Span, ...] = ()
    dom_content_loaded_ms: float | None = None
    load_ms: float | None = None
    end_ms: float = 0.0
    """When the recording ended."""
    settled: bool = False
    """Nothing of the page was under way at the end: it stays as it is."""
    frames: tuple[Frame, ...] = ()


class LoadMetrics(msgspec.Struct, frozen=True, kw_only=True):
    """Metrics of one load; ``None`` where a metric could not be measured."""

    fcp_ms: float | None = None
    lcp_ms: float | None = None
    cls: float | None = None
    tbt_ms: float | None = None
    si_ms: float | None = None
    tti_ms: float | None = None
    load_ms: float | None = None


class RenderedRequest(msgspec.Struct, frozen=True, kw_only=True):
    """One request that the browser made for the page."""

    url: str
    """At most 2,000 characters; of ``data:`` and ``blob:`` only the scheme."""
    method: str = "GET"
    kind: str = ""
    """``document``, ``stylesheet``, ``script``, ``image``, ``font``, ``xhr``, ``fetch``, ``websocket`` and so on."""
    initiator: str = ""
    """``parser``, ``script``, ``preload``, ``other`` and so on."""
    initiator_url: str = ""
    priority: str = ""
    render_blocking: str = ""
    """As the browser says: ``Blocking``, ``InBodyParserBlocking``, ``NonBlocking`` ...; empty where it does not."""
    protocol: str = ""
    status: int | None = None
    mime_type: str = ""
    failure: str = ""
    """Reason why there is no answer, as the browser says (``net::ERR_...``); empty where there is one."""
    redirected: bool = False
    """The answer is a redirect; the next request of the chain follows."""
    from_cache: bool = False
    start_ms: float = 0.0
    response_ms: float | None = None
    """When the header of the answer was there."""
    end_ms: float | None = None
    wire_bytes: int | None = None
    """Headers and body as transferred."""
    response_headers: tuple[tuple[str, str], ...] = ()


class ConsoleMessage(msgspec.Struct, frozen=True, kw_only=True):
    """One line of the browser's console."""

    level: Literal["error", "warning"]
    source: str
    """``exception``, ``console``, ``network``, ``security``, ``deprecation``, ``violation`` and so on."""
    text: str
    url: str = ""
    line: int | None = None
    count: int = 1


class AxeNode(msgspec.Struct, frozen=True, kw_only=True):
    """One element that a rule of axe-core is about."""

    selector: str
    html: str
    summary: str
    data: tuple[tuple[str, str], ...] = ()
    """Values that the rule measured, such as the colors and their contrast."""
    characters: int = 0
    """Length of its own text without blanks, where the rule is about text: those with most of it are listed first."""


class AxeResult(msgspec.Struct, frozen=True, kw_only=True):
    """Result of one rule of axe-core for some elements: they break it, are undecided, or keep it."""

    rule: str
    impact: str
    help: str
    help_url: str
    outcome: Literal["violation", "incomplete", "pass"]
    """A rule that finds nothing to examine has no result; pages drawn by older versions have none that pass."""
    nodes: tuple[AxeNode, ...] = ()
    node_count: int = 0
    """0 for elements that keep the rule: they are not counted."""


class Coverage(msgspec.Struct, frozen=True, kw_only=True):
    """Bytes of a script or style sheet, and those that were not used until the page was loaded."""

    url: str
    kind: Literal["script", "stylesheet"]
    total_bytes: int
    unused_bytes: int
    inline: bool = False
    legacy: tuple[str, ...] = ()
    """Kinds of polyfills and compiled syntax for outdated browsers in a script that was read."""


class RenderedImage(msgspec.Struct, frozen=True, kw_only=True):
    """An ``<img>`` as it is drawn."""

    url: str
    """Of the chosen candidate; empty for ``data:`` and ``blob:``."""
    selector: str
    html: str
    """Its start tag, at most 300 characters."""
    natural_width_px: int
    """Pixels of the file."""
    natural_height_px: int
    x_px: float
    """CSS pixels, from the upper left corner of the page."""
    y_px: float
    width_px: float
    """CSS pixels of its content box, before transforms; 0 where it is not drawn."""
    height_px: float
    fit: str = "fill"
    """Its ``object-fit``."""
    lazy: bool = False
    declared_url: str = ""
    """Of its ``src``, whichever candidate was chosen."""
    has_space: bool = False
    """The style that the browser computed keeps its space free before it loads, or lets it push nothing aside."""


class UsedFont(msgspec.Struct, frozen=True, kw_only=True):
    """A font face that the browser loaded, or tried to load, for text of the page."""

    family: str
    weight: str = ""
    style: str = ""
    display: str = ""


class BrowserIssue(msgspec.Struct, frozen=True, kw_only=True):
    """A deprecated feature that the page uses, or something that its content security policy forbids."""

    kind: Literal["deprecation", "csp"]
    subject: str
    """Name of the feature, or the violated directive."""
    url: str = ""
    """File in which it happens; empty where the browser does not say."""
    line: int | None = None
    """From 0."""
    blocked_url: str = ""
    """Forbidden address; empty for inline code and ``eval``."""
    detail: str = ""
    """Kind of violation, such as ``kInlineViolation``."""
    report_only: bool = False
    count: int = 1


class ElementFacts(msgspec.Struct, frozen=True, kw_only=True):
    """An element of the drawn page."""

    selector: str
    html: str
    """Its start tag, at most 300 characters."""
    x_px: float = 0.0
    y_px: float = 0.0
    width_px: float = 0.0
    height_px: float = 0.0


class ShiftedElement(ElementFacts, frozen=True, kw_only=True):
    """An element that moved unexpectedly while the page loaded."""

    time_ms: float | None = None
    """Of its shift, in the last load; ``None`` in files of older versions."""
    score: float = 0.0
    """Of that shift, with all elements that moved in it."""
    down_px: float = 0.0
    """Distance by which it moved down; less than 0 is up."""
    pushed_by: ElementFacts | None = None
    """Element before it that is about as high as it moved down."""
    cause: ShiftCause = ""
    """Empty where it was not seen, as in the artifact."""
    cause_url: str = ""
    """File that brought it; empty where none did."""


class LargestPaint(msgspec.Struct, frozen=True, kw_only=True):
    """The largest contentful paint of the last load: its phases, which add up to its time, and its cause."""

    time_ms: float
    kind: Literal["image", "text"]
    url: str = ""
    """Of an image; empty for text."""
    first_byte_ms: float
    """Until the answer for the document began."""
    load_delay_ms: float | None = None
    """From there until the image was asked for; ``None`` for text and for images that need no request."""
    load_time_ms: float | None = None
    """Until the image had arrived."""
    render_delay_ms: float
    """From the end of the last phase until the paint."""
    cause: PaintCause
    """Reason for the longest phase."""
    cause_url: str = ""
    """File that it is about; empty where it is about none."""
    cause_ms: float
    """Length of the longest phase."""
    message: str
    """The cause in one sentence."""


class StoredEntry(msgspec.Struct, frozen=True, kw_only=True):
    """Something that the page keeps in the browser, without its value."""

    kind: StorageKind
    name: str
    """At most 100 characters."""
    size_bytes: int | None = None
    """Of name and value; ``None`` where the browser does not say."""
    by_script: bool = True
    """False for a cookie that an answer set."""


class SmallText(msgspec.Struct, frozen=True, kw_only=True):
    """An element with small text of its own."""

    selector: str
    html: str
    """Its start tag, at most 300 characters."""
    size_px: float
    """CSS pixels, as computed."""
    characters: int


class TextSizes(msgspec.Struct, frozen=True, kw_only=True):
    """The text that is drawn, white space not counted."""

    characters: int
    small_characters: int
    """Smaller than 12 CSS pixels."""
    small: tuple[SmallText, ...] = ()
    """At most 30 elements, those with most characters first."""


class AnimatedElement(msgspec.Struct, frozen=True, kw_only=True):
    """An element with an animation of which the main thread computes every frame."""

    name: str
    """Of the animation, as in ``ThreadAnimation``."""
    properties: tuple[str, ...]
    element: ElementFacts


class Departure(msgspec.Struct, frozen=True, kw_only=True):
    """A navigation by which the page itself left the document that it showed."""

    kind: DepartureKind
    """By a script, a ``<meta>`` element, the header ``Refresh``, or by loading itself again."""
    url: str
    """At most 2,000 characters."""
    after_ms: float
    """Since the page was asked for, until the next document arrived."""


class Picture(msgspec.Struct, frozen=True, kw_only=True):
    """A picture of the page, in WebP as the browser wrote it."""

    kind: Literal["viewport", "full_page", "frame"]
    width_px: int
    height_px: int
    data: bytes
    time_ms: float | None = None
    """Of a frame of the filmstrip."""


class Rendering(msgspec.Struct, frozen=True, kw_only=True):
    """The page as a browser drew it."""

    device: Device
    browser: str
    """Product and version."""
    network: str
    """Name of the network's conditions."""
    viewport_px: tuple[int, int]
    pixel_ratio: float = 1.0
    """Pixels of the screen for one CSS pixel."""
    loads: tuple[Timeline, ...]
    final_url: str
    """Of the page after scripts, without fragment."""
    departures: tuple[Departure, ...] = ()
    """Of the last load, at most ten, in order; what the metrics say begins after the last of them."""
    title: str = ""
    html: str = ""
    """The document after scripts; hidden elements carry ``data-pagegrade-hidden``."""
    html_cut: bool = False
    dom_elements: int | None = None
    js_heap_bytes: int | None = None
    lcp_element: ElementFacts | None = None
    shifted_elements: tuple[ShiftedElement, ...] = ()
    """At most five, those of the worst shifts first."""
    animated_elements: tuple[AnimatedElement, ...] = ()
    text_sizes: TextSizes | None = None
    """``None`` when they were not read."""
    requests: tuple[RenderedRequest, ...] = ()
    """Of the last load."""
    requests_begin_ms: float = 0.0
    """When the first of them was sent, from which their times count."""
    requests_cut: bool = False
    console: tuple[ConsoleMessage, ...] = ()
    axe: tuple[AxeResult, ...] | None = None
    """``None`` when axe-core did not finish."""
    axe_version: str = ""
    coverage: tuple[Coverage, ...] | None = ()
    """``None`` when the use of the files was not recorded."""
    images: tuple[RenderedImage, ...] = ()
    """At most 500, in document order, those in shadow trees included."""
    fonts: tuple[UsedFont, ...] = ()
    issues: tuple[BrowserIssue, ...] = ()
    cookies_by_script: tuple[str, ...] = ()
    """Names."""
    storage: tuple[StoredEntry, ...] = ()
    """At most 100 entries of the page's own origin, and the cookies that the browser would send to it."""
    pictures: tuple[Picture, ...] = ()
    refused_hosts: tuple[tuple[str, int], ...] = ()
    """Hosts that the browser was not let through to, and how often."""
    peak_memory_bytes: int = 0
    cpu_s: float | None = None
    elapsed_s: float | None = None
    """Wall clock, from the start of the browser to its end."""
    notes: tuple[str, ...] = ()
    """``network_limit``, ``load_timeout``, ``unfinished``, ``requests_open``, ``nothing_painted``, ``loads_cut``,
    ``look_timeout``, ``axe_timeout``, ``trace_cut``, ``frames_not_checked``."""


class RenderedPicture(msgspec.Struct, frozen=True, kw_only=True):
    """A picture that belongs to a report, without its bytes."""

    name: str = ""
    """Within the report; empty in reports from before pictures were stored."""
    kind: Literal["viewport", "full_page", "frame"]
    width_px: int
    height_px: int
    bytes: int
    time_ms: float | None = None


class RenderedPage(msgspec.Struct, frozen=True, kw_only=True):
    """The part of a report about the page in a browser."""

    device: Device
    browser: str
    network: str
    viewport_px: tuple[int, int]
    load_count: int
    metrics: LoadMetrics
    """The median of the loads."""
    lowest: LoadMetrics
    highest: LoadMetrics
    """The least and the greatest of each metric over the loads: its spread."""
    dom_elements: int | None = None
    js_heap_bytes: int | None = None
    lcp_element: ElementFacts | None = None
    largest_paint: LargestPaint | None = None
    shifted_elements: tuple[ShiftedElement, ...] = ()
    storage: tuple[StoredEntry, ...] = ()
    requests: tuple[RenderedRequest, ...] = ()
    """At most 300, in order."""
    request_count: int = 0
    console: tuple[ConsoleMessage, ...] = ()
    coverage: tuple[Coverage, ...] = ()
    """At most 100, most unused bytes first."""
    pictures: tuple[RenderedPicture, ...] = ()
    axe_version: str = ""
    """Empty when axe-core did not finish."""
    refused_hosts: tuple[tuple[str, int], ...] = ()
    cpu_s: float | None = None
    peak_memory_bytes: int = 0
    notes: tuple[str, ...] = ()
