"""Pages that everybody may read: start page, catalogue of checks, types of problems, reference of the API.

The catalogue has behavior, penalty and fix of each check. A kind of problem has its page at the URL in the problem's
``type``; problems are answered as pages as well. The server draws the reference of the API, and Swagger UI the console
to try its calls.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final
from urllib.parse import urlencode

import msgspec
from msgspec import structs

from pagegrade.checks import NEEDS, Advice, Check, SiteCheck, all_checks, all_site_checks
from pagegrade.model.account import Role
from pagegrade.model.errors import NotFound
from pagegrade.model.identity import PRODUCT
from pagegrade.model.report import CATEGORIES, RULESET
from pagegrade.render.account import role_names
from pagegrade.render.english import N_
from pagegrade.render.escape import safe_href
from pagegrade.render.finding_texts import finding_texts, translated
from pagegrade.render.i18n import Texts
from pagegrade.render.prose import parse_prose
from pagegrade.render.view import CATEGORY_NAMES
from pagegrade.service.catalogue import (
    CheckItem,
    CheckState,
    check_entries,
    check_entry,
    site_check_entries,
)
from pagegrade.service.options import ROBOT_PATH
from pagegrade.service.unit_of_work import UnitOfWork
from pagegrade.web.http.request_headers import HTML, JSON, preferred
from pagegrade.web.http.response import UNKEPT, Response
from pagegrade.web.openapi.build import build_openapi
from pagegrade.web.operations import Operation, PageOperation
from pagegrade.web.pages.forms import read_query
from pagegrade.web.pages.html import View, go
from pagegrade.web.problems import PROBLEMS, TEXTS, Problem, example_problem, statuses_of
from pagegrade.web.request import Request


async def show_home(work: UnitOfWork, view: View) -> Response:
    """Return the start page; who has signed in is shown their reports."""
    if await work.identify() is not None:
        return go("/reports")
    return view.page("home.html.jinja")


async def show_robot(view: View) -> Response:
    """Return who sends the requests of this installation, and how a site stops them; the user agent names the page."""
    token, agent = PRODUCT.rstrip("/"), view.options.analyze.user_agent
    return view.page("robot.html.jinja", token=token, agent=agent, contact=view.options.contact)


CHECKS_PATH: Final = "/checks"
SITE: Final = "site"
"""Category of the checks of whole sites."""
WHOLE_SITE: Final = N_("Whole site")
IMPORTANCE: Final = {
    "critical": N_("Critical severity"),
    "high": N_("High severity"),
    "medium": N_("Medium severity"),
    "low": N_("Low severity"),
    "informative": N_("For information"),
}
ARTIFACT: Final = "json "
"""Begin of the language of such a block; the name of the artifact follows."""
EXAMPLES: Final = {"Passes on": N_("This passes"), "Fails on": N_("This fails")}


class _Importance(msgspec.Struct, frozen=True):
    """The checks of a category that are equally important, the most expensive first."""

    key: str
    name: str
    checks: tuple[Mapping[str, Any], ...]


class _Group(msgspec.Struct, frozen=True):
    """A category and its checks, the most important first."""

    key: str
    name: str
    points: int
    """Points of the overall score; 0 for checks of a site, which has a score of its own."""
    importances: tuple[_Importance, ...]

    @property
    def total(self) -> int:
        """Number of checks."""
        return sum(len(importance.checks) for importance in self.importances)


async def list_check_pages(request: Request, work: UnitOfWork, view: View) -> Response:
    """Return all checks, or those of one category."""
    wanted = read_query(request).get("category") or None
    if wanted is not None and wanted not in {*CATEGORIES, SITE}:
        raise NotFound
    await work.identify()
    # The first call imports every check and computes its penalties: too slow for the event loop.
    entries = await asyncio.to_thread(check_entries)
    texts = view.texts
    groups = [
        _Group(
            key=key,
            name=texts.gettext(CATEGORY_NAMES[key]),
            points=points,
            importances=_by_importance([entry for entry in entries if entry.category == key], texts),
        )
        for key, points in CATEGORIES.items()
    ]
    of_site = site_check_entries()
    groups.append(_Group(SITE, texts.gettext(WHOLE_SITE), 0, _by_importance(of_site, texts)))
    return view.page(
        "checks.html.jinja",
        groups=groups,
        # Those of sites have a page of their own: more than 300 links are too many for one.
        shown=[group for group in groups if group.key == wanted or (wanted is None and group.key != SITE)],
        wanted=wanted,
        total=len(entries),
        ruleset=RULESET,
    )


async def show_check_page(request: Request, work: UnitOfWork, view: View) -> Response:
    """Return one check with its documentation."""
    await work.identify()
    found = await asyncio.to_thread(_find, request.path_params["check"])
    if found is None:
        raise NotFound
    check, entry = found
    texts = view.texts
    words = WHOLE_SITE if entry.category == "site" else CATEGORY_NAMES[entry.category]
    known: Mapping[str, Check | SiteCheck] = {**all_checks(), **all_site_checks()}
    documentation = check.documentation
    return view.page(
        "check.html.jinja",
        check=_shown(entry, texts),
        category=texts.gettext(words),
        needs=[translated(NEEDS[need], texts.tag) for need in (check.needs if isinstance(check, SiteCheck) else ())],
        advice=[_advice(each, texts) for each in check.advice],
        examples=[
            (texts.gettext(name), documentation[key])
            for key, name in EXAMPLES.items()
            # Those of a site are rows of tables.
            if not isinstance(check, SiteCheck) and _is_for_people(documentation[key])
        ],
        states=[_state(state, texts) for state in entry.states],
        what_it_checks=documentation["What it checks"],
        is_english=finding_texts(texts.tag) is None,
        same_cause=[
            (other.id, translated(other.title, texts.tag))
            for other in known.values()
            if other.cause is not None and other.cause == check.cause and other is not check
        ],
        sources=[(href, _short(href)) for source in check.sources if (href := safe_href(source)) is not None],
    )


def _find(name: str) -> tuple[Check | SiteCheck, CheckItem] | None:
    """Return a check, and how it stands in a list."""
    check = all_site_checks().get(name) or all_checks().get(name)
    return None if check is None else (check, check_entry(check))


def _is_for_people(text: str) -> bool:
    """Return whether a section has no block that only tests read: what was gathered, in the form it is kept in."""
    return not any(block.language.startswith(ARTIFACT) for block in parse_prose(text))


def _by_importance(entries: Sequence[CheckItem], texts: Texts) -> tuple[_Importance, ...]:
    """Return the entries below the words of their importance, those that cost most first."""
    groups = []
    for key, words in IMPORTANCE.items():
        alike = sorted((entry for entry in entries if entry.importance == key), key=lambda entry: -entry.price)
        if alike:
            groups.append(_Importance(key, texts.gettext(words), tuple(_shown(entry, texts) for entry in alike)))
    return tuple(groups)


def _shown(entry: CheckItem, texts: Texts) -> Mapping[str, Any]:
    """Return the entry with translated texts."""
    price = entry.price
    # Summaries and documentation are English; what a page that passes reads is translated, like all of a report.
    summary = entry.summary if finding_texts(texts.tag) is None else entry.states[0].message
    return {
        **structs.asdict(entry),
        "title": translated(entry.title, texts.tag),
        "summary": translated(summary, texts.tag),
        "importance_words": texts.gettext(IMPORTANCE[entry.importance]),
        "points": texts.number(price, digits=1) if price else "",
    }


def _state(state: CheckState, texts: Texts) -> Mapping[str, str]:
    """Return a state of a check with the share of the maximum penalty that it costs."""
    low, high = state.loss, state.loss_max
    if not high:
        share = texts.gettext("nothing")
    elif low == high:
        share = texts.percent(high)
    else:
        share = texts.gettext("%(low)s to %(high)s", low=texts.percent(low), high=texts.percent(high))
    return {"share": share, "message": translated(state.message, texts.tag)}


def _advice(advice: Advice, texts: Texts) -> Mapping[str, str]:
    """Return why a fault matters and how to fix it."""
    return {name: translated(getattr(advice, name), texts.tag) for name in ("title", "why", "fix")}


def _short(href: str) -> str:
    """Return a URL as link text: without its scheme."""
    return href.partition("://")[2].rstrip("/")


VARY: Final = ("Vary", "Accept, Accept-Language, Cookie")


async def list_problems(request: Request, view: View) -> Response:
    """Return every kind of problem."""
    listed = [_about(code, view.options.base_url) for code in PROBLEMS]
    if preferred(request.header(b"accept"), (HTML, JSON)) == JSON:
        return Response(status_code=200, content=msgspec.json.encode({"data": listed, "status": 200}), headers=(VARY,))
    rows = [{**about, "slug": slug_of(about["code"])} for about in listed]
    return view.page("problems.html.jinja", problems=rows, headers=(VARY,))


async def show_problem(request: Request, view: View) -> Response:
    """Return one kind of problem with its explanation."""
    code = request.path_params["code"].replace("-", "_")
    if code not in PROBLEMS or request.path_params["code"] != slug_of(code):
        raise NotFound
    base_url = view.options.base_url
    about = _about(code, base_url)
    example = msgspec.json.decode(example_problem(code, base_url=base_url)[1])
    if preferred(request.header(b"accept"), (HTML, JSON)) == JSON:
        text = TEXTS[code]
        whole = {**about, "causes": text.causes, "steps": text.steps, "request": text.request, "example": example}
        return Response(status_code=200, content=msgspec.json.encode({"data": whole, "status": 200}), headers=(VARY,))
    return view.page(
        "problem.html.jinja",
        code=code,
        title=about["title"],
        statuses=statuses_of(code),
        text=TEXTS[code],
        example=msgspec.json.format(msgspec.json.encode(example), indent=2).decode(),
        headers=(VARY,),
    )


def problem_page(request: Request, view: View, problem: Problem) -> Response | None:
    """Return the problem of a request outside the API as a page, if the client prefers HTML; ``None`` to send JSON."""
    if preferred(request.header(b"accept"), (JSON, HTML)) != HTML:
        return None
    headers = (*problem.headers, VARY, UNKEPT)
    if problem.code == "not_found":
        return view.page("not_found.html.jinja", status=problem.status, headers=headers)
    return view.page(
        "failed.html.jinja",
        status=problem.status,
        title=PROBLEMS[problem.code][1],
        happened=TEXTS[problem.code].happened,
        message=problem.message,
        slug=slug_of(problem.code),
        number=problem.status,
        headers=headers,
    )


def foreign_form(view: View) -> Response:
    """Reject a form that was not sent by a page of this installation."""
    return view.page("foreign_form.html.jinja", status=403)


def sign_in_needed(request: Request, view: View) -> Response:
    """Redirect to the sign-in form, and from there to the requested page.

    Text typed into a form is not lost: the browser keeps it in its history.
    """
    if request.method in ("GET", "HEAD"):
        return go(f"/sign-in?{urlencode({'next': request.target})}")
    return view.page("signed_out.html.jinja", status=401)


def role_needed(view: View, needed: Role) -> Response:
    """Refuse what the role of the signed-in person does not allow, and name who can help."""
    return view.page("role_needed.html.jinja", status=403, roles=role_names(view.texts), needed=needed)


def slug_of(code: str) -> str:
    """Return the code as the last segment of its page's path."""
    return code.replace("_", "-")


