"""One load of a page: its state as the browser reports it, and its captures.

Captures are its pictures, its trace, the elements that the browser numbers, and what the page keeps there. Chromium's
developer tools and Perfetto open the trace as a file
(https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU, JSON object format).
"""

from __future__ import annotations

import asyncio
import base64
import binascii
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from importlib import resources
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import Any, BinaryIO, Final, Self

import msgspec

from pagegrade.gather.browser.cdp import Connection, Params
from pagegrade.gather.browser.records import ConsoleRecord, IssueRecord, RequestRecord
from pagegrade.model.access import Access
from pagegrade.model.rendering import (
    AnimatedElement,
    Departure,
    DepartureKind,
    ElementFacts,
    LayoutShift,
    Picture,
    ShiftedElement,
    StoredEntry,
    Timeline,
)
from pagegrade.parse.http.access import sent_with
from pagegrade.report.masking import without_secrets

MAX_FRAMES: Final = 60
"""Pictures of one load that its speed index is computed from."""
MAX_PICTURE_BYTES: Final = 2_000_000
MAX_SHIFTED_ELEMENTS: Final = 5
MAX_STORED: Final = 100
"""Cookies and entries of storage that are listed."""
_NAME_CHARACTERS: Final = 100


class RequestAccess:
    """Adds an access to the requests of one load.

    Requests to its origins are paused on their way out of the browser (domain Fetch of the protocol,
    https://chromedevtools.github.io/devtools-protocol/tot/Fetch/), and what goes with them is added there: the page
    sees nothing of it, a redirect begins anew, and a WebSocket, which no one pauses, goes without.

    Args:
        connection: To the browser.
        access: ``None``: no request is paused.
    """

    def __init__(self, connection: Connection, access: Access | None) -> None:
        self._connection = connection
        self._access = access
        if access is not None:
            connection.on("Fetch.requestPaused", self._send)

    def commands(self) -> list[tuple[str, Params | None]]:
        """The commands for a page, a frame or a worker before its first request."""
        if self._access is None:
            return []
        return [("Fetch.enable", {"patterns": [{"urlPattern": f"{origin}/*"} for origin in self._access.origins]})]

    def _send(self, event: Params, session: str) -> None:
        request = event.get("request")
        answer: Params = {"requestId": event.get("requestId")}
        if isinstance(request, dict):
            answer |= self._overrides(request)
        self._connection.post("Fetch.continueRequest", answer, session=session)

    def _overrides(self, request: dict[str, Any]) -> Params:
        """The changes to a request."""
        url, headers = request.get("url"), request.get("headers")
        if not isinstance(url, str) or not isinstance(headers, dict):
            return {}
        sent = sent_with(self._access, url)
        if sent is None:
            return {}
        lines = sent.header_lines((str(name), str(value)) for name, value in headers.items())
        changed: Params = {"headers": [{"name": name, "value": value} for name, value in lines]}
        return changed | ({"url": sent.url} if sent.url != url else {})


MAX_SOURCES: Final = 1_000
"""Scripts, and style sheets, whose use is reported."""
MAX_DEPARTURES: Final = 10
MAX_DOCUMENTS: Final = 8
"""Documents after which a page that loads others, or itself, is given up."""
_DEPARTURES: Final[Mapping[str, DepartureKind]] = MappingProxyType(
    {"metaTagRefresh": "meta", "httpHeaderRefresh": "header", "reload": "reload"}
)
"""Cause of a navigation in the browser's words -> in ours; all others are scripts."""


