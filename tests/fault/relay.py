"""A TCP relay on the loopback between a process and its database, where a test can break the network."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import struct
import threading
from collections.abc import Iterator
from typing import Final, Literal

from tests.waiting import pause_for

CHUNK_BYTES: Final = 65_536
SOON_S: Final = 10.0
_RESET: Final = struct.pack("ii", 1, 0)
"""SO_LINGER with no time: closing sends RST instead of FIN."""

State = Literal["pass", "stall", "stall_answers", "reset"]


class Relay:
    """Listens on a free port and passes bytes on to another port of the loopback.

    ``stall`` is a cable that was pulled: connections are taken (by the kernel) and stay open, and no byte arrives,
    until it is put in again. ``stall_answers`` loses only what the database says: what was asked is done.
    ``reset`` is a router that forgot everything: every connection, old or new, ends with RST.
    """

    def __init__(self, target_port: int) -> None:
        self.target_port = target_port
        self._state: State = "pass"
        self._delay_s = 0.0
        self._forth = asyncio.Event()
        self._back = asyncio.Event()
        self._open: set[asyncio.StreamWriter] = set()
        self._ready = threading.Event()
        self._loop = asyncio.new_event_loop()
        self._listening = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.port: int = self._listening.getsockname()[1]
        self.taken = 0
        """The number of connections there ever were."""
        self._ended = asyncio.Event()
        self._thread = threading.Thread(target=self._main, daemon=True)

    def start(self) -> None:
        """Begin to listen."""
        self._thread.start()
        if not self._ready.wait(SOON_S):
            raise AssertionError("the relay did not start")

    def close(self) -> None:
        """Cut every connection and listen no more."""
        self._loop.call_soon_threadsafe(self._ended.set)
        self._thread.join(SOON_S)

    def heal(self) -> None:
        """Pass everything on at once, also what waited."""
        self._turn("pass", 0.0)

    def stall(self) -> None:
        """Let no byte arrive, in either direction."""
        self._turn("stall", 0.0)

    def stall_answers(self) -> None:
        """Let no byte come back."""
        self._turn("stall_answers", 0.0)

    def reset(self) -> None:
        """End every connection, and those that come, with RST."""
        self._turn("reset", 0.0)

    def delay(self, seconds: float) -> None:
        """Let everything arrive so much later, in each direction."""
        self._turn("pass", seconds)

    @property
    def connections(self) -> int:
        """The number of open connections."""
        return len(self._open) // 2

    def _turn(self, state: State, delay_s: float) -> None:
        done = threading.Event()

        def turn() -> None:
            self._state, self._delay_s = state, delay_s
            for flow, stopped in ((self._forth, {"stall"}), (self._back, {"stall", "stall_answers"})):
                if state in stopped:
                    flow.clear()
                else:
                    flow.set()
            if state == "reset":
                for writer in list(self._open):
                    _reset(writer)
            done.set()

        self._loop.call_soon_threadsafe(turn)
        if not done.wait(SOON_S):
            raise AssertionError("the relay does not listen to us")

    def _main(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(self._serve())

    async def _serve(self) -> None:
        self._forth.set()
        self._back.set()
        server = await asyncio.start_server(self._pass_on, sock=self._listening)
        self._ready.set()
        await self._ended.wait()
        server.close()
        for writer in list(self._open):
            _reset(writer)

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.taken += 1
        if self._state == "reset":
            _reset(writer)
            return
        self._open.add(writer)
        there: asyncio.StreamWriter | None = None
        try:
            # The other side of a cable that was pulled does not answer.
            await self._forth.wait()
            answers, there = await asyncio.open_connection("127.0.0.1", self.target_port)
            self._open.add(there)
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self._pump(reader, there, self._forth))
                tasks.create_task(self._pump(answers, writer, self._back))
        except* OSError:
            _reset(writer)
        except* asyncio.CancelledError:
            _reset(writer)  # the relay ends
        finally:
            for each in (writer, there):
                if each is not None:
                    self._open.discard(each)
                    each.close()

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, flow: asyncio.Event) -> None:
        while data := await reader.read(CHUNK_BYTES):
            if self._delay_s:
                await pause_for(self._delay_s, "the way of a packet")
            await flow.wait()
            writer.write(data)
            await writer.drain()
        # The end of a connection is news that does not pass either.
        await flow.wait()
        if writer.can_write_eof() and not writer.is_closing():
            writer.write_eof()


def _reset(writer: asyncio.StreamWriter) -> None:
    raw = writer.get_extra_info("socket")
    with contextlib.suppress(OSError):
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
    writer.transport.abort()


@contextlib.contextmanager
def relay_to(port: int) -> Iterator[Relay]:
    """A relay for the length of a block."""
    relay = Relay(port)
    relay.start()
    try:
        yield relay
    finally:
        relay.close()
