from __future__ import annotations

import pytest

from pagegrade.model.account import Role
from pagegrade.service.accounts.admission import Access
from pagegrade.web.http.response import Response
from pagegrade.web.operations import Operation


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
