from __future__ import annotations

import pytest

from pagegrade.checks.security.referrer_policy import referrer_policy
from tests.builders import make_artifacts, outcome

NAME = "Referrer-Policy"


@pytest.mark.parametrize("value", ["no-referrer", "same-origin", "strict-origin", "Strict-Origin-When-Cross-Origin"])
def test_strict_policies_pass(value: str) -> None:
    """In any case."""
    assert outcome(referrer_policy, make_artifacts(headers=((NAME, value),))).state == "strict"


def test_no_policy_is_the_browser_s_own() -> None:
    """That is strict, so nothing is lost."""
    assert outcome(referrer_policy, make_artifacts()).state == "default"
    assert referrer_policy.state("default").loss == 0


@pytest.mark.parametrize("value", ["origin", "origin-when-cross-origin", "no-referrer-when-downgrade"])
def test_loose_policies_cost_half(value: str) -> None:
    """They reveal more than browsers would."""
    assert outcome(referrer_policy, make_artifacts(headers=((NAME, value),))).state == "loose"


def test_unsafe_url_fails() -> None:
    """The whole address is sent to all sites."""
    assert outcome(referrer_policy, make_artifacts(headers=((NAME, "unsafe-url"),))).state == "unsafe"


@pytest.mark.parametrize(
    ("value", "state"),
    [
        ("unsafe-url, no-referrer", "strict"),
        ("no-referrer, unsafe-url", "unsafe"),
        ("no-referrer, future-policy", "strict"),
        ("future-policy, other", "unknown"),
        ("", "default"),
    ],
)
def test_last_known_word_of_the_list_counts(value: str, state: str) -> None:
    """Lists are fallbacks for browsers that do not know a newer word."""
    assert outcome(referrer_policy, make_artifacts(headers=((NAME, value),))).state == state


def test_several_lines_are_one_list() -> None:
    """The last line comes last."""
    headers = ((NAME, "no-referrer"), (NAME, "unsafe-url"))

    assert outcome(referrer_policy, make_artifacts(headers=headers)).state == "unsafe"


@pytest.mark.parametrize(
    ("content", "state"), [("no-referrer", "strict"), ("ALWAYS", "unsafe"), ("never", "strict"), ("bogus", "unsafe")]
)
def test_meta_overrides_the_header_when_it_is_known(content: str, state: str) -> None:
    """Old words count, unknown ones leave the header in force."""
    html = f'<meta name="Referrer" content="{content}">'

    assert outcome(referrer_policy, make_artifacts(html, headers=((NAME, "unsafe-url"),))).state == state


def test_last_known_meta_counts() -> None:
    """Each element replaces the policy of the one before."""
    html = '<meta name="referrer" content="unsafe-url"><meta name="referrer" content="same-origin">'

    assert outcome(referrer_policy, html).state == "strict"


def test_other_meta_elements_set_no_policy() -> None:
    """Only the name ``referrer`` does."""
    assert outcome(referrer_policy, '<meta name="description" content="unsafe-url">').state == "default"
