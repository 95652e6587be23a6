"""Budgets of monitors, compared with a model that looks at the whole history again after every run."""

from __future__ import annotations

from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from pagegrade.model.errors import InvalidInput
from pagegrade.model.monitors import UNREACHABLE_AFTER, Budget, BudgetChange, BudgetState
from pagegrade.model.report import Basis
from pagegrade.report.budgets import (
    MAX_IN_A_ROW,
    Evaluated,
    Reachability,
    count_failure,
    evaluate_budgets,
    merge_budgets,
    parse_condition,
)
from tests.report_builders import make_report

History = list[int | None]
"""Scores of completed runs, the oldest first; ``None``: the run has no score."""


@pytest.mark.parametrize(
    ("text", "canonical", "in_a_row"),
    [
        ("score<80", "score<80", 1),
        (" Score < 80  FOR 1 ", "score<80", 1),
        ("score<80 for 2", "score<80 for 2", 2),
        ("lcp_ms>2500", "lcp_ms>2500", 2),
        ("ttfb_ms>2500 for 2", "ttfb_ms>2500", 2),
        ("cls>0.1 for 1", "cls>0.1 for 1", 1),
        ("score drop>=5 for 10", "score drop>=5 for 10", 10),
        ("check.noindex for 3", "check.noindex for 3", 3),
    ],
)
def test_a_condition_says_how_many_runs_in_a_row(text: str, canonical: str, in_a_row: int) -> None:
    """Two for timings, one for all else, unless it says it itself; the shortest form is read as the same."""
    condition = parse_condition(text)

    assert (str(condition), condition.in_a_row) == (canonical, in_a_row)
    assert parse_condition(canonical) == condition


@pytest.mark.parametrize("text", ["", "score<80 for", "score<80 for 0", "score<80 for 11", "for 2", "score for 2"])
def test_what_is_no_condition_is_refused(text: str) -> None:
    """So is a number of runs outside of its range."""
    with pytest.raises(InvalidInput):
        parse_condition(text)


def test_a_very_long_text_is_refused_without_being_read() -> None:
    """It may hold the beginning of a condition many times."""
    with pytest.raises(InvalidInput):
        parse_condition("score<80 for " * 100_000)


def test_budgets_that_stay_keep_their_state() -> None:
    """New ones are unknown, and none is there twice."""
    known = (Budget(condition="score<80", state="breached", since_ms=7), Budget(condition="high>0"))

    assert merge_budgets(("high>1", "score<80", "score<80"), known) == (Budget(condition="high>1"), known[0])


def expected(history: History, in_a_row: int) -> tuple[BudgetState, int | None, list[tuple[int, str]]]:
    """(state, since, crossings) of ``score<80`` after a history, by the definition: run n is at n milliseconds."""
    known = [(place, score < 80) for place, score in enumerate(history) if score is not None]
    state: BudgetState = "unknown"
    since: int | None = None
    crossings = []
    for end, (place, holds) in enumerate(known, start=1):
        last = [held for _, held in known[max(0, end - in_a_row) : end]]
        if holds and state != "breached" and len(last) == in_a_row and all(last):
            state, since = "breached", place
            crossings.append((place, "breached"))
        elif not holds and state != "ok":
            if state == "breached":
                crossings.append((place, "recovered"))
            state, since = "ok", place
    return state, since, crossings


@given(history=st.lists(st.one_of(st.none(), st.integers(70, 90)), max_size=25), in_a_row=st.integers(1, MAX_IN_A_ROW))
def test_crossings_are_those_of_a_simple_model(history: History, in_a_row: int) -> None:
    """None is missed and none comes twice, whatever the history; runs without the figure are passed over."""
    budgets: tuple[Budget, ...] = (Budget(condition=str(parse_condition(f"score<80 for {in_a_row}"))),)
    seen: list[tuple[int, str]] = []
    for place, score in enumerate(history):
        evaluated = evaluate_budgets(budgets, make_report(score=score), (), place)
        budgets = evaluated.budgets
        seen += [(place, "breached") for _ in evaluated.breached] + [(place, "recovered") for _ in evaluated.recovered]

    state, since, crossings = expected(history, in_a_row)

    assert seen == crossings
    assert (budgets[0].state, budgets[0].since_ms) == (state, since)


