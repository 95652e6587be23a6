from __future__ import annotations

import pytest

from pagegrade.checks.security.http_to_https_redirect import http_to_https_redirect
from pagegrade.model.artifacts import TLS, NotGathered, Response, WellKnown
from pagegrade.model.outcome import NotApplicable, NotRun
from tests.builders import make_artifacts, make_response, outcome, run


def probe(*steps: tuple[str, int], certificate_error: str | None = None) -> WellKnown:
    """The answers on the way from plain HTTP; an error of the certificate belongs to the last."""
    answers: list[Response] = []
    for index, (url, status) in enumerate(steps):
        last = index == len(steps) - 1
        headers = () if last else (("Location", steps[index + 1][0]),)
        answers.append(
            make_response(
                url=url, status=status, headers=headers, certificate_error=certificate_error if last else None
            )
        )
    return WellKnown(requested_url=steps[0][0], hops=tuple(answers[:-1]), response=answers[-1])


HTTP, HTTPS = "http://example.com/", "https://example.com/"


@pytest.mark.parametrize("status", [301, 308])
def test_permanent_redirect_to_the_same_host_passes(status: int) -> None:
    """Both permanent codes are right."""
    found = outcome(http_to_https_redirect, make_artifacts(insecure_probe=probe((HTTP, status), (HTTPS, 200))))

    assert (found.state, found.value) == ("direct", status)


def test_later_hop_to_another_host_does_not_matter() -> None:
    """The first hop has protected the first host."""
    way = probe((HTTP, 301), (HTTPS, 301), ("https://www.example.com/", 200))

    assert outcome(http_to_https_redirect, make_artifacts(insecure_probe=way)).state == "direct"


@pytest.mark.parametrize("status", [302, 303, 307])
def test_temporary_redirect_costs_half(status: int) -> None:
    """Browsers ask over plain HTTP again next time."""
    way = probe((HTTP, status), (HTTPS, 200))

    assert outcome(http_to_https_redirect, make_artifacts(insecure_probe=way)).state == "temporary"


def test_first_hop_to_another_host_costs_half() -> None:
    """The host that was asked for never gets to set its own HSTS."""
    way = probe((HTTP, 301), ("https://www.example.com/", 200))

    assert outcome(http_to_https_redirect, make_artifacts(insecure_probe=way)).state == "other-host"


def test_first_hop_over_http_costs_half() -> None:
    """One more unprotected step."""
    way = probe((HTTP, 301), ("http://www.example.com/", 301), ("https://www.example.com/", 200))

    assert outcome(http_to_https_redirect, make_artifacts(insecure_probe=way)).state == "detour"


def test_page_over_plain_http_fails() -> None:
    """No redirect at all."""
    assert outcome(http_to_https_redirect, make_artifacts(insecure_probe=probe((HTTP, 200)))).state == "insecure"


def test_way_that_ends_on_plain_http_fails() -> None:
    """A stop at HTTPS in between does not help."""
    way = probe((HTTP, 301), (HTTPS, 302), ("http://example.com/plain", 200))

    assert outcome(http_to_https_redirect, make_artifacts(insecure_probe=way)).state == "insecure"


def test_bad_certificate_on_the_way_fails() -> None:
    """Visitors meet a warning page."""
    way = probe((HTTP, 301), (HTTPS, 200), certificate_error="wrong_host")

    assert outcome(http_to_https_redirect, make_artifacts(insecure_probe=way)).state == "unverified"


def test_refusal_on_port_80_costs_half() -> None:
    """Nothing is served in plain text, but visitors are not led on."""
    assert outcome(http_to_https_redirect, make_artifacts(insecure_probe=probe((HTTP, 403)))).state == "error"


def test_closed_port_passes() -> None:
    """No visitor stays on a connection that does not exist."""
    missing = NotGathered(code="connect", detail="Connection refused.")

    assert outcome(http_to_https_redirect, make_artifacts(insecure_probe=missing)).state == "closed"


def test_other_failures_are_not_evaluated() -> None:
    """A timeout may be ours."""
    verdict = run(http_to_https_redirect, make_artifacts(insecure_probe=NotGathered(code="timeout")))

    assert verdict == NotRun("timeout", "")


def test_preloaded_top_level_domain_passes() -> None:
    """Browsers never send a plain request there."""
    way = probe(("http://example.dev/", 200))

    assert outcome(http_to_https_redirect, make_artifacts(url="https://example.dev/", insecure_probe=way)).state == (
        "preloaded"
    )


def test_local_page_does_not_apply() -> None:
    """There is nothing to redirect to."""
    artifacts = make_artifacts(url="http://localhost:8000/", insecure_probe=probe((HTTP, 200)))

    assert isinstance(run(http_to_https_redirect, artifacts), NotApplicable)


def test_evidence_is_the_chain() -> None:
    """Each answer with its status and target."""
    found = outcome(http_to_https_redirect, make_artifacts(insecure_probe=probe((HTTP, 302), (HTTPS, 200))))

    assert [(place.url, place.value, place.snippet) for place in found.evidence] == [
        (HTTP, "status 302", HTTPS),
        (HTTPS, "status 200", ""),
    ]


def test_page_over_plain_http_on_the_open_network_is_evaluated() -> None:
    """Only local pages are excused."""
    artifacts = make_artifacts(url=HTTP, insecure_probe=probe((HTTP, 200)))

    assert outcome(http_to_https_redirect, artifacts).state == "insecure"


def test_local_host_over_https_is_evaluated() -> None:
    """It has chosen HTTPS, so plain HTTP should lead there."""
    artifacts = make_artifacts(url="https://nas.local/", insecure_probe=probe(("http://nas.local/", 200)))

    assert outcome(http_to_https_redirect, artifacts).state == "insecure"


def test_error_of_the_certificate_is_evidence() -> None:
    """Beside the answer that has it."""
    way = probe((HTTP, 301), (HTTPS, 200), certificate_error="expired")
    found = outcome(http_to_https_redirect, make_artifacts(insecure_probe=way))

    assert [place.reason for place in found.evidence] == ["", "expired"]


def test_chain_that_browsers_complete_is_no_bad_certificate() -> None:
    """The handshake has found out what the word of the connection means."""
    way = probe((HTTP, 301), (HTTPS, 200), certificate_error="untrusted")
    tls = TLS(host="example.com", verified=False, verify_error="incomplete_chain")

    assert outcome(http_to_https_redirect, make_artifacts(insecure_probe=way, tls=tls)).state == "direct"
    assert outcome(http_to_https_redirect, make_artifacts(insecure_probe=way)).state == "unverified"


def test_page_on_another_port_does_not_apply() -> None:
    """Port 80 of the host may belong to something else."""
    missing = NotGathered(code="not_applicable", detail="The page is not on a standard port.")

    assert isinstance(run(http_to_https_redirect, make_artifacts(insecure_probe=missing)), NotApplicable)
