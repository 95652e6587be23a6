"""Basis of comparison: what two runs must have in common, so that a difference between them is one of the page."""

from __future__ import annotations

from typing import Literal, NamedTuple

from pagegrade.model.rendering import Device

Difference = Literal["engine", "device", "ruleset"]


class Basis(NamedTuple):
    """Everything beside the page that decides what a run finds.

    Runs with different bases are two measurements: no figure, trend, budget or event compares them. The fields are
    columns of ``runs``, too.
    """

    ruleset: str
    device: Device | None
    """Device that a browser imitated; ``None``: the static engine, without a browser."""

    @property
    def engine(self) -> Literal["static", "rendered"]:
        """The engine, as the API names it."""
        return "static" if self.device is None else "rendered"

    def differences(self, other: Basis) -> tuple[Difference, ...]:
        """Return what keeps the two from being compared; empty if they compare."""
        found: list[Difference] = []
        if self.device != other.device:
            found.append("engine" if None in {self.device, other.device} else "device")
        if self.ruleset != other.ruleset:
            found.append("ruleset")
        return tuple(found)
