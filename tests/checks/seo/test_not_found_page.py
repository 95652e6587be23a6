"""Tests of the check not-found-page."""

from __future__ import annotations

import pytest

from pagegrade.checks.seo.not_found_page import not_found_page
from pagegrade.model.artifacts import Artifacts, NotGathered
from pagegrade.model.outcome import NotRun
from tests.builders import make_artifacts, make_response, make_well_known, outcome, run

URL = "https://example.com/zebra-lantern"


HELPFUL = b"<!doctype html><h1>Not here</h1><p>Go to the <a href=/>home page</a>."


def site(status: int, *, body: bytes = HELPFUL, redirects_to: str | None = None) -> Artifacts:
    """A site that answers the probe with that status and body."""
    hops = [] if redirects_to is None else [make_response(url=URL, status=302, headers=[("Location", redirects_to)])]
    return make_artifacts(not_found_probe=make_well_known(body, url=redirects_to or URL, status=status, hops=hops))


def state(status: int, *, body: bytes = HELPFUL, redirects_to: str | None = None) -> str:
    """The state for such a site."""
    return outcome(not_found_page, site(status, body=body, redirects_to=redirects_to)).state


@pytest.mark.parametrize("status", [404, 410])
def test_not_found_passes(status: int) -> None:
    """Both words for "not here" are right."""
    assert state(status) == "ok"


@pytest.mark.parametrize("status", [404, 410])
@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b"", "thin"),
        (b"Not found", "thin"),
        (
            b"<html><body><center><h1>404 Not Found</h1></center><hr><center>nginx</center>" + b"<!-- padding -->" * 99,
            "thin",
        ),
        (b"<style>" + b"a{color:red}" * 99 + b"</style><h1>Oops</h1>", "thin"),
        ("<h1>Страница не найдена</h1><a href=/>Главная</a>".encode(), "ok"),
        ("<h1>ページがありません</h1><FORM action=/s><input name=q></FORM>".encode(), "ok"),
        (b"<div id=app></div><script src=/app.js></script>", "ok"),
    ],
)
def test_a_page_without_a_way_on_is_thin(status: int, body: bytes, expected: str) -> None:
    """Not its bytes decide but whether visitors can go on from there; a script may draw anything."""
    assert state(status, body=body) == expected


def test_redirect_to_a_404_warns() -> None:
    """The status is right, the way is not."""
    assert state(404, redirects_to="https://example.com/404") == "redirected"


@pytest.mark.parametrize("status", [200, 202, 204])
def test_success_fails(status: int) -> None:
    """An application shell that answers everything is a soft 404, also with an empty body."""
    assert state(status, body=b"") == "soft_404"


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


@pytest.mark.parametrize(("body", "entries"), [("<!doctype html><title>Our shop</title>", 2), ("User-agent: *\n", 1)])
def test_page_at_robots_txt_is_listed_with_the_page_for_unknown_urls(body: str, entries: int) -> None:
    """One response to everything is one finding, and it shows what else it answers."""
    probe = make_well_known("<!doctype html>", url="https://example.com/no-such-page")
    robots = make_well_known(body, url="https://example.com/robots.txt")
    found = outcome(not_found_page, make_artifacts(not_found_probe=probe, robots_txt=robots))

    assert (found.state, len(found.evidence)) == ("soft_404", entries)
