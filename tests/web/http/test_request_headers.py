from __future__ import annotations

from ipaddress import ip_network

import pytest

from pagegrade.web.http.request_headers import (
    HTML,
    JSON,
    LONGEST,
    MAX_ADDRESS_CHARACTERS,
    MAX_CHARACTERS,
    MAX_DATE_CHARACTERS,
    MAX_HOPS,
    MAX_KEY_CHARACTERS,
    accepts_json,
    bearer_key,
    client_address,
    http_date,
    is_unchanged,
    limited_as,
    may_change,
    preferred,
    preferred_by_program,
)

FIREFOX = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"


@pytest.mark.parametrize(
    ("accept", "chosen"),
    [
        (None, HTML),
        ("", HTML),
        ("*/*", HTML),
        (FIREFOX, HTML),
        ("application/json", JSON),
        ("application/json, text/html;q=0.9", JSON),
        ("application/json;q=0.5, text/html", HTML),
        ("text/*;q=0.1, application/*", JSON),
        ("*/*, text/html;q=0", JSON),
        ("text/html;q=zero, application/json;q=0.1", JSON),
        ("image/png", HTML),
        (f"application/json, {'x' * LONGEST}", HTML),
    ],
)
def test_the_client_gets_what_it_would_rather_have(accept: str | None, chosen: str) -> None:
    """The first offer where it does not mind, or likes none."""
    assert preferred(accept, (HTML, JSON)) == chosen


def test_the_first_offer_wins_a_tie() -> None:
    """A program that accepts anything gets what programs read, where that is offered first."""
    assert preferred("*/*", (JSON, HTML)) == JSON
    assert preferred(FIREFOX, (JSON, HTML)) == HTML


@pytest.mark.parametrize(
    "accept",
    [
        None,
        "",
        "*/*",
        "application/json",
        "application/json; charset=utf-8",
        "APPLICATION/JSON",
        "application/*",
        "application/problem+json",
        "text/html, application/json;q=0.1",
        "text/html;q=0.9, */*;q=0.1",
        "text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2",
        "*/*;q=0, application/json",
        "nonsense",
        ";;;,,,",
        "application/json;q=high, */*",
        "text/html," * LONGEST,
    ],
    ids=str,
)
def test_json_is_accepted(accept: str | None) -> None:
    """A client that sends nothing, nothing readable, or something that covers JSON gets it."""
    assert accepts_json(accept)


@pytest.mark.parametrize(
    "accept",
    [
        "text/html",
        "text/*",
        "application/xml, text/html;q=0.9",
        "application/json;q=0",
        "application/json;q=0.0, */*",
        "application/*;q=0, */*",
        "*/*;q=0",
        "application/json;q=0, application/problem+json;q=0, */*;q=1",
        "image/*, application/jsonp",
    ],
)
def test_json_is_ruled_out(accept: str) -> None:
    """The most specific range decides, and a weight of 0 refuses (RFC 9110 12.4.2)."""
    assert not accepts_json(accept)


@pytest.mark.parametrize("weight", ["nan", "-1", "1.1", "inf", "1e400", ""])
def test_an_element_with_an_unreadable_weight_is_ignored(weight: str) -> None:
    """In every kind of negotiation."""
    assert preferred(f"text/html;q={weight}, application/json;q=0.1", (HTML, JSON)) == JSON
    assert preferred_by_program(f"text/html;q={weight}", (JSON, HTML)) == JSON
    assert accepts_json(f"text/html;q={weight}")


ETAG = '"1042-7"'
AT_MS = 1_767_225_600_500
AT = "Thu, 01 Jan 2026 00:00:00 GMT"
BEFORE = "Wed, 31 Dec 2025 23:59:59 GMT"


def test_dates_are_cut_to_the_second() -> None:
    """HTTP knows no fractions (RFC 9110 5.6.7)."""
    assert http_date(AT_MS) == AT


@pytest.mark.parametrize(
    ("if_none_match", "if_modified_since", "expected"),
    [
        (None, None, False),
        (ETAG, None, True),
        (f"W/{ETAG}", None, True),
        (f'"1-1", W/"2,2" , {ETAG}', None, True),
        ("*", None, True),
        ('"1042-6"', None, False),
        ("1042-7", None, False),
        ("", None, False),
        (None, AT, True),
        (None, BEFORE, False),
        (None, "Thursday, 01-Jan-26 00:00:00 GMT", True),
        (None, "yesterday", False),
        (None, "Thu, 99 Jan 2026 00:00:00 GMT", False),
        ('"1042-6"', AT, False),
    ],
)
def test_unchanged_is_what_the_client_has(
    if_none_match: str | None, if_modified_since: str | None, *, expected: bool
) -> None:
    """Tags compare weakly, and where there is one the date does not count (RFC 9110 13.1.2, 13.2.2)."""
    assert is_unchanged(if_none_match, if_modified_since, etag=ETAG, modified_ms=AT_MS) is expected


def test_a_date_has_no_effect_where_none_is_known() -> None:
    """A list has no time of its own."""
    assert not is_unchanged(None, AT, etag=ETAG, modified_ms=None)


