"""The current schema; its history is in ``migrations``.

Points in time are integers, milliseconds since 1970-01-01T00:00Z: the same on every database, exact to what the API
shows, and cheap to sort and compare. Text in tables has passed ``report.sanitize`` (no NUL, no lone surrogate).
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Column,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    SmallInteger,
    Table,
    UniqueConstraint,
)

from pagegrade.model.stored import MAX_ATTEMPTS
from pagegrade.store.schema.account_tables import actions
from pagegrade.store.schema.columns import ID, METADATA, text, where

metadata = METADATA

installation = Table(
    "installation",
    metadata,
    Column("name", text(64), primary_key=True),
    Column("value", LargeBinary, nullable=False),
    comment="What this installation made for itself once, e.g. the key that signs cookies.",
)

accounts = Table(
    "accounts",
    metadata,
    Column("id", ID, primary_key=True),
    Column("name", text(200), nullable=False),
    Column("email", text(320), nullable=False),
    Column("locale", text(35), nullable=False, server_default="en"),
    Column("timezone", text(64), nullable=False, server_default="UTC"),
    Column("default_privacy", SmallInteger),
    Column("created_at_ms", BigInteger, nullable=False),
    Column("disabled_at_ms", BigInteger),
    Column("served_at_ms", BigInteger, nullable=False, server_default="0"),  # last claim; the queue goes round by it
    Column("analyses_total", BigInteger, nullable=False, server_default="0"),  # finished, also of reports since deleted
    Column("stored_bytes", BigInteger, nullable=False, server_default="0"),  # run_details and run_pictures, as stored
    Column("password_hash", text(300)),  # PHC string of argon2id; NULL: no sign-in with a password
    Column("is_admin", SmallInteger, nullable=False, server_default="0"),
    Column("is_personal", SmallInteger, nullable=False, server_default="1"),  # 0: nobody signs in with its address
    Column("plan", text(60)),  # its name; NULL: the default one
    Column("quotas", LargeBinary),  # JSON of model.quotas.Quotas, before those of the plan; NULL: none
    Column("erase_at_ms", BigInteger),  # since when the account is being erased with everything of it; NULL: it is not
    sqlite_autoincrement=True,
)

api_keys = Table(
    "api_keys",
    metadata,
    Column("id", ID, primary_key=True),
    Column("account_id", ForeignKey("accounts.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("name", text(200), nullable=False),
    Column("prefix", text(16), nullable=False),
    Column("secret_sha256", LargeBinary(32), nullable=False, unique=True),
    Column("scopes", text(200), nullable=False),  # separated by blanks
    Column("created_at_ms", BigInteger, nullable=False),
    Column("expires_at_ms", BigInteger),
    Column("revoked_at_ms", BigInteger),
    Column("last_used_at_ms", BigInteger),
    Column("project", text(300)),  # the only one that the key can use; NULL: all
    Column("made_by", BigInteger),  # the key that made it, which is revoked together with it; NULL: a person
    sqlite_autoincrement=True,
)

reports = Table(
    "reports",
    metadata,
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
    Column("dated_at_ms", BigInteger, nullable=False),  # generated, or created where it never was; to sort by
    Column("created_at_ms", BigInteger, nullable=False),
    Column("updated_at_ms", BigInteger, nullable=False),
    Column("revision", Integer, nullable=False, server_default="1"),
    Column("summary", LargeBinary),
    Column("error", LargeBinary),
    Column("render", SmallInteger),  # 1: in a browser, 0: without; NULL: as the installation decides
    Column("device", text(8)),  # that a browser imitates; NULL: the default
    Column("access", BigInteger),  # id of a profile, or 0 for none; NULL: that of the origin
    Column("pending_run", Integer),  # number of the run in a browser that follows the static one, until it has ended
    sqlite_autoincrement=True,  # an id is never used again
)

report_counts = Table(
    "report_counts",
    metadata,
    Column("account_id", ForeignKey("accounts.id", ondelete="CASCADE"), primary_key=True),
    Column("project", text(300), primary_key=True),  # "" for the account as a whole
    Column("state", text(9), primary_key=True),
    Column("rating", SmallInteger, primary_key=True),  # 0 where there is no result
    Column("count", BigInteger, nullable=False),
    comment="How many reports each filter finds, kept up to date so that no list has to count.",
)

runs = Table(
    "runs",
    metadata,
    Column("id", ID, primary_key=True),
    Column("report_id", ForeignKey("reports.id", ondelete="CASCADE"), nullable=False),
    Column("account_id", ForeignKey("accounts.id", ondelete="CASCADE"), nullable=False),
    Column("number", Integer, nullable=False),
    Column("url", text(2048), nullable=False),
    Column("target", text(300), nullable=False),  # registrable domain; "" where politeness does not apply
    Column("priority", SmallInteger, nullable=False),
    Column("state", text(9), nullable=False),
    Column("attempt", SmallInteger, nullable=False, server_default="0"),
    # The identical run under way whose outcome this one takes over; once that is gone, it runs by itself:
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
    Column("traceparent", text(55)),  # W3C Trace Context of the request that asked for it
    # The next three are of ``store.queue.admission``, where other processes take runs too:
    Column("turn", Integer, nullable=False, server_default="0"),  # of its account, among those that are as urgent
    Column("offered", SmallInteger, nullable=False, server_default="0"),  # 1: its target admits it
    Column("share", SmallInteger, nullable=False, server_default="0"),  # its job or line at its account: ``admission``
    Column("device", text(8), nullable=False, server_default="none"),  # that a browser is to imitate; none: no browser
    Column("step", text(8)),  # of a run under way: the part of the analysis that it has come to, after a second
    Column("follow_device", text(8)),  # a run in a browser that imitates it follows this one; NULL: none does
    UniqueConstraint("report_id", "number"),
    sqlite_autoincrement=True,
)

run_details = Table(
    "run_details",
    metadata,
    Column("run_id", ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True),
    Column("body", LargeBinary, nullable=False),  # zstd (RFC 8878) around the JSON of PackedReport.detail
    Column("plain_bytes", Integer, nullable=False),
)

run_pictures = Table(
    "run_pictures",
    metadata,
    Column("run_id", ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True),
    Column("name", text(16), primary_key=True),
    Column("body", LargeBinary, nullable=False),
    comment="Pictures of pages, in WebP as the browser wrote them; of the run that a report shows.",
)

visits = Table(
    "visits",
    metadata,
    Column("id", ID, primary_key=True),
    Column("run_id", BigInteger, nullable=False, index=True),
    Column("target", text(300), nullable=False),  # registrable domain or address
    Column("started_at_ms", BigInteger, nullable=False),
    Column("ended_at_ms", BigInteger),
    Index("ix_visits_target", "target", "started_at_ms"),
    comment="Runs at a target now and in the last minute: the politeness of the whole installation.",
)

idempotency = Table(
    "idempotency",
    metadata,
    Column("key_id", ForeignKey("api_keys.id", ondelete="CASCADE"), primary_key=True),
    Column("method", text(8), primary_key=True),
    Column("path", text(200), primary_key=True),
    Column("idempotency_sha256", LargeBinary(32), primary_key=True),  # of the key as it was sent
    Column("request_sha256", LargeBinary(32), nullable=False),
    Column("report_id", BigInteger, nullable=False),  # no foreign key: it outlives the report, which is gone then
    Column("created_at_ms", BigInteger, nullable=False, index=True),
    comment="Which report each request with an Idempotency-Key made; nothing of the report or of its answer.",
)

batches = Table(
    "batches",
    metadata,
    Column("id", ID, primary_key=True),
    Column("account_id", ForeignKey("accounts.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("refused", LargeBinary, nullable=False),  # JSON array of what could not be used of the list
    Column("created_at_ms", BigInteger, nullable=False),
    sqlite_autoincrement=True,
    comment="Reports that were asked for together.",
)

batch_reports = Table(
    "batch_reports",
    metadata,
    Column("batch_id", ForeignKey("batches.id", ondelete="CASCADE"), primary_key=True),
    Column("position", Integer, primary_key=True, autoincrement=False),
    Column("report_id", ForeignKey("reports.id", ondelete="CASCADE"), nullable=False, index=True),
)

ignores = Table(
    "ignores",
    metadata,
    Column("id", ID, primary_key=True),
    Column("account_id", ForeignKey("accounts.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("report_id", ForeignKey("reports.id", ondelete="CASCADE"), index=True),  # NULL: of more than one report
    Column("project", text(300), nullable=False),  # "": of every project
    Column("check_id", text(100), nullable=False),
    Column("selector", text(500), nullable=False),
    Column("url_pattern", text(500), nullable=False),
    Column("reason", text(500), nullable=False),
    Column("author", text(200), nullable=False),
    Column("state", text(100)),  # worst state of the check that is ignored; NULL: any
    Column("places", Integer),  # most places that are ignored; NULL: any number
    Column("expires_at_ms", BigInteger),
    Column("created_at_ms", BigInteger, nullable=False),
    sqlite_autoincrement=True,
    comment="Findings that an account has decided to live with.",
)

manual_results = Table(
    "manual_results",
    metadata,
    Column("report_id", ForeignKey("reports.id", ondelete="CASCADE"), primary_key=True),
    Column("criterion", text(8), primary_key=True),  # its number in WCAG 2.2
    Column("outcome", text(14), nullable=False),  # model.manual_results.ManualOutcome
    Column("note", text(2000), nullable=False),
    Column("evidence", text(2000), nullable=False),
    Column("person_id", ForeignKey("accounts.id", ondelete="SET NULL"), index=True),  # as in the log of the account
    Column("key_id", ForeignKey("api_keys.id", ondelete="SET NULL"), index=True),
    Column("at_ms", BigInteger, nullable=False),
    Column("page_sha256", LargeBinary(32), nullable=False),  # state of the page that they saw
    comment="What persons found of success criteria on the pages of reports.",
)

webhooks = Table(
    "webhooks",
    metadata,
    Column("id", ID, primary_key=True),
    Column("account_id", ForeignKey("accounts.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("kind", text(16), nullable=False),  # One of model.webhooks.KINDS
    Column("url", text(2048), nullable=False),
    Column("events", text(300), nullable=False),  # separated by blanks
    Column("project", text(300), nullable=False),  # "": of every project
    # Secrets are derived from these with a key of the installation, so that a row alone signs nothing.
    Column("secret_salt", LargeBinary(32), nullable=False),
    Column("previous_salt", LargeBinary(32)),
    Column("previous_until_ms", BigInteger),
    Column("due_at_ms", BigInteger),  # next delivery; NULL: none waits
    Column("lease_until_ms", BigInteger),  # a process is sending to it
    Column("worker", text(64)),
    Column("served_at_ms", BigInteger, nullable=False, server_default="0"),
    Column("failures", Integer, nullable=False, server_default="0"),  # in a row
    Column("failing_since_ms", BigInteger),
    Column("disabled_at_ms", BigInteger),
    Column("disabled_reason", text(40)),  # by_owner, gone, failing, unsubscribed
    Column("created_at_ms", BigInteger, nullable=False),
    Column("revision", Integer, nullable=False, server_default="1"),
    sqlite_autoincrement=True,
    comment="Where events of an account are sent: webhooks, chat channels and e-mail addresses.",
)

events = Table(
    "events",
    metadata,
    Column("id", ID, primary_key=True),
    Column("public_id", text(40), nullable=False, unique=True),  # the webhook-id of every attempt
    Column("account_id", ForeignKey("accounts.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("report_id", ForeignKey("reports.id", ondelete="CASCADE"), index=True),
    Column("monitor_id", BigInteger),
    Column("type", text(40), nullable=False),
    Column("run_number", Integer),
    Column("data", LargeBinary, nullable=False),  # JSON object
    Column("created_at_ms", BigInteger, nullable=False, index=True),
    Column("audit_id", BigInteger),
    sqlite_autoincrement=True,
    comment="Outbox: what happened, written with the change itself, only where a webhook wants it.",
)

deliveries = Table(
    "deliveries",
    metadata,
    Column("id", ID, primary_key=True),
    Column("event_id", ForeignKey("events.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("webhook_id", ForeignKey("webhooks.id", ondelete="CASCADE"), nullable=False),
    Column("state", text(9), nullable=False),  # waiting, delivered, failed
    Column("attempts", Integer, nullable=False, server_default="0"),
    Column("due_at_ms", BigInteger),  # NULL: never again by itself
    Column("attempted_at_ms", BigInteger),
    Column("http_status", Integer),
    Column("error", text(40)),
    Column("answer", LargeBinary),  # the first 4 kB of the last one
    Column("duration_ms", Integer),
    Column("created_at_ms", BigInteger, nullable=False),
    Index("ix_deliveries_due", "webhook_id", "state", "due_at_ms"),
    Index("ix_deliveries_log", "webhook_id", "id"),
    sqlite_autoincrement=True,
    comment="Each event for each webhook that wants it, and how it went.",
)

monitors = Table(
    "monitors",
    metadata,
    Column("id", ID, primary_key=True),
    Column("account_id", ForeignKey("accounts.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("report_id", ForeignKey("reports.id", ondelete="CASCADE"), index=True),
    Column("schedule", text(100), nullable=False),
    Column("timezone", text(64), nullable=False),
    Column("jitter", Integer, nullable=False),
    Column("budgets", LargeBinary, nullable=False),  # JSON array of model.monitors.Budget
    Column("paused", SmallInteger, nullable=False),
    Column("due_at_ms", BigInteger, nullable=False),
    Column("last_due_at_ms", BigInteger),
    Column("last_run_at_ms", BigInteger),
    Column("failures", SmallInteger, nullable=False),
    Column("unreachable_since_ms", BigInteger),
    Column("created_at_ms", BigInteger, nullable=False),
    Column("updated_at_ms", BigInteger, nullable=False),
    Column("revision", Integer, nullable=False),
    Column("audit_id", ForeignKey("audits.id", ondelete="CASCADE"), index=True),  # without report_id
    Column("remind", text(6), nullable=False, server_default="never"),  # never, daily, weekly
    Column("told_at_ms", BigInteger),  # last message that it is bad; 0: a silence kept it; NULL: it is not
    Column("pages_kind", text(7)),  # of a set of pages: project, sitemap, tag; without report_id and audit_id
    Column("pages_of", text(2048)),
    Column("pages_found", Integer),
    Column("parent_id", ForeignKey("monitors.id", ondelete="CASCADE"), index=True),  # of the set it is a page of
    Index("ix_monitors_due", "paused", "due_at_ms"),
    sqlite_autoincrement=True,
    comment="Reports and audits that are made again on a schedule, with budgets.",
)

silences = Table(
    "silences",
    metadata,
    Column("id", ID, primary_key=True),
    Column("account_id", ForeignKey("accounts.id", ondelete="CASCADE"), nullable=False),
    Column("monitor_id", ForeignKey("monitors.id", ondelete="CASCADE"), index=True),  # NULL: of a site
    Column("project", text(300), nullable=False),  # "": of a monitor
    Column("reason", text(500), nullable=False),
    Column("person_id", ForeignKey("accounts.id", ondelete="SET NULL"), index=True),  # NULL with a key, or once erased
    Column("key_id", ForeignKey("api_keys.id", ondelete="SET NULL"), index=True),
    Column("until_ms", BigInteger, nullable=False, index=True),
    Column("created_at_ms", BigInteger, nullable=False),
    Index("ix_silences_account", "account_id", "until_ms"),
    sqlite_autoincrement=True,
    comment="Times in which people get no messages about a monitor or a site.",
)

monitor_crossings = Table(
    "monitor_crossings",
    metadata,
    Column("run_id", ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True),
    Column("monitor_id", ForeignKey("monitors.id", ondelete="CASCADE"), primary_key=True, index=True),
    Column("kind", text(12), primary_key=True),  # regressed, recovered, unreachable
    Column("account_id", ForeignKey("accounts.id", ondelete="CASCADE"), nullable=False),
    Column("report_id", ForeignKey("reports.id", ondelete="CASCADE"), nullable=False),
    Column("run_number", Integer, nullable=False),
    Column("at_ms", BigInteger, nullable=False),
    Column("budgets", LargeBinary, nullable=False),  # JSON array of model.monitors.BudgetChange
    Index("ix_monitor_crossings_report", "report_id", "run_number"),
    Index("ix_monitor_crossings_account", "account_id", "at_ms"),
    comment="Runs at which budgets were breached or kept again, or at which a page could no longer be reached.",
)

access_profiles = Table(
    "access_profiles",
    metadata,
    Column("id", ID, primary_key=True),
    Column("account_id", ForeignKey("accounts.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("name", text(100), nullable=False),
    Column("origins", LargeBinary, nullable=False),  # JSON array of texts; so the next one, without any secret
    Column("shown", LargeBinary, nullable=False),  # JSON object: user, names of headers, cookies and parameters
    Column("sealed", LargeBinary, nullable=False),  # Fernet token of the JSON object of all that is sent
    Column("created_at_ms", BigInteger, nullable=False),
    Column("updated_at_ms", BigInteger, nullable=False),
    Column("revision", Integer, nullable=False, server_default="1"),
    sqlite_autoincrement=True,
    comment="Sent to the origins of an account's own pages, encrypted with a key outside of the database.",
)

processes = Table(
    "processes",
    metadata,
    Column("name", text(64), primary_key=True),
    Column("kind", text(16), nullable=False),  # serve, worker
    Column("version", text(40), nullable=False),
    Column("host", text(255), nullable=False),
    Column("pid", Integer, nullable=False),
    Column("started_at_ms", BigInteger, nullable=False),
    Column("seen_at_ms", BigInteger, nullable=False),
    Column("has_browser", SmallInteger, nullable=False, server_default="0"),
    comment="Who works on this database, where several processes do.",
)

audits = Table(
    "audits",
    metadata,
    Column("id", ID, primary_key=True),
    Column("account_id", ForeignKey("accounts.id", ondelete="CASCADE"), nullable=False),
    Column("start_url", text(2048), nullable=False),
    Column("project", text(300), nullable=False),
    Column("settings", LargeBinary, nullable=False),  # of the next crawl, JSON
    Column("crawls", Integer, nullable=False),  # number of the newest
    Column("graded", Integer),  # number of the newest that was evaluated
    Column("created_at_ms", BigInteger, nullable=False),
    Column("updated_at_ms", BigInteger, nullable=False),
    Column("privacy", SmallInteger, nullable=False, server_default="1"),
    Column("password_hash", text(300)),
    Column("password_version", Integer, nullable=False, server_default="0"),
    Column("slug", text(22)),  # NULL: it was never shared
    sqlite_autoincrement=True,
    comment="Sites of accounts that are crawled and graded as a whole.",
)

crawls = Table(
    "crawls",
    metadata,
    Column("id", ID, primary_key=True),
    Column("account_id", ForeignKey("accounts.id", ondelete="CASCADE"), index=True),  # NULL: of the command line
    Column("number", Integer, nullable=False),
    Column("start_url", text(2048), nullable=False),
    Column("state", text(9), nullable=False),
    Column("settings", LargeBinary, nullable=False),
    Column("secret", LargeBinary(16), nullable=False),  # key of the hashes, so that no page can make two collide
    Column("epoch", Integer, nullable=False, server_default="0"),  # of who works on it; others write nothing
    Column("seeded", SmallInteger, nullable=False, server_default="0"),  # its sitemaps were read
    Column("urls", BigInteger, nullable=False, server_default="0"),  # rows of crawl_urls
    Column("fetched", BigInteger, nullable=False, server_default="0"),
    Column("segments", Integer, nullable=False, server_default="0"),
    Column("bytes", BigInteger, nullable=False, server_default="0"),  # read from the site
    Column("worked_ms", BigInteger, nullable=False, server_default="0"),
    Column("stop_reason", text(20)),
    Column("complete", SmallInteger, nullable=False, server_default="0"),
    Column("resume_at_ms", BigInteger),  # not before; of one that the site stopped
    Column("facts", LargeBinary),  # of the site, JSON
    Column("engine", text(40), nullable=False),
    Column("ruleset", text(40), nullable=False),
    Column("created_at_ms", BigInteger, nullable=False),
    Column("updated_at_ms", BigInteger, nullable=False),
    Column("finished_at_ms", BigInteger),
    Column("audit_id", BigInteger),  # NULL: of the command line
    Column("target", text(300)),  # registrable domain; workers are at one crawl of it at a time
    Column("lease_until_ms", BigInteger),  # NULL: no worker is at it
    Column("tries", Integer, nullable=False, server_default="0"),  # since something was stored
    Column("error", text(40)),  # code of the reason why it failed, or was not evaluated
    Column("rating", text(6)),
    Column("summary", LargeBinary),  # of its result, JSON
    Column("result", LargeBinary),  # JSON, compressed by zstd
    sqlite_autoincrement=True,
    comment="Passes over a site.",
)

crawl_hosts = Table(
    "crawl_hosts",
    metadata,
    Column("crawl_id", ForeignKey("crawls.id", ondelete="CASCADE"), primary_key=True),
    Column("host_no", SmallInteger, primary_key=True, autoincrement=False),
    Column("origin", text(300), nullable=False),
    Column("robots_status", SmallInteger),  # NULL: there was no answer
    Column("robots", LargeBinary),
    Column("robots_at_ms", BigInteger),  # NULL: it was not asked for
    Column("crawl_delay_ms", Integer, nullable=False, server_default="0"),
    Column("delay_ms", Integer, nullable=False, server_default="0"),
    Column("next_at_ms", BigInteger, nullable=False, server_default="0"),
    Column("pause_ms", Integer, nullable=False, server_default="0"),
    comment="Origins of a crawl, with their robots.txt and the distance that is kept between requests.",
)

crawl_urls = Table(
    "crawl_urls",
    metadata,
    Column("crawl_id", ForeignKey("crawls.id", ondelete="CASCADE"), primary_key=True),
    Column("url_id", BigInteger, primary_key=True, autoincrement=False),  # from 1, in order of discovery
    Column("hash", BigInteger, nullable=False),  # keyed, of the URL
    Column("host_no", SmallInteger, nullable=False),
    Column("pattern_no", Integer, nullable=False),
    Column("depth", SmallInteger, nullable=False),
    Column("lane", SmallInteger, nullable=False),
    Column("state", SmallInteger, nullable=False),
    Column("tries", SmallInteger, nullable=False, server_default="0"),
    Column("status", SmallInteger),
    Column("error", text(40)),  # code of the reason why there was no answer
    Column("digest", BigInteger),  # of its main content
    Column("url", text(2048), nullable=False),
    Column("segment", Integer),  # that holds what is kept of the page; NULL: nothing is
    comment="Every URL that a crawl knows.",
)

crawl_patterns = Table(
    "crawl_patterns",
    metadata,
    Column("crawl_id", ForeignKey("crawls.id", ondelete="CASCADE"), primary_key=True),
    Column("pattern_no", Integer, primary_key=True, autoincrement=False),
    Column("text", text(300), nullable=False),
    Column("found", BigInteger, nullable=False),
    Column("fetched", BigInteger, nullable=False),
    Column("distinct_pages", BigInteger, nullable=False),
    Column("lane", SmallInteger, nullable=False),
    comment="Shapes of the URLs of a crawl, and how much each of them brings.",
)

crawl_segments = Table(
    "crawl_segments",
    metadata,
    Column("crawl_id", ForeignKey("crawls.id", ondelete="CASCADE"), primary_key=True),
    Column("kind", text(8), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("body", LargeBinary, nullable=False),  # rows in MessagePack, compressed by zstd
    comment="What a crawl keeps of its pages, a batch of them in each row.",
)

# Every list filter has an index in every order it can be sorted in; devtools/bench_store.py shows that they are flat.
# Those of states and projects end with the rating, so that a second filter needs no look at the row.
for _filter in ((), ("project",), ("rating",), ("state",)):
    for _order in (
        ("id",),
        ("dated_at_ms", "id"),
        ("updated_at_ms", "id"),
        ("url", "id"),
        ("rating", "score", "id"),
        ("score", "id"),
    ):
        # The index of all in the order of results serves one result in the order of scores.
        if _order[0] not in _filter and (_filter, _order[0]) != (("rating",), "score"):
            _more = ("rating",) if _filter in {("project",), ("state",)} and "rating" not in _order else ()
            Index(
                "ix_reports_" + "_".join((*_filter, "by", _order[0])),
                *(reports.c[n] for n in ("account_id", *_filter, *_order, *_more)),
            )
# Of the filters that are not in those, each has one index: what it leaves is sorted when it is little.
Index("ix_reports_pending", reports.c.account_id, **where(reports.c.pending_run.is_not(None)))
Index("ix_reports_by_privacy", reports.c.account_id, reports.c.privacy, reports.c.id)
# The last four only to be looked at without the row: a claim passes over every run it may not take yet.
_claimed_by = ("state", "account_id", "priority", "id", "attempt", "leader_id", "available_at_ms", "target")
Index("ix_runs_queue", *(runs.c[name] for name in _claimed_by))
Index("ix_runs_same", runs.c.account_id, runs.c.url, runs.c.state)
Index("ix_runs_leader", runs.c.leader_id)
Index("ix_runs_finished", runs.c.account_id, runs.c.finished_at_ms)
# Runs of a report that compare, by time: the score of a week ago.
Index("ix_runs_comparable", runs.c.report_id, runs.c.device, runs.c.ruleset, runs.c.finished_at_ms)
# What only a queue that is shared looks for: runs that no job stands for, and those that must be run alone.
_queued = runs.c.state == "queued"
_standing = _queued & (runs.c.offered == 0) & runs.c.leader_id.is_(None)
_line = (runs.c.target, runs.c.device, runs.c.priority, runs.c.turn, runs.c.id)
Index("ix_runs_parked", runs.c.available_at_ms, postgresql_where=_standing).ddl_if("postgresql")
Index("ix_runs_line", *_line, postgresql_where=_standing).ddl_if("postgresql")
Index("ix_runs_suspects", runs.c.id, postgresql_where=_queued & (runs.c.attempt >= MAX_ATTEMPTS - 1)).ddl_if(
    "postgresql"
)
_share = (runs.c.share, runs.c.account_id, runs.c.priority, runs.c.device, runs.c.turn, runs.c.id)
_admitted = _queued & (runs.c.offered == 1) & (runs.c.share > 0) & runs.c.leader_id.is_(None)
Index("ix_runs_shares", *_share, postgresql_where=_admitted).ddl_if("postgresql")
Index("ix_runs_places", runs.c.target, runs.c.available_at_ms, postgresql_where=_queued).ddl_if("postgresql")
# Not with the count itself, which changes all the time.
Index(
    "ix_report_counts_unfinished",
    report_counts.c.account_id,
    postgresql_where=(report_counts.c.project == "") & report_counts.c.state.in_(("queued", "running")),
).ddl_if("postgresql")
# The only thing that a process asks while nothing is to be delivered.
Index("ix_webhooks_due", webhooks.c.due_at_ms)
Index("ix_crawl_urls_hash", crawl_urls.c.crawl_id, crawl_urls.c.hash, unique=True)
Index("ix_actions_account_id", actions.c.account_id, actions.c.id)
Index("ix_audits_account_id", audits.c.account_id, audits.c.id)
Index("ix_audits_slug", audits.c.slug, unique=True)
Index("ix_crawls_audit_id", crawls.c.audit_id, crawls.c.number)
# Which crawls workers may have to go on with, those first that waited for longest.
Index("ix_crawls_open", crawls.c.updated_at_ms, **where(crawls.c.finished_at_ms.is_(None)))
# What a crawl fetches next: those that wait, the lane of ordinary pages first, near ones before far ones.
Index(
    "ix_crawl_urls_waiting",
    *(crawl_urls.c[name] for name in ("crawl_id", "lane", "depth", "url_id")),
    **where(crawl_urls.c.state == 0),
)
# Whether a pattern of URLs has brought a content before.
Index(
    "ix_crawl_urls_content",
    *(crawl_urls.c[name] for name in ("crawl_id", "pattern_no", "digest")),
    **where(crawl_urls.c.digest.is_not(None)),
)
