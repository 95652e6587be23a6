from __future__ import annotations

from math import inf
from pathlib import Path
from typing import Any

import pytest

from pagegrade.gather.browser.cdp import Params
from pagegrade.gather.browser.options import RenderingFailed
from pagegrade.gather.browser.records import LONG_POLL_S
from pagegrade.gather.browser.visit import Visit
from pagegrade.model.rendering import LoadMetrics
from pagegrade.parse.rendering.metrics import measure_load, rendered_metrics
from tests.gather.browser.pages import PLAIN, Slow, draw
from tests.waiting import pause_for

LATE = "<h1 style='font-size: 60px'>A heading that comes late</h1>"
LATE_BY_REQUEST = f"""{PLAIN}<script>
fetch("/api").then(() => {{ document.body.innerHTML = "{LATE}" }});</script>"""
LATE_BY_TIMER = f"""{PLAIN}<script>setTimeout(() => {{ document.body.innerHTML = "{LATE}" }}, 2500);</script>"""
LATE_BY_TIMERS = f"""{PLAIN}<script>setTimeout(() => {{ document.body.innerHTML = "<h1>Wait a moment, please</h1>";
setTimeout(() => {{ document.body.innerHTML = "{LATE}" }}, 2500); }}, 2500);</script>"""
LATE_FROM_ONE_ADDRESS = f"""{PLAIN}<script>(async () => {{
for (let at = 0; at < 8; at++) await fetch("/api", {{method: "POST", body: `{{"query": ${{at}}}}`}});
document.body.innerHTML = "{LATE}" }})();</script>"""
NOTHING_AT_FIRST = LATE_BY_REQUEST.replace("<h1>Hello</h1><p>Some text.", "")


def metrics_of(program: Path, html: str, **pages: Slow) -> tuple[LoadMetrics, tuple[str, ...]]:
    """Of one load, and what is noted of it."""
    rendering, _ = draw(program, {"/": html, **{f"/{name}": answer for name, answer in pages.items()}})
    assert rendering.loads[0].settled
    return rendered_metrics(rendering), rendering.notes


@pytest.mark.parametrize("html", [LATE_BY_REQUEST, NOTHING_AT_FIRST, LATE_BY_TIMER])
def test_a_load_goes_on_until_late_content_is_there(program: Path, html: str) -> None:
    """That of an answer, also where nothing was painted before, and that of a timer."""
    metrics, _ = metrics_of(program, html, api=Slow(after_s=2.5))

    assert metrics.lcp_ms is not None
    assert metrics.lcp_ms >= 2_400
    assert metrics.tti_ms is not None


def test_a_timer_that_a_timer_sets_is_waited_for_where_the_first_shows_more(program: Path) -> None:
    """Steps of an introduction, each larger than the last."""
    metrics, _ = metrics_of(program, LATE_BY_TIMERS)

    assert metrics.lcp_ms is not None
    assert metrics.lcp_ms >= 4_900


