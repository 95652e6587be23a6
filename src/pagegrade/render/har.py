"""HAR 1.2: the requests of a page in a browser, for tools that draw waterfalls.

What the browser did not report is -1 or empty, as the format has it. Request headers, cookies and bodies are never
recorded, so none is exported.

Source: http://www.softwareishard.com/blog/har-12-spec/
"""

from __future__ import annotations

from datetime import timedelta
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import parse_qsl

import msgspec

from pagegrade.model.identity import VERSION
from pagegrade.model.rendering import DrawnRequest, RenderedPage
from pagegrade.model.report import Report
from pagegrade.render.view import access_note
from pagegrade.report.serialize import format_timestamp

JSONObject = dict[str, Any]
_PAGE: Final = "page_1"
_UNKNOWN: Final = -1
_MAX_PARAMETERS: Final = 100


def render_har(report: Report) -> str:
    """Return the requests of a report whose page a browser drew.

    Times are those of the browser, counted from the time of the report: the page was drawn soon after it.

    Raises:
        ValueError: No browser drew the page.
    """
    if report.rendered is None:
        raise ValueError("the page was not drawn in a browser")
    log = {
        "version": "1.2",
        "creator": {"name": "Pagegrade", "version": VERSION},
        "browser": _browser(report.rendered),
        "pages": [_page(report, report.rendered)],
        "entries": [_entry(report, request) for request in report.rendered.requests],
    }
    if report.rendered.request_count > len(report.rendered.requests):
        log["comment"] = f"The first {len(report.rendered.requests)} of {report.rendered.request_count} requests."
    return msgspec.json.format(msgspec.json.encode({"log": log}), indent=2).decode() + "\n"


def _browser(page: RenderedPage) -> JSONObject:
    name, _, version = page.browser.partition("/")
    return {"name": name, "version": version}


def _page(report: Report, page: RenderedPage) -> JSONObject:
    note = access_note(report)
    return {
        **({"comment": note} if note else {}),
        "startedDateTime": format_timestamp(report.generated_at),
        "id": _PAGE,
        "title": "" if report.page is None else report.page.title,
        "pageTimings": {"onLoad": _UNKNOWN if page.metrics.load_ms is None else page.metrics.load_ms},
    }


def _entry(report: Report, request: DrawnRequest) -> JSONObject:
    start_ms = max(0.0, request.start_ms)
    response_ms = start_ms if request.response_ms is None else max(start_ms, request.response_ms)
    end_ms = response_ms if request.end_ms is None else max(response_ms, request.end_ms)
    headers = [{"name": name, "value": value} for name, value in request.response_headers.items()]
    entry: JSONObject = {
        "pageref": _PAGE,
        "startedDateTime": format_timestamp(report.generated_at + timedelta(milliseconds=start_ms)),
        "time": round(end_ms - start_ms, 3),
        "request": {
            "method": request.method,
            "url": request.url,
            "httpVersion": request.protocol,
            "cookies": [],
            "headers": [],
            "queryString": [
                {"name": name, "value": value}
                for name, value in parse_qsl(
                    request.url.partition("#")[0].partition("?")[2][:4_000], keep_blank_values=True
                )[:_MAX_PARAMETERS]
            ],
            "headersSize": _UNKNOWN,
            "bodySize": _UNKNOWN,
        },
        "response": {
            "status": request.status or 0,
            "statusText": _status_text(request.status),
            "httpVersion": request.protocol,
            "cookies": [],
            "headers": headers,
            "content": {"size": _UNKNOWN, "mimeType": request.mime_type or "x-unknown"},
            "redirectURL": next((value for name, value in request.response_headers.items() if name == "location"), ""),
            "headersSize": _UNKNOWN,
            "bodySize": _UNKNOWN,
            "_transferSize": _UNKNOWN if request.wire_bytes is None else request.wire_bytes,
        },
        "cache": {},
        "timings": {
            "send": 0,
            "wait": round(response_ms - start_ms, 3),
            "receive": round(end_ms - response_ms, 3),
        },
        "_resourceType": request.kind,
        "_priority": request.priority,
        "_initiator": {"type": request.initiator, "url": request.initiator_url},
    }
    if request.failure:
        entry["response"]["_error"] = request.failure
    return entry


def _status_text(status: int | None) -> str:
    try:
        return "" if status is None else HTTPStatus(status).phrase
    except ValueError:
        return ""
