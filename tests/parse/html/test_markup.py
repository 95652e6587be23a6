from __future__ import annotations

from typing import cast

import pytest

from pagegrade.model.document import Markup
from pagegrade.parse.html.markup import MAX_FAULTS, MAX_KEPT, names_no_file
from tests.builders import make_document


def markup_of(html: str) -> Markup:
    """The facts that were set aside of a page."""
    return cast("Markup", make_document("<!doctype html>" + html).markup)


def test_password_fields_know_the_form_around_them() -> None:
    """Also with a role on the form; outside there is none."""
    html = "<form method=post role=search><p><input type=password></form><input type=PASSWORD name=b>"
    found = markup_of(html).passwords

    assert [form and form["method"] for _, form in found] == ["post", None]
    assert found[1][0].attrs["name"] == "b"


def test_lists_are_bounded() -> None:
    """A page can repeat anything."""
    html = "<form>" + "<button>x</button><picture></picture><input type=password id=a id=b>" * (MAX_KEPT + 5)
    found = markup_of(html)

    assert (len(found.untyped_buttons), len(found.bare_pictures), len(found.passwords)) == (MAX_KEPT,) * 3
    assert len(found.faults) == MAX_FAULTS
    assert found.fault_counts["duplicate-attribute"] == MAX_KEPT + 5


def test_clean_page_has_nothing() -> None:
    """No lists, no faults."""
    found = markup_of("<title>x</title><p>Text.")

    assert not found.faults
    assert not found.fault_counts
    assert [found.bare_pictures, found.untyped_buttons, found.passwords] == [[], [], []]


@pytest.mark.parametrize(
    ("url", "expected"),
    [("", True), (" \n", True), ("#", True), (" #a", True), ("/#a", False), ("?", False), ("a", False)],
)
def test_urls_that_name_no_file(url: str, *, expected: bool) -> None:
    """Empty ones, and those that lead to a place in the page itself."""
    assert names_no_file(url) is expected
