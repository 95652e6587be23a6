"""Whatever one client sends, reading it costs little; tests/fault/test_event_loop_lag.py sends it to a real server."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from ipaddress import ip_network
from typing import Final

import pytest
from httptools import HttpParserInvalidURLError

from pagegrade.model.errors import InvalidInput
from pagegrade.model.monitors import MAX_CONDITION
from pagegrade.model.outcome import IgnoreRule
from pagegrade.parse.html.place_matching import split_selector, url_matches
from pagegrade.parse.mail import domain_of
from pagegrade.parse.url import host, parse_target_url, project_of
from pagegrade.render.i18n import choose_locale
from pagegrade.service.ignores.validation import find_violations
from pagegrade.service.monitors.operations import read_budgets, read_schedule, read_timezone
from pagegrade.service.reports.batches import read_url_list, read_urls
from pagegrade.service.webhooks.operations import read_webhook
from pagegrade.store.repositories.search import search_patterns
from pagegrade.web.app import negotiate_gzip
from pagegrade.web.http.body import JSON, MULTIPART, parse_body, parse_pairs, parse_parameters, read_media_type
from pagegrade.web.http.fields import UnreadableError
from pagegrade.web.http.request_headers import (
    accepts_json,
    bearer_key,
    client_address,
    is_unchanged,
    may_change,
    preferred,
    preferred_by_program,
)
from pagegrade.web.http.response import Response
from pagegrade.web.pages.account.sign_in import own_place
from pagegrade.web.paging import read_cursor
from pagegrade.web.parameters import read_members, read_moment
from pagegrade.web.problems import Rejected
from pagegrade.web.request import parse_prefer, unknown_warnings, with_lists
from pagegrade.web.server.limits import RefusedError
from pagegrade.web.server.protocol import check_headers, read_target
from pagegrade.web.session_cookie import read_cookies
from tests.contract.hostile_requests import (
    SHAPES,
    fill,
    headers_read,
    multipart,
)
from tests.linear import MAX_RATIO, growth
from tests.web.calling import OPTIONS

MEASURED: Final = 16_000
"""Characters of the shortest input; the longest has four times as many, which is more than a head may have."""
CHEAP_S: Final = 0.004
"""Processor time of the longest input below which nothing is compared: no request is delayed by so little."""


def multiparts(text: str) -> None:
    """All the hostile multipart bodies of one shape."""
    for _, body in multipart(text[:16], len(text)):
        with contextlib.suppress(Rejected):
            parse_body(body, MULTIPART, b"B")


REFUSALS: Final = (HttpParserInvalidURLError, InvalidInput, RefusedError, Rejected)
"""Errors that a parser raises about a value it does not accept; any other error fails the test."""


def bytes_of(text: str) -> bytes:
    """As it stands on the wire."""
    return text.encode("latin-1", "replace")


def unreadable(read: Callable[[str], object], text: str) -> None:
    """Let a function read a text that most often is nothing it knows."""
    with contextlib.suppress(UnreadableError):
        read(text)


PARSERS: Final[dict[str, tuple[Callable[[str], object], tuple[str, ...]]]] = {
    "media type": (lambda text: read_media_type("POST", f"multipart/form-data; {text}", None), ("content-type",)),
    "quoted parameter": (lambda text: parse_parameters(f'multipart/form-data; boundary="{text}'), ("content-type",)),
    "boundary": (lambda text: parse_body(bytes_of(f"--{text}\r\n\r\n"), MULTIPART, bytes_of(text)), ()),
    "content coding": (lambda text: read_media_type("POST", None, text), ("content-encoding",)),
    "accept": (accepts_json, ("accept",)),
    "accept of pages": (lambda text: preferred(text, ("text/html", "application/json")), ("accept",)),
    "accept-language": (lambda text: choose_locale(None, text), ("accept-language",)),
    "accept-encoding": (
        lambda text: negotiate_gzip(Response(content=b"x" * 2_000, media_type="text/html"), text, None),
        ("accept-encoding",),
    ),
    "prefer": (parse_prefer, ("prefer",)),
    "if-match": (
        lambda text: may_change(text, None, None, etag='"1-1"', modified_ms=1),
        ("if-match", "if-none-match", "if-unmodified-since"),
    ),
    "dates": (
        lambda text: is_unchanged(None, text, etag='"1-1"', modified_ms=1),
        ("if-modified-since", "if-unmodified-since"),
    ),
    "forwarded": (
        lambda text: client_address("127.0.0.1", text, [ip_network("127.0.0.0/8"), ip_network("::1/128")]),
        ("x-forwarded-for",),
    ),
    "key": (lambda text: bearer_key(f"Bearer {text}"), ("authorization",)),
    "cookies": (lambda text: read_cookies(lambda _name: text, "session", "http://h"), ("cookie",)),
    "target": (lambda text: read_target(bytes_of(f"/{text}")), ()),
    "host": (lambda text: check_headers([(b"host", bytes_of(text))], "1.1"), ()),
    "host of metrics": (lambda text: host(f"http://{text}/"), ("host",)),
    "pairs": (lambda text: parse_pairs(bytes_of(text), "The form"), ()),
    "JSON": (lambda text: parse_body(text.encode(), JSON, b""), ()),
    "JSON array": (lambda text: parse_body(f'{{"url":[{text}'.encode(), JSON, b""), ()),
    "multipart": (multiparts, ()),
    "URL": (lambda text: parse_target_url(f"https://{text}"), ()),
    "URL without a scheme": (parse_target_url, ()),
    "longest URL": (lambda text: parse_target_url(f"https://{text[:2_040]}"), ()),
    "host of a URL": (lambda text: parse_target_url(f"https://{text[:1_000]}.example/"), ()),
    "project": (lambda text: project_of(text[:2_048]), ()),
    "search": (search_patterns, ()),
    "list of URLs": (lambda text: read_url_list(text, OPTIONS), ()),
    "place after signing in": (own_place, ()),
    "accept of programs": (lambda text: preferred_by_program(text, ("application/json", "text/html")), ("accept",)),
    "cursor": (lambda text: unreadable(read_cursor, text), ()),
    "point in time": (lambda text: unreadable(read_moment, text), ()),
    "members": (lambda text: unreadable(read_members, text), ()),
    "unknown names": (lambda text: list(unknown_warnings([text] * 1_000, ("url", "privacy"))), ()),
    "list in a form": (lambda text: with_lists({}, text.encode(), ("urls",)), ()),
    "URLs of a batch": (lambda text: read_urls([text, f" {text} "], OPTIONS), ()),
    "schedule": (lambda text: read_schedule(text, []), ()),
    "schedule with fields": (lambda text: read_schedule(f"{text[:40]} * * * {text[:40]}", []), ()),
    "time zone": (lambda text: read_timezone(text, []), ()),
    "budgets": (lambda text: read_budgets((text, text), []), ()),
    "one budget": (lambda text: read_budgets((f"score{text[: MAX_CONDITION - 20]} for 2",), []), ()),
    "ignore rule": (
        lambda text: find_violations(
            IgnoreRule(check=text, reason=text, selector=text, url_pattern=text, project=text, state=text)
        ),
        (),
    ),
    "selector of a rule": (split_selector, ()),
    "URL pattern of a rule": (lambda text: url_matches(f"https://a.example/{text}", f"https://{text}*"), ()),
    "stars of a rule": (lambda text: url_matches(text[:2_048] + "!", "*".join(text[:250])), ()),
    "webhook": (
        lambda text: read_webhook(kind=None, url=text, events=[text] * 10, project=text, options=OPTIONS),
        (),
    ),
    "recipient": (lambda text: domain_of(f"a@{text[:250]}"), ()),
    "recipient of any length": (domain_of, ()),
}
"""Parsers of a value that a client chooses -> the function, and the headers it reads."""
COMPARED: Final = frozenset(
    {"forwarded", "access-control-request-method", "content-length", "origin", "sec-fetch-site", "referer"}
)
"""Headers that are compared as a whole, or matched by one expression of bounded length."""
PRESENT: Final = frozenset(
    {
        *("via", "x-real-ip", "x-client-ip", "x-cluster-client-ip", "true-client-ip", "cf-connecting-ip"),
        *("fastly-client-ip", "x-original-forwarded-for", "x-envoy-external-address"),
        *(f"x-forwarded-{part}" for part in ("host", "proto", "server", "port")),
    }
)
"""Headers of which only their presence counts."""
AGENTS: Final = frozenset({"mcp-protocol-version", "mcp-method", "mcp-name"})
"""Headers that a library reads in a whole request, which is measured as such."""
BOUNDED: Final = frozenset({"idempotency-key", "x-request-id", "traceparent", "user-agent"})


def growth_of(read: Callable[[str], object], shape: str, size: int = MEASURED, *, settled: bool = False) -> float:
    """Growth of the processor time of reading the shape, whether it is accepted or refused."""
    texts = {factor * size: fill(shape, factor * size) for factor in (1, 2, 4)}

    def attempt(characters: int) -> None:
        with contextlib.suppress(*REFUSALS):
            read(texts[characters])

    return growth(attempt, size, cheap_s=CHEAP_S, settled=settled)


@pytest.mark.parametrize("name", PARSERS)
def test_reading_what_a_client_sends_costs_linear_time(name: str) -> None:
    """Four times as much of any shape takes about four times as long."""
    read, _ = PARSERS[name]

    grown = {shape: growth_of(read, shape) for shape in SHAPES}

    assert {shape: ratio for shape, ratio in grown.items() if ratio > MAX_RATIO} == {}


def test_a_quadratic_parser_is_noticed() -> None:
    """The standard library's own is one: this test would be worthless if it passed."""
    from email.message import Message

    def read(text: str) -> object:
        header = Message()
        header["Content-Type"] = f'multipart/form-data; boundary="{text}'
        return header.get_param("boundary")

    assert growth_of(read, ";", MEASURED // 8, settled=True) > MAX_RATIO


def test_every_header_that_is_read_has_a_row() -> None:
    """A new one is measured, or compared as a whole, or matched with a bound on its length."""
    measured = {header for _, headers in PARSERS.values() for header in headers}

    assert headers_read() == measured | COMPARED | BOUNDED | PRESENT | AGENTS
