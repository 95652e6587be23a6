"""Who calls: accounts and their API keys."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

SCOPES: Final = ("reports:read", "reports:write", "account:read")
"""What a key may be allowed to do."""


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
    """From then on none of its keys works, and nobody can sign in."""
    is_admin: bool = False
    """May see and change the accounts of the installation, on its pages."""
    has_password: bool = False
    """Whether its owner can sign in with e-mail address and password."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """An API key, without its secret."""

    id: int
    account_id: int
    name: str
    prefix: str
    """First characters of the secret, to recognise it by."""
    scopes: tuple[str, ...]
    """Some of ``SCOPES``."""
    created_at_ms: int
    expires_at_ms: int | None = None
    revoked_at_ms: int | None = None
    last_used_at_ms: int | None = None
    """To the minute."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """A browser that somebody has signed in with, without its token."""

    id: int
    account_id: int
    agent: str
    """What the browser said it is, shortened, to recognise it by."""
    created_at_ms: int
    rotated_at_ms: int
    """When its token was last replaced."""
    seen_at_ms: int
    """When it was last used, give or take some minutes."""
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
        """Who is counted, where requests and analyses are: each key for itself, a person as their account."""
        return f"account {self.account.id}" if self.key is None else str(self.key.id)

    @property
    def api_key(self) -> Key:
        """The key, where nobody gets without one."""
        if self.key is None:
            raise RuntimeError("nobody called with a key")
        return self.key
