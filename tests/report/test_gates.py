from __future__ import annotations

from typing import Any, Final

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from pagegrade.checks import all_site_checks
from pagegrade.model.audit_result import AuditResult, summary_of
from pagegrade.model.errors import InvalidInput
from pagegrade.model.monitors import UNREACHABLE_AFTER, Budget, BudgetChange, BudgetState
from pagegrade.model.rendering import Metrics, RenderedPage, Viewport
from pagegrade.model.report import Basis, PageFacts, Report, ResourceTotal
from pagegrade.report.gates import (
    MAX_IN_A_ROW,
    Evaluated,
    Reachability,
    count_failure,
    evaluate_budgets,
    merge_budgets,
    parse_condition,
    parse_gate,
    parse_site_gate,
)
from tests.report_builders import make_passed, make_report, make_result


def page(transfer_bytes: int, *, first_byte_ms: float = 1.0) -> PageFacts:
    """Figures of a page with two scripts."""
    totals = (
        ResourceTotal(type="document", count=1, transfer_bytes=1),
        ResourceTotal(type="script", count=2, transfer_bytes=transfer_bytes - 1),
    )
    return PageFacts(http_status=200, resources=totals, timing_ms={"first_byte": first_byte_ms})


def drawn(**metrics: Any) -> RenderedPage:
    """The page in a browser with these metrics."""
    return RenderedPage(
        device="mobile",
        browser="Chromium 150",
        network="mobile",
        viewport=Viewport(width_px=412, height_px=823),
        load_count=1,
        metrics=Metrics(**metrics),
        spread={},
    )


@pytest.mark.parametrize(
    ("expression", "more", "fails"),
    [
        ("score<80", {"score": 79}, True),
        ("score<80", {"score": 80}, False),
        ("score<=80", {"score": 80}, True),
        ("score>90", {"score": 91}, True),
        ("score>=90", {"score": 89}, False),
        ("score=50", {"score": 50}, True),
        ("score==50", {"score": 50}, True),
        ("score!=50", {"score": 50}, False),
        (" Score < 80 ", {"score": 10}, True),
        ("coverage<0.9", {"coverage": 0.89}, True),
        ("coverage<0.9", {"coverage": 0.9}, False),
        ("result=bad", {"result": "bad"}, True),
        ("result=bad", {"result": "decent"}, False),
        ("result<good", {"result": "decent"}, True),
        ("result!=good", {"result": "good"}, False),
        ("category.seo<82", {}, True),
        ("category.seo<81", {}, False),
        ("high>0", {}, True),
        ("critical>0", {}, False),
        ("transfer_bytes>1500", {"page": page(1_501)}, True),
        ("transfer_bytes>1500", {"page": page(1_500)}, False),
        ("requests>=3", {"page": page(1)}, True),
        ("requests>3", {"page": page(1)}, False),
        ("ttfb_ms>800", {"page": page(1, first_byte_ms=800.5)}, True),
        ("lcp_ms>2500", {"rendered": drawn(lcp_ms=2_501.0)}, True),
        ("lcp_ms > 2500", {"rendered": drawn(lcp_ms=2_500.0)}, False),
        ("cls>0.1", {"rendered": drawn(cls=0.11)}, True),
        ("check.https", {}, True),
        ("check.frame-title", {}, False),
        ("check.tls-version", {}, True),
    ],
)
def test_a_gate_fails_when_its_condition_holds(*, expression: str, more: dict[str, Any], fails: bool) -> None:
    """The expression says what must not be."""
    failure = parse_gate(expression).failure(make_report(**more))

    assert (failure is not None) is fails


@pytest.mark.parametrize(
    ("expression", "importance", "fails"),
    [
        ("severity=high", "high", True),
        ("severity=high", "medium", False),
        ("severity>=medium", "high", True),
        ("severity>=medium", "medium", True),
        ("severity>=medium", "low", False),
        ("severity=low", "high", False),
        ("severity>=low", "informative", False),
    ],
)
def test_a_severity_gate_looks_at_the_findings(*, expression: str, importance: Any, fails: bool) -> None:
    """Only warnings and failures count, and informative ones never."""
    report = make_report(make_result(importance=importance), make_passed(importance="high"))

    assert (parse_gate(expression).failure(report) is not None) is fails


