"""Admission of callers: authentication, request limit and scope, decided in the first transaction of a request."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from typing import Final, Literal

import msgspec
from msgspec.structs import replace

from pagegrade.model.account import Caller, Role
from pagegrade.model.errors import NotFound, OtherProject, RateLimited, Unauthenticated, Unavailable
from pagegrade.service.accounts.access import KeyUses, authenticate, require_scope
from pagegrade.service.accounts.sessions import SignedIn, find_signed_in
from pagegrade.service.options import ServiceOptions
from pagegrade.service.rate_limit import Bucket, Buckets, Standing
from pagegrade.store.engine.database import Transaction

REQUESTS: Final = "requests"
WRONG_KEYS: Final = "wrong keys"
Access = Literal["anyone", "account", "admin"]
"""Session that an operation requires; ``anyone`` with a scope requires a key instead."""


class Requested(msgspec.Struct, frozen=True):
    """A change that a request asks for, for the log of the account."""

    operation: str
    target: int | None
    """Id in the path; ``None`` if there is none."""
    at_ms: int


class SignInNeeded(Exception):
    """The operation requires a session, and the request has none."""


class RoleNeeded(Exception):
    """The operation requires a role that the signed-in person does not have in the open account."""


class Admission:
    """Identifies the caller of one request and counts the request.

    Nothing is read from the database before ``admit`` or ``identify`` runs in a transaction of the use case.
    """

    def __init__(
        self,
        *,
        limits: Buckets,
        key_uses: KeyUses,
        options: ServiceOptions,
        now_ms: int,
        client: Callable[[], str],
        key: Callable[[], tuple[str | None, bool]],
        sessions: Callable[[], Sequence[str]],
    ) -> None:
        """Remember how to read the credentials of a request.

        Args:
            limits: Request counters, shared by all requests.
            key_uses: Records when keys are used.
            client: Returns the address by which clients without a valid key are limited.
            key: Returns the API key, ``None`` if it cannot be valid, and whether any credential was sent.
            sessions: Returns the session tokens that were sent, at most a few.
        """
        self._limits = limits
        self._key_uses = key_uses
        self._options = options
        self._now_ms = now_ms
        self._client = client
        self._key = key
        self._sessions = sessions
        self.scope: str | None = None
        """Scope that a key must have."""
        self.for_projects = False
        """Keys that are limited to a project are admitted."""
        self.access: Access = "anyone"
        self.role = Role.VIEWER
        """Least role of a person in the open account."""
        self.counted_as = REQUESTS
        """Name of the limit by which the request is counted."""
        self.traceparent: str | None = None
        """W3C trace context that runs of this request belong to; ``None``: the request is not traced."""
        self.action: Requested | None = None
        """``None``: the request changes nothing that the log of an account has."""
        self.caller: Caller | None = None
        """Set by ``admit``, or by ``identify`` if there is a session."""
        self.signed_in: SignedIn | None = None
        self.secret = ""
        """The key or session token of the caller; kept for this request only."""
        self.standings: dict[str, Standing] = {}
        """Limit -> state of the caller after this request."""

    @property
    def admitted(self) -> Caller:
        """The caller, after admission."""
        if self.caller is None:
            raise RuntimeError("the caller was not admitted yet")
        return self.caller

    async def prepare(self) -> None:
        """Refuse a request without a usable key before a transaction begins.

        Raises:
            Unauthenticated: No key was sent that could be valid.
            RateLimited: The client sent too many wrong keys.
        """
        if self.access != "anyone":
            return
        secret, presented = self._key()
        if secret is None:
            if presented:
                _refuse_wrong_keys(await self._limits.take_now(self._wrong_keys()))
            raise Unauthenticated(presented=presented)
        self.secret = secret

    def admit(self, tx: Transaction) -> Caller:
        """Identify and count the caller.

        Args:
            tx: One whose statements are committed one by one (``Database.read(first=...)``).

        Raises:
            Unauthenticated: The key is not valid.
            SignInNeeded: The operation requires a session.
            RoleNeeded: The operation requires another role in the open account.
            RateLimited: The caller sent too many requests, or the client too many wrong keys.
            InsufficientScope: The key lacks the scope of the operation.
            OtherProject: The key is limited to a project, and the operation is for whole accounts.
            NotFound: The operation is for administrators.
        """
        return self._admit_key(tx) if self.access == "anyone" else self._admit_session(tx)

    def identify(self, tx: Transaction) -> Caller | None:
        """Return the signed-in caller without counting the request; ``None``: there is no valid session."""
        if self.caller is None:
            for token in self._sessions():
                self.signed_in = find_signed_in(tx, token, self._now_ms)
                if self.signed_in is not None:
                    self.secret, self.caller = token, self.signed_in.caller
                    break
        return self.caller

    def _admit_key(self, tx: Transaction) -> Caller:
        try:
            caller = authenticate(tx, self.secret, self._now_ms)
        except Unauthenticated:
            _refuse_wrong_keys(self._limits.take(tx, self._wrong_keys()))
            raise
        standing = self._count(tx, caller)
        self._key_uses.note(caller.api_key.id, self._now_ms)
        if not standing.allowed:
            raise RateLimited(
                f"This key may send {standing.limit} requests a minute; wait and try again.",
                retry_after_s=standing.reset_s,
            )
        if self.scope is not None:
            require_scope(caller, self.scope)
        if caller.project is not None and not self.for_projects:
            raise OtherProject(caller.project)
        return self.admitted

    def _admit_session(self, tx: Transaction) -> Caller:
        caller = self.identify(tx)
        if caller is None:
            raise SignInNeeded
        standing = self._count(tx, caller)
        if not standing.allowed:
            raise RateLimited(
                f"You may open {standing.limit} pages a minute; wait and try again.", retry_after_s=standing.reset_s
            )
        if self.access == "admin" and not caller.person.is_admin:
            raise NotFound
        if caller.role < self.role:
            raise RoleNeeded
        return self.admitted

    def _wrong_keys(self) -> Bucket:
        return Bucket((WRONG_KEYS, self._client()), self._options.wrong_keys_per_minute)

    def _count(self, tx: Transaction, caller: Caller) -> Standing:
        self.caller = caller if self.traceparent is None else replace(caller, traceparent=self.traceparent)
        standing = self._limits.take(tx, Bucket((self.counted_as, caller.identity), self._options.requests_per_minute))
        self.standings[self.counted_as] = standing
        return standing


def _refuse_wrong_keys(standing: Standing) -> None:
    """Refuse clients that try many keys; valid keys from the same address keep working."""
    if not standing.allowed:
        raise RateLimited(
            "Too many wrong keys came from your address; wait and try again.", retry_after_s=standing.reset_s
        )


ANALYSES: Final = "analyses"


class RateLimit:
    """Counts what one request uses up; the admission counts the request itself."""

    def __init__(self, limits: Buckets, options: ServiceOptions, admission: Admission) -> None:
        self._limits = limits
        self._options = options
        self._admission = admission

    async def take_analysis(self) -> None:
        """Count an analysis for the key, once for this request however often it is called.

        Raises:
            RateLimited: The key started too many in the last minute.
        """
        await self.count_analysis()
        self.check_analysis()

    async def count_analysis(self) -> None:
        """Count an analysis without refusing it; ``check_analysis`` refuses it later."""
        standings = self._admission.standings
        standing = standings.get(ANALYSES)
        if standing is None or not standing.allowed:
            identity = self._admission.admitted.identity
            bucket = Bucket((ANALYSES, identity), self._options.analyses_per_minute)
            standings[ANALYSES] = await self._limits.take_now(bucket)

    def check_analysis(self) -> None:
        """Go on only if the analysis was counted; also called inside of transactions.

        Raises:
            RateLimited: The key started too many in the last minute.
        """
        standing = self._admission.standings[ANALYSES]
        if not standing.allowed:
            raise RateLimited(
                f"This key may start {standing.limit} analyses a minute; wait and try again.",
                retry_after_s=standing.reset_s,
            )

    async def give_back(self, policy: str) -> None:
        """Take back a count that was not used; it stays while the database is unavailable."""
        standings = self._admission.standings
        standing = standings.get(policy)
        if standing is not None and standing.allowed:
            identity = self._admission.admitted.identity
            with contextlib.suppress(Unavailable):
                standings[policy] = await self._limits.give_back_now(Bucket((policy, identity), standing.limit))

    async def forget_analysis(self) -> None:
        """Take back the count of an analysis that was not started."""
        await self.give_back(ANALYSES)
        self._admission.standings.pop(ANALYSES, None)
