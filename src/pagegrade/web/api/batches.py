"""Batches: many reports from one call."""

from __future__ import annotations

import asyncio
from typing import Any, Final

import msgspec

from pagegrade.model.account import Caller
from pagegrade.model.errors import InvalidInput, ValidationFailed, Violation
from pagegrade.service.reports import batches as service
from pagegrade.service.reports.validation import NewReport
from pagegrade.service.sitemaps import read_sitemap_addresses
from pagegrade.store.engine.database import Transaction
from pagegrade.web.context import Call
from pagegrade.web.http.body import JSON
from pagegrade.web.idempotency import do_once, is_done
from pagegrade.web.operations import Answer, Operation
from pagegrade.web.parameters import BatchListQuery, CreateBatchBody, CreateReportBody
from pagegrade.web.report_requests import judge_fields, read_wish, refuse_when_draining
from pagegrade.web.responses import enveloped, fresh_answer, listed_answer
from pagegrade.web.schemas import BatchAnswer, BatchList, DeletedBatch

PATH: Final = "/api/v1/batches"
MAX_BODY_BYTES: Final = 1_048_576
"""Room for as many URLs as a batch may have, of the usual length and some more."""
ASK_AGAIN: Final = ("Retry-After", "5")
"""While reports are unfinished, in seconds."""


async def create_batch(call: Call) -> Answer:
    """Store a batch with its reports and answer at once; their analyses go on."""
    refuse_when_draining(call)
    services, options = call.services, call.services.options
    fields, violations = await call.fields(CreateBatchBody, max_bytes=MAX_BODY_BYTES, lists=("urls",))
    listed = service.URLList(urls=(), refused=())
    wishes: tuple[NewReport, ...] = ()
    password_hash: str | None = None
    if not await is_done(call, fields):
        listed = await _listed(call, fields, violations)
        wishes = _wishes(call, fields, violations, listed)
        await call.take_analysis()
        password = wishes[0].password
        password_hash = None if password is None else await services.passwords.hash(password)

    def make(tx: Transaction, caller: Caller) -> int:
        call.check_analysis()
        return service.create_batch(
            tx, caller, wishes, options, call.now_ms, refused=listed.refused, password_hash=password_hash
        )

    def again(tx: Transaction, caller: Caller, number: int) -> int:
        service.show_batch(tx, caller, number, options, call.now_ms)
        return number

    async def tell(number: int) -> Answer:
        services.wake()
        members, unfinished = await call.read(
            lambda tx, caller: service.show_batch(tx, caller, number, options, call.now_ms)
        )
        if call.preferences.minimal:
            members = {name: members[name] for name in ("id", "object", "total")}
        location = ("Location", f"{options.base_url}{PATH}/{number}")
        headers = (location, *call.preferences.applied(writing=True), *((ASK_AGAIN,) if unfinished else ()))
        return Answer(status=202, body=enveloped(msgspec.json.encode(members), status=202), headers=headers)

    return await do_once(call, fields, make=make, resource_id=lambda number: number, again=again, tell=tell)


async def _listed(call: Call, fields: CreateBatchBody, violations: list[Violation]) -> service.URLList:
    """The URLs of the list and of the sitemap.

    Raises:
        ValidationFailed: There are none, or the sitemap cannot be read.
        RateLimited: The key may not start an analysis now, and neither have a sitemap fetched.
    """
    typed = list(fields.urls or ())
    if fields.sitemap and not violations:
        await call.take_analysis()
        typed += await _sitemap(call, fields.sitemap)
    listed = await asyncio.to_thread(service.read_urls, typed, call.services.options)
    if not listed.urls and not any(each.field in {"urls", "sitemap"} for each in violations):
        code, message = "required", "Send urls or a sitemap."
        if listed.refused:
            code, message = "none_usable", f"None of the URLs can be used. The first: {listed.refused[0]['message']}"
        violations.append(Violation(field="urls", place="body", code=code, message=message))
    if violations and not listed.urls:
        raise ValidationFailed(violations)
    return listed


