from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagegrade.model.rendering import LayoutShift, PaintCandidate, Span, ThreadAnimation, ThreadWork
from pagegrade.parse.rendering.metrics import measure_load
from pagegrade.parse.rendering.timeline import (
    MAX_ANIMATIONS,
    MAX_ITEMS,
    MAX_SCRIPT_TIMES,
    MAX_WORK,
    Recording,
    read_timeline,
)

FRAME = "F1"
ORIGIN_US = 5_000_000.0


def event(
    name: str, ms: float, *, frame: str = FRAME, data: dict[str, Any] | None = None, **more: Any
) -> dict[str, Any]:
    """A trace event so many milliseconds after the navigation, in the page's main thread."""
    return {
        "name": name,
        "ts": ORIGIN_US + ms * 1_000,
        "pid": 7,
        "tid": 1,
        "args": {"frame": frame, "data": data or {}},
        **more,
    }


NAVIGATION = event("navigationStart", 0, data={"documentLoaderURL": "https://example.com/"})
BLANK = event("navigationStart", -3, data={"documentLoaderURL": ""})
MAIN_THREAD = {"name": "thread_name", "ts": 0, "pid": 7, "tid": 1, "args": {"name": "CrRendererMain"}}


def task(start_ms: float, duration_ms: float, *, tid: int = 1) -> dict[str, Any]:
    """A task of the browser's scheduler."""
    return event("ThreadControllerImpl::RunTask", start_ms, dur=duration_ms * 1_000, tid=tid)


def read(*events: object, lasted_s: float = 10.0) -> Any:
    """The timeline of a trace."""
    recording = Recording()
    recording.add([MAIN_THREAD, BLANK, NAVIGATION, *events])
    found = read_timeline(recording, frame=FRAME, lasted_s=lasted_s)
    return None if found is None else found[0]


def test_times_count_from_the_navigation_to_the_document() -> None:
    """Not from the blank page before it."""
    timeline = read(
        event("domContentLoadedEventEnd", -2),
        event("firstContentfulPaint", 120.5),
        event("domContentLoadedEventEnd", 80),
        event("loadEventEnd", 200),
        event("viewport", 3),
    )

    assert timeline.first_contentful_paint_ms == 120.5
    assert timeline.dom_content_loaded_ms == 80
    assert timeline.load_ms == 200
    assert timeline.first_viewport_ms == 3
    assert timeline.end_ms == 10_000


def test_the_empty_document_before_the_answer_does_not_count() -> None:
    """It has a viewport and ends its load after the navigation begins; requests before the answer are of the page."""
    timeline = read(
        event("viewport", 2.5, data={"frameID": FRAME}),
        event("domContentLoadedEventEnd", 1),
        event("loadEventEnd", 1.2),
        event("ResourceSendRequest", 2, data={"requestId": "1"}),
        event("commitNavigationEnd", 379),
        event("viewport", 381, data={"frameID": FRAME}),
        event("domContentLoadedEventEnd", 415),
        event("LayoutShift", 870, data={"score": 0.2, "had_recent_input": True}),
        event("loadEventEnd", 1894),
        event("firstContentfulPaint", 424),
        event("ResourceFinish", 390, data={"requestId": "1"}),
    )

    assert timeline.first_viewport_ms == 381
    assert timeline.dom_content_loaded_ms == 415
    assert timeline.load_ms == 1894
    assert timeline.get_requests == (Span(start_ms=2, end_ms=390),)
    assert measure_load(timeline).cls == 0.2


def test_other_frames_do_not_count() -> None:
    """Paints and viewports of an embedded page are not those of the page."""
    timeline = read(
        event("viewport", 10, frame="F2", data={"frameID": "F2"}),
        event("firstContentfulPaint", 20, frame="F2"),
        event("largestContentfulPaint::Candidate", 30, frame="F2", data={"type": "image", "size": 1}),
    )

    assert timeline.first_contentful_paint_ms is None
    assert timeline.paint_candidates == ()
    assert timeline.first_viewport_ms is None


def test_an_invalidated_paint_takes_all_candidates_back() -> None:
    """Those after it count."""
    timeline = read(
        event("largestContentfulPaint::Candidate", 30, data={"type": "image", "size": 10, "nodeId": 4}),
        event("largestContentfulPaint::Invalidate", 40),
        event("largestContentfulPaint::Candidate", 50, data={"type": "text", "size": 5, "nodeId": 9}),
    )

    assert timeline.paint_candidates == (PaintCandidate(time_ms=50, size_px=5, kind="text", node_id=9),)


