from __future__ import annotations

import asyncio
from collections.abc import MutableMapping
from typing import Any

import pytest

from pagegrade.web.http import body as module
from pagegrade.web.http.body import (
    FORM,
    JSON,
    MAX_BYTES,
    MAX_SKIPPED_BYTES,
    MULTIPART,
    ClientGone,
    parse_body,
    read_body,
    read_media_type,
)
from pagegrade.web.problems import Rejected


class Wire:
    """Hands out the pieces of a body, as a server does."""

    def __init__(self, *pieces: bytes, ends: bool = True) -> None:
        self._pieces = list(pieces)
        self._ends = ends
        self.asked = 0

    async def __call__(self) -> MutableMapping[str, Any]:
        """The next event."""
        self.asked += 1
        if not self._pieces:
            return {"type": "http.disconnect"}
        piece = self._pieces.pop(0)
        return {"type": "http.request", "body": piece, "more_body": bool(self._pieces) or not self._ends}


@pytest.mark.parametrize(
    ("content_type", "expected"),
    [
        (None, (None, b"")),
        ("", (None, b"")),
        (FORM, (FORM, b"")),
        (f"{FORM}; charset=UTF-8", (FORM, b"")),
        (f"{FORM};charset=utf8", (FORM, b"")),
        ("Application/JSON", (JSON, b"")),
        ('application/json; charset="utf-8"', (JSON, b"")),
        ("multipart/form-data; boundary=abc", (MULTIPART, b"abc")),
        ('multipart/form-data; boundary="a b"', (MULTIPART, b"a b")),
    ],
)
def test_three_kinds_of_body_are_known(content_type: str | None, expected: tuple[str | None, bytes]) -> None:
    """By their media type; UTF-8 may be said."""
    assert read_media_type("POST", content_type, None) == expected


@pytest.mark.parametrize(
    ("method", "content_type", "encoding", "header"),
    [
        ("POST", "text/plain", None, "Accept-Post"),
        ("PATCH", "application/merge-patch+json", None, "Accept-Patch"),
        ("PUT", "text/html", None, "Accept"),
        ("POST", "nonsense", None, "Accept"),
        ("POST", "application/json; charset=utf-16", None, "Accept-Post"),
        ("POST", f"{FORM}; charset=iso-8859-1", None, "Accept-Post"),
        ("POST", FORM, "gzip", "Accept-Encoding"),
        ("POST", None, "br", "Accept-Encoding"),
    ],
)
def test_other_bodies_are_refused(method: str, content_type: str | None, encoding: str | None, header: str) -> None:
    """And the answer says what would be taken (RFC 9110 15.5.16)."""
    with pytest.raises(Rejected) as caught:
        read_media_type(method, content_type, encoding)

    assert caught.value.status == 415
    assert header in dict(caught.value.headers)


def test_identity_is_no_coding() -> None:
    """Some clients say that they did nothing."""
    assert read_media_type("POST", FORM, " Identity ") == (FORM, b"")


def test_a_multipart_form_needs_its_boundary() -> None:
    """Without it the body cannot be read."""
    with pytest.raises(Rejected, match="boundary"):
        read_media_type("POST", MULTIPART, None)


def test_a_body_is_read_to_its_end() -> None:
    """In pieces, up to the limit."""
    wire = Wire(b"a" * MAX_BYTES, b"")

    assert asyncio.run(read_body(wire, str(MAX_BYTES))) == b"a" * MAX_BYTES


def test_a_call_may_allow_a_longer_body() -> None:
    """Up to its own limit, and not a byte more, declared or not."""
    more = 2 * MAX_BYTES

    assert asyncio.run(read_body(Wire(b"a" * more), str(more), max_bytes=more)) == b"a" * more
    for declared in (None, str(more + 1)):
        with pytest.raises(Rejected, match=str(more)) as caught:
            asyncio.run(read_body(Wire(b"a" * (more + 1)), declared, max_bytes=more))

        assert caught.value.status == 413


@pytest.mark.parametrize("declared", [None, "10", "nonsense", "²"])
def test_a_body_is_counted_while_it_is_read(declared: str | None) -> None:
    """Whatever its length was said to be; the rest is not read."""
    wire = Wire(b"a" * MAX_BYTES, b"a", b"a" * 1_000)
    with pytest.raises(Rejected) as caught:
        asyncio.run(read_body(wire, declared))

    assert caught.value.status == 413
    assert wire.asked == 2


@pytest.mark.parametrize(
    ("declared", "closes"), [(MAX_BYTES + 1, False), (MAX_SKIPPED_BYTES + 1, True), (10**18, True)]
)
def test_a_body_that_says_it_is_too_long_is_not_read(declared: int, *, closes: bool) -> None:
    """The client is answered before it sends, and only loses the connection where skipping would take long."""
    wire = Wire(b"")
    with pytest.raises(Rejected) as caught:
        asyncio.run(read_body(wire, str(declared)))

    assert caught.value.status == 413
    assert (("Connection", "close") in caught.value.headers) is closes
    assert wire.asked == 0


def test_a_client_that_hangs_up_is_gone() -> None:
    """Half a body is none."""
    with pytest.raises(ClientGone):
        asyncio.run(read_body(Wire(b"a", ends=False), None))


def test_a_body_that_does_not_come_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """A connection is not held for a byte now and then."""
    monkeypatch.setattr(module, "MAX_SECONDS", 0.01)

    async def never() -> MutableMapping[str, Any]:
        await asyncio.Event().wait()
        raise AssertionError

    with pytest.raises(Rejected) as caught:
        asyncio.run(read_body(never, None))

    assert caught.value.status == 400
    assert ("Connection", "close") in caught.value.headers


@pytest.mark.parametrize(
    ("body", "media_type", "expected"),
    [
        (b"", None, {}),
        (b"", FORM, {}),
        (b"", MULTIPART, {}),
        (b"a=1", None, {"a": "1"}),
        (b"a=1", FORM, {"a": "1"}),
        (b'{"a":1}', JSON, {"a": 1}),
        (b'--B\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--B--\r\n', MULTIPART, {"a": "1"}),
    ],
)
def test_fields_come_out_of_each_kind(body: bytes, media_type: str | None, expected: dict[str, Any]) -> None:
    """A body of no kind is a form, and an empty one has no fields."""
    assert parse_body(body, media_type, b"B") == expected


def test_an_empty_body_is_no_json() -> None:
    """A client that says JSON sends JSON."""
    with pytest.raises(Rejected):
        parse_body(b"", JSON, b"")
