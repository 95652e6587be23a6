"""The address policy: every row of the registries, at both ends, in every spelling."""

from __future__ import annotations

import socket
from dataclasses import replace
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagegrade.gather.guard import (
    DEFAULT_PORTS,
    GLOBAL_IPV6,
    METADATA,
    REFUSED_IPV4,
    REFUSED_IPV6,
    Address,
    Guard,
    Network,
    Permit,
    Policy,
    Refusal,
    is_public,
    is_special_name,
    local_addresses,
)
from pagegrade.model.errors import InvalidInput
from pagegrade.parse.url import parse_target_url

# IANA IPv4 Special-Purpose Address Registry, every row, and the multicast block that has a registry of its own.
IANA_IPV4 = (
    "0.0.0.0/8", "0.0.0.0/32", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
    "192.0.0.0/24", "192.0.0.0/29", "192.0.0.8/32", "192.0.0.9/32", "192.0.0.10/32", "192.0.0.170/32",
    "192.0.0.171/32", "192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24", "192.168.0.0/16",
    "192.175.48.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
    "255.255.255.255/32",
)  # fmt: skip
# IANA IPv6 Special-Purpose Address Registry, every row but IPv4-mapped (checked as IPv4), and other reserved blocks.
IANA_IPV6 = (
    "::1/128", "::/128", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "100:0:0:1::/64", "2001::/23", "2001::/32",
    "2001:1::1/128", "2001:1::2/128", "2001:1::3/128", "2001:2::/48", "2001:3::/32", "2001:4:112::/48",
    "2001:10::/28", "2001:20::/28", "2001:30::/28", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20",
    "5f00::/16", "fc00::/7", "fe80::/10", "fec0::/10", "ff00::/8", "::/96", "200::/7", "4000::/3", "8000::/1",
)  # fmt: skip

JUST_OUTSIDE = (
    "1.0.0.0", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.0",
    "168.63.129.15", "168.63.129.17", "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0",
    "191.255.255.255", "192.0.1.0", "192.0.1.255", "192.0.3.0", "192.31.195.255", "192.31.197.0", "192.52.192.255",
    "192.52.194.0", "192.88.98.255", "192.88.100.0", "192.167.255.255", "192.169.0.0", "192.175.47.255",
    "192.175.49.0", "198.17.255.255", "198.20.0.0", "198.51.99.255", "198.51.101.0", "203.0.112.255", "203.0.114.0",
    "223.255.255.255", "2000::", "2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2001:200::",
    "2001:db7:ffff:ffff:ffff:ffff:ffff:ffff", "2001:db9::", "2001:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2003::",
    "2620:4f:7fff:ffff:ffff:ffff:ffff:ffff", "2620:4f:8001::", "3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
    "3fff:1000::",
)  # fmt: skip
OPEN = Guard(Policy(), own_addresses=())


def check(*addresses: str, policy: Policy | None = None, port: int = 443, host: str = "site.com") -> Permit | Refusal:
    """The verdict on addresses by a policy."""
    return Guard(policy or Policy(), own_addresses=()).check_addresses(host, port, addresses)


@pytest.mark.parametrize(
    ("host", "is_denied"),
    [
        ("shop.example", True),
        ("shop.example.", True),
        ("www.shop.example", True),
        ("a.b.shop.example", True),
        ("ashop.example", False),
        ("shop.example.com", False),
        ("example", False),
        ("198.105.4.5", True),
        ("198.105.4.50", False),
    ],
)
def test_denied_hosts_are_not_contacted_nor_what_lies_below_them(host: str, is_denied: bool) -> None:  # noqa: FBT001
    """Whatever asks for them: a redirect, too."""
    policy = Policy(deny_hosts=("shop.example", "198.105.4.5"))
    refusal = Guard(policy, own_addresses=()).check_url(f"https://{host}/")

    assert policy.is_denied(host) is is_denied
    assert (refusal is not None and "denies" in refusal.detail) is is_denied


