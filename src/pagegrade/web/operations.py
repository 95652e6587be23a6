"""What an operation of the API is: its address, who may use it, what it takes and what it answers.

The same declaration routes requests, reads their parameters, and is the API's description (``web.openapi.build``).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from pydantic import BaseModel

from pagegrade.service.accounts.admission import Access
from pagegrade.web.http.body import FORM, MULTIPART
from pagegrade.web.http.response import Response

PAGES: Final = "Pages"
"""Tag of operations that are for people and no part of the interface: the description leaves them out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One method at one path."""

    method: str
    """``GET`` (which answers HEAD as well), ``POST``, ``PUT``, ``PATCH`` or ``DELETE``."""
    path: str
    """From the root, with ``{name}`` for a segment: ``/api/v1/reports/{id}``."""
    name: str
    """``operationId``: unique, stable, a verb and a noun."""
    summary: str
    """A few words, as a heading."""
    description: str = ""
    handler: Callable[..., Awaitable[Response]]
    """Called with what its parameters ask for, by their types (``web.exchange.PROVIDERS``)."""
    scope: str | None = None
    """What the key must be allowed to do; ``None``: no key is needed."""
    for_projects: bool = False
    """A key that is limited to a project may use it: its use cases look at ``Caller.project``."""
    access: Access = "anyone"
    """Of a page: who must have signed in. To others the pages of administrators are not there."""
    takes_programs: bool = False
    """Of a page: programs may send its form, too. What it does is proven by its address, not by a session."""
    counted_as: str = "requests"
    """Which count of a minute a request is taken from; each count has the same limit."""
    query: type[BaseModel] | None = None
    """Query parameters; unknown ones are ignored."""
    body: type[BaseModel] | None = None
    """Fields of a form, multipart or JSON body; unknown ones are ignored."""
    body_types: tuple[str, ...] = (FORM, MULTIPART)
    """Media types in which the body is described; every one of ``web.http.body.MEDIA_TYPES`` is read.

    Forms and JSON are never described together: the Python client of openapi-generator (7.26) would take the fields of
    the form and send an empty body that it calls JSON.
    """
    file_type: str = ""
    """Media type of the success with status 200 where that is a file; empty: it is JSON."""
    formats: tuple[str, ...] = ()
    """Media types of successes besides JSON, for those who would rather have them."""
    headers: tuple[str, ...] = ()
    """Request headers with a meaning here: ``Prefer``, ``If-Match``, ``If-None-Match``, ``Idempotency-Key``."""
    answers: Mapping[int, type[BaseModel]] = field(default_factory=dict)
    """Status of a success -> the document that describes its body."""
    answer_headers: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    """Status -> response headers with a meaning here, e.g. ``{201: ("Location", "ETag")}``."""
    problems: tuple[str, ...] = ()
    """Codes of ``web.problems`` this operation can answer with, besides those that every operation can."""
    tag: str = "Reports"
    extra: Mapping[str, Any] = field(default_factory=dict)
    """Anything else to be merged into the operation object of the description."""
