"""Replays what existing clients of the interface put on the wire, byte for byte, against a real server."""

from __future__ import annotations

from urllib.parse import quote_plus

import pytest

from tests.e2e.recordings import RECORDINGS, Recording
from tests.e2e.shapes import wrong_account, wrong_report
from tests.server import FORM, Reply, Server
from tests.site.serve import Site

STATUS = {"create": 201, "update": 200, "list": 200, "show": 200, "delete": 200, "account": 200}


def replay(recording: Recording, server: Server, *, url: str, report_id: int) -> Reply:
    """The final answer to a recording; an interim one is waited for where the client waits."""
    body = recording.body.format(url=quote_plus(url), plain_url=url).encode()
    host = f"127.0.0.1:{server.port}"
    head = recording.head.strip().format(host=host, key=server.key, id=report_id, length=len(body))
    if recording.chunked:
        middle = len(body) // 2
        body = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in (body[:middle], body[middle:], b""))
    with server.wire() as wire:
        wire.send("\r\n".join(head.splitlines()).encode() + b"\r\n\r\n")
        if "Expect: 100-continue" in head:
            interim = wire.reply()
            if interim.status != 100:
                raise AssertionError(f"{interim.status} instead of leave to send the body")
        wire.send(body)
        return wire.reply()


@pytest.mark.parametrize("recording", RECORDINGS, ids=[each.name for each in RECORDINGS])
def test_a_client_of_the_interface_is_understood(recording: Recording, server: Server, site: Site) -> None:
    """Every way to spell the six calls gets the envelope and the types of the documentation."""
    url = f"{site.http}/about?client={recording.client}"
    report = server.create(f"{site.http}/about?replay") if "{id}" in recording.head else {"id": 0}

    reply = replay(recording, server, url=url, report_id=report["id"])
    document = reply.json

    assert reply.status == STATUS[recording.call]
    assert reply.header("Content-Type") == "application/json"
    assert document["status"] == reply.status
    if recording.call == "create":
        assert wrong_report(document["data"], detail=True) == []
        assert (document["data"]["url"], document["data"]["privacy"], document["data"]["password"]) == (url, 2, True)
        assert document["data"]["state"] == "completed"
        assert reply.need("Location").endswith(f"/api/v1/reports/{document['data']['id']}")
        assert reply.need("ETag").startswith(f'"{document["data"]["id"]}-')
    elif recording.call == "update":
        assert wrong_report(document["data"], detail=True) == []
        assert (document["data"]["id"], document["data"]["privacy"]) == (report["id"], 2)
        assert document["data"]["password"] is True
    elif recording.call == "list":
        assert [wrong_report(item, detail=False) for item in document["data"]] == [[]] * len(document["data"])
        assert set(document) == {"data", "links", "meta", "status"}
        assert set(document["links"]) == {"first", "last", "prev", "next"}
        assert set(document["meta"]) == {"current_page", "from", "last_page", "path", "per_page", "to", "total"}
    elif recording.call == "show":
        assert wrong_report(document["data"], detail=True) == []
    elif recording.call == "delete":
        assert document == {"id": report["id"], "object": "report", "deleted": True, "status": 200}
        assert server.call("GET", f"/api/v1/reports/{report['id']}").status == 404
    else:
        assert wrong_account(document["data"]) == []


def test_http_1_0_is_answered_and_hung_up(server: Server) -> None:
    """Without keep-alive, the end of the connection may be the only end a client knows."""
    with server.wire() as wire:
        wire.send(f"GET /api/v1/account HTTP/1.0\r\nAuthorization: Bearer {server.key}\r\n\r\n".encode())
        reply = wire.reply()

        assert reply.status == 200
        assert wire.hung_up()


