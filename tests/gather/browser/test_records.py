from __future__ import annotations

import asyncio
from typing import Any

import pytest

from pagegrade.gather.browser.cdp import CommandFailed
from pagegrade.gather.browser.records import (
    LONG_POLL_S,
    MAX_ISSUES,
    MAX_MESSAGES,
    MAX_REQUESTS,
    MAX_SOURCE_BYTES,
    POLLS,
    ConsoleRecord,
    IssueRecord,
    RequestRecord,
    read_coverage,
)
from pagegrade.model.rendering import BrowserIssue


class Wire:
    """Takes handlers, and plays events to them."""

    def __init__(self) -> None:
        self.handlers: dict[str, Any] = {}

    def on(self, event: str, handler: Any) -> None:
        self.handlers[event] = handler

    def play(self, event: str, **params: Any) -> None:
        self.handlers[event](params, "s")


def listening() -> tuple[RequestRecord, Wire]:
    """A record of requests, and its wire."""
    record, wire = RequestRecord(), Wire()

    async def listen() -> None:
        record.listen(wire)  # type: ignore[arg-type]

    asyncio.run(listen())
    return record, wire


def send(wire: Wire, number: str, url: str, at_s: float, **more: Any) -> None:
    """The browser sends a request."""
    wire.play(
        "Network.requestWillBeSent",
        requestId=number,
        request={"url": url, "method": "GET", "initialPriority": "High"},
        type="Script",
        initiator={"type": "parser", "url": "https://example.com/"},
        timestamp=at_s,
        **more,
    )


def test_a_request_has_its_answer_times_and_sizes() -> None:
    """In milliseconds from the first request."""
    record, wire = listening()
    send(wire, "1", "https://example.com/a.js", 100.0, renderBlockingBehavior="Blocking")
    response = {"status": 200, "protocol": "h2", "mimeType": "text/javascript", "headers": {"ETag": "x", "Server": "y"}}
    wire.play("Network.responseReceived", requestId="1", response=response, timestamp=100.1)
    wire.play("Network.loadingFinished", requestId="1", encodedDataLength=4_321, timestamp=100.25)

    (found,) = record.finish()

    assert (found.kind, found.status, found.protocol, found.wire_bytes) == ("script", 200, "h2", 4_321)
    assert (found.start_ms, found.response_ms, found.end_ms) == (0.0, 100.0, 250.0)
    assert (found.priority, found.render_blocking) == ("High", "Blocking")
    assert found.response_headers == (("etag", "x"),)


def test_each_hop_of_a_redirect_is_a_request() -> None:
    """With its own answer."""
    record, wire = listening()
    send(wire, "1", "https://example.com/a", 1.0)
    send(wire, "1", "https://example.com/b", 1.2, redirectResponse={"status": 301})
    wire.play("Network.loadingFailed", requestId="1", errorText="net::ERR_FAILED", timestamp=1.5)

    hop, last = record.finish()

    assert (hop.url, hop.status, hop.redirected) == ("https://example.com/a", 301, True)
    assert (last.url, last.failure) == ("https://example.com/b", "net::ERR_FAILED")


def test_inline_data_is_not_kept() -> None:
    """It can be megabytes long."""
    record, wire = listening()
    send(wire, "1", "data:text/plain," + "x" * 100, 1.0)

    assert record.finish()[0].url == "data:"


def test_requests_are_bounded_and_so_are_messages() -> None:
    """One past the limit is left out, and said."""
    record, wire = listening()
    before = record.cut
    for number in range(MAX_REQUESTS + 1):
        before = record.cut
        send(wire, str(number), f"https://example.com/{number}", 1.0)
    console, other = ConsoleRecord(), Wire()
    console.listen(other)  # type: ignore[arg-type]
    for number in range(MAX_MESSAGES + 1):
        other.play("Log.entryAdded", entry={"level": "error", "text": str(number), "source": "network"})

    assert (before, record.cut, len(record.finish())) == (False, True, MAX_REQUESTS)
    assert len(console.finish()) == MAX_MESSAGES


def test_equal_messages_are_counted() -> None:
    """An error in a loop is one line."""
    console, wire = ConsoleRecord(), Wire()
    console.listen(wire)  # type: ignore[arg-type]
    for _ in range(3):
        wire.play("Runtime.consoleAPICalled", type="error", args=[{"value": "a"}, {"value": 1}, {"description": "o"}])
    wire.play("Runtime.consoleAPICalled", type="log", args=[{"value": "ignored"}])

    (found,) = console.finish()

    assert (found.text, found.count) == ("a 1 o", 3)


