"""The declaration of a check of a site."""

from __future__ import annotations

import pytest

from pagegrade.checks import State
from pagegrade.checks._site_check import site_check
from pagegrade.model.outcome import Severity

GOOD, BAD = State("ok", "Fine."), State("bad", "Bad.", loss=1.0)


def declared(*states: State) -> object:
    """A check with these states."""

    @site_check(
        id="odd", title="Odd", severity=Severity.LOW, since="0.1.0", states=states, sources=("https://a.test/",)
    )
    def odd() -> str:
        """Say it.

        ## What it checks

        Everything.
        """
        return "SELECT 1"

    assert odd.state("bad") is BAD
    assert (odd.summary, odd.documentation) == ("Say it.", {"What it checks": "Everything."})
    with pytest.raises(KeyError, match="odd has no state 'other'"):
        odd.state("other")
    return odd


def test_a_declaration_is_a_check_with_its_documentation() -> None:
    """States are found by name, and the documentation by its headings."""
    assert declared(GOOD, BAD)


def test_states_go_from_best_to_worst() -> None:
    """Another order is refused."""
    with pytest.raises(TypeError, match="from best"):
        declared(BAD, GOOD)
