from __future__ import annotations

import pytest

from pagegrade.checks.seo.link_redirects import link_redirects
from pagegrade.model.artifacts import LinkProbes, NotGathered, Probe, Response
from pagegrade.model.outcome import NotApplicable, NotRun
from tests.builders import evaluated, outcome, run

START = "https://example.com/a"
END = "https://example.com/b"


def led(*statuses: int) -> LinkProbes:
    """One link, and the redirects behind it."""
    hops = tuple(Response(url=START, status=status) for status in statuses)
    return LinkProbes(items=(Probe(url=START, hops=hops, response=Response(url=END, status=200)),), found=1)


@pytest.mark.parametrize(
    ("statuses", "state"),
    [
        ((), "direct"),
        ((301,), "redirected"),
        ((308, 302), "redirected"),
        ((302,), "direct"),
        ((303,), "direct"),
        ((307, 301), "direct"),
    ],
)
def test_only_addresses_that_were_given_up_are_listed(statuses: tuple[int, ...], state: str) -> None:
    """The others are meant to redirect."""
    assert outcome(link_redirects, "<p>", link_probes=led(*statuses)).state == state


def test_evidence_says_where_to_link_to() -> None:
    """Old address, new address, and how the server says so."""
    (evidence,) = outcome(link_redirects, "<p>", link_probes=led(301)).evidence

    assert (evidence.url, evidence.value, evidence.reason) == (START, END, "status 301")


def test_it_costs_nothing_and_is_not_guessed() -> None:
    """No links, no answers."""
    silent = LinkProbes(items=(Probe(url=START, failure=NotGathered(code="timeout")),), found=1)

    assert evaluated(link_redirects, "<p>", link_probes=led(301)).outcome == "informative"
    assert isinstance(run(link_redirects, "<p>", link_probes=LinkProbes()), NotApplicable)
    assert isinstance(run(link_redirects, "<p>", link_probes=silent), NotRun)
    assert isinstance(run(link_redirects, "<p>"), NotRun)
