"""Integrity metadata: the hashes by which a page names the only file it wants.

Source: https://www.w3.org/TR/SRI/#parse-metadata
"""

from __future__ import annotations

import base64
import binascii
import re
from typing import Final

import msgspec

MAX_CHARS: Final = 10_000
"""Characters of one attribute; longer ones are cut."""
_HASH: Final = re.compile(r"sha(256|384|512)-([A-Za-z0-9+/_=-]{1,100})(?:\?.*)?", re.IGNORECASE)


class Integrity(msgspec.Struct, frozen=True):
    """Hashes of an ``integrity`` attribute."""

    bits: int
    """256, 384 or 512: the strongest kind, which is the only one that browsers compare."""
    digests: tuple[bytes, ...]
    """The hashes of that kind; empty where none has the right length, which fits no file."""

    def may_fit(self, sha256: str) -> bool:
        """Return whether a file fits, as far as that is known.

        Args:
            sha256: The beginning of its SHA-256, hexadecimal; "" where it is unknown.
        """
        if self.bits != 256 or not sha256:
            return bool(self.digests)
        return any(digest.hex().startswith(sha256) for digest in self.digests)


def parse_integrity(text: str) -> Integrity | None:
    """Read the attribute; ``None`` when it holds no hash that browsers understand, which is as if it were absent."""
    found: dict[int, list[bytes]] = {}
    for word in text[:MAX_CHARS].split():
        match = _HASH.fullmatch(word)
        if match is None:
            continue
        bits = int(match[1])
        digest = _decode(match[2])
        digests = found.setdefault(bits, [])
        if digest is not None and len(digest) * 8 == bits:
            digests.append(digest)
    if not found:
        return None
    strongest = max(found)
    return Integrity(strongest, tuple(found[strongest]))


def _decode(text: str) -> bytes | None:
    try:
        return base64.b64decode(text.translate({45: 43, 95: 47}), validate=True)
    except binascii.Error:
        return None
