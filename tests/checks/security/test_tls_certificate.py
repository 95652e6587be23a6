from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from pagegrade.checks.security.tls_certificate import tls_certificate
from pagegrade.model.artifacts import TLS, Certificate, NotGathered
from pagegrade.model.outcome import NotApplicable, NotRun
from tests.builders import make_artifacts, make_response, outcome, run

NOW = datetime(2026, 1, 5, 12, 0, tzinfo=UTC)


def leaf(*, lived: float = 30, left: float = 60, **more: Any) -> Certificate:
    """A sound certificate that began ``lived`` days ago and ends in ``left`` days."""
    defaults: dict[str, Any] = {
        "subject": "CN=example.com",
        "issuer": "CN=Example CA",
        "names": ("example.com",),
        "not_before_at": NOW - timedelta(days=lived),
        "not_after_at": NOW + timedelta(days=left),
        "key_type": "EC",
        "key_bits": 256,
        "signature_algorithm": "SHA256-RSA",
    }
    return Certificate(**{**defaults, **more})


def tls(*chain: Certificate, **more: Any) -> TLS:
    """A handshake that verified, with that chain."""
    defaults: dict[str, Any] = {"host": "example.com", "verified": True, "checked_at": NOW}
    return TLS(chain=chain, **{**defaults, **more})


def test_sound_certificate_passes() -> None:
    """The value is the number of days left."""
    found = outcome(tls_certificate, make_artifacts(tls=tls(leaf())))

    assert (found.state, found.value) == ("valid", 60)


@pytest.mark.parametrize(
    ("error", "state"),
    [
        ("expired", "expired"),
        ("not_yet_valid", "not-yet-valid"),
        ("self_signed", "self-signed"),
        ("untrusted", "untrusted"),
        ("wrong_host", "wrong-host"),
        ("revoked", "revoked"),
        ("other", "invalid"),
        (None, "invalid"),
    ],
)
def test_certificate_that_does_not_verify_fails(error: str | None, state: str) -> None:
    """Each cause has a state of its own, and all of them cap the score."""
    found = outcome(tls_certificate, make_artifacts(tls=tls(leaf(), verified=False, verify_error=error)))

    assert found.state == state
    assert tls_certificate.state(state).loss == 1
    assert found.evidence


@pytest.mark.parametrize(
    ("certificate", "trusted_by_all", "state"),
    [
        (leaf(), True, "valid"),
        (leaf(), None, "valid"),
        (leaf(), False, "own-authority"),
        (leaf(lived=700), False, "own-authority"),
        (leaf(lived=700), True, "long-lived"),
        (leaf(left=5), False, "expiring"),
    ],
)
def test_own_authority_is_judged_as_those_who_trust_it(
    certificate: Certificate, *, trusted_by_all: bool | None, state: str
) -> None:
    """It is said and costs nothing; the limit of public authorities is not its own, an end that is near is."""
    found = outcome(tls_certificate, make_artifacts(tls=tls(certificate, trusted_by_all=trusted_by_all)))

    assert found.state == state
    assert tls_certificate.state("own-authority").loss == 0


@pytest.mark.parametrize(("left", "state"), [(14.1, "valid"), (14, "expiring"), (0.1, "expiring")])
def test_fourteen_days_are_the_limit(left: float, state: str) -> None:
    """For a certificate of ninety days."""
    assert outcome(tls_certificate, make_artifacts(tls=tls(leaf(lived=76, left=left)))).state == state


@pytest.mark.parametrize(("left", "state"), [(2.1, "valid"), (1.9, "expiring")])
def test_short_lived_certificate_has_a_third_of_its_life(left: float, state: str) -> None:
    """A certificate of six days is not blamed for having fewer than fourteen."""
    assert outcome(tls_certificate, make_artifacts(tls=tls(leaf(lived=6 - left, left=left)))).state == state


