from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from pagegrade.service import guesses as module
from pagegrade.service.guesses import ADDRESS, CLIENT, CLIENT_AT_ADDRESS, Guesses, SignInGuesses


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_a_client_may_guess_ten_times_in_a_quarter_of_an_hour() -> None:
    """The eleventh waits until the first is a quarter of an hour old; others, and other reports, are not touched."""
    clock = Clock()
    guesses = Guesses(clock)
    answers = []
    for _ in range(11):
        answers.append(guesses.take(1, "192.0.2.1"))
        clock.now += 10

    assert answers == [None] * 10 + [800]
    assert guesses.take(1, "192.0.2.2") is None
    assert guesses.take(2, "192.0.2.1") is None

    clock.now = 1900.5

    assert guesses.take(1, "192.0.2.1") is None
    assert guesses.take(1, "192.0.2.1") == 10


def test_a_report_may_be_guessed_at_a_hundred_times_an_hour() -> None:
    """However many clients share the work."""
    clock = Clock()
    guesses = Guesses(clock)
    answers = [guesses.take(1, f"192.0.2.{number}") for number in range(101)]

    assert answers == [None] * 100 + [3600]

    clock.now += 3600

    assert guesses.take(1, "192.0.2.200") is None


def test_a_right_guess_is_not_counted() -> None:
    """An office behind one address opens a report as often as it likes."""
    guesses = Guesses(Clock())
    for _ in range(50):
        assert guesses.take(1, "192.0.2.1") is None
        guesses.give_back(1, "192.0.2.1")
    for _ in range(10):
        assert guesses.take(1, "192.0.2.1") is None
    guesses.give_back(1, "192.0.2.9")
    guesses.give_back(7, "192.0.2.1")

    assert guesses.take(1, "192.0.2.1") is not None


def test_guesses_at_the_same_moment_are_counted_one_by_one() -> None:
    """From many threads, ten and no more."""
    guesses = Guesses(Clock())
    with ThreadPoolExecutor(16) as threads:
        answers = list(threads.map(lambda _: guesses.take(1, "192.0.2.1"), range(200)))

    assert answers.count(None) == 10


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """The reports left alone the longest are forgotten."""
    monkeypatch.setattr(module, "REMEMBERED", 3)
    guesses = Guesses(Clock())
    for _ in range(10):
        guesses.take(1, "192.0.2.1")
    for report in (2, 3, 4):
        guesses.take(report, "192.0.2.1")

    assert len(guesses._windows._times) == 3
    assert guesses.take(1, "192.0.2.1") is None


def test_a_client_may_try_so_often_whatever_it_types() -> None:
    """One password on every account is stopped as many passwords on one are; another client is not."""
    guesses = SignInGuesses(Clock())
    one = [guesses.take("alice@example.org", "192.0.2.1") for _ in range(CLIENT_AT_ADDRESS.count + 1)]
    many = [guesses.take(f"{number}@example.org", "192.0.2.2") for number in range(CLIENT.count + 1)]

    assert one == [None] * CLIENT_AT_ADDRESS.count + [900]
    assert many == [None] * CLIENT.count + [900]
    assert guesses.take("alice@example.org", "192.0.2.3") is None


def test_an_account_may_be_guessed_at_so_often_by_all_together() -> None:
    """However its address is written; a refused guess is not counted."""
    clock = Clock()
    guesses = SignInGuesses(clock)
    spellings = ("alice@example.org", "Alice@Example.ORG")
    answers = [guesses.take(spellings[each % 2], f"192.0.2.{each}") for each in range(ADDRESS.count + 50)]

    assert answers == [None] * ADDRESS.count + [3600] * 50

    clock.now += 3600

    assert guesses.take("alice@example.org", "192.0.2.1") is None


def test_strangers_do_not_keep_an_owner_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """From where somebody signed in to the account before, only their own guesses count; so many places are kept."""
    monkeypatch.setattr(module, "KNOWN", 2)
    guesses = SignInGuesses(Clock())
    for client in ("192.0.2.1", "192.0.2.2"):
        guesses.take("Alice@example.org", client)
        guesses.give_back("alice@example.org", client)
    for each in range(ADDRESS.count):
        guesses.take("alice@example.org", f"198.51.100.{each}")
    stranger = guesses.take("alice@example.org", "203.0.113.1")
    own = [guesses.take("alice@example.org", "192.0.2.1") for _ in range(CLIENT_AT_ADDRESS.count + 1)]
    guesses.take("bob@example.org", "192.0.2.1")
    guesses.give_back("bob@example.org", "192.0.2.1")

    assert stranger == 3600
    assert own == [None] * CLIENT_AT_ADDRESS.count + [900]
    assert guesses.take("alice@example.org", "192.0.2.2") is None
    assert len(guesses._known) == module.KNOWN


def test_who_signs_in_is_not_counted() -> None:
    """An office behind one address signs in as often as it likes."""
    guesses = SignInGuesses(Clock())
    for number in range(200):
        assert guesses.take(f"{number}@example.org", "192.0.2.1") is None
        guesses.give_back(f"{number}@example.org", "192.0.2.1")