def test_an_image_has_its_address_and_the_times_of_its_request() -> None:
    """The browser reports them beside the paint, in either order."""
    image = event("LargestImagePaint::Candidate", 50, data={"DOMNodeId": 4, "imageUrl": "https://example.com/a.jpg"})
    paint = event(
        "largestContentfulPaint::Candidate",
        50,
        data={"type": "image", "size": 9, "nodeId": 4, "imageLoadStart": 20.5, "imageLoadEnd": 44},
    )
    expected = PaintCandidate(
        time_ms=50,
        size_px=9,
        kind="image",
        node_id=4,
        url="https://example.com/a.jpg",
        load_start_ms=20.5,
        load_end_ms=44.0,
    )

    assert read(image, paint).paint_candidates == (expected,)
    assert read(paint, image).paint_candidates == (expected,)


def test_a_long_task_names_the_script_that_took_most_of_it() -> None:
    """Calls inside of others count once; a task that scripts take less than half of is of none."""

    def call(start_ms: float, duration_ms: float, url: str) -> dict[str, Any]:
        return event("FunctionCall", start_ms, dur=duration_ms * 1_000, data={"url": url})

    timeline = read(
        task(100, 100),
        call(100, 30, "https://example.com/a.js"),
        call(130, 60, "https://example.com/b.js"),
        call(140, 40, "https://example.com/a.js"),
        task(300, 100),
        call(310, 40, "https://example.com/a.js"),
    )

    assert [one.script_url for one in timeline.long_tasks] == ["https://example.com/b.js", ""]


def test_only_long_outermost_tasks_of_the_main_thread_are_kept() -> None:
    """Tasks inside of tasks, of other threads and shorter ones say nothing new."""
    timeline = read(task(100, 60), task(110, 50), task(300, 49.9), task(400, 80, tid=2), task(500, 50), task(-20, 70))

    assert timeline.long_tasks == (
        Span(start_ms=0.0, end_ms=50.0),
        Span(start_ms=100.0, end_ms=160.0),
        Span(start_ms=500.0, end_ms=550.0),
    )


def test_requests_have_a_start_and_maybe_an_end() -> None:
    """Of GET requests only."""
    timeline = read(
        event("ResourceSendRequest", 10, data={"requestId": "a", "requestMethod": "GET"}),
        event("ResourceSendRequest", 11, data={"requestId": "b", "requestMethod": "POST"}),
        event("ResourceSendRequest", 12, data={"requestId": "c", "requestMethod": "GET"}),
        event("ResourceFinish", 40, data={"requestId": "a"}),
    )

    assert timeline.get_requests == (Span(start_ms=10, end_ms=40), Span(start_ms=12, end_ms=None))


def test_shifts_carry_the_weighted_score_and_their_elements() -> None:
    """The score of a shift in a small frame counts by the frame's share of the page."""
    data = {
        "score": 0.5,
        "weighted_score_delta": 0.1,
        "had_recent_input": False,
        "impacted_nodes": [
            {"node_id": 3, "old_rect": [0, 60, 9, 9], "new_rect": [0, 100, 9, 9]},
            {"node_id": "x"},
            None,
        ],
    }

    assert read(event("LayoutShift", 50, data=data)).layout_shifts == (
        LayoutShift(time_ms=50, score=0.1, had_recent_input=False, node_ids=(3,), down_px=(40.0,)),
    )


def test_a_trace_without_the_document_has_no_timeline() -> None:
    """The browser showed an error page."""
    recording = Recording()
    recording.add([BLANK, event("firstContentfulPaint", 4)])

    assert read_timeline(recording, frame=FRAME, lasted_s=1.0) is None


def test_each_list_is_bounded() -> None:
    """One past the limit is left out, and said."""
    recording = Recording()
    recording.add([task(number, 60) for number in range(MAX_ITEMS)])
    before = recording.cut
    recording.add([task(0, 60)])

    assert (before, recording.cut) == (False, True)
    assert len(recording.tasks) == MAX_ITEMS


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["name", "ts", "args", "data", "frame", "dur", "score", "type"]), inner, max_size=4
        )
    ),
    max_leaves=12,
)
NAMES = st.sampled_from(["LayoutShift", "Screenshot", "viewport", "thread_name", "ResourceSendRequest", "RunTask"])


