"""Draws the attacking page inside the lab: ``python -m tests.lab.rendered SUBJECT``, the result as JSON on stdout.

``product`` is the shipped rendered engine with its default policy; ``networks`` is the same for an operator who opened
private networks, and ``leaves`` as well, for a page in them that leaves for the attacking one; ``open`` is the same
with a policy that allows every address; ``naive`` is the browser alone, in the network of the lab, which proves that
the wires see each channel.
"""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import os
import shlex
import subprocess
import sys
import tempfile
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_network
from pathlib import Path
from threading import Thread
from typing import Any, Final

import msgspec

from pagegrade.gather.browser.options import RenderingFailed, RenderOptions, find_browser
from pagegrade.gather.browser.process import process_tree
from pagegrade.gather.browser.render import render
from pagegrade.gather.guard import Guard, Policy
from pagegrade.gather.http import HTTPClient
from tests.lab.names import NameServer
from tests.lab.namespace import RESOLVER, furnish
from tests.lab.rendered_page import HOST, IP, Attack, make_attack, respond, zone
from tests.lab.wires import Tripwires, listening_socket

OPEN: Final = Policy(allow_networks=(ip_network("0.0.0.0/0"), ip_network("::/0")), typed_host=HOST)
HOME: Final = "10.99.0.1"
"""A page in the operator's own networks that leaves for the attacking one."""
OWN: Final = tuple(
    map(
        ip_network,
        (
            "10.0.0.0/8",
            "100.64.0.0/10",
            "127.0.0.0/8",
            "169.254.0.0/16",
            "172.16.0.0/12",
            "192.168.0.0/16",
            "::1/128",
            "fc00::/7",
            "fe80::/10",
        ),
    )
)
SUBJECTS: Final = {
    "product": (HOST, Policy()),
    "networks": (HOST, Policy(allow_networks=OWN, typed_host=HOST)),
    "leaves": (HOME, Policy(allow_networks=OWN, typed_host=HOME)),
    "open": (HOST, OPEN),
}
"""Subject -> the host it is asked for, and its policy."""
NAIVE_S: Final = 20.0
HTML: Final = {"Content-Type": "text/html; charset=utf-8"}
LEAVES: Final = f"<!doctype html><title>Home</title><script>location = 'http://{HOST}/'</script>".encode()
PEERS: Final = "--allow-loopback-in-peer-connection"
"""Peers use any other interface by themselves; the lab has the loopback only."""
PR_SET_CHILD_SUBREAPER: Final = 36


class Drawn(msgspec.Struct, kw_only=True):
    """Result of one run."""

    touched: list[str]
    """Forbidden places that something tried to reach, as ``protocol://address:port``."""
    channels: list[str]
    """Channels of the page whose address is among them."""
    title: str = ""
    html: str = ""
    away: str = ""
    """URL that the second page ended at, or the code of its failure."""
    refused: list[str] = []
    left: list[str] = []
    """Temporary files, and network namespaces of processes of this run, that are left."""


def main() -> None:
    """Run the subject, and print what was seen."""
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as temporary:
        furnish(Path(folder))
        own_what_is_started(Path(temporary))
        names, wires = NameServer(RESOLVER), Tripwires(RESOLVER)
        names.add(zone())
        wires.own([IP, HOME, "11.40.0.2", "11.40.0.3"])
        attack = make_attack()
        serve(attack)
        before = namespaces()
        started = time.monotonic()
        subject = sys.argv[1]
        found = naive() if subject == "naive" else asyncio.run(product(*SUBJECTS[subject], Path(folder)))
        wires.settle()
        touches = wires.between(started, time.monotonic())
        folders = [path.name for path in Path(temporary).iterdir()]
        drawn = Drawn(
            **found,
            touched=sorted({f"{touch.protocol}://{touch.address}:{touch.port}" for touch in touches}),
            channels=sorted({attack.channel_of.get(touch.address, "") for touch in touches} - {""}),
            left=[*folders, *sorted(namespaces() - before)],
        )
        if lost := wires.lost():
            raise RuntimeError(f"the lab is no good: its tripwires lost {lost} packets")
    sys.stdout.buffer.write(msgspec.json.encode(drawn))
    sys.stdout.flush()
    os._exit(0)


def serve(attack: Attack) -> None:
    """Serve the attacking host."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            at_home = self.headers.get("Host") == HOME
            status, fields, body = (200, HTML, LEAVES) if at_home else respond(self.path, attack)
            self.send_response(status)
            for name, value in {**fields, "Content-Length": str(len(body))}.items():
                self.send_header(name, value)
            self.end_headers()
            with contextlib.suppress(OSError):
                self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 -- the name of the base class
            pass

    for address in (IP, HOME, "11.40.0.2", "11.40.0.3"):
        server = ThreadingHTTPServer((address, 80), Handler, bind_and_activate=False)
        server.socket.close()
        server.socket = listening_socket(address, 80)
        Thread(target=server.serve_forever, daemon=True).start()


async def product(host: str, policy: Policy, folder: Path) -> dict[str, Any]:
    """The attack as the engine draws it, and the page that leaves for a forbidden address."""
    options = RenderOptions(program=browser_with_peers(folder), network="none", loads=1, time_s=120.0)
    async with HTTPClient(guard=Guard(policy)) as client:
        rendering = await render(f"http://{host}/", options, client=client)
    async with HTTPClient(guard=Guard(policy)) as client:
        try:
            away = (await render(f"http://{HOST}/away", options, client=client)).final_url
        except RenderingFailed as error:
            away = error.code
    return {
        "title": rendering.title,
        "html": rendering.html,
        "away": away,
        "refused": sorted(host for host, _ in rendering.refused_hosts),
    }


def browser_with_peers(folder: Path) -> Path:
    """Write a command that starts the browser with one more flag, for every user."""
    program = find_browser()
    if program is None:
        raise RuntimeError("there is no browser")
    path = folder / "browser"
    path.write_text(f'#!/bin/sh\nexec {shlex.quote(str(program))} {PEERS} "$@"\n', encoding="utf-8")
    folder.chmod(0o711)
    path.chmod(0o755)
    return path


def naive() -> dict[str, Any]:
    """The attack in a browser that nothing holds back."""
    program = find_browser()
    if program is None:
        raise RuntimeError("there is no browser")
    with tempfile.TemporaryDirectory() as profile:
        command = [str(program), "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile}"]
        command += [PEERS, "--disable-popup-blocking", "--remote-debugging-port=0", f"http://{HOST}/"]
        browser = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
        )
        try:
            browser.wait(NAIVE_S)
        except subprocess.TimeoutExpired:
            os.killpg(browser.pid, 9)
            browser.wait()
    return {}


def own_what_is_started(temporary: Path) -> None:
    """Keep folders and orphans of this process apart from those of tests that run at the same time."""
    temporary.chmod(0o1777)
    tempfile.tempdir = str(temporary)
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def namespaces() -> set[str]:
    """Network namespaces of this process and of all that it started and that still run."""
    found = set()
    for process in process_tree(os.getpid()):
        with contextlib.suppress(OSError):
            found.add(str(Path(f"/proc/{process}/ns/net").readlink()))
    return found


if __name__ == "__main__":
    main()
