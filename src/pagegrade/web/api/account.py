"""The account of the caller, and its API keys, for programs whose key has the scope ``keys``."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Annotated, Final, Literal, cast

import msgspec

from pagegrade.model.account import DEFAULT_SCOPES, KEYS, Key, Permission, QuotaState
from pagegrade.model.account import Account as StoredAccount
from pagegrade.model.account import MonthUsage as StoredMonth
from pagegrade.model.account import Usage as StoredUsage
from pagegrade.model.schema import Count, Points, Timestamp, about
from pagegrade.render.english import N_
from pagegrade.report.serialize import timestamp
from pagegrade.service.accounts import own_keys as service
from pagegrade.service.accounts.operations import find_usage
from pagegrade.service.accounts.quotas import find_quotas
from pagegrade.service.container import Services
from pagegrade.service.options import AT_ONCE, ServiceOptions
from pagegrade.service.unit_of_work import UnitOfWork
from pagegrade.web.http.response import Response
from pagegrade.web.idempotency import Idempotency
from pagegrade.web.operations import Operation
from pagegrade.web.parameters import CreateKeyBody, PagedById
from pagegrade.web.report_requests import refuse_when_draining
from pagegrade.web.request import Request
from pagegrade.web.responses import IDENTITY, answer_id_list, deleted_answer, enveloped, fresh_answer, written_answer
from pagegrade.web.schemas.envelope import answer_with, cursor_list, deleted
from pagegrade.web.schemas.shape import Document, extended


class APIKey(Document, frozen=True, kw_only=True):
    """A key, without its secret."""

    id: Annotated[int, about("Number of the key.", 3, minimum=1)]
    name: Annotated[str, about("Name chosen by its owner.", "ci")]
    prefix: Annotated[str, about("First characters, to recognize it by.", "pgk_8Hs2aB9d")]
    scopes: Annotated[tuple[Permission, ...], about("Permissions of the key.", list(DEFAULT_SCOPES))]
    project: Annotated[
        str | None, about("The only project that the key can use; null: all projects.", None, "example.com")
    ]
    expires_at: Annotated[Timestamp | None, about("Null: never.", None, "2027-01-01T00:00:00.000Z")]
    last_used_at: Annotated[Timestamp | None, about("To the minute; null: never before.", "2026-01-05T12:34:00.000Z")]


class ListedKey(APIKey, frozen=True, kw_only=True):
    """A key of the account, without its secret."""

    object: Annotated[Literal["key"], about("The kind of object.", "key")]
    made_by: Annotated[
        int | None,
        about(
            "The key that made it through the API, and is revoked together with it; null: a person made it.", None, 3
        ),
    ]
    created_at: Annotated[Timestamp, about("Time of its creation.", "2026-01-05T12:34:56.789Z")]


class MadeKey(ListedKey, frozen=True, kw_only=True):
    """A new key."""

    secret: Annotated[
        str | None,
        about(
            "The key itself, shown this one time. Null in an answer that repeats an earlier one: only a hash is "
            "stored.",
            "pgk_8Hs2aB9dW0kQm3xYvN7rTzL5cEjP1uGfDhSiKoMbAnVtR4q6wXy2Z",
        ),
    ]


KeyAnswer: Final = answer_with("KeyAnswer", ListedKey, "One API key.", "The key, without its secret.")
MadeKeyAnswer: Final = answer_with("MadeKeyAnswer", MadeKey, "A new API key.", "The key, with its secret.")
KeyList: Final = cursor_list("KeyList", ListedKey, "API keys.", "The keys of this page.")
DeletedKey: Final = deleted("DeletedKey", "key", "a key was revoked", "The revoked key.", 4)


def key_object(key: Key) -> bytes:
    """The JSON object of a key of a list."""
    return msgspec.json.encode(_listed(key))


def made_key_object(key: Key, secret: str | None) -> bytes:
    """The JSON object of a new key; ``None``: its secret was shown before."""
    return msgspec.json.encode(extended(_listed(key), MadeKey, secret=secret))


def api_key(key: Key) -> APIKey:
    """The document of a key as its account shows it."""
    return APIKey(
        id=key.id,
        name=key.name,
        prefix=key.prefix,
        scopes=cast("tuple[Permission, ...]", key.scopes),
        project=key.project,
        expires_at=timestamp(key.expires_at_ms),
        last_used_at=timestamp(key.last_used_at_ms),
    )


def _listed(key: Key) -> ListedKey:
    return extended(api_key(key), ListedKey, object="key", made_by=key.made_by, created_at=timestamp(key.created_at_ms))


DEFAULT_PER_PAGE: Final = 10


class Features(Document, frozen=True, kw_only=True):
    """Features of the plan: 1 yes, 0 no, -1 without limit."""

    api: Annotated[int, about("Use of the API.", 1)]
    reports: Annotated[int, about("Maximum number of reports; -1: without limit.", -1)]


class Plan(Document, frozen=True, kw_only=True):
    """Plan of the account; an installation without plans has one for all accounts."""

    id: Annotated[int, about("Number of the plan.", 1)]
    name: Annotated[str, about("Name of the plan; self-hosted where the account has none.", "self-hosted")]
    features: Annotated[Features, about("Features of the plan.")]


class Limits(Document, frozen=True, kw_only=True):
    """Limits of the account; null: without limit."""

    requests_per_minute: Annotated[Count | None, about("Requests per minute and key.", 120)]
    analyses_per_minute: Annotated[Count | None, about("New reports and re-runs per minute and key.", 30)]
    queued_runs: Annotated[Count | None, about("Unfinished runs at the same time.", 1000)]
    batch: Annotated[Count, about("URLs of one batch.", 500)]
    reports: Annotated[Count | None, about("Stored reports.", None)]
    analyses_per_month: Annotated[Count | None, about("Analyses that are asked for in a month, in UTC.", 5000)]
    browser_minutes_per_month: Annotated[
        Count | None, about("Minutes of analyses in a browser in a month, in UTC.", None)
    ]
    monitors: Annotated[Count | None, about("Monitors.", 100)]
    audits: Annotated[Count | None, about("Site audits.", 1000)]
    audit_pages_per_month: Annotated[Count | None, about("URLs that crawls of audits fetch in a month, in UTC.", None)]
    stored_mb: Annotated[
        Count | None, about("Stored results in megabytes; no analysis begins where there are as many.", None)
    ]
    retention_days: Annotated[Count | None, about("Days between the last analysis of a report and its expiry.", None)]


class MonthUsage(Document, frozen=True, kw_only=True):
    """Usage of the account in a month."""

    month: Annotated[str, about("Year and month, in UTC.", "2026-11")]
    analyses: Annotated[Count, about("Analyses that were asked for, also of reports since deleted.", 212)]
    browser_seconds: Annotated[Count, about("Time of analyses in a browser, in seconds.", 1830)]
    audit_pages: Annotated[Count, about("URLs that crawls of audits fetched.", 4500)]


class Usage(Document, frozen=True, kw_only=True):
    """Current usage of the account."""

    reports: Annotated[Count, about("Stored reports.", 118)]
    projects: Annotated[Count, about("Hosts of these reports.", 9)]
    queued_runs: Annotated[Count, about("Unfinished runs.", 0)]
    analyses_today: Annotated[Count, about("Analyses since midnight UTC.", 41)]
    analyses_total: Annotated[Count, about("Analyses so far.", 902)]
    stored_bytes: Annotated[Count, about("Compressed size of the results of all runs in the database.", 2_140_113)]
    analyses_per_month: Annotated[Count, about("Analyses that were asked for in this month.", 212)]
    browser_minutes_per_month: Annotated[Count, about("Whole minutes of analyses in a browser in this month.", 30)]
    monitors: Annotated[Count, about("Monitors.", 12)]
    audits: Annotated[Count, about("Site audits.", 3)]
    audit_pages_per_month: Annotated[
        Count,
        about("URLs that crawls of audits fetched in this month, and that unfinished ones may still fetch.", 4500),
    ]
    stored_mb: Annotated[Count, about("Whole megabytes of stored results.", 2)]
    months: Annotated[list[MonthUsage], about("Each of the last 12 months with any use, the newest first.")]


class Defaults(Document, frozen=True, kw_only=True):
    """Defaults for parameters that a request leaves out."""

    privacy: Annotated[Literal[0, 1, 2], about("Privacy of new reports.", 0)]
    per_page: Annotated[Literal[10, 25, 50, 100], about("Items of a list.", 10)]


class AccountThresholds(Document, frozen=True, kw_only=True):
    """Lowest scores for the results good and decent."""

    good: Annotated[Points, about("Good at or above this score.", 80)]
    decent: Annotated[Points, about("Decent at or above this score, bad below.", 50)]


class Account(Document, frozen=True, kw_only=True):
    """The account that the key belongs to."""

    id: Annotated[int, about("Number of the account.", 1, minimum=1)]
    object: Annotated[Literal["account"], about("The kind of object.", "account")]
    name: Annotated[str, about("Name of the account.", "Example")]
    email: Annotated[str, about("E-mail address of its owner.", "owner@example.org")]
    locale: Annotated[str, about("Language of its owner.", "en")]
    timezone: Annotated[str, about("Time zone of its owner; timestamps in the API are always UTC.", "UTC")]
    plan: Annotated[Plan, about("Plan of the account.")]
    limits: Annotated[Limits, about("Limits of the account.")]
    usage: Annotated[Usage, about("Current usage of the account.")]
    defaults: Annotated[Defaults, about("Defaults for parameters that a request leaves out.")]
    thresholds: Annotated[AccountThresholds, about("Lowest scores for the results good and decent.")]
    api_key: Annotated[APIKey, about("The key of this request.")]
    created_at: Annotated[Timestamp, about("Time of creation.", "2026-01-01T00:00:00.000Z")]


AccountAnswer: Final = answer_with("AccountAnswer", Account, "The account of the caller.", "The account.")


def account_object(
    account: StoredAccount,
    key: Key,
    usage: StoredUsage,
    options: ServiceOptions,
    *,
    quotas: Sequence[QuotaState],
    months: Sequence[StoredMonth],
) -> bytes:
    """The JSON object of an account, as the holder of ``key`` sees it."""
    thresholds, privacy = options.analyze.thresholds, account.default_privacy
    most = {quota.name: quota.most for quota in quotas}
    of_stored = {"reports": usage.reports}
    return msgspec.json.encode(
        Account(
            id=account.id,
            object="account",
            name=account.name,
            email=account.email,
            locale=account.locale,
            timezone=account.timezone,
            plan=Plan(
                id=1,
                name=account.plan or "self-hosted",
                features=Features(api=1, reports=-1 if most["reports"] is None else most["reports"]),
            ),
            limits=Limits(
                requests_per_minute=options.requests_per_minute,
                analyses_per_minute=options.analyses_per_minute,
                queued_runs=options.account_queue,
                batch=AT_ONCE,
                **most,
                retention_days=options.retention_days,
            ),
            usage=Usage(
                **({quota.name: quota.used for quota in quotas} | of_stored),
                projects=usage.projects,
                queued_runs=usage.queued_runs,
                analyses_today=usage.analyses_today,
                analyses_total=usage.analyses_total,
                stored_bytes=usage.stored_bytes,
                months=[
                    MonthUsage(
                        month=f"{month.month // 100}-{month.month % 100:02}",
                        analyses=month.analyses,
                        browser_seconds=month.browser_ms // 1000,
                        audit_pages=month.audit_pages,
                    )
                    for month in months
                ],
            ),
            defaults=Defaults(
                privacy=cast("Literal[0, 1, 2]", options.default_privacy if privacy is None else privacy),
                per_page=DEFAULT_PER_PAGE,
            ),
            thresholds=AccountThresholds(good=thresholds.good, decent=thresholds.decent),
            api_key=api_key(key),
            created_at=timestamp(account.created_at_ms),
        )
    )


async def show_account(request: Request, work: UnitOfWork, services: Services) -> Response:
    """Return the account and what it has used."""
    usage = await work.read(find_usage, request.received_at_ms)
    quotas, months = await work.read(find_quotas, services.options, request.received_at_ms)
    caller = work.caller
    data = account_object(caller.account, caller.api_key, usage, services.options, quotas=quotas, months=months)
    return fresh_answer(request, enveloped(data))


PATH: Final = "/api/v1/account/keys"


async def create_key(request: Request, idempotency: Idempotency, services: Services) -> Response:
    """Make a key; its secret is in this answer and in no other."""
    refuse_when_draining(services)
    fields, violations = await request.fields(CreateKeyBody, lists=("scopes",))

    async def respond(made: tuple[Key, str | None]) -> Response:
        key, secret = made
        return written_answer(
            request,
            services,
            made_key_object(key, secret),
            created=key.id,
            shown=key_object(key),
            minimal=(*IDENTITY, "secret"),
        )

    return await idempotency.execute(
        fields,
        create=partial(
            service.create_key_by_key,
            name=fields.name,
            scopes=fields.scopes,
            project=fields.project,
            expires_at_ms=fields.expires_at,
            violations=violations,
            now_ms=request.received_at_ms,
        ),
        resource_id=lambda made: made[0].id,
        load_existing=service.show_without_secret,
        respond=respond,
    )


async def show_key(request: Request, work: UnitOfWork) -> Response:
    """Return a key, without its secret."""
    return fresh_answer(request, enveloped(key_object(await work.read(service.show_unrevoked_key, request.id))))


async def list_keys(request: Request, work: UnitOfWork, services: Services) -> Response:
    """Return a page of the account's keys."""
    return await answer_id_list(
        request, services, key_object, lambda part: work.read(service.list_unrevoked_keys, part)
    )