@pytest.mark.parametrize("row", [*IANA_IPV4, *IANA_IPV6])
def test_every_registered_range_is_refused_at_both_ends(row: str) -> None:
    """First and last address of each row, plain and (for IPv4) mapped into IPv6."""
    network = ip_network(row)
    ends: list[Address] = [network[0], network[-1]]

    for end in ends:
        assert not is_public(end)
        assert isinstance(OPEN.check_addresses("site.com", 443, [end]), Refusal)
        if isinstance(end, IPv4Address):
            assert not is_public(IPv6Address(f"::ffff:{end}"))


@pytest.mark.parametrize("text", JUST_OUTSIDE)
def test_addresses_just_outside_are_public(text: str) -> None:
    """The neighbours of the rows are ordinary addresses and are allowed."""
    assert is_public(ip_address(text))
    assert isinstance(check(text), Permit)


@pytest.mark.parametrize("network", [*REFUSED_IPV4, *REFUSED_IPV6, GLOBAL_IPV6])
def test_both_sides_of_every_edge_of_our_tables_are_tested(network: Network) -> None:
    """The list of neighbours above is complete: what is next to a row is in it, or is in another row."""
    listed = {ip_address(text) for text in JUST_OUTSIDE}
    first, last = int(network[0]), int(network[-1])
    kind = IPv4Address if isinstance(network, IPv4Network) else IPv6Address
    highest = 2**network.max_prefixlen - 1
    neighbours = [kind(number) for number in (first - 1, last + 1) if 0 <= number <= highest]

    assert all(each in listed or not is_public(each) for each in neighbours)


@pytest.mark.parametrize(
    "text",
    [
        "168.63.129.16",
        "100.100.100.200",
        "169.254.169.254",
        "169.254.170.2",
        "::ffff:10.0.0.1",
        "::ffff:7f00:1",
        "::127.0.0.1",
        "64:ff9b::808:808",
        "64:ff9b::a00:1",
        "2002:808:808::1",
        "2002:a00:1::1",
        "2001:0:4136:e378::1",
        "fd00:ec2::254",
        "feff::1",
        "ff0e::1",
        "4000::1",
        "fe80::1%eth0",
        "2a00::1%eth0",
    ],
)
def test_addresses_that_look_harmless_are_refused(text: str) -> None:
    """Metadata, translated, tunnelled and scoped addresses."""
    assert isinstance(check(text), Refusal)


def test_a_mapped_public_address_is_dialled_as_ipv4() -> None:
    """Row B16."""
    permit = check("::ffff:8.8.8.8")

    assert isinstance(permit, Permit)
    assert permit.addresses == (IPv4Address("8.8.8.8"),)
    assert permit.is_public


def test_one_forbidden_address_refuses_the_name() -> None:
    """Whatever its place among the answers, also beyond those that would be dialled."""
    public = [f"11.0.0.{number}" for number in range(1, 12)]

    assert isinstance(check(*public, "10.0.0.1"), Refusal)
    assert isinstance(check("10.0.0.1", *public), Refusal)
    assert isinstance(check(), Refusal)


def test_at_most_eight_addresses_are_dialled() -> None:
    """Row C10."""
    permit = check(*(f"11.0.0.{number}" for number in range(1, 40)))

    assert isinstance(permit, Permit)
    assert len(permit.addresses) == 8


def test_a_refusal_does_not_contain_the_address() -> None:
    """Our refusals must not become a map of a private network (T7)."""
    refusals = {check(text) for text in ("10.0.0.1", "127.0.0.1", "::1", "169.254.169.254", "168.63.129.16", "junk")}

    assert len(refusals) == 1


@pytest.mark.parametrize("port", [22, 25, 0, 6379, 81, 65535])
def test_other_ports_are_refused(port: int) -> None:
    """By URL already, before anything is looked up, and by address again."""
    by_url = OPEN.check_url(f"http://site.com:{port}/")
    by_address = check("11.0.0.1", port=port)

    assert by_url is not None
    assert by_url.reason == "port"
    assert isinstance(by_address, Refusal)


@pytest.mark.parametrize("port", sorted(DEFAULT_PORTS))
def test_the_usual_ports_are_allowed(port: int) -> None:
    """80, 443, 8080 and 8443."""
    assert OPEN.check_url(f"http://site.com:{port}/") is None
    assert isinstance(check("11.0.0.1", port=port), Permit)


