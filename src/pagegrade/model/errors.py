"""Every way a run or an input can fail, with a stable code.

PagegradeError
├── InvalidInput            what the caller handed in cannot be used
│   ├── InvalidURL
│   ├── URLNotAllowed
│   ├── InvalidArtifacts
│   └── ValidationFailed    fields of a request, each with its own sentence
├── Refused                 the request is understood, and not done
│   ├── Unauthenticated
│   ├── InsufficientScope
│   ├── NotFound
│   ├── PreconditionFailed
│   ├── IdempotencyInProgress
│   ├── IdempotencyKeyReused
│   ├── ReportDeleted
│   ├── RateLimited
│   ├── QuotaExceeded
│   ├── PDFNotInstalled
│   └── Unavailable
└── RunFailed               the page could not be analyzed
    └── (code says which of ``FAILURE_CODES``)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar, Final, TypeVar

import msgspec

from pagegrade.model.account import QuotaName

T = TypeVar("T")
FAILURE_CODES: Final[dict[str, tuple[bool, str]]] = {
    "dns": (True, "The host name could not be resolved."),
    "connect": (True, "No connection to the site could be made."),
    "tls": (True, "The secure connection could not be set up."),
    "timeout": (True, "The site did not answer within the time allowed."),
    "blocked": (True, "The site refused our fetcher or showed it a challenge page."),
    "http_error": (True, "The site answered with an error status."),
    "too_large": (False, "The page is larger than the limit."),
    "not_html": (False, "The URL does not lead to an HTML page."),
    "redirect_loop": (False, "The redirects never end."),
    "address_not_allowed": (False, "The address is not one that may be contacted."),
    "internal": (True, "Something went wrong inside Pagegrade."),
}
"""Code of a failed analysis -> (worth trying again, what happened in words)."""


class PagegradeError(Exception):
    """Something went wrong."""

    code: ClassVar[str] = "internal"
    retryable: bool = False

    def __init__(self, message: str | None = None) -> None:
        super().__init__(message or (type(self).__doc__ or "").strip())

    @property
    def message(self) -> str:
        """The problem and its solution, for people."""
        return str(self)


class InvalidInput(PagegradeError):
    """The input cannot be used."""

    code: ClassVar[str] = "invalid_input"

    def __init__(self, message: str | None = None, *, reason: str | None = None) -> None:
        super().__init__(message)
        self.reason = reason
        """A finer stable word than ``code``, e.g. ``userinfo_not_allowed``; ``None`` where there is none."""


class InvalidURL(InvalidInput):
    """The URL cannot be read."""

    code: ClassVar[str] = "invalid_url"


class URLNotAllowed(InvalidInput):
    """The URL may not be contacted."""

    code: ClassVar[str] = "url_not_allowed"


class InvalidArtifacts(InvalidInput):
    """The artifacts cannot be read."""

    code: ClassVar[str] = "invalid_artifacts"


class Violation(msgspec.Struct, frozen=True, kw_only=True):
    """Error of one field of a request."""

    field: str
    place: str
    """``query`` or ``body``."""
    code: str
    """Stable word such as ``required``, ``not_in``, ``too_long``."""
    message: str
    """A sentence for people."""
    allowed: tuple[str | int, ...] = ()
    """The values there are, where they can be listed."""
    limit: int | None = None
    """The bound that was crossed, where there is one."""


class ValidationFailed(InvalidInput):
    """Fields of the request cannot be used."""

    code: ClassVar[str] = "validation_failed"

    def __init__(self, violations: Sequence[Violation]) -> None:
        count = len(violations)
        super().__init__("1 field needs attention." if count == 1 else f"{count} fields need attention.")
        self.violations = tuple(violations)


class Refused(PagegradeError):
    """The request is understood and not done."""

    code: ClassVar[str] = "refused"

    def __init__(self, message: str | None = None, *, retry_after_s: int | None = None) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s
        """Whole seconds to wait before the same request makes sense; ``None``: never, or unknown."""


class Unauthenticated(Refused):
    """A valid API key is needed: send it as Authorization: Bearer KEY."""

    code: ClassVar[str] = "unauthenticated"

    def __init__(self, message: str | None = None, *, presented: bool = False) -> None:
        super().__init__(message)
        self.presented = presented
        """A key was sent, and is not valid."""


class InsufficientScope(Refused):
    """The key may not do this."""

    code: ClassVar[str] = "insufficient_scope"

    def __init__(self, scope: str) -> None:
        super().__init__(f"This key lacks the scope {scope}; use one that has it.")
        self.scope = scope


class OtherProject(InsufficientScope):
    """The key may not do this for this project."""

    def __init__(self, project: str) -> None:
        Refused.__init__(self, f"This key is limited to the site {project}; use one that is not.")
        self.scope = ""


class NotFound(Refused):
    """There is nothing here."""

    code: ClassVar[str] = "not_found"


class PreconditionFailed(Refused):
    """The resource has changed since you read it: read it again and decide anew."""

    code: ClassVar[str] = "precondition_failed"

    def __init__(self, etag: str) -> None:
        super().__init__()
        self.etag = etag
        """The entity tag it has now."""


Condition = Callable[[T], str | None] | None
"""Returns the entity tag of an object that is not as the client knows it, else ``None``; ``None``: it did not ask."""


def refuse_if_changed(known: T, changed_tag: Condition[T]) -> None:
    """Refuse a change of an object that is not the one that the client knows.

    Raises:
        PreconditionFailed: It is not.
    """
    etag = None if changed_tag is None else changed_tag(known)
    if etag is not None:
        raise PreconditionFailed(etag)


class IdempotencyInProgress(Refused):
    """A request with this Idempotency-Key is being carried out."""

    code: ClassVar[str] = "idempotency_in_progress"
    retryable = True


class IdempotencyKeyReused(Refused):
    """This Idempotency-Key belongs to a request with another body: take a new key."""

    code: ClassVar[str] = "idempotency_key_reused"


class ReportDeleted(Refused):
    """The report, or the other resource, of this request has been deleted."""

    code: ClassVar[str] = "report_deleted"


class RateLimited(Refused):
    """Too many requests; wait and try again."""

    code: ClassVar[str] = "rate_limited"
    retryable = True


class QuotaExceeded(Refused):
    """The account has used up what it may have at a time."""

    code: ClassVar[str] = "quota_exceeded"
    retryable = True

    def __init__(
        self, message: str | None = None, *, quota: QuotaName | None = None, retry_after_s: int | None = None
    ) -> None:
        super().__init__(message, retry_after_s=retry_after_s)
        self.quota = quota
        """Its name; ``None``: a limit that all accounts have."""


class CrawlLimit(Refused):
    """Too many crawls of the account have not ended."""

    code: ClassVar[str] = "crawl_limit"
    retryable = True


class PDFNotInstalled(Refused):
    """This installation cannot make PDF files: install pagegrade[pdf], or choose another format."""

    code: ClassVar[str] = "pdf_not_installed"


class Unavailable(Refused):
    """Pagegrade cannot do this right now; try again soon."""

    code: ClassVar[str] = "unavailable"
    retryable = True

    def __init__(
        self,
        message: str | None = None,
        *,
        retry_after_s: int | None = None,
        reason: str | None = None,
        detail: str | None = None,
    ) -> None:
        super().__init__(message, retry_after_s=retry_after_s)
        self.detail = detail
        """The reason in the words of the database, without secrets, for the operator; not sent to callers."""
        self.reason = reason
        """For the operator, e.g. ``database_full``; not sent to callers. ``None`` where ``message`` is complete."""


class RunFailed(PagegradeError):
    """The page could not be analyzed."""

    def __init__(
        self,
        failure: str,
        message: str | None = None,
        *,
        reason: str | None = None,
        http_status: int | None = None,
    ) -> None:
        retryable, default = FAILURE_CODES[failure]
        super().__init__(message or default)
        self.failure = failure
        self.reason = reason
        self.http_status = http_status
        self.retryable = retryable
