"""The traps of ``nofollow-page``; what holds for every check is in ``tests/contract/test_checks.py``."""

from __future__ import annotations

import pytest

from pagegrade.checks._registry import all_checks
from tests.builders import make_artifacts, make_response, outcome

PAGE = "<!doctype html><title>T</title>"


@pytest.mark.parametrize(
    ("content", "state"),
    [
        ("nofollow", "nofollow"),
        ("INDEX, NoFollow", "nofollow"),
        ("noindex,nofollow", "nofollow"),
        ("follow", "follow"),
        ("all", "follow"),
        ("", "follow"),
    ],
)
def test_meta(content: str, state: str) -> None:
    """The rule counts in any case and among others."""
    assert outcome("nofollow-page", f'{PAGE}<meta name="robots" content="{content}">').state == state


def test_header_names_its_crawler() -> None:
    """A header may be meant for one crawler; the evidence says which."""
    found = outcome("nofollow-page", make_artifacts(PAGE, headers=[("X-Robots-Tag", "bingbot: nofollow")]))

    assert (found.state, found.value, found.evidence[0].header) == ("nofollow", "bingbot: nofollow", "X-Robots-Tag")


def test_single_links_and_other_answers_do_not_count() -> None:
    """A link's own rel and the header of a redirect say nothing about the page."""
    hop = make_response(status=301, headers=[("Location", "/"), ("X-Robots-Tag", "nofollow")])
    found = outcome("nofollow-page", make_artifacts(f'{PAGE}<a href="/a" rel="nofollow">a</a>', hops=[hop]))

    assert found.state == "follow"


def test_none_is_nofollow_too() -> None:
    """It is short for noindex and nofollow; both are one cause, so it costs once."""
    assert outcome("nofollow-page", '<meta name="robots" content="none">').state == "nofollow"
    assert all_checks()["nofollow-page"].cause == all_checks()["noindex"].cause
