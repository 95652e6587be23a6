"""A small scripted DNS server: UDP and TCP, one small function per way of answering."""

from __future__ import annotations

import contextlib
import socket
import struct
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import dns.exception
import dns.flags
import dns.message
import dns.name
import dns.rcode
import dns.rdatatype
import dns.rrset

from tests.lab.wires import listening_socket


@dataclass(frozen=True, slots=True)
class Question:
    """One query as it arrived."""

    at_s: float
    name: str
    """Lower case, without the final dot."""
    type: str
    protocol: str
    nth: int
    """The number of earlier queries for this name and type, from 0."""
    message: dns.message.Message = field(repr=False, compare=False)


Answer = Callable[[Question], bytes | None]
"""The answer on the wire; ``None`` is silence."""
Zone = Mapping[str, Answer]
"""Name -> way of answering. A name that is in no zone does not exist."""


def records(
    *,
    a: Sequence[str] = (),
    aaaa: Sequence[str] = (),
    cname: str | None = None,
    chain: Mapping[str, Sequence[str]] | None = None,
    ttl: int = 60,
) -> Answer:
    """An honest answer. ``cname`` points elsewhere, and ``chain`` gives that name's A records in the same message."""

    def answer(question: Question) -> bytes:
        message = dns.message.make_response(question.message)
        message.flags |= dns.flags.RA
        owner = question.name + "."
        if cname is not None:
            message.answer.append(dns.rrset.from_text(owner, ttl, "IN", "CNAME", cname + "."))
            for target, addresses in (chain or {}).items():
                if question.type == "A":
                    message.answer.append(dns.rrset.from_text(target + ".", ttl, "IN", "A", *addresses))
        else:
            found = {"A": a, "AAAA": aaaa}.get(question.type, ())
            if found:
                message.answer.append(dns.rrset.from_text(owner, ttl, "IN", question.type, *found))
        return _wire(message, question)

    return answer


def changing(*addresses: str, ttl: int = 0) -> Answer:
    """A records that differ from query to query; the last one stays."""

    def answer(question: Question) -> bytes | None:
        return records(a=[addresses[min(question.nth, len(addresses) - 1)]], ttl=ttl)(question)

    return answer


def failing(rcode: str) -> Answer:
    """An answer that carries only an error code, such as ``SERVFAIL``."""

    def answer(question: Question) -> bytes:
        message = dns.message.make_response(question.message)
        message.set_rcode(dns.rcode.from_text(rcode))
        return _wire(message, question)

    return answer


def silent(question: Question) -> None:
    """No answer at all."""
    del question


def wrong_id(question: Question) -> bytes:
    """An answer without a query."""
    wire = bytearray(records(a=["11.20.0.1"])(question) or b"")
    wire[0] ^= 0xFF
    return bytes(wire)


def wrong_question(question: Question) -> bytes:
    """The right id with the question of another query and an internal address."""
    other = dns.message.make_query("other-lab.com.", question.type, id=question.message.id)
    message = dns.message.make_response(other)
    message.answer.append(dns.rrset.from_text("other-lab.com.", 60, "IN", "A", "10.0.0.1"))
    return _wire(message, question)


def compression_loop(question: Question) -> bytes:
    """A name in the answer that points at itself."""
    wire = bytearray(failing("NOERROR")(question) or b"")
    wire[6:8] = b"\0\1"
    at = len(wire)
    return bytes(wire) + struct.pack("!HHHIH", 0xC000 | at, 1, 1, 60, 4) + b"\x0a\0\0\1"


def half(question: Question) -> bytes:
    """An answer cut off in the middle."""
    wire = records(a=["11.20.0.1"])(question) or b""
    return wire[: len(wire) - 7]


def _wire(message: dns.message.Message, question: Question) -> bytes:
    if question.protocol == "tcp":
        return message.to_wire(max_size=65535)
    try:
        return message.to_wire(max_size=512)
    except dns.exception.TooBig:
        message.answer.clear()
        message.flags |= dns.flags.TC
        return message.to_wire(max_size=512)


class NameServer:
    """Serves zones on one address until closed, and remembers every question."""

    def __init__(self, address: str) -> None:
        self._zone: dict[str, Answer] = {}
        self._asked: list[Question] = []
        self._seen: Counter[tuple[str, str]] = Counter()
        self._udp = listening_socket(address, 53, kind=socket.SOCK_DGRAM)
        self._tcp = listening_socket(address, 53)
        threading.Thread(target=self._serve_datagrams, daemon=True).start()
        threading.Thread(target=self._serve_streams, daemon=True).start()

    def add(self, zone: Zone) -> None:
        """Serve these names too."""
        self._zone.update(zone)

    def asked(self, suffix: str) -> list[Question]:
        """Questions about ``suffix`` and the names below it, in order."""
        dotted = "." + suffix
        return [each for each in list(self._asked) if each.name == suffix or each.name.endswith(dotted)]

    def between(self, start_s: float, end_s: float) -> list[Question]:
        """Questions asked in that span of ``time.monotonic``."""
        return [each for each in list(self._asked) if start_s <= each.at_s <= end_s]

    def _reply(self, wire: bytes, protocol: str) -> bytes | None:
        message = dns.message.from_wire(wire)
        asked = message.question[0]
        name = asked.name.to_text(omit_final_dot=True).lower()
        kind = dns.rdatatype.to_text(asked.rdtype)
        nth = self._seen[name, kind]
        if protocol == "udp" or not nth:
            self._seen[name, kind] += 1
        question = Question(time.monotonic(), name, kind, protocol, nth, message)
        self._asked.append(question)
        return self._zone.get(name, failing("NXDOMAIN"))(question)

    def _serve_datagrams(self) -> None:
        while True:
            try:
                wire, client = self._udp.recvfrom(4096)
            except OSError:
                return
            with contextlib.suppress(dns.exception.DNSException, IndexError, OSError):
                if (reply := self._reply(wire, "udp")) is not None:
                    self._udp.sendto(reply, client)

    def _serve_streams(self) -> None:
        while True:
            try:
                connection, _ = self._tcp.accept()
            except OSError:
                return
            threading.Thread(target=self._serve_stream, args=(connection,), daemon=True).start()

    def _serve_stream(self, connection: socket.socket) -> None:
        with contextlib.suppress(dns.exception.DNSException, IndexError, OSError, struct.error), connection:
            connection.settimeout(5)
            stream = connection.makefile("rb")
            (length,) = struct.unpack("!H", stream.read(2))
            if (reply := self._reply(stream.read(length), "tcp")) is not None:
                connection.sendall(struct.pack("!H", len(reply)) + reply)
