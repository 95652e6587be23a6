"""Misuse of API keys, against a real server."""

from __future__ import annotations

import base64
import contextlib
import re
import time
from pathlib import Path

import pytest

from tests.e2e.asking import JSON, REPORTS, rows
from tests.e2e.shapes import wrong_problem
from tests.server import Server, running_server, start_server

NO_KEYS = {
    "L01-none": {},
    "L01-empty": {"Authorization": ""},
    "L01-scheme-only": {"Authorization": "Bearer"},
    "L01-blank": {"Authorization": "Bearer "},
    "L01-basic": {"Authorization": "Basic {basic}"},
    "L01-no-scheme": {"Authorization": "{key}"},
    "L01-other-scheme": {"Authorization": "Token {key}"},
    "L01-two-words": {"Authorization": "Bearer {key} {key}"},
    "L01-cut": {"Authorization": "Bearer {cut}"},
    "L01-longer": {"Authorization": "Bearer {key}x"},
    "L01-other-case": {"Authorization": "Bearer {swapped}"},
    "L07-cookie": {"Cookie": "api_key={key}; Authorization=Bearer {key}"},
    "L07-other-header": {"X-Api-Key": "{key}"},
    "L13-not-ascii": {"Authorization": "Bearer {key}\xe9"},
    "L13-long": {"Authorization": "Bearer " + "a" * 8_000},
    "L02-wrong-checksum": {"Authorization": "Bearer pgk_" + "A" * 49},
    "L03-sql": {"Authorization": "Bearer ' OR ''='"},
}


@pytest.mark.parametrize("case", NO_KEYS)
@rows("L01", "L02", "L03", "L07", "L13")
def test_only_a_whole_key_in_its_header_opens(case: str, idle: Server) -> None:
    """Everything else is 401 with the way to do it right, in one and the same text for everything that is no key."""
    key = idle.key
    values = {
        "key": key,
        "cut": key[:-1],
        "swapped": key.swapcase(),
        "basic": base64.b64encode(f"{key}:".encode()).decode(),
    }
    headers = {name: value.format(**values) for name, value in NO_KEYS[case].items()}
    with idle.wire() as wire:
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        wire.send(f"GET /api/v1/account HTTP/1.1\r\nHost: h\r\n{lines}\r\n".encode("latin-1"))
        reply = wire.reply()

    assert reply.status == 401
    assert wrong_problem(reply.json, status=401, code="unauthenticated") == []
    assert reply.need("WWW-Authenticate").startswith('Bearer realm="api"')


@rows("L07")
def test_a_key_in_the_address_or_the_body_is_no_key(idle: Server) -> None:
    """Neither is it written to the log."""
    secret = idle.add_key(1)
    form = {"url": "https://example.com/", "api_key": secret, "access_token": secret}
    statuses = [
        idle.call("GET", f"/api/v1/account?api_key={secret}&access_token={secret}", key=None).status,
        idle.call("POST", REPORTS, key=None, form=form).status,
    ]

    assert statuses == [401, 401]
    assert secret not in idle.log


@rows("L13")
def test_a_key_of_a_megabyte_is_refused_at_once(idle: Server) -> None:
    """Without work that grows with it."""
    took = []
    for _ in range(3):
        started = time.monotonic()
        with idle.wire() as wire:
            with contextlib.suppress(OSError):  # refused before everything was sent
                wire.send(b"GET /api/v1/account HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer ")
                wire.send(b"a" * 1_000_000 + b"\r\n\r\n")
            status = wire.reply().status
        took.append(time.monotonic() - started)

        assert status in {400, 401, 431}

    assert min(took) < 2  # the machine may be busy once


@rows("L04", "L10")
def test_a_key_can_be_replaced_without_a_gap(idle: Server) -> None:
    """Old and new work side by side; a revoked one ends with the command, an expired one by itself."""
    old = idle.add_key_by_command(1)
    new = idle.add_key_by_command(1)
    both = [idle.call("GET", "/api/v1/account", key=key).status for key in (old, new)]
    idle.revoke_by_command(old)
    after = [idle.call("GET", "/api/v1/account", key=key).status for key in (old, new)]
    short = idle.add_key(1)
    before = idle.call("GET", "/api/v1/account", key=short).status
    idle.expire(short)

    assert (both, before) == ([200, 200], 200)
    assert after == [401, 200]
    assert idle.call("GET", "/api/v1/account", key=short).status == 401


