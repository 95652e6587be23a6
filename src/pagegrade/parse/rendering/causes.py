"""Causes of a late largest paint and of elements that moved.

Both are read from the last load: its paints, requests, tasks and shifts.

Source: https://web.dev/articles/optimize-lcp (phases), https://web.dev/articles/optimize-cls (causes of shifts).
"""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from pagegrade.model.rendering import (
    LargestPaint,
    PaintCause,
    RenderedRequest,
    Rendering,
    ShiftedElement,
    Timeline,
)
from pagegrade.parse.url import strip_fragment

_FONT_MS: Final = 500.0
"""After its font arrived, until which text that moves is taken to move because of it."""
_DRAWING_MS: Final = 500.0
"""That a browser may need to draw a page of which everything is there."""
_FRAMES: Final = ("<iframe", "<video", "<embed", "<object")
_BLOCKING: Final = frozenset({"Blocking", "InBodyParserBlocking"})
_BY_SCRIPT: Final = frozenset({"xhr", "fetch"})
PAINT_CAUSES: Final[dict[PaintCause, str]] = {
    "server": "The longest part of it is the wait for the server's answer.",
    "redirect": "The longest part of it are redirects before the page.",
    "lazy": "Its image is asked for late, because it is loaded lazily.",
    "style_image": "Its image is asked for late, because only a style sheet names it.",
    "script_image": "Its image is asked for late, because a script asks for it.",
    "late_image": "Its image is asked for late, after other files.",
    "file": "The longest part of it is the download of its image.",
    "blocking": "It waits for a file that blocks what comes after it.",
    "answer": "It waits for an answer that a script asks for.",
    "font": "Its text waits for a font.",
    "script": "It waits for the main thread, which is busy.",
    "drawing": "The longest part of it is the browser's own work to draw the page.",
    "shown_late": "Nothing that it waits for was seen: a script, a timer or an animation shows it late.",
}
"""Cause -> its sentence."""


def largest_paint(rendering: Rendering) -> LargestPaint | None:
    """Return the phases and the cause of the largest contentful paint of the last load.

    ``None`` where nothing was painted, or the answer for the document is not among the requests.
    """
    load = rendering.loads[-1] if rendering.loads else None
    candidates = load.paint_candidates if load is not None else ()
    documents = _documents(rendering)
    if load is None or not candidates or not documents or documents[-1].response_ms is None:
        return None
    painted = candidates[-1]
    begin, response = rendering.requests_begin_ms, documents[-1].response_ms
    end = painted.time_ms
    first_byte = min(max(0.0, begin + response), end)
    loaded = first_byte
    delay = time = None
    if painted.load_start_ms is not None and painted.load_end_ms is not None and painted.url.startswith("http"):
        asked = min(max(painted.load_start_ms, first_byte), end)
        loaded = min(max(painted.load_end_ms, asked), end)
        delay, time = asked - first_byte, loaded - asked
    phases = {"first_byte": first_byte, "load_delay": delay or 0.0, "load_time": time or 0.0, "render": end - loaded}
    longest = max(phases, key=lambda phase: phases[phase])
    cause, url = _cause(rendering, load, longest, loaded)
    return LargestPaint(
        time_ms=round(end, 1),
        kind=painted.kind,
        url=painted.url if painted.kind == "image" else "",
        first_byte_ms=round(first_byte, 1),
        load_delay_ms=None if delay is None else round(delay, 1),
        load_time_ms=None if time is None else round(time, 1),
        render_delay_ms=round(end - loaded, 1),
        cause=cause,
        cause_url=url,
        cause_ms=round(phases[longest], 1),
        message=PAINT_CAUSES[cause],
    )


def _documents(rendering: Rendering) -> list[RenderedRequest]:
    """The request for the document that is shown, after the redirects to it."""
    at = [
        number
        for number, request in enumerate(rendering.requests)
        if request.kind == "document" and not request.redirected and strip_fragment(request.url) == rendering.final_url
    ]
    if not at:
        return []
    start = at[-1]
    while start > 0 and rendering.requests[start - 1].redirected and rendering.requests[start - 1].kind == "document":
        start -= 1
    return list(rendering.requests[start : at[-1] + 1])


