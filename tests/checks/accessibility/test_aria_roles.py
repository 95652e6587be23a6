from __future__ import annotations

import pytest

from pagegrade.checks.accessibility.aria_roles import aria_roles
from pagegrade.model.outcome import NotApplicable
from tests.builders import outcome, run


@pytest.mark.parametrize(
    "html",
    [
        "<p role=button>x",
        "<p role='foo button'>x",
        "<p role='button foo'>x",
        "<p role=BUTTON>x",
        "<p role=doc-toc>x",
        "<svg role=graphics-symbol></svg>",
        "<p role=image>x",
        "<p role=mark>x",
        "<p role=text>x",
        "<p role=none>x",
        "<p role=meter>x",
        "<p role=generic>x",
        "<p role='é\tbutton'>x",
    ],
)
def test_what_is_right_passes(html: str) -> None:
    """The first known word wins, whatever its case."""
    assert outcome(aria_roles, html).state == "known"


@pytest.mark.parametrize(
    "html",
    [
        "<p role=buton>x",
        "<p role=widget>x",
        "<p role='section button'>x",
        "<p role='foo bar'>x",
        "<p role=h1>x",
        "<p role=doc-foo>x",
        "<p role=button\xa0>x",
        "<p role='button\xa0link'>x",
        "<p role=\u2800>x",
    ],
)
def test_what_is_wrong_is_shown_where_it_stands(html: str) -> None:
    """Abstract roles explain the list and stand on no element."""
    found = outcome(aria_roles, html)

    assert found.state == "unknown"
    assert found.evidence[0].selector
    assert found.evidence[0].reason


@pytest.mark.parametrize(
    "html",
    [
        "<p>x",
        "<p role=''>x",
        "<p role=foo hidden>x",
        "<p role=' '>x",
    ],
)
def test_page_without_anything_to_evaluate_is_not_evaluated(html: str) -> None:
    """Nothing of the kind, or only hidden ones: there is no verdict, and no loss."""
    assert isinstance(run(aria_roles, html), NotApplicable)


@pytest.mark.parametrize(("count", "loss"), [(1, 0.5), (10, 1.0), (30, 1.0)])
def test_loss_grows_up_to_ten(count: int, loss: float) -> None:
    """The first costs most, and more than ten cost no more than ten."""
    found = outcome(aria_roles, "<p role=foo>x" * count)

    assert found.loss == pytest.approx(loss)
    assert found.total == count