class Page(msgspec.Struct):
    """State of one load."""

    session: str
    target: str
    frame: str = ""
    world: int | None = None
    crashed: bool = False
    with_coverage: bool = False
    requests: RequestRecord = msgspec.field(default_factory=RequestRecord)
    console: ConsoleRecord = msgspec.field(default_factory=ConsoleRecord)
    issues: IssueRecord = msgspec.field(default_factory=IssueRecord)
    sheets: dict[str, Params] = msgspec.field(default_factory=dict)
    scripts: dict[str, Params] = msgspec.field(default_factory=dict)

    left_by: dict[str, str] = msgspec.field(default_factory=dict)
    """Frame -> cause of the navigation that is under way, as the browser says; the page's own is one of them."""
    documents: list[str] = msgspec.field(default_factory=list)
    """Addresses that the page has shown, one for each document."""
    departures: list[Departure] = msgspec.field(default_factory=list)
    settled: bool = False
    """Its load is over: nothing is under way that could change what is measured."""
    painted_ms: float = 0.0
    """On the page's clock: when first or larger content was painted last, as it said when it last answered."""
    missed: bool = False
    """A timer went off while nothing was recorded, so what is measured may lack what it did."""
    origin_us: float = 0.0
    """Of the navigation that was measured, on the browser's clock."""
    started_s: float = 0.0
    answered_s: float = 0.0
    """When the page's main thread last answered us."""

    def listen(self, connection: Connection, access: RequestAccess) -> None:
        """Follow what the browser reports of the page, and answer what it would wait for."""
        connection.on("Page.javascriptDialogOpening", answer_dialogs(connection))
        connection.on("Target.attachedToTarget", resume_children(connection, access))
        connection.on("Inspector.targetCrashed", self.crash)
        connection.on("Page.frameRequestedNavigation", self._asks_to_leave)
        connection.on("Page.frameNavigated", self._navigated)
        self.requests.listen(connection)
        self.console.listen(connection)
        self.issues.listen(connection)

    def _asks_to_leave(self, event: Params, session: str) -> None:
        if session == self.session and len(self.left_by) < MAX_SOURCES:
            self.left_by[str(event.get("frameId", ""))] = str(event.get("reason", ""))

    def _navigated(self, event: Params, session: str) -> None:
        frame = event.get("frame")
        if session != self.session or not isinstance(frame, dict):
            return
        reason = self.left_by.pop(str(frame.get("id", "")), "")
        if frame.get("parentId"):
            return
        url = str(frame.get("url", ""))
        if self.documents and len(self.departures) < MAX_DEPARTURES:
            self.departures.append(
                Departure(
                    kind=_DEPARTURES.get(reason, "script"),
                    url=url[:2_000],
                    after_ms=round((asyncio.get_running_loop().time() - self.started_s) * 1_000, 1),
                )
            )
        if len(self.documents) <= MAX_DOCUMENTS:
            self.documents.append(url)

    def crash(self, _event: Params, session: str) -> None:
        """Note that the process is gone that draws the page."""
        self.crashed = self.crashed or session == self.session

    def add_sheet(self, event: Params, _session: str) -> None:
        """Note a style sheet whose use is to be read."""
        header = event.get("header")
        if isinstance(header, dict) and len(self.sheets) < MAX_SOURCES:
            self.sheets[str(header.get("styleSheetId"))] = header

    def add_script(self, event: Params, _session: str) -> None:
        """Note a script whose use is to be read."""
        if len(self.scripts) < MAX_SOURCES:
            self.scripts[str(event.get("scriptId"))] = event


def answer_dialogs(connection: Connection) -> Callable[[Params, str], None]:
    """Close dialogs at once; a page may be left whatever it asks."""

    def answer(event: Params, session: str) -> None:
        accept = event.get("type") == "beforeunload"
        connection.post("Page.handleJavaScriptDialog", {"accept": accept}, session=session)

    return answer


def resume_children(connection: Connection, access: RequestAccess) -> Callable[[Params, str], None]:
    """Let frames and workers of the page go on, which wait for us at their start."""

    def resume(event: Params, _session: str) -> None:
        session = event.get("sessionId")
        info = event.get("targetInfo")
        if not isinstance(session, str) or not isinstance(info, dict):
            return
        connection.post("Network.enable", {"maxTotalBufferSize": 0, "maxResourceBufferSize": 0}, session=session)
        if info.get("type") == "iframe":
            connection.post("Page.enable", session=session)
        for method, params in access.commands():
            connection.post(method, params, session=session)
        auto = {"autoAttach": True, "waitForDebuggerOnStart": True, "flatten": True}
        connection.post("Target.setAutoAttach", auto, session=session)
        connection.post("Runtime.runIfWaitingForDebugger", session=session)

    return resume


def frames_of(shots: Sequence[tuple[float, str]]) -> list[tuple[float, str]]:
    """At most 60 pictures after the navigation; of equal neighbors the first."""
    found: list[tuple[float, str]] = []
    for time, picture in shots:
        if time >= 0 and (not found or found[-1][1] != picture):
            found.append((time, picture))
    if len(found) <= MAX_FRAMES:
        return found
    step = (len(found) - 1) / (MAX_FRAMES - 1)
    return [found[round(index * step)] for index in range(MAX_FRAMES)]


def read_picture(kind: Any, entry: object, *, time_ms: float | None = None) -> Picture | None:
    """A picture from (width, height, WebP in Base64); ``None`` for anything else."""
    if not isinstance(entry, list) or len(entry) != 3:
        return None
    width, height, text = entry
    if not isinstance(width, int) or not isinstance(height, int) or not isinstance(text, str):
        return None
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None
    if not data.startswith(b"RIFF") or len(data) > MAX_PICTURE_BYTES:
        return None
    return Picture(kind=kind, width_px=width, height_px=height, data=data, time_ms=time_ms)


_FOR_READERS: Final = (
    "blink.console",
    "disabled-by-default-devtools.timeline.frame",
    "latencyInfo",
    "v8.execute",
)
"""Categories that the tools of people show and the metrics do not need."""


