"""Tests of the check not-found-page."""

from __future__ import annotations

import pytest

from pagegrade.checks.seo.not_found_page import not_found_page
from pagegrade.model.artifacts import Artifacts, NotGathered
from pagegrade.model.outcome import NotRun
from tests.builders import make_artifacts, make_response, make_well_known, outcome, run

URL = "https://example.com/zebra-lantern"


def site(status: int, *, size: int = 512, redirects_to: str | None = None) -> Artifacts:
    """A site that answers the probe with that status and a body of ``size`` bytes."""
    hops = [] if redirects_to is None else [make_response(url=URL, status=302, headers=[("Location", redirects_to)])]
    return make_artifacts(
        not_found_probe=make_well_known(b"x" * size, url=redirects_to or URL, status=status, hops=hops)
    )


def state(status: int, *, size: int = 512, redirects_to: str | None = None) -> str:
    """The state for such a site."""
    return outcome(not_found_page, site(status, size=size, redirects_to=redirects_to)).state


@pytest.mark.parametrize("status", [404, 410])
def test_not_found_passes(status: int) -> None:
    """Both words for "not here" are right."""
    assert state(status) == "ok"


def test_limit_of_a_thin_page() -> None:
    """512 bytes are a page, 511 are not, none is none; 410 says more by itself."""
    assert state(404, size=512) == "ok"
    assert state(404, size=511) == "thin"
    assert state(410, size=256) == "ok"
    assert state(410, size=255) == "thin"
    assert state(410, size=0) == "thin"


def test_redirect_to_a_404_warns() -> None:
    """The status is right, the way is not."""
    assert state(404, redirects_to="https://example.com/404") == "redirected"


@pytest.mark.parametrize("status", [200, 202, 204])
def test_success_fails(status: int) -> None:
    """An application shell that answers everything is a soft 404, also with an empty body."""
    assert state(status, size=0) == "soft_404"


@pytest.mark.parametrize("target", ["https://example.com/", "https://example.com/search?q=zebra"])
def test_redirect_to_a_page_fails(target: str) -> None:
    """Start page or any other: the address is answered as if it existed."""
    assert state(200, redirects_to=target) == "redirects_elsewhere"


def test_endless_redirect_fails() -> None:
    """A redirect as the last answer leads nowhere."""
    assert state(302) == "redirects_elsewhere"


@pytest.mark.parametrize("status", [500, 503])
def test_server_error_fails(status: int) -> None:
    """An unknown address must not break the server."""
    assert state(status) == "server_error"


@pytest.mark.parametrize("status", [401, 403, 405, 429, 451, 999])
def test_refusal_is_not_evaluated(status: int) -> None:
    """A firewall that refuses unknown paths says nothing about the page for people."""
    assert isinstance(run(not_found_page, site(status)), NotRun)


def test_network_failure_is_not_a_page() -> None:
    """No answer is never read as "has a 404 page"."""
    artifacts = make_artifacts(not_found_probe=NotGathered(code="timeout", detail="No answer."))

    assert run(not_found_page, artifacts) == NotRun("timeout", "No answer.")


def test_a_thin_page_is_reported_with_its_size() -> None:
    """The limit is in bytes, so the message is too."""
    found = outcome(not_found_page, site(404, size=17))

    assert found.message == "The 404 page has only 17 bytes."


@pytest.mark.parametrize(("body", "entries"), [("<!doctype html><title>Our shop</title>", 2), ("User-agent: *\n", 1)])
def test_page_at_robots_txt_is_listed_with_the_page_for_unknown_urls(body: str, entries: int) -> None:
    """One response to everything is one finding, and it shows what else it answers."""
    probe = make_well_known("<!doctype html>", url="https://example.com/no-such-page")
    robots = make_well_known(body, url="https://example.com/robots.txt")
    found = outcome(not_found_page, make_artifacts(not_found_probe=probe, robots_txt=robots))

    assert (found.state, len(found.evidence)) == ("soft_404", entries)
