from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

import pytest

from pagegrade.model.errors import Unavailable
from pagegrade.service import rate_limit as module
from pagegrade.service.accounts.passwords import (
    ADDRESS,
    CLIENT,
    CLIENT_AT_ADDRESS,
    CLIENT_AT_REPORT,
    CONCURRENT,
    KNOWN_S,
    MAX_WAITING,
    NEW_AT_ADDRESS,
    NEW_AT_REPORT,
    NOBODYS,
    REPORT,
    SLIPS,
    Attempt,
    PasswordAttempts,
    Passwords,
    SignInAttempts,
    take_attempt,
)
from pagegrade.service.rate_limit import Buckets, DatabaseBuckets, MemoryBuckets, buckets_of
from pagegrade.store.engine.database import Database
from pagegrade.store.engine.factory import open_database
from tests.database_clock import make_clock, show
from tests.store_builders import NOW_MS, make_database, make_file, on


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


T = TypeVar("T")
NO_TRANSACTION: Any = None
"""Memory needs none."""


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


class Door:
    """The login with its throttle, and its clock."""

    def __init__(self, buckets: Buckets, database: Database, clock: Clock) -> None:
        self.buckets = buckets
        self.attempts = PasswordAttempts(buckets)
        self.sign_in = SignInAttempts(buckets)
        self._database = database
        self._clock = clock

    @property
    def now(self) -> float:
        """Seconds."""
        return self._clock.now

    def go_on(self, seconds: float) -> None:
        """Let time pass."""
        self._clock.now += seconds
        show(self._database, NOW_MS + round((self._clock.now - 1000) * 1000))

    def attempt(self, page: str, client: str) -> int | None:
        """At a share page, with a wrong password: seconds to wait."""
        return run(self.attempts.take(page, client)).wait_s

    def open(self, page: str, client: str) -> int | None:
        """With the right one."""
        taken = run(self.attempts.take(page, client))
        if taken.wait_s is None:
            run(self.attempts.give_back(taken))
        return taken.wait_s

    def try_to_sign_in(self, email: str, client: str) -> int | None:
        """With a wrong password."""
        return run(self.sign_in.take(email, client)).wait_s

    def sign_in_with(self, email: str, client: str) -> int | None:
        """With the right one."""
        taken = run(self.sign_in.take(email, client))
        if taken.wait_s is None:
            run(self.sign_in.give_back(taken))
        return taken.wait_s


def run(work: Coroutine[Any, Any, T]) -> T:
    """The result of the coroutine."""
    return asyncio.run(work)


@pytest.fixture(params=["memory", "database"])
def door(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Door]:
    """Each way of counting keeps the same promises."""
    clock = Clock()
    if request.param == "memory":
        database: Database = make_file(tmp_path)
        buckets: Buckets = MemoryBuckets(clock)
    else:
        with on("postgresql"):
            database = make_database(tmp_path)
        buckets = DatabaseBuckets(database)
    make_clock(database)
    show(database, NOW_MS)
    yield Door(buckets, database, clock)
    database.close()


def test_a_client_may_guess_ten_times_at_once(door: Door) -> None:
    """And then once in a minute and a half; others, and other reports, are not touched."""
    answers = [door.attempt("report1", "192.0.2.1") for _ in range(11)]

    assert answers == [None] * 10 + [90]
    assert door.attempt("report1", "192.0.2.2") is None
    assert door.attempt("report2", "192.0.2.1") is None

    door.go_on(89.5)
    early = door.attempt("report1", "192.0.2.1")
    door.go_on(0.5)

    assert early == 1
    assert door.attempt("report1", "192.0.2.1") is None
    assert door.attempt("report1", "192.0.2.1") == 90


def test_the_delay_of_a_client_grows(door: Door) -> None:
    """A minute and a half after ten, six minutes after some twenty, more than half an hour after some forty."""
    made: list[float] = []
    waited: list[int] = []
    began = door.now
    while door.now - began < 2 * 86_400:
        wait_s = door.attempt("report1", "192.0.2.1")
        if wait_s is None:
            made.append(door.now - began)
        else:
            waited.append(wait_s)
            door.go_on(wait_s)

    assert len([at for at in made if at < 900]) <= 2 * 10
    assert len([at for at in made if at < 7_200]) <= 2 * 20
    assert len([at for at in made if at < 86_400]) <= 2 * 40
    assert len([at for at in made if at >= 86_400]) == 40
    assert waited[0] == 90
    assert sorted(waited) == waited
    assert waited[-1] == 86_400 / 40


