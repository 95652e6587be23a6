from __future__ import annotations

import pytest

from pagegrade.checks.performance.render_blocking_css import render_blocking_css
from pagegrade.model.outcome import NotApplicable
from tests.builders import URL, evaluated, make_resource, make_resources, outcome, run


def page(sheets: int, attributes: str = "") -> str:
    """A head with that many stylesheets."""
    return "<!doctype html><title>t</title>" + "".join(
        f"<link rel=stylesheet href=/{n}.css {attributes}>" for n in range(sheets)
    )


@pytest.mark.parametrize(("sheets", "loss"), [(1, 0), (3, 0), (4, 0.2), (7, 0.3), (10, 0.5), (40, 0.5)])
def test_the_number_counts(sheets: int, loss: float) -> None:
    """Three are fine, and half is the most it costs."""
    assert evaluated(render_blocking_css, page(sheets)).loss == pytest.approx(loss)


@pytest.mark.parametrize(("size", "state"), [(60_000, "few"), (60_001, "many")])
def test_the_bytes_count_where_they_are_known(size: int, state: str) -> None:
    """One large sheet is as bad as many."""
    files = make_resources(make_resource(URL + "0.css", kind="stylesheet", body_bytes=size))

    assert outcome(render_blocking_css, page(1), resources=files).state == state


@pytest.mark.parametrize(
    "attributes",
    ["media=print", "media='(min-width: 900px)'", "disabled", "media='PRINT'", "media='not all'", "media='not screen'"],
)
def test_sheets_for_other_media_do_not_block(attributes: str) -> None:
    """Or not on every screen."""
    assert isinstance(run(render_blocking_css, page(9, attributes)), NotApplicable)


@pytest.mark.parametrize(
    "media",
    ["", "ALL", "print, screen", "not print", "only screen and (min-width: 1px)", "(min-width: 0)", "all,print"],
)
def test_media_that_hold_on_every_screen_block(media: str) -> None:
    """However they are written."""
    assert outcome(render_blocking_css, page(9, f"media='{media}'")).state == "many"


def test_alternate_sheets_and_those_of_the_body_do_not_count() -> None:
    """The same sheet twice is one."""
    html = "<title>t</title><link rel='alternate stylesheet' href=/x.css><body><p>x<link rel=stylesheet href=/y.css>"

    assert isinstance(run(render_blocking_css, html), NotApplicable)
    assert outcome(render_blocking_css, "<title>t</title>" + "<link rel=stylesheet href=/a.css>" * 9).value == 1


def test_what_is_not_loaded_delays_nothing() -> None:
    """A stylesheet on a disk."""
    html = "<!doctype html><title>t</title><link rel=stylesheet href=file:///usr/share/a.css>"

    assert isinstance(run("render-blocking-css", html), NotApplicable)
