from __future__ import annotations

from ipaddress import ip_network

import pytest

from pagegrade.service.runs.politeness import address_targets, is_own_host, politeness_target

OWN = (ip_network("10.0.0.0/8"), ip_network("fd00::/8"))


@pytest.mark.parametrize(
    ("url", "target"),
    [
        ("https://www.shop.example.co.uk/a", "example.co.uk"),
        ("https://example.com:8443/", "example.com"),
        ("http://93.184.216.34/", "93.184.216.34"),
        ("http://[2606:4700::1111]/", "2606:4700::1111"),
        ("http://[::ffff:93.184.216.34]/", "93.184.216.34"),
        ("http://10.1.2.3:8000/", ""),
        ("http://[fd00::1]/", ""),
        ("http://[::ffff:10.1.2.3]/", ""),
    ],
)
def test_target_of_a_url(url: str, target: str) -> None:
    """Names count by what was registered, addresses in one spelling, and the operator's own not at all."""
    assert politeness_target(url, OWN) == target


def test_this_machine_is_known_without_a_look_up() -> None:
    """Localhost is the operator's own where loopback is allowed, and a name like any other elsewhere."""
    loopback = (ip_network("127.0.0.0/8"),)
    names = ("http://localhost:8000/", "http://app.localhost./", "http://localhost.example/")

    assert [politeness_target(name, loopback) for name in names] == ["", "", "localhost.example"]
    assert politeness_target("http://localhost:8000/", OWN) == "localhost"


def test_addresses_are_targets_once() -> None:
    """Spellings of one address are one target, and what is no address is none."""
    assert address_targets(["192.0.2.1", "::ffff:192.0.2.1", "2001:DB8::1", "nonsense"]) == ("192.0.2.1", "2001:db8::1")


def test_own_hosts_have_all_addresses_inside() -> None:
    """One public address among them, or none at all, and the host is not the operator's own."""
    assert is_own_host(["10.0.0.1", "fd00::1", "::ffff:10.9.9.9"], OWN)
    assert not is_own_host(["10.0.0.1", "192.0.2.1"], OWN)
    assert not is_own_host([], OWN)
    assert not is_own_host(["10.0.0.1"], ())
