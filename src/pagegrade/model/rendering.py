"""Facts about a page in a browser: plain values.

Times are milliseconds since the navigation began; sizes are CSS pixels or bytes as their names say. What was not seen
is ``None``.
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from pagegrade.model.schema import Amount, Count, about

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

    fcp_ms: Annotated[Amount | None, about("First contentful paint.", 1364.1)] = None
    lcp_ms: Annotated[Amount | None, about("Largest contentful paint.", 2120.5)] = None
    cls: Annotated[Amount | None, about("Cumulative layout shift.", 0.02)] = None
    tbt_ms: Annotated[Amount | None, about("Total blocking time.", 120.0)] = None
    si_ms: Annotated[Amount | None, about("Speed index.", 1810.3)] = None
    tti_ms: Annotated[Amount | None, about("Time to interactive.", 2404.0)] = None
    load_ms: Annotated[Amount | None, about("Load event.", 1905.1)] = None


class Metrics(LoadMetrics, frozen=True, kw_only=True):
    """Medians over the loads; null where a metric could not be measured."""

    dom_elements: Annotated[Count | None, about("Elements after scripts have run.", 842)] = None
    js_heap_bytes: Annotated[Count | None, about("Memory of scripts.", 9_400_000)] = None


class Spread(msgspec.Struct, frozen=True, kw_only=True):
    """Least and greatest value over the loads."""

    min: Annotated[Amount, about("Least.", 1340.2)]
    max: Annotated[Amount, about("Greatest.", 1391.8)]


class _Request(msgspec.Struct, frozen=True, kw_only=True):
    """A request that the browser made for the page, without the headers of the answer."""

    url: Annotated[
        str, about("At most 2,000 characters; of `data:` and `blob:` only the scheme.", "https://example.com/a.js")
    ]
    method: Annotated[str, about("HTTP method.", "GET")] = "GET"
    kind: Annotated[str, about("`document`, `stylesheet`, `script`, `image`, `font`, `fetch` and so on.", "script")] = (
        ""
    )
    initiator: Annotated[str, about("Origin of the request: `parser`, `script`, `other` and so on.", "parser")] = ""
    initiator_url: Annotated[str, about("File that asked for it.", "https://example.com/")] = ""
    priority: Annotated[str, about("Priority at the start.", "High")] = ""
    render_blocking: Annotated[str, about("As the browser says; empty where it does not.", "Blocking")] = ""
    """``Blocking``, ``InBodyParserBlocking``, ``NonBlocking`` and so on."""
    protocol: Annotated[str, about("Protocol of the answer.", "h2")] = ""
    status: Annotated[int | None, about("HTTP status.", 200)] = None
    mime_type: Annotated[str, about("Media type.", "text/javascript")] = ""
    failure: Annotated[str, about("Reason for a missing answer; empty where there is one.", "")] = ""
    """As the browser says: ``net::ERR_...``."""
    redirected: Annotated[bool, about("The answer is a redirect.", False)] = False  # noqa: FBT003
    """The next request of the chain follows."""
    from_cache: Annotated[bool, about("The browser had it already.", False)] = False  # noqa: FBT003
    start_ms: Annotated[float, about("Since the first request.", 84.1)] = 0.0
    response_ms: Annotated[float | None, about("Time at which the header of the answer had arrived.", 140.0)] = None
    end_ms: Annotated[float | None, about("Time at which the answer had arrived.", 171.4)] = None
    wire_bytes: Annotated[Count | None, about("Header and body as transferred.", 40_210)] = None


class RenderedRequest(_Request, frozen=True, kw_only=True):
    """One request that the browser made for the page."""

    response_headers: tuple[tuple[str, str], ...] = ()


class DrawnRequest(_Request, frozen=True, kw_only=True):
    """A request that the browser made for the page."""

    response_headers: Annotated[
        dict[str, str], about("Headers about caching, type and size.", {"cache-control": "no-store"})
    ] = msgspec.field(default_factory=dict)


class ConsoleMessage(msgspec.Struct, frozen=True, kw_only=True):
    """A line of the browser's console."""

    level: Annotated[Literal["error", "warning"], about("Severity.", "error")]
    source: Annotated[str, about("`exception`, `console`, `network`, `security` and so on.", "exception")]
    text: Annotated[str, about("At most 500 characters.", "TypeError: menu is null")]
    url: Annotated[str, about("Address of the file that it comes from.", "https://example.com/a.js")] = ""
    line: Annotated[int | None, about("Line, from 0.", 41)] = None
    count: Annotated[Count, about("Equal lines.", 1)] = 1


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
    """A script or style sheet, and the part of it that was not used."""

    url: Annotated[str, about("The file.", "https://example.com/a.js")]
    kind: Annotated[Literal["script", "stylesheet"], about("Kind of file.", "script")]
    total_bytes: Annotated[Count, about("Decoded.", 130_000)]
    unused_bytes: Annotated[Count, about("Not used until the page was loaded.", 88_000)]
    inline: Annotated[bool, about("It is a part of the page.", False)] = False  # noqa: FBT003
    legacy: Annotated[
        tuple[str, ...], about("Code in a script that only outdated browsers need.", ["compiled classes"])
    ] = ()
    """Kinds of polyfills and compiled syntax, in a script that was read."""


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

    selector: Annotated[str, about("CSS selector.", "main > h1")]
    html: Annotated[str, about("Its start tag.", "<h1>")]
    """At most 300 characters."""
    x_px: Annotated[float, about("Left edge on the page.", 8.0)] = 0.0
    y_px: Annotated[float, about("Upper edge on the page.", 21.4)] = 0.0
    width_px: Annotated[Amount, about("Width.", 396.0)] = 0.0
    height_px: Annotated[Amount, about("Height.", 37.0)] = 0.0