@given(
    st.lists(st.fixed_dictionaries({"name": NAMES, "ts": st.integers(0, 10**10) | VALUES, "args": VALUES}), max_size=8)
)
def test_no_trace_makes_it_fail(events: list[Any]) -> None:
    """A page that has taken over its browser chooses every value."""
    recording = Recording()
    recording.add([MAIN_THREAD, NAVIGATION, *events])

    assert read_timeline(recording, frame=FRAME, lasted_s=1.0) is not None


def work(name: str, start_ms: float, duration_ms: float, url: str, *, tid: int = 1) -> dict[str, Any]:
    """Work of the browser on a script."""
    args = {"fileName": url} if name.startswith("v8.") else {"data": {"url": url}}
    return event(name, start_ms, dur=duration_ms * 1_000, tid=tid, args=args)


A, B = "https://example.com/a.js", "https://example.net/b.js"


def test_the_time_of_a_script_includes_what_it_calls() -> None:
    """In whatever order the events come; work before the navigation and of other threads is left out."""
    timeline = read(
        work("FunctionCall", 110, 20, B),
        work("EvaluateScript", 100, 50, A),
        work("FunctionCall", 300, 30, B),
        work("v8.compile", 400, 5, A),
        work("FunctionCall", 500, 90, B, tid=2),
        work("EvaluateScript", -40, 50, A),
        work("FunctionCall", 600, 0.9, B),
        work("FunctionCall", 700, 9, "chrome-extension://x/"),
    )

    assert [(one.url, one.time_ms) for one in timeline.script_times] == [(A, 65.0), (B, 30.0)]


def test_the_scripts_with_most_time_are_kept() -> None:
    """At most two hundred."""
    timeline = read(*(work("FunctionCall", 10 * n, 1 + n / 1_000, f"{A}?{n}") for n in range(MAX_SCRIPT_TIMES + 1)))

    assert len(timeline.script_times) == MAX_SCRIPT_TIMES
    assert f"{A}?0" not in {one.url for one in timeline.script_times}


def test_a_trace_without_tasks_is_known_as_one() -> None:
    """Blocking that was not recorded is not the same as none."""
    painted = [event("firstContentfulPaint", 100), event("domContentLoadedEventEnd", 90)]
    blind, seeing = read(*painted), read(*painted, task(5, 1))

    assert (blind.has_tasks, seeing.has_tasks) == (False, True)
    assert (measure_load(blind).tbt_ms, measure_load(blind).tti_ms) == (None, None)
    assert measure_load(seeing).tbt_ms == 0


def piece(name: str, start_ms: float, duration_ms: float, *, tid: int = 1) -> dict[str, Any]:
    """A piece of work of a thread."""
    return event(name, start_ms, dur=duration_ms * 1_000, tid=tid)


def test_each_moment_of_the_main_thread_counts_once() -> None:
    """A script of 100 ms holds 30 ms of layout, of which collecting takes 10; then the page is laid out by itself."""
    timeline = read(
        piece("EvaluateScript", 10, 100),
        piece("FunctionCall", 20, 50),
        piece("Layout", 30, 30),
        piece("MinorGC", 40, 10),
        piece("UpdateLayoutTree", 200, 5),
        piece("Paint", 210, 4),
        piece("Paint", 300, 0.1),  # too short
        piece("ParseHTML", 0, 500, tid=2),  # of another thread
        piece("Layout", -20, 10),  # of the page before
    )

    assert timeline.work == (
        ThreadWork(kind="script", time_ms=70),
        ThreadWork(kind="layout", time_ms=25, forced_ms=20),
        ThreadWork(kind="memory", time_ms=10),
        ThreadWork(kind="paint", time_ms=4),
    )


def test_work_of_the_same_kind_inside_is_part_of_it() -> None:
    """Pieces that overlap, as no browser records them, are cut."""
    timeline = read(piece("EvaluateScript", 0, 10), piece("FunctionCall", 2, 6), piece("TimerFire", 5, 20))

    assert timeline.work == (ThreadWork(kind="script", time_ms=10),)


def test_pieces_of_work_are_bounded() -> None:
    """And the recording says that it was cut."""
    recording = Recording()
    recording.add([piece("Paint", number, 0.5) for number in range(MAX_WORK)])

    whole = recording.cut
    recording.add([piece("Paint", 0, 0.5)])

    assert (whole, recording.cut, len(recording.work)) == (False, True, MAX_WORK)


