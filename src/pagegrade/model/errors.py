"""Every way a run or an input can fail, with a stable code.

PagegradeError
├── InvalidInput            what the caller handed in cannot be used
│   ├── InvalidURL
│   ├── URLNotAllowed
│   └── InvalidArtifacts
└── RunFailed               the page could not be analysed
    └── (code says which of ``FAILURE_CODES``)
"""

from __future__ import annotations

from typing import ClassVar, Final

FAILURE_CODES: Final[dict[str, tuple[bool, str]]] = {
    "dns": (True, "The host name could not be resolved."),
    "connect": (True, "No connection to the site could be made."),
    "tls": (True, "The secure connection could not be set up."),
    "timeout": (True, "The site did not answer within the time allowed."),
    "blocked": (True, "The site refused our fetcher or showed it a challenge page."),
    "http_error": (True, "The site answered with an error status."),
    "too_large": (False, "The page is larger than the limit."),
    "not_html": (False, "The address does not lead to an HTML page."),
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
        """What happened and what to do, for people."""
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


class RunFailed(PagegradeError):
    """The page could not be analysed."""

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
