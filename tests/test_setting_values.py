from __future__ import annotations

import pytest

from pagegrade.setting_values import read_issuer


@pytest.mark.parametrize(
    "value",
    [
        "https://login.example.org",
        "https://login.example.org/",
        "https://login.example.org/realms/office",
        "https://login.example.org:8443/realms/office/",
        "http://127.0.0.1:9000",
        "http://keycloak:8080/realms/office",
    ],
)
def test_an_issuer_stays_as_the_provider_writes_it(value: str) -> None:
    """Providers differ by a slash at the end, and compare letter by letter."""
    assert read_issuer(value) == value


@pytest.mark.parametrize(
    "value",
    [
        *("", "login.example.org", "http://login.example.org", "ftp://login.example.org", "https://a:b@example.org"),
        *(
            "https://example.org/?tenant=1",
            "https://example.org/#top",
            "https://EXAMPLE.org",
            "https://example.org/../a",
        ),
    ],
)
def test_what_is_no_issuer_is_refused(value: str) -> None:
    """Such as one that could be read along the way, or holds a password."""
    with pytest.raises(ValueError, match="give a URL"):
        read_issuer(value)
