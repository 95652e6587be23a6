"""The Caddyfile contains the settings that Pagegrade relies on."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from pagegrade.web.problems import PROBLEMS
from pagegrade.web.server.limits import ServerLimits
from tests.deploy.files import COMPOSE, DEPLOY, services

CADDYFILE = DEPLOY / "Caddyfile"
TEXT = CADDYFILE.read_text(encoding="utf-8")
LIMITS = ServerLimits()
LONGEST_WAIT_S = 50
"""For which a call may wait for an analysis."""


def said(directive: str) -> str:
    """The rest of the line of a directive that occurs once."""
    [found] = re.findall(rf"^\s*{directive} (.*)$", TEXT, re.MULTILINE)
    return str(found)


def test_every_variable_is_given() -> None:
    """The variables that the file takes from its environment are put there by Compose."""
    wanted = set(re.findall(r"\{\$(\w+)", TEXT))

    for path in COMPOSE:
        assert set(services(path)["caddy"]["environment"]) == wanted


def test_caddy_is_the_first_to_hang_up() -> None:
    """A connection that Pagegrade closes while Caddy sends on it would be a failed request."""
    assert int(said("keepalive").removesuffix("s")) < LIMITS.keep_alive_s


def test_calls_that_wait_are_waited_for() -> None:
    """The longest wait is shorter than Caddy's patience."""
    assert int(said("response_header_timeout").removesuffix("s")) > LONGEST_WAIT_S


def test_one_client_takes_nothing_from_others() -> None:
    """Processes are out when they do not answer, not when a request to them fails: a client can make its own fail."""
    assert said("health_uri") == "/healthz"
    assert not re.search(r"^\s*(fail_duration|max_fails|unhealthy_\w+) ", TEXT, re.MULTILINE)


def test_a_process_that_stops_is_not_noticed() -> None:
    """Caddy goes on looking for another one for longer than it takes to see that one is gone."""
    assert int(said("lb_try_duration").removesuffix("s")) > int(said("health_interval").removesuffix("s"))


def test_what_is_inside_stays_inside() -> None:
    """Metrics and health are for those who ask a process itself."""
    assert set(said("@inside path").split()) == {"/metrics", "/healthz", "/readyz"}
    assert "respond @inside 404" in TEXT


def test_addresses_that_open_doors_are_not_logged() -> None:
    """There is no log of requests, and errors are logged without their address."""
    site = TEXT[TEXT.index("{$SITE} {") :]

    assert not re.search(r"^\s*log\b", site, re.MULTILINE)
    assert "request>uri delete" in TEXT


def test_an_outage_is_reported_in_the_words_of_pagegrade() -> None:
    """Programs find the members, the code and the header that they find in our own answers."""
    [body] = re.findall(r"respond `(.*)` 503", TEXT)
    problem = json.loads(body.replace("{host}", "reports.example.org"))

    assert (problem["status"], problem["title"]) == PROBLEMS[problem["code"]]
    assert problem["type"].endswith(f"/problems/{problem['code']}")
    assert {"detail", "message"} <= set(problem)
    assert "header Retry-After" in TEXT


@pytest.mark.skipif(shutil.which("caddy") is None, reason="Caddy is not installed here")
def test_caddy_understands_the_file(tmp_path: Path) -> None:
    """The real program can work with it."""
    result = subprocess.run(
        ["caddy", "validate", "--adapter", "caddyfile", "--config", CADDYFILE],  # noqa: S607
        env={
            "PATH": os.environ["PATH"],
            "HOME": str(tmp_path),
            "SITE": "localhost",
            "UPSTREAMS": "127.0.0.1:1 127.0.0.1:2",
        },
        capture_output=True,
        check=False,
        text=True,
    )

    assert result.returncode == 0, result.stderr
