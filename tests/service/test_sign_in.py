from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest
from msgspec.structs import replace

from pagegrade.model.account import Account, Session
from pagegrade.model.errors import InvalidInput, RateLimited
from pagegrade.service import sign_in as module
from pagegrade.service.accounts.operations import disable
from pagegrade.service.accounts.passwords import CLIENT_AT_ADDRESS, Passwords
from pagegrade.service.accounts.sessions import find_signed_in, start_session
from pagegrade.service.container import Services
from pagegrade.service.sign_in import (
    FRESH_LINK_MS,
    HOUR_MS,
    WrongPassword,
    change_password,
    find_linked,
    link_url,
    make_link,
    needs_current_password,
    sign_in_with_link,
    sign_in_with_password,
    store_password,
)
from pagegrade.store.engine.factory import open_database
from pagegrade.store.repositories.accounts import load_account
from pagegrade.store.repositories.credentials import list_sessions
from tests.store_builders import NOW_MS, add_owner, make_database

T = TypeVar("T")
PASSWORD = " correct hörse "
CLIENT = "192.0.2.1"


class CountingPasswords(Passwords):
    """Real ones that say how often something was hashed."""

    def __init__(self) -> None:
        super().__init__()
        self.hashed: list[str | None] = []

    async def verify(self, hashed: str | None, password: str) -> bool:
        self.hashed.append(hashed)
        return await super().verify(hashed, password)


class Instance:
    """Services with Alice, who has a password, and Bob, who has none."""

    def __init__(self, tmp_path: Path) -> None:
        self.passwords = CountingPasswords()
        self.services = Services(database=make_database(tmp_path), passwords=self.passwords)
        alice, _ = add_owner(self.services.database)
        self.bob, _ = add_owner(self.services.database, "Bob")
        hashed = asyncio.run(self.passwords.hash(PASSWORD))
        self.services.database.write_here(lambda tx: store_password(tx, alice.id, hashed))
        self.alice = replace(alice, has_password=True)

    async def try_password(self, password: str = PASSWORD, email: str = "alice@example.org", **more: Any) -> str:
        """The token of a new session."""
        values = {"client": CLIENT, "agent": "Firefox", "tokens": (), "now_ms": NOW_MS, **more}
        return await sign_in_with_password(self.services, email, password, **values)

    def signed_in(self, token: str) -> Account | None:
        """The account whose session has this token."""
        found = self.services.database.read_here(lambda tx: find_signed_in(tx, token, NOW_MS))
        return None if found is None else found.caller.account

    def start(self, account: Account, *, by_link: bool = False, at_ms: int = NOW_MS) -> tuple[str, Session]:
        """A new session and its token."""
        token = self.services.database.write_here(
            lambda tx: start_session(tx, account, "Firefox", at_ms, by_link=by_link)
        )
        found = self.services.database.read_here(lambda tx: find_signed_in(tx, token, at_ms))
        if found is None:
            raise AssertionError("no account is signed in")
        return token, found.session

    def link(self, account: Account, hours: int = 1) -> str:
        """The token of a new link."""
        return self.services.database.write_here(lambda tx: make_link(tx, account.id, hours=hours, now_ms=NOW_MS))[0]


def with_instance(tmp_path: Path, script: Callable[[Instance], Awaitable[T]]) -> T:
    """The result of a script for an instance of its own."""
    instance = Instance(tmp_path)
    try:
        return asyncio.run(script(instance))  # type: ignore[arg-type]
    finally:
        instance.services.database.close()
        instance.passwords.close()


def test_the_right_password_starts_a_session(tmp_path: Path) -> None:
    """However the address is written, and exactly as the password is; the browser's session from before ends."""

    async def script(instance: Instance) -> None:
        before, _ = instance.start(instance.bob)
        token = await instance.try_password(email=" Alice@Example.org ", tokens=(before, "", "strange"))

        assert instance.signed_in(token) == instance.alice
        assert instance.signed_in(before) is None
        assert token != before

    with_instance(tmp_path, script)


@pytest.mark.parametrize(
    ("email", "password"),
    [
        ("alice@example.org", PASSWORD.strip()),
        ("alice@example.org", PASSWORD.upper()),
        ("alice@example.org", "x"),
        ("bob@example.org", PASSWORD),
        ("charlie@example.org", PASSWORD),
        ("", PASSWORD),
        ("%", PASSWORD),
        ("x" * 10_000, PASSWORD),
        ("alice@example.org\x00", PASSWORD),
        ("\ud800@example.org", "\ud800" * 8),
    ],
    ids=ascii,
)
def test_every_failed_login_costs_one_hash_and_gets_the_same_error(tmp_path: Path, email: str, password: str) -> None:
    """A wrong password, an account without one, and no account at all: the answer is the same."""

    async def script(instance: Instance) -> str:
        with pytest.raises(WrongPassword) as raised:
            await instance.try_password(password, email)

        assert len(instance.passwords.hashed) == 1
        return raised.value.message

    assert with_instance(tmp_path, script) == WrongPassword().message


