"""Asks the server in this container how it is: exit status 0 when it says 200. For images without curl.

    python -I probe.py [PORT [PATH]]        PAGEGRADE_PORT or 8080, and /readyz, where they are not given

Only the standard library, and as little of it as possible: it runs every few seconds. What was answered goes to stdout,
where ``docker inspect`` shows it.
"""

# ruff: noqa: INP001 - a script that is copied into the image by itself

from __future__ import annotations

import os
import socket
import sys
from typing import Final

TIMEOUT_S: Final = 4.0
"""Of each step; less than the health check's own, which would only say that it took too long."""
LOOPBACKS: Final = {"0.0.0.0": "127.0.0.1", "::": "127.0.0.1", "[::]": "127.0.0.1"}  # noqa: S104 - recognized, not bound
MAX_BYTES: Final = 4096


def ask(host: str, port: int, path: str) -> str:
    """The head and the body of the answer; empty when there is none.

    Args:
        host: Where the server listens.
        port: On which port.
        path: What is asked for.
    """
    try:
        with socket.create_connection((host, port), timeout=TIMEOUT_S) as connection:
            connection.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
            with connection.makefile("rb") as answer:
                return answer.read(MAX_BYTES).decode("latin-1")
    except OSError as error:
        return f"No answer from {host} port {port}: {error.strerror or 'time is over'}"


def main(arguments: list[str]) -> int:
    """Ask once; the exit status."""
    configured = (os.environ.get("PAGEGRADE_HOST") or "127.0.0.1").partition(",")[0].strip()
    host = LOOPBACKS.get(configured, configured)
    port = arguments[0] if arguments else os.environ.get("PAGEGRADE_PORT") or "8080"
    path = arguments[1] if len(arguments) > 1 else "/readyz"
    answer = ask(host, int(port), path)
    head, _, body = answer.partition("\r\n\r\n")
    sys.stdout.write(f"{body or head}\n")
    return 0 if head.startswith("HTTP/1.1 200 ") else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
