"""The request of an operation: what was sent, read and validated; Starlette's, with names of ours."""

from __future__ import annotations

import contextlib
import itertools
import re
import secrets
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, TypeVar, cast

from pydantic import BaseModel
from starlette.requests import Request as StarletteRequest
from starlette.types import Receive, Scope

from pagegrade.clock import now_ms
from pagegrade.model.errors import NotFound, ValidationFailed, Violation
from pagegrade.model.identity import PRODUCT, mark_request_id
from pagegrade.service.reports.validation import RequestWarning
from pagegrade.web.http.body import FORM, MAX_BYTES, judge_media, parse_received, read_body
from pagegrade.web.http.client_ip import Network, client_address
from pagegrade.web.http.fields import is_spelled_freely, names_of, read_fields
from pagegrade.web.http.form_lists import with_lists
from pagegrade.web.http.forms import parse_pairs
from pagegrade.web.http.prefer import NONE, Preferences, parse_prefer
from pagegrade.web.http.unknown_names import unknown_warnings
from pagegrade.web.operations import Operation
from pagegrade.web.problems import Rejected

Model = TypeVar("Model", bound=BaseModel)
MAX_ID: Final = 2**63 - 1
"""What a database can count to."""
MAX_WARNINGS: Final = 10
"""Unknown parameters that an answer names."""
_PAGING: Final = frozenset({"per_page", "page", "cursor"})
_REQUEST_ID: Final = re.compile(r"[A-Za-z0-9._-]{1,64}")
_PROCESS: Final = secrets.token_hex(4)
"""Distinguishes the requests of this process from those of others; the name of a request is no secret."""
_requests: Final = itertools.count(1)
_ID: Final = re.compile(r"[1-9][0-9]{0,18}")


