"""Many processes on one PostgreSQL: who they are, the queue between them, what they count together.

Revision ID: 0003
Revises: 0002
"""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa
from alembic import op

from pagegrade.store.schema.migrate import install_queue

revision: Final = "0003"
down_revision: Final = "0002"

TEXTS: Final = {
    "installation": ("name",),
    "accounts": ("name", "email", "locale", "timezone", "password_hash"),
    "sessions": ("agent",),
    "api_keys": ("name", "prefix", "scopes"),
    "reports": ("url", "project", "password_hash", "slug", "state"),
    "report_counts": ("project", "state"),
    "runs": ("url", "target", "state", "worker", "engine", "ruleset"),
    "visits": ("target",),
    "idempotency": ("method", "path", "idempotency_key", "process"),
}
"""Columns whose order must not depend on where the database was made."""
BUSY: Final = ("runs", "reports", "report_counts", "visits", "accounts")
"""Tables whose rows change several times: room for that beside each row, and dead rows cleared away early."""
UNSHARED: Final = "sqlite"


def upgrade() -> None:
    """Columns that the code before does without; and everything that a shared database needs besides."""
    op.add_column("runs", sa.Column("traceparent", _text(55)))
    op.add_column("runs", sa.Column("turn", sa.Integer(), server_default="0", nullable=False))
    op.add_column("runs", sa.Column("offered", sa.SmallInteger(), server_default="0", nullable=False))
    op.create_table(
        "processes",
        sa.Column("name", _text(64), nullable=False),
        sa.Column("kind", _text(16), nullable=False),
        sa.Column("version", _text(40), nullable=False),
        sa.Column("host", _text(255), nullable=False),
        sa.Column("pid", sa.Integer(), nullable=False),
        sa.Column("started_at_ms", sa.BigInteger(), nullable=False),
        sa.Column("seen_at_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_processes"),
        comment="Who works on this database, where several processes do.",
    )
    if op.get_context().dialect.name != UNSHARED:
        _share()


def _share() -> None:
    for table, columns in TEXTS.items():
        for column in columns:
            op.execute(f'ALTER TABLE {table} ALTER COLUMN {column} TYPE varchar{_length(table, column)} COLLATE "C"')
    op.execute(
        "CREATE INDEX ix_runs_parked ON runs (available_at_ms) "
        "WHERE state = 'queued' AND offered = 0 AND leader_id IS NULL"
    )
    op.execute("CREATE INDEX ix_runs_suspects ON runs (id) WHERE state = 'queued' AND attempt >= 2")
    op.execute("CREATE INDEX ix_runs_places ON runs (target, available_at_ms) WHERE state = 'queued'")
    op.execute(
        "CREATE INDEX ix_report_counts_unfinished ON report_counts (account_id) "
        "WHERE project = '' AND state IN ('queued', 'running')"
    )
    for table in BUSY:
        op.execute(
            f"ALTER TABLE {table} SET (fillfactor = 85, autovacuum_vacuum_scale_factor = 0.05, "
            "autovacuum_analyze_scale_factor = 0.02)"
        )
    _index_parts_of_urls()
    install_queue(op.get_bind())
    for statement in COUNTERS:
        op.execute(sa.text(statement.replace(":", r"\:")))


def _index_parts_of_urls() -> None:
    """Substrings of URLs, three characters at a time, where the server has the extension and lets us use it.

    Without it a search reads the addresses of the account, which is slow for hundreds of thousands and right all the
    same. Source: https://www.postgresql.org/docs/current/pgtrgm.html
    """
    bind = op.get_bind()
    has = bind.exec_driver_sql("SELECT 1 FROM pg_extension WHERE extname = 'pg_trgm'").scalar()
    if has is None:
        known = bind.exec_driver_sql("SELECT 1 FROM pg_available_extensions WHERE name = 'pg_trgm'").scalar()
        may = bind.exec_driver_sql("SELECT has_database_privilege(current_database(), 'CREATE')").scalar()
        if known is None or not may:
            return
        bind.exec_driver_sql("CREATE EXTENSION IF NOT EXISTS pg_trgm")
    bind.exec_driver_sql("CREATE INDEX ix_reports_parts ON reports USING gin (url gin_trgm_ops)")


def _length(table: str, column: str) -> str:
    found = op.get_bind().execute(
        sa.text(
            "SELECT character_maximum_length FROM information_schema.columns "
            "WHERE table_schema = current_schema() AND table_name = :table AND column_name = :column"
        ),
        {"table": table, "column": column},
    )
    return f"({found.scalar_one()})"


def _text(characters: int) -> sa.String:
    return sa.String(characters).with_variant(sa.String(characters, collation="C"), "postgresql")


_TABLE: Final = """
CREATE UNLOGGED TABLE counters (
    name bytea NOT NULL,
    total integer NOT NULL,
    moments timestamp with time zone[] NOT NULL,
    counts integer[] NOT NULL,
    until timestamp with time zone NOT NULL,
    CONSTRAINT pk_counters PRIMARY KEY (name)
) WITH (fillfactor = 50)
"""
# No index except that of the name: updates then touch no index (a "HOT update").

