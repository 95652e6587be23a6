"""Misuse of the API, against a real server; every test names the rows of the hostile-input matrix it covers."""

from __future__ import annotations

import gzip
import json
import math
import time
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.asking import JSON, REPORTS, ask_for, at_once, count, post, rows
from tests.e2e.shapes import wrong_problem
from tests.server import FORM, OWNER, Reply, Server, running_server
from tests.site.serve import Site

BROKEN_BODIES = {
    "K01-cut": b'{"url": "https://example.com/"',
    "K01-word": b"nonsense",
    "K01-byte-order-mark": b'\xef\xbb\xbf{"url": "https://example.com/"}',
    "K01-trailing": b'{"url": "https://example.com/"} x',
    "K01-two": b'{"url": "https://example.com/"}{}',
    "K01-latin-1": '{"url": "https://example.com/é"}'.encode("latin-1"),
    "K01-list": b'["https://example.com/"]',
    "K01-null": b"null",
    "K01-string": b'"https://example.com/"',
    "K02-nested-lists": b'{"url": ' + b"[" * 20_000 + b"]" * 20_000 + b"}",
    "K02-nested-objects": b'{"url": ' + b'{"a":' * 10_000 + b"1" + b"}" * 10_000 + b"}",
    "K02-unclosed-nest": b"[" * 60_000,
    "K02-nan": b'{"url": "https://example.com/", "privacy": NaN}',
    "K02-infinity": b'{"url": "https://example.com/", "privacy": -Infinity}',
    "K02-double-keys": b'{"url": "https://example.com/", "url": "https://example.org/"}',
    "K02-lone-surrogate": b'{"url": "https://example.com/\\ud800"}',
    "K01-nul": b'{"url": "https://example.com/\\u0000"}',
}


@pytest.mark.parametrize("case", BROKEN_BODIES)
@rows("K01", "K02")
def test_json_that_is_none_is_a_bad_request(case: str, idle: Server) -> None:
    """The answer says so, it is no fault of the server, and nothing is made."""
    before = count(idle)
    reply = post(idle, BROKEN_BODIES[case])

    assert wrong_problem(reply.json, status=400, code="bad_request") == []
    assert reply.status == 400
    assert count(idle) == before


@pytest.mark.parametrize("digits", [5_000, 60_000])
@rows("K02")
def test_an_endless_number_costs_nothing(digits: int, idle: Server) -> None:
    """Neither a fault nor a second of arithmetic."""
    took = []
    for _ in range(3):
        started = time.monotonic()
        reply = post(idle, b'{"url": "https://example.com/", "privacy": ' + b"1" * digits + b"}")
        took.append(time.monotonic() - started)

        assert reply.status in {400, 422}

    assert min(took) < 2  # the machine may be busy once; arithmetic would take as long each time


WRONG_VALUES = {
    "null": b'{"url": null}',
    "number": b'{"url": 1}',
    "true": b'{"url": true}',
    "list": b'{"url": ["https://example.com/"]}',
    "object": b'{"url": {"href": "https://example.com/"}}',
    "empty": b'{"url": ""}',
    "nothing": b"{}",
    "privacy-3": b'{"url": "https://example.com/", "privacy": 3}',
    "privacy-word": b'{"url": "https://example.com/", "privacy": "public"}',
    "privacy-fraction": b'{"url": "https://example.com/", "privacy": 0.5}',
    "privacy-list": b'{"url": "https://example.com/", "privacy": [0]}',
    "password-number": b'{"url": "https://example.com/", "privacy": 2, "password": 12345678}',
    "password-missing": b'{"url": "https://example.com/", "privacy": 2}',
}


@pytest.mark.parametrize("case", WRONG_VALUES)
@rows("K03")
def test_a_value_of_the_wrong_kind_is_named(case: str, idle: Server) -> None:
    """422 with the field at fault, for people and for programs."""
    reply = post(idle, WRONG_VALUES[case])
    field = case.partition("-")[0]
    field = field if field in {"privacy", "password"} else "url"

    assert reply.status == 422
    assert wrong_problem(reply.json, status=422, code="validation_failed") == []
    assert list(reply.json["errors"]) == [field]
    assert [violation["field"] for violation in reply.json["violations"]] == [field]


