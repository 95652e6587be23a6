"""One request: who calls, what they want, and the way to the database."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, Final, TypeVar, cast

from pydantic import BaseModel

from pagegrade.clock import now_ms
from pagegrade.model.account import Caller
from pagegrade.model.errors import NotFound, RateLimited, Unauthenticated, Unavailable, ValidationFailed, Violation
from pagegrade.observability.tracing import NO_SPAN, Span
from pagegrade.render.i18n import Texts, choose_locale, texts_for
from pagegrade.service.accounts.access import authenticate, require_scope
from pagegrade.service.accounts.sessions import SignedIn, find_signed_in
from pagegrade.service.container import Services
from pagegrade.service.rate_limit import Standing
from pagegrade.service.reports.validation import RequestWarning
from pagegrade.store.engine.database import Transaction
from pagegrade.store.locks import hold_account
from pagegrade.web.http.body import FORM, MAX_BYTES, Receive, judge_media, parse_received, read_body
from pagegrade.web.http.client_ip import bearer_key, client_address, limited_as
from pagegrade.web.http.fields import is_spelled_freely, names_of, read_fields
from pagegrade.web.http.form_lists import with_lists
from pagegrade.web.http.forms import parse_pairs
from pagegrade.web.http.prefer import NONE, Preferences, parse_prefer
from pagegrade.web.http.unknown_names import unknown_remarks
from pagegrade.web.operations import Operation
from pagegrade.web.problems import Rejected
from pagegrade.web.session_cookie import SESSION, SignInNeeded, read_cookies

T = TypeVar("T")
Model = TypeVar("Model", bound=BaseModel)
REQUESTS: Final = "requests"
ANALYSES: Final = "analyses"
WRONG_KEYS: Final = "wrong keys"
MAX_ID: Final = 2**63 - 1
"""What a database can count to."""
MAX_REMARKS: Final = 10
"""Unknown parameters that an answer names."""
_PAGING: Final = frozenset({"per_page", "page", "cursor"})
_ID: Final = re.compile(r"[1-9][0-9]{0,18}")


class Call:
    """Handed to the handler of an operation, which reads and writes through it.

    An operation with a scope is authenticated, counted and judged in its first ``read``, or in ``admit``; until then
    nobody has called.
    """

    def __init__(
        self, services: Services, scope: Mapping[str, Any], receive: Receive, *, path: str, request_id: str
    ) -> None:
        self.services = services
        self.method: str = scope["method"]
        self.path = path
        """As sent, without the query."""
        self.request_id = request_id
        self.now_ms = now_ms()
        self.operation: Operation | None = None
        """``None`` where nothing is found at the path."""
        self.problem = ""
        """Code of what the answer tells of, where it tells of a problem."""
        self.span: Span = NO_SPAN
        """Traces this request, where requests are traced."""
        self.secret = ""
        """The key or token that was sent, if it can be one; kept for this request only."""
        self.signed_in: SignedIn | None = None
        """The session that this browser has, as far as somebody asked."""
        self.answering: dict[tuple[Any, ...], bytes] = {}
        """Requests with an Idempotency-Key that are being answered, of the whole application."""
        self.operations: Sequence[Operation] = ()
        """All that the application can do, for those that describe it."""
        self.params: Mapping[str, str] = {}
        """Segments of the path by their name, decoded."""
        self.caller: Caller | None = None
        self.standings: dict[str, Standing] = {}
        """Policy -> how the key stands to it, for the headers."""
        self.receive = receive
        self.gone = False
        """The client hung up while it was waited for something."""
        self._scope = scope
        self._headers = _join(scope["headers"])
        self._preferences: Preferences | None = None
        self.sent: Mapping[str, str] = {}
        """The query as it was sent."""
        self._ignored_fields: tuple[str, ...] = ()
        """Fields of the body that nothing here is called."""
        self.lenient_used = False
        """Query values may have been replaced by their defaults, as the client asked."""

    def header(self, name: bytes) -> str | None:
        """A request header by its lower-case name, several lines joined as one list; ``None`` when it was not sent."""
        value = self._headers.get(name)
        return None if value is None else value.decode("latin-1")

    @property
    def target(self) -> str:
        """Path and query as they were sent."""
        query = self._scope.get("query_string", b"").decode("latin-1")
        return f"{self.path}?{query}" if query else self.path

    @property
    def is_http_1(self) -> bool:
        """Whether connections can be told to close."""
        return str(self._scope.get("http_version", "1.1")).startswith("1")

    @property
    def client(self) -> str:
        """Address of the client, as far as it can be believed."""
        peer = self._scope.get("client")
        forwarded = self.header(b"x-forwarded-for")
        return client_address(peer[0] if peer else "", forwarded, self.services.options.trusted_proxies)

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
        text = self.params[name]
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
        self.sent, fields, violations = _read_query(model, self._scope.get("query_string", b""), lenient=lenient)
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
        raw, operation = self._scope.get("query_string", b""), self.operation
        if operation is None or not (raw or self._ignored_fields):
            return ()
        found = list(unknown_remarks(self._ignored_fields, () if operation.body is None else names_of(operation.body)))
        if raw:
            with contextlib.suppress(Rejected):  # a query that nobody here reads may be anything
                known = () if operation.query is None else names_of(operation.query)
                found += unknown_remarks((name for name in parse_pairs(raw, "The query") if name not in known), known)
        return tuple(found[:MAX_REMARKS])

    async def read(self, work: Callable[[Transaction, Caller], T]) -> T:
        """The result of ``work`` on one view of the database, which authenticates the caller if nothing did before.

        Raises:
            Unauthenticated: There is no valid key.
            SignInNeeded: The page is for those who have signed in.
            RateLimited: The key asks too often, or the client tries too many keys.
            InsufficientScope: The key may not do this.
            NotFound: The page is for administrators.
        """
        caller = self.caller
        if caller is not None:
            return await self.services.database.read(lambda tx: work(tx, caller))
        if self.operation is not None and self.operation.access != "anyone":
            return await self.services.database.read(work, first=self._admit_person)
        secret = await self._secret()
        return await self.services.database.read(work, first=lambda tx: self._admit(tx, secret))

    async def write(self, work: Callable[[Transaction, Caller], T]) -> T:
        """The result of ``work`` once what it wrote is safe; the caller was admitted before."""
        caller = self.admitted

        def alone(tx: Transaction) -> T:
            hold_account(tx, caller.account.id)
            return work(tx, caller)

        return await self.services.database.write(alone)

    async def admit(self) -> Caller:
        """Who calls; raises as ``read``."""
        return await self.read(lambda _tx, caller: caller)

    @property
    def admitted(self) -> Caller:
        """Who called, after they were admitted."""
        if self.caller is None:
            raise RuntimeError("nobody was admitted yet")
        return self.caller

    def visitor(self, tx: Transaction) -> Caller | None:
        """Who looks at a page that anyone may see, if they have signed in; ``None``: nobody knows."""
        if self.caller is None:
            for token in read_cookies(self.header, SESSION, self.services.options.base_url):
                self.signed_in = find_signed_in(tx, token, self.now_ms)
                if self.signed_in is not None:
                    self.secret, self.caller = token, self.signed_in.caller
                    break
        return self.caller

    @property
    def texts(self) -> Texts:
        """The words of pages: in the language of the account, else in the one the browser asks for."""
        asked = self.header(b"accept-language")
        return texts_for(choose_locale(None if self.caller is None else self.caller.account.locale, asked))

    async def take_analysis(self) -> None:
        """Count an analysis for the key, once for this call however often it is asked.

        Raises:
            RateLimited: There were too many in the last minute.
        """
        await self.count_analysis()
        self.check_analysis()

    async def count_analysis(self) -> None:
        """The same for whom it may be no trouble that there were too many: ``check_analysis`` says so later."""
        standing = self.standings.get(ANALYSES)
        if standing is None or not standing.allowed:
            per_minute = self.services.options.analyses_per_minute
            self.standings[ANALYSES] = await self.services.limits.take_now(ANALYSES, self.admitted.identity, per_minute)

    def check_analysis(self) -> None:
        """Go on only if the analysis was counted; inside of a transaction, too.

        Raises:
            RateLimited: There were too many in the last minute.
        """
        standing = self.standings[ANALYSES]
        if not standing.allowed:
            raise RateLimited(
                f"This key may start {standing.limit} analyses a minute; wait and try again.",
                retry_after_s=standing.reset_s,
            )

    async def give_back(self, policy: str) -> None:
        """What was counted for this call was not used; where that cannot be said now, it stays counted."""
        standing = self.standings.get(policy)
        if standing is not None and standing.allowed:
            limits = self.services.limits
            with contextlib.suppress(Unavailable):
                self.standings[policy] = await limits.give_back_now(policy, self.admitted.identity, standing.limit)

    async def forget_analysis(self) -> None:
        """Take the count of an analysis back that was not started."""
        await self.give_back(ANALYSES)
        self.standings.pop(ANALYSES, None)

    async def _secret(self) -> str:
        """The key that was sent, if it can be one.

        Raises:
            Unauthenticated: None was sent that could be valid; the database need not be asked.
            RateLimited: The client tries too many.
        """
        secret, presented = bearer_key(self.header(b"authorization"))
        if secret is None:
            if presented:
                self._judge_wrong_key(
                    await self.services.limits.take_now(WRONG_KEYS, limited_as(self.client), self._wrong_keys)
                )
            raise Unauthenticated(presented=presented)
        self.secret = secret
        return secret

    def _admit(self, tx: Transaction, secret: str) -> Caller:
        try:
            caller = authenticate(tx, secret, self.now_ms)
        except Unauthenticated:
            self._judge_wrong_key(self.services.limits.take(tx, WRONG_KEYS, limited_as(self.client), self._wrong_keys))
            raise
        standing = self._take_request(tx, caller)
        self.services.key_uses.note(caller.api_key.id, self.now_ms)
        if not standing.allowed:
            raise RateLimited(
                f"This key may send {standing.limit} requests a minute; wait and try again.",
                retry_after_s=standing.reset_s,
            )
        if self.operation is not None and self.operation.scope is not None:
            require_scope(caller, self.operation.scope)
        return caller

    def _admit_person(self, tx: Transaction) -> Caller:
        caller = self.visitor(tx)
        if caller is None:
            raise SignInNeeded
        standing = self._take_request(tx, caller)
        if not standing.allowed:
            raise RateLimited(
                f"You may open {standing.limit} pages a minute; wait and try again.", retry_after_s=standing.reset_s
            )
        if self.operation is not None and self.operation.access == "admin" and not caller.account.is_admin:
            raise NotFound
        return caller

    def _take_request(self, tx: Transaction, caller: Caller) -> Standing:
        self.caller = replace(caller, traceparent=self.span.traceparent) if self.span.on else caller
        limits = self.services.limits
        policy = REQUESTS if self.operation is None else self.operation.counted_as
        standing = limits.take(tx, policy, caller.identity, self.services.options.requests_per_minute)
        self.standings[policy] = standing
        return standing

    def _judge_wrong_key(self, standing: Standing) -> None:
        """Who tries many keys is told to wait; valid keys from the same address go on working."""
        if not standing.allowed:
            raise RateLimited(
                "Too many wrong keys came from your address; wait and try again.", retry_after_s=standing.reset_s
            )

    @property
    def _wrong_keys(self) -> int:
        return self.services.options.wrong_keys_per_minute


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
