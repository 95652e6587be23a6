"""All rows of the hostile-input matrix that the lab runs, and where the rest is covered."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tests.fault import (
    addresses,
    beside,
    deliveries,
    headers,
    http2,
    markup,
    names,
    own_networks,
    payloads,
    redirects,
    transport,
    typed,
    unpacking,
    urls,
)
from tests.lab.case import Case

GROUPS: Final = {
    "A": (urls, 34),
    "B": (addresses, 28),
    "C": (names, 15),
    "D": (redirects, 14),
    "E": (transport, 30),
    "F": (payloads, 24),
    "G": (markup, 18),
    "H": (headers, 10),
    "W": (deliveries, 10),
}
"""Group -> (module, number of rows)."""
MORE: Final = (http2, beside, typed, own_networks, unpacking)
"""Cases that the matrix does not number: abuses of HTTP/2, the files beside the page, typed private addresses, the
operator's own networks, pages that are large only in memory."""


def all_cases() -> Iterator[Case]:
    """Every case, in the order of the matrix."""
    for module in (*(module for module, _ in GROUPS.values()), *MORE):
        yield from module.cases()
