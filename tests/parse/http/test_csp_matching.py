from __future__ import annotations

import pytest

from pagegrade.parse.http.csp import CSP, parse_policy
from pagegrade.parse.http.csp_matching import allows_inline, allows_url

PAGE = "https://www.example.com/shop/"


@pytest.mark.parametrize(
    ("sources", "url", "allowed"),
    [
        ("'self'", "https://www.example.com/a.js", True),
        ("'self'", "https://example.com/a.js", False),
        ("*", "https://any.example/a.js", True),
        ("*", "data:text/css,x", False),
        ("http:", "https://any.example/a.js", True),
        ("https:", "http://any.example/a.js", False),
        ("*.example.com", "https://cdn.example.com/a.js", True),
        ("*.example.com", "https://example.com/a.js", False),
        ("http://cdn.example", "https://cdn.example/a.js", True),
        ("cdn.example:8443", "https://cdn.example:8443/a.js", True),
        ("cdn.example", "https://cdn.example:8443/a.js", False),
        ("cdn.example:*", "https://cdn.example:8443/a.js", True),
        ("cdn.example/js/", "https://cdn.example/js/a.js?v=1", True),
        ("cdn.example/js/", "https://cdn.example/css/a.css", False),
        ("cdn.example/a.js", "https://cdn.example/a.js", True),
        ("'none'", "https://www.example.com/a.js", False),
        ("", "https://www.example.com/a.js", False),
    ],
)
def test_sources_match_as_in_browsers(*, sources: str, url: str, allowed: bool) -> None:
    """By scheme, host, port and path."""
    csp = CSP(policies=(parse_policy(f"script-src {sources}"),))

    assert allows_url(csp, "script-src-elem", url, page_url=PAGE) is allowed


def test_every_policy_has_to_allow_it() -> None:
    """One that only reports does not count."""
    strict, open_one = parse_policy("img-src 'none'"), parse_policy("img-src *")
    url = "https://www.example.com/i.png"

    assert not allows_url(CSP(policies=(open_one, strict)), "img-src", url, page_url=PAGE)
    assert allows_url(CSP(policies=(parse_policy("img-src 'none'", report_only=True),)), "img-src", url, page_url=PAGE)


def test_inline_code_by_nonce() -> None:
    """A nonce switches 'unsafe-inline' off."""
    csp = CSP(policies=(parse_policy("script-src 'unsafe-inline' 'nonce-abc'"),))

    assert [allows_inline(csp, "script-src-elem", "x()", nonce=one) for one in ("abc", "abd", "")] == [
        True,
        False,
        False,
    ]
