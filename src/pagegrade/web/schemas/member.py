"""Members of the account, and invitations to become one."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from pagegrade.model.account import Invitation as StoredInvitation
from pagegrade.model.account import Teammate
from pagegrade.report.serialize import timestamp
from pagegrade.web.schemas.envelope import Answer, CursorListAnswer, Deleted
from pagegrade.web.schemas.shape import Document, Timestamp, about

RoleName = Literal["viewer", "editor", "admin", "owner"]
"""Names of ``Role``, in lower case."""
_MAILED = "Whether the link was sent to the address: `sent`; `refused` or `unavailable` by the mail server; `limited`: "
_MAILED += "too many were sent within an hour. Null: no address was given, or the answer repeats an earlier one."


class Member(Document):
    """A person who works in the account."""

    id: int = about("Number of the person, the same in every account.", 7, ge=1)
    object: Literal["member"] = about("The kind of object.", "member")
    name: str = about("Name of the person.", "Bob")
    email: str = about("E-mail address with which they sign in.", "bob@example.org")
    role: RoleName = about("What they may do; each role may do all that those before it may.", "editor")
    joined_at: Timestamp | None = about("Null: it is the person's own account.", "2026-01-05T12:34:56.789Z")


class MemberAnswer(Answer):
    """One member."""

    data: Member = about("The member.")


class MemberList(CursorListAnswer):
    """Members of the account."""

    data: list[Member] = about("The members of this page.")


class RemovedMember(Deleted):
    """Confirmation that a person is no member any more."""

    id: int = about("The removed person.", 7, ge=1)
    object: Literal["member"] = about("The kind of object.", "member")


class Invitation(Document):
    """A link that makes one person a member, without the link itself."""

    id: int = about("Number of the invitation.", 4, ge=1)
    object: Literal["invitation"] = about("The kind of object.", "invitation")
    label: str = about("Whom it is for.", "Bob")
    role: RoleName = about("Role of the person who accepts it.", "editor")
    created_at: Timestamp = about("Time of its creation.", "2026-01-05T12:34:56.789Z")
    expires_at: Timestamp = about("It can be accepted until then.", "2026-01-12T12:34:56.789Z")


class MadeInvitation(Invitation):
    """A new invitation."""

    url: str | None = about(
        "The link, shown this one time. Null in an answer that repeats an earlier one: only a hash is stored.",
        "https://grades.example.org/join/pYkN0oE1dXw3cRbq7tUVgHs5aZfJ2mLx8KiQ4CvTeSw",
    )
    mailed: Literal["sent", "refused", "unavailable", "limited"] | None = about(_MAILED, None, "sent")


class InvitationAnswer(Answer):
    """One invitation."""

    data: Invitation = about("The invitation, without its link.")


class MadeInvitationAnswer(Answer):
    """A new invitation."""

    data: MadeInvitation = about("The invitation, with its link.")


class InvitationList(CursorListAnswer):
    """Invitations that can be accepted."""

    data: list[Invitation] = about("The invitations of this page.")


class WithdrawnInvitation(Deleted):
    """Confirmation that an invitation can be accepted no more."""

    id: int = about("The withdrawn invitation.", 4, ge=1)
    object: Literal["invitation"] = about("The kind of object.", "invitation")


def member_object(teammate: Teammate) -> bytes:
    """The JSON object of a member."""
    members: dict[str, Any] = {
        "id": teammate.person.id,
        "object": "member",
        "name": teammate.person.name,
        "email": teammate.person.email,
        "role": teammate.role.name.lower(),
        "joined_at": None if teammate.joined_at_ms is None else timestamp(teammate.joined_at_ms),
    }
    return msgspec.json.encode(members)


def invitation_object(invitation: StoredInvitation, **more: Any) -> bytes:
    """The JSON object of an invitation, with further members."""
    members: dict[str, Any] = {
        "id": invitation.id,
        "object": "invitation",
        "label": invitation.label,
        "role": invitation.role.name.lower(),
        "created_at": timestamp(invitation.created_at_ms),
        "expires_at": timestamp(invitation.expires_at_ms),
    }
    return msgspec.json.encode({**members, **more})
