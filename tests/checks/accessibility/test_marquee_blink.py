from __future__ import annotations

import pytest

from pagegrade.checks.accessibility.marquee_blink import MAX_MOVING, MAX_RULES, MIN_MOVING, marquee_blink
from tests.builders import outcome


@pytest.mark.parametrize(
    "html",
    [
        "<p>x",
        "<marquee hidden>x</marquee>",
        "<center>x</center>",
        "<template><blink>x</blink></template>",
    ],
)
def test_what_is_right_passes(html: str) -> None:
    """Other obsolete elements stand still."""
    assert outcome(marquee_blink, html).state == "still"


@pytest.mark.parametrize(
    "html",
    [
        "<marquee>x</marquee>",
        "<blink>x</blink>",
        "<marquee aria-hidden=true>x</marquee>",
        "<div aria-hidden=true><blink>x</blink></div>",
    ],
)
def test_what_is_wrong_is_shown_where_it_stands(html: str) -> None:
    """Both elements move."""
    found = outcome(marquee_blink, html)

    assert found.state == "moving"
    assert found.evidence[0].selector
    assert found.evidence[0].reason


@pytest.mark.parametrize(("count", "loss"), [(1, 0.5), (10, 1.0), (30, 1.0)])
def test_loss_grows_up_to_ten(count: int, loss: float) -> None:
    """The first costs most, and more than ten cost no more than ten."""
    found = outcome(marquee_blink, "<blink>x</blink>" * count)

    assert found.loss == pytest.approx(loss)
    assert found.total == count


def test_most_of_the_text_moves() -> None:
    """As much as half of it, in any script; a line of news beside a text is an element that moves."""
    moving = f"<marquee>{'ข่าว' * (MIN_MOVING // 4)}</marquee>"

    assert outcome(marquee_blink, moving).state == "text"
    assert outcome(marquee_blink, moving.replace("ข่าว", "", 1)).state == "moving"
    assert outcome(marquee_blink, f"{moving}<p>{'ข่าว' * MIN_MOVING}</p>").state == "moving"


@pytest.mark.parametrize(
    ("css", "state"),
    [
        ("body{animation:fl .2s infinite}", "flashing"),
        ("p{margin:0}main,html{color:red;animation:330ms linear fl infinite}", "flashing"),
        ("*{animation:fl .2s infinite}", "flashing"),
        ("body{animation:fl .34s infinite}", "still"),
        ("body{animation:fl .2s 3}", "still"),
        ("body{animation:other .2s infinite}", "still"),
        (".spinner{animation:fl .2s infinite}", "still"),
        (".a{position:fixed;inset:0}.a{animation:fl .2s infinite}", "flashing"),
        (".a,body::before{animation:80ms fl infinite}body::before{position:fixed;inset:0}", "flashing"),
        (".a{position:absolute;inset:0}.a{animation:fl .2s infinite}", "still"),
        ("body.night{animation:fl .2s infinite}", "flashing"),
        ("body.night p{animation:fl .2s infinite}", "still"),
    ],
)
def test_page_that_flashes(css: str, state: str) -> None:
    """More than three times a second, all of it, without an end."""
    frames = "@keyframes fl{0%{background:#f00}50%{background:#fff}}"
    moves = frames.replace("background", "left")

    assert outcome(marquee_blink, f"<style>{frames}{css}</style><p>x").state == state
    assert outcome(marquee_blink, f"<style>{moves}{css}</style><p>x").state == "still"


@pytest.mark.parametrize(("before", "state"), [(MAX_RULES - 1, "flashing"), (MAX_RULES, "still")])
def test_number_of_endless_animations_that_are_read_is_bounded(before: int, state: str) -> None:
    """Those behind it are not looked at."""
    css = ".a{animation:b 9s infinite}" * before + "body{animation:fl .2s infinite}"
    frames = "@keyframes fl{0%{color:#f00}}"

    assert outcome(marquee_blink, f"<style>{css}{frames}</style><p>x").state == state


def test_number_of_moving_elements_whose_text_is_counted_is_bounded() -> None:
    """One that moves behind them does so without its text."""
    line = f"<marquee>{'x' * (MIN_MOVING // 100)}</marquee>"

    assert outcome(marquee_blink, line * MAX_MOVING).state == "text"
    assert outcome(marquee_blink, "<marquee></marquee>" + line * MAX_MOVING).state == "moving"


@pytest.mark.parametrize(("times", "state"), [(3, "still"), (4, "flashing")])
def test_flashes_within_one_run_of_an_animation(times: int, state: str) -> None:
    """As many as are no danger, and one more; colors that follow each other do not flash."""
    steps = "".join(f"{n}%{{background:{'#fff' if n % 2 else '#f00'}}}" for n in range(2 * times))
    rainbow = "".join(f"{n}%{{background:#{n}{n}{n}}}" for n in range(1, 9))
    css = "body{animation:fl 1s infinite}"

    assert outcome(marquee_blink, f"<style>@keyframes fl{{{steps}}}{css}</style><p>x").state == state
    assert outcome(marquee_blink, f"<style>@keyframes fl{{{rainbow}}}{css}</style><p>x").state == "still"
