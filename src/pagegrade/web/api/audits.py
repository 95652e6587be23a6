"""Audits: sites that are crawled and graded as a whole, with their crawls, findings and pages."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final
from urllib.parse import urlencode

import msgspec

from pagegrade.model.account import AUDITS_READ, AUDITS_WRITE
from pagegrade.model.audit import PAGE_STATES, Audit, AuditFilter, Crawl, PageFilter, withheld
from pagegrade.parse.url import project_of
from pagegrade.render.audit import NO_GRADE
from pagegrade.render.english import N_
from pagegrade.service.audits import operations as service
from pagegrade.service.audits.compare import compare_crawls
from pagegrade.service.audits.links import LinkFilter, list_links
from pagegrade.service.audits.pages import list_pages, show_page
from pagegrade.service.audits.sharing import sharing_warnings
from pagegrade.service.container import Services
from pagegrade.service.reports.validation import RequestWarning, SharingChange, read_sharing
from pagegrade.service.unit_of_work import UnitOfWork
from pagegrade.web.audit_files import MEDIA_TYPES, make_audit_file
from pagegrade.web.audit_parameters import (
    AuditCompareQuery,
    AuditExportQuery,
    AuditFindingListQuery,
    AuditLinkListQuery,
    AuditListQuery,
    AuditPageListQuery,
    AuditPageQuery,
    CreateAuditBody,
    FindingPageListQuery,
    UpdateAuditBody,
)
from pagegrade.web.http.response import Response
from pagegrade.web.idempotency import Idempotency
from pagegrade.web.operations import Operation
from pagegrade.web.parameters import Paged
from pagegrade.web.problems import Rejected
from pagegrade.web.report_requests import evaluate_fields, refuse_when_draining, wait_until_crawled
from pagegrade.web.request import Request
from pagegrade.web.responses import (
    IDENTITY,
    answer_id_list,
    deleted_answer,
    enveloped,
    fresh_answer,
    hashed_tag,
    listed_answer,
    precondition,
    unchanged,
    url_of,
    validators,
    warned,
    written_answer,
)
from pagegrade.web.schemas.audit import (
    AuditAnswer,
    AuditList,
    AuditProofAnswer,
    CrawlAnswer,
    CrawlList,
    DeletedAudit,
    FindingPageList,
    SiteFindingList,
    audit_object,
    audit_proof_object,
    crawl_item,
    crawl_object,
    finding_object,
    finding_page_object,
)
from pagegrade.web.schemas.crawl import (
    AuditComparisonAnswer,
    AuditLinkList,
    AuditPageAnswer,
    AuditPageList,
    audit_comparison_object,
    link_object,
    page_item,
    page_object,
)

PATH: Final = "/api/v1/audits"
TAG: Final = "Audits"
_LISTS: Final = ("include", "exclude", "urls", "drop_parameters")


async def create_audit(request: Request, work: UnitOfWork, idempotency: Idempotency, services: Services) -> Response:
    """Store an audit, whose first crawl begins as soon as there is a place for it."""
    refuse_when_draining(services)
    fields, violations = await request.fields(CreateAuditBody, lists=_LISTS)
    start, settings = evaluate_fields(violations, lambda: service.read_settings(_wanted(fields), services.options))
    sharing = read_sharing(fields.privacy, fields.password)

    async def respond(audit: Audit) -> Response:
        services.wake_crawls()
        return await _crawled(request, work, services, audit, sharing, created=audit.id)

    return await idempotency.execute(
        fields,
        create=partial(
            service.create_audit,
            start_url=start,
            settings=settings,
            options=services.options,
            now_ms=request.received_at_ms,
            sharing=sharing,
            password_hash=await _hashed(services, sharing),
        ),
        load_existing=service.show_audit,
        respond=respond,
        is_analysis=True,
    )


async def _hashed(services: Services, sharing: SharingChange) -> str | None:
    return await services.passwords.hash(sharing.password) if sharing.needs_hash and sharing.password else None


def _wanted(fields: CreateAuditBody) -> service.AuditFields:
    return service.AuditFields(
        url=fields.url or "",
        scope=fields.scope,
        include=fields.include or (),
        exclude=fields.exclude or (),
        max_pages=fields.max_pages,
        max_depth=fields.max_depth,
        rate=fields.rate,
        sitemap=fields.sitemap == 1,
        urls=fields.urls or (),
        drop_parameters=fields.drop_parameters or (),
        external=fields.external == 1,
        render=fields.render == 1,
        access=None if fields.access is None else fields.access[0],
    )


async def list_audits(request: Request, work: UnitOfWork, services: Services) -> Response:
    """Return a page of the caller's audits."""
    query = request.query(AuditListQuery)
    which = AuditFilter(
        # What is no host is the project of no audit.
        project=None if query.project is None else project_of(query.project) or "",
        state=query.state,
        rating=query.result,
        search=query.search,
    )
    return await answer_id_list(
        request,
        services,
        partial(audit_object, base_url=services.options.base_url),
        lambda part: work.read(service.list_audits, which, part),
        query,
    )


