"""Tests of the check http-status."""

from __future__ import annotations

import pytest

from pagegrade.checks.seo.http_status import http_status
from pagegrade.model.access import VisitorView
from tests.builders import evaluated, make_artifacts, make_response, outcome


@pytest.mark.parametrize("status", [200, 204, 206, 299])
def test_success_passes(status: int) -> None:
    """Every 2xx is success."""
    found = outcome(http_status, make_artifacts(status=status))

    assert (found.state, found.value) == ("ok", status)


@pytest.mark.parametrize(
    ("status", "state"),
    [
        (199, "unexpected"),
        (300, "redirect"),
        (304, "redirect"),
        (400, "client_error"),
        (403, "client_error"),
        (429, "client_error"),
        (500, "server_error"),
        (503, "server_error"),
        (600, "unexpected"),
    ],
)
def test_everything_else_fails_by_its_class(status: int, state: str) -> None:
    """The classes have states of their own and all cost everything."""
    result = evaluated(http_status, make_artifacts(status=status))

    assert result.loss == 1.0
    assert outcome(http_status, make_artifacts(status=status)).state == state


def test_redirects_are_shown_and_only_the_last_answer_counts() -> None:
    """The chain is evidence; a redirect on the way is no failure."""
    hop = make_response(url="http://example.com/", status=301)
    found = outcome(http_status, make_artifacts(hops=[hop]))

    assert found.state == "ok"
    assert [(entry.url, entry.value) for entry in found.evidence] == [
        ("http://example.com/", "status 301"),
        ("https://example.com/", "status 200"),
    ]


def test_try_later_is_said() -> None:
    """503 with Retry-After is a pause and not an end."""
    artifacts = make_artifacts(status=503, headers=[("Retry-After", "120"), ("Content-Type", "text/html")])

    assert "Retry-After: 120" in outcome(http_status, artifacts).message


@pytest.mark.parametrize(
    ("disposition", "state"),
    [
        ('attachment; filename="a.html"', "download"),
        ("ATTACHMENT", "download"),
        ("inline; filename=attachment.html", "ok"),
        ("", "ok"),
    ],
)
def test_page_that_is_sent_as_a_file_to_save(disposition: str, state: str) -> None:
    """No browser shows it; a name for the case that someone saves it is no such wish."""
    headers = (("Content-Type", "text/html"), ("Content-Disposition", disposition))

    assert outcome(http_status, make_artifacts("<h1>a</h1>", headers=headers)).state == state


def test_status_for_visitors_is_told_apart() -> None:
    """The message has both statuses if an access let the analysis in, and no fault is made of it."""
    view = VisitorView(status=401, url="https://example.com/", is_elsewhere=False, indexable=None)
    found = outcome(http_status, make_artifacts(visitor_view=view))

    assert found.state == "ok"
    assert "status 200" in found.message
    assert "status 401" in found.message
    assert [entry.value for entry in found.evidence] == ["status 200", "status 401"]
