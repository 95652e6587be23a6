"""The tripwires: every attempt to reach an address that is not the lab's own is seen, from every process.

Two layers. A packet socket on ``lo`` sees the first packet of every TCP connection and every datagram, to any address
and port. Listeners on the addresses attackers like best answer with a page, so that a naive fetcher gets something.
"""

from __future__ import annotations

import contextlib
import ctypes
import ipaddress
import socket
import struct
import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

BAITED: Final = (
    "127.0.0.1",
    "127.0.0.53",
    "169.254.169.254",
    "169.254.170.2",
    "10.0.0.1",
    "172.16.0.1",
    "192.168.0.1",
    "100.100.100.200",
    "168.63.129.16",
    "192.0.0.192",
    "::1",
    "fd00:ec2::254",
    "64:ff9b::a00:1",
)
BAITED_PORTS: Final = (80, 443, 8080, 8443, 22, 6379)
MARKER: Final = ("11.53.53.54", 9)
"""The address of a datagram that the wires send themselves, to know that they have seen all that came before it."""
BAIT: Final = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 25\r\n\r\n<title>tripwire</title>\r\n"

SETTLE_S: Final = 30.0
"""A marker that has not been seen by then never will be."""

_ETH_P_ALL, _PACKET_OUTGOING, _TCP, _UDP, _IPV6_FREEBIND, _IP_FREEBIND = 3, 4, 6, 17, 78, 15
_SOL_PACKET, _PACKET_STATISTICS, _SO_ATTACH_FILTER = 263, 6, 26
_LDH, _LDB, _LDB_X, _LDX_IP_LENGTH, _JEQ, _AND, _RET = 0x28, 0x30, 0x50, 0xB1, 0x15, 0x54, 0x06
_FIRST_PACKETS: Final = (
    (_LDH, 0, 0, 12),  # EtherType
    (_JEQ, 1, 0, 0x0800),  # IPv4: to the third line below
    (_JEQ, 7, 14, 0x86DD),  # IPv6, or nothing of ours
    (_LDB, 0, 0, 14 + 9),  # IPv4: protocol
    (_JEQ, 11, 0, _UDP),
    (_JEQ, 0, 11, _TCP),
    (_LDX_IP_LENGTH, 0, 0, 14),
    (_LDB_X, 0, 0, 14 + 13),  # TCP flags, after the header's length
    (_AND, 0, 0, 0x12),
    (_JEQ, 6, 7, 0x02),  # SYN without ACK
    (_LDB, 0, 0, 14 + 6),  # IPv6: next header
    (_JEQ, 4, 0, _UDP),
    (_JEQ, 0, 4, _TCP),
    (_LDB, 0, 0, 14 + 40 + 13),
    (_AND, 0, 0, 0x12),
    (_JEQ, 0, 1, 0x02),
    (_RET, 0, 0, 0x40000),  # pass it whole
    (_RET, 0, 0, 0),  # drop it
)
"""UDP, and TCP's SYN, over IPv4 and IPv6, as (operation, jump if true, jump if false, operand)."""


@dataclass(frozen=True, slots=True)
class Touch:
    """One attempt to reach an address outside the lab's own."""

    at_s: float
    """``time.monotonic`` when it was seen."""
    protocol: str
    address: str
    port: int


