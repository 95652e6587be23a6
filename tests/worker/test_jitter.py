from __future__ import annotations

import pytest

from pagegrade.worker.jitter import DRAWN, LATER_S, LATEST_S, SOON_S, turn_s

TRIES = 4_000


@pytest.mark.parametrize("peers", [1, 2, DRAWN])
def test_a_few_all_look_soon(peers: int) -> None:
    """No process waits for its turn."""
    assert max(turn_s(peers) for _ in range(TRIES)) <= SOON_S * peers


@pytest.mark.parametrize("peers", [30, 100, 1_000])
def test_of_many_a_few_look_soon_and_the_others_later(peers: int) -> None:
    """As many as are drawn, whatever their number; the others are spread over a time that has an end."""
    tries = 200 * peers  # so many that about 200 x DRAWN look soon: far from half and from twice as many
    turns = [turn_s(peers) for _ in range(tries)]
    soon = [each for each in turns if each < LATER_S]

    assert DRAWN / 2 < peers * len(soon) / tries < DRAWN * 2
    assert max(soon) <= SOON_S * DRAWN
    assert max(turns) <= LATEST_S


def test_a_hundred_idle_processes_ask_no_more_often_than_the_database_can_bear() -> None:
    """Once for each notice at most, however many notices come while they wait for their turn."""
    later = [each for each in (turn_s(100) for _ in range(TRIES)) if each >= LATER_S]

    assert 100 / (sum(later) / len(later)) < 100
