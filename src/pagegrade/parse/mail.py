"""Mail servers and addresses, as an operator or an owner types them."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import unquote

import msgspec

DEFAULT_PORTS: Final = {"smtp": 587, "smtps": 465}
MAX_PORT: Final = 65_535
_SERVER: Final = re.compile(
    r"(?P<scheme>smtps?)://(?:(?P<user>[^:@/\s]*)(?::(?P<password>[^@/\s]*))?@)?"
    r"(?P<host>\[[0-9A-Fa-f:]{2,45}\]|[A-Za-z0-9._-]{1,253})(?::(?P<port>[0-9]{1,5}))?/?"
)
_ATOM: Final = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
_ADDRESS: Final = re.compile(
    rf"(?=[^@]{{1,64}}@){_ATOM}(?:\.{_ATOM})*@([A-Za-z0-9-]{{1,63}}(?:\.[A-Za-z0-9-]{{1,63}})+)"
)
MAX_ADDRESS: Final = 254
"""Characters (RFC 5321 4.5.3.1.3); the part before the ``@`` is a dot-atom of 64 at most (RFC 5322 3.4.1)."""


class MailServer(msgspec.Struct, frozen=True, kw_only=True):
    """The operator's server."""

    host: str
    port: int
    is_tls: bool
    """TLS from the first byte; else STARTTLS where the server offers it."""
    user: str = ""
    password: str = ""
    """Never sent without TLS."""

    def __repr__(self) -> str:
        return f"MailServer({self.host}:{self.port})"


def read_server(url: str) -> MailServer:
    """Read ``smtp://USER:PASSWORD@HOST:PORT`` or ``smtps://…``; special characters are percent-encoded.

    Raises:
        ValueError: It is no such URL.
    """
    found = _SERVER.fullmatch(url)
    number = int(found["port"] or DEFAULT_PORTS[found["scheme"]]) if found else 0
    if found is None or not 0 < number <= MAX_PORT:
        raise ValueError("must be smtp://USER:PASSWORD@HOST:PORT or smtps://USER:PASSWORD@HOST:PORT")
    return MailServer(
        host=found["host"].strip("[]"),
        port=number,
        is_tls=found["scheme"] == "smtps",
        user=unquote(found["user"] or ""),
        password=unquote(found["password"] or ""),
    )


def domain_of(address: str) -> str | None:
    """Domain of an e-mail address in lower case; ``None``: it is no plain address such as ``name@example.com``."""
    found = _ADDRESS.fullmatch(address) if len(address) <= MAX_ADDRESS else None
    return None if found is None else found[1].lower()
