from __future__ import annotations

import pytest

from pagegrade.checks.accessibility.presentation_conflict import presentation_conflict
from pagegrade.model.outcome import NotApplicable
from tests.builders import outcome, run


@pytest.mark.parametrize(
    "html",
    [
        "<ul role=presentation></ul>",
        "<img alt='' src=a>",
        "<ul role=none aria-label=''></ul>",
        "<img alt='' src=a title=x>",
        "<svg role=none></svg>",
        "<iframe role=presentation src=a></iframe>",
        "<video role=none controls></video>",
    ],
)
def test_what_is_right_passes(html: str) -> None:
    """Only the role that counts, and only attributes that say something."""
    assert outcome(presentation_conflict, html).state == "clear"


@pytest.mark.parametrize(
    "html",
    [
        "<ul role=none aria-live=polite></ul>",
        "<li role=presentation tabindex=0>x",
        "<button role=none>x</button>",
        "<img alt='' src=a aria-label=x>",
        "<img alt='' src=a tabindex=0>",
        "<a href=/ role=none>x</a>",
        "<svg role=none aria-label=x></svg>",
        "<svg role=presentation tabindex=0></svg>",
        "<iframe role=none src=a tabindex=0></iframe>",
    ],
)
def test_what_is_wrong_is_shown_where_it_stands(html: str) -> None:
    """The focus and every global attribute bring the meaning back."""
    found = outcome(presentation_conflict, html)

    assert found.state == "conflicting"
    assert found.evidence[0].selector
    assert found.evidence[0].reason


@pytest.mark.parametrize(
    "html",
    [
        "<img alt=x aria-label=y src=a>",
        "<ul role=none aria-hidden=true></ul>",
        "<ul role='list none' aria-label=x></ul>",
        "<p>მზე",
    ],
)
def test_nothing_to_judge_is_not_applicable(html: str) -> None:
    """Nothing on the page is marked so, or only what nobody meets."""
    assert isinstance(run("presentation-conflict", html), NotApplicable)
