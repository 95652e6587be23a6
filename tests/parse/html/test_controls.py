"""Controls, and the reasons why they cannot be used."""

from __future__ import annotations

import pytest
from turbohtml import Element, parse

from pagegrade.parse.cascade.states import is_details_summary
from pagegrade.parse.html.controls import (
    in_disabled_fieldset,
    is_control,
    text_attributes,
)


def element(html: str) -> Element:
    """The element with the id ``t``."""
    return parse(html.encode(), scripting=True).select("#t")[0]


@pytest.mark.parametrize(
    "html",
    [
        "<a id=t href=/>",
        "<input id=t>",
        "<input id=t type=date>",
        "<p id=t role=button tabindex=-1>",
        "<details><summary id=t></details>",
        "<p id=t role=progressbar tabindex=0>",
    ],
)
def test_control_can_be_focused_and_acted_on(html: str) -> None:
    """Some fields and summaries have no role."""
    assert is_control(element(html))


@pytest.mark.parametrize(
    "html",
    [
        "<a id=t>",
        "<p id=t tabindex=0>",
        "<p id=t role=button>",
        "<input id=t type=hidden>",
        "<button id=t disabled>",
        "<summary id=t>",
        "<iframe id=t>",
    ],
)
def test_anything_else_is_no_control(html: str) -> None:
    """A box that takes the focus is none."""
    assert not is_control(element(html))


@pytest.mark.parametrize(
    ("html", "opens"),
    [
        ("<details><summary id=t></details>", True),
        ("<details><p>x</p><summary id=t></details>", True),
        ("<details><summary></summary><summary id=t></details>", False),
        ("<details><div><summary id=t></div></details>", False),
        ("<summary id=t>", False),
    ],
)
def test_first_summary_among_the_children_opens(html: str, opens: bool) -> None:  # noqa: FBT001
    """Any other is plain text."""
    assert is_details_summary(element(html)) is opens


def test_many_summaries_cost_no_more_than_their_number() -> None:
    """Each looks back to the nearest one only."""
    summaries = parse(b"<details>" + b"<summary>x</summary>" * 2_000, scripting=True).select("summary")

    assert [is_details_summary(one) for one in summaries] == [True] + [False] * 1_999


def test_fields_are_disabled_with_their_fieldset() -> None:
    """Those in its legend are not."""
    assert in_disabled_fieldset(element("<fieldset disabled><p><input id=t></fieldset>"))
    assert not in_disabled_fieldset(element("<fieldset disabled><legend><input id=t></legend></fieldset>"))
    assert not in_disabled_fieldset(element("<fieldset><input id=t></fieldset>"))


def test_attributes_are_strings() -> None:
    """The parser splits some and has nothing for others."""
    assert text_attributes(element("<p id=t class='a b' hidden>")) == {"id": "t", "class": "a b", "hidden": ""}
