"""Access profiles: what analyses send to the origins of own pages, to be let in."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Final, Literal

import msgspec

from pagegrade.model.access import StoredAccess
from pagegrade.model.account import ACCESS
from pagegrade.model.errors import ValidationFailed
from pagegrade.model.schema import Timestamp, about
from pagegrade.render.english import N_
from pagegrade.report.serialize import timestamp
from pagegrade.service.access import operations as service
from pagegrade.service.container import Services
from pagegrade.service.reports.validation import RequestWarning
from pagegrade.service.unit_of_work import UnitOfWork
from pagegrade.web.http.response import Response
from pagegrade.web.idempotency import Idempotency
from pagegrade.web.operations import Operation
from pagegrade.web.parameters import CreateAccessProfileBody, PagedById, UpdateAccessProfileBody
from pagegrade.web.report_requests import refuse_when_draining
from pagegrade.web.request import Request
from pagegrade.web.responses import (
    answer_id_list,
    deleted_answer,
    enveloped,
    fresh_answer,
    precondition,
    written_answer,
)
from pagegrade.web.schemas.envelope import answer_with, cursor_list, deleted
from pagegrade.web.schemas.shape import Document

_YES = (True,)


class AccessProfile(Document, frozen=True, kw_only=True):
    """Access of analyses to pages of some origins; its secrets are never shown."""

    id: Annotated[int, about("Grows with every new access profile; never used again.", 4, minimum=1)]
    object: Annotated[Literal["access_profile"], about("The kind of object.", "access_profile")]
    name: Annotated[str, about("Name in reports.", "Staging")]
    origins: Annotated[tuple[str, ...], about("Places that it is sent to, and no other.", ["https://staging.example"])]
    user: Annotated[str | None, about("User of Basic authentication; null: none.", "reader")]
    password: Annotated[bool, about("True if there is a password.", *_YES)]
    headers: Annotated[tuple[str, ...], about("Names of the headers that are sent.", ["X-Preview"])]
    cookies: Annotated[tuple[str, ...], about("Names of the cookies that are sent.", ["session"])]
    query: Annotated[tuple[str, ...], about("Names of the parameters that are added to URLs.", ["preview"])]
    user_agent: Annotated[
        str | None, about("User agent that is sent; null: Pagegrade's own.", "Mozilla/5.0 (X11; Linux)")
    ]
    certificates: Annotated[
        tuple[str, ...],
        about("Subjects of the certificates that are trusted besides those of everyone.", ["CN=Company Root"]),
    ]
    created_at: Annotated[Timestamp, about("Time of its creation.", "2026-01-05T12:34:56.789Z")]
    updated_at: Annotated[Timestamp, about("Time of its last change.", "2026-01-05T12:34:56.789Z")]


AccessProfileAnswer: Final = answer_with("AccessProfileAnswer", AccessProfile, "One access profile.", "The profile.")
AccessProfileList: Final = cursor_list(
    "AccessProfileList", AccessProfile, "Access profiles.", "The profiles of this page."
)
DeletedAccessProfile: Final = deleted(
    "DeletedAccessProfile",
    "access_profile",
    "an access profile was deleted",
    "The deleted profile.",
    4,
)


def access_profile_object(stored: StoredAccess) -> bytes:
    """The JSON object of an access profile."""
    return msgspec.json.encode(
        AccessProfile(
            id=stored.id,
            object="access_profile",
            name=stored.name,
            origins=stored.origins,
            user=stored.user or None,
            password=stored.has_password,
            headers=stored.headers,
            cookies=stored.cookies,
            query=stored.query,
            user_agent=stored.user_agent or None,
            certificates=stored.certificates,
            created_at=timestamp(stored.created_at_ms),
            updated_at=timestamp(stored.updated_at_ms),
        )
    )


PATH: Final = "/api/v1/access-profiles"
_LISTS: Final = ("origins", "headers", "cookies", "query")


async def create_access_profile(request: Request, idempotency: Idempotency, services: Services) -> Response:
    """Store a profile; analyses of its origins use it from now on."""
    refuse_when_draining(services)
    fields, violations = await request.fields(CreateAccessProfileBody, lists=_LISTS)
    if violations:
        raise ValidationFailed(violations)

    async def respond(saved: service.Saved) -> Response:
        return _answer(request, services, saved, created=saved.profile.id)

    return await idempotency.execute(
        fields,
        create=partial(
            service.create_profile, wanted=_wanted(fields), vault=services.vault, now_ms=request.received_at_ms
        ),
        resource_id=lambda saved: saved.profile.id,
        load_existing=service.show_saved,
        respond=respond,
    )


async def show_access_profile(request: Request, work: UnitOfWork) -> Response:
    """Return a profile, without its secrets."""
    stored = await work.read(service.show_profile, request.id)
    return fresh_answer(request, enveloped(access_profile_object(stored)))


async def list_access_profiles(request: Request, work: UnitOfWork, services: Services) -> Response:
    """Return a page of the caller's profiles."""
    return await answer_id_list(
        request, services, access_profile_object, lambda part: work.read(service.list_profiles, part)
    )


