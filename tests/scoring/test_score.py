from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from pagegrade.checks import State, all_checks
from pagegrade.model.outcome import Cap, Severity
from pagegrade.model.report import CATEGORIES
from pagegrade.scoring import Observed, Rule, Scores, rules_of, score

TITLE = replace(
    all_checks()["title"],
    severity=Severity.HIGH,
    cause=None,
    caps=(),
    states=(State("ok", "Fine."), State("several", "Two.", loss=0.5), State("missing", "None.", loss=1.0)),
)
RULES = {
    "title": Rule(category="seo", severity=Severity.HIGH, cause="title"),
    "title-length": Rule(category="seo", severity=Severity.LOW, cause="title"),
    "noindex": Rule(category="seo", severity=Severity.CRITICAL, caps=(Cap(59, 30, ("noindex",)),)),
    "https": Rule(category="security", severity=Severity.CRITICAL, caps=(Cap(69, None, ("insecure",)),)),
    "fact": Rule(category="security", severity=Severity.INFO),
    "compression": Rule(category="performance", severity=Severity.HIGH),
}
LOADING = {
    "javascript-defer": Rule(category="performance", severity=Severity.MEDIUM),
    "script-size": Rule(category="performance", severity=Severity.HIGH, cause="script-bytes"),
    "largest-paint": Rule(category="performance", severity=Severity.HIGH, cause="paint-time"),
    "first-paint": Rule(category="performance", severity=Severity.MEDIUM, cause="paint-time"),
}


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


def scored(*, state: str = "bad", **losses: float | None) -> Scores:
    """The scores with every other check passed; names with underscores for hyphens."""
    return _scored(RULES, state, losses)


def loaded(**losses: float | None) -> Scores:
    """The same of the checks of loading."""
    return _scored(LOADING, "bad", losses)


def _scored(rules: Mapping[str, Rule], state: str, losses: Mapping[str, float | None]) -> Scores:
    observed = dict.fromkeys(rules, Observed(0.0, "ok"))
    for name, loss in losses.items():
        observed[name.replace("_", "-")] = Observed(loss, state)
    return score(rules, observed)


def test_perfect_page_has_a_hundred() -> None:
    """Nothing lost, nothing missing."""
    result = scored()

    assert (result.score, result.uncapped, result.coverage) == (100, 100, 1)
    assert {name: total.score for name, total in result.categories.items()} == dict.fromkeys(CATEGORIES, 100)


def test_finding_costs_its_share_of_the_severity() -> None:
    """Half of a high finding is four points, whatever else there is."""
    result = scored(compression=0.5)

    assert result.lost["compression"] == 4
    assert (result.score, result.categories["performance"].score) == (96, 90)


def test_penalties_are_tenths_of_a_point() -> None:
    """The shown figures add up exactly."""
    assert scored(compression=0.555).lost["compression"] == 4.4
    assert scored(compression=0.5625).lost["compression"] == 4.5
    assert scored(title_length=0.333, compression=1 / 3).uncapped == 97.0


def test_a_cause_is_charged_once() -> None:
    """The most expensive finding is charged, the other one names it."""
    result = scored(title=0.5, title_length=1.0)

    assert (result.lost["title"], result.lost["title-length"]) == (4, 0)
    assert result.counted_in == {"title-length": "title"}
    assert result.uncapped == 96


def test_the_other_finding_of_a_cause_is_charged_when_the_first_is_fixed() -> None:
    """A cause does not go away with one of its findings."""
    result = scored(title_length=1.0)

    assert result.lost["title-length"] == 1
    assert result.counted_in == {}


def test_equal_findings_of_a_cause_are_charged_to_the_more_severe_check() -> None:
    """Of equals the first by id, so that the order of the registry changes nothing."""
    assert scored(title=0.125, title_length=1.0).counted_in == {"title-length": "title"}


def test_an_effect_costs_what_its_causes_leave() -> None:
    """Slow painting alone costs all of it, and together with a cause the rest."""
    alone = loaded(largest_paint=1.0, first_paint=1.0)
    partly = loaded(largest_paint=1.0, first_paint=1.0, javascript_defer=1.0)

    assert (alone.lost["largest-paint"], alone.uncapped) == (8, 92)
    assert (partly.lost["largest-paint"], partly.lost["javascript-defer"], partly.uncapped) == (5, 3, 92)
    assert alone.counted_in == partly.counted_in == {"first-paint": "largest-paint"}