async def _sitemap(call: Call, typed: str) -> tuple[str, ...]:
    try:
        found = await read_sitemap_addresses(call.services, typed, account_id=call.admitted.account.id)
    except InvalidInput as error:
        code, message = error.reason or error.code, error.message
    else:
        if not found.failure:
            return found.urls
        code, message = found.failure, "The sitemap could not be read, or lists no pages."
    raise ValidationFailed([Violation(field="sitemap", place="body", code=code, message=message)])


def _wishes(
    call: Call, fields: CreateBatchBody, violations: list[Violation], listed: service.URLList
) -> tuple[NewReport, ...]:
    """A request for each report, all with the same options.

    Raises:
        ValidationFailed: The privacy or the password cannot be used, or something was wrong before.
    """
    first, *others = (
        CreateReportBody(url=url, privacy=fields.privacy, password=fields.password) for url in listed.urls
    )
    wish = judge_fields(violations, lambda: read_wish(call, first, ()))
    return wish, *(read_wish(call, other, ()) for other in others)


async def show_batch(call: Call) -> Answer:
    """Answer with a batch and where its reports stand."""

    def work(tx: Transaction, caller: Caller) -> Answer:
        members, unfinished = service.show_batch(tx, caller, call.id, call.services.options, call.now_ms)
        more = (ASK_AGAIN,) if unfinished else ()
        return fresh_answer(call, enveloped(msgspec.json.encode(members)), headers=more)

    return await call.read(work)


async def list_batches(call: Call) -> Answer:
    """Answer with a page of the caller's batches."""

    def work(tx: Transaction, caller: Caller) -> Answer:
        query = call.query(BatchListQuery)
        options = call.services.options
        found = service.list_batches(tx, caller, options, call.now_ms, page=query.page, per_page=query.per_page)
        return listed_answer(call, found, query, path=PATH)

    return await call.read(work)


async def delete_batch(call: Call) -> Answer:
    """Forget a batch and answer that it is gone; its reports stay."""
    number = call.id
    await call.write(lambda tx, caller: service.delete_batch(tx, caller, number))
    members: dict[str, Any] = {"id": number, "object": "batch", "deleted": True, "status": 200}
    return Answer(status=200, body=msgspec.json.encode(members))


OPERATIONS: Final = (
    Operation(
        method="GET",
        path=PATH,
        name="list_batches",
        summary="List batches",
        description="The batches of the account, newest first, without their reports.",
        handler=list_batches,
        scope="reports:read",
        query=BatchListQuery,
        headers=("Prefer", "If-None-Match"),
        answers={200: BatchList},
        answer_headers={200: ("Link", "ETag", "Preference-Applied")},
        problems=("validation_failed",),
        tag="Batches",
    ),
    Operation(
        method="POST",
        path=PATH,
        name="create_batch",
        summary="Create many reports",
        description="Stores a report for each URL, all or none, and answers at once. Their analyses wait behind what "
        "else the account asks for. URLs that cannot be used are named in `refused` and keep the others from nothing.",
        handler=create_batch,
        scope="reports:write",
        body=CreateBatchBody,
        body_types=(JSON,),
        headers=("Prefer", "Idempotency-Key"),
        answers={202: BatchAnswer},
        answer_headers={202: ("Location", "Retry-After", "Preference-Applied", "Idempotency-Replayed")},
        problems=(
            "unsupported_media_type",
            "too_large",
            "validation_failed",
            "idempotency_in_progress",
            "idempotency_key_reused",
            "quota_exceeded",
        ),
        tag="Batches",
    ),
    Operation(
        method="GET",
        path=f"{PATH}/{{id}}",
        name="show_batch",
        summary="Show a batch",
        description="How far a batch is, and where each of its reports stands. Deleted reports are no longer in it.",
        handler=show_batch,
        scope="reports:read",
        headers=("If-None-Match",),
        answers={200: BatchAnswer},
        answer_headers={200: ("ETag", "Retry-After")},
        problems=("not_found",),
        tag="Batches",
    ),
    Operation(
        method="DELETE",
        path=f"{PATH}/{{id}}",
        name="delete_batch",
        summary="Delete a batch",
        description="Forgets the batch. Its reports stay; delete those one by one, or by project.",
        handler=delete_batch,
        scope="reports:write",
        answers={200: DeletedBatch},
        problems=("not_found",),
        tag="Batches",
    ),
)
