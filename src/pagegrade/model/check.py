"""A check and its states, as far as scoring and reports need them: neither imports the package of checks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from pagegrade.model.outcome import Cap, Severity
from pagegrade.model.report import Category


class StateLike(Protocol):
    """A state of a check."""

    @property
    def name(self) -> str: ...  # noqa: D102
    @property
    def message(self) -> str:
        """One sentence about the page."""
        ...

    @property
    def title(self) -> str: ...  # noqa: D102
    @property
    def why(self) -> str: ...  # noqa: D102
    @property
    def fix(self) -> str: ...  # noqa: D102
    @property
    def counted(self) -> bool: ...  # noqa: D102
    @property
    def loss(self) -> float:
        """The least share of the severity that the state costs, 0 to 1."""
        ...

    @property
    def highest(self) -> float:
        """The most that it costs, 0 to 1."""
        ...


class CheckLike(Protocol):
    """A check."""

    @property
    def id(self) -> str: ...  # noqa: D102
    @property
    def title(self) -> str: ...  # noqa: D102
    @property
    def category(self) -> Category: ...  # noqa: D102
    @property
    def severity(self) -> Severity: ...  # noqa: D102
    @property
    def cause(self) -> str | None: ...  # noqa: D102
    @property
    def caps(self) -> tuple[Cap, ...]: ...  # noqa: D102
    @property
    def sources(self) -> tuple[str, ...]: ...  # noqa: D102
    @property
    def states(self) -> Sequence[StateLike]: ...  # noqa: D102
    def state(self, name: str) -> StateLike: ...  # noqa: D102


def severity_of_finding(check: CheckLike, state: str, loss: float) -> Severity:
    """Return the severity of what a check found: a check that can find something critical finds trifles as well.

    It is the lowest whose points cover the penalty, and at least that of the caps which the state brings.

    Args:
        check: Check that found it.
        state: Name of its state.
        loss: Share of the points of the check that the finding costs, 0 to 1.
    """
    caps = (cap.severity for cap in check.caps if (state in cap.states if cap.states else check.state(state).loss >= 1))
    penalty = Severity.of_points(check.severity.value * loss)
    return max((penalty, *caps), key=lambda severity: severity.value)
