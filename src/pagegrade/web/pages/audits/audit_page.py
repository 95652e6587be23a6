"""The pages of an audit: how far its crawl is, what it came to, a finding with its pages, and the pages of the site."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from functools import cache
from typing import Any, Final
from urllib.parse import urlencode

import msgspec

from pagegrade.checks import all_checks, all_site_checks
from pagegrade.model.account import Role
from pagegrade.model.audit import OPEN_STATES, PAGE_STATES, UNKNOWN_DEPTH, Audit, LinkKind, PageFilter, withheld
from pagegrade.model.audit_result import SiteFinding
from pagegrade.model.errors import CrawlLimit, InvalidInput, NotFound, RateLimited, Unavailable, ValidationFailed
from pagegrade.model.report import CATEGORIES
from pagegrade.model.stored import ListPart
from pagegrade.render.audit import (
    ASPECT_WORDS,
    KIND_WORDS,
    NO_GRADE,
    first_to_fix,
    told_apart,
    why_crawls_differ,
    why_not_comparable,
)
from pagegrade.render.english import N_
from pagegrade.render.finding_texts import translated
from pagegrade.render.view import CATEGORY_NAMES
from pagegrade.service.audits import operations as service
from pagegrade.service.audits.compare import compare_crawls
from pagegrade.service.audits.consent import proof_of
from pagegrade.service.audits.exports import PART_ROWS
from pagegrade.service.audits.links import LinkFilter, LinkOrder, list_links
from pagegrade.service.audits.pages import PageOrder, are_pages_ranked, count_clicks, list_pages, show_page
from pagegrade.service.container import Services
from pagegrade.service.unit_of_work import UnitOfWork
from pagegrade.web.audit_files import AuditFile, FileName, is_offered, make_audit_file
from pagegrade.web.audit_parameters import (
    AuditCompareQuery,
    AuditExportQuery,
    AuditLinkListQuery,
    AuditPageListQuery,
)
from pagegrade.web.http.fields import read_fields
from pagegrade.web.http.response import INERT, UNKEPT, Response
from pagegrade.web.operations import Operation, PageOperation
from pagegrade.web.pages.audits.audit_list import SCOPES, STATES, refusal
from pagegrade.web.pages.forms import problems_of_input, read_form, read_query
from pagegrade.web.pages.html import UNLISTED, VARY, View, go
from pagegrade.web.pages.public import SITE, WHOLE_SITE
from pagegrade.web.pages.reports.report_context import check_url, refresh_header
from pagegrade.web.pages.reports.report_list import ALL
from pagegrade.web.problems import problem_of
from pagegrade.web.report_requests import refuse_when_draining
from pagegrade.web.request import Request
from pagegrade.web.schemas.crawl import listed_link

PATH: Final = "/audits/{id}"
SHOWN_FINDINGS: Final = 100
"""Findings of a page of the list."""
PER_PAGE: Final = 25
SHOWN_LINKS: Final = 25
SHOWN_CRAWLS: Final = 12
SHOWN_DEPTHS: Final = 12
SHOWN_SITEMAPS: Final = 20
STOPPED: Final = {
    "max_pages": N_("The crawl has as many pages as it may have."),
    "max_depth": N_("Pages with a longer way from the start were left out."),
    "max_time": N_("The time for the crawl is over."),
    "site_refuses": N_("The site turns most requests away."),
    "robots_unreachable": NO_GRADE["robots_unreachable"][0],
    "site_not_proved": NO_GRADE["site_not_proved"][0],
    "target_limit": NO_GRADE["target_limit"][0],
}
"""Reason why a crawl ended before it had every page, or pauses -> sentence."""
PROOFS: Final = {
    "dns": N_("proved by a DNS record"),
    "file": N_("proved by a file"),
    "meta": N_("proved by a tag of the start page"),
    "network": N_("of a network of this installation"),
}
URL_STATES: Final = {
    "fetched": N_("Fetched"),
    "blocked": N_("Blocked by robots.txt"),
    "failed": N_("No answer"),
    "throttled": N_("Too many requests for the site"),
    "not_fetched": N_("Not fetched"),
}
REASONS: Final = {
    "limit": N_("the crawl ended before its turn"),
    "nofollow": N_("links ask robots to stay away"),
    "depth": N_("too many clicks from the start"),
    "acts": N_("asking for it may do something"),
    "growing": N_("its path repeats itself"),
    "too_long": N_("its URL is too long"),
    "sampled_out": N_("others of its shape have the same content"),
    "variant": N_("the page was fetched under another spelling"),
}
"""Reason why a URL was not fetched -> words."""
LINK_STATES: Final = {**URL_STATES, "outside": N_("On another site")}
LINK_KINDS: Final[dict[LinkKind, str]] = {
    "a": N_("Links"),
    "redirect": N_("Redirects"),
    "canonical": N_("Canonical URLs"),
    "hreflang": N_("Language versions"),
    "next": N_("Next pages"),
    "prev": N_("Previous pages"),
    "refresh": N_("Automatic refreshes"),
    "frame": N_("Frames"),
    "asset": N_("Files"),
}
LINK_ORDERS: Final[dict[LinkOrder, str]] = {"source": N_("Page"), "target": N_("Target")}
PAGE_ORDERS: Final[dict[PageOrder, str]] = {
    "id": N_("Discovery"),
    "score": N_("Lowest score"),
    "depth": N_("Clicks"),
    "url": N_("URL"),
    "inlinks": N_("Most linked"),
    "pagerank": N_("PageRank"),
}
_OF_EVALUATION: Final = frozenset({"inlinks", "pagerank"})
PLACES: Final = {"nav": N_("navigation"), "header": N_("header"), "footer": N_("footer"), "main": N_("content")}
EXPORTS: Final[dict[FileName, tuple[str, str]]] = {
    "pdf": (N_("PDF"), N_("to print or to send")),
    "html": (N_("HTML"), N_("one file that needs nothing else")),
    "findings": (N_("Findings as CSV"), N_("every page of every finding")),
    "pages": (N_("Pages as CSV"), N_("every URL of the site")),
    "links": (N_("Links as CSV"), N_("every link, redirect and file of its pages")),
    "findings-parquet": (N_("Findings as Parquet"), N_("every page of every finding")),
    "pages-parquet": (N_("Pages as Parquet"), N_("every URL of the site")),
    "links-parquet": (N_("Links as Parquet"), N_("every link, redirect and file of its pages")),
    "json": (N_("JSON"), N_("everything that was found")),
    "sarif": (N_("SARIF"), N_("for code scanning")),
    "prompt": (N_("Prompt"), N_("for coding agents")),
    "sitemap": (N_("Sitemap"), N_("of the pages that search engines should know")),
}
"""File -> (name, purpose), in the order of the menu."""
WITHOUT_RESULT: Final = frozenset({"pages", "pages-parquet", "links", "links-parquet", "sitemap"})
"""Those that there are of a crawl that was not evaluated."""
MAX_CHOICES: Final = 100
"""Crawls that can be selected for a comparison: the newest ones."""
_WRONG: Final = {
    "not_comparable": N_("This crawl is not there, or was not evaluated. Choose another one."),
    "not_older": N_("This crawl is not older than the other one. Choose an older one."),
}
"""Code of a selection that cannot be used -> message; any other means that there are no two crawls yet."""
_DEEDS: Final = {
    "again": service.AuditChange(again=True),
    "pause": service.AuditChange(paused=True),
    "resume": service.AuditChange(paused=False),
    "cancel": service.AuditChange(cancel=True),
}
"""Button -> change."""


async def show_audit_overview(request: Request, work: UnitOfWork, view: View) -> Response:
    """Return the audit; while its crawl is under way, a page that reloads itself."""
    return await _overview(request, work, view)


async def _overview(
    request: Request, work: UnitOfWork, view: View, problem: str = "", *, status: int = 200
) -> Response:
    audit, newest, result = await work.read(service.show_whole, request.id)
    crawl = audit.crawl
    base = f"/audits/{audit.id}"
    asked = {} if request.method == "POST" else read_query(request)
    chosen = asked.get("category", "")
    listed = [one for one in (() if result is None else result.findings) if chosen in {"", _category(one.check)}]
    last_page = max(1, -(-len(listed) // SHOWN_FINDINGS))
    page = min(number_of_page(asked), last_page)
    history = await work.read(service.list_evaluated, audit.id, limit=SHOWN_CRAWLS)
    clicks = {} if result is None else await work.read(count_clicks, audit.id)
    is_under_way = crawl.state in OPEN_STATES and crawl.state != "paused"
    waited_ms = view.now_ms - crawl.created_at_ms
    return view.page(
        "audit_overview.html.jinja",
        status=status,
        headers=(refresh_header(base, waited_ms),) if is_under_way and not problem else (),
        result=result,
        newest=newest,
        first=() if result is None else first_to_fix(result),
        marks={} if result is None else told_apart(result),
        exports=_exports(view, audit) if crawl.fetched or result is not None else (),
        history=history,
        clicks=list(clicks.items())[:SHOWN_DEPTHS],
        is_ranked=result is not None and await work.read(are_pages_ranked, audit.id),
        shown_sitemaps=SHOWN_SITEMAPS,
        findings=listed[(page - 1) * SHOWN_FINDINGS : page * SHOWN_FINDINGS],
        categories=_categories(view, () if result is None else result.findings, chosen, base),
        page=page,
        last_page=last_page,
        url=lambda number: (
            f"{base}?category={chosen}&page={number}#findings" if chosen else f"{base}?page={number}#findings"
        ),
        withheld=withheld(crawl, None) if audit.graded != crawl.number else None,
        stopped={name: view.texts.gettext(words) for name, words in STOPPED.items()},
        scopes={name: view.texts.gettext(words) for name, words in SCOPES.items()},
        is_under_way=is_under_way,
        proof=proof_of(audit.start_url, audit.account_id, view.options.analyze.own_key),
        proofs={name: view.texts.gettext(words) for name, words in PROOFS.items()},
        is_slowed=_is_slowed(audit),
        problem=problem,
        **_about(view, audit),
    )


def _is_slowed(audit: Audit) -> bool:
    """Return whether the newest crawl may do less than was asked for, because the site is not proved."""
    now, asked = audit.crawl.settings, audit.settings
    is_slower = (now.rate_per_s or 0) < (asked.rate_per_s or 0)
    return audit.crawl.facts is not None and audit.crawl.facts.proof is None and is_slower


def said_in(view: View) -> Callable[[str], str]:
    """Return a function that says what checks stored in the language of the page."""
    return cache(lambda text: translated(text, view.texts.tag))


def _about(view: View, audit: Audit) -> dict[str, Any]:
    """Values that every template about an audit needs."""
    return {
        "audit": audit,
        "unknown_depth": UNKNOWN_DEPTH,
        "no_grade": NO_GRADE,
        "base": f"/audits/{audit.id}",
        "section": "/audits",
        "said": said_in(view),
        "states": {name: view.texts.gettext(words) for name, words in STATES.items()},
        "timezone": view.admitted.person.timezone,
    }


def _category(check: str) -> str:
    known = all_checks().get(check)
    return SITE if known is None else known.category


def _categories(
    view: View, findings: tuple[SiteFinding, ...], chosen: str, base: str
) -> list[tuple[str, str, int, bool]]:
    """(words, URL, findings, is chosen) of each category that has findings, and of all."""
    counts: dict[str, int] = {}
    for one in findings:
        counts[_category(one.check)] = counts.get(_category(one.check), 0) + 1
    words = {SITE: view.texts.gettext(WHOLE_SITE)}
    words |= {name: view.texts.gettext(CATEGORY_NAMES[name]) for name in CATEGORIES}
    chips = [(view.texts.gettext(ALL), f"{base}#findings", len(findings), not chosen)]
    chips += [
        (shown, f"{base}?category={name}#findings", counts[name], name == chosen)
        for name, shown in words.items()
        if name in counts
    ]
    return chips


async def show_audit_finding(request: Request, work: UnitOfWork, view: View) -> Response:
    """Return a finding with all of its pages."""
    page = number_of_page(read_query(request))
    number = request.number("finding")
    audit = await work.read(service.show_audit, request.id)
    places = await work.read(service.list_finding_pages, audit.id, number, page=page, per_page=PER_PAGE)
    # They are numbered in the order of the list.
    found = (await work.read(service.list_findings, audit.id, page=number, per_page=1)).listed.items
    if not found:
        raise NotFound
    finding = found[0]
    base = f"/audits/{audit.id}/findings/{finding.number}"
    return view.page(
        "audit_finding.html.jinja",
        finding=finding,
        places=places.items,
        total=places.total,
        page=page,
        last_page=max(1, -(-places.total // PER_PAGE)),
        url=lambda number: f"{base}?page={number}",
        check_page=check_url(finding.check),
        is_own=True,
        **_about(view, audit),
    )


async def list_site_pages(request: Request, work: UnitOfWork, view: View) -> Response:
    """Return the URLs of the newest evaluated crawl, or of the newest, that fit a filter."""
    asked = read_query(request)
    query, _ = read_fields(AuditPageListQuery, {**asked, "per_page": str(PER_PAGE)}, "query", lenient=True)
    chosen = None
    if query.state is not None:
        chosen = tuple(state for state, (name, _) in PAGE_STATES.items() if name == query.state)
    which = PageFilter(
        status=query.status,
        states=chosen,
        search=query.search,
        depth=query.depth,
        template=query.template,
        indexable=None if query.indexable is None else query.indexable == 1,
        finding=query.finding,
    )
    audit = await work.read(service.show_audit, request.id)
    part = ListPart(page=query.page, per_page=PER_PAGE)
    found = await work.search(list_pages, audit.id, which, part, order=query.sort_by)
    sent = _sent(asked, "search", "state", "status", "depth", "template", "indexable", "finding", "sort_by")
    # Nobody knows how well the pages of a crawl are linked before it was evaluated.
    is_ranked = await work.read(are_pages_ranked, audit.id)
    orders = {name: words for name, words in PAGE_ORDERS.items() if is_ranked or name not in _OF_EVALUATION}
    return view.page(
        "audit_pages.html.jinja",
        pages=[(page, *PAGE_STATES[page.stored.state]) for page in found.items],
        total=found.total,
        query=query,
        orders=_said(view, orders),
        is_ranked=is_ranked,
        is_filtered=any(name != "sort_by" for name, _ in sent),
        page=query.page,
        last_page=max(1, -(-found.total // PER_PAGE)),
        url=lambda number: f"/audits/{audit.id}/pages?{urlencode([*sent, ('page', number)])}",
        **_words(view),
        **_about(view, audit),
    )


def _sent(asked: Mapping[str, str], *names: str) -> list[tuple[str, str]]:
    """(name, value) of the fields of a filter that say something."""
    return [(name, asked[name]) for name in names if asked.get(name)]


def _said(view: View, words: Mapping[Any, str]) -> dict[str, str]:
    return {name: view.texts.gettext(each) for name, each in words.items()}


def _words(view: View) -> dict[str, Any]:
    """Words for the states of URLs and for their links."""
    return {
        "url_states": _said(view, LINK_STATES),
        "reasons": _said(view, REASONS),
        "kinds": _said(view, LINK_KINDS),
        "parts": _said(view, PLACES),
    }


async def list_site_links(request: Request, work: UnitOfWork, view: View) -> Response:
    """Return the links, redirects and files of the newest evaluated crawl, or of the newest, that fit a filter."""
    asked = read_query(request)
    query, _ = read_fields(AuditLinkListQuery, {**asked, "per_page": str(PER_PAGE)}, "query", lenient=True)
    order: LinkOrder = next((name for name in LINK_ORDERS if name == asked.get("order")), "source")
    which = msgspec.convert(query, LinkFilter, from_attributes=True)
    audit = await work.read(service.show_audit, request.id)
    found = await work.search(list_links, audit.id, which, ListPart(page=query.page, per_page=PER_PAGE), order=order)
    sent = _sent(asked, "kind", "state", "status", "from", "to", "order")
    filters = [each for each in sent if each[0] != "order"]
    return view.page(
        "audit_links.html.jinja",
        links=[(link, listed_link(link)) for link in found.items],
        total=found.total,
        query=query,
        order=order,
        orders=_said(view, LINK_ORDERS),
        is_filtered=bool(filters),
        page=query.page,
        last_page=max(1, -(-found.total // PER_PAGE)),
        url=lambda number: f"/audits/{audit.id}/links?{urlencode([*sent, ('page', number)])}",
        table=f"/audits/{audit.id}/export/links?{urlencode(filters)}".rstrip("?"),
        more_parts=found.total > PART_ROWS,
        **_words(view),
        **_about(view, audit),
    )


async def show_site_page(request: Request, work: UnitOfWork, view: View) -> Response:
    """Return what is kept of one page of the site: its findings, and links from it and to it."""
    audit = await work.read(service.show_audit, request.id)
    shown = await work.read(show_page, audit.id, request.number("page"))
    state, reason = PAGE_STATES[shown.stored.state]
    found = [one for row in shown.found for one in row.found]
    titles = {one.check: _title(one.check) for one in found}
    return view.page(
        "audit_site_page.html.jinja",
        shown=shown,
        state=state,
        reason=reason,
        found=sorted(found, key=lambda one: (-one.lost, one.check)),
        titles=titles,
        check_url=check_url,
        shown_links=SHOWN_LINKS,
        **_words(view),
        **_about(view, audit),
    )


def _title(check: str) -> str:
    known = all_checks().get(check) or all_site_checks().get(check)
    return check if known is None else known.title


def number_of_page(asked: Mapping[str, str]) -> int:
    """The page of a list that a query asks for; the first one where it names none."""
    query, _ = read_fields(AuditPageListQuery, dict(asked), "query", lenient=True)
    return query.page


async def compare_audit_page(request: Request, work: UnitOfWork, view: View) -> Response:
    """Return what changed between two crawls, with a form that selects them; the form alone where there are no two."""
    query, _ = read_fields(AuditCompareQuery, read_query(request), "query", lenient=True)
    audit = await work.read(service.show_audit, request.id)
    crawls = await work.read(service.list_evaluated, audit.id, limit=MAX_CHOICES)
    comparison, problems = None, {}
    try:
        _, comparison = await work.search(compare_crawls, audit.id, before=query.from_, after=query.to)
    except ValidationFailed as error:
        problems = {one.field: view.texts.gettext(_WRONG[one.code]) for one in error.violations if one.code in _WRONG}
    options = [
        (
            crawl.number,
            view.texts.gettext(
                "Crawl %(number)s, score %(score)s, %(when)s",
                number=view.texts.number(crawl.number),
                when=view.texts.moment(crawl.created_at_ms, view.admitted.person.timezone),
                score="–" if summary.score is None else view.texts.number(summary.score),
            ),
        )
        for crawl, summary in crawls
    ]
    return view.page(
        "audit_compare.html.jinja",
        status=422 if problems else 200,
        comparison=comparison,
        problems=problems,
        options=options,
        before=comparison.before if comparison else query.from_,
        after=comparison.after if comparison else query.to,
        kinds={name: view.texts.gettext(words) for name, words in KIND_WORDS.items()},
        aspects={name: view.texts.gettext(words) for name, words in ASPECT_WORDS.items()},
        why_differ=why_crawls_differ,
        why_not=why_not_comparable,
        **_about(view, audit),
    )


async def export_audit_file(request: Request, work: UnitOfWork, view: View, services: Services) -> Response:
    """Return what the newest evaluated crawl found as a file."""
    query, _ = read_fields(AuditExportQuery, read_query(request), "query", lenient=True)
    name = next((name for name in EXPORTS if name == request.path_params["format"]), None)
    made = None
    if name is not None:
        made = await make_audit_file(
            work,
            request.id,
            name,
            crawl=query.crawl,
            finding=query.finding,
            links=msgspec.convert(query, LinkFilter, from_attributes=True),
            part=query.part,
            tag=view.texts.tag,
            documents=services.documents,
            brand=view.options.brand,
        )
    if made is None:
        raise NotFound
    return file_response(made)


def file_response(made: AuditFile) -> Response:
    """A file of an audit as a download."""
    return Response(
        content=made.body, media_type=made.media_type, headers=(made.disposition, INERT, UNLISTED, UNKEPT, VARY)
    )


def _exports(view: View, audit: Audit) -> list[tuple[str, str, str]]:
    """(name, purpose, path) of the files of an audit; of a table or sitemap in parts, of each part."""
    summary, said = audit.summary, view.texts.gettext
    found = []
    for name, (words, purpose) in EXPORTS.items():
        if not is_offered(name) or (summary is None and name not in WITHOUT_RESULT):
            continue
        path = f"/audits/{audit.id}/export/{name}"
        found.append((said(words), said(purpose), path))
        counts = {} if summary is None else {"sitemap": summary.graded}
        if summary is not None:
            counts |= dict.fromkeys(("pages", "pages-parquet"), summary.found)
        rows = counts.get(name, 0)
        parts = range(2, 1 + -(-rows // PART_ROWS))
        found += [(said(words), said(N_("part %(number)s"), number=part), f"{path}?part={part}") for part in parts]
    return found


async def change_audit_from_form(request: Request, work: UnitOfWork, view: View, services: Services) -> Response:
    """Crawl again, pause, resume or cancel, or change what is left out, as the button says."""
    form = await read_form(request)
    change = _DEEDS.get(form.get("deed", ""), service.AuditChange())
    if form.get("exclude") or form.get("readmit"):
        change = service.AuditChange(leave_out=form.get("exclude", ""), readmit=form.get("readmit", ""))
    try:
        if change.again:
            refuse_when_draining(services)
        await work.write(service.change_audit, request.id, change, options=view.options, now_ms=view.now_ms)
    except InvalidInput as error:
        problem = next(iter(problems_of_input(view.texts, error).values()))
        return await _overview(request, work, view, problem, status=422)
    except (CrawlLimit, RateLimited, Unavailable) as error:
        return await _overview(request, work, view, refusal(view.texts, error), status=problem_of(error).status)
    services.wake_crawls()
    return go(f"/audits/{request.id}")


async def ask_to_delete_audit(request: Request, work: UnitOfWork, view: View) -> Response:
    """Ask whether to delete an audit."""
    audit = await work.read(service.show_audit, request.id)
    return view.page("audit_delete.html.jinja", **_about(view, audit))


async def delete_audit_for_good(request: Request, work: UnitOfWork) -> Response:
    """Delete an audit with all of its crawls."""
    await work.write(service.delete_audit, request.id)
    return go("/audits?said=deleted")


def _page(method: str, path: str, name: str, summary: str, handler: Callable[..., Awaitable[Response]]) -> Operation:
    return PageOperation(
        method=method,
        path=f"{PATH}{path}",
        name=name,
        summary=summary,
        handler=handler,
        role=Role.EDITOR if path == "/delete" else None,
    )


OPERATIONS: Final = (
    _page("GET", "", "show_audit_overview", "An audit", show_audit_overview),
    _page("POST", "", "change_audit_from_form", N_("Change an audit, or crawl again"), change_audit_from_form),
    _page("GET", "/findings/{finding}", "show_audit_finding", "A finding of a site", show_audit_finding),
    _page("GET", "/pages", "list_site_pages", "The pages of a site", list_site_pages),
    _page("GET", "/links", "list_site_links", "The links of a site", list_site_links),
    _page("GET", "/pages/{page}", "show_site_page", "A page of a site", show_site_page),
    _page("GET", "/compare", "compare_audit_page", "What changed between two crawls", compare_audit_page),
    _page("GET", "/export/{format}", "export_audit_file", "What was found as a file", export_audit_file),
    _page("GET", "/delete", "ask_to_delete_audit", "Whether to delete an audit", ask_to_delete_audit),
    _page("POST", "/delete", "delete_audit_for_good", N_("Delete an audit"), delete_audit_for_good),
)
