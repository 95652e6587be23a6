"""Share pages: who may see a report, or an audit, by its link."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import re
import struct
from collections.abc import Callable, Iterable
from typing import Final, Generic, TypeVar

import msgspec

from pagegrade.model.account import Caller
from pagegrade.model.errors import NotFound, ValidationFailed
from pagegrade.model.stored import Privacy, Shareable, StoredReport
from pagegrade.service.options import ServiceOptions
from pagegrade.service.reports.validation import (
    PASSWORD_IGNORED,
    PASSWORD_REQUIRED,
    RequestWarning,
    SharingChange,
)
from pagegrade.service.retention import expired_before_ms as oldest_shown_ms
from pagegrade.store.engine.database import Transaction
from pagegrade.store.repositories.credentials import AHEAD_MS
from pagegrade.store.repositories.installation import load_or_make_secret, load_secret
from pagegrade.store.repositories.reports import load_report_by_slug

T = TypeVar("T")
S = TypeVar("S", bound=Shareable)
LoadShared = Callable[[Transaction, str, int | None], S | None]
"""Loads what a link leads to, without a look at who may see it; what is dated before a time in milliseconds is as
good as deleted, ``None``: nothing is."""
ViewShared = Callable[[Transaction, S], T]
"""Reads what is wanted of a report or an audit; ``NotFound`` where it does not have that."""
UNLOCK: Final = "unlock"
"""Name of the secret that signs what ``sign_unlock`` gives."""
UNLOCKED_S: Final = 12 * 3600
"""Time for which a password opens a share page for one browser."""
_SLUG: Final = re.compile(r"[0-9A-Za-z_-]{22}")
_TOKEN: Final = struct.Struct(">QIQ")
"""Id, version of its password, end in milliseconds since 1970."""
_MAC_BYTES: Final = 32


class Shared(msgspec.Struct, Generic[S], frozen=True, kw_only=True):
    """Report or audit behind a share link, for one visitor."""

    item: S
    is_owner: bool
    """It is their own: they see it whatever its privacy."""
    is_open: bool
    """Nothing stands between them and it; otherwise its password has to be given first."""


class Sharing(msgspec.Struct, frozen=True):
    """Access to a report or an audit after a change."""

    privacy: Privacy
    password_hash: str | None
    password_version: int
    warnings: tuple[RequestWarning, ...] = ()


def sharing_after(item: Shareable, change: SharingChange, password_hash: str | None) -> Sharing:
    """Return the access to a report or an audit after a change; a change to nothing changes nothing.

    Args:
        change: What ``read_sharing`` gave.
        password_hash: Of ``change.password``, where ``change.needs_hash``.

    Raises:
        ValidationFailed: Privacy 2 without any password.
    """
    if change.needs_hash and password_hash is None:
        raise ValueError("the password that was sent must come with its hash")
    privacy = Privacy(item.privacy) if change.privacy is None else change.privacy
    kept, version = item.password_hash, item.password_version
    if privacy is Privacy.PASSWORD:
        if change.password is not None:
            kept, version = password_hash, version + 1
        elif kept is None:
            raise ValidationFailed([PASSWORD_REQUIRED])
    elif kept is not None:
        kept, version = None, version + 1
    ignored = change.password is not None and privacy is not Privacy.PASSWORD
    return Sharing(privacy, kept, version, (PASSWORD_IGNORED,) if ignored else ())


def report_of_link(tx: Transaction, slug: str, expired_before_ms: int | None) -> StoredReport | None:
    """A ``LoadShared`` of reports."""
    return load_report_by_slug(tx, slug, expired_before_ms=expired_before_ms)


def open_shared(
    tx: Transaction,
    slug: str,
    load: LoadShared[S],
    *,
    visitor: Caller | None,
    tokens: Iterable[str],
    options: ServiceOptions,
    now_ms: int,
) -> Shared[S] | None:
    """Find what is behind a share link, and whether this visitor may read it now.

    Args:
        slug: As in the address, however long or strange.
        visitor: The signed-in account; ``None`` for an anonymous visitor.
        tokens: What the browser keeps of passwords that were given, as it sent it.

    Returns:
        ``None`` when there is none, it has expired, or it is private: the three cases look the same.
    """
    account_id = None if visitor is None else visitor.account.id
    before_ms = oldest_shown_ms(tx, options, now_ms)
    item = find_shared(tx, slug, load, expired_before_ms=before_ms, account_id=account_id)
    if item is None:
        return None
    is_owner = item.account_id == account_id
    is_open = is_owner or item.privacy == Privacy.PUBLIC
    if not is_open and item.privacy == Privacy.PASSWORD:
        secret = load_secret(tx, UNLOCK)
        is_open = secret is not None and any(is_unlocked(secret, item, token, now_ms) for token in tokens)
    return Shared(item=item, is_owner=is_owner, is_open=is_open)


class SharedView(msgspec.Struct, Generic[S, T], frozen=True):
    """Report or audit behind a share link, with what was read of it."""

    shared: Shared[S]
    seen: T | None
    """``None``: the password has to be given first."""


def view_shared(
    tx: Transaction,
    visitor: Caller | None,
    slug: str,
    options: ServiceOptions,
    now_ms: int,
    *,
    tokens: Iterable[str],
    load: LoadShared[S],
    view: ViewShared[S, T],
) -> SharedView[S, T] | None:
    """Read what is behind a share link, as far as the visitor may see it now.

    Args:
        visitor: Caller that is signed in; ``None``: unknown.
        slug: As in the address, however long or strange.
        tokens: What the browser keeps of passwords that were given, as it sent it.
        view: Use case that reads what is wanted of it; ``NotFound`` where it does not have that.

    Returns:
        ``None`` as for ``open_shared``, or where ``view`` finds nothing.
    """
    shared = open_shared(tx, slug, load, visitor=visitor, tokens=tokens, options=options, now_ms=now_ms)
    if shared is None:
        return None
    if not shared.is_open:
        return SharedView(shared, None)
    try:
        return SharedView(shared, view(tx, shared.item))
    except NotFound:
        return None


def unlock_secret(tx: Transaction) -> bytes:
    """Return the secret that signs ``sign_unlock``; created where there is none."""
    return load_or_make_secret(tx, UNLOCK)


def find_locked(
    tx: Transaction, visitor: Caller | None, slug: str, options: ServiceOptions, now_ms: int, *, load: LoadShared[S]
) -> S | None:
    """Return what is behind a share link whose password is being given; ``None`` as for ``open_shared``."""
    shared = open_shared(tx, slug, load, visitor=visitor, tokens=(), options=options, now_ms=now_ms)
    return None if shared is None else shared.item


def find_public(tx: Transaction, slug: str, *, options: ServiceOptions, now_ms: int) -> StoredReport | None:
    """The public report behind a share link; ``None`` as for ``open_shared``.

    Args:
        slug: As in the address, however long or strange.
    """
    shared = open_shared(tx, slug, report_of_link, visitor=None, tokens=(), options=options, now_ms=now_ms)
    return None if shared is None or shared.item.privacy != Privacy.PUBLIC else shared.item


def find_shared(
    tx: Transaction,
    slug: str,
    load: LoadShared[S],
    *,
    expired_before_ms: int | None = None,
    account_id: int | None = None,
) -> S | None:
    """The report or audit behind a share link.

    Args:
        slug: As in the address, however long or strange.
        expired_before_ms: What is dated before is as good as deleted; ``None``: nothing expires.
        account_id: Whose private ones are found as well.

    Returns:
        ``None`` when there is none, or it is private: the two cases look the same.
    """
    if _SLUG.fullmatch(slug) is None:
        return None
    found = load(tx, slug, expired_before_ms)
    if found is None or (found.privacy == Privacy.PRIVATE and found.account_id != account_id):
        return None
    return found


def sign_unlock(secret: bytes, item: Shareable, now_ms: int) -> str:
    """A token that opens this share page for ``UNLOCKED_S`` seconds, until its password changes.

    Args:
        item: The report or audit whose password was given.
    """
    fields = _TOKEN.pack(item.id, item.password_version, now_ms + UNLOCKED_S * 1000)
    return base64.urlsafe_b64encode(fields + _mac(secret, item, fields)).rstrip(b"=").decode("ascii")


def is_unlocked(secret: bytes, item: Shareable, token: str, now_ms: int) -> bool:
    """Return whether a token, as a browser sent it, opens this share page now."""
    try:
        raw = base64.b64decode(token.encode("ascii") + b"=" * (-len(token) % 4), altchars=b"-_", validate=True)
    except (UnicodeEncodeError, binascii.Error):
        return False
    if len(raw) != _TOKEN.size + _MAC_BYTES:
        return False
    fields, mac = raw[: _TOKEN.size], raw[_TOKEN.size :]
    if not hmac.compare_digest(mac, _mac(secret, item, fields)):
        return False
    item_id, password_version, until_ms = _TOKEN.unpack(fields)
    is_now = now_ms < until_ms <= now_ms + UNLOCKED_S * 1000 + AHEAD_MS
    return is_now and (item_id, password_version) == (item.id, item.password_version)


def _mac(secret: bytes, item: Shareable, fields: bytes) -> bytes:
    # The slug is in it, so that a token ends with the link it was made for.
    return hmac.digest(secret, b"unlock\0" + item.slug.encode() + b"\0" + fields, hashlib.sha256)