async def update_access_profile(request: Request, work: UnitOfWork, services: Services) -> Response:
    """Change a profile."""
    fields, violations = await request.fields(UpdateAccessProfileBody, lists=_LISTS)
    if violations:
        raise ValidationFailed(violations)
    saved = await work.write(
        service.update_profile,
        request.id,
        _wanted(fields),
        vault=services.vault,
        now_ms=request.received_at_ms,
        changed_tag=precondition(request, access_profile_object),
    )
    return _answer(request, services, saved)


async def delete_access_profile(request: Request, work: UnitOfWork) -> Response:
    """Delete a profile."""
    await work.write(service.delete_profile, request.id, changed_tag=precondition(request, access_profile_object))
    return deleted_answer(DeletedAccessProfile(id=request.id))


def _wanted(fields: CreateAccessProfileBody | UpdateAccessProfileBody) -> service.AccessFields:
    return service.AccessFields(
        name=fields.name,
        origins=fields.origins,
        user=fields.user,
        password=fields.password,
        headers=fields.headers,
        cookies=fields.cookies,
        query=fields.query,
        user_agent=fields.user_agent,
        certificates=fields.certificates,
    )


def _answer(request: Request, services: Services, saved: service.Saved, *, created: int | None = None) -> Response:
    warnings: tuple[RequestWarning, ...] = ()
    if saved.made_private:
        count = saved.made_private
        message = f"{count} public reports and audits of these origins are private now: their next run shows more."
        warnings = (RequestWarning("origins", "made_private", message),)
    return written_answer(request, services, access_profile_object(saved.profile), created=created, warnings=warnings)


_operation = partial(Operation, scope=ACCESS, for_projects=True, tag="Access profiles")

OPERATIONS: Final = (
    _operation(
        path=PATH,
        summary="List access profiles",
        description="The access profiles of the account, newest first, without their secrets.",
        handler=list_access_profiles,
        query=PagedById,
        answers={200: AccessProfileList},
    ),
    _operation(
        method="POST",
        path=PATH,
        summary=N_("Create an access profile"),
        description="From now on analyses of URLs of its origins send it there, and to no other place, in a static "
        "analysis and in a browser alike. Reports of these origins are private by default, and public ones become "
        "private. Secrets are stored encrypted and never shown.",
        handler=create_access_profile,
        body=CreateAccessProfileBody,
        answers={201: AccessProfileAnswer},
    ),
    _operation(
        path=f"{PATH}/{{id}}",
        summary="Show an access profile",
        description="An access profile of the account, without its secrets.",
        handler=show_access_profile,
        answers={200: AccessProfileAnswer},
    ),
    _operation(
        method="PUT",
        path=f"{PATH}/{{id}}",
        summary=N_("Change an access profile"),
        description="Fields that are not sent stay as they are, and so does the value of a header, cookie or parameter "
        "whose name is sent alone.",
        handler=update_access_profile,
        body=UpdateAccessProfileBody,
        headers=("If-Match", "If-None-Match"),
        answers={200: AccessProfileAnswer},
    ),
    _operation(
        method="DELETE",
        path=f"{PATH}/{{id}}",
        summary=N_("Delete an access profile"),
        description="Its reports are analyzed without it from now on.",
        handler=delete_access_profile,
        headers=("If-Match", "If-None-Match"),
        answers={200: DeletedAccessProfile},
    ),
)