def fail(door: Door, client: str, times: int = SLIPS) -> list[int | None]:
    """A client is wrong so often."""
    return [door.attempt("report1", client) for _ in range(times)]


def test_login_attempts_of_others_do_not_lock_the_right_password_out(door: Door) -> None:
    """However many there are: an address without failures is accepted, also where its owner mistyped before."""
    fail(door, "192.0.2.77", SLIPS - 1)
    for number in range(60):
        fail(door, f"198.51.100.{number}", 10)

    assert door.attempt("report1", "198.51.100.200") is None
    assert door.open("report1", "192.0.2.1") is None
    assert door.open("report1", "192.0.2.77") is None


def test_clients_that_failed_share_a_limit(door: Door) -> None:
    """A hundred an hour from all of them together; then each of them waits."""
    answers = [answer for number in range(40) for answer in fail(door, f"192.0.2.{number}", 10)]
    counted = answers.count(None)
    door.go_on(3_600)

    assert counted == 40 * SLIPS + REPORT.count
    assert door.attempt("report1", "192.0.2.1") is None


def test_the_total_is_bounded_and_never_closes_for_long(door: Door) -> None:
    """With a new address for every attempt: a thousand at once, then thirty a minute."""
    answers = [door.attempt("report1", f"2001:db8:{number:x}::") for number in range(NEW_AT_REPORT[0].count + 100)]
    door.go_on(60)
    later = [door.attempt("report1", f"2001:db8:ffff:{number:x}::") for number in range(100)]
    door.go_on(60)

    assert answers.count(None) == NEW_AT_REPORT[0].count + NEW_AT_REPORT[1].count
    assert set(answers[-70:]) == {2}
    assert later.count(None) == NEW_AT_REPORT[1].count + NEW_AT_REPORT[0].count // 60
    assert door.open("report1", "192.0.2.1") is None


def test_a_right_guess_is_not_counted(door: Door) -> None:
    """An office behind one address opens a report as often as it likes; what was wrong stays counted."""
    opened = [door.open("report1", "192.0.2.1") for _ in range(50)]
    wrong = [door.attempt("report1", "192.0.2.1") for _ in range(11)]

    assert opened == [None] * 50
    assert wrong == [None] * 10 + [90]


def test_guesses_at_the_same_moment_are_counted_one_by_one() -> None:
    """From many threads, ten and no more."""
    buckets = MemoryBuckets(Clock())
    attempt = Attempt(own=((CLIENT_AT_REPORT, (1, "192.0.2.1")),))
    with ThreadPoolExecutor(16) as threads:
        answers = list(threads.map(lambda _: take_attempt(NO_TRANSACTION, buckets, attempt).wait_s, range(200)))

    assert answers.count(None) == 10


def test_guesses_at_the_same_moment_at_several_processes_are_counted_together(tmp_path: Path) -> None:
    """Ten and no more, whichever of them is asked."""
    with on("postgresql"):
        pools = [make_database(tmp_path)]
    pools += [open_database(pools[0].url) for _ in range(2)]
    doors = [PasswordAttempts(buckets_of(pool)) for pool in pools]

    async def attempts() -> list[int | None]:
        taken = await asyncio.gather(*(doors[number % 3].take("report1", "192.0.2.1") for number in range(150)))
        return [each.wait_s for each in taken]

    answers = run(attempts())
    for pool in pools:
        pool.close()

    assert answers.count(None) == 10


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """The reports left alone the longest are forgotten."""
    monkeypatch.setattr(module, "REMEMBERED", 12)
    buckets = MemoryBuckets(Clock())
    attempts = PasswordAttempts(buckets)
    for _ in range(10):
        run(attempts.take("report1", "192.0.2.1"))
    for page in ("report2", "report3", "report4"):
        run(attempts.take(page, "192.0.2.1"))

    assert len(buckets._full_at) == 12
    assert run(attempts.take("report1", "192.0.2.1")).wait_s is None


def test_a_client_may_try_so_often_whatever_it_types(door: Door) -> None:
    """One password on every account is stopped as many passwords on one are; another client is not."""
    one = [door.try_to_sign_in("alice@example.org", "192.0.2.1") for _ in range(CLIENT_AT_ADDRESS.count + 1)]
    many = [door.try_to_sign_in(f"{number}@example.org", "192.0.2.2") for number in range(CLIENT.count + 1)]

    assert one == [None] * CLIENT_AT_ADDRESS.count + [90]
    assert many == [None] * CLIENT.count + [30]
    assert door.try_to_sign_in("alice@example.org", "192.0.2.3") is None


