from __future__ import annotations

import pytest

from pagegrade.checks.accessibility.duplicate_id import duplicate_id
from tests.builders import outcome


@pytest.mark.parametrize(
    "html",
    [
        "<p id=a>x",
        "<p id=a>x<p id=b>y",
        "<p id=a>x<p id=A>y",
        "<p id=''>x<p id=''>y",
        "<p id>x<p id>y",
    ],
)
def test_what_is_right_passes(html: str) -> None:
    """Ids keep their case, and an empty one is none."""
    assert outcome(duplicate_id, "<i id=other></i>" + html).state == "unique"


@pytest.mark.parametrize(
    "html",
    [
        "<label for=a>x</label><input id=a><input id=a>",
        "<p id=a>x<p id=a>y<a href=#a>z</a>",
        "<b id=a>x</b><b id=a>y</b><input aria-labelledby='z a'>",
        "<table><tr><th id=a>x<th id=a>y<tr><td headers=a>1</table>",
    ],
)
def test_what_is_wrong_is_shown_where_it_stands(html: str) -> None:
    """A label, a link, an attribute of ARIA and a cell point to ids."""
    found = outcome(duplicate_id, html)

    assert found.state == "ambiguous"
    assert found.evidence[0].selector
    assert found.evidence[0].reason


def test_repeated_id_that_nothing_points_to_costs_nothing() -> None:
    """Four of ten pages have some, and styles do not mind."""
    found = outcome(duplicate_id, "<p id=a>x<p id=a>y<p id=a>z")

    assert (found.state, found.total, found.evidence[0].value) == ("unused", 1, "a")
    assert duplicate_id.state("unused").highest == 0


def test_drawings_may_repeat_what_their_paths_use() -> None:
    """A sprite that is embedded twice points to its own ids from styles and uses."""
    svg = "<svg><path id=s /><use href='#s'></use></svg>"

    assert outcome(duplicate_id, svg * 2).state == "unused"