_PLAIN: Final = """
ALTER TABLE counters ALTER COLUMN moments SET STORAGE PLAIN, ALTER COLUMN counts SET STORAGE PLAIN
"""
_COMMENT: Final = """
COMMENT ON TABLE counters IS 'Requests and login attempts in moving windows; names are digests.'
"""

# Names are sorted, so that two transactions never deadlock. Rows are locked from the first statement to the end of the
# call, which is its own transaction: the time is read once all are locked, so that it never goes back between two calls
# unless the clock of the server does. Sequential scans are disabled because plans are cached, and a plan for a small
# table would be used for a large one. JIT compilation takes longer than everything else.
_FUNCTION: Final = """
CREATE FUNCTION counters_step(
    step integer, names bytea[], limits integer[], windows_s integer[],
    OUT done boolean, OUT counted integer[], OUT left_s double precision[]
) LANGUAGE plpgsql SET enable_seqscan = off SET jit = off AS $$
DECLARE
    held counters[];
    one counters;
    moment timestamp with time zone;
    span interval;
    size integer;
    gone integer;
BEGIN
    FOR i IN 1 .. cardinality(names) LOOP
        LOOP
            SELECT * INTO one FROM counters WHERE counters.name = names[i] FOR UPDATE;
            EXIT WHEN FOUND;
            IF step <= 0 THEN
                one := ROW(names[i], 0, '{}', '{}', clock_timestamp());
                EXIT;
            END IF;
            INSERT INTO counters
                VALUES (names[i], 0, '{}', '{}', clock_timestamp() + make_interval(secs => windows_s[i]))
                ON CONFLICT DO NOTHING;
        END LOOP;
        held[i] := one;
    END LOOP;
    moment := clock_timestamp();
    done := true;
    FOR i IN 1 .. cardinality(names) LOOP
        one := held[i];
        span := make_interval(secs => windows_s[i]);
        size := cardinality(one.moments);
        IF one.moments[size] > moment THEN
            -- The clock was set back: what was counted counts as if it had been now, so that it ends in a window.
            one.moments := ARRAY(
                SELECT least(each.at, moment) FROM unnest(one.moments) WITH ORDINALITY AS each(at, place)
                ORDER BY each.place
            );
            UPDATE counters SET moments = one.moments, until = moment + span WHERE counters.name = names[i];
        END IF;
        gone := 0;
        WHILE gone < size AND one.moments[gone + 1] <= moment - span LOOP
            gone := gone + 1;
            one.total := one.total - one.counts[gone];
        END LOOP;
        IF gone > 0 THEN
            one.moments := one.moments[gone + 1 :];
            one.counts := one.counts[gone + 1 :];
        END IF;
        done := done AND CASE WHEN step < 0 THEN one.total > 0 ELSE one.total < limits[i] END;
        held[i] := one;
    END LOOP;
    FOR i IN 1 .. cardinality(names) LOOP
        one := held[i];
        span := make_interval(secs => windows_s[i]);
        size := cardinality(one.moments);
        IF done AND step > 0 THEN
            IF size >= 60
                AND date_bin(span / 60, one.moments[size], 'epoch') = date_bin(span / 60, moment, 'epoch') THEN
                one.moments[size] := moment;
                one.counts[size] := one.counts[size] + 1;
            ELSE
                IF size >= 60 THEN
                    SELECT array_agg(part.latest ORDER BY part.latest), array_agg(part.count ORDER BY part.latest)
                        INTO one.moments, one.counts
                        FROM (
                            SELECT max(each.at) AS latest, sum(each.count)::integer AS count
                                FROM unnest(one.moments, one.counts) AS each(at, count)
                                GROUP BY date_bin(span / 60, each.at, 'epoch')
                        ) AS part;
                    size := cardinality(one.moments);
                END IF;
                one.moments[size + 1] := moment;
                one.counts[size + 1] := 1;
            END IF;
        ELSIF done AND step < 0 AND one.counts[size] = 1 THEN
            one.moments := one.moments[: size - 1];
            one.counts := one.counts[: size - 1];
        ELSIF done AND step < 0 THEN
            one.counts[size] := one.counts[size] - 1;
        END IF;
        IF done AND step <> 0 THEN
            one.total := one.total + step;
            UPDATE counters
                SET total = one.total, moments = one.moments, counts = one.counts,
                    until = coalesce(one.moments[cardinality(one.moments)], moment) + span
                WHERE counters.name = names[i];
        END IF;
        counted[i] := one.total;
        left_s[i] := extract(epoch FROM coalesce(one.moments[1], moment) + span - moment);
    END LOOP;
END
$$
"""

COUNTERS: Final[tuple[str, ...]] = (_TABLE, _PLAIN, _COMMENT, _FUNCTION)
