"""The traps of ``title-h1-duplicate``; what holds for every check is in ``tests/contract/test_checks.py``."""

from __future__ import annotations

from pagegrade.model.outcome import NotApplicable
from tests.builders import outcome, run


def test_case_and_blanks_do_not_matter() -> None:
    """The texts are compared as people read them."""
    found = outcome("title-h1-duplicate", "<!doctype html><title> Red  Shoes </title><h1>red <b>shoes</b></h1>")

    assert found.state == "same"


def test_any_main_heading_counts() -> None:
    """Also the second one; a heading of another level does not."""
    assert outcome("title-h1-duplicate", "<title>A</title><h1>B</h1><h1>A</h1>").state == "same"
    assert outcome("title-h1-duplicate", "<title>A</title><h1>B</h1><h2>A</h2>").state == "different"


def test_nothing_to_compare() -> None:
    """Without title or main heading there is nothing to say; the title of a drawing is none."""
    assert isinstance(run("title-h1-duplicate", "<title>A</title>"), NotApplicable)
    assert isinstance(run("title-h1-duplicate", "<h1>A</h1><svg><title>A</title></svg>"), NotApplicable)


def test_a_title_that_only_adds_to_the_heading_is_no_other_text() -> None:
    """Most titles are the heading and the name of the site; the report must not call them different things."""
    adds = outcome("title-h1-duplicate", "<title>Red shoes | Shop</title><h1>Red Shoes</h1>")
    differs = outcome("title-h1-duplicate", "<title>Shop</title><h1>Red Shoes</h1>")

    assert (adds.state, adds.message) == ("different", "The title contains the main heading and adds to it.")
    assert (differs.state, differs.message) == ("different", "")
