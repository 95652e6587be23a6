"""Silences of an account: their list, and the form that begins one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pagegrade.model.errors import QuotaExceeded, ValidationFailed
from pagegrade.model.monitors import MAX_REASON
from pagegrade.render.english import N_
from pagegrade.service.monitors import operations as monitors
from pagegrade.service.monitors import operations as service
from pagegrade.service.unit_of_work import UnitOfWork
from pagegrade.web.http.response import Response
from pagegrade.web.operations import PAGES, Operation
from pagegrade.web.pages.forms import problems_of, read_form, read_query, refusal_of
from pagegrade.web.pages.html import View, go
from pagegrade.web.pages.reports.rows import short_url
from pagegrade.web.problems import problem_of
from pagegrade.web.request import Request

PATH: Final = "/silences"
_HOUR_MS: Final = 3_600_000
LENGTHS: Final[Mapping[str, str]] = {
    "1": N_("An hour"),
    "8": N_("8 hours"),
    "24": N_("A day"),
    "72": N_("3 days"),
    "168": N_("A week"),
    "720": N_("30 days"),
}
"""Hours -> their name."""
OFFERED: Final = 100
"""Monitors in the list of the form, the newest ones; a site can be typed."""
SAID: Final = {"begun": N_("The silence has begun."), "ended": N_("The silence has ended.")}


async def show_silences(request: Request, work: UnitOfWork, view: View) -> Response:
    """Return the list and the form."""
    query = read_query(request)
    sent = {"monitor": query.get("monitor", ""), "project": query.get("project", "")}
    return await _show(work, view, sent=sent, said=query.get("said", ""))


async def begin_silence(request: Request, work: UnitOfWork, view: View) -> Response:
    """Begin a silence and return to the list."""
    form = await read_form(request)
    chosen, hours = form.get("monitor", ""), form.get("hours", "")
    try:
        await work.write(
            service.begin_silence,
            view.now_ms,
            monitor_id=int(chosen) if chosen.isdecimal() and len(chosen) < len(str(2**63)) else None,
            project=form.get("project", "").strip(),
            reason=form.get("reason", ""),
            until_ms=view.now_ms + int(hours) * _HOUR_MS if hours in LENGTHS else None,
        )
    except ValidationFailed as error:
        return await _show(work, view, sent=form, problems=problems_of(view.texts, error.violations), status=422)
    except QuotaExceeded as error:
        problems = {"": refusal_of(view.texts, error)}
        return await _show(work, view, sent=form, problems=problems, status=problem_of(error).status)
    return go(f"{PATH}?said=begun")


async def end_silence(request: Request, work: UnitOfWork, view: View) -> Response:
    """End a silence and return to the list."""
    await work.write(service.end_silence, request.id, view.now_ms)
    return go(f"{PATH}?said=ended")


async def _show(
    work: UnitOfWork,
    view: View,
    *,
    sent: Mapping[str, str],
    said: str = "",
    problems: Mapping[str, str] | None = None,
    status: int = 200,
) -> Response:
    listed = await work.read(service.list_silences, view.now_ms, page=1, per_page=OFFERED)
    known, urls = await work.read(monitors.list_with_urls, view.options, view.now_ms, page=1, per_page=OFFERED)
    names = {each.id: f"{short_url(urls.get(each.id, ''))} ({each.schedule})" for each in known.items}
    return view.page(
        "silences.html.jinja",
        status=status,
        section="/monitors",
        silences=listed.items,
        monitors=names,
        lengths=[(hours, view.texts.gettext(name)) for hours, name in LENGTHS.items()],
        sent=sent,
        said=view.texts.gettext(SAID[said]) if said in SAID else None,
        problems=problems or {},
        max_reason=MAX_REASON,
        timezone=view.admitted.person.timezone,
    )


OPERATIONS: Final = (
    Operation(
        method="GET",
        path=PATH,
        name="show_silences",
        summary="The list of silences",
        handler=show_silences,
        access="account",
        tag=PAGES,
    ),
    Operation(
        method="POST",
        path=PATH,
        name="begin_silence",
        summary=N_("Begin a silence"),
        handler=begin_silence,
        access="account",
        tag=PAGES,
    ),
    Operation(
        method="POST",
        path=f"{PATH}/{{id}}/end",
        name="stop_silence",
        summary=N_("End a silence"),
        handler=end_silence,
        access="account",
        tag=PAGES,
    ),
)
