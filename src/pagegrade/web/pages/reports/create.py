"""A new report from the form above the list."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pagegrade.model.account import Caller
from pagegrade.model.errors import InvalidInput, QuotaExceeded, RateLimited, Unavailable
from pagegrade.service.reports.operations import Stored, create_report
from pagegrade.store.engine.database import Transaction
from pagegrade.web.context import Call
from pagegrade.web.http.fields import read_fields
from pagegrade.web.operations import PAGES, Answer, Operation
from pagegrade.web.pages.field_messages import problems_of_input, refusal_of, with_setting
from pagegrade.web.pages.forms import read_form
from pagegrade.web.pages.html import go
from pagegrade.web.pages.reports.list_query import PATH
from pagegrade.web.pages.reports.report_list import NewForm, listing_page
from pagegrade.web.parameters import CreateReportBody
from pagegrade.web.problems import problem_of
from pagegrade.web.report_requests import read_wish, refuse_when_draining


async def create_report_from_form(call: Call) -> Answer:
    """Store a new report and go to its page, which waits for the analysis."""
    sent = dict(await read_form(call))
    # Programs are told about blanks around an address; people paste them without seeing them.
    sent["url"] = sent.get("url", "").strip()
    try:
        refuse_when_draining(call)
        made = await _create(call, sent)
    except InvalidInput as error:
        problems = problems_of_input(call.texts, error)
        if "url" in problems:
            problems["url"] = with_setting(call.texts, problems["url"], sent["url"], call.services.options.analyze)
        return await _again(call, sent, problems, status=422)
    except (RateLimited, QuotaExceeded, Unavailable) as error:
        return await _again(call, sent, {"": refusal_of(call.texts, error)}, status=problem_of(error).status)
    call.services.wake()
    return go(f"{PATH}/{made.report.id}?said=created")


async def _create(call: Call, sent: Mapping[str, str]) -> Stored:
    services, options = call.services, call.services.options
    fields, violations = read_fields(CreateReportBody, sent, "body")
    wish = read_wish(call, fields, violations)
    await call.take_analysis()
    password_hash = None if wish.password is None else await services.passwords.hash(wish.password)

    def work(tx: Transaction, caller: Caller) -> Stored:
        return create_report(tx, caller, wish, options, call.now_ms, password_hash=password_hash)

    return await call.write(work)


async def _again(call: Call, sent: Mapping[str, str], problems: Mapping[str, str], *, status: int) -> Answer:
    form = NewForm(url=sent["url"], privacy=sent.get("privacy", ""), problems=problems)
    return await listing_page(call, form, status=status)


OPERATIONS: Final = (
    Operation(
        method="POST",
        path=PATH,
        name="create_report_from_form",
        summary="Create a report",
        handler=create_report_from_form,
        access="account",
        tag=PAGES,
    ),
)
