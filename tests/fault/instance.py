"""A data folder, and the servers that live in it one after the other."""

from __future__ import annotations

import contextlib
import signal
import sys
from pathlib import Path
from typing import Any, Final

from tests.fault.ledger import Ledger, check_database, check_no_orphans
from tests.server import Server, start_server

KEY: Final = "crash-test-key-0123456789"
DEATH_S: Final = 120.0


class Instance:
    """A data folder, and the servers that live in it one after the other."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "data"
        self.temporary = folder / "tmp"
        self.temporary.mkdir()
        self.ledger = Ledger()
        self._servers: list[Server] = []

    def start(self, *point: str, **settings: Any) -> Server:
        """The plain server, or one that dies at a point."""
        command = (
            (sys.executable, "-m", "tests.fault.crashing", *point) if point else (sys.executable, "-m", "pagegrade")
        )
        server = start_server(
            self.folder,
            key=KEY,
            command=command,
            temporary=self.temporary,
            verb="serve",
            LEASE_SECONDS=5,
            **settings,
        )
        self._servers.append(server)
        return server

    def start_to_die(self, *point: str) -> None:
        """A server that dies before a client can call it, or soon after."""
        with contextlib.suppress(AssertionError):
            died(self.start(*point))

    def end(self, server: Server) -> None:
        """Check every promise, stop the server as an operator does, and look at what is left."""
        self.ledger.check(server)
        assert server.stop() == 0
        check_database(self.folder, self.ledger)
        check_no_orphans(self.temporary)

    def close(self) -> None:
        """Leave nothing running, whatever became of the test."""
        for server in self._servers:
            if server.process.poll() is None:
                server.process.kill()
            server.process.wait(DEATH_S)


def died(server: Server) -> None:
    """Wait until a server has killed itself."""
    assert server.process.wait(DEATH_S) == -signal.SIGKILL, server.log[-3000:]
