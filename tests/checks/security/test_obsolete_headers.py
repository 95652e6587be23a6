from __future__ import annotations

import pytest

from pagegrade.checks.security.obsolete_headers import obsolete_headers
from pagegrade.model.outcome import NotRun
from tests.builders import evaluated, make_artifacts, make_response, outcome, run


@pytest.mark.parametrize(
    ("name", "value", "state"),
    [
        ("X-XSS-Protection", "1; mode=block", "obsolete"),
        ("x-xss-protection", "0", "current"),
        ("X-XSS-Protection", " 0 ", "current"),
        ("Public-Key-Pins", 'pin-sha256="x"; max-age=1', "obsolete"),
        ("expect-ct", "max-age=0", "obsolete"),
        ("P3P", 'CP="x"', "obsolete"),
        ("X-UA-Compatible", "IE=edge", "obsolete"),
        ("X-WebKit-CSP", "default-src 'self'", "obsolete"),
        ("Feature-Policy", "camera 'none'", "obsolete"),
        ("Content-Security-Policy", "default-src 'self'", "current"),
        ("Pragma", "no-cache", "current"),
    ],
)
def test_headers_by_name(name: str, value: str, state: str) -> None:
    """In any case; switching the old filter off is still sound advice."""
    assert outcome(obsolete_headers, make_artifacts(headers=((name, value),))).state == state


def test_pragma_is_superfluous_beside_cache_control_only() -> None:
    """Alone it still has a meaning for old proxies."""
    found = outcome(obsolete_headers, make_artifacts(headers=(("Pragma", "no-cache"), ("Cache-Control", "no-store"))))

    assert [place.header for place in found.evidence] == ["Pragma"]


def test_headers_of_redirects_do_not_count() -> None:
    """The page itself is looked at."""
    hop = make_response(url="http://example.com/", status=301, headers=(("P3P", "x"),))

    assert outcome(obsolete_headers, make_artifacts(hops=[hop])).state == "current"


def test_evidence_is_bounded_and_nothing_is_lost() -> None:
    """A thousand lines are counted."""
    found = outcome(obsolete_headers, make_artifacts(headers=(("P3P", "x"),) * 1_000))

    assert (len(found.evidence), found.total) == (100, 1_000)
    assert evaluated(obsolete_headers, make_artifacts(headers=(("P3P", "x"),))).outcome == "informative"
    assert isinstance(run(obsolete_headers, response=make_response("x", headers_seen=False)), NotRun)
