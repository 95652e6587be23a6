"""``Client`` and ``AsyncClient``: typed access to the API of a service, over httpx2 (extra ``pagegrade[client]``)."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from types import TracebackType
from typing import Any, Final, Self, TypeVar, cast

import httpx2

from pagegrade.client.calls import (
    MAX_BODY_BYTES,
    Answer,
    Pause,
    Policy,
    Request,
    Steps,
    UnexpectedAnswer,
    Values,
    exchange,
    log_warning,
    member,
    next_query,
    placed,
    read_answer,
    wait,
)
from pagegrade.client.methods import AsyncMethods, SyncMethods
from pagegrade.client.operations import OPERATIONS
from pagegrade.client.types import AnswerWarning, Batch, Report
from pagegrade.model.identity import VERSION

T = TypeVar("T")
TIMEOUT_S: Final = 75.0
"""Longer than the service waits for an analysis on behalf of a request."""
RETRIES: Final = 5
LONGEST_WAIT_S: Final = 60.0
"""Of all pauses of a call together."""
FINISHED_S: Final = 300.0
"""Default of the calls that wait for analyses."""
_KEY: Final = re.compile("[!-~]+")
"""Visible ASCII: what a header can carry."""
_TOO_LARGE: Final = f"The answer has more than {MAX_BODY_BYTES:,} bytes."


def _client_options(url: str, key: str | None, timeout_s: float) -> dict[str, Any]:
    """Arguments of a client of httpx2; a redirect is not followed, so the key goes to no other host.

    Raises:
        ValueError: The URL or the key cannot be used.
    """
    parsed = httpx2.URL(url)
    if parsed.scheme not in {"http", "https"} or not parsed.host or parsed.userinfo:
        raise ValueError("url is the address of a service, such as https://reports.example.org")
    headers = {"User-Agent": f"pagegrade-client/{VERSION}"}
    if key is not None:
        if _KEY.fullmatch(key) is None:
            raise ValueError("key is an API key, such as pgk_...")
        headers["Authorization"] = f"Bearer {key}"
    return {"base_url": url.rstrip("/").removesuffix("/api/v1"), "headers": headers, "timeout": timeout_s}


def _policy(retries: int, longest_wait_s: float, on_warning: Callable[[AnswerWarning], None]) -> Policy:
    return Policy(retries=retries, longest_wait_s=longest_wait_s, on_warning=on_warning)


def _batch_is_over(batch: Any) -> bool:
    return bool(batch["queued"] == 0)


def _report_is_over(report: Any) -> bool:
    return report["state"] in {"completed", "failed"}


class Client(SyncMethods):
    """Blocking client of a service; use it as a context manager, or call ``close``.

    Methods of operations are named as in the description of the API, and return what the answer has as ``data``.
    """

    def __init__(
        self,
        url: str,
        key: str | None = None,
        *,
        timeout_s: float = TIMEOUT_S,
        retries: int = RETRIES,
        longest_wait_s: float = LONGEST_WAIT_S,
        on_warning: Callable[[AnswerWarning], None] = log_warning,
        transport: httpx2.BaseTransport | None = None,
    ) -> None:
        """Connect to nothing yet.

        Args:
            url: Address of the service, such as ``https://reports.example.org``.
            key: API key; ``None``: only operations without one can be called.
            timeout_s: Longest time without a byte of an answer.
            retries: How often a request is sent again: after 429 and 503, and after a lost connection where that
                cannot do anything twice.
            longest_wait_s: Seconds of all pauses between the requests of one call.
            on_warning: Called with each warning of an answer; by default they are logged.
            transport: Transport of httpx2 in place of its own.

        Raises:
            ValueError: The URL or the key cannot be used.
        """
        self._policy = _policy(retries, longest_wait_s, on_warning)
        self._http = httpx2.Client(**_client_options(url, key, timeout_s), transport=transport)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def call(self, operation: str, **values: Values) -> Answer:
        """Call an operation and return the answer with its status and headers.

        Args:
            operation: ``operationId`` of the description.
            values: ``path``, ``query``, ``body`` and ``header``, each a mapping by the names of the API.

        Raises:
            ClientError: There is no success.
        """
        return self._run(exchange(self._policy, OPERATIONS[operation], **values))

    def wait_for_report(self, report_id: int, *, limit_s: float = FINISHED_S) -> Report:
        """Wait until the analysis of a report is over, and return the report; it may have failed.

        Raises:
            StillRunning: The time is over before.
            ClientError: The report cannot be read.
        """
        steps = wait(self._policy, "show_report", report_id, is_over=_report_is_over, limit_s=limit_s)
        return cast("Report", self._run(steps))

    def wait_for_batch(self, batch_id: int, *, limit_s: float = FINISHED_S) -> Batch:
        """Wait until every analysis of a batch is over, and return the batch.

        Raises:
            StillRunning: The time is over before.
            ClientError: The batch cannot be read.
        """
        return cast(
            "Batch",
            self._run(wait(self._policy, "show_batch", batch_id, is_over=_batch_is_over, limit_s=limit_s)),
        )

    def _run(self, steps: Steps[T]) -> T:
        answer: Answer | None = None
        while True:
            try:
                step = steps.send(answer)
            except StopIteration as end:
                return cast("T", end.value)
            if isinstance(step, Pause):
                time.sleep(step.seconds)
                answer = None
            else:
                answer = self._send(step)

    def _send(self, request: Request) -> Answer:
        try:
            with self._http.stream(
                request.method, request.target, headers=request.headers, content=request.content
            ) as response:
                content = bytearray()
                for chunk in response.iter_bytes():
                    content += chunk
                    if len(content) > MAX_BODY_BYTES:
                        raise UnexpectedAnswer(_TOO_LARGE)
                return _answer_of(response, bytes(content))
        except httpx2.RequestError as error:
            return _failed(type(error).__name__)

    def _answer(self, operation: str, arguments: Values) -> dict[str, Any]:
        return read_answer(self._policy, self.call(operation, **placed(OPERATIONS[operation], arguments)))

    def _file(self, operation: str, arguments: Values) -> bytes:
        return self.call(operation, **placed(OPERATIONS[operation], arguments)).content

    def _items(self, operation: str, arguments: Values, *, by_cursor: bool) -> Iterator[Any]:
        parts = placed(OPERATIONS[operation], arguments)
        asked: Values | None = {**parts["query"], **({"cursor": ""} if by_cursor else {})}
        while asked is not None:
            page = read_answer(self._policy, self.call(operation, path=parts["path"], query=asked))
            yield from member(page, "data")
            asked = next_query(page)


class AsyncClient(AsyncMethods):
    """``Client`` for asyncio; use it as an asynchronous context manager, or call ``close``."""

    def __init__(
        self,
        url: str,
        key: str | None = None,
        *,
        timeout_s: float = TIMEOUT_S,
        retries: int = RETRIES,
        longest_wait_s: float = LONGEST_WAIT_S,
        on_warning: Callable[[AnswerWarning], None] = log_warning,
        transport: httpx2.AsyncBaseTransport | None = None,
    ) -> None:
        """Connect to nothing yet; the arguments are those of ``Client``.

        Raises:
            ValueError: The URL or the key cannot be used.
        """
        self._policy = _policy(retries, longest_wait_s, on_warning)
        self._http = httpx2.AsyncClient(**_client_options(url, key, timeout_s), transport=transport)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def call(self, operation: str, **values: Values) -> Answer:
        """As ``Client.call``."""
        return await self._run(exchange(self._policy, OPERATIONS[operation], **values))

    async def wait_for_report(self, report_id: int, *, limit_s: float = FINISHED_S) -> Report:
        """As ``Client.wait_for_report``."""
        steps = wait(self._policy, "show_report", report_id, is_over=_report_is_over, limit_s=limit_s)
        return cast("Report", await self._run(steps))

    async def wait_for_batch(self, batch_id: int, *, limit_s: float = FINISHED_S) -> Batch:
        """As ``Client.wait_for_batch``."""
        steps = wait(self._policy, "show_batch", batch_id, is_over=_batch_is_over, limit_s=limit_s)
        return cast("Batch", await self._run(steps))

    async def _run(self, steps: Steps[T]) -> T:
        answer: Answer | None = None
        while True:
            try:
                step = steps.send(answer)
            except StopIteration as end:
                return cast("T", end.value)
            if isinstance(step, Pause):
                await asyncio.sleep(step.seconds)
                answer = None
            else:
                answer = await self._send(step)

    async def _send(self, request: Request) -> Answer:
        try:
            async with self._http.stream(
                request.method, request.target, headers=request.headers, content=request.content
            ) as response:
                content = bytearray()
                async for chunk in response.aiter_bytes():
                    content += chunk
                    if len(content) > MAX_BODY_BYTES:
                        raise UnexpectedAnswer(_TOO_LARGE)
                return _answer_of(response, bytes(content))
        except httpx2.RequestError as error:
            return _failed(type(error).__name__)

    async def _answer(self, operation: str, arguments: Values) -> dict[str, Any]:
        return read_answer(self._policy, await self.call(operation, **placed(OPERATIONS[operation], arguments)))

    async def _file(self, operation: str, arguments: Values) -> bytes:
        return (await self.call(operation, **placed(OPERATIONS[operation], arguments))).content

    async def _items(self, operation: str, arguments: Values, *, by_cursor: bool) -> AsyncIterator[Any]:
        parts = placed(OPERATIONS[operation], arguments)
        asked: Values | None = {**parts["query"], **({"cursor": ""} if by_cursor else {})}
        while asked is not None:
            page = read_answer(self._policy, await self.call(operation, path=parts["path"], query=asked))
            for item in member(page, "data"):
                yield item
            asked = next_query(page)


def _answer_of(response: httpx2.Response, content: bytes) -> Answer:
    headers: Mapping[str, str] = {name.lower(): value for name, value in response.headers.items()}
    return Answer(status=response.status_code, headers=headers, content=content)


def _failed(reason: str) -> Answer:
    return Answer(status=0, headers={}, content=b"", reason=f"The service did not answer: {reason}")
