"""Client of the Chrome DevTools Protocol over a pair of pipes.

Messages are JSON documents, each followed by a NUL byte (``--remote-debugging-pipe``). What a browser sends is
untrusted: a page may have taken it over.

Source: https://chromedevtools.github.io/devtools-protocol/
"""

from __future__ import annotations

import asyncio
import itertools
from collections import deque
from collections.abc import Callable
from typing import Any, Final

import msgspec

from pagegrade.gather.browser.options import RenderingFailed

MAX_MESSAGE_BYTES: Final = 24_000_000
"""Of one message; the largest are documents and pictures."""
MAX_TOTAL_BYTES: Final = 160_000_000
"""Of all messages of a run; the trace of a page with 5,000 elements takes about 15 MB."""
_READ_BYTES: Final = 262_144

Params = dict[str, Any]
Handler = Callable[[Params, str], None]
"""Takes the parameters of an event and the id of the session it belongs to ("" for the browser's own)."""


class CommandFailed(Exception):
    """The browser answered a command with an error."""

    def __init__(self, method: str, message: str) -> None:
        super().__init__(f"{method}: {message}")
        self.method = method
        self.message = message


class Connection:
    """Sends commands and passes on events; ends with the first message that is none.

    Args:
        reader: What the browser writes.
        writer: What it reads.
    """

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._ids = itertools.count(1)
        self._waiting: dict[int, tuple[str, asyncio.Future[Params]]] = {}
        self._handlers: dict[str, list[Handler]] = {}
        self._lasting: dict[str, list[Handler]] = {}
        self.closed: asyncio.Future[RenderingFailed] = asyncio.get_running_loop().create_future()
        """Done when nothing more will come, with the reason."""

    def on(self, event: str, handler: Handler, *, lasting: bool = False) -> None:
        """Call ``handler`` for each event of this name, in every session; ``lasting``: also after ``forget``."""
        self._handlers.setdefault(event, []).append(handler)
        if lasting:
            self._lasting.setdefault(event, []).append(handler)

    def post(self, method: str, params: Params | None = None, *, session: str = "") -> None:
        """Send a command whose result does not matter."""
        self.send(method, params, session=session).add_done_callback(_retrieve)

    def forget(self) -> None:
        """Remove every handler that belongs to a page; lasting ones stay."""
        self._handlers = {name: list(kept) for name, kept in self._lasting.items()}

    def send(self, method: str, params: Params | None = None, *, session: str = "") -> asyncio.Future[Params]:
        """Send a command at once; its future holds the result, or ``CommandFailed``.

        It is harmless not to await the future.
        """
        answer: asyncio.Future[Params] = asyncio.get_running_loop().create_future()
        answer.add_done_callback(_retrieve)
        if self.closed.done():
            answer.set_exception(self.closed.result())
            return answer
        number = next(self._ids)
        message: Params = {"id": number, "method": method}
        if params is not None:
            message["params"] = params
        if session:
            message["sessionId"] = session
        self._waiting[number] = (method, answer)
        self._writer.write(msgspec.json.encode(message) + b"\0")
        return answer

    def close(self) -> None:
        """Close the pipe to the browser."""
        if not self._writer.is_closing():
            self._writer.close()

    async def run(self) -> None:
        """Read until the browser is gone or says what no browser says; then fail every command that waits."""
        failure = RenderingFailed("browser_crash", "The browser ended while it drew the page.")
        try:
            await self._read()
        except RenderingFailed as error:
            failure = error
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            if not self.closed.done():
                self.closed.set_result(failure)
            for _, answer in self._waiting.values():
                if not answer.done():
                    answer.set_exception(failure)
            self._waiting.clear()

    async def _read(self) -> None:
        parts: deque[bytes] = deque()
        held = total = 0
        while data := await self._reader.read(_READ_BYTES):
            total += len(data)
            if total > MAX_TOTAL_BYTES:
                raise RenderingFailed("too_large", "The browser reported more about the page than is read.")
            *whole, rest = data.split(b"\0")
            for piece in whole:
                parts.append(piece)
                self._take(b"".join(parts))
                parts.clear()
                held = 0
            held += len(rest)
            if held > MAX_MESSAGE_BYTES:
                raise RenderingFailed("too_large", "One message of the browser is larger than is read.")
            if rest:
                parts.append(rest)

    def _take(self, data: bytes) -> None:
        try:
            message = msgspec.json.decode(data)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise RenderingFailed("browser_crash", "The browser sent what is not JSON.") from error
        if not isinstance(message, dict):
            raise RenderingFailed("browser_crash", "The browser sent what is no message.")
        number = message.get("id")
        if number is None:
            params = message.get("params")
            session = message.get("sessionId")
            for handler in self._handlers.get(str(message.get("method")), ()):
                handler(params if isinstance(params, dict) else {}, session if isinstance(session, str) else "")
            return
        method, answer = self._waiting.pop(number, ("", None)) if isinstance(number, int) else ("", None)
        if answer is None or answer.done():
            return
        problem = message.get("error")
        result = message.get("result")
        if isinstance(problem, dict):
            answer.set_exception(CommandFailed(method, str(problem.get("message", ""))[:300]))
        else:
            answer.set_result(result if isinstance(result, dict) else {})


def _retrieve(answer: asyncio.Future[Params]) -> None:
    """Mark the exception as seen: not every command is waited for."""
    if not answer.cancelled():
        answer.exception()
