"""The catalogue of checks for people: behavior, penalty and fix of each check."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec
from msgspec import structs

from pagegrade.checks import NEEDS, Advice, Check, SiteCheck, all_checks, all_site_checks
from pagegrade.model.errors import NotFound
from pagegrade.model.report import CATEGORIES, RULESET
from pagegrade.render.english import N_
from pagegrade.render.escape import safe_href
from pagegrade.render.finding_texts import finding_texts, translated
from pagegrade.render.i18n import Texts
from pagegrade.render.prose import parse_prose
from pagegrade.render.view import CATEGORY_NAMES
from pagegrade.service.catalogue import (
    CheckItem,
    CheckState,
    check_entries,
    check_entry,
    site_check_entries,
)
from pagegrade.service.unit_of_work import UnitOfWork
from pagegrade.web.http.response import Response
from pagegrade.web.operations import PAGES, Operation
from pagegrade.web.pages.forms import read_query
from pagegrade.web.pages.html import View
from pagegrade.web.request import Request

PATH: Final = "/checks"
SITE: Final = "site"
"""Category of the checks of whole sites."""
WHOLE_SITE: Final = N_("Whole site")
IMPORTANCE: Final = {
    "critical": N_("Critical severity"),
    "high": N_("High severity"),
    "medium": N_("Medium severity"),
    "low": N_("Low severity"),
    "informative": N_("For information"),
}
ARTIFACT: Final = "json "
"""Begin of the language of such a block; the name of the artifact follows."""
EXAMPLES: Final = {"Passes on": N_("This passes"), "Fails on": N_("This fails")}


class _Importance(msgspec.Struct, frozen=True):
    """The checks of a category that are equally important, the most expensive first."""

    key: str
    name: str
    checks: tuple[Mapping[str, Any], ...]


class _Group(msgspec.Struct, frozen=True):
    """A category and its checks, the most important first."""

    key: str
    name: str
    points: int
    """Points of the overall score; 0 for checks of a site, which has a score of its own."""
    importances: tuple[_Importance, ...]

    @property
    def total(self) -> int:
        """Number of checks."""
        return sum(len(importance.checks) for importance in self.importances)


async def list_check_pages(request: Request, work: UnitOfWork, view: View) -> Response:
    """Return all checks, or those of one category."""
    wanted = read_query(request).get("category") or None
    if wanted is not None and wanted not in {*CATEGORIES, SITE}:
        raise NotFound
    await work.identify()
    # The first call imports every check and computes its penalties: too slow for the event loop.
    entries = await asyncio.to_thread(check_entries)
    texts = view.texts
    groups = [
        _Group(
            key=key,
            name=texts.gettext(CATEGORY_NAMES[key]),
            points=points,
            importances=_by_importance([entry for entry in entries if entry.category == key], texts),
        )
        for key, points in CATEGORIES.items()
    ]
    of_site = site_check_entries()
    groups.append(_Group(SITE, texts.gettext(WHOLE_SITE), 0, _by_importance(of_site, texts)))
    return view.page(
        "checks.html.jinja",
        groups=groups,
        # Those of sites have a page of their own: more than 300 links are too many for one.
        shown=[group for group in groups if group.key == wanted or (wanted is None and group.key != SITE)],
        wanted=wanted,
        total=len(entries),
        ruleset=RULESET,
    )


async def show_check_page(request: Request, work: UnitOfWork, view: View) -> Response:
    """Return one check with its documentation."""
    await work.identify()
    found = await asyncio.to_thread(_find, request.path_params["check"])
    if found is None:
        raise NotFound
    check, entry = found
    texts = view.texts
    words = WHOLE_SITE if entry.category == "site" else CATEGORY_NAMES[entry.category]
    known: Mapping[str, Check | SiteCheck] = {**all_checks(), **all_site_checks()}
    documentation = check.documentation
    return view.page(
        "check.html.jinja",
        check=_shown(entry, texts),
        category=texts.gettext(words),
        needs=[translated(NEEDS[need], texts.tag) for need in (check.needs if isinstance(check, SiteCheck) else ())],
        advice=[_advice(each, texts) for each in check.advice],
        examples=[
            (texts.gettext(name), documentation[key])
            for key, name in EXAMPLES.items()
            # Those of a site are rows of tables.
            if not isinstance(check, SiteCheck) and _is_for_people(documentation[key])
        ],
        states=[_state(state, texts) for state in entry.states],
        what_it_checks=documentation["What it checks"],
        is_english=finding_texts(texts.tag) is None,
        same_cause=[
            (other.id, translated(other.title, texts.tag))
            for other in known.values()
            if other.cause is not None and other.cause == check.cause and other is not check
        ],
        sources=[(href, _short(href)) for source in check.sources if (href := safe_href(source)) is not None],
    )


def _find(name: str) -> tuple[Check | SiteCheck, CheckItem] | None:
    """Return a check, and how it stands in a list."""
    check = all_site_checks().get(name) or all_checks().get(name)
    return None if check is None else (check, check_entry(check))


def _is_for_people(text: str) -> bool:
    """Return whether a section has no block that only tests read: what was gathered, in the form it is kept in."""
    return not any(block.language.startswith(ARTIFACT) for block in parse_prose(text))


def _by_importance(entries: Sequence[CheckItem], texts: Texts) -> tuple[_Importance, ...]:
    """Return the entries below the words of their importance, those that cost most first."""
    groups = []
    for key, words in IMPORTANCE.items():
        alike = sorted((entry for entry in entries if entry.importance == key), key=lambda entry: -entry.price)
        if alike:
            groups.append(_Importance(key, texts.gettext(words), tuple(_shown(entry, texts) for entry in alike)))
    return tuple(groups)


def _shown(entry: CheckItem, texts: Texts) -> Mapping[str, Any]:
    """Return the entry with translated texts."""
    price = entry.price
    # Summaries and documentation are English; what a page that passes reads is translated, like all of a report.
    summary = entry.summary if finding_texts(texts.tag) is None else entry.states[0].message
    return {
        **structs.asdict(entry),
        "title": translated(entry.title, texts.tag),
        "summary": translated(summary, texts.tag),
        "importance_words": texts.gettext(IMPORTANCE[entry.importance]),
        "points": texts.number(price, digits=1) if price else "",
    }


def _state(state: CheckState, texts: Texts) -> Mapping[str, str]:
    """Return a state of a check with the share of the maximum penalty that it costs."""
    low, high = state.loss, state.loss_max
    if not high:
        share = texts.gettext("nothing")
    elif low == high:
        share = texts.percent(high)
    else:
        share = texts.gettext("%(low)s to %(high)s", low=texts.percent(low), high=texts.percent(high))
    return {"share": share, "message": translated(state.message, texts.tag)}


def _advice(advice: Advice, texts: Texts) -> Mapping[str, str]:
    """Return why a fault matters and how to fix it."""
    return {name: translated(getattr(advice, name), texts.tag) for name in ("title", "why", "fix")}


def _short(href: str) -> str:
    """Return a URL as link text: without its scheme."""
    return href.partition("://")[2].rstrip("/")


OPERATIONS: Final = (
    Operation(
        method="GET",
        path=PATH,
        name="list_check_pages",
        summary="What is checked",
        handler=list_check_pages,
        tag=PAGES,
    ),
    Operation(
        method="GET",
        path=f"{PATH}/{{check}}",
        name="show_check_page",
        summary="One check, explained",
        handler=show_check_page,
        tag=PAGES,
    ),
)
