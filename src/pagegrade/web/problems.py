"""All problems of the API: stable code -> HTTP status and title. No other module maps errors to HTTP statuses.

Each kind has its explanation, for its page, the reference and the description of the API.

Source: https://www.rfc-editor.org/rfc/rfc9457
"""

from __future__ import annotations

from typing import Final, Literal, cast
from urllib.parse import quote

import msgspec
from msgspec import UNSET

from pagegrade.model.errors import (
    IdempotencyInProgress,
    InsufficientScope,
    InvalidInput,
    PagegradeError,
    PreconditionFailed,
    RateLimited,
    Refused,
    Unauthenticated,
    Unavailable,
    ValidationFailed,
    Violation,
)
from pagegrade.render.english import N_
from pagegrade.web.schemas import envelope as schemas
from pagegrade.web.schemas.shape import extended

PROBLEMS: Final[dict[str, tuple[int, str]]] = {
    "bad_request": (400, N_("Bad request")),
    "unauthenticated": (401, N_("Unauthenticated")),
    "insufficient_scope": (403, N_("Insufficient scope")),
    "not_found": (404, N_("Not found")),
    "method_not_allowed": (405, N_("Method not allowed")),
    "not_acceptable": (406, N_("Not acceptable")),
    "idempotency_in_progress": (409, N_("Request in progress")),
    "report_deleted": (410, N_("Report deleted")),
    "precondition_failed": (412, N_("Precondition failed")),
    "too_large": (413, N_("Too large")),
    "unsupported_media_type": (415, N_("Unsupported media type")),
    "validation_failed": (422, N_("Validation failed")),
    "url_not_allowed": (422, N_("URL not allowed")),
    "idempotency_key_reused": (422, N_("Idempotency key reused")),
    "rate_limited": (429, N_("Too many requests")),
    "quota_exceeded": (429, N_("Quota exceeded")),
    "crawl_limit": (429, N_("Too many crawls")),
    "internal_error": (500, N_("Internal error")),
    "not_implemented": (501, N_("Not implemented")),
    "pdf_not_installed": (501, N_("PDF not installed")),
    "audit_not_installed": (501, N_("Parquet not installed")),
    "unavailable": (503, N_("Unavailable")),
}
"""Code -> (status, title)."""
API_CODES: Final = {
    "internal": "internal_error",
    "invalid_input": "validation_failed",
    "invalid_url": "validation_failed",
    "invalid_artifacts": "validation_failed",
    "refused": "bad_request",
}
"""Code of ``model.errors`` -> code in the API, where the two differ."""
MEDIA_TYPE: Final = "application/problem+json"
REALM: Final = 'Bearer realm="api"'
RETRY_AFTER_S: Final = 2
"""Default wait time."""
_TEMPORARY: Final = (IdempotencyInProgress, RateLimited, Unavailable)
_PATH_CHARACTERS: Final = "/%:@!$&'(),;=-._~*+"
"""Characters that need no escaping in a path (RFC 3986 3.3)."""


class Rejected(Exception):
    """A request that is rejected for a reason known only to HTTP."""

    def __init__(
        self, code: str, message: str, *, status: int | None = None, headers: tuple[tuple[str, str], ...] = ()
    ) -> None:
        super().__init__(message)
        self.code = code
        """One of ``PROBLEMS``."""
        self.message = message
        self.status = status or PROBLEMS[code][0]
        """HTTP status; one code may have several: a body, a URL and a header can each be too large."""
        self.headers = headers


class Problem(msgspec.Struct, frozen=True, kw_only=True):
    """A problem, ready to be sent."""

    code: str
    status: int
    message: str
    headers: tuple[tuple[str, str], ...] = ()
    violations: tuple[Violation, ...] | None = None
    """``None`` if no field caused it."""


def bad_request(message: str) -> Rejected:
    """Return the error for a request that cannot be parsed."""
    return Rejected("bad_request", message)


def problem_of(error: PagegradeError | Rejected) -> Problem:
    """Convert an error to the problem that the client receives."""
    if isinstance(error, Rejected):
        return Problem(code=error.code, status=error.status, message=error.message, headers=error.headers)
    code = API_CODES.get(error.code, error.code)
    if code not in PROBLEMS or code == "internal_error":
        return internal_error()
    return Problem(
        code=code,
        status=PROBLEMS[code][0],
        message=error.message,
        headers=_headers(error),
        violations=_violations(error, code),
    )


