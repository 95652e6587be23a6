"""Software and versions that a response and its page name, and whether they are still supported."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from typing import Final

import msgspec

from pagegrade.model.artifacts import Response
from pagegrade.model.document import Document
from pagegrade.parse.data.end_of_life import DEBIAN, DISTRIBUTED, ENDED, UBUNTU

MAX_VALUE: Final = 500
MAX_VALUES: Final = 10
_NUMBER: Final = r"([0-9]{1,4}(?:\.[0-9]{1,5}){0,3})"
_PRODUCTS: Final[tuple[tuple[str, re.Pattern[str]], ...]] = (
    ("php", re.compile(rf"\bPHP/{_NUMBER}", re.IGNORECASE)),
    ("apache", re.compile(rf"\bApache/{_NUMBER}", re.IGNORECASE)),
    ("nginx", re.compile(rf"\bnginx/{_NUMBER}", re.IGNORECASE)),
    ("iis", re.compile(rf"\bMicrosoft-IIS/{_NUMBER}", re.IGNORECASE)),
    ("openssl", re.compile(rf"\bOpenSSL/{_NUMBER}", re.IGNORECASE)),
    ("python", re.compile(rf"\bPython/{_NUMBER}", re.IGNORECASE)),
    ("coyote", re.compile(rf"\bApache-Coyote/{_NUMBER}", re.IGNORECASE)),
    ("jetty", re.compile(rf"\bJetty[(/]{_NUMBER}", re.IGNORECASE)),
    ("drupal", re.compile(rf"\bDrupal {_NUMBER}", re.IGNORECASE)),
)
"""As headers write them."""
_GENERATORS: Final[tuple[tuple[str, re.Pattern[str]], ...]] = (
    ("wordpress", re.compile(rf"^WordPress {_NUMBER}", re.IGNORECASE)),
    ("drupal", re.compile(rf"^Drupal {_NUMBER}", re.IGNORECASE)),
    ("joomla", re.compile(rf"^Joomla!? {_NUMBER}", re.IGNORECASE)),
    ("typo3", re.compile(rf"^TYPO3 {_NUMBER}", re.IGNORECASE)),
    ("mediawiki", re.compile(rf"^MediaWiki {_NUMBER}", re.IGNORECASE)),
)
_HEADERS: Final = ("Server", "X-Powered-By", "X-Generator", "Via")
_UBUNTU: Final = re.compile(r"ubuntu[0-9.~+]{0,12}?(1[468]|2[024])\.04|-[0-9]{1,3}ubuntu")
_DEBIAN: Final = re.compile(r"[+~]deb([0-9]{1,2})")
_PACKAGED: Final = re.compile(r"[-+~][0-9A-Za-z.+~-]{0,40}")
_PHP_OF_UBUNTU: Final = {"5.5": "14.04", "7.0": "16.04", "7.2": "18.04", "7.4": "20.04", "8.1": "22.04", "8.3": "24.04"}


class Software(msgspec.Struct, frozen=True, gc=False):
    """A product, the version it shows, and where it stands."""

    name: str
    """Key of ``parse.data.end_of_life.NAMES``."""
    version: str
    supported_until: date | None
    """Last day of support; ``None`` when it is not known to end."""
    header: str = ""
    """The header that names it; "" for the page's generator."""


def shown_software(response: Response, document: Document) -> tuple[Software, ...]:
    """List the software in headers and ``<meta name=generator>`` whose version has a known end of support."""
    found: dict[tuple[str, str], Software] = {}
    for name in _HEADERS:
        for value in response.header_values(name)[:MAX_VALUES]:
            for product, version, until in _in_header(value[:MAX_VALUE]):
                found.setdefault((product, version), Software(product, version, until, name))
    for name, product in (("X-AspNet-Version", "asp.net"), ("X-AspNetMvc-Version", "asp.net mvc")):
        for value in response.header_values(name)[:MAX_VALUES]:
            match = re.match(_NUMBER, value.strip()[:40])
            if match is not None:
                found.setdefault((product, match[1]), Software(product, match[1], _end_of(product, match[1]), name))
    for meta in document.metas[:200]:
        if meta.name == "generator":
            for product, pattern in _GENERATORS:
                match = pattern.search(meta.content.strip()[:MAX_VALUE])
                if match is not None:
                    found.setdefault((product, match[1]), Software(product, match[1], _end_of(product, match[1])))
    return tuple(one for one in found.values() if one.supported_until is not None)


def _in_header(value: str) -> Iterator[tuple[str, str, date | None]]:
    for product, pattern in _PRODUCTS:
        for match in pattern.finditer(value):
            yield product, match[1], _end_here(product, match[1], value, value[match.end() :])


def _end_here(product: str, version: str, value: str, rest: str) -> date | None:
    """The end of support, by the distribution where the header names one."""
    packaged = _PACKAGED.match(rest)
    suffix = packaged[0].lower() if packaged is not None else ""
    debian = _DEBIAN.search(suffix)
    if debian is not None:
        return DEBIAN.get(debian[1])
    ubuntu = _UBUNTU.search(suffix)
    if ubuntu is not None:
        release = f"{ubuntu[1]}.04" if ubuntu[1] else _PHP_OF_UBUNTU.get(".".join(version.split(".")[:2]), "")
        return UBUNTU.get(release)
    lowered = value.lower()
    for (software, distribution), ends in DISTRIBUTED.items():
        if software == product and f"({distribution}" in lowered:
            end = ends.get(version)
            return end if end is not None or distribution != "ubuntu" else None
    if "red hat" in lowered or "rocky" in lowered or "alma" in lowered or "el8" in suffix or "el9" in suffix:
        return None  # Patched for ten years and more without another number.
    return _end_of(product, version)


def _end_of(product: str, version: str) -> date | None:
    number = _parts(version)
    return next((end for first, behind, end in ENDED[product] if _parts(first) <= number < _parts(behind)), None)


def _parts(version: str) -> tuple[int, ...]:
    numbers = tuple(int(part) for part in version.split(".")[:4])
    return numbers + (0,) * (4 - len(numbers))