def test_an_effect_whose_causes_cost_more_is_counted_in_the_most_expensive_one() -> None:
    """With all findings that were counted in it."""
    result = loaded(largest_paint=0.8, first_paint=1.0, javascript_defer=1.0, script_size=0.5)

    assert result.lost == {"largest-paint": 0, "first-paint": 0, "script-size": 4, "javascript-defer": 3}
    assert result.counted_in == {"first-paint": "script-size", "largest-paint": "script-size"}
    assert result.uncapped == 93


def test_category_takes_no_more_than_its_budget() -> None:
    """Costs of its findings beyond that are listed, and not taken."""
    rules = {f"check-{n}": Rule(category="content", severity=Severity.MEDIUM) for n in range(8)}
    result = score(rules, dict.fromkeys(rules, Observed(1.0, "bad")))

    assert (result.categories["content"].lost, result.categories["content"].taken) == (24, CATEGORIES["content"])
    assert (result.categories["content"].score, result.score) == (0, 100 - CATEGORIES["content"])


def test_page_that_is_bad_everywhere_has_nothing() -> None:
    """Budgets add up to more than a hundred; the score ends at 0."""
    rules = {
        f"{category}-{n}": Rule(category=category, severity=Severity.CRITICAL)
        for category in CATEGORIES
        for n in (1, 2)
    }
    result = score(rules, dict.fromkeys(rules, Observed(1.0, "bad")))

    assert (result.score, result.uncapped) == (0, 0)


def test_cap_holds_in_its_states_and_is_named() -> None:
    """Overall and in its category, the lowest first."""
    result = scored(state="noindex", noindex=1.0)

    assert result.uncapped == 75
    assert (result.score, result.categories["seo"].score) == (59, 30)
    assert [(cap.check, cap.max_score, cap.category) for cap in result.caps] == [
        ("noindex", 30, "seo"),
        ("noindex", 59, None),
    ]


def test_cap_does_not_apply_in_other_states() -> None:
    """Not even with the same loss."""
    assert scored(state="one_bot", noindex=0.3).caps == ()


def test_cap_does_not_lift() -> None:
    """A page below the cap stays where it is."""
    result = scored(state="insecure", https=1.0, noindex=1.0, compression=1.0)

    assert (result.uncapped, result.score) == (42, 42)
    assert [(cap.check, cap.max_score) for cap in result.caps] == [("https", 69), ("compression", 79), ("noindex", 79)]


def test_page_with_a_serious_finding_is_not_good() -> None:
    """One that costs eight points, whatever the state is called; the check that is charged is named."""
    assert scored(https=0.316).caps == ()
    assert scored(https=0.316).score == 92
    assert [(cap.check, cap.max_score, cap.category) for cap in scored(https=0.32).caps] == [("https", 79, None)]
    assert (scored(https=0.32).uncapped, scored(https=0.32).score) == (92, 79)
    assert [cap.check for cap in scored(title=1.0, title_length=1.0).caps] == ["title"]
    # An effect counts by what it costs alone: it must not become serious when one of its causes is put right.
    assert loaded(largest_paint=1.0).score == loaded(largest_paint=1.0, javascript_defer=1.0).score == 79


def test_what_was_not_evaluated_costs_nothing_but_coverage() -> None:
    """Absent is the same as not evaluated."""
    result = scored(compression=None)

    assert result.score == 100
    assert result.coverage == pytest.approx(59 / 67, abs=1e-4)
    assert result.categories["performance"].coverage == 0
    assert score(RULES, {}).coverage == 0


def test_what_does_not_apply_is_left_out_of_the_coverage() -> None:
    """The compression of a missing file cannot be evaluated."""
    observed = dict.fromkeys(RULES, Observed(0.0, "ok"))
    result = score(RULES, observed | {"https": Observed(None), "compression": Observed(0.0, applies=False)})

    assert result.coverage == pytest.approx(34 / 59, abs=1e-4)
    assert result.categories["performance"].coverage == 1


def test_half_points_go_down() -> None:
    """79.5 is not good: rounding never lifts a page over a threshold."""
    rules = {f"check-{n}": Rule(category="security", severity=Severity.MEDIUM) for n in range(7)}
    half = dict.fromkeys(rules, Observed(1.0, "bad")) | {"check-6": Observed(0.84, "bad")}

    assert scored(https=0.3, compression=0.9, title=0.7).score == 80
    assert score(rules, half).uncapped == 79.5
    assert score(rules, half).score == 79


def test_a_finding_costs_at_most_its_price() -> None:
    """A critical check of a category with a smaller budget: what it lost is never more than what it can cost."""
    rules = {"empty": Rule(category="content", severity=Severity.CRITICAL)}
    result = score(rules, {"empty": Observed(1.0, "empty")})

    assert result.lost["empty"] == rules["empty"].price == CATEGORIES["content"]