@pytest.mark.parametrize("media_type", [JSON, FORM])
@rows("K03")
def test_unknown_fields_assign_nothing(media_type: str, idle: Server) -> None:
    """A report belongs to its caller, is numbered by us and starts in the queue, whatever else a body says."""
    fields: dict[str, Any] = {f"field_{number}": "x" for number in range(100)}
    fields |= {"id": "1", "account_id": "77", "owner": "77", "state": "completed", "score": "100", "slug": "a" * 22}
    fields |= {
        "url": "https://example.com/assign",
        "attempt": "9",
        "created_at": "2001-01-01T00:00:00.000Z",
        "revision": "5",
    }
    text = json.dumps(fields) if media_type == JSON else "&".join(f"{name}={value}" for name, value in fields.items())
    reply = post(idle, text.encode(), media_type)

    assert reply.status == 201
    assert reply.data["id"] != 1 or count(idle) == 1
    assert (reply.data["state"], reply.data["score"]) == ("queued", None)
    assert "a" * 22 not in reply.data["share_url"]
    assert reply.data["created_at"] > "2020"
    assert idle.call("GET", f"{REPORTS}/{reply.data['id']}").status == 200


@rows("K04")
def test_a_long_body_is_refused_while_it_comes(idle: Server) -> None:
    """One byte too many or ten megabytes, announced or in chunks: 413 in little time, and the server stays well."""
    fits = b"url=https://example.com/" + b"a" * (65_536 - 24)
    sized = [post(idle, fits, FORM).status, post(idle, fits + b"a", FORM).status]
    with idle.wire() as wire:
        head = f"POST {REPORTS} HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer {idle.key}\r\nContent-Type: {FORM}\r\n"
        wire.send(f"{head}Content-Length: 10000000\r\n\r\n".encode())
        announced = wire.reply().status
    with idle.wire() as wire:
        wire.send(f"{head}Transfer-Encoding: chunked\r\n\r\n".encode())
        try:
            for _ in range(160):
                wire.send(b"10000\r\n" + b"a" * 65_536 + b"\r\n")
        except OSError:
            pass  # refused before everything was sent
        chunked = wire.reply().status

    assert sized == [422, 413]
    assert (announced, chunked) == (413, 413)
    assert idle.call("GET", "/healthz").status == 200


@rows("K04")
def test_a_body_longer_than_announced_is_another_request(idle: Server) -> None:
    """The bytes after the announced length are read as a request of their own, and refused as none."""
    with idle.wire() as wire:
        head = f"POST {REPORTS} HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer {idle.key}\r\nContent-Type: {FORM}\r\n"
        wire.send(f"{head}Content-Length: 4\r\n\r\nurl=https://example.com/\r\n\r\n".encode())
        first, second = wire.reply().status, wire.reply().status
        ended = wire.hung_up()

    assert (first, second, ended) == (422, 400, True)


MEDIA_TYPES = {
    "K05-text": ("text/plain", 415),
    "K05-xml": ("application/xml", 415),
    "K05-bytes": ("application/octet-stream", 415),
    "K05-other-json": ("application/vnd.api+json", 415),
    "K05-utf-16": ("application/json; charset=utf-16", 415),
    "K05-latin-1-form": (f"{FORM}; charset=iso-8859-1", 415),
    "K05-nonsense": ("nonsense", 415),
    "K05-multipart-without-boundary": ("multipart/form-data", 400),
    "K05-form-with-charset": (f"{FORM}; charset=UTF-8", 201),
    "K05-form-in-capitals": (FORM.upper(), 201),
}


@pytest.mark.parametrize("case", MEDIA_TYPES)
@rows("K05")
def test_the_media_type_of_a_body_counts(case: str, idle: Server) -> None:
    """Forms, multipart and JSON in UTF-8 are read; the answer to everything else names them."""
    media_type, status = MEDIA_TYPES[case]
    reply = post(idle, b"url=https://example.com/media", media_type)

    assert reply.status == status
    if status == 415:
        assert FORM in (reply.header("Accept-Post") or reply.header("Accept") or "")


@rows("K05")
def test_a_body_without_a_media_type_is_read_as_a_form(idle: Server) -> None:
    """That is what the interface asks for; bytes that are no form name no address."""
    replies = [
        post(idle, body, None) for body in (b"url=https://example.com/untyped", b'{"url": "https://example.com/"}')
    ]

    assert [reply.status for reply in replies] == [201, 422]


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "zstd", "gzip, gzip"])
@rows("K06")
def test_packed_bodies_are_not_unpacked(coding: str, idle: Server) -> None:
    """A request cannot be a bomb."""
    reply = post(idle, gzip.compress(b"url=https://example.com/"), FORM, Content_Encoding=coding)

    assert wrong_problem(reply.json, status=415, code="unsupported_media_type") == []


