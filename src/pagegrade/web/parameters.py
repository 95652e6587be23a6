"""Parameters of operations, in the query and in the body. The description of the interface is made from these models.

They are read by ``web.http.fields``; an empty value counts as absent, and a name that is not here is ignored.
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import Annotated, Final, Literal

from pydantic import BaseModel, Field, InstanceOf, WithJsonSchema

from pagegrade.model.access import MAX_COOKIES, MAX_HEADERS, MAX_ORIGINS, MAX_QUERY, NO_ACCESS
from pagegrade.model.access import MAX_NAME as MAX_ACCESS_NAME
from pagegrade.model.account import SCOPES
from pagegrade.model.errors import InvalidInput
from pagegrade.model.outcome import MAX_REASON, MAX_SELECTOR, MAX_URL_PATTERN
from pagegrade.model.webhooks import EVENT_TYPES, KINDS
from pagegrade.parse.http.access import MAX_PEM
from pagegrade.parse.url import parse_target_url
from pagegrade.service.accounts.operations import MAX_NAME
from pagegrade.service.accounts.passwords import MAX_CHARACTERS
from pagegrade.service.options import AT_ONCE
from pagegrade.web.http.fields import Reads, UnreadableError
from pagegrade.web.paging import MAX_CHARACTERS as MAX_CURSOR
from pagegrade.web.paging import Cursor, read_cursor
from pagegrade.web.schemas.report import ListedReport

PER_PAGE: Final = 10
MAX_PAGE: Final = 1_000_000_000
MAX_TEXT: Final = 2_048
"""Characters of a text parameter: as many as a URL may have."""
MAX_SEARCH_CHARACTERS: Final = 100
"""Characters of a text to search for, each of which may be compared with each of a URL where no index helps."""


MEMBERS: Final = ListedReport.__struct_encode_fields__
"""Of a report, as `fields` names them."""
_MOMENT: Final = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})[Tt ]([0-9]{2}:[0-9]{2}:[0-9]{2})(?:\.([0-9]{1,9}))?([Zz]|[+ -][0-9]{2}:[0-9]{2})"
)


def read_moment(text: str) -> int:
    """Milliseconds since 1970 of a point in time (RFC 3339); a plus that a query has made a blank counts as one.

    Raises:
        UnreadableError: It is none.
    """
    found = _MOMENT.fullmatch(text.strip())
    if found is not None:
        day, time, fraction, zone = found.groups()
        zone = "+00:00" if zone in "Zz" else zone.replace(" ", "+")
        try:
            second = datetime.fromisoformat(f"{day}T{time}{zone}").timestamp()
        except (ValueError, OverflowError):
            pass
        else:
            return int(second) * 1000 + int(f"{fraction or 0:0<3}"[:3])
    raise UnreadableError("not_a_time", "Must be a point in time like 2026-01-05T12:34:56Z.")


def read_url(text: str) -> str:
    """The canonical form of a URL.

    Raises:
        UnreadableError: It cannot be read.
    """
    try:
        return parse_target_url(text).url
    except InvalidInput as error:
        raise UnreadableError(error.reason or error.code, error.message) from None


def read_members(text: str) -> tuple[str, ...]:
    """The members of a report in a list of their names, in the order of the report.

    Raises:
        UnreadableError: A name is none of theirs.
    """
    names = {name.strip() for name in text.split(",")} - {""}
    if not names or names - set(MEMBERS):
        raise UnreadableError("not_in", f"Must be one or more of {', '.join(MEMBERS)}.", allowed=MEMBERS)
    return tuple(name for name in MEMBERS if name in names)


Members = Annotated[tuple[str, ...] | None, WithJsonSchema({"type": "string"}), Reads(read_members)]
_MEMBERS: Final = (
    "Top-level members to answer with, separated by commas; the others are left out, also those that are described as "
    "always there."
)


def read_access(text: str) -> tuple[int | str | None]:
    """The access of a report: id or name of a profile, ``NO_ACCESS``, or ``None`` for that of the origin.

    Raises:
        UnreadableError: It is none of them.
    """
    if text in {"none", "default"}:
        return (NO_ACCESS if text == "none" else None,)
    if re.fullmatch(r"[1-9][0-9]{0,15}", text):
        return (int(text),)
    if text.isprintable() and 0 < len(text) <= MAX_ACCESS_NAME:
        return (text,)
    raise UnreadableError("invalid", "Must be the id or name of an access profile, none or default.")


ReportAccess = Annotated[
    tuple[int | str | None] | None,
    WithJsonSchema({"type": "string"}),
    Reads(read_access),
    Field(
        description="Access profile that analyses use: its id or name, `none`, or `default` for the oldest one for the "
        "origin of the URL, which holds without it.",
        examples=["none"],
    ),
]

ListCursor = Annotated[
    InstanceOf[Cursor] | None,
    WithJsonSchema({"type": "string"}),
    Reads(read_cursor),
    Field(
        max_length=MAX_CURSOR,
        description="Walks through the list without missing or repeating an item while others are created or "
        "deleted: send it empty to begin, then follow `links.next`. Not together with `page`.",
        examples=["WzEsImlkIix0cnVlLGZhbHNlLDAsMTA0Ml0"],
    ),
]
Counted = Annotated[
    Literal[0, 1],
    Field(description="With `cursor`: 1 counts the list for `meta.total`. Pages are always counted.", examples=[1]),
]


class Paged(BaseModel):
    """Every list comes in pages."""

    per_page: Literal[10, 25, 50, 100] = Field(PER_PAGE, description="Items of a page.", examples=[25])
    page: int = Field(1, ge=1, le=MAX_PAGE, description="Number of the page, from 1.", examples=[2])


class ReportListQuery(Paged):
    """Filters combine with *and*."""

    search: str | None = Field(
        None,
        max_length=MAX_SEARCH_CHARACTERS,
        description="Part of the field that `search_by` names, in any case; `%`, `_` and `\\` mean themselves. A "
        "search that takes too long among very many long URLs is refused with `too_expensive`, never answered in part.",
        examples=["pricing"],
    )
    search_by: Literal["url"] = Field("url", description="Field that `search` looks in.")
    project: str | None = Field(
        None, max_length=MAX_TEXT, description="Host of the reports; a whole URL is fine.", examples=["example.com"]
    )
    result: Literal["good", "decent", "bad"] | None = Field(
        None, description="Only reports with this result.", examples=["bad"]
    )
    state: Literal["queued", "running", "completed", "failed"] | None = Field(
        None, description="Only reports in this state.", examples=["completed"]
    )
    sort_by: Literal["id", "generated_at", "url", "result"] = Field(
        "id",
        description="Sort key: creation, analysis, address, or severity of the result (then the score). "
        "Reports without a result come last.",
        examples=["generated_at"],
    )
    sort: Literal["desc", "asc"] = Field("desc", description="Direction.", examples=["asc"])
    include: Literal["results"] | None = Field(
        None, description="Bring `results`, `page` and `rendered` of each report along.", examples=["results"]
    )


class ReportWalkQuery(ReportListQuery):
    """Filters combine with *and*."""

    url: Annotated[str | None, Reads(read_url)] = Field(
        None,
        max_length=MAX_TEXT,
        description="Only reports for exactly this URL, in any spelling that means the same.",
        examples=["https://example.com/pricing"],
    )
    privacy: Literal[0, 1, 2] | None = Field(None, description="Only reports with this privacy.", examples=[1])
    updated_since: Annotated[
        int | None, WithJsonSchema({"type": "string", "format": "date-time"}), Reads(read_moment)
    ] = Field(
        None,
        description="Only reports that have changed since this time (RFC 3339), or at it.",
        examples=["2026-01-05T12:34:56.789Z"],
    )
    sort_by: Literal["id", "generated_at", "url", "result", "score", "updated_at"] = Field(  # type: ignore[assignment]
        "id",
        description="Sort key: creation, analysis, address, severity of the result (then the score), score, or last "
        "change. Reports without a result, or without a score, come last in both directions.",
        examples=["generated_at"],
    )
    fields: Members = Field(None, description=_MEMBERS, examples=["id,url,state,score"])
    cursor: ListCursor = None
    count: Counted = 0


CriteriaFormat = Literal["conformance", "conformance-pdf", "criteria", "earl", "statement"]


class ShowReportQuery(BaseModel):
    """Form of the answer."""

    format: Literal["json", "pdf", "csv", "md", "markdown", "prompt", "html", "sarif", CriteriaFormat, "har"] | None = (
        Field(
            None,
            description="Answer with a file instead of JSON, as with `Accept: application/pdf`, `text/csv`, "
            "`text/markdown`, `text/html`, `application/sarif+json`, `application/ld+json` or `application/har+json`, "
            "which it overrides; `prompt` is Markdown for coding agents. By criterion of WCAG 2.2 are `conformance` (a "
            "document in HTML, and in PDF as `conformance-pdf`), `criteria` (CSV), `earl` (JSON-LD) and `statement` (a "
            "draft of an accessibility statement, HTML). 404 while there are no results, and for a HAR if no browser "
            "drew the page.",
            examples=["json"],
        )
    )
    fields: Members = Field(None, description=_MEMBERS, examples=["id,url,state,score"])


class CompareQuery(BaseModel):
    """Two runs to compare."""

    from_: int | None = Field(
        None, alias="from", ge=1, le=MAX_PAGE, description="Number of the older run; the last but one.", examples=[2]
    )
    to: int | None = Field(None, ge=1, le=MAX_PAGE, description="Number of the newer run; the last.", examples=[3])


class CreateReportBody(BaseModel):
    """A report for a URL."""

    url: str = Field(
        max_length=MAX_TEXT,
        description="Page to analyze, http or https; without a scheme it gets `https://`. The fragment "
        "is dropped, unless it is a route (`#/…`, `#!…`), by which a script shows its page.",
        examples=["https://example.com/pricing"],
    )
    privacy: Literal[0, 1, 2] | None = Field(
        None,
        description="Readers of the share page: 0 anyone with the link, 1 the account only, 2 with the password. "
        "Without it the default of the account holds, which is 0 unless it was changed.",
        examples=[2],
    )
    password: str | None = Field(
        None,
        description=f"Of the share page, 1 to {MAX_CHARACTERS} characters; used with `privacy` 2 only.",
        examples=["correct horse"],
    )
    render: Literal[0, 1] | None = Field(
        None,
        description="1: draw the page in a browser and wait for it, 0: do not. Without it a static analysis answers, "
        "and where the installation has a browser, a run in it follows by itself.",
        examples=[1],
    )
    device: Literal["mobile", "desktop"] | None = Field(
        None, description="Device that the browser imitates; without it `mobile`.", examples=["desktop"]
    )
    access: ReportAccess = None


class CreateBatchBody(BaseModel):
    """Reports for many URLs: of `urls`, of `sitemap`, or of both."""

    urls: tuple[str, ...] | None = Field(
        None,
        max_length=AT_ONCE,
        description=f"Pages to analyze, at most {AT_ONCE}; in a form `urls[]` several times, or one text with a URL a "
        "line. What cannot be used is named in `refused`.",
        examples=[["https://example.com/", "https://example.com/pricing"]],
    )
    sitemap: str | None = Field(
        None,
        max_length=MAX_TEXT,
        description=f"Sitemap, or site with one, whose first {AT_ONCE} pages to analyze.",
        examples=["https://example.com/sitemap.xml"],
    )
    privacy: Literal[0, 1, 2] | None = Field(None, description="Of every report, as when creating one.", examples=[1])
    password: str | None = Field(
        None,
        description=f"Of every share page, 1 to {MAX_CHARACTERS} characters; used with `privacy` 2 only.",
        examples=["correct horse"],
    )
    render: Literal[0, 1] | None = Field(
        None,
        description="Of every report, as when creating one.",
        examples=[1],
    )
    device: Literal["mobile", "desktop"] | None = Field(
        None, description="Of every report, as when creating one.", examples=["desktop"]
    )
    access: ReportAccess = None


class CreateIgnoreBody(BaseModel):
    """A rule for one report, for a project, or, with neither, for the account."""

    check: str = Field(max_length=100, description="Id of the check.", examples=["image-alt"])
    report_id: int | None = Field(None, ge=1, le=2**53 - 1, description="Only for this report.", examples=[1042])
    project: str | None = Field(
        None, max_length=MAX_TEXT, description="Only for reports of this host.", examples=["example.com"]
    )
    selector: str | None = Field(
        None,
        max_length=MAX_SELECTOR,
        description="Only places in elements that match: a selector as a report shows it, or type, class, id and "
        "attribute selectors separated by blanks.",
        examples=[".banner img"],
    )
    url_pattern: str | None = Field(
        None,
        max_length=MAX_URL_PATTERN,
        description="Only places that name a URL that matches; `*` stands for any characters.",
        examples=["https://cdn.example/*"],
    )
    state: str | None = Field(
        None,
        max_length=100,
        description="The worst state of the check to ignore. With `report_id`, and without `places`, that of the "
        "finding as it is now.",
        examples=["missing"],
    )
    places: int | None = Field(
        None, ge=1, le=1_000_000, description="The most places to ignore; as for `state`.", examples=[2]
    )
    reason: str = Field(
        max_length=MAX_REASON, description="Reason to ignore the finding.", examples=["The banner is replaced in May."]
    )
    expires_at: Annotated[int | None, WithJsonSchema({"type": "string", "format": "date-time"}), Reads(read_moment)] = (
        Field(
            None,
            description="From then on the findings count again (RFC 3339).",
            examples=["2999-01-01T00:00:00.000Z"],
        )
    )


class PagedById(Paged):
    """A list that comes newest first."""

    cursor: ListCursor = None
    count: Counted = 0


class IgnoreListQuery(PagedById):
    """Rules come newest first."""

    check: str | None = Field(None, max_length=100, description="Only rules for this check.", examples=["image-alt"])
    report_id: int | None = Field(None, ge=1, le=2**53 - 1, description="Only rules for this report.", examples=[1042])


class CreateKeyBody(BaseModel):
    """A key that can do no more than the key of the request."""

    name: str = Field(max_length=MAX_NAME, description="Purpose of the key.", examples=["nightly build"])
    scopes: tuple[str, ...] | None = Field(
        None,
        max_length=20,
        description=f"Some of {', '.join(SCOPES)}, as far as the key of the request has them; without it all "
        "that it has.",
        examples=[["reports:read"]],
    )
    project: str | None = Field(
        None, max_length=MAX_TEXT, description="Only reports of this host.", examples=["example.com"]
    )
    expires_at: Annotated[int | None, WithJsonSchema({"type": "string", "format": "date-time"}), Reads(read_moment)] = (
        Field(
            None,
            description="From then on it does not work (RFC 3339); without it as long as the key of the request.",
            examples=["2999-01-01T00:00:00.000Z"],
        )
    )


_HOST_EVENTS: Final = "Only events of reports and audits of this host."


class MonitorListQuery(PagedById):
    """Monitors come newest first."""

    report_id: int | None = Field(None, ge=1, le=2**53 - 1, description="Only of this report.", examples=[1042])
    audit_id: int | None = Field(None, ge=1, le=2**53 - 1, description="Only monitors of this audit.", examples=[12])
    project: str | None = Field(
        None,
        max_length=MAX_TEXT,
        description="Only monitors of reports, audits and pages of this host.",
        examples=["example.com"],
    )
    parent_id: int | None = Field(
        None,
        ge=1,
        le=2**53 - 1,
        description="Only monitors of the pages that this one is for; they are in no list of all monitors.",
        examples=[7],
    )


class CreateWebhookBody(BaseModel):
    """A target of deliveries."""

    url: str = Field(
        max_length=MAX_TEXT,
        description="Receiver, http or https; for `email` an address.",
        examples=["https://ci.example.com/hooks/pagegrade"],
    )
    kind: str | None = Field(
        None,
        max_length=16,
        description=f"One of {', '.join(KINDS)}; without it `webhook`.",
        examples=["webhook"],
    )
    events: tuple[str, ...] | None = Field(
        None,
        max_length=20,
        description="Types to send; without it all, and to people all but `report.completed`, `audit.completed` and "
        "`audit.paused`.",
        examples=[list(EVENT_TYPES)],
    )
    project: str | None = Field(None, max_length=MAX_TEXT, description=_HOST_EVENTS, examples=["example.com"])


class UpdateWebhookBody(BaseModel):
    """Changes; what is not sent stays as it is."""

    url: str | None = Field(
        None, max_length=MAX_TEXT, description="As when creating one.", examples=["https://ci.example.com/hooks/new"]
    )
    events: tuple[str, ...] | None = Field(
        None, max_length=20, description="As when creating one.", examples=[["report.failed"]]
    )
    project: str | None = Field(None, max_length=MAX_TEXT, description=_HOST_EVENTS, examples=["example.com"])
    disabled: Literal[0, 1] | None = Field(None, description="1: send nothing, 0: send again.", examples=[0])


_HEADERS: Final = "`Name: value` each; in a form `headers[]` several times, or one text with a header a line."
_KEEPS: Final = "They replace all that there were; a name alone keeps its value."
_TRUSTED: Final = "In PEM, of own authorities, or of a server that signed its own: trusted, too. Empty: none."
_HIDDEN: Final = "Of Basic authentication; never shown."
_UserAgent = Annotated[
    str | None,
    Field(max_length=MAX_TEXT, description="Instead of Pagegrade's own.", examples=["Mozilla/5.0 (X11; Linux)"]),
]
_Password = Annotated[str | None, Field(max_length=MAX_TEXT, description=_HIDDEN, examples=["correct horse"])]
_Certificates = Annotated[str | None, Field(max_length=MAX_PEM, description=_TRUSTED, examples=[""])]


class CreateAccessProfileBody(BaseModel):
    """Access of analyses to own pages, sent to their origins."""

    name: str = Field(max_length=MAX_ACCESS_NAME, description="Name in reports.", examples=["Staging"])
    origins: tuple[str, ...] = Field(
        max_length=MAX_ORIGINS,
        description="Scheme, host and port of each place that it is sent to, and of no other.",
        examples=[["https://staging.example"]],
    )
    user: str | None = Field(None, max_length=MAX_TEXT, description="Of Basic authentication.", examples=["reader"])
    password: _Password = None
    headers: tuple[str, ...] | None = Field(
        None, max_length=MAX_HEADERS, description=_HEADERS, examples=[["X-Preview: 4f1c9a"]]
    )
    cookies: tuple[str, ...] | None = Field(
        None, max_length=MAX_COOKIES, description="`name=value` each, likewise.", examples=[["session=4f1c9a"]]
    )
    query: tuple[str, ...] | None = Field(
        None,
        max_length=MAX_QUERY,
        description="Parameters that are added to URLs, `name=value` each, likewise.",
        examples=[["preview=4f1c9a"]],
    )
    user_agent: _UserAgent = None
    certificates: _Certificates = None


class UpdateAccessProfileBody(BaseModel):
    """Changes; what is not sent stays as it is."""

    name: str | None = Field(None, max_length=MAX_ACCESS_NAME, description="Name in reports.", examples=["Staging"])
    origins: tuple[str, ...] | None = Field(
        None,
        max_length=MAX_ORIGINS,
        description="As when creating one; they replace all that there were.",
        examples=[["https://staging.example", "https://files.staging.example"]],
    )
    user: str | None = Field(None, max_length=MAX_TEXT, description="Of Basic authentication.", examples=["reader"])
    password: _Password = None
    headers: tuple[str, ...] | None = Field(
        None, max_length=MAX_HEADERS, description=f"{_HEADERS} {_KEEPS}", examples=[["X-Preview"]]
    )
    cookies: tuple[str, ...] | None = Field(
        None, max_length=MAX_COOKIES, description=f"`name=value` each, likewise. {_KEEPS}", examples=[["session=4f1c"]]
    )
    query: tuple[str, ...] | None = Field(
        None,
        max_length=MAX_QUERY,
        description=f"Parameters that are added to URLs, `name=value` each, likewise. {_KEEPS}",
        examples=[["preview=4f1c9a"]],
    )
    user_agent: _UserAgent = None
    certificates: _Certificates = None


class UpdateReportBody(BaseModel):
    """Changes; all else stays."""

    privacy: Literal[0, 1, 2] | None = Field(
        None, description="Readers of the share page, as when creating.", examples=[2]
    )
    password: str | None = Field(
        None,
        description=f"Of the share page, 1 to {MAX_CHARACTERS} characters; used with `privacy` 2 only.",
        examples=["correct horse"],
    )
    render: Literal[0, 1] | None = Field(
        None,
        description="1: draw the page in a browser, 0: do not. Applies from the next analysis on.",
        examples=[1],
    )
    device: Literal["mobile", "desktop"] | None = Field(
        None, description="Device that the browser imitates, from the next analysis on.", examples=["desktop"]
    )
    access: ReportAccess = None
    results: Literal[0, 1] = Field(0, description="1: analyze the page again; 0, or left out: do not.", examples=[1])
