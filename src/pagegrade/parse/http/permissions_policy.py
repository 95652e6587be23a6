"""Permissions Policy: which members of the header browsers act on, and which they skip.

Source: https://www.w3.org/TR/permissions-policy/#algo-construct-policy
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, Literal

import msgspec

from pagegrade.parse.http.structured_fields import Item, parse_dictionary

MAX_IGNORED: Final = 50
"""Parts without effect that are kept."""
MAX_SHOWN: Final = 100
_CLIENT_HINT: Final = "ch-"
_FEATURES: Final = frozenset(
    """
    accelerometer all-screens-capture ambient-light-sensor aria-notify attribution-reporting autofill autoplay battery
    bluetooth browsing-topics camera captured-surface-control clipboard-read clipboard-write compute-pressure
    controlled-frame cross-origin-isolated deferred-fetch deferred-fetch-minimal device-attributes
    digital-credentials-create digital-credentials-get direct-sockets direct-sockets-multicast direct-sockets-private
    display-capture document-domain encrypted-media execution-while-not-rendered execution-while-out-of-viewport
    fenced-unpartitioned-storage-read focus-without-user-activation fullscreen gamepad geolocation gyroscope hid
    identity-credentials-get idle-detection join-ad-interest-group keyboard-lock keyboard-map language-detector
    language-model local-fonts local-network local-network-access loopback-network magnetometer manual-text
    media-playback-while-not-visible microphone midi monetization navigation-override on-device-speech-recognition
    otp-credentials payment picture-in-picture popins private-aggregation private-state-token-issuance
    private-state-token-redemption proofreader publickey-credentials-create publickey-credentials-get
    record-ad-auction-events rewriter run-ad-auction screen-wake-lock serial shared-storage shared-storage-select-url
    smart-card speaker-selection storage-access sub-apps summarizer sync-script sync-xhr translator unload usb
    usb-unrestricted vertical-scroll web-app-installation web-printing web-share window-management writer
    xr-spatial-tracking
    """.split()
)
"""Features that a current browser knows, also behind a switch; client hints (``ch-``) come beside them.

Source: https://github.com/w3c/webappsec-permissions-policy/blob/main/features.md and the implementation in Chromium
"""
_ORIGIN: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://[^\s/?#]+.*")


class IgnoredMember(msgspec.Struct, frozen=True, kw_only=True):
    """A part of the header that browsers skip."""

    code: Literal["feature", "origin", "value"]
    """``feature``: no browser knows it; ``origin``: an address that is not in quotes or has no scheme; ``value``: none
    of ``*``, ``self`` and origins."""
    feature: str
    text: str
    """The feature or its value, at most ``MAX_SHOWN`` characters."""


class PermissionsPolicy(msgspec.Struct, frozen=True, kw_only=True):
    """Features that browsers take from the header."""

    features: tuple[str, ...] = ()
    """Known features that it sets, in order."""
    ignored: tuple[IgnoredMember, ...] = ()
    """In order, at most ``MAX_IGNORED``."""


def parse_permissions_policy(values: Iterable[str]) -> PermissionsPolicy | None:
    """Read the lines of the header in order; ``None`` when a mistake makes browsers ignore all of it."""
    members = parse_dictionary(values)
    if members is None:
        return None
    ignored: list[IgnoredMember] = []
    features: list[str] = []
    for name, items in members.items():
        if name in _FEATURES or name.startswith(_CLIENT_HINT):
            features.append(name)
            ignored += [one for item in items if (one := _ignored(name, item)) is not None]
        else:
            ignored.append(IgnoredMember(code="feature", feature=name[:MAX_SHOWN], text=name[:MAX_SHOWN]))
    return PermissionsPolicy(features=tuple(features), ignored=tuple(ignored[:MAX_IGNORED]))


def _ignored(feature: str, item: Item) -> IgnoredMember | None:
    """The member of a list, if browsers skip it."""
    is_address = _ORIGIN.fullmatch(item.text) is not None
    if (item.kind == "token" and item.text in {"*", "self"}) or (item.kind == "string" and is_address):
        return None
    code: Literal["origin", "value"] = "origin" if is_address or "." in item.text else "value"
    return IgnoredMember(code=code, feature=feature, text=item.text[:MAX_SHOWN])
