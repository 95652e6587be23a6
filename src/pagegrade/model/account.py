"""Accounts, their quotas, API keys and sessions, single sign-on, the callers, and requests that they may repeat."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import IntEnum
from hashlib import sha256
from typing import Final, Literal, get_args

import msgspec

QuotaName = Literal[
    "reports",
    "analyses_per_month",
    "browser_minutes_per_month",
    "monitors",
    "audits",
    "audit_pages_per_month",
    "stored_mb",
]
QUOTA_NAMES: Final[tuple[QuotaName, ...]] = get_args(QuotaName)
Quotas = Mapping[QuotaName, int]
"""Limits by name, from 0; ``UNLIMITED`` is none. One that is absent is left to the next of these: account, plan,
installation."""
UNLIMITED: Final = -1
MAX_QUOTA: Final = 1_000_000_000
DEFAULT_PLAN: Final = "default"
"""Plan of accounts that were not given one, if there is a plan of this name."""
MAX_PLAN_NAME: Final = 60
WARNED_AT: Final = (100, 80)
"""Per cent of a quota, the highest first; an account is told of each once in a month (UTC)."""
_PLAN: Final = re.compile(rf"([a-z0-9][a-z0-9_-]{{0,{MAX_PLAN_NAME - 1}}}):(.*)")
SINGLE_SIGN_ON_BACK: Final = "/single-sign-on/back"
"""Path that the provider sends a browser back to; operators register it there behind the public URL."""
MAX_SUBJECT: Final = 255
"""Characters of the name that a provider has for a person (OpenID Connect Core 1.0 section 2)."""
MAX_GROUP: Final = 200
MAX_GROUPS: Final = 1_000
"""Groups of a person that are looked at."""
_RULE: Final = re.compile(r"(.+?): *([0-9]{1,18}) +([a-z]+)")


class MonthUsage(msgspec.Struct, frozen=True):
    """Usage of an account in a month."""

    month: int
    """In UTC: 202611 is November 2026."""
    analyses: int = 0
    """That were asked for; the run in a browser that follows a static one by itself is part of the same analysis."""
    browser_ms: int = 0
    """Time of analyses in a browser."""
    audit_pages: int = 0
    """URLs that crawls of audits fetched."""


class QuotaState(msgspec.Struct, frozen=True, kw_only=True):
    """A quota of an account and what it has of it."""

    name: QuotaName
    used: int
    most: int | None
    """``None``: as much as it likes."""

    @property
    def is_reached(self) -> bool:
        """Return whether nothing more is allowed."""
        return self.most is not None and self.used >= self.most

    @property
    def warning(self) -> int:
        """The highest of ``WARNED_AT`` that was reached; 0: none, or nothing was ever allowed."""
        most = self.most or 0
        return next((share for share in WARNED_AT if most and self.used * 100 >= most * share), 0)


def read_quotas(given: Mapping[str, str]) -> Quotas:
    """Read limits as people write them: a number from 0 to ``MAX_QUOTA``, ``none`` for no limit, or nothing.

    Raises:
        ValueError: The name is none of ``QUOTA_NAMES``, or the value cannot be used; the message says which, in words.
    """
    found: dict[QuotaName, int] = {}
    known = {name: name for name in QUOTA_NAMES}
    for name, typed in given.items():
        value = typed.strip().lower()
        if name not in known:
            raise ValueError(f"{name} is no quota; there are {', '.join(QUOTA_NAMES)}")
        if value == "none":
            found[known[name]] = UNLIMITED
        elif value.isascii() and value.isdigit() and len(value) <= len(str(MAX_QUOTA)) and int(value) <= MAX_QUOTA:
            found[known[name]] = int(value)
        elif value:
            raise ValueError(f"{name} is a number from 0 to {MAX_QUOTA}, or none for no limit")
    return found


def read_plan(text: str) -> tuple[str, Quotas]:
    """Read a plan as a setting has it: ``agency: reports=500 monitors=none``.

    Raises:
        ValueError: It is written in another way; the message says what is wrong.
    """
    found = _PLAN.fullmatch(text.strip())
    pairs = [] if found is None else [part.partition("=") for part in found[2].split()]
    if found is None or not all(sign for _, sign, _ in pairs):
        raise ValueError("write a plan like `agency: reports=500 analyses_per_month=5000`, its name in small letters")
    return found[1], read_quotas({name: value for name, _, value in pairs})


def limit_of(quotas: Quotas, name: QuotaName) -> int | None:
    """Return a limit; ``None``: there is none."""
    most = quotas.get(name, UNLIMITED)
    return None if most == UNLIMITED else most


def month_of(moment_ms: int) -> int:
    """Return the month of a moment in UTC: 202611 for November 2026."""
    moment = datetime.fromtimestamp(moment_ms / 1000, UTC)
    return moment.year * 100 + moment.month


_Usual = Literal["reports:read", "reports:write", "account:read", "ignores", "monitors", "webhooks"]
DefaultPermission = Literal[_Usual, "audits:read", "audits:write"]
Permission = Literal[DefaultPermission, "access", "keys", "members"]
AUDITS_READ: Final = "audits:read"
AUDITS_WRITE: Final = "audits:write"
DEFAULT_SCOPES: Final = get_args(DefaultPermission)
"""Permissions of a key that is made without naming any; ``ignores`` changes rules, which ``reports:read`` shows."""
KEYS: Final = "keys"
"""Permission to show, make and revoke keys; a key has it only if it was asked for."""
ACCESS: Final = "access"
"""Permission to show and change access profiles, but not their secrets; likewise."""
MEMBERS: Final = "members"
"""Permission to show and change members and invitations, as an owner may; likewise, and only an owner gives it."""
SCOPES: Final = get_args(Permission)
"""Permissions that a key can have."""


PDF_SECTIONS: Final = ("further", "lists", "score", "history", "page")
"""Sections of a report's PDF that can be left out; the grade and the findings that matter most cannot."""


