"""Members of an account and invitations to become one, for programs whose key has the scope ``members``."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Final, Literal, cast

import msgspec
from pydantic import BaseModel, Field

from pagegrade.model.account import MEMBERS, Role, Teammate
from pagegrade.model.account import Invitation as StoredInvitation
from pagegrade.model.errors import InvalidInput, QuotaExceeded, RateLimited, ValidationFailed, Violation
from pagegrade.model.schema import Timestamp, about
from pagegrade.render.english import N_
from pagegrade.report.serialize import timestamp
from pagegrade.service import invitation_mail
from pagegrade.service.accounts import team as service
from pagegrade.service.accounts.operations import MAX_NAME, NAME
from pagegrade.service.container import Services
from pagegrade.service.unit_of_work import UnitOfWork
from pagegrade.web.http.response import Response
from pagegrade.web.idempotency import Idempotency
from pagegrade.web.operations import Operation
from pagegrade.web.parameters import PagedById
from pagegrade.web.report_requests import refuse_when_draining
from pagegrade.web.request import Request
from pagegrade.web.responses import IDENTITY, answer_id_list, deleted_answer, enveloped, fresh_answer, written_answer
from pagegrade.web.schemas.envelope import answer_with, cursor_list, deleted
from pagegrade.web.schemas.shape import Document, extended

RoleName = Literal["viewer", "editor", "admin", "owner"]
"""Names of ``Role``, in lower case."""
Mailed = Literal[invitation_mail.Mailed, "limited"]
_MAILED = "Whether the link was sent to the address: `sent`; `refused` or `unavailable` by the mail server; `limited`: "
_MAILED += "too many were sent within an hour. Null: no address was given, or the answer repeats an earlier one."


class Member(Document, frozen=True, kw_only=True):
    """A person who works in the account."""

    id: Annotated[int, about("Number of the person, the same in every account.", 7, minimum=1)]
    object: Annotated[Literal["member"], about("The kind of object.", "member")]
    name: Annotated[str, about("Name of the person.", "Bob")]
    email: Annotated[str, about("E-mail address with which they sign in.", "bob@example.org")]
    role: Annotated[RoleName, about("What they may do; each role may do all that those before it may.", "editor")]
    joined_at: Annotated[Timestamp | None, about("Null: it is the person's own account.", "2026-01-05T12:34:56.789Z")]


MemberAnswer: Final = answer_with("MemberAnswer", Member, "One member.", "The member.")
MemberList: Final = cursor_list("MemberList", Member, "Members of the account.", "The members of this page.")
RemovedMember: Final = deleted("RemovedMember", "member", "a person is no member any more", "The removed person.", 7)


class Invitation(Document, frozen=True, kw_only=True):
    """A link that makes one person a member, without the link itself."""

    id: Annotated[int, about("Number of the invitation.", 4, minimum=1)]
    object: Annotated[Literal["invitation"], about("The kind of object.", "invitation")]
    label: Annotated[str, about("Whom it is for.", "Bob")]
    role: Annotated[RoleName, about("Role of the person who accepts it.", "editor")]
    created_at: Annotated[Timestamp, about("Time of its creation.", "2026-01-05T12:34:56.789Z")]
    expires_at: Annotated[Timestamp, about("It can be accepted until then.", "2026-01-12T12:34:56.789Z")]


class MadeInvitation(Invitation, frozen=True, kw_only=True):
    """A new invitation."""

    url: Annotated[
        str | None,
        about(
            "The link, shown this one time. Null in an answer that repeats an earlier one: only a hash is stored.",
            "https://grades.example.org/join/pYkN0oE1dXw3cRbq7tUVgHs5aZfJ2mLx8KiQ4CvTeSw",
        ),
    ]
    mailed: Annotated[Mailed | None, about(_MAILED, None, "sent")]


InvitationAnswer: Final = answer_with(
    "InvitationAnswer", Invitation, "One invitation.", "The invitation, without its link."
)
MadeInvitationAnswer: Final = answer_with(
    "MadeInvitationAnswer", MadeInvitation, "A new invitation.", "The invitation, with its link."
)
InvitationList: Final = cursor_list(
    "InvitationList", Invitation, "Invitations that can be accepted.", "The invitations of this page."
)
WithdrawnInvitation: Final = deleted(
    "WithdrawnInvitation",
    "invitation",
    "an invitation can be accepted no more",
    "The withdrawn invitation.",
    4,
)


def member_object(teammate: Teammate) -> bytes:
    """The JSON object of a member."""
    return msgspec.json.encode(
        Member(
            id=teammate.person.id,
            object="member",
            name=teammate.person.name,
            email=teammate.person.email,
            role=_role(teammate.role),
            joined_at=timestamp(teammate.joined_at_ms),
        )
    )


def invitation_object(invitation: StoredInvitation) -> bytes:
    """The JSON object of an invitation, without its link."""
    return msgspec.json.encode(_invitation(invitation))


def made_invitation_object(invitation: StoredInvitation, url: str | None, mailed: Mailed | None) -> bytes:
    """The JSON object of a new invitation; ``None``: its link was shown before, or not sent."""
    return msgspec.json.encode(extended(_invitation(invitation), MadeInvitation, url=url, mailed=mailed))


def _invitation(invitation: StoredInvitation) -> Invitation:
    return Invitation(
        id=invitation.id,
        object="invitation",
        label=invitation.label,
        role=_role(invitation.role),
        created_at=timestamp(invitation.created_at_ms),
        expires_at=timestamp(invitation.expires_at_ms),
    )


def _role(role: Role) -> RoleName:
    return cast("RoleName", role.name.lower())


PATH: Final = "/api/v1/account/members"
INVITATIONS: Final = "/api/v1/account/invitations"
_MAX_EMAIL: Final = 254
_FIELDS: Final = {NAME: "label", service.LAST_OWNER: "role", service.OWN: "role"}
"""Reason why something cannot be done -> field of the request."""


class UpdateMemberBody(BaseModel):
    """Another role of a member."""

    role: RoleName = Field(description="What the person may do from now on.", examples=["admin"])


class CreateInvitationBody(BaseModel):
    """A link that makes one person a member."""

    label: str = Field("", max_length=MAX_NAME, description="Whom it is for; without it the address.", examples=["Bob"])
    role: RoleName = Field(description="Role of the person who accepts it.", examples=["editor"])
    email: str | None = Field(
        None,
        max_length=_MAX_EMAIL,
        description="Address to which the link is sent; without it no message is sent.",
        examples=["bob@example.org"],
    )


async def list_members(request: Request, work: UnitOfWork, services: Services) -> Response:
    """Return a page of the members of the account."""
    return await answer_id_list(request, services, member_object, lambda part: work.read(service.list_members, part))


async def show_member(request: Request, work: UnitOfWork) -> Response:
    """Return a member."""
    return fresh_answer(request, enveloped(member_object(await work.read(service.show_member, request.id))))


async def update_member(request: Request, work: UnitOfWork, services: Services) -> Response:
    """Give a member another role."""
    fields, violations = await request.fields(UpdateMemberBody)
    if violations:
        raise ValidationFailed(violations)
    try:
        await work.write(service.change_role, request.id, Role[fields.role.upper()])
    except InvalidInput as error:
        raise _refused(error) from None
    data = member_object(await work.read(service.show_member, request.id))
    return written_answer(request, services, data)


async def remove_member(request: Request, work: UnitOfWork) -> Response:
    """Remove a member."""
    try:
        await work.write(service.remove_member, request.id)
    except InvalidInput as error:
        raise _refused(error) from None
    return deleted_answer(RemovedMember(id=request.id))


async def create_invitation(
    request: Request, work: UnitOfWork, idempotency: Idempotency, services: Services
) -> Response:
    """Make an invitation; its link is in this answer and in no other."""
    refuse_when_draining(services)
    fields, violations = await request.fields(CreateInvitationBody)
    recipient = (fields.email or "").strip()
    if recipient:
        try:
            recipient = invitation_mail.check_recipient(services.options, recipient)
        except InvalidInput as error:
            violations = [*violations, _violation("email", error.reason or error.code, error.message)]
    if violations:
        raise ValidationFailed(violations)

    async def respond(made: service.NewInvitation) -> Response:
        invitation, token = made
        url = f"{services.options.base_url}/join/{token}" if token else None
        mailed = await _mail(services, work, made, recipient, request.received_at_ms) if recipient and token else None
        return written_answer(
            request,
            services,
            made_invitation_object(invitation, url, mailed),
            created=invitation.id,
            shown=invitation_object(invitation),
            minimal=(*IDENTITY, "url", "mailed"),
        )

    try:
        return await idempotency.execute(
            fields,
            create=partial(
                service.invite,
                role=Role[fields.role.upper()],
                label=fields.label.strip() or recipient,
                now_ms=request.received_at_ms,
            ),
            load_existing=partial(service.show_without_token, now_ms=request.received_at_ms),
            respond=respond,
        )
    except InvalidInput as error:
        if error.reason == service.TOO_MANY:
            raise QuotaExceeded(error.message) from None
        raise _refused(error) from None


async def list_invitations(request: Request, work: UnitOfWork, services: Services) -> Response:
    """Return a page of the invitations that can be accepted."""
    return await answer_id_list(
        request,
        services,
        invitation_object,
        lambda part: work.read(service.list_open_invitations, request.received_at_ms, part),
    )


async def show_invitation(request: Request, work: UnitOfWork) -> Response:
    """Return an invitation, without its link."""
    found = await work.read(service.show_invitation, request.id, now_ms=request.received_at_ms)
    return fresh_answer(request, enveloped(invitation_object(found)))


async def withdraw_invitation(request: Request, work: UnitOfWork) -> Response:
    """Withdraw an invitation."""
    await work.write(service.withdraw, request.id)
    return deleted_answer(WithdrawnInvitation(id=request.id))


async def _mail(
    services: Services, work: UnitOfWork, made: service.NewInvitation, recipient: str, now_ms: int
) -> Mailed:
    """Send the link; the invitation is there, whatever becomes of the message."""
    try:
        await invitation_mail.count_mail(services, work.caller, recipient)
    except RateLimited:
        return "limited"
    reader = await work.read(invitation_mail.find_recipient, recipient)
    return await invitation_mail.mail_invitation(
        services, made, caller=work.caller, reader=reader, recipient=recipient, now_ms=now_ms
    )


def _refused(error: InvalidInput) -> ValidationFailed:
    if isinstance(error, ValidationFailed) or error.reason is None:
        raise error
    return ValidationFailed([_violation(_FIELDS[error.reason], error.reason, error.message)])


def _violation(field: str, code: str, message: str) -> Violation:
    return Violation(field=field, place="body", code=code, message=message)


_of_members = partial(Operation, scope=MEMBERS, tag="Members")
_of_invitations = partial(Operation, scope=MEMBERS, tag="Invitations")

OPERATIONS: Final = (
    _of_members(
        path=PATH,
        summary="List members",
        description="The people who work in the account and their roles, the highest number first.",
        handler=list_members,
        query=PagedById,
        answers={200: MemberList},
    ),
    _of_members(
        path=f"{PATH}/{{id}}",
        name="show_account_member",
        summary="Show a member",
        description="A person who works in the account.",
        handler=show_member,
        answers={200: MemberAnswer},
    ),
    _of_members(
        method="PUT",
        path=f"{PATH}/{{id}}",
        summary=N_("Change the role of a member"),
        description="It counts from the person's next request on. A shared account keeps at least one owner, and the "
        "person whose own account it is stays its owner: they are no member that can be changed (404).",
        handler=update_member,
        body=UpdateMemberBody,
        answers={200: MemberAnswer},
    ),
    _of_members(
        method="DELETE",
        path=f"{PATH}/{{id}}",
        summary=N_("Remove a member through the API"),
        description="From the person's next request on the account is closed to them; what they made stays. The last "
        "owner of a shared account stays.",
        handler=remove_member,
        answers={200: RemovedMember},
        problems=("validation_failed",),
    ),
    _of_invitations(
        path=INVITATIONS,
        summary="List invitations",
        description="The invitations that can be accepted, newest first; never their links.",
        handler=list_invitations,
        query=PagedById,
        answers={200: InvitationList},
    ),
    _of_invitations(
        method="POST",
        path=INVITATIONS,
        summary=N_("Make an invitation through the API"),
        description="The link makes one person a member within seven days. Only this answer has it. With an address "
        "it is sent there, too, where the operator allows e-mail to its domain.",
        handler=create_invitation,
        body=CreateInvitationBody,
        answers={201: MadeInvitationAnswer},
    ),
    _of_invitations(
        path=f"{INVITATIONS}/{{id}}",
        name="show_account_invitation",
        summary="Show an invitation",
        description="An invitation that can be accepted; never its link.",
        handler=show_invitation,
        answers={200: InvitationAnswer},
    ),
    _of_invitations(
        method="DELETE",
        path=f"{INVITATIONS}/{{id}}",
        name="delete_invitation",
        summary=N_("Withdraw an invitation through the API"),
        description="Its link makes no one a member any more.",
        handler=withdraw_invitation,
        answers={200: WithdrawnInvitation},
    ),
)