IDS = {
    "letter": "x",
    "long": "9" * 2_000,
    "too-large": str(2**63),
    "negative": "-1",
    "plus": "+1",
    "zero": "0",
    "leading-zero": "01",
    "fraction": "1.0",
    "exponent": "1e0",
    "hex": "0x1",
    "underscore": "1_0",
    "blank": "%201",
    "arabic-digit": "%D9%A1",
    "nul": "%00",
    "sql": "'%20OR%201=1--",
    "unicode": "%F0%9F%92%A1",
    "broken-utf-8": "%FF%FE",
    "dots": "%2e%2e",
    "dots-and-slash": "..%2f..%2fetc%2fpasswd",
    "template": "%7B%7B7*7%7D%7D",
}


@pytest.mark.parametrize("case", IDS)
@rows("K08")
def test_an_id_that_is_none_is_not_found(case: str, idle: Server) -> None:
    """The same 404 as for an unknown number, for reads and for writes."""
    idle.create("https://example.com/first")
    replies = [idle.call(method, f"{REPORTS}/{IDS[case]}") for method in ("GET", "DELETE")]
    unknown = idle.call("GET", f"{REPORTS}/999999999")

    def problem_of(reply: Reply) -> dict[str, Any]:
        return {name: value for name, value in reply.json.items() if name not in {"instance", "request_id"}}

    assert [reply.status for reply in replies] == [404, 404]
    assert [problem_of(reply) for reply in replies] == [problem_of(unknown)] * 2


BAD_QUERIES = (
    *(
        "per_page=0",
        "per_page=-1",
        "per_page=11",
        "per_page=1000000000",
        "per_page=abc",
        "per_page=1e1",
        "per_page=10.0",
    ),
    *("page=0", "page=-1", "page=abc", "page=1.5", "page=" + "9" * 400),
    *(
        "sort=up",
        "sort_by=title",
        "sort_by=id;drop",
        "search_by=title",
        "result=excellent",
        "state=lost",
        "include=all",
    ),
    "per_page=%00",
)


@pytest.mark.parametrize("query", BAD_QUERIES)
@rows("K09")
def test_a_list_parameter_out_of_range_is_refused(query: str, idle: Server) -> None:
    """Never a silent default, never a fault, never more than was allowed."""
    reply = idle.call("GET", f"{REPORTS}?{query}")

    assert reply.status == (400 if "%00" in query else 422)
    assert wrong_problem(reply.json, status=reply.status) == []


@rows("K09")
def test_a_lenient_client_gets_the_defaults(idle: Server) -> None:
    """A client that prefers leniency is served, and the answer says that the preference was applied."""
    reply = idle.call("GET", f"{REPORTS}?per_page=11&sort=up", headers={"Prefer": "handling=lenient"})

    assert (reply.status, reply.json["meta"]["per_page"]) == (200, 10)
    assert "handling=lenient" in reply.need("Preference-Applied")


@rows("K10")
def test_a_flood_from_one_key_is_held_back(tmp_path: Path) -> None:
    """429 with the time to wait; what is refused leaves no trace, and other keys are served."""
    with running_server(tmp_path / "data", WORKERS=0, REQUESTS_PER_MINUTE=50, ANALYSES_PER_MINUTE=8) as server:
        other = server.add_key(1)
        began_s = time.monotonic()
        replies = at_once(12, lambda n: ask_for(server, f"https://example.com/{n}"))
        refused = next(reply for reply in replies if reply.status == 429)
        flood = at_once(16, lambda _: [server.call("GET", REPORTS).status for _ in range(4)])
        statuses = [status for one in flood for status in one]
        given_back = math.ceil((time.monotonic() - began_s) * 50 / 60)
        left = server.call("GET", REPORTS, key=other)

        assert sorted(reply.status for reply in replies) == [201] * 8 + [429] * 4
        assert wrong_problem(refused.json, status=429, code="rate_limited") == []
        assert 1 <= int(refused.need("Retry-After")) <= 60
        assert refused.header("RateLimit") is not None
        assert statuses.count(200) <= 50 - 12 + given_back
        assert statuses.count(429) >= 26 - given_back
        assert (left.status, left.json["meta"]["total"]) == (200, 8)


