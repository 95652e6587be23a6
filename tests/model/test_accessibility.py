"""Use of ARIA by a page."""

from __future__ import annotations

import pytest

from pagegrade.model.accessibility import Accessibility
from tests.builders import make_document


@pytest.mark.parametrize(
    ("html", "used"),
    [
        ("<p>Text", False),
        ("<p role=note>Text", False),
        ("<p hidden aria-label=Text>Text", False),
        ("<p aria-label=Text>Text", True),
        ("<p aria-nonsense=Text>Text", True),
        ("<p aria-hidden=true>Text", True),
        ("<p aria-hidden=false>Text", True),
    ],
)
def test_aria_is_used_by_what_is_not_hidden(html: str, *, used: bool) -> None:
    """An attribute besides the role, known or not, on an element that is read aloud, or one that takes it away."""
    found = make_document(html).accessibility

    assert isinstance(found, Accessibility)
    assert found.uses_aria is used
