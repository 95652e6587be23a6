from __future__ import annotations

import pytest

from pagegrade.checks.security.cross_origin_isolation import cross_origin_isolation
from pagegrade.model.outcome import NotRun
from tests.builders import evaluated, make_artifacts, make_response, outcome, run


@pytest.mark.parametrize(
    ("header", "value", "state"),
    [
        ("Cross-Origin-Opener-Policy", "same-origin", "recognised"),
        ("cross-origin-opener-policy", 'same-origin; report-to="coop"', "recognised"),
        ("Cross-Origin-Opener-Policy", "same-origin-allow-popups", "recognised"),
        ("Cross-Origin-Opener-Policy", "unsafe-none", "recognised"),
        ("Cross-Origin-Opener-Policy", "noopener-allow-popups", "recognised"),
        ("Cross-Origin-Opener-Policy", '"same-origin"', "unrecognised"),
        ("Cross-Origin-Opener-Policy", "Same-Origin", "unrecognised"),
        ("Cross-Origin-Opener-Policy", "same-site", "unrecognised"),
        ("Cross-Origin-Embedder-Policy", "require-corp", "recognised"),
        ("Cross-Origin-Embedder-Policy", "credentialless", "recognised"),
        ("Cross-Origin-Embedder-Policy", "same-origin", "unrecognised"),
        ("Cross-Origin-Resource-Policy", "cross-origin", "recognised"),
        ("Cross-Origin-Resource-Policy", " same-site ", "recognised"),
        ("Cross-Origin-Resource-Policy", "SAME-SITE", "unrecognised"),
        ("Cross-Origin-Resource-Policy", "same-site; x", "unrecognised"),
        ("Cross-Origin-Resource-Policy", "", "unrecognised"),
        ("Cross-Origin-Opener-Policy-Report-Only", "nonsense", "absent"),
    ],
)
def test_values_are_read_as_browsers_read_them(header: str, value: str, state: str) -> None:
    """Case matters, quotes matter, parameters do not; headers that only report are others."""
    assert outcome(cross_origin_isolation, make_artifacts(headers=((header, value),))).state == state


def test_header_that_is_sent_twice_is_unknown() -> None:
    """The lines become one value that no browser knows."""
    headers = (("Cross-Origin-Opener-Policy", "same-origin"),) * 2

    assert outcome(cross_origin_isolation, make_artifacts(headers=headers)).state == "unrecognised"


def test_one_unknown_value_is_named_among_good_ones() -> None:
    """All are shown."""
    headers = (("Cross-Origin-Opener-Policy", "same-origin"), ("Cross-Origin-Resource-Policy", "none"))
    found = outcome(cross_origin_isolation, make_artifacts(headers=headers))

    assert (found.state, found.value, len(found.evidence)) == ("unrecognised", "Cross-Origin-Resource-Policy", 2)


def test_nothing_is_demanded() -> None:
    """Absence costs nothing, nor does a mistake."""
    assert outcome(cross_origin_isolation).state == "absent"
    assert evaluated(cross_origin_isolation).outcome == "informative"
    assert isinstance(run(cross_origin_isolation, response=make_response("x", headers_seen=False)), NotRun)