class Request(StarletteRequest):
    """Handed to handlers, which read path, query, headers and body through it."""

    def __init__(
        self, scope: Scope, receive: Receive, *, trusted_proxies: Sequence[Network] = (), own_key: bytes = b""
    ) -> None:
        super().__init__(scope, receive)
        raw_path: bytes = scope.get("raw_path") or scope["path"].encode("utf-8", "replace")
        self.path = raw_path.partition(b"?")[0].decode("latin-1")
        """As sent, without the query."""
        self._headers_by_name = _join(scope["headers"])
        self.request_id = _request_id(self.header(b"x-request-id"))
        """Name of the request in logs and problems."""
        if own_key and (self.header(b"user-agent") or "").startswith(PRODUCT):
            # Perhaps a worker of this installation, which must not analyze it under a name that it does not know.
            self.request_id = mark_request_id(_request_id(None), own_key)
        self.received_at_ms = now_ms()
        self.operation: Operation | None = None
        """``None`` where nothing is found at the path."""
        self.operations: Sequence[Operation] = ()
        """All operations of the application, for those that describe it."""
        self.in_flight: dict[tuple[Any, ...], bytes] = {}
        """Requests with an Idempotency-Key that the application is executing."""
        self.gone = False
        """The client closed the connection while the handler waited for something."""
        self.sent: Mapping[str, str] = {}
        """The query as it was sent."""
        self.lenient_used = False
        """Query values may have been replaced by their defaults, as the client asked."""
        self._trusted_proxies = trusted_proxies
        self._preferences: Preferences | None = None
        self._ignored_fields: tuple[str, ...] = ()

    def header(self, name: bytes) -> str | None:
        """A request header by its lower-case name, several lines joined as one list; ``None`` when it was not sent."""
        value = self._headers_by_name.get(name)
        return None if value is None else value.decode("latin-1")

    @property
    def target(self) -> str:
        """Path and query as they were sent."""
        query = self.scope.get("query_string", b"").decode("latin-1")
        return f"{self.path}?{query}" if query else self.path

    @property
    def is_http_1(self) -> bool:
        """True where the connection can be closed by a header."""
        return str(self.scope.get("http_version", "1.1")).startswith("1")

    @property
    def client_address(self) -> str:
        """Address of the client: of the connection, or as our own proxies report it."""
        peer = self.scope.get("client")
        return client_address(peer[0] if peer else "", self.header(b"x-forwarded-for"), self._trusted_proxies)

    @property
    def id(self) -> int:
        """The path's ``{id}``.

        Raises:
            NotFound: No id of ours can look like that.
        """
        return self.number("id")

    def number(self, name: str) -> int:
        """A segment of the path that counts something.

        Raises:
            NotFound: It is no number from 1 to what a database can count to.
        """
        text = self.path_params[name]
        if not _ID.fullmatch(text) or (number := int(text)) > MAX_ID:
            raise NotFound
        return number

    @property
    def preferences(self) -> Preferences:
        """The Prefer header, where the operation heeds it.

        Raises:
            Rejected: It cannot be read.
        """
        if self._preferences is None:
            heeded = self.operation is not None and "Prefer" in self.operation.headers
            self._preferences = parse_prefer(self.header(b"prefer")) if heeded else NONE
        return self._preferences

    def query(self, model: type[Model]) -> Model:
        """The query parameters.

        Raises:
            Rejected: The query or the Prefer header cannot be read.
            ValidationFailed: Values cannot be used; all of them are named.
        """
        lenient = self.preferences.lenient
        self.sent, fields, violations = _read_query(model, self.scope.get("query_string", b""), lenient=lenient)
        if violations:
            raise ValidationFailed(violations)
        self.lenient_used = lenient
        return cast("Model", fields)

    def filters(self, query: BaseModel) -> dict[str, str]:
        """The query parameters in use, besides those of paging, in the order of their model: for links."""
        found: dict[str, str] = {}
        for name in names_of(type(query)):
            if name in self.sent and name not in _PAGING:
                value = getattr(query, name)
                if value is not None:
                    found[name] = self.sent[name] if is_spelled_freely(type(query), name) else str(value)
        return found

    async def fields(
        self, model: type[Model], *, max_bytes: int = MAX_BYTES, lists: Sequence[str] = ()
    ) -> tuple[Model, list[Violation]]:
        """The fields of the body, and what is wrong with them.

        Args:
            model: What they are.
            max_bytes: The body may have at most so many.
            lists: Fields that a form may hold several times, as ``name``, ``name[]`` or ``name[0]``.

        Raises:
            Rejected: The body cannot be read.
            ClientGone: The client hung up.
        """
        content_type = self.header(b"content-type")
        media_type, boundary = judge_media(self.method, content_type, self.header(b"content-encoding"))
        body = await read_body(self.receive, self.header(b"content-length"), max_bytes=max_bytes)
        sent = await parse_received(body, media_type, boundary)
        if lists and media_type in {None, FORM}:
            sent = with_lists(sent, body, lists)
        known = names_of(model)
        self._ignored_fields = tuple(name for name in sent if name not in known)
        return read_fields(model, sent, "body")

    def unknown_parameters(self) -> tuple[RequestWarning, ...]:
        """Warnings about fields and query parameters that have no meaning here; nothing was made of them."""
        raw, operation = self.scope.get("query_string", b""), self.operation
        if operation is None or not (raw or self._ignored_fields):
            return ()
        found = list(unknown_warnings(self._ignored_fields, () if operation.body is None else names_of(operation.body)))
        if raw:
            with contextlib.suppress(Rejected):  # a query that nobody here reads may be anything
                known = () if operation.query is None else names_of(operation.query)
                found += unknown_warnings((name for name in parse_pairs(raw, "The query") if name not in known), known)
        return tuple(found[:MAX_WARNINGS])


def _request_id(sent: str | None) -> str:
    """Return the client's own name for the request where it is short and plain, else one of ours."""
    return sent if sent is not None and _REQUEST_ID.fullmatch(sent) else f"{_PROCESS}{next(_requests):08x}"


def _join(headers: list[tuple[bytes, bytes]]) -> dict[bytes, bytes]:
    """Headers by name; lines of the same name become one list (RFC 9110 5.3)."""
    joined = dict(headers)
    if len(joined) == len(headers):
        return joined
    lines: dict[bytes, list[bytes]] = {}
    for name, value in headers:
        lines.setdefault(name, []).append(value)
    return {name: b", ".join(values) for name, values in lines.items()}


@lru_cache(maxsize=256)
def _read_query(
    model: type[BaseModel], raw: bytes, *, lenient: bool
) -> tuple[Mapping[str, str], BaseModel, tuple[Violation, ...]]:
    """What a query says, how it was spelled, and what is wrong with it; programs ask the same again and again.

    Raises:
        Rejected: It cannot be read.
    """
    sent = parse_pairs(raw, "The query")
    fields, violations = read_fields(model, sent, "query", lenient=lenient)
    return sent, fields, tuple(violations)
