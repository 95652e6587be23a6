"""Records of one load as the browser reports it: requests, console, use of scripts and style sheets."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import suppress
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from pagegrade.gather.browser.cdp import CommandFailed, Connection, Params
from pagegrade.model.rendering import BrowserIssue, ConsoleMessage, Coverage, RenderedRequest
from pagegrade.parse.files.legacy_javascript import find_legacy_javascript

MAX_REQUESTS: Final = 1_000
MAX_MESSAGES: Final = 100
MAX_ISSUES: Final = 200
MAX_SOURCE_BYTES: Final = 10_000_000
"""Of all scripts together that are read for traces of outdated code."""
_URL_CHARACTERS: Final = 2_000
_TEXT_CHARACTERS: Final = 500
LONG_POLL_S: Final = 15.0
"""Age from which on a request that still waits is taken for one that is held open on purpose."""
POLLS: Final = 3
"""Requests of scripts for one address that show signs of a clock, from which on further ones are taken for its."""
PAUSE_S: Final = 0.5
"""Without a request under way, after which a repeated one was sent by a clock and not by the answer before it."""
MAX_POST_BYTES: Final = 65_536
"""Of what is sent with a request, up to which the browser shows it; of two longer ones no one knows if they differ."""
_STREAMS: Final = frozenset({"eventsource", "websocket", "webtransport"})
_UNOBSERVED: Final = frozenset({"ping", "cspviolationreport", "preflight", "prefetch", "media", "texttrack"})
"""Kinds of requests that nothing on the page waits for, or that go on while it is shown."""
_BY_SCRIPT: Final = frozenset({"xhr", "fetch"})
_HEADERS: Final = frozenset(
    {"cache-control", "content-encoding", "content-length", "content-type", "age", "expires", "etag", "last-modified"}
)
"""Headers of answers that a request keeps."""


def _dict(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _float(value: object) -> float | None:
    return float(value) if isinstance(value, (int, float)) else None


def _text(value: object, most: int = 100) -> str:
    return value[:most] if isinstance(value, str) else ""


def _url(value: object) -> str:
    text = _text(value, _URL_CHARACTERS)
    scheme = text.partition(":")[0]
    return f"{scheme}:" if scheme in ("data", "blob") else text


class _Repeated(msgspec.Struct):
    """Requests of scripts with one method for one address, whatever its query."""

    first_s: float
    count: int = 0
    after_pause: int = 0
    """Those that were sent after a time without any request under way."""
    answers: Counter[tuple[int, int | None, int]] = msgspec.field(default_factory=Counter)
    """(hash of what was sent with it, status, bytes of the answer) -> how often."""


class RequestRecord(msgspec.Struct):
    """Requests of one load, in the order in which they were sent."""

    cut: bool = False
    _found: dict[str, RenderedRequest] = msgspec.field(default_factory=dict)
    _done: list[RenderedRequest] = msgspec.field(default_factory=list)
    _under_way: dict[str, float] = msgspec.field(default_factory=dict)
    """Id of a request that the page waits for -> when it was sent, or its last part of a file arrived."""
    _repeated: dict[tuple[str, str], _Repeated] = msgspec.field(default_factory=dict)
    _by_script: dict[str, tuple[_Repeated, int]] = msgspec.field(default_factory=dict)
    """Id of a request of a script -> its like, and the hash of what was sent with it."""
    _busy_at: float = 0.0
    _moved_at: float = 0.0
    """When a request that the page waits for was last sent, answered, or went on."""
    _origin_s: float | None = None
    _server_cookies: set[str] = msgspec.field(default_factory=set)
    _clock: Callable[[], float] = msgspec.field(default=lambda: 0.0)

    def listen(self, connection: Connection) -> None:
        """Follow the requests that the browser reports."""
        self._clock = asyncio.get_running_loop().time
        self._busy_at = self._moved_at = self._clock()
        connection.on("Network.requestWillBeSent", self._sent)
        connection.on("Network.dataReceived", self._goes_on)
        connection.on("Network.responseReceived", self._answered)
        connection.on("Network.responseReceivedExtraInfo", self._headers)
        connection.on("Network.loadingFinished", self._finished)
        connection.on("Network.loadingFailed", self._failed)

    def quiet_since(self, now: float) -> float:
        """Return for how many seconds no request was under way that the page waits for; 0 while there is one.

        Streams and beacons are known by their kind, long polls by their age, and polls by their repetition.
        """
        for sent in self._under_way.values():
            self._busy_at = max(self._busy_at, min(now, sent + LONG_POLL_S))
        return now - self._busy_at

    def still_since(self, now: float) -> float:
        """Return for how many seconds nothing happened to any request that the page waits for."""
        return now - self._moved_at

    def cookies_set_by_server(self) -> set[str]:
        """Return the names of the cookies that answers set."""
        return self._server_cookies

    def begin_ms(self, origin_us: float) -> float:
        """Return when the first request was sent, since a time of the browser's clock."""
        return 0.0 if self._origin_s is None else round(self._origin_s * 1_000 - origin_us / 1_000, 3)

    def finish(self) -> tuple[RenderedRequest, ...]:
        """Return all requests."""
        return tuple(sorted((*self._done, *self._found.values()), key=lambda one: one.start_ms))

    def _ms(self, event: Params) -> float:
        time = _float(event.get("timestamp")) or 0.0
        if self._origin_s is None:
            self._origin_s = time
        return round((time - self._origin_s) * 1_000, 3)

    def _wait_for(self, number: str, request: RenderedRequest, sent_with: int) -> None:
        """Take a request for one that the page waits for, unless its kind or its repetition says otherwise."""
        now, kind = self._clock(), request.kind
        if kind in _BY_SCRIPT:
            address = (request.method, request.url.partition("?")[0])
            like = self._repeated.setdefault(address, _Repeated(first_s=now))
            self._by_script[number] = like, sent_with
            is_poll = like.count >= POLLS and now - like.first_s >= LONG_POLL_S
            is_poll = is_poll or like.after_pause >= POLLS or _repeats(like, sent_with)
            like.count += 1
            like.after_pause += like.count > 1 and not self._under_way and now - self._busy_at >= PAUSE_S
            if is_poll:
                return
        if kind not in _STREAMS and kind not in _UNOBSERVED:
            self._under_way[number] = self._moved_at = now

    def _no_longer(self, number: str) -> None:
        sent = self._under_way.pop(number, None)
        if sent is not None:
            self._moved_at = self._clock()
            self._busy_at = max(self._busy_at, min(self._moved_at, sent + LONG_POLL_S))

    def _goes_on(self, event: Params, _session: str) -> None:
        """Note that a part arrived: a file is not held open while it comes, unlike the answer to a script."""
        number = _text(event.get("requestId"), 200)
        if number in self._under_way:
            self._moved_at = self._clock()
            if number not in self._by_script:
                self._under_way[number] = self._moved_at

    def _sent(self, event: Params, _session: str) -> None:
        request, number = _dict(event.get("request")), _text(event.get("requestId"), 200)
        initiator = _dict(event.get("initiator"))
        time = self._ms(event)
        redirect = event.get("redirectResponse")
        earlier = self._found.pop(number, None)
        if earlier is not None and isinstance(redirect, dict):
            self._done.append(replace(_with_response(earlier, redirect, time), redirected=True, end_ms=time))
        if len(self._found) + len(self._done) >= MAX_REQUESTS:
            self.cut = True
            return
        self._found[number] = RenderedRequest(
            url=_url(request.get("url")),
            method=_text(request.get("method"), 20),
            kind=_text(event.get("type"), 30).lower(),
            initiator=_text(initiator.get("type"), 30),
            initiator_url=_url(initiator.get("url")),
            priority=_text(request.get("initialPriority"), 20),
            render_blocking=_text(event.get("renderBlockingBehavior"), 40),
            start_ms=time,
        )
        if earlier is None:
            sent_with = request.get("postData", number) if request.get("hasPostData") is True else ""
            self._wait_for(number, self._found[number], hash(_text(sent_with, MAX_POST_BYTES)))

    def _answered(self, event: Params, _session: str) -> None:
        number = _text(event.get("requestId"), 200)
        known = self._found.get(number)
        if known is not None:
            self._found[number] = _with_response(known, _dict(event.get("response")), self._ms(event))
            self._goes_on(event, "")
            if self._found[number].mime_type == "text/event-stream":
                self._no_longer(number)

    def _headers(self, event: Params, _session: str) -> None:
        for name, value in _dict(event.get("headers")).items():
            if str(name).lower() == "set-cookie" and isinstance(value, str):
                for line in value.split("\n")[:50]:
                    self._server_cookies.add(line.partition("=")[0].strip()[:100])

    def _finished(self, event: Params, _session: str) -> None:
        self._end(event, failure="")

    def _failed(self, event: Params, _session: str) -> None:
        self._end(event, failure=_text(event.get("errorText")) or "failed")

    def _end(self, event: Params, *, failure: str) -> None:
        number = _text(event.get("requestId"), 200)
        self._no_longer(number)
        known = self._found.get(number)
        if known is None:
            return
        size = _float(event.get("encodedDataLength"))
        self._found[number] = replace(
            known,
            end_ms=self._ms(event),
            failure=failure,
            wire_bytes=None if size is None else int(size),
        )
        like, sent_with = self._by_script.pop(number, (None, 0))
        if like is not None:
            like.answers[sent_with, known.status, int(size or 0)] += 1


