"""The traps of ``metas-in-body``; what holds for every check is in ``tests/contract/test_checks.py``."""

from __future__ import annotations

import pytest

from tests.builders import outcome


@pytest.mark.parametrize(
    "element",
    [
        '<meta name="Description" content="x">',
        '<meta name="robots" content="all">',
        '<meta name="googlebot" content="all">',
        '<link rel="canonical" href="/">',
        '<link rel="alternate" hreflang="de" href="/de">',
    ],
)
def test_what_describes_the_page_belongs_into_the_head(element: str) -> None:
    """The element that ended the head is named."""
    found = outcome("metas-in-body", f"<!doctype html><title>T</title><img src=/a.gif alt>{element}")

    assert (found.state, found.value) == ("in_body", 1)
    assert "<img>" in found.message
    assert outcome("metas-in-body", f"<!doctype html><title>T</title>{element}<img src=/a.gif alt>").value == 0


@pytest.mark.parametrize(
    "element",
    [
        '<meta itemprop="name" content="x">',
        '<meta itemprop="description" name="description" content="x">',
        '<link rel="stylesheet" href="/a.css">',
        '<link rel="alternate" type="application/rss+xml" href="/feed">',
        '<meta property="og:title" content="x">',
        '<noscript><meta name="robots" content="all"></noscript>',
        '<template><meta name="robots" content="all"></template>',
    ],
)
def test_what_may_stand_in_the_body(element: str) -> None:
    """Structured data, stylesheets and feeds, and what is not part of the page."""
    assert (
        outcome("metas-in-body", f"<!doctype html><title>T</title><meta name=robots content=all><body>{element}").state
        == "in_head"
    )


def test_a_body_that_was_opened_on_purpose_has_no_culprit() -> None:
    """Then the element simply stands in the wrong place."""
    found = outcome("metas-in-body", '<title>T</title><body><p>x<meta name="description" content="x">')

    assert (found.state, found.message) == ("in_body", "")
