from __future__ import annotations

import pytest

from pagegrade.checks.performance.resource_hints import resource_hints
from pagegrade.model.artifacts import StylesheetReference
from pagegrade.model.outcome import NotApplicable, Outcome
from tests.builders import URL, evaluated, make_resource, make_resources, outcome, run


@pytest.mark.parametrize(
    ("html", "state"),
    [
        ("<link rel=preload href=/a.js>", "doubtful"),
        ("<link rel=preload as=script href=/a.js>", "sound"),
        ("<link rel=preload as=stylesheet href=/a.css><link rel=stylesheet href=/a.css>", "doubtful"),
        ("<link rel=preload as=font href=/a.woff2><style>@font-face{src:url(/a.woff2)}</style>", "doubtful"),
        (
            "<link rel=preload as=font crossorigin=use-credentials href=/a.woff2>"
            "<style>@font-face{src:url(/a.woff2)}</style>",
            "doubtful",
        ),
        ("<link rel=preload as=fetch crossorigin href=/a.json>", "sound"),
        ("<link rel=preload as=image href=/a.png>", "doubtful"),
        ("<link rel=preload as=image href=/a.png><img src=/a.png#x>", "sound"),
        ("<link rel=preload as=image href=/a.png><img src=/b.png srcset='/a.png 2x'>", "sound"),
        ("<link rel=preload as=image imagesrcset='/a.png 1x' href=/a.png>", "sound"),
        ("<link rel=preload as=image imagesrcset='/a.png 1x, /b.png 2x' imagesizes=50vw>", "sound"),
        ("<link rel=preload imagesrcset='/a.png 1x'>", "doubtful"),
        ("<link rel=preload as=font crossorigin href=/a.woff2><style>@font-face{src:url(/a.woff2)}</style>", "sound"),
        ("<link rel=preload as=style href=/a.css>", "doubtful"),
        ("<link rel=preload as=style href=/a.css onload=\"this.rel='stylesheet'\">", "sound"),
        (
            "<link rel=preload as=style href=/a.css onload=\"this.rel='stylesheet'\">"
            "<link rel=preload as=font crossorigin=anonymous href=/a.woff2>",
            "sound",
        ),
        ("<link rel=prefetch href=https://b.example/next>", "doubtful"),
        ("<link rel=prefetch href=https://b.example/a.js>", "sound"),
        ("<link rel=prefetch href=/next>", "sound"),
        ("<link rel=dns-prefetch href=https://b.example/><link rel=preconnect href=https://b.example/>", "sound"),
    ],
)
def test_each_kind_of_hint_has_its_rule(html: str, state: str) -> None:
    """Files may be fetched for scripts; pages of others may not be fetched at all."""
    verdict = evaluated(resource_hints, html)

    assert isinstance(verdict.verdict, Outcome)
    assert (verdict.verdict.state, verdict.outcome) == (state, "informative")


@pytest.mark.parametrize(("count", "state"), [(4, "sound"), (5, "doubtful")])
def test_more_than_four_hosts_are_too_many(count: int, state: str) -> None:
    """The same host twice (with and without credentials) is one."""
    html = "".join(
        f"<link rel=preconnect href=https://h{n}.example><link rel=preconnect crossorigin href=https://h{n}.example/>"
        for n in range(count)
    )

    assert outcome(resource_hints, html).state == state


def test_unread_stylesheets_may_use_what_is_preloaded() -> None:
    """Then nothing is claimed; sheets that were read are evidence."""
    html = "<link rel=preload as=font crossorigin href=/a.woff2><link rel=stylesheet href=/a.css>"
    sheet = make_resource(URL + "a.css", kind="stylesheet")
    named = StylesheetReference(url=URL + "a.woff2", kind="font", stylesheet_url=URL + "a.css")

    assert outcome(resource_hints, html).state == "sound"
    assert outcome(resource_hints, html, resources=make_resources()).state == "sound"
    assert outcome(resource_hints, html, resources=make_resources(sheet)).state == "doubtful"
    assert (
        outcome(resource_hints, html, resources=make_resources(sheet, stylesheet_references=(named,))).state == "sound"
    )


def test_a_page_without_hints_needs_none() -> None:
    """They are an offer."""
    assert isinstance(run(resource_hints, "<link rel=stylesheet href=/a.css>"), NotApplicable)
