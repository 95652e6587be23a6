"""The runs of a report, and what changed between two of them."""

from __future__ import annotations

from typing import Final

from pagegrade.model.account import Caller
from pagegrade.service.reports import history as service
from pagegrade.store.engine.database import Transaction
from pagegrade.web.context import Call
from pagegrade.web.operations import Answer, Operation
from pagegrade.web.parameters import CompareQuery, RunListQuery
from pagegrade.web.responses import enveloped, fresh_answer, listed_answer
from pagegrade.web.schemas import ComparisonAnswer, RunAnswer, RunList

PATH: Final = "/api/v1/reports/{id}"


async def list_runs(call: Call) -> Answer:
    """Answer with a page of the runs of a report."""

    def work(tx: Transaction, caller: Caller) -> Answer:
        report_id = call.id
        query = call.query(RunListQuery)
        options = call.services.options
        found = service.list_runs(tx, caller, report_id, options, call.now_ms, page=query.page, per_page=query.per_page)
        return listed_answer(call, found, query, path=f"{PATH.format(id=report_id)}/runs")

    return await call.read(work)


async def show_run(call: Call) -> Answer:
    """Answer with a run and its results."""

    def work(tx: Transaction, caller: Caller) -> Answer:
        data = service.show_run(tx, caller, call.id, call.services.options, call.now_ms, number=call.number("number"))
        return fresh_answer(call, enveloped(data))

    return await call.read(work)


async def compare_runs(call: Call) -> Answer:
    """Answer with what changed between two runs."""

    def work(tx: Transaction, caller: Caller) -> Answer:
        report_id = call.id
        query = call.query(CompareQuery)
        data = service.compare_runs(
            tx, caller, report_id, call.services.options, call.now_ms, before=query.from_, after=query.to
        )
        return fresh_answer(call, enveloped(data))

    return await call.read(work)


OPERATIONS: Final = (
    Operation(
        method="GET",
        path=f"{PATH}/runs",
        name="list_runs",
        summary="List the runs of a report",
        description="The analyses of the report, newest first.",
        handler=list_runs,
        scope="reports:read",
        query=RunListQuery,
        headers=("Prefer", "If-None-Match"),
        answers={200: RunList},
        answer_headers={200: ("Link", "ETag", "Preference-Applied")},
        problems=("not_found", "validation_failed"),
        tag="Runs",
    ),
    Operation(
        method="GET",
        path=f"{PATH}/runs/{{number}}",
        name="show_run",
        summary="Show a run",
        description="One analysis of the report, with its results. Once finished it never changes.",
        handler=show_run,
        scope="reports:read",
        headers=("If-None-Match",),
        answers={200: RunAnswer},
        answer_headers={200: ("ETag",)},
        problems=("not_found",),
        tag="Runs",
    ),
    Operation(
        method="GET",
        path=f"{PATH}/compare",
        name="compare_runs",
        summary="Compare two runs",
        description="What is new, fixed, still there, and not comparable from the older run to the newer one.",
        handler=compare_runs,
        scope="reports:read",
        query=CompareQuery,
        headers=("Prefer", "If-None-Match"),
        answers={200: ComparisonAnswer},
        answer_headers={200: ("ETag", "Preference-Applied")},
        problems=("not_found", "validation_failed"),
        tag="Runs",
    ),
)