def internal_error() -> Problem:
    """Return the problem for an unexpected error, without details."""
    return Problem(
        code="internal_error",
        status=PROBLEMS["internal_error"][0],
        message="Something went wrong inside Pagegrade. Try again; if it stays, report the request_id.",
    )


def problem_body(problem: Problem, *, base_url: str, path: str, request_id: str) -> bytes:
    """Encode a problem as JSON.

    Args:
        base_url: Public origin; ``type`` is a page under it.
        path: Path as the client sent it, without the query.
    """
    document = schemas.Problem(
        type=f"{base_url}/problems/{problem.code.replace('_', '-')}",
        title=PROBLEMS[problem.code][1],
        status=problem.status,
        detail=problem.message,
        instance=quote(path, safe=_PATH_CHARACTERS),
        code=problem.code,
        message=problem.message,
        request_id=request_id,
    )
    if problem.violations is None:
        return msgspec.json.encode(document)
    errors: dict[str, list[str]] = {}
    for violation in problem.violations:
        errors.setdefault(violation.field, []).append(violation.message)
    violations = [_violation(violation) for violation in problem.violations]
    return msgspec.json.encode(extended(document, schemas.ValidationProblem, errors=errors, violations=violations))


def _headers(error: PagegradeError) -> tuple[tuple[str, str], ...]:
    if isinstance(error, Unauthenticated):
        return (("WWW-Authenticate", f'{REALM}, error="invalid_token"' if error.presented else REALM),)
    if isinstance(error, InsufficientScope):
        scope = f', scope="{error.scope}"' if error.scope else ""
        return (("WWW-Authenticate", f'{REALM}, error="insufficient_scope"{scope}'),)
    if isinstance(error, PreconditionFailed):
        return (("ETag", error.etag),)
    if isinstance(error, Refused) and (error.retry_after_s is not None or isinstance(error, _TEMPORARY)):
        return (("Retry-After", str(max(1, error.retry_after_s or RETRY_AFTER_S))),)
    return ()


def _violations(error: PagegradeError, code: str) -> tuple[Violation, ...] | None:
    if isinstance(error, ValidationFailed):
        return error.violations
    if isinstance(error, InvalidInput):
        # Only one field is validated by more than its shape.
        field = "url" if error.code in {"invalid_url", "url_not_allowed"} else "request"
        return (Violation(field=field, place="body", code=error.reason or error.code, message=error.message),)
    return () if code == "validation_failed" else None


def _violation(violation: Violation) -> schemas.ProblemViolation:
    return schemas.ProblemViolation(
        field=violation.field,
        in_=cast("Literal['query', 'body']", violation.place),
        code=violation.code,
        allowed=list(violation.allowed) if violation.allowed else UNSET,
        limit=UNSET if violation.limit is None else violation.limit,
    )


EXAMPLE_BASE: Final = "https://reports.example.org"
EXAMPLE_REQUEST_ID: Final = "5f0d9c1be2a74c33"


class ProblemText(msgspec.Struct, frozen=True, kw_only=True):
    """Explanation of one kind of problem."""

    happened: str
    """Summary of the problem in one or two sentences; `` ` `` marks code here and below."""
    causes: tuple[str, ...]
    """Usual causes."""
    steps: tuple[str, ...]
    """Steps to solve it, the likeliest first."""
    detail: str
    """``detail`` of the example answer."""
    request: str
    """Request that leads to the example answer: ``METHOD path`` and the relevant headers or body."""
    fields: tuple[tuple[str, str, str, tuple[str | int, ...]], ...] = ()
    """Violations of the example: (field, code, sentence, allowed values)."""


