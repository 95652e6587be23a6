from __future__ import annotations

import pytest

from pagegrade.parse.secure_context import host_of, is_insecure_url, is_ip_address, is_local_host, is_private_host


@pytest.mark.parametrize(
    "host",
    ["localhost", "app.localhost", "127.0.0.1", "127.255.255.254", "[::1]", "nas.local", "abc.onion"],
)
def test_local_hosts(host: str) -> None:
    """This machine, the local network's names, onion services."""
    assert is_local_host(host)


@pytest.mark.parametrize(
    "host",
    [
        "example.com",
        "localhost.com",
        "local",
        "onion",
        "128.0.0.1",
        "127.example.com",
        "10.0.0.1",
        "[::2]",
        "[::ffff:7f00:1]",
        "",
    ],
)
def test_other_hosts_are_not_local(host: str) -> None:
    """Private addresses cross a network, and names only look like it."""
    assert not is_local_host(host)


@pytest.mark.parametrize(
    ("url", "host"),
    [("https://Example.com./x", "example.com"), ("http://[::1]:80/", "[::1]"), ("nonsense", ""), ("data:,x", "")],
)
def test_host_of_a_url(url: str, host: str) -> None:
    """Lower case, without port and final dot."""
    assert host_of(url) == host


@pytest.mark.parametrize(
    ("host", "expected"), [("192.0.2.1", True), ("[2001:db8::1]", True), ("1.example", False), ("", False)]
)
def test_addresses_and_names(host: str, expected: bool) -> None:  # noqa: FBT001
    """Only literals are addresses."""
    assert is_ip_address(host) is expected


@pytest.mark.parametrize(
    ("url", "expected"),
    [("http://a.test/", True), ("https://a.test/", False), ("http://localhost/", False), ("data:,x", False)],
)
def test_insecure_urls(url: str, expected: bool) -> None:  # noqa: FBT001
    """Plain HTTP to another machine."""
    assert is_insecure_url(url) is expected


@pytest.mark.parametrize(
    "host", "localhost localhost.localdomain a.local cms.internal a.home.arpa b.test a.lan hr.corp 10.1.2.3".split()
)
def test_names_set_aside_for_one_network(host: str) -> None:
    """Nobody outside can ask for them; names that only end alike are public."""
    assert is_private_host(host)
    assert not is_private_host(f"{host.removeprefix('10.')}s.example")
