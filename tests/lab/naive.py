"""A deliberately naive fetcher: what a first attempt at "is it public? then fetch it" looks like.

It exists to prove that the lab can see. It checks the address it resolves and then lets the library resolve again,
follows any redirect, and fetches what the page names.
"""

from __future__ import annotations

import contextlib
import hashlib
import http.client
import ipaddress
import re
import socket
import ssl
import time
from urllib.parse import urljoin, urlsplit

from tests.lab.case import Job, Outcome

MAX_HOPS = 5
MAX_BYTES = 1 << 20


def analyze(job: Job) -> Outcome:
    """Fetch the page as a naive program would."""
    started = time.monotonic()
    outcome = Outcome(id=job.id, state="done")
    try:
        _evaluate(job.url)
        body = _fetch(job.url, job.budget_s, MAX_HOPS)
        outcome.body_sha256 = hashlib.sha256(body).hexdigest()
        for found in re.findall(rb"""(?:src|href)=["']?([^"' >]+)""", body)[:10]:
            with contextlib.suppress(OSError, http.client.HTTPException):
                _fetch(urljoin(job.url, found.decode("latin-1")), 1, MAX_HOPS)
    except (OSError, ValueError, http.client.HTTPException) as error:
        outcome.state, outcome.code, outcome.message = "failed", type(error).__name__, str(error)
    outcome.duration_s = time.monotonic() - started
    return outcome


def _evaluate(url: str) -> None:
    host = urlsplit(url).hostname or ""
    try:
        if not ipaddress.ip_address(host).is_global:
            raise PermissionError("not a public address")
    except ValueError:
        first = str(socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)[0][4][0])
        if first.startswith("127."):
            raise PermissionError("not a public name") from None


def _fetch(url: str, timeout_s: float, hops: int) -> bytes:
    parts = urlsplit(url)
    host = parts.hostname or ""
    connection: http.client.HTTPConnection
    if parts.scheme == "https":
        context = ssl.create_default_context()
        connection = http.client.HTTPSConnection(host, parts.port or 443, timeout=timeout_s, context=context)
    else:
        connection = http.client.HTTPConnection(host, parts.port or 80, timeout=timeout_s)
    try:
        connection.request("GET", (parts.path or "/") + (f"?{parts.query}" if parts.query else ""))
        answer = connection.getresponse()
        location = answer.getheader("Location")
        if answer.status // 100 == 3 and location and hops:
            return _fetch(urljoin(url, location), timeout_s, hops - 1)
        return answer.read(MAX_BYTES)
    finally:
        connection.close()
