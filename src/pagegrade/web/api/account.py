"""The account of the caller."""

from __future__ import annotations

from typing import Final

from pagegrade.service.accounts.operations import find_usage
from pagegrade.service.accounts.quotas import find_quotas
from pagegrade.service.container import Services
from pagegrade.service.unit_of_work import UnitOfWork
from pagegrade.web.http.response import Response
from pagegrade.web.operations import Operation
from pagegrade.web.request import Request
from pagegrade.web.responses import enveloped, fresh_answer
from pagegrade.web.schemas.account import AccountAnswer, account_object


async def show_account(request: Request, work: UnitOfWork, services: Services) -> Response:
    """Return the account and what it has used."""
    usage = await work.read(find_usage, request.received_at_ms)
    quotas, months = await work.read(find_quotas, services.options, request.received_at_ms)
    caller = work.caller
    data = account_object(caller.account, caller.api_key, usage, services.options, quotas=quotas, months=months)
    return fresh_answer(request, enveloped(data))


OPERATIONS: Final = (
    Operation(
        method="GET",
        path="/api/v1/account",
        name="show_account",
        summary="Show the account",
        description="The account of the key, its limits and usage, and the key itself.",
        handler=show_account,
        scope="account:read",
        for_projects=True,
        headers=("If-None-Match",),
        answers={200: AccountAnswer},
        tag="Account",
    ),
)
