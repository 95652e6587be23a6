"""What administrators see of the installation: an overview, and the state of the machinery."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Final

from pagegrade.model.account import Caller
from pagegrade.render.i18n import Texts
from pagegrade.service.health import OK
from pagegrade.service.system_status import look_at_system
from pagegrade.store.engine.database import Transaction
from pagegrade.store.queue.length import QueueState, queue_state
from pagegrade.store.repositories.accounts import count_accounts, count_admins
from pagegrade.web.context import Call
from pagegrade.web.operations import PAGES, Answer, Operation
from pagegrade.web.pages.html import page

_LEVELS: Final = ("problem", "warning", "ok")
"""The worst first."""
_SECOND_MS: Final = 1_000
_MINUTE_S: Final = 60


async def show_admin(call: Call) -> Answer:
    """Answer with the overview."""

    def work(tx: Transaction, _caller: Caller) -> tuple[int, int, QueueState]:
        return count_accounts(tx), count_admins(tx), queue_state(tx, call.now_ms)

    accounts, admins, queue = await call.read(work)
    words = await call.services.health.words()
    return page(
        call,
        "admin.html.jinja",
        accounts=accounts,
        admins=admins,
        queue=queue,
        troubles={name: word for name, word in words.items() if word != OK},
    )


async def show_system(call: Call) -> Answer:
    """Answer with what can be found out quickly."""
    return await _show_system(call, all_of_it=False)


async def check_database(call: Call) -> Answer:
    """Answer with the same, after the whole database was read in search of damage."""
    return await _show_system(call, all_of_it=True)


def duration(seconds: float, texts: Texts) -> str:
    """A length of time in one unit."""
    whole = int(seconds)
    if whole < _MINUTE_S:
        return texts.ngettext("%(num)s second", "%(num)s seconds", whole)
    return texts.ngettext("%(num)s minute", "%(num)s minutes", whole // _MINUTE_S)


def size(count: int, texts: Texts) -> str:
    """Bytes for people, in powers of 1,000."""
    value = float(count)
    for unit in ("B", "kB", "MB", "GB"):
        if value < 1000:  # noqa: PLR2004 - the step between the units
            return f"{texts.number(value, digits=0 if unit == 'B' else 1)} {unit}"
        value /= 1000
    return f"{texts.number(value, digits=1)} TB"


async def _show_system(call: Call, *, all_of_it: bool) -> Answer:
    await call.admit()
    state = await asyncio.to_thread(partial(look_at_system, call.services, call.now_ms, all_of_it=all_of_it))
    texts = call.texts
    return page(
        call,
        "admin_system.html.jinja",
        state=state,
        diagnoses=sorted(state.diagnoses, key=lambda one: _LEVELS.index(one.level)),
        oldest=duration(state.queue.oldest_ms / _SECOND_MS, texts),
        idle=None if state.idle_s is None else duration(state.idle_s, texts),
        size=partial(size, texts=texts),
        all_of_it=all_of_it,
    )


OPERATIONS: Final = (
    Operation(
        method="GET",
        path="/admin",
        name="show_admin",
        summary="The installation at a glance",
        handler=show_admin,
        access="admin",
        tag=PAGES,
    ),
    Operation(
        method="GET",
        path="/admin/system",
        name="show_system",
        summary="The state of the machinery",
        handler=show_system,
        access="admin",
        tag=PAGES,
    ),
    Operation(
        method="POST",
        path="/admin/system",
        name="check_database",
        summary="Search the database for damage",
        handler=check_database,
        access="admin",
        tag=PAGES,
    ),
)
