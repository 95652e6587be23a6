"""The usual way of a check that counts offenders: one entry of evidence each, a loss that grows with the number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from types import MappingProxyType
from typing import Final

import msgspec
from msgspec.structs import replace

from pagegrade.checks._check import offender_loss
from pagegrade.model.document import Document, Node
from pagegrade.model.outcome import MAX_EVIDENCE, Evidence, Outcome

FULL_AT: Final = 10
"""Offenders that cost everything, unless a check says otherwise."""
_MAX_VALUE: Final = 200
_NONE: Final[Mapping[str, Sequence[Offender]]] = MappingProxyType({})


class Offender(msgspec.Struct, frozen=True, gc=False):
    """An element and what is wrong with it."""

    node: Node
    reason: str
    value: str = ""
    """The value read or computed: a name, an attribute."""
    url: str = ""
    state: str = ""
    """State of the check, where it is not that of the outcome."""


def in_state(offender: Offender, state: str) -> Offender:
    """The offender of another state of the check."""
    return replace(offender, state=state)


def lack_of_name(screen: str | None) -> str:
    """Say that an element has no name, or has none on the one screen where a stylesheet hides its text."""
    if screen is None:
        return "no accessible name"
    return "no accessible name on a narrow screen" if screen == "narrow" else "no accessible name on a wide screen"


def evidence_of(document: Document, found: Sequence[Offender]) -> tuple[Evidence, ...]:
    """Locations of the first hundred, each with its reason."""
    return tuple(
        document.evidence_at(one.node, reason=one.reason, url=one.url, value=one.value[:_MAX_VALUE], state=one.state)
        for one in islice(found, MAX_EVIDENCE)
    )


def counted(  # noqa: PLR0917 - (what, good, bad, messages) reads in this order
    document: Document,
    found: Sequence[Offender],
    good: str,
    bad: str,
    one: str,
    many: str,
    *,
    low: float = 0.5,
    high: float = 1.0,
    full_at: int = FULL_AT,
    lesser: Mapping[str, Sequence[Offender]] = _NONE,
) -> Outcome:
    """The state ``good`` without offenders, else ``bad`` with a loss from ``low`` (one) to ``high`` (``full_at``).

    Args:
        document: The page, which locates its elements.
        found: All offenders.
        good: State without any.
        bad: State with some.
        one: Sentence for a single offender.
        many: Sentence for several, with ``{count}``.
        low: Loss for one.
        high: Loss for ``full_at`` and more.
        full_at: Number from which the loss grows no more.
        lesser: Milder states of the same check and their offenders, listed after those of ``bad``; they change neither
            the loss nor the number in the message.
    """
    count = len(found)
    if not count:
        return Outcome(good, value=0)
    milder = [in_state(offender, state) for state, offenders in lesser.items() for offender in offenders]
    return Outcome(
        bad,
        value=count,
        evidence=evidence_of(document, (*found, *milder)),
        total=count + len(milder),
        count=count,
        loss=low + (offender_loss(count, full_at) - 0.5) * 2 * (high - low),
        message=one if count == 1 else many.format(count=count),
    )
