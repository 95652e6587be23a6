"""Share pages: who may see a report by its link, and what of it."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import re
import struct
from dataclasses import replace
from typing import Final

from pagegrade.model.identity import VERSION
from pagegrade.model.report import Report
from pagegrade.model.stored import UNFINISHED, Privacy, StoredReport
from pagegrade.report.json import report_from_dict
from pagegrade.report.masking import mask_report
from pagegrade.service.representation import report_object
from pagegrade.store.database import Transaction
from pagegrade.store.reports import load_report_by_slug

UNLOCKED_S: Final = 12 * 3600
"""How long a password opens a report for one browser."""
_SLUG: Final = re.compile(r"[0-9A-Za-z_-]{22}")
_TOKEN: Final = struct.Struct(">QIQ")
"""Report, version of its password, end in milliseconds since 1970."""
_MAC_BYTES: Final = 32
_AGAIN: Final = "A new analysis is under way; this is the report from before."
_FAILED_AGAIN: Final = "The page could not be analysed the last time; this is the report from before."


def find_shared(tx: Transaction, slug: str, *, expired_before_ms: int | None = None) -> StoredReport | None:
    """The report behind a share link.

    Args:
        tx: Any transaction.
        slug: As in the address, however long or strange.
        expired_before_ms: Reports dated before are as good as deleted; ``None``: none expires.

    Returns:
        ``None`` when there is none, or its account keeps it to itself: nobody can tell the two apart.
    """
    if _SLUG.fullmatch(slug) is None:
        return None
    found = load_report_by_slug(tx, slug, expired_before_ms=expired_before_ms)
    return None if found is None or found.privacy == Privacy.PRIVATE else found


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
    """Whether a token, as a browser sent it, opens this report now."""
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


def shown_report(report: StoredReport, detail: bytes | None, *, base_url: str) -> Report | None:
    """What a share page shows: the last good results, else the failure; query values of the address are masked.

    Args:
        report: The stored report.
        detail: JSON of ``results`` and ``page`` of the shown run; ``None`` when there is none.
        base_url: Public origin of this installation.

    Returns:
        ``None`` while the first analysis is under way.
    """
    has_results = report.generated_at_ms is not None
    if not has_results and report.state in UNFINISHED:
        return None
    members = json.loads(report_object(report, base_url=base_url, detail=detail))
    note = ""
    if has_results:
        note = _AGAIN if report.state in UNFINISHED else _FAILED_AGAIN if report.state == "failed" else ""
        members |= {"state": "completed", "error": None}
    members["results"] = members.get("results") or {}
    members["run"] = members.get("run") or {"engine": VERSION}
    members["generated_at"] = members.get("generated_at") or members["updated_at"]
    shown = mask_report(report_from_dict(members))
    return replace(shown, run=replace(shown.run, notes=(note, *shown.run.notes))) if note else shown
