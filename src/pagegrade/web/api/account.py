"""The account of the caller."""

from __future__ import annotations

from typing import Final

from pagegrade.model.account import Caller
from pagegrade.service.reports.serializers import account_object
from pagegrade.store.engine.database import Transaction
from pagegrade.store.repositories.accounts import load_usage
from pagegrade.web.context import Call
from pagegrade.web.operations import Answer, Operation
from pagegrade.web.responses import enveloped, fresh_answer
from pagegrade.web.schemas import AccountAnswer


async def show_account(call: Call) -> Answer:
    """Answer with the account and what it has used."""

    def work(tx: Transaction, caller: Caller) -> Answer:
        usage = load_usage(tx, caller.account.id, call.now_ms)
        data = account_object(caller.account, caller.api_key, usage, call.services.options)
        return fresh_answer(call, enveloped(data))

    return await call.read(work)


OPERATIONS: Final = (
    Operation(
        method="GET",
        path="/api/v1/account",
        name="show_account",
        summary="Show the account",
        description="Who the key belongs to, what the account may use and has used, and the key itself.",
        handler=show_account,
        scope="account:read",
        headers=("If-None-Match",),
        answers={200: AccountAnswer},
        answer_headers={200: ("ETag",)},
        tag="Account",
    ),
)
