"""Fills the numbers into ``docs/explanation/scoring.md``: every block between two markers is made from the code.

A block stands between ``<!-- begin NAME: made from the code, do not edit -->`` and ``<!-- end NAME -->``; what is
around it is written by people.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from textwrap import fill as fill_lines
from typing import Final

from devtools.scoring_example import PAGE, PARAGRAPH, example_report, noindex_report
from pagegrade.checks import Check, all_checks
from pagegrade.checks._check import State
from pagegrade.model.outcome import Severity
from pagegrade.model.report import CATEGORIES, DECENT_FROM, GOOD_FROM, MIN_COVERAGE, RULESET, Category, Report
from pagegrade.score import Weighed, prices
from pagegrade.score import score as score_losses

PAGE_PATH: Final = Path("docs/explanation/scoring.md")
NAMES: Final[Mapping[Category, str]] = {"seo": "SEO"}
"""Words for categories that are not just their names."""
MOVING: Final = {
    "load-time": "how fast the line and the server were",
    "ttfb": "how busy the server was",
    "http-requests": "advertisements and tests that are drawn by lot",
    "domains-count": "the same",
    "total-byte-weight": "the same, and pictures that differ from visit to visit",
    "js-size": "the same",
    "asset-errors": "a file that could not be had for a moment",
    "broken-links": "a link whose target gave an error of the server for a moment",
    "robots-txt-valid": "a robots.txt that could not be fetched for once",
    "tls-certificate": "the calendar: certificates run out",
}
"""Checks that can say something else of the same page -> why."""
_MARKER: Final = re.compile(
    r"^<!-- begin ([a-z-]+): made from the code, do not edit -->\n(.*?)^<!-- end \1 -->$", re.MULTILINE | re.DOTALL
)
_LOST_AT_LEAST: Final = 0.005
"""Points from which a loss shows in two digits."""
_SHOWN_WORST: Final = 7
WIDTH: Final = 118
NEVER_SCORED: Final = "http-status"
"""A check whose failure leaves nothing to score: the page was not answered with success."""


class Catalogue:
    """The checks with what each can cost."""

    def __init__(self, checks: Mapping[str, Check]) -> None:
        self.checks = checks
        self.weighed = {
            check.id: Weighed(
                category=check.category,
                weight=check.severity.value,
                requires=check.requires,
                cap=check.cap.max_score if check.cap else None,
                category_cap=check.cap.category_max_score if check.cap else None,
            )
            for check in checks.values()
        }
        self.prices = prices(self.weighed)
        self.scored = [check for check in checks.values() if check.severity is not Severity.INFO]

    def of(self, category: Category) -> list[Check]:
        """The scored checks of a category, the dearest first."""
        return sorted(
            (check for check in self.scored if check.category == category),
            key=lambda check: (-self.prices[check.id], check.id),
        )

    def failing(self, name: str) -> tuple[float, int, list[str]]:
        """(points lost, score, checks that lose with it) of a page where this check fails and all others pass."""
        losses = {check: 1.0 if check == name else 0.0 for check in self.checks}
        found = score_losses(self.weighed, self.prices, losses)
        return 100 - found.uncapped, found.score, sorted(found.inherited)


def blocks() -> dict[str, str]:
    """Name -> text of every block."""
    catalogue = Catalogue(all_checks())
    return {
        "result": _result(),
        "categories": _categories(catalogue),
        "severities": _severities(catalogue),
        "example": _example(),
        "inherited": _inherited(catalogue),
        "caps": _caps(catalogue),
        "bounds": _bounds(catalogue),
        "moving": _moving(catalogue),
        "prices": _prices(catalogue),
    }


def fill(text: str, made: Mapping[str, str]) -> str:
    """The page with every block as the code says it.

    Raises:
        ValueError: A block has no markers, is there twice, or is unknown.
    """
    found = [match[1] for match in _MARKER.finditer(text)]
    if sorted(found) != sorted(made):
        raise ValueError(f"{PAGE_PATH} has blocks {sorted(found)}; the code makes {sorted(made)}")
    return _MARKER.sub(lambda match: _between(match[1], made[match[1]]), text)


def _between(name: str, text: str) -> str:
    return f"<!-- begin {name}: made from the code, do not edit -->\n\n{text.strip()}\n\n<!-- end {name} -->"


def _table(head: Sequence[str], rows: Iterator[Sequence[str]] | Sequence[Sequence[str]], numbers: Sequence[int]) -> str:
    """A Markdown table; ``numbers`` are the columns to be set to the right."""
    rule = ["---:" if column in numbers else "---" for column in range(len(head))]
    return "\n".join(f"| {' | '.join(row)} |" for row in [head, rule, *rows])


def _name(category: Category) -> str:
    return NAMES.get(category, category)


def _result() -> str:
    text = (
        f"A score from {GOOD_FROM} is **good**, from {DECENT_FROM} **decent**, and below that **bad**. The result is "
        f"withheld while less than {MIN_COVERAGE:.0%} of the points could be seen."
    )
    return _wrapped(text.replace("%", " %"))


def _categories(catalogue: Catalogue) -> str:
    rows = []
    for category, points in CATEGORIES.items():
        checks = catalogue.of(category)
        weight = sum(check.severity.value for check in checks)
        by_weight = (Severity.HIGH, Severity.MEDIUM, Severity.LOW)
        used = {check.severity for check in checks}
        each = [f"{points * one.value / weight:.2f}" if one in used else "–" for one in by_weight]
        rows.append([_name(category), str(points), str(len(checks)), str(weight), *each])
    head = ["category", "points", "scored checks", "sum of weights", "a high one costs", "a medium one", "a low one"]
    informative = len(catalogue.checks) - len(catalogue.scored)
    more = f"Ruleset {RULESET} has {len(catalogue.checks)} checks: {len(catalogue.scored)} are scored, {informative} "
    return _table(head, rows, range(1, 7)) + "\n\n" + more + "are informative."


def _severities(catalogue: Catalogue) -> str:
    rows = []
    for severity in Severity:
        checks = [check for check in catalogue.checks.values() if check.severity is severity]
        points = sum(catalogue.prices[check.id] for check in checks)
        rows.append([severity.label, str(severity.value), str(len(checks)), f"{points:.1f}"])
    return _table(["severity", "weight", "checks", "points of the 100 that hang on them"], rows, (1, 2, 3))


def _example() -> str:
    report = example_report()
    rows = [
        [
            f"`{result.check}`",
            result.importance,
            f"`{result.state}`" if result.inherited_from is None else f"with `{result.inherited_from}`",
            f"{result.price:.2f}",
            f"{result.lost / result.price:.0%}".replace("%", " %"),
            f"{result.lost:.2f}",
        ]
        for result in sorted(report.results, key=lambda one: (-one.lost, one.check))
        if result.lost >= _LOST_AT_LEAST
    ]
    lost = sum(result.lost for result in report.results)
    rows.append(["**all of them**", "", "", "", "", f"**{lost:.2f}**"])
    table = _table(["check", "severity", "state", "price", "loss", "points lost"], rows, (3, 4, 5))
    page = PAGE.replace(PARAGRAPH, "(here are four times forty words about lamps)").strip()
    steps = "\n".join(_wrapped(step, "  ") for step in _example_steps(report, lost))
    return f"```html\n{page}\n```\n\n{table}\n\n{steps}"


def _wrapped(text: str, indent: str = "") -> str:
    """The text as lines of the usual length; code and percentages stay on one line."""
    return fill_lines(text, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def _example_steps(report: Report, lost: float) -> Iterator[str]:
    """What becomes of the losses, a line each."""
    uncapped, coverage = report.uncapped_score or 0.0, report.coverage or 0.0
    unseen = [one for one in report.results if one.outcome == "not_evaluated" and one.price > 0]
    names = " and ".join(f"`{one.check}`" for one in unseen)
    caps = ", ".join(f"that of `{cap.check}` at {cap.max_score}" for cap in report.caps) or "none"
    yield f"- 100 - {lost:.2f} = {uncapped:.2f}. Caps that apply: {caps}. The score is **{report.score}**."
    yield (
        f"- {names} could not be evaluated. That costs nothing, and {coverage:.1%} of the points were seen. That is "
        f"enough for a result: **{report.result}**.".replace("%", " %")
    )
    of_seo = sum(one.lost for one in report.results if one.category == "seo")
    points = CATEGORIES["seo"]
    yield (
        f"- The categories are made in the same way. Of the {points} points of SEO, {of_seo:.2f} are lost, which is "
        f"{of_seo / points:.1%} of them. So the score of SEO is {report.categories['seo'].score}.".replace("%", " %")
    )
    hidden = noindex_report()
    hidden_cap = next(cap.max_score for cap in hidden.caps if cap.category is None)
    effect = "changes nothing" if (hidden.uncapped_score or 0.0) <= hidden_cap else "lowers that"
    yield (
        f"- Then somebody forgets a `noindex` on the page. That costs {lost_by(hidden, 'noindex'):.2f} points more and "
        f"leaves {hidden.uncapped_score or 0.0:.2f}. The cap of {hidden_cap} {effect}, so the score is "
        f"**{hidden.score}**. The cap for SEO lowers that category to {hidden.categories['seo'].score}."
    )


def lost_by(report: Report, name: str) -> float:
    """What one check costs a page."""
    return next(result.lost for result in report.results if result.check == name)


def _inherited(catalogue: Catalogue) -> str:
    parents = {parent for check in catalogue.checks.values() for parent in check.requires}
    found = {name: catalogue.failing(name) for name in parents}
    rows = [
        [f"`{name}`", _ids(heirs), f"{catalogue.prices[name]:.2f}", f"{points:.2f}"]
        for name, (points, _, heirs) in sorted(found.items(), key=lambda item: (-item[1][0], item[0]))
    ]
    return _table(["while it fails", "these lose everything, too", "its price", "together"], rows, (2, 3))


def _caps(catalogue: Catalogue) -> str:
    rows = [
        [
            f"`{check.id}`",
            str(check.cap.max_score),
            "" if check.cap.category_max_score is None else f"{_name(check.category)} {check.cap.category_max_score}",
        ]
        for check in sorted(catalogue.checks.values(), key=lambda check: check.id)
        if check.cap is not None
    ]
    return _table(["while it fails", "the score is at most", "and that of its category"], rows, (1,))


def _bounds(catalogue: Catalogue) -> str:
    found = {check.id: catalogue.failing(check.id) for check in catalogue.scored if check.id != NEVER_SCORED}
    worst = sorted(found, key=lambda name: (found[name][1], -found[name][0], name))[:_SHOWN_WORST]
    rows = [
        [f"`{name}`", f"{catalogue.prices[name]:.2f}", f"{found[name][0]:.2f}", str(found[name][1])] for name in worst
    ]
    table = _table(
        ["a page where only this fails", "its price", "lost with what depends on it", "score"], rows, (1, 2, 3)
    )
    lines = []
    for category, points in CATEGORIES.items():
        dearest = next(check for check in catalogue.of(category) if check.id in found)
        own = f"`{dearest.id}` alone {catalogue.prices[dearest.id]:.2f}"
        lines.append(f"- {_name(category)}: at most {points} points, of which {own}.")
    highest = max(catalogue.scored, key=lambda check: (catalogue.prices[check.id], check.id))
    return (
        f"{table}\n\nWithout caps and without what depends on it, no check costs more than "
        f"{catalogue.prices[highest.id]:.2f} points. What can be lost in a category:\n\n" + "\n".join(lines)
    )


def _moving(catalogue: Catalogue) -> str:
    rows = [[f"`{name}`", f"{catalogue.prices[name]:.2f}", why] for name, why in MOVING.items()]
    return _table(["check", "costs at most", "what moves it"], rows, (1,))


def _prices(catalogue: Catalogue) -> str:
    parts = []
    for category, points in CATEGORIES.items():
        rows = [
            [
                f"`{check.id}`",
                check.severity.label,
                str(check.severity.value),
                f"{catalogue.prices[check.id]:.2f}",
                ", ".join(_state(state) for state in check.states if state.highest > 0),
                "" if check.cap is None else str(check.cap.max_score),
            ]
            for check in catalogue.of(category)
        ]
        name = _name(category)
        head = ["check", "severity", "weight", "price", "states and what they cost", "cap"]
        table = _table(head, rows, (2, 3, 5))
        free = sorted(
            check.id
            for check in catalogue.checks.values()
            if check.category == category and check.severity is Severity.INFO
        )
        more = "\n\n" + _wrapped(f"Informative, so free: {_ids(free)}.") if free else ""
        parts.append(f"### {name[0].upper()}{name[1:]}: {points} points\n\n{table}{more}")
    return "\n\n".join(parts)


def _state(state: State) -> str:
    low, high = f"{state.loss:.0%}", f"{state.highest:.0%}"
    return f"`{state.name}` {low if low == high else f'{low} to {high}'}".replace("%", " %")


def _ids(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)