def listening_socket(address: str, port: int, *, backlog: int = 128, kind: int = socket.SOCK_STREAM) -> socket.socket:
    """A bound (and, for TCP, listening) socket on any address, as if the address were configured here."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    bound = socket.socket(family, kind)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if family == socket.AF_INET6:
        bound.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        bound.setsockopt(socket.IPPROTO_IPV6, _IPV6_FREEBIND, 1)
    else:
        bound.setsockopt(socket.IPPROTO_IP, _IP_FREEBIND, 1)
    bound.bind((address, port))
    if kind == socket.SOCK_STREAM:
        bound.listen(backlog)
    return bound


def _attach_filter(packets: socket.socket) -> None:
    """Let the kernel pass only what starts something, or a flood of data would push a first packet out of the buffer.

    Source: https://www.kernel.org/doc/html/latest/networking/filter.html
    """
    code = b"".join(struct.pack("HBBI", *instruction) for instruction in _FIRST_PACKETS)
    program = ctypes.create_string_buffer(code)
    attached = struct.pack("HL", len(_FIRST_PACKETS), ctypes.addressof(program))
    packets.setsockopt(socket.SOL_SOCKET, _SO_ATTACH_FILTER, attached)


class Tripwires:
    """Watches ``lo`` from construction until :meth:`close`."""

    def __init__(self, resolver: str) -> None:
        self._resolver = resolver
        self._own: set[str] = {resolver, MARKER[0]}
        self._marked = threading.Semaphore(0)
        self._settling = threading.Lock()
        self._touches: list[Touch] = []
        self._closed = False
        self._packets = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(_ETH_P_ALL))
        self._packets.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8 << 20)
        self._packets.settimeout(0.2)
        _attach_filter(self._packets)
        self._baits = [listening_socket(address, port) for address in BAITED for port in BAITED_PORTS]
        for bait in self._baits:
            threading.Thread(target=self._answer, args=(bait,), daemon=True).start()
        self._watcher = threading.Thread(target=self._watch, daemon=True)
        self._watcher.start()

    def own(self, addresses: Iterable[str]) -> None:
        """Count ``addresses`` as the lab's own from now on: reaching them is no touch."""
        self._own.update(str(ipaddress.ip_address(address)) for address in addresses)

    def settle(self) -> None:
        """Return once everything that was sent before the call has been looked at."""
        with self._settling, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
            sender.sendto(b"mark", MARKER)
            if not self._marked.acquire(timeout=SETTLE_S):
                raise TimeoutError("the tripwires do not see what is sent")

    def between(self, start_s: float, end_s: float) -> list[Touch]:
        """Touches seen in that span of ``time.monotonic``."""
        return [touch for touch in list(self._touches) if start_s <= touch.at_s <= end_s]

    def lost(self) -> int:
        """Packets the kernel could not hand over since the last call; any at all make the watch worthless."""
        _, dropped = struct.unpack("II", self._packets.getsockopt(_SOL_PACKET, _PACKET_STATISTICS, 8))
        return int(dropped)

    def close(self) -> None:
        """Stop watching."""
        self._closed = True
        self._watcher.join(2)
        for each in (self._packets, *self._baits):
            each.close()

    def _watch(self) -> None:
        while not self._closed:
            try:
                frame, address = self._packets.recvfrom(2048)
            except TimeoutError:
                continue
            if address[2] == _PACKET_OUTGOING:
                self._evaluate(frame[14:])

    def _evaluate(self, packet: bytes) -> None:
        with contextlib.suppress(struct.error, IndexError, ValueError):
            if packet[0] >> 4 == 4:
                protocol, source, target = packet[9], packet[12:16], packet[16:20]
                payload = packet[(packet[0] & 15) * 4 :]
            else:
                protocol, source, target, payload = packet[6], packet[8:24], packet[24:40], packet[40:]
            _, port = struct.unpack_from("!HH", payload)
            starts = protocol == _UDP or (protocol == _TCP and payload[13] & 0x12 == 0x02)
            answered = str(ipaddress.ip_address(source)) == self._resolver
            reached = str(ipaddress.ip_address(target))
            if (reached, port) == MARKER:
                self._marked.release()
            if starts and not answered and reached not in self._own:
                name = "udp" if protocol == _UDP else "tcp"
                self._touches.append(Touch(time.monotonic(), name, reached, port))

    def _answer(self, bait: socket.socket) -> None:
        while True:
            try:
                connection, _ = bait.accept()
            except OSError:
                return
            with contextlib.suppress(OSError), connection:
                connection.settimeout(1)
                connection.recv(4096)
                connection.sendall(BAIT)
