from __future__ import annotations

import pytest

from pagegrade.checks.accessibility.form_multiple_labels import form_multiple_labels
from pagegrade.model.outcome import NotApplicable
from tests.builders import outcome, run


@pytest.mark.parametrize(
    "html",
    [
        "<label for=a>x</label><input id=a>",
        "<label>x <input></label>",
        "<label for=a>x</label><label for=a hidden>y</label><input id=a>",
        "<label for=a>x</label><label for=a>y</label><input id=a aria-label=z>",
    ],
)
def test_what_is_right_passes(html: str) -> None:
    """One label that is heard, or a name that overrules all labels."""
    assert outcome(form_multiple_labels, html).state == "single"


@pytest.mark.parametrize(
    "html",
    [
        "<label for=a>x</label><label for=a>y</label><input id=a>",
        "<label>x <input id=a></label><label for=a>y</label>",
        "<label>x <label>y <textarea></textarea></label></label>",
    ],
)
def test_what_is_wrong_is_shown_where_it_stands(html: str) -> None:
    """Two labels for one field, by reference or around it."""
    found = outcome(form_multiple_labels, html)

    assert found.state == "several"
    assert found.evidence[0].selector
    assert found.evidence[0].reason


@pytest.mark.parametrize("html", ["<p>x", "<input aria-label=x>", "<label>x</label><input>"])
def test_page_without_labeled_fields_has_nothing_to_evaluate(html: str) -> None:
    """A label beside a field belongs to none."""
    assert isinstance(run(form_multiple_labels, html), NotApplicable)
