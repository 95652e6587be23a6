from __future__ import annotations

import pytest

from pagegrade.parse.http.cors import PROBE_ORIGIN, sharing_of
from tests.builders import make_response

ALLOW, CREDENTIALS = "Access-Control-Allow-Origin", "Access-Control-Allow-Credentials"


@pytest.mark.parametrize(
    ("headers", "sharing"),
    [
        ((), "closed"),
        (((ALLOW, "https://partner.example"), (CREDENTIALS, "true")), "closed"),
        (((ALLOW, "*"),), "public"),
        (((ALLOW, "*"), (CREDENTIALS, "true")), "public"),
        (((ALLOW, PROBE_ORIGIN),), "reflected"),
        (((ALLOW, PROBE_ORIGIN), (CREDENTIALS, "true")), "reflected-credentials"),
        (((ALLOW.lower(), f" {PROBE_ORIGIN} "), (CREDENTIALS.upper(), " true")), "reflected-credentials"),
        (((ALLOW, PROBE_ORIGIN), (CREDENTIALS, "TRUE")), "reflected"),
        (((ALLOW, PROBE_ORIGIN), (CREDENTIALS, "false")), "reflected"),
        (((ALLOW, PROBE_ORIGIN), (ALLOW, PROBE_ORIGIN), (CREDENTIALS, "true")), "closed"),
        (((ALLOW, f"{PROBE_ORIGIN}/"), (CREDENTIALS, "true")), "closed"),
        (((ALLOW, "null"), (CREDENTIALS, "true")), "null-credentials"),
        (((ALLOW, "null"),), "public"),
        (((CREDENTIALS, "true"),), "closed"),
    ],
)
def test_permission_for_other_sites(headers: tuple[tuple[str, str], ...], sharing: str) -> None:
    """Letter by letter; with every site, credentials are never sent."""
    assert sharing_of(make_response("x", headers=headers)) == sharing
