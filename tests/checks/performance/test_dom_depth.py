from __future__ import annotations

import pytest

from pagegrade.checks.performance.dom_depth import dom_depth
from tests.builders import evaluated, outcome


@pytest.mark.parametrize(("divs", "state"), [(30, "shallow"), (31, "deep")])
def test_32_levels_are_the_limit(divs: int, state: str) -> None:
    """The html and body elements are levels, too."""
    found = outcome(dom_depth, "<!doctype html>" + "<div>" * divs)

    assert (found.value, found.state) == (divs + 2, state)


@pytest.mark.parametrize(("items", "state"), [(60, "shallow"), (61, "deep")])
def test_60_children_are_the_limit(items: int, state: str) -> None:
    """Texts between them are no children."""
    assert outcome(dom_depth, "<ul>" + "<li>x</li> text " * items + "</ul>").state == state


def test_the_deepest_element_is_shown() -> None:
    """The first of them, where there are several; none where nothing is too deep."""
    found = outcome(dom_depth, "<!doctype html>" + "<div>" * 40 + "<p id=here>x</p><p>y")

    assert [entry.snippet for entry in found.evidence] == ['<p id="here">x</p>']
    assert outcome(dom_depth, "<ul>" + "<li>x" * 90).evidence == ()


def test_it_costs_nothing() -> None:
    """Tables are long for good reasons."""
    assert evaluated(dom_depth, "<div>" * 400).outcome == "informative"
