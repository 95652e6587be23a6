from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator

import pytest

from pagegrade.model.errors import Unavailable
from pagegrade.service.accounts.passwords import CONCURRENT, MAX_WAITING, NOBODYS, Passwords


@pytest.fixture
def passwords() -> Iterator[Passwords]:
    """Threads that end with the test."""
    made = Passwords()
    yield made
    made.close()


def matches(passwords: Passwords, stored: str, typed: str) -> bool:
    """Return whether the typed password matches the stored hash."""

    async def scenario() -> bool:
        return await passwords.verify(await passwords.hash(stored), typed)

    return asyncio.run(scenario())


@pytest.mark.parametrize(
    "password", ["x", " leading and trailing ", "pässwörd", "密码🔑", "null\x00inside", "x" * 128, "\ud800"], ids=ascii
)
def test_a_password_opens_what_it_closed(passwords: Passwords, password: str) -> None:
    """Whatever its characters; one that differs in any of them does not."""
    assert matches(passwords, password, password)
    assert not matches(passwords, password, f"{password} ")
    assert not matches(passwords, password, password[:-1])


def test_a_password_counts_exactly_as_it_was_sent(passwords: Passwords) -> None:
    """M09: two spellings of one letter are two passwords, and so are a blank more and a blank less."""
    assert not matches(passwords, "caf\u00e9", "cafe\u0301")
    assert not matches(passwords, "secret ", "secret")


def test_a_hash_is_argon2id_with_the_recommended_cost(passwords: Passwords) -> None:
    """19 MiB, two passes, one lane; and never the same twice."""

    async def scenario() -> list[str]:
        return [await passwords.hash("secret") for _ in range(2)]

    first, second = asyncio.run(scenario())

    assert first.startswith("$argon2id$v=19$m=19456,t=2,p=1$")
    assert first != second
    assert "secret" not in first


@pytest.mark.parametrize("hashed", ["", "plain", "$argon2id$v=19$m=19456,t=2,p=1$broken", "$2b$12$abcdefghijk"])
def test_a_hash_that_cannot_be_read_opens_nothing(passwords: Passwords, hashed: str) -> None:
    """It is no error of the person who typed."""
    assert not asyncio.run(passwords.verify(hashed, "secret"))


def test_many_login_attempts_wait_their_turn(passwords: Passwords) -> None:
    """Four at a time take 76 MiB; all are answered, and the loop stays free meanwhile."""

    async def scenario() -> list[bool]:
        hashed = await passwords.hash("secret")
        return await asyncio.gather(*(passwords.verify(hashed, f"attempt {number}") for number in range(12)))

    assert asyncio.run(scenario()) == [False] * 12
    assert len(passwords._threads._threads) <= CONCURRENT


def test_waiting_login_attempts_are_bounded(passwords: Passwords) -> None:
    """An attempt beyond the limit is refused at once, and the others get their answer."""

    async def scenario() -> list[bool]:
        hashed = await passwords.hash("secret")
        go_on = threading.Event()
        for _ in range(CONCURRENT):
            passwords._threads.submit(go_on.wait)
        async with asyncio.TaskGroup() as group:
            waiting = [group.create_task(passwords.verify(hashed, "attempt")) for _ in range(MAX_WAITING)]
            await asyncio.sleep(0)
            with pytest.raises(Unavailable):
                await passwords.verify(hashed, "secret")
            for late in waiting[2:]:
                late.cancel()
            go_on.set()
        return [*(each.result() for each in waiting[:2]), await passwords.verify(hashed, "secret")]

    assert asyncio.run(scenario()) == [False, False, True]


def test_no_hash_at_all_costs_what_a_wrong_one_does(passwords: Passwords) -> None:
    """The very parameters of a real one, so that the duration does not reveal whether an account exists."""
    hashed = asyncio.run(passwords.hash("secret"))

    assert NOBODYS.rsplit("$", 2)[0] == hashed.rsplit("$", 2)[0]
    assert [len(part) for part in NOBODYS.split("$")] == [len(part) for part in hashed.split("$")]
    assert passwords._hasher.check_needs_rehash(NOBODYS) is False
    assert not asyncio.run(passwords.verify(None, "secret"))
