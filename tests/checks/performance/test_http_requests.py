from __future__ import annotations

from typing import Any

import pytest

from pagegrade.checks.performance.http_requests import http_requests
from pagegrade.model.artifacts import Resources, StylesheetReference
from pagegrade.model.outcome import Outcome
from tests.builders import URL, evaluated, make_resources, outcome


def images(count: int, extra: str = "") -> str:
    """That many different images."""
    return "<!doctype html><title>t</title>" + "".join(f'<img src="/{n}.jpg" {extra}>' for n in range(count))


def styled(*references: tuple[str, str]) -> Resources:
    """The files that one fetched stylesheet names: (path, kind)."""
    return make_resources(
        stylesheet_references=tuple(
            StylesheetReference(url=URL + path, kind=kind, stylesheet_url=URL + "a.css")  # type: ignore[arg-type]
            for path, kind in references
        ),
    )


def count(html: str, **more: Any) -> int:
    """The number of requests that the check counts."""
    value = outcome(http_requests, html, **more).value
    if not isinstance(value, int):
        raise TypeError(value)
    return value


@pytest.mark.parametrize(
    ("number", "state", "loss"),
    [
        (0, "few", 0),
        (50, "few", 0),
        (51, "many", 0.2),
        (100, "many", 0.4),
        (150, "many", 0.8),
        (151, "too_many", 1),
    ],
)
def test_the_limits_are_50_and_150(number: int, state: str, loss: float) -> None:
    """At a limit it is still the better state, past it the worse."""
    found = evaluated(http_requests, images(number))

    assert isinstance(found.verdict, Outcome)
    assert found.verdict.state == state
    assert found.loss == pytest.approx(loss)


def test_lazy_images_and_frames_are_not_counted() -> None:
    """They are fetched only when they come near."""
    html = images(60, 'loading="lazy"') + '<iframe src="/f" loading=lazy></iframe>'

    assert count(html) == 0


def test_making_images_lazy_never_costs_points() -> None:
    """The edit that the fix advises."""
    before = evaluated(http_requests, images(120))
    after = evaluated(http_requests, images(60) + images(60, 'loading="lazy"'))

    assert before.loss is not None
    assert after.loss is not None
    assert after.loss < before.loss


def test_one_candidate_of_a_picture_or_srcset_counts() -> None:
    """A browser takes one of them."""
    html = (
        "<picture><source srcset='/a.avif 1x, /b.avif 2x' type=image/avif><source srcset=/a.webp><img src=/a.jpg>"
        "</picture><img src=/c.jpg srcset='/c-400.jpg 400w, /c-800.jpg 800w'>"
    )

    assert count(html) == 2


def test_inline_data_is_no_request() -> None:
    """It came with the page."""
    assert (
        count('<img src="data:image/gif;base64,R0lGODlhAQABAAAAACw="><script src="data:text/javascript,1"></script>')
        == 0
    )


def test_a_preload_and_its_use_are_one_request() -> None:
    """The same address is fetched once, and counts as what it is used as."""
    found = outcome(
        http_requests,
        '<link rel=preload as=script href="/a.js"><script src="/a.js#x"></script><script src="/a.js"></script>',
    )

    assert found.value == 1
    assert {detail.code: detail.actual for detail in found.details} == {"requests": 1, "script_requests": 1}


def test_several_icons_are_offered_but_not_awaited() -> None:
    """A browser takes one, after the page."""
    assert count("<link rel=icon href=/a.png><link rel=icon href=/b.png><link rel=apple-touch-icon href=/c.png>") == 0


def test_imports_and_images_of_stylesheets_count_when_they_were_read() -> None:
    """The page alone does not show them."""
    html = "<link rel=stylesheet href=/a.css>"
    resources = styled(("b.css", "stylesheet"), ("bg.png", "image"), ("a.css", "stylesheet"))

    assert count(html) == 1
    assert count(html, resources=resources) == 3


def test_the_formats_of_one_font_count_once() -> None:
    """A browser takes the first it knows."""
    resources = styled(
        ("f/a.woff2", "font"),
        ("f/a.woff?v=1", "font"),
        ("f/a.ttf", "font"),
        ("f/b.min.woff2", "font"),
        ("f/b.min.eot", "font"),
    )

    assert count("<p>x", resources=resources) == 2


def test_a_preloaded_font_keeps_its_other_formats_from_counting() -> None:
    """It is the same font."""
    html = "<link rel=preload as=font href=/f/a.woff2>"
    resources = styled(("f/a.woff2", "font"), ("f/a.woff", "font"))

    assert count(html, resources=resources) == 1


def test_an_icon_set_counts_in_part() -> None:
    """A theme names hundreds of images of which a page shows a few."""
    resources = styled(*((f"flag-{n}.svg", "image") for n in range(250)))

    assert count("<p>x", resources=resources) == 30


def test_styles_in_the_page_count_like_those_in_files() -> None:
    """Moving a stylesheet into the page changes nothing."""
    html = "<style>@import '/b.css'; p { background: url(/bg.png) } </style><p style='background: url(/c.png)'>x"

    assert count(html) == 3


def test_addresses_of_other_kinds_in_stylesheets_are_no_requests() -> None:
    """Inline data came with the stylesheet."""
    resources = make_resources(
        stylesheet_references=(
            StylesheetReference(url="data:image/png;base64,AAAA", kind="image", stylesheet_url=URL + "a.css"),
        ),
    )

    assert count("<p>x", resources=resources) == 0


def test_hosts_are_listed_where_there_are_too_many() -> None:
    """The owner sees who asks for so much."""
    html = images(60) + "<script src='https://cdn.example.net/x.js'></script>"
    found = outcome(http_requests, html)

    assert [(entry.reason, entry.value) for entry in found.evidence] == [
        ("example.com", "60 requests"),
        ("cdn.example.net", "1 request"),
    ]


def test_hosts_that_are_not_listed_are_counted() -> None:
    """The ten hosts with most requests are listed; the report can say how many are not."""
    html = "".join(f"<img src='https://cdn{number}.example/a.jpg'>" for number in range(60))
    found = outcome(http_requests, html)

    assert (len(found.evidence), found.total) == (10, 60)