def test_a_disabled_account_gets_the_error_of_an_unknown_one(tmp_path: Path) -> None:
    """Even with the right password, and the hash it is compared with belongs to no account."""

    async def script(instance: Instance) -> None:
        instance.services.database.write_here(lambda tx: disable(tx, instance.alice.id, NOW_MS))
        with pytest.raises(WrongPassword):
            await instance.try_password()

        assert instance.passwords.hashed == [None]

    with_instance(tmp_path, script)


@pytest.mark.parametrize("password", ["", "x" * 129, "x" * 100_000])
def test_what_no_password_can_be_is_not_hashed(tmp_path: Path, password: str) -> None:
    """It counts as an attempt all the same."""

    async def script(instance: Instance) -> None:
        for _ in range(CLIENT_AT_ADDRESS.count):
            with pytest.raises(WrongPassword):
                await instance.try_password(password)
        with pytest.raises(RateLimited):
            await instance.try_password()

        assert instance.passwords.hashed == []

    with_instance(tmp_path, script)


def test_attempts_are_limited_before_anything_is_hashed(tmp_path: Path) -> None:
    """M07, M10: of many at the same moment ten are hashed, be there an account or not."""

    async def script(instance: Instance) -> None:
        for email in ("alice@example.org", "charlie@example.org"):
            instance.passwords.hashed.clear()
            answers = await asyncio.gather(
                *(instance.try_password("wrong password", email) for _ in range(40)), return_exceptions=True
            )

            assert len(instance.passwords.hashed) == CLIENT_AT_ADDRESS.count
            assert sum(isinstance(answer, RateLimited) for answer in answers) == 40 - CLIENT_AT_ADDRESS.count
            waits = [answer.retry_after_s or 0 for answer in answers if isinstance(answer, RateLimited)]
            assert all(0 < wait_s <= 90 for wait_s in waits)

    with_instance(tmp_path, script)


def test_a_password_that_changes_while_it_is_compared_opens_nothing(tmp_path: Path) -> None:
    """Nor does an account that is disabled meanwhile."""

    class Slow(CountingPasswords):
        async def verify(self, hashed: str | None, password: str) -> bool:
            right = await super().verify(hashed, password)
            await self.meanwhile()
            return right

        meanwhile: Callable[[], Awaitable[object]]

    async def script(instance: Instance) -> None:
        slow = Slow()
        instance.services.passwords = slow
        alice_id = instance.alice.id
        slow.meanwhile = lambda: instance.services.database.write(lambda tx: store_password(tx, alice_id, "another"))
        with pytest.raises(WrongPassword):
            await instance.try_password()

        assert instance.services.database.read_here(lambda tx: list_sessions(tx, alice_id)) == ()
        slow.close()

    with_instance(tmp_path, script)


def test_a_link_signs_in_once(tmp_path: Path) -> None:
    """Looking does not use it up; of two who use it at once one gets in; it ends to the millisecond."""

    async def script(instance: Instance) -> None:
        database = instance.services.database
        link, late = instance.link(instance.bob), instance.link(instance.bob)
        looked = [database.read_here(lambda tx: find_linked(tx, link, NOW_MS)) for _ in range(3)]
        used = await asyncio.gather(
            *(
                database.write(lambda tx: sign_in_with_link(tx, link, agent="", tokens=(), now_ms=NOW_MS))
                for _ in range(2)
            )
        )
        worked = [each for each in used if each is not None]

        assert looked == [instance.bob] * 3
        assert len(worked) == 1
        assert worked[0][0] == instance.signed_in(worked[0][1]) == instance.bob
        assert database.read_here(lambda tx: find_linked(tx, late, NOW_MS + HOUR_MS - 1)) == instance.bob
        assert database.read_here(lambda tx: find_linked(tx, late, NOW_MS + HOUR_MS)) is None

    with_instance(tmp_path, script)


def test_a_link_of_a_disabled_account_is_none(tmp_path: Path) -> None:
    """It was deleted with its sessions, and no new one is made."""

    async def script(instance: Instance) -> None:
        database = instance.services.database
        link = instance.link(instance.bob)
        database.write_here(lambda tx: disable(tx, instance.bob.id, NOW_MS))

        assert database.read_here(lambda tx: find_linked(tx, link, NOW_MS)) is None
        with pytest.raises(InvalidInput, match="There is no account"):
            instance.link(instance.bob)

    with_instance(tmp_path, script)


@pytest.mark.parametrize("hours", [0, -1, 721])
def test_a_link_does_not_last_for_ever(tmp_path: Path, hours: int) -> None:
    """A month at most."""

    async def script(instance: Instance) -> None:
        with pytest.raises(InvalidInput, match="1 to 720"):
            instance.link(instance.bob, hours)

    with_instance(tmp_path, script)


def test_the_address_of_a_link_is_below_the_public_origin() -> None:
    """Never made of what a request says."""
    assert link_url("https://reports.example.org", "T") == "https://reports.example.org/sign-in/T"


