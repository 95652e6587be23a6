from __future__ import annotations

import pytest

from pagegrade.checks.performance.header_bytes import header_bytes
from pagegrade.model.outcome import NotRun
from tests.builders import evaluated, make_response, outcome, run


def state(*headers: tuple[str, str]) -> str:
    """The state of a page with these headers."""
    return outcome(header_bytes, response=make_response("x", headers=headers)).state


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ([("X-A", "x" * 600)], "moderate"),
        ([("X-A", "x" * 601)], "large"),
        ([("content-security-policy", "x" * 3_000)], "moderate"),
        ([("X-A", "x")] * 30, "moderate"),
        ([("X-A", "x")] * 31, "large"),
        ([("Set-Cookie", "a=" + "x" * 1_998)] * 2, "moderate"),
        ([("set-cookie", "a=" + "x" * 1_999)] * 2, "large"),
        ([("Permissions-Policy", "x" * 20_001)], "large"),
    ],
)
def test_bytes_lines_and_cookies_have_limits(headers: list[tuple[str, str]], expected: str) -> None:
    """Policies are long for good reasons."""
    assert state(*headers) == expected


def test_values_are_never_shown() -> None:
    """They may be session identifiers."""
    secret = "s3cr3t" * 900
    found = outcome(header_bytes, response=make_response("x", headers=(("Set-Cookie", secret), ("X-Token", secret))))

    assert "s3cr3t" not in repr(found)
    assert found.evidence[-1].header == "X-Token"


def test_unseen_headers_say_nothing() -> None:
    """A saved page has none; and it costs nothing."""
    assert isinstance(run(header_bytes, response=make_response("x", headers_seen=False)), NotRun)
    assert evaluated(header_bytes).outcome == "informative"
