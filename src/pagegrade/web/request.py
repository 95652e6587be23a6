"""The request of an operation, read and validated; extends Starlette's request.

That includes the Prefer header (RFC 7240), form fields that occur several times, and warnings about unknown names.
"""

from __future__ import annotations

import contextlib
import difflib  # lint: allow slow-parser - at most 10 names of 40 characters against a fixed list
import itertools
import re
import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any, Final, TypeVar, cast
from urllib.parse import unquote_plus

import msgspec
from pydantic import BaseModel
from starlette.requests import Request as StarletteRequest
from starlette.types import Receive, Scope

from pagegrade.clock import now_ms
from pagegrade.model.errors import NotFound, ValidationFailed, Violation
from pagegrade.model.identity import PRODUCT, mark_request_id
from pagegrade.parse.http.headers import split_outside_quotes
from pagegrade.service.reports.validation import RequestWarning
from pagegrade.web.http.body import FORM, MAX_BYTES, MULTIPART, parse_pairs, parse_received, read_body, read_media_type
from pagegrade.web.http.fields import is_spelled_freely, names_of, read_fields
from pagegrade.web.http.request_headers import Network, client_address
from pagegrade.web.operations import Operation
from pagegrade.web.problems import Rejected, bad_request

Model = TypeVar("Model", bound=BaseModel)
MAX_ID: Final = 2**63 - 1
"""Largest integer that a database can store."""
MAX_WARNINGS: Final = 10
"""Maximum number of unknown parameters that an answer names."""
_PAGING: Final = frozenset({"per_page", "page", "cursor"})
_REQUEST_ID: Final = re.compile(r"[A-Za-z0-9._-]{1,64}")
_PROCESS: Final = secrets.token_hex(4)
"""Distinguishes request ids of this process from those of others; not a secret."""
_requests: Final = itertools.count(1)
_ID: Final = re.compile(r"[1-9][0-9]{0,18}")


