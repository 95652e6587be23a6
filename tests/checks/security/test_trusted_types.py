from __future__ import annotations

import pytest

from pagegrade.checks.security.trusted_types import trusted_types
from pagegrade.model.outcome import NotApplicable
from tests.builders import evaluated, outcome, run

CSP = "Content-Security-Policy"
HTML = ("Content-Type", "text/html; charset=utf-8")
PAGE = "<title>x</title><script>a()</script>"


def state(*headers: tuple[str, str], page: str = PAGE) -> str:
    """State of a page with these headers."""
    found = run(trusted_types, page, headers=(HTML, *headers))
    return "none" if isinstance(found, NotApplicable) else outcome(trusted_types, page, headers=(HTML, *headers)).state


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        ("require-trusted-types-for 'script'", "enforced"),
        ("REQUIRE-TRUSTED-TYPES-FOR 'SCRIPT'", "enforced"),
        ("script-src 'self', require-trusted-types-for 'script'", "enforced"),
        ("require-trusted-types-for script", "invalid"),
        ("require-trusted-types-for", "invalid"),
        ("trusted-types default", "missing"),
        ("script-src 'self'", "missing"),
        ("", "none"),
    ],
)
def test_directive_needs_its_keyword(policy: str, expected: str) -> None:
    """Names of policies alone require nothing."""
    assert state((CSP, policy)) == expected


def test_report_only_is_not_enforced() -> None:
    """An enforced policy wins where both are there."""
    reported = (f"{CSP}-Report-Only", "require-trusted-types-for 'script'")

    assert state(reported) == "report_only"
    assert state((CSP, "script-src 'self'"), reported) == "report_only"
    assert state((CSP, "require-trusted-types-for 'script'"), reported) == "enforced"


def test_policy_in_the_head_counts() -> None:
    """A meta element enforces it as a header does."""
    meta = f"<meta http-equiv={CSP} content=\"require-trusted-types-for 'script'\">"

    assert state(page=meta + PAGE) == "enforced"


def test_pages_without_scripts_or_policy_are_not_evaluated() -> None:
    """Data blocks are no scripts."""
    assert state((CSP, "script-src 'self'"), page="<title>x</title>") == "none"
    assert state((CSP, "script-src 'self'"), page="<script type=application/ld+json>{}</script>") == "none"
    assert state() == "none"


def test_it_is_informative_and_shows_no_nonce() -> None:
    """Nonces are secrets of one answer."""
    headers = (HTML, (CSP, "require-trusted-types-for 'nonce-abcdef'"))
    found = outcome(trusted_types, PAGE, headers=headers)

    assert evaluated(trusted_types, PAGE, headers=headers).outcome == "informative"
    assert [one.value for one in found.evidence] == ["'nonce-...'"]
