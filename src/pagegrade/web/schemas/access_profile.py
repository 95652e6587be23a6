"""Access profiles."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from pagegrade.model.access import StoredAccess
from pagegrade.report.serialize import timestamp
from pagegrade.web.schemas.envelope import Answer, CursorListAnswer, Deleted
from pagegrade.web.schemas.shape import Document, Timestamp, about

_YES = (True,)


class AccessProfile(Document):
    """Access of analyses to pages of some origins; its secrets are never shown."""

    id: int = about("Grows with every new access profile; never used again.", 4, ge=1)
    object: Literal["access_profile"] = about("The kind of object.", "access_profile")
    name: str = about("Name in reports.", "Staging")
    origins: list[str] = about("Places that it is sent to, and no other.", ["https://staging.example"])
    user: str | None = about("User of Basic authentication; null: none.", "reader")
    password: bool = about("True if there is a password.", *_YES)
    headers: list[str] = about("Names of the headers that are sent.", ["X-Preview"])
    cookies: list[str] = about("Names of the cookies that are sent.", ["session"])
    query: list[str] = about("Names of the parameters that are added to URLs.", ["preview"])
    user_agent: str | None = about("User agent that is sent; null: Pagegrade's own.", "Mozilla/5.0 (X11; Linux)")
    certificates: list[str] = about(
        "Subjects of the certificates that are trusted besides those of everyone.", ["CN=Company Root"]
    )
    created_at: Timestamp = about("Time of its creation.", "2026-01-05T12:34:56.789Z")
    updated_at: Timestamp = about("Time of its last change.", "2026-01-05T12:34:56.789Z")


class AccessProfileAnswer(Answer):
    """One access profile."""

    data: AccessProfile = about("The profile.")


class AccessProfileList(CursorListAnswer):
    """Access profiles."""

    data: list[AccessProfile] = about("The profiles of this page.")


class DeletedAccessProfile(Deleted):
    """Confirmation that an access profile was deleted."""

    id: int = about("The deleted profile.", 4, ge=1)
    object: Literal["access_profile"] = about("The kind of object.", "access_profile")


def access_profile_object(stored: StoredAccess) -> bytes:
    """The JSON object of an access profile."""
    members: dict[str, Any] = {
        "id": stored.id,
        "object": "access_profile",
        "name": stored.name,
        "origins": stored.origins,
        "user": stored.user or None,
        "password": stored.has_password,
        "headers": stored.headers,
        "cookies": stored.cookies,
        "query": stored.query,
        "user_agent": stored.user_agent or None,
        "certificates": stored.certificates,
        "created_at": timestamp(stored.created_at_ms),
        "updated_at": timestamp(stored.updated_at_ms),
    }
    return msgspec.json.encode(members)
