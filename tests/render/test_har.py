from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from pagegrade.model.access import AccessNote
from pagegrade.model.rendering import LoadMetrics, RenderedRequest
from pagegrade.render.har import render_har
from pagegrade.report.build import rendered_page
from tests.rendering_builders import make_rendering
from tests.report_builders import make_report

PAGE = RenderedRequest(
    url="https://example.com/?a=1&b=",
    kind="document",
    protocol="h2",
    status=200,
    mime_type="text/html",
    start_ms=10.0,
    response_ms=150.0,
    end_ms=171.5,
    wire_bytes=4_021,
    response_headers=(("content-type", "text/html"),),
)
LOST = RenderedRequest(
    url="https://gone.example/a.js", kind="script", failure="net::ERR_NAME_NOT_RESOLVED", start_ms=20.0
)
MOVED = RenderedRequest(
    url="https://example.com/old", status=301, redirected=True, start_ms=5.0, response_ms=9.0, end_ms=9.0,
    response_headers=(("location", "/new"),),
)  # fmt: skip


def har(*requests: RenderedRequest) -> dict[str, Any]:
    """The log of a page with these requests."""
    page = rendered_page(make_rendering(requests=requests), [], LoadMetrics(load_ms=900.0))
    found: dict[str, Any] = json.loads(render_har(make_report(rendered=page)))
    log: dict[str, Any] = found.pop("log")

    assert found == {}
    return log


def test_every_member_that_the_format_demands_is_there() -> None:
    """Those without an asterisk in the specification, with the types that it names."""
    log = har(PAGE, LOST, MOVED)
    entry = log["entries"][0]

    assert (log["version"], log["creator"]["name"], log["browser"]) == (
        "1.2",
        "Pagegrade",
        {"name": "HeadlessChrome", "version": "156.0.1.2"},
    )
    assert log["pages"][0]["pageTimings"] == {"onLoad": 900.0}
    assert entry["timings"] == {"send": 0, "wait": 140.0, "receive": 21.5}
    assert entry["request"]["queryString"] == [{"name": "a", "value": "1"}, {"name": "b", "value": ""}]
    assert entry["response"]["_transferSize"] == 4_021
    assert entry["startedDateTime"].endswith("Z")
    for one in log["entries"]:
        assert {"startedDateTime", "time", "request", "response", "cache", "timings"} <= set(one)
        assert {
            "method", "url", "httpVersion", "cookies", "headers", "queryString", "headersSize", "bodySize",
        } <= set(one["request"])  # fmt: skip
        assert {
            "status", "statusText", "httpVersion", "cookies", "headers", "content", "redirectURL", "headersSize",
            "bodySize",
        } <= set(one["response"])  # fmt: skip
        assert one["time"] == pytest.approx(sum(one["timings"].values()))
        assert one["pageref"] == log["pages"][0]["id"]


def test_what_has_no_answer_says_why() -> None:
    """Status 0, as browsers export it; a redirect names where it leads."""
    _, lost, moved = har(PAGE, LOST, MOVED)["entries"]

    assert (lost["response"]["status"], lost["response"]["_error"]) == (0, "net::ERR_NAME_NOT_RESOLVED")
    assert lost["time"] == 0
    assert (moved["response"]["statusText"], moved["response"]["redirectURL"]) == ("Moved Permanently", "/new")


def test_a_report_without_a_browser_has_none() -> None:
    """There is nothing to export."""
    with pytest.raises(ValueError, match="not drawn"):
        render_har(make_report())


@given(
    st.builds(
        RenderedRequest,
        url=st.text(max_size=50),
        status=st.none() | st.integers(-1, 1_000),
        start_ms=st.floats(-10, 1e6),
        response_ms=st.none() | st.floats(-10, 1e6),
        end_ms=st.none() | st.floats(-10, 1e6),
    )
)
def test_no_time_is_negative(request: RenderedRequest) -> None:
    """Whatever a browser that a page has taken over reports."""
    (entry,) = har(request)["entries"]

    assert min(entry["time"], *entry["timings"].values()) >= 0


def test_an_access_is_named_where_there_was_one() -> None:
    """As a comment of the page, which other logs do not have."""
    page = rendered_page(make_rendering(), [], LoadMetrics(load_ms=900.0))
    report = make_report(rendered=page)
    run = replace(
        report.run,
        access=AccessNote(name="Staging", origins=(), sent=()),
        notes=("Analyzed with access profile Staging.",),
    )
    named, plain = (json.loads(render_har(one))["log"]["pages"][0] for one in (replace(report, run=run), report))

    assert named["comment"] == "Analyzed with access profile Staging."
    assert "comment" not in plain
