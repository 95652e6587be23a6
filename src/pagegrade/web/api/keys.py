"""API keys of an account, for programs whose key has the scope ``keys``."""

from __future__ import annotations

from functools import partial
from typing import Final

from pagegrade.model.account import KEYS, Key
from pagegrade.render.english import N_
from pagegrade.service.accounts import own_keys as service
from pagegrade.service.container import Services
from pagegrade.service.unit_of_work import UnitOfWork
from pagegrade.web.api.id_lists import answer_id_list
from pagegrade.web.http.body import JSON
from pagegrade.web.http.response import Response
from pagegrade.web.idempotency import Idempotency
from pagegrade.web.operations import Operation
from pagegrade.web.parameters import CreateKeyBody, KeyListQuery
from pagegrade.web.report_requests import refuse_when_draining
from pagegrade.web.request import Request
from pagegrade.web.responses import IDENTITY, deleted_answer, enveloped, fresh_answer, written_answer
from pagegrade.web.schemas.key import DeletedKey, KeyAnswer, KeyList, MadeKeyAnswer, key_object, made_key_object

PATH: Final = "/api/v1/account/keys"
TAG: Final = "Keys"


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
        is_analysis=False,
    )


async def show_key(request: Request, work: UnitOfWork) -> Response:
    """Return a key, without its secret."""
    return fresh_answer(request, enveloped(key_object(await work.read(service.show_unrevoked_key, request.id))))


async def list_keys(request: Request, work: UnitOfWork, services: Services) -> Response:
    """Return a page of the account's keys."""
    query = request.query(KeyListQuery)
    return await answer_id_list(
        request,
        services,
        query,
        encode=key_object,
        read_page=lambda: work.read(service.page_own_keys, page=query.page, per_page=query.per_page),
        read_part=lambda part: work.read(service.walk_own_keys, part),
    )


async def revoke_key(request: Request, work: UnitOfWork) -> Response:
    """Revoke a key."""
    await work.write(service.revoke_unrevoked_key, request.id, request.received_at_ms)
    return deleted_answer(DeletedKey(id=request.id))


OPERATIONS: Final = (
    Operation(
        method="GET",
        path=PATH,
        name="list_keys",
        summary="List API keys",
        description="The keys of the account that were not revoked, newest first; never a secret.",
        handler=list_keys,
        scope=KEYS,
        query=KeyListQuery,
        answers={200: KeyList},
        tag=TAG,
    ),
    Operation(
        method="POST",
        path=PATH,
        name="create_key",
        summary=N_("Make an API key"),
        description="The new key has at most the scopes of the key of this request, never `keys`, and expires at the "
        "latest with it; revoking the key of this request revokes it, too. Only this answer has the secret.",
        handler=create_key,
        scope=KEYS,
        body=CreateKeyBody,
        body_types=(JSON,),
        answers={201: MadeKeyAnswer},
        tag=TAG,
    ),
    Operation(
        method="GET",
        path=f"{PATH}/{{id}}",
        name="show_key",
        summary="Show an API key",
        description="A key of the account that was not revoked; never its secret.",
        handler=show_key,
        scope=KEYS,
        answers={200: KeyAnswer},
        tag=TAG,
    ),
    Operation(
        method="DELETE",
        path=f"{PATH}/{{id}}",
        name="revoke_key",
        summary=N_("Revoke an API key"),
        description="From the next request on it does not work, nor do the keys that it made.",
        handler=revoke_key,
        scope=KEYS,
        answers={200: DeletedKey},
        tag=TAG,
    ),
)
