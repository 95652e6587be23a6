"""Requests that are done once however often they are sent, because they carry an Idempotency-Key.

Source: https://datatracker.ietf.org/doc/html/draft-ietf-httpapi-idempotency-key-header
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import re
import secrets
from collections.abc import Awaitable, Callable, Iterator
from typing import Any, Final

import msgspec
from pydantic import BaseModel

from pagegrade.model.account import Caller
from pagegrade.model.errors import IdempotencyInProgress, IdempotencyKeyReused
from pagegrade.service.reports import Stored
from pagegrade.store.database import Transaction
from pagegrade.store.idempotency import Replay, begin_answer, save_answer, set_report
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

    def work(tx: Transaction, caller: Caller) -> Stored | Replay:
        # What is being answered right now is known in memory, so whoever left a row without an answer is not: the
        # process ended, or the answer could not be stored. A name of its own makes this request take it over.
        begun = begin_answer(tx, **here, request_sha256=fingerprint, process=secrets.token_hex(8), now_ms=call.now_ms)
        if isinstance(begun, Replay):
            return begun
        if begun.report_id is not None:
            return again(tx, caller, begun.report_id)
        made = make(tx, caller)
        set_report(tx, **here, report_id=made.report.id)
        return made

    with _alone(call, tuple(here.values()), fingerprint):
        made = await _write(call, work)
        if isinstance(made, Replay):
            call.forget_analysis()
            return Answer(status=made.status, body=made.body, headers=(*made.headers.items(), REPLAYED))
        answer = await tell(made)
        await call.write(
            lambda tx, _caller: save_answer(
                tx, **here, status=answer.status, headers=dict(answer.headers), body=answer.body
            )
        )
        return answer


async def _write(call: Call, work: Callable[[Transaction, Caller], Any]) -> Any:
    try:
        return await call.write(work)
    except Exception:
        call.forget_analysis()
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
