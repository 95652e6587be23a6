"""``security.txt``: whom to tell about a weakness.

Source: https://www.rfc-editor.org/rfc/rfc9116
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Final

MAX_CHARS: Final = 65_536
_SIGNED: Final = "-----BEGIN PGP SIGNED MESSAGE-----"
_SIGNATURE: Final = "-----BEGIN PGP SIGNATURE-----"
_DATE: Final = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt ][0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,9})?(?:[Zz]|[+-][0-9]{2}:[0-9]{2})"
)
"""Source: https://www.rfc-editor.org/rfc/rfc3339#section-5.6"""


@dataclass(frozen=True, slots=True, kw_only=True)
class SecurityTxt:
    """What the file says."""

    contacts: tuple[str, ...] = ()
    expires: tuple[str, ...] = ()
    """As written; there has to be exactly one."""
    expires_at: datetime | None = None
    """``None`` where the first one is missing or unreadable."""
    field_count: int = 0


def parse_security_txt(body: bytes) -> SecurityTxt:
    """Read the file, signed or not; never raises."""
    lines = body.removeprefix(b"\xef\xbb\xbf")[:MAX_CHARS].decode("utf-8", "replace").splitlines()
    if lines and lines[0].strip() == _SIGNED:
        # The headers of the signature end with an empty line.
        start = next((index for index, line in enumerate(lines) if not line.strip()), len(lines))
        lines = lines[start:]
    contacts: list[str] = []
    expires: list[str] = []
    count = 0
    for line in lines:
        if line.startswith(_SIGNATURE):
            break
        text = line.removeprefix("- ").strip()
        name, colon, value = text.partition(":")
        if text.startswith("#") or not colon or not name.strip() or " " in name.strip():
            continue
        count += 1
        match name.strip().lower():
            case "contact":
                contacts.append(value.strip())
            case "expires":
                expires.append(value.strip())
            case _:
                pass
    return SecurityTxt(
        contacts=tuple(contacts[:100]),
        expires=tuple(expires[:100]),
        expires_at=_date(expires[0]) if expires else None,
        field_count=count,
    )


def _date(text: str) -> datetime | None:
    if not _DATE.fullmatch(text):
        return None
    try:
        return datetime.fromisoformat(text.upper().replace(" ", "T"))
    except ValueError:
        return None