def _repeats(like: _Repeated, sent_with: int) -> bool:
    """Return whether the same was sent and the same came back so often that it brings nothing new."""
    return any(count >= POLLS for (sent, _, _), count in like.answers.items() if sent == sent_with)


def _with_response(request: RenderedRequest, response: Mapping[str, Any], time: float) -> RenderedRequest:
    status = response.get("status")
    headers = _dict(response.get("headers"))
    size = _float(response.get("encodedDataLength"))
    return replace(
        request,
        status=status if isinstance(status, int) else None,
        protocol=_text(response.get("protocol"), 20),
        mime_type=_text(response.get("mimeType")),
        from_cache=response.get("fromDiskCache") is True or response.get("fromPrefetchCache") is True,
        response_ms=time,
        wire_bytes=None if size is None else int(size),
        response_headers=tuple(
            (str(name).lower(), _text(value, 300)) for name, value in headers.items() if str(name).lower() in _HEADERS
        ),
    )


class ConsoleRecord(msgspec.Struct):
    """Errors and warnings of one load; equal ones are counted."""

    _found: dict[tuple[str, str, str, str, int | None], int] = msgspec.field(default_factory=dict)

    def listen(self, connection: Connection) -> None:
        """Follow what the browser writes to its console."""
        connection.on("Runtime.exceptionThrown", self._exception)
        connection.on("Runtime.consoleAPICalled", self._console)
        connection.on("Log.entryAdded", self._entry)

    def finish(self) -> tuple[ConsoleMessage, ...]:
        """Return the messages in the order in which they came first."""
        return tuple(
            ConsoleMessage(
                level="error" if level == "error" else "warning",
                source=source,
                text=text,
                url=url,
                line=line,
                count=count,
            )
            for (level, source, text, url, line), count in self._found.items()
        )

    def _add(self, level: str, source: str, text: str, url: str, line: object) -> None:
        key = (level, source, text[:_TEXT_CHARACTERS], url, line if isinstance(line, int) else None)
        if key in self._found or len(self._found) < MAX_MESSAGES:
            self._found[key] = self._found.get(key, 0) + 1

    def _exception(self, event: Params, _session: str) -> None:
        details = _dict(event.get("exceptionDetails"))
        exception = _dict(details.get("exception"))
        text = _text(exception.get("description"), _TEXT_CHARACTERS) or _text(details.get("text"), _TEXT_CHARACTERS)
        self._add("error", "exception", text.partition("\n")[0], _url(details.get("url")), details.get("lineNumber"))

    def _console(self, event: Params, _session: str) -> None:
        level = event.get("type")
        if level not in ("error", "warning", "assert"):
            return
        parts = event.get("args")
        texts = [_argument(_dict(part)) for part in parts[:10]] if isinstance(parts, list) else []
        frames = _dict(event.get("stackTrace")).get("callFrames")
        top = _dict(frames[0]) if isinstance(frames, list) and frames else {}
        self._add(
            "warning" if level == "warning" else "error",
            "console",
            " ".join(texts),
            _url(top.get("url")),
            top.get("lineNumber"),
        )

    def _entry(self, event: Params, _session: str) -> None:
        entry = _dict(event.get("entry"))
        level = entry.get("level")
        if level in ("error", "warning"):
            self._add(
                level,
                _text(entry.get("source"), 30),
                _text(entry.get("text"), _TEXT_CHARACTERS),
                _url(entry.get("url")),
                entry.get("lineNumber"),
            )


