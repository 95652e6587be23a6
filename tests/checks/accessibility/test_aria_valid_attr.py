from __future__ import annotations

import pytest

from pagegrade.checks.accessibility.aria_valid_attr import aria_valid_attr
from pagegrade.model.outcome import NotApplicable
from tests.builders import outcome, run


@pytest.mark.parametrize(
    "html",
    [
        "<p aria-live=polite>x",
        "<p aria-description=x>x",
        "<p aria-braillelabel=x>x",
        "<button aria-actions=x>x</button>",
        "<p role=gridcell aria-colindextext=x>x",
        "<p ARIA-LABEL=x>y",
    ],
)
def test_what_is_right_passes(html: str) -> None:
    """Case does not matter."""
    assert outcome(aria_valid_attr, html).state == "known"


@pytest.mark.parametrize("html", ["<p>x", "<p aria-foo=x hidden>y", "<p aria=x>y", "<p data-aria-foo=x>y"])
def test_page_without_attributes_of_aria_has_nothing_to_evaluate(html: str) -> None:
    """Only the prefix makes one, on what is not hidden."""
    assert isinstance(run(aria_valid_attr, html), NotApplicable)


@pytest.mark.parametrize(
    "html",
    [
        "<p aria-labeledby=x>y",
        "<p aria-role=button>y",
        "<p class=a aria-foo>y",
        "<p aria-hidden=true-ish aria-lable=x>y",
        "<p aria->y",
    ],
)
def test_what_is_wrong_is_shown_where_it_stands(html: str) -> None:
    """A misspelled attribute without any other is found as well."""
    found = outcome(aria_valid_attr, html)

    assert found.state == "unknown"
    assert found.evidence[0].selector
    assert found.evidence[0].reason


@pytest.mark.parametrize(("count", "loss"), [(1, 0.5), (10, 1.0), (30, 1.0)])
def test_loss_grows_up_to_ten(count: int, loss: float) -> None:
    """The first costs most, and more than ten cost no more than ten."""
    found = outcome(aria_valid_attr, "<p aria-foo=x>y" * count)

    assert found.loss == pytest.approx(loss)
    assert found.total == count
