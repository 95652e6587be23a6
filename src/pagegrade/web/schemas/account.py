"""The account of the caller, and its projects."""

from __future__ import annotations

from typing import Literal

from pagegrade.model.account import DEFAULT_SCOPES
from pagegrade.web.schemas.shape import Count, Document, Points, Timestamp, about


class Features(Document):
    """Features of the plan: 1 yes, 0 no, -1 without limit."""

    api: int = about("Use of the API.", 1)
    reports: int = about("Maximum number of reports; -1: without limit.", -1)


class Plan(Document):
    """Plan of the account; a self-hosted installation has one plan for all accounts."""

    id: int = about("Number of the plan.", 1)
    name: str = about("Name of the plan.", "self-hosted")
    features: Features = about("Features of the plan.")


class Limits(Document):
    """Limits of the account; null: without limit."""

    requests_per_minute: Count | None = about("Requests per minute and key.", 120)
    analyses_per_minute: Count | None = about("New reports and re-runs per minute and key.", 30)
    queued_runs: Count | None = about("Unfinished runs at the same time.", 1000)
    batch: Count = about("URLs of one batch.", 500)
    reports: Count | None = about("Stored reports.", None)
    retention_days: Count | None = about("Days between the last analysis of a report and its expiry.", None)


class Usage(Document):
    """Current usage of the account."""

    reports: Count = about("Stored reports.", 118)
    projects: Count = about("Hosts of these reports.", 9)
    queued_runs: Count = about("Unfinished runs.", 0)
    analyses_today: Count = about("Analyses since midnight UTC.", 41)
    analyses_total: Count = about("Analyses so far.", 902)
    stored_bytes: Count = about("Compressed size of the results of all runs in the database.", 2_140_113)


class Defaults(Document):
    """Defaults for parameters that a request leaves out."""

    privacy: Literal[0, 1, 2] = about("Privacy of new reports.", 0)
    per_page: Literal[10, 25, 50, 100] = about("Items of a list.", 10)


class AccountThresholds(Document):
    """Lowest scores for the results good and decent."""

    good: Points = about("Good at or above this score.", 80)
    decent: Points = about("Decent at or above this score, bad below.", 50)


class APIKey(Document):
    """A key, without its secret."""

    id: int = about("Number of the key.", 3, ge=1)
    name: str = about("Name chosen by its owner.", "ci")
    prefix: str = about("First characters, to recognize it by.", "pgk_8Hs2aB9d")
    scopes: list[
        Literal["reports:read", "reports:write", "account:read", "ignores", "monitors", "webhooks", "keys"]
    ] = about("Permissions of the key.", list(DEFAULT_SCOPES))
    project: str | None = about("The only project that the key can use; null: all projects.", None, "example.com")
    expires_at: Timestamp | None = about("Null: never.", None, "2027-01-01T00:00:00.000Z")
    last_used_at: Timestamp | None = about("To the minute; null: never before.", "2026-01-05T12:34:00.000Z")


class ListedKey(APIKey):
    """A key of the account, without its secret."""

    object: Literal["key"] = about("The kind of object.", "key")
    made_by: int | None = about(
        "The key that made it through the API, and is revoked together with it; null: a person made it.", None, 3
    )
    created_at: Timestamp = about("Time of its creation.", "2026-01-05T12:34:56.789Z")


class MadeKey(ListedKey):
    """A new key."""

    secret: str | None = about(
        "The key itself, shown this one time. Null in an answer that repeats an earlier one: only a hash is stored.",
        "pgk_8Hs2aB9dW0kQm3xYvN7rTzL5cEjP1uGfDhSiKoMbAnVtR4q6wXy2Z",
    )


class Account(Document):
    """The account that the key belongs to."""

    id: int = about("Number of the account.", 1, ge=1)
    object: Literal["account"] = about("The kind of object.", "account")
    name: str = about("Name of the account.", "Example")
    email: str = about("E-mail address of its owner.", "owner@example.org")
    locale: str = about("Language of its owner.", "en")
    timezone: str = about("Time zone of its owner; timestamps in the API are always UTC.", "UTC")
    plan: Plan = about("Plan of the account.")
    limits: Limits = about("Limits of the account.")
    usage: Usage = about("Current usage of the account.")
    defaults: Defaults = about("Defaults for parameters that a request leaves out.")
    thresholds: AccountThresholds = about("Lowest scores for the results good and decent.")
    api_key: APIKey = about("The key of this request.")
    created_at: Timestamp = about("Time of creation.", "2026-01-01T00:00:00.000Z")


class Project(Document):
    """A host with its reports."""

    object: Literal["project"] = about("The kind of object.", "project")
    project: str = about("The host, without `www.`.", "example.com")
    reports: Count = about("Reports on it.", 14)