def test_of_nested_ranges_the_innermost_counts() -> None:
    """A function that ran, in one that did not, is used; and the other way round."""

    async def answer(method: str, *_args: Any, **_more: Any) -> dict[str, Any]:
        if method == "CSS.stopRuleUsageTracking":
            rules = [
                {"styleSheetId": "7", "startOffset": 0, "endOffset": 30, "used": True},
                {"styleSheetId": "7", "startOffset": 20, "endOffset": 40, "used": True},
                {"styleSheetId": "7", "startOffset": 60, "endOffset": 90, "used": False},
            ]
            return {"ruleUsage": rules}
        ranges = [
            {"startOffset": 0, "endOffset": 100, "count": 1},
            {"startOffset": 10, "endOffset": 60, "count": 0},
            {"startOffset": 20, "endOffset": 30, "count": 4},
        ]
        return {"result": [{"scriptId": "3", "url": "https://example.com/a.js", "functions": [{"ranges": ranges}]}]}

    sheets = {"7": {"styleSheetId": "7", "length": 100, "sourceURL": "https://example.com/a.css"}}
    scripts = {"3": {"length": 100, "startLine": 0, "startColumn": 0, "url": "https://example.com/a.js"}}
    script, sheet = asyncio.run(read_coverage(answer, "s", sheets, scripts))

    assert (script.total_bytes, script.unused_bytes, script.inline) == (100, 40, False)
    assert (sheet.total_bytes, sheet.unused_bytes) == (100, 60)


def issues_of(*details: object) -> tuple[BrowserIssue, ...]:
    """Issues that a record keeps of those with these details."""
    record, wire = IssueRecord(), Wire()
    record.listen(wire)  # type: ignore[arg-type]
    for each in details:
        wire.play("Audits.issueAdded", issue={"details": each})
    return record.finish()


def test_issues_are_deprecations_and_violations() -> None:
    """Equal ones are counted; other kinds, and what is none, are left out."""
    place = {"url": "https://example.com/a.js", "lineNumber": 4}
    old = {"deprecationIssueDetails": {"type": "UnloadHandler", "sourceCodeLocation": place}}
    policy = {
        "violatedDirective": "img-src",
        "blockedURL": "https://ads.example/p.png",
        "contentSecurityPolicyViolationType": "kURLViolation",
        "isReportOnly": True,
    }
    found = issues_of(old, old, {"contentSecurityPolicyIssueDetails": policy}, {"cookieIssueDetails": {}}, None, 7)

    assert found == (
        BrowserIssue(kind="deprecation", subject="UnloadHandler", url="https://example.com/a.js", line=4, count=2),
        BrowserIssue(
            kind="csp",
            subject="img-src",
            blocked_url="https://ads.example/p.png",
            detail="kURLViolation",
            report_only=True,
        ),
    )


def test_issues_are_bounded() -> None:
    """A page can make as many as it likes."""
    details = [{"deprecationIssueDetails": {"type": f"Feature{number}"}} for number in range(MAX_ISSUES + 1)]

    assert len(issues_of(*details[:-1])) == len(issues_of(*details)) == MAX_ISSUES


def test_scripts_are_read_for_outdated_code_up_to_a_limit() -> None:
    """One that does not fit any more is not read, a later one that fits is, and one may be gone already."""
    sizes = {"1": MAX_SOURCE_BYTES - 20, "2": 21, "3": 10, "4": 10}
    read: list[str] = []

    async def send(method: str, params: Any = None, **_: Any) -> dict[str, Any]:
        if method == "Debugger.getScriptSource":
            read.append(params["scriptId"])
            if read[-1] == "3":
                raise CommandFailed(method, "No script for id: 3")
            return {"scriptSource": "__spreadArray"[: sizes[read[-1]]]}
        if method == "CSS.stopRuleUsageTracking":
            return {}
        return {"result": [{"scriptId": n, "url": f"https://example.com/{n}.js", "functions": []} for n in sizes]}

    scripts = {number: {"length": size, "url": "https://example.com/"} for number, size in sizes.items()}
    found = asyncio.run(read_coverage(send, "s", {}, scripts))

    assert read == ["1", "3", "4"]
    assert [one.legacy for one in found] == [("compiled spread syntax",), (), (), ()]


