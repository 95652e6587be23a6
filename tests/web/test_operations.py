from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace
from pydantic import BaseModel

from pagegrade.model.account import Role
from pagegrade.service.accounts.admission import Access
from pagegrade.web.http.response import Response
from pagegrade.web.operations import PAGES, Operation
from pagegrade.web.parameters import Paged
from pagegrade.web.routes import ALL_OPERATIONS
from pagegrade.web.schemas.envelope import Answer


async def handle() -> Response:
    """Return nothing."""
    return Response()


@pytest.mark.parametrize(
    ("method", "access", "declared", "least"),
    [
        ("GET", "account", None, Role.VIEWER),
        ("POST", "account", None, Role.EDITOR),
        ("DELETE", "account", None, Role.EDITOR),
        ("GET", "account", Role.ADMIN, Role.ADMIN),
        ("POST", "account", Role.VIEWER, Role.VIEWER),
        ("POST", "anyone", None, Role.VIEWER),
        ("POST", "admin", None, Role.VIEWER),
    ],
)
def test_the_method_says_the_least_role_where_none_is_declared(
    method: str, access: Access, declared: Role | None, least: Role
) -> None:
    """So a new form of an account is closed to viewers; roles say nothing where no account is open."""
    operation = Operation(method=method, path="/x", name="x", summary="X", handler=handle, access=access, role=declared)

    assert operation.least_role is least


@pytest.mark.parametrize(
    ("method", "declared", "evaluated"),
    [
        ("GET", {}, ()),
        ("GET", {"answers": {200: Answer}}, ("If-None-Match",)),
        ("GET", {"file_types": ("image/png",)}, ("If-None-Match",)),
        ("GET", {"answers": {200: Answer}, "query": Paged}, ("Prefer", "If-None-Match")),
        (
            "GET",
            {"answers": {200: Answer}, "headers": ("If-Modified-Since", "Prefer")},
            ("Prefer", "If-None-Match", "If-Modified-Since"),
        ),
        ("POST", {"body": BaseModel}, ("Prefer", "Idempotency-Key")),
        ("POST", {}, ()),
        ("PUT", {"body": BaseModel, "headers": ("If-Match",)}, ("If-Match", "Prefer")),
        ("DELETE", {"headers": ("If-Match",)}, ("If-Match",)),
    ],
)
def test_the_request_headers_follow_from_the_operation(
    method: str, declared: dict[str, Any], evaluated: tuple[str, ...]
) -> None:
    """In the order of the description; pages declare all of theirs."""
    common = {"method": method, "name": "x", "summary": "X", "handler": handle, **declared}
    of_api, of_page = Operation(path="/api/v1/x", **common), Operation(path="/x", tag=PAGES, **common)

    assert of_api.request_headers == evaluated
    assert set(of_page.request_headers) == set(declared.get("headers", ()))


def test_no_operation_declares_only_headers_that_follow() -> None:
    """One declaration is enough."""
    for operation in ALL_OPERATIONS:
        follow = set(replace(operation, headers=()).request_headers)
        assert not operation.headers or not set(operation.headers) <= follow, operation.name