class Request(StarletteRequest):
    """Passed to handlers, which read path, query, headers and body through it."""

    def __init__(
        self,
        scope: Scope,
        receive: Receive,
        *,
        trusted_proxies: Sequence[Network] = (),
        own_key: bytes = b"",
        root: str = "",
    ) -> None:
        super().__init__(scope, receive)
        raw_path: bytes = scope.get("raw_path") or scope["path"].encode("utf-8", "replace")
        self.path = _below(root, raw_path.partition(b"?")[0].decode("latin-1"))
        """Path as sent, without the query and without the path of the service, which a reverse proxy may keep."""
        self._headers_by_name = _join(scope["headers"])
        self.request_id = _request_id(self.header(b"x-request-id"))
        """Id of the request in logs and problems."""
        if own_key and (self.header(b"user-agent") or "").startswith(PRODUCT):
            # Possibly a worker of this installation, which must not analyze it under a name unknown to it.
            self.request_id = mark_request_id(_request_id(None), own_key)
        self.received_at_ms = now_ms()
        self.operation: Operation | None = None
        """``None`` if the path is unknown."""
        self.operations: Sequence[Operation] = ()
        """All operations of the application, for handlers that describe them."""
        self.in_flight: dict[tuple[Any, ...], bytes] = {}
        """Requests with an Idempotency-Key that are being executed."""
        self.gone = False
        """True if the client closed the connection while the handler was waiting."""
        self.sent: Mapping[str, str] = {}
        """Query parameters as sent."""
        self.lenient_used = False
        """True if query values may have been replaced by their defaults, as the client asked."""
        self._trusted_proxies = trusted_proxies
        self._preferences: Preferences | None = None
        self._ignored_fields: tuple[str, ...] = ()

    def header(self, name: bytes) -> str | None:
        """Return a request header by its lower-case name, several lines joined as one list; ``None`` if missing."""
        value = self._headers_by_name.get(name)
        return None if value is None else value.decode("latin-1")

    @property
    def target(self) -> str:
        """Path and query as sent, below the path of the service."""
        query = self.scope.get("query_string", b"").decode("latin-1")
        return f"{self.path}?{query}" if query else self.path

    @property
    def is_http_1(self) -> bool:
        """True if the connection can be closed with a header."""
        return str(self.scope.get("http_version", "1.1")).startswith("1")

    @property
    def client_address(self) -> str:
        """Address of the client: that of the connection, or the one reported by trusted proxies."""
        peer = self.scope.get("client")
        return client_address(peer[0] if peer else "", self.header(b"x-forwarded-for"), self._trusted_proxies)

    @property
    def id(self) -> int:
        """``{id}`` of the path.

        Raises:
            NotFound: The segment is not a valid id.
        """
        return self.number("id")

    def number(self, name: str) -> int:
        """Return a segment of the path as a positive number.

        Raises:
            NotFound: It is not a number from 1 to ``MAX_ID``.
        """
        text = self.path_params[name]
        if not _ID.fullmatch(text) or (number := int(text)) > MAX_ID:
            raise NotFound
        return number

    @property
    def preferences(self) -> Preferences:
        """Preferences of the Prefer header, if the operation supports it.

        Raises:
            Rejected: The header is malformed.
        """
        if self._preferences is None:
            sent, operation = self.header(b"prefer"), self.operation
            heeded = sent is not None and operation is not None and "Prefer" in operation.request_headers
            self._preferences = parse_prefer(sent) if heeded else NONE
        return self._preferences

    def query(self, model: type[Model]) -> Model:
        """Return the validated query parameters.

        Raises:
            Rejected: The query or the Prefer header is malformed.
            ValidationFailed: Values are not valid; all of them are named.
        """
        lenient = self.preferences.lenient
        self.sent, fields, violations = _read_query(model, self.scope.get("query_string", b""), lenient=lenient)
        if violations:
            raise ValidationFailed(violations)
        self.lenient_used = lenient
        return cast("Model", fields)

    def filters(self, query: BaseModel) -> dict[str, str]:
        """Return the query parameters in use except those of paging, in the order of their model, for links."""
        found: dict[str, str] = {}
        values = query.model_dump(by_alias=True)
        for name in names_of(type(query)):
            if name in self.sent and name not in _PAGING:
                value = values[name]
                if value is not None:
                    found[name] = self.sent[name] if is_spelled_freely(type(query), name) else str(value)
        return found

    async def fields(
        self, model: type[Model], *, max_bytes: int = MAX_BYTES, lists: Sequence[str] = ()
    ) -> tuple[Model, list[Violation]]:
        """Return the validated fields of the body and their violations.

        Args:
            lists: Fields that a form may repeat, as ``name``, ``name[]`` or ``name[0]``.

        Raises:
            Rejected: The body is malformed.
            ClientGone: The client disconnected.
        """
        content_type = self.header(b"content-type")
        media_type, boundary = read_media_type(self.method, content_type, self.header(b"content-encoding"))
        body = await read_body(self.receive, self.header(b"content-length"), max_bytes=max_bytes)
        sent = await parse_received(body, media_type, boundary)
        if lists and media_type in {None, FORM}:
            sent = with_lists(sent, body, lists)
        known = names_of(model)
        self._ignored_fields = tuple(name for name in sent if name not in known)
        return read_fields(model, sent, "body", is_json=media_type not in {None, FORM, MULTIPART})

    def unknown_parameters(self) -> tuple[RequestWarning, ...]:
        """Return warnings about fields, query parameters and preferences that the operation ignores."""
        raw, operation = self.scope.get("query_string", b""), self.operation
        unread = () if self._preferences is None else self._preferences.unread
        if operation is None or not (raw or self._ignored_fields or unread):
            return ()
        found = [
            RequestWarning("Prefer", "unreadable_preference", f"{shortened(each)} cannot be read and was ignored.")
            for each in unread[:MAX_WARNINGS]
        ]
        found += list(
            unknown_warnings(self._ignored_fields, () if operation.body is None else names_of(operation.body))
        )
        if raw:
            with contextlib.suppress(Rejected):  # a query without declared parameters may be anything
                known = () if operation.query is None else names_of(operation.query)
                found += unknown_warnings((name for name in parse_pairs(raw, "The query") if name not in known), known)
        return tuple(found[:MAX_WARNINGS])


def _below(root: str, path: str) -> str:
    """Return a path as routes have it, whether or not the proxy in front has taken the root away."""
    if root and path.startswith(root) and path[len(root) : len(root) + 1] in {"", "/"}:
        return path[len(root) :] or "/"
    return path


def _request_id(sent: str | None) -> str:
    """Return the client's own request id if it is short and plain, else a new one."""
    return sent if sent is not None and _REQUEST_ID.fullmatch(sent) else f"{_PROCESS}{next(_requests):08x}"


def _join(headers: list[tuple[bytes, bytes]]) -> dict[bytes, bytes]:
    """Return headers by name; lines of the same name become one list (RFC 9110 5.3)."""
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
    """Parse and validate a query; cached, because programs repeat the same queries.

    Returns:
        The parameters as sent, the model, and the violations.

    Raises:
        Rejected: The query is malformed.
    """
    sent = parse_pairs(raw, "The query")
    fields, violations = read_fields(model, sent, "query", lenient=lenient)
    return sent, fields, tuple(violations)


_NAME: Final = re.compile(r"([A-Za-z0-9_]{1,64})(?:\[[0-9]{0,9}\])?")


