"""Search a text for many fixed byte strings at once, in memory that does not grow with what is found."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Final

from ahocorasick_rs import BytesAhoCorasick, MatchKind

CHUNK_BYTES: Final = 65_536
"""Searched at once, so that a text full of matches takes no more memory than this allows."""
_MOST_AT_ONCE: Final = 64
"""Strings that the library compares many bytes at once for; the search for more is four times as slow."""


class ByteSearch:
    """A fixed set of byte strings, none empty; the search is prepared at its first use."""

    def __init__(self, marks: Sequence[bytes]) -> None:
        """Take the strings; of two that begin at one place the first in the sequence counts."""
        self._marks = marks
        self._longest = max(map(len, marks))

    @cached_property
    def _automaton(self) -> BytesAhoCorasick:
        # Leftmost matches let the library compare many bytes at once, ten times as fast as walking its automaton.
        return BytesAhoCorasick(self._marks, matchkind=MatchKind.LeftmostFirst)

    @cached_property
    def _parts(self) -> Sequence[BytesAhoCorasick]:
        """Searches for some of the strings each, which tell quickly that there is none; none where they are few."""
        marks, step = self._marks, _MOST_AT_ONCE // 2
        starts = range(0, len(marks), step) if len(marks) > _MOST_AT_ONCE else ()
        return [BytesAhoCorasick(marks[at : at + step], matchkind=MatchKind.LeftmostFirst) for at in starts]

    def places(self, text: bytes, limit: int) -> Iterator[tuple[int, int]]:
        """(index of the string, offset) of the first ``limit`` places, in order; linear in the text."""
        view = memoryview(text)
        left = limit
        # Chunks overlap by the longest string less one byte, so that none is cut in two or found twice.
        for at in range(0, len(text), CHUNK_BYTES):
            chunk = view[at : at + CHUNK_BYTES + self._longest - 1]
            if self._parts and not any(one.find_matches_as_indexes(chunk) for one in self._parts):
                continue
            for index, start, _ in self._automaton.find_matches_as_indexes(chunk):
                if start < CHUNK_BYTES:
                    yield index, at + start
                    left -= 1
                    if not left:
                        return
