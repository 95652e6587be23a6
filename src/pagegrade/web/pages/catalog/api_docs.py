"""The reference of the API as a page of this server, and a console to try its calls, drawn by Swagger UI."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec

from pagegrade.model.errors import NotFound
from pagegrade.service.unit_of_work import UnitOfWork
from pagegrade.web.http.response import Response
from pagegrade.web.openapi.build import build_openapi
from pagegrade.web.operations import PAGES, Operation
from pagegrade.web.pages.forms import read_query
from pagegrade.web.pages.html import View
from pagegrade.web.request import Request

PATH: Final = "/docs"
POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""Of the console. Without ``require-trusted-types-for``: Swagger UI sets markup as text, after DOMPurify has cleaned
it. What it is fed is the description, which is made of our own code only."""
_made: dict[tuple[str, ...], tuple[Group, ...]] = {}
"""Names of the operations -> the reference; a process has one entry, or a few in tests."""


class Value(msgspec.Struct, frozen=True):
    """A parameter of a call, or a member of its body."""

    name: str
    place: str
    """``path``, ``query``, ``header`` or ``body``."""
    required: bool
    description: str


class Call(msgspec.Struct, frozen=True):
    """One operation of the API."""

    name: str
    method: str
    path: str
    summary: str
    description: str
    values: tuple[Value, ...]
    statuses: tuple[tuple[str, str], ...]
    """(status, its meaning), successes first."""


class Group(msgspec.Struct, frozen=True):
    """The calls about one kind of resource."""

    name: str
    description: str
    calls: tuple[Call, ...]

    @property
    def key(self) -> str:
        """The name in URLs."""
        return self.name.lower().replace(" ", "-")

    @property
    def size(self) -> int:
        """Number of calls."""
        return len(self.calls)


async def show_docs(request: Request, work: UnitOfWork, view: View) -> Response:
    """Return the list of all calls, or the calls of one group with what they take and answer."""
    wanted = read_query(request).get("group") or None
    await work.identify()
    key = tuple(operation.name for operation in request.operations)
    if key not in _made:
        # Builds the schemas of all documents: too slow for the event loop.
        _made[key] = await asyncio.to_thread(_describe, request.operations)
    groups = _made[key]
    shown = [group for group in groups if wanted in (None, group.key)]
    if not shown:
        raise NotFound
    return view.page("docs.html.jinja", groups=groups, shown=shown, wanted=wanted)


async def show_console(view: View) -> Response:
    """Return the console."""
    return view.page("docs_console.html.jinja", policy=POLICY)


def _describe(operations: Sequence[Operation]) -> tuple[Group, ...]:
    """Return the reference, read from the OpenAPI document."""
    document = build_openapi(operations)
    calls: dict[str, list[Call]] = {}
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            call = Call(
                name=operation["operationId"],
                method=method.upper(),
                path=path,
                summary=operation["summary"],
                description=operation["description"],
                values=(*_parameters(operation, document), *_body(operation, document)),
                statuses=tuple(
                    (status, _resolve(response, document)["description"])
                    for status, response in operation["responses"].items()
                ),
            )
            calls.setdefault(operation["tags"][0], []).append(call)
    return tuple(Group(tag["name"], tag["description"], tuple(calls[tag["name"]])) for tag in document["tags"])


def _parameters(operation: Mapping[str, Any], document: Mapping[str, Any]) -> Iterator[Value]:
    for each in operation.get("parameters", ()):
        parameter = _resolve(each, document)
        yield Value(
            parameter["name"], parameter["in"], parameter.get("required", False), parameter.get("description", "")
        )


def _body(operation: Mapping[str, Any], document: Mapping[str, Any]) -> Iterator[Value]:
    """Yield the members of the body, which are the same in every media type."""
    for content in operation.get("requestBody", {}).get("content", {}).values():
        schema = _resolve(content["schema"], document)
        for name, member in schema.get("properties", {}).items():
            whole = _resolve(member, document)
            description = member.get("description") or whole.get("description", "")
            yield Value(name, "body", name in schema.get("required", ()), description)
        return


def _resolve(value: Mapping[str, Any], document: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what a reference of the document leads to; other values as they are."""
    for _ in range(4):
        reference = value.get("$ref")
        if reference is None:
            break
        found: Any = document
        for name in reference.removeprefix("#/").split("/"):
            found = found[name]
        value = found
    return value


OPERATIONS: Final = (
    Operation(method="GET", path=PATH, name="show_docs", summary="The API", handler=show_docs, tag=PAGES),
    Operation(
        method="GET",
        path=f"{PATH}/console",
        name="show_console",
        summary="The API to try",
        handler=show_console,
        tag=PAGES,
    ),
)
