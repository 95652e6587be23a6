from __future__ import annotations

import pytest

from pagegrade.checks.accessibility.accesskeys import accesskeys
from pagegrade.model.outcome import NotApplicable
from tests.builders import outcome, run


@pytest.mark.parametrize(
    "html",
    [
        "<a href=/ accesskey=a>x</a>",
        "<a href=/ accesskey=a>x</a><a href=/ accesskey=b>y</a>",
        "<a href=/ accesskey=a>x</a><a href=/ accesskey=a hidden>y</a>",
    ],
)
def test_what_is_right_passes(html: str) -> None:
    """A hidden element takes no key."""
    assert outcome(accesskeys, html).state == "different"


@pytest.mark.parametrize(
    "html",
    [
        "<a href=/ accesskey=a>x</a><button accesskey=A>y</button>",
    ],
)
def test_what_is_wrong_is_shown_where_it_stands(html: str) -> None:
    """Case does not matter."""
    found = outcome(accesskeys, html)

    assert found.state == "doubled"
    assert found.evidence[0].selector
    assert found.evidence[0].reason


@pytest.mark.parametrize(
    "html",
    [
        "<p>",
        "<p accesskey=''>x",
    ],
)
def test_page_without_anything_to_evaluate_is_not_evaluated(html: str) -> None:
    """Nothing of the kind, or only hidden ones: there is no verdict, and no loss."""
    assert isinstance(run(accesskeys, html), NotApplicable)
