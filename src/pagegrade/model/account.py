"""Accounts, their API keys and sessions, and the callers that use them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

AUDITS_READ: Final = "audits:read"
AUDITS_WRITE: Final = "audits:write"
DEFAULT_SCOPES: Final = (
    *("reports:read", "reports:write", "account:read", "ignores", "monitors", "webhooks"),
    *(AUDITS_READ, AUDITS_WRITE),
)
"""Permissions of a key that is made without naming any; ``ignores`` changes rules, which ``reports:read`` shows."""
KEYS: Final = "keys"
"""Permission to show, make and revoke keys; a key has it only if it was asked for."""
ACCESS: Final = "access"
"""Permission to show and change access profiles, but not their secrets; likewise."""
SCOPES: Final = (*DEFAULT_SCOPES, ACCESS, KEYS)
"""Permissions that a key can have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """One customer of this installation; owns keys and reports."""

    id: int
    name: str
    email: str
    locale: str = "en"
    timezone: str = "UTC"
    default_privacy: int | None = None
    """``None``: as the installation is set."""
    created_at_ms: int
    """Milliseconds since 1970-01-01T00:00Z, as every ``_at_ms``."""
    disabled_at_ms: int | None = None
    """From then on none of its keys works, and its owner cannot sign in."""
    is_admin: bool = False
    """May see and change the accounts of the installation, on its pages."""
    has_password: bool = False
    """Its owner can sign in with e-mail address and password."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """An API key, without its secret."""

    id: int
    account_id: int
    name: str
    prefix: str
    """First characters of the secret, to recognize it by."""
    scopes: tuple[str, ...]
    """Some of ``SCOPES``."""
    project: str | None = None
    """The only project whose reports the key can use; ``None``: all."""
    created_at_ms: int
    expires_at_ms: int | None = None
    revoked_at_ms: int | None = None
    last_used_at_ms: int | None = None
    """To the minute."""
    made_by: int | None = None
    """Id of the key that made it through the API, and is revoked together with it; ``None``: a person made it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """A browser session, without its token."""

    id: int
    account_id: int
    agent: str
    """The browser's User-Agent, shortened, for display."""
    created_at_ms: int
    rotated_at_ms: int
    """Time of the last replacement of its token."""
    seen_at_ms: int
    """Time of the last use, accurate to some minutes."""
    expires_at_ms: int
    """However much it is used."""
    by_link: bool = False
    """It began with a link that signs in once, and not with a password."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """An account that has shown a valid key, or whose owner has signed in."""

    account: Account
    key: Key | None = None
    """``None``: a person, with a session."""
    session: Session | None = None
    traceparent: str | None = None
    """W3C trace context of the request, for what it sets in motion; ``None``: it is not traced."""

    @property
    def identity(self) -> str:
        """Identity for rate limits: each key for itself, a signed-in person as their account."""
        return f"account {self.account.id}" if self.key is None else str(self.key.id)

    @property
    def project(self) -> str | None:
        """The only project that the caller can use; ``None``: all."""
        return None if self.key is None else self.key.project

    def may_use(self, project: str) -> bool:
        """Return whether the caller can use reports of a project of the account."""
        return self.project in {None, project}

    @property
    def api_key(self) -> Key:
        """The key of a caller that must have one."""
        if self.key is None:
            raise RuntimeError("the caller has no key")
        return self.key


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Reports and runs of an account, now and ever."""

    reports: int
    projects: int
    """Different hosts among the reports."""
    queued_runs: int
    """Runs that are not finished, those under way included."""
    analyses_today: int
    """Runs finished since midnight UTC."""
    analyses_total: int
    stored_bytes: int
    """Runs ever finished, also those of reports since deleted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """An account as an administrator sees it."""

    account: Account
    reports: int
    analyses_total: int
    stored_bytes: int
    keys: int
    """That were not revoked."""
    seen_at_ms: int | None
    """When its owner was last here, or one of its keys was used; ``None``: as far as is known, never."""
