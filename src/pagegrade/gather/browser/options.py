"""Options and limits of the rendered engine: devices and networks it imitates, the browser of this machine, time."""

from __future__ import annotations

import asyncio
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from pagegrade.model.access import Access
from pagegrade.model.artifacts import NotGathered
from pagegrade.model.identity import USER_AGENT
from pagegrade.model.rendering import Device

if TYPE_CHECKING:
    # A static analysis needs the options and none of the engine.
    pass

VISIT_S: Final = 120.0
MAX_MEMORY_BYTES: Final = 1_200_000_000
"""Of all processes of a browser together."""
NAMES: Final = (
    "chromium-headless-shell",
    "chrome-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
)
"""Commands that start a Chromium, the cheapest first."""
_PACKAGED: Final = {
    "chromium-headless-shell": "/usr/lib/chromium/chromium-headless-shell",
    "chromium": "/usr/lib/chromium/chromium",
    "google-chrome": "/opt/google/chrome/chrome",
    "google-chrome-stable": "/opt/google/chrome/chrome",
}
"""Programs behind the shell scripts of distributions, which would stand between us and the browser."""
HOW_TO_GET_ONE: Final = (
    "Install a Chromium (Debian: `apt install chromium-headless-shell`, Ubuntu: Google's package "
    "`google-chrome-stable`, since a snap cannot be isolated, "
    "Fedora: `dnf install chromium-headless`), or set PAGEGRADE_BROWSER to the path of one."
)
LOOK_S: Final = 20.0
"""Kept back for the look at the page after its last load; a third of a short visit."""


class DeviceProfile(msgspec.Struct, frozen=True, kw_only=True):
    """Screen and user agent of a device."""

    name: Device
    width_px: int
    height_px: int
    pixel_ratio: float
    mobile: bool
    platform: str
    """The part of the user agent between the parentheses."""

    def user_agent(self, browser: str, own: str = USER_AGENT) -> str:
        """Return the user agent: the browser's token, then who we are.

        Args:
            browser: Product as the browser says, such as ``HeadlessChrome/156.0.1.2``.
            own: User agent of all other requests.
        """
        major = browser.partition("/")[2].partition(".")[0] or "0"
        token = f"Chrome/{major}.0.0.0" + (" Mobile" if self.mobile else "")
        return f"Mozilla/5.0 ({self.platform}) AppleWebKit/537.36 (KHTML, like Gecko) {token} Safari/537.36 {own}"


DEVICES: Final[dict[Device, DeviceProfile]] = {
    "mobile": DeviceProfile(
        name="mobile",
        width_px=412,
        height_px=823,
        pixel_ratio=1.75,
        mobile=True,
        platform="Linux; Android 11; moto g power (2022)",
    ),
    "desktop": DeviceProfile(
        name="desktop", width_px=1350, height_px=940, pixel_ratio=1.0, mobile=False, platform="X11; Linux x86_64"
    ),
}


class NetworkShape(msgspec.Struct, frozen=True, kw_only=True):
    """Conditions of a line."""

    name: str
    round_trip_s: float
    """Added to each connection set-up; half of it to whatever is sent either way."""
    down_bytes_per_s: float | None
    """Shared by all connections; ``None`` for no limit."""
    up_bytes_per_s: float | None


SHAPES: Final = {
    shape.name: shape
    for shape in (
        NetworkShape(name="mobile", round_trip_s=0.150, down_bytes_per_s=204_800.0, up_bytes_per_s=96_000.0),
        NetworkShape(
            name="desktop", round_trip_s=0.040, down_bytes_per_s=10_240_000 / 8, up_bytes_per_s=10_240_000 / 8
        ),
        NetworkShape(name="none", round_trip_s=0.0, down_bytes_per_s=None, up_bytes_per_s=None),
    )
}


class Line:
    """One direction of a line that all connections of a browser share.

    Bytes that are sent at the same time are delivered one after the other; ``delivery`` says when.
    """

    def __init__(self, *, latency_s: float, bytes_per_s: float | None) -> None:
        self._latency_s = latency_s
        self._bytes_per_s = bytes_per_s
        self._free_at = 0.0

    def delivery(self, now: float, size: int) -> float:
        """Return the time at which the last of ``size`` bytes that are sent at ``now`` arrives (clock of the loop)."""
        if self._bytes_per_s is None:
            return now + self._latency_s
        self._free_at = max(now, self._free_at) + size / self._bytes_per_s
        return self._free_at + self._latency_s


async def wait_until(time: float) -> None:
    """Wait for a time on the clock of the loop."""
    delay = time - asyncio.get_running_loop().time()
    if delay > 0:
        await asyncio.sleep(delay)


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


def find_browser(path: str | None = None) -> Path | None:
    """Return the program of a Chromium.

    Args:
        path: What the operator chose, a path or the name of a command; ``None`` to look for one.

    Returns:
        An absolute path; ``None`` when there is none, or the chosen one cannot be run.
    """
    for name in NAMES if path is None else (path,):
        found = shutil.which(name)
        if found is not None:
            packaged = Path(_PACKAGED.get(Path(found).name, ""))
            is_script = _is_script(found)
            return packaged if is_script and packaged.is_file() and os.access(packaged, os.X_OK) else Path(found)
    return None


def _is_script(path: str) -> bool:
    try:
        with Path(path).open("rb") as file:
            return file.read(2) == b"#!"
    except OSError:
        return False


class TimeLimit:
    """The end of a visit, ``time_s`` seconds after it is made in a running event loop."""

    def __init__(self, time_s: float) -> None:
        self._clock = asyncio.get_running_loop().time
        self._end_s = self._clock() + time_s
        self._look_s = min(LOOK_S, time_s / 3)

    def left_s(self) -> float:
        """Return the seconds that are left; negative after the end."""
        return self._end_s - self._clock()

    def bounded(self, time_s: float) -> float:
        """Return at most ``time_s`` seconds and at most those that are left, but enough to fail in order."""
        return max(0.1, min(time_s, self.left_s()))

    def for_load_s(self, load_s: float) -> float:
        """Return the seconds of one load: at most ``load_s``, and never those of the look."""
        return max(0.1, min(load_s, self.left_s() - self._look_s))

    def has_time(self, slowest_s: float, *, loads: int) -> bool:
        """Return whether so many loads of ``slowest_s`` seconds, and the look, fit into the time that is left."""
        return self.left_s() >= loads * slowest_s + self._look_s


class RenderingFailed(Exception):
    """The page was not rendered; the report's other parts are not affected.

    Attributes:
        code: Code of ``NotGathered``: ``no_browser``, ``browser_sandbox``, ``browser_crash``, ``timeout``,
            ``too_large``, ``navigation``, ``internal``.
        detail: One sentence for people.
        reason: The finer cause; empty where there is none.
    """

    def __init__(self, code: str, detail: str, *, reason: str = "") -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail
        self.reason = reason

    def not_gathered(self) -> NotGathered:
        """Return the failure as the artifact that is missing."""
        return NotGathered(code=self.code, detail=self.detail, reason=self.reason)
