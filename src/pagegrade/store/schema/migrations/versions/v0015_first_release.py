"""The tables of version 0.1.0; databases of the time before it are first changed by that version.

Revision ID: 0015
Revises:
"""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa
from alembic import op
from sqlalchemy import (
    BigInteger,
    Column,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    SmallInteger,
    String,
    Table,
    UniqueConstraint,
)

from pagegrade.store.schema.migrate import install_queue

revision: Final = "0015"
down_revision: Final = None

ID: Final = BigInteger().with_variant(Integer, "sqlite")
METADATA: Final = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)
UNSHARED: Final = "sqlite"
BUSY: Final = ("runs", "reports", "report_counts", "visits", "accounts")
"""Tables whose rows change several times: room for that beside each row, and dead rows cleared away early."""

SEARCH: Final = (
    "CREATE VIRTUAL TABLE reports_search USING fts5(url, content='reports', content_rowid='id', tokenize='trigram')",
    "CREATE TRIGGER reports_search_insert AFTER INSERT ON reports BEGIN "
    "INSERT INTO reports_search (rowid, url) VALUES (new.id, new.url); END",
    "CREATE TRIGGER reports_search_delete AFTER DELETE ON reports BEGIN "
    "INSERT INTO reports_search (reports_search, rowid, url) VALUES ('delete', old.id, old.url); END",
    "CREATE TRIGGER reports_search_update AFTER UPDATE OF id, url ON reports BEGIN "
    "INSERT INTO reports_search (reports_search, rowid, url) VALUES ('delete', old.id, old.url); "
    "INSERT INTO reports_search (rowid, url) VALUES (new.id, new.url); END",
)
"""Trigram index of URLs: https://www.sqlite.org/fts5.html#the_trigram_tokenizer. It stores no copy of the URLs
(external content), so the triggers must pass it the old URL when a row is deleted."""
SHARED_INDEXES: Final = (
    "ix_runs_parked ON runs (available_at_ms) WHERE state = 'queued' AND offered = 0 AND leader_id IS NULL",
    "ix_runs_suspects ON runs (id) WHERE state = 'queued' AND attempt >= 2",
    "ix_runs_places ON runs (target, available_at_ms) WHERE state = 'queued'",
    "ix_runs_offered ON runs (account_id, priority, turn, id) WHERE state = 'queued' AND offered = 1",
    "ix_report_counts_unfinished ON report_counts (account_id) WHERE project = '' AND state IN ('queued', 'running')",
)
"""Those of the queue between processes."""


def upgrade() -> None:
    """From an empty database."""
    METADATA.create_all(op.get_bind(), checkfirst=False)
    if op.get_context().dialect.name == UNSHARED:
        for statement in SEARCH:
            op.execute(statement)
        return
    for index in SHARED_INDEXES:
        op.execute(f"CREATE INDEX {index}")
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


def text(characters: int) -> String:
    """Text of at most so many characters, which is compared and sorted by its bytes on every database."""
    return String(characters).with_variant(String(characters, collation="C"), "postgresql")


Table(
    "installation",
    METADATA,
    Column("name", text(64), primary_key=True),
    Column("value", LargeBinary, nullable=False),
    comment="What this installation made for itself once, e.g. the key that signs cookies.",
)

Table(
    "accounts",
    METADATA,
    Column("id", ID, primary_key=True),
    Column("name", text(200), nullable=False),
    Column("email", text(320), nullable=False),
    Column("locale", text(35), nullable=False, server_default="en"),
    Column("timezone", text(64), nullable=False, server_default="UTC"),
    Column("default_privacy", SmallInteger),
    Column("created_at_ms", BigInteger, nullable=False),
    Column("disabled_at_ms", BigInteger),
    Column("served_at_ms", BigInteger, nullable=False, server_default="0"),
    Column("analyses_total", BigInteger, nullable=False, server_default="0"),
    Column("stored_bytes", BigInteger, nullable=False, server_default="0"),
    Column("password_hash", text(300)),
    Column("is_admin", SmallInteger, nullable=False, server_default="0"),
    Column("erase_at_ms", BigInteger),
    sqlite_autoincrement=True,
)

