"""The catalogue of checks."""

from __future__ import annotations

from typing import Literal

from pagegrade.model.outcome import Importance
from pagegrade.model.report import RULESET, Category
from pagegrade.web.schemas.envelope import Answer
from pagegrade.web.schemas.shape import Amount, Count, Document, Points, about


class CheckState(Document):
    """One thing a check can find."""

    name: str = about("The check's own word.", "too_long")
    message: str = about("Sentence about the page.", "The title is longer than search results show.")
    loss: float = about("The least it costs, as a share of the points of its importance.", 0.5, ge=0, le=1)
    loss_max: float = about("The most it costs, as a share of the points of its importance.", 0.5, ge=0, le=1)
    title: str = about("The problem or the task, short; empty where there is nothing to do.", "Shorten the title")
    why: str = about("Reason to fix it.", "Search results cut what follows.")
    fix: str = about("Instructions, as Markdown.", "Write a title of 10 to 70 characters.")


class CheckItem(Document):
    """A check as it stands in the list."""

    id: str = about("Its name for programs, as in the results of a report.", "title-length")
    object: Literal["check"] = about("The kind of object.", "check")
    title: str = about("Its name for people.", "Title length")
    category: Literal[Category, "site"] = about(
        "Category that its penalty counts in; `site`: it is of a whole site, and of the score of the site.", "seo"
    )
    importance: Importance = about("Importance inside its category.", "medium")
    price: Amount = about("The most it can cost, in points of the score.", 3)
    summary: str = about("Subject of the check, in one sentence.", "Search results cut long titles.")
    states: list[CheckState] = about("Possible results, best first.")
    cause: str | None = about("Checks with the same cause are charged once; null: it shares none.", None, "title")
    requires: list[str] = about(
        "Parts of a crawl without which a check of a site is not evaluated; empty for a check of a page.", []
    )
    cap: Points | None = about("In its worst state the score is at most this; null: no limit.", None, 69)
    since: str = about("First version that had it.", "0.1.0")
    sources: list[str] = about("Standards and guides behind it.", ["https://html.spec.whatwg.org/#the-title-element"])


class CheckDocumentation(Document):
    """The check explained, as Markdown."""

    what_it_checks: str = about("Parts of the page that it reads.", "The length of the text of `<title>`.")
    why_it_matters: str = about("Why each fault matters; empty: it only informs.", "Results show about 60 characters.")
    how_to_fix: str = about("How to fix each fault; empty: it only informs.", "Put the topic first and stop there.")
    fails_on: str = about("A page or header it fails on.", "```html\n<title>A very long title …</title>\n```")
    passes_on: str = about("A page or header it passes on.", "```html\n<title>Pricing</title>\n```")


class Check(CheckItem):
    """A check with its documentation."""

    documentation: CheckDocumentation = about("The check explained.")


class CatalogueMeta(Document):
    """About the catalogue."""

    total: Count = about("Number of checks.", 67)
    ruleset: str = about("Version of the checks, severities and caps.", RULESET)


class CheckAnswer(Answer):
    """One check."""

    data: Check = about("The check.")


class CheckList(Answer):
    """The whole catalogue of checks."""

    data: list[CheckItem] = about("The checks, in the order of the catalogue.")
    meta: CatalogueMeta = about("Metadata of the catalogue.")