@rows("L06")
def test_a_key_that_may_only_read_writes_nothing(idle: Server) -> None:
    """403 with the scope that is missing, and nothing has happened."""
    reader = idle.add_key(1, scopes=("reports:read",))
    report = idle.create("https://example.com/kept")
    path = f"{REPORTS}/{report['id']}"
    replies = [
        idle.call("POST", REPORTS, key=reader, form={"url": "https://example.com/"}),
        idle.call("PUT", path, key=reader, form={"privacy": 1}),
        idle.call("POST", path, key=reader, form={"results": 1}),
        idle.call("PATCH", path, key=reader, form={}),
        idle.call("DELETE", path, key=reader),
        idle.call("GET", "/api/v1/account", key=reader),
    ]

    assert [reply.status for reply in replies] == [403] * 6
    assert [wrong_problem(reply.json, status=403, code="insufficient_scope") for reply in replies] == [[]] * 6
    assert 'scope="reports:write"' in replies[0].need("WWW-Authenticate")
    assert idle.call("GET", path, key=reader).data["privacy"] == 0


@rows("L08", "L09")
def test_secrets_are_kept_nowhere(idle: Server) -> None:
    """Neither keys nor passwords are in the database, its log, what is printed, or any list of keys."""
    secret = idle.add_key(1)
    password = "correct horse battery staple"
    idle.call(
        "POST",
        REPORTS,
        key=secret,
        form={"url": "https://example.com/", "privacy": 2, "password": password},
        headers={"Prefer": "respond-async"},
    )
    idle.call(
        "POST",
        REPORTS,
        key=secret,
        body=f'{{"url": "x", "password": "{password}"'.encode(),
        headers={"Content-Type": JSON},
    )
    idle.call("PUT", f"{REPORTS}/1", key=secret, form={"privacy": 9, "password": password})
    listed = idle.run("keys", "list")
    kept = b"".join(path.read_bytes() for path in idle.folder.rglob("*") if path.is_file())
    answered = idle.call("GET", "/api/v1/account", key=secret).body
    said = idle.log.encode() + listed.encode() + answered

    assert [word for word in (secret, idle.key, password) if word.encode() in kept] == []
    assert [word for word in (secret, idle.key, password) if word.encode() in said] == []
    assert secret[:8] in listed


@rows("L12")
def test_the_first_key_is_shown_once(tmp_path: Path) -> None:
    """There is no default key: one is made at the first start, printed once, and never again."""
    first = start_server(tmp_path / "data", "--workers", "0", key="")
    try:
        found = re.findall(r"pgk_[0-9A-Za-z]{20,}", first.log)
        status = first.call("GET", "/api/v1/account", key=found[0]).status
    finally:
        first.stop()
    second = start_server(tmp_path / "data", "--workers", "0", key="")
    try:
        again = second.call("GET", "/api/v1/account", key=found[0]).status
        printed = second.log
    finally:
        second.stop()

    assert len(set(found)) == 1
    assert (status, again) == (200, 200)
    assert found[0][4:20] not in printed


@rows("L14")
def test_guessing_keys_is_slowed_by_address(tmp_path: Path) -> None:
    """Claimed addresses do not count unless a proxy of ours claims them; a right key is not delayed by failed ones."""
    with running_server(tmp_path / "data", WORKERS=0, WRONG_KEYS_PER_MINUTE=5) as server:
        statuses = [
            server.call(
                "GET", "/api/v1/account", key=f"guess-{n}-{'x' * 20}", headers={"X-Forwarded-For": f"203.0.113.{n}"}
            ).status
            for n in range(8)
        ]
        refused = server.call("GET", "/api/v1/account", key="guess-again" + "x" * 20)
        right = server.call("GET", "/api/v1/account")

        assert statuses == [401] * 5 + [429] * 3
        assert int(refused.need("Retry-After")) >= 1
        assert right.status == 200


@rows("L14")
def test_a_trusted_proxy_names_the_client_of_login_attempts(tmp_path: Path) -> None:
    """Behind a configured proxy every client has a count of its own, and cannot lend itself another's address."""
    with running_server(tmp_path / "data", WORKERS=0, WRONG_KEYS_PER_MINUTE=2, TRUSTED_PROXIES="127.0.0.0/8") as server:

        def guess(forwarded: str) -> int:
            return server.call(
                "GET", "/api/v1/account", key="guess" + "x" * 20, headers={"X-Forwarded-For": forwarded}
            ).status

        one = [guess("203.0.113.1") for _ in range(3)]
        other = guess("203.0.113.2")
        lending = guess("203.0.113.9, 203.0.113.1")

        assert one == [401, 401, 429]
        assert other == 401
        assert lending == 429
