"""Typed Python client of the API (extra ``pagegrade[client]``).

    >>> from pagegrade.client import Client
    >>> with Client("https://reports.example.org", "pgk_...") as client:  # doctest: +SKIP
    ...     report = client.create_report("https://example.com/", wait_s=50)
    ...     print(report["score"])

It connects to a service that runs elsewhere; ``pagegrade.analyze`` analyzes a page without one.
"""

from __future__ import annotations

try:
    from pagegrade.client.client import AsyncClient, Client
except ModuleNotFoundError as error:
    if error.name != "httpx2":
        raise
    raise ModuleNotFoundError("The client needs an extra: pip install 'pagegrade[client]'", name=error.name) from None
from pagegrade.client.calls import (
    APIError,
    BadRequest,
    ClientError,
    Conflict,
    ConnectionFailed,
    Gone,
    InsufficientScope,
    NotFound,
    PreconditionFailed,
    RateLimited,
    ServerError,
    StillRunning,
    Unauthenticated,
    Unavailable,
    UnexpectedAnswer,
    ValidationFailed,
)
from pagegrade.client.types import UNSET

__all__ = [
    "UNSET",
    "APIError",
    "AsyncClient",
    "BadRequest",
    "Client",
    "ClientError",
    "Conflict",
    "ConnectionFailed",
    "Gone",
    "InsufficientScope",
    "NotFound",
    "PreconditionFailed",
    "RateLimited",
    "ServerError",
    "StillRunning",
    "Unauthenticated",
    "Unavailable",
    "UnexpectedAnswer",
    "ValidationFailed",
]