def test_who_is_known_is_not_held_up_by_others_behind_the_same_address(door: Door) -> None:
    """An office where somebody tries many accounts: only who never signed in from there waits."""
    door.sign_in_with("alice@example.org", "192.0.2.2")
    for number in range(CLIENT.count):
        door.try_to_sign_in(f"{number}@example.org", "192.0.2.2")
    unknown = door.try_to_sign_in("bob@example.org", "192.0.2.2")
    known = [door.try_to_sign_in("alice@example.org", "192.0.2.2") for _ in range(CLIENT_AT_ADDRESS.count + 1)]

    assert unknown == 30
    assert known == [None] * CLIENT_AT_ADDRESS.count + [90]


def test_an_account_may_be_guessed_at_so_often_by_clients_that_failed(door: Door) -> None:
    """However its address is written; a refused attempt is not counted."""
    spellings = ("alice@example.org", "Alice@Example.ORG")
    answers = [
        door.try_to_sign_in(spellings[each % 2], f"192.0.2.{client}") for client in range(30) for each in range(10)
    ]
    closed = door.try_to_sign_in("alice@example.org", "192.0.2.29")
    door.go_on(3600)

    assert answers.count(None) == 30 * SLIPS + ADDRESS.count
    assert closed == 36
    assert door.try_to_sign_in("alice@example.org", "192.0.2.1") is None


def test_login_attempts_of_others_do_not_keep_an_owner_out(door: Door) -> None:
    """Neither from where they signed in before, nor from a new address, also one with a slip."""
    door.sign_in_with("Alice@example.org", "192.0.2.1")
    door.try_to_sign_in("alice@example.org", "192.0.2.2")
    for client in range(30):
        for _ in range(10):
            door.try_to_sign_in("alice@example.org", f"198.51.100.{client}")
    new = [door.sign_in_with("alice@example.org", client) for client in ("192.0.2.2", "203.0.113.1")]
    own = [door.try_to_sign_in("alice@example.org", "192.0.2.1") for _ in range(CLIENT_AT_ADDRESS.count + 1)]

    assert new == [None, None]
    assert own == [None] * CLIENT_AT_ADDRESS.count + [90]


def fill(door: Door) -> None:
    """Use up what clients share that have not been right, whether they failed before or not."""
    for number in range(NEW_AT_ADDRESS[0].count + NEW_AT_ADDRESS[1].count):
        door.try_to_sign_in("alice@example.org", f"2001:db8:{number:x}::")


def test_so_many_places_are_known_to_one_process(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The latest; who was forgotten is new again."""
    monkeypatch.setattr(module, "NOTED", 2)
    buckets = MemoryBuckets(Clock())
    door = Door(buckets, make_file(tmp_path), Clock())
    for client in ("192.0.2.1", "192.0.2.2", "192.0.2.3"):
        door.sign_in_with("alice@example.org", client)
    fill(door)
    answers = [door.try_to_sign_in("alice@example.org", f"192.0.2.{number}") for number in (1, 2, 3)]

    assert answers == [2, None, None]
    assert len(buckets._noted) == module.NOTED


def test_a_shared_database_knows_a_place_for_so_long(tmp_path: Path) -> None:
    """After the last time; then it is new again."""
    with on("postgresql"):
        database = make_database(tmp_path)
    make_clock(database)
    door = Door(DatabaseBuckets(database), database, Clock())
    door.go_on(0)
    door.sign_in_with("alice@example.org", "192.0.2.1")
    door.go_on(KNOWN_S - 1)
    fill(door)
    answers = [door.try_to_sign_in("alice@example.org", "192.0.2.1")]
    door.go_on(1)
    answers.append(door.try_to_sign_in("alice@example.org", "192.0.2.1"))
    database.close()

    assert answers == [None, 1]


def test_a_right_guess_is_right_while_the_database_is_away(tmp_path: Path) -> None:
    """It stays counted, which is no reason to keep its owner out."""
    with on("postgresql"):
        database = make_database(tmp_path)
    attempts = PasswordAttempts(DatabaseBuckets(database))
    taken = run(attempts.take("report1", "192.0.2.1"))
    database.close()
    run(attempts.give_back(taken))

    assert taken.wait_s is None


def test_who_signs_in_is_not_counted(door: Door) -> None:
    """An office behind one address signs in as often as it likes."""
    answers = [door.sign_in_with(f"{number}@example.org", "192.0.2.1") for number in range(100)]

    assert answers == [None] * 100
