from __future__ import annotations

import pytest

from pagegrade.checks.performance.http3_advertised import http3_advertised
from pagegrade.model.outcome import NotApplicable, NotRun, Outcome
from tests.builders import evaluated, make_response, outcome, run


@pytest.mark.parametrize(
    ("value", "state"),
    [
        ('h3=":443"; ma=86400', "advertised"),
        ('h2=":443", h3-29=":443"', "advertised"),
        ('h2=":443"; note="h3"', "absent"),
        ("clear", "absent"),
        ('h30=":443"', "absent"),
        ("", "absent"),
    ],
)
def test_the_header_names_protocols(value: str, state: str) -> None:
    """Parameters and longer names are none."""
    found = evaluated(http3_advertised, response=make_response("x", headers=(("alt-svc", value),)))

    assert isinstance(found.verdict, Outcome)
    assert (found.verdict.state, found.outcome) == (state, "informative")


def test_an_answer_over_http3_is_proof() -> None:
    """A protocol in use needs no announcement."""
    assert outcome(http3_advertised, response=make_response("x", http_version="HTTP/3")).state == "advertised"


def test_http_and_unseen_headers_are_left_alone() -> None:
    """There nothing can be said."""
    assert isinstance(run(http3_advertised, url="http://example.com/"), NotApplicable)
    assert isinstance(run(http3_advertised, response=make_response("x", headers_seen=False)), NotRun)
