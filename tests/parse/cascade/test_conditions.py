"""Media queries on a phone and on a laptop, and what a current browser supports."""

from __future__ import annotations

import pytest

from pagegrade.parse.cascade.conditions import MAX_CONDITION, is_supported, screens_of

NARROW, WIDE, BOTH, NONE = (1, 1), (2, 2), (3, 3), (0, 0)


@pytest.mark.parametrize(
    ("query", "screens"),
    [
        ("", BOTH),
        ("all", BOTH),
        ("screen", BOTH),
        ("only screen", BOTH),
        ("print", NONE),
        ("speech", NONE),
        ("not print", BOTH),
        ("not all", NONE),
        ("print, screen", BOTH),
        ("(min-width: 768px)", WIDE),
        ("(max-width:767.98px)", NARROW),
        ("(min-width:48em)", WIDE),
        ("(min-width: 412px)", BOTH),
        ("(min-width: 413px)", WIDE),
        ("(min-width: 1280px)", WIDE),
        ("(min-width: 1281px)", NONE),
        ("screen and (min-width: 768px)", WIDE),
        ("screen and (min-width: 300px) and (max-width: 500px)", NARROW),
        ("print and (min-width: 768px)", NONE),
        ("screen and (min-width: 1px) or (max-width: 9px)", NONE),
        ("screen and ((min-width: 768px) or (max-width: 9px))", WIDE),
        ("not screen and (min-width: 768px)", NARROW),
        ("not (min-width: 768px)", NARROW),
        ("(max-width: 500px), (min-width: 1000px)", BOTH),
        ("(width >= 768px)", WIDE),
        ("(width<768px)", NARROW),
        ("(768px <= width)", WIDE),
        ("(400px <= width <= 500px)", NARROW),
        ("(orientation: portrait)", NARROW),
        ("(hover: hover) and (pointer: fine)", WIDE),
        ("(hover)", WIDE),
        ("(prefers-reduced-motion: reduce)", NONE),
        ("(prefers-reduced-motion)", NONE),
        ("(forced-colors: active)", NONE),
        ("((min-width: 768px) or (max-width: 100px))", WIDE),
        ("(min-resolution: 2dppx)", (0, 3)),
        ("not (min-resolution: 2dppx)", (0, 3)),
        ("(min-width: 768px) and (min-resolution: 2dppx)", (0, 2)),
        ("(min-width: calc(10px + 1em))", BOTH),
        ("(max-width: calc(48rem - 1px))", NARROW),
        ("(min-width: calc(10px * 3))", (0, 3)),
        ("(min-width: calc(10vw + 1px))", (0, 3)),
        ("(max-width: 26.4705882353em)", NARROW),
        ("(min-width: 37.70588235294117647059em)", WIDE),
        ("(min-width: 60ch)", WIDE),
        ("(-webkit-min-device-pixel-ratio: 0)", BOTH),
        ("(-webkit-min-device-pixel-ratio: 1.5)", (0, 3)),
        ("(-webkit-max-device-pixel-ratio: 0)", (0, 3)),
        ("(min--moz-device-pixel-ratio: 2)", (0, 3)),
        ("not all and (-webkit-min-device-pixel-ratio:0)", NONE),
        ("(transform-3d), (-webkit-transform-3d)", BOTH),
        ("(inverted-colors: none)", (0, 3)),
        ("(prefers-reduced-data: no-preference)", (0, 3)),
        ("not (unheard-of)", NONE),
        ("not (min-width: banana)", NONE),
        ("not (1px < 2px < 3px < 4px)", NONE),
        ("(unheard-of) or (min-width: 768px)", WIDE),
        ("screen and not (min-width: 768px)", NARROW),
        ("(not (min-width: 768px)) and (orientation)", NARROW),
        ("(min-width: 1px) and not (min-width: 768px)", NONE),
        ("not (min-width: 768px) and (orientation)", NONE),
        ("(min-width: 1px) and (min-width: 768px) or (orientation)", NONE),
        ("(min-width: 1px) and(orientation)", NONE),
        ("(min-width: 1px) (orientation)", NONE),
        ("(min-width: 1px) and", NONE),
        ("not not (width)", NONE),
        ("not or", NONE),
        ("only", NONE),
        ("and", NONE),
        ("(-ms-high-contrast: active)", NONE),
        ("(unheard-of: 3)", NONE),
        ("screen (min-width: 1px)", NONE),
        ("(min-width: banana)", NONE),
        ("&", NONE),
    ],
)
def test_query_is_evaluated_for_both_screens(query: str, screens: tuple[int, int]) -> None:
    """First where it is certain, then where it is possible: what only a device knows may hold or not."""
    assert screens_of(query) == screens
    assert screens_of(query.upper()) == screens


def test_long_query_is_unknown() -> None:
    """One character more than is read."""
    long = "(min-width: 1px)" + " " * MAX_CONDITION

    assert screens_of(long.strip() + ",x" * MAX_CONDITION) == (0, 3)
    assert is_supported("(a:b)" + "and(a:b)" * MAX_CONDITION) is None


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        ("(display: grid)", True),
        ("not (display: grid)", False),
        ("(display: grid) and (gap: 1px)", True),
        ("(-ms-ime-align: auto)", False),
        ("(-ms-ime-align: auto) or (display: grid)", True),
        ("(-webkit-hyphens: none)", None),
        ("(-webkit-hyphens: none) and (-moz-orient: inline)", False),
        ("selector(:has(a))", True),
        ("not selector(:focus-visible)", False),
        ("((display: grid) and (not (-ms-ime-align: auto)))", True),
        ("font-tech(color-COLRv1)", None),
        ("not (display: grid) and (gap: 1px)", False),
        ("(display: grid) and (gap: 1px) or (float: left)", False),
        ("(display: grid) or(gap: 1px)", False),
        ("((display: grid) and (gap: 1px)) or (float: left)", True),
        ("not not (display: grid)", False),
        ("", False),
    ],
)
def test_support_is_that_of_a_current_browser(condition: str, holds: bool | None) -> None:  # noqa: FBT001
    """A feature in which browsers differ is unknown."""
    assert is_supported(condition) is holds


@pytest.mark.parametrize("text", ["(" * 5_000, "not " * 5_000, "(not " * 300 + "(a:b)" + ")" * 300, "and" * 2_000])
def test_nested_conditions_end(text: str) -> None:
    """However deep they are."""
    assert len(screens_of(text)) == 2
    assert is_supported(text) in {True, False, None}
