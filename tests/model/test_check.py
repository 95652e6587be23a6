from __future__ import annotations

from pagegrade.checks import all_checks
from pagegrade.model.check import CheckLike, StateLike


def members(protocol: type) -> list[str]:
    """Names that a protocol declares."""
    return [name for name in vars(protocol) if not name.startswith("_")]


def test_every_check_and_every_state_has_what_is_declared() -> None:
    """Neither scoring nor reports meet a check without one of these members."""
    checks = list(all_checks().values())

    assert [check.id for check in checks for name in members(CheckLike) if not hasattr(check, name)] == []
    assert [
        state.name
        for check in checks
        for state in check.states
        for name in members(StateLike)
        if not hasattr(state, name)
    ] == []
