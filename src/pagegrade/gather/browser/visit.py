"""One visit of a page in a browser: several loads for its metrics, then a look at what is there."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from importlib import resources
from pathlib import Path
from typing import Any, Final

import msgspec

from pagegrade.gather.browser.cdp import CommandFailed, Connection, Params
from pagegrade.gather.browser.devices import DeviceProfile
from pagegrade.gather.browser.errors import RenderingFailed
from pagegrade.gather.browser.pictures import frames_of, read_picture
from pagegrade.gather.browser.records import ConsoleRecord, IssueRecord, RequestRecord, read_coverage
from pagegrade.gather.browser.time_limit import TimeLimit
from pagegrade.gather.browser.trace_file import TraceFile
from pagegrade.model.rendering import (
    AnimatedElement,
    AxeResult,
    ElementFacts,
    Frame,
    Picture,
    RenderedImage,
    Rendering,
    TextSizes,
    Timeline,
    UsedFont,
)
from pagegrade.parse.rendering.speed_index import visual_progress
from pagegrade.parse.rendering.timeline import CATEGORIES, Recording, read_timeline
from pagegrade.parse.url import is_http, strip_fragment

MAX_HTML_CHARACTERS: Final = 3_000_000
FILMSTRIP_FRAMES: Final = 10
FILMSTRIP_WIDTH_PX: Final = 120
MAX_ASSETS: Final = 500
"""Images, and fonts, of a page that are described."""
FULL_PAGE_HEIGHT_PX: Final = 8_192
_FULL_PAGE_SCALE: Final = 0.5
_PICTURE_QUALITY: Final = 60
_QUIET_S: Final = 5.25
"""Without long tasks and with few requests, until a load is over: a little more than what interactivity takes."""
MAX_SHIFTED_ELEMENTS: Final = 5
SMALL_TEXT_PX: Final = 12
MAX_SMALL_TEXTS: Final = 30
_POLL_S: Final = 0.25
_COMMAND_S: Final = 15.0
_AXE_S: Final = 20.0
_AXE_NODES: Final = 30
"""Elements reported of one rule."""
_WORLD: Final = "pagegrade"
_REQUESTS_WHEN_QUIET: Final = 2


def _script(name: str) -> str:
    return resources.files(__package__).joinpath("scripts", name).read_text(encoding="utf-8")


@dataclass(frozen=True, slots=True, kw_only=True)
class VisitOptions:
    """Options of one visit."""

    device: DeviceProfile
    network: str
    loads: int = 3
    """Loads of the page, 1 to 5; metrics are their median."""
    cpu_slowdown: float = 1.0
    trace: Path | None = None
    """File for the trace of the last load, unless the time ends before it."""
    time_s: float
    """For all loads and the look; with too little of it, loads are left out or cut, and notes say so."""
    load_s: float = 45.0
    """For one load, the wait for quiet included."""


class Visit:
    """Visits one page with a running browser."""

    def __init__(self, connection: Connection, options: VisitOptions) -> None:
        self._connection = connection
        self._options = options
        self._product = ""
        self._notes: dict[str, None] = {}
        self._time = TimeLimit(options.time_s)

    async def run(self, url: str) -> Rendering:
        """Load the page and report what is there.

        Raises:
            RenderingFailed: The page could not be drawn at all.
        """
        version = await self._send("Browser.getVersion")
        self._product = str(version.get("product", ""))[:100]
        await self._keep_closed()
        loads: list[Timeline] = []
        pictures: list[Picture] = []
        rendering: Rendering | None = None
        slowest_s = 0.0
        while rendering is None:
            left = self._options.loads - len(loads)
            last = left == 1 or not self._time.has_time(slowest_s, loads=2)
            left_s = self._time.left_s()
            async with self._page() as page:
                with TraceFile(self._options.trace if last else None) as trace:
                    timeline, shots = await self._load(page, url, with_coverage=last, trace=trace)
                slowest_s = max(slowest_s, left_s - self._time.left_s())
                last = last or not self._time.has_time(slowest_s, loads=1)
                timeline, kept = await self.with_frames(timeline, shots, keep=FILMSTRIP_FRAMES if last else 0)
                loads.append(timeline)
                if last:
                    if left > 1:
                        self._notes["loads_cut"] = None
                    pictures += kept
                    rendering = await self._look(page, timeline)
        return replace(
            rendering,
            loads=tuple(loads),
            pictures=(*rendering.pictures, *pictures),
            notes=(*rendering.notes, *self._notes),
        )

    async def _send(
        self, method: str, params: Params | None = None, *, session: str = "", time_s: float = _COMMAND_S
    ) -> Params:
        try:
            async with asyncio.timeout(self._time.bounded(time_s)):
                return await self._connection.send(method, params, session=session)
        except TimeoutError as error:
            raise RenderingFailed("timeout", "The browser did not answer in time.", reason=method) from error

    async def _keep_closed(self) -> None:
        """Refuse what leads out of the page: downloads, permissions, further pages."""
        connection = self._connection
        await self._send("Browser.setDownloadBehavior", {"behavior": "deny", "eventsEnabled": False})
        await self._send("Target.setDiscoverTargets", {"discover": True})

        def close_popup(event: Params, _session: str) -> None:
            info = event.get("targetInfo")
            if isinstance(info, dict) and info.get("type") == "page" and info.get("openerId"):
                connection.post("Target.closeTarget", {"targetId": info.get("targetId")})

        connection.on("Target.targetCreated", close_popup, lasting=True)

    @asynccontextmanager
    async def _page(self) -> AsyncIterator[_Page]:
        """A page of its own, without cache and cookies of the others."""
        context = (await self._send("Target.createBrowserContext", {"disposeOnDetach": True}))["browserContextId"]
        target = await self._send("Target.createTarget", {"url": "about:blank", "browserContextId": context})
        attached = await self._send("Target.attachToTarget", {"targetId": target["targetId"], "flatten": True})
        page = _Page(session=str(attached["sessionId"]), target=str(target["targetId"]))
        try:
            yield page
        finally:
            self._connection.forget()
            if not self._connection.closed.done():
                with suppress(RenderingFailed, CommandFailed):
                    await self._send("Target.disposeBrowserContext", {"browserContextId": context})

    async def _prepare(self, page: _Page, *, with_coverage: bool) -> None:
        session, device, connection = page.session, self._options.device, self._connection
        connection.on("Page.javascriptDialogOpening", _answer_dialogs(connection))
        connection.on("Target.attachedToTarget", _resume_children(connection))
        connection.on("Inspector.targetCrashed", page.crash)
        page.requests.listen(connection)
        page.console.listen(connection)
        page.issues.listen(connection)
        commands: list[tuple[str, Params | None]] = [
            ("Page.enable", None),
            ("Network.enable", {"maxTotalBufferSize": 0, "maxResourceBufferSize": 0}),
            ("Runtime.enable", None),
            ("Log.enable", None),
            ("DOM.enable", None),
            ("Inspector.enable", None),
            ("Audits.enable", None),
            ("Network.setBypassServiceWorker", {"bypass": True}),
            ("Target.setAutoAttach", {"autoAttach": True, "waitForDebuggerOnStart": True, "flatten": True}),
            (
                "Emulation.setDeviceMetricsOverride",
                {
                    "width": device.width_px,
                    "height": device.height_px,
                    "deviceScaleFactor": device.pixel_ratio,
                    "mobile": device.mobile,
                },
            ),
            ("Emulation.setTouchEmulationEnabled", {"enabled": device.mobile}),
            ("Emulation.setUserAgentOverride", {"userAgent": device.user_agent(self._product)}),
            ("Emulation.setFocusEmulationEnabled", {"enabled": True}),
        ]
        if self._options.cpu_slowdown > 1:
            commands.append(("Emulation.setCPUThrottlingRate", {"rate": self._options.cpu_slowdown}))
            self._notes[f"cpu_slowdown_{self._options.cpu_slowdown:g}"] = None
        page.with_coverage = with_coverage
        if with_coverage:
            connection.on("CSS.styleSheetAdded", page.add_sheet)
            connection.on("Debugger.scriptParsed", page.add_script)
            commands += [
                ("Profiler.enable", None),
                ("Profiler.startPreciseCoverage", {"callCount": False, "detailed": True}),
                ("Debugger.enable", {"maxScriptsCacheSize": 0}),
                ("Debugger.setSkipAllPauses", {"skip": True}),
                ("CSS.enable", None),
                ("CSS.startRuleUsageTracking", None),
            ]
        for method, params in commands:
            await self._send(method, params, session=session)

    async def _load(
        self, page: _Page, url: str, *, with_coverage: bool, trace: TraceFile
    ) -> tuple[Timeline, list[tuple[float, str]]]:
        """Load the page once; its timeline without frames, and the pictures of it (ms, JPEG in Base64)."""
        connection = self._connection
        await self._prepare(page, with_coverage=with_coverage)
        recording = Recording()
        complete = asyncio.Event()
        connection.on("Tracing.dataCollected", lambda event, _: recording.add(_items(event.get("value"))))
        connection.on("Tracing.dataCollected", lambda event, _: trace.add(_items(event.get("value"))))
        connection.on("Tracing.tracingComplete", lambda _event, _session: complete.set())
        config = {"excludedCategories": ["*"], "includedCategories": [*CATEGORIES, *trace.categories]}
        await self._send("Tracing.start", {"traceConfig": config, "transferMode": "ReportEvents"}, session=page.session)
        started = asyncio.get_running_loop().time()
        load_s = self._time.for_load_s(self._options.load_s)
        try:
            answer = await self._send("Page.navigate", {"url": url}, session=page.session, time_s=load_s)
        except CommandFailed as error:
            raise RenderingFailed("navigation", "The browser refused to open the page.") from error
        page.frame = str(answer.get("frameId", ""))
        failure = answer.get("errorText")
        if failure:
            raise RenderingFailed("navigation", f"The browser could not open the page: {str(failure)[:100]}.")
        await self._until_quiet(page, started + load_s)
        lasted_s = asyncio.get_running_loop().time() - started
        connection.post("Tracing.end", session=page.session)
        with suppress(TimeoutError):
            async with asyncio.timeout(_COMMAND_S):
                await complete.wait()
        if recording.cut:
            self._notes["trace_cut"] = None
        read = read_timeline(recording, frame=page.frame, lasted_s=lasted_s)
        if read is None:
            code = "timeout" if "load_timeout" in self._notes else "navigation"
            raise RenderingFailed(code, "The browser did not show the page.")
        timeline, origin_us = read
        shots = [((time - origin_us) / 1_000, picture) for time, picture in sorted(recording.screenshots)]
        return timeline, shots

    async def _until_quiet(self, page: _Page, end: float) -> None:
        """Wait until nothing happens any more, or the time of the load is over."""
        loop = asyncio.get_running_loop()
        idle = _script("idle.js")
        while loop.time() < end:
            if self._connection.closed.done():
                raise self._connection.closed.result()
            if page.crashed:
                raise RenderingFailed("browser_crash", "The page crashed the browser's process that drew it.")
            with suppress(CommandFailed, RenderingFailed):
                state = await self._evaluate(page, idle, time_s=min(5.0, max(0.1, end - loop.time())))
                if isinstance(state, list) and len(state) == 3:
                    since_task, since_paint, ready = state
                    quiet_network = page.requests.quiet_since(loop.time(), _REQUESTS_WHEN_QUIET)
                    quiet_s = min(float(since_task) / 1_000, quiet_network)
                    painted = since_paint < 0 or since_paint / 1_000 >= _QUIET_S
                    if ready == "complete" and quiet_s >= _QUIET_S and painted:
                        return
            await asyncio.sleep(_POLL_S)
        self._notes["load_timeout"] = None

    async def _evaluate(self, page: _Page, expression: str, *, time_s: float = _COMMAND_S) -> Any:
        """Evaluate an expression in a world of our own, where the page's scripts cannot interfere."""
        if not page.frame:
            return None
        for attempt in range(2):
            if page.world is None:
                world = await self._send(
                    "Page.createIsolatedWorld", {"frameId": page.frame, "worldName": _WORLD}, session=page.session
                )
                page.world = world.get("executionContextId")
            try:
                answer = await self._send(
                    "Runtime.evaluate",
                    {
                        "expression": expression,
                        "contextId": page.world,
                        "returnByValue": True,
                        "awaitPromise": True,
                        "timeout": round(time_s * 1_000),
                    },
                    session=page.session,
                    time_s=time_s,
                )
            except CommandFailed:
                # The page went elsewhere, and its worlds with it.
                page.world = None
                if attempt:
                    raise
                continue
            if "exceptionDetails" in answer:
                raise CommandFailed("Runtime.evaluate", "an exception")
            result = answer.get("result")
            return result.get("value") if isinstance(result, dict) else None
        return None

    async def with_frames(
        self, timeline: Timeline, shots: Sequence[tuple[float, str]], *, keep: int
    ) -> tuple[Timeline, list[Picture]]:
        """The timeline with its visual progress, and some of the pictures for a filmstrip."""
        chosen = frames_of(shots)
        if not chosen:
            return timeline, []
        kept = sorted({round(index * (len(chosen) - 1) / max(1, keep - 1)) for index in range(keep)})
        async with self._page() as page:
            await self._send("Runtime.enable", session=page.session)
            arguments = [[picture for _, picture in chosen], kept, FILMSTRIP_WIDTH_PX]
            expression = f"({_script('frames.js')})(...{msgspec.json.encode(arguments).decode()})"
            try:
                answer = await self._send(
                    "Runtime.evaluate",
                    {"expression": expression, "returnByValue": True, "awaitPromise": True},
                    session=page.session,
                )
            except (CommandFailed, RenderingFailed):
                return timeline, []
        value = _dict(_dict(answer.get("result")).get("value"))
        progress = visual_progress(_items(value.get("histograms")), [time for time, _ in chosen])
        if len(progress) != len(chosen):
            return timeline, []
        frames = [Frame(time_ms=time, progress=share) for (time, _), share in zip(chosen, progress, strict=True)]
        pictures = [
            picture
            for index, entry in sorted(_dict(value.get("webp")).items(), key=lambda item: int(item[0]))
            if (picture := read_picture("frame", entry, time_ms=frames[int(index)].time_ms)) is not None
        ]
        return replace(timeline, frames=tuple(frames)), pictures

    async def _look(self, page: _Page, timeline: Timeline) -> Rendering:
        """Look at the page after the load; parts that fail are left out and named."""
        device = self._options.device
        document = _dict(await self._part(self._evaluate(page, f"({_script('document.js')})({MAX_HTML_CHARACTERS})")))
        if not document and "look_timeout" in self._notes:
            raise RenderingFailed("timeout", "The page did not come to an end in time.", reason="time_limit")
        if not document:
            raise RenderingFailed("navigation", "The document could not be read after it was drawn.")
        url = str(document.get("url", ""))
        if not is_http(url):
            # The page went on to an address that is refused or does not answer: the browser's own error page is not it.
            raise RenderingFailed("navigation", "The page left for an address that could not be opened.", reason="left")
        html = str(document.get("html", ""))
        if document.get("frames"):
            self._notes["frames_not_checked"] = None
        axe, axe_version = await self._run_axe(page)
        largest, shifted = await self._elements(page, timeline)
        animated = await self._animated(page, timeline)
        images, fonts = await self._assets(page)
        text_sizes = await self._text_sizes(page)
        height = min(_number(document.get("height")) or device.height_px, FULL_PAGE_HEIGHT_PX)
        pictures = [
            await self._part(self._shoot(page, "viewport", device.height_px, 1.0)),
            await self._part(self._shoot(page, "full_page", round(height), _FULL_PAGE_SCALE)),
        ]
        coverage = None
        if page.with_coverage:
            coverage = await self._part(read_coverage(self._send, page.session, page.sheets, page.scripts))
        cookies = _items(_dict(await self._part(self._send("Network.getCookies", session=page.session))).get("cookies"))
        by_script = page.requests.cookies_set_by_server()
        return Rendering(
            device=device.name,
            browser=self._product,
            network=self._options.network,
            viewport_px=(device.width_px, device.height_px),
            pixel_ratio=device.pixel_ratio,
            loads=(),
            final_url=strip_fragment(url),
            title=str(document.get("title", "")),
            html=html,
            html_cut=document.get("cut") is True,
            dom_elements=_whole(document.get("elements")),
            js_heap_bytes=_whole(document.get("heap")),
            lcp_element=largest,
            shifted_elements=shifted,
            animated_elements=animated,
            text_sizes=text_sizes,
            requests=page.requests.finish(),
            requests_cut=page.requests.cut,
            console=page.console.finish(),
            axe=axe,
            axe_version=axe_version,
            coverage=None if coverage is None else tuple(coverage),
            images=images,
            fonts=fonts,
            issues=page.issues.finish(),
            cookies_by_script=tuple(sorted({str(_dict(one).get("name", ""))[:100] for one in cookies} - by_script))[
                :100
            ],
            pictures=tuple(picture for picture in pictures if picture is not None),
        )

    async def _part(self, work: Any) -> Any:
        """A part of the look; ``None`` when it failed. A browser that is gone ends all."""
        try:
            return await work
        except CommandFailed as error:
            self._notes[f"failed_{error.method}"] = None
        except RenderingFailed:
            if self._connection.closed.done():
                raise
            self._notes["look_timeout"] = None
        return None

    async def _run_axe(self, page: _Page) -> tuple[tuple[AxeResult, ...] | None, str]:
        try:
            await self._evaluate(page, f"{_script('axe.min.js')};0")
            rules = msgspec.json.encode({"target-size": {"enabled": True}}).decode()
            answer = _dict(
                await self._evaluate(page, f"({_script('axe_run.js')})({_AXE_NODES}, {rules})", time_s=_AXE_S)
            )
        except CommandFailed:
            self._notes["axe_failed"] = None
            return None, ""
        except RenderingFailed:
            if self._connection.closed.done():
                raise
            self._notes["axe_timeout"] = None
            return None, ""
        try:
            results = msgspec.convert(answer.get("results"), tuple[AxeResult, ...], strict=True)
        except msgspec.ValidationError:
            self._notes["axe_failed"] = None
            return None, ""
        return results, str(answer.get("version", ""))[:20]

    async def _assets(self, page: _Page) -> tuple[tuple[RenderedImage, ...], tuple[UsedFont, ...]]:
        """The images as they are drawn, and the fonts that were used."""
        expression = f"({_script('assets.js')})({_script('element.js').strip()}, {MAX_ASSETS})"
        found = _dict(await self._part(self._evaluate(page, expression)))
        try:
            return (
                msgspec.convert(found.get("images", ()), tuple[RenderedImage, ...]),
                msgspec.convert(found.get("fonts", ()), tuple[UsedFont, ...]),
            )
        except msgspec.ValidationError:
            self._notes["failed_assets"] = None
            return (), ()

    async def _text_sizes(self, page: _Page) -> TextSizes | None:
        """Measure how much of the text is small."""
        arguments = f"{_script('element.js').strip()}, {SMALL_TEXT_PX}, {MAX_SMALL_TEXTS}"
        found = await self._part(self._evaluate(page, f"({_script('text_sizes.js')})({arguments})"))
        try:
            return msgspec.convert(found, TextSizes | None)
        except msgspec.ValidationError:
            self._notes["failed_text_sizes"] = None
            return None

    async def _animated(self, page: _Page, timeline: Timeline) -> tuple[AnimatedElement, ...]:
        """The elements that the main thread animates and that are still there."""
        found = []
        for animation in timeline.animations:
            if animation.node_id is None:
                continue
            element = await self._part(self._element(page, animation.node_id))
            if element is not None:
                name, properties = animation.name, animation.properties
                found.append(AnimatedElement(name=name, properties=properties, element=element))
        return tuple(found)

    async def _elements(self, page: _Page, timeline: Timeline) -> tuple[ElementFacts | None, tuple[ElementFacts, ...]]:
        """The largest element that was painted, and those that moved most."""
        painted = timeline.paint_candidates
        largest = None
        if painted and painted[-1].node_id is not None:
            largest = await self._part(self._element(page, painted[-1].node_id))
        worst = sorted(timeline.layout_shifts, key=lambda shift: -shift.score)
        ids = dict.fromkeys(node for shift in worst for node in shift.node_ids)
        moved = [await self._part(self._element(page, node)) for node in list(ids)[:MAX_SHIFTED_ELEMENTS]]
        return largest, tuple(element for element in moved if element is not None)

    async def _element(self, page: _Page, node: int) -> ElementFacts | None:
        resolved = await self._send(
            "DOM.resolveNode", {"backendNodeId": node, "executionContextId": page.world}, session=page.session
        )
        handle = _dict(resolved.get("object")).get("objectId")
        answer = await self._send(
            "Runtime.callFunctionOn",
            {"functionDeclaration": _script("element.js"), "objectId": handle, "returnByValue": True},
            session=page.session,
        )
        value = _dict(_dict(answer.get("result")).get("value"))
        box = [_number(value.get(name)) for name in ("x", "y", "width", "height")]
        if not value or any(side is None for side in box):
            return None
        x, y, width, height = (side or 0.0 for side in box)
        return ElementFacts(
            selector=str(value.get("selector", ""))[:1_000],
            html=str(value.get("html", ""))[:300],
            x_px=x,
            y_px=y,
            width_px=width,
            height_px=height,
        )

    async def _shoot(self, page: _Page, kind: Any, height: int, scale: float) -> Picture | None:
        width = self._options.device.width_px
        answer = await self._send(
            "Page.captureScreenshot",
            {
                "format": "webp",
                "quality": _PICTURE_QUALITY,
                "captureBeyondViewport": kind == "full_page",
                "clip": {"x": 0, "y": 0, "width": width, "height": height, "scale": scale},
            },
            session=page.session,
        )
        ratio = self._options.device.pixel_ratio * scale
        return read_picture(kind, [round(width * ratio), round(height * ratio), answer.get("data")])