@pytest.mark.parametrize(
    "expression", ["score<80", "coverage<0.5", "result=bad", "category.content<1", "lcp_ms>1", "ttfb_ms>1"]
)
def test_a_gate_that_cannot_be_evaluated_is_closed(expression: str) -> None:
    """A figure that is missing must not let a page through."""
    report = make_report(score=None, coverage=None, result=None, categories={}, page=None)

    assert parse_gate(expression).failure(report) is not None


def made_audit(**more: Any) -> AuditResult:
    """An audit with one finding on pages and one of the site."""
    finding = {
        "number": 1,
        "extent": "pages",
        "check": "title",
        "state": "missing",
        "severity": "high",
        "title": "Add a title",
        "message": "",
        "why": "",
        "fix": "",
        "pages": 3,
        "share": 0.3,
        "lost": 2.0,
        "places": [],
    }
    of_site = finding | {"extent": "site", "check": "orphan-pages", "severity": "medium", "title": "Orphans"}
    result = {
        **dict.fromkeys(("url", "ruleset", "engine", "no_grade"), ""),
        **dict.fromkeys(("found", "fetched", "read", "graded"), 10),
        **{key: [] for key in ("caps", "worst", "templates")},
        "complete": True,
        "coverage": 0.95,
        "partial": False,
        "score": 74,
        "exact": 74.0,
        "rating": "decent",
        "distribution": {},
        "p10": 50,
        "findings": [finding, of_site],
        "passed": ["soft-404"],
        "not_applicable": ["pagination-chain"],
        "not_evaluated": [{"check": "broken-external-links", "title": "", "reason": ""}],
    }
    return msgspec.convert(result | more, AuditResult)


@pytest.mark.parametrize(
    ("expression", "fails"),
    [
        ("score<75", True),
        ("score<74", False),
        ("coverage<0.9", False),
        ("result=bad", False),
        ("result<=decent", True),
        ("severity>=high", True),
        ("severity=critical", False),
        ("medium>1", False),
        ("medium>0", True),
        ("check.orphan-pages", True),
        ("check.soft-404", False),
        ("check.pagination-chain", False),
        ("check.broken-external-links", True),
    ],
)
def test_a_gate_of_an_audit_fails_when_its_condition_holds(*, expression: str, fails: bool) -> None:
    """Or where it cannot be evaluated."""
    gate = parse_site_gate(expression, all_site_checks())

    assert (gate.failure(made_audit()) is not None) is fails


@pytest.mark.parametrize("expression", ["score<1", "result=bad"])
def test_a_gate_of_an_audit_without_a_grade_is_closed(expression: str) -> None:
    """There are too few pages."""
    gate = parse_site_gate(expression, all_site_checks())

    assert gate.failure(made_audit(score=None, rating=None)) is not None


@pytest.mark.parametrize("expression", ["category.seo<70", "lcp_ms>1", "score drop>=5", "check.title", "check.nothing"])
def test_what_an_audit_does_not_have_is_no_condition_on_it(expression: str) -> None:
    """The message says what there is."""
    with pytest.raises(InvalidInput, match=r"score<80|pagegrade checks"):
        parse_site_gate(expression, all_site_checks())


@pytest.mark.parametrize(
    ("expression", "fails"),
    [
        ("score drop>=10", True),
        ("score drop>10", False),
        ("pages drop>=50%", True),
        ("pages<2", True),
        ("high rise>0", False),
        ("medium rise>=1", True),
    ],
)
def test_an_audit_is_compared_with_those_before_it(*, expression: str, fails: bool) -> None:
    """Nothing can be said where there are none."""
    gate = parse_site_gate(expression, all_site_checks(), may_change=True)
    before = summary_of(made_audit(score=84, read=4, findings=()))
    now = made_audit(score=74, read=1)
    now = msgspec.structs.replace(now, findings=tuple(one for one in now.findings if one.severity != "high"))

    assert gate.evaluate(now, (before, before)).holds is fails
    assert not gate.change or gate.evaluate(now).holds is None


def test_pages_are_counted_in_audits_only() -> None:
    """A report is about one."""
    with pytest.raises(InvalidInput, match="pages<2: a report does not have that"):
        parse_gate("pages<2")


