"""The parts of the API's description that many operations share: parameters, headers, tags."""

from __future__ import annotations

from typing import Any, Final

JSONObject = dict[str, Any]

TAGS: Final[dict[str, str]] = {
    "Reports": "One URL under your account with its grade, its results and a page to share.",
    "Batches": "Many reports from one call.",
    "Keys": "API keys, for programs that set up others.",
    "Members": "The people who work in the account, and what they may do.",
    "Invitations": "Links that make people members.",
    "Ignore rules": "Findings that an account has decided to live with.",
    "Monitors": "Reports that are analyzed again on a schedule, with budgets.",
    "Access profiles": "What analyses send to the origins of own pages, to be let in.",
    "Audits": "Sites that are crawled and graded as a whole.",
    "Crawls": "Passes over the site of an audit, with what was found on its pages.",
    "Silences": "Times in which people get no messages about a monitor or a site.",
    "Webhooks": "Deliveries of events to URLs, chat channels and e-mail addresses.",
    "Runs": "The analyses of a report: each is numbered and never changes.",
    "Criteria": "Success criteria of WCAG 2.2 on the page of a report, and the results that persons record.",
    "Projects": "The hosts your reports are about.",
    "Account": "Your account, its limits and its usage.",
    "Checks": "The catalogue of checks. No key is needed.",
    "Service": "The interface itself. No key is needed.",
}

LARGEST_ID: Final = 2**63 - 1
"""Of a report; the databases count no further."""


def _described(description: str, example: Any, **keywords: Any) -> JSONObject:
    """A parameter or header; its values are text unless ``keywords`` of their schema say otherwise."""
    return {"description": description, "schema": {"type": "string"} | keywords, "example": example}


def _number(description: str, example: int) -> JSONObject:
    return _described(description, example, type="integer", format="int64", minimum=1, maximum=LARGEST_ID)


PATH_PARAMETERS: Final[dict[str, JSONObject]] = {
    "id": _number("Number of the report, audit, batch, ignore rule, monitor, silence or webhook.", 1042),
    "number": _number("Number of the run within the report, or of the crawl within the audit, from 1.", 3),
    "finding": _number("Number of the finding in the result of the crawl, from 1.", 1),
    "page": _number("Number of the page in the crawl, from 1.", 17),
    "delivery": _number("Number of the delivery.", 88),
    "project": _described(
        "Host of the project, with its port where that is not the usual one.", "example.com", minLength=1, maxLength=300
    ),
    "check": _described(
        "Id of the check.", "title-length", minLength=1, maxLength=64, pattern="^[a-z0-9]+(-[a-z0-9]+)*$"
    ),
    "criterion": _described(
        "Number of the success criterion in WCAG 2.2.",
        "1.4.5",
        minLength=5,
        maxLength=6,
        pattern="^[1-4]\\.[1-5]\\.[0-9]{1,2}$",
    ),
    "picture": _described(
        "Name of a picture, as `rendered.pictures` or `page.preview` of the report has it.",
        "viewport",
        minLength=1,
        maxLength=16,
        pattern="^[a-z0-9]+(-[a-z0-9]+)*$",
    ),
}

REQUEST_HEADERS: Final[dict[str, JSONObject]] = {
    "Prefer": {
        "description": "Preferences (RFC 7240). `wait=N` waits up to N seconds, 50 at most, for a running "
        "analysis; `respond-async` does not wait; `handling=lenient` ignores query values that cannot be used; "
        "`return=minimal` answers a change with `id`, `object` and `state` alone. Others are ignored.",
        "schema": {"type": "string"},
        "examples": {
            "wait": {"summary": "Wait up to ten seconds", "value": "wait=10"},
            "async": {"summary": "Do not wait", "value": "respond-async"},
            "lenient": {"summary": "Ignore what cannot be used", "value": "handling=lenient"},
        },
    },
    "If-Match": _described("Do it only while this is still the report's ETag (RFC 9110 13.1.1).", '"1042-7"'),
    "If-None-Match": _described(
        "Answer 304 without a body while this is still the ETag; do a change only when it no longer is "
        "(RFC 9110 13.1.2).",
        '"1042-7"',
    ),
    "If-Modified-Since": _described(
        "Answer 304 without a body when nothing has changed since (RFC 9110 13.1.3).", "Mon, 05 Jan 2026 12:34:56 GMT"
    ),
    "If-Unmodified-Since": _described(
        "Do it only when nothing has changed since (RFC 9110 13.1.4).", "Mon, 05 Jan 2026 12:34:56 GMT"
    ),
    "Idempotency-Key": _described(
        "A random word that makes it safe to send the same request again within 24 hours: the second "
        "one gets the answer of the first.",
        "0c3f5a0e-6d5c-4f0e-9d0a-1f4a7f3b2c11",
        minLength=1,
        maxLength=255,
        pattern="^[\\x21-\\x7e]+$",
    ),
}

