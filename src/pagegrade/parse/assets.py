"""The sub-resources that arrived, each with what it is used as and what it weighs: made once, read by many checks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

import msgspec

from pagegrade.model.artifacts import FontFace, Resource, Resources, Response
from pagegrade.model.document import Document
from pagegrade.parse.css.font_faces import find_font_faces
from pagegrade.parse.secure_context import host_of, is_ip_address, is_local_host

Purpose = Literal["script", "stylesheet", "image", "font", "frame", "media", "icon", "manifest", "other"]
_BY_KIND: Final[tuple[tuple[str, Purpose], ...]] = (
    ("stylesheet", "stylesheet"),
    ("script", "script"),
    ("image", "image"),
    ("font", "font"),
    ("frame", "frame"),
    ("media", "media"),
    ("icon", "icon"),
    ("manifest", "manifest"),
)
_BY_TYPE: Final[tuple[tuple[str, Purpose], ...]] = (
    ("text/css", "stylesheet"),
    ("text/javascript", "script"),
    ("application/javascript", "script"),
    ("application/x-javascript", "script"),
    ("image/", "image"),
    ("font/", "font"),
    ("application/font", "font"),
    ("application/x-font", "font"),
    ("video/", "media"),
    ("audio/", "media"),
)
_LIMITS: Final = frozenset({"count", "hosts", "bytes", "budget"})
NO_HOST: Final = "no such host"
_UNREACHABLE: Final = {
    "connect_refused": "connection refused",
    "connect_timeout": "no answer to the connection",
    "conn_reset": "connection broken off",
    "tls_error": "no secure connection",
}
"""Reason of a failure that is the server's -> what to call it."""
WITHOUT_ADDRESS: Final = frozenset({"", "dns_nxdomain", "dns_error"})
"""Reasons of look-ups that found nothing. Name servers of domains that were given up often fail."""
_NEEDS_A_NETWORK: Final = frozenset({"connect_timeout"})
"""Reasons that a machine without a network sees as well."""
_AIMED_AT_ROBOTS: Final = frozenset({401, 403, 407, 429, 451, 503})
"""Statuses by which other sites turn away programs or countries; browsers may get the file."""


class Asset(msgspec.Struct, frozen=True, kw_only=True):
    """A sub-resource that answered with a status of 200 to 299."""

    resource: Resource
    response: Response
    url: str
    """As referenced."""
    purpose: Purpose
    media_type: str
    """Declared, lower case, without parameters; "" when missing."""
    wire_bytes: int
    """Body bytes on the wire; what was seen of them where it was cut short."""
    first_party: bool
    in_html: bool
    """The HTML itself names it, not only a rule of a stylesheet."""
    certain: bool
    """The HTML itself makes a browser fetch it at once: no lazy or alternative one, and none that only a rule of a
    stylesheet may load."""


class Face(msgspec.Struct, frozen=True, kw_only=True):
    """A font face, and whose it is."""

    face: FontFace
    own: bool
    """It stands in the page, or in a stylesheet of the site's own domain."""


class Assets(msgspec.Struct, frozen=True, kw_only=True):
    """Files that arrived, and files that our own limits excluded."""

    items: tuple[Asset, ...]
    unseen: frozenset[str]
    """URLs that the HTML names for fetching at once, and that our limits kept us from fetching."""

    def of(self, *purposes: Purpose) -> list[Asset]:
        """Those that are used as one of ``purposes``."""
        return [item for item in self.items if item.purpose in purposes]


def read_assets(document: Document, resources: Resources) -> Assets:
    """Sort the sub-resources of a page. An HTML page in place of another kind of file is no asset but a mistake."""
    certain = {
        reference.url
        for reference in document.references
        if not reference.lazy and not reference.alternative and reference.kind != "icon"
    }
    items: list[Asset] = []
    for resource in resources.items:
        response = resource.response
        if response is None or not 200 <= response.status < 300:
            continue
        kind = (response.header("Content-Type") or "").partition(";")[0].strip().lower()
        purpose = _purpose(resource.kinds, kind)
        if kind in ("text/html", "application/xhtml+xml") and purpose not in ("frame", "other"):
            continue
        items.append(
            Asset(
                resource=resource,
                response=response,
                url=resource.url,
                purpose=purpose,
                media_type=kind,
                wire_bytes=response.wire_bytes or 0,
                first_party=resource.first_party,
                in_html=resource.initiator_url == document.url,
                certain=resource.url in certain,
            ),
        )
    unseen = frozenset(url for url, why in resources.not_fetched if why in _LIMITS and url in certain)
    return Assets(items=tuple(items), unseen=unseen)


def font_faces(document: Document, resources: Resources) -> tuple[Face, ...]:
    """Every font face of the page and of its fetched stylesheets."""
    own = {item.response.url: item.first_party for item in resources.items if item.response is not None}
    found: list[Face] = [
        Face(face=face, own=True)
        for style in document.styles
        for face in find_font_faces(style.text, stylesheet_url=document.url)
    ]
    found += [Face(face=face, own=own.get(face.stylesheet_url, False)) for face in resources.font_faces]
    return tuple(found)


def _purpose(kinds: Sequence[str], media_type: str) -> Purpose:
    """By its use; a preloaded file or an object by its declared type."""
    for kind, purpose in _BY_KIND:
        if kind in kinds:
            return purpose
    return next((purpose for prefix, purpose in _BY_TYPE if media_type.startswith(prefix)), "other")


def lost_files(resources: Resources, page_url: str) -> frozenset[str]:
    """URLs of the files that no browser gets either."""
    is_on_a_network = sees_names(resources, page_url)
    return frozenset(
        one.url for one in resources.items if (is_on_a_network or not may_lack_a_network(one)) and load_error(one)
    )


def load_error(item: Resource) -> str:
    """Describe why a file cannot be loaded; "" if it can, or if our own limits may have caused it."""
    response = item.response
    if response is None:
        reason = "" if item.failure is None else item.failure.reason
        return NO_HOST if _lacks_host(item) else _UNREACHABLE.get(reason, "")
    status = response.status
    if not 400 <= status <= 599 or status == 429:
        return ""
    if response.header("cf-mitigated") is not None or (not item.first_party and status in _AIMED_AT_ROBOTS):
        return ""
    return f"status {status}"


def sees_names(resources: Resources, page_url: str) -> bool:
    """Return whether any name could be looked up, so that a missing one is not for want of a network."""
    answered = (item.url for item in resources.items if item.response is not None)
    return any(map(takes_a_name_server, (page_url, *answered)))


def may_lack_a_network(item: Resource) -> bool:
    """Return whether its failure is one that a machine without a network sees as well."""
    return _lacks_host(item) or (item.failure is not None and item.failure.reason in _NEEDS_A_NETWORK)


def _lacks_host(item: Resource) -> bool:
    """Return whether its host does not exist, or the name servers fail whenever they are asked for it."""
    failure = item.failure
    return failure is not None and failure.code == "dns" and failure.reason in WITHOUT_ADDRESS


def takes_a_name_server(url: str) -> bool:
    """Return whether reaching ``url`` took a name server: no address, and no name of this machine."""
    name = host_of(url)
    return not is_ip_address(name) and not is_local_host(name)
