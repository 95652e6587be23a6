"""Options of the rendered engine."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from pagegrade.model.access import Access
from pagegrade.model.identity import USER_AGENT
from pagegrade.model.rendering import Device

if TYPE_CHECKING:
    # A static analysis needs the options and none of the engine.
    from pagegrade.gather.browser.emulation import DeviceProfile

VISIT_S: Final = 120.0
MAX_MEMORY_BYTES: Final = 1_200_000_000
"""Of all processes of a browser together."""


class ProxyLimits(msgspec.Struct, frozen=True, kw_only=True):
    """Amounts that a browser takes from the network in one run."""

    hosts: int = 80
    """Different (host, port) pairs."""
    connections: int = 400
    connections_at_once: int = 100
    down_bytes: int = 60_000_000
    up_bytes: int = 5_000_000
    connect_s: float = 10.0
    """For the look-up and the connection together."""


class RenderOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Options of one rendering."""

    program: Path
    """The browser."""
    device: Device = "mobile"
    network: str = "mobile"
    """Name of a network shape: ``mobile``, ``desktop`` or ``none``."""
    loads: int = 3
    cpu_slowdown: float = 1.0
    """Factor by which the browser slows the page's processor down, 1 to 20."""
    trace: Path | None = None
    """File that the trace of the last load is written to; ``None``: it is not kept."""
    time_s: float = VISIT_S
    """Wall clock for everything, the start of the browser included."""
    max_memory_bytes: int = MAX_MEMORY_BYTES
    limits: ProxyLimits = ProxyLimits()


class VisitOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Options of one visit."""

    device: DeviceProfile
    network: str
    access: Access | None = None
    """Access that goes with requests to its origins; ``None``: nothing."""
    user_agent: str = USER_AGENT
    """Of all other requests; the browser's own name comes before it."""
    loads: int = 3
    """Loads of the page, 1 to 5; metrics are their median."""
    cpu_slowdown: float = 1.0
    trace: Path | None = None
    """File for the trace of the last load, unless the time ends before it."""
    time_s: float
    """For all loads and the look; with too little of it, loads are left out or cut, and notes say so."""
    load_s: float = 45.0
    """For one load, the wait for quiet included."""
