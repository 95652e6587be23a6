"""Devices that the browser imitates.

Source: https://github.com/GoogleChrome/lighthouse/blob/main/core/config/constants.js (its emulated devices).
"""

from __future__ import annotations

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