Table(
    "sessions",
    METADATA,
    Column("id", ID, primary_key=True),
    Column("account_id", ForeignKey("accounts.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("token_sha256", LargeBinary(32), nullable=False, unique=True),
    Column("previous_sha256", LargeBinary(32), index=True),
    Column("agent", text(200), nullable=False),
    Column("created_at_ms", BigInteger, nullable=False),
    Column("rotated_at_ms", BigInteger, nullable=False),
    Column("seen_at_ms", BigInteger, nullable=False),
    Column("expires_at_ms", BigInteger, nullable=False, index=True),
    Column("by_link", SmallInteger, nullable=False, server_default="0"),
    sqlite_autoincrement=True,
    comment="Browsers that people have signed in with.",
)

Table(
    "sign_in_links",
    METADATA,
    Column("token_sha256", LargeBinary(32), primary_key=True),
    Column("account_id", ForeignKey("accounts.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("created_at_ms", BigInteger, nullable=False),
    Column("expires_at_ms", BigInteger, nullable=False, index=True),
    Column("used_at_ms", BigInteger),
    comment="Links that sign in once.",
)

Table(
    "api_keys",
    METADATA,
    Column("id", ID, primary_key=True),
    Column("account_id", ForeignKey("accounts.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("name", text(200), nullable=False),
    Column("prefix", text(16), nullable=False),
    Column("secret_sha256", LargeBinary(32), nullable=False, unique=True),
    Column("scopes", text(200), nullable=False),
    Column("created_at_ms", BigInteger, nullable=False),
    Column("expires_at_ms", BigInteger),
    Column("revoked_at_ms", BigInteger),
    Column("last_used_at_ms", BigInteger),
    Column("project", text(300)),
    Column("made_by", BigInteger),
    sqlite_autoincrement=True,
)

reports = Table(
    "reports",
    METADATA,
    Column("id", ID, primary_key=True),
    Column("account_id", ForeignKey("accounts.id", ondelete="CASCADE"), nullable=False),
    Column("url", text(2048), nullable=False),
    Column("project", text(300), nullable=False),
    Column("privacy", SmallInteger, nullable=False),
    Column("password_hash", text(300)),
    Column("password_version", Integer, nullable=False, server_default="0"),
    Column("slug", text(22), nullable=False, unique=True),
    Column("state", text(9), nullable=False),
    Column("rating", SmallInteger),
    Column("score", SmallInteger),
    Column("run_number", Integer),
    Column("generated_at_ms", BigInteger),
    Column("dated_at_ms", BigInteger, nullable=False),
    Column("created_at_ms", BigInteger, nullable=False),
    Column("updated_at_ms", BigInteger, nullable=False),
    Column("revision", Integer, nullable=False, server_default="1"),
    Column("summary", LargeBinary),
    Column("error", LargeBinary),
    Column("render", SmallInteger),
    Column("device", text(8)),
    Column("pending_run", Integer),
    Index("ix_reports_by_privacy", "account_id", "privacy", "id"),
    sqlite_autoincrement=True,
)

Table(
    "report_counts",
    METADATA,
    Column("account_id", ForeignKey("accounts.id", ondelete="CASCADE"), primary_key=True),
    Column("project", text(300), primary_key=True),
    Column("state", text(9), primary_key=True),
    Column("rating", SmallInteger, primary_key=True),
    Column("count", BigInteger, nullable=False),
    comment="How many reports each filter finds, kept up to date so that no list has to count.",
)

Table(
    "runs",
    METADATA,
    Column("id", ID, primary_key=True),
    Column("report_id", ForeignKey("reports.id", ondelete="CASCADE"), nullable=False),
    Column("account_id", ForeignKey("accounts.id", ondelete="CASCADE"), nullable=False),
    Column("number", Integer, nullable=False),
    Column("url", text(2048), nullable=False),
    Column("target", text(300), nullable=False),
    Column("priority", SmallInteger, nullable=False),
    Column("state", text(9), nullable=False),
    Column("attempt", SmallInteger, nullable=False, server_default="0"),
    Column("leader_id", ForeignKey("runs.id", ondelete="SET NULL")),
    Column("available_at_ms", BigInteger, nullable=False),
    Column("lease_until_ms", BigInteger),
    Column("worker", text(64)),
    Column("rating", SmallInteger),
    Column("score", SmallInteger),
    Column("engine", text(40)),
    Column("ruleset", text(40)),
    Column("summary", LargeBinary),
    Column("error", LargeBinary),
    Column("created_at_ms", BigInteger, nullable=False),
    Column("started_at_ms", BigInteger),
    Column("finished_at_ms", BigInteger),
    Column("traceparent", text(55)),
    Column("turn", Integer, nullable=False, server_default="0"),
    Column("offered", SmallInteger, nullable=False, server_default="0"),
    Column("device", text(8), nullable=False, server_default="none"),
    Column("step", text(8)),
    Column("follow_device", text(8)),
    UniqueConstraint("report_id", "number"),
    Index(
        "ix_runs_queue", "state", "account_id", "priority", "id", "attempt", "leader_id", "available_at_ms", "target"
    ),
    Index("ix_runs_same", "account_id", "url", "state"),
    Index("ix_runs_leader", "leader_id"),
    Index("ix_runs_finished", "account_id", "finished_at_ms"),
    Index("ix_runs_comparable", "report_id", "device", "ruleset", "finished_at_ms"),
    sqlite_autoincrement=True,
)

Table(
    "run_details",
    METADATA,
    Column("run_id", ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True),
    Column("body", LargeBinary, nullable=False),
    Column("plain_bytes", Integer, nullable=False),
)

Table(
    "run_pictures",
    METADATA,
    Column("run_id", ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True),
    Column("name", text(16), primary_key=True),
    Column("body", LargeBinary, nullable=False),
    comment="Pictures of pages, in WebP as the browser wrote them; of the run that a report shows.",
)

Table(
    "visits",
    METADATA,
    Column("id", ID, primary_key=True),
    Column("run_id", BigInteger, nullable=False, index=True),
    Column("target", text(300), nullable=False),
    Column("started_at_ms", BigInteger, nullable=False),
    Column("ended_at_ms", BigInteger),
    Index("ix_visits_target", "target", "started_at_ms"),
    comment="Runs at a target now and in the last minute: the politeness of the whole installation.",
)

Table(
    "idempotency",
    METADATA,
    Column("key_id", ForeignKey("api_keys.id", ondelete="CASCADE"), primary_key=True),
    Column("method", text(8), primary_key=True),
    Column("path", text(200), primary_key=True),
    Column("idempotency_sha256", LargeBinary(32), primary_key=True),
    Column("request_sha256", LargeBinary(32), nullable=False),
    Column("report_id", BigInteger, nullable=False),
    Column("created_at_ms", BigInteger, nullable=False, index=True),
    comment="Which report each request with an Idempotency-Key made; nothing of the report or of its answer.",
)

Table(
    "batches",
    METADATA,
    Column("id", ID, primary_key=True),
    Column("account_id", ForeignKey("accounts.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("refused", LargeBinary, nullable=False),
    Column("created_at_ms", BigInteger, nullable=False),
    sqlite_autoincrement=True,
    comment="Reports that were asked for together.",
)

Table(
    "batch_reports",
    METADATA,
    Column("batch_id", ForeignKey("batches.id", ondelete="CASCADE"), primary_key=True),
    Column("position", Integer, primary_key=True, autoincrement=False),
    Column("report_id", ForeignKey("reports.id", ondelete="CASCADE"), nullable=False, index=True),
)

Table(
    "ignores",
    METADATA,
    Column("id", ID, primary_key=True),
    Column("account_id", ForeignKey("accounts.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("report_id", ForeignKey("reports.id", ondelete="CASCADE"), index=True),
    Column("project", text(300), nullable=False),
    Column("check_id", text(100), nullable=False),
    Column("selector", text(500), nullable=False),
    Column("url_pattern", text(500), nullable=False),
    Column("reason", text(500), nullable=False),
    Column("author", text(200), nullable=False),
    Column("state", text(100)),
    Column("places", Integer),
    Column("expires_at_ms", BigInteger),
    Column("created_at_ms", BigInteger, nullable=False),
    sqlite_autoincrement=True,
    comment="Findings that an account has decided to live with.",
)

Table(
    "webhooks",
    METADATA,
    Column("id", ID, primary_key=True),
    Column("account_id", ForeignKey("accounts.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("kind", text(16), nullable=False),
    Column("url", text(2048), nullable=False),
    Column("events", text(300), nullable=False),
    Column("project", text(300), nullable=False),
    Column("secret_salt", LargeBinary(32), nullable=False),
    Column("previous_salt", LargeBinary(32)),
    Column("previous_until_ms", BigInteger),
    Column("due_at_ms", BigInteger),
    Column("lease_until_ms", BigInteger),
    Column("worker", text(64)),
    Column("served_at_ms", BigInteger, nullable=False, server_default="0"),
    Column("failures", Integer, nullable=False, server_default="0"),
    Column("failing_since_ms", BigInteger),
    Column("disabled_at_ms", BigInteger),
    Column("disabled_reason", text(40)),
    Column("created_at_ms", BigInteger, nullable=False),
    Column("revision", Integer, nullable=False, server_default="1"),
    Index("ix_webhooks_due", "due_at_ms"),
    sqlite_autoincrement=True,
    comment="Where events of an account are sent: webhooks, chat channels and e-mail addresses.",
)

Table(
    "events",
    METADATA,
    Column("id", ID, primary_key=True),
    Column("public_id", text(40), nullable=False, unique=True),
    Column("account_id", ForeignKey("accounts.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("report_id", ForeignKey("reports.id", ondelete="CASCADE"), index=True),
    Column("monitor_id", BigInteger),
    Column("type", text(40), nullable=False),
    Column("run_number", Integer),
    Column("data", LargeBinary, nullable=False),
    Column("created_at_ms", BigInteger, nullable=False, index=True),
    sqlite_autoincrement=True,
    comment="Outbox: what happened, written with the change itself, only where a webhook wants it.",
)

Table(
    "deliveries",
    METADATA,
    Column("id", ID, primary_key=True),
    Column("event_id", ForeignKey("events.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("webhook_id", ForeignKey("webhooks.id", ondelete="CASCADE"), nullable=False),
    Column("state", text(9), nullable=False),
    Column("attempts", Integer, nullable=False, server_default="0"),
    Column("due_at_ms", BigInteger),
    Column("attempted_at_ms", BigInteger),
    Column("http_status", Integer),
    Column("error", text(40)),
    Column("answer", LargeBinary),
    Column("duration_ms", Integer),
    Column("created_at_ms", BigInteger, nullable=False),
    Index("ix_deliveries_due", "webhook_id", "state", "due_at_ms"),
    Index("ix_deliveries_log", "webhook_id", "id"),
    sqlite_autoincrement=True,
    comment="Each event for each webhook that wants it, and how it went.",
)

Table(
    "monitors",
    METADATA,
    Column("id", ID, primary_key=True),
    Column("account_id", ForeignKey("accounts.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("report_id", ForeignKey("reports.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("schedule", text(100), nullable=False),
    Column("timezone", text(64), nullable=False),
    Column("jitter", Integer, nullable=False),
    Column("budgets", LargeBinary, nullable=False),
    Column("paused", SmallInteger, nullable=False),
    Column("due_at_ms", BigInteger, nullable=False),
    Column("last_due_at_ms", BigInteger),
    Column("last_run_at_ms", BigInteger),
    Column("failures", SmallInteger, nullable=False),
    Column("unreachable_since_ms", BigInteger),
    Column("created_at_ms", BigInteger, nullable=False),
    Column("updated_at_ms", BigInteger, nullable=False),
    Column("revision", Integer, nullable=False),
    Index("ix_monitors_due", "paused", "due_at_ms"),
    sqlite_autoincrement=True,
    comment="Reports that are analyzed again on a schedule, with budgets.",
)

Table(
    "monitor_crossings",
    METADATA,
    Column("run_id", ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True),
    Column("monitor_id", ForeignKey("monitors.id", ondelete="CASCADE"), primary_key=True, index=True),
    Column("kind", text(12), primary_key=True),
    Column("account_id", ForeignKey("accounts.id", ondelete="CASCADE"), nullable=False),
    Column("report_id", ForeignKey("reports.id", ondelete="CASCADE"), nullable=False),
    Column("run_number", Integer, nullable=False),
    Column("at_ms", BigInteger, nullable=False),
    Column("budgets", LargeBinary, nullable=False),
    Index("ix_monitor_crossings_report", "report_id", "run_number"),
    Index("ix_monitor_crossings_account", "account_id", "at_ms"),
    comment="Runs at which budgets were breached or kept again, or at which a page could no longer be reached.",
)

Table(
    "processes",
    METADATA,
    Column("name", text(64), primary_key=True),
    Column("kind", text(16), nullable=False),
    Column("version", text(40), nullable=False),
    Column("host", text(255), nullable=False),
    Column("pid", Integer, nullable=False),
    Column("started_at_ms", BigInteger, nullable=False),
    Column("seen_at_ms", BigInteger, nullable=False),
    Column("has_browser", SmallInteger, nullable=False, server_default="0"),
    comment="Who works on this database, where several processes do.",
)


for _filter in ((), ("project",), ("rating",), ("state",)):
    for _order in (
        ("id",),
        ("dated_at_ms", "id"),
        ("updated_at_ms", "id"),
        ("url", "id"),
        ("rating", "score", "id"),
        ("score", "id"),
    ):
        if _order[0] not in _filter and (_filter, _order[0]) != (("rating",), "score"):
            _more = ("rating",) if _filter in {("project",), ("state",)} and "rating" not in _order else ()
            Index(
                "ix_reports_" + "_".join((*_filter, "by", _order[0])),
                *(reports.c[n] for n in ("account_id", *_filter, *_order, *_more)),
            )
_pending = reports.c.pending_run.is_not(None)
Index("ix_reports_pending", reports.c.account_id, sqlite_where=_pending, postgresql_where=_pending)

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

_PLAIN: Final = "ALTER TABLE counters ALTER COLUMN moments SET STORAGE PLAIN, ALTER COLUMN counts SET STORAGE PLAIN"
_COMMENT: Final = "COMMENT ON TABLE counters IS 'Requests and login attempts in moving windows; names are digests.'"

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
