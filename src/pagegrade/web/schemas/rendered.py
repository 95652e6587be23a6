"""The part of a report about the page in a browser."""

from __future__ import annotations

from typing import Literal

from pagegrade.model.rendering import Device, PaintCause, ShiftCause, StorageKind
from pagegrade.web.schemas.shape import Amount, Count, Document, about, sometimes


class Analysis(Document):
    """The engine that a report comes from."""

    engine: Literal["static", "rendered"] = about("`rendered` when a browser drew the page.", "static")
    device: Device | None = about("Device that the browser imitated.", None, "mobile")
    unseen_checks: Count | None = sometimes("Checks that were not evaluated because no browser was used.", 24)
    unseen_points: Count | None = sometimes("The most by which those can lower the score, limits to it aside.", 60)


class Viewport(Document):
    """Size of the browser's window."""

    width_px: Count = about("CSS pixels.", 412)
    height_px: Count = about("CSS pixels.", 823)


class Metrics(Document):
    """Medians over the loads; null where a metric could not be measured."""

    fcp_ms: Amount | None = about("First contentful paint.", 1364.1)
    lcp_ms: Amount | None = about("Largest contentful paint.", 2120.5)
    cls: Amount | None = about("Cumulative layout shift.", 0.02)
    tbt_ms: Amount | None = about("Total blocking time.", 120.0)
    si_ms: Amount | None = about("Speed index.", 1810.3)
    tti_ms: Amount | None = about("Time to interactive.", 2404.0)
    load_ms: Amount | None = about("Load event.", 1905.1)
    dom_elements: Count | None = about("Elements after scripts have run.", 842)
    js_heap_bytes: Count | None = about("Memory of scripts.", 9_400_000)


class Spread(Document):
    """Least and greatest value over the loads."""

    min: Amount = about("Least.", 1340.2)
    max: Amount = about("Greatest.", 1391.8)


class DrawnElement(Document):
    """An element of the drawn page."""

    selector: str = about("CSS selector.", "main > h1")
    html: str = about("Its start tag.", "<h1>")
    x_px: float = about("Left edge on the page.", 8.0)
    y_px: float = about("Upper edge on the page.", 21.4)
    width_px: Amount = about("Width.", 396.0)
    height_px: Amount = about("Height.", 37.0)


class ShiftedElement(DrawnElement):
    """An element that moved unexpectedly."""

    time_ms: Amount | None = about("Of its shift, in the last load.", 1570.2)
    score: Amount = about("Of that shift, with all elements that moved in it.", 0.06)
    down_px: float = about("How far down it moved; less than 0 is up.", 150.0)
    pushed_by: DrawnElement | None = about("Element before it that is about as high as it moved down.")
    cause: ShiftCause = about("Empty where it was not seen.", "image")
    cause_url: str = about("File that brought it; empty where none did.", "https://example.com/a.jpg")


class LargestPaint(Document):
    """The largest contentful paint of the last load; its phases add up to its time."""

    time_ms: Amount = about("When it was painted.", 3420.5)
    kind: Literal["image", "text"] = about("What was painted.", "image")
    url: str = about("Of an image; empty for text.", "https://example.com/a.jpg")
    first_byte_ms: Amount = about("Until the answer for the document began.", 310.2)
    load_delay_ms: Amount | None = about("Until the image was asked for; null where none was.", 420.0)
    load_time_ms: Amount | None = about("Until the image had arrived; null where none was asked for.", 2600.3)
    render_delay_ms: Amount = about("Until the paint.", 90.0)
    cause: PaintCause = about("Reason for the longest phase.", "file")
    cause_url: str = about("File that it is about; empty where it is about none.", "https://example.com/a.jpg")
    cause_ms: Amount = about("Length of the longest phase.", 2600.3)
    message: str = about("The cause in one sentence.", "The longest part of it is the download of its image.")


class StoredEntry(Document):
    """Something that the page keeps in the browser, without its value."""

    kind: StorageKind = about("Where.", "cookie")
    name: str = about("At most 100 characters.", "_visitor")
    size_bytes: Count | None = about("Of name and value; null where the browser does not say.", 24)
    by_script: bool = about("False for a cookie that an answer set.", True)  # noqa: FBT003


