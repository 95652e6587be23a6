from __future__ import annotations

import json
import re
from importlib.resources import files
from typing import Any

import pytest
import typer

from pagegrade.cli.app import app
from pagegrade.model import errors
from pagegrade.model.errors import (
    IdempotencyInProgress,
    InsufficientScope,
    InvalidInput,
    InvalidURL,
    NotFound,
    PagegradeError,
    PreconditionFailed,
    QuotaExceeded,
    RateLimited,
    RunFailed,
    Unauthenticated,
    Unavailable,
    URLNotAllowed,
    ValidationFailed,
    Violation,
)
from pagegrade.web.problems import (
    API_CODES,
    EXAMPLE_BASE,
    PROBLEMS,
    TEXTS,
    ProblemText,
    Rejected,
    example_problem,
    internal_error,
    problem_body,
    problem_of,
    statuses_of,
)

BASE = "https://reports.example.org"
KINDS = [
    kind
    for kind in vars(errors).values()
    if isinstance(kind, type) and issubclass(kind, PagegradeError) and not issubclass(kind, RunFailed)
]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_error_has_a_status(kind: type[PagegradeError]) -> None:
    """A new kind of error must have an answer for callers; a failed run is no failed request."""
    assert API_CODES.get(kind.code, kind.code) in PROBLEMS