async def show_audit(request: Request, work: UnitOfWork, services: Services) -> Response:
    """Return an audit, at once or when its crawl has ended, depending on Prefer."""
    seconds = request.preferences.seconds(0.0)
    if seconds and not await work.read(service.is_crawled, request.id):
        await wait_until_crawled(request, work, services, request.id, seconds)
    audit = await work.read(service.show_audit, request.id)
    data = enveloped(audit_object(audit, services.options.base_url))
    return fresh_answer(request, data, headers=request.preferences.applied())


async def update_audit(request: Request, work: UnitOfWork, services: Services) -> Response:
    """Crawl again, pause, resume or cancel; change what is left out and who may see it."""
    fields, violations = await request.fields(UpdateAuditBody, lists=("exclude",))
    sharing = evaluate_fields(violations, lambda: read_sharing(fields.privacy, fields.password))
    if sharing.needs_hash:
        # An audit of another account must not cost a password hash.
        await work.read(service.show_audit, request.id)
    change = service.AuditChange(
        again=fields.results == 1,
        fresh=fields.fresh == 1,
        paused=None if fields.paused is None else fields.paused == 1,
        cancel=fields.cancel == 1,
        exclude=fields.exclude,
        sharing=sharing,
    )
    audit = await work.write(
        service.change_audit,
        request.id,
        change,
        options=services.options,
        now_ms=request.received_at_ms,
        password_hash=await _hashed(services, sharing),
        changed_tag=_condition(request, services),
    )
    services.wake_crawls()
    return await _crawled(request, work, services, audit, sharing)


async def delete_audit(request: Request, work: UnitOfWork, services: Services) -> Response:
    """Delete an audit."""
    await work.write(service.delete_audit, request.id, changed_tag=_condition(request, services))
    return deleted_answer(DeletedAudit(id=request.id))


async def list_audit_crawls(request: Request, work: UnitOfWork, services: Services) -> Response:
    """Return a page of the crawls of an audit."""
    query = request.query(Paged)
    found = await work.read(service.list_crawls, request.id, page=query.page, per_page=query.per_page)
    return listed_answer(request, services, found, query, encode=crawl_item)


async def show_audit_crawl(request: Request, work: UnitOfWork) -> Response:
    """Return a crawl with its progress."""
    shown = await work.read(service.show_crawl, request.id, request.number("number"))
    return fresh_answer(request, enveloped(crawl_object(shown)))


async def list_audit_findings(request: Request, work: UnitOfWork, services: Services) -> Response:
    """Return a page of the findings of a crawl."""
    query = request.query(AuditFindingListQuery)
    found = await work.read(
        service.list_findings,
        request.id,
        crawl=query.crawl,
        check=query.check,
        severity=query.severity,
        template=query.template,
        page=query.page,
        per_page=query.per_page,
    )
    answer = listed_answer(request, services, found.listed, query, encode=finding_object)
    return answer if found.result is not None else warned(answer, (_unevaluated(found.crawl),))


def _unevaluated(crawl: Crawl) -> RequestWarning:
    """The warning about a crawl of which no findings are known, which is not the same as that there are none."""
    reason = withheld(crawl, None)
    why = f"it is {crawl.state}." if reason is None else f"{crawl.state}. {NO_GRADE[reason][0]}"
    return RequestWarning("crawl", "not_evaluated", f"Crawl {crawl.number} was not evaluated: {why}")


async def list_finding_pages(request: Request, work: UnitOfWork, services: Services) -> Response:
    """Return a page of the pages of a finding."""
    query = request.query(FindingPageListQuery)
    number = request.number("finding")
    found = await work.read(
        service.list_finding_pages, request.id, number, crawl=query.crawl, page=query.page, per_page=query.per_page
    )
    return listed_answer(request, services, found, query, encode=finding_page_object)


async def list_audit_pages(request: Request, work: UnitOfWork, services: Services) -> Response:
    """Return a page of the URLs of a crawl."""
    query = request.query(AuditPageListQuery)
    states = None
    if query.state is not None:
        states = tuple(state for state, (name, _) in PAGE_STATES.items() if name == query.state)
    which = PageFilter(
        status=query.status,
        states=states,
        search=query.search,
        depth=query.depth,
        template=query.template,
        indexable=None if query.indexable is None else query.indexable == 1,
        finding=query.finding,
    )
    return await answer_id_list(
        request,
        services,
        page_item,
        lambda part: work.search(list_pages, request.id, which, part, crawl=query.crawl, order=query.sort_by),
        query,
    )


