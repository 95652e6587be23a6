"""Token buckets of rate limits, where several processes share a database.

Revision ID: 0030
Revises: 0029
"""

from __future__ import annotations

from typing import Final

from alembic import op

revision: Final = "0030"
down_revision: Final = "0029"

UNSHARED: Final = "sqlite"


def upgrade() -> None:
    """A table for PostgreSQL; the counters of the version before go one version later.

    UNLOGGED: it bypasses the write-ahead log, and no commit waits for a disk because of it. After a crash of the
    server, and on a promoted standby, it is empty: all buckets are full, as after a restart of a single process. No
    index except that of the name: updates then touch no index (a "HOT update").
    """
    if op.get_context().dialect.name != UNSHARED:
        op.execute(
            "CREATE UNLOGGED TABLE buckets (name bytea NOT NULL, full_at timestamp with time zone NOT NULL, "
            "CONSTRAINT pk_buckets PRIMARY KEY (name)) WITH (fillfactor = 50)"
        )
        op.execute("COMMENT ON TABLE buckets IS 'Rate limits of requests and attempts; names are digests.'")
