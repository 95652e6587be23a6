"""``security.txt``: the security contact of a site.

Source: https://www.rfc-editor.org/rfc/rfc9116
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import Final

import msgspec

from pagegrade.parse.language_tags import parse_language_tag

MAX_CHARS: Final = 65_536
_SPACE: Final = " \t"
_SIGNED: Final = "-----BEGIN PGP SIGNED MESSAGE-----"
_SIGNATURE: Final = "-----BEGIN PGP SIGNATURE-----"
_DATE: Final = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt ][0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,9})?(?:[Zz]|[+-][0-9]{2}:[0-9]{2})"
)
"""Source: https://www.rfc-editor.org/rfc/rfc3339#section-5.6"""
_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{0,30}:.")
_ADDRESSES: Final = frozenset({"acknowledgments", "canonical", "contact", "encryption", "hiring", "policy"})
"""Fields that hold an address; one on the web has to begin with ``https://``."""


class SecurityTxt(msgspec.Struct, frozen=True, kw_only=True):
    """Fields of the file."""

    contacts: tuple[str, ...] = ()
    expires: tuple[str, ...] = ()
    """As written; there has to be exactly one."""
    canonicals: tuple[str, ...] = ()
    """Addresses that the file gives itself."""
    expires_at: datetime | None = None
    """``None`` where the first one is missing or unreadable."""
    field_count: int = 0
    faults: tuple[str, ...] = ()
    """Violations of the file's grammar, each once, as text."""


def parse_security_txt(body: bytes) -> SecurityTxt:
    """Read the file, signed or not; never raises."""
    lines = body.removeprefix(b"\xef\xbb\xbf")[:MAX_CHARS].decode("utf-8", "replace").splitlines()
    if lines and lines[0].strip() == _SIGNED:
        # The headers of the signature end with an empty line.
        start = next((index for index, line in enumerate(lines) if not line.strip()), len(lines))
        lines = lines[start:]
    kept: dict[str, list[str]] = {"contact": [], "expires": [], "canonical": []}
    faults: dict[str, None] = {}
    count = languages = 0
    for line in lines:
        if line.startswith(_SIGNATURE):
            break
        text = line.removeprefix("- ").strip(_SPACE)
        if not text or text.startswith("#"):
            continue
        written, colon, value = text.partition(":")
        name = written.strip().lower()
        if not colon or not name or " " in name:
            faults["a line is neither a field nor a comment"] = None
            continue
        count += 1
        if written != written.rstrip():
            faults["a space before a colon"] = None
        if value and not value.startswith(" "):
            faults["no space behind a colon"] = None
        value = value.strip(_SPACE)
        if value != value.strip():
            faults["a space that is no ASCII space"] = None
        if name in kept:
            kept[name].append(value)
        languages += name == "preferred-languages"
        if fault := _value_fault(name, value):
            faults[fault] = None
    if languages > 1:
        faults["more than one Preferred-Languages"] = None
    contacts, expires, canonicals = (tuple(values[:100]) for values in kept.values())
    return SecurityTxt(
        contacts=contacts,
        expires=expires,
        canonicals=canonicals,
        expires_at=_date(expires[0]) if expires else None,
        field_count=count,
        faults=tuple(faults),
    )


def _is_no_language(code: str) -> bool:
    tag = parse_language_tag(code.strip(_SPACE))
    return tag is None or bool(tag.unregistered)


def _value_fault(name: str, value: str) -> str:
    if name == "preferred-languages" and any(map(_is_no_language, value.split(","))):
        return "Preferred-Languages names no language"
    if name in _ADDRESSES and (fault := _address_fault(value)):
        return f"{name.capitalize()} {fault}"
    return ""


def _address_fault(value: str) -> str:
    if not value:
        return "is empty"
    if not _SCHEME.match(value):
        return "is no URI with a scheme, such as mailto:"
    return "begins with http: instead of https:" if value[:5].lower() == "http:" else ""


def _date(text: str) -> datetime | None:
    if not _DATE.fullmatch(text):
        return None
    try:
        return datetime.fromisoformat(text.upper().replace(" ", "T"))
    except ValueError:
        return None