@pytest.mark.parametrize(("left", "words"), [(9.5, "9 days"), (1.2, "1 day"), (0.5, "12 hours"), (1.5 / 24, "1 hour")])
def test_message_contains_the_time_left(left: float, words: str) -> None:
    """In days, and in hours on the last day."""
    found = outcome(tls_certificate, make_artifacts(tls=tls(leaf(lived=80, left=left))))

    assert found.message == f"The certificate expires in {words}."


@pytest.mark.parametrize(("lifetime", "state"), [(398, "valid"), (399, "long-lived")])
def test_lifetime_of_398_days_is_the_limit(lifetime: int, state: str) -> None:
    """For the certificate of the host."""
    assert outcome(tls_certificate, make_artifacts(tls=tls(leaf(lived=lifetime - 100, left=100)))).state == state


def test_authorities_may_live_long() -> None:
    """Intermediate certificates are valid for years."""
    authority = leaf(lived=1000, left=2000, subject="CN=Example CA", issuer="CN=Root")

    assert outcome(tls_certificate, make_artifacts(tls=tls(leaf(), authority))).state == "valid"


@pytest.mark.parametrize("algorithm", ["SHA1-RSA", "MD5-RSA", "SHA1-ECDSA", "sha1WithRSAEncryption"])
def test_weak_signature_in_the_chain_costs_half(algorithm: str) -> None:
    """Of the host or of an intermediate."""
    authority = leaf(subject="CN=Example CA", issuer="CN=Root", signature_algorithm=algorithm)

    assert outcome(tls_certificate, make_artifacts(tls=tls(leaf(), authority))).state == "weak"


def test_signature_of_a_root_does_not_matter() -> None:
    """It signs itself, and trust in it does not come from the signature."""
    root = leaf(subject="CN=Root", issuer="CN=Root", signature_algorithm="SHA1-RSA")

    assert outcome(tls_certificate, make_artifacts(tls=tls(leaf(), root))).state == "valid"


@pytest.mark.parametrize(("bits", "state"), [(2048, "valid"), (2047, "weak"), (1024, "weak")])
def test_rsa_keys_need_2048_bits(bits: int, state: str) -> None:
    """Elliptic keys are short and strong, so only RSA is measured."""
    assert outcome(tls_certificate, make_artifacts(tls=tls(leaf(key_type="RSA", key_bits=bits)))).state == state


def test_missing_intermediate_costs_half() -> None:
    """Browsers fetch it, other programs do not."""
    incomplete = tls(leaf(), verified=False, verify_error="incomplete_chain")

    assert outcome(tls_certificate, make_artifacts(tls=incomplete)).state == "incomplete"


def test_several_weaknesses_are_all_reported() -> None:
    """The most urgent one gives the state."""
    found = outcome(tls_certificate, make_artifacts(tls=tls(leaf(lived=500, left=3, key_type="RSA", key_bits=1024))))

    assert found.state == "expiring"
    assert {detail.code for detail in found.details} == {"days_left", "lifetime_days", "rsa_key_bits"}


def test_dates_are_read_by_the_clock_of_the_artifact() -> None:
    """A verified handshake with a leaf that had expired by then is not called valid."""
    assert outcome(tls_certificate, make_artifacts(tls=tls(leaf(lived=90, left=-1)))).state == "expired"
    assert outcome(tls_certificate, make_artifacts(tls=tls(leaf(lived=-1, left=80)))).state == "not-yet-valid"


def test_without_a_clock_no_dates_are_evaluated() -> None:
    """The real clock is never asked."""
    assert outcome(tls_certificate, make_artifacts(tls=tls(leaf(left=-1), checked_at=None))).state == "valid"


