"""The list of reports: its query, the form for a new one, the filters, the rows, and their live states."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, Final
from urllib.parse import quote, urlencode

import msgspec
from msgspec.structs import replace

from pagegrade.model.access import MAX_NAME, MAX_PROFILES
from pagegrade.model.account import Account
from pagegrade.model.errors import InvalidInput, QuotaExceeded, RateLimited, Unavailable, ValidationFailed
from pagegrade.model.report import Thresholds
from pagegrade.model.stored import ListPart, Privacy, State
from pagegrade.parse.url import origin, project_of
from pagegrade.render.english import N_
from pagegrade.render.escape import visible
from pagegrade.render.finding_texts import translated
from pagegrade.render.history import HEIGHT, Chart, RunPoint, chart_of, own_scale
from pagegrade.render.i18n import Texts
from pagegrade.service.access.operations import list_profiles
from pagegrade.service.accounts.admission import RateLimit
from pagegrade.service.container import Services
from pagegrade.service.options import ServiceOptions
from pagegrade.service.reports.listing import SHARED_PAGES, TrendDay, find_rows, find_states
from pagegrade.service.reports.operations import Stored, create_report
from pagegrade.service.reports.site_findings import SharedFinding
from pagegrade.service.reports.validation import MADE_PRIVATE
from pagegrade.service.unit_of_work import UnitOfWork
from pagegrade.web.http.fields import read_fields
from pagegrade.web.http.response import Response
from pagegrade.web.operations import PageOperation
from pagegrade.web.pages.forms import problems_of, problems_of_input, read_form, read_query, refusal_of, with_setting
from pagegrade.web.pages.html import HELPED, View, go
from pagegrade.web.pages.reports.report_context import menus_of_several
from pagegrade.web.pages.reports.rows import (
    GONE,
    MAX_CRUMB,
    MEANINGS,
    PRIVACIES,
    RESULTS,
    STATES,
    row_of,
    short_url,
    state_object,
)
from pagegrade.web.parameters import PER_PAGE, CreateReportBody, ReportListQuery
from pagegrade.web.problems import problem_of
from pagegrade.web.report_requests import list_query, new_report_of, refuse_when_draining
from pagegrade.web.request import Request

PATH: Final = "/reports"
FILTERS: Final = ("search", "project", "result", "state")
DEFAULTS: Final[Mapping[str, object]] = {"sort_by": "id", "sort": "desc", "per_page": PER_PAGE, "page": 1}
SORTS: Final = {
    "id": N_("When the report was created"),
    "generated_at": N_("When the page was analyzed"),
    "url": N_("URL"),
    "result": N_("Result"),
}
DIRECTIONS: Final = {
    "desc": N_("Down: newest, best or Z first"),
    "asc": N_("Up: oldest, worst or A first"),
}
FIRST_CLICK: Final = {"generated_at": "desc", "url": "asc", "result": "asc"}
"""Sort key of a column heading -> direction of the first click."""
PAGE_SIZES: Final = (10, 25, 50, 100)


class Asked(msgspec.Struct, frozen=True):
    """The valid part of a query for the list, and messages about the rest."""

    query: ReportListQuery
    problems: Mapping[str, str]
    """Field -> message."""

    @property
    def is_filtered(self) -> bool:
        """True if filters are set, so that the list may leave reports out."""
        return any(getattr(self.query, name) for name in FILTERS)

    def without_search(self, problems: Mapping[str, str]) -> Asked:
        """Return the query without its search term, with messages about the term."""
        return replace(
            self, query=self.query.model_copy(update={"search": None}), problems={**self.problems, **problems}
        )

    def url(self, path: str = PATH, **changes: object) -> str:
        """Return the URL of the list with some values changed; ``None`` removes one.

        Default values are left out, and so is the page number when the filter or order changes.
        """
        values: dict[str, object] = {name: getattr(self.query, name) for name in (*FILTERS, *DEFAULTS)}
        if changes and "page" not in changes:
            values["page"] = 1
        values.update(changes)
        said = {
            name: str(value)
            for name, value in values.items()
            if value is not None and value != "" and value != DEFAULTS.get(name)
        }
        return f"{path}?{urlencode(said, quote_via=quote)}" if said else path

    def page_url(self, number: int) -> str:
        """Return the URL of another page of the list."""
        return self.url(page=number)

    def project_url(self, project: str) -> str:
        """Return the URL of the reports of a project."""
        return self.url(project=project, search=None, result=None, state=None)

    def following(self) -> str:
        """Return the URL of the list that reloads itself, for browsers without scripts."""
        url = self.page_url(self.query.page)
        return f"{url}{'&' if '?' in url else '?'}follow=1"

    def sort_url(self, sort_by: str) -> str:
        """Return the URL of a column heading: sorted by the column, or in the opposite direction."""
        return self.url(sort_by=sort_by, sort=self._next_sort(sort_by))

    def aria_sort(self, sort_by: str) -> str:
        """Return the value of ``aria-sort``; empty if the list is sorted by another column."""
        if self.query.sort_by != sort_by:
            return ""
        return "descending" if self.query.sort == "desc" else "ascending"

    def _next_sort(self, sort_by: str) -> str:
        if self.query.sort_by != sort_by:
            return FIRST_CLICK[sort_by]
        return "asc" if self.query.sort == "desc" else "desc"


def read_asked(sent: Mapping[str, str], texts: Texts) -> Asked:
    """Parse and validate a query.

    Args:
        sent: Query parameters by name.
    """
    values = {name: value.strip() for name, value in sent.items()}
    query, violations = read_fields(ReportListQuery, values, "query")
    problems = problems_of(texts, violations)
    # The page number has no form field that its message could link to.
    return Asked(query, {"" if name == "page" else name: problem for name, problem in problems.items()})


def choices(texts: Texts, options: Mapping[str, str], *, any_of: bool = False) -> list[tuple[str, str]]:
    """Return (value, label) of the options of a drop-down list, with an empty value for "Any" first if requested."""
    first = [("", texts.gettext("Any"))] if any_of else []
    return [*first, *((value, texts.gettext(words)) for value, words in options.items())]


MAX_IDS: Final = 100
"""Maximum number of reports whose states a request returns: the rows of one page."""
MAX_IDS_TEXT: Final = 2_048
MIN_GAP_PX: Final = 14
"""Between two scores beside a chart, from line to line."""
MAX_WORSE: Final = 5
"""Maximum number of pages that got worse, by name."""
ALL: Final = N_("All")
UNFINISHED_FIRST: Final[tuple[State, ...]] = ("running", "queued", "failed")
SAID: Final = {
    "deleted": ("good", N_("The report was deleted.")),
    "many_deleted": ("good", N_("The reports were deleted.")),
    "many_shared": ("good", N_("Who may see the reports was changed.")),
    "many_monitored": ("good", N_("The pages are monitored. Those that had a monitor keep it.")),
    "many_again": ("good", N_("The pages will be analyzed again.")),
    "made": ("good", N_("The reports were created. Their pages are analyzed one after the other.")),
    "not_all_finished": ("decent", N_("Nothing was exported: some of the ticked reports have no results yet.")),
    "some_failed": (
        "decent",
        N_(
            "Nothing was exported: some of these pages could not be analyzed. "
            "Tick only reports with results, or analyze those pages again."
        ),
    ),
    "too_many_exported": ("decent", N_("Nothing was exported: a document or a ZIP file has 100 reports at most.")),
    "too_many_joined": ("decent", N_("Nothing was exported: one PDF has 40 reports at most.")),
    "too_large_exported": (
        "decent",
        N_(
            "Nothing was exported: the files would have more than 64 MB together. "
            "Tick fewer reports or take another format."
        ),
    ),
    "none_selected": ("decent", N_("Nothing was done: tick the reports first.")),
}
"""Last action -> (style, message)."""


class NewForm(msgspec.Struct, frozen=True, kw_only=True):
    """The submitted form for a new report."""

    url: str = ""
    privacy: str = ""
    """Privacy; empty for the default of the account."""
    render: str = ""
    """Engine; empty for the default of the installation."""
    device: str = ""
    access: str = ""
    """Access profile; empty for that of the origin."""
    problems: Mapping[str, str] = msgspec.field(default_factory=dict)
    """Field -> message; an empty field for messages about the whole form."""


async def list_report_rows(request: Request, work: UnitOfWork, view: View) -> Response:
    """Return the list."""
    return await listing_page(request, work, view, NewForm())


async def listing_page(request: Request, work: UnitOfWork, view: View, form: NewForm, *, status: int = 200) -> Response:
    """Return the page of the list.

    Args:
        request: The request with the query of the list.
        form: The form above the list.
        status: HTTP status; replaced if the query is not valid.
    """
    sent = read_query(request)
    await work.admit()
    asked = read_asked(sent, view.texts)
    query = list_query(asked.query)
    try:
        read = work.search if query.search else work.read
        found = await read(find_rows, query, view.options, view.now_ms)
    except ValidationFailed as error:
        # The search took too long: show the list without it, and a message.
        asked = asked.without_search(problems_of(view.texts, error.violations))
        found = await work.read(find_rows, list_query(asked.query), view.options, view.now_ms)
    access_choices = await find_access_choices(work)
    texts, account = view.texts, view.admitted.account
    said = SAID.get(sent.get("said", ""))
    if asked.problems and status == 200:  # noqa: PLR2004 - the form on top is as it should be
        status = 422

    def draw() -> Response:
        rows = [
            row_of(report, texts, found.titles, found.scores.get(report.id, ()), change=found.changes.get(report.id))
            for report in found.reports
        ]
        return view.page(
            "reports.html.jinja",
            status=status,
            policy=HELPED,
            form=form,
            chosen_privacy=form.privacy or str(int(default_privacy(account, view.options))),
            privacies=privacy_options(texts),
            access_choices=access_choices,
            is_privacy_open=form.privacy not in {"", str(int(default_privacy(account, view.options)))},
            asked=asked,
            rows=rows,
            live=[row.id for row in rows if row.is_live],
            follows=sent.get("follow") == "1",
            total=found.total,
            has_any=found.has_any,
            menus=menus_of_several(texts),
            chips=_chips(asked, found.counts, texts),
            counts=found.counts,
            shared_pages=SHARED_PAGES,
            shared=in_language(found.shared, view.texts),
            site_findings=f"/projects/{quote(project_of(asked.query.project or ''), safe='')}/findings",
            trend=_trend(found.trend, view.options.analyze.thresholds),
            average=None if found.average is None else round(found.average),
            worse=[(page, short_url(page.url, MAX_CRUMB)) for page in found.worse],
            max_worse=MAX_WORSE,
            crossings=found.crossings,
            last_page=max(1, -(-found.total // asked.query.per_page)),
            results=choices(texts, RESULTS, any_of=True),
            states=choices(texts, STATES, any_of=True),
            sorts=choices(texts, SORTS),
            directions=choices(texts, DIRECTIONS),
            sizes=[(size, texts.number(size)) for size in PAGE_SIZES],
            said=None if said is None else texts.gettext(said[1]),
            said_kind="" if said is None else said[0],
            timezone=view.admitted.person.timezone,
        )

    # Rendering a hundred rows takes tens of milliseconds, which would block the event loop.
    return await asyncio.to_thread(draw)


async def show_states(request: Request, work: UnitOfWork, view: View) -> Response:
    """Return the states of some reports, for the script of a page."""
    sent = read_query(request)
    numbers = _numbers(sent.get("ids", ""))
    found, counts = await work.read(find_states, numbers, view.options, view.now_ms)
    texts = view.texts
    states = [
        _gone(report_id, texts) if report is None else state_object(report, texts, view.now_ms)
        for report_id, report in found.items()
    ]
    left = view.texts.ngettext(
        "%(num)s report on this page is not finished.",
        "%(num)s reports on this page are not finished.",
        sum(not state["finished"] for state in states),
    )
    counted = {name: view.texts.number(count) for name, count in counts.items()}
    return Response(
        status_code=200,
        content=msgspec.json.encode({"reports": states, "left": left, "counts": counted}),
        headers=(("Cache-Control", "private, no-store"), ("Vary", "Cookie, Accept-Language")),
    )


def default_privacy(account: Account, options: ServiceOptions) -> Privacy:
    """Return the privacy of a new report without an explicit choice."""
    return options.default_privacy if account.default_privacy is None else Privacy(account.default_privacy)


def privacy_options(texts: Texts) -> list[tuple[int, str, str]]:
    """Return (value, label, explanation) of the privacy levels."""
    return [(int(each), texts.gettext(PRIVACIES[each]), texts.gettext(MEANINGS[each])) for each in Privacy]


async def find_access_choices(work: UnitOfWork, url: str | None = None) -> list[tuple[int, str]]:
    """Return (id, name) of the account's access profiles, the newest first.

    Args:
        url: Only those for its origin; ``None``: all.
    """
    found = await work.read(list_profiles, ListPart(per_page=MAX_PROFILES))
    return [
        (each.id, visible(each.name, MAX_NAME)) for each in found.items if url is None or origin(url) in each.origins
    ]


def _gone(report_id: int, texts: Texts) -> dict[str, Any]:
    return {"id": report_id, "state": "gone", "finished": True, "state_words": texts.gettext(GONE)}


class _Trend(msgspec.Struct, frozen=True):
    """The score of a site by day, as a chart and as rows of a table."""

    days: tuple[TrendDay, ...]
    """Newest first."""
    chart: Chart
    height: int
    """Of the plot, in pixels."""
    ticks: tuple[tuple[int, float], ...]
    """(score, pixels from the top) of the scores beside the plot, from its bottom to its top."""
    limits: tuple[float, float]
    """Pixels from the top of the limits of good and decent; at an edge of the plot where they are beyond it."""


def _trend(days: Sequence[TrendDay], thresholds: Thresholds) -> _Trend | None:
    """Return the trend of a site; ``None`` below two days."""
    if len(days) < 2:  # noqa: PLR2004 - a line has two ends
        return None
    points = [
        RunPoint(
            number=number,
            state="completed",
            result=thresholds.grade(round(day.score)),
            score=round(day.score),
            ruleset="",
            engine=None,
            at_ms=day.at_ms,
        )
        for number, day in enumerate(days, 1)
    ]
    scale = own_scale([day.score for day in days])
    limits = (scale.height(thresholds.good), scale.height(thresholds.decent))
    inside = (
        score
        for score in (thresholds.decent, thresholds.good)
        if MIN_GAP_PX < scale.height(score) < HEIGHT - MIN_GAP_PX
    )
    ticks = tuple((score, scale.height(score)) for score in (scale.low, *inside, scale.high))
    return _Trend(tuple(reversed(days)), chart_of(points, scale=scale), HEIGHT, ticks, limits)


class _Chip(msgspec.Struct, frozen=True):
    """A filter with its own link."""

    words: str
    count: int | None
    """Number of reports; ``None`` if not counted."""
    url: str
    is_current: bool
    grade: str
    name: str
    """Name of the count that the script keeps current; empty if only the list itself knows it."""


def _chips(asked: Asked, counts: Mapping[str, int], texts: Texts) -> list[_Chip]:
    """Return the filters: all, each result, and states that need attention if there are any."""
    query = asked.query
    chosen = (query.result, query.state)

    def chip(words: str, name: str, grade: str, *, result: str | None = None, state: str | None = None) -> _Chip:
        # The number of matches of a search is only known to the list itself.
        count = None if query.search else counts[name]
        url = asked.url(result=result, state=state)
        is_current = chosen == (result, state)
        return _Chip(texts.gettext(words), count, url, is_current, grade, "" if query.project else name)

    chips = [chip(ALL, "all", "none")]
    chips += [chip(RESULTS[result], result, result, result=result) for result in RESULTS]
    for state in UNFINISHED_FIRST:
        if counts[state] or query.state == state:
            chips.append(chip(STATES[state], state, "bad" if state == "failed" else "none", state=state))
    return chips


def _numbers(text: str) -> list[int]:
    """Parse the ids of a list like ``1,2,3``; skip everything that is not an id."""
    words = text[:MAX_IDS_TEXT].split(",")[:MAX_IDS]
    return [int(word) for word in words if word.isascii() and word.isdigit() and len(word) < len(str(2**63))]


def in_language(shared: Sequence[SharedFinding], texts: Texts) -> tuple[SharedFinding, ...]:
    """Return findings with their titles in the reader's language; what has no translation is ``Untranslated``."""
    return tuple(replace(one, title=translated(one.title, texts.tag)) for one in shared)


