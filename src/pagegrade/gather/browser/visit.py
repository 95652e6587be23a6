"""One visit of a page in a browser: several loads for its metrics, then a look at what is there."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from pagegrade.gather.browser.cdp import CommandFailed, Connection, Params
from pagegrade.gather.browser.options import RenderingFailed, TimeLimit, VisitOptions
from pagegrade.gather.browser.page import (
    MAX_DOCUMENTS,
    MAX_STORED,
    ElementReader,
    Page,
    RequestAccess,
    TraceFile,
    frames_of,
    read_picture,
    read_script,
    read_storage,
)
from pagegrade.gather.browser.records import LONG_POLL_S, MAX_POST_BYTES, read_coverage
from pagegrade.model.rendering import (
    AxeResult,
    Coverage,
    Frame,
    Picture,
    RenderedImage,
    Rendering,
    Span,
    TextSizes,
    Timeline,
    UsedFont,
)
from pagegrade.parse.http.access import secrets_of
from pagegrade.parse.rendering.metrics import are_alike, measure_load
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
REST_S: Final = 1.0
"""Beyond the last change of what is measured, until a load is over."""
_TIMERS_S: Final = 4.5
"""Timers of the page that go off so soon are waited for: with the rest before, what interactivity takes."""
_SHIFTS_S: Final = 5.0
"""Of a page that does nothing but move, no more is waited for: a session of shifts is no longer."""
FIRST_PAINT_S: Final = 15.0
"""After the start of a load; a page that shows nothing until then is taken for blank."""
_HANG_S: Final = 20.0
"""Without an answer of its main thread, after which a page is given up."""
_BUSY_S: Final = 1.0
"""Without an answer of its main thread, from which on it is busy with a task that no trace shows before it ends."""
SMALL_TEXT_PX: Final = 12
MAX_SMALL_TEXTS: Final = 30
_POLL_S: Final = 0.25
_COMMAND_S: Final = 15.0
_AXE_S: Final = 20.0
_AXE_NODES: Final = 30
"""Elements reported of one rule."""
_WORLD: Final = "pagegrade"


class Visit:
    """Visits one page with a running browser."""

    def __init__(self, connection: Connection, options: VisitOptions) -> None:
        self._connection = connection
        self._options = options
        self._product = ""
        self._notes: dict[str, None] = {}
        self._time = TimeLimit(options.time_s)
        self._expected_s = 0.0
        """After its start, until when a load is known to change: later loads are recorded in one piece until then."""

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
        coverage: tuple[Coverage, ...] | None = None
        slowest_s = 0.0
        left = self._options.loads
        access = self._options.access
        secrets = () if access is None else secrets_of(access, url)
        while rendering is None:
            last = left == 1 or not self._time.has_time(slowest_s, loads=2)
            # The second load may be the last one, if it is like the first.
            with_coverage = last or len(loads) == 1
            left_s = self._time.left_s()
            async with self._page() as page:
                with TraceFile(self._options.trace if with_coverage else None, secrets) as trace:
                    timeline, shots = await self._load(page, url, with_coverage=with_coverage, trace=trace)
                slowest_s = max(slowest_s, left_s - self._time.left_s())
                is_cut = not self._time.has_time(slowest_s, loads=1)
                timeline, kept = await self.with_frames(timeline, shots, keep=FILMSTRIP_FRAMES)
                left -= 1
                is_blank = timeline.first_contentful_paint_ms is None
                if last or is_cut or is_blank or not page.missed:
                    loads.append(timeline)
                enough = is_blank or (len(loads) > 1 and are_alike(*map(measure_load, loads[-2:])))
                if (last or is_cut) and left and not enough:
                    self._notes["loads_cut"] = None
                if page.with_coverage:
                    coverage = await self._part(read_coverage(self._send, page.session, page.sheets, page.scripts))
                if last or is_cut or enough:
                    pictures += kept
                    rendering = await self._look(page, timeline, coverage)
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
    async def _page(self) -> AsyncIterator[Page]:
        """A page of its own, without cache and cookies of the others."""
        context = (await self._send("Target.createBrowserContext", {"disposeOnDetach": True}))["browserContextId"]
        target = await self._send("Target.createTarget", {"url": "about:blank", "browserContextId": context})
        attached = await self._send("Target.attachToTarget", {"targetId": target["targetId"], "flatten": True})
        page = Page(session=str(attached["sessionId"]), target=str(target["targetId"]))
        try:
            yield page
        finally:
            self._connection.forget()
            if not self._connection.closed.done():
                with suppress(RenderingFailed, CommandFailed):
                    await self._send("Target.disposeBrowserContext", {"browserContextId": context})

    async def _prepare(self, page: Page, *, with_coverage: bool) -> None:
        session, device, connection = page.session, self._options.device, self._connection
        access = RequestAccess(connection, self._options.access)
        page.listen(connection, access)
        agent = device.user_agent(self._product, self._options.user_agent)
        commands: list[tuple[str, Params | None]] = [
            *access.commands(),
            ("Page.enable", None),
            (
                "Network.enable",
                {"maxTotalBufferSize": 0, "maxResourceBufferSize": 0, "maxPostDataSize": MAX_POST_BYTES},
            ),
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
            ("Emulation.setUserAgentOverride", {"userAgent": agent}),
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
        self, page: Page, url: str, *, with_coverage: bool, trace: TraceFile
    ) -> tuple[Timeline, list[tuple[float, str]]]:
        """Load the page once; its timeline without frames, and the pictures of it (ms, JPEG in Base64)."""
        connection = self._connection
        await self._prepare(page, with_coverage=with_coverage)
        recording = Recording()
        complete = asyncio.Event()
        connection.on("Tracing.dataCollected", lambda event, _: recording.add(_items(event.get("value"))))
        connection.on("Tracing.dataCollected", lambda event, _: trace.add(_items(event.get("value"))))
        connection.on("Tracing.tracingComplete", lambda _event, _session: complete.set())
        categories = [*CATEGORIES, *trace.categories]
        loop = asyncio.get_running_loop()

        over_s = loop.time()

        async def record(during: Awaitable[object]) -> None:
            complete.clear()
            config = {"excludedCategories": ["*"], "includedCategories": categories}
            await self._send(
                "Tracing.start", {"traceConfig": config, "transferMode": "ReportEvents"}, session=page.session
            )
            nonlocal over_s
            await during
            over_s = loop.time()
            connection.post("Tracing.end", session=page.session)
            with suppress(TimeoutError):
                async with asyncio.timeout(_COMMAND_S):
                    await complete.wait()

        load_s = self._time.for_load_s(self._options.load_s)
        page.started_s = page.answered_s = loop.time()
        end = page.started_s + load_s
        await record(self._open(page, url, end))
        while page.settled and (left_s := recording.next_timers_s(page.frame, _TIMERS_S)) > 0:
            # A timer may change what is measured; one that changes nothing is not waited for again.
            due, painted_ms = loop.time() + left_s, page.painted_ms
            await record(self._until_quiet(page, end, due=due))
            page.missed = recording.has_missed_timer(page.frame)
            is_alike = page.painted_ms == painted_ms and loop.time() < due + 2 * REST_S
            if page.missed or not is_alike:
                self._expected_s = max(self._expected_s, due - page.started_s)
            if is_alike:
                break
        # Until the trace has arrived, the page is asked no more.
        lasted_s = over_s - page.started_s
        if recording.cut:
            self._notes["trace_cut"] = None
        read = read_timeline(recording, frame=page.frame, lasted_s=lasted_s, settled=page.settled)
        if read is None:
            code = "timeout" if "load_timeout" in self._notes else "navigation"
            raise RenderingFailed(code, "The browser did not show the page.")
        timeline, page.origin_us = read
        if not page.settled and over_s - page.answered_s >= _BUSY_S:
            # What the trace shows was done after the last answer is no part of the task that it does not show.
            busy_ms = timeline.end_ms - (over_s - page.answered_s) * 1_000
            busy_ms = max([busy_ms, *(task.end_ms or 0.0 for task in timeline.long_tasks)])
            timeline = replace(timeline, long_tasks=(*timeline.long_tasks, Span(start_ms=busy_ms, end_ms=None)))
        shots = [((time - page.origin_us) / 1_000, picture) for time, picture in sorted(recording.screenshots)]
        return timeline, shots

    async def _open(self, page: Page, url: str, end: float) -> None:
        """Navigate to the page, and wait until its load is over."""
        left_s = end - asyncio.get_running_loop().time()
        try:
            answer = await self._send("Page.navigate", {"url": url}, session=page.session, time_s=left_s)
        except CommandFailed as error:
            raise RenderingFailed("navigation", "The browser refused to open the page.") from error
        page.frame = str(answer.get("frameId", ""))
        failure = answer.get("errorText")
        if failure:
            raise RenderingFailed("navigation", f"The browser could not open the page: {str(failure)[:100]}.")
        await self._until_quiet(page, end, due=page.started_s + self._expected_s)

    async def _until_quiet(self, page: Page, end: float, *, due: float = 0.0) -> None:
        """Wait until nothing that is measured changes any more, or the time of the load is over.

        A load is over when the document is complete, something was painted, no request is under way that the page
        waits for, and nothing has happened for ``REST_S``, which begin at ``due`` at the earliest. One that waits for
        a file, of which nothing came for as long as a long poll may last, is cut off.
        """
        loop = asyncio.get_running_loop()
        idle = read_script("idle.js")
        still_since = loop.time()
        missing = ["load_timeout"]
        page.settled = False
        while loop.time() < end:
            self._raise_if_lost(page)
            asked = loop.time()
            with suppress(CommandFailed, RenderingFailed):
                state = await self._evaluate(page, idle, time_s=min(5.0, max(0.1, end - asked)))
                now = page.answered_s = loop.time()
                if isinstance(state, list) and len(state) == 5:
                    since_change, since_shift, painted, ready, page.painted_ms = state
                    quiet_s = min(float(since_change) / 1_000, now - due)
                    blank = [] if painted else ["nothing_painted"]
                    if ready != "complete":
                        missing = ["unfinished", *blank]
                        if quiet_s >= REST_S and page.requests.still_since(now) >= LONG_POLL_S:
                            break
                    elif page.requests.quiet_since(now) < REST_S:
                        missing = ["requests_open"]
                    elif quiet_s < REST_S:
                        missing = ["load_timeout"]
                    else:
                        missing = blank
                    if missing:
                        still_since = now
                    shown = not missing or (missing == blank and now - page.started_s >= FIRST_PAINT_S)
                    if shown and (float(since_shift) / 1_000 >= REST_S or now - still_since >= _SHIFTS_S):
                        page.settled = True
                        break
            if loop.time() - page.answered_s >= _HANG_S:
                raise RenderingFailed(
                    "timeout",
                    f"A script of the page kept the browser busy: it did not answer for {_HANG_S:g} seconds.",
                    reason="unresponsive",
                )
            await asyncio.sleep(_POLL_S)
        self._notes.update(dict.fromkeys(missing))

    def _raise_if_lost(self, page: Page) -> None:
        """End a visit of which nothing more can come."""
        if self._connection.closed.done():
            raise self._connection.closed.result()
        if page.crashed:
            raise RenderingFailed(
                "browser_crash", "The page crashed the browser's process that drew it.", reason="page_crash"
            )
        if len(page.documents) > MAX_DOCUMENTS:
            raise RenderingFailed("navigation", "The page loads itself, or others, again and again.", reason="reloads")

    async def _evaluate(self, page: Page, expression: str, *, time_s: float = _COMMAND_S) -> Any:
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
            expression = f"({read_script('frames.js')})(...{msgspec.json.encode(arguments).decode()})"
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

    async def _look(self, page: Page, timeline: Timeline, coverage: tuple[Coverage, ...] | None) -> Rendering:
        """Look at the page after the load; parts that fail are left out and named."""
        device = self._options.device
        document = _dict(
            await self._part(self._evaluate(page, f"({read_script('document.js')})({MAX_HTML_CHARACTERS})"))
        )
        if not document and "look_timeout" in self._notes:
            raise RenderingFailed("timeout", "The page did not come to an end in time.", reason="time_limit")
        if not document:
            raise RenderingFailed("navigation", "The document could not be read after it was drawn.")
        url = str(document.get("url", ""))
        if not is_http(url):
            # The page went on to an address that is refused or does not answer: the browser's own error page is not it.
            raise RenderingFailed("navigation", "The page left for a URL that could not be opened.", reason="left")
        html = str(document.get("html", ""))
        if document.get("frames"):
            self._notes["frames_not_checked"] = None
        axe, axe_version = await self._run_axe(page)
        reader = ElementReader(self._send, self._part, page)
        largest = await reader.largest(timeline)
        shifted = await reader.shifted(timeline)
        animated = await reader.animated(timeline)
        images, fonts = await self._assets(page)
        text_sizes = await self._text_sizes(page)
        height = min(_number(document.get("height")) or device.height_px, FULL_PAGE_HEIGHT_PX)
        pictures = [
            await self._part(self._shoot(page, "viewport", device.height_px, 1.0)),
            await self._part(self._shoot(page, "full_page", round(height), _FULL_PAGE_SCALE)),
        ]
        heap = _dict(await self._part(self._send("Runtime.getHeapUsage", session=page.session)))
        cookies = _items(_dict(await self._part(self._send("Network.getCookies", session=page.session))).get("cookies"))
        by_server = page.requests.cookies_set_by_server()
        by_script = tuple(sorted({str(_dict(one).get("name", ""))[:100] for one in cookies} - by_server))
        found = await self._part(self._evaluate(page, f"({read_script('storage.js')})({MAX_STORED})"))
        return Rendering(
            device=device.name,
            browser=self._product,
            network=self._options.network,
            viewport_px=(device.width_px, device.height_px),
            pixel_ratio=device.pixel_ratio,
            loads=(),
            final_url=strip_fragment(url),
            departures=tuple(page.departures),
            title=str(document.get("title", "")),
            html=html,
            html_cut=document.get("cut") is True,
            dom_elements=_whole(document.get("elements")),
            js_heap_bytes=_whole(heap.get("usedSize")),
            lcp_element=largest,
            shifted_elements=shifted,
            animated_elements=animated,
            text_sizes=text_sizes,
            requests=page.requests.finish(),
            requests_begin_ms=page.requests.begin_ms(page.origin_us),
            requests_cut=page.requests.cut,
            console=page.console.finish(),
            axe=axe,
            axe_version=axe_version,
            coverage=coverage,
            images=images,
            fonts=fonts,
            issues=page.issues.finish(),
            cookies_by_script=by_script[:100],
            storage=read_storage(cookies, by_server, found),
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

    async def _run_axe(self, page: Page) -> tuple[tuple[AxeResult, ...] | None, str]:
        try:
            await self._evaluate(page, f"{read_script('axe.min.js')};0")
            rules = msgspec.json.encode({"target-size": {"enabled": True}}).decode()
            answer = _dict(
                await self._evaluate(page, f"({read_script('axe_run.js')})({_AXE_NODES}, {rules})", time_s=_AXE_S)
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

    async def _assets(self, page: Page) -> tuple[tuple[RenderedImage, ...], tuple[UsedFont, ...]]:
        """The images as they are drawn, and the fonts that were used."""
        expression = f"({read_script('assets.js')})({read_script('element.js').strip()}, {MAX_ASSETS})"
        found = _dict(await self._part(self._evaluate(page, expression)))
        try:
            return (
                msgspec.convert(found.get("images", ()), tuple[RenderedImage, ...]),
                msgspec.convert(found.get("fonts", ()), tuple[UsedFont, ...]),
            )
        except msgspec.ValidationError:
            self._notes["failed_assets"] = None
            return (), ()

    async def _text_sizes(self, page: Page) -> TextSizes | None:
        """Measure how much of the text is small."""
        arguments = f"{read_script('element.js').strip()}, {SMALL_TEXT_PX}, {MAX_SMALL_TEXTS}"
        found = await self._part(self._evaluate(page, f"({read_script('text_sizes.js')})({arguments})"))
        try:
            return msgspec.convert(found, TextSizes | None)
        except msgspec.ValidationError:
            self._notes["failed_text_sizes"] = None
            return None

    async def _shoot(self, page: Page, kind: Any, height: int, scale: float) -> Picture | None:
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


def _dict(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _items(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, (int, float)) else None


def _whole(value: object) -> int | None:
    number = _number(value)
    return None if number is None or number < 0 else int(number)
