"""The ignore rules of an account: what is ignored, why and until when; each can be removed."""

from __future__ import annotations

from typing import Final

import msgspec

from pagegrade.checks import all_checks
from pagegrade.model.ignores import StoredIgnore
from pagegrade.model.stored import ListPart
from pagegrade.render.english import N_
from pagegrade.render.finding_texts import translated
from pagegrade.service.ignores import operations as service
from pagegrade.service.unit_of_work import UnitOfWork
from pagegrade.web.http.fields import read_fields
from pagegrade.web.http.response import Response
from pagegrade.web.operations import PageOperation
from pagegrade.web.pages.forms import read_query
from pagegrade.web.pages.html import View, go
from pagegrade.web.parameters import IgnoreListQuery
from pagegrade.web.request import Request

PATH: Final = "/ignores"
PER_PAGE: Final = 25
SAID: Final = {"removed": N_("The rule was removed. Its findings count again from the next analysis on.")}


class _Row(msgspec.Struct, frozen=True, kw_only=True):
    """A rule as the list shows it."""

    stored: StoredIgnore
    name: str
    """Of the check; its id where there is no such check any more."""
    is_known: bool
    """The catalogue has the check."""
    expires_ms: int | None
    is_over: bool


async def list_rules(request: Request, work: UnitOfWork, view: View) -> Response:
    """Return a page of the rules, newest first."""
    sent = read_query(request)
    # A wrong number is no reason for a page of problems: there is a first page.
    query, _ = read_fields(IgnoreListQuery, {"per_page": str(PER_PAGE), **sent}, "query", lenient=True)
    found = await work.read(service.list_ignores, ListPart(page=query.page, per_page=query.per_page))
    said = SAID.get(sent.get("said", ""))
    size = "" if query.per_page == PER_PAGE else f"&per_page={query.per_page}"
    return view.page(
        "ignore_rules.html.jinja",
        rows=[_row(stored, view.now_ms, view.texts.tag) for stored in found.items],
        total=found.total,
        page=query.page,
        last_page=max(1, -(-found.total // query.per_page)),
        url=lambda number: f"{PATH}?page={number}{size}",
        said=None if said is None else view.texts.gettext(said),
        timezone=view.admitted.person.timezone,
    )


async def remove_rule(request: Request, work: UnitOfWork) -> Response:
    """Delete a rule, and return to the list."""
    await work.write(service.delete_ignore, request.id)
    return go(f"{PATH}?said=removed")


def _row(stored: StoredIgnore, now_ms: int, tag: str) -> _Row:
    rule = stored.rule
    check = all_checks().get(rule.check)
    expires_ms = None if rule.expires_at is None else int(rule.expires_at.timestamp() * 1000)
    return _Row(
        stored=stored,
        name=rule.check if check is None else translated(check.title, tag),
        is_known=check is not None,
        expires_ms=expires_ms,
        is_over=expires_ms is not None and expires_ms <= now_ms,
    )


OPERATIONS: Final = (
    PageOperation(path=PATH, name="list_rules", handler=list_rules),
    PageOperation(
        method="POST",
        path=f"{PATH}/{{id}}/remove",
        name="remove_rule",
        summary=N_("Remove an ignore rule"),
        handler=remove_rule,
    ),
)