def waiting(*requests: tuple[str, str], answered_as: str = "", later_s: float = 1.0) -> float:
    """Seconds of quiet some time after requests (kind, URL) that have not ended."""
    record, wire = listening()
    now = [100.0]
    record._clock = lambda: now[0]
    record._busy_at = 100.0
    for number, (kind, url) in enumerate(requests):
        wire.play("Network.requestWillBeSent", requestId=str(number), request={"url": url}, type=kind, timestamp=1.0)
        if answered_as:
            wire.play(
                "Network.responseReceived", requestId=str(number), response={"mimeType": answered_as}, timestamp=1.0
            )
    now[0] += later_s
    return record.quiet_since(now[0])


@pytest.mark.parametrize("kind", ["XHR", "Fetch", "Image", "Script", "Document", "Font"])
def test_a_request_that_the_page_waits_for_is_no_quiet(kind: str) -> None:
    """Until it is so old that it is held open on purpose."""
    assert waiting((kind, "https://example.com/api")) == 0
    assert waiting((kind, "https://example.com/api"), later_s=LONG_POLL_S + 3) == 3


@pytest.mark.parametrize("kind", ["EventSource", "WebSocket", "Ping", "CSPViolationReport", "Preflight", "Media"])
def test_streams_and_beacons_are_not_waited_for(kind: str) -> None:
    """A page is shown while they go on."""
    assert waiting((kind, "https://example.com/api")) == 1


def test_a_stream_is_known_by_its_answer() -> None:
    """Scripts ask for it as for anything else."""
    assert waiting(("Fetch", "https://example.com/api"), answered_as="text/event-stream") == 1


def quiet_during(*asked: tuple[str, float], answer: tuple[int, ...] = (7,)) -> float:
    """Seconds of quiet one second after the last of requests (what is sent, seconds since the one before).

    All but the last have an answer after a tenth of a second, of the sizes in ``answer`` in turn.
    """
    record, wire = listening()
    now = [100.0]
    record._clock = lambda: now[0]
    record._busy_at = 100.0
    for number, (sent_with, later_s) in enumerate(asked):
        now[0] += later_s
        request = {"url": f"https://example.com/api?{number}", "method": "POST", "postData": sent_with}
        event = {"requestId": str(number), "timestamp": now[0]}
        wire.play("Network.requestWillBeSent", request=request | {"hasPostData": True}, type="Fetch", **event)
        if number + 1 < len(asked):
            now[0] += 0.1
            wire.play("Network.loadingFinished", encodedDataLength=answer[number % len(answer)], **event)
    now[0] += 1
    return record.quiet_since(now[0])


def test_a_poll_is_known_by_its_repetition() -> None:
    """The same again and again; or another answer each time, after pauses or for a long time."""
    same = [("ping", 0.1)] * (POLLS + 1)
    after_pauses = [("ping", 0.6)] * (POLLS + 2)
    for_long = [("ping", 0.3)] * round(LONG_POLL_S / 0.4 + 2)

    assert quiet_during(*same) > 1
    assert quiet_during(*same[:-1]) == 0
    assert quiet_during(*after_pauses, answer=(1, 2, 3, 4, 5)) > 1
    assert quiet_during(*after_pauses[:-1], answer=(1, 2, 3, 4, 5)) == 0
    assert quiet_during(*for_long, answer=tuple(range(50))) > 1
    assert quiet_during(*for_long[:-3], answer=tuple(range(50))) == 0


def test_what_is_loaded_from_one_address_is_no_poll() -> None:
    """Questions that differ, one after the other, as to an endpoint of GraphQL; equal sizes of answers are chance."""
    assert quiet_during(*((f"{{query: {number}}}", 0.05) for number in range(8))) == 0


def test_a_file_that_arrives_is_not_held_open_but_an_answer_to_a_script_may_be() -> None:
    """However long it takes: parts of it come."""
    record, wire = listening()
    now = [100.0]
    record._clock = lambda: now[0]
    record._busy_at = record._moved_at = 100.0
    for number, kind in enumerate(("Image", "Fetch")):
        request = {"url": f"https://example.com/{kind}"}
        wire.play("Network.requestWillBeSent", requestId=str(number), request=request, type=kind, timestamp=1.0)
    now[0] += LONG_POLL_S - 1
    wire.play("Network.dataReceived", requestId="1", timestamp=2.0)
    now[0] += 3
    moved = record.still_since(now[0])
    quiet_s = record.quiet_since(now[0])
    wire.play("Network.dataReceived", requestId="0", timestamp=3.0)

    assert (moved, quiet_s) == (3, 2)
    assert record.quiet_since(now[0]) == record.still_since(now[0]) == 0
