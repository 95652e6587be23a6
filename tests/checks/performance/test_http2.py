from __future__ import annotations

import pytest

from pagegrade.checks._run import Evaluated
from pagegrade.checks.performance.http2 import http2
from pagegrade.model.artifacts import TLS
from pagegrade.model.outcome import NotApplicable, NotRun, Outcome
from tests.builders import evaluated, make_response, run


def evaluate_version(version: str, *headers: tuple[str, str], alpn: str | None = None) -> Evaluated:
    """The verdict on an answer over https in this version."""
    response = make_response("x", headers=headers, http_version=version)
    if alpn is None:
        return evaluated(http2, response=response)
    return evaluated(http2, response=response, tls=TLS(host="example.com", verified=True, alpn=alpn))


@pytest.mark.parametrize(
    ("version", "loss"), [("HTTP/2", 0), ("HTTP/3", 0), ("HTTP/2.0", 0), ("HTTP/1.1", 1), ("HTTP/1.0", 1)]
)
def test_the_version_of_the_answer_decides(version: str, loss: float) -> None:
    """We offer HTTP/2, so the answer shows what the server speaks."""
    found = evaluate_version(version)

    assert found.loss == loss
    assert isinstance(found.verdict, Outcome)
    assert found.verdict.value == version


@pytest.mark.parametrize(
    ("value", "loss"),
    [
        ('h3=":443"; ma=86400', 0),
        ('quic=":443", h3-29=":443"', 0),
        ('h2="alt.example.com:443"', 0),
        ('h3-q=":443"', 1),
        ("clear", 1),
        ('http/1.1="x:1"', 1),
        ('x="a,h3="', 1),
    ],
)
def test_an_announced_newer_version_counts(value: str, loss: float) -> None:
    """A server may offer HTTP/3 only beside HTTP/1.1."""
    found = evaluate_version("HTTP/1.1", ("Alt-Svc", value))

    assert found.loss == loss


def test_what_the_handshake_agreed_to_counts() -> None:
    """A client in the way may have fallen back."""
    assert evaluate_version("HTTP/1.1", alpn="h2").loss == 0
    assert evaluate_version("", alpn="h2").loss == 0
    assert evaluate_version("HTTP/1.1", alpn="http/1.1").loss == 1


def test_a_page_over_http_is_evaluated_by_the_check_for_https() -> None:
    """Browsers speak HTTP/2 over https only, so the loss is inherited instead of found."""
    verdict = run(http2, response=make_response("x", url="http://example.com/", http_version="HTTP/1.1"))

    assert isinstance(verdict, NotApplicable)


def test_a_saved_page_is_not_evaluated() -> None:
    """Without an exchange there is no version."""
    verdict = run(http2, response=make_response("x", http_version=""))

    assert verdict == NotRun("not_measured", "The saved page does not include its HTTP version.")


def test_the_announcement_is_shown() -> None:
    """The owner sees what was read."""
    found = evaluate_version("HTTP/1.1", ("Alt-Svc", 'h3=":443"')).verdict

    assert isinstance(found, Outcome)
    assert [(entry.header, entry.value, entry.snippet) for entry in found.evidence] == [
        ("", "HTTP/1.1", ""),
        ("Alt-Svc", "", 'h3=":443"'),
    ]
