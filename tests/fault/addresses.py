"""Group B: classes of addresses, each tried at its borders and just outside, as DNS answers and as literals."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator
from string import ascii_lowercase
from typing import Final

from tests.fault.pages import OK
from tests.lab.case import Case, Place, Scene, Seen, Service, done, failed, refused
from tests.lab.names import Answer, records
from tests.lab.servers import page

RANGES: Final[tuple[tuple[str, tuple[str, ...]], ...]] = (
    ("B01", ("0.0.0.0/8",)),
    ("B02", ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16")),
    ("B03", ("100.64.0.0/10",)),
    ("B04", ("127.0.0.0/8",)),
    ("B05", ("169.254.0.0/16",)),
    ("B06", ("192.0.0.0/24",)),
    ("B07", ("192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24")),
    ("B08", ("192.31.196.0/24", "192.52.193.0/24", "192.175.48.0/24")),
    ("B09", ("192.88.99.0/24",)),
    ("B10", ("198.18.0.0/15",)),
    ("B11", ("224.0.0.0/4",)),
    ("B12", ("240.0.0.0/4",)),
    ("B13", ("::/128", "::1/128")),
    ("B14", ("::/96",)),
    ("B17", ("64:ff9b::/96", "64:ff9b:1::/48")),
    ("B18", ("100::/64",)),
    ("B19", ("2001::/23",)),
    ("B20", ("2001:db8::/32",)),
    ("B21", ("2002::/16",)),
    ("B22", ("2620:4f:8000::/48",)),
    ("B23", ("3fff::/20",)),
    ("B24", ("fc00::/7",)),
    ("B25", ("fe80::/10",)),
    ("B26", ("fec0::/10",)),
    ("B27", ("ff00::/8",)),
    ("B28", ("::1:0:0:0/80", "4000::/3", "8000::/1", "200::/7")),
)
"""Refused whole; the neighbours outside are allowed where no other range holds them."""
INSIDE: Final[tuple[tuple[str, str], ...]] = (
    ("B03", "100.100.100.200"),
    ("B05", "169.254.169.254"),
    ("B05", "169.254.170.2"),
    ("B11", "239.255.255.250"),
    ("B14", "::127.0.0.1"),
    ("B15", "::ffff:10.0.0.1"),
    ("B15", "::ffff:127.0.0.1"),
    ("B15", "::ffff:169.254.169.254"),
    ("B17", "64:ff9b::a00:1"),
    ("B17", "64:ff9b::808:808"),
    ("B19", "2001:0:7f00:1::1"),
    ("B21", "2002:a00:1::1"),
    ("B21", "2002:808:808::1"),
    ("B24", "fd00:ec2::254"),
    ("B05", "168.63.129.16"),
)
"""Well-known addresses of the inside, embedded ones among them."""
METADATA: Final = ("100.100.100.200", "169.254.169.254", "169.254.170.2", "168.63.129.16", "fd00:ec2::254")
"""Addresses at which clouds keep their secrets; a fetcher that only knows 127.0.0.1 reaches them."""


def cases() -> Iterator[Case]:
    """Rows B01 to B28."""
    networks = [ipaddress.ip_network(each) for _, ranges in RANGES for each in ranges]
    seen: set[str] = set()
    for row, ranges in RANGES:
        letters = _ids(row)
        for each in ranges:
            network = ipaddress.ip_network(each)
            first, last = network[0], network[-1]
            for address in (first, last):
                if str(address) not in seen:
                    seen.add(str(address))
                    yield _answer_refused(next(letters), str(address))
            yield _literal_refused(next(letters), str(first))
            for number in (int(first) - 1, int(last) + 1):
                outside = _address(number, network.version)
                if outside and str(outside) not in seen and _is_public(outside, networks):
                    seen.add(str(outside))
                    yield _answer_allowed(next(letters), str(outside))
    for number, (row, known) in enumerate(INSIDE):
        yield _answer_refused(f"{row}i{number}", known, trips=known in METADATA)
        yield _literal_refused(f"{row}l{number}", known)
    yield Case(
        id="B16",
        title="a public address in mapped form is dialled as IPv4",
        url=lambda place: f"http://[::ffff:{place.ip}]/",
        stage=lambda place: Scene(services=[Service(address=place.ip, port=80, script=page(OK))]),
        expect=done(),
        holds=[_dialled_v4],
    )


def _ids(row: str) -> Iterator[str]:
    return (row + letter for letter in ascii_lowercase)


def _address(number: int, version: int) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    if number < 0 or number >= 2 ** (32 if version == 4 else 128):
        return None
    return ipaddress.IPv4Address(number) if version == 4 else ipaddress.IPv6Address(number)


def _is_public(
    address: ipaddress.IPv4Address | ipaddress.IPv6Address,
    refused_networks: list[ipaddress.IPv4Network | ipaddress.IPv6Network],
) -> bool:
    if address.version == 6 and address not in ipaddress.ip_network("2000::/3"):
        return False
    return not any(address in network for network in refused_networks if network.version == address.version)


def _answer_refused(case_id: str, address: str, *, trips: bool = False) -> Case:
    return Case(
        id=case_id,
        title=f"a name that leads to {address}",
        stage=lambda place: Scene(zone={place.host: _record(address)}),
        expect=failed("address_not_allowed"),
        trips_naive=trips,
    )


def _literal_refused(case_id: str, address: str) -> Case:
    shown = f"[{address}]" if ":" in address else address
    return Case(
        id=case_id, title=f"the address {address} itself", url=f"http://{shown}/", expect=refused("URLNotAllowed")
    )


def _answer_allowed(case_id: str, address: str) -> Case:
    def stage(place: Place) -> Scene:
        return Scene(services=[Service(address=address, port=80, script=page(OK))], zone={place.host: _record(address)})

    return Case(id=case_id, title=f"{address}, just outside, is allowed", stage=stage, expect=done())


def _record(address: str) -> Answer:
    return records(aaaa=[address]) if ":" in address else records(a=[address])


def _dialled_v4(seen: Seen) -> str | None:
    return None if seen.records else "nothing connected to the IPv4 address"