def test_the_failure_names_the_condition_and_the_figure() -> None:
    """The reader of a build log sees the condition and the result."""
    assert parse_gate("score<90").failure(make_report(score=74)) == "score<90: the score is 74"


def test_long_lists_of_findings_are_cut() -> None:
    """A gate's sentence stays readable with a hundred findings."""
    failure = parse_gate("severity=high").failure(make_report(*(make_result(f"check-{n}") for n in range(9))))

    assert failure == "severity=high: 9 findings (check-0, check-1, check-2, check-3, check-4 and 4 more)"


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        ("", "is no condition"),
        ("score", "is no condition"),
        ("score<", "is no condition"),
        ("score < eighty five", "is no condition"),
        ("score<-1", "is no condition"),
        ("score<101", "from 0 to 100"),
        ("score<high", "from 0 to 100"),
        ("coverage<90", "from 0 to 1"),
        ("severity=fatal", "low, medium, high"),
        ("severity=3", "low, medium, high"),
        ("result=great", "bad, decent, good"),
        ("category.design<3", "category.NAME"),
        ("category<3", "category.NAME"),
        ("grade=a", "score, coverage"),
        ("check.", "is no condition"),
        ("check.a>0", "is nothing a report has"),
        ("score<80%", "belongs to a change"),
        ("score drop<5", "with > or >="),
        ("score drop>=101", "from 0 to 100"),
        ("score drop>=0", "always holds"),
        ("result drop>=1", "does not drop or rise"),
        ("severity rise>high", "does not drop or rise"),
        ("lcp_ms>fast", "must be a number"),
        ("score fall>=5", "is no condition"),
        ("score<80" + " " * 5000 + "x", "is no condition"),
    ],
)
def test_what_is_no_gate_is_refused_with_a_way_out(expression: str, words: str) -> None:
    """The error says what would be accepted."""
    with pytest.raises(InvalidInput, match=words):
        parse_gate(expression)


def with_score(*scores: int | None) -> list[Report]:
    """Reports with these scores."""
    return [make_report(score=score) for score in scores]


@pytest.mark.parametrize(
    ("expression", "score", "earlier", "fails"),
    [
        ("score drop>=5", 75, (80,), True),
        ("score drop>=5", 76, (80,), False),
        ("score drop>5", 75, (80,), False),
        ("score drop>=5", 90, (80,), False),
        ("score rise>=5", 85, (80,), True),
        ("score drop>=10%", 72, (80,), True),
        ("score drop>=10%", 73, (80,), False),
        ("score drop>0", 79, (80,), True),
        ("score drop>=5", 75, (80, 10, 90, 80, 79), True),
        ("score drop>=5", 75, (99, 99, 99, 70, 70, 70, 70, 70, 70), True),
        ("score drop>=5", 75, (70, 70, 70, 99, 99, 99, 99, 99, 99), False),
        ("score drop>=5", 75, (None, None, 80), True),
        ("score rise>=20%", 1, (0,), True),
        ("score rise>=20%", 0, (0,), False),
        ("score drop>=1%", 0, (0,), False),
    ],
)
def test_a_change_is_measured_from_the_median_before(
    *, expression: str, score: int, earlier: tuple[int | None, ...], fails: bool
) -> None:
    """Of the last five reports that have the figure."""
    (report,) = with_score(score)

    assert (parse_gate(expression).failure(report, with_score(*earlier)) is not None) is fails


def test_a_change_from_nothing_is_closed() -> None:
    """A change that cannot be measured does not pass."""
    (report,) = with_score(90)

    assert "no earlier report" in (parse_gate("score drop>=5").failure(report) or "")


def test_the_failure_of_a_change_names_both_figures() -> None:
    """As they were and as they are."""
    (report,) = with_score(74)

    assert parse_gate("score drop>=5").failure(report, with_score(80)) == "score drop>=5: the score is 74, it was 80"


@pytest.mark.parametrize(
    "expression", ["score<80", "score drop>=5", "transfer_bytes rise>20.5%", "check.image-alt", "severity>=high"]
)
def test_a_gate_is_written_as_it_was_read(expression: str) -> None:
    """And so can be read again."""
    gate = parse_gate(f" {expression.upper()} ")

    assert str(gate) == expression
    assert parse_gate(str(gate)) == gate


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
