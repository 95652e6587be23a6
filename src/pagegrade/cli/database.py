"""Commands that work on the database of the service, also while a server does."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Final, TypeVar

from pagegrade.clock import now_ms
from pagegrade.model.account import Caller
from pagegrade.model.errors import InvalidInput, NotFound, QuotaExceeded, Unavailable
from pagegrade.service.accounts.access import choose_account
from pagegrade.store.engine.data_dir import serving_process
from pagegrade.store.engine.database import Database, StatementError, Transaction, name_of, reason_of
from pagegrade.store.engine.sqlite import BUSY_MS
from pagegrade.store.schema.migrate import migrate, schema_state
from pagegrade.wiring import open_database

T = TypeVar("T")
_TROUBLES: Final = {
    "database_damaged": "The database {path} is damaged, or it is no database. Restore a backup.",
    "database_full": "The disk of the database {path} is full. Free some space and try again.",
    "database_locked": f"Something has been writing to the database {{path}} for {BUSY_MS // 1000} seconds. Try again.",
    "database_readonly": "The database {path} may not be written. Run this as the user that owns it.",
    "database_unreachable": "The database {path} cannot be opened. Is it a file, and may this user read and write it?",
    "disk_error": "The disk of the database {path} does not work. Look at the messages of the system.",
}
_SERVER_TROUBLES: Final = {
    "database_damaged": "The database {path} is damaged. Look into the log of its server, and restore a backup.",
    "database_full": "The disk of the database {path} is full. Free some space there and try again.",
    "database_locked": "Something holds what is needed in the database {path} for too long. Try again.",
    "database_readonly": "The database {path} takes no changes: a standby, or set to read only. Name the primary.",
    "database_slow": "The database {path} takes too long to answer. Try again, or look what its server is doing.",
    "database_unreachable": "The database {path} does not answer, or refuses us. Look whether it runs, and at host, "
    "user and password in PAGEGRADE_DATABASE_URL.",
    "too_many_connections": "The database {path} has no connection left. Raise max_connections of its server, or lower "
    "PAGEGRADE_DATABASE_CONNECTIONS.",
}


@contextlib.contextmanager
def opened(*, migrated: bool = True) -> Iterator[Database]:
    """The configured database with the tables of this version; closed at the end of the block.

    Args:
        migrated: Whether to make or change the tables where that is needed.

    Raises:
        InvalidInput: A setting cannot be used, or the database is one of a later version.
        Unavailable: The database cannot be used; the message says why.
    """
    database = open_database()
    try:
        with explained(database):
            if migrated:
                bring_up_to_date(database)
            yield database
    finally:
        database.close()


def in_account(account_id: int | None, work: Callable[[Transaction, Caller], T], *, missing: str = "") -> T:
    """Run a use case for an account; ``None``: the only one that works.

    Args:
        missing: Message where the account does not have what the use case looks for.

    Raises:
        NotFound: It does not, or there is no such account.
        InvalidInput: The account has as many of these as it may have.
    """

    def run(tx: Transaction) -> T:
        caller = Caller(account=choose_account(tx, account_id, now_ms()))
        try:
            return work(tx, caller)
        except NotFound as error:
            raise NotFound(missing or error.message) from None

    try:
        with opened() as database:
            return database.write_here(run)
    except QuotaExceeded as error:
        raise InvalidInput(error.message) from None


@contextlib.contextmanager
def explained(database: Database) -> Iterator[None]:
    """Give errors of the database in the block messages for people who run a command.

    Raises:
        Unavailable: The database cannot be used; the message says why.
    """
    try:
        yield
    except Unavailable as error:
        raise explain_trouble(error, database) from error
    except StatementError as error:
        raise Unavailable(
            f"The database {name_of(database)} is not as this version expects it: {reason_of(error)}. Is it a database "
            "of Pagegrade, and whole? Choose another one, or restore a backup.",
            reason="database_foreign",
        ) from error


def explain_trouble(error: Unavailable, database: Database) -> Unavailable:
    """The same error with a message for people who run a command, where there is one."""
    advice = (_SERVER_TROUBLES if database.shared else _TROUBLES).get(error.reason or "")
    if advice is None:
        return error
    said = f" Reason: {error.detail}." if error.detail else ""
    return Unavailable(advice.format(path=name_of(database)) + said, reason=error.reason, detail=error.detail)


def bring_up_to_date(database: Database) -> None:
    """Change the tables where that is needed, but not under servers that may be of an earlier version.

    Raises:
        InvalidInput: Such a server is running, or may be, or the database is one of a later version.
    """
    if database.path is None:
        # A command that only reads must not change a database that other processes use.
        migrate(database, change=schema_state(database).status == "empty")
        return
    if schema_state(database).status == "behind" and serving_process(database.path.parent) is not None:
        raise InvalidInput(
            "A server of an earlier version works on this database, which this version would change. "
            "Stop it first, and start it again with this version."
        )
    migrate(database)
