from __future__ import annotations

import pytest

from pagegrade.checks.security.tls_version import tls_version
from pagegrade.model.artifacts import TLS, NotGathered
from pagegrade.model.outcome import NotApplicable, NotRun, Outcome, Severity
from tests.builders import make_response, run

NAMES = ("TLSv1.0", "TLSv1.1", "TLSv1.2", "TLSv1.3")


def tls(*accepted: bool | None) -> TLS:
    """A handshake that tried all four versions."""
    return TLS(host="example.com", verified=True, versions=tuple(zip(NAMES, accepted, strict=True)))


@pytest.mark.parametrize(
    ("accepted", "state"),
    [
        ((False, False, True, True), "current"),
        ((False, False, False, True), "current"),
        ((None, False, True, True), "current"),
        ((False, False, True, False), "without-1-3"),
        ((True, True, True, True), "old"),
        ((False, True, True, False), "old"),
        ((True, None, None, None), "old"),
        ((True, True, False, False), "only-old"),
    ],
)
def test_accepted_versions(accepted: tuple[bool | None, ...], state: str) -> None:
    """An old version that is accepted fails, whatever else is."""
    found = run(tls_version, tls=tls(*accepted))

    assert isinstance(found, Outcome)
    assert found.state == state


@pytest.mark.parametrize("accepted", [(None, None, True, True), (False, False, True, None), (False, False, None, None)])
def test_what_could_not_be_tried_is_not_evaluated(accepted: tuple[bool | None, ...]) -> None:
    """Our own library may be unable to offer a version, which says nothing about the server."""
    assert isinstance(run(tls_version, tls=tls(*accepted)), NotRun)


def test_a_page_over_http_has_no_version() -> None:
    """There it does not apply; over https a handshake that was not made leaves it unknown."""
    absent = NotGathered(code="not_applicable", detail="The page is not served over https.")

    assert isinstance(run(tls_version, response=make_response(url="http://example.com/"), tls=absent), NotApplicable)
    assert isinstance(run(tls_version, tls=absent), NotRun)


def test_handshake_without_versions_does_not_apply() -> None:
    """Older reports hold none."""
    assert isinstance(run(tls_version, tls=TLS(host="example.com", verified=True)), NotApplicable)


def test_switching_old_versions_off_never_costs_points() -> None:
    """From the worst to the best."""
    steps = [
        (True, True, False, False),
        (True, True, True, False),
        (False, False, True, False),
        (False, False, True, True),
    ]
    losses = []
    for step in steps:
        found = run(tls_version, tls=tls(*step))
        assert isinstance(found, Outcome)
        losses.append(tls_version.state(found.state).loss)

    assert losses == sorted(losses, reverse=True)
    assert tls_version.severity is Severity.MEDIUM
