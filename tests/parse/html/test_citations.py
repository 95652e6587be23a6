from __future__ import annotations

import pytest

from pagegrade.parse.html.citations import MAX_LEVELS, is_cited
from tests.builders import make_document


def cited(html: str) -> bool:
    """Return whether the only link of the page is cited."""
    return is_cited(make_document(html).anchors[0].node)


@pytest.mark.parametrize("tag", ["cite", "p id=references", "ol class='small CSL-entry'", "p role=doc-endnote"])
def test_tag_id_class_or_role_makes_a_citation(tag: str) -> None:
    """Any one of them is enough."""
    assert cited(f"<{tag}><a href=/>x</a>")


@pytest.mark.parametrize("tag", ["p", "p class=reference-price", "blockquote", "ol id=list"])
def test_other_elements_are_none(tag: str) -> None:
    """A word within a longer name does not count."""
    assert not cited(f"<{tag}><a href=/>x</a>")


def test_only_the_nearest_levels_are_read() -> None:
    """The last one counts, the next one does not."""
    inside = "<span>" * (MAX_LEVELS - 1)

    assert cited(f"<cite>{inside}<a href=/>x</a>")
    assert not cited(f"<cite>{inside}<span><a href=/>x</a>")
