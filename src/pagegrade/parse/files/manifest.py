"""Web app manifests: what a browser needs to put a page on the home screen.

Source: https://www.w3.org/TR/appmanifest/
"""

from __future__ import annotations

from typing import Final

import msgspec

from pagegrade.model.artifacts import ManifestFacts
from pagegrade.parse.url import join_url, origin

MAX_ICONS: Final = 200
MAX_SIZES: Final = 50
_MAX_TEXT: Final = 200
_DISPLAYS: Final = frozenset({"fullscreen", "standalone", "minimal-ui", "browser"})
_OVERRIDES: Final = _DISPLAYS | {"window-controls-overlay", "borderless", "tabbed"}
_ICON_TYPES: Final = frozenset({"image/png", "image/svg+xml", "image/webp"})
_OTHER_ICONS: Final = (".jpg", ".jpeg", ".gif", ".bmp", ".ico")
"""Browsers make no icon of an app from other formats."""


def read_manifest(body: bytes, url: str, page_url: str) -> ManifestFacts:
    """Read a manifest; never raises.

    Args:
        body: The whole file.
        url: Where it was found; its addresses resolve against that.
        page_url: The page that names it; the start address must have its origin.
    """
    text = body.removeprefix(b"\xef\xbb\xbf").strip()
    if not text:
        return ManifestFacts(error="empty")
    if text.startswith(b"<"):
        return ManifestFacts(error="html")
    try:
        data = msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return ManifestFacts(error="json")
    if not isinstance(data, dict):
        return ManifestFacts(error="no_object")
    start_url = _address(data.get("start_url"), url)
    return ManifestFacts(
        name=_text(data.get("name")),
        short_name=_text(data.get("short_name")),
        start_url=start_url,
        in_scope=None if start_url is None else _is_in_scope(start_url, data.get("scope"), url, page_url),
        display=_display(data),
        icon_sizes=_icon_sizes(data.get("icons")),
    )


def _text(value: object) -> str:
    return value.strip()[:_MAX_TEXT] if isinstance(value, str) else ""


def _address(value: object, base: str) -> str | None:
    return join_url(base, value) if isinstance(value, str) and value.strip() else None


def _is_in_scope(start_url: str, scope: object, url: str, page_url: str) -> bool:
    """On the page's origin, and under the scope; without one, the folder of the start address is the scope."""
    if origin(start_url) != origin(page_url):
        return False
    limit = _address(scope, url)
    if limit is None or origin(limit) != origin(page_url):
        return True
    return start_url.startswith(limit.partition("?")[0].partition("#")[0])


def _display(data: dict[str, object]) -> str:
    """The mode that counts: the first known override, else ``display``, else ``browser``."""
    overrides = data.get("display_override")
    for value in overrides[:MAX_SIZES] if isinstance(overrides, list) else ():
        if _text(value).lower() in _OVERRIDES:
            return _text(value).lower()
    display = _text(data.get("display")).lower()
    return display if display in _DISPLAYS else "browser"


def _icon_sizes(icons: object) -> tuple[str, ...]:
    """Sizes of the icons that may stand for the app anywhere."""
    found: dict[str, None] = {}
    if isinstance(icons, list):
        for icon in icons[:MAX_ICONS]:
            if isinstance(icon, dict) and isinstance(icon.get("sizes"), str) and _is_usable(icon):
                found.update(dict.fromkeys(icon["sizes"].lower()[:_MAX_TEXT].split()))
    return tuple(found)[:MAX_SIZES]


def _is_usable(icon: dict[str, object]) -> bool:
    """It has an address, a format that browsers take, and is not made for masks or one color alone."""
    source = _text(icon.get("src"))
    if not source or (icon.get("purpose") and "any" not in _text(icon["purpose"]).lower().split()):
        return False
    declared = _text(icon.get("type")).lower()
    if declared:
        return declared in _ICON_TYPES
    return not source.partition("?")[0].partition("#")[0].lower().endswith(_OTHER_ICONS)