@pytest.mark.parametrize(
    "url",
    [
        "http://localhost/", "http://localhost./", "http://a.localhost/", "http://intranet/", "http://db/",
        "http://x.internal/", "http://printer.local/", "http://nas.home.arpa/", "http://x.onion/", "http://x.test/",
        "http://metadata.google.internal/", "http://kubernetes.default.svc/", "http://x.svc.cluster.local/",
        "http://1.0.0.127.in-addr.arpa/", "http://router.lan/", "ftp://site.com/", "file:///etc/passwd",
        "http://xn--a/", "about:blank", "nonsense", "",
    ],
)  # fmt: skip
def test_what_can_only_be_inside_is_refused_without_dns(url: str) -> None:
    """Row A34, A09, A21 and what no parser reads."""
    assert OPEN.check_url(url) is not None


@pytest.mark.parametrize("name", ["site.com", "test.site.com", "local.site", "xn--n3h.net", "localhost.com"])
def test_ordinary_names_are_not_special(name: str) -> None:
    """Only the last label counts."""
    assert not is_special_name(name)


OWN = Policy(allow_networks=(ip_network("10.1.0.0/16"), ip_network("fd12::/16")), typed_host="wiki.internal")


def own_guard(*addresses: str) -> Guard:
    """A guard after the typed host was found at these addresses."""
    guard = Guard(OWN, own_addresses=())
    assert guard.check_url("http://wiki.internal:9000/") is None
    guard.check_addresses("wiki.internal", 9000, addresses)
    return guard


def test_the_operators_networks_are_open_to_a_host_that_lies_there() -> None:
    """On any port, with what it names there; other addresses are still checked."""
    guard = own_guard("10.1.2.3", "fd12::1")

    assert guard.check_url("http://10.1.9.9:9000/") is None
    assert guard.check_url("http://files.internal/") is None
    assert guard.looks_up_local_names("files.internal")
    assert isinstance(guard.check_addresses("files.internal", 81, ["10.1.9.9"]), Permit)
    assert isinstance(guard.check_addresses("files.internal", 81, ["10.2.0.1"]), Refusal)
    assert isinstance(guard.check_addresses("site.com", 9000, ["11.0.0.1"]), Refusal)
    assert isinstance(guard.check_addresses("site.com", 80, ["11.0.0.1"]), Permit)


@pytest.mark.parametrize("addresses", [("11.0.0.1",), ("11.0.0.1", "10.1.2.3"), ("10.2.0.1",), ()])
def test_the_operators_networks_stay_closed_to_any_other(addresses: tuple[str, ...]) -> None:
    """Also to one with an address on either side, and whatever a name server answers later."""
    guard = own_guard(*addresses)

    assert guard.check_url("http://10.1.9.9/") is not None
    assert guard.check_url("http://files.internal/") is not None
    assert not guard.looks_up_local_names("files.internal")
    assert isinstance(guard.check_addresses("site.com", 80, ["10.1.9.9"]), Refusal)
    assert isinstance(guard.check_addresses("wiki.internal", 80, ["10.1.2.3"]), Refusal)


def test_a_guard_that_left_opens_nothing_again() -> None:
    """Neither the operator's networks nor a typed private server, not even with a permit of before."""
    typed = frozenset({("dev.box", 80)})
    guard = Guard(replace(OWN, typed_private=typed), own_addresses=())
    inside = guard.check_addresses("wiki.internal", 80, ["10.1.2.3"])
    box = guard.check_addresses("dev.box", 80, ["127.0.0.1"])

    assert isinstance(inside, Permit)
    assert isinstance(box, Permit)
    assert guard.is_inside("http://wiki.internal/")
    assert guard.is_inside("http://dev.box/page")
    assert guard.check_socket(socket.AF_INET, "10.1.2.3", 80, inside)

    guard.leave()

    assert guard.check_url("http://10.1.2.3/") is not None
    assert isinstance(guard.check_addresses("wiki.internal", 80, ["10.1.2.3"]), Refusal)
    assert not guard.check_socket(socket.AF_INET, "10.1.2.3", 80, inside)
    assert not guard.check_socket(socket.AF_INET, "127.0.0.1", 80, box)
    assert isinstance(guard.check_addresses("site.com", 80, ["11.0.0.1"]), Permit)