class Role(IntEnum):
    """Rights of a member in an account; each role may do all that those before it may."""

    VIEWER = 1
    """Read."""
    EDITOR = 2
    """Change reports, monitors, audits and ignore rules, as well."""
    ADMIN = 3
    """Change keys, webhooks and access profiles, as well."""
    OWNER = 4
    """Change members, and delete what was made for several people, as well."""


class Account(msgspec.Struct, frozen=True, kw_only=True):
    """One workspace of this installation: owns keys and reports, and is what a person signs in to."""

    id: int
    name: str
    email: str
    locale: str = "en"
    timezone: str = "UTC"
    default_privacy: int | None = None
    """``None``: as the installation is set."""
    created_at_ms: int
    """Milliseconds since 1970-01-01T00:00Z, as every ``_at_ms``."""
    disabled_at_ms: int | None = None
    """From then on none of its keys works, and its owner cannot sign in."""
    is_admin: bool = False
    """May see and change the accounts of the installation, on its pages."""
    has_password: bool = False
    """Its owner can sign in with e-mail address and password."""
    is_personal: bool = True
    """One person signs in to it, and is its owner; else it has nothing but members, who sign in to their own."""
    plan: str | None = None
    """Name of its plan, which the installation may no longer have; ``None``: the default one."""
    quotas: Quotas = msgspec.field(default_factory=dict)
    """Of its own, before those of the plan."""


class Brand(msgspec.Struct, frozen=True, kw_only=True):
    """Look of what an account, or the whole installation, shows to others: share pages, documents and messages."""

    name: str = ""
    """In place of Pagegrade; empty: Pagegrade."""
    color: str = ""
    """``#rrggbb`` as it was chosen, whatever can be read in it; empty: that of Pagegrade."""
    footer: str = ""
    """One line; empty: none."""
    reply_to: str = ""
    """E-mail address that answers to messages go to; empty: that of the sender."""
    credit: bool = True
    """Say with which program it was made."""
    logo: bytes = b""
    """PNG, only with what draws it; empty: none."""
    left_out: str = ""
    """Some of ``PDF_SECTIONS``, in their order, separated by blanks."""

    @property
    def logo_key(self) -> str:
        """Name of the logo in addresses, which tells nothing but whether two are the same; empty without one."""
        return sha256(self.logo).hexdigest()[:32] if self.logo else ""

    def over(self, other: Brand) -> Brand:
        """Return this with the values of another one where it has none; both have to allow leaving the credit out."""
        return Brand(
            name=self.name or other.name,
            color=self.color or other.color,
            footer=self.footer or other.footer,
            reply_to=self.reply_to or other.reply_to,
            credit=self.credit and other.credit,
            # A logo is read aloud as the name it was given with.
            logo=self.logo if self.name else other.logo,
            left_out=self.left_out or other.left_out,
        )


