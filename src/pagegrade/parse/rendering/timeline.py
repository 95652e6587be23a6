"""Trace events of Chromium -> the timeline of a page's load.

Events come from a browser that a page may have taken over: every value is checked, and every list is bounded.

Source: https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU (format of trace events);
names of events: third_party/blink/renderer/core/{paint,loader,timing} of Chromium.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from pagegrade.model.rendering import (
    LayoutShift,
    PaintCandidate,
    ScriptTime,
    Span,
    ThreadAnimation,
    ThreadWork,
    Timeline,
    WorkKind,
)
from pagegrade.parse.rendering.metrics import LONG_TASK_MS

MAX_ITEMS: Final = 5_000
"""Of each list of a timeline."""
MAX_SHIFT_NODES: Final = 5
MAX_ANIMATIONS: Final = 20
"""That are kept of a load; of each five properties."""
_MAX_PROPERTIES: Final = 5
_TASKS: Final = frozenset({"RunTask", "ThreadControllerImpl::RunTask", "ThreadControllerImpl::DoWork"})
_SCRIPT_WORK: Final = frozenset(
    {"EvaluateScript", "FunctionCall", "v8.compile", "v8.compileModule", "v8.evaluateModule"}
)
_SHORTEST_SCRIPT_US: Final = 1_000
_WORK: Final[Mapping[str, WorkKind]] = MappingProxyType(
    {
        **dict.fromkeys(
            (
                *("EvaluateScript", "FunctionCall", "v8.compile", "v8.compileModule", "v8.evaluateModule"),
                *("EventDispatch", "FireAnimationFrame", "RunMicrotasks", "TimerFire", "XHRReadyStateChange"),
            ),
            "script",
        ),
        **dict.fromkeys(("HitTest", "Layout", "RecalculateStyles", "UpdateLayoutTree"), "layout"),
        **dict.fromkeys(("Commit", "CompositeLayers", "Layerize", "Paint", "PrePaint", "UpdateLayer"), "paint"),
        **dict.fromkeys(("ParseAuthorStyleSheet", "ParseHTML"), "parse"),
        **dict.fromkeys(("BlinkGC.AtomicPhase", "MajorGC", "MinorGC"), "memory"),
    }
)
"""Trace event of the main thread -> kind of its work."""
_SHORTEST_WORK_US: Final = 200
MAX_WORK: Final = 20_000
"""Pieces of work that are kept."""
MAX_SCRIPT_TIMES: Final = 200
"""Scripts whose time is kept, the longest."""
_URL_CHARACTERS: Final = 2_000
_NAME_CHARACTERS: Final = 100
_PAINTS: Final = frozenset(
    {"largestContentfulPaint::Candidate", "largestContentfulPaint::Invalidate", "LargestImagePaint::Candidate"}
)
_MARKS: Final = frozenset(
    {
        "navigationStart",
        "commitNavigationEnd",
        "firstContentfulPaint",
        *_PAINTS,
        "LayoutShift",
        "viewport",
        "domContentLoadedEventEnd",
        "loadEventEnd",
        "ResourceSendRequest",
        "ResourceFinish",
        "thread_name",
        "Screenshot",
        "Animation",
    }
)
_TIMERS: Final = frozenset({"TimerInstall", "TimerFire", "TimerRemove"})
_REQUESTS: Final = frozenset({"ResourceSendRequest", "ResourceFinish"})
CATEGORIES: Final = (
    "blink.user_timing",
    "devtools.timeline",
    "disabled-by-default-devtools.screenshot",
    "disabled-by-default-devtools.timeline",
    "disabled-by-default-lighthouse",
    "loading",
)
"""Categories of trace events that a timeline needs; it depends on the version which of the last two has the tasks."""

Event = Mapping[str, Any]


class Recording(msgspec.Struct):
    """Collects the events of one load that matter, as they arrive."""

    marks: list[Event] = msgspec.field(default_factory=list)
    tasks: list[tuple[int, int, float, float]] = msgspec.field(default_factory=list)
    """(process, thread, start, duration) of tasks of 50 ms or more, in microseconds."""
    scripts: list[tuple[int, int, float, float, str]] = msgspec.field(default_factory=list)
    """(process, thread, start, duration, URL) of work on scripts of 1 ms or more, in microseconds."""
    work: list[tuple[int, int, float, float, WorkKind]] = msgspec.field(default_factory=list)
    """(process, thread, start, duration, kind) of pieces of 0.2 ms or more, in microseconds."""
    screenshots: list[tuple[float, str]] = msgspec.field(default_factory=list)
    """(time in microseconds, JPEG in Base64)."""
    timers: dict[tuple[int, str, int], float] = msgspec.field(default_factory=dict)
    """(process, frame, id) of a timer that will go off once -> when, in microseconds."""
    last_us: float = 0.0
    has_tasks: bool = False
    """The browser records the tasks of its threads."""
    cut: bool = False
    """There were more events than are kept."""

    def add(self, events: Iterable[object]) -> None:
        """Add a part of a trace."""
        for event in events:
            if not isinstance(event, dict):
                continue
            name, time = event.get("name"), event.get("ts")
            if not isinstance(time, (int, float)):
                continue
            if isinstance(name, str) and name in _WORK:
                self._add_work(event, _WORK[name], time)
            if name in _TASKS:
                self._add_task(event, time)
            elif name in _SCRIPT_WORK:
                duration = event.get("dur")
                if isinstance(duration, (int, float)) and duration >= _SHORTEST_SCRIPT_US:
                    url = _script_url(event)
                    if url and self._has_room(self.scripts):
                        self.scripts.append((_int(event.get("pid")), _int(event.get("tid")), time, duration, url))
            elif name == "Screenshot":
                picture = _dict(event.get("args")).get("snapshot")
                if isinstance(picture, str) and self._has_room(self.screenshots):
                    self.screenshots.append((time, picture))
            elif name in _TIMERS:
                self._take_timer(event, name, time)
            elif name in _MARKS and self._has_room(self.marks):
                self.last_us = max(self.last_us, time)
                self.marks.append(event)

    def next_timers_s(self, frame: str, within_s: float) -> float:
        """Return the seconds from the last event to the last timer of a frame that goes off within a time; 0: none."""
        due = [time - self.last_us for (_, owner, _), time in self.timers.items() if owner == frame]
        return max((left / 1_000_000 for left in due if 0 < left <= within_s * 1_000_000), default=0.0)

    def has_missed_timer(self, frame: str) -> bool:
        """Return whether a timer of a frame went off between two parts of the trace: what it did is in none of them."""
        return any(owner == frame and due < self.last_us for (_, owner, _), due in self.timers.items())

    def _take_timer(self, event: Event, name: str, time: float) -> None:
        data = _dict(_dict(event.get("args")).get("data"))
        key = _int(event.get("pid")), str(data.get("frame")), _int(data.get("timerId"))
        timeout = data.get("timeout")
        if name != "TimerInstall":
            self.timers.pop(key, None)
        elif data.get("singleShot") is True and isinstance(timeout, (int, float)) and len(self.timers) < MAX_ITEMS:
            self.timers[key] = time + timeout * 1_000

    def _add_task(self, event: Event, time: float) -> None:
        duration = event.get("dur")
        if isinstance(duration, (int, float)):
            self.has_tasks = True
            self.last_us = max(self.last_us, time + duration)
            if duration >= LONG_TASK_MS * 1_000 and self._has_room(self.tasks):
                self.tasks.append((_int(event.get("pid")), _int(event.get("tid")), time, duration))

    def _add_work(self, event: Event, kind: WorkKind, time: float) -> None:
        duration = event.get("dur")
        if isinstance(duration, (int, float)) and duration >= _SHORTEST_WORK_US:
            self.cut = self.cut or len(self.work) >= MAX_WORK
            if len(self.work) < MAX_WORK:
                self.work.append((_int(event.get("pid")), _int(event.get("tid")), time, duration, kind))

    def _has_room(self, items: list[Any]) -> bool:
        self.cut = self.cut or len(items) >= MAX_ITEMS
        return len(items) < MAX_ITEMS


def read_timeline(
    recording: Recording, *, frame: str, lasted_s: float, settled: bool = False
) -> tuple[Timeline, float] | None:
    """Read the last navigation of the main frame.

    Args:
        recording: The trace.
        frame: Id of the main frame.
        lasted_s: How long the recording went on after the navigation was asked for.
        settled: Nothing was under way at its end.

    Returns:
        The timeline without frames, and the time of the navigation in microseconds; ``None`` where the trace holds no
        navigation to an http(s) document.
    """
    events = sorted(recording.marks, key=lambda event: float(event["ts"]))
    origin: Event | None = None
    for event in events:
        data = _dict(_dict(event.get("args")).get("data"))
        if (
            event.get("name") == "navigationStart"
            and _frame(event) == frame
            and _is_http(data.get("documentLoaderURL"))
        ):
            origin = event
    if origin is None:
        return None
    start = float(origin["ts"])
    process = _int(origin.get("pid"))
    thread = next(
        (
            _int(event.get("tid"))
            for event in events
            if event.get("name") == "thread_name"
            and _int(event.get("pid")) == process
            and _dict(event.get("args")).get("name") == "CrRendererMain"
        ),
        _int(origin.get("tid")),
    )
    end = max(recording.last_us, start + lasted_s * 1_000_000)
    # Until the answer arrives, the frame shows an empty document, which has a viewport and loads, too.
    shown = next(
        (
            float(event["ts"])
            for event in events
            if event.get("name") == "commitNavigationEnd" and _frame(event) == frame and float(event["ts"]) >= start
        ),
        start,
    )

    def ms(time: float) -> float:
        return round((time - start) / 1_000, 3)

    reader = _Reader(frame=frame, ms=ms)
    for event in events:
        if float(event["ts"]) >= (start if event.get("name") in _REQUESTS else shown):
            reader.take(event)
    return (
        Timeline(
            first_contentful_paint_ms=reader.once.get("firstContentfulPaint"),
            # The address of an image may be reported after it.
            paint_candidates=tuple(
                replace(one, url=reader.images.get(one.node_id or 0, "")) if one.kind == "image" else one
                for one in reader.candidates
            ),
            layout_shifts=tuple(reader.shifts),
            first_viewport_ms=reader.once.get("viewport"),
            long_tasks=_with_scripts(
                _outermost(recording.tasks, process, thread, start, ms), recording.scripts, process, thread, ms
            ),
            has_tasks=recording.has_tasks,
            script_times=_script_times(recording.scripts, process, thread, start),
            work=_work(recording.work, process, thread, start),
            animations=reader.animations(process),
            get_requests=tuple(
                Span(start_ms=began, end_ms=reader.finished.get(request)) for request, began in reader.sent.items()
            ),
            dom_content_loaded_ms=reader.once.get("domContentLoadedEventEnd"),
            load_ms=reader.once.get("loadEventEnd"),
            end_ms=ms(end),
            settled=settled,
        ),
        start,
    )


class _Reader(msgspec.Struct):
    """State while the events after the navigation are read in order."""

    frame: str
    ms: Any
    once: dict[str, float] = msgspec.field(default_factory=dict)
    candidates: list[PaintCandidate] = msgspec.field(default_factory=list)
    images: dict[int, str] = msgspec.field(default_factory=dict)
    """Element of an image that was the largest so far -> its address."""
    shifts: list[LayoutShift] = msgspec.field(default_factory=list)
    sent: dict[str, float] = msgspec.field(default_factory=dict)
    finished: dict[str, float] = msgspec.field(default_factory=dict)
    begun: dict[tuple[int, str], tuple[str, int | None]] = msgspec.field(default_factory=dict)
    """(process, id of an animation) -> its name and element."""
    on_main_thread: dict[tuple[int, str], tuple[str, ...]] = msgspec.field(default_factory=dict)
    """(process, id of an animation) -> properties for which it needs the main thread."""

    def take(self, event: Event) -> None:
        name = str(event.get("name"))
        time = self.ms(float(event["ts"]))
        data = _dict(_dict(event.get("args")).get("data"))
        if name in ("firstContentfulPaint", "domContentLoadedEventEnd", "loadEventEnd"):
            if _frame(event) == self.frame:
                self.once.setdefault(name, time)
        elif name == "viewport":
            if data.get("frameID") in (None, self.frame):
                self.once.setdefault(name, time)
        elif name in _PAINTS:
            if _frame(event) == self.frame:
                self._take_paint(name, data, time)
        elif name == "LayoutShift":
            self._take_shift(data, time)
        elif name == "Animation":
            self._take_animation(event, data)
        elif name in _REQUESTS:
            self._take_request(name, data, time)

    def _take_paint(self, name: str, data: Mapping[str, Any], time: float) -> None:
        if name == "largestContentfulPaint::Invalidate":
            self.candidates.clear()
        elif name == "LargestImagePaint::Candidate":
            self.images[_int(data.get("DOMNodeId"))] = _image_url(data.get("imageUrl"))
        else:
            self.candidates.append(
                PaintCandidate(
                    time_ms=time,
                    size_px=_int(data.get("size")),
                    kind="text" if data.get("type") == "text" else "image",
                    node_id=_int(data.get("nodeId")) or None,
                    load_start_ms=_time(data.get("imageLoadStart")),
                    load_end_ms=_time(data.get("imageLoadEnd")),
                )
            )

    def _take_request(self, name: str, data: Mapping[str, Any], time: float) -> None:
        if name == "ResourceFinish":
            self.finished.setdefault(str(data.get("requestId")), time)
        elif data.get("requestMethod", "GET") == "GET":
            self.sent.setdefault(str(data.get("requestId")), time)

    def animations(self, process: int) -> tuple[ThreadAnimation, ...]:
        """Those of a process that need the main thread."""
        kept = [key for key in self.begun if key[0] == process and key in self.on_main_thread]
        return tuple(
            ThreadAnimation(name=self.begun[key][0], properties=self.on_main_thread[key], node_id=self.begun[key][1])
            for key in kept[:MAX_ANIMATIONS]
        )

    def _take_animation(self, event: Event, data: Mapping[str, Any]) -> None:
        key = _int(event.get("pid")), str(_dict(event.get("id2")).get("local"))
        if event.get("ph") == "b":
            name = str(data.get("displayName") or data.get("name") or "")[:_NAME_CHARACTERS]
            self.begun.setdefault(key, (name, _int(data.get("nodeId")) or None))
        properties = data.get("unsupportedProperties")
        if data.get("compositeFailed") and isinstance(properties, list) and properties:
            names = tuple(str(name)[:_NAME_CHARACTERS] for name in properties[:_MAX_PROPERTIES])
            self.on_main_thread.setdefault(key, names)

    def _take_shift(self, data: Mapping[str, Any], time: float) -> None:
        weighted = data.get("weighted_score_delta")
        score = weighted if isinstance(weighted, (int, float)) else data.get("score")
        if not isinstance(score, (int, float)) or not 0 <= score < float("inf"):
            return
        nodes = data.get("impacted_nodes")
        moved = [_dict(node) for node in nodes[:MAX_SHIFT_NODES]] if isinstance(nodes, list) else []
        moved = [node for node in moved if _int(node.get("node_id"))]
        self.shifts.append(
            LayoutShift(
                time_ms=time,
                score=float(score),
                had_recent_input=data.get("had_recent_input") is True,
                node_ids=tuple(_int(node.get("node_id")) for node in moved),
                down_px=tuple(_top(node.get("new_rect")) - _top(node.get("old_rect")) for node in moved),
            )
        )


def _outermost(
    tasks: list[tuple[int, int, float, float]], process: int, thread: int, origin: float, ms: Any
) -> Iterable[Span]:
    """The tasks of a thread that end after the navigation began and lie in no other."""
    covered = float("-inf")
    for start, duration in sorted(
        (start, duration) for pid, tid, start, duration in tasks if (pid, tid) == (process, thread)
    ):
        end = start + duration
        if end > covered and end > origin:
            covered = end
            yield Span(start_ms=max(0.0, ms(start)), end_ms=ms(end))


def _with_scripts(
    tasks: Iterable[Span], work: list[tuple[int, int, float, float, str]], process: int, thread: int, ms: Any
) -> tuple[Span, ...]:
    """The tasks, each with the script that took most of it, where scripts took at least half of it."""
    pieces = sorted(
        (ms(start), ms(start + duration), url)
        for pid, tid, start, duration, url in work
        if (pid, tid) == (process, thread)
    )
    found = []
    at = 0
    for task in tasks:
        times: dict[str, float] = {}
        covered = task.start_ms
        while at < len(pieces) and pieces[at][0] < (task.end_ms or 0.0):
            start, end, url = pieces[at]
            at += 1
            if end > covered:
                times[url] = times.get(url, 0.0) + end - max(start, covered)
                covered = end
        if sum(times.values()) * 2 >= (task.end_ms or 0.0) - task.start_ms:
            longest = max(times, key=lambda url: (times[url], url), default="")
            found.append(replace(task, script_url=longest))
        else:
            found.append(task)
    return tuple(found)


def _script_times(
    work: list[tuple[int, int, float, float, str]], process: int, thread: int, origin: float
) -> tuple[ScriptTime, ...]:
    """The time of each script on a thread after the navigation began; what a script calls counts as its own."""
    covered = origin
    total: dict[str, float] = {}
    for start, duration, url in sorted(
        (start, -duration, url) for pid, tid, start, duration, url in work if (pid, tid) == (process, thread)
    ):
        end = start - duration
        if end > covered:
            total[url] = total.get(url, 0.0) + end - max(start, covered)
            covered = end
    longest = sorted(total.items(), key=lambda one: (-one[1], one[0]))[:MAX_SCRIPT_TIMES]
    return tuple(ScriptTime(url=url, time_ms=round(time / 1_000, 3)) for url, time in longest)


def _work(
    pieces: list[tuple[int, int, float, float, WorkKind]], process: int, thread: int, origin: float
) -> tuple[ThreadWork, ...]:
    """The time of each kind of work on a thread after the navigation began, each moment once.

    A piece inside another of its kind is part of it; one of another kind interrupts it. Layout inside a script was
    forced by it.
    """
    own: dict[WorkKind, float] = {}
    forced = 0.0
    around: list[tuple[float, WorkKind, bool]] = []
    for start, negative, kind in sorted(
        (start, -duration, kind)
        for pid, tid, start, duration, kind in pieces
        if (pid, tid) == (process, thread) and start >= origin
    ):
        while around and around[-1][0] <= start:
            around.pop()
        end = min(start - negative, around[-1][0]) if around else start - negative
        own[kind] = own.get(kind, 0.0) + end - start
        is_forced = False
        if around:
            _, outer, outer_is_forced = around[-1]
            own[outer] -= end - start
            is_forced = kind == "layout" and (outer == "script" or outer_is_forced)
            forced += (end - start) * (is_forced - outer_is_forced)
        around.append((end, kind, is_forced))
    return tuple(
        ThreadWork(
            kind=kind,
            time_ms=round(time / 1_000, 3),
            forced_ms=round(forced / 1_000, 3) if kind == "layout" else 0.0,
        )
        for kind, time in sorted(own.items(), key=lambda one: (-one[1], one[0]))
        if time > 0
    )


def _script_url(event: Event) -> str:
    args = _dict(event.get("args"))
    url = _dict(args.get("data")).get("url") or args.get("fileName")
    return url[:_URL_CHARACTERS] if isinstance(url, str) and _is_http(url) else ""


def _image_url(value: object) -> str:
    url = value if isinstance(value, str) else ""
    return url[:_URL_CHARACTERS] if _is_http(url) else f"{url.partition(':')[0][:20]}:" if url else ""


def _time(value: object) -> float | None:
    return float(value) if isinstance(value, (int, float)) and 0 < value < float("inf") else None


def _top(rectangle: object) -> float:
    """The upper edge of (left, top, width, height) as the browser writes it."""
    top = rectangle[1] if isinstance(rectangle, list) and len(rectangle) == 4 else 0.0
    return float(top) if isinstance(top, (int, float)) else 0.0


def _dict(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _int(value: object) -> int:
    return value if isinstance(value, int) else 0


def _is_http(value: object) -> bool:
    return isinstance(value, str) and value.startswith(("http://", "https://"))


def _frame(event: Event) -> str:
    args = _dict(event.get("args"))
    return str(args.get("frame") or _dict(args.get("data")).get("frame") or "")
