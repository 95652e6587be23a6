"""The catalogue of checks as documents, for every interface that shows it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Annotated, Literal

import msgspec

from pagegrade.checks import Check, SiteCheck, all_checks, all_site_checks
from pagegrade.model.outcome import Importance
from pagegrade.model.report import Category
from pagegrade.model.schema import Amount, Points, about
from pagegrade.scoring import rules_of


class CheckState(msgspec.Struct, frozen=True, kw_only=True):
    """One thing a check can find."""

    name: Annotated[str, about("The check's own word.", "too_long")]
    message: Annotated[str, about("Sentence about the page.", "The title is longer than search results show.")]
    loss: Annotated[
        float, about("The least it costs, as a share of the points of its importance.", 0.5, minimum=0, maximum=1)
    ]
    loss_max: Annotated[
        float, about("The most it costs, as a share of the points of its importance.", 0.5, minimum=0, maximum=1)
    ]
    title: Annotated[
        str, about("The problem or the task, short; empty where there is nothing to do.", "Shorten the title")
    ]
    why: Annotated[str, about("Reason to fix it.", "Search results cut what follows.")]
    fix: Annotated[str, about("Instructions, as Markdown.", "Write a title of 10 to 70 characters.")]


class CheckItem(msgspec.Struct, frozen=True, kw_only=True):
    """A check as it stands in the list."""

    id: Annotated[str, about("Its name for programs, as in the results of a report.", "title-length")]
    object: Annotated[Literal["check"], about("The kind of object.", "check")] = "check"
    title: Annotated[str, about("Its name for people.", "Title length")]
    category: Annotated[
        Literal[Category, "site"],
        about(
            "Category that its penalty counts in; `site`: it is of a whole site, and of the score of the site.", "seo"
        ),
    ]
    importance: Annotated[Importance, about("Importance inside its category.", "medium")]
    price: Annotated[Amount, about("The most it can cost, in points of the score.", 3)]
    summary: Annotated[str, about("Subject of the check, in one sentence.", "Search results cut long titles.")]
    states: Annotated[list[CheckState], about("Possible results, best first.")]
    cause: Annotated[
        str | None, about("Checks with the same cause are charged once; null: it shares none.", None, "title")
    ]
    requires: Annotated[
        list[str],
        about("Parts of a crawl without which a check of a site is not evaluated; empty for a check of a page.", []),
    ]
    cap: Annotated[Points | None, about("In its worst state the score is at most this; null: no limit.", None, 69)]
    since: Annotated[str, about("First version that had it.", "0.1.0")]
    sources: Annotated[
        list[str], about("Standards and guides behind it.", ["https://html.spec.whatwg.org/#the-title-element"])
    ]


class CheckDocumentation(msgspec.Struct, frozen=True, kw_only=True):
    """The check explained, as Markdown."""

    what_it_checks: Annotated[str, about("Parts of the page that it reads.", "The length of the text of `<title>`.")]
    why_it_matters: Annotated[
        str, about("Why each fault matters; empty: it only informs.", "Results show about 60 characters.")
    ]
    how_to_fix: Annotated[
        str, about("How to fix each fault; empty: it only informs.", "Put the topic first and stop there.")
    ]
    fails_on: Annotated[str, about("A page or header it fails on.", "```html\n<title>A very long title …</title>\n```")]
    passes_on: Annotated[str, about("A page or header it passes on.", "```html\n<title>Pricing</title>\n```")]


@cache
def check_penalties() -> Mapping[str, float]:
    """Check id -> the most it can cost, in points of the score."""
    return MappingProxyType({name: rule.price for name, rule in rules_of(all_checks().values()).items()})


def check_entries() -> list[CheckItem]:
    """Every check of a page, in the order of the catalogue."""
    return [check_entry(check) for check in all_checks().values()]


def site_check_entries() -> list[CheckItem]:
    """Every check of a site, in the order of the catalogue."""
    return [check_entry(check) for check in all_site_checks().values()]


def check_entry(check: Check | SiteCheck) -> CheckItem:
    """A check as it stands in a list."""
    return CheckItem(
        id=check.id,
        title=check.title,
        category=check.category if isinstance(check, Check) else "site",
        importance=check.severity.label,
        price=_price(check),
        summary=check.summary,
        states=[
            CheckState(
                name=state.name,
                message=state.message,
                loss=state.loss,
                loss_max=state.highest,
                title=state.title,
                why=state.why,
                fix=state.fix,
            )
            for state in check.states
        ],
        cause=check.cause,
        requires=list(check.needs) if isinstance(check, SiteCheck) else [],
        cap=min((cap.max_score for cap in check.caps), default=None) if isinstance(check, Check) else None,
        since=check.since,
        sources=list(check.sources),
    )


def _price(check: Check | SiteCheck) -> float:
    if isinstance(check, Check):
        return check_penalties()[check.id]
    return check.severity.value * max(state.highest for state in check.states)


def check_documentation(check: Check | SiteCheck) -> CheckDocumentation:
    """Its documentation in five parts, as Markdown; reasons and advice are those of its states, by their titles."""
    sections = check.documentation
    advice = check.advice
    single = len(advice) == 1
    return CheckDocumentation(
        what_it_checks=sections["What it checks"],
        why_it_matters="\n".join(one.why if single else f"- {one.title}: {one.why}" for one in advice),
        how_to_fix="\n\n".join(one.fix if single else f"### {one.title}\n\n{one.fix}" for one in advice),
        fails_on=sections["Fails on"],
        passes_on=sections["Passes on"],
    )


@cache
def catalogue_names() -> frozenset[str]:
    """The id of every check, of pages and of sites."""
    return frozenset({*all_checks(), *all_site_checks()})