class Membership(msgspec.Struct, frozen=True, kw_only=True):
    """An account that a person works in, and as what."""

    account: Account
    role: Role


class Teammate(msgspec.Struct, frozen=True, kw_only=True):
    """A person who works in an account."""

    person: Account
    """The account that they sign in to."""
    role: Role
    joined_at_ms: int | None
    """``None``: it is their own account."""


class Invitation(msgspec.Struct, frozen=True, kw_only=True):
    """A link that makes a person a member of an account once, without its token."""

    id: int
    account_id: int
    role: Role
    label: str
    """Recipient, as the inviting person called them."""
    created_at_ms: int
    expires_at_ms: int


class Action(msgspec.Struct, frozen=True, kw_only=True):
    """A change of an account, or of what belongs to it, and who asked for it."""

    id: int
    at_ms: int
    is_key: bool
    """A program with a key, not a person."""
    actor: str
    """Name that the key or the person has now; empty if there is none any more."""
    operation: str
    """Name of the operation (``web.operations``)."""
    target: int | None
    """Id of what was changed; ``None`` where it has none. Never its name, which may have to be forgotten with it."""
    reason: str = ""
    """Reason that was given for a silence."""


class Key(msgspec.Struct, frozen=True, kw_only=True):
    """An API key, without its secret."""

    id: int
    account_id: int
    name: str
    prefix: str
    """First characters of the secret, to recognize it by."""
    scopes: tuple[str, ...]
    """Some of ``SCOPES``."""
    project: str | None = None
    """The only project whose reports the key can use; ``None``: all."""
    created_at_ms: int
    expires_at_ms: int | None = None
    revoked_at_ms: int | None = None
    last_used_at_ms: int | None = None
    """To the minute."""
    made_by: int | None = None
    """Id of the key that made it through the API, and is revoked together with it; ``None``: a person made it."""


class Session(msgspec.Struct, frozen=True, kw_only=True):
    """A browser session, without its token."""

    id: int
    account_id: int
    agent: str
    """The browser's User-Agent, shortened, for display."""
    created_at_ms: int
    rotated_at_ms: int
    """Time of the last replacement of its token."""
    seen_at_ms: int
    """Time of the last use, accurate to some minutes."""
    expires_at_ms: int
    """However much it is used."""
    by_link: bool = False
    """It began with a link that signs in once, and not with a password."""
    workspace_id: int | None = None
    """The account that is open in it, as long as its person is a member; ``None``: their own."""


class Passkey(msgspec.Struct, frozen=True, kw_only=True):
    """A key pair of a person, of which their device keeps the private half."""

    id: int
    account_id: int
    """Of the account that the person signs in to."""
    name: str
    """As the person called it."""
    credential: bytes = msgspec.field(default=b"")
    """Attested credential data, with credential id and public key (WebAuthn section 6.5.1)."""
    sign_count: int = 0
    """Signatures as the device counts them; 0: it does not count."""
    challenged_at_ms: int
    """Time of the last challenge that it has answered; no earlier one counts any more."""
    created_at_ms: int
    used_at_ms: int | None = None
    """Last time that it signed in; ``None``: never."""