class ShiftedElement(ElementFacts, frozen=True, kw_only=True):
    """An element that moved unexpectedly."""

    time_ms: Annotated[Amount | None, about("Of its shift, in the last load.", 1570.2)] = None
    """``None`` in files of older versions."""
    score: Annotated[Amount, about("Of that shift, with all elements that moved in it.", 0.06)] = 0.0
    down_px: Annotated[float, about("How far down it moved; less than 0 is up.", 150.0)] = 0.0
    pushed_by: Annotated[ElementFacts | None, about("Element before it that is about as high as it moved down.")] = None
    cause: Annotated[ShiftCause, about("Empty where it was not seen.", "image")] = ""
    """Always empty in the artifact."""
    cause_url: Annotated[str, about("File that brought it; empty where none did.", "https://example.com/a.jpg")] = ""


class LargestPaint(msgspec.Struct, frozen=True, kw_only=True):
    """The largest contentful paint of the last load; its phases add up to its time."""

    time_ms: Annotated[Amount, about("When it was painted.", 3420.5)]
    kind: Annotated[Literal["image", "text"], about("What was painted.", "image")]
    url: Annotated[str, about("Of an image; empty for text.", "https://example.com/a.jpg")] = ""
    first_byte_ms: Annotated[Amount, about("Until the answer for the document began.", 310.2)]
    load_delay_ms: Annotated[Amount | None, about("Until the image was asked for; null where none was.", 420.0)] = None
    load_time_ms: Annotated[
        Amount | None, about("Until the image had arrived; null where none was asked for.", 2600.3)
    ] = None
    render_delay_ms: Annotated[Amount, about("Until the paint.", 90.0)]
    """From the end of the last phase."""
    cause: Annotated[PaintCause, about("Reason for the longest phase.", "file")]
    cause_url: Annotated[
        str, about("File that it is about; empty where it is about none.", "https://example.com/a.jpg")
    ] = ""
    cause_ms: Annotated[Amount, about("Length of the longest phase.", 2600.3)]
    message: Annotated[str, about("The cause in one sentence.", "The longest part of it is the download of its image.")]


