from __future__ import annotations

import pytest

from pagegrade.checks.security.https import https
from pagegrade.model.artifacts import TLS
from tests.builders import make_artifacts, make_response, outcome


def test_https_with_a_verified_certificate_passes() -> None:
    """The address after redirects is what counts."""
    assert outcome(https, make_artifacts(url="https://example.com/")).state == "secure"


def test_plain_http_fails_and_caps_the_score() -> None:
    """The whole price is lost, which is what makes the cap apply."""
    found = outcome(https, make_artifacts(url="http://example.com/"))

    assert found.state == "insecure"
    assert https.state("insecure").loss == 1
    assert [cap.max_score for cap in https.caps] == [69]


def test_typed_http_that_is_upgraded_passes() -> None:
    """The way there is evaluated by another check."""
    hop = make_response(url="http://example.com/", status=301, headers=(("Location", "https://example.com/"),))

    assert outcome(https, make_artifacts(hops=[hop])).state == "secure"


@pytest.mark.parametrize(
    "url",
    [
        "http://localhost/",
        "http://localhost:8080/",
        "http://app.localhost/",
        "http://127.0.0.1/",
        "http://127.8.9.1/",
        "http://[::1]/",
        "http://printer.local/",
        "http://expyuzz4wqqyqhjn.onion/",
    ],
)
def test_local_and_onion_hosts_pass_without_tls(url: str) -> None:
    """Their traffic crosses no open network in plain text."""
    assert outcome(https, make_artifacts(url=url)).state == "local"


@pytest.mark.parametrize("url", ["http://localhost.example.com/", "http://127.example.com/", "http://notlocal/"])
def test_lookalikes_of_local_hosts_fail(url: str) -> None:
    """Only the name's end, or a whole address, makes a host local."""
    assert outcome(https, make_artifacts(url=url)).state == "insecure"


def test_certificate_that_does_not_verify_fails() -> None:
    """The connection was encrypted, but not with the real host for certain."""
    response = make_response(certificate_error="expired")
    found = outcome(https, make_artifacts(response=response))

    assert (found.state, found.value) == ("unverified", "expired")


def test_handshake_of_its_own_counts_too() -> None:
    """The TLS artifact can know of a failure that the page's answer does not show."""
    tls = TLS(host="example.com", verified=False, verify_error="wrong_host", verify_detail="for other.example")
    found = outcome(https, make_artifacts(tls=tls))

    assert (found.state, found.value) == ("unverified", "wrong_host")
    assert found.evidence[0].reason == "for other.example"


def test_missing_intermediate_is_repaired_by_browsers() -> None:
    """Visitors see no warning, so everything that needs HTTPS must not be charged."""
    tls = TLS(host="example.com", verified=False, verify_error="incomplete_chain")
    response = make_response(certificate_error="incomplete_chain")

    assert outcome(https, make_artifacts(response=response, tls=tls)).state == "secure"


def test_incomplete_chain_must_be_known_from_the_handshake() -> None:
    """The page's own connection cannot distinguish it from an unknown authority."""
    response = make_response(certificate_error="incomplete_chain")

    assert outcome(https, make_artifacts(response=response)).state == "unverified"


def test_handshake_explains_the_word_of_the_page_s_connection() -> None:
    """It says untrusted for an intermediate that was not sent."""
    tls = TLS(host="example.com", verified=False, verify_error="incomplete_chain")
    response = make_response(certificate_error="untrusted")

    assert outcome(https, make_artifacts(response=response, tls=tls)).state == "secure"


def test_failed_handshake_without_a_cause_fails() -> None:
    """Unknown is not verified."""
    found = outcome(https, make_artifacts(tls=TLS(host="example.com", verified=False)))

    assert (found.state, found.value) == ("unverified", "other")


def test_verified_handshake_does_not_excuse_the_page_s_own_connection() -> None:
    """The connection that visitors got is the one that counts."""
    response = make_response(certificate_error="wrong_host")
    tls = TLS(host="example.com", verified=True)
    found = outcome(https, make_artifacts(response=response, tls=tls))

    assert (found.state, found.value) == ("unverified", "wrong_host")
