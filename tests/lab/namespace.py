"""Enter a network of our own: no route out, and every address on earth answers here.

Inside, the kernel treats the whole IPv4 and IPv6 space as local ("AnyIP"), so the shipped product sees ordinary public
addresses, nothing can leave the machine, and a connection to *any* forbidden address becomes a packet on ``lo`` that
can be seen. Routes are set through rtnetlink, because small container images have no ``ip`` command.
"""

from __future__ import annotations

import os
import shutil
import socket
import struct
import subprocess
import sys
from pathlib import Path
from typing import Final

RESOLVER: Final = "11.53.53.53"
"""The address of the lab's DNS server; the only resolver that the namespace's resolv.conf names."""
RESOLV_CONF: Final = f"search searched-lab.com\nnameserver {RESOLVER}\noptions timeout:2 attempts:1\n"
HOSTS: Final = "11.20.255.1 hostsonly-lab.com\n"
"""A trap: a name that exists only here must stay unknown (row C12)."""
NSSWITCH: Final = "hosts: files dns\n"

_UNSHARE_CHOICES: Final = (("-rnm",), ("-nm",))
_RTM_NEWLINK, _RTM_DELADDR, _RTM_NEWROUTE, _IFA_LOCAL = 16, 21, 24, 2
_NLM_REQUEST_ACK, _NLM_CREATE_EXCL = 0x5, 0x600
_RT_TABLE_LOCAL, _RTPROT_BOOT, _RT_SCOPE_HOST, _RTN_LOCAL, _RTA_OIF = 255, 3, 254, 2, 4
MS_BIND, MS_REC_PRIVATE = 4096, 0x4000 | (1 << 18)


def unshare_command() -> list[str] | None:
    """The command prefix that gives a private network and mount namespace; ``None`` where none is permitted."""
    tool = shutil.which("unshare")
    if tool is None:
        return None
    for flags in _UNSHARE_CHOICES:
        prefix = [tool, *flags, "--"]
        probe = [*prefix, sys.executable, "-m", "tests.lab.namespace"]
        done = subprocess.run(probe, cwd=repository(), capture_output=True, check=False, timeout=30)
        if done.returncode == 0:
            return prefix
    return None


def repository() -> Path:
    """The root of the checkout, from which ``tests`` can be imported."""
    return Path(__file__).resolve().parents[2]


def furnish(scratch: Path) -> None:
    """Turn the fresh namespace this process is in into the lab.

    Args:
        scratch: An existing folder for the files that are mounted over ``/etc``.

    Raises:
        OSError: a step is not permitted here.
    """
    _make_everything_local()
    mount(b"none", b"/", MS_REC_PRIVATE)
    for target, text in (
        ("/etc/resolv.conf", RESOLV_CONF),
        ("/etc/hosts", HOSTS),
        ("/etc/nsswitch.conf", NSSWITCH),
    ):
        if not Path(target).exists():
            continue
        source = scratch / Path(target).name
        source.write_text(text)
        mount(str(source).encode(), os.path.realpath(target).encode(), MS_BIND)


def leave_no_ipv4() -> None:
    """Bring the loopback of the fresh namespace this process is in up, with its IPv6 address alone.

    Raises:
        OSError: A step is not permitted here.
    """
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE) as netlink:
        loopback = _raise_loopback(netlink)
        attribute = struct.pack("=HH4s", 8, _IFA_LOCAL, socket.inet_aton("127.0.0.1"))
        _request(netlink, _RTM_DELADDR, 0, struct.pack("=BBBBI", socket.AF_INET, 8, 0, 0, loopback) + attribute)


def mount(source: bytes, target: bytes, flags: int) -> None:
    """Ask the kernel to mount something, or to change how it is mounted.

    Raises:
        OSError: It is not permitted here.
    """
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    if libc.mount(source, target, None, ctypes.c_ulong(flags), None) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), target.decode())


def _make_everything_local() -> None:
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE) as netlink:
        loopback = _raise_loopback(netlink)
        oif = struct.pack("=HHI", 8, _RTA_OIF, loopback)
        for family in (socket.AF_INET, socket.AF_INET6):
            route = struct.pack(
                "=BBBBBBBBI", family, 0, 0, 0, _RT_TABLE_LOCAL, _RTPROT_BOOT, _RT_SCOPE_HOST, _RTN_LOCAL, 0
            )
            _request(netlink, _RTM_NEWROUTE, _NLM_CREATE_EXCL, route + oif)


def _raise_loopback(netlink: socket.socket) -> int:
    loopback = socket.if_nametoindex("lo")
    _request(netlink, _RTM_NEWLINK, 0, struct.pack("=BxHiII", socket.AF_UNSPEC, 0, loopback, 1, 1))
    return loopback


def _request(netlink: socket.socket, kind: int, flags: int, payload: bytes) -> None:
    netlink.send(struct.pack("=IHHII", 16 + len(payload), kind, _NLM_REQUEST_ACK | flags, 1, 0) + payload)
    answer = netlink.recv(4096)
    (number,) = struct.unpack_from("=i", answer, 16)
    if number:
        raise OSError(-number, os.strerror(-number))


if __name__ == "__main__":  # the probe: are routes, mounts and packet sockets permitted?
    _make_everything_local()
    mount(b"none", b"/", MS_REC_PRIVATE)
    socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3)).close()
