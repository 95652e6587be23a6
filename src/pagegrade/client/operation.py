"""The request of an operation of the API, without its values."""

from __future__ import annotations

import msgspec


class Operation(msgspec.Struct, frozen=True, kw_only=True):
    """The request of an operation of the API, without its values."""

    method: str
    path: str
    """From the root, with ``{name}`` for a segment."""
    body: str = ""
    """Media type of the body; empty: there is none."""
    idempotent: bool = False
    """It takes an Idempotency-Key, so that it can be sent again when its answer was lost."""
