from __future__ import annotations

import pytest

from pagegrade.checks._aria_hidden import hidden_roots
from pagegrade.checks._facts import Facts
from tests.builders import make_artifacts


@pytest.mark.parametrize(
    ("html", "tags"),
    [
        ("<html><body><p aria-hidden=true>x", []),
        ("<html><body aria-hidden=false>x", []),
        ("<html><body aria-hidden=' TRUE '>x", ["body"]),
        ("<html aria-hidden=true><body aria-hidden=true>x", ["html", "body"]),
    ],
)
def test_only_the_root_elements_count(html: str, tags: list[str]) -> None:
    """Parts of the page that are hidden are another matter."""
    document = Facts(make_artifacts(html)).document

    assert [node.tag for node in hidden_roots(document)] == tags
