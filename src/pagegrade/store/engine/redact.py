"""Names of databases for messages, without passwords."""

from __future__ import annotations

from pagegrade.store.engine.database import Database
from pagegrade.store.engine.url import parse_database_url


def name_of(database: Database) -> str:
    """Return the path of the file, or a name like ``reports on db.example:5432``."""
    if database.path is not None:
        return str(database.path)
    parsed = parse_database_url(database.url)
    host = parsed.host or "this machine"
    if ":" in host:
        host = f"[{host}]"
    return f"{parsed.database} on {host}" + (f":{parsed.port}" if parsed.port else "")
