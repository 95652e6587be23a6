"""``/mcp`` as a resource: who may use it, and what it refuses."""

from __future__ import annotations

import asyncio
import builtins
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest

from pagegrade.mcp import service_tools
from pagegrade.web.http.body import MAX_BYTES
from tests.web.calling import BASE_URL, Instance, with_instance

ROOT = Path(__file__).resolve().parents[2]
ACCEPT = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
VERSION = "2026-07-28"
"""The first version of the protocol with subscriptions."""
LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}


def asked(
    tmp_path: Path, *, key: str | None = "", headers: dict[str, str] | None = None, **more: Any
) -> httpx.Response:
    """The answer to one request of the protocol."""

    async def script(instance: Instance) -> httpx.Response:
        sent = {**ACCEPT, **(headers or {})}
        body = more.pop("content", json.dumps(LIST).encode())
        return await instance.call("POST", "/mcp", key=key, headers=sent, content=body, **more)

    return with_instance(tmp_path, script)


def test_a_key_lists_the_tools_without_a_session(tmp_path: Path) -> None:
    """In one request, which leaves nothing behind."""
    answer = asked(tmp_path)

    assert answer.status_code == 200
    assert len(answer.json()["result"]["tools"]) == 16
    assert "mcp-session-id" not in answer.headers
    assert answer.headers["x-ratelimit-limit"]


@pytest.mark.parametrize("key", [None, "pgk_wrong"])
def test_without_a_key_there_are_no_tools(tmp_path: Path, key: str | None) -> None:
    """Before a byte of the body is read."""
    answer = asked(tmp_path, key=key)

    assert answer.status_code == 401
    assert answer.json()["code"] == "unauthenticated"


def test_pages_of_other_origins_are_refused(tmp_path: Path) -> None:
    """Also with a key; our own are not."""
    foreign = asked(tmp_path, headers={"Origin": "https://evil.example"})
    own = asked(tmp_path, headers={"Origin": BASE_URL})

    assert foreign.status_code == 403
    assert own.status_code == 200


def test_a_request_is_bounded(tmp_path: Path) -> None:
    """As every body of the API."""
    padded = json.dumps(LIST).encode()
    most = asked(tmp_path, content=padded + b" " * (MAX_BYTES - len(padded)))
    more = asked(tmp_path, content=padded + b" " * (MAX_BYTES - len(padded) + 1))

    assert most.status_code == 200
    assert more.status_code == 413


@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_there_are_no_streams_and_no_sessions_to_end(tmp_path: Path, method: str) -> None:
    """The protocol allows a server to refuse them."""

    async def script(instance: Instance) -> httpx.Response:
        return await instance.call(method, "/mcp", headers=ACCEPT)

    answer = with_instance(tmp_path, script)

    assert (answer.status_code, answer.headers["allow"]) == (405, "OPTIONS, POST")


def test_a_subscription_is_refused_at_once(tmp_path: Path) -> None:
    """Its stream would have no end, and nothing is ever sent on it."""
    client = {"name": "agent", "version": "1"}
    meta = {
        "io.modelcontextprotocol/protocolVersion": VERSION,
        "io.modelcontextprotocol/clientInfo": client,
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    listen = {"method": "subscriptions/listen", "params": {"notifications": {}, "_meta": meta}}
    headers = {"mcp-protocol-version": VERSION, "mcp-method": "subscriptions/listen"}

    async def script(instance: Instance) -> httpx.Response:
        async with asyncio.timeout(30):
            sent = {**ACCEPT, **headers}
            return await instance.call("POST", "/mcp", headers=sent, content=json.dumps({**LIST, **listen}).encode())

    assert with_instance(tmp_path, script).status_code == 406


def test_a_call_that_hangs_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And may be sent again."""
    monkeypatch.setattr(service_tools, "CALL_S", 0.0)

    answer = asked(tmp_path)

    assert (answer.status_code, answer.json()["code"]) == (503, "unavailable")


def test_without_the_extra_the_answer_says_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """404, and only to those with a key."""
    real = builtins.__import__

    def without_extra(name: str, *rest: Any, **more: Any) -> Any:
        if name == "httpx2":
            raise ModuleNotFoundError(name=name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without_extra)
    answer = asked(tmp_path)

    assert answer.status_code == 404
    assert "pip install 'pagegrade[mcp]'" in answer.json()["detail"]


LOOK = """
import json, sys, tempfile, threading
from pathlib import Path
from tests.web.calling import with_instance

class Look:
    found = []
    def find_spec(self, name, path=None, target=None):
        self.found.append((name, threading.current_thread() is threading.main_thread()))

async def ask(instance):
    sys.meta_path.insert(0, Look())
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}})
    headers = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
    return (await instance.call("POST", "/mcp", headers=headers, content=body)).status_code

with tempfile.TemporaryDirectory() as folder:
    print(json.dumps([with_instance(Path(folder), ask), Look.found]))
"""


def test_the_first_request_loads_the_tools_outside_of_the_event_loop() -> None:
    """That takes a second, in which all other requests would wait."""
    made = subprocess.run([sys.executable, "-c", LOOK], cwd=ROOT, check=True, capture_output=True, text=True)
    status, loaded = json.loads(made.stdout)
    elsewhere = {name for name, in_the_loop in loaded if not in_the_loop}
    in_the_loop = [name for name, is_in_the_loop in loaded if is_in_the_loop and name.startswith(("mcp", "pagegrade"))]

    assert status == 200
    assert {"mcp.server", "pagegrade.mcp.service_tools"} <= elsewhere
    assert in_the_loop == []
