"""Tests of the check robots-meta-valid."""

from __future__ import annotations

import pytest

from pagegrade.checks.seo.robots_meta_valid import robots_meta_valid
from pagegrade.model.artifacts import Artifacts
from pagegrade.model.outcome import NotApplicable
from tests.builders import make_artifacts, outcome, run

HTML = ("Content-Type", "text/html; charset=utf-8")


def page(head: str = "", *headers: str) -> Artifacts:
    """A page with that head and these X-Robots-Tag lines."""
    html = f"<!doctype html><html><head><title>T</title>{head}</head><body><p>x"
    return make_artifacts(html, headers=[HTML, *(("X-Robots-Tag", value) for value in headers)])


def meta(content: str, name: str = "robots") -> Artifacts:
    """A page with such a tag."""
    return page(f'<meta name="{name}" content="{content}">')


@pytest.mark.parametrize(
    "content", ["noindex, nofollow", "index", "noarchive", "max-snippet:-1,max-image-preview:large"]
)
def test_documented_rules_pass(content: str) -> None:
    """They may restrict or allow."""
    assert outcome(robots_meta_valid, meta(content)).state == "known"


@pytest.mark.parametrize(
    "content",
    [
        "no-index",
        "noindex nofolow",
        "noindex; nofollow",
        "\uff4e\uff4f\uff49\uff4e\uff44\uff45\uff58",
        "max-snippet:all",
    ],
)
def test_rules_without_effect_warn(content: str) -> None:
    """They are shown as written."""
    found = outcome(robots_meta_valid, meta(content))

    assert (found.state, found.value, found.total) == ("ignored", content.replace(":", ": "), 1)


def test_a_tag_for_no_crawler_warns() -> None:
    """Its rules are right, and no crawler reads them."""
    assert outcome(robots_meta_valid, meta("noindex", name="robot")).state == "ignored"


def test_headers_count_as_well() -> None:
    """Beside what they say to search engines, not what they say to other programs."""
    found = outcome(robots_meta_valid, page("", "noindex", "otherbot: stay away", "googlebot: no-index"))

    assert [(entry.header, entry.snippet) for entry in found.evidence] == [("X-Robots-Tag", "googlebot: no-index")]


def test_page_without_rules_is_not_evaluated() -> None:
    """Nothing passes that is not there."""
    assert isinstance(run(robots_meta_valid, page()), NotApplicable)