ANSWER_HEADERS: Final[dict[str, JSONObject]] = {
    "Location": _described("Address of the report.", "https://reports.example.org/api/v1/reports/1042", format="uri"),
    "ETag": _described("Names this state of the report; changes with every change (RFC 9110 8.8.3).", '"1042-7"'),
    "Last-Modified": _described("Time of the last change.", "Mon, 05 Jan 2026 12:34:56 GMT"),
    "Link": _described(
        "The pages of the list: first, prev, next, last (RFC 8288).",
        '<https://reports.example.org/api/v1/reports?per_page=10&page=2>; rel="next"',
    ),
    "Retry-After": _described("Whole seconds to wait before asking again.", 2, type="integer", minimum=0),
    "Preference-Applied": _described("Preferences of Prefer that were applied (RFC 7240).", "wait=10"),
    "Idempotency-Replayed": _described(
        "The answer is that of an earlier request with the same Idempotency-Key.", "true", enum=["true"]
    ),
    "WWW-Authenticate": _described("Scheme of the key, or the missing scope (RFC 6750).", 'Bearer realm="api"'),
    "Accept": _described(
        "Media types that are read.", "application/x-www-form-urlencoded, multipart/form-data, application/json"
    ),
    "Accept-Post": _described(
        "Media types that are read.", "application/x-www-form-urlencoded, multipart/form-data, application/json"
    ),
    "RateLimit": _described("Remaining calls, and seconds until there are more.", '"requests";r=119;t=1'),
    "RateLimit-Policy": _described("Calls that a key may make in a minute.", '"requests";q=120;w=60'),
    "X-RateLimit-Limit": _described("Calls that a key may make in a minute.", 120, type="integer", minimum=0),
    "X-RateLimit-Remaining": _described("Calls that may be made now.", 119, type="integer", minimum=0),
    "X-Request-Id": _described("Names this request in the logs.", "5f0d9c1be2a74c33"),
}

WITH_KEY: Final = ("RateLimit", "RateLimit-Policy", "X-RateLimit-Limit", "X-RateLimit-Remaining")
"""Headers of every answer to a call that shows a key."""
ALWAYS: Final = ("X-Request-Id",)
"""Headers of every answer."""
PROBLEM_HEADERS: Final[dict[str, tuple[str, ...]]] = {
    "unauthenticated": ("WWW-Authenticate",),
    "insufficient_scope": ("WWW-Authenticate",),
    "idempotency_in_progress": ("Retry-After",),
    "report_deleted": (),
    "precondition_failed": ("ETag",),
    "unsupported_media_type": ("Accept", "Accept-Post"),
    "rate_limited": ("Retry-After",),
    "quota_exceeded": (),
    "crawl_limit": (),
    "unavailable": ("Retry-After",),
}
"""Code -> headers its answer has besides those of every answer."""

DESCRIPTION: Final = """\
Enter a URL and get a graded report on the page, with the reason for every point of the score.

**Keys.** Send your key with every call: `Authorization: Bearer pgk_...`. Only the catalogue of checks and this
description need none.

**State and status.** The HTTP status speaks of your request, `state` of the analysis. Creating a report answers 201:
with the finished report when that is ready in time, else with `state: queued` or `running` and `Retry-After`. A page
that could not be analyzed is a report with `state: failed` and the reason in `error`, not an error of the call.

**Bodies** may be forms, multipart forms or JSON objects with the same members, for every call that takes one. Answers
are JSON; times are in UTC.

**Problems** are `application/problem+json` (RFC 9457). Match on `code`; each `type` is a page that explains it.

**Change.** New members may appear in answers at any time; nothing is removed within v1.
"""
