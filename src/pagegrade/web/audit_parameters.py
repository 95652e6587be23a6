"""Parameters of the operations on audits, as in ``web.parameters``."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import BaseModel, Field

from pagegrade.model.audit import MAX_DEPTH, MAX_PATTERNS, LinkKind
from pagegrade.service.accounts.passwords import MAX_CHARACTERS
from pagegrade.service.audits.consent import MAX_RATE
from pagegrade.service.audits.pages import PageOrder
from pagegrade.service.options import AT_ONCE
from pagegrade.web.audit_files import FileName
from pagegrade.web.parameters import MAX_SEARCH_CHARACTERS, MAX_TEXT, Paged, PagedById, ReportAccess

_Password = Annotated[
    str | None,
    Field(
        description=f"Of the share page, 1 to {MAX_CHARACTERS} characters; used with `privacy` 2 only.",
        examples=["correct horse"],
    ),
]
_PATTERNS: Final = "as in robots.txt (`*`, `$`), beginning with `/` or `*`."


class CreateAuditBody(BaseModel):
    """A site, and how it is crawled."""

    url: str = Field(
        max_length=MAX_TEXT,
        description="Start page, or a sitemap (`.xml`, `.xml.gz`) to begin with; its host is the site.",
        examples=["https://example.com/"],
    )
    scope: Literal["host", "domain", "folder"] = Field(
        "host",
        description="`host`: the host and its www sibling; `domain`: every host of the registrable domain; `folder`: "
        "the folder of the URL.",
        examples=["folder"],
    )
    include: tuple[str, ...] | None = Field(
        None,
        max_length=MAX_PATTERNS,
        description=f"Only pages that match a pattern {_PATTERNS}",
        examples=[["/blog/*"]],
    )
    exclude: tuple[str, ...] | None = Field(
        None, max_length=MAX_PATTERNS, description=f"No pages that match a pattern {_PATTERNS}", examples=[["*/print/"]]
    )
    max_pages: int | None = Field(
        None,
        ge=1,
        le=100_000,
        description="URLs that are fetched, redirects and errors included; by default as many as the installation "
        "allows for a site without a proof. More need a proof that the site is yours: without it the crawl ends there.",
        examples=[200],
    )
    max_depth: int = Field(50, ge=1, le=MAX_DEPTH, description="Clicks from the start.", examples=[10])
    rate: float | None = Field(
        None,
        ge=0.01,
        le=MAX_RATE,
        description="Requests that may begin in a second; by default one. More than one needs a proof that the site is "
        "yours: without it the crawl goes at one.",
        examples=[0.5],
    )
    sitemap: Literal[0, 1] = Field(1, description="1: read the sitemaps of the site, 0: do not.", examples=[0])
    urls: tuple[str, ...] | None = Field(
        None,
        max_length=AT_ONCE,
        description="Fetch the URL and these pages only; no links are followed.",
        examples=[["https://example.com/a", "https://example.com/b"]],
    )
    drop_parameters: tuple[str, ...] | None = Field(
        None,
        max_length=MAX_PATTERNS,
        description="Parameters of URLs that do not change a page, beside those that only follow visitors.",
        examples=[["ref"]],
    )
    external: Literal[0, 1] = Field(
        0,
        description="1: ask other sites whether the pages are there that links lead to. It needs a proof that the site "
        "is yours: without it nothing is asked.",
        examples=[1],
    )
    render: Literal[0, 1] = Field(
        0,
        description="1: draw the start page and a page of each template in a browser: 20 pages of a site that is "
        "proved to be yours, 5 of any other.",
        examples=[1],
    )
    access: ReportAccess = None
    privacy: Literal[0, 1, 2] = Field(
        1,
        description="Readers of the share page: 0 anyone with the link, 1 the account only, 2 with the password.",
        examples=[0],
    )
    password: _Password = None


class UpdateAuditBody(BaseModel):
    """Changes; what is not sent stays as it is."""

    results: Literal[0, 1] = Field(
        0, description="1: crawl the site again; a crawl that has not ended is joined.", examples=[1]
    )
    fresh: Literal[0, 1] = Field(
        0,
        description="1, with `results`: read every page anew, even where the site says that it has not changed since "
        "the crawl before.",
        examples=[1],
    )
    paused: Literal[0, 1] | None = Field(
        None, description="1: stop the crawl until it is resumed, 0: resume it.", examples=[1]
    )
    exclude: tuple[str, ...] | None = Field(
        None,
        max_length=MAX_PATTERNS,
        description=f"In place of those until now: no pages that match a pattern {_PATTERNS} A crawl that is under way "
        "leaves out what it has not fetched yet, within half a minute; a pattern that is not sent any more counts "
        "until it ends.",
        examples=[["/calendar/*"]],
    )
    cancel: Literal[0, 1] = Field(0, description="1: end the crawl without a result.", examples=[1])
    privacy: Literal[0, 1, 2] | None = Field(
        None, description="Readers of the share page, as when creating.", examples=[2]
    )
    password: _Password = None


class AuditListQuery(PagedById):
    """Filters combine with *and*."""

    search: str | None = Field(
        None,
        max_length=MAX_SEARCH_CHARACTERS,
        description="Part of the start URL, in any case.",
        examples=["example"],
    )
    project: str | None = Field(
        None, max_length=MAX_TEXT, description="Host of the audits; a whole URL is fine.", examples=["example.com"]
    )
    result: Literal["good", "decent", "bad"] | None = Field(
        None, description="Only audits with this result.", examples=["bad"]
    )
    state: Literal["queued", "crawling", "paused", "analyzing", "completed", "failed", "canceled"] | None = Field(
        None, description="Only audits whose newest crawl is in this state.", examples=["completed"]
    )


CrawlNumber = Annotated[
    int | None,
    Field(
        ge=1,
        le=2**31 - 1,
        description="Number of the crawl; without it the newest that was evaluated, or the newest of all.",
        examples=[1],
    ),
]


TemplateNumber = Annotated[
    int | None,
    Field(
        ge=0,
        le=2**31 - 1,
        description="Only those of the template with this number, as findings and pages name it.",
        examples=[1],
    ),
]


class FindingPageListQuery(Paged):
    """Pages come in the order of their discovery."""

    crawl: CrawlNumber = None


class AuditFindingListQuery(FindingPageListQuery):
    """Findings come in the order of the points that they cost; without a grade, of importance and pages."""

    check: str | None = Field(
        None, max_length=100, description="Only findings of this check.", examples=["broken-internal-links"]
    )
    severity: Literal["critical", "high", "medium", "low", "informative"] | None = Field(
        None, description="Only findings of this importance.", examples=["high"]
    )
    template: TemplateNumber = None


class AuditPageListQuery(PagedById):
    """Filters combine with *and*."""

    crawl: CrawlNumber = None
    search: str | None = Field(
        None, max_length=MAX_SEARCH_CHARACTERS, description="Part of the URL, in any case.", examples=["blog"]
    )
    status: int | None = Field(None, ge=100, le=999, description="Only pages with this HTTP status.", examples=[404])
    state: Literal["fetched", "blocked", "failed", "throttled", "not_fetched"] | None = Field(
        None, description="Only pages in this state.", examples=["blocked"]
    )
    depth: int | None = Field(
        None, ge=0, le=MAX_DEPTH, description="Only pages so many clicks from the start page.", examples=[3]
    )
    template: TemplateNumber = None
    indexable: Literal[0, 1] | None = Field(
        None,
        description="1: only pages that search engines may show under their own URL, 0: only all other URLs, among "
        "them redirects, errors, files that are no HTML, and what was not fetched.",
        examples=[1],
    )
    finding: int | None = Field(
        None, ge=1, le=2**31 - 1, description="Only pages of the finding with this id.", examples=[1]
    )
    sort_by: PageOrder = Field(
        "id",
        description="Discovery, clicks from the start page, URL, lowest score, highest PageRank, or most links from "
        "other pages. What has no such value comes last. A cursor is for the order that it came with; scores and "
        "clicks still change while a site is crawled.",
        examples=["inlinks"],
    )


class LinkFields(BaseModel):
    """Filters of links, which combine with *and*."""

    from_: int | None = Field(
        None, alias="from", ge=1, le=2**53 - 1, description="Only links of the page with this id.", examples=[1]
    )
    to: int | None = Field(None, ge=1, le=2**53 - 1, description="Only links to the page with this id.", examples=[17])
    kind: LinkKind | None = Field(None, description="Only links of this kind.", examples=["a"])
    state: Literal["fetched", "blocked", "failed", "throttled", "not_fetched", "outside"] | None = Field(
        None, description="Only links to URLs in this state.", examples=["blocked"]
    )
    status: int | None = Field(
        None, ge=100, le=999, description="Only links to URLs with this HTTP status.", examples=[404]
    )


class AuditLinkListQuery(PagedById, LinkFields):
    """Filters combine with *and*."""

    crawl: CrawlNumber = None


class AuditPageQuery(BaseModel):
    """Crawl that the page is of."""

    crawl: CrawlNumber = None


class AuditCompareQuery(BaseModel):
    """Two crawls to compare."""

    from_: int | None = Field(
        None,
        alias="from",
        ge=1,
        le=2**31 - 1,
        description="Number of the older crawl; without it the last one before the newer that compares with it.",
        examples=[1],
    )
    to: int | None = Field(
        None,
        ge=1,
        le=2**31 - 1,
        description="Number of the newer crawl; without it the newest that was evaluated.",
        examples=[2],
    )


class AuditExportQuery(AuditPageQuery, LinkFields):
    """File, and of what; the filters of links are for tables of links."""

    what: FileName = Field(
        "json",
        description="`json`: the whole result; `html`: the same as a document, `pdf`: to print or to send; `findings`: "
        "a table (CSV) of every page of every finding; `pages`: a table of every URL; `links`: a table of the links, "
        "of redirects alone with `kind=redirect`; `findings-parquet`, `pages-parquet`, `links-parquet`: the same "
        "tables as Parquet; `sarif`: the findings for code scanning and editors; "
        "`prompt`: the findings in Markdown for coding agents; `sitemap`: an XML sitemap of the pages that search "
        "engines should know.",
        examples=["findings"],
    )
    finding: int | None = Field(
        None,
        ge=1,
        le=2**31 - 1,
        description="Number of the only finding of a `prompt` or a table of findings.",
        examples=[1],
    )
    part: int = Field(
        1,
        ge=1,
        le=100_000,
        description="Part of a table or a sitemap, which has 50,000 rows; `Link` names the next one.",
        examples=[1],
    )