def test_denied_networks_are_refused() -> None:
    """An operator's own public addresses."""
    assert isinstance(check("11.0.0.1", policy=Policy(deny_networks=(ip_network("11.0.0.0/24"),))), Refusal)


def test_a_denied_network_wins_over_everything_that_allows_it() -> None:
    """An allowed network around it, or a host typed at the terminal; its neighbours stay as they are."""
    policy = Policy(
        allow_networks=(ip_network("10.0.0.0/8"),),
        deny_networks=(ip_network("10.0.5.0/24"), ip_network("127.0.0.0/8"), ip_network("64:ff9b::/96")),
        typed_private=frozenset({("dev.box", 3000)}),
        typed_host="site.com",
    )

    assert isinstance(check("10.0.4.255", policy=policy), Permit)
    assert isinstance(check("10.0.5.0", policy=policy), Refusal)
    assert isinstance(check("::ffff:10.0.5.255", policy=policy), Refusal)
    assert isinstance(check("10.0.6.0", policy=policy), Permit)
    assert isinstance(check("127.0.0.1", policy=policy, host="dev.box", port=3000), Refusal)


@pytest.mark.parametrize(
    ("own", "url", "refused"),
    [
        (("grade.com", 443), "https://grade.com/reports", True),
        (("grade.com", 443), "https://grade.com./", True),
        (("grade.com", 443), "http://grade.com/", True),
        (("grade.com", 443), "https://grade.com:8443/", False),
        (("grade.com", 443), "https://www.grade.com/", False),
        (("grade.com", 8080), "http://grade.com:8080/", True),
        (("grade.com", 8080), "http://grade.com/", False),
        (("11.0.0.1", 80), "http://11.0.0.1/", True),
        (("11.0.0.1", 80), "http://[::ffff:11.0.0.1]/", True),
        (("11.0.0.1", 80), "http://184549377/", True),
        (("11.0.0.1", 80), "http://11.0.0.2/", False),
    ],
)
def test_the_installation_is_refused_in_every_spelling(own: tuple[str, int], url: str, refused: bool) -> None:  # noqa: FBT001
    """By name and by address, also where a network around it is allowed; what is beside it is not."""
    for networks in ((), (ip_network("11.0.0.0/8"),)):
        guard = Guard(Policy(own_origins=frozenset({own}), allow_networks=networks), own_addresses=())

        assert (guard.check_url(parse_target_url(url).url) is not None) == refused


def test_whatever_has_the_address_of_the_installation_is_refused_at_its_ports() -> None:
    """Another name for it, and the socket at last; another port of the same machine may be another service."""
    guard = Guard(Policy(own_origins=frozenset({("grade.com", 443)})), own_addresses=())
    before = Permit("alias.com", 443, (ip_address("11.0.0.1"),))
    was_permitted = guard.check_socket(socket.AF_INET, "11.0.0.1", 443, before)
    guard.note_own(443, ["11.0.0.1", "2a00::1", "no address"])

    assert was_permitted
    assert isinstance(guard.check_addresses("alias.com", 443, ["11.0.0.1"]), Refusal)
    assert isinstance(guard.check_addresses("alias.com", 80, ["11.0.0.2", "2a00::1"]), Refusal)
    assert isinstance(guard.check_addresses("alias.com", 8443, ["11.0.0.1"]), Permit)
    assert isinstance(guard.check_addresses("alias.com", 443, ["11.0.0.2"]), Permit)
    assert not guard.check_socket(socket.AF_INET, "11.0.0.1", 443, before)


def test_own_addresses_are_refused() -> None:
    """The machine is not talked into asking itself over its public address (T21)."""
    guard = Guard(Policy(), own_addresses=[ip_address("11.0.0.1")])

    assert isinstance(guard.check_addresses("site.com", 443, ["11.0.0.1"]), Refusal)
    assert isinstance(guard.check_addresses("site.com", 443, ["11.0.0.2"]), Permit)


def test_the_machines_addresses_are_known() -> None:
    """On Linux the loopback address at least."""
    found = local_addresses()

    assert not found or ip_address("127.0.0.1") in found


