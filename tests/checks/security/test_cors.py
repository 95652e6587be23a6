from __future__ import annotations

import pytest

from pagegrade.checks.security.cors import cors
from pagegrade.model.artifacts import WellKnown
from pagegrade.model.outcome import NotRun, Severity
from pagegrade.parse.http.cors import PROBE_ORIGIN
from tests.builders import URL, evaluated, make_well_known, outcome, run

ALLOW, CREDENTIALS = "Access-Control-Allow-Origin", ("Access-Control-Allow-Credentials", "true")


def probe(*headers: tuple[str, str], status: int = 200) -> WellKnown:
    """The answer to the question on behalf of another site."""
    return make_well_known("", url=URL, status=status, headers=headers)


@pytest.mark.parametrize(
    ("headers", "state", "loss"),
    [
        ((), "closed", 0),
        (((ALLOW, "https://partner.example"), CREDENTIALS), "closed", 0),
        (((ALLOW, "*"),), "public", 0),
        (((ALLOW, "*"), CREDENTIALS), "public", 0),
        (((ALLOW, PROBE_ORIGIN),), "reflected", 0),
        (((ALLOW, PROBE_ORIGIN), CREDENTIALS), "reflected-credentials", 1),
        (((ALLOW, "null"), CREDENTIALS), "null-credentials", 1),
    ],
)
def test_only_permission_with_credentials_fails(headers: tuple[tuple[str, str], ...], state: str, loss: float) -> None:
    """Without them a script sees only public content."""
    assert outcome(cors, cors_probe=probe(*headers)).state == state
    assert evaluated(cors, cors_probe=probe(*headers)).loss == loss
    assert cors.severity is Severity.HIGH


def test_refusal_is_no_proof_but_a_permission_is() -> None:
    """A firewall that turns the question away says nothing of the page."""
    assert isinstance(run(cors, cors_probe=probe(status=403)), NotRun)
    assert outcome(cors, cors_probe=probe((ALLOW, PROBE_ORIGIN), CREDENTIALS, status=403)).state == (
        "reflected-credentials"
    )


def test_question_that_was_not_asked_is_not_evaluated() -> None:
    """Reports of earlier versions have no answer."""
    assert isinstance(run(cors), NotRun)