def test_what_a_timer_does_while_nothing_is_recorded_is_seen_in_the_next_load(
    program: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between two parts of a trace, which on a busy machine lie far apart; the load that lacks it does not count."""
    starts: list[str] = []
    send = Visit._send

    async def slow(self: Visit, method: str, params: Params | None = None, **more: Any) -> Params:
        if method == "Tracing.start":
            starts.append(method)
            if len(starts) == 2:
                await pause_for(3.0, "the timer has gone off")
        return await send(self, method, params, **more)

    monkeypatch.setattr(Visit, "_send", slow)
    rendering, _ = draw(program, {"/": LATE_BY_TIMER}, loads=3)
    paints = [measure_load(load).lcp_ms or 0 for load in rendering.loads]

    assert len(paints) == 2
    assert min(paints) >= 2_400
    assert len(starts) == 4
    assert rendering.coverage is not None


@pytest.mark.parametrize(
    "script",
    [
        'new EventSource("/open")',
        'fetch("/stream")',
        'navigator.sendBeacon("/open")',
        "setInterval(() => 0, 300)",
        "let count = 0; const id = setInterval(() => fetch(`/poll?${count++}`), 100)",
    ],
)
def test_what_a_page_keeps_open_is_not_waited_for(program: Path, script: str) -> None:
    """Streams, beacons and polls: the page is done without them, long before a long poll would be taken for one."""
    stream = Slow(after_s=0, kind="text/event-stream", body=b"data: 1\n\n")
    rendering, _ = draw(
        program, {"/": f"{PLAIN}<script>{script}</script>", "/open": Slow(after_s=inf), "/stream": stream}
    )

    assert rendering.loads[0].settled
    assert rendering.loads[0].end_ms < 12_000
    assert rendering.notes == ()


def test_a_page_that_asks_one_address_again_and_again_for_other_things_is_waited_for(program: Path) -> None:
    """As a client of GraphQL does, whose questions differ and whose address does not."""
    metrics, notes = metrics_of(program, LATE_FROM_ONE_ADDRESS, api=Slow(after_s=1.3, body=b"same size"))

    assert metrics.lcp_ms is not None
    assert metrics.lcp_ms >= 8 * 1_300
    assert notes == ()


@pytest.mark.parametrize(
    ("waits", "notes"),
    [
        (f"{PLAIN}<img src=/open>", ("unfinished",)),
        (PLAIN.replace("<body>", "<script src=/open></script><body>"), ("unfinished", "nothing_painted")),
    ],
)
def test_a_file_that_never_comes_is_given_up_after_the_time_of_a_long_poll(
    program: Path, waits: str, notes: tuple[str, ...]
) -> None:
    """And said; nothing is claimed of the end of the load."""
    rendering, _ = draw(program, {"/": waits, "/open": Slow(after_s=inf)})
    (load,) = rendering.loads

    assert LONG_POLL_S * 1_000 <= load.end_ms <= (LONG_POLL_S + 10) * 1_000
    assert (load.settled, load.load_ms) == (False, None)
    assert rendering.notes[: len(notes)] == notes


def test_a_task_that_never_ends_is_no_page_to_look_at(program: Path) -> None:
    """The reason says what was seen: it did not answer."""
    with pytest.raises(RenderingFailed) as failure:
        draw(program, {"/": f"{PLAIN}<script>setTimeout(() => {{ for (;;); }}, 100)</script>"})

    assert (failure.value.code, failure.value.reason) == ("timeout", "unresponsive")


def test_a_page_that_loads_itself_for_ever_is_given_up(program: Path) -> None:
    """With a reason of its own."""
    with pytest.raises(RenderingFailed) as failure:
        draw(program, {"/": f"{PLAIN}<script>location.reload()</script>"})

    assert (failure.value.code, failure.value.reason) == ("navigation", "reloads")


def test_a_blank_page_is_noted_as_one_and_loaded_once(program: Path) -> None:
    """Nothing was painted until the limit for a first paint; further loads would show the same."""
    rendering, _ = draw(program, {"/": PLAIN.replace("<body>", "<body hidden>")}, loads=3)

    assert len(rendering.loads) == 1
    assert rendering.notes == ("nothing_painted",)


def test_the_memory_of_scripts_is_measured(program: Path) -> None:
    """Not rounded to one value for nearly every page."""
    sizes = []
    for count in (1, 1_000_000):
        script = f"window.kept = Array.from({{length: {count}}}, (_, at) => at / 3)"
        rendering, _ = draw(program, {"/": f"{PLAIN}<script>{script}</script>"})
        sizes.append(rendering.js_heap_bytes or 0)

    assert sizes[0] > 0
    assert sizes[1] - sizes[0] > 5_000_000


def test_a_third_load_is_left_out_where_two_agree(program: Path) -> None:
    """And the look still has everything."""
    rendering, site = draw(program, {"/": f"{PLAIN}<style>.unused {{color: red}}</style>"}, loads=3)

    assert len(rendering.loads) == site.asked.count("/")
    assert rendering.coverage
    assert {picture.kind for picture in rendering.pictures} == {"viewport", "full_page", "frame"}


@pytest.mark.parametrize(
    ("leaving", "kind"),
    [
        ("<script>location.href = '/next'</script>", "script"),
        ("<meta http-equiv=refresh content='0; url=/next'>", "meta"),
    ],
)
def test_a_page_that_leaves_says_where_it_went(program: Path, leaving: str, kind: str) -> None:
    """With the way and the time."""
    rendering, site = draw(program, {"/": PLAIN + leaving, "/next": PLAIN})

    (departure,) = rendering.departures

    assert rendering.final_url == departure.url == f"{site.origin}/next"
    assert departure.kind == kind
    assert departure.after_ms > 0


MOVING = f"""{PLAIN}<style>
@keyframes grow {{from {{width: 10px}} to {{width: 300px}}}}
@keyframes slide {{from {{translate: 0}} to {{translate: 50px}}}}
.grow {{animation: grow 1s infinite; font-size: 8px}} .slide {{animation: slide 1s infinite}}
.gone {{display: none; font-size: 8px}} .unseen {{visibility: hidden; font-size: 8px}}
.clipped {{position: absolute; width: 1px; height: 1px; overflow: hidden; font-size: 8px}}
</style><div class=grow id=ad>Small words</div><div class=slide>Moved</div>
<p class=gone>absent</p><p class=unseen>absent</p><p class=clipped>absent</p><my-box></my-box>
<svg viewBox="0 0 10 10" width=100><text y=5 font-size=4>scaled</text></svg>
<script>customElements.define("my-box", class extends HTMLElement {{ connectedCallback() {{
this.attachShadow({{mode: "open"}}).innerHTML = "<p style=font-size:11.5px>in shadow</p>" }} }})</script>"""


def test_animations_and_small_text_are_seen(program: Path) -> None:
    """Only what needs the main thread, and only text that is drawn, in shadow trees, too."""
    rendering, _ = draw(program, {"/": MOVING})
    sizes = rendering.text_sizes

    assert [(one.name, one.properties, one.element.selector) for one in rendering.animated_elements] == [
        ("grow", ("width",), "#ad")
    ]
    assert sizes is not None
    assert sizes.characters == len("HelloSometext.SmallwordsMovedinshadow")
    assert sizes.small_characters == len("Smallwordsinshadow")
    assert [(one.html, one.size_px, one.characters) for one in sizes.small] == [
        ('<div class="grow" id="ad">', 8, 10),
        ('<p style="font-size:11.5px">', 11.5, 8),
    ]


def test_the_space_of_images_is_what_the_browser_computes(program: Path) -> None:
    """By a style sheet, a ratio, a place outside of the flow or attributes; a single side keeps nothing free."""
    svg = b"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 4 3'><rect width='4' height='3'/></svg>"
    css = b".a{width:80px;height:60px} .b{width:50%;aspect-ratio:4/3} .c{position:absolute} .d{width:80px}"
    images = (
        "".join(f"<img class={name} src=/i.svg?{name}>" for name in "abcde") + "<img width=4 height=3 src=/i.svg?f>"
    )
    files = {f"/i.svg?{name}": ("image/svg+xml", svg) for name in "abcdef"}
    html = f"{PLAIN}<link rel=stylesheet href=/s.css>{images}"
    rendering, _ = draw(program, {"/": html, "/s.css": ("text/css", css), **files})

    assert {image.declared_url[-1]: image.has_space for image in rendering.images} == dict(
        zip("abcdef", (True, True, True, False, False, True), strict=True)
    )