def test_one_connection_carries_many_calls(server: Server) -> None:
    """Clients keep their connection, also after an error and after an offer to upgrade."""
    top = f"Host: h\r\nAuthorization: Bearer {server.key}\r\n"
    heads = (
        f"GET /api/v1/account HTTP/1.1\r\n{top}\r\n",
        f"GET /api/v1/reports/0 HTTP/1.1\r\n{top}\r\n",
        f"GET /api/v1/reports HTTP/1.1\r\n{top}Connection: Upgrade\r\nUpgrade: h2c\r\n\r\n",
        f"DELETE /api/v1/reports/0 HTTP/1.1\r\n{top}\r\n",
        f"POST /api/v1/reports HTTP/1.1\r\n{top}Content-Type: {FORM}\r\nContent-Length: 4\r\n\r\nurl=",
        f"GET /api/v1/account HTTP/1.1\r\n{top}\r\n",
    )
    with server.wire() as wire:
        statuses = []
        for head in heads:
            wire.send(head.encode())
            statuses.append(wire.reply().status)

    assert statuses == [200, 404, 200, 404, 422, 200]


def test_pipelined_requests_are_answered_in_order(server: Server) -> None:
    """Two requests in one packet get two answers, in that order."""
    top = f"Host: h\r\nAuthorization: Bearer {server.key}\r\n\r\n"
    with server.wire() as wire:
        wire.send(f"GET /api/v1/reports/0 HTTP/1.1\r\n{top}GET /api/v1/account HTTP/1.1\r\n{top}".encode())
        statuses = [wire.reply().status, wire.reply().status]

    assert statuses == [404, 200]


def test_a_page_of_another_origin_asks_first_and_may_read_the_answer(server: Server) -> None:
    """Browsers send a preflight without the key, then the request, and need both answers to allow them."""
    preflight = (
        "OPTIONS /api/v1/reports HTTP/1.1\r\n"
        f"Host: 127.0.0.1:{server.port}\r\n"
        "Connection: keep-alive\r\n"
        "Accept: */*\r\n"
        "Access-Control-Request-Method: POST\r\n"
        "Access-Control-Request-Headers: authorization,idempotency-key\r\n"
        "Origin: https://dashboard.example.org\r\n"
        "Sec-Fetch-Mode: cors\r\n\r\n"
    )
    read = (
        "GET /api/v1/reports HTTP/1.1\r\n"
        f"Host: 127.0.0.1:{server.port}\r\n"
        "Origin: https://dashboard.example.org\r\n"
        f"Authorization: Bearer {server.key}\r\n\r\n"
    )
    with server.wire() as wire:
        wire.send(preflight.encode())
        allowed = wire.reply()
        wire.send(read.encode())
        answer = wire.reply()
    methods = {word.strip() for word in allowed.need("Access-Control-Allow-Methods").split(",")}
    headers = {word.strip().lower() for word in allowed.need("Access-Control-Allow-Headers").split(",")}
    exposed = {word.strip().lower() for word in answer.need("Access-Control-Expose-Headers").split(",")}

    assert allowed.status in {200, 204}
    assert allowed.need("Access-Control-Allow-Origin") == "*"
    assert {"GET", "POST"} <= methods
    assert {"authorization", "content-type", "idempotency-key", "if-match", "prefer"} <= headers
    assert answer.status == 200
    assert answer.need("Access-Control-Allow-Origin") == "*"
    assert {"location", "etag", "link", "retry-after", "x-request-id", "ratelimit"} <= exposed
    assert answer.header("Access-Control-Allow-Credentials") is None


def test_an_error_can_be_read_by_a_page_of_another_origin(server: Server) -> None:
    """A refusal without the CORS header would look like a broken network to a script."""
    reply = server.call("GET", "/api/v1/reports/0", key="wrong", headers={"Origin": "https://dashboard.example.org"})

    assert reply.status == 401
    assert reply.need("Access-Control-Allow-Origin") == "*"


@pytest.mark.parametrize(
    ("accept", "status"),
    [
        ("application/json", 200),
        ("*/*", 200),
        ("application/*;q=0.5", 200),
        ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", 200),
        ("text/html", 406),
        ("application/json;q=0", 406),
        ("application/json;q=0, */*", 406),
    ],
)
def test_accept_is_heard(accept: str, status: int, server: Server) -> None:
    """JSON whatever Accept prefers, and 406 only where it rules JSON out."""
    reply = server.call("GET", "/api/v1/account", headers={"Accept": accept})

    assert reply.status == status
    assert reply.need("Content-Type") == ("application/json" if status == 200 else "application/problem+json")
