from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagegrade.model.rendering import (
    ElementFacts,
    LargestPaint,
    PaintCandidate,
    RenderedImage,
    RenderedRequest,
    Rendering,
    ShiftedElement,
    Span,
)
from pagegrade.parse.rendering.causes import largest_paint, shifted_elements
from tests.rendering_builders import make_rendering, make_timeline

PAGE = "https://example.com/"
SHEET = "https://example.com/a.css"
IMAGE = "https://example.com/hero.jpg"
BEGIN_MS = 10.0


def request(url: str, kind: str, start_ms: float, end_ms: float, **more: Any) -> RenderedRequest:
    """A request by times since the first one, whose answer came when it ended."""
    return RenderedRequest(url=url, kind=kind, status=200, start_ms=start_ms, response_ms=end_ms, end_ms=end_ms, **more)


DOCUMENT = request(PAGE, "document", 0.0, 290.0)


def painted(
    time_ms: float,
    *requests: RenderedRequest,
    image: tuple[float, float] | None = None,
    tasks: tuple[Span, ...] = (),
    **more: Any,
) -> Rendering:
    """A page whose largest element was painted at a time; an image was asked for and had arrived at two others."""
    candidate = PaintCandidate(
        time_ms=time_ms,
        size_px=90_000,
        kind="text" if image is None else "image",
        url="" if image is None else IMAGE,
        load_start_ms=None if image is None else image[0],
        load_end_ms=None if image is None else image[1],
    )
    load = make_timeline(paint_candidates=(candidate,), long_tasks=tasks, end_ms=20_000.0)
    return make_rendering(load, requests=(DOCUMENT, *requests), requests_begin_ms=BEGIN_MS, **more)


def found(rendering: Rendering) -> LargestPaint:
    """Its largest paint."""
    paint = largest_paint(rendering)
    assert paint is not None
    return paint


def phases(paint: LargestPaint) -> tuple[float | None, ...]:
    """Its phases in their order."""
    return paint.first_byte_ms, paint.load_delay_ms, paint.load_time_ms, paint.render_delay_ms


def test_the_phases_of_an_image_add_up_to_its_time() -> None:
    """Until the first byte, until it is asked for, until it is there, until it is painted."""
    paint = found(painted(3_000.0, image=(800.0, 2_900.0)))

    assert (paint.first_byte_ms, paint.load_delay_ms, paint.load_time_ms, paint.render_delay_ms) == (
        300,
        500,
        2100,
        100,
    )
    assert (paint.cause, paint.cause_url, paint.cause_ms) == ("file", IMAGE, 2_100)


def test_text_has_two_phases() -> None:
    """There is no file to wait for."""
    paint = found(painted(900.0))

    assert (paint.first_byte_ms, paint.load_delay_ms, paint.load_time_ms, paint.render_delay_ms) == (
        300,
        None,
        None,
        600,
    )


@pytest.mark.parametrize(
    ("rendering", "cause", "url"),
    [
        (painted(500.0), "server", PAGE),
        (painted(700.0), "drawing", ""),
        (painted(5_000.0), "shown_late", ""),
        (
            painted(5_000.0, request(SHEET, "stylesheet", 300, 4_800, render_blocking="Blocking")),
            "blocking",
            SHEET,
        ),
        (
            painted(5_000.0, request(SHEET, "stylesheet", 300, 400, render_blocking="Blocking")),
            "shown_late",
            "",
        ),
        (
            painted(
                5_000.0,
                request("https://example.com/a.css", "stylesheet", 300, 3_000, render_blocking="Blocking"),
                request("https://example.com/api", "fetch", 3_000, 4_700),
                request("https://example.com/later", "fetch", 4_900, 9_000),
            ),
            "answer",
            "https://example.com/api",
        ),
        (
            painted(4_000.0, request("https://example.com/a.woff2", "font", 400, 3_900)),
            "font",
            "https://example.com/a.woff2",
        ),
        (
            painted(
                4_000.0,
                request("https://example.com/api", "fetch", 300, 3_900),
                tasks=(Span(start_ms=500, end_ms=3_950, script_url="https://example.com/a.js"),),
            ),
            "script",
            "https://example.com/a.js",
        ),
    ],
)
def test_what_fills_the_wait_for_the_paint_is_its_cause(rendering: Rendering, cause: str, url: str) -> None:
    """Of several things the last one; what ended long before, or after it, is none."""
    paint = found(rendering)

    assert (paint.cause, paint.cause_url) == (cause, url)