@dataclass(slots=True)
class _Page:
    """State of one load."""

    session: str
    target: str
    frame: str = ""
    world: int | None = None
    crashed: bool = False
    with_coverage: bool = False
    requests: RequestRecord = field(default_factory=RequestRecord)
    console: ConsoleRecord = field(default_factory=ConsoleRecord)
    issues: IssueRecord = field(default_factory=IssueRecord)
    sheets: dict[str, Params] = field(default_factory=dict)
    scripts: dict[str, Params] = field(default_factory=dict)

    def crash(self, _event: Params, session: str) -> None:
        self.crashed = self.crashed or session == self.session

    def add_sheet(self, event: Params, _session: str) -> None:
        header = _dict(event.get("header"))
        if len(self.sheets) < _MAX_SOURCES:
            self.sheets[str(header.get("styleSheetId"))] = header

    def add_script(self, event: Params, _session: str) -> None:
        if len(self.scripts) < _MAX_SOURCES:
            self.scripts[str(event.get("scriptId"))] = event


_MAX_SOURCES: Final = 1_000
"""Scripts, and style sheets, whose use is reported."""


def _answer_dialogs(connection: Connection) -> Callable[[Params, str], None]:
    """Close dialogs at once; a page may be left whatever it asks."""

    def answer(event: Params, session: str) -> None:
        accept = event.get("type") == "beforeunload"
        connection.post("Page.handleJavaScriptDialog", {"accept": accept}, session=session)

    return answer


def _resume_children(connection: Connection) -> Callable[[Params, str], None]:
    """Let frames and workers of the page go on, which wait for us at their start."""

    def resume(event: Params, _session: str) -> None:
        session = event.get("sessionId")
        info = _dict(event.get("targetInfo"))
        if not isinstance(session, str):
            return
        connection.post("Network.enable", {"maxTotalBufferSize": 0, "maxResourceBufferSize": 0}, session=session)
        if info.get("type") == "iframe":
            connection.post("Page.enable", session=session)
        auto = {"autoAttach": True, "waitForDebuggerOnStart": True, "flatten": True}
        connection.post("Target.setAutoAttach", auto, session=session)
        connection.post("Runtime.runIfWaitingForDebugger", session=session)

    return resume


def _dict(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _items(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, (int, float)) else None


def _whole(value: object) -> int | None:
    number = _number(value)
    return None if number is None or number < 0 else int(number)