@pytest.mark.parametrize(
    ("error", "status", "code", "headers"),
    [
        (Unauthenticated(), 401, "unauthenticated", {"WWW-Authenticate": 'Bearer realm="api"'}),
        (
            Unauthenticated(presented=True),
            401,
            "unauthenticated",
            {"WWW-Authenticate": 'Bearer realm="api", error="invalid_token"'},
        ),
        (
            InsufficientScope("reports:write"),
            403,
            "insufficient_scope",
            {"WWW-Authenticate": 'Bearer realm="api", error="insufficient_scope", scope="reports:write"'},
        ),
        (NotFound(), 404, "not_found", {}),
        (PreconditionFailed('"1-2"'), 412, "precondition_failed", {"ETag": '"1-2"'}),
        (IdempotencyInProgress(), 409, "idempotency_in_progress", {"Retry-After": "2"}),
        (RateLimited(retry_after_s=31), 429, "rate_limited", {"Retry-After": "31"}),
        (QuotaExceeded(), 429, "quota_exceeded", {}),
        (QuotaExceeded(retry_after_s=5), 429, "quota_exceeded", {"Retry-After": "5"}),
        (Unavailable(), 503, "unavailable", {"Retry-After": "2"}),
        (Unavailable(retry_after_s=0), 503, "unavailable", {"Retry-After": "2"}),
        (InvalidInput("No."), 422, "validation_failed", {}),
        (Rejected("too_large", "No.", status=431), 431, "too_large", {}),
        (Rejected("too_large", "No.", headers=(("Connection", "close"),)), 413, "too_large", {"Connection": "close"}),
        (RunFailed("dns"), 500, "internal_error", {}),
        (PagegradeError("secret"), 500, "internal_error", {}),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else None,
)
def test_errors_become_problems(
    error: PagegradeError | Rejected, status: int, code: str, headers: dict[str, str]
) -> None:
    """With the headers that belong to their status."""
    problem = problem_of(error)

    assert (problem.status, problem.code, dict(problem.headers)) == (status, code, headers)


def test_a_problem_is_a_document() -> None:
    """RFC 9457, and the members that other clients look for."""
    body = problem_body(problem_of(NotFound()), base_url=BASE, path="/api/v1/reports/7", request_id="abc")

    assert json.loads(body) == {
        "type": f"{BASE}/problems/not-found",
        "title": "Not found",
        "status": 404,
        "detail": "There is nothing here.",
        "instance": "/api/v1/reports/7",
        "code": "not_found",
        "message": "There is nothing here.",
        "request_id": "abc",
    }


def test_validation_reports_every_field() -> None:
    """In sentences for people and in words for programs."""
    error = ValidationFailed(
        [
            Violation(
                field="privacy", place="body", code="not_in", message="Must be one of 0, 1, 2.", allowed=(0, 1, 2)
            ),
            Violation(field="password", place="body", code="required", message="Required."),
            Violation(field="password", place="body", code="too_long", message="Too long.", limit=128),
        ]
    )
    body = json.loads(problem_body(problem_of(error), base_url=BASE, path="/", request_id="abc"))

    assert body["status"] == 422
    assert body["errors"] == {"privacy": ["Must be one of 0, 1, 2."], "password": ["Required.", "Too long."]}
    assert body["violations"] == [
        {"field": "privacy", "in": "body", "code": "not_in", "allowed": [0, 1, 2]},
        {"field": "password", "in": "body", "code": "required"},
        {"field": "password", "in": "body", "code": "too_long", "limit": 128},
    ]


@pytest.mark.parametrize(
    "error", [URLNotAllowed("No.", reason="port_not_allowed"), InvalidURL("No.", reason="bad_host")]
)
def test_an_address_is_a_field(error: InvalidInput) -> None:
    """Also where it is refused for what it is and not for how it is written."""
    body = json.loads(problem_body(problem_of(error), base_url=BASE, path="/", request_id="abc"))

    assert body["errors"] == {"url": ["No."]}
    assert body["violations"] == [{"field": "url", "in": "body", "code": error.reason}]


def test_an_internal_error_shows_nothing() -> None:
    """But that it happened."""
    body = problem_body(internal_error(), base_url=BASE, path="/", request_id="abc")

    assert json.loads(body)["detail"] == (
        "Something went wrong inside Pagegrade. Try again; if it stays, report the request_id."
    )


def test_an_instance_is_a_uri_whatever_was_sent() -> None:
    """A path may hold anything; what no URI holds is percent-encoded."""
    body = problem_body(internal_error(), base_url=BASE, path='/a"<b>\xff%20', request_id="abc")

    assert json.loads(body)["instance"] == "/a%22%3Cb%3E%C3%BF%20"


def test_every_problem_is_explained() -> None:
    """And no problem is explained that there is not."""
    assert set(TEXTS) == set(PROBLEMS)


@pytest.mark.parametrize(("code", "text"), TEXTS.items(), ids=TEXTS)
def test_a_text_says_what_why_and_what_to_do(code: str, text: ProblemText) -> None:
    """In whole sentences, with what is typed marked as such."""
    sentences = [text.happened, *text.causes, *text.steps]

    assert text.causes
    assert text.steps
    assert all(sentence.endswith((".", "`")) for sentence in sentences)
    assert all(sentence.count("`") % 2 == 0 for sentence in sentences)


@pytest.mark.parametrize("code", PROBLEMS)
def test_an_example_is_a_problem_as_it_is_sent(code: str) -> None:
    """With the members of RFC 9457 and ours, of the path that its request names."""
    happened, body = example_problem(code)
    problem = json.loads(body)

    assert happened == TEXTS[code].happened
    assert problem["type"] == f"{EXAMPLE_BASE}/problems/{code.replace('_', '-')}"
    assert (problem["status"], problem["title"]) == PROBLEMS[code]
    assert problem["detail"] == problem["message"] == TEXTS[code].detail
    assert TEXTS[code].request.splitlines()[0].endswith(f" {problem['instance']}")


def test_an_example_with_fields_names_each() -> None:
    """For people and for programs."""
    problem = json.loads(example_problem("validation_failed")[1])

    assert set(problem["errors"]) == {violation["field"] for violation in problem["violations"]}
    assert problem["detail"].startswith(f"{len(problem['errors'])} fields ")


def test_only_one_code_has_more_than_one_status() -> None:
    """The body, the address and the headers can each be too large."""
    several = {code: statuses_of(code) for code in PROBLEMS if len(statuses_of(code)) > 1}

    assert several == {"too_large": (413, 414, 431)}


def test_an_example_can_have_another_of_its_statuses() -> None:
    """The status in the body is the status of the answer."""
    assert json.loads(example_problem("too_large", status=414)[1])["status"] == 414


def test_commands_that_are_named_exist() -> None:
    """On the pages too, with their options."""
    start = files("pagegrade.web").joinpath("templates/home.html.jinja").read_text(encoding="utf-8")
    texts = [start, *(sentence for text in TEXTS.values() for sentence in (*text.causes, *text.steps))]
    named = {line for text in texts for line in re.findall(r"[`>]pagegrade ([a-z -]+)[`<]", text)}

    assert "keys create --name me" in named
    for line in named:
        words, *options = re.split(r" (?=--)", line)
        command: Any = typer.main.get_command(app)
        for word in words.split():
            command = command.commands[word]
        known = {option for parameter in command.params for option in parameter.opts}

        assert {option.split()[0] for option in options} <= known
        assert all(
            f"{option} " in f"{line} "
            for parameter in command.params
            if parameter.required
            for option in parameter.opts
        )
