"""Access to an audit by its link, and the result that it shows. An audit is private until it is shared."""

from __future__ import annotations

import secrets
from typing import Final

import msgspec

from pagegrade.model.account import Brand, Caller
from pagegrade.model.audit import Audit, Crawl
from pagegrade.model.audit_result import AuditResult
from pagegrade.model.stored import Privacy
from pagegrade.report.masking import mask_audit
from pagegrade.service.access.operations import profile_in_use
from pagegrade.service.reports.operations import SLUG_BYTES
from pagegrade.service.reports.shares import sharing_after
from pagegrade.service.reports.validation import PASSWORD_IGNORED, RequestWarning, SharingChange
from pagegrade.store.engine.database import Transaction
from pagegrade.store.repositories import audits as store
from pagegrade.store.repositories.accounts import load_brand

SHOWS_MORE: Final = RequestWarning(
    "privacy",
    "made_with_access",
    "The site is crawled with an access profile: whoever can read the audit sees what is not public.",
)


def audit_of_link(tx: Transaction, slug: str, expired_before_ms: int | None) -> Audit | None:  # noqa: ARG001
    """A ``LoadShared`` of audits, which do not expire."""
    return store.load_audit_by_slug(tx, slug)


def share_audit(tx: Transaction, audit: Audit, change: SharingChange, password_hash: str | None, now_ms: int) -> None:
    """Store who may see an audit; its link is made when it is first shared, and stays.

    Args:
        tx: A write transaction.
        audit: As it is.
        change: What ``read_sharing`` gave.
        password_hash: Of ``change.password``, where ``change.needs_hash``.
        now_ms: The time now.

    Raises:
        ValidationFailed: Privacy 2 without any password.
    """
    after = sharing_after(audit, change, password_hash)
    store.save_sharing(
        tx,
        audit,
        privacy=after.privacy,
        password_hash=after.password_hash,
        password_version=after.password_version,
        slug=audit.slug or ("" if after.privacy is Privacy.PRIVATE else secrets.token_urlsafe(SLUG_BYTES)),
        now_ms=now_ms,
    )


def shows_access(tx: Transaction, audit: Audit, change: SharingChange) -> bool:
    """Return whether a change shows to anyone with a link what needs an access profile, and did not before."""
    return change.privacy is Privacy.PUBLIC != audit.privacy and _needs_access(tx, audit)


def _needs_access(tx: Transaction, audit: Audit) -> bool:
    """The crawl that is shown was made with an access profile, or the next one will be."""
    shown = store.list_crawls(tx, audit.id, number=audit.graded or audit.crawl.number)
    facts = [crawl.facts for crawl, _ in shown if crawl.facts is not None]
    if any(one.access is not None for one in facts):
        return True
    return profile_in_use(tx, audit.account_id, audit.start_url, audit.settings.access) is not None


def sharing_warnings(
    tx: Transaction, caller: Caller, audit: Audit, change: SharingChange
) -> tuple[RequestWarning, ...]:
    """Warnings about a change of who may see an audit.

    Args:
        tx: Transaction.
        caller: Whose it is.
        audit: After the change.
        change: That was made.
    """
    warnings = []
    if change.password is not None and audit.privacy != Privacy.PASSWORD:
        warnings.append(PASSWORD_IGNORED)
    if change.privacy is Privacy.PUBLIC and caller.account.id == audit.account_id and _needs_access(tx, audit):
        warnings.append(SHOWS_MORE)
    return tuple(warnings)


class SharedResult(msgspec.Struct, frozen=True):
    """The newest result of an audit, as people with its link see it."""

    crawl: Crawl
    result: AuditResult
    brand: Brand
    """Look that the account of the audit chose."""


def view_shared_audit(tx: Transaction, audit: Audit) -> SharedResult | None:
    """Read the result that people with the link of an audit see; ``None``: no crawl was evaluated yet."""
    found = [] if audit.graded is None else store.list_crawls(tx, audit.id, number=audit.graded)
    for crawl, _ in found:
        result = store.load_result(tx, crawl.id)
        if result is not None:
            return SharedResult(crawl, mask_audit(result), load_brand(tx, audit.account_id))
    return None
