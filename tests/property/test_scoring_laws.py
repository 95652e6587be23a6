"""The laws of the score, on the real registry with its causes, budgets and caps."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagegrade.checks import Check, all_checks
from pagegrade.model.outcome import Severity
from pagegrade.model.report import CATEGORIES, Category, Report
from pagegrade.scoring import EFFECTS, Observed, Scores, rules_of, score
from pagegrade.service.runs import evaluation
from tests.builders import make_artifacts

CHECKS = all_checks()
RULES = rules_of(CHECKS.values())
NOT_EVALUATED = Observed(None)
NOT_APPLICABLE = Observed(0.0, applies=False)


def verdicts(check: Check) -> list[Observed]:
    """Every state at the edges of its loss, from best to worst."""
    return [Observed(loss, state.name) for state in check.states for loss in dict.fromkeys((state.loss, state.highest))]


PAGES = st.fixed_dictionaries(
    {name: st.sampled_from([*verdicts(check), NOT_EVALUATED, NOT_APPLICABLE]) for name, check in CHECKS.items()}
)
"""Pages on which every check may find anything."""
FEW = st.dictionaries(st.sampled_from(list(CHECKS)), st.floats(0, 1), max_size=12).map(
    lambda worst: {
        name: found[round(worst.get(name, 0.0) * (len(found) - 1))]
        for name, found in ((name, verdicts(check)) for name, check in CHECKS.items())
    }
)
"""Pages with a few findings, so that neither budgets nor the end of the scale hide a change."""


def numbers(page: dict[str, Observed]) -> tuple[float, ...]:
    """The numbers of a score that a reader sees."""
    result = score(RULES, page)
    return (result.score, result.uncapped, *(total.score for total in result.categories.values()))


@settings(max_examples=20)  # each scores a page some 700 times
@given(page=PAGES | FEW)
def test_score_never_falls_when_a_check_gets_better(page: dict[str, Observed]) -> None:
    """For every check and every pair of its states, worse to better, with everything else as it was."""
    fallen = []
    for name, check in CHECKS.items():
        best, *others = [numbers({**page, name: found}) for found in verdicts(check)]
        for better, worse in zip([best, *others], others, strict=False):
            if not all(one >= other for one, other in zip(better, worse, strict=True)):
                fallen.append((name, better, worse))

    assert fallen == []


@given(page=PAGES | FEW)
def test_score_is_bounded_and_adds_up(page: dict[str, Observed]) -> None:
    """A reader can do the sum: findings to categories, categories to the score, and then the lowest cap."""
    result = score(RULES, page)
    taken = 0.0
    for category, budget in CATEGORIES.items():
        lost = sum(result.lost[name] for name, rule in RULES.items() if rule.category == category)
        total = result.categories[category]
        taken += min(round(lost, 1), budget)

        assert total.lost == round(lost, 1)
        assert total.taken == min(round(lost, 1), budget)

    assert result.uncapped == round(max(0.0, 100 - taken), 1)
    assert result.score <= min([100, *(cap.max_score for cap in result.caps if cap.category is None)])
    assert 0 <= result.score <= 100
    assert 0 <= result.coverage <= 1
    assert all(0 <= lost <= RULES[name].price for name, lost in result.lost.items())


@given(page=PAGES | FEW)
def test_of_a_cause_one_finding_is_charged(page: dict[str, Observed]) -> None:
    """The most expensive one; the others name it. An effect and its causes together cost no less than any of them."""
    result = score(RULES, page)
    for name, carrier in result.counted_in.items():
        cause = RULES[name].cause
        causes = {cause, *EFFECTS.get(cause or "", ())}
        together = sum(result.lost[other] for other, rule in RULES.items() if (rule.cause or other) in causes)
        assert (RULES[carrier].cause or carrier) in causes
        assert carrier not in result.counted_in
        assert result.lost[name] == 0
        assert round(together, 1) >= RULES[name].penalty_tenths(page[name].loss or 0.0) / 10
    for cause in {rule.cause for rule in RULES.values() if rule.cause}:
        charged = [name for name, rule in RULES.items() if rule.cause == cause and result.lost[name] > 0]
        assert len(charged) <= 1


@given(page=PAGES | FEW)
def test_caps_hold(page: dict[str, Observed]) -> None:
    """No page scores above the cap of a state that was found."""
    result = score(RULES, page)
    for name, rule in RULES.items():
        for cap in rule.caps:
            if page[name].state in cap.states:
                assert result.score <= cap.max_score
                assert result.categories[rule.category].score <= (cap.category_max_score or 100)


@given(page=PAGES | FEW, seed=st.integers(0, 1 << 30))
def test_order_of_the_checks_does_not_matter(page: dict[str, Observed], seed: int) -> None:
    """The same findings give the same score to the last digit, however they are listed."""
    names = list(RULES)
    random.Random(seed).shuffle(names)  # noqa: S311 - a test, not a secret

    assert _plain(score({name: RULES[name] for name in names}, page)) == _plain(score(RULES, page))


def _plain(result: Scores) -> tuple[object, ...]:
    """The scores without the order of their checks."""
    return (result.score, result.uncapped, result.coverage, dict(result.categories), dict(result.lost), result.caps)


@given(page=PAGES | FEW, severity=st.sampled_from(Severity), category=st.sampled_from(list(CATEGORIES)))
def test_a_new_check_changes_no_other_and_no_page_it_does_not_concern(
    page: dict[str, Observed], severity: Severity, category: Category
) -> None:
    """A check added for a try leaves every other penalty, and every score of a page where it passes, as it was."""
    new = replace(CHECKS["title"], id="a-new-check", severity=severity, category=category, cause=None, caps=())
    rules = rules_of([*CHECKS.values(), new])
    before = score(RULES, page)
    for seen in (Observed(0.0, "ok"), NOT_APPLICABLE):
        after = score(rules, page | {"a-new-check": seen})

        assert (after.score, after.uncapped, after.caps) == (before.score, before.uncapped, before.caps)
        assert {name: total.score for name, total in after.categories.items()} == {
            name: total.score for name, total in before.categories.items()
        }

    assert {name: rule.price for name, rule in rules.items() if name != "a-new-check"} == {
        name: rule.price for name, rule in RULES.items()
    }


def test_information_is_free() -> None:
    """Informative checks cannot cost a point."""
    assert all(RULES[name].price == 0 for name, check in CHECKS.items() if check.severity is Severity.INFO)


def test_a_check_added_for_a_try_leaves_a_whole_report_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    """Through the real evaluation: every other result, every category and the score, where the new check passes."""
    before = report_with_faults()
    tried = replace(CHECKS["title"], id="a-new-check", severity=Severity.CRITICAL, cause=None, caps=())
    registry = {**CHECKS, tried.id: tried}
    monkeypatch.setattr(evaluation, "_rules", lambda: (registry, rules_of(registry.values())))
    after = report_with_faults()
    others = tuple(one for one in after.results if one.check != tried.id)

    assert (after.score, after.uncapped_score, after.caps, others) == (
        before.score,
        before.uncapped_score,
        before.caps,
        before.results,
    )
    assert {name: one.score for name, one in after.categories.items()} == {
        name: one.score for name, one in before.categories.items()
    }
    assert [one.outcome for one in after.results if one.check == tried.id] == ["passed"]


def report_with_faults() -> Report:
    """The report on a page with a title and several faults."""
    html = "<!doctype html><title>Brass lamps for ships</title><img src=/a.png><p>Lamps."
    return evaluation.evaluate_artifacts(make_artifacts(html))
