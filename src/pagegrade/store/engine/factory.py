"""Create the database object for a URL."""

from __future__ import annotations

from importlib.util import find_spec

from pagegrade.model.errors import InvalidInput
from pagegrade.store.engine.database import Database, is_shared_url
from pagegrade.store.engine.sqlite_database import SQLiteDatabase


def open_database(
    url: str,
    *,
    readers: int | None = None,
    writers: int | None = None,
    checkpoints: bool = True,
    name: str = "pagegrade",
) -> Database:
    """Return the database of a URL; connections are opened at first use.

    Args:
        url: ``sqlite:///`` and a path, or ``postgresql+psycopg://USER:PASSWORD@HOST:PORT/DATABASE``.
        readers: Threads for reading; ``None`` for the default.
        writers: Threads for writing, on PostgreSQL; ``None`` for the default.
        checkpoints: On SQLite, whether this process performs checkpoints of the write-ahead log.
        name: On PostgreSQL, application name of the connections.

    Raises:
        InvalidInput: The URL is not valid, or needs an extra that is not installed.
    """
    if not is_shared_url(url):
        return SQLiteDatabase(url, readers=readers or 4, checkpoints=checkpoints)
    require_postgresql()
    # Imported late: the driver takes a tenth of a second to load and is not needed for SQLite.
    from pagegrade.store.engine.postgresql import READERS, WRITERS, PostgresDatabase

    return PostgresDatabase(url, readers=readers or READERS, writers=writers or WRITERS, name=name)


def require_postgresql() -> None:
    """Do nothing if what connects to PostgreSQL is installed, which the extra ``pagegrade[postgresql]`` brings.

    Raises:
        InvalidInput: It is not; the message has the command to install it.
    """
    if find_spec("psycopg") is None or find_spec("procrastinate") is None:
        raise InvalidInput("PostgreSQL needs an extra. Install it with: pip install 'pagegrade[postgresql]'")
