"""Hosts, codings and targets: what is read, and what is refused."""

from __future__ import annotations

import httptools
import pytest

from pagegrade.web.server.refusals import BAD_CODING, BAD_HOST, BAD_TARGET, BAD_VERSION, Refusal, RefusedError
from pagegrade.web.server.request_head import check_headers, read_target

HOST = (b"host", b"a.example")


@pytest.mark.parametrize(
    ("headers", "version"),
    [
        ([HOST], "1.1"),
        ([(b"host", b"")], "1.1"),
        ([(b"host", b" [2001:db8::1]:8080 ")], "1.1"),
        ([], "1.0"),
        ([HOST, (b"transfer-encoding", b" Chunked ")], "1.1"),
    ],
)
def test_usual_heads_pass(headers: list[tuple[bytes, bytes]], version: str) -> None:
    """Heads that clients and proxies send."""
    check_headers(headers, version)


@pytest.mark.parametrize(
    ("headers", "version", "refusal"),
    [
        ([], "1.1", BAD_HOST),
        ([HOST, HOST], "1.1", BAD_HOST),
        ([HOST, HOST], "1.0", BAD_HOST),
        ([(b"host", b"user@a.example")], "1.1", BAD_HOST),
        ([(b"host", b"a.example/path")], "1.1", BAD_HOST),
        ([(b"host", b"a.example?query")], "1.1", BAD_HOST),
        ([(b"host", b"a.example b.example")], "1.1", BAD_HOST),
        ([(b"host", b"\xc3\xa4.example")], "1.1", BAD_HOST),
        ([HOST, (b"transfer-encoding", b"gzip, chunked")], "1.1", BAD_CODING),
        ([HOST, (b"transfer-encoding", b"chunked")], "1.0", BAD_CODING),
        ([HOST], "2.0", BAD_VERSION),
        ([HOST], "0.9", BAD_VERSION),
    ],
)
def test_ambiguous_heads_are_refused(headers: list[tuple[bytes, bytes]], version: str, refusal: Refusal) -> None:
    """Two programs that read them differently would take one request for two."""
    with pytest.raises(RefusedError) as refused:
        check_headers(headers, version)

    assert refused.value.refusal is refusal


@pytest.mark.parametrize(
    ("target", "parts"),
    [
        (b"/a%2Fb?c=d&e", ("/a%2Fb", b"c=d&e")),
        (b"https://evil.example/a", ("/a", b"")),
        (b"http://evil.example?a", ("/", b"a")),
        (b"//evil.example/a", ("//evil.example/a", b"")),
        (b"*", ("*", b"")),
    ],
)
def test_path_and_query_are_what_counts(target: bytes, parts: tuple[str, bytes]) -> None:
    """A host in the target changes nothing."""
    assert read_target(target) == parts


@pytest.mark.parametrize("target", [b"http://user@a/", b"http://a:b@c/", b"ftp://a/", b"javascript://a/"])
def test_targets_with_users_and_other_schemes_are_refused(target: bytes) -> None:
    """No regular client sends them."""
    with pytest.raises(RefusedError) as refused:
        read_target(target)

    assert refused.value.refusal is BAD_TARGET


@pytest.mark.parametrize("target", [b"@a/b", b"a/b", b"http:///a", b"?a"])
def test_what_is_no_target_is_an_error_of_the_parser(target: bytes) -> None:
    """The caller knows what to do with those."""
    with pytest.raises(httptools.HttpParserError):
        read_target(target)
