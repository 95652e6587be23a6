"""Quotas of accounts: what each may have, and use in a month. A setting, a plan or an administrator sets them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
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