TEXTS: Final[dict[str, ProblemText]] = {
    "bad_request": ProblemText(
        happened=N_("The request could not be read, so nothing was done."),
        causes=(
            N_("The body is not the JSON or the form it says it is, names a member twice, or holds a NUL byte."),
            N_("The text is not UTF-8."),
            N_("A header such as `Prefer` or `Idempotency-Key` is not written the way it has to be."),
        ),
        steps=(
            N_("Read `detail`: it says which part could not be read."),
            N_("Encode text as UTF-8 and let a library write the JSON or the form."),
            N_("Write an `Idempotency-Key` of 1 to 255 visible characters, and `Prefer` as in `Prefer: wait=10`."),
        ),
        detail="The body is not valid JSON.",
        request='POST /api/v1/reports\nContent-Type: application/json\n\n{"url": "https://example.com/"',
    ),
    "unauthenticated": ProblemText(
        happened=N_("The call came without an API key that works."),
        causes=(
            N_("No key was sent, or not in the header `Authorization`."),
            N_("The key was cut short or mistyped on the way."),
            N_("The key has expired or was revoked, or its account was closed."),
        ),
        steps=(
            N_("Send the whole key in the header: `Authorization: Bearer pgk_...`"),
            N_("Never put it in the URL or in the body: it is not read from there."),
            N_("Create a new one on the machine that Pagegrade runs on: `pagegrade keys create --name ci`"),
        ),
        detail="A valid API key is needed: send it as Authorization: Bearer KEY.",
        request="GET /api/v1/reports",
    ),
    "insufficient_scope": ProblemText(
        happened=N_("The key is valid and lacks the permission for this call."),
        causes=(
            N_("A key is limited to scopes, and this one lacks the scope of the call."),
            N_("A key can be limited to one site, and the call is for another one, or for the whole account."),
        ),
        steps=(
            N_("Use a key with the scope that the header `WWW-Authenticate` names, of the site."),
            N_("Or create one: `pagegrade keys create --name ci`"),
        ),
        detail="This key lacks the scope reports:write; use one that has it.",
        request="DELETE /api/v1/reports/1042",
    ),
    "not_found": ProblemText(
        happened=N_("There is nothing at this URL, or nothing your account may see."),
        causes=(
            N_("The report was deleted, or has expired."),
            N_("The number belongs to another account; that looks exactly like a number that never was."),
            N_("The path is not one of this interface, or has a slash too many."),
        ),
        steps=(
            N_("Look the number up in the list: `GET /api/v1/reports`"),
            N_("Check whose key you are using: `GET /api/v1/account`"),
            N_("Compare the path with the description of the interface at `/docs`."),
        ),
        detail="There is nothing here.",
        request="GET /api/v1/reports/7",
    ),
    "method_not_allowed": ProblemText(
        happened=N_("The URL exists, and cannot be called with this method."),
        causes=(N_("The method is not one of this URL."),),
        steps=(N_("Use one of the methods that the header `Allow` of the answer names."),),
        detail="This URL supports GET, HEAD, OPTIONS and POST.",
        request="DELETE /api/v1/reports",
    ),
    "not_acceptable": ProblemText(
        happened=N_("The call accepts only formats that cannot be given here."),
        causes=(N_("The header `Accept` rules out JSON."),),
        steps=(N_("Send `Accept: application/json`, or leave the header out."),),
        detail="This URL answers in application/json; let Accept allow it.",
        request="GET /api/v1/reports\nAccept: text/csv",
    ),
    "idempotency_in_progress": ProblemText(
        happened=N_("A request with the same `Idempotency-Key` is being carried out at this moment."),
        causes=(N_("The request was sent again before the first one was stored."),),
        steps=(N_("Wait as long as `Retry-After` says, then send the same request again."),),
        detail="A request with this Idempotency-Key is being carried out.",
        request="POST /api/v1/reports\nIdempotency-Key: 5f0d9c1b\n\nurl=https%3A%2F%2Fexample.com%2F",
    ),
    "report_deleted": ProblemText(
        happened=N_("The request was carried out before, and the report it made has been deleted since."),
        causes=(N_("The same `Idempotency-Key` was sent again after the report was deleted or had expired."),),
        steps=(N_("Take a new `Idempotency-Key` to create a new report."),),
        detail="The report of this request has been deleted.",
        request="POST /api/v1/reports\nIdempotency-Key: 5f0d9c1b\n\nurl=https%3A%2F%2Fexample.com%2F",
    ),
    "precondition_failed": ProblemText(
        happened=N_("The resource has changed since you read it, so your change was not made."),
        causes=(N_("`If-Match` named a version that is no longer the current one."),),
        steps=(
            N_("Read it again; the header `ETag` names its current version."),
            N_("Decide anew whether your change still makes sense, and send it with that version."),
        ),
        detail="The resource has changed since you read it: read it again and decide anew.",
        request='PUT /api/v1/reports/1042\nIf-Match: "1042-6"\n\nprivacy=1',
    ),
    "too_large": ProblemText(
        happened=N_("The request is larger than what is read."),
        causes=(
            N_("The body has more than 64 KiB."),
            N_("The URL or the headers are longer than a server can be expected to read."),
        ),
        steps=(
            N_("Send only the fields of the call: a URL of up to 2048 characters, a number, a password."),
            N_("Look for a loop that makes the URL or a cookie longer with every call."),
        ),
        detail="The body is larger than 65536 bytes.",
        request="POST /api/v1/reports\nContent-Length: 1048576",
    ),
    "unsupported_media_type": ProblemText(
        happened=N_("The body is in a format that is not read here."),
        causes=(
            N_("The header `Content-Type` names another format."),
            N_("The body is compressed, or its text is not UTF-8."),
        ),
        steps=(
            N_("Send `application/x-www-form-urlencoded`, `multipart/form-data` or `application/json`."),
            N_("Do not compress the body."),
        ),
        detail="Send application/x-www-form-urlencoded, multipart/form-data or application/json.",
        request="POST /api/v1/reports\nContent-Type: text/plain\n\nhttps://example.com/",
    ),
    "validation_failed": ProblemText(
        happened=N_("One or more fields of the request cannot be used, so nothing was done."),
        causes=(
            N_("A field that is needed is missing."),
            N_("A value is not one of those there are, or is too long."),
        ),
        steps=(
            N_("Read `errors`: it says for every field what is wrong. `violations` says the same for programs."),
            N_("To have unknown values of a list's parameters ignored instead, send `Prefer: handling=lenient`."),
        ),
        detail="2 fields need attention.",
        request="POST /api/v1/reports\n\nprivacy=3",
        fields=(
            ("url", "required", "Required.", ()),
            ("privacy", "not_in", "Must be one of 0, 1, 2.", (0, 1, 2)),
        ),
    ),
    "url_not_allowed": ProblemText(
        happened=N_("The URL is valid, and Pagegrade must not contact it."),
        causes=(
            N_("It names an address inside a private network, or this machine."),
            N_("It names a port that is not open for analyses."),
        ),
        steps=(
            N_("Use the public URL of the page."),
            N_(
                "If Pagegrade is yours and the page is on your own machine or network, allow that: "
                "`PAGEGRADE_ALLOW_NETWORKS=127.0.0.0/8 make serve`."
            ),
        ),
        detail="The URL may not be contacted.",
        request="POST /api/v1/reports\n\nurl=http%3A%2F%2F10.0.0.1%2F",
        fields=(("url", "url_not_allowed", "The URL may not be contacted.", ()),),
    ),
    "idempotency_key_reused": ProblemText(
        happened=N_("This `Idempotency-Key` belongs to an earlier request with another body."),
        causes=(N_("A key was used again for another request within 24 hours."),),
        steps=(
            N_("Create a new random key for every new request."),
            N_("Keep the key, and the body byte for byte, only when you send the same request again."),
        ),
        detail="This Idempotency-Key belongs to a request with another body: take a new key.",
        request="POST /api/v1/reports\nIdempotency-Key: 5f0d9c1b\n\nurl=https%3A%2F%2Fexample.com%2Fother",
    ),
    "rate_limited": ProblemText(
        happened=N_("Too many requests came in the last minute; this one was not done."),
        causes=(
            N_("The key has made more calls, or asked for more analyses, than it may in a minute."),
            N_("Many wrong keys came from the same network address."),
        ),
        steps=(
            N_("Wait as long as `Retry-After` says, then send the request again."),
            N_("Spread the calls: `RateLimit` and `X-RateLimit-Remaining` of every answer say how many are left."),
            N_("Ask less often: `Prefer: wait=50` on a report waits for its result, and an answer 304 costs nothing."),
        ),
        detail="Too many requests; wait and try again.",
        request="GET /api/v1/reports",
    ),
    "quota_exceeded": ProblemText(
        happened=N_("The account has as much as it may have at a time."),
        causes=(
            N_("It has as many reports, or as many unfinished analyses, as its limits allow."),
            N_("It has used a quota of this month, such as its analyses."),
        ),
        steps=(
            N_("Look at `limits` and `usage`: `GET /api/v1/account`"),
            N_("Wait until analyses have finished, or delete reports that are no longer needed."),
            N_("Wait for the next month, which begins at midnight UTC, or ask an administrator for a larger quota."),
        ),
        detail="The account has used up what it may have at a time.",
        request="POST /api/v1/reports\n\nurl=https%3A%2F%2Fexample.com%2F",
    ),
    "crawl_limit": ProblemText(
        happened=N_("The account has as many unfinished crawls as it may have."),
        causes=(N_("Its site audits are still being crawled or evaluated, or are paused."),),
        steps=(
            N_("Wait until one of them has ended: `GET /api/v1/audits?state=crawling`"),
            N_("Cancel or delete an audit that is no longer needed."),
        ),
        detail="Too many crawls of the account have not ended.",
        request='POST /api/v1/audits\nContent-Type: application/json\n\n{"url": "https://example.com/"}',
    ),
    "internal_error": ProblemText(
        happened=N_("Something went wrong inside Pagegrade. It is not your fault."),
        causes=(N_("An error in Pagegrade that is not known yet."),),
        steps=(
            N_("Try again once. Reading and deleting are safe to repeat; so is creating with an `Idempotency-Key`."),
            N_("If it happens again, report it with the `request_id`: the log knows what happened by that name."),
        ),
        detail="Something went wrong inside Pagegrade. Try again; if it stays, report the request_id.",
        request="GET /api/v1/reports/1042",
    ),
    "not_implemented": ProblemText(
        happened=N_("The method of the request is none that this server knows."),
        causes=(N_("The method is misspelled, or belongs to an extension of HTTP such as WebDAV."),),
        steps=(N_("Use `GET`, `HEAD`, `POST`, `PUT`, `PATCH`, `DELETE` or `OPTIONS`."),),
        detail="The methods known here are GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS, TRACE, CONNECT.",
        request="PROPFIND /api/v1/reports",
    ),
    "pdf_not_installed": ProblemText(
        happened=N_("This installation of Pagegrade cannot create PDF files."),
        causes=(N_("It was installed without the extra `pdf`, which is 84 MB large and therefore optional."),),
        steps=(
            N_("If Pagegrade is yours, install it with the extra and start it again: `pip install 'pagegrade[pdf]'`."),
            N_("Take the report in another format, for example `format=html`, and print it from a browser."),
        ),
        detail="This installation cannot make PDF files: install pagegrade[pdf], or choose another format.",
        request="GET /api/v1/reports/1042\nAccept: application/pdf",
    ),
    "audit_not_installed": ProblemText(
        happened=N_("This installation of Pagegrade cannot create Parquet files."),
        causes=(N_("It was installed without the extra `audit`, which is 70 MB large and therefore optional."),),
        steps=(
            N_(
                "If Pagegrade is yours, install it with the extra and start it again: `pip install 'pagegrade[audit]'`."
            ),
            N_("Take the table as CSV, for example `what=pages`."),
        ),
        detail="Audits of sites need DuckDB: install it with pip install 'pagegrade[audit]'.",
        request="GET /api/v1/audits/12/export",
    ),
    "unavailable": ProblemText(
        happened=N_("Pagegrade cannot do this right now."),
        causes=(
            N_("It is being restarted."),
            N_("More analyses are waiting than it can promise to do."),
            N_("Its database cannot be reached, or its disk is full."),
        ),
        steps=(N_("Wait as long as `Retry-After` says, then send the request again."),),
        detail="Pagegrade cannot do this right now; try again soon.",
        request="POST /api/v1/reports\n\nurl=https%3A%2F%2Fexample.com%2F",
    ),
}
"""Code -> explanation."""


def statuses_of(code: str) -> tuple[int, ...]:
    """Return the HTTP statuses of a problem code, the usual one first."""
    # A body, a URL and the headers can each be too large.
    return (413, 414, 431) if code == "too_large" else (PROBLEMS[code][0],)


def example_problem(code: str, *, status: int | None = None, base_url: str = EXAMPLE_BASE) -> tuple[str, bytes]:
    """Return (summary, example answer as it is sent).

    Args:
        code: One of ``PROBLEMS``.
        status: HTTP status for codes with several; ``None`` for the first.
        base_url: Public origin of the installation.
    """
    text = TEXTS[code]
    problem = Problem(
        code=code,
        status=status or PROBLEMS[code][0],
        message=text.detail,
        violations=tuple(
            Violation(field=field, place="body", code=kind, message=sentence, allowed=allowed)
            for field, kind, sentence, allowed in text.fields
        )
        or None,
    )
    path = text.request.split(maxsplit=2)[1]
    return text.happened, problem_body(problem, base_url=base_url, path=path, request_id=EXAMPLE_REQUEST_ID)
