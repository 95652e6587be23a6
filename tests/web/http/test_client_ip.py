from __future__ import annotations

from ipaddress import ip_network

import pytest

from pagegrade.web.http.client_ip import (
    MAX_ADDRESS_CHARACTERS,
    MAX_HOPS,
    MAX_KEY_CHARACTERS,
    bearer_key,
    client_address,
    limited_as,
)

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
