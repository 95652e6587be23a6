"""Origins whose scripts may read a response.

Source: https://fetch.spec.whatwg.org/#concept-cors-check
"""

from __future__ import annotations

from typing import Final, Literal

from pagegrade.model.artifacts import Response

PROBE_ORIGIN: Final = "https://origin-probe.example"
"""A site that cannot exist (RFC 2606), so no site permits it by name."""

Sharing = Literal["closed", "public", "reflected", "reflected-credentials", "null-credentials"]


def sharing_of(response: Response) -> Sharing:
    """Permissions in the response to a request from ``PROBE_ORIGIN``; a value that browsers reject permits nothing."""
    allowed = (response.header("access-control-allow-origin") or "").strip()
    credentials = (response.header("access-control-allow-credentials") or "").strip() == "true"
    if allowed == "*":
        return "public"
    if allowed == PROBE_ORIGIN:
        return "reflected-credentials" if credentials else "reflected"
    if allowed == "null":
        return "null-credentials" if credentials else "public"
    return "closed"
