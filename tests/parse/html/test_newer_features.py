from __future__ import annotations

import pytest

from pagegrade.parse.html.newer_features import MAX_PLACES, find_newer_markup


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        ("<div popover id=a>", ("popover", "<div popover>", 1)),
        ("\n<BUTTON title='a > b' popovertarget=a>", ("popover", "<button popovertarget>", 2)),
        ("<a\ninterestfor=b>", ("interest-invokers", "<a interestfor>", 2)),
        ("<dialog closedby=any>", ("dialog-closedby", "<dialog closedby>", 1)),
        ("<select><selectedcontent></select>", ("customizable-select", "<selectedcontent>", 1)),
        ("<script>a</script><div popover>", ("popover", "<div popover>", 1)),
    ],
)
def test_names_in_start_tags_count(page: str, expected: tuple[str, str, int]) -> None:
    """With the line they stand in."""
    assert find_newer_markup(page.encode()) == (expected,)


@pytest.mark.parametrize(
    "page",
    [
        "<p>popover = a", "<div class='popover'>", "<div class=popover>", "<div title='a popover b'>",
        '<div title="a popover b">', "<script>'<div popover>'</script>", "<!-- <div popover> -->", "<!-- <div popover>",
        "<style><div popover></style>", "<textarea><div popover></textarea>", "<div closedby=any>", "<div popovers>",
        "<div data-popover>", "< div popover>", "</div popover>", "<selectedcontents>", "popover",
    ],
)  # fmt: skip
def test_the_words_elsewhere_do_not(page: str) -> None:
    """Text, values, scripts, comments, other elements and longer names."""
    assert find_newer_markup(page.encode()) == ()


def test_each_feature_is_named_once() -> None:
    """At its first place."""
    assert find_newer_markup(b"<div popover>\n<div popover>\n<button popovertarget=a>") == (
        ("popover", "<div popover>", 1),
    )


@pytest.mark.parametrize(("before", "found"), [(MAX_PLACES - 1, 1), (MAX_PLACES, 0)])
def test_only_so_many_names_are_looked_at(before: int, found: int) -> None:
    """At the limit and one past it."""
    assert len(find_newer_markup(b"popover " * before + b"<div popover>")) == found
