from __future__ import annotations

import pytest

from pagegrade.parse.byte_search import CHUNK_BYTES, ByteSearch

SEARCH = ByteSearch([b"abcd", b"ab", b"xyz"])


def test_places_come_in_order() -> None:
    """Of two strings at one place the first counts."""
    assert list(SEARCH.places(b"xyz abcd ab.", 9)) == [(2, 0), (0, 4), (1, 9)]
    assert list(SEARCH.places(b"", 9)) == list(SEARCH.places(b"a b", 9)) == []


@pytest.mark.parametrize("at", [CHUNK_BYTES - 4, CHUNK_BYTES - 3, CHUNK_BYTES - 1, CHUNK_BYTES, 2 * CHUNK_BYTES - 2])
def test_string_across_two_chunks_is_found_once(at: int) -> None:
    """Wherever it is cut."""
    assert list(SEARCH.places(b" " * at + b"abcd  ", 9)) == [(0, at)]


@pytest.mark.parametrize(("count", "found"), [(5, 5), (6, 5)])
def test_only_so_many_are_found(count: int, found: int) -> None:
    """At the limit and one past it."""
    assert len(list(SEARCH.places(b"xyz" * count, 5))) == found


@pytest.mark.parametrize("count", [64, 65, 100])
@pytest.mark.parametrize("gap", [b"", b" " * CHUNK_BYTES])
def test_many_strings_are_found_as_few_are(count: int, gap: bytes) -> None:
    """Also those at the end of the sequence, and behind a stretch without any."""
    search = ByteSearch([b"<%03d>" % number for number in range(count)])

    assert list(search.places(gap + b"<%03d><000><%03d>" % (count - 1, count), 9)) == [
        (count - 1, len(gap)),
        (0, len(gap) + 5),
    ]
    assert list(search.places(gap, 9)) == []
