"""The Prefer header (RFC 7240): wait time, lenient parsing and minimal answers."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from pagegrade.web.problems import bad_request

MAX_WAIT_S: Final = 50
"""Proxies give up after a minute; a longer wait is cut to this."""
MAX_CHARACTERS: Final = 1_024
"""Maximum length of the header."""
_PREFERENCE: Final = re.compile(
    r"""\s*+([!#$%&'*+.^_`|~0-9A-Za-z-]++)\s*+(?:=\s*+("[^"]*+"|[^\s",;]*+))?\s*+(?:;[^,]*+)?"""
)
_SECONDS: Final = re.compile(r"[0-9]{1,9}")


@dataclass(frozen=True, slots=True)
class Preferences:
    """Preferences of the client."""

    wait_s: int | None = None
    """Time to wait for an analysis, at most ``MAX_WAIT_S``; ``None`` if not given."""
    respond_async: bool = False
    lenient: bool = False
    """Replace query values that are not valid by their defaults."""
    minimal: bool = False
    """Answer a change with the identifying members only."""

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
    """Parse the header; unknown preferences are ignored, and the first of a repeated preference counts.

    Raises:
        Rejected: The header is malformed or too long, or ``wait`` is not a number of seconds.
    """
    if not value or not value.strip():
        return NONE
    if len(value) > MAX_CHARACTERS:
        raise bad_request(f"The Prefer header may have at most {MAX_CHARACTERS} characters.")
    found: dict[str, str] = {}
    for element in value.split(","):
        if not element.strip():
            continue
        match = _PREFERENCE.fullmatch(element)
        if match is None:
            raise bad_request("The Prefer header cannot be read. Write it like: Prefer: wait=10")
        found.setdefault(match[1].lower(), (match[2] or "").strip('"'))
    wait = found.get("wait")
    if wait is not None and not _SECONDS.fullmatch(wait):
        raise bad_request("Prefer: wait needs a whole number of seconds, like wait=10.")
    return Preferences(
        wait_s=None if wait is None else min(int(wait), MAX_WAIT_S),
        respond_async="respond-async" in found,
        lenient=found.get("handling") == "lenient",
        minimal=found.get("return") == "minimal",
    )