class IssueRecord(msgspec.Struct):
    """Deprecated features and violations of policies in one load; equal ones are counted."""

    _found: dict[BrowserIssue, int] = msgspec.field(default_factory=dict)

    def listen(self, connection: Connection) -> None:
        """Follow the issues that the browser reports."""
        connection.on("Audits.issueAdded", self._added)

    def finish(self) -> tuple[BrowserIssue, ...]:
        """Return the issues in the order in which they came first."""
        return tuple(replace(issue, count=count) for issue, count in self._found.items())

    def _added(self, event: Params, _session: str) -> None:
        details = _dict(_dict(event.get("issue")).get("details"))
        for name, read in (
            ("deprecationIssueDetails", _deprecation),
            ("contentSecurityPolicyIssueDetails", _violation),
        ):
            found = details.get(name)
            if isinstance(found, dict):
                issue = read(found)
                if issue in self._found or len(self._found) < MAX_ISSUES:
                    self._found[issue] = self._found.get(issue, 0) + 1


def _deprecation(details: Mapping[str, Any]) -> BrowserIssue:
    url, line = _place(details)
    return BrowserIssue(kind="deprecation", subject=_text(details.get("type"), 200), url=url, line=line)


def _violation(details: Mapping[str, Any]) -> BrowserIssue:
    url, line = _place(details)
    return BrowserIssue(
        kind="csp",
        subject=_text(details.get("violatedDirective"), 200),
        url=url,
        line=line,
        blocked_url=_url(details.get("blockedURL")),
        detail=_text(details.get("contentSecurityPolicyViolationType")),
        report_only=details.get("isReportOnly") is True,
    )


