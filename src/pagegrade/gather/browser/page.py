"""State of one load of a page, kept from what the browser reports, and what an access adds to its requests.

Requests to the origins of the access are paused on their way out of the browser (domain Fetch of the protocol), and
what goes with them is added there: the page sees nothing of it, a redirect begins anew, and a WebSocket, which no one
pauses, goes without. The function that decides for our client decides what is added.

Source: https://chromedevtools.github.io/devtools-protocol/tot/Fetch/
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

import msgspec

from pagegrade.gather.browser.cdp import Connection, Params
from pagegrade.gather.browser.records import ConsoleRecord, IssueRecord, RequestRecord
from pagegrade.model.access import Access
from pagegrade.model.rendering import Departure, DepartureKind
from pagegrade.parse.http.access import sent_with


class RequestAccess:
    """Adds an access to the requests of one load.

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
