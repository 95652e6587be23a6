"""Errors of the client."""

from __future__ import annotations

import pytest

from pagegrade.client.errors import APIError, BadRequest, ServerError, ValidationFailed, error_of
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
