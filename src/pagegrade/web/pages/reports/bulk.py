"""Many reports at once: create them from a pasted list or a sitemap, or act on those that are ticked or found.

Before anything is created there is a preview. Actions apply to ticked reports, to all that a list finds, or to those of
ticked sites.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from contextlib import closing
from typing import Final

import msgspec
from msgspec.structs import replace

from pagegrade.clock import utc_now
from pagegrade.model.account import Role
from pagegrade.model.errors import InvalidInput, NotFound, QuotaExceeded, RateLimited, Unavailable, ValidationFailed
from pagegrade.model.stored import UNFINISHED, ListQuery, Privacy, StoredReport
from pagegrade.parse.url import host
from pagegrade.render.english import N_
from pagegrade.render.escape import content_disposition, list_name, visible
from pagegrade.service.accounts.admission import RateLimit
from pagegrade.service.container import Services
from pagegrade.service.monitors.operations import MonitorChange, monitor_reports
from pagegrade.service.options import AT_ONCE
from pagegrade.service.reports.batches import (
    Capacity,
    ReadURLs,
    create_reports,
    create_unknown_reports,
    find_known_and_capacity,
    read_url_list,
)
from pagegrade.service.reports.listing import find_existing
from pagegrade.service.reports.operations import any_shares_access, delete_reports, list_all, share_reports
from pagegrade.service.reports.projects import DELETED_AT_ONCE, find_named, list_projects, read_tags, tag_projects
from pagegrade.service.reports.validation import NewReport
from pagegrade.service.reports.views import view_each, view_own
from pagegrade.service.sitemaps import FoundURLs, read_sitemap_urls
from pagegrade.service.unit_of_work import UnitOfWork
from pagegrade.web.http.body import ClientGone, parse_pairs
from pagegrade.web.http.fields import read_fields
from pagegrade.web.http.response import INERT, UNKEPT, Response
from pagegrade.web.operations import PageOperation
from pagegrade.web.pages.forms import problems_of, problems_of_input, read_form, refusal_of, sentence, with_setting
from pagegrade.web.pages.html import UNLISTED, VARY, View, go
from pagegrade.web.pages.reports.monitors import REMINDERS, SCHEDULES
from pagegrade.web.pages.reports.projects import PATH as SITES
from pagegrade.web.pages.reports.projects import Asked as AskedSites
from pagegrade.web.pages.reports.projects import read_asked as read_asked_sites
from pagegrade.web.pages.reports.report_context import JOINED, ZIP
from pagegrade.web.pages.reports.report_list import (
    PATH,
    Asked,
    default_privacy,
    find_access_choices,
    privacy_options,
    read_asked,
)
from pagegrade.web.pages.reports.rows import short_url
from pagegrade.web.pages.reports.settings import analyze_again
from pagegrade.web.parameters import CreateReportBody
from pagegrade.web.problems import Rejected, problem_of
from pagegrade.web.report_files import MEDIA_TYPES, OF_SEVERAL, Archive, Joined, make_file, make_file_of_several
from pagegrade.web.report_requests import has_left, list_query, new_report_of, refuse_when_draining, site_query
from pagegrade.web.request import MAX_ID, Request

MAX_FORM_BYTES: Final = 1_048_576
"""Maximum length of a form: fits the maximum number of URLs, and some more."""
MAX_SHOWN: Final = 100
"""Characters of a rejected line that the page repeats."""
NOTHING: Final = N_("Paste at least one URL, or enter the URL of a sitemap.")
NOTHING_NEW: Final = N_("All of these have a report already. Tick that they get another one, or change the list.")
NO_CAPACITY: Final = N_("No more reports can be created right now.")
SOME_REFUSED: Final = N_("Some lines are not valid. Check the remaining URLs, then create the reports.")
FAILURES: Final = {
    "dns": N_("The site of the sitemap was not found. Check its URL."),
    "connect": N_("The site of the sitemap could not be reached. Try again later."),
    "tls": N_("No secure connection to the site of the sitemap could be made."),
    "timeout": N_("The sitemap did not come in time. Try again later, or paste the URLs."),
    "time": N_("The sitemap did not come in time. Try again later, or paste the URLs."),
    "busy": N_("The site of the sitemap could not be reached. Try again later."),
    "protocol": N_("The answer of the site could not be understood, or its redirects never end."),
    "address_not_allowed": N_("The sitemap leads to a URL that this server must not contact."),
    "html": N_("There is a web page at this URL, and no sitemap."),
    "empty": N_("The sitemap lists no pages."),
    "doctype": N_("The sitemap cannot be read: it has a document type declaration, which sitemaps must not have."),
    "malformed": N_("The sitemap cannot be read: it is no valid XML."),
    "decode": N_("The sitemap cannot be read: its compression is broken."),
    "too_large": N_("The sitemap is too large to be read here. Paste the URLs you need."),
}
"""Failure of a sitemap -> message."""
UNREADABLE: Final = N_("The sitemap could not be read. Paste the URLs instead.")
REFUSED: Final = N_("The site answered with HTTP %(status)s instead of the sitemap.")


class _Preview(msgspec.Struct, frozen=True, kw_only=True):
    """Preview of the reports that a list would create."""

    listed: ReadURLs
    known: Mapping[str, int]
    capacity: Capacity
    is_whole: bool = True
    """False if only the beginning of a sitemap was read."""

    def wanted(self, *, again: bool) -> tuple[str, ...]:
        """Return the URLs that get a report."""
        return tuple(url for url in self.listed.urls if again or url not in self.known)


async def show_bulk_form(work: UnitOfWork, view: View) -> Response:
    """Return the form for a list."""
    await work.admit()
    return _form(view, {})


async def create_in_bulk(
    request: Request, work: UnitOfWork, limits: RateLimit, view: View, services: Services
) -> Response:
    """Show the preview of a list or, after that, create its reports."""
    sent = await read_form(request, max_bytes=MAX_FORM_BYTES)
    try:
        if sent.get("step") == "create":
            return await _create(work, limits, view, services, sent)
        return await _preview(work, limits, view, services, sent)
    except (RateLimited, QuotaExceeded, Unavailable) as error:
        return _form(view, sent, {"": refusal_of(view.texts, error)}, status=problem_of(error).status)


async def _preview(
    work: UnitOfWork, limits: RateLimit, view: View, services: Services, sent: Mapping[str, str]
) -> Response:
    text, sitemap = sent.get("urls", ""), sent.get("sitemap", "").strip()
    found = FoundURLs()
    if sitemap:
        # The request makes this server contact another site.
        await limits.take_analysis()
        try:
            found = await read_sitemap_urls(services, sitemap, account_id=view.admitted.account.id)
        except InvalidInput as error:
            problems = problems_of_input(view.texts, error, field="sitemap")
            problems["sitemap"] = with_setting(view.texts, problems["sitemap"], sitemap, view.options.analyze)
            return _form(view, sent, problems, status=422)
        if found.failure:
            return _form(view, sent, {"sitemap": _failure(view, found)}, status=422)
        text = "\n".join((text, *found.urls))
    seen = await _look(work, view, text, is_whole=found.is_whole)
    if not seen.listed.urls and not seen.listed.refused_count:
        return _form(view, sent, {"urls": view.texts.gettext(NOTHING)}, status=422)
    return await _show(work, view, seen, {})


async def _create(
    work: UnitOfWork, limits: RateLimit, view: View, services: Services, sent: Mapping[str, str]
) -> Response:
    refuse_when_draining(services)
    seen = await _look(work, view, sent.get("urls", ""))
    again, options = sent.get("again") == "1", view.options
    urls = seen.wanted(again=again)[: seen.capacity.size]
    problem = _why_not(seen, urls, again=again)
    if problem:
        return await _show(work, view, seen, sent, {"urls": view.texts.gettext(problem)}, status=422)
    try:
        # Hundreds of URLs take a while to validate, and every other client would wait.
        new_reports = await asyncio.to_thread(_new_reports, view, urls, sent)
    except InvalidInput as error:
        return await _show(work, view, seen, sent, problems_of_input(view.texts, error, field="urls"), status=422)
    await limits.take_analysis()
    password = new_reports[0].password
    password_hash = None if password is None else await services.passwords.hash(password)
    # The same form may have been sent twice at the same time.
    create = create_reports if again else create_unknown_reports
    try:
        await work.write(create, new_reports, options, view.now_ms, password_hash=password_hash)
    except ValidationFailed as error:
        return await _show(work, view, seen, sent, problems_of_input(view.texts, error, field="urls"), status=422)
    services.wake()
    return go(f"{PATH}?said=made")


def _why_not(seen: _Preview, urls: tuple[str, ...], *, again: bool) -> str:
    """Return the message that explains why no reports are created; empty if they are."""
    if seen.listed.refused_count:
        return SOME_REFUSED
    if urls:
        return ""
    if not seen.listed.urls:
        return NOTHING
    return NO_CAPACITY if seen.wanted(again=again) else NOTHING_NEW


def _new_reports(view: View, urls: tuple[str, ...], sent: Mapping[str, str]) -> tuple[NewReport, ...]:
    """Return a new report for each URL.

    Raises:
        ValidationFailed: An option is not valid.
        URLNotAllowed: A URL that was valid in the preview must not be contacted any more.
    """
    fields, violations = read_fields(CreateReportBody, {**sent, "url": urls[0]}, "body")
    first = new_report_of(view.admitted.account, view.options, fields, violations)
    others = (
        new_report_of(view.admitted.account, view.options, fields.model_copy(update={"url": url}), ())
        for url in urls[1:]
    )
    # A form always sends a privacy. That a report with an access profile becomes public is asked in its settings.
    return tuple(replace(each, chose_privacy=False) for each in (first, *others))


async def _look(work: UnitOfWork, view: View, text: str, *, is_whole: bool = True) -> _Preview:
    options = view.options
    # A long list takes a while to validate, and would block the event loop.
    listed = await asyncio.to_thread(read_url_list, text, options)
    known, capacity = await work.read(find_known_and_capacity, listed.urls, options, view.now_ms)
    return _Preview(listed=listed, known=known, capacity=capacity, is_whole=is_whole)


def _failure(view: View, found: FoundURLs) -> str:
    texts = view.texts
    if found.failure == "status":
        return texts.gettext(REFUSED, status=found.status)
    return texts.gettext(FAILURES.get(found.failure, UNREADABLE))


def _form(
    view: View, sent: Mapping[str, str], problems: Mapping[str, str] | None = None, *, status: int = 200
) -> Response:
    return view.page(
        "bulk.html.jinja",
        status=status,
        urls=sent.get("urls", ""),
        sitemap=sent.get("sitemap", ""),
        problems=problems or {},
        at_once=AT_ONCE,
    )


async def _show(
    work: UnitOfWork,
    view: View,
    seen: _Preview,
    sent: Mapping[str, str],
    problems: Mapping[str, str] | None = None,
    *,
    status: int = 200,
) -> Response:
    texts, listed = view.texts, seen.listed
    refused = []
    for line in listed.refused:
        message = sentence(texts, "url", line.code, line.message)
        message = with_setting(texts, message, line.typed, view.options.analyze)
        refused.append((line.number, visible(line.typed, MAX_SHOWN), message))
    again = sent.get("again") == "1"
    access_choices = await find_access_choices(work)
    return view.page(
        "bulk_preview.html.jinja",
        status=status,
        listed=listed,
        refused=refused,
        known_count=len(seen.known),
        count=min(len(seen.wanted(again=again)), seen.capacity.size),
        wanted_count=len(seen.wanted(again=again)),
        sites=len({host(url) for url in listed.urls}),
        capacity=seen.capacity.size,
        is_whole=seen.is_whole,
        at_once=AT_ONCE,
        again=again,
        privacies=privacy_options(texts),
        chosen_render=sent.get("render", ""),
        chosen_device=sent.get("device", ""),
        access_choices=access_choices,
        chosen_access=sent.get("access", "default"),
        chosen_privacy=sent.get("privacy") or str(int(default_privacy(view.admitted.account, view.options))),
        problems=problems or {},
    )


MAX_DOCUMENTED: Final = 100
"""Maximum number of reports of one document or ZIP."""
MAX_JOINED: Final = 40
"""Maximum number of reports of one PDF; so many long ones take it two seconds of processor time and half a gigabyte."""
LISTED: Final = 20
"""Reports that a question names; the others are counted."""
_SITE: Final = "site-"
"""Beginning of the name of a field that ticks a site; the rest is the name of the site."""
_NAME: Final = re.compile(r"report-([1-9][0-9]{0,18})")
_SURE: Final = "1"
_WHOLE: Final = "1"
"""Value of the field that takes all that the list finds in place of the ticked ones."""
_TAG: Final = "tag"
"""The action on sites themselves; all others are on their reports."""
_REMOVE: Final = "remove-"
"""Beginning of the name of a field that takes a tag away; the rest is the tag."""
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
    if action == _TAG:
        return await _tag(work, view, sent, back)
    found, is_wider = await _chosen(work, view, sent)
    reports = found[:AT_ONCE]
    if not reports or action not in ("again", *_ASKED, *OF_SEVERAL, *ZIP, JOINED):
        return go(_with_message(back, "none_selected"))
    if action in (*OF_SEVERAL, *ZIP) and len(found) > MAX_DOCUMENTED:
        return go(_with_message(back, "too_many_exported"))
    if action == JOINED and len(found) > MAX_JOINED:
        return go(_with_message(back, "too_many_joined"))
    if action in {*ZIP, JOINED}:
        zipped = await _together(request, work, view, services, reports, name=ZIP.get(action, action))
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
    projects = await _sites(work, sent)
    if projects:
        queries = [ListQuery(project=project) for project in projects]
    elif sent.get("all") == _WHOLE and _sites_asked(sent.get("back", "")) is None:
        queries = [list_query(_asked(view, sent.get("back", "")).query)]
    else:
        return await work.read(find_existing, _selected(sent), view.options, view.now_ms), False
    found: list[StoredReport] = []
    for query in queries:
        if len(found) <= AT_ONCE:
            read = work.search if query.search else work.read
            found += await read(list_all, query, view.options, view.now_ms, limit=2 * AT_ONCE)
    return found, True


async def _sites(work: UnitOfWork, sent: Mapping[str, str]) -> Sequence[str]:
    """Return the names of the ticked sites, or of all that a list of sites finds: more than ``AT_ONCE`` if it does."""
    asked = _sites_asked(sent.get("back", ""))
    if asked is None or sent.get("all") != _WHOLE:
        return [name.removeprefix(_SITE) for name in sent if name.startswith(_SITE)][:AT_ONCE]
    found = await work.read(list_projects, per_page=AT_ONCE + 1, query=site_query(asked.query))
    return [project.name for project in found.items]


async def _tag(work: UnitOfWork, view: View, sent: Mapping[str, str], back: str) -> Response:
    """Ask for the tags of sites, or save them."""
    names = await _sites(work, sent)
    sites = await work.read(find_named, names[:AT_ONCE])
    if not sites:
        return go(_with_message(back, "no_sites"))
    problems: Mapping[str, str] = {}
    if sent.get("sure") == _SURE:
        remove = [name.removeprefix(_REMOVE) for name in sent if name.startswith(_REMOVE)]
        try:
            add = read_tags(sent.get("add", "").split(","), "add")
            await work.write(tag_projects, [site.name for site in sites], add=add, remove=remove)
        except ValidationFailed as error:
            problems = problems_of(view.texts, error.violations)
        else:
            return go(_with_message(back, "many_tagged"))
    return view.page(
        "projects_tags.html.jinja",
        status=422 if problems else 200,
        sites=[site.name for site in sites],
        tags=sorted({tag for site in sites for tag in site.tags}),
        sent=sent,
        back=sent.get("back", ""),
        place=back,
        problems=problems,
        is_cut=len(names) > AT_ONCE,
        most=AT_ONCE,
        listed=LISTED,
    )


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


async def _together(
    request: Request, work: UnitOfWork, view: View, services: Services, reports: Sequence[StoredReport], *, name: str
) -> Response | str:
    """Return a ZIP with a file of each report, or one PDF of all, or which message says why there is none.

    One report after the other is read, so that no more than one of them is in memory besides the file; of ``JOINED``,
    all of them are there as JSON until the PDF is made.

    Args:
        name: Format of the files in the ZIP, or ``JOINED``.

    Raises:
        QuotaExceeded: Another such file is being made for the account.
        Unavailable: Too many are being made for others, or a PDF takes too long.
        NotFound: Some of the reports were deleted in the meantime.
        ClientGone: Nobody waits for the file any more.
    """
    if any(report.state in UNFINISHED and report.generated_at_ms is None for report in reports):
        return "not_all_finished"
    if name == JOINED and any(report.generated_at_ms is None for report in reports):
        return "some_failed"
    tag, joined = view.texts.tag, Joined()
    with services.documents.only_one(view.admitted.account.id), closing(Archive(name)) as archive:
        for report in reports:
            if await has_left(request):
                raise ClientGone
            try:
                viewed = await work.read(view_own, report.id, view.options, view.now_ms)
            except NotFound:
                if await work.read(find_existing, [each.id for each in reports], view.options, view.now_ms):
                    raise
                return "none_selected"
            if name == JOINED:
                added = await asyncio.to_thread(joined.add, viewed)
            else:
                made = await make_file(services, viewed, name, tag=tag)
                added = None if made is None else await asyncio.to_thread(archive.add, viewed, *made)
            if not added:
                return "not_all_finished" if added is None else "too_large_exported"
        if name == JOINED:
            body = await joined.close(services, tag)
            return _file(list_name(utc_now(), "pdf", of="reports"), body, MEDIA_TYPES["pdf"])
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
    """Return the URL of the previous list, of reports or of sites, from its validated query."""
    sites = _sites_asked(query)
    return _asked(view, query).url() if sites is None else sites.url()


def _sites_asked(back: str) -> AskedSites | None:
    """Return the query of the list of sites; ``None``: the form was in the list of reports."""
    path, _, query = back.partition("?")
    return read_asked_sites(_pairs(query)) if path == SITES else None


def _asked(view: View, query: str) -> Asked:
    return read_asked(_pairs(query), view.texts)


def _pairs(query: str) -> Mapping[str, str]:
    try:
        return parse_pairs(query.encode(), "The form")
    except Rejected:
        return {}


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
        is_site=_sites_asked(sent.get("back", "")) is not None,
        most=AT_ONCE,
        listed=LISTED,
    )


OPERATIONS: Final = (
    PageOperation(path=f"{PATH}/bulk", handler=show_bulk_form, role=Role.EDITOR),
    PageOperation(
        method="POST",
        path=f"{PATH}/bulk",
        summary=N_("Create many reports"),
        handler=create_in_bulk,
    ),
    PageOperation(
        method="POST",
        path=f"{PATH}/selected",
        summary=N_("Analyze, share, monitor, tag or delete several reports or sites"),
        handler=act_on_selected,
    ),
)
