"""The account of the caller, and its projects."""

from __future__ import annotations

from typing import Literal

from pagegrade.model.account import SCOPES
from pagegrade.web.schemas.shape import Count, Document, Points, Timestamp, about


class Features(Document):
    """What the plan includes: 1 yes, 0 no, -1 without limit."""

    api: int = about("Use of this interface.", 1)
    reports: int = about("Reports at a time; -1: without limit.", -1)


class Plan(Document):
    """What the account is entitled to; an installation of your own has one plan for all."""

    id: int = about("Number of the plan.", 1)
    name: str = about("Name of the plan.", "self-hosted")
    features: Features = about("What it includes.")


class Limits(Document):
    """What the account may use at a time; null: without limit."""

    requests_per_minute: Count | None = about("For each key.", 120)
    analyses_per_minute: Count | None = about("New reports and re-runs, for each key.", 30)
    queued_runs: Count | None = about("Unfinished runs at a time.", 1000)
    batch: Count = about("URLs of one batch.", 500)
    reports: Count | None = about("Reports at a time.", None)
    retention_days: Count | None = about("Days after its last analysis that a report expires.", None)


class Usage(Document):
    """What the account uses now."""

    reports: Count = about("Reports there are.", 118)
    projects: Count = about("Hosts they are about.", 9)
    queued_runs: Count = about("Unfinished runs.", 0)
    analyses_today: Count = about("Analyses since midnight UTC.", 41)
    analyses_total: Count = about("Analyses so far.", 902)
    stored_bytes: Count = about("What the results of all runs take in the database, compressed.", 2_140_113)


class Defaults(Document):
    """What a call that leaves something out gets."""

    privacy: Literal[0, 1, 2] = about("Of new reports.", 0)
    per_page: Literal[10, 25, 50, 100] = about("Items of a list.", 10)


class AccountThresholds(Document):
    """From which score on a page is called good and decent."""

    good: Points = about("Good from here.", 80)
    decent: Points = about("Decent from here, bad below.", 50)


class APIKey(Document):
    """The key that was used for this call, without its secret."""

    id: int = about("Number of the key.", 3, ge=1)
    name: str = about("How its owner calls it.", "ci")
    prefix: str = about("First characters, to recognize it by.", "pgk_8Hs2aB9d")
    scopes: list[Literal["reports:read", "reports:write", "account:read", "ignores", "monitors", "webhooks"]] = about(
        "Permissions of the key.", list(SCOPES)
    )
    project: str | None = about("The only project that it can use; null: all.", None, "example.com")
    expires_at: Timestamp | None = about("Null: never.", None, "2027-01-01T00:00:00.000Z")
    last_used_at: Timestamp | None = about("To the minute; null: never before.", "2026-01-05T12:34:00.000Z")


class Account(Document):
    """The account the key belongs to."""

    id: int = about("Number of the account.", 1, ge=1)
    object: Literal["account"] = about("The kind of object.", "account")
    name: str = about("Its name.", "Example")
    email: str = about("Where its owner is reached.", "owner@example.org")
    locale: str = about("Language of its owner.", "en")
    timezone: str = about("Time zone of its owner; timestamps are UTC all the same.", "UTC")
    plan: Plan = about("What it is entitled to.")
    limits: Limits = about("What it may use at a time.")
    usage: Usage = about("What it uses now.")
    defaults: Defaults = about("What a call that leaves something out gets.")
    thresholds: AccountThresholds = about("From which score on a page is called good and decent.")
    api_key: APIKey = about("The key of this call.")
    created_at: Timestamp = about("When it was made.", "2026-01-01T00:00:00.000Z")


class Project(Document):
    """A host with its reports."""

    object: Literal["project"] = about("The kind of object.", "project")
    project: str = about("The host, without `www.`.", "example.com")
    reports: Count = about("Reports on it.", 14)
