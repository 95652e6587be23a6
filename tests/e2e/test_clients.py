"""Programs in several languages make the six calls of the interface against a real server."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.shapes import wrong_account, wrong_report
from tests.server import Server
from tests.site.serve import Site

FOLDER = Path(__file__).parent / "clients"
CLIENTS = {
    "curl": ("sh", "client.sh"),
    "fetch": ("node", "fetch.mjs"),
    "node-http": ("node", "http.cjs"),
    "java": ("java", "Client.java"),
    "php": ("php", "client.php"),
    "python": (sys.executable, "stdlib.py"),
    "requests": (sys.executable, "libraries.py", "requests"),
    "httpx": (sys.executable, "libraries.py", "httpx"),
    "urllib3": (sys.executable, "libraries.py", "urllib3"),
}
NEEDED = {name: "curl" if name == "curl" else program for name, (program, *_) in CLIENTS.items()}


def said_by(client: str, server: Server, target: str) -> list[dict[str, Any]]:
    """The output of a client: one line for each call."""
    program, script, *arguments = CLIENTS[client]
    done = subprocess.run(
        [program, str(FOLDER / script), *arguments, server.origin, server.key, target],
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
        env={**os.environ, "NO_PROXY": "*", "LC_ALL": "C.UTF-8"},
    )
    if done.returncode:
        raise AssertionError(f"{done.stdout}\n{done.stderr}")
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.parametrize("client", CLIENTS)
def test_a_real_client_makes_the_six_calls(client: str, server: Server, site: Site) -> None:
    """Create, list, show, update, delete and account come back as documented to what clients are written with."""
    if shutil.which(NEEDED[client]) is None:
        pytest.skip(f"{NEEDED[client]} is not installed here")
    target = f"{site.http}/about?by={client}"
    lines = {line["call"]: line for line in said_by(client, server, target)}
    bodies = {name: line["body"] for name, line in lines.items()}
    report = bodies["create"]["data"]

    assert {name: line["status"] for name, line in lines.items()} == {
        "create": 201,
        "list": 200,
        "show": 200,
        "update": 200,
        "delete": 200,
        "account": 200,
    }
    assert {line["type"] for line in lines.values()} == {"application/json"}
    assert {name: body["status"] for name, body in bodies.items()} == {n: line["status"] for n, line in lines.items()}
    assert wrong_report(report, detail=True) == []
    assert (report["url"], report["state"], report["privacy"], report["password"]) == (target, "completed", 0, False)
    assert report["id"] in [item["id"] for item in bodies["list"]["data"]]
    assert [wrong_report(item, detail=False) for item in bodies["list"]["data"] if item["id"] == report["id"]] == [[]]
    assert wrong_report(bodies["show"]["data"], detail=True) == []
    assert bodies["show"]["data"]["results"] == report["results"]
    assert (bodies["update"]["data"]["privacy"], bodies["update"]["data"]["password"]) == (2, True)
    assert bodies["delete"] == {"id": report["id"], "object": "report", "deleted": True, "status": 200}
    assert wrong_account(bodies["account"]["data"]) == []
