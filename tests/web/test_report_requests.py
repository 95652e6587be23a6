"""Helpers that calls about reports share."""

from __future__ import annotations

from pathlib import Path

import pytest

from pagegrade.model.errors import URLNotAllowed, ValidationFailed, Violation
from pagegrade.service.container import Services
from pagegrade.service.unit_of_work import UnitOfWork
from pagegrade.web.http.fields import read_fields
from pagegrade.web.http.response import Response
from pagegrade.web.operations import PAGES, Operation
from pagegrade.web.parameters import ReportListQuery
from pagegrade.web.report_requests import (
    delete_project_in_parts,
    evaluate_fields,
    list_query,
    refuse_when_draining,
    typed_project,
)
from pagegrade.web.request import Request
from tests.web.calling import Instance, with_instance

WRONG = Violation(field="privacy", place="body", code="not_in", message="No.")


def asked_for(**sent: str) -> ReportListQuery:
    """A query as it comes."""
    return read_fields(ReportListQuery, sent, "query")[0]


def refused() -> str:
    """Reading ends with an address that must not be contacted."""
    raise URLNotAllowed("No.", reason="port_not_allowed")


def test_a_query_becomes_a_list_of_the_account() -> None:
    """Results are kept as ratings."""
    asked = list_query(asked_for(search="x", result="bad", sort="asc", page="2", per_page="25"))

    assert (asked.search, asked.rating, asked.state) == ("x", 1, None)
    assert (asked.descending, asked.page, asked.per_page) == (False, 2, 25)
    assert list_query(asked_for()).rating is None


def test_what_can_be_read_is_handed_on() -> None:
    """Values without a fault."""
    assert evaluate_fields([], lambda: "read") == "read"


def test_everything_that_is_wrong_is_reported_at_once() -> None:
    """The kinds of the fields, and the faults of reading them; of one field the first."""

    def read() -> str:
        raise ValidationFailed([WRONG, Violation(field="url", place="body", code="empty", message="No.")])

    with pytest.raises(ValidationFailed) as caught:
        evaluate_fields([WRONG], read)

    assert [violation.field for violation in caught.value.violations] == ["privacy", "url"]


def test_an_address_that_is_all_that_is_wrong_keeps_its_error() -> None:
    """Together with others it is one of them."""
    with pytest.raises(URLNotAllowed):
        evaluate_fields([], refused)
    with pytest.raises(ValidationFailed) as caught:
        evaluate_fields([WRONG], refused)

    assert [violation.code for violation in caught.value.violations] == ["not_in", "port_not_allowed"]


def test_wrong_fields_are_reported_although_the_rest_can_be_read() -> None:
    """Nothing is made of half a form."""
    with pytest.raises(ValidationFailed):
        evaluate_fields([WRONG], lambda: "read")


async def begin(services: Services) -> Response:
    """Something new."""
    refuse_when_draining(services)
    return Response(status_code=200)


async def empty(request: Request, work: UnitOfWork, services: Services) -> Response:
    """Delete a project."""
    await work.admit()
    return Response(
        status_code=200, content=str(await delete_project_in_parts(work, services, typed_project(request))).encode()
    )


OPERATIONS = (
    Operation(method="GET", path="/begin", name="begin", summary="Begin", handler=begin, tag=PAGES),
    Operation(
        method="GET", path="/empty/{project}", name="empty", summary="Empty", handler=empty, access="account", tag=PAGES
    ),
)


def test_a_process_that_stops_begins_nothing(tmp_path: Path) -> None:
    """The answer says when to try again."""

    async def script(instance: Instance) -> None:
        before = await instance.call("GET", "/begin", key=None)
        instance.services.draining = True
        after = await instance.call("GET", "/begin", key=None)

        assert (before.status_code, after.status_code) == (200, 503)
        assert after.headers["retry-after"] == "1"

    with_instance(tmp_path, script, operations=OPERATIONS)


def test_a_project_that_is_not_there_is_not_found(tmp_path: Path) -> None:
    """Nor one that cannot be."""

    async def script(instance: Instance) -> None:
        for name in ("none.example", "%2F", "%22"):
            assert (await instance.page("GET", f"/empty/{name}")).status_code == 404

    with_instance(tmp_path, script, operations=OPERATIONS)
