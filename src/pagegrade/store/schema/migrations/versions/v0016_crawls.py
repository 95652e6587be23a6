"""Crawls of sites.

Revision ID: 0016
Revises: 0015
"""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa
from alembic import op

revision: Final = "0016"
down_revision: Final = "0015"


def upgrade() -> None:
    """Five tables that the code before does without."""
    number = sa.BigInteger().with_variant(sa.Integer(), "sqlite")

    def text(characters: int) -> sa.String:
        return sa.String(characters).with_variant(sa.String(characters, collation="C"), "postgresql")

    def counter(name: str, kind: type[sa.Integer] = sa.BigInteger) -> sa.Column[int]:
        return sa.Column(name, kind(), nullable=False, server_default="0")

    def of_crawl(table: str) -> tuple[sa.Column[int], sa.ForeignKeyConstraint]:
        name = f"fk_{table}_crawl_id_crawls"
        return (
            sa.Column("crawl_id", number, nullable=False),
            sa.ForeignKeyConstraint(["crawl_id"], ["crawls.id"], name=name, ondelete="CASCADE"),
        )

    op.create_table(
        "crawls",
        sa.Column("id", number, nullable=False),
        sa.Column("account_id", number),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("start_url", text(2048), nullable=False),
        sa.Column("state", text(9), nullable=False),
        sa.Column("settings", sa.LargeBinary(), nullable=False),
        sa.Column("secret", sa.LargeBinary(16), nullable=False),
        counter("epoch", sa.Integer),
        counter("seeded", sa.SmallInteger),
        counter("urls"),
        counter("fetched"),
        counter("segments", sa.Integer),
        counter("bytes"),
        counter("worked_ms"),
        sa.Column("stop_reason", text(20)),
        counter("complete", sa.SmallInteger),
        sa.Column("resume_at_ms", sa.BigInteger()),
        sa.Column("facts", sa.LargeBinary()),
        sa.Column("engine", text(40), nullable=False),
        sa.Column("ruleset", text(40), nullable=False),
        sa.Column("created_at_ms", sa.BigInteger(), nullable=False),
        sa.Column("updated_at_ms", sa.BigInteger(), nullable=False),
        sa.Column("finished_at_ms", sa.BigInteger()),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.id"], name="fk_crawls_account_id_accounts", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_crawls"),
        sqlite_autoincrement=True,
        comment="Passes over a site.",
    )
    op.create_index("ix_crawls_account_id", "crawls", ["account_id"])
    op.create_table(
        "crawl_hosts",
        *of_crawl("crawl_hosts"),
        sa.Column("host_no", sa.SmallInteger(), nullable=False, autoincrement=False),
        sa.Column("origin", text(300), nullable=False),
        sa.Column("robots_status", sa.SmallInteger()),
        sa.Column("robots", sa.LargeBinary()),
        sa.Column("robots_at_ms", sa.BigInteger()),
        counter("crawl_delay_ms", sa.Integer),
        counter("delay_ms", sa.Integer),
        counter("next_at_ms"),
        counter("pause_ms", sa.Integer),
        sa.PrimaryKeyConstraint("crawl_id", "host_no", name="pk_crawl_hosts"),
        comment="Origins of a crawl, with their robots.txt and the distance that is kept between requests.",
    )
    op.create_table(
        "crawl_urls",
        *of_crawl("crawl_urls"),
        sa.Column("url_id", sa.BigInteger(), nullable=False, autoincrement=False),
        sa.Column("hash", sa.BigInteger(), nullable=False),
        sa.Column("host_no", sa.SmallInteger(), nullable=False),
        sa.Column("pattern_no", sa.Integer(), nullable=False),
        sa.Column("depth", sa.SmallInteger(), nullable=False),
        sa.Column("lane", sa.SmallInteger(), nullable=False),
        sa.Column("state", sa.SmallInteger(), nullable=False),
        counter("tries", sa.SmallInteger),
        sa.Column("status", sa.SmallInteger()),
        sa.Column("error", text(40)),
        sa.Column("digest", sa.BigInteger()),
        sa.Column("url", text(2048), nullable=False),
        sa.PrimaryKeyConstraint("crawl_id", "url_id", name="pk_crawl_urls"),
        comment="Every URL that a crawl knows.",
    )
    op.create_index("ix_crawl_urls_hash", "crawl_urls", ["crawl_id", "hash"], unique=True)
    waiting, fetched = sa.text("state = 0"), sa.text("digest IS NOT NULL")
    columns = ["crawl_id", "lane", "depth", "url_id"]
    op.create_index("ix_crawl_urls_waiting", "crawl_urls", columns, sqlite_where=waiting, postgresql_where=waiting)
    columns = ["crawl_id", "pattern_no", "digest"]
    op.create_index("ix_crawl_urls_content", "crawl_urls", columns, sqlite_where=fetched, postgresql_where=fetched)
    op.create_table(
        "crawl_patterns",
        *of_crawl("crawl_patterns"),
        sa.Column("pattern_no", sa.Integer(), nullable=False, autoincrement=False),
        sa.Column("text", text(300), nullable=False),
        sa.Column("found", sa.BigInteger(), nullable=False),
        sa.Column("fetched", sa.BigInteger(), nullable=False),
        sa.Column("distinct_pages", sa.BigInteger(), nullable=False),
        sa.Column("lane", sa.SmallInteger(), nullable=False),
        sa.PrimaryKeyConstraint("crawl_id", "pattern_no", name="pk_crawl_patterns"),
        comment="Shapes of the URLs of a crawl, and how much each of them brings.",
    )
    op.create_table(
        "crawl_segments",
        *of_crawl("crawl_segments"),
        sa.Column("kind", text(8), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False, autoincrement=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("crawl_id", "kind", "number", name="pk_crawl_segments"),
        comment="What a crawl keeps of its pages, a batch of them in each row.",
    )