def test_a_new_password_ends_every_other_session_and_link(tmp_path: Path) -> None:
    """The browser that sets it goes on, with a new token."""

    async def script(instance: Instance) -> None:
        here, session = instance.start(instance.alice)
        there, _ = instance.start(instance.alice)
        bobs, _ = instance.start(instance.bob)
        link = instance.link(instance.alice)
        token = await change_password(
            instance.services,
            instance.alice,
            session,
            current=PASSWORD,
            new="another one",
            client=CLIENT,
            now_ms=NOW_MS,
        )
        kept = [instance.signed_in(each) is not None for each in (token, here, there, bobs)]

        assert kept == [True, False, False, True]
        assert instance.services.database.read_here(lambda tx: find_linked(tx, link, NOW_MS)) is None
        assert instance.signed_in(await instance.try_password("another one")) is not None
        with pytest.raises(WrongPassword):
            await instance.try_password(PASSWORD)

    with_instance(tmp_path, script)


def test_the_current_password_is_asked_for_and_attempts_are_limited(tmp_path: Path) -> None:
    """The finder of an open browser does not take the account over."""

    async def script(instance: Instance) -> None:
        _, session = instance.start(instance.alice)

        async def change(current: str) -> str:
            return await change_password(
                instance.services, instance.alice, session, current=current, new="x" * 8, client=CLIENT, now_ms=NOW_MS
            )

        for _ in range(CLIENT_AT_ADDRESS.count):
            with pytest.raises(WrongPassword):
                await change("wrong password")
        with pytest.raises(RateLimited):
            await change(PASSWORD)

        assert len(instance.passwords.hashed) == CLIENT_AT_ADDRESS.count

    with_instance(tmp_path, script)


@pytest.mark.parametrize(("new", "reason"), [("", "too_short"), ("x" * 7, "too_short"), ("x" * 129, "too_long")])
def test_a_password_has_8_to_128_characters(tmp_path: Path, new: str, reason: str) -> None:
    """Nothing is hashed for one that has not."""

    async def script(instance: Instance) -> None:
        _, session = instance.start(instance.alice)
        with pytest.raises(InvalidInput) as raised:
            await change_password(
                instance.services, instance.alice, session, current=PASSWORD, new=new, client=CLIENT, now_ms=NOW_MS
            )

        assert raised.value.reason == reason
        assert instance.passwords.hashed == []

    with_instance(tmp_path, script)


def test_who_came_by_a_link_needs_no_current_password_for_ten_minutes(tmp_path: Path) -> None:
    """They may not know it. Who has none needs none ever."""

    async def script(instance: Instance) -> None:
        _, by_link = instance.start(instance.alice, by_link=True)
        _, by_password = instance.start(instance.alice)

        def needed(account: Account, session: Session, after_ms: int) -> bool:
            return needs_current_password(account, session, NOW_MS + after_ms)

        assert not needed(instance.alice, by_link, FRESH_LINK_MS - 1)
        assert needed(instance.alice, by_link, FRESH_LINK_MS)
        assert needed(instance.alice, by_password, 0)
        assert not needed(instance.bob, by_password, FRESH_LINK_MS)
        token = await change_password(
            instance.services, instance.alice, by_link, current="", new="another one", client=CLIENT, now_ms=NOW_MS
        )
        assert instance.signed_in(token) is not None

    with_instance(tmp_path, script)


def test_a_session_that_has_ended_sets_no_password(tmp_path: Path) -> None:
    """Between the moment it was admitted and the moment the password is stored."""

    async def script(instance: Instance) -> None:
        _, session = instance.start(instance.bob)
        instance.services.database.write_here(lambda tx: module.sign_out_everywhere(tx, instance.bob.id))
        with pytest.raises(WrongPassword):
            await change_password(
                instance.services, instance.bob, session, current="", new="another one", client=CLIENT, now_ms=NOW_MS
            )

        assert instance.services.database.read_here(lambda tx: load_account(tx, instance.bob.id)) == instance.bob

    with_instance(tmp_path, script)


@pytest.mark.backend("postgresql", reason="elsewhere there is one process")
def test_login_attempts_are_counted_over_all_processes(tmp_path: Path) -> None:
    """An attempt counts for all processes: of many at two of them ten are hashed."""

    async def script(instance: Instance) -> None:
        other = Services(database=open_database(instance.services.database.url), passwords=instance.passwords)
        more: dict[str, Any] = {"client": CLIENT, "agent": "Firefox", "tokens": (), "now_ms": NOW_MS}
        tries = (
            sign_in_with_password((instance.services, other)[number % 2], "alice@example.org", "wrong password", **more)
            for number in range(40)
        )
        answers = await asyncio.gather(*tries, return_exceptions=True)
        other.database.close()

        assert len(instance.passwords.hashed) == CLIENT_AT_ADDRESS.count
        assert sum(isinstance(answer, RateLimited) for answer in answers) == 40 - CLIENT_AT_ADDRESS.count

    with_instance(tmp_path, script)
