"""Product name, version and User-Agent, and how an installation recognizes its own responses."""

from __future__ import annotations

import hashlib
import hmac
from typing import Final

VERSION: Final = "0.1.0"
"""The engine's version; ``pyproject.toml`` reads it from here."""
PROJECT_URL: Final = "https://github.com/pagegrade/pagegrade"
PRODUCT: Final = "Pagegrade/"
"""Beginning of the User-Agent of every version."""
_MARK_BYTES: Final = 8
RELEASED_MS: Final = 1_795_737_600_000
"""2026-11-27T00:00Z: a correct clock never shows an earlier time to this version."""


def user_agent_of(about: str) -> str:
    """Return the User-Agent that names a page about who sends it."""
    return f"{PRODUCT}{VERSION} (+{about})"


USER_AGENT: Final = user_agent_of(PROJECT_URL)
"""That of the command line and the library, and of a service that has no public address."""


def mark_request_id(request_id: str, key: bytes) -> str:
    """Return a request id by which the installation with this key recognizes its own response."""
    return f"{request_id}.{_mark(request_id, key)}"


def is_own_request_id(request_id: str, key: bytes) -> bool:
    """Return whether ``mark_request_id`` made it with this key; never with an empty one."""
    name, separator, mark = request_id.rpartition(".")
    return bool(key and separator) and hmac.compare_digest(mark.encode("utf-8", "replace"), _mark(name, key).encode())


def _mark(request_id: str, key: bytes) -> str:
    return hashlib.blake2b(request_id.encode("utf-8", "replace"), key=key, digest_size=_MARK_BYTES).hexdigest()