def with_lists(sent: Mapping[str, Any], body: bytes, lists: Sequence[str]) -> dict[str, Any]:
    """The fields of a form with every line of the values of some of them, in their order, without empty ones.

    Args:
        sent: What ``forms.parse_pairs`` made of the body, which is UTF-8 therefore.
        lists: Names of the fields.
    """
    found: dict[str, list[str]] = {}
    for pair in body.split(b"&"):
        name, _, value = pair.decode("latin-1").partition("=")
        listed = _NAME.fullmatch(unquote_plus(name))
        if listed is not None and listed[1] in lists:
            lines = unquote_plus(value.encode("latin-1").decode()).splitlines()
            found.setdefault(listed[1], []).extend(line for line in lines if line)
    rest = {name: value for name, value in sent.items() if _base(name) not in lists}
    return rest | found


def _base(name: str) -> str:
    listed = _NAME.fullmatch(name)
    return name if listed is None else listed[1]


MAX_NAMES: Final = 10
"""So many are looked at; a form may have a hundred times as many."""
MAX_CHARACTERS: Final = 40
"""Of a name that is compared, and of one that is repeated."""
SIMILAR: Final = 0.6
"""Of 1: how alike two names are before one is taken for a slip of the other."""
CODE: Final = "unknown_parameter"


def shortened(name: str) -> str:
    """Return what was sent as a warning repeats it."""
    return name if len(name) <= MAX_CHARACTERS else f"{name[:MAX_CHARACTERS]}…"


def unknown_warnings(names: Iterable[str], known: Sequence[str]) -> Iterator[RequestWarning]:
    """A warning about each of the first names.

    Args:
        names: As sent, none of which is known.
        known: Names that have a meaning here.
    """
    for name in islice(names, MAX_NAMES):
        shown = shortened(name)
        alike = difflib.get_close_matches(name[:MAX_CHARACTERS].lower(), known, n=1, cutoff=SIMILAR)
        hint = f" Did you mean {alike[0]}?" if alike else ""
        yield RequestWarning(shown, CODE, f"This parameter is not known here and was ignored.{hint}")


MAX_WAIT_S: Final = 50
"""Proxies give up after a minute; a longer wait is cut to this."""
MAX_PREFER_CHARACTERS: Final = 1_024
"""Maximum length of the header."""
_PREFERENCE: Final = re.compile(
    r"""\s*+([!#$%&'*+.^_`|~0-9A-Za-z-]++)\s*+(?:=\s*+("(?:[^"\\]++|\\.)*"|[^\s",;]*+))?\s*+(?:;.*+)?""", re.DOTALL
)
_SECONDS: Final = re.compile(r"[0-9]{1,9}")


class Preferences(msgspec.Struct, frozen=True):
    """Preferences of the client."""

    wait_s: int | None = None
    """Time to wait for an analysis, at most ``MAX_WAIT_S``; ``None`` if not given."""
    respond_async: bool = False
    lenient: bool = False
    """Replace query values that are not valid by their defaults."""
    minimal: bool = False
    """Answer a change with the identifying members only."""
    unread: tuple[str, ...] = ()
    """Members of the header that cannot be read, as sent."""

    def seconds(self, default: float) -> float:
        """Return the time to wait for an analysis; ``default`` without a preference."""
        if self.wait_s is not None:
            return float(self.wait_s)
        return 0.0 if self.respond_async else default

    def applied(self, *, writing: bool = False) -> tuple[tuple[str, str], ...]:
        """Return the Preference-Applied header; empty if no preference was applied.

        Args:
            writing: True for the answer to a change, where ``minimal`` applies.
        """
        said = [name for name, held in (("respond-async", self.respond_async),) if held]
        if self.wait_s is not None:
            said.append(f"wait={self.wait_s}")
        if writing and self.minimal:
            said.append("return=minimal")
        return (("Preference-Applied", ", ".join(said)),) if said else ()


NONE: Final = Preferences()


def parse_prefer(value: str | None) -> Preferences:
    """Parse the header; the first of a repeated preference counts.

    Preferences that are unknown, malformed or have a value without a meaning are ignored: a preference is no
    instruction (RFC 7240 section 2).

    Raises:
        Rejected: The header is too long.
    """
    if not value or not value.strip():
        return NONE
    if len(value) > MAX_PREFER_CHARACTERS:
        raise bad_request(f"The Prefer header may have at most {MAX_PREFER_CHARACTERS} characters.")
    found: dict[str, str] = {}
    unread: list[str] = []
    for element in split_outside_quotes(value, ","):
        if not element.strip():
            continue
        match = _PREFERENCE.fullmatch(element)
        name, text = ("", "") if match is None else (match[1].lower(), (match[2] or "").strip('"'))
        if not name or (name == "wait" and not _SECONDS.fullmatch(text)):
            unread.append(element.strip())
        else:
            found.setdefault(name, text)
    wait = found.get("wait")
    return Preferences(
        wait_s=None if wait is None else min(int(wait), MAX_WAIT_S),
        respond_async="respond-async" in found,
        lenient=found.get("handling") == "lenient",
        minimal=found.get("return") == "minimal",
        unread=tuple(unread),
    )