@pytest.mark.parametrize(
    ("asked", "loading", "cause", "url"),
    [
        ({"initiator": "parser", "initiator_url": PAGE}, "lazy", "lazy", IMAGE),
        ({"initiator": "parser", "initiator_url": PAGE}, "eager", "late_image", IMAGE),
        (
            {"initiator": "parser", "initiator_url": "https://example.com/a.css"},
            "eager",
            "style_image",
            "https://example.com/a.css",
        ),
        (
            {"initiator": "script", "initiator_url": "https://example.com/a.js"},
            "eager",
            "script_image",
            "https://example.com/a.js",
        ),
    ],
)
def test_an_image_that_is_asked_for_late_has_a_reason(
    asked: dict[str, str], loading: str, cause: str, url: str
) -> None:
    """Its attribute, or what asked for it."""
    sheet = request(SHEET, "stylesheet", 300, 400)
    image = RenderedImage(
        url=IMAGE,
        selector="img",
        html="<img>",
        natural_width_px=9,
        natural_height_px=9,
        x_px=0,
        y_px=0,
        width_px=9,
        height_px=9,
        lazy=loading == "lazy",
    )
    paint = found(
        painted(
            4_000.0, sheet, request(IMAGE, "image", 3_490, 3_800, **asked), image=(3_500.0, 3_810.0), images=(image,)
        )
    )

    assert (paint.cause, paint.cause_url) == (cause, url)


def test_redirects_before_the_page_are_another_cause_than_its_answer() -> None:
    """They are it when they take most of the time."""
    first = request("https://example.com/old", "document", 0.0, 800.0, redirected=True)
    document = request(PAGE, "document", 800.0, 1_000.0)
    load = make_timeline(paint_candidates=(PaintCandidate(time_ms=1_100.0, size_px=9, kind="text"),))
    paint = found(make_rendering(load, requests=(first, document)))

    assert (paint.cause, paint.cause_url) == ("redirect", "https://example.com/old")


def test_without_the_answer_for_the_document_nothing_is_said() -> None:
    """Nor where nothing was painted."""
    load = make_timeline(paint_candidates=(PaintCandidate(time_ms=1_100.0, size_px=9, kind="text"),))

    assert largest_paint(make_rendering(load)) is None
    assert largest_paint(make_rendering(requests=(DOCUMENT,))) is None


times = st.floats(0, 30_000)


@given(times, times, times, times)
def test_phases_are_never_negative(time_ms: float, response_ms: float, start_ms: float, end_ms: float) -> None:
    """Whatever the browser reports, they add up to the time of the paint."""
    candidate = PaintCandidate(
        time_ms=time_ms, size_px=9, kind="image", url=IMAGE, load_start_ms=start_ms, load_end_ms=end_ms
    )
    load = make_timeline(paint_candidates=(candidate,))
    paint = found(make_rendering(load, requests=(request(PAGE, "document", 0, response_ms),)))
    lengths = [length or 0.0 for length in phases(paint)]

    assert min(lengths) >= 0
    assert sum(lengths) == pytest.approx(paint.time_ms, abs=0.3)


def moved(pushed_by: ElementFacts | None, *requests: RenderedRequest, **more: Any) -> ShiftedElement:
    """An element that moved down after two seconds, with its cause."""
    element = ShiftedElement(selector="h2", html="<h2>", time_ms=2_000.0, score=0.2, down_px=200.0, pushed_by=pushed_by)
    return shifted_elements(make_rendering(shifted_elements=(element,), requests=requests, **more))[0]


def drawn_image(*, has_space: bool) -> RenderedImage:
    """The image that pushed."""
    return RenderedImage(
        url=IMAGE,
        selector="#hero",
        html="<img>",
        natural_width_px=400,
        natural_height_px=200,
        x_px=0,
        y_px=0,
        width_px=400,
        height_px=200,
        has_space=has_space,
    )


def test_what_pushed_an_element_is_its_cause() -> None:
    """An image without space, a frame, or other content; an image with space may have been inserted as a whole."""
    hero = ElementFacts(selector="#hero", html='<img id="hero">')

    assert moved(hero, images=(drawn_image(has_space=False),)).cause == "image"
    assert moved(hero, images=(drawn_image(has_space=False),)).cause_url == IMAGE
    assert moved(hero, images=(drawn_image(has_space=True),)).cause == "content"
    assert moved(ElementFacts(selector="iframe", html="<iframe>")).cause == "frame"
    assert moved(ElementFacts(selector="#notice", html="<div>")).cause == "content"


def test_a_font_counts_only_shortly_before_the_move() -> None:
    """One that came earlier, later or not at all moved nothing."""
    url = "https://example.com/a.woff2"

    assert moved(None, request(url, "font", 400, 1_900)).cause == "font"
    assert moved(None, request(url, "font", 400, 1_200)).cause == ""
    assert moved(None, request(url, "font", 400, 2_100)).cause == ""
    assert moved(None, request(url, "font", 400, 1_900, failure="net::ERR_FAILED")).cause == ""
