from __future__ import annotations

import pytest

from pagegrade.web.http.unknown_names import MAX_CHARACTERS, MAX_NAMES, unknown_warnings

KNOWN = ("url", "privacy", "password", "sort_by")


@pytest.mark.parametrize(
    ("name", "hint"),
    [("privcy", "privacy"), ("PASSWORD", "password"), ("sortby", "sort_by"), ("uri", "url"), ("zzz", None), ("", None)],
)
def test_the_nearest_known_name_is_named(name: str, hint: str | None) -> None:
    """If one is near enough to be meant."""
    (warning,) = unknown_warnings([name], KNOWN)

    assert (warning.field, warning.code) == (name, "unknown_parameter")
    assert warning.message.endswith("ignored." if hint is None else f"Did you mean {hint}?")


def test_what_is_reported_is_bounded() -> None:
    """However many names there are, and however long each is."""
    found = list(unknown_warnings((f"{number}{'x' * 10_000}" for number in range(1_000)), KNOWN))

    assert len(found) == MAX_NAMES
    assert max(len(warning.field) for warning in found) <= 41


@pytest.mark.parametrize(("count", "end"), [(MAX_CHARACTERS, ""), (MAX_CHARACTERS + 1, "…")])
def test_a_name_is_shown_whole_up_to_the_limit(count: int, end: str) -> None:
    """One character more is cut off, visibly."""
    (warning,) = unknown_warnings(["x" * count], KNOWN)

    assert warning.field == "x" * MAX_CHARACTERS + end


def test_nothing_is_near_where_nothing_is_known() -> None:
    """Operations without parameters."""
    (warning,) = unknown_warnings(["url"], ())

    assert "mean" not in warning.message
