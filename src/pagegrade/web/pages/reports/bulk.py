"""Many reports at once: from a pasted list or a sitemap, with a preview before anything is created."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Final

import msgspec
from msgspec.structs import replace

from pagegrade.model.account import Role
from pagegrade.model.errors import InvalidInput, QuotaExceeded, RateLimited, Unavailable, ValidationFailed
from pagegrade.parse.url import host
from pagegrade.render.english import N_
from pagegrade.render.escape import visible
from pagegrade.service.container import Services
from pagegrade.service.options import AT_ONCE
from pagegrade.service.reports.bulk import (
    Capacity,
    ReadURLs,
    create_reports,
    create_unknown_reports,
    find_known_and_capacity,
    read_url_list,
)
from pagegrade.service.reports.validation import NewReport
from pagegrade.service.sitemaps import FoundURLs, read_sitemap_urls
from pagegrade.service.unit_of_work import UnitOfWork
from pagegrade.web.http.fields import read_fields
from pagegrade.web.http.response import Response
from pagegrade.web.operations import PAGES, Operation
from pagegrade.web.pages.field_messages import problems_of_input, refusal_of, sentence, with_setting
from pagegrade.web.pages.forms import read_form
from pagegrade.web.pages.html import View, go
from pagegrade.web.pages.reports.list_query import PATH
from pagegrade.web.pages.reports.report_list import default_privacy, find_access_choices, privacy_options
from pagegrade.web.parameters import CreateReportBody
from pagegrade.web.problems import problem_of
from pagegrade.web.rate_limit import RateLimit
from pagegrade.web.report_requests import new_report_of, refuse_when_draining
from pagegrade.web.request import Request

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


OPERATIONS: Final = (
    Operation(
        method="GET",
        path=f"{PATH}/bulk",
        name="show_bulk_form",
        summary="The form for many reports",
        handler=show_bulk_form,
        access="account",
        role=Role.EDITOR,
        tag=PAGES,
    ),
    Operation(
        method="POST",
        path=f"{PATH}/bulk",
        name="create_in_bulk",
        summary=N_("Create many reports"),
        handler=create_in_bulk,
        access="account",
        tag=PAGES,
    ),
)