@given(history=st.lists(st.integers(0, 100), max_size=12))
def test_a_change_is_compared_with_the_runs_before(history: list[int]) -> None:
    """The first run has none before it and leaves the budget unknown."""
    budgets: tuple[Budget, ...] = (Budget(condition="score drop>=5"),)
    for place, score in enumerate(history):
        earlier = [make_report(score=one) for one in reversed(history[max(0, place - 5) : place])]
        budgets = evaluate_budgets(budgets, make_report(score=score), earlier, place).budgets
        middle = sorted(history[max(0, place - 5) : place])
        if not middle:
            assert budgets[0].state == "unknown"
            continue
        half = len(middle) // 2
        median = middle[half] if len(middle) % 2 else (middle[half - 1] + middle[half]) / 2
        assert budgets[0].state == ("breached" if median - score >= 5 else "ok")


def test_a_crossing_names_the_value_and_the_limit() -> None:
    """For a change, the limit is the value from which on the condition holds."""
    budgets = [Budget(condition=text) for text in ("score<80", "score drop>=5", "result=decent", "score drop>=10%")]
    before = [make_report(score=score) for score in (90, 80, 70)]
    evaluated = evaluate_budgets(budgets, make_report(score=70), before, 7)

    assert evaluated.breached == (
        BudgetChange(condition="score<80", value=70, limit=80),
        BudgetChange(condition="score drop>=5", value=70, limit=75),
        BudgetChange(condition="result=decent", value="decent", limit="decent"),
        BudgetChange(condition="score drop>=10%", value=70, limit=72),
    )
    assert evaluate_budgets(evaluated.budgets, make_report(score=70), before, 8) == Evaluated(budgets=evaluated.budgets)


@given(codes=st.lists(st.sampled_from(["dns", "blocked", "internal", "address_not_allowed", "ok"]), max_size=15))
def test_a_page_is_unreachable_after_two_failures_in_a_row(codes: list[str]) -> None:
    """Failures that say nothing about the page neither count nor end a row; it is notified once."""
    reachability = Reachability(failures=0, since_ms=None)
    notified = []
    model: list[str] = []
    for place, code in enumerate(codes):
        before = reachability
        reachable = Reachability(failures=0, since_ms=None)
        reachability = reachable if code == "ok" else count_failure(before, code, place)
        if before.since_ms is None and reachability.since_ms is not None:
            notified.append(place)
        if code not in {"internal", "address_not_allowed"}:
            model.append(code)
        row = next((place for place, one in enumerate(reversed(model)) if one == "ok"), len(model))
        assert (reachability.since_ms is not None) == (row >= UNREACHABLE_AFTER)

    assert len(notified) <= codes.count("ok") + 1


def test_a_state_that_stays_keeps_its_time() -> None:
    """Since the run that brought it there."""
    first = evaluate_budgets([Budget(condition="score<80")], make_report(score=90), (), 1)
    second = evaluate_budgets(first.budgets, make_report(score=91), (), 2)

    assert first == second
    assert first.budgets == (replace(first.budgets[0], state="ok", since_ms=1),)


BASES: Final = (Basis("1", None), Basis("1", "mobile"), Basis("2", "mobile"))


@given(runs=st.lists(st.tuples(st.sampled_from(BASES), st.integers(70, 90)), max_size=25), static=st.booleans())
def test_no_crossing_compares_two_bases(runs: list[tuple[Basis, int]], static: bool) -> None:  # noqa: FBT001
    """A budget crosses only at a run on the basis that the run before it was measured on, whatever the history."""
    budgets: tuple[Budget, ...] = (Budget(condition="score<80"),)
    measured: Basis | None = None
    for place, (basis, score) in enumerate(runs):
        before = budgets[0]
        evaluated = evaluate_budgets(budgets, make_report(score=score), (), place, basis=basis, static_is_meant=static)
        budgets = evaluated.budgets
        is_lost = basis.device is None and not static and measured is not None and measured.device is not None

        if evaluated.breached or evaluated.recovered:
            assert measured in {None, basis}
        assert (budgets[0].unmeasured_since_ms is not None) is is_lost
        assert not is_lost or replace(budgets[0], unmeasured_since_ms=before.unmeasured_since_ms) == before
        measured = measured if is_lost else basis
        assert budgets[0].basis == measured


def test_a_breach_on_a_new_basis_is_reported_at_the_second_run() -> None:
    """The first one crosses nothing, and what had been breached before is not reported again."""
    kept, breached = Budget(condition="score<80"), Budget(condition="score<90")
    budgets = evaluate_budgets((kept, breached), make_report(score=85), (), 1, basis=BASES[0]).budgets
    first = evaluate_budgets(budgets, make_report(score=70), (), 2, basis=BASES[1])
    second = evaluate_budgets(first.budgets, make_report(score=70), (), 3, basis=BASES[1])

    assert [budget.state for budget in budgets] == ["ok", "breached"]
    assert (first.breached, [budget.state for budget in first.budgets]) == ((), ["unknown", "breached"])
    assert [change.condition for change in second.breached] == ["score<80"]
