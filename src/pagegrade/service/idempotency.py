"""Requests with an Idempotency-Key: each is executed once, however often it is sent.

Source: https://datatracker.ietf.org/doc/html/draft-ietf-httpapi-idempotency-key-header
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

import msgspec

from pagegrade.model.account import Caller, IdempotentRequest
from pagegrade.model.errors import NotFound, ReportDeleted
from pagegrade.service.unit_of_work import LoadByID, UseCase
from pagegrade.store.engine.database import Transaction
from pagegrade.store.repositories.idempotency import add_request, find_request

T = TypeVar("T")


class Executed(msgspec.Struct, Generic[T], frozen=True):
    """The result of a request that is stored."""

    result: T
    is_new: bool
    """True: this request was executed now, and not an earlier one with the same key."""


def execute_once(
    tx: Transaction,
    caller: Caller,
    request: IdempotentRequest,
    now_ms: int,
    *,
    check: Callable[[], None],
    create: UseCase[T],
    resource_id: Callable[[T], int],
    load_existing: LoadByID[T],
) -> Executed[T]:
    """Execute a request, or return what it created before as that is now.

    Args:
        request: What identifies it.
        check: Raises where a new request must not be executed.
        resource_id: Returns the id that is recorded with the request.
        load_existing: Loads what a request created before, by its id.

    Raises:
        IdempotencyKeyReused: The key came with another body before.
        ReportDeleted: The request was executed before, and what it created no longer exists.
    """
    number = find_request(tx, request, now_ms)
    if number is not None:
        try:
            return Executed(load_existing(tx, caller, number), is_new=False)
        except NotFound:
            raise ReportDeleted from None
    check()
    created = create(tx, caller)
    add_request(tx, request, resource_id(created), now_ms)
    return Executed(created, is_new=True)


def is_executed(tx: Transaction, _caller: Caller, request: IdempotentRequest, now_ms: int) -> bool:
    """Return true if the request was executed before.

    Raises:
        IdempotencyKeyReused: The key came with another body before.
    """
    return find_request(tx, request, now_ms) is not None
