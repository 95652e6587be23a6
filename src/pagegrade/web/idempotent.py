"""Requests that are done once however often they are sent, because they carry an Idempotency-Key.

Source: https://datatracker.ietf.org/doc/html/draft-ietf-httpapi-idempotency-key-header
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import hmac
import re
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

import msgspec
from pydantic import BaseModel

from pagegrade.model.account import Caller
from pagegrade.model.errors import IdempotencyInProgress, IdempotencyKeyReused, Unavailable
from pagegrade.service.reports import Stored
from pagegrade.store.database import Transaction
from pagegrade.store.idempotency import Replay, begin_answer, name_answerer, save_answer, set_report
from pagegrade.web.call import Call
from pagegrade.web.operations import Answer
from pagegrade.web.problems import bad_request

RETRY_AFTER_S: Final = 2
MAX_PATH_CHARACTERS: Final = 200
_KEY: Final = re.compile(r"[!-~]{1,255}")
REPLAYED: Final = ("Idempotency-Replayed", "true")
Make = Callable[[Transaction, Caller], Stored]
Again = Callable[[Transaction, Caller, int], Stored]


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
    call: Call, fields: BaseModel, *, make: Make, again: Again, tell: Callable[[Stored], Awaitable[Answer]]
) -> Answer:
    """Do what is asked, or give the answer that it got the first time.

    Args:
        call: The request.
        fields: All of the body that decides what is done.
        make: Does it, in one transaction.
        again: Finds what was made by a process that ended before it could answer.
        tell: Makes the answer; may take as long as an analysis.

    Raises:
        IdempotencyInProgress: The same request is being answered.
        IdempotencyKeyReused: The key came with another body before.
        Rejected: The key cannot be one.
    """
    key = idempotency_key(call)
    if key is None:
        return await tell(await _write(call, make))
    here: dict[str, Any] = {
        "key_id": call.admitted.api_key.id,
        "method": call.method,
        "path": call.path[:MAX_PATH_CHARACTERS],
        "idempotency_key": key,
    }
    fingerprint = _fingerprint(call, fields)

    services = call.services
    answerer = name_answerer(services.process)

    def work(tx: Transaction, caller: Caller) -> _Done | Replay:
        # What this process is answering right now is known in memory. So where it left a row without an answer it is
        # not: the answer could not be stored, or nobody waited for it any more.
        begun = begin_answer(
            tx,
            **here,
            request_sha256=fingerprint,
            answerer=answerer,
            silent_ms=int(services.options.lease_s * 1000),
            now_ms=call.now_ms,
        )
        if isinstance(begun, Replay):
            return begun
        if begun.report_id is not None:
            return _Done(again(tx, caller, begun.report_id), is_new=False)
        made = make(tx, caller)
        set_report(tx, **here, report_id=made.report.id)
        return _Done(made, is_new=True)

    with _alone(call, tuple(here.values()), fingerprint):
        # Before anything is begun, because what is counted must not wait for a transaction; ``make`` looks at it.
        await call.count_analysis()
        try:
            done = await _write(call, work)
        except (Unavailable, asyncio.CancelledError):
            services.unanswered.give_up(here, answerer, begun=False)
            raise
        if isinstance(done, Replay):
            await call.forget_analysis()
            return Answer(status=done.status, body=done.body, headers=(*done.headers.items(), REPLAYED))
        try:
            if not done.is_new:
                await call.forget_analysis()
            answer = await tell(done.stored)
            await call.write(
                lambda tx, _caller: save_answer(
                    tx,
                    **here,
                    answerer=answerer,
                    status=answer.status,
                    headers=dict(answer.headers),
                    body=answer.body,
                )
            )
        except BaseException:
            services.unanswered.give_up(here, answerer, begun=True)
            raise
        return answer


@dataclass(frozen=True, slots=True)
class _Done:
    """What was asked for is stored."""

    stored: Stored
    is_new: bool
    """Whether it was done now, and not by somebody who did not get to answer."""


async def _write(call: Call, work: Callable[[Transaction, Caller], Any]) -> Any:
    try:
        return await call.write(work)
    except Exception:
        await call.forget_analysis()
        raise


@contextlib.contextmanager
def _alone(call: Call, here: tuple[Any, ...], fingerprint: bytes) -> Iterator[None]:
    """Let nobody else answer the same request meanwhile."""
    other = call.answering.get(here)
    if other is not None:
        if not hmac.compare_digest(other, fingerprint):
            raise IdempotencyKeyReused
        raise IdempotencyInProgress(retry_after_s=RETRY_AFTER_S)
    call.answering[here] = fingerprint
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