@pytest.mark.parametrize(
    ("if_match", "if_none_match", "if_unmodified_since", "expected"),
    [
        (None, None, None, True),
        (ETAG, None, None, True),
        ("*", None, None, True),
        (f'"x", {ETAG}', None, None, True),
        (f"W/{ETAG}", None, None, False),
        ('"1042-6"', None, None, False),
        ("", None, None, False),
        (None, "*", None, False),
        (None, ETAG, None, False),
        (None, '"1042-6"', None, True),
        (None, None, AT, True),
        (None, None, BEFORE, False),
        (None, None, "nonsense", True),
        (ETAG, None, BEFORE, True),
    ],
)
def test_a_change_needs_the_newest_state(
    if_match: str | None, if_none_match: str | None, if_unmodified_since: str | None, *, expected: bool
) -> None:
    """Tags compare strongly for changes, and where there is one the date does not count (RFC 9110 13.1.1, 13.1.4)."""
    assert may_change(if_match, if_none_match, if_unmodified_since, etag=ETAG, modified_ms=AT_MS) is expected


def test_the_length_of_a_list_of_tags_is_bounded() -> None:
    """At the limit ours is found, and one past it the client gets everything anew, or its change is refused."""
    blanks = " " * (MAX_CHARACTERS - len(ETAG))

    assert is_unchanged(blanks + ETAG, None, etag=ETAG, modified_ms=None)
    assert not is_unchanged(blanks + " " + ETAG, None, etag=ETAG, modified_ms=None)
    assert not may_change(blanks + " " + ETAG, None, None, etag=ETAG, modified_ms=AT_MS)


def test_the_length_of_a_date_is_bounded() -> None:
    """At the limit, and one past it."""
    blanks = " " * (MAX_DATE_CHARACTERS - len(AT))

    assert is_unchanged(None, blanks + AT, etag=ETAG, modified_ms=AT_MS)
    assert not is_unchanged(None, blanks + " " + AT, etag=ETAG, modified_ms=AT_MS)


PROXIES = (ip_network("10.0.0.0/8"), ip_network("2001:db8::/32"))


@pytest.mark.parametrize(
    ("peer", "forwarded", "expected"),
    [
        ("198.51.100.9", None, "198.51.100.9"),
        ("198.51.100.9", "1.2.3.4", "198.51.100.9"),
        ("10.0.0.1", None, "10.0.0.1"),
        ("10.0.0.1", "1.2.3.4", "1.2.3.4"),
        ("10.0.0.1", "6.6.6.6, 1.2.3.4", "1.2.3.4"),
        ("10.0.0.1", "6.6.6.6, 1.2.3.4, 10.0.0.2", "1.2.3.4"),
        ("10.0.0.1", "10.0.0.3, 10.0.0.2", "10.0.0.3"),
        ("::ffff:10.0.0.1", "1.2.3.4:5678", "1.2.3.4"),
        ("2001:db8::1", "[2606:4700::1]:443", "2606:4700::1"),
        ("10.0.0.1", "1.2.3.4, unknown", "10.0.0.1"),
        ("10.0.0.1", "", "10.0.0.1"),
        ("", "1.2.3.4", ""),
    ],
)
def test_only_our_own_proxies_are_believed(peer: str, forwarded: str | None, expected: str) -> None:
    """From the right, as far as a proxy of ours said it; the rest is the client's invention."""
    assert client_address(peer, forwarded, PROXIES) == expected


def test_forwarded_addresses_are_ignored_without_trusted_proxies() -> None:
    """Every client can send the header."""
    assert client_address("10.0.0.1", "1.2.3.4", ()) == "10.0.0.1"


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("198.51.100.9", "198.51.100.9"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("::ffff:198.51.100.9", "::ffff:198.51.100.9"),
        ("", ""),
    ],
)
def test_an_ipv6_client_counts_by_its_network(address: str, expected: str) -> None:
    """It has 2**64 addresses to change between."""
    assert limited_as(address) == expected


@pytest.mark.parametrize(
    ("authorization", "expected"),
    [
        (None, (None, False)),
        ("", (None, False)),
        ("Basic YTpi", (None, False)),
        ("Bearer", (None, False)),
        ("Bearer   ", (None, False)),
        ("Token abc", (None, False)),
        ("Bearer abc", ("abc", True)),
        ("bearer  abc ", ("abc", True)),
        ("Bearer a b", (None, True)),
        ("Bearer a, Bearer b", (None, True)),
        ("Bearer clé", (None, True)),
        ("Bearer a\x00b", (None, True)),
        ("Bearer " + "a" * MAX_KEY_CHARACTERS, ("a" * MAX_KEY_CHARACTERS, True)),
        ("Bearer " + "a" * (MAX_KEY_CHARACTERS + 1), (None, True)),
        ("Bearer " + "a" * 1_000_000, (None, True)),
    ],
    ids=lambda value: f"{len(str(value))} {str(value)[:30]}",
)
def test_a_key_is_what_bearer_says(authorization: str | None, expected: tuple[str | None, bool]) -> None:
    """Nothing else authenticates, and what no key can be is no key, however long it is."""
    assert bearer_key(authorization) == expected


def test_the_number_of_hops_is_bounded() -> None:
    """As many of our proxies as are followed, and one more."""
    own = ["10.0.0.2"] * (MAX_HOPS - 1)

    assert client_address("10.0.0.1", ", ".join(["1.2.3.4", *own]), PROXIES) == "1.2.3.4"
    assert client_address("10.0.0.1", ", ".join(["1.2.3.4", "10.0.0.2", *own]), PROXIES) == "10.0.0.2"


def test_the_length_of_an_address_is_bounded() -> None:
    """At the limit, and one past it."""
    address = "1.2.3.4"
    blanks = " " * (MAX_ADDRESS_CHARACTERS - len(address))

    assert client_address("10.0.0.1", blanks + address, PROXIES) == address
    assert client_address("10.0.0.1", blanks + " " + address, PROXIES) == "10.0.0.1"
