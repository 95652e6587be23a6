"""The meaning of a viewport declaration."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagegrade.parse.html.viewport import Viewport, parse_viewport


@pytest.mark.parametrize(
    "content",
    [
        "width=device-width, initial-scale=1",
        "width=device-width; initial-scale=1",
        "width=device-width initial-scale=1",
        "width=device-width,initial-scale=1.0",
        "  WIDTH = Device-Width ,, Initial-Scale = 1.0abc ; ",
        "initial-scale=1\n\twidth=device-width",
    ],
)
def test_every_separator_and_any_case_is_understood(content: str) -> None:
    """Commas, semicolons and white space separate; keys and words match in any case."""
    viewport = parse_viewport(content)

    assert viewport.width == "device-width"
    assert viewport.initial_scale == 1.0
    assert viewport.responsive


@pytest.mark.parametrize(
    ("content", "width"),
    [
        ("width=1024", 1024.0),
        ("width=320px", 320.0),
        ("width=99999", 10_000.0),
        ("width=-5", None),
        ("width=banana", 0.0),
        ("height=device-height", None),
        ("", None),
    ],
)
def test_width_is_a_number_prefix_or_a_word(content: str, width: float | None) -> None:
    """Numbers are read as far as they go; negative ones and absent keys say nothing."""
    viewport = parse_viewport(content)

    assert viewport.width == width
    assert not viewport.responsive


@pytest.mark.parametrize(
    ("value", "scale"),
    [
        ("1", 1.0),
        (".5", 0.5),
        ("1e1", 10.0),
        ("0", 0.1),
        ("50", 10.0),
        ("yes", 1.0),
        ("no", 0.1),
        ("device-width", 10.0),
        ("-1", None),
    ],
)
def test_scales_are_translated_and_clamped(value: str, scale: float | None) -> None:
    """Words have numbers of their own and everything ends between 0.1 and 10."""
    viewport = parse_viewport(f"initial-scale={value},minimum-scale={value},maximum-scale={value}")

    assert viewport.initial_scale == viewport.minimum_scale == viewport.maximum_scale == scale


@pytest.mark.parametrize(
    ("value", "scalable"),
    [
        ("yes", True),
        ("1", True),
        ("-2", True),
        ("device-width", True),
        ("no", False),
        ("0", False),
        ("0.5", False),
        ("false", False),
    ],
)
def test_user_scalable_knows_words_and_numbers(value: str, scalable: bool) -> None:  # noqa: FBT001 - a table
    """Only yes, a device size and numbers away from zero allow zooming."""
    viewport = parse_viewport(f"user-scalable={value}")

    assert viewport.user_scalable is scalable


def test_nothing_said_about_zooming_is_not_a_refusal() -> None:
    """Absent keys stay unknown."""
    viewport = parse_viewport("width=device-width")

    assert viewport.user_scalable is None
    assert viewport.maximum_scale is None


def test_the_last_of_a_repeated_key_wins() -> None:
    """Like in a browser."""
    viewport = parse_viewport("width=320, width=device-width")

    assert viewport.width == "device-width"


def test_a_key_without_value_is_dropped_and_the_next_is_read() -> None:
    """A slip costs only itself."""
    viewport = parse_viewport("minimal-ui, width=device-width, initial-scale=")

    assert viewport.properties == {"width": "device-width"}


def test_unknown_keys_are_kept() -> None:
    """They show what the author wrote."""
    viewport = parse_viewport("viewport-fit=Cover, width=device-width")

    assert viewport.properties == {"viewport-fit": "cover", "width": "device-width"}


@pytest.mark.parametrize(
    ("content", "responsive"),
    [
        ("initial-scale=1", True),
        ("initial-scale=0.99", False),
        ("width=980, initial-scale=1", False),
        ("width=device-width, initial-scale=0.5", True),
    ],
)
def test_a_scale_of_one_alone_makes_the_layout_responsive(content: str, responsive: bool) -> None:  # noqa: FBT001
    """Without a width the scale decides; a fixed width always wins."""
    viewport = parse_viewport(content)

    assert viewport.responsive is responsive


@given(st.text(alphabet="widthscale-=,; 01.eyno\n", max_size=60) | st.text(max_size=60))
def test_any_text_is_read_without_an_exception(content: str) -> None:
    """The value is the page's, so anything may stand there."""
    viewport = parse_viewport(content)

    assert isinstance(viewport, Viewport)
    assert viewport.maximum_scale is None or 0.1 <= viewport.maximum_scale <= 10


def test_a_huge_value_is_read_only_in_part() -> None:
    """Megabytes of separators cost nothing."""
    viewport = parse_viewport("," * 1_000_000 + "width=1")

    assert viewport.width is None