class DrawnRequest(Document):
    """A request that the browser made for the page."""

    url: str = about("At most 2,000 characters; of `data:` and `blob:` only the scheme.", "https://example.com/a.js")
    method: str = about("HTTP method.", "GET")
    kind: str = about("`document`, `stylesheet`, `script`, `image`, `font`, `fetch` and so on.", "script")
    initiator: str = about("Origin of the request: `parser`, `script`, `other` and so on.", "parser")
    initiator_url: str = about("File that asked for it.", "https://example.com/")
    priority: str = about("Priority at the start.", "High")
    render_blocking: str = about("As the browser says; empty where it does not.", "Blocking")
    protocol: str = about("Protocol of the answer.", "h2")
    status: int | None = about("HTTP status.", 200)
    mime_type: str = about("Media type.", "text/javascript")
    failure: str = about("Reason for a missing answer; empty where there is one.", "")
    redirected: bool = about("The answer is a redirect.", False)  # noqa: FBT003
    from_cache: bool = about("The browser had it already.", False)  # noqa: FBT003
    start_ms: float = about("Since the first request.", 84.1)
    response_ms: float | None = about("Time at which the header of the answer had arrived.", 140.0)
    end_ms: float | None = about("Time at which the answer had arrived.", 171.4)
    wire_bytes: Count | None = about("Header and body as transferred.", 40_210)
    response_headers: dict[str, str] = about("Headers about caching, type and size.", {"cache-control": "no-store"})


class ConsoleLine(Document):
    """A line of the browser's console."""

    level: Literal["error", "warning"] = about("Severity.", "error")
    source: str = about("`exception`, `console`, `network`, `security` and so on.", "exception")
    text: str = about("At most 500 characters.", "TypeError: menu is null")
    url: str = about("Address of the file that it comes from.", "https://example.com/a.js")
    line: int | None = about("Line, from 0.", 41)
    count: Count = about("Equal lines.", 1)


class UsedCode(Document):
    """A script or style sheet, and the part of it that was not used."""

    url: str = about("The file.", "https://example.com/a.js")
    kind: Literal["script", "stylesheet"] = about("Kind of file.", "script")
    total_bytes: Count = about("Decoded.", 130_000)
    unused_bytes: Count = about("Not used until the page was loaded.", 88_000)
    inline: bool = about("It is a part of the page.", False)  # noqa: FBT003
    legacy: list[str] = about("Code in a script that only outdated browsers need.", ["compiled classes"])


class DrawnPicture(Document):
    """A picture of the page."""

    name: str = about("The last segment of its address: `/api/v1/reports/{id}/pictures/{name}`.", "viewport")
    kind: Literal["viewport", "full_page", "frame"] = about("Part of the page, or a moment of the load.", "viewport")
    width_px: Count = about("Pixels.", 721)
    height_px: Count = about("Pixels.", 1440)
    bytes: Count = about("WebP.", 87_154)
    time_ms: Amount | None = about("Moment of the load.", None)


class RefusedHost(Document):
    """A host that the browser was not let through to."""

    host: str = about("As the page named it.", "10.0.0.1")
    connections: Count = about("Attempts.", 2)


class RenderedPage(Document):
    """The page in a browser."""

    device: Device = about("Device that was imitated.", "mobile")
    browser: str = about("Product and version.", "HeadlessChrome/156.0.8078.79")
    network: str = about("Line that was imitated.", "mobile")
    viewport: Viewport = about("Size of the window.")
    load_count: Count = about("Loads that the metrics are the median of.", 3)
    metrics: Metrics = about("Metrics of the load.")
    spread: dict[str, Spread | None] = about("Metric → its spread.", {"fcp_ms": {"min": 1340.2, "max": 1391.8}})
    lcp_element: DrawnElement | None = about("The element of the largest contentful paint.")
    largest_paint: LargestPaint | None = about("Phases and cause of the largest contentful paint.")
    shifted_elements: list[ShiftedElement] = about("Elements that moved in the worst shifts; at most five.")
    storage: list[StoredEntry] = about("What the page keeps in the browser; at most 100 entries.")
    request_count: Count = about("Requests of the last load.", 37)
    requests: list[DrawnRequest] = about("The first 300 of them.")
    console: list[ConsoleLine] = about("Errors and warnings.")
    coverage: list[UsedCode] = about("Scripts and style sheets, most unused bytes first; at most 100.")
    pictures: list[DrawnPicture] = about("Pictures that were made.")
    axe_version: str | None = about("Version of axe-core; null when it did not finish.", "4.14.1")
    refused_hosts: list[RefusedHost] = about("Hosts that were not contacted.")
    cpu_s: Amount | None = about("Processor time of the browser.", 2.9)
    peak_memory_bytes: Count = about("Most memory of the browser.", 312_000_000)
    notes: list[str] = about("Parts that were cut or left out.", [])


class RenderedPending(Document):
    """A run in a browser that follows the static one by itself, and has not ended."""

    state: Literal["pending"] = about("The run waits or is under way.", "pending")
    run: int = about("Number of the run.", 2, ge=1)
