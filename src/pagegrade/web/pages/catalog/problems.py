"""A page for each kind of problem, at the URL in the problem's ``type``; also problems as pages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import urlencode

import msgspec

from pagegrade.model.account import Role
from pagegrade.model.errors import NotFound
from pagegrade.render.account_names import role_names
from pagegrade.web.http.accept import HTML, JSON, preferred
from pagegrade.web.http.response import Response
from pagegrade.web.operations import PAGES, Operation
from pagegrade.web.pages.html import UNKEPT, View, go
from pagegrade.web.problem_texts import TEXTS, example_problem, statuses_of
from pagegrade.web.problems import PROBLEMS, Problem
from pagegrade.web.request import Request

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
    """Return the problem of a request outside the API as a page, if the client prefers HTML; ``None`` to send JSON.

    Args:
        request: The request.
        view: Of the request.
        problem: The problem.
    """
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


OPERATIONS: Final = (
    Operation(
        method="GET",
        path="/problems",
        name="list_problems",
        summary="Every kind of problem",
        handler=list_problems,
        tag=PAGES,
    ),
    Operation(
        method="GET",
        path="/problems/{code}",
        name="show_problem",
        summary="One kind of problem, explained",
        handler=show_problem,
        tag=PAGES,
    ),
)
