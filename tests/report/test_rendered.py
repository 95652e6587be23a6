"""Reports of pages that a browser has drawn."""

from __future__ import annotations

from typing import Any

import pytest

from pagegrade.model.artifacts import Artifacts, NotGathered
from pagegrade.model.rendering import AxeNode, AxeResult, ConsoleMessage, Picture, RenderedRequest, Rendering
from pagegrade.report.artifacts_file import load_artifacts, save_artifacts
from pagegrade.report.codec import check_packed, pack_report, unpack_detail
from pagegrade.report.serialize import report_from_dict, report_to_dict
from pagegrade.service.runs.evaluation import evaluate_artifacts
from tests.builders import make_artifacts
from tests.rendering_builders import make_rendering, make_timeline

SHELL = (
    "<!doctype html><html lang=en><head><title>Shop</title><script src=/app.js></script></head>"
    "<body><div id=root></div></body></html>"
)
DRAWN = (
    "<!doctype html><html lang=en><head><title>Shop</title></head><body><div id=root><h1>Shop</h1>"
    + "<p>Tables and chairs made of oak, by hand, in a small workshop by the sea, for many years.</p>" * 20
    + "<img src=/a.jpg></div></body></html>"
)
CONTRAST = AxeResult(
    rule="color-contrast",
    impact="serious",
    help="",
    help_url="",
    outcome="violation",
    nodes=(AxeNode(selector="p", html="<p>", summary="", data=(("contrastRatio", "1.9"),)),),
    node_count=1,
)


def make_page(html: str, rendering: Rendering | NotGathered) -> Artifacts:
    """A page, and the way a browser drew it."""
    return make_artifacts(html, rendering=rendering)


def test_a_page_that_scripts_draw_gets_its_grade() -> None:
    """Without a browser it is an empty shell, which has none."""
    static = evaluate_artifacts(make_page(SHELL, NotGathered(code="no_browser", detail="None.")))
    rendered = evaluate_artifacts(make_page(SHELL, make_rendering(html=DRAWN, axe=())))

    assert static.withheld is not None
    assert static.withheld.kind == "empty_shell"
    assert rendered.withheld is None
    assert rendered.score is not None


@pytest.mark.parametrize(
    ("seen", "said"),
    [
        (
            {"console": (ConsoleMessage(level="error", source="exception", text="TypeError: x is\n undefined"),)},
            "its script fails with “TypeError: x is undefined”",
        ),
        (
            {"requests": (RenderedRequest(url="https://example.com/static/a.js", kind="script", status=404),)},
            "its script https://example.com/static/a.js cannot be loaded (status 404)",
        ),
        (
            {"requests": (RenderedRequest(url="https://x.example/a.js", kind="script", failure="net::ERR_FAILED"),)},
            "its script https://x.example/a.js cannot be loaded (net::ERR_FAILED)",
        ),
        ({"notes": ("load_timeout",)}, "still loading"),
        ({}, "although its scripts report no error"),
        (
            {"console": (ConsoleMessage(level="warning", source="exception", text="x"),)},
            "although its scripts report no error",
        ),
    ],
)
def test_a_page_that_stays_empty_says_what_the_browser_saw(seen: dict[str, Any], said: str) -> None:
    """It advises no browser where one was used."""
    withheld = evaluate_artifacts(make_page(SHELL, make_rendering(html=SHELL, axe=(), **seen))).withheld

    assert withheld is not None
    assert withheld.kind == "empty_shell"
    assert "stays empty in the browser" in withheld.message
    assert said in withheld.message
    assert "--render" not in withheld.fix


def test_content_and_accessibility_are_those_of_the_drawn_page() -> None:
    """And search engines and security see what the server sends."""
    report = evaluate_artifacts(make_page(SHELL, make_rendering(html=DRAWN, axe=(CONTRAST,))))
    outcomes = {result.check: result.outcome for result in report.results}

    assert outcomes["image-alt"] in {"warning", "failed"}
    assert outcomes["color-contrast"] == "warning"
    assert outcomes["h1"] != "passed"


def test_a_browser_that_is_not_there_costs_nothing() -> None:
    """The checks are listed as not evaluated with their reason, and do not lower the coverage."""
    missing = NotGathered(code="no_browser", detail="The page was not drawn in a browser.")
    report = evaluate_artifacts(make_page(DRAWN, missing))
    without = evaluate_artifacts(make_page(DRAWN, NotGathered(code="timeout", detail="Too slow.")))
    result = next(one for one in report.results if one.check == "largest-contentful-paint")

    assert result.outcome == "not_evaluated"
    assert result.reason == "no_browser: The page was not drawn in a browser."
    assert report.rendered is None
    assert (report.score, report.coverage) == (without.score, without.coverage)


def test_the_report_says_what_the_browser_saw_in_every_form() -> None:
    """As an object, as JSON and back, and packed for the store."""
    rendering = make_rendering(
        make_timeline(first_contentful_paint_ms=900.0),
        make_timeline(first_contentful_paint_ms=1_100.0),
        make_timeline(first_contentful_paint_ms=1_000.0),
        html=DRAWN,
        axe=(),
        axe_version="4.14.1",
        console=(ConsoleMessage(level="error", source="console", text="x"),),
        pictures=(Picture(kind="viewport", width_px=1, height_px=2, data=b"RIFF"),),
        refused_hosts=(("a.example", 2),),
    )
    report = evaluate_artifacts(make_page(SHELL, rendering))
    plain = report_to_dict(report)

    assert report.rendered is not None
    assert plain["analysis"] == {"engine": "rendered", "device": "mobile"}
    assert plain["rendered"]["metrics"]["fcp_ms"] == 1_000.0
    assert plain["rendered"]["spread"]["fcp_ms"] == {"min": 900.0, "max": 1_100.0}
    assert plain["rendered"]["pictures"] == [
        {"name": "viewport", "kind": "viewport", "width_px": 1, "height_px": 2, "bytes": 4, "time_ms": None}
    ]
    assert report_from_dict(plain) == report
    assert b'"rendered":{' in unpack_detail(check_packed(pack_report(report)).detail)


def test_saved_artifacts_give_the_same_report() -> None:
    """Pictures included."""
    artifacts = make_page(
        SHELL,
        make_rendering(
            html=DRAWN, axe=(CONTRAST,), pictures=(Picture(kind="frame", width_px=1, height_px=2, data=b"\xff"),)
        ),
    )

    assert load_artifacts(save_artifacts(artifacts)) == artifacts
    assert evaluate_artifacts(load_artifacts(save_artifacts(artifacts))) == evaluate_artifacts(artifacts)
