from __future__ import annotations

from pagegrade.service.options import ServiceOptions
from pagegrade.service.rate_limit import Standing
from pagegrade.web.http.headers import (
    encode_headers,
    origin_headers,
    preflight_headers,
    rate_headers,
    standing_headers,
)

ANY = ServiceOptions()
FEW = ServiceOptions(cors_origins=("https://app.example.org",), hsts=True)


def test_headers_are_bytes_in_lower_case() -> None:
    """As ASGI wants them."""
    assert encode_headers([("X-Ab", "é")]) == [(b"x-ab", b"\xe9")]


def test_every_answer_is_guarded() -> None:
    """Whatever it is and wherever it is opened."""
    for api in (True, False):
        headers = dict(standing_headers(ANY, api=api))

        assert headers[b"x-content-type-options"] == b"nosniff"
        assert headers[b"referrer-policy"] == b"no-referrer"
        assert headers[b"cross-origin-opener-policy"] == b"same-origin"
        assert headers[b"x-frame-options"] == b"DENY"
        assert b"strict-transport-security" not in headers


def test_only_the_interface_is_for_other_origins() -> None:
    """Pages are not."""
    headers = dict(standing_headers(ANY, api=False))

    assert not {b"access-control-allow-origin", b"vary"} & set(headers)


def test_a_setting_narrows_who_may_read() -> None:
    """Then only these origins are named, and only to themselves."""
    headers = dict(standing_headers(FEW, api=True))

    assert b"access-control-allow-origin" not in headers
    assert headers[b"strict-transport-security"] == b"max-age=31536000; includeSubDomains"
    assert origin_headers(FEW, "https://app.example.org") == (
        (b"access-control-allow-origin", b"https://app.example.org"),
    )
    assert origin_headers(FEW, "https://evil.example") == ()
    assert origin_headers(FEW, None) == ()
    assert origin_headers(ANY, "https://evil.example") == ()


def test_credentials_are_never_allowed() -> None:
    """Cookies mean nothing here, and must not be sent along by a page."""
    named = [name for name, _ in (*standing_headers(ANY, api=True), *encode_headers(preflight_headers("GET")))]

    assert b"access-control-allow-credentials" not in named


def test_limits_are_sent_in_both_forms() -> None:
    """The draft's, policy by policy, and the older one for requests."""
    standings = [("requests", Standing(True, 120, 119, 31)), ("analyses", Standing(True, 30, 2, 60))]  # noqa: FBT003

    assert dict(rate_headers(standings)) == {
        b"ratelimit-policy": b'"requests";q=120;w=60, "analyses";q=30;w=60',
        b"ratelimit": b'"requests";r=119;t=31, "analyses";r=2;t=60',
        b"x-ratelimit-limit": b"120",
        b"x-ratelimit-remaining": b"119",
    }
