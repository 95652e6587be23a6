from __future__ import annotations

import pytest

from pagegrade.checks.seo.broken_links import broken_links
from pagegrade.model.artifacts import LinkProbes, NotGathered, Probe, Response
from pagegrade.model.outcome import NotApplicable, NotRun
from tests.builders import evaluated, make_artifacts, outcome, run

SITE = "https://example.com"
HTML = "".join(f'<p><a href="/{n}#part">{n}</a> <a href="/{n}">again</a></p>' for n in range(9))


def answered(n: int, status: int, *headers: tuple[str, str]) -> Probe:
    """The page of a link, and what it says."""
    return Probe(
        url=f"{SITE}/{n}", response=Response(url=f"{SITE}/{n}", status=status, headers=headers, headers_seen=True)
    )


def failed(n: int, code: str, reason: str) -> Probe:
    """A link without an answer."""
    return Probe(url=f"{SITE}/{n}", failure=NotGathered(code=code, reason=reason))


def links(*probes: Probe, found: int = 9) -> LinkProbes:
    """The requested links."""
    return LinkProbes(items=probes, found=found)


@pytest.mark.parametrize("status", [404, 410, 500, 502, 599])
def test_pages_that_are_not_there(status: int) -> None:
    """Gone, or in ruins."""
    assert outcome(broken_links, HTML, link_probes=links(answered(0, status))).state == "broken"


@pytest.mark.parametrize("status", [200, 204, 206, 304, 399])
def test_pages_that_are_there(status: int) -> None:
    """Any success, and what needs no content."""
    assert outcome(broken_links, HTML, link_probes=links(answered(0, status))).state == "alive"


@pytest.mark.parametrize(
    "probe",
    [
        answered(0, 401),
        answered(0, 403),
        answered(0, 405),
        answered(0, 429),
        answered(0, 451),
        answered(0, 999),
        answered(0, 503, ("Retry-After", "120")),
        answered(0, 503, ("cf-mitigated", "challenge")),
        answered(0, 404, ("CF-Mitigated", "challenge")),
        failed(0, "timeout", "headers_timeout"),
        failed(0, "connect", "conn_reset"),
        failed(0, "dns", "dns_nxdomain"),
        failed(0, "tls", "tls_error"),
        failed(0, "address_not_allowed", "redirect_refused"),
    ],
)
def test_refusals_and_silence_prove_nothing(probe: Probe) -> None:
    """They may be meant for our fetcher only: alone they leave nothing to evaluate, beside others they do not count."""
    assert isinstance(run(broken_links, HTML, link_probes=links(probe)), NotRun)

    beside = outcome(broken_links, HTML, link_probes=links(probe, answered(1, 200)))

    assert (beside.state, beside.value) == ("alive", "1 of 9 pages")


@pytest.mark.parametrize("reason", ["redirect_loop", "too_many_redirects"])
def test_redirects_without_end_are_no_page(reason: str) -> None:
    """A browser gives up there as well."""
    assert outcome(broken_links, HTML, link_probes=links(failed(0, "protocol", reason))).state == "broken"


def test_five_cost_everything() -> None:
    """One costs half, and the message contains their number."""
    losses = [
        evaluated(broken_links, HTML, link_probes=links(*(answered(n, 404) for n in range(count)))).loss
        for count in (1, 3, 5, 9)
    ]

    assert losses == [0.5, 0.75, 1.0, 1.0]


def test_evidence_is_the_first_link_to_each_page() -> None:
    """With the address without its fragment, and where the link stands."""
    found = outcome(broken_links, HTML, link_probes=links(answered(1, 404), answered(2, 200)))
    (evidence,) = found.evidence

    assert (evidence.url, evidence.reason, evidence.line) == (f"{SITE}/1", "status 404", 1)
    assert evidence.selector == "html > body > p:nth-of-type(2) > a:nth-of-type(1)"
    assert found.message == "One link leads to a page that does not exist."
    assert found.value == "1 of 2 pages"


@pytest.mark.parametrize("status", [200, 404])
def test_how_many_of_how_many_is_kept(status: int) -> None:
    """Comparing two reports goes by it."""
    found = outcome(broken_links, HTML, link_probes=links(answered(0, status), failed(1, "timeout", "")))
    numbers = {detail.code: detail.actual for detail in found.details}

    assert (numbers["pages_evaluated"], numbers["pages_linked"]) == (1, 9)


def test_nothing_to_ask_for() -> None:
    """A page without links of its own has no broken ones, and links that were not requested are not evaluated."""
    assert isinstance(run(broken_links, HTML, link_probes=links(found=0)), NotApplicable)
    assert isinstance(run(broken_links, HTML, link_probes=links(found=3)), NotRun)
    assert isinstance(run(broken_links, make_artifacts(HTML)), NotRun)


@pytest.mark.parametrize(("broken", "whole", "state"), [(5, 5, "most"), (5, 6, "broken"), (4, 0, "broken")])
def test_most_of_the_links(broken: int, whole: int, state: str) -> None:
    """Five and half of them."""
    probes = [answered(n, 404) for n in range(broken)] + [answered(broken + n, 200) for n in range(whole)]

    assert outcome(broken_links, make_artifacts(link_probes=links(*probes))).state == state
