"""Finds the same findings of one check in two reports."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import msgspec

from pagegrade.model.outcome import Evidence
from pagegrade.report.fingerprint import Keys, keys, repeats_places


class Matched(msgspec.Struct, frozen=True):
    """Two lists of evidence, sorted out; every distinct entry is in exactly one pair or left over."""

    both: tuple[tuple[Evidence, Evidence], ...]
    """(older, newer) of what is in both lists."""
    gone: tuple[Evidence, ...]
    """Older ones without a partner."""
    come: tuple[Evidence, ...]
    """Newer ones without a partner."""


def match(
    old: Sequence[Evidence],
    now: Sequence[Evidence],
    *,
    old_origins: Collection[str] = (),
    now_origins: Collection[str] = (),
) -> Matched:
    """Pair the entries of two lists, each at most once: first by the strictest key, what is left by the next one.

    Entries that show nothing different are one entry. Of elements that look alike the one at the same place is the
    partner, so that the place that was fixed is the one that is gone: three before and two after are two pairs and
    one that is gone. Exchanging the lists exchanges ``gone`` and ``come``.

    Args:
        old: Of the older report.
        now: Of the newer one.
        old_origins: Origins whose addresses count as relative, where the two reports are on copies of one page.
        now_origins: The same for the newer report.
    """
    by_reason = repeats_places(old) or repeats_places(now)
    before = [(entry, _ranked(entry, by_reason, old_origins)) for entry in distinct(old)]
    after = [(entry, _ranked(entry, by_reason, now_origins)) for entry in distinct(now)]
    both: list[tuple[Evidence, Evidence]] = []
    for rank in range(max((len(found) for _, found in (*before, *after)), default=0)):
        waiting: dict[str, list[int]] = {}
        for index, (_, found) in enumerate(before):
            waiting.setdefault(_at(found, rank), []).append(index)
        waiting.pop("", None)
        paired_old: set[int] = set()
        paired_now: set[int] = set()
        for place, (entry, found) in enumerate(after):
            partners = waiting.get(_at(found, rank))
            if partners:
                partner = partners.pop(0)
                both.append((before[partner][0], entry))
                paired_old.add(partner)
                paired_now.add(place)
        before = [one for index, one in enumerate(before) if index not in paired_old]
        after = [one for index, one in enumerate(after) if index not in paired_now]
    return Matched(tuple(both), tuple(entry for entry, _ in before), tuple(entry for entry, _ in after))


def distinct(evidence: Sequence[Evidence]) -> tuple[Evidence, ...]:
    """The entries without repetitions, in their order."""
    return tuple(dict.fromkeys(evidence))


def _ranked(entry: Evidence, by_reason: bool, own: Collection[str]) -> Keys:  # noqa: FBT001
    """Return the entry's visible value, the same without its source position, and the keys of the fingerprint."""
    shown = (entry.selector, entry.snippet, entry.header, entry.url, entry.value, entry.reason)
    return (
        repr((*shown, entry.line, entry.column)),
        repr(shown),
        *keys(entry, by_reason=by_reason, own=own),
    )


def _at(found: Keys, rank: int) -> str:
    return found[rank] if rank < len(found) else ""
