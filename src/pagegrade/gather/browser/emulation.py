"""Devices that the browser imitates, and network conditions that its proxy does: latency and bandwidth, below HTTP.

Emulation by the browser itself (``Network.emulateNetworkConditions``) delays requests after the fact and gives metrics
that differ five times as much from load to load; a delayed connection behaves like a slow line, handshakes included.

Sources: https://github.com/GoogleChrome/lighthouse/blob/main/core/config/constants.js (its emulated devices),
https://github.com/GoogleChrome/lighthouse/blob/main/docs/throttling.md (values of its mobile and desktop presets).
"""

from __future__ import annotations

import asyncio
from typing import Final

import msgspec

from pagegrade.model.identity import USER_AGENT
from pagegrade.model.rendering import Device


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
