"""Is what the service keeps in good order: the data folder, the database and the key of secrets."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from operator import itemgetter
from pathlib import Path
from typing import Final

from pagegrade.gather.temporary import delete_leftovers, find_leftovers
from pagegrade.model.errors import Unavailable
from pagegrade.render.english import N_, Phrase, phrase
from pagegrade.service.access.operations import Vault, count_sealed
from pagegrade.service.doctor.machine import Diagnosis, format_size, ok, problem, warning
from pagegrade.store.engine.data_dir import NETWORK_FILE_SYSTEMS, file_system_of, serving_process, try_writing
from pagegrade.store.engine.database import Database, StatementError, T, Transaction, reason_of
from pagegrade.store.queue.length import QueueState, Reason, count_by_reason, queue_state
from pagegrade.store.repositories.crawls import count_crawls
from pagegrade.store.repositories.installation import read_clock
from pagegrade.store.repositories.retention import Sizes, measure
from pagegrade.store.schema.migrate import SchemaState, schema_state
from pagegrade.store.schema.sqlite_inspection import (
    SQLITE_VERSION,
    find_damage,
    has_safe_checkpoints,
    newest_ms,
    read_durability,
)

_TROUBLES: Final = {
    errno.EACCES: phrase("this user may not"),
    errno.EDQUOT: phrase("the quota of this user is used up"),
    errno.EIO: phrase("the disk does not work"),
    errno.ENOSPC: phrase("the disk is full"),
    errno.EPERM: phrase("this user may not"),
    errno.EROFS: phrase("the file system is read-only"),
}
LITTLE_BYTES: Final = 1 << 30
TOO_LITTLE_BYTES: Final = 100 << 20
LONG_LOG_BYTES: Final = 256 << 20
LONG_WAIT_MS: Final = 3_600_000
_LEFTOVERS: Final = N_("leftovers")
_SHOWN_LEFTOVERS: Final = 5


def nearest_seen(folder: Path) -> Path:
    """Return the folder, or the nearest one above it that this user can see."""
    # Of one below a folder that may not be entered, `Path.exists` raises PermissionError.
    return next(each for each in (folder, *folder.parents) if os.path.exists(each))  # noqa: PTH110


def look_at_folder(folder: Path) -> Iterator[Diagnosis]:
    """Check that the data directory exists, is private and writable, and lies on a local disk with free space."""
    above = nearest_seen(folder)
    if above != folder:
        if not os.access(above, os.X_OK):
            yield problem(
                "data folder",
                phrase("{0} cannot be reached: this user may not enter {1}", folder, above),
                "Set PAGEGRADE_DATA_DIR to a folder of this user.",
            )
        elif os.access(above, os.W_OK):
            yield ok("data folder", phrase("{0} is not there yet; the first start makes it", folder))
        else:
            yield problem(
                "data folder",
                phrase("{0} is not there, and this user may not make it", folder),
                "Set PAGEGRADE_DATA_DIR to a folder of this user.",
            )
        return
    kind = file_system_of(folder)
    if kind in NETWORK_FILE_SYSTEMS:
        yield problem(
            "data folder",
            phrase("{0} lies on a network file system ({1}), where SQLite databases get damaged", folder, kind),
            "Set PAGEGRADE_DATA_DIR to a folder on a disk of this machine.",
        )
    try:
        try_writing(folder)
    except OSError as error:
        why = _TROUBLES.get(error.errno or 0) or phrase("the system refuses it")
        yield problem(
            "data folder",
            phrase("{0} cannot be written: {1}", folder, why),
            "Change its owner, or free some space there.",
        )
    else:
        yield ok(
            "data folder",
            phrase("{0} can be written ({1})", folder, kind) if kind else phrase("{0} can be written", folder),
        )
    if folder.stat().st_mode & 0o077:
        yield warning(
            "data folder", "other users of this machine may look into it", phrase("Run: chmod 700 {0}", folder)
        )
    yield _look_at_space(shutil.disk_usage(folder).free)


def look_at_leftovers(folder: Path | None, *, delete: bool = False) -> Diagnosis:
    """Check whether older versions left folders or files; this one leaves none, however it ends.

    Args:
        folder: The data folder; ``None``: there is none.
    """
    found = find_leftovers(folder)
    kept = delete_leftovers(found) if delete else found
    deleted = len(found) - len(kept)
    if kept:
        shown = ", ".join(str(path) for path in kept[:_SHOWN_LEFTOVERS])
        more = "" if len(kept) <= _SHOWN_LEFTOVERS else phrase(" and {0} more", len(kept) - _SHOWN_LEFTOVERS)
        advice = N_("Delete them as their owner.") if delete else N_("Run: pagegrade doctor --delete-leftovers")
        return warning(
            _LEFTOVERS, phrase("{0} of an older version, which nothing uses: {1}{2}", len(kept), shown, more), advice
        )
    return ok(
        _LEFTOVERS, phrase("{0} of an older version deleted", deleted) if deleted else N_("none of an older version")
    )


def _look_at_space(free_bytes: int) -> Diagnosis:
    message = phrase("{0} are free", format_size(free_bytes))
    if free_bytes < TOO_LITTLE_BYTES:
        return problem("disk", message, "Free some space: a full disk refuses every new report.")
    if free_bytes < LITTLE_BYTES:
        return warning("disk", message, "Free some space, or set PAGEGRADE_RETENTION_DAYS and run pagegrade prune.")
    return ok("disk", message)


def look_at_server(folder: Path) -> Diagnosis:
    """Check whether a server works on this folder now."""
    process = serving_process(folder)
    if process is None:
        return ok("server", "none is running on this folder")
    return ok("server", phrase("running as process {0}", process) if process else N_("running"))


def look_at_sqlite() -> Diagnosis:
    """Check whether the library is one that several processes may use at once."""
    if has_safe_checkpoints():
        return ok("sqlite", SQLITE_VERSION)
    return warning(
        "sqlite",
        phrase(
            "{0}: before 3.51.3 two processes that checkpoint at the same moment can damage a "
            "database. Only the server checkpoints here, so one server with any number of "
            "pagegrade commands is safe",
            SQLITE_VERSION,
        ),
        "Do not write to the database with other programs while a server runs.",
    )


def look_at_database(database: Database, *, all_of_it: bool = True) -> Iterator[Diagnosis]:
    """Check whether the database is whole, has our tables, is written safely, and how full it is.

    Args:
        database: A file, which may not be there yet.
        all_of_it: Whether to read the whole file in search of damage, which takes a while where it is large.
    """
    if database.path is None or not database.path.exists():
        yield ok("database", phrase("{0} is not there yet; the first start makes it", database.path))
        return
    try:
        yield from _look_inside(database, all_of_it=all_of_it)
    except StatementError as error:
        yield not_ours(str(database.path), error)
    except Unavailable as error:
        why = error.detail or (error.reason or "").replace("_", " ")
        yield problem(
            "database",
            phrase("{0} cannot be used: {1}", database.path, why)
            if why
            else phrase("{0} cannot be used", database.path),
            "If this user may read and write it and its folder, it is damaged or no database: "
            "restore a backup (docs/howto/keep-the-service.md).",
        )


def not_ours(name: str, error: StatementError) -> Diagnosis:
    """Report a database whose tables are not what they should be."""
    return problem(
        "database",
        phrase("{0} is not as this version expects it: {1}", name, reason_of(error)),
        "Set PAGEGRADE_DATABASE_URL to a database of Pagegrade, or restore a backup.",
    )


def _look_for_damage(database: Database) -> Diagnosis:
    damage = find_damage(database)
    if damage:
        return problem(
            "database",
            phrase("{0} is damaged: {1}", database.path, "; ".join(damage)),
            "Stop the server and restore a backup (docs/howto/keep-the-service.md).",
        )
    return ok("database", phrase("{0} is whole", database.path))


def _look_inside(database: Database, *, all_of_it: bool) -> Iterator[Diagnosis]:
    if all_of_it:
        yield _look_for_damage(database)
    state = schema_state(database)
    # A file that can be read may still be one that cannot be written, in which SQLite begins even a transaction that
    # writes. So something is written that changes nothing.
    statement = "SELECT 1" if state.current is None else "DELETE FROM alembic_version WHERE 0"
    database.write_here(lambda tx: tx.exec_driver_sql(statement))
    durability = read_durability(database)
    modes = phrase("journal_mode {0}, synchronous {1}", durability.journal_mode, durability.synchronous)
    if durability.is_right:
        yield ok("durability", modes)
    else:
        yield problem("durability", modes, "Put the database on a local disk that takes write-ahead logs.")
    ahead = N_("{0}, made by Pagegrade {1}; this one can go on"), N_("Install that version again.")
    yield look_at_schema(state, ahead)
    if state.is_usable:
        yield from _look_at_rows(database)


def look_at_schema(state: SchemaState, ahead: tuple[str, str]) -> Diagnosis:
    """Check whether the tables are those of this version.

    Args:
        ahead: Message and remedy where a later version made the tables, and this one can use them.
    """
    tables = state.current or phrase("none"), state.migrated_by or phrase("of a later version")
    match state.status:
        case "current":
            return ok("schema", state.head)
        case "ahead":
            return warning("schema", Phrase(ahead[0], tables), ahead[1])
        case "empty" | "behind":
            message = phrase("{0}, where this version has {1}", tables[0], state.head)
            return warning("schema", message, "Run: pagegrade migrate")
        case "newer":
            message = phrase("{0}, made by Pagegrade {1}", *tables)
            return problem("schema", message, "Install that version again, or restore a backup from before it.")
        case "foreign":
            return problem("schema", "the tables are those of another program", "Set PAGEGRADE_DATABASE_URL.")


def _look_at_rows(database: Database) -> Iterator[Diagnosis]:
    sizes = database.read_here(measure)
    yield ok("reports", _described(sizes))
    if sizes.log_bytes > LONG_LOG_BYTES:
        yield warning(
            "database",
            phrase("the write-ahead log has grown to {0}", format_size(sizes.log_bytes)),
            "Start the server, which works it off; end programs that keep the database open.",
        )


def look_at_queue(database: Database, now_ms: int, *, target_runs: int, per_minute: int) -> Iterator[Diagnosis]:
    """Report how many runs are under way, admitted, and not admitted yet, and for how long the oldest waits.

    Args:
        database: Nothing is found where it is not there, not ours, or cannot be used.
        target_runs: Maximum number of concurrent runs at one target.
        per_minute: Maximum number of runs started at one target per minute.
    """

    def count(tx: Transaction) -> tuple[QueueState, Mapping[Reason, int]]:
        return queue_state(tx, now_ms), count_by_reason(tx, now_ms, target_runs=target_runs, per_minute=per_minute)

    found = read_if_usable(database, count)
    if found is None:
        return
    queue, waiting = found
    message = phrase(
        "{0} running; admitted: {1} wait for a worker, {2} for a browser; not yet: {3} wait "
        "for their site, {4} for earlier ones of their account, {5} for one of the same page",
        queue.running,
        *itemgetter("worker", "browser", "target", "account", "leader")(waiting),
    )
    if queue.depth and queue.oldest_ms > LONG_WAIT_MS:
        yield warning(
            "queue",
            phrase("{0}; the oldest waits for {1} minutes", message, queue.oldest_ms // 60_000),
            N_("Start more workers (pagegrade worker), or ask for fewer reports on one site.")
            if database.shared
            else N_(
                "Is a server with workers running? More PAGEGRADE_WORKERS, or fewer reports on one site, shorten it."
            ),
        )
    else:
        yield ok("queue", message)


def look_at_crawls(database: Database, now_ms: int, account_crawls: int) -> Iterator[Diagnosis]:
    """Check whether the crawls of site audits move.

    Args:
        database: Nothing is found where it is not there, not ours, or cannot be used.
        account_crawls: Crawls of an account that may be under way.
    """
    found = read_if_usable(database, lambda tx: count_crawls(tx, now_ms=now_ms, account_crawls=account_crawls))
    if found is None:
        return
    message = phrase(
        "{0} running; waiting: {1} for a worker, {2} for another of their account, {3} for "
        "another of their site, {4} for their site; {5} paused",
        *itemgetter("running", "worker", "account", "target", "site", "paused")(found.places),
    )
    if found.still_ms > LONG_WAIT_MS:
        yield warning(
            "site audits",
            phrase("{0}; one has not moved for {1} minutes", message, found.still_ms // 60_000),
            "Is a server with workers running, and PAGEGRADE_CRAWLS above 0? Its log names crawls that fail.",
        )
    else:
        yield ok("site audits", message)


def newest_row_ms(database: Database) -> int | None:
    """Return the time of the newest row; ``None`` if there is none, or if it cannot be determined."""
    return read_if_usable(database, newest_ms)


def behind_clock_ms(database: Database, now_ms: int) -> int:
    """Return by how much the time by which rows are aged is behind the clock; 0 if it cannot be determined."""
    clock = read_if_usable(database, lambda tx: read_clock(tx, now_ms))
    return 0 if clock is None else clock.behind_ms


def read_if_usable(database: Database, work: Callable[[Transaction], T]) -> T | None:
    """Return what ``work`` finds; ``None`` where the database is not there, not ours, or cannot be used."""
    try:
        if (database.path is not None and not database.path.exists()) or not schema_state(database).is_usable:
            return None
        return database.read_here(work)
    except (StatementError, Unavailable):
        return None


def _described(sizes: Sizes) -> Phrase:
    stored = sizes.database_bytes, sizes.free_bytes, sizes.log_bytes, sizes.details_bytes, sizes.details_plain_bytes
    return phrase(
        "{0} reports, {1} runs; database {2} (free inside {3}), log {4}, results {5} for {6} of JSON",
        *(sizes.reports, sizes.runs, *map(format_size, stored)),
    )


_TOPIC: Final = N_("secret key")


def look_at_secret_keys(database: Database, vault: Vault) -> Iterator[Diagnosis]:
    """Check whether each access profile can be decrypted, and with which key.

    Args:
        database: Which may not be there, or not be reachable; that is reported elsewhere.
        vault: With the keys of this installation.
    """
    found = read_if_usable(database, lambda tx: count_sealed(tx, vault))
    if found is None:
        return
    total = found.current + found.former + found.unknown
    key = "PAGEGRADE_SECRET_KEY" if vault.keys else str(vault.file or "")
    if found.unknown:
        yield problem(
            _TOPIC,
            phrase(
                "the secrets of access profiles ({0} of {1}) cannot be decrypted{2}; analyses that use them fail",
                *(found.unknown, total),
                phrase(" with {0}", key) if key else phrase(": PAGEGRADE_SECRET_KEY is not set"),
            ),
            "Add the former key to PAGEGRADE_SECRET_KEY, behind the others, or restore secret.key "
            "from a backup; else the owners enter the secrets again.",
        )
    if found.former:
        yield warning(
            _TOPIC,
            phrase("the secrets of access profiles ({0} of {1}) are encrypted with a former key", found.former, total),
            "Run: pagegrade access-profiles rotate",
        )
    if vault.file is not None and not vault.keys and vault.file.exists() and vault.file.stat().st_mode & 0o077:
        yield warning(
            _TOPIC, phrase("other users of this machine may read {0}", key), phrase("Run: chmod 600 {0}", key)
        )
    if vault.ignored_file is not None:
        yield warning(
            _TOPIC,
            phrase("{0} has no effect, because PAGEGRADE_SECRET_KEY is set to another key", vault.ignored_file),
            "Add the key of the file to PAGEGRADE_SECRET_KEY, behind the others, as long as "
            "access profiles or backups need it; then delete the file.",
        )
    if total and not found.unknown:
        kept = (
            "" if vault.keys else N_("; keep a copy of it beside the backups, which are of no use for them without it")
        )
        yield ok(_TOPIC, phrase("{0} decrypts the secrets of all access profiles ({1}){2}", key, total, kept))
    elif not total:
        missing = N_("; the first one needs PAGEGRADE_SECRET_KEY") if not key else ""
        yield ok(_TOPIC, phrase("no access profile needs one{0}", missing))
