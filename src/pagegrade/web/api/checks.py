"""The catalogue of checks: public, and the same for all clients until the next release."""

from __future__ import annotations

import asyncio
import hashlib
from functools import cache
from typing import Annotated, Final, Literal

import msgspec
from pydantic import BaseModel, Field

from pagegrade.checks import Check as CatalogueCheck
from pagegrade.checks import SiteCheck, all_checks, all_site_checks
from pagegrade.model.errors import NotFound
from pagegrade.model.report import RULESET
from pagegrade.model.schema import Count, about
from pagegrade.service.catalogue import (
    CheckDocumentation,
    CheckItem,
    check_documentation,
    check_entries,
    site_check_entries,
)
from pagegrade.web.http.request_headers import is_unchanged
from pagegrade.web.http.response import Response
from pagegrade.web.operations import Operation
from pagegrade.web.request import Request
from pagegrade.web.schemas.envelope import Answer
from pagegrade.web.schemas.shape import Document, extended


class Check(CheckItem, frozen=True, kw_only=True):
    """A check with its documentation."""

    documentation: Annotated[CheckDocumentation, about("The check explained.")]


class CatalogueMeta(Document, frozen=True, kw_only=True):
    """About the catalogue."""

    total: Annotated[Count, about("Number of checks.", 67)]
    ruleset: Annotated[str, about("Version of the checks, severities and caps.", RULESET)]


class CheckAnswer(Answer, frozen=True, kw_only=True):
    """One check."""

    data: Annotated[Check, about("The check.")]


class CheckList(Answer, frozen=True, kw_only=True):
    """The whole catalogue of checks."""

    data: Annotated[list[CheckItem], about("The checks, in the order of the catalogue.")]
    meta: Annotated[CatalogueMeta, about("Metadata of the catalogue.")]


KEPT: Final = ("Cache-Control", "public, max-age=3600")


class CheckListQuery(BaseModel):
    """Catalogue to list."""

    of: Literal["page", "site"] = Field(
        "page", description="`page`: checks of a page; `site`: checks of a whole site.", examples=["site"]
    )


async def list_checks(request: Request) -> Response:
    """Return every check of a page, or of a site."""
    return await _answer(request, f"/{request.query(CheckListQuery).of}")


async def show_check(request: Request) -> Response:
    """Return one check and its documentation."""
    return await _answer(request, request.path_params["check"])


async def _answer(request: Request, name: str) -> Response:
    # The first call imports every check and computes its penalties: too slow for the event loop.
    bodies = await asyncio.to_thread(_bodies) if not _bodies.cache_info().currsize else _bodies()
    found = bodies.get(name)
    if found is None:
        raise NotFound
    body, etag = found
    headers = (KEPT, ("ETag", etag))
    if is_unchanged(request.header(b"if-none-match"), None, etag=etag, modified_ms=None):
        return Response(status_code=304, headers=headers)
    return Response(status_code=200, content=body, headers=headers)


@cache
def _bodies() -> dict[str, tuple[bytes, str]]:
    """Check id -> (the answer, its entity tag); ``/page`` and ``/site`` for the lists, which no id can be."""
    known: dict[str, CatalogueCheck | SiteCheck] = {**all_checks(), **all_site_checks()}
    bodies: dict[str, tuple[bytes, str]] = {}
    for of, entries in (("/page", check_entries()), ("/site", site_check_entries())):
        meta = CatalogueMeta(total=len(entries), ruleset=RULESET)
        bodies[of] = _tagged(CheckList(status=200, data=entries, meta=meta))
        for entry in entries:
            whole = extended(entry, Check, documentation=check_documentation(known[entry.id]))
            bodies[entry.id] = _tagged(CheckAnswer(status=200, data=whole))
    return bodies


def _tagged(answer: Answer) -> tuple[bytes, str]:
    body = msgspec.json.encode(answer)
    return body, f'"{hashlib.sha256(body).hexdigest()[:24]}"'


OPERATIONS: Final = (
    Operation(
        path="/api/v1/checks",
        summary="List all checks",
        description="The whole catalogue: what is checked, what it can find, and what it can cost; with `of=site` the "
        "checks that audits make of a whole site. Needs no key.",
        handler=list_checks,
        query=CheckListQuery,
        answers={200: CheckList},
        tag="Checks",
    ),
    Operation(
        path="/api/v1/checks/{check}",
        summary="Show a check",
        description="One check with its documentation, by its id. Needs no key.",
        handler=show_check,
        answers={200: CheckAnswer},
        tag="Checks",
    ),
)