async def list_audit_links(request: Request, work: UnitOfWork, services: Services) -> Response:
    """Return a page of the links of a crawl, or those at a cursor."""
    query = request.query(AuditLinkListQuery)
    which = msgspec.convert(query, LinkFilter, from_attributes=True)
    return await answer_id_list(
        request,
        services,
        link_object,
        lambda part: work.search(list_links, request.id, which, part, crawl=query.crawl),
        query,
    )


async def show_audit_page(request: Request, work: UnitOfWork) -> Response:
    """Return a page of a crawl."""
    query = request.query(AuditPageQuery)
    shown = await work.read(show_page, request.id, request.number("page"), crawl=query.crawl)
    return fresh_answer(request, enveloped(page_object(shown)))


async def show_audit_proof(request: Request, work: UnitOfWork, services: Services) -> Response:
    """Return where to prove that the site of an audit is the account's."""
    audit = await work.read(service.show_audit, request.id)
    return fresh_answer(request, enveloped(audit_proof_object(audit, services.options.analyze.own_key)))


async def compare_audit_crawls(request: Request, work: UnitOfWork) -> Response:
    """Return what changed between two crawls."""
    query = request.query(AuditCompareQuery)
    audit, comparison = await work.search(compare_crawls, request.id, before=query.from_, after=query.to)
    return fresh_answer(request, enveloped(audit_comparison_object(audit.id, comparison)))


async def export_audit(request: Request, work: UnitOfWork, services: Services) -> Response:
    """Return what a crawl found as a file."""
    query = request.query(AuditExportQuery)
    made = await make_audit_file(
        work,
        request.id,
        query.what,
        crawl=query.crawl,
        finding=query.finding,
        links=msgspec.convert(query, LinkFilter, from_attributes=True),
        part=query.part,
        documents=services.documents,
        brand=services.options.brand,
    )
    if made is None:
        raise Rejected("not_found", "The crawl was not evaluated, or has no such finding.")
    headers: tuple[tuple[str, str], ...] = (made.disposition,)
    if made.more:
        sent = urlencode({**request.filters(query), "part": query.part + 1})
        headers = (*headers, ("Link", f'<{url_of(request, services)}?{sent}>; rel="next"'))
    etag = hashed_tag(made.body)
    return unchanged(request, etag) or Response(
        status_code=200, content=made.body, media_type=made.media_type, headers=(*validators(etag), *headers)
    )


async def _crawled(
    request: Request,
    work: UnitOfWork,
    services: Services,
    audit: Audit,
    sharing: SharingChange,
    *,
    created: int | None = None,
) -> Response:
    """Answer a change with the audit, once its crawl has ended or the time that the client wants to wait is over."""
    seconds = request.preferences.seconds(0.0)
    if seconds:
        await wait_until_crawled(request, work, services, audit.id, seconds)
        audit = await work.read(service.show_audit, audit.id)
    return written_answer(
        request,
        services,
        audit_object(audit, services.options.base_url),
        created=created,
        minimal=(*IDENTITY, "state"),
        warnings=await work.read(sharing_warnings, audit, sharing),
    )


def _condition(request: Request, services: Services) -> Callable[[Audit], str | None] | None:
    return precondition(request, partial(audit_object, base_url=services.options.base_url))


_reading = partial(Operation, scope=AUDITS_READ, for_projects=True, tag=TAG)
_writing = partial(Operation, scope=AUDITS_WRITE, for_projects=True, tag=TAG)
_reading_crawls = partial(Operation, scope=AUDITS_READ, for_projects=True, tag="Crawls")

