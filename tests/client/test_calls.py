from __future__ import annotations

import json
from typing import Any

import pytest

from pagegrade.client.calls import (
    Answer,
    APIError,
    BadRequest,
    ConnectionFailed,
    Pause,
    Policy,
    RateLimited,
    Request,
    ServerError,
    Unavailable,
    UnexpectedAnswer,
    ValidationFailed,
    error_of,
    exchange,
    log_warning,
    make_request,
    next_query,
)
from pagegrade.client.operations import OPERATIONS
from pagegrade.client.types import Problem
from pagegrade.web.problems import PROBLEMS, statuses_of

PROBLEM: Problem = {
    "type": "https://reports.example.org/problems/not-found",
    "title": "Not found",
    "status": 404,
    "detail": "There is nothing here.",
    "instance": "/api/v1/reports/7",
    "code": "not_found",
    "message": "There is nothing here.",
    "request_id": "5f0d",
}
POLICY = Policy(retries=3, longest_wait_s=60.0, on_warning=log_warning)
LOST = Answer(status=0, headers={}, content=b"", reason="The service did not answer: ReadError")
DONE = Answer(status=200, headers={}, content=b"{}")


@pytest.mark.parametrize("code", PROBLEMS)
def test_every_problem_of_the_service_has_a_class_of_its_side(code: str) -> None:
    """Of the caller, or of the service."""
    for status in statuses_of(code):
        error = error_of(status, PROBLEM, None)

        assert isinstance(error, APIError)
        assert isinstance(error, ServerError) == (status >= 500)
        assert type(error) not in {APIError, ServerError} or status in {500, 501}
        assert not isinstance(error, BadRequest) or status in {400, 404, 405, 406, 413, 414, 415, 431}, status


def test_an_error_carries_the_problem() -> None:
    """The sentence for people, the code for programs, the id for the operator."""
    error = error_of(404, PROBLEM, 3.0)

    assert str(error) == "There is nothing here. (not_found, HTTP 404)"
    assert (error.code, error.request_id, error.retry_after_s) == ("not_found", "5f0d", 3.0)
    assert error.problem is PROBLEM


def test_a_refused_field_can_be_read_without_parsing_sentences() -> None:
    """And a problem without fields has none."""
    violation = {"field": "url", "in": "body", "code": "required"}
    error = error_of(422, {**PROBLEM, "errors": {"url": ["Required."]}, "violations": [violation]}, None)  # type: ignore[typeddict-unknown-key]
    bare = error_of(422, PROBLEM, None)

    assert isinstance(error, ValidationFailed)
    assert isinstance(bare, ValidationFailed)
    assert error.errors == {"url": ["Required."]}
    assert error.violations == [violation]
    assert (bare.errors, bare.violations) == ({}, [])


def refusal(status: int, retry_after: str | None = None) -> Answer:
    """A problem as the service answers it."""
    headers = {"content-type": "application/problem+json"}
    if retry_after is not None:
        headers["retry-after"] = retry_after
    content = json.dumps({"code": "refused", "detail": "Wait.", "request_id": "1"}).encode()
    return Answer(status=status, headers=headers, content=content)


def drive(operation: str, *answers: Answer, policy: Policy = POLICY) -> tuple[Any, list[Request | Pause]]:
    """The result of a call that gets these answers, or its error, and what it did."""
    steps = exchange(policy, OPERATIONS[operation], path={"id": 7, "project": "a", "number": 1})
    left, answer = list(answers), None
    done: list[Request | Pause] = []
    while True:
        try:
            step = steps.send(answer)
        except StopIteration as end:
            return end.value, done
        except Exception as error:  # noqa: BLE001 - the result of a call that fails
            return error, done
        done.append(step)
        answer = left.pop(0) if isinstance(step, Request) else None


@pytest.mark.parametrize("status", [409, 429, 503])
def test_a_refused_request_is_sent_again_after_the_time_that_the_service_names(status: int) -> None:
    """With every method: it was not executed."""
    result, done = drive("patch_report", refusal(status, "7"), DONE)

    assert result is DONE
    assert [type(step) for step in done] == [Request, Pause, Request]
    assert done[1] == Pause(7.0)
    assert done[0] == done[2]


def test_without_a_time_the_pauses_grow() -> None:
    """A date is as if absent."""
    _, done = drive("show_account", refusal(503), refusal(503, "Mon, 23 Nov 2026 00:00:00 GMT"), refusal(503), DONE)
    pauses = [step.seconds for step in done if isinstance(step, Pause)]

    assert [0.25 <= pauses[0] <= 0.5, 0.5 <= pauses[1] <= 1.0, 1.0 <= pauses[2] <= 2.0] == [True] * 3


