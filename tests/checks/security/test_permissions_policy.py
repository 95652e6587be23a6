from __future__ import annotations

import pytest

from pagegrade.checks.security.permissions_policy import permissions_policy
from pagegrade.model.outcome import NotRun
from tests.builders import evaluated, make_artifacts, make_response, outcome, run


@pytest.mark.parametrize(
    ("headers", "state"),
    [
        ((("Permissions-Policy", "camera=()"),), "set"),
        ((("permissions-policy", "camera=(), microphone=()"), ("Permissions-Policy", "usb=(self)")), "set"),
        ((("Permissions-Policy", "interest-cohort=()"),), "ignored"),
        ((("Permissions-Policy", "camera=(), vibrate=()"),), "ignored"),
        ((("Permissions-Policy", "camera=none"),), "ignored"),
        ((("Permissions-Policy", "camera=(self https://a.example)"),), "ignored"),
        ((("Permissions-Policy", "Camera=()"),), "unreadable"),
        ((("Permissions-Policy", "camera='self'"),), "unreadable"),
        ((("Permissions-Policy", 'fullscreen=(self "https://video.example"), autoplay=*'),), "set"),
        ((("Permissions-Policy", "camera 'none'"),), "unreadable"),
        ((("Permissions-Policy", "camera=(); microphone=()"),), "unreadable"),
        ((("Permissions-Policy", "camera=(), microphone=(),"),), "unreadable"),
        ((("Feature-Policy", "camera 'none'"),), "old"),
        ((("Feature-Policy", "camera 'none'"), ("Permissions-Policy", "camera=()")), "set"),
        ((("Permissions-Policy", " "),), "absent"),
        ((), "absent"),
    ],
)
def test_header_is_read_as_a_structured_field(headers: tuple[tuple[str, str], ...], state: str) -> None:
    """One mistake spoils all of it; the old header counts only where it is alone."""
    assert outcome(permissions_policy, make_artifacts(headers=headers)).state == state


def test_it_costs_nothing() -> None:
    """Not even when it cannot be read."""
    found = evaluated(permissions_policy, make_artifacts(headers=(("Permissions-Policy", "x 'none'"),)))

    assert found.outcome == "informative"


def test_unseen_headers_are_not_evaluated() -> None:
    """An unseen header is not a missing one."""
    assert isinstance(run(permissions_policy, response=make_response("x", headers_seen=False)), NotRun)
