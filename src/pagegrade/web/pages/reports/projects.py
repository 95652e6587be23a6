"""Projects: the sites that an account's reports are about, and how they did."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final
from urllib.parse import quote, urlencode

import msgspec

from pagegrade.model.account import Role
from pagegrade.model.stored import SiteOrder
from pagegrade.render.english import N_
from pagegrade.render.escape import unicode_host, visible
from pagegrade.render.finding_list import SEVERITY_NAMES
from pagegrade.service.container import Services
from pagegrade.service.reports import projects as service
from pagegrade.service.reports.projects import ListedProject
from pagegrade.service.reports.site_findings import find_site_findings
from pagegrade.service.unit_of_work import UnitOfWork
from pagegrade.web.http.fields import read_fields
from pagegrade.web.http.response import Response
from pagegrade.web.operations import PageOperation
from pagegrade.web.pages.forms import read_query
from pagegrade.web.pages.html import View, go
from pagegrade.web.pages.reports.report_context import check_url, menus_of_several
from pagegrade.web.pages.reports.report_list import SAID as REPORTS_SAID
from pagegrade.web.pages.reports.report_list import in_language
from pagegrade.web.pages.reports.rows import MAX_CRUMB, short_url
from pagegrade.web.parameters import Paged
from pagegrade.web.report_requests import ProjectListQuery, delete_project_in_parts, site_query, typed_project
from pagegrade.web.request import Request

PATH: Final = "/projects"
PER_PAGE: Final = 25
SHOWN_TAGS: Final = 100
"""Tags that the list offers as a filter; an account may have any number of them."""
SAID: Final = {
    **REPORTS_SAID,
    "deleted": ("good", N_("The site and its reports were deleted.")),
    "many_tagged": ("good", N_("The tags of the sites were saved.")),
    "no_sites": ("decent", N_("Nothing was done: tick the sites first.")),
}
"""Last action -> (style, message)."""
SORTS: Final[Mapping[SiteOrder, str]] = {"name": "asc", "score": "asc", "analyzed": "desc"}
"""Order -> direction of the first click on its heading."""


class Asked(msgspec.Struct, frozen=True):
    """A query for the list of sites; what is not valid of it counts as not sent."""

    query: ProjectListQuery

    @property
    def is_filtered(self) -> bool:
        """True if the list may leave sites out."""
        return bool(self.query.search or self.query.tag)

    def url(self, **changes: object) -> str:
        """Return the URL of the list with some values changed, at its first page; default values are left out."""
        values = {name: getattr(self.query, name) for name in ("search", "tag", "sort_by", "sort", "per_page")}
        usual = {"sort_by": "name", "sort": "asc", "per_page": PER_PAGE, "page": 1}
        sent = {name: value for name, value in {**values, **changes}.items() if value and value != usual.get(name)}
        return f"{PATH}?{urlencode(sent, quote_via=quote)}" if sent else PATH

    def sort_url(self, order: SiteOrder) -> str:
        """Return the URL of a column heading: sorted by the column, or in the opposite direction."""
        turned = "asc" if self.query.sort == "desc" else "desc"
        return self.url(sort_by=order, sort=turned if self.query.sort_by == order else SORTS[order])

    def aria_sort(self, order: SiteOrder) -> str:
        """Return the value of ``aria-sort``; empty if the list is sorted by another column."""
        if self.query.sort_by != order:
            return ""
        return "descending" if self.query.sort == "desc" else "ascending"


def read_asked(sent: Mapping[str, str]) -> Asked:
    """Read a query."""
    # A wrong number is no reason for a page of problems: there is a first page.
    return Asked(read_fields(ProjectListQuery, {"per_page": str(PER_PAGE), **sent}, "query", lenient=True)[0])


async def list_project_rows(request: Request, work: UnitOfWork, view: View) -> Response:
    """Return the projects that are asked for."""
    sent = read_query(request)
    asked = read_asked(sent)
    query = asked.query
    found, total = await work.read(
        service.find_projects, view.now_ms, page=query.page, per_page=query.per_page, query=site_query(query)
    )
    said = SAID.get(sent.get("said", ""))
    tags = await work.read(service.list_tags)
    return view.page(
        "projects.html.jinja",
        projects=[
            (
                one,
                _grade(one.figures.average, view),
                unicode_host(f"https://{name}/"),
                _segment(name),
                _worst(one, view),
            )
            for one in found
            for name in [one.figures.name]
        ],
        severity_names={name: view.texts.gettext(words) for name, words in SEVERITY_NAMES.items()},
        site_pages=service.SITE_PAGES,
        menus=menus_of_several(view.texts),
        total=total,
        asked=asked,
        page_url=lambda number: asked.url(page=number),
        tags=[tag for at, tag in enumerate(tags) if at < SHOWN_TAGS or tag == query.tag],
        tag_count=len(tags),
        page=query.page,
        last_page=max(1, -(-total // query.per_page)),
        said=None if said is None else view.texts.gettext(said[1]),
        said_kind="" if said is None else said[0],
        timezone=view.admitted.person.timezone,
    )


async def list_site_findings(request: Request, work: UnitOfWork, view: View) -> Response:
    """Return the findings of the pages of a site, or one of them with its pages."""
    sent = read_query(request)
    site = await work.read(find_site_findings, typed_project(request), view.options, view.now_ms)
    findings = in_language(site.findings, view.texts)
    check = sent.get("check", "")
    chosen = next((one for one in findings if one.check == check), None)
    query, _ = read_fields(Paged, {"per_page": str(PER_PAGE), **sent}, "query", lenient=True)
    rows = () if chosen is None else chosen.pages
    segment = _segment(site.project)
    base = f"{PATH}/{segment}/findings"
    return view.page(
        "site_findings.html.jinja",
        site=site,
        base=base,
        site_url=f"/reports?project={segment}",
        findings=findings,
        check=check,
        chosen=chosen,
        check_page=check_url(check),
        rows=[
            (page, short_url(page.url))
            for page in rows[(query.page - 1) * query.per_page : query.page * query.per_page]
        ],
        page=query.page,
        last_page=max(1, -(-len(rows) // query.per_page)),
        page_url=lambda number: f"{base}?{urlencode({'check': check, 'page': number})}",
    )


async def ask_to_delete_project(request: Request, work: UnitOfWork, view: View) -> Response:
    """Return the question whether it is meant."""
    project = await work.read(service.find_project, typed_project(request))
    return view.page("project_delete.html.jinja", project=project, segment=_segment(project.name))


async def delete_project_for_good(request: Request, work: UnitOfWork, services: Services) -> Response:
    """Delete every report of the project, a part at a time, and go to the other projects."""
    await delete_project_in_parts(work, services, typed_project(request))
    return go(f"{PATH}?said=deleted")


def _grade(score: float | None, view: View) -> str:
    """Return the grade that a page with this score has, for its color."""
    return "none" if score is None else view.options.analyze.thresholds.grade(round(score))


def _worst(project: ListedProject, view: View) -> tuple[int, str, int, str] | None:
    """Return (report, path, score, grade) of the worst page; ``None`` where a site has no score, or only one page."""
    page = project.worst
    if page is None or page.score is None or project.pages < 2:  # noqa: PLR2004 - a single page is the site
        return None
    path = "/" + page.url.partition("://")[2].partition("/")[2]
    return page.report_id, visible(path, MAX_CRUMB), page.score, _grade(page.score, view)


def _segment(name: str) -> str:
    """The name as a segment of a path: its port has a colon, and an IPv6 address has brackets."""
    return quote(name, safe="")


OPERATIONS: Final = (
    PageOperation(path=PATH, handler=list_project_rows),
    PageOperation(path=f"{PATH}/{{project}}/findings", handler=list_site_findings),
    PageOperation(path=f"{PATH}/{{project}}/delete", handler=ask_to_delete_project, role=Role.EDITOR),
    PageOperation(
        method="POST",
        path=f"{PATH}/{{project}}/delete",
        summary=N_("Delete a site with its reports"),
        handler=delete_project_for_good,
    ),
)
