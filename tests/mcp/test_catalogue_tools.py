"""Tools about the catalogue of checks."""

from __future__ import annotations

import pytest
from mcp.server.mcpserver.exceptions import ToolError

from pagegrade.checks import all_checks, all_site_checks
from pagegrade.mcp.catalogue_tools import explain_check, list_checks


def test_all_checks_are_listed_or_those_of_a_category() -> None:
    """With the most that each can cost."""
    found = list_checks("seo")

    assert {line.check for line in list_checks()} == set(all_checks())
    assert {line.category for line in found} == {"seo"}
    assert max(line.points for line in found) > 0
    assert {line.check for line in list_checks("site")} == set(all_site_checks())


@pytest.mark.parametrize("typed", ["image-alt", " Image_Alt ", "image alt"])
def test_a_check_is_explained_in_any_spelling(typed: str) -> None:
    """With its sections, states and sources."""
    explained = explain_check(typed)

    assert explained.check == "image-alt"
    assert explained.documentation
    assert explained.states
    assert explained.sources


def test_a_check_of_a_site_is_explained_as_well() -> None:
    """Findings of audits name them."""
    explained = explain_check("orphan-pages")

    assert (explained.category, bool(explained.documentation), bool(explained.states)) == ("site", True, True)


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("orphan-page", "Did you mean orphan-pages"),
        ("image-alts", "Did you mean image-alt"),
        ("\x00" * 80, "list_checks"),
    ],
)
def test_an_unknown_check_has_suggestions(typed: str, expected: str) -> None:
    """An agent can correct itself."""
    with pytest.raises(ToolError, match=expected):
        explain_check(typed)