class StoredEntry(msgspec.Struct, frozen=True, kw_only=True):
    """Something that the page keeps in the browser, without its value."""

    kind: Annotated[StorageKind, about("Where.", "cookie")]
    name: Annotated[str, about("At most 100 characters.", "_visitor")]
    size_bytes: Annotated[Count | None, about("Of name and value; null where the browser does not say.", 24)] = None
    by_script: Annotated[bool, about("False for a cookie that an answer set.", True)] = True  # noqa: FBT003


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
    """``load_timeout``, ``unfinished``, ``requests_open``, ``nothing_painted``, ``loads_cut``, ``look_timeout``,
    ``axe_timeout``, ``trace_cut``, ``frames_not_checked``, and ``network_limit_`` with the name of a limit, such as
    ``hosts``."""


class RenderedPicture(msgspec.Struct, frozen=True, kw_only=True):
    """A picture of the page."""

    name: Annotated[
        str, about("The last segment of its address: `/api/v1/reports/{id}/pictures/{name}`.", "viewport")
    ] = ""
    """Empty in reports from before pictures were stored."""
    kind: Annotated[
        Literal["viewport", "full_page", "frame"], about("Part of the page, or a moment of the load.", "viewport")
    ]
    width_px: Annotated[Count, about("Pixels.", 721)]
    height_px: Annotated[Count, about("Pixels.", 1440)]
    bytes: Annotated[Count, about("WebP.", 87_154)]
    time_ms: Annotated[Amount | None, about("Moment of the load.", None)] = None


class Viewport(msgspec.Struct, frozen=True, kw_only=True):
    """Size of the browser's window."""

    width_px: Annotated[Count, about("CSS pixels.", 412)]
    height_px: Annotated[Count, about("CSS pixels.", 823)]


class RefusedHost(msgspec.Struct, frozen=True, kw_only=True):
    """A host that the browser was not let through to."""

    host: Annotated[str, about("As the page named it.", "10.0.0.1")]
    connections: Annotated[Count, about("Attempts.", 2)]


class RenderedPage(msgspec.Struct, frozen=True, kw_only=True):
    """The page in a browser."""

    device: Annotated[Device, about("Device that was imitated.", "mobile")]
    browser: Annotated[str, about("Product and version.", "HeadlessChrome/156.0.8078.79")]
    network: Annotated[str, about("Line that was imitated.", "mobile")]
    viewport: Annotated[Viewport, about("Size of the window.")]
    load_count: Annotated[Count, about("Loads that the metrics are the median of.", 3)]
    metrics: Annotated[Metrics, about("Metrics of the load.")]
    spread: Annotated[
        dict[str, Spread | None], about("Metric → its spread.", {"fcp_ms": {"min": 1340.2, "max": 1391.8}})
    ]
    lcp_element: Annotated[ElementFacts | None, about("The element of the largest contentful paint.")] = None
    largest_paint: Annotated[LargestPaint | None, about("Phases and cause of the largest contentful paint.")] = None
    shifted_elements: Annotated[
        tuple[ShiftedElement, ...], about("Elements that moved in the worst shifts; at most five.")
    ] = ()
    storage: Annotated[tuple[StoredEntry, ...], about("What the page keeps in the browser; at most 100 entries.")] = ()
    request_count: Annotated[Count, about("Requests of the last load.", 37)] = 0
    requests: Annotated[tuple[DrawnRequest, ...], about("The first 300 of them.")] = ()
    console: Annotated[tuple[ConsoleMessage, ...], about("Errors and warnings.")] = ()
    coverage: Annotated[
        tuple[Coverage, ...], about("Scripts and style sheets, most unused bytes first; at most 100.")
    ] = ()
    pictures: Annotated[tuple[RenderedPicture, ...], about("Pictures that were made.")] = ()
    axe_version: Annotated[str | None, about("Version of axe-core; null when it did not finish.", "4.14.1")] = None
    refused_hosts: Annotated[tuple[RefusedHost, ...], about("Hosts that were not contacted.")] = ()
    cpu_s: Annotated[Amount | None, about("Processor time of the browser.", 2.9)] = None
    peak_memory_bytes: Annotated[Count, about("Most memory of the browser.", 312_000_000)] = 0
    notes: Annotated[tuple[str, ...], about("Parts that were cut or left out.", [])] = ()
