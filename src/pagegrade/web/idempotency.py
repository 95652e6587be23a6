"""Requests that are done once however often they are sent, because they carry an Idempotency-Key.

Source: https://datatracker.ietf.org/doc/html/draft-ietf-httpapi-idempotency-key-header
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import re
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Final, Generic, TypeVar

import msgspec
from pydantic import BaseModel

from pagegrade.model.account import Caller
from pagegrade.model.errors import IdempotencyInProgress, IdempotencyKeyReused, NotFound, ReportDeleted
from pagegrade.store.engine.database import Transaction
from pagegrade.store.repositories.idempotency import IdempotentRequest, add_request, find_request
from pagegrade.web.context import Call
from pagegrade.web.operations import Answer
from pagegrade.web.problems import bad_request

RETRY_AFTER_S: Final = 2
MAX_PATH_CHARACTERS: Final = 200
_KEY: Final = re.compile(r"[!-~]{1,255}")
REPLAYED: Final = ("Idempotency-Replayed", "true")
T = TypeVar("T")


def idempotency_key(call: Call) -> str | None:
    """The key of the request; ``None`` when it has none.

    Raises:
        Rejected: It is empty, too long, or has characters that are not visible ASCII.
    """
    key = call.header(b"idempotency-key")
    if key is not None and not _KEY.fullmatch(key):
        raise bad_request("An Idempotency-Key has 1 to 255 visible ASCII characters.")
    return key


async def do_once(
    call: Call,
    fields: BaseModel,
    *,
    make: Callable[[Transaction, Caller], T],
    resource_id: Callable[[T], int],
    again: Callable[[Transaction, Caller, int], T],
    tell: Callable[[T], Awaitable[Answer]],
) -> Answer:
    """Do what is asked, or where it was done before, answer with the resource as it is now.

    Args:
        call: The request.
        fields: All of the body that decides what is done.
        make: Does it, in one transaction.
        resource_id: The number of what was made or changed; the only thing of it that is stored with the request.
        again: Finds what a request made or changed that was done before.
        tell: Makes the answer; may take as long as an analysis.

    Raises:
        IdempotencyInProgress: The same request is just being done.
        IdempotencyKeyReused: The key came with another body before.
        Rejected: The key is malformed.
        ReportDeleted: The request was done before, and what it made is gone.
    """
    key = idempotency_key(call)
    if key is None:
        return await tell(await _write(call, make))
    request = _request(call, fields, key)

    def work(tx: Transaction, caller: Caller) -> _Done[T]:
        number = find_request(tx, request, call.now_ms)
        if number is not None:
            return _Done(_found(tx, caller, number, again), is_new=False)
        made = make(tx, caller)
        add_request(tx, request, resource_id(made), call.now_ms)
        return _Done(made, is_new=True)

    with _alone(call, request):
        # Before anything is begun, because what is counted must not wait for a transaction; ``make`` looks at it.
        await call.count_analysis()
        done: _Done[T] = await _write(call, work)
    if done.is_new:
        return await tell(done.stored)
    await call.forget_analysis()
    try:
        answer = await tell(done.stored)
    except NotFound:
        # Deleted while its analysis was waited for.
        raise ReportDeleted from None
    return replace(answer, headers=(*answer.headers, REPLAYED))


async def refuse_done(call: Call, fields: BaseModel) -> None:
    """Refuse a request whose report is not there, where the request was done before.

    Raises:
        IdempotencyKeyReused: The key came with another body before.
        ReportDeleted: The request was done before.
    """
    key = idempotency_key(call)
    if key is None:
        return
    request = _request(call, fields, key)
    if await call.write(lambda tx, _caller: find_request(tx, request, call.now_ms)) is not None:
        raise ReportDeleted


async def is_done(call: Call, fields: BaseModel) -> bool:
    """Whether the request was done before; ``do_once`` answers it then without doing anything.

    Raises:
        IdempotencyKeyReused: The key came with another body before.
        Rejected: The key is malformed.
    """
    key = idempotency_key(call)
    if key is None:
        return False
    request = _request(call, fields, key)
    return await call.write(lambda tx, _caller: find_request(tx, request, call.now_ms)) is not None


def _request(call: Call, fields: BaseModel, key: str) -> IdempotentRequest:
    return IdempotentRequest(
        key_id=call.admitted.api_key.id,
        method=call.method,
        path=call.path.removesuffix("/")[:MAX_PATH_CHARACTERS],
        idempotency_key=key,
        request_sha256=_fingerprint(call, fields),
    )


@dataclass(frozen=True, slots=True)
class _Done(Generic[T]):
    """What was asked for is stored."""

    stored: T
    is_new: bool
    """Whether this request did it, and not an earlier one."""


def _found(tx: Transaction, caller: Caller, number: int, again: Callable[[Transaction, Caller, int], T]) -> T:
    try:
        return again(tx, caller, number)
    except NotFound:
        raise ReportDeleted from None


async def _write(call: Call, work: Callable[[Transaction, Caller], Any]) -> Any:
    try:
        return await call.write(work)
    except Exception:
        await call.forget_analysis()
        raise


@contextlib.contextmanager
def _alone(call: Call, request: IdempotentRequest) -> Iterator[None]:
    """Let no other request with this key be done at the same time in this process; others wait for the database."""
    here = (request.key_id, request.method, request.path, request.idempotency_key)
    other = call.answering.get(here)
    if other is not None:
        if not hmac.compare_digest(other, request.request_sha256):
            raise IdempotencyKeyReused
        raise IdempotencyInProgress(retry_after_s=RETRY_AFTER_S)
    call.answering[here] = request.request_sha256
    try:
        yield
    finally:
        del call.answering[here]


def _fingerprint(call: Call, fields: BaseModel) -> bytes:
    """32 bytes that tell this request from others, whatever way its fields were encoded.

    Keyed with the secret of the API key, which is stored nowhere: a plain hash would let whoever has the database guess
    the password in it.
    """
    said = msgspec.json.encode(sorted(vars(fields).items()))
    return hmac.digest(call.secret.encode(), said, hashlib.sha256)
