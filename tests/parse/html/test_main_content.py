"""Linear time; what is found is tested with the check that shows it."""

from __future__ import annotations

import pytest

from pagegrade.parse.html.main_content import stead_of
from tests.builders import make_document
from tests.linear import MAX_RATIO, growth


@pytest.mark.parametrize("piece", ["<div id=a></div>", "<a href=/b>b</a>", "<x-y></x-y>", "<iframe></iframe>"])
def test_long_pages_cost_linear_time(piece: str) -> None:
    """The first elements are looked at, however many there are."""
    url = "https://example.com/a"
    documents = {n: make_document(f"<main>{piece * n}</main>", url=url) for n in (1_000, 2_000, 4_000)}

    assert growth(lambda n: stead_of(documents[n], sizes={}), 1_000) <= MAX_RATIO


def test_empty_document_has_nothing() -> None:
    """The parser adds its body."""
    found = stead_of(make_document(""), sizes={})

    assert found is not None
    assert found.kind == "nothing"
