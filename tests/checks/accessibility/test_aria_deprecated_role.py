from __future__ import annotations

import pytest

from pagegrade.checks.accessibility.aria_deprecated_role import aria_deprecated_role
from pagegrade.model.outcome import NotApplicable
from tests.builders import outcome, run


@pytest.mark.parametrize(
    "html",
    [
        "<ul role=list></ul>",
        "<p role='list directory'>x",
    ],
)
def test_what_is_right_passes(html: str) -> None:
    """A later word is not used."""
    assert outcome(aria_deprecated_role, html).state == "current"


@pytest.mark.parametrize(
    "html",
    [
        "<ul role=directory></ul>",
        "<p role=doc-endnote>x",
        "<p role=doc-biblioentry>x",
    ],
)
def test_what_is_wrong_is_shown_where_it_stands(html: str) -> None:
    """All three that were withdrawn."""
    found = outcome(aria_deprecated_role, html)

    assert found.state == "deprecated"
    assert found.evidence[0].selector
    assert found.evidence[0].reason


@pytest.mark.parametrize(
    "html",
    [
        "<p>",
        "<p role=directory hidden>x",
    ],
)
def test_page_without_anything_to_evaluate_is_not_evaluated(html: str) -> None:
    """Nothing of the kind, or only hidden ones: there is no verdict, and no loss."""
    assert isinstance(run(aria_deprecated_role, html), NotApplicable)
