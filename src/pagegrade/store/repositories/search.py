"""Search for substrings of URLs: with a trigram index if possible, else by scanning the URLs of the account.

SQLite always has such an index, PostgreSQL if the extension ``pg_trgm`` is available.

URLs are kept in canonical form, which is ASCII, and are compared without regard to case. Text that no canonical URL can
hold is searched for in the form in which it would stand there: percent-encoded in a path or query, or as the host that
browsers make of it (``bücher.example`` finds ``xn--bcher-kva.example``; a part of such a label finds nothing).

To compare one text with one URL takes both databases time in proportion to the product of their lengths, so a search
among many long URLs is ended after ``SEARCH_S``.
"""

from __future__ import annotations

import contextlib
import math
import sqlite3
import time
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Any, Final, Self

from sqlalchemy import Boolean, ColumnElement, Integer, Select, bindparam, or_, select, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement

from pagegrade.model.errors import ValidationFailed, Violation
from pagegrade.parse.url import MAX_URL_CHARACTERS, host, host_problem
from pagegrade.report.sanitize import clean_text
from pagegrade.store.engine.database import Transaction, is_shared, savepoint
from pagegrade.store.engine.sqlite import driver_of
from pagegrade.store.schema.tables import reports

if TYPE_CHECKING:
    from sqlalchemy.sql.compiler import SQLCompiler

TRIGRAM: Final = 3
"""Characters of the shortest text the index can find."""
FEW: Final = 1_000
"""Up to so many matches in the whole installation are fetched and put in order one by one."""
TRIGRAMS: Final = 16
"""Of a text that is looked up in the index of SQLite; longer texts are looked up by so many of their parts."""
SEARCH_S: Final = 2.0
"""Time of one search: of the processor on SQLite, for each of a few statements on PostgreSQL."""
INSTALLATION_S: Final = 0.5
"""Of that on PostgreSQL, time for a look at the reports of all accounts by the index."""
TOO_EXPENSIVE: Final = Violation(
    field="search",
    place="query",
    code="too_expensive",
    message="The search took too long among so many long URLs. Search for another text, or filter by project as well.",
)
_PROGRESS_STEPS: Final = 1_000
"""Instructions of SQLite between two looks at the clock: some hundred rows."""
_CANCELED: Final = "57014"
"""PostgreSQL's code for a statement that took too long."""
_BACKSLASH: Final = "\\"
_ENDS: Final = "search_ends_s"
_MATCHES: Final = text("SELECT rowid FROM reports_search WHERE reports_search MATCH :phrase LIMIT :few")
_MERGE: Final = text("INSERT INTO reports_search (reports_search, rank) VALUES ('merge', :pages)")
MERGED_PAGES: Final = 500
"""Pages of the index that are rewritten in one transaction."""
_SOMETHING_MERGED: Final = 2
"""Changes that the command counts where it did something."""
_HAS_INDEX: Final = text("SELECT to_regclass('ix_reports_parts')")
_VISIBLE: Final = range(0x21, 0x7F)


def search_patterns(typed: str) -> tuple[str, ...]:
    """The texts of which a URL must hold one, in small letters; none where nothing can be found."""
    encoded = "".join(
        character if ord(character) in _VISIBLE else "".join(f"%{byte:02x}" for byte in _utf8(character))
        for character in typed[: MAX_URL_CHARACTERS + 1]
    ).lower()
    patterns = [encoded]
    if not typed.isascii() and not set(typed) & set("/?#@:\\%"):
        as_host = host(f"https://{typed}/")
        if as_host and host_problem(as_host) is None:
            patterns.append(as_host)
    return tuple(pattern for pattern in patterns if len(pattern) <= MAX_URL_CHARACTERS)


@contextlib.contextmanager
def bounded_search(tx: Transaction) -> Iterator[None]:
    """Limit the time of the statements inside; a block inside of another one shares its time.

    Raises:
        ValidationFailed: They took longer than ``SEARCH_S``.
    """
    if _ENDS in tx.info:
        _set_statement_time(tx)
        yield
        return
    tx.info[_ENDS] = time.monotonic() + SEARCH_S
    try:
        with contextlib.nullcontext() if is_shared(tx) else _progress_limit(driver_of(tx)):
            _set_statement_time(tx)
            yield
            _reset_statement_time(tx)
    except DBAPIError as error:
        if not _was_interrupted(error):
            raise
        raise ValidationFailed([TOO_EXPENSIVE]) from error
    finally:
        del tx.info[_ENDS]


@contextlib.contextmanager
def _progress_limit(driver: sqlite3.Connection) -> Iterator[None]:
    end_s = time.thread_time() + SEARCH_S
    driver.set_progress_handler(lambda: time.thread_time() > end_s, _PROGRESS_STEPS)
    try:
        yield
    finally:
        driver.set_progress_handler(None, 0)


def _set_statement_time(tx: Transaction, at_most_s: float = math.inf) -> None:
    if is_shared(tx):
        left_s = min(at_most_s, tx.info[_ENDS] - time.monotonic())
        tx.exec_driver_sql(f"SET LOCAL statement_timeout = {max(1, round(left_s * 1_000))}")


def _reset_statement_time(tx: Transaction) -> None:
    if is_shared(tx):
        tx.exec_driver_sql("SET LOCAL statement_timeout TO DEFAULT")


def _was_interrupted(error: DBAPIError) -> bool:
    code = getattr(error.orig, "sqlite_errorcode", None)
    return code == sqlite3.SQLITE_INTERRUPT or getattr(error.orig, "sqlstate", None) == _CANCELED


