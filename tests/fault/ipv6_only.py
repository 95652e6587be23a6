"""``python -m tests.fault.ipv6_only``, in a network namespace: a first start where there is no IPv4 address.

The findings are printed as JSON.
"""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import tempfile
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

from tests.lab.namespace import leave_no_ipv4
from tests.server import COMMAND, FORM
from tests.site.serve import serve_site


def has_ipv4() -> bool:
    """Tell if this machine has an IPv4 address, which would make the findings worthless."""
    with socket.socket() as trial:
        try:
            trial.bind(("127.0.0.1", 0))
        except OSError:
            return False
    return True


def ask(method: str, url: str, body: str | None = None, **headers: str) -> tuple[int, str]:
    """(status, text) of an answer."""
    origin, _, path = url.removeprefix("http://").partition("/")
    connection = HTTPConnection(origin, timeout=120)
    connection.request(method, f"/{path}", body, headers)
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    return answer.status, text


def first_start(folder: str, page: str) -> dict[str, Any]:
    """The words of a first start, and how the links in them answer."""
    environment = os.environ | {"PAGEGRADE_DATA_DIR": folder, "PAGEGRADE_ALLOW_NETWORKS": "::1/128"}
    command = [*COMMAND, "serve", "--host", "::", "--port", "8080"]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, encoding="utf-8") as process:
        said = ""
        while process.stdout is not None and "curl" not in said and (line := process.stdout.readline()):
            said += line
        listens, link, service = re.findall(r"http://[^\s']+", said.replace("url=http", ""))
        key = re.findall(r"Bearer ([^\s']+)", said)[0]
        status, text = ask("POST", service, f"url={page}", Authorization=f"Bearer {key}", **{"Content-Type": FORM})
        printed = subprocess.run(
            [*COMMAND, "accounts", "login-link"], env=environment, capture_output=True, encoding="utf-8", check=True
        )
        found = {
            "listens": listens,
            "link": link,
            "link_status": ask("GET", link)[0],
            "status": status,
            "report": json.loads(text)["data"],
            "printed": printed.stdout,
        }
        process.terminate()
    return found | {"exit_code": process.returncode}


def by_command(page: str) -> dict[str, Any]:
    """The report of the command, drawn in a browser."""
    done = subprocess.run(
        [*COMMAND, "analyze", page, "--render", "--format", "json"],
        env=os.environ | {"PAGEGRADE_RENDER_LOADS": "1"},
        capture_output=True,
        check=True,
    )
    report: dict[str, Any] = json.loads(done.stdout)
    return {"analysis": report["analysis"], "not_gathered": report["run"]["not_gathered"]}


if __name__ == "__main__":
    leave_no_ipv4()
    with serve_site("::1") as site, tempfile.TemporaryDirectory() as scratch:
        findings = {
            "has_ipv4": has_ipv4(),
            "service": first_start(str(Path(scratch) / "data"), f"{site.http}/about"),
            "command": by_command(f"{site.http}/about"),
        }
    json.dump(findings, sys.stdout)
