"""API keys."""

from __future__ import annotations

from typing import Annotated, Literal, cast

import msgspec

from pagegrade.model.account import DEFAULT_SCOPES, Key, Permission
from pagegrade.model.schema import Timestamp, about
from pagegrade.report.serialize import timestamp
from pagegrade.web.schemas.envelope import Answer, CursorListAnswer, Deleted
from pagegrade.web.schemas.shape import Document, extended


class APIKey(Document, frozen=True, kw_only=True):
    """A key, without its secret."""

    id: Annotated[int, about("Number of the key.", 3, minimum=1)]
    name: Annotated[str, about("Name chosen by its owner.", "ci")]
    prefix: Annotated[str, about("First characters, to recognize it by.", "pgk_8Hs2aB9d")]
    scopes: Annotated[tuple[Permission, ...], about("Permissions of the key.", list(DEFAULT_SCOPES))]
    project: Annotated[
        str | None, about("The only project that the key can use; null: all projects.", None, "example.com")
    ]
    expires_at: Annotated[Timestamp | None, about("Null: never.", None, "2027-01-01T00:00:00.000Z")]
    last_used_at: Annotated[Timestamp | None, about("To the minute; null: never before.", "2026-01-05T12:34:00.000Z")]


class ListedKey(APIKey, frozen=True, kw_only=True):
    """A key of the account, without its secret."""

    object: Annotated[Literal["key"], about("The kind of object.", "key")]
    made_by: Annotated[
        int | None,
        about(
            "The key that made it through the API, and is revoked together with it; null: a person made it.", None, 3
        ),
    ]
    created_at: Annotated[Timestamp, about("Time of its creation.", "2026-01-05T12:34:56.789Z")]


class MadeKey(ListedKey, frozen=True, kw_only=True):
    """A new key."""

    secret: Annotated[
        str | None,
        about(
            "The key itself, shown this one time. Null in an answer that repeats an earlier one: only a hash is "
            "stored.",
            "pgk_8Hs2aB9dW0kQm3xYvN7rTzL5cEjP1uGfDhSiKoMbAnVtR4q6wXy2Z",
        ),
    ]


class KeyAnswer(Answer, frozen=True, kw_only=True):
    """One API key."""

    data: Annotated[ListedKey, about("The key, without its secret.")]


class MadeKeyAnswer(Answer, frozen=True, kw_only=True):
    """A new API key."""

    data: Annotated[MadeKey, about("The key, with its secret.")]


class KeyList(CursorListAnswer, frozen=True, kw_only=True):
    """API keys."""

    data: Annotated[list[ListedKey], about("The keys of this page.")]


class DeletedKey(Deleted, frozen=True, kw_only=True):
    """Confirmation that a key was revoked."""

    id: Annotated[int, about("The revoked key.", 4, minimum=1)]
    object: Annotated[Literal["key"], about("The kind of object.", "key")] = "key"


def key_object(key: Key) -> bytes:
    """The JSON object of a key of a list."""
    return msgspec.json.encode(_listed(key))


def made_key_object(key: Key, secret: str | None) -> bytes:
    """The JSON object of a new key; ``None``: its secret was shown before."""
    return msgspec.json.encode(extended(_listed(key), MadeKey, secret=secret))


def api_key(key: Key) -> APIKey:
    """The document of a key as its account shows it."""
    return APIKey(
        id=key.id,
        name=key.name,
        prefix=key.prefix,
        scopes=cast("tuple[Permission, ...]", key.scopes),
        project=key.project,
        expires_at=timestamp(key.expires_at_ms),
        last_used_at=timestamp(key.last_used_at_ms),
    )


def _listed(key: Key) -> ListedKey:
    return extended(api_key(key), ListedKey, object="key", made_by=key.made_by, created_at=timestamp(key.created_at_ms))