def plan_anew(tx: Transaction) -> None:
    """Let PostgreSQL plan the statements of this view for the very text that is searched for.

    A plan for any text at all, which it makes when a statement comes often, takes five times as long.
    """
    if is_shared(tx):
        tx.exec_driver_sql("SET LOCAL plan_cache_mode = force_custom_plan")


def find_few(tx: Transaction, patterns: tuple[str, ...]) -> tuple[int, ...] | None:
    """The ids of all reports, of all accounts, whose URL holds one of the patterns.

    On SQLite the result may include URLs that contain only parts of a pattern; the caller filters them. ``None`` if the
    index cannot be used, or there are too many matches.
    """
    if not patterns or any(len(pattern) < TRIGRAM for pattern in patterns):
        return None
    if is_shared(tx):
        has_index = tx.execute(_HAS_INDEX).scalar() is not None
        return _ask_all_for_few(tx, patterns) if has_index else None
    phrase = " OR ".join(f"({_parts(pattern)})" for pattern in patterns)
    found = tx.execute(_MATCHES, {"phrase": phrase, "few": FEW + 1}).scalars().all()
    return tuple(found) if len(found) <= FEW else None


def _parts(pattern: str) -> str:
    """The trigrams of a text, as the index of SQLite is asked for them.

    Not the text as one phrase: among URLs of one letter, repeated, the index would compare every place of each with
    every place of its neighbor.
    """
    every = dict.fromkeys(pattern[start : start + TRIGRAM] for start in range(len(pattern) - TRIGRAM + 1))
    step = max(1, -(-len(every) // TRIGRAMS))
    chosen = [*list(every)[:-1:step], list(every)[-1]]
    # Quotes inside are doubled, and nothing else has a meaning there.
    return " AND ".join('"' + part.replace('"', '""') + '"' for part in chosen)


def _ask_all_for_few(tx: Transaction, patterns: tuple[str, ...]) -> tuple[int, ...] | None:
    """Ask the index of PostgreSQL, as far as other accounts' reports do not make that expensive."""
    if _ENDS not in tx.info:
        return _ask_for_few(tx, patterns)
    try:
        with savepoint(tx, "searching"):
            _set_statement_time(tx, INSTALLATION_S)
            found = _ask_for_few(tx, patterns)
    except DBAPIError as error:
        if not _was_interrupted(error):
            raise
        found = None
    _set_statement_time(tx)
    return found


def find_few_of_account(tx: Transaction, patterns: tuple[str, ...], account_id: int) -> tuple[int, ...] | None:
    """The same among the reports of one account, found by reading all its URLs once.

    Reading them in any other order than that of the URLs means reading every row.
    """
    return _ask_for_few(tx, patterns, account_id)


def compact_index(tx: Transaction, *, is_first: bool) -> bool:
    """Rewrite a part of the index of URLs, so that nothing of deleted reports is left in it.

    Returns:
        Whether there is more to do. On PostgreSQL, whose vacuum does this, there never is.

    Source: https://www.sqlite.org/fts5.html#the_merge_command
    """
    if is_shared(tx):
        return False
    driver = driver_of(tx)
    before = driver.total_changes
    tx.execute(_MERGE, {"pages": -MERGED_PAGES if is_first else MERGED_PAGES})
    return driver.total_changes - before >= _SOMETHING_MERGED


def _ask_for_few(tx: Transaction, patterns: tuple[str, ...], account_id: int | None = None) -> tuple[int, ...] | None:
    statement = _few_statement(len(patterns), within=account_id is not None)
    values = {**as_parameters(patterns), "few": FEW + 1, "the_account": account_id}
    found = tx.execute(statement, values).scalars().all()
    return tuple(found) if len(found) <= FEW else None


@cache
def _few_statement(count: int, *, within: bool) -> Select[Any]:
    statement = select(reports.c.id).where(url_holds(count)).limit(bindparam("few", type_=Integer))
    if not within:
        return statement
    mine = statement.where(reports.c.account_id == bindparam("the_account"))
    return mine.with_hint(reports, "INDEXED BY ix_reports_by_url", "sqlite")


class _Matches(FunctionElement[bool]):
    """Condition that a URL matches a pattern, without regard to the case of letters."""

    type = Boolean()
    inherit_cache = True

    def self_group(self, against: Any = None) -> Self:  # noqa: ARG002 - it is a condition wherever it stands
        """Return the condition itself: SQLite would compare it with 1."""
        return self


@compiles(_Matches)
def _write_ilike(element: _Matches, compiler: SQLCompiler, **more: Any) -> str:
    url, pattern = element.clauses
    return f"({compiler.process(url.ilike(pattern, escape=_BACKSLASH), **more)})"


@compiles(_Matches, "sqlite")
def _write_like(element: _Matches, compiler: SQLCompiler, **more: Any) -> str:
    """``LIKE`` ignores the case of ASCII there; the small letters of every URL would cost twice as much again."""
    url, pattern = element.clauses
    return f"({compiler.process(url.like(pattern, escape=_BACKSLASH), **more)})"


def url_holds(count: int) -> ColumnElement[bool]:
    """Return the condition that the URL contains one of several patterns; ``as_parameters`` gives their values."""
    return or_(*(_Matches(reports.c.url, bindparam(f"pattern_{number}")) for number in range(count)))


def as_parameters(patterns: tuple[str, ...]) -> dict[str, str]:
    """Values for ``url_holds``."""
    return {f"pattern_{number}": f"%{_escape(pattern)}%" for number, pattern in enumerate(patterns)}


def _escape(pattern: str) -> str:
    return pattern.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")


def _utf8(character: str) -> bytes:
    return clean_text(character).encode() if character != "\x00" else b"\x00"
