"""The rules kept of a sheet are read again as it was written."""

from __future__ import annotations

import pytest

from pagegrade.parse.css.ink import ELSEWHERE, MAX_CSS, MAX_RULES, ink_blocks, ink_rules, read_ink_rule
from tests.linear import MAX_RATIO, growth


def test_rules_that_color_are_kept_and_read_again() -> None:
    """Without comments, other declarations and other rules."""
    css = "/* a */ p , h1 { color : #fff; margin:0 } b{margin:1px} @media print { td{background:red} }"

    assert ink_rules(css) == ("+p , h1{color : #fff", "?td{background:red")
    assert [read_ink_rule(one) for one in ink_rules(css) or ()] == [
        (True, "p , h1", "color : #fff"),
        (False, "td", "background:red"),
    ]
    assert [(plain, selectors) for plain, selectors, _ in ink_blocks(css)] == [(True, "p , h1"), (False, "td")]


def test_sheets_with_too_much_are_unknown() -> None:
    """Half of the rules would be wrong."""
    assert ink_rules("p{color:red}" * MAX_RULES) is None
    assert ink_rules(" " * (MAX_CSS + 1)) is None
    assert ink_rules("") == ()


@pytest.mark.parametrize(
    "piece", ["{", "}", "/*", "a{color:red}", "@media x{", ";", "p{color", ":root{--a:#fff}", "--a:b;", ":root,"]
)
def test_hostile_sheets_cost_linear_time(piece: str) -> None:
    """Whatever repeats."""
    texts = {n: piece * n for n in (5_000, 10_000, 20_000)}

    assert growth(lambda n: ink_rules(texts[n]), 5_000) <= MAX_RATIO


def test_custom_properties_are_those_of_the_whole_page() -> None:
    """One that a place or a condition sets is kept by its name alone, and so is one that is no color."""
    css = ":root{--a: #fff; --b:var(--a); --gap:4px 2px}.card{--a:#000}@media(min-width:9px){:root{--c:red}}"

    assert ink_rules(css) == ("+:root{--a:#fff;--b:var(--a)", f"?{ELSEWHERE}{{--a:;--c:;--gap:")
    assert ink_rules("p{--x:red}") == (f"?{ELSEWHERE}{{--x:",)
