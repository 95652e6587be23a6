"""Requests that are executed once however often they are sent, because they carry an Idempotency-Key.

Source: https://datatracker.ietf.org/doc/html/draft-ietf-httpapi-idempotency-key-header
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from operator import attrgetter
from typing import Any, Final, TypeVar

import msgspec
from pydantic import BaseModel

from pagegrade.model.account import IdempotentRequest
from pagegrade.model.errors import IdempotencyInProgress, IdempotencyKeyReused, NotFound, ReportDeleted
from pagegrade.service import idempotency as service
from pagegrade.service.accounts.admission import Admission, RateLimit
from pagegrade.service.unit_of_work import LoadByID, UnitOfWork, UseCase
from pagegrade.web.http.response import Response
from pagegrade.web.problems import bad_request
from pagegrade.web.request import Request

RETRY_AFTER_S: Final = 2
MAX_PATH_CHARACTERS: Final = 200
_KEY: Final = re.compile(r"[!-~]{1,255}")
REPLAYED: Final = ("Idempotency-Replayed", "true")
T = TypeVar("T")


class Idempotency:
    """Executes the use case of one request, or answers as the first request with the same key was answered."""

    def __init__(self, request: Request, work: UnitOfWork, admission: Admission, limits: RateLimit) -> None:
        self._request = request
        self._work = work
        self._admission = admission
        self._limits = limits

    @property
    def key(self) -> str | None:
        """The key of the request; ``None`` when it has none.

        Raises:
            Rejected: It is empty, too long, or has characters that are not visible ASCII.
        """
        key = self._request.header(b"idempotency-key")
        if key is not None and not _KEY.fullmatch(key):
            raise bad_request("An Idempotency-Key has 1 to 255 visible ASCII characters.")
        return key

    async def execute(
        self,
        fields: BaseModel,
        *,
        create: UseCase[T],
        resource_id: Callable[[T], int] = attrgetter("id"),
        load_existing: LoadByID[T],
        respond: Callable[[T], Awaitable[Response]],
        is_analysis: bool = False,
    ) -> Response:
        """Execute the request, or answer one that was executed before with the resource as it is now.

        Args:
            fields: All of the body that decides what is done.
            create: The use case that executes it.
            resource_id: Returns the id of what was created or changed; only that is stored with the request.
            load_existing: The use case that loads what an earlier request created or changed.
            respond: Makes the response; may take as long as an analysis.
            is_analysis: True if the request counts among the analyses of a minute.

        Raises:
            IdempotencyInProgress: The same request is being executed.
            IdempotencyKeyReused: The key came with another body before.
            Rejected: The key is malformed.
            ReportDeleted: The request was executed before, and what it created no longer exists.
        """
        key = self.key
        if key is None:
            async with self._uncounted_on_failure(is_analysis=is_analysis):
                created = await self._work.write(create)
            return await respond(created)
        identity = self._identity(fields, key)
        with _alone(self._request.in_flight, identity):
            # Counted before the transaction begins, which must not wait for a counter; ``check`` evaluates the count.
            if is_analysis:
                await self._limits.count_analysis()
            async with self._uncounted_on_failure(is_analysis=is_analysis):
                executed = await self._work.write_unrecorded(
                    service.execute_once,
                    identity,
                    self._request.received_at_ms,
                    check=self._limits.check_analysis if is_analysis else _allow,
                    create=self._work.recorded(create),
                    resource_id=resource_id,
                    load_existing=load_existing,
                )
        if executed.is_new:
            return await respond(executed.result)
        if is_analysis:
            await self._limits.forget_analysis()
        try:
            response = await respond(executed.result)
        except NotFound:
            # Deleted while its analysis was waited for.
            raise ReportDeleted from None
        response.headers.append(*REPLAYED)
        return response

    async def is_executed(self, fields: BaseModel) -> bool:
        """Return true if the request was executed before; ``execute`` then answers it without executing it again.

        Raises:
            IdempotencyKeyReused: The key came with another body before.
            Rejected: The key is malformed.
        """
        key = self.key
        return key is not None and await self._work.write_unrecorded(
            service.is_executed, self._identity(fields, key), self._request.received_at_ms
        )

    async def refuse_executed(self, fields: BaseModel) -> None:
        """Refuse a request whose report does not exist, where the request was executed before.

        Raises:
            IdempotencyKeyReused: The key came with another body before.
            ReportDeleted: The request was executed before.
        """
        if await self.is_executed(fields):
            raise ReportDeleted

    def _identity(self, fields: BaseModel, key: str) -> IdempotentRequest:
        # Keyed with the secret of the API key, which is stored nowhere: a plain hash would let a thief of the database
        # guess the password in it.
        return IdempotentRequest(
            key_id=self._admission.admitted.api_key.id,
            method=self._request.method,
            path=self._request.path.removesuffix("/")[:MAX_PATH_CHARACTERS],
            idempotency_key=key,
            request_sha256=hmac.digest(self._admission.secret.encode(), sent_fields(fields), hashlib.sha256),
        )

    @contextlib.asynccontextmanager
    async def _uncounted_on_failure(self, *, is_analysis: bool) -> AsyncIterator[None]:
        try:
            yield
        except Exception:
            if is_analysis:
                await self._limits.forget_analysis()
            raise


def sent_fields(fields: BaseModel) -> bytes:
    """Return what identifies the content of a request: its fields in one order, and only those that were sent.

    A field that a later version adds, with a default, is part of no earlier request.
    """
    return msgspec.json.encode(sorted(fields.model_dump(exclude_unset=True).items()))


def _allow() -> None:
    """Accept a request that is no analysis: requests of a minute are counted elsewhere."""


@contextlib.contextmanager
def _alone(in_flight: dict[tuple[Any, ...], bytes], identity: IdempotentRequest) -> Iterator[None]:
    """Let no other request with this key be executed at the same time in this process; others wait for the database."""
    here = (identity.key_id, identity.method, identity.path, identity.idempotency_key)
    other = in_flight.get(here)
    if other is not None:
        if not hmac.compare_digest(other, identity.request_sha256):
            raise IdempotencyKeyReused
        raise IdempotencyInProgress(retry_after_s=RETRY_AFTER_S)
    in_flight[here] = identity.request_sha256
    try:
        yield
    finally:
        del in_flight[here]