def animation(number: int, phase: str, *, pid: int = 7, **data: Any) -> dict[str, Any]:
    """An event of an animation."""
    return event("Animation", 10 + number, data=data, ph=phase, id2={"local": hex(number)}, pid=pid)


def test_animations_that_need_the_main_thread_are_named() -> None:
    """Not those of the compositor, those that fail for another reason, and those of other processes."""
    timeline = read(
        animation(1, "b", displayName="grow", nodeId=6),
        animation(2, "b", displayName="slide", nodeId=7),
        animation(3, "b", displayName="left"),
        animation(4, "b", displayName="elsewhere", pid=8),
        animation(5, "b", displayName="invisible"),
        animation(1, "n", compositeFailed=8224, unsupportedProperties=["width", "height"]),
        animation(1, "n", compositeFailed=8224, unsupportedProperties=["width"]),
        animation(2, "n", compositeFailed=0),
        animation(3, "n", compositeFailed=8224, unsupportedProperties=["left"]),
        animation(4, "n", compositeFailed=8224, unsupportedProperties=["left"], pid=8),
        animation(5, "n", compositeFailed=2),
        animation(6, "n", compositeFailed=8224, unsupportedProperties=["top"]),
    )

    assert timeline.animations == (
        ThreadAnimation(name="grow", properties=("width", "height"), node_id=6),
        ThreadAnimation(name="left", properties=("left",)),
    )


def test_animations_are_bounded() -> None:
    """Their number, their properties and their names."""
    events = []
    for number in range(MAX_ANIMATIONS + 1):
        events.append(animation(number, "b", displayName="x" * 1_000))
        properties = ["y" * 1_000] * 100
        events.append(animation(number, "n", compositeFailed=1, unsupportedProperties=properties))
    timeline = read(*events)

    assert len(timeline.animations) == MAX_ANIMATIONS
    assert timeline.animations[0] == ThreadAnimation(name="x" * 100, properties=("y" * 100,) * 5)


def test_timers_that_will_go_off_once_and_soon_are_known() -> None:
    """Those that went off, were removed, repeat, are far away or of other frames do not count."""
    recording = Recording()
    timers = [(1, 3_000, True), (2, 2_000, True), (3, 4_000, True), (4, 2_500, False), (5, 60_000, True)]
    data = [{"timerId": number, "timeout": after, "singleShot": once, "frame": "F"} for number, after, once in timers]
    data.append({"timerId": 6, "timeout": 3_500, "singleShot": True, "frame": "other"})
    recording.add({"name": "TimerInstall", "ts": 0, "pid": 1, "args": {"data": one}} for one in data)
    recording.add([{"name": "TimerRemove", "ts": 1, "pid": 1, "args": {"data": {"timerId": 3, "frame": "F"}}}])
    recording.add([{"name": "RunTask", "ts": 900_000, "dur": 100_000, "pid": 1, "tid": 1}])

    assert recording.next_timers_s("F", 4.5) == 2.0
    recording.add([{"name": "TimerFire", "ts": 1, "pid": 1, "args": {"data": {"timerId": 1, "frame": "F"}}}])

    assert recording.next_timers_s("F", 4.5) == 1.0
    assert recording.next_timers_s("F", 0.5) == 0.0


@pytest.mark.parametrize(
    ("last_us", "frame", "went_off", "missed"),
    [
        (2_000_000, "F", False, False),
        (2_000_001, "F", False, True),
        (2_000_001, "other", False, False),
        (2_000_001, "F", True, False),
    ],
)
def test_a_timer_that_went_off_unseen_is_known(last_us: int, frame: str, *, went_off: bool, missed: bool) -> None:
    """It was due before the last event, and none says that it went off."""
    recording = Recording()
    data = {"timerId": 1, "timeout": 2_000, "singleShot": True, "frame": "F"}
    recording.add([{"name": "TimerInstall", "ts": 0, "pid": 1, "args": {"data": data}}])
    recording.add([{"name": "TimerFire", "ts": 2_000_000, "pid": 1, "args": {"data": data}}] * went_off)
    recording.add([{"name": "RunTask", "ts": last_us - 10, "dur": 10, "pid": 1, "tid": 1}])

    assert recording.has_missed_timer(frame) is missed