@pytest.mark.parametrize(
    "certificate",
    [
        leaf(not_before_at=datetime(1, 1, 1, tzinfo=UTC), not_after_at=datetime(9999, 12, 31, tzinfo=UTC)),
        leaf(not_before_at=None),
        leaf(not_before_at=datetime(2025, 1, 1), not_after_at=datetime(2027, 1, 1)),  # noqa: DTZ001 - naive on purpose
        leaf(names=tuple(f"h{n}.example.com" for n in range(10_000)), subject="CN=" + "x" * 5_000),
    ],
    ids=["extreme", "undated", "naive", "huge"],
)
def test_odd_certificates_are_evaluated_without_an_error(certificate: Certificate) -> None:
    """And what is shown of them is short."""
    broken = tls(certificate, verified=False, verify_error="untrusted")
    found = outcome(tls_certificate, make_artifacts(tls=broken))

    assert found.state == "untrusted"
    assert all(len(text) <= 200 for place in found.evidence for text in (place.snippet, place.reason))
    assert outcome(tls_certificate, make_artifacts(tls=tls(certificate))).state


def test_redirect_with_a_bad_certificate_fails() -> None:
    """Visitors meet the warning before the good certificate."""
    hop = make_response(url="https://example.org/", status=301, certificate_error="expired")
    found = outcome(tls_certificate, make_artifacts(hops=[hop], tls=tls(leaf())))

    assert (found.state, found.evidence[0].url) == ("hop", "https://example.org/")


def test_error_of_the_page_s_own_connection_is_enough() -> None:
    """The separate handshake may not have been possible."""
    response = make_response(certificate_error="self_signed")
    artifacts = make_artifacts(response=response, tls=NotGathered(code="budget"))

    assert outcome(tls_certificate, artifacts).state == "self-signed"


def test_failure_without_a_chain_still_has_evidence() -> None:
    """The address and the cause."""
    broken = TLS(host="example.com", verified=False, verify_error="revoked", verify_detail="Stapled answer.")
    found = outcome(tls_certificate, make_artifacts(tls=broken))

    assert [(place.url, place.value, place.reason) for place in found.evidence] == [
        ("https://example.com/", "revoked", "Stapled answer.")
    ]


def test_without_any_handshake_it_is_not_run() -> None:
    """Silence is no proof of a good certificate."""
    assert run(tls_certificate, make_artifacts(tls=NotGathered(code="budget"))) == NotRun("budget", "")


def test_plain_http_does_not_apply() -> None:
    """There is no certificate; the check inherits the failure of HTTPS."""
    assert isinstance(run(tls_certificate, make_artifacts(url="http://example.com/")), NotApplicable)


def test_sound_redirects_do_no_harm() -> None:
    """Over plain HTTP and over HTTPS."""
    hops = [
        make_response(url="http://example.com/", status=301, certificate_error="other"),
        make_response(url="https://example.com/", status=301),
    ]

    assert outcome(tls_certificate, make_artifacts(hops=hops, tls=tls(leaf()))).state == "valid"


def test_cause_is_taken_from_wherever_it_is_known() -> None:
    """The handshake may only know that it failed."""
    response = make_response(certificate_error="expired")
    artifacts = make_artifacts(response=response, tls=tls(leaf(), verified=False))

    assert outcome(tls_certificate, artifacts).state == "expired"


@pytest.mark.parametrize("chain", [(), (leaf(not_after_at=None),), (leaf(not_before_at=None, left=20),)])
def test_facts_that_are_missing_are_not_guessed(chain: tuple[Certificate, ...]) -> None:
    """A verified handshake without dates is still verified."""
    assert outcome(tls_certificate, make_artifacts(tls=tls(*chain))).state == "valid"


def test_incomplete_chain_is_charged_once() -> None:
    """A redirect on the same host has the same chain, whatever its connection called it."""
    hop = make_response(url="https://example.com/old", status=301, certificate_error="untrusted")
    incomplete = tls(leaf(), verified=False, verify_error="incomplete_chain")
    artifacts = make_artifacts(url="https://example.com/", hops=[hop], tls=incomplete)

    assert outcome(tls_certificate, artifacts).state == "incomplete"


def test_incomplete_chain_must_be_known_from_the_handshake() -> None:
    """Without it, the word may as well mean an unknown authority."""
    response = make_response(certificate_error="incomplete_chain")

    assert outcome(tls_certificate, make_artifacts(response=response)).state == "invalid"