async def create_report_from_form(
    request: Request, work: UnitOfWork, limits: RateLimit, view: View, services: Services
) -> Response:
    """Store a new report and redirect to its page, which waits for the analysis."""
    sent = dict(await read_form(request))
    # The API reports whitespace around a URL as an error; users paste it without noticing.
    sent["url"] = sent.get("url", "").strip()
    try:
        refuse_when_draining(services)
        made = await _create(work, limits, view, services, sent)
    except InvalidInput as error:
        problems = problems_of_input(view.texts, error)
        if "url" in problems:
            problems["url"] = with_setting(view.texts, problems["url"], sent["url"], view.options.analyze)
        return await _again(request, work, view, sent, problems, status=422)
    except (RateLimited, QuotaExceeded, Unavailable) as error:
        return await _again(
            request, work, view, sent, {"": refusal_of(view.texts, error)}, status=problem_of(error).status
        )
    services.wake()
    said = "created_private" if MADE_PRIVATE in made.warnings else "created"
    return go(f"{PATH}/{made.report.id}?said={said}")


async def _create(
    work: UnitOfWork, limits: RateLimit, view: View, services: Services, sent: Mapping[str, str]
) -> Stored:
    options = view.options
    fields, violations = read_fields(CreateReportBody, sent, "body")
    # A form always sends a privacy. That a report with an access profile becomes public is asked in its settings.
    new_report = replace(new_report_of(view.admitted.account, view.options, fields, violations), chose_privacy=False)
    await limits.take_analysis()
    password_hash = None if new_report.password is None else await services.passwords.hash(new_report.password)
    return await work.write(create_report, new_report, options, view.now_ms, password_hash=password_hash)


async def _again(
    request: Request, work: UnitOfWork, view: View, sent: Mapping[str, str], problems: Mapping[str, str], *, status: int
) -> Response:
    form = NewForm(
        url=sent["url"],
        privacy=sent.get("privacy", ""),
        render=sent.get("render", ""),
        device=sent.get("device", ""),
        access=sent.get("access", ""),
        problems=problems,
    )
    return await listing_page(request, work, view, form, status=status)


OPERATIONS: Final = (
    PageOperation(path=PATH, handler=list_report_rows),
    PageOperation(path=f"{PATH}/states", handler=show_states, counted_as="polls"),
    PageOperation(
        method="POST",
        path=PATH,
        summary=N_("Create a report"),
        handler=create_report_from_form,
    ),
)
