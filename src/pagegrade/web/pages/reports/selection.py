"""Bulk actions for reports: the ticked ones, all that a list finds, or those of the ticked sites."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from contextlib import closing
from typing import Final

from pagegrade.clock import utc_now
from pagegrade.model.errors import NotFound, QuotaExceeded, RateLimited, Unavailable
from pagegrade.model.stored import UNFINISHED, ListQuery, Privacy, StoredReport
from pagegrade.render.english import N_
from pagegrade.render.filename import content_disposition, list_name
from pagegrade.service.container import Services
from pagegrade.service.monitors.operations import MonitorChange, monitor_reports
from pagegrade.service.options import AT_ONCE
from pagegrade.service.reports.listing import find_existing
from pagegrade.service.reports.operations import any_shares_access, delete_reports, list_all, share_reports
from pagegrade.service.reports.projects import DELETED_AT_ONCE
from pagegrade.service.reports.views import view_each, view_own
from pagegrade.service.unit_of_work import UnitOfWork
from pagegrade.web.http.body import ClientGone
from pagegrade.web.http.forms import parse_pairs
from pagegrade.web.http.headers import INERT
from pagegrade.web.http.response import Response
from pagegrade.web.operations import PAGES, Operation
from pagegrade.web.pages.field_messages import refusal_of
from pagegrade.web.pages.forms import read_form
from pagegrade.web.pages.html import UNKEPT, UNLISTED, VARY, View, go
from pagegrade.web.pages.reports.list_query import PATH, Asked, read_asked
from pagegrade.web.pages.reports.monitors import REMINDERS, SCHEDULES
from pagegrade.web.pages.reports.projects import PATH as SITES
from pagegrade.web.pages.reports.report_context import ZIP
from pagegrade.web.pages.reports.report_list import privacy_options
from pagegrade.web.pages.reports.rows import short_url
from pagegrade.web.pages.reports.settings import analyze_again
from pagegrade.web.problems import Rejected, problem_of
from pagegrade.web.rate_limit import RateLimit
from pagegrade.web.report_files import MEDIA_TYPES, OF_SEVERAL, Archive, make_file, make_file_of_several
from pagegrade.web.report_requests import list_query
from pagegrade.web.request import MAX_ID, Request
from pagegrade.web.wait_for_report import has_left

MAX_DOCUMENTED: Final = 100
"""Maximum number of reports of one document or ZIP."""
MAX_SITES: Final = 100
"""Maximum number of ticked sites: the rows of one page."""
LISTED: Final = 20
"""Reports that a question names; the others are counted."""
_SITE: Final = "site-"
"""Beginning of the name of a field that ticks a site; the rest is the name of the site."""
_NAME: Final = re.compile(r"report-([1-9][0-9]{0,18})")
_SURE: Final = "1"
_WHOLE: Final = "1"
"""Value of the field that takes all that the list finds in place of the ticked ones."""
_ASKED: Final = {"delete": "many_deleted", "monitor": "many_monitored", "privacy": "many_shared"}
"""Actions that are confirmed first -> what is said afterwards."""
_WITH_ACCESS: Final = N_(
    "Some of these reports are made with an access profile: anyone with their links would see what is not public. "
    "Nothing was saved yet. Tick the box to confirm that, or choose who may see them."
)


async def act_on_selected(
    request: Request, work: UnitOfWork, limits: RateLimit, view: View, services: Services
) -> Response:
    """Analyze the selected reports again, return a file with them, or do what was asked for and confirmed.

    Whoever selects more than they tick themselves is asked first, and answers about just the reports that were found
    then, at most ``AT_ONCE``. Reports that were deleted in the meantime are skipped without a message; those deleted
    while a file is made are not found.
    """
    sent = await read_form(request)
    # Not "action": a field of that name would shadow the URL of the form (``form.action``) for scripts.
    action = sent.get("deed", "")
    back = _back(view, sent.get("back", ""))
    found, is_wider = await _chosen(work, view, sent)
    reports = found[:AT_ONCE]
    if not reports or action not in ("again", *_ASKED, *OF_SEVERAL, *ZIP):
        return go(_with_message(back, "none_selected"))
    if action in (*OF_SEVERAL, *ZIP) and len(found) > MAX_DOCUMENTED:
        return go(_with_message(back, "too_many_exported"))
    if action in ZIP:
        zipped = await _zip(request, work, view, services, reports, name=ZIP[action])
        return zipped if isinstance(zipped, Response) else go(_with_message(back, zipped))
    if action in OF_SEVERAL:
        return await _export(work, view, services, reports, action) or go(_with_message(back, "not_all_finished"))
    if is_wider:
        return _ask(view, reports, action, sent, is_cut=len(found) > AT_ONCE)
    if action == "again":
        try:
            await analyze_again(work, limits, view, services, tuple(report.id for report in reports))
        except (RateLimited, QuotaExceeded, Unavailable) as error:
            return _ask(view, reports, action, sent, problem=refusal_of(view.texts, error), error=error)
        return go(_with_message(back, "many_again"))
    if sent.get("sure") != _SURE:
        return _ask(view, reports, action, sent)
    shows_all = action == "privacy" and _privacy(sent) is Privacy.PUBLIC and sent.get("share_anyway") != _SURE
    if shows_all and await work.read(any_shares_access, reports):
        return _ask(view, reports, action, sent, problem=view.texts.gettext(_WITH_ACCESS), asks_to_share=True)
    try:
        await _do(work, view, services, reports, sent)
    except QuotaExceeded as error:
        return _ask(view, reports, action, sent, problem=refusal_of(view.texts, error), error=error)
    return go(_with_message(back, _ASKED[action]))


async def _chosen(work: UnitOfWork, view: View, sent: Mapping[str, str]) -> tuple[Sequence[StoredReport], bool]:
    """Return reports, more than ``AT_ONCE`` only if some are left out, and true unless each of them was ticked."""
    projects = [name.removeprefix(_SITE) for name in sent if name.startswith(_SITE)][:MAX_SITES]
    if projects:
        queries = [ListQuery(project=project) for project in projects]
    elif sent.get("all") == _WHOLE:
        queries = [list_query(_asked(view, sent.get("back", "")).query)]
    else:
        return await work.read(find_existing, _selected(sent), view.options, view.now_ms), False
    found: list[StoredReport] = []
    for query in queries:
        if len(found) <= AT_ONCE:
            read = work.search if query.search else work.read
            found += await read(list_all, query, view.options, view.now_ms, limit=2 * AT_ONCE)
    return found, True


async def _do(
    work: UnitOfWork,
    view: View,
    services: Services,
    reports: Sequence[StoredReport],
    sent: Mapping[str, str],
) -> None:
    """Delete, share or monitor the reports, as the confirmed form says."""
    action = sent["deed"]
    ids = tuple(report.id for report in reports)
    if action == "delete":
        await _delete(work, view, services, reports)
    elif action == "privacy":
        await work.write(share_reports, ids, view.options, view.now_ms, privacy=_privacy(sent))
    else:
        change = MonitorChange(
            schedule=next((each for each in SCHEDULES if each == sent.get("schedule")), "daily"),
            remind=next((each for each in REMINDERS if each == sent.get("remind")), None),
        )
        await work.write(monitor_reports, ids, view.options, view.now_ms, change=change)


def _privacy(sent: Mapping[str, str]) -> Privacy:
    return Privacy.PUBLIC if sent.get("privacy") == str(int(Privacy.PUBLIC)) else Privacy.PRIVATE


async def _export(
    work: UnitOfWork, view: View, services: Services, reports: Sequence[StoredReport], name: str
) -> Response | None:
    """Return the document; ``None``: one of the reports has no results yet."""
    viewed = await work.read(view_each, [report.id for report in reports], view.options, view.now_ms)
    written = await make_file_of_several(services, viewed, name, view.texts.tag)
    if written is None:
        return None
    file, body = written
    return _file(file, body, MEDIA_TYPES[name])


async def _zip(
    request: Request, work: UnitOfWork, view: View, services: Services, reports: Sequence[StoredReport], *, name: str
) -> Response | str:
    """Return a ZIP with a file of each report, or which message says why there is none.

    One report after the other is read and written, so that no more than one of them is in memory besides the ZIP.

    Raises:
        Unavailable: Another ZIP is being made.
        NotFound: Some of the reports were deleted in the meantime.
        ClientGone: Nobody waits for the ZIP any more.
    """
    if any(report.state in UNFINISHED and report.generated_at_ms is None for report in reports):
        return "not_all_finished"
    with services.documents.only_zip(), closing(Archive(name)) as archive:
        for report in reports:
            if await has_left(request):
                raise ClientGone
            try:
                viewed = await work.read(view_own, report.id, view.options, view.now_ms)
            except NotFound:
                if await work.read(find_existing, [each.id for each in reports], view.options, view.now_ms):
                    raise
                return "none_selected"
            made = await make_file(services, viewed, name, tag=view.texts.tag)
            if made is None:
                return "not_all_finished"
            if not await asyncio.to_thread(archive.add, viewed, *made):
                return "too_large_exported"
        body = await asyncio.to_thread(archive.close)
    return _file(list_name(utc_now(), "zip", of=f"reports-{name}"), body, "application/zip")


def _file(name: str, body: bytes, media_type: str) -> Response:
    disposition = ("Content-Disposition", content_disposition(name))
    return Response(
        status_code=200,
        content=body,
        media_type=media_type,
        headers=(disposition, INERT, UNLISTED, UNKEPT, VARY),
    )


async def _delete(work: UnitOfWork, view: View, services: Services, reports: Sequence[StoredReport]) -> None:
    ids = tuple(report.id for report in reports)
    # A part at a time: other clients wait for the writer.
    for start in range(0, len(ids), DELETED_AT_ONCE):
        await work.write(delete_reports, ids[start : start + DELETED_AT_ONCE], view.options, view.now_ms)
    for report in reports:
        services.changes.notify(report.id)


def _selected(sent: Mapping[str, str]) -> list[int]:
    """Return the ids of the reports that were selected in the form."""
    matches = (_NAME.fullmatch(name) for name in sent)
    ids = [int(match[1]) for match in matches if match is not None][:AT_ONCE]
    return [report_id for report_id in ids if report_id <= MAX_ID]


def _back(view: View, query: str) -> str:
    """Return the URL of the previous list, from its validated query, or of the list of sites."""
    return SITES if query == SITES else _asked(view, query).url()


def _asked(view: View, query: str) -> Asked:
    try:
        sent = parse_pairs(query.encode(), "The form")
    except Rejected:
        sent = {}
    return read_asked(sent, view.texts)


def _with_message(place: str, said: str) -> str:
    return f"{place}{'&' if '?' in place else '?'}said={said}"


def _ask(
    view: View,
    reports: Sequence[StoredReport],
    action: str,
    sent: Mapping[str, str],
    *,
    problem: str = "",
    asks_to_share: bool = False,
    is_cut: bool = False,
    error: RateLimited | QuotaExceeded | Unavailable | None = None,
) -> Response:
    gettext = view.texts.gettext
    return view.page(
        "reports_selected.html.jinja",
        status=(422 if problem else 200) if error is None else problem_of(error).status,
        reports=[(report.id, short_url(report.url)) for report in reports],
        action=action,
        privacies=[each for each in privacy_options(view.texts) if each[0] != Privacy.PASSWORD],
        schedules=[(each, gettext(name)) for each, name in SCHEDULES.items()],
        reminders=[(each, gettext(name)) for each, name in REMINDERS.items()],
        sent=sent,
        back=sent.get("back", ""),
        place=_back(view, sent.get("back", "")),
        problem=problem,
        asks_to_share=asks_to_share,
        is_cut=is_cut,
        is_site=sent.get("back") == SITES,
        most=AT_ONCE,
        listed=LISTED,
    )


OPERATIONS: Final = (
    Operation(
        method="POST",
        path=f"{PATH}/selected",
        name="act_on_selected",
        summary=N_("Analyze, share, monitor or delete several reports"),
        handler=act_on_selected,
        access="account",
        tag=PAGES,
    ),
)
