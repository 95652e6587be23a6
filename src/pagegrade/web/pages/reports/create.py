"""Create a report with the form above the list."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from msgspec.structs import replace

from pagegrade.model.errors import InvalidInput, QuotaExceeded, RateLimited, Unavailable
from pagegrade.render.english import N_
from pagegrade.service.container import Services
from pagegrade.service.reports.operations import Stored, create_report
from pagegrade.service.reports.validation import MADE_PRIVATE
from pagegrade.service.unit_of_work import UnitOfWork
from pagegrade.web.http.fields import read_fields
from pagegrade.web.http.response import Response
from pagegrade.web.operations import PAGES, Operation
from pagegrade.web.pages.field_messages import problems_of_input, refusal_of, with_setting
from pagegrade.web.pages.forms import read_form
from pagegrade.web.pages.html import View, go
from pagegrade.web.pages.reports.list_query import PATH
from pagegrade.web.pages.reports.report_list import NewForm, listing_page
from pagegrade.web.parameters import CreateReportBody
from pagegrade.web.problems import problem_of
from pagegrade.web.rate_limit import RateLimit
from pagegrade.web.report_requests import new_report_of, refuse_when_draining
from pagegrade.web.request import Request


async def create_report_from_form(
    request: Request, work: UnitOfWork, limits: RateLimit, view: View, services: Services
) -> Response:
    """Store a new report and redirect to its page, which waits for the analysis."""
    sent = dict(await read_form(request))
    # The API reports whitespace around a URL as an error; users paste it without noticing.
    sent["url"] = sent.get("url", "").strip()
    try:
        refuse_when_draining(services)
        made = await _create(work, limits, view, services, sent)
    except InvalidInput as error:
        problems = problems_of_input(view.texts, error)
        if "url" in problems:
            problems["url"] = with_setting(view.texts, problems["url"], sent["url"], view.options.analyze)
        return await _again(request, work, view, sent, problems, status=422)
    except (RateLimited, QuotaExceeded, Unavailable) as error:
        return await _again(
            request, work, view, sent, {"": refusal_of(view.texts, error)}, status=problem_of(error).status
        )
    services.wake()
    said = "created_private" if MADE_PRIVATE in made.warnings else "created"
    return go(f"{PATH}/{made.report.id}?said={said}")


async def _create(
    work: UnitOfWork, limits: RateLimit, view: View, services: Services, sent: Mapping[str, str]
) -> Stored:
    options = view.options
    fields, violations = read_fields(CreateReportBody, sent, "body")
    # A form always sends a privacy. That a report with an access profile becomes public is asked in its settings.
    new_report = replace(new_report_of(view.admitted.account, view.options, fields, violations), chose_privacy=False)
    await limits.take_analysis()
    password_hash = None if new_report.password is None else await services.passwords.hash(new_report.password)
    return await work.write(create_report, new_report, options, view.now_ms, password_hash=password_hash)


async def _again(
    request: Request, work: UnitOfWork, view: View, sent: Mapping[str, str], problems: Mapping[str, str], *, status: int
) -> Response:
    form = NewForm(
        url=sent["url"],
        privacy=sent.get("privacy", ""),
        render=sent.get("render", ""),
        device=sent.get("device", ""),
        access=sent.get("access", ""),
        problems=problems,
    )
    return await listing_page(request, work, view, form, status=status)


OPERATIONS: Final = (
    Operation(
        method="POST",
        path=PATH,
        name="create_report_from_form",
        summary=N_("Create a report"),
        handler=create_report_from_form,
        access="account",
        tag=PAGES,
    ),
)