def _about(code: str, base_url: str) -> Mapping[str, Any]:
    status, title = PROBLEMS[code]
    return {
        "type": f"{base_url}/problems/{slug_of(code)}",
        "code": code,
        "title": title,
        "status": status,
        "happened": TEXTS[code].happened,
    }


DOCS_PATH: Final = "/docs"
POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""Of the console. Without ``require-trusted-types-for``: Swagger UI sets markup as text, after DOMPurify has cleaned
it. What it is fed is the description, which is made of our own code only."""
_made: dict[tuple[str, ...], tuple[Group, ...]] = {}
"""Names of the operations -> the reference; a process has one entry, or a few in tests."""


class Value(msgspec.Struct, frozen=True):
    """A parameter of a call, or a member of its body."""

    name: str
    place: str
    """``path``, ``query``, ``header`` or ``body``."""
    required: bool
    description: str


class Call(msgspec.Struct, frozen=True):
    """One operation of the API."""

    name: str
    method: str
    path: str
    summary: str
    description: str
    values: tuple[Value, ...]
    statuses: tuple[tuple[str, str], ...]
    """(status, its meaning), successes first."""


class Group(msgspec.Struct, frozen=True):
    """The calls about one kind of resource."""

    name: str
    description: str
    calls: tuple[Call, ...]

    @property
    def key(self) -> str:
        """The name in URLs."""
        return self.name.lower().replace(" ", "-")

    @property
    def size(self) -> int:
        """Number of calls."""
        return len(self.calls)


async def show_docs(request: Request, work: UnitOfWork, view: View) -> Response:
    """Return the list of all calls, or the calls of one group with what they take and answer."""
    wanted = read_query(request).get("group") or None
    await work.identify()
    key = tuple(operation.name for operation in request.operations)
    if key not in _made:
        # Builds the schemas of all documents: too slow for the event loop.
        _made[key] = await asyncio.to_thread(_describe, request.operations)
    groups = _made[key]
    shown = [group for group in groups if wanted in (None, group.key)]
    if not shown:
        raise NotFound
    return view.page("docs.html.jinja", groups=groups, shown=shown, wanted=wanted)


async def show_console(view: View) -> Response:
    """Return the console."""
    return view.page("docs_console.html.jinja", policy=POLICY)


def _describe(operations: Sequence[Operation]) -> tuple[Group, ...]:
    """Return the reference, read from the OpenAPI document."""
    document = build_openapi(operations)
    calls: dict[str, list[Call]] = {}
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            call = Call(
                name=operation["operationId"],
                method=method.upper(),
                path=path,
                summary=operation["summary"],
                description=operation["description"],
                values=(*_parameters(operation, document), *_body(operation, document)),
                statuses=tuple(
                    (status, _resolve(response, document)["description"])
                    for status, response in operation["responses"].items()
                ),
            )
            calls.setdefault(operation["tags"][0], []).append(call)
    return tuple(Group(tag["name"], tag["description"], tuple(calls[tag["name"]])) for tag in document["tags"])


def _parameters(operation: Mapping[str, Any], document: Mapping[str, Any]) -> Iterator[Value]:
    for each in operation.get("parameters", ()):
        parameter = _resolve(each, document)
        yield Value(
            parameter["name"], parameter["in"], parameter.get("required", False), parameter.get("description", "")
        )


def _body(operation: Mapping[str, Any], document: Mapping[str, Any]) -> Iterator[Value]:
    """Yield the members of the body, which are the same in every media type."""
    for content in operation.get("requestBody", {}).get("content", {}).values():
        schema = _resolve(content["schema"], document)
        for name, member in schema.get("properties", {}).items():
            whole = _resolve(member, document)
            description = member.get("description") or whole.get("description", "")
            yield Value(name, "body", name in schema.get("required", ()), description)
        return


def _resolve(value: Mapping[str, Any], document: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what a reference of the document leads to; other values as they are."""
    for _ in range(4):
        reference = value.get("$ref")
        if reference is None:
            break
        found: Any = document
        for name in reference.removeprefix("#/").split("/"):
            found = found[name]
        value = found
    return value


OPERATIONS: Final = (
    PageOperation(path="/", handler=show_home, access="anyone"),
    PageOperation(path=ROBOT_PATH, handler=show_robot, access="anyone"),
    PageOperation(path=CHECKS_PATH, handler=list_check_pages, access="anyone"),
    PageOperation(path=f"{CHECKS_PATH}/{{check}}", handler=show_check_page, access="anyone"),
    PageOperation(path="/problems", handler=list_problems, access="anyone"),
    PageOperation(path="/problems/{code}", handler=show_problem, access="anyone"),
    PageOperation(path=DOCS_PATH, handler=show_docs, access="anyone"),
    PageOperation(path=f"{DOCS_PATH}/console", handler=show_console, access="anyone"),
)
