"""Tables of who uses an account, and of what they did, which ``store.schema.tables`` belongs to as well."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, ForeignKey, Index, Integer, LargeBinary, SmallInteger, Table
from sqlalchemy import text as sql

from pagegrade.store.schema.columns import ID, METADATA, text

sessions = Table(
    "sessions",
    METADATA,
    Column("id", ID, primary_key=True),
    Column("account_id", ForeignKey("accounts.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("token_sha256", LargeBinary(32), nullable=False, unique=True),
    Column("previous_sha256", LargeBinary(32), index=True),  # good for a little while after the token was replaced
    Column("agent", text(200), nullable=False),
    Column("created_at_ms", BigInteger, nullable=False),
    Column("rotated_at_ms", BigInteger, nullable=False),
    Column("seen_at_ms", BigInteger, nullable=False),
    Column("expires_at_ms", BigInteger, nullable=False, index=True),
    Column("by_link", SmallInteger, nullable=False, server_default="0"),
    Column("workspace_id", BigInteger),  # that is open, while it has the person as a member; NULL: their own
    sqlite_autoincrement=True,
    comment="Browsers that people have signed in with.",
)

brands = Table(
    "brands",
    METADATA,
    Column("account_id", ForeignKey("accounts.id", ondelete="CASCADE"), primary_key=True),
    Column("name", text(60), nullable=False),
    Column("color", text(7), nullable=False),
    Column("footer", text(300), nullable=False),
    Column("reply_to", text(320), nullable=False),
    Column("credit", SmallInteger, nullable=False),
    Column("logo", LargeBinary, nullable=False),  # PNG; empty: none
    Column("logo_key", text(32), nullable=False, index=True),  # of its address; empty: none
    Column("left_out", text(100), nullable=False, server_default=sql("''")),  # sections of PDFs, separated by blanks
    comment="Look of what accounts show to others.",
)

memberships = Table(
    "memberships",
    METADATA,
    Column("account_id", ForeignKey("accounts.id", ondelete="CASCADE"), primary_key=True),
    Column("person_id", ForeignKey("accounts.id", ondelete="CASCADE"), primary_key=True, index=True),
    Column("role", SmallInteger, nullable=False),  # model.account.Role
    Column("joined_at_ms", BigInteger, nullable=False),
    comment="Who works in an account besides its own person, by the account that each of them signs in to.",
)

invitations = Table(
    "invitations",
    METADATA,
    Column("id", ID, primary_key=True),
    Column("account_id", ForeignKey("accounts.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("token_sha256", LargeBinary(32), nullable=False, unique=True),
    Column("role", SmallInteger, nullable=False),
    Column("label", text(200), nullable=False),  # whom it is for, as the inviting person called them
    Column("created_at_ms", BigInteger, nullable=False),
    Column("expires_at_ms", BigInteger, nullable=False, index=True),
    sqlite_autoincrement=True,
    comment="Links that make a person a member once.",
)

sign_in_links = Table(
    "sign_in_links",
    METADATA,
    Column("token_sha256", LargeBinary(32), primary_key=True),
    Column("account_id", ForeignKey("accounts.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("created_at_ms", BigInteger, nullable=False),
    Column("expires_at_ms", BigInteger, nullable=False, index=True),
    Column("used_at_ms", BigInteger),
    comment="Links that sign in once.",
)

identities = Table(
    "identities",
    METADATA,
    Column("issuer", text(255), primary_key=True),
    Column("subject", text(255), primary_key=True),
    Column("account_id", ForeignKey("accounts.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("email", text(320), nullable=False),  # as the provider named it last; empty: it named none
    Column("linked_at_ms", BigInteger, nullable=False),
    comment="People as an identity provider knows them, by the account that each of them signs in to.",
)

passkeys = Table(
    "passkeys",
    METADATA,
    Column("id", ID, primary_key=True),
    Column("account_id", ForeignKey("accounts.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("credential_id", LargeBinary(1023), nullable=False, unique=True),
    Column("credential", LargeBinary, nullable=False),  # attested credential data (WebAuthn section 6.5.1)
    Column("name", text(60), nullable=False),
    Column("sign_count", BigInteger, nullable=False),
    Column("challenged_at_ms", BigInteger, nullable=False),  # of the last challenge that it has answered
    Column("created_at_ms", BigInteger, nullable=False),
    Column("used_at_ms", BigInteger),
    sqlite_autoincrement=True,
    comment="Passkeys of people, by the account that each of them signs in to.",
)

site_tags = Table(
    "site_tags",
    METADATA,
    Column("account_id", ForeignKey("accounts.id", ondelete="CASCADE"), primary_key=True),
    Column("project", text(300), primary_key=True),
    Column("tag", text(40), primary_key=True),
    Index("ix_site_tags_tag", "account_id", "tag"),
    comment="Words by which accounts group their sites.",
)

account_usage = Table(
    "account_usage",
    METADATA,
    Column("account_id", ForeignKey("accounts.id", ondelete="CASCADE"), primary_key=True),
    Column("month", Integer, primary_key=True, autoincrement=False),  # in UTC, such as 202611
    Column("analyses", BigInteger, nullable=False, server_default="0"),  # that were asked for
    Column("browser_ms", BigInteger, nullable=False, server_default="0"),  # of analyses in a browser
    Column("audit_pages", BigInteger, nullable=False, server_default="0"),  # that crawls of audits fetched
    Column("warned", LargeBinary),  # JSON: name of a quota -> per cent of it that the account was told of; NULL: none
    comment="What accounts used in each month.",
)

actions = Table(
    "actions",
    METADATA,
    Column("id", ID, primary_key=True),
    Column("account_id", ForeignKey("accounts.id", ondelete="CASCADE"), nullable=False),
    Column("at_ms", BigInteger, nullable=False, index=True),
    Column("person_id", ForeignKey("accounts.id", ondelete="SET NULL"), index=True),  # NULL with a key, or once erased
    Column("key_id", ForeignKey("api_keys.id", ondelete="SET NULL"), index=True),
    Column("is_key", SmallInteger, nullable=False),
    Column("operation", text(64), nullable=False),  # name of the operation that was requested
    Column("target", BigInteger),  # id of what it changed
    sqlite_autoincrement=True,
    comment="What people and keys changed in an account.",
)
