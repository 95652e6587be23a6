"""Transactions of one request: each use case runs in one, which begins and ends here.

A use case is a function of a transaction, the caller and plain values. Callers of this module never see a transaction.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Concatenate, Final, ParamSpec, TypeVar

from pagegrade.model.account import Caller
from pagegrade.model.errors import Unavailable
from pagegrade.sandbox.fair_slots import FairSlots, NoSlot
from pagegrade.service.accounts.admission import Admission
from pagegrade.store.engine.database import Database, Transaction
from pagegrade.store.locks import hold_account
from pagegrade.store.repositories.members import add_action

T = TypeVar("T")
P = ParamSpec("P")
UseCase = Callable[[Transaction, Caller], T]
"""Runs in a transaction of the caller."""
LoadByID = Callable[[Transaction, Caller, int], T]
"""Loads what the caller has under an id."""
SEARCHES_AT_ONCE: Final = 2
"""Of all accounts, and one more of an account that has none: SQLite has four threads for reading."""
SEARCH_WAIT_S: Final = 10.0
"""For a turn to search."""
SEARCHES_WAITING: Final = 8
"""Of one account; each keeps a connection."""
RETRY_AFTER_S: Final = 5


def search_slots() -> FairSlots:
    """Return the slots of all searches of a process."""
    return FairSlots(SEARCHES_AT_ONCE, spare=1, wait_s=SEARCH_WAIT_S, line=SEARCHES_WAITING)


class UnitOfWork:
    """Runs use cases for the caller of one request; the first one admits the caller in the same transaction."""

    def __init__(self, database: Database, admission: Admission, searches: FairSlots | None = None) -> None:
        """Prepare the transactions.

        Args:
            admission: Of the sender of the request.
            searches: Shared by all requests, for ``search``; ``None``: slots of its own.
        """
        self._database = database
        self._admission = admission
        self._searches = searches or search_slots()

    @property
    def caller(self) -> Caller:
        """Sender of the request, after admission."""
        return self._admission.admitted

    async def read(
        self, use_case: Callable[Concatenate[Transaction, Caller, P], T], /, *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Run a use case that only reads, on one unchanging view of the database.

        Raises:
            Unauthenticated: There is no valid key.
            SignInNeeded: The operation requires a session.
            RoleNeeded: The operation requires another role in the open account.
            RateLimited: The caller sent too many requests, or the client too many wrong keys.
            InsufficientScope: The key lacks the scope of the operation.
            NotFound: The operation is for administrators.
            Unavailable: The database cannot be read.
        """
        caller = self._admission.caller
        if caller is not None:
            return await self._database.read(lambda tx: use_case(tx, caller, *args, **kwargs))
        await self._admission.prepare()
        return await self._database.read(
            lambda tx, admitted: use_case(tx, admitted, *args, **kwargs), first=self._admission.admit
        )

    async def search(
        self, use_case: Callable[Concatenate[Transaction, Caller, P], T], /, *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Run a use case that may read much, as ``read``: few of them at once, which accounts share.

        Raises:
            Unavailable: Too many searches wait, as well.
        """
        await self.admit()
        try:
            async with self._searches.hold(self.caller.account.id):
                return await self.read(use_case, *args, **kwargs)
        except NoSlot:
            raise Unavailable(
                "Other searches of this account take long; try again soon.", retry_after_s=RETRY_AFTER_S
            ) from None

    async def write(
        self, use_case: Callable[Concatenate[Transaction, Caller, P], T], /, *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Run a use case that writes, alone among those of its account; return once it is stored safely.

        The log of the account then has the operation, if it is one to be recorded.

        Raises:
            Unavailable: The database cannot be written.
        """
        return await self.write_unrecorded(self.recorded(use_case), *args, **kwargs)

    async def write_unrecorded(
        self, use_case: Callable[Concatenate[Transaction, Caller, P], T], /, *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Run a use case as ``write``, which records by itself what it does."""
        caller = self._admission.admitted
        return await self._write_alone(caller.account.id, lambda tx: use_case(tx, caller, *args, **kwargs))

    def recorded(
        self, use_case: Callable[Concatenate[Transaction, Caller, P], T]
    ) -> Callable[Concatenate[Transaction, Caller, P], T]:
        """Return a use case that the log of the account has afterwards, with who ran it."""
        action = self._admission.action
        if action is None:
            return use_case

        def run(tx: Transaction, caller: Caller, /, *args: P.args, **kwargs: P.kwargs) -> T:
            done = use_case(tx, caller, *args, **kwargs)
            target = action.target or getattr(done, "id", None)
            add_action(tx, caller, operation=action.operation, target=target, now_ms=action.at_ms)
            return done

        return run

    async def write_own(
        self, use_case: Callable[Concatenate[Transaction, Caller, P], T], /, *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Run a use case of the account that the person has signed in to, whichever is open; else as ``write``."""
        caller = self._admission.admitted
        return await self._write_alone(caller.person.id, lambda tx: use_case(tx, caller, *args, **kwargs))

    async def _write_alone(self, account_id: int, work: Callable[[Transaction], T]) -> T:
        def alone(tx: Transaction) -> T:
            hold_account(tx, account_id)
            return work(tx)

        return await self._database.write(alone)

    async def admit(self) -> Caller:
        """Admit the caller; raises as ``read``."""
        return await self.read(_caller)

    async def identify(self) -> Caller | None:
        """Return who is signed in, where that is not required; ``None``: there is no valid session."""
        return await self._database.read(self._admission.identify)

    async def read_shared(
        self, use_case: Callable[Concatenate[Transaction, Caller | None, P], T], /, *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Run a use case that anyone may use and that distinguishes a signed-in caller."""
        return await self._database.read(lambda tx: use_case(tx, self._admission.identify(tx), *args, **kwargs))

    async def read_public(
        self, use_case: Callable[Concatenate[Transaction, P], T], /, *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Run a use case that reads and needs no caller."""
        return await self._database.read(lambda tx: use_case(tx, *args, **kwargs))

    async def write_public(
        self, use_case: Callable[Concatenate[Transaction, P], T], /, *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Run a use case that writes and needs no caller."""
        return await self._database.write(lambda tx: use_case(tx, *args, **kwargs))


def of_account(
    use_case: Callable[Concatenate[Transaction, int, P], T],
) -> Callable[Concatenate[Transaction, Caller, P], T]:
    """Return a use case of an account as one of the account that is open."""

    def of_caller(tx: Transaction, caller: Caller, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return use_case(tx, caller.account.id, *args, **kwargs)

    return of_caller


def of_person(
    use_case: Callable[Concatenate[Transaction, int, P], T],
) -> Callable[Concatenate[Transaction, Caller, P], T]:
    """Return a use case of an account as one of the account that the caller has signed in to."""

    def of_caller(tx: Transaction, caller: Caller, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return use_case(tx, caller.person.id, *args, **kwargs)

    return of_caller


def _caller(_tx: Transaction, caller: Caller) -> Caller:
    return caller
