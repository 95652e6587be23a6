"""Values that scoring reads from the declaration of a check."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pagegrade.checks import State, all_checks
from pagegrade.model.outcome import Cap, Severity
from pagegrade.model.report import CATEGORIES
from pagegrade.scoring import Rule, rules_of

TITLE = replace(
    all_checks()["title"],
    severity=Severity.HIGH,
    cause=None,
    caps=(),
    states=(State("ok", "Fine."), State("several", "Two.", loss=0.5), State("missing", "None.", loss=1.0)),
)


def test_price_is_the_severity_times_the_worst_loss() -> None:
    """Nothing else goes into it."""
    half = replace(TITLE, states=TITLE.states[:2])

    assert rules_of([TITLE])["title"].price == 8
    assert rules_of([half])["title"].price == 4


def test_price_is_at_most_the_budget_of_the_category() -> None:
    """A critical finding cannot take more than its category."""
    assert Rule(category="content", severity=Severity.CRITICAL).price == CATEGORIES["content"]


def test_budgets_are_those_of_the_ruleset() -> None:
    """Another budget changes the scores of bad pages, which needs a new ruleset; few pages use a budget up."""
    budgets = {"seo": 40, "performance": 40, "security": 30, "accessibility": 30, "technical": 20, "content": 15}

    assert budgets == CATEGORIES


def test_cap_without_states_applies_to_those_that_lose_everything() -> None:
    """The worst ones."""
    found = rules_of([replace(TITLE, caps=(Cap(69),))])["title"]

    assert found.caps == (Cap(69, None, ("missing",)),)


def test_cap_can_name_milder_states_together_with_the_worse_ones() -> None:
    """So a page never gains a cap by getting better."""
    found = rules_of([replace(TITLE, caps=(Cap(49), Cap(79, states=("several", "missing"))))])["title"]

    assert [cap.max_score for cap in found.caps] == [49, 79]


@pytest.mark.parametrize("states", [("several",), ("ok",), ("none",), ("missing", "missing")])
def test_cap_that_leaves_out_a_worse_state_is_refused(states: tuple[str, ...]) -> None:
    """Making the page worse would lift the cap."""
    with pytest.raises(TypeError, match="worst states"):
        rules_of([replace(TITLE, caps=(Cap(69, states=states),))])


def test_cap_without_any_state_is_refused() -> None:
    """No state loses everything."""
    with pytest.raises(TypeError, match="worst states"):
        rules_of([replace(TITLE, states=TITLE.states[:2], caps=(Cap(69),))])


def test_cause_across_categories_is_refused() -> None:
    """Fixing one finding could move the cost into a category with budget left."""
    other = replace(TITLE, id="other", category="content", cause="title")

    with pytest.raises(TypeError, match="belongs to seo"):
        rules_of([replace(TITLE, cause="title"), other])


def test_effect_of_a_cause_in_another_category_is_refused() -> None:
    """For the same reason."""
    other = replace(TITLE, id="other", category="content", cause="paint-time")

    with pytest.raises(TypeError, match="'paint-time' and its causes belong to content, seo"):
        rules_of([replace(TITLE, cause="script-bytes"), other])


def test_a_slow_server_is_one_cause() -> None:
    """The time to the first byte is a part of the time that the HTML takes."""
    rules = rules_of(all_checks().values())

    assert rules["ttfb"].cause == rules["load-time"].cause is not None