class Caller(msgspec.Struct, frozen=True, kw_only=True):
    """An account that has shown a valid key, or in which a person works who has signed in."""

    account: Account
    key: Key | None = None
    """``None``: a person, with a session."""
    session: Session | None = None
    own: Account | None = None
    """Account that the person has signed in to, where another one is open; ``None``: it is the open one."""
    role: Role = Role.OWNER
    """Of the person in the open account."""
    memberships: tuple[Membership, ...] = ()
    """Other accounts that the person works in, and that can be opened."""
    traceparent: str | None = None
    """W3C trace context of the request, for what it sets in motion; ``None``: it is not traced."""

    @property
    def person(self) -> Account:
        """The account that the person has signed in to: their name, address, language, time zone and rights."""
        return self.account if self.own is None else self.own

    @property
    def identity(self) -> str:
        """Identity for rate limits: each key for itself, a signed-in person as their account."""
        return f"account {self.person.id}" if self.key is None else str(self.key.id)

    @property
    def project(self) -> str | None:
        """The only project that the caller can use; ``None``: all."""
        return None if self.key is None else self.key.project

    def may_use(self, project: str) -> bool:
        """Return whether the caller can use reports of a project of the account."""
        return self.project in {None, project}

    @property
    def api_key(self) -> Key:
        """The key of a caller that must have one."""
        if self.key is None:
            raise RuntimeError("the caller has no key")
        return self.key


class Usage(msgspec.Struct, frozen=True, kw_only=True):
    """Reports and runs of an account, now and ever."""

    reports: int
    projects: int
    """Different hosts among the reports."""
    queued_runs: int
    """Runs that are not finished, those under way included."""
    analyses_today: int
    """Runs finished since midnight UTC."""
    analyses_total: int
    stored_bytes: int
    """Runs ever finished, also those of reports since deleted."""


class Member(msgspec.Struct, frozen=True, kw_only=True):
    """An account as an administrator sees it."""

    account: Account
    reports: int
    analyses_total: int
    stored_bytes: int
    keys: int
    """That were not revoked."""
    seen_at_ms: int | None
    """When its owner was last here, or one of its keys was used; ``None``: as far as is known, never."""


class GroupRule(msgspec.Struct, frozen=True):
    """A group of the provider, whose people are members of an account."""

    group: str
    """1 to 200 characters."""
    account_id: int
    """From 1."""
    role: Role


class Identity(msgspec.Struct, frozen=True, kw_only=True):
    """A person as the provider has just signed them in."""

    issuer: str
    subject: str
    """Name that the provider has for them, forever and for nobody else; 1 to 255 characters."""
    email: str = ""
    """Empty: it names none."""
    is_email_verified: bool = False
    """True only if the provider says so."""
    name: str = ""
    groups: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider:
    """The OpenID Connect provider that people of an installation sign in at."""

    issuer: str
    """URL, as the provider itself writes it."""
    client_id: str
    client_secret: str | None = field(default=None, repr=False)
    """``None``: the provider knows this installation as a public client."""
    name: str = ""
    """As people call it; empty: it has no name."""
    scopes: str = "openid profile email"
    """Separated by blanks."""
    groups_claim: str = "groups"
    """Claim with the groups of a person."""
    groups: tuple[GroupRule, ...] = ()
    sign_up: bool = False
    """True if a person without an account gets one as they sign in."""


def read_group_rule(text: str) -> GroupRule:
    """Read a rule as operators write it: ``designers: 12 editor``.

    Raises:
        ValueError: It is none; the message says how to write one.
    """
    found = _RULE.fullmatch(text.strip()) if len(text) <= 2 * MAX_GROUP else None
    roles = {role.name.lower(): role for role in Role}
    if found is None or found[3] not in roles or not int(found[2]) or len(found[1]) > MAX_GROUP:
        raise ValueError(
            f"give a group, the id of a workspace and a role ({', '.join(roles)}), such as designers: 12 editor"
        )
    return GroupRule(found[1], int(found[2]), roles[found[3]])


class IdempotentRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A request with an Idempotency-Key."""

    key_id: int
    """API key of the caller."""
    method: str
    path: str
    """At most 200 characters."""
    idempotency_key: str
    """As sent, at most 255 characters; only its digest is stored, because clients put anything there."""
    request_sha256: bytes
    """32 bytes that stand for everything in the request that decides what it does."""