async def revoke_key(request: Request, work: UnitOfWork) -> Response:
    """Revoke a key."""
    await work.write(service.revoke_unrevoked_key, request.id, request.received_at_ms)
    return deleted_answer(DeletedKey(id=request.id))


_of_keys = partial(Operation, scope=KEYS, tag="Keys")

OPERATIONS: Final = (
    Operation(
        path="/api/v1/account",
        summary="Show the account",
        description="The account of the key, its limits and usage, and the key itself.",
        handler=show_account,
        scope="account:read",
        for_projects=True,
        answers={200: AccountAnswer},
        tag="Account",
    ),
    _of_keys(
        path=PATH,
        summary="List API keys",
        description="The keys of the account that were not revoked, newest first; never a secret.",
        handler=list_keys,
        query=PagedById,
        answers={200: KeyList},
    ),
    _of_keys(
        method="POST",
        path=PATH,
        summary=N_("Make an API key"),
        description="The new key has at most the scopes of the key of this request, never `keys`, and expires at the "
        "latest with it; revoking the key of this request revokes it, too. Only this answer has the secret.",
        handler=create_key,
        body=CreateKeyBody,
        answers={201: MadeKeyAnswer},
    ),
    _of_keys(
        path=f"{PATH}/{{id}}",
        summary="Show an API key",
        description="A key of the account that was not revoked; never its secret.",
        handler=show_key,
        answers={200: KeyAnswer},
    ),
    _of_keys(
        method="DELETE",
        path=f"{PATH}/{{id}}",
        summary=N_("Revoke an API key"),
        description="From the next request on it does not work, nor do the keys that it made.",
        handler=revoke_key,
        answers={200: DeletedKey},
    ),
)
