"""The installation for administrators: overview and health checks."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from pagegrade.render.english import N_
from pagegrade.render.i18n import Texts
from pagegrade.service.container import Services
from pagegrade.service.doctor.checks import Diagnosis, format_size
from pagegrade.service.health import OK
from pagegrade.service.system_status import find_overview, look_at_system
from pagegrade.service.unit_of_work import UnitOfWork
from pagegrade.web.http.response import Response
from pagegrade.web.operations import PAGES, Operation
from pagegrade.web.pages.html import View

_LEVELS: Final = ("problem", "warning", "ok")
"""Levels, the worst first."""
_PARTS: Final = {"database": N_("Database"), "schema": N_("Tables"), "disk": N_("Disk")}
_TROUBLES: Final = {
    "changed": N_("changed by a later version of Pagegrade"),
    "full": N_("full"),
    "slow": N_("slow"),
    "unavailable": N_("not available"),
    "none": N_("not on this machine"),
    "unknown": N_("unknown"),
}
_SECOND_MS: Final = 1_000
_MINUTE_S: Final = 60


async def show_admin(work: UnitOfWork, view: View, services: Services) -> Response:
    """Return the overview."""
    accounts, admins, queue = await work.read(find_overview, view.now_ms)
    words = await services.health.words()
    texts = view.texts
    return view.page(
        "admin.html.jinja",
        accounts=accounts,
        admins=admins,
        queue=queue,
        troubles=[
            (texts.gettext(_PARTS[name]), texts.gettext(_TROUBLES[word])) for name, word in words.items() if word != OK
        ],
    )


async def show_system(work: UnitOfWork, view: View, services: Services) -> Response:
    """Return the quick health checks."""
    return await _show_system(work, view, services, all_of_it=False)


async def check_database(work: UnitOfWork, view: View, services: Services) -> Response:
    """Return the health checks with a full check of the database for corruption."""
    return await _show_system(work, view, services, all_of_it=True)


def duration(seconds: float, texts: Texts) -> str:
    """Format a duration in one unit."""
    whole = int(seconds)
    if whole < _MINUTE_S:
        return texts.ngettext("%(num)s second", "%(num)s seconds", whole)
    return texts.ngettext("%(num)s minute", "%(num)s minutes", whole // _MINUTE_S)


async def _show_system(work: UnitOfWork, view: View, services: Services, *, all_of_it: bool) -> Response:
    await work.admit()
    state = await asyncio.to_thread(partial(look_at_system, services, view.now_ms, all_of_it=all_of_it))
    texts = view.texts
    return view.page(
        "admin_system.html.jinja",
        state=state,
        diagnoses=[_shown(one, texts) for one in sorted(state.diagnoses, key=lambda one: _LEVELS.index(one.level))],
        oldest=duration(state.queue.oldest_ms / _SECOND_MS, texts),
        idle=None if state.idle_s is None else duration(state.idle_s, texts),
        size=lambda count: texts.phrase(format_size(count)),
        all_of_it=all_of_it,
    )


def _shown(one: Diagnosis, texts: Texts) -> Mapping[str, Any]:
    """Return a health check in the reader's language."""
    topic, observation, advice = map(texts.phrase, (one.topic, one.observation, one.remedy))
    return {"level": one.level, "topic": topic, "lines": observation.split("\n"), "advice": advice}


OPERATIONS: Final = (
    Operation(
        method="GET",
        path="/admin",
        name="show_admin",
        summary="Show an overview of the installation",
        handler=show_admin,
        access="admin",
        tag=PAGES,
    ),
    Operation(
        method="GET",
        path="/admin/system",
        name="show_system",
        summary="Show the health checks",
        handler=show_system,
        access="admin",
        tag=PAGES,
    ),
    Operation(
        method="POST",
        path="/admin/system",
        name="check_database",
        summary=N_("Check the database for corruption"),
        handler=check_database,
        access="admin",
        tag=PAGES,
    ),
)