OPERATIONS: Final = (
    _reading(
        path=PATH,
        summary="List audits",
        description="The audits of the account, newest first. Filters combine with *and*.",
        handler=list_audits,
        query=AuditListQuery,
        answers={200: AuditList},
    ),
    _writing(
        method="POST",
        path=PATH,
        recorded=False,
        summary=N_("Create an audit"),
        description="Crawls the site of a URL politely, obeying robots.txt, evaluates each page, and grades the site "
        "as a whole. The crawl begins as soon as there is a place for it, and takes minutes: ask for the audit, or for "
        "its crawl, to see how far it is. `Prefer: wait` waits up to 50 seconds for its end.",
        handler=create_audit,
        body=CreateAuditBody,
        answers={201: AuditAnswer},
        problems=("url_not_allowed", "crawl_limit"),
    ),
    _reading(
        path=f"{PATH}/{{id}}",
        summary="Show an audit",
        description="An audit with the state of its newest crawl, and the result of the newest that was evaluated.",
        handler=show_audit,
        headers=("Prefer",),
        answers={200: AuditAnswer},
    ),
    _writing(
        method="PUT",
        path=f"{PATH}/{{id}}",
        summary=N_("Change an audit, or crawl again"),
        description="`results=1` crawls the site again; a crawl that has not ended is joined. `paused` stops a crawl "
        "and lets it go on, `cancel=1` ends it without a result. `exclude` is what it and later crawls leave out; "
        "what is taken out of it is fetched again by the next crawl. "
        "`privacy` and `password` change who may see it by its link.",
        handler=update_audit,
        body=UpdateAuditBody,
        headers=("If-Match", "If-None-Match"),
        answers={200: AuditAnswer},
        problems=("url_not_allowed", "crawl_limit"),
    ),
    _writing(
        method="DELETE",
        path=f"{PATH}/{{id}}",
        summary=N_("Delete an audit"),
        description="With all of its crawls; one that is under way ends.",
        handler=delete_audit,
        headers=("If-Match", "If-None-Match"),
        answers={200: DeletedAudit},
    ),
    _reading_crawls(
        path=f"{PATH}/{{id}}/crawls",
        summary="List the crawls of an audit",
        description="The crawls of the site, newest first.",
        handler=list_audit_crawls,
        query=Paged,
        answers={200: CrawlList},
    ),
    _reading_crawls(
        path=f"{PATH}/{{id}}/crawls/{{number}}",
        summary="Show a crawl",
        description="A crawl with its progress and the shapes of its URLs.",
        handler=show_audit_crawl,
        answers={200: CrawlAnswer},
    ),
    _reading_crawls(
        path=f"{PATH}/{{id}}/findings",
        summary="List the findings of a site",
        description="What the pages of the newest evaluated crawl, or of `crawl`, have in common and what only "
        "together they show: one finding for a cause, the most expensive first.",
        handler=list_audit_findings,
        query=AuditFindingListQuery,
        answers={200: SiteFindingList},
    ),
    _reading_crawls(
        path=f"{PATH}/{{id}}/findings/{{finding}}/pages",
        summary="List the pages of a finding",
        description="Every page of a finding, with what was found there.",
        handler=list_finding_pages,
        query=FindingPageListQuery,
        answers={200: FindingPageList},
    ),
    _reading_crawls(
        path=f"{PATH}/{{id}}/pages",
        summary="List the pages of a crawl",
        description="The URLs in scope that the newest evaluated crawl, or `crawl`, knows. Of a crawl that was not "
        "evaluated no templates, findings, PageRank or numbers of links are known: a filter or an order by them is not "
        "found.",
        handler=list_audit_pages,
        query=AuditPageListQuery,
        answers={200: AuditPageList},
    ),
    _reading_crawls(
        path=f"{PATH}/{{id}}/links",
        summary="List the links of a crawl",
        description="The links, canonicals, language versions, redirects and files of the pages that the newest "
        "evaluated crawl, or `crawl`, has read, in the order in which it read them.",
        handler=list_audit_links,
        query=AuditLinkListQuery,
        answers={200: AuditLinkList},
    ),
    _reading_crawls(
        path=f"{PATH}/{{id}}/pages/{{page}}",
        summary="Show a page of a crawl",
        description="What a crawl keeps of a page: its findings, and some links from it and to it.",
        handler=show_audit_page,
        query=AuditPageQuery,
        headers=("Prefer",),
        answers={200: AuditPageAnswer},
    ),
    _reading(
        path=f"{PATH}/{{id}}/proof",
        summary="Show how to prove a site",
        description="A crawl that asks for more than one request a second, for more pages than the installation "
        "allows everyone, or with an access profile, looks for a proof that the site is yours: a DNS record, a file or "
        "a tag, with this token. Without one it is slowed down and cut, or refused where it has an access.",
        handler=show_audit_proof,
        headers=("Prefer",),
        answers={200: AuditProofAnswer},
    ),
    _reading_crawls(
        path=f"{PATH}/{{id}}/compare",
        summary="Compare two crawls",
        description="Findings that are new, fixed, still there or not comparable from the older crawl to the newer "
        "one, and pages that came, went or changed. A finding is fixed only where all of its pages were fetched again "
        "and are without it, and new only where a page was known to be without it.",
        handler=compare_audit_crawls,
        query=AuditCompareQuery,
        headers=("Prefer",),
        answers={200: AuditComparisonAnswer},
    ),
    _reading(
        path=f"{PATH}/{{id}}/export",
        summary="Export an audit",
        description="What the newest evaluated crawl, or `crawl`, found, as a file.",
        handler=export_audit,
        query=AuditExportQuery,
        problems=("pdf_not_installed", "audit_not_installed"),
        file_types=tuple(dict.fromkeys(kind.partition(";")[0] for kind in MEDIA_TYPES.values())),
    ),
)
