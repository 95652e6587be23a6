"""Single sign-on: the OpenID Connect provider of an installation, and what it says about a person."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

import msgspec

from pagegrade.model.account import Role

BACK: Final = "/single-sign-on/back"
"""Path that the provider sends a browser back to; operators register it there behind the public URL."""
MAX_SUBJECT: Final = 255
"""Characters of the name that a provider has for a person (OpenID Connect Core 1.0 section 2)."""
MAX_GROUP: Final = 200
MAX_GROUPS: Final = 1_000
"""Groups of a person that are looked at."""
_RULE: Final = re.compile(r"(.+?): *([0-9]{1,18}) +([a-z]+)")


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
