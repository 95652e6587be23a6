from __future__ import annotations

import pytest

from pagegrade.checks.performance.html_cache_policy import html_cache_policy
from pagegrade.model.outcome import NotRun, Outcome
from tests.builders import evaluated, make_response, outcome, run


@pytest.mark.parametrize(
    ("value", "state"),
    [
        (None, "checked"),
        ("no-cache", "checked"),
        ("max-age=180", "checked"),
        ("max-age=181", "long"),
        ("max-age=9000, no-cache", "checked"),
        ("max-age=0, must-revalidate", "checked"),
        ("private, no-cache, NO-STORE", "no_store"),
        ('max-age=9000, no-cache="set-cookie"', "long"),
        ("max-age=60, stale-while-revalidate=9000", "checked"),
    ],
)
def test_the_directives_are_read(value: str | None, state: str) -> None:
    """Quoted field names, unknown extensions and any case included."""
    headers = () if value is None else (("cache-control", value),)
    found = evaluated(html_cache_policy, response=make_response("x", headers=headers))

    assert isinstance(found.verdict, Outcome)
    assert (found.verdict.state, found.outcome) == (state, "informative")


def test_expires_counts_where_cache_control_says_nothing() -> None:
    """A date in the past means no lifetime."""
    past = make_response("x", headers=(("Expires", "0"),))

    assert outcome(html_cache_policy, response=past).state == "checked"


def test_unseen_headers_say_nothing() -> None:
    """A saved page has none."""
    assert isinstance(run(html_cache_policy, response=make_response("x", headers_seen=False)), NotRun)


@pytest.mark.parametrize(
    ("value", "begins"),
    [
        (None, "The page has no cache lifetime"),
        ("public", "The page has no cache lifetime"),
        ("no-cache", "Browsers revalidate"),
        ("max-age=9000, no-cache", "Browsers revalidate"),
        ("max-age=0", "Browsers revalidate"),
        ("max-age=1", "Browsers may use a cached copy of the page for 1 second without"),
        ("max-age=3600", "Browsers may use a cached copy of the page for 3,600 seconds without"),
        ("no-store", "Browsers may not store the page at all."),
    ],
)
def test_it_says_what_browsers_do(value: str | None, begins: str) -> None:
    """Asking each time, guessing and a stated time are different things."""
    headers = () if value is None else (("Cache-Control", value),)
    found = outcome(html_cache_policy, response=make_response("x", headers=headers))

    assert (found.message or html_cache_policy.state(found.state).message).startswith(begins)