def test_the_number_of_retries_is_bounded() -> None:
    """The last refusal is the error."""
    result, done = drive("show_account", *[refusal(429, "1")] * 4)

    assert isinstance(result, RateLimited)
    assert sum(isinstance(step, Request) for step in done) == 4


@pytest.mark.parametrize(("waits", "retried"), [(("60",), True), (("61",), False), (("40", "21"), False)])
def test_the_pauses_of_a_call_together_are_bounded(waits: tuple[str, ...], *, retried: bool) -> None:
    """A service that wants to be asked tomorrow is not waited for."""
    answers = [refusal(503, wait) for wait in waits]
    result, _ = drive("show_account", *answers, DONE)

    assert (result is DONE) == retried
    assert retried or isinstance(result, Unavailable)
    assert retried or result.retry_after_s == float(waits[-1])


@pytest.mark.parametrize(
    "operation", ["show_report", "create_report", "delete_report", "update_report", "create_batch"]
)
def test_a_lost_answer_is_asked_for_again_where_that_does_nothing_twice(operation: str) -> None:
    """With the same Idempotency-Key, by which the service knows the request."""
    result, done = drive(operation, LOST, DONE)
    sent = [step for step in done if isinstance(step, Request)]

    assert result is DONE
    assert sent[0] == sent[1]
    assert (sent[0].method in {"GET", "DELETE"}) != ("Idempotency-Key" in sent[0].headers)


def test_a_lost_answer_is_an_error_where_twice_is_not_once() -> None:
    """The message may have been sent; only the caller knows whether a second one does harm."""
    operations = [
        name for name, each in OPERATIONS.items() if not each.idempotent and each.method not in {"GET", "DELETE"}
    ]

    assert "retry_webhook_delivery" in operations
    for operation in operations:
        steps = exchange(POLICY, OPERATIONS[operation], path=dict.fromkeys(("id", "project", "delivery", "key"), 7))
        next(steps)
        with pytest.raises(ConnectionFailed):
            steps.send(LOST)


def test_each_call_has_an_idempotency_key_of_its_own() -> None:
    """Two calls are two reports."""
    keys = {
        make_request(OPERATIONS["create_report"], path={}, query={}, body={}, header={}).headers["Idempotency-Key"]
        for _ in "ab"
    }

    assert len(keys) == 2


def test_a_connection_that_stays_lost_is_an_error_with_its_reason() -> None:
    """Of a class of its own."""
    result, _ = drive("show_report", *[LOST] * 4)

    assert isinstance(result, ConnectionFailed)
    assert str(result) == "The service did not answer: ReadError"


@pytest.mark.parametrize(
    "answer",
    [
        Answer(status=302, headers={"location": "https://elsewhere.example/"}, content=b""),
        Answer(status=502, headers={"content-type": "text/html"}, content=b"<h1>Bad gateway</h1>"),
        Answer(status=404, headers={"content-type": "application/problem+json"}, content=b"[]"),
        Answer(status=404, headers={"content-type": "application/problem+json"}, content=b'{"code": 7}'),
        Answer(status=404, headers={"content-type": "application/problem+json"}, content=b"[" * 100_000),
    ],
    ids=["redirect", "proxy", "list", "other problem", "deep"],
)
def test_an_answer_of_something_else_is_an_error_of_its_own(answer: Answer) -> None:
    """A redirect is not followed, and no page of a proxy is read as a problem of the service."""
    result, done = drive("show_report", answer)

    assert isinstance(result, UnexpectedAnswer)
    assert len(done) == 1


@pytest.mark.parametrize("project", ["..", ".", ""])
def test_a_segment_cannot_lead_to_another_path(project: str) -> None:
    """It would be another operation, such as deleting everything below."""
    with pytest.raises(ValueError, match="part of a path"):
        make_request(OPERATIONS["delete_project"], path={"project": project}, query={}, body={}, header={})


def test_a_segment_is_encoded() -> None:
    """A slash in a value is no slash of the path."""
    request = make_request(OPERATIONS["show_project"], path={"project": "a/b?c#d"}, query={}, body={}, header={})

    assert request.target == "/api/v1/projects/a%2Fb%3Fc%23d"


def test_the_link_to_the_next_page_gives_its_query_only() -> None:
    """The key is never sent to a host that an answer names."""
    page = {"links": {"next": "https://elsewhere.example/x?cursor=abc&search="}}

    assert next_query(page) == {"cursor": "abc", "search": ""}
    assert next_query({"links": {"next": None}}) is None
    with pytest.raises(UnexpectedAnswer):
        next_query({})
