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
    """From then on none of its keys works."""


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
class Caller:
    """An account that has shown a valid key."""

    account: Account
    key: Key
