"""The Prefer header (RFC 7240): wait time, lenient parsing and minimal answers."""

from __future__ import annotations

import re
from typing import Final

import msgspec

from pagegrade.parse.http.headers import split_outside_quotes
from pagegrade.web.problems import bad_request

MAX_WAIT_S: Final = 50
"""Proxies give up after a minute; a longer wait is cut to this."""
MAX_CHARACTERS: Final = 1_024
"""Maximum length of the header."""
_PREFERENCE: Final = re.compile(
    r"""\s*+([!#$%&'*+.^_`|~0-9A-Za-z-]++)\s*+(?:=\s*+("(?:[^"\\]++|\\.)*"|[^\s",;]*+))?\s*+(?:;.*+)?""", re.DOTALL
)
_SECONDS: Final = re.compile(r"[0-9]{1,9}")


class Preferences(msgspec.Struct, frozen=True):
    """Preferences of the client."""

    wait_s: int | None = None
    """Time to wait for an analysis, at most ``MAX_WAIT_S``; ``None`` if not given."""
    respond_async: bool = False
    lenient: bool = False
    """Replace query values that are not valid by their defaults."""
    minimal: bool = False
    """Answer a change with the identifying members only."""
    unread: tuple[str, ...] = ()
    """Members of the header that cannot be read, as sent."""

    def seconds(self, default: float) -> float:
        """Return the time to wait for an analysis; ``default`` without a preference."""
        if self.wait_s is not None:
            return float(self.wait_s)
        return 0.0 if self.respond_async else default

    def applied(self, *, writing: bool = False) -> tuple[tuple[str, str], ...]:
        """Return the Preference-Applied header; empty if no preference was applied.

        Args:
            writing: True for the answer to a change, where ``minimal`` applies.
        """
        said = [name for name, held in (("respond-async", self.respond_async),) if held]
        if self.wait_s is not None:
            said.append(f"wait={self.wait_s}")
        if writing and self.minimal:
            said.append("return=minimal")
        return (("Preference-Applied", ", ".join(said)),) if said else ()


NONE: Final = Preferences()


def parse_prefer(value: str | None) -> Preferences:
    """Parse the header; the first of a repeated preference counts.

    Preferences that are unknown, malformed or have a value without a meaning are ignored: a preference is no
    instruction (RFC 7240 section 2).

    Raises:
        Rejected: The header is too long.
    """
    if not value or not value.strip():
        return NONE
    if len(value) > MAX_CHARACTERS:
        raise bad_request(f"The Prefer header may have at most {MAX_CHARACTERS} characters.")
    found: dict[str, str] = {}
    unread: list[str] = []
    for element in split_outside_quotes(value, ","):
        if not element.strip():
            continue
        match = _PREFERENCE.fullmatch(element)
        name, text = ("", "") if match is None else (match[1].lower(), (match[2] or "").strip('"'))
        if not name or (name == "wait" and not _SECONDS.fullmatch(text)):
            unread.append(element.strip())
        else:
            found.setdefault(name, text)
    wait = found.get("wait")
    return Preferences(
        wait_s=None if wait is None else min(int(wait), MAX_WAIT_S),
        respond_async="respond-async" in found,
        lenient=found.get("handling") == "lenient",
        minimal=found.get("return") == "minimal",
        unread=tuple(unread),
    )
