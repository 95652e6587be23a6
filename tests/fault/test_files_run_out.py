"""Hostile row P05: more clients than files may be open."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
PROGRAM: Final = '''
import asyncio, contextlib, resource, socket, sys
from pagegrade.web.server.serve import loop_factory, serve
from pagegrade.web.server.limits import ServerLimits

FILES = 64

async def app(scope, receive, send):
    """Needs a file for each request, as a database would."""
    status = b"200"
    try:
        with open("/dev/null"):
            pass
    except OSError:
        status = b"503"
    await send({"type": "http.response.start", "status": int(status), "headers": [(b"content-length", b"0")]})
    await send({"type": "http.response.body", "body": b""})

async def ask(port):
    """One request on a connection of its own; its status, or nothing when it was dropped."""
    loop = asyncio.get_running_loop()
    with contextlib.closing(socket.socket()) as client:
        client.setblocking(False)
        await loop.sock_connect(client, ("127.0.0.1", port))
        with contextlib.suppress(ConnectionError):
            await loop.sock_sendall(client, b"GET / HTTP/1.1\\r\\nHost: a\\r\\nConnection: close\\r\\n\\r\\n")
            return (await asyncio.wait_for(loop.sock_recv(client, 100), 20))[9:12].decode()
    return ""

async def main(taken, connections):
    stop, ready = asyncio.Event(), asyncio.get_running_loop().create_future()
    async with asyncio.TaskGroup() as group:
        limits = ServerLimits(connections=connections)
        group.create_task(serve(app, hosts=["127.0.0.1"], port=0, stop=stop, ready=ready.set_result, limits=limits))
        port = int((await ready).rpartition(":")[2])
        clients = []
        # Clients and other work of this very process take the files that there are.
        with contextlib.suppress(OSError):
            for _ in range(taken):
                clients.append(socket.create_connection(("127.0.0.1", port)))
                await asyncio.sleep(0)
        for _ in range(20):
            await asyncio.sleep(0.01)
        full = len(clients)
        # Room for our own end of the next connection, which the server then has no file for.
        clients.pop().close()
        with contextlib.suppress(TimeoutError, OSError):
            async with asyncio.timeout(0.5):
                await ask(port)
        for client in clients:
            client.close()
        status = ""
        for _ in range(100):
            with contextlib.suppress(OSError):
                status = await ask(port)
            if status == "200":
                break
            await asyncio.sleep(0.1)
        print(full, status)
        stop.set()

resource.setrlimit(resource.RLIMIT_NOFILE, (FILES, FILES))
factory = loop_factory() if sys.argv[1] == "fast" else None
with asyncio.Runner(loop_factory=factory) as runner:
    runner.run(main(FILES, int(sys.argv[2])))
'''


def outcome(*arguments: str) -> list[str]:
    """The last line of the program: the number of clients it accepted, and the status of the next one."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *arguments],
        cwd=ROOT,
        capture_output=True,
        encoding="utf-8",
        timeout=100,
        check=False,
    )
    if done.returncode:
        raise AssertionError(done.stderr)
    return done.stdout.split()


def test_server_accepts_again_after_files_ran_out() -> None:
    """The loop that accepts survives, and serves those who come when there is room again."""
    full, status = outcome("plain", "1000")

    assert int(full) > 10
    assert status == "200"


def test_fast_event_loop_accepts_again_as_well() -> None:
    """The same on the loop that ``pagegrade serve`` runs on."""
    full, status = outcome("fast", "1000")

    assert int(full) > 10
    assert status == "200"
