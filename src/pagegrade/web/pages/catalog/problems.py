"""A page for each kind of problem, at the address that problems give as their type; and the problems of pages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import urlencode

import msgspec

from pagegrade.model.errors import NotFound
from pagegrade.web.context import Call
from pagegrade.web.http.accept import HTML, JSON, preferred
from pagegrade.web.operations import PAGES, Answer, Operation
from pagegrade.web.pages.html import UNKEPT, go, page
from pagegrade.web.problem_texts import TEXTS, example_problem, statuses_of
from pagegrade.web.problems import PROBLEMS, Problem

VARY: Final = ("Vary", "Accept, Accept-Language, Cookie")


async def list_problems(call: Call) -> Answer:
    """Answer with every kind of problem."""
    listed = [_about(code, call.services.options.base_url) for code in PROBLEMS]
    if preferred(call.header(b"accept"), (HTML, JSON)) == JSON:
        return Answer(status=200, body=msgspec.json.encode({"data": listed, "status": 200}), headers=(VARY,))
    rows = [{**about, "slug": slug_of(about["code"])} for about in listed]
    return page(call, "problems.html.jinja", problems=rows, headers=(VARY,))


async def show_problem(call: Call) -> Answer:
    """Answer with one kind of problem, explained."""
    code = call.params["code"].replace("-", "_")
    if code not in PROBLEMS or call.params["code"] != slug_of(code):
        raise NotFound
    base_url = call.services.options.base_url
    about = _about(code, base_url)
    example = msgspec.json.decode(example_problem(code, base_url=base_url)[1])
    if preferred(call.header(b"accept"), (HTML, JSON)) == JSON:
        text = TEXTS[code]
        whole = {**about, "causes": text.causes, "steps": text.steps, "request": text.request, "example": example}
        return Answer(status=200, body=msgspec.json.encode({"data": whole, "status": 200}), headers=(VARY,))
    return page(
        call,
        "problem.html.jinja",
        code=code,
        title=about["title"],
        statuses=statuses_of(code),
        text=TEXTS[code],
        example=msgspec.json.format(msgspec.json.encode(example), indent=2).decode(),
        headers=(VARY,),
    )


def problem_page(call: Call, problem: Problem) -> Answer | None:
    """The problem of a call outside the API as a page, for who would rather have that; ``None``: tell it as JSON.

    Args:
        call: The request.
        problem: What happened.
    """
    if preferred(call.header(b"accept"), (JSON, HTML)) != HTML:
        return None
    headers = (*problem.headers, VARY, UNKEPT)
    if problem.code == "not_found":
        return page(call, "not_found.html.jinja", status=problem.status, headers=headers)
    return page(
        call,
        "failed.html.jinja",
        status=problem.status,
        title=PROBLEMS[problem.code][1],
        message=problem.message,
        slug=slug_of(problem.code),
        number=problem.status,
        headers=headers,
    )


def foreign_form(call: Call) -> Answer:
    """A form that no page of ours sent is not heeded."""
    return page(call, "foreign_form.html.jinja", status=403)


def sign_in_needed(call: Call) -> Answer:
    """To the form that lets people sign in, and from there to the page they wanted.

    What was typed into a form is not lost: the browser still has it one page back.
    """
    if call.method in ("GET", "HEAD"):
        return go(f"/sign-in?{urlencode({'next': call.target})}")
    return page(call, "signed_out.html.jinja", status=401)


def slug_of(code: str) -> str:
    """The code as the last segment of its page's address."""
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
        problems=("not_found",),
        tag=PAGES,
    ),
)
