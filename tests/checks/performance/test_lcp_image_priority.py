from __future__ import annotations

import pytest

from pagegrade.checks.performance.lcp_image_priority import lcp_image_priority
from pagegrade.model.outcome import NotApplicable
from tests.builders import URL, evaluated, outcome, run

IMAGE = "<img src=/a.jpg width=1200 height=600 {}>"


@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        ("", "auto"),
        ("fetchpriority=high", "high"),
        ("fetchpriority=' HIGH '", "high"),
        ("fetchpriority=auto", "auto"),
        ("fetchpriority=urgent", "auto"),
        ("fetchpriority=low", "low"),
    ],
)
def test_attribute_decides(attributes: str, expected: str) -> None:
    """Unknown values count as none."""
    assert outcome(lcp_image_priority, IMAGE.format(attributes)).state == expected


@pytest.mark.parametrize(
    ("link", "expected"),
    [
        ("<link rel=preload as=image href=/a.jpg>", "high"),
        ("<link rel=preload as=image href=/a.jpg#x>", "high"),
        ("<link rel=preload as=image imagesrcset='/a.jpg 1x, /b.jpg 2x'>", "high"),
        ("<link rel=preload as=image href=/b.jpg>", "auto"),
        ("<link rel=preload as=image imagesrcset='/b.jpg 1x'>", "auto"),
        ("<link rel=preload as=script href=/a.jpg>", "auto"),
        ("<link rel=prefetch as=image href=/a.jpg>", "auto"),
    ],
)
def test_preload_of_the_same_image_counts(link: str, expected: str) -> None:
    """A preload of another file does not."""
    assert outcome(lcp_image_priority, link + IMAGE.format("")).state == expected


def test_candidates_of_a_picture_count() -> None:
    """Browsers choose one of them."""
    page = "<link rel=preload as=image href=/a.avif><picture><source srcset=/a.avif>" + IMAGE.format("") + "</picture>"

    assert outcome(lcp_image_priority, page).state == "high"


def test_lazy_image_is_covered_elsewhere() -> None:
    """One fault is named by one check."""
    assert isinstance(run(lcp_image_priority, IMAGE.format("loading=lazy")), NotApplicable)


def test_pages_without_a_large_image_are_not_evaluated() -> None:
    """Nor are hidden ones."""
    assert isinstance(run(lcp_image_priority, "<img src=/a.png width=20 height=20>"), NotApplicable)
    assert isinstance(run(lcp_image_priority, IMAGE.format("hidden")), NotApplicable)


def test_it_costs_nothing_and_says_probably() -> None:
    """Layout is not known."""
    found = outcome(lcp_image_priority, IMAGE.format(""))

    assert evaluated(lcp_image_priority, IMAGE.format("")).outcome == "informative"
    assert [(one.url, one.reason) for one in found.evidence] == [(URL + "a.jpg", "probably the main image")]
