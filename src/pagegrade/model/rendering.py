"""Facts about a page in a browser: plain values.

Times are milliseconds since the navigation began; sizes are CSS pixels or bytes as their names say. What was not seen
is ``None``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Device = Literal["mobile", "desktop"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LayoutShift:
    """One unexpected move of what was visible."""

    time_ms: float
    score: float
    """Its share of the viewport times the distance, weighted by the frame's size."""
    had_recent_input: bool = False
    node_ids: tuple[int, ...] = ()
    """Of the elements that moved, the farthest first; at most five."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PaintCandidate:
    """A text or image that was the largest so far when it was painted."""

    time_ms: float
    size_px: int
    """Area."""
    kind: Literal["image", "text"]
    node_id: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A time from its start to its end."""

    start_ms: float
    end_ms: float | None
    """``None`` where the end was not seen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """A picture of the viewport."""

    time_ms: float
    progress: float
    """Share of the final picture that it shows, 0 to 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeline:
    """Facts that the metrics of one load are computed from."""

    first_contentful_paint_ms: float | None = None
    paint_candidates: tuple[PaintCandidate, ...] = ()
    layout_shifts: tuple[LayoutShift, ...] = ()
    first_viewport_ms: float | None = None
    """When the size of the viewport was known."""
    long_tasks: tuple[Span, ...] = ()
    """Tasks of the page's main thread that took at least 50 ms."""
    get_requests: tuple[Span, ...] = ()
    dom_content_loaded_ms: float | None = None
    load_ms: float | None = None
    end_ms: float = 0.0
    """When the recording ended."""
    frames: tuple[Frame, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadMetrics:
    """Metrics of one load; ``None`` where a metric could not be measured."""

    fcp_ms: float | None = None
    lcp_ms: float | None = None
    cls: float | None = None
    tbt_ms: float | None = None
    si_ms: float | None = None
    tti_ms: float | None = None
    load_ms: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderedRequest:
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


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsoleMessage:
    """One line of the browser's console."""

    level: Literal["error", "warning"]
    source: str
    """``exception``, ``console``, ``network``, ``security``, ``deprecation``, ``violation`` and so on."""
    text: str
    url: str = ""
    line: int | None = None
    count: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class AxeNode:
    """One element that a rule of axe-core is about."""

    selector: str
    html: str
    summary: str
    data: tuple[tuple[str, str], ...] = ()
    """Values that the rule measured, such as the colours and their contrast."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AxeResult:
    """One rule of axe-core that some elements break (or about which it cannot decide)."""

    rule: str
    impact: str
    help: str
    help_url: str
    outcome: Literal["violation", "incomplete"]
    nodes: tuple[AxeNode, ...] = ()
    node_count: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """Bytes of a script or style sheet, and those that were not used until the page was loaded."""

    url: str
    kind: Literal["script", "stylesheet"]
    total_bytes: int
    unused_bytes: int
    inline: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ElementFacts:
    """An element of the drawn page."""

    selector: str
    html: str
    """Its start tag, at most 300 characters."""
    x_px: float = 0.0
    y_px: float = 0.0
    width_px: float = 0.0
    height_px: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """A picture of the page, in WebP as the browser wrote it."""

    kind: Literal["viewport", "full_page", "frame"]
    width_px: int
    height_px: int
    data: bytes
    time_ms: float | None = None
    """Of a frame of the filmstrip."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendering:
    """The page as a browser drew it."""

    device: Device
    browser: str
    """Product and version."""
    network: str
    """Name of the network's conditions."""
    viewport_px: tuple[int, int]
    loads: tuple[Timeline, ...]
    final_url: str
    """Of the page after scripts, without fragment."""
    title: str = ""
    html: str = ""
    """The document after scripts; hidden elements carry ``data-pagegrade-hidden``."""
    html_cut: bool = False
    dom_elements: int | None = None
    js_heap_bytes: int | None = None
    lcp_element: ElementFacts | None = None
    shifted_elements: tuple[ElementFacts, ...] = ()
    requests: tuple[RenderedRequest, ...] = ()
    """Of the last load."""
    requests_cut: bool = False
    console: tuple[ConsoleMessage, ...] = ()
    axe: tuple[AxeResult, ...] | None = None
    """``None`` when axe-core did not finish."""
    axe_version: str = ""
    coverage: tuple[Coverage, ...] = ()
    cookies_by_script: tuple[str, ...] = ()
    """Names."""
    pictures: tuple[Picture, ...] = ()
    refused_hosts: tuple[tuple[str, int], ...] = ()
    """Hosts that the browser was not let through to, and how often."""
    peak_memory_bytes: int = 0
    cpu_s: float | None = None
    notes: tuple[str, ...] = ()
    """``network_limit``, ``load_timeout``, ``axe_timeout``, ``trace_cut``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderedPicture:
    """A picture that belongs to a report, without its bytes."""

    name: str = ""
    """Within the report; empty in reports from before pictures were stored."""
    kind: Literal["viewport", "full_page", "frame"]
    width_px: int
    height_px: int
    bytes: int
    time_ms: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderedPage:
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