@rows("K11")
def test_a_full_queue_accepts_nothing(tmp_path: Path) -> None:
    """503 with the time to wait, nothing is kept, and reads go on."""
    with running_server(tmp_path / "data", WORKERS=0, QUEUE=3) as server:
        replies = [ask_for(server, f"https://example.com/{n}") for n in range(5)]

        assert [reply.status for reply in replies] == [201] * 3 + [503] * 2
        assert wrong_problem(replies[-1].json, status=503, code="unavailable") == []
        assert int(replies[-1].need("Retry-After")) >= 1
        assert count(server) == 3


@rows("K12", "N06")
def test_a_quota_is_exact_under_fifty_at_once(tmp_path: Path) -> None:
    """Exactly as many reports as allowed, however many ask at the same moment; deleting makes room again."""
    with running_server(tmp_path / "data", WORKERS=0, MAX_REPORTS=10) as server:
        replies = at_once(50, lambda n: ask_for(server, f"https://example.com/{n}"))
        refused = next(reply for reply in replies if reply.status != 201)
        first = next(reply for reply in replies if reply.status == 201).data["id"]
        total = count(server)
        server.call("DELETE", f"{REPORTS}/{first}")
        again = ask_for(server, "https://example.com/again")

        assert sorted(reply.status for reply in replies) == [201] * 10 + [429] * 40
        assert wrong_problem(refused.json, status=429, code="quota_exceeded") == []
        assert total == 10
        assert again.status == 201


@rows("K17", "L05", "M02")
def test_conditions_do_not_reveal_reports_of_others(server: Server, site: Site) -> None:
    """404 whatever tag was guessed, for reads and for writes."""
    report = server.create(f"{site.http}/about?conditional")
    server.finished(report["id"])
    path = f"{REPORTS}/{report['id']}"
    tag = server.call("GET", path).need("ETag")
    _, bob = server.add_account("Guesser")
    attempts = [
        server.call(method, path, key=bob, headers={name: value}).status
        for method in ("GET", "HEAD", "PUT", "DELETE")
        for name, value in (("If-None-Match", tag), ("If-None-Match", "*"), ("If-Match", tag), ("If-Match", '"1-1"'))
    ]

    assert set(attempts) == {404}
    assert server.call("GET", path, headers={"If-None-Match": tag}).status == 304


@rows("K18")
def test_what_needs_no_key_contains_no_secrets(server: Server) -> None:
    """Health, metrics and the description show neither keys nor addresses that are analyzed."""
    report = server.create("https://secret-target.example/path?token=abcdef")
    texts = {
        path: server.call("GET", path, key=None)
        for path in ("/healthz", "/readyz", "/metrics", "/api/v1/openapi.json", "/api/v1/checks")
    }
    said = {path: reply.body.decode() for path, reply in texts.items()}

    assert {reply.status for reply in texts.values()} == {200}
    assert [path for path, text in said.items() if server.key in text or server.key[:12] in text] == []
    assert [path for path, text in said.items() if "secret-target" in text or report["share_url"][-22:] in text] == []
    assert [path for path, text in said.items() if str(server.folder) in text] == []


@rows("K18")
def test_metrics_can_ask_for_a_token(tmp_path: Path) -> None:
    """Bound to the same port, they can be guarded."""
    token = "t" * 32
    with running_server(tmp_path / "data", WORKERS=0, METRICS_TOKEN=token) as server:
        statuses = [server.call("GET", "/metrics", key=key).status for key in (None, "wrong", OWNER, token)]

        assert statuses == [401, 401, 401, 200]


NOT_ALLOWED = {
    "loopback-name": "http://localhost/",
    "metadata": "http://169.254.169.254/latest/meta-data/",
    "private": "http://10.0.0.1/",
    "six": "http://[::1]/",
    "mapped": "http://[::ffff:10.0.0.1]/",
    "decimal": "http://2852039166/",
    "scheme": "ftp://example.com/",
    "script": "javascript:alert(1)",
    "file": "file:///etc/passwd",
    "long": "https://example.com/" + "a" * 2_048,
    "blank": "https://exa mple.com/",
    "no-host": "https://",
}


@pytest.mark.parametrize("case", NOT_ALLOWED)
@rows("K03")
def test_what_may_not_be_contacted_is_refused_at_once(case: str, idle: Server) -> None:
    """Anything that is known without a network is 422, and nothing is kept."""
    before = count(idle)
    reply = ask_for(idle, NOT_ALLOWED[case])

    if case == "loopback-name":
        assert reply.status in {201, 422}
    else:
        assert reply.status == 422
        assert reply.json["code"] in {"validation_failed", "url_not_allowed"}
        assert list(reply.json["errors"]) == ["url"]
        assert count(idle) == before
