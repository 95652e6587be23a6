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

PATH_PARAMETERS: Final[dict[str, JSONObject]] = {
    "id": {
        "description": "Number of the report, audit, batch, ignore rule, monitor, silence or webhook.",
        "schema": {"type": "integer", "format": "int64", "minimum": 1, "maximum": LARGEST_ID},
        "example": 1042,
    },
    "number": {
        "description": "Number of the run within the report, or of the crawl within the audit, from 1.",
        "schema": {"type": "integer", "format": "int64", "minimum": 1, "maximum": LARGEST_ID},
        "example": 3,
    },
    "finding": {
        "description": "Number of the finding in the result of the crawl, from 1.",
        "schema": {"type": "integer", "format": "int64", "minimum": 1, "maximum": LARGEST_ID},
        "example": 1,
    },
    "page": {
        "description": "Number of the page in the crawl, from 1.",
        "schema": {"type": "integer", "format": "int64", "minimum": 1, "maximum": LARGEST_ID},
        "example": 17,
    },
    "delivery": {
        "description": "Number of the delivery.",
        "schema": {"type": "integer", "format": "int64", "minimum": 1, "maximum": LARGEST_ID},
        "example": 88,
    },
    "project": {
        "description": "Host of the project, with its port where that is not the usual one.",
        "schema": {"type": "string", "minLength": 1, "maxLength": 300},
        "example": "example.com",
    },
    "check": {
        "description": "Id of the check.",
        "schema": {"type": "string", "minLength": 1, "maxLength": 64, "pattern": "^[a-z0-9]+(-[a-z0-9]+)*$"},
        "example": "title-length",
    },
    "criterion": {
        "description": "Number of the success criterion in WCAG 2.2.",
        "schema": {"type": "string", "minLength": 5, "maxLength": 6, "pattern": "^[1-4]\\.[1-5]\\.[0-9]{1,2}$"},
        "example": "1.4.5",
    },
    "picture": {
        "description": "Name of a picture, as `rendered.pictures` or `page.preview` of the report has it.",
        "schema": {"type": "string", "minLength": 1, "maxLength": 16, "pattern": "^[a-z0-9]+(-[a-z0-9]+)*$"},
        "example": "viewport",
    },
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
    "If-Match": {
        "description": "Do it only while this is still the report's ETag (RFC 9110 13.1.1).",
        "schema": {"type": "string"},
        "example": '"1042-7"',
    },
    "If-None-Match": {
        "description": "Answer 304 without a body while this is still the ETag; do a change only when it no longer is "
        "(RFC 9110 13.1.2).",
        "schema": {"type": "string"},
        "example": '"1042-7"',
    },
    "If-Modified-Since": {
        "description": "Answer 304 without a body when nothing has changed since (RFC 9110 13.1.3).",
        "schema": {"type": "string"},
        "example": "Mon, 05 Jan 2026 12:34:56 GMT",
    },
    "If-Unmodified-Since": {
        "description": "Do it only when nothing has changed since (RFC 9110 13.1.4).",
        "schema": {"type": "string"},
        "example": "Mon, 05 Jan 2026 12:34:56 GMT",
    },
    "Idempotency-Key": {
        "description": "A random word that makes it safe to send the same request again within 24 hours: the second "
        "one gets the answer of the first.",
        "schema": {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[\\x21-\\x7e]+$"},
        "example": "0c3f5a0e-6d5c-4f0e-9d0a-1f4a7f3b2c11",
    },
}

ANSWER_HEADERS: Final[dict[str, JSONObject]] = {
    "Location": {
        "description": "Address of the report.",
        "schema": {"type": "string", "format": "uri"},
        "example": "https://reports.example.org/api/v1/reports/1042",
    },
    "ETag": {
        "description": "Names this state of the report; changes with every change (RFC 9110 8.8.3).",
        "schema": {"type": "string"},
        "example": '"1042-7"',
    },
    "Last-Modified": {
        "description": "Time of the last change.",
        "schema": {"type": "string"},
        "example": "Mon, 05 Jan 2026 12:34:56 GMT",
    },
    "Link": {
        "description": "The pages of the list: first, prev, next, last (RFC 8288).",
        "schema": {"type": "string"},
        "example": '<https://reports.example.org/api/v1/reports?per_page=10&page=2>; rel="next"',
    },
    "Retry-After": {
        "description": "Whole seconds to wait before asking again.",
        "schema": {"type": "integer", "minimum": 0},
        "example": 2,
    },
    "Preference-Applied": {
        "description": "Preferences of Prefer that were applied (RFC 7240).",
        "schema": {"type": "string"},
        "example": "wait=10",
    },
    "Idempotency-Replayed": {
        "description": "The answer is that of an earlier request with the same Idempotency-Key.",
        "schema": {"type": "string", "enum": ["true"]},
        "example": "true",
    },
    "WWW-Authenticate": {
        "description": "Scheme of the key, or the missing scope (RFC 6750).",
        "schema": {"type": "string"},
        "example": 'Bearer realm="api"',
    },
    "Accept": {
        "description": "Media types that are read.",
        "schema": {"type": "string"},
        "example": "application/x-www-form-urlencoded, multipart/form-data, application/json",
    },
    "Accept-Post": {
        "description": "Media types that are read.",
        "schema": {"type": "string"},
        "example": "application/x-www-form-urlencoded, multipart/form-data, application/json",
    },
    "RateLimit": {
        "description": "Remaining calls, and seconds until there are more.",
        "schema": {"type": "string"},
        "example": '"requests";r=119;t=1',
    },
    "RateLimit-Policy": {
        "description": "Calls that a key may make in a minute.",
        "schema": {"type": "string"},
        "example": '"requests";q=120;w=60',
    },
    "X-RateLimit-Limit": {
        "description": "Calls that a key may make in a minute.",
        "schema": {"type": "integer", "minimum": 0},
        "example": 120,
    },
    "X-RateLimit-Remaining": {
        "description": "Calls that may be made now.",
        "schema": {"type": "integer", "minimum": 0},
        "example": 119,
    },
    "X-Request-Id": {
        "description": "Names this request in the logs.",
        "schema": {"type": "string"},
        "example": "5f0d9c1be2a74c33",
    },
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
