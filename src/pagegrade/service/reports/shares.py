"""Share pages: who may see a report by its link."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import re
import struct
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from pagegrade.model.account import Caller
from pagegrade.model.errors import NotFound
from pagegrade.model.stored import Privacy, StoredReport
from pagegrade.service.options import ServiceOptions
from pagegrade.store.engine.database import Transaction
from pagegrade.store.repositories.installation import load_or_make_secret, load_secret
from pagegrade.store.repositories.reports import load_report_by_slug
from pagegrade.store.repositories.retention import expired_before_ms as oldest_shown_ms

T = TypeVar("T")
ViewReport = Callable[[Transaction, StoredReport], T]
"""Reads what is wanted of a report; ``NotFound`` where it does not have that."""
UNLOCK: Final = "unlock"
"""Name of the secret that signs what ``sign_unlock`` gives."""
UNLOCKED_S: Final = 12 * 3600
"""Time for which a password opens a report for one browser."""
_SLUG: Final = re.compile(r"[0-9A-Za-z_-]{22}")
_TOKEN: Final = struct.Struct(">QIQ")
"""Report, version of its password, end in milliseconds since 1970."""
_MAC_BYTES: Final = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class Shared:
    """Report behind a share link, for one visitor."""

    report: StoredReport
    is_owner: bool
    """It is their own: they see it whatever its privacy."""
    is_open: bool
    """Nothing stands between them and the report; otherwise its password has to be given first."""


def open_shared(
    tx: Transaction,
    slug: str,
    *,
    visitor: Caller | None,
    tokens: Iterable[str],
    options: ServiceOptions,
    now_ms: int,
) -> Shared | None:
    """The report behind a share link, and whether this visitor may read it now.

    Args:
        tx: Any transaction.
        slug: As in the address, however long or strange.
        visitor: The signed-in account; ``None`` for an anonymous visitor.
        tokens: What the browser keeps of passwords that were given, as it sent it.
        options: Of the installation.
        now_ms: The time now.

    Returns:
        ``None`` when there is none, it has expired, or it is private: the three cases look the same.
    """
    account_id = None if visitor is None else visitor.account.id
    before_ms = oldest_shown_ms(options.retention_days, now_ms)
    report = find_shared(tx, slug, expired_before_ms=before_ms, account_id=account_id)
    if report is None:
        return None
    is_owner = report.account_id == account_id
    is_open = is_owner or report.privacy == Privacy.PUBLIC
    if not is_open and report.privacy == Privacy.PASSWORD:
        secret = load_secret(tx, UNLOCK)
        is_open = secret is not None and any(is_unlocked(secret, report, token, now_ms) for token in tokens)
    return Shared(report=report, is_owner=is_owner, is_open=is_open)


@dataclass(frozen=True, slots=True)
class SharedView(Generic[T]):
    """Report behind a share link, with what was read of it."""

    shared: Shared
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
    view: ViewReport[T],
) -> SharedView[T] | None:
    """Read what is behind a share link, as far as the visitor may see it now.

    Args:
        tx: Any transaction.
        visitor: Caller that is signed in; ``None``: unknown.
        slug: As in the address, however long or strange.
        options: Of the installation.
        now_ms: The time now.
        tokens: What the browser keeps of passwords that were given, as it sent it.
        view: Use case that reads what is wanted of the report; ``NotFound`` where it does not have that.

    Returns:
        ``None`` as for ``open_shared``, or where ``view`` finds nothing.
    """
    shared = open_shared(tx, slug, visitor=visitor, tokens=tokens, options=options, now_ms=now_ms)
    if shared is None:
        return None
    if not shared.is_open:
        return SharedView(shared, None)
    try:
        return SharedView(shared, view(tx, shared.report))
    except NotFound:
        return None


def unlock_secret(tx: Transaction) -> bytes:
    """Return the secret that signs ``sign_unlock``; created where there is none."""
    return load_or_make_secret(tx, UNLOCK)


def find_locked(
    tx: Transaction, visitor: Caller | None, slug: str, options: ServiceOptions, now_ms: int
) -> StoredReport | None:
    """Return the report behind a share link whose password is being given; ``None`` as for ``open_shared``."""
    shared = open_shared(tx, slug, visitor=visitor, tokens=(), options=options, now_ms=now_ms)
    return None if shared is None else shared.report


def find_public(tx: Transaction, slug: str, *, options: ServiceOptions, now_ms: int) -> StoredReport | None:
    """The public report behind a share link; ``None`` as for ``open_shared``.

    Args:
        tx: Any transaction.
        slug: As in the address, however long or strange.
        options: Of the installation.
        now_ms: The time now.
    """
    shared = open_shared(tx, slug, visitor=None, tokens=(), options=options, now_ms=now_ms)
    return None if shared is None or shared.report.privacy != Privacy.PUBLIC else shared.report


def find_shared(
    tx: Transaction, slug: str, *, expired_before_ms: int | None = None, account_id: int | None = None
) -> StoredReport | None:
    """The report behind a share link.

    Args:
        tx: Any transaction.
        slug: As in the address, however long or strange.
        expired_before_ms: Reports dated before are as good as deleted; ``None``: none expires.
        account_id: Whose private reports are found as well.

    Returns:
        ``None`` when there is none, or it is private: the two cases look the same.
    """
    if _SLUG.fullmatch(slug) is None:
        return None
    found = load_report_by_slug(tx, slug, expired_before_ms=expired_before_ms)
    if found is None or (found.privacy == Privacy.PRIVATE and found.account_id != account_id):
        return None
    return found


def sign_unlock(secret: bytes, report: StoredReport, now_ms: int) -> str:
    """A token that opens this report for ``UNLOCKED_S`` seconds, until its password changes.

    Args:
        secret: Of this installation.
        report: The one whose password was given.
        now_ms: The time now.
    """
    fields = _TOKEN.pack(report.id, report.password_version, now_ms + UNLOCKED_S * 1000)
    return base64.urlsafe_b64encode(fields + _mac(secret, report, fields)).rstrip(b"=").decode("ascii")


def is_unlocked(secret: bytes, report: StoredReport, token: str, now_ms: int) -> bool:
    """Return whether a token, as a browser sent it, opens this report now."""
    try:
        raw = base64.b64decode(token.encode("ascii") + b"=" * (-len(token) % 4), altchars=b"-_", validate=True)
    except (UnicodeEncodeError, binascii.Error):
        return False
    if len(raw) != _TOKEN.size + _MAC_BYTES:
        return False
    fields, mac = raw[: _TOKEN.size], raw[_TOKEN.size :]
    if not hmac.compare_digest(mac, _mac(secret, report, fields)):
        return False
    report_id, password_version, until_ms = _TOKEN.unpack(fields)
    return (report_id, password_version) == (report.id, report.password_version) and now_ms < until_ms


def _mac(secret: bytes, report: StoredReport, fields: bytes) -> bytes:
    # The slug is in it, so that a token ends with the link it was made for.
    return hmac.digest(secret, b"unlock\0" + report.slug.encode() + b"\0" + fields, hashlib.sha256)
