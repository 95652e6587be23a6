from __future__ import annotations

import pytest
from msgspec.structs import replace

from pagegrade.web.http.prefer import MAX_CHARACTERS, MAX_WAIT_S, NONE, Preferences, parse_prefer
from pagegrade.web.problems import Rejected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, NONE),
        ("", NONE),
        (" , ", NONE),
        ("wait=10", Preferences(wait_s=10)),
        ("WAIT = 0", Preferences(wait_s=0)),
        ('wait="7"', Preferences(wait_s=7)),
        ("wait=5, wait=9", Preferences(wait_s=5)),
        ("wait=3600", Preferences(wait_s=MAX_WAIT_S)),
        ("respond-async", Preferences(respond_async=True)),
        ("respond-async, wait=10", Preferences(wait_s=10, respond_async=True)),
        ("handling=lenient", Preferences(lenient=True)),
        ("handling=strict", NONE),
        ("return=minimal; foo=bar, x-mine", Preferences(minimal=True)),
        ("return=representation", NONE),
    ],
)
def test_preferences_are_read(value: str | None, expected: Preferences) -> None:
    """Known ones are taken, the first of a kind counts, and unknown ones are ignored (RFC 7240 section 2)."""
    assert parse_prefer(value) == expected


@pytest.mark.parametrize(
    "value", ["wait=abc", "wait=-1", "wait=1.5", "wait", "wait=", "=5", "wait=1 2", "a b", '"x"', 'x="1, wait=9', "ä=1"]
)
@pytest.mark.parametrize("place", ["{}", "{}, wait=3", "return=minimal, {}"])
def test_what_cannot_be_read_is_ignored(value: str, place: str) -> None:
    """It alone: the other preferences of the header count (RFC 7240 section 2)."""
    is_open = value.count('"') % 2
    expected = parse_prefer(None if is_open and place.startswith("{}") else place.format("x"))
    read = parse_prefer(place.format(value))

    assert replace(read, unread=()) == expected
    assert len(read.unread) == 1


def test_quoted_text_is_no_other_preference() -> None:
    """Whatever it contains."""
    assert parse_prefer(r'note="a, wait=9, \", wait=8", wait=3; x="1, wait=7"') == Preferences(wait_s=3)


@pytest.mark.parametrize(
    ("value", "seconds", "applied"),
    [
        ("", 15.0, ()),
        ("respond-async", 0.0, (("Preference-Applied", "respond-async"),)),
        ("wait=3", 3.0, (("Preference-Applied", "wait=3"),)),
        ("respond-async, wait=3", 3.0, (("Preference-Applied", "respond-async, wait=3"),)),
        ("wait=999", 50.0, (("Preference-Applied", "wait=50"),)),
    ],
)
def test_waiting_follows_the_preference(value: str, seconds: float, applied: tuple[tuple[str, str], ...]) -> None:
    """Applied preferences are named; a wait beyond what proxies bear is cut, and that is named too."""
    preferences = parse_prefer(value)

    assert preferences.seconds(15.0) == seconds
    assert preferences.applied() == applied


def test_the_length_of_the_header_is_bounded() -> None:
    """At the limit, and one past it."""
    start = "wait=3, "

    assert parse_prefer(start + "x" * (MAX_CHARACTERS - len(start))).wait_s == 3
    with pytest.raises(Rejected):
        parse_prefer(start + "x" * (MAX_CHARACTERS - len(start) + 1))
