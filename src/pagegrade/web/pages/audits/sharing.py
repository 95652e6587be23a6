"""Access to an audit: the form of its account, and the page behind its link."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Final

from pagegrade.model.account import Brand, Role
from pagegrade.model.audit import Audit, withheld
from pagegrade.model.errors import InvalidInput, PreconditionFailed
from pagegrade.model.stored import Privacy
from pagegrade.parse.url import project_of
from pagegrade.render.audit import NO_GRADE, first_to_fix, told_apart
from pagegrade.render.english import N_
from pagegrade.service.audits import operations as service
from pagegrade.service.audits.exports import export_shared, list_shared_pages
from pagegrade.service.audits.sharing import SharedResult, shows_access, view_shared_audit
from pagegrade.service.container import Services
from pagegrade.service.reports.validation import read_sharing
from pagegrade.service.unit_of_work import UnitOfWork
from pagegrade.web.audit_files import FileName, is_offered, write_audit_file
from pagegrade.web.audit_parameters import AuditExportQuery, UpdateAuditBody
from pagegrade.web.http.fields import read_fields
from pagegrade.web.http.response import Response
from pagegrade.web.operations import PageOperation
from pagegrade.web.pages.audits.audit_page import (
    EXPORTS,
    PER_PAGE,
    SHOWN_FINDINGS,
    file_response,
    number_of_page,
    said_in,
)
from pagegrade.web.pages.forms import problems_of_input, read_form, read_query
from pagegrade.web.pages.html import HELPED, View, go
from pagegrade.web.pages.reports.report_list import privacy_options
from pagegrade.web.pages.share_access import (
    AUDIENCES,
    AUDITS,
    Preview,
    gate,
    not_found,
    to_gate,
    too_many,
    unlock,
    validated,
    visit,
    wait_for_document,
)
from pagegrade.web.problems import problem_of
from pagegrade.web.report_requests import evaluate_fields
from pagegrade.web.request import Request
from pagegrade.web.schemas.audit import share_path

PATH: Final = "/audits/{id}/share"
LINK: Final = "/a/{slug}"
SHARED_FILES: Final[tuple[FileName, ...]] = ("pdf", "html", "findings", "findings-parquet", "prompt")
"""Files that people with the link get: those that hold nothing that their page does not show."""
_FIELDS: Final = ("privacy", "password")
_ASKED: Final = N_(
    "The site is crawled with an access profile: anyone with the link would see what is not public. Nothing was saved "
    "yet. Tick the box to confirm that, or choose who may see it."
)
_CHANGED: Final = N_(
    "These settings were changed in another tab or by a program after you opened this page. The form shows the current "
    "settings. Nothing was saved yet."
)
_SAVED: Final = N_("The settings are saved.")


async def show_audit_sharing(request: Request, work: UnitOfWork, view: View) -> Response:
    """Return the form."""
    return await _form(request, work, view)


async def save_audit_sharing(request: Request, work: UnitOfWork, view: View, services: Services) -> Response:
    """Save who may see the audit, if nothing was changed since the form was opened."""
    audit = await work.read(service.show_audit, request.id)
    form = await read_form(request)
    sent = {name: form[name] for name in _FIELDS if name in form}
    try:
        fields, violations = read_fields(UpdateAuditBody, sent, "body")
        change = evaluate_fields(violations, lambda: read_sharing(fields.privacy, fields.password))
        if form.get("share_anyway") != "1" and await work.read_public(shows_access, audit, change):
            problems = {"share_anyway": view.texts.gettext(_ASKED)}
            return await _form(request, work, view, sent, problems, status=422)
        hashed = None
        if change.needs_hash and change.password is not None:
            hashed = await services.passwords.hash(change.password)
        await work.write(
            service.change_audit,
            audit.id,
            service.AuditChange(sharing=change),
            options=view.options,
            now_ms=view.now_ms,
            password_hash=hashed,
            changed_tag=lambda stored: None if form.get("seen") in {None, _seen(stored)} else _seen(stored),
        )
    except PreconditionFailed as error:
        problems = {"": view.texts.gettext(_CHANGED)}
        return await _form(request, work, view, None, problems, status=problem_of(error).status)
    except InvalidInput as error:
        problems = problems_of_input(view.texts, error, field="privacy")
        return await _form(request, work, view, sent, problems, status=422)
    return go(f"/audits/{audit.id}/share?said=saved")


def _seen(audit: Audit) -> str:
    """The settings as the form shows them: a stale tab must not undo a later restriction of access."""
    return f"{audit.privacy}-{audit.password_version}"


async def _form(
    request: Request,
    work: UnitOfWork,
    view: View,
    sent: Mapping[str, str] | None = None,
    problems: Mapping[str, str] | None = None,
    *,
    status: int = 200,
) -> Response:
    audit = await work.read(service.show_audit, request.id)
    is_saved = request.method != "POST" and read_query(request).get("said") == "saved"
    is_private = audit.privacy == Privacy.PRIVATE
    return view.page(
        "audit_share.html.jinja",
        status=status,
        policy=HELPED,
        audit=audit,
        section="/audits",
        privacies=privacy_options(view.texts),
        chosen_privacy=(sent or {}).get("privacy", str(audit.privacy)),
        asks_to_share="share_anyway" in (problems or {}),
        share_link=None if is_private else f"{view.options.base_url}{share_path(audit)}",
        seen=_seen(audit),
        said=view.texts.gettext(_SAVED) if is_saved else "",
        problems=problems or {},
    )


async def show_shared_audit(request: Request, work: UnitOfWork, view: View, services: Services) -> Response:
    """Return the newest result of the audit behind a share link."""
    found = await visit(request, work, view, services, view_shared_audit, kind=AUDITS)
    if isinstance(found, Response):
        return found
    audit = found.shared.item
    if not found.shared.is_open:
        return gate(view)
    brand = view.brand(Brand() if found.seen is None else found.seen.brand)
    headers: tuple[tuple[str, str], ...] = ()
    if audit.privacy == Privacy.PUBLIC and view.caller is None:
        crawl = audit.crawl
        headers, same = validated(
            request, view, audit.slug, audit.updated_at_ms, crawl.number, crawl.state, brand=brand
        )
        if same is not None:
            return same
    path = f"/a/{audit.slug}"
    result = None if found.seen is None else found.seen.result
    every = () if result is None else result.findings
    last_page = max(1, -(-len(every) // SHOWN_FINDINGS))
    page = min(number_of_page(read_query(request)), last_page)
    return view.page(
        "share_audit.html.jinja",
        audit=audit,
        site=project_of(audit.start_url),
        result=result,
        first=() if result is None else first_to_fix(result),
        marks={} if result is None else told_apart(result),
        findings=every[(page - 1) * SHOWN_FINDINGS : page * SHOWN_FINDINGS],
        at=f"{path}/findings",
        page=page,
        last_page=last_page,
        url=lambda number: f"{path}?page={number}#findings",
        said=said_in(view),
        crawled_at_ms=None if found.seen is None else found.seen.crawl.finished_at_ms,
        withheld=withheld(audit.crawl, None),
        no_grade=NO_GRADE,
        is_owner=found.shared.is_owner,
        audience=view.texts.gettext(AUDIENCES[Privacy(audit.privacy)]),
        timezone=view.admitted.person.timezone if found.shared.is_owner else "UTC",
        preview=_preview(view, audit, found.seen),
        exports=[
            (*map(view.texts.gettext, EXPORTS[name]), f"{path}/export/{name}")
            for name in SHARED_FILES
            if is_offered(name)
        ],
        headers=headers,
        brand=brand,
    )


def _preview(view: View, audit: Audit, seen: SharedResult | None) -> Preview:
    """Return the link preview; it reveals the result only if everyone with the link may see the audit."""
    texts = view.texts
    score = None if seen is None else seen.result.score
    if audit.privacy != Privacy.PUBLIC or score is None:
        return Preview(texts.gettext("Site audit"), texts.gettext("A site that was crawled and graded as a whole."))
    site, points = project_of(audit.start_url), texts.number(score)
    return Preview(
        texts.gettext("Audit of %(site)s: %(score)s of 100", site=site, score=points),
        texts.gettext("The site got %(score)s of 100 points. The audit says why, and what to fix first.", score=points),
    )


async def export_shared_audit(request: Request, work: UnitOfWork, view: View, services: Services) -> Response:
    """Return the newest result of the audit behind a share link as a file."""
    name = next((name for name in SHARED_FILES if name == request.path_params["format"]), None)
    query, _ = read_fields(AuditExportQuery, read_query(request), "query", lenient=True)
    read = partial(export_shared, places=name in {"findings", "findings-parquet"}, part=query.part)
    found = await visit(request, work, view, services, read, kind=AUDITS)
    if isinstance(found, Response):
        return found
    if not found.shared.is_open:
        return to_gate(request, AUDITS)
    if name in {"pdf", "findings-parquet"}:
        wait_s = await wait_for_document(request, services)
        if wait_s is not None:
            return too_many(view, wait_s)
    made = None
    if name is not None and found.seen is not None:
        made = await write_audit_file(
            found.seen,
            name,
            part=query.part,
            tag=view.texts.tag,
            documents=services.documents,
            brand=view.brand(found.seen.brand),
        )
    return not_found(view) if made is None else file_response(made)


async def show_shared_finding(request: Request, work: UnitOfWork, view: View, services: Services) -> Response:
    """Return a finding of the audit behind a share link, with all of its pages."""
    page = number_of_page(read_query(request))
    read = partial(list_shared_pages, finding=request.number("finding"), page=page, per_page=PER_PAGE)
    found = await visit(request, work, view, services, read, kind=AUDITS)
    if isinstance(found, Response):
        return found
    if not found.shared.is_open:
        return to_gate(request, AUDITS)
    if found.seen is None:
        return not_found(view)
    audit, seen = found.shared.item, found.seen
    path = f"/a/{audit.slug}"
    return view.page(
        "share_finding.html.jinja",
        site=project_of(audit.start_url),
        back=path,
        finding=seen.finding,
        is_own=False,
        places=seen.places,
        total=seen.total,
        page=page,
        last_page=max(1, -(-seen.total // PER_PAGE)),
        url=lambda number: f"{path}/findings/{seen.finding.number}?page={number}",
        said=said_in(view),
        brand=view.brand(seen.brand),
    )


async def unlock_shared_audit(request: Request, work: UnitOfWork, view: View, services: Services) -> Response:
    """Check the password from the form, and grant access."""
    return await unlock(request, work, view, services, AUDITS)


OPERATIONS: Final = (
    PageOperation(path=PATH, handler=show_audit_sharing, role=Role.EDITOR),
    PageOperation(
        method="POST",
        path=PATH,
        summary=N_("Change who may see an audit"),
        handler=save_audit_sharing,
        role=Role.EDITOR,
    ),
    PageOperation(
        path=LINK,
        description="Returns the audit behind the link, or a form for its password.",
        handler=show_shared_audit,
        access="anyone",
    ),
    PageOperation(path=f"{LINK}/export/{{format}}", handler=export_shared_audit, access="anyone"),
    PageOperation(path=f"{LINK}/findings/{{finding}}", handler=show_shared_finding, access="anyone"),
    PageOperation(
        method="POST",
        path=LINK,
        summary="Unlock a shared audit",
        description="Takes the form of a share page that asks for a password.",
        handler=unlock_shared_audit,
        access="anyone",
    ),
)
