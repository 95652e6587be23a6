"""URLs of databases: read in one place, and refused without a part of them in the message.

A password that was not percent-encoded puts parts of itself into host, port, database or parameters. So nothing of a
URL is repeated before it is known that each part is what it should be.
"""

from __future__ import annotations

import re
from typing import Final

from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError

from pagegrade.model.errors import InvalidInput
from pagegrade.store.engine.database import Database

EXAMPLES: Final = (
    "Write it like sqlite:////var/lib/pagegrade/pagegrade.db or postgresql+psycopg://USER:PASSWORD@HOST:5432/DATABASE."
)
ENCODING: Final = (
    "Percent-encode what is special in the password: @ is %40, / is %2F, # is %23, ? is %3F, : is %3A, % is %25."
)
POSTGRESQL: Final = frozenset({"postgres", "postgresql", "postgresql+psycopg"})
_PORTS: Final = (None, *range(1, 65_536))
_HOST: Final = re.compile(r"[\w.%:~/-]*")
"""A name, an address, a folder of sockets."""


def parse_database_url(url: str) -> URL:
    """Return the parts of a database URL; ``postgres://`` is understood, too.

    Raises:
        InvalidInput: It is not a URL of a database that this version uses; nothing of it is in the message.
    """
    scheme, found, rest = url.partition("://")
    if not found:
        raise InvalidInput(f"The database URL cannot be read. {EXAMPLES}")
    if scheme.split("+")[0] in {"postgres", "postgresql"} and rest.count("@") > 1:
        raise InvalidInput(f"The database URL has more than one @, so where its parts end is not known. {ENCODING}")
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):
        raise InvalidInput(f"The database URL cannot be read. {EXAMPLES} {ENCODING}") from None
    if parsed.get_backend_name() == "sqlite":
        if parsed.query or parsed.host:
            raise InvalidInput(
                "The database URL of an SQLite file has a path and nothing else. "
                "Write it like sqlite:////var/lib/pagegrade/pagegrade.db."
            )
        return parsed
    if parsed.get_backend_name() not in {"postgres", "postgresql"}:
        raise InvalidInput(f"The database URL names a database that is not used here. {EXAMPLES}")
    if parsed.drivername not in POSTGRESQL:
        raise InvalidInput(
            "The database URL names a driver that is not used here. Begin it with postgresql+psycopg://."
        )
    if not _HOST.fullmatch(parsed.host or "") or parsed.port not in _PORTS:
        raise InvalidInput(f"The database URL has no usable host and port. {EXAMPLES} {ENCODING}")
    if not parsed.database:
        raise InvalidInput(f"The database URL names no database. {EXAMPLES} {ENCODING}")
    return parsed.set(drivername="postgresql+psycopg")


def name_of(database: Database) -> str:
    """Return the path of the file, or a name like ``reports on db.example:5432``."""
    if database.path is not None:
        return str(database.path)
    parsed = parse_database_url(database.url)
    host = parsed.host or "this machine"
    if ":" in host:
        host = f"[{host}]"
    return f"{parsed.database} on {host}" + (f":{parsed.port}" if parsed.port else "")
