"""Ports for servers that cannot choose one themselves, or that come back at the one they had."""

from __future__ import annotations

import atexit
import socket
from random import SystemRandom
from typing import Final

LOOPBACK: Final = "127.0.0.1"
NUMBERS: Final = range(20_000, 32_000)
"""Below those that a system gives to who asks for any port, so that no such socket gets one while it is free."""


def free_port() -> int:
    """Reserve a port for this process as long as it lives, and return it.

    Between the choice and the server that listens, no other test takes it: while it is reserved, the UDP port of its
    number is bound here, and only a process that can bind both has the number.

    Raises:
        OSError: All ports are taken.
    """
    for port in SystemRandom().sample(NUMBERS, len(NUMBERS)):
        mark = socket.socket(type=socket.SOCK_DGRAM)
        try:
            mark.bind((LOOPBACK, port))
            with socket.socket() as listening:
                listening.bind((LOOPBACK, port))
        except OSError:
            mark.close()
            continue
        atexit.register(mark.close)
        return port
    raise OSError("no port is free")
