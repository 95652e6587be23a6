"""Declaration of an operation: address, access rules, parameters and answers.

The same declaration routes requests, validates their parameters and produces the API description (``web.openapi``).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

import msgspec
from msgspec.structs import force_setattr
from pydantic import BaseModel

from pagegrade.model.account import Role
from pagegrade.service.accounts.admission import Access
from pagegrade.web.http.body import JSON
from pagegrade.web.http.response import API, Response

PAGES: Final = "Pages"
"""Tag of operations for people, which are not part of the API: the description leaves them out."""


_OF_GET: Final = ("Prefer", "If-None-Match", "If-Modified-Since")
_OF_CHANGE: Final = ("If-Match", "If-None-Match", "If-Unmodified-Since", "Prefer", "Idempotency-Key")


class Operation(msgspec.Struct, frozen=True, kw_only=True):
    """One method at one path."""

    method: str = "GET"
    """``GET`` (which handles HEAD as well), ``POST``, ``PUT``, ``PATCH`` or ``DELETE``."""
    path: str
    """Path from the root, with ``{name}`` for a segment: ``/api/v1/reports/{id}``."""
    name: str = ""
    """``operationId``: unique and stable, a verb and a noun, since logs of accounts have it; empty: as the handler."""
    summary: str
    """Short heading."""
    description: str = ""
    handler: Callable[..., Awaitable[Response]]
    """Called with arguments that are provided by the type of each parameter (``web.exchange.PROVIDERS``)."""
    scope: str | None = None
    """Scope that the key needs; ``None`` if no key is needed."""
    for_projects: bool = False
    """True if keys limited to a project may use it: its use cases respect ``Caller.project``."""
    access: Access = "anyone"
    """Access to a page; to everyone but administrators, the pages of administrators answer 404."""
    role: Role | None = None
    """Least role in the open account that a page for signed-in people requires; ``None``: as the method says."""
    takes_programs: bool = False
    """Page only: programs may send its form, too; it is authorized by its address, not by a session."""
    counted_as: str = "requests"
    """Rate limit counter of the requests; all counters have the same limit per minute."""
    query: type[BaseModel] | None = None
    """Query parameters; unknown ones are ignored."""
    body: type[BaseModel] | None = None
    """Fields of a form, multipart or JSON body; unknown ones cause a warning."""
    body_types: tuple[str, ...] = (JSON,)
    """Media types in which the body is described; all of ``web.http.body.MEDIA_TYPES`` are accepted.

    Forms and JSON are never described together: the Python client of openapi-generator (7.26) would take the fields of
    the form and send an empty body labeled as JSON.
    """
    file_types: tuple[str, ...] = ()
    """Media types of the answer with status 200 if it is a file; empty for JSON."""
    formats: tuple[str, ...] = ()
    """Media types of answers besides JSON, chosen by Accept."""
    headers: tuple[str, ...] = ()
    """Request headers that are evaluated besides those that follow from the other members (``request_headers``)."""
    answers: Mapping[int, type[msgspec.Struct]] = msgspec.field(default_factory=dict)
    """Status of a success -> document that answers."""
    answer_headers: tuple[str, ...] = ()
    """Headers of its success besides those that follow from the other members (``web.openapi.build``)."""
    problems: tuple[str, ...] = ()
    """Problem codes of ``web.problems`` besides those that follow from the other members (``web.openapi.build``)."""
    recorded: bool = True
    """True: the log of the account has it if it changes something. False where a list shows the same, or where it is
    about the person alone."""
    tag: str = "Reports"
    extra: Mapping[str, Any] = msgspec.field(default_factory=dict)
    """Further members of the operation object in the description."""

    def __post_init__(self) -> None:
        if not self.name:
            force_setattr(self, "name", self.handler.__name__)

    @property
    def request_headers(self) -> tuple[str, ...]:
        """Request headers that are evaluated, in the order of the description.

        Every answer of the API to ``GET`` has a tag, a list takes ``Prefer``, and so does what has a body; to create
        something can be repeated by its key.
        """
        names = set(self.headers)
        if self.path.startswith(API):
            if self.method == "GET" and (self.answers or self.file_types):
                names |= {"If-None-Match", "Prefer"} if self.is_list else {"If-None-Match"}
            if self.body is not None:
                names |= {"Prefer", "Idempotency-Key"} if self.method == "POST" else {"Prefer"}
        order = _OF_GET if self.method == "GET" else _OF_CHANGE
        return (*(name for name in order if name in names), *sorted(names.difference(order)))

    @property
    def is_list(self) -> bool:
        """True if it answers with a part of a list."""
        return self.query is not None and "per_page" in self.query.model_fields

    @property
    def is_action(self) -> bool:
        """True if the log of the account has who asked for it."""
        is_closed = self.scope is not None or self.access != "anyone"
        return self.recorded and is_closed and self.method != "GET"

    @property
    def least_role(self) -> Role:
        """Least role in the open account; where none is declared, viewers may read and editors change."""
        if self.role is not None:
            return self.role
        return Role.EDITOR if self.access == "account" and self.method != "GET" else Role.VIEWER


class PageOperation(Operation, frozen=True, kw_only=True):
    """One method at one path for people: for who has signed in, where it does not say otherwise."""

    summary: str = ""
    """Name of the action in the log of the account; empty for a page that only shows something."""
    access: Access = "account"
    tag: str = PAGES