def _cause(rendering: Rendering, load: Timeline, phase: str, loaded: float) -> tuple[PaintCause, str]:
    """The reason for a phase, and the file that it is about."""
    image_url = load.paint_candidates[-1].url
    if phase == "first_byte":
        documents = _documents(rendering)
        before = documents[-1].start_ms - documents[0].start_ms
        is_redirected = 2 * before > (documents[-1].response_ms or 0.0) - documents[0].start_ms
        return "redirect" if is_redirected else "server", documents[0 if is_redirected else -1].url
    if phase == "load_time":
        return "file", image_url
    if phase == "load_delay":
        image = next((one for one in rendering.images if image_url and one.url == image_url), None)
        request = next((one for one in rendering.requests if one.url == image_url), None)
        if image is not None and image.lazy:
            return "lazy", image_url
        if request is not None and _is_of_a_sheet(request, rendering):
            return "style_image", request.initiator_url
        if request is not None and request.initiator == "script":
            return "script_image", request.initiator_url
        return "late_image", image_url
    return _render_cause(rendering, load, loaded)


def _is_of_a_sheet(request: RenderedRequest, rendering: Rendering) -> bool:
    return any(one.kind == "stylesheet" and one.url == request.initiator_url for one in rendering.requests)


def _render_cause(rendering: Rendering, load: Timeline, start: float) -> tuple[PaintCause, str]:
    """Return the request or task that filled most of the wait for a paint; of several the one that ended last."""
    begin, end = rendering.requests_begin_ms, load.paint_candidates[-1].time_ms
    found: list[tuple[float, PaintCause, str]] = []
    for request in rendering.requests:
        if request.end_ms is None or request.redirected:
            continue
        done = begin + request.end_ms
        if done <= end and request.render_blocking in _BLOCKING:
            found.append((done, "blocking", request.url))
        elif done <= end and request.kind in _BY_SCRIPT:
            found.append((done, "answer", request.url))
        elif done <= end and request.kind == "font" and load.paint_candidates[-1].kind == "text":
            found.append((done, "font", request.url))
    for task in load.long_tasks:
        done = min(end, load.end_ms if task.end_ms is None else task.end_ms)
        # A task that handles what arrived just before it is short beside the wait for that.
        if start <= task.start_ms <= end and 2 * (done - task.start_ms) >= end - start:
            found.append((done, "script", task.script_url))
    filling = [one for one in found if 2 * (one[0] - start) >= end - start]
    if not filling:
        return "drawing" if end - start <= _DRAWING_MS else "shown_late", ""
    tasks = [one for one in filling if one[1] == "script"]
    _, cause, url = max(tasks or filling)
    return cause, url


def shifted_elements(rendering: Rendering) -> tuple[ShiftedElement, ...]:
    """Return the elements that moved, each with the cause of its shift as far as it was seen."""
    return tuple(_with_cause(one, rendering) for one in rendering.shifted_elements)


def _with_cause(moved: ShiftedElement, rendering: Rendering) -> ShiftedElement:
    pusher = moved.pushed_by
    if pusher is not None:
        image = next((one for one in rendering.images if one.selector == pusher.selector), None)
        if image is not None and not image.has_space:
            return replace(moved, cause="image", cause_url=image.url)
        if pusher.html.startswith(_FRAMES):
            return replace(moved, cause="frame")
        return replace(moved, cause="content")
    font = _late_font(moved, rendering)
    return moved if font is None else replace(moved, cause="font", cause_url=font.url)


def _late_font(moved: ShiftedElement, rendering: Rendering) -> RenderedRequest | None:
    """The last font that arrived shortly before an element moved."""
    if moved.time_ms is None:
        return None
    arrived = [
        request
        for request in rendering.requests
        if request.kind == "font"
        and request.end_ms is not None
        and not request.failure
        and (request.status or 0) < 400
        and 0 <= moved.time_ms - rendering.requests_begin_ms - request.end_ms <= _FONT_MS
    ]
    return max(arrived, key=lambda request: request.end_ms or 0.0, default=None)
