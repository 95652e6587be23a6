"""Tests of the check meta-description-length."""

from __future__ import annotations

import pytest

from pagegrade.checks.seo.meta_description_length import meta_description_length
from pagegrade.model.outcome import NotApplicable
from tests.builders import evaluated, outcome, run


def page(*contents: str) -> str:
    """A page with these descriptions."""
    return "<!doctype html><title>Shoes</title>" + "".join(
        f'<meta name="description" content="{content}">' for content in contents
    )


@pytest.mark.parametrize(("length", "state"), [(1, "short"), (69, "short"), (70, "ok"), (160, "ok"), (161, "long")])
def test_limits(length: int, state: str) -> None:
    """Each limit and one past it."""
    assert outcome(meta_description_length, page("a" * length)).state == state


def test_never_fails() -> None:
    """No source supports a limit, so the worst is a warning."""
    assert evaluated(meta_description_length, page("a" * 9_000)).loss == 0.5


def test_wide_characters_count_twice() -> None:
    """Eighty Chinese characters fill the space of 160 Latin ones."""
    assert outcome(meta_description_length, page("京" * 35)).state == "ok"
    assert outcome(meta_description_length, page("京" * 80)).state == "ok"
    assert outcome(meta_description_length, page("京" * 81)).state == "long"


def test_white_space_collapses() -> None:
    """Line breaks and indents of the source do not count."""
    assert outcome(meta_description_length, page("  " + "a\n   " * 40)).value == 79


def test_width_is_reported_and_not_evaluated() -> None:
    """A wide text within the limit passes, and its pixels are shown."""
    found = outcome(meta_description_length, page("W" * 160))

    assert found.state == "ok"
    assert [(detail.code, detail.actual) for detail in found.details] == [("characters", 160), ("width_px", 2115)]


def test_first_description_with_text_is_measured() -> None:
    """An empty one before it does not hide it."""
    assert outcome(meta_description_length, page("", "a" * 100)).value == 100


@pytest.mark.parametrize("html", [page(), page(""), page("  ")])
def test_missing_description_is_left_to_its_own_check(html: str) -> None:
    """Without a description there is no length; the title has a check of its own."""
    assert isinstance(run(meta_description_length, html), NotApplicable)