def test_a_typed_private_target_is_exactly_that() -> None:
    """The pair of host and port that was typed at the terminal, and no other."""
    policy = Policy(typed_private=frozenset({("dev.box", 3000), ("127.0.0.1", 8000)}))
    guard = Guard(policy, own_addresses=())

    assert guard.check_url("http://dev.box:3000/") is None
    assert guard.check_url("http://127.0.0.1:8000/") is None
    assert guard.check_url("http://127.0.0.1:8001/") is not None
    assert guard.check_url("http://127.0.0.2:8000/") is not None
    assert guard.check_url("http://localhost:8000/") is not None
    assert isinstance(check("127.0.0.1", "::1", policy=policy, host="dev.box", port=3000), Permit)
    assert isinstance(check("127.0.0.1", policy=policy, host="dev.box", port=3001), Refusal)
    assert isinstance(check("11.0.0.1", policy=policy, host="dev.box", port=3000), Refusal)
    assert policy.looks_up_local_names("dev.box")
    assert not policy.looks_up_local_names("site.com")


@pytest.mark.parametrize(
    "text", ["169.254.169.254", "168.63.129.16", "224.0.0.1", "fe80::1", *sorted(map(str, METADATA))]
)
def test_metadata_is_refused_even_when_typed(text: str) -> None:
    """No page is developed there."""
    policy = Policy(typed_private=frozenset({("dev.box", 80)}))

    assert isinstance(check(text, policy=policy, host="dev.box", port=80), Refusal)


def test_a_socket_is_what_was_checked() -> None:
    """The last check before the connection: address, port and family, and the address once more."""
    permit = check("11.0.0.1", "2a00::1")

    assert isinstance(permit, Permit)

    assert OPEN.check_socket(socket.AF_INET, "11.0.0.1", 443, permit)
    assert OPEN.check_socket(socket.AF_INET6, "2a00::1", 443, permit)
    assert OPEN.check_socket(socket.AF_INET6, "::ffff:11.0.0.1", 443, permit)
    assert not OPEN.check_socket(socket.AF_INET, "11.0.0.2", 443, permit)
    assert not OPEN.check_socket(socket.AF_INET, "11.0.0.1", 80, permit)
    assert not OPEN.check_socket(socket.AF_UNIX, "11.0.0.1", 443, permit)
    assert not OPEN.check_socket(socket.AF_INET, "junk", 443, permit)
    assert not OPEN.check_socket(socket.AF_INET, "10.0.0.1", 443, Permit("site.com", 443, (IPv4Address("10.0.0.1"),)))


def spellings(number: int) -> list[str]:
    """Ways to write an IPv4 address that some reader understands."""
    a, b, c, d = number.to_bytes(4, "big")
    tail = (c << 8) | d
    return [
        f"{a}.{b}.{c}.{d}", f"{a}.{b}.{c}.{d}.", str(number), hex(number), f"0{number:o}", f"{a}.{number & 0xFFFFFF}",
        f"{a}.{b}.{tail}", f"0x{a:x}.0x{b:x}.0x{c:x}.0x{d:x}", f"0{a:o}.0{b:o}.0{c:o}.0{d:o}",
        f"[::ffff:{a}.{b}.{c}.{d}]", f"[::ffff:{a:x}{b:02x}:{c:x}{d:02x}]", f"[0:0:0:0:0:FFFF:{a:x}{b:02x}:{tail:x}]",
        "".join(chr(ord(digit) + 0xFEE0) for digit in f"{a}.{b}.{c}.{d}"), f"%3{a // 100 % 10}.0.0.1",
    ]  # fmt: skip


@given(st.sampled_from(REFUSED_IPV4), st.integers(0, 2**32 - 1))
def test_no_spelling_of_a_refused_address_gets_through(network: IPv4Network, offset: int) -> None:
    """The guard sees what the one parser makes of a URL, so spelling does not matter."""
    number = int(network[0]) + offset % network.num_addresses
    for host in spellings(number)[:-1]:
        try:
            url = parse_target_url(f"http://{host}/").url
        except InvalidInput:
            continue
        assert OPEN.check_url(url) is not None


@given(st.integers(0, 2**128 - 1))
def test_ipv6_outside_the_global_block_is_never_public(number: int) -> None:
    """Only mapped IPv4 and 2000::/3 can be."""
    address = IPv6Address(number)

    if address.ipv4_mapped is None and address not in IPv6Network("2000::/3"):
        assert not is_public(address)
