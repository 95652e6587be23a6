"""Real forward proxies that note what they were asked for, and an address of this machine that is not loopback."""

from __future__ import annotations

import contextlib
import re
import shutil
import socket
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import ip_network
from pathlib import Path
from typing import Final

import pytest

from pagegrade.gather.guard import Policy, local_addresses
from pagegrade.gather.outgoing_proxy import OutgoingProxy, read_proxy
from tests.ports import free_port
from tests.waiting import wait_until

USER, PASSWORD = "agent", "open-sesame"
ADDRESS: Final = next(
    (str(each) for each in sorted(local_addresses(), key=str) if each.version == 4 and not each.is_loopback), ""
)
"""Sites of these tests are there: loopback addresses are never asked of a proxy."""
needs_tinyproxy = pytest.mark.skipif(
    not ADDRESS or shutil.which("tinyproxy") is None, reason="tinyproxy, or a network, is missing"
)
needs_microsocks = pytest.mark.skipif(
    not ADDRESS or shutil.which("microsocks") is None, reason="microsocks, or a network, is missing"
)


@dataclass(frozen=True, slots=True)
class Proxy:
    """A proxy that runs."""

    url: str
    log: Path
    port: int

    def asked(self) -> list[str]:
        """Host and port of each connection that it was asked for, in order."""
        text = self.log.read_text(encoding="utf-8")
        return [one or other for one, other in re.findall(r": CONNECT (\S+) HTTP|connected to (\S+)", text)]


def policy_through(proxy: Proxy | OutgoingProxy | None, host: str = "site.com") -> Policy:
    """Sites at the address of this machine, through a proxy."""
    used = read_proxy(proxy.url) if isinstance(proxy, Proxy) else proxy
    return Policy(allow_networks=(ip_network(f"{ADDRESS}/32"),), typed_host=host, proxy=used)


def _accepts(port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=5):
        return True
    return False


@contextlib.contextmanager
def tinyproxy(folder: Path, *, password: bool = False, connect_ports: tuple[int, ...] = ()) -> Iterator[Proxy]:
    """Debian's HTTP proxy for the length of a block."""
    folder.mkdir(parents=True, exist_ok=True)
    port, log = free_port(), folder / "proxy.log"
    lines = [
        f"Port {port}", "Listen 127.0.0.1", f'LogFile "{log}"', "LogLevel Connect", "Timeout 60", "MaxClients 100",
        *([f"BasicAuth {USER} {PASSWORD}"] if password else []),
        *(f"ConnectPort {each}" for each in connect_ports),
    ]  # fmt: skip
    (folder / "proxy.conf").write_text("\n".join([*lines, ""]), encoding="utf-8")
    who = f"{USER}:{PASSWORD}@" if password else ""
    with _running(["tinyproxy", "-d", "-c", str(folder / "proxy.conf")], port, folder / "output"):
        yield Proxy(f"http://{who}127.0.0.1:{port}", log, port)


@contextlib.contextmanager
def microsocks(folder: Path, *, password: bool = False) -> Iterator[Proxy]:
    """Debian's SOCKS5 proxy for the length of a block."""
    folder.mkdir(parents=True, exist_ok=True)
    port, log = free_port(), folder / "socks.log"
    who = f"{USER}:{PASSWORD}@" if password else ""
    options = ["-u", USER, "-P", PASSWORD] if password else []
    with _running(["microsocks", "-i", "127.0.0.1", "-p", str(port), *options], port, log):
        yield Proxy(f"socks5h://{who}127.0.0.1:{port}", log, port)


@contextlib.contextmanager
def _running(command: list[str], port: int, log: Path) -> Iterator[None]:
    with log.open("wb") as output:
        process = subprocess.Popen(command, stdout=output, stderr=output)
    try:
        wait_until(lambda: _accepts(port), "a proxy that listens")
        yield
    finally:
        process.terminate()
        process.wait()
