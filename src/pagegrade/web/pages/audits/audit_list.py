"""The audits of an account: the list of them, and the form for a new one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pagegrade.model.audit import AuditFilter
from pagegrade.model.errors import CrawlLimit, InvalidInput, QuotaExceeded, RateLimited, Unavailable
from pagegrade.model.stored import ListPart
from pagegrade.render.english import N_
from pagegrade.render.i18n import Texts
from pagegrade.service.accounts.admission import RateLimit
from pagegrade.service.audits import operations as service
from pagegrade.service.audits.consent import MAX_RATE
from pagegrade.service.container import Services
from pagegrade.service.unit_of_work import UnitOfWork
from pagegrade.web.audit_parameters import AuditListQuery, CreateAuditBody
from pagegrade.web.http.fields import read_fields
from pagegrade.web.http.response import Response
from pagegrade.web.operations import PageOperation
from pagegrade.web.pages.forms import problems_of_input, read_form, read_query, refusal_of, with_setting
from pagegrade.web.pages.html import View, go
from pagegrade.web.pages.reports.report_list import find_access_choices
from pagegrade.web.problems import problem_of
from pagegrade.web.report_requests import evaluate_fields, refuse_when_draining
from pagegrade.web.request import Request

PATH: Final = "/audits"
PER_PAGE: Final = 25
SAID: Final = {"deleted": N_("The audit was deleted with all of its crawls.")}
STATES: Final = {
    "queued": N_("Queued"),
    "crawling": N_("Crawling"),
    "paused": N_("Paused"),
    "analyzing": N_("Evaluating"),
    "completed": N_("Completed"),
    "failed": N_("Failed"),
    "canceled": N_("Canceled"),
}
SCOPES: Final = {
    "host": N_("The host, with and without www"),
    "domain": N_("All hosts of the domain"),
    "folder": N_("The folder of the URL"),
}
TOO_MANY_CRAWLS: Final = N_("Too many of your crawls have not ended. Wait for one of them, or cancel one.")
_LINES: Final = ("include", "exclude")
"""Fields with one pattern a line."""
_FIELDS: Final = ("url", "scope", "max_pages", "max_depth", "rate", "external", "render", "access", *_LINES)


async def list_audit_rows(request: Request, work: UnitOfWork, view: View) -> Response:
    """Return the list and the form."""
    return await _page(request, work, view)


async def create_audit_from_form(
    request: Request, work: UnitOfWork, limits: RateLimit, view: View, services: Services
) -> Response:
    """Store a new audit and go to its page, which shows how far the crawl is."""
    sent = {name: value.strip() for name, value in (await read_form(request)).items()}
    try:
        refuse_when_draining(services)
        fields, violations = read_fields(CreateAuditBody, _typed(sent), "body")
        wanted = service.AuditFields(
            url=fields.url or "",
            scope=fields.scope,
            include=fields.include or (),
            exclude=fields.exclude or (),
            max_pages=fields.max_pages,
            max_depth=fields.max_depth,
            rate=fields.rate,
            external=fields.external == 1,
            render=fields.render == 1,
            access=None if fields.access is None else fields.access[0],
        )
        start, settings = evaluate_fields(violations, lambda: service.read_settings(wanted, view.options))
        await limits.take_analysis()
        audit = await work.write(service.create_audit, start, settings, options=view.options, now_ms=view.now_ms)
    except InvalidInput as error:
        problems = problems_of_input(view.texts, error)
        if "url" in problems:
            problems["url"] = with_setting(view.texts, problems["url"], sent.get("url", ""), view.options.analyze)
        return await _page(request, work, view, sent, problems, status=422)
    except (RateLimited, QuotaExceeded, CrawlLimit, Unavailable) as error:
        return await _page(request, work, view, sent, {"": refusal(view.texts, error)}, status=problem_of(error).status)
    services.wake_crawls()
    return go(f"{PATH}/{audit.id}")


def refusal(texts: Texts, error: RateLimited | QuotaExceeded | CrawlLimit | Unavailable) -> str:
    """Return the message for a crawl that was refused."""
    if isinstance(error, CrawlLimit):
        return texts.gettext(TOO_MANY_CRAWLS)
    return refusal_of(texts, error)


def _typed(sent: Mapping[str, str]) -> dict[str, Any]:
    """The fields of the form as the API takes them; what was left empty is not asked for."""
    given: dict[str, Any] = {name: sent[name] for name in _FIELDS if sent.get(name)}
    for name in _LINES:
        if name in given:
            given[name] = [line.strip() for line in given[name].splitlines() if line.strip()]
    return given


async def _page(
    request: Request,
    work: UnitOfWork,
    view: View,
    sent: Mapping[str, str] | None = None,
    problems: Mapping[str, str] | None = None,
    *,
    status: int = 200,
) -> Response:
    asked = read_query(request) if request.method != "POST" else {}
    # A wrong number is no reason for a page of problems: there is a first page.
    query, _ = read_fields(AuditListQuery, {**asked, "per_page": str(PER_PAGE)}, "query", lenient=True)
    which = AuditFilter(state=query.state, rating=query.result, search=query.search)
    found = await work.read(service.list_audits, which, ListPart(page=query.page, per_page=PER_PAGE))
    said = SAID.get(asked.get("said", ""), "")
    return view.page(
        "audits.html.jinja",
        status=status,
        audits=found.items,
        total=found.total,
        search=query.search or "",
        page=query.page,
        last_page=max(1, -(-found.total // PER_PAGE)),
        url=lambda number: f"{PATH}?page={number}",
        states={name: view.texts.gettext(words) for name, words in STATES.items()},
        scopes=[(name, view.texts.gettext(words)) for name, words in SCOPES.items()],
        access_choices=await find_access_choices(work),
        usual_pages=view.options.crawl_pages,
        most_pages=view.options.most_crawl_pages,
        most_rate=MAX_RATE,
        typed=sent or {},
        problems=problems or {},
        said=view.texts.gettext(said) if said else "",
        timezone=view.admitted.person.timezone,
    )


OPERATIONS: Final = (
    PageOperation(path=PATH, handler=list_audit_rows),
    PageOperation(
        method="POST",
        path=PATH,
        summary=N_("Create an audit"),
        handler=create_audit_from_form,
    ),
)