def _place(details: Mapping[str, Any]) -> tuple[str, int | None]:
    location = _dict(details.get("sourceCodeLocation"))
    line = location.get("lineNumber")
    return _url(location.get("url")), line if isinstance(line, int) else None


def _argument(part: Mapping[str, Any]) -> str:
    value = part.get("value")
    return (
        str(value)[:_TEXT_CHARACTERS]
        if isinstance(value, (str, int, float, bool))
        else _text(part.get("description"), 200)
    )


Send = Callable[..., Awaitable[Params]]


async def read_coverage(
    send: Send, session: str, sheets: Mapping[str, Params], scripts: Mapping[str, Params]
) -> tuple[Coverage, ...]:
    """Return how much of each script and style sheet was used.

    Raises:
        CommandFailed: The browser does not report it.
    """
    found: list[Coverage] = []
    taken = await send("Profiler.takePreciseCoverage", session=session)
    left = MAX_SOURCE_BYTES
    for entry in _list(taken.get("result")):
        number = _text(_dict(entry).get("scriptId"), 50)
        script = scripts.get(number, {})
        length = script.get("length")
        url = _url(_dict(entry).get("url"))
        if isinstance(length, int) and url.startswith(("http://", "https://")):
            ranges = [
                (_dict(one).get("startOffset"), _dict(one).get("endOffset"), _dict(one).get("count"))
                for function in _list(_dict(entry).get("functions"))
                for one in _list(_dict(function).get("ranges"))
            ]
            inline = script.get("startLine", 0) != 0 or script.get("startColumn", 0) != 0 or not script.get("url")
            legacy: tuple[str, ...] = ()
            if not inline and 0 < length <= left:
                left -= length
                # A script that is over may be gone already.
                with suppress(CommandFailed):
                    source = await send("Debugger.getScriptSource", {"scriptId": number}, session=session)
                    legacy = find_legacy_javascript(
                        _text(source.get("scriptSource"), length).encode("utf-8", "replace")
                    )
            found.append(
                Coverage(
                    url=url,
                    kind="script",
                    total_bytes=length,
                    unused_bytes=_unused(ranges, length),
                    inline=inline,
                    legacy=legacy,
                )
            )
    usage = await send("CSS.stopRuleUsageTracking", session=session)
    used: dict[str, list[tuple[int, int]]] = {}
    for rule in _list(usage.get("ruleUsage")):
        one = _dict(rule)
        start, end = one.get("startOffset"), one.get("endOffset")
        if one.get("used") is True and isinstance(start, int) and isinstance(end, int):
            used.setdefault(_text(one.get("styleSheetId"), 50), []).append((start, end))
    for number, header in sheets.items():
        length = header.get("length")
        if isinstance(length, (int, float)):
            url = _url(header.get("sourceURL"))
            covered = _covered(used.get(number, ()), int(length))
            found.append(
                Coverage(
                    url=url,
                    kind="stylesheet",
                    total_bytes=int(length),
                    unused_bytes=int(length) - covered,
                    inline=header.get("isInline") is True,
                )
            )
    return tuple(found)


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _covered(ranges: Iterable[tuple[int, int]], length: int) -> int:
    total = at = 0
    for start, end in sorted(ranges):
        begin, stop = max(start, at, 0), min(end, length)
        if stop > begin:
            total += stop - begin
            at = stop
    return total


def _unused(ranges: Iterable[tuple[Any, Any, Any]], length: int) -> int:
    """Characters of a script that were never run: of nested ranges the innermost counts."""
    valid = [
        (start, end, count)
        for start, end, count in ranges
        if isinstance(start, int) and isinstance(end, int) and isinstance(count, int) and 0 <= start < end <= length
    ]
    valid.sort(key=lambda one: (one[0], -one[1]))
    unused, at = 0, 0
    stack: list[tuple[int, int]] = []  # (end, count) of the ranges that contain the current place

    def advance(to: int) -> None:
        nonlocal unused, at
        if to > at:
            if stack and stack[-1][1] == 0:
                unused += to - at
            at = to

    for start, end, count in valid:
        while stack and stack[-1][0] <= start:
            advance(stack[-1][0])
            stack.pop()
        advance(start)
        stack.append((end, count))
    while stack:
        advance(stack[-1][0])
        stack.pop()
    return unused