class TraceFile:
    """Writes the events of a trace as they arrive; their size is limited by what is read from a browser.

    Args:
        path: The file, which is replaced; ``None`` to keep nothing.
        secrets: Texts that are masked in it.

    Raises:
        OSError: The file cannot be written.
    """

    def __init__(self, path: Path | None, secrets: Sequence[str] = ()) -> None:
        self.categories = () if path is None else _FOR_READERS
        """Categories to record besides those of the metrics."""
        self._path = path
        self._secrets = secrets
        self._file: BinaryIO | None = None
        self._is_empty = True

    def __enter__(self) -> Self:
        if self._path is not None:
            self._file = self._path.open("wb")
            self._file.write(b'{"traceEvents":[')
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._file is not None:
            with self._file as file:
                file.write(b"]}\n")

    def add(self, events: Sequence[object]) -> None:
        """Write a part of the trace."""
        if self._file is not None and events:
            self._file.write(b"" if self._is_empty else b",\n")
            self._file.write(without_secrets(b",\n".join(map(msgspec.json.encode, events)), self._secrets))
            self._is_empty = False


@cache
def read_script(name: str) -> str:
    """Return the source of one of our scripts."""
    return resources.files(__package__).joinpath("scripts", name).read_text(encoding="utf-8")


class ElementReader:
    """Asks the browser about elements of one page."""

    def __init__(
        self, send: Callable[..., Awaitable[Params]], part: Callable[[Awaitable[Any]], Awaitable[Any]], page: Page
    ) -> None:
        """Take what sends a command, what waits for one that may fail, and the page."""
        self._send = send
        self._part = part
        self._page = page

    async def largest(self, timeline: Timeline) -> ElementFacts | None:
        """The largest element that was painted."""
        painted = timeline.paint_candidates
        if not painted or painted[-1].node_id is None:
            return None
        return await self._element(painted[-1].node_id)

    async def shifted(self, timeline: Timeline) -> tuple[ShiftedElement, ...]:
        """The elements that moved in the worst shifts and are still there."""
        worst: dict[int, tuple[LayoutShift, float]] = {}
        for shift in sorted(timeline.layout_shifts, key=lambda shift: -shift.score):
            for node, down_px in zip(shift.node_ids, shift.down_px, strict=True):
                worst.setdefault(node, (shift, down_px))
        found = []
        for node, (shift, down_px) in list(worst.items())[:MAX_SHIFTED_ELEMENTS]:
            element = await self._element(node)
            if element is None:
                continue
            describe = read_script("element.js").strip()
            found.append(
                ShiftedElement(
                    **msgspec.structs.asdict(element),
                    time_ms=shift.time_ms,
                    score=shift.score,
                    down_px=down_px,
                    pushed_by=await self._element(node, "pusher.js", describe, down_px) if down_px >= 1 else None,
                )
            )
        return tuple(found)

    async def animated(self, timeline: Timeline) -> tuple[AnimatedElement, ...]:
        """The elements that the main thread animates and that are still there."""
        found = []
        for animation in timeline.animations:
            if animation.node_id is not None and (element := await self._element(animation.node_id)) is not None:
                name, properties = animation.name, animation.properties
                found.append(AnimatedElement(name=name, properties=properties, element=element))
        return tuple(found)

    async def _element(self, node: int, script: str = "element.js", *arguments: str | float) -> ElementFacts | None:
        """Return the element that a script names for an element; ``None`` if it is gone, or there is none."""
        found: ElementFacts | None = await self._part(self._ask(node, script, arguments))
        return found

    async def _ask(self, node: int, script: str, arguments: Sequence[str | float]) -> ElementFacts | None:
        session, world = self._page.session, self._page.world
        resolved = await self._send(
            "DOM.resolveNode", {"backendNodeId": node, "executionContextId": world}, session=session
        )
        given = ", ".join(map(str, ("this", *arguments)))
        answer = await self._send(
            "Runtime.callFunctionOn",
            {
                "functionDeclaration": f"function () {{ return ({read_script(script)}).call({given}); }}",
                "objectId": _dict(resolved.get("object")).get("objectId"),
                "returnByValue": True,
            },
            session=session,
        )
        value = _dict(_dict(answer.get("result")).get("value"))
        box = [value.get(name) for name in ("x", "y", "width", "height")]
        if not all(isinstance(side, (int, float)) for side in box):
            return None
        x, y, width, height = map(float, box)  # type: ignore[arg-type] # each is a number
        return ElementFacts(
            selector=str(value.get("selector", ""))[:1_000],
            html=str(value.get("html", ""))[:300],
            x_px=x,
            y_px=y,
            width_px=width,
            height_px=height,
        )


def read_storage(cookies: Sequence[Any], by_server: set[str], others: object) -> tuple[StoredEntry, ...]:
    """List what a page keeps in the browser, without values.

    Args:
        cookies: As the browser lists them.
        by_server: Names of those that answers set.
        others: What ``storage.js`` returned.
    """
    kept = []
    for cookie in map(_dict, cookies):
        name, size = str(cookie.get("name", ""))[:_NAME_CHARACTERS], cookie.get("size")
        size_bytes = size if isinstance(size, int) and size >= 0 else None
        kept.append(StoredEntry(kind="cookie", name=name, size_bytes=size_bytes, by_script=name not in by_server))
    with suppress(msgspec.ValidationError):
        kept += msgspec.convert(others or (), list[StoredEntry])
    return tuple(kept[:MAX_STORED])


def _dict(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
