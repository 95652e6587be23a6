"""The catalogue of checks."""

from __future__ import annotations

from typing import Annotated, Literal

from pagegrade.model.outcome import Importance
from pagegrade.model.report import RULESET, Category
from pagegrade.model.schema import Amount, Count, Points, about
from pagegrade.web.schemas.envelope import Answer
from pagegrade.web.schemas.shape import Document


class CheckState(Document, frozen=True, kw_only=True):
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


class CheckItem(Document, frozen=True, kw_only=True):
    """A check as it stands in the list."""

    id: Annotated[str, about("Its name for programs, as in the results of a report.", "title-length")]
    object: Annotated[Literal["check"], about("The kind of object.", "check")]
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


class CheckDocumentation(Document, frozen=True, kw_only=True):
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


class Check(CheckItem, frozen=True, kw_only=True):
    """A check with its documentation."""

    documentation: Annotated[CheckDocumentation, about("The check explained.")]


class CatalogueMeta(Document, frozen=True, kw_only=True):
    """About the catalogue."""

    total: Annotated[Count, about("Number of checks.", 67)]
    ruleset: Annotated[str, about("Version of the checks, severities and caps.", RULESET)]


class CheckAnswer(Answer, frozen=True, kw_only=True):
    """One check."""

    data: Annotated[Check, about("The check.")]


class CheckList(Answer, frozen=True, kw_only=True):
    """The whole catalogue of checks."""

    data: Annotated[list[CheckItem], about("The checks, in the order of the catalogue.")]
    meta: Annotated[CatalogueMeta, about("Metadata of the catalogue.")]
