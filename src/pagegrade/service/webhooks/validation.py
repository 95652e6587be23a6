"""Validation of webhooks, for the API, pages and the command line; needs no database and no network."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec

from pagegrade.model.errors import InvalidURL, URLNotAllowed, ValidationFailed, Violation
from pagegrade.model.webhooks import EVENT_TYPES, KINDS, EventType, Kind
from pagegrade.parse.mail import domain_of
from pagegrade.parse.url import parse_target_url, project_of
from pagegrade.service.options import ServiceOptions
from pagegrade.service.reports.validation import check_allowed

DEFAULT_EVENTS: Final[tuple[EventType, ...]] = (
    "report.failed",
    "report.regressed",
    "report.recovered",
    "monitor.unreachable",
    "monitor.reminder",
    "audit.failed",
    "audit.regressed",
    "audit.recovered",
    "quota.low",
)
"""Of messages where none are chosen; a webhook gets all."""
MAILTO: Final = "mailto:"


class NewWebhook(msgspec.Struct, frozen=True, kw_only=True):
    """A webhook that can be stored."""

    kind: Kind
    url: str
    events: tuple[EventType, ...]
    project: str


class WebhookChange(msgspec.Struct, frozen=True, kw_only=True):
    """Changes to a webhook; ``None``: stays as it is."""

    url: str | None = None
    events: tuple[EventType, ...] | None = None
    project: str | None = None
    disabled: bool | None = None


def read_webhook(
    *,
    kind: str | None,
    url: str | None,
    events: Sequence[str] | None,
    project: str | None,
    options: ServiceOptions,
    violations: Sequence[Violation] = (),
) -> NewWebhook:
    """Read a new webhook.

    Args:
        kind: One of ``KINDS``; ``None``: ``webhook``.
        url: As typed; of e-mail an address, with or without ``mailto:``.
        events: Types; ``None`` or empty: the usual ones.
        project: Host; ``None`` or empty: any.
        options: Of the installation.
        violations: Found before; their fields are not looked at again.

    Raises:
        ValidationFailed: Fields cannot be used; all of them are named.
    """
    found = list(violations)
    kind_ = _read_kind(kind or "webhook", found)
    url_ = _read_url(kind_, url, options, found)
    events_ = _read_events(events, found) if events else EVENT_TYPES if kind_ == "webhook" else DEFAULT_EVENTS
    project_ = _read_project(project, found)
    if found:
        raise ValidationFailed(found)
    return NewWebhook(kind=kind_, url=url_, events=events_, project=project_)


def read_change(
    kind: Kind,
    *,
    url: str | None,
    events: Sequence[str] | None,
    project: str | None,
    disabled: int | None,
    options: ServiceOptions,
    violations: Sequence[Violation] = (),
) -> WebhookChange:
    """Read changes to a webhook of a kind; ``None``: stays as it is.

    Raises:
        ValidationFailed: Fields cannot be used; all of them are named.
    """
    found = list(violations)
    change = WebhookChange(
        url=None if url is None else _read_url(kind, url, options, found),
        events=_read_events(events, found) if events else None,
        project=None if project is None else _read_project(project, found),
        disabled=None if disabled is None else bool(disabled),
    )
    if found:
        raise ValidationFailed(found)
    return change


def _refuse(found: list[Violation], field: str, code: str, message: str, allowed: tuple[str, ...] = ()) -> None:
    if all(violation.field != field for violation in found):
        found.append(Violation(field=field, place="body", code=code, message=message, allowed=allowed))


def _read_kind(kind: str, found: list[Violation]) -> Kind:
    for known in KINDS:
        if known == kind:
            return known
    _refuse(found, "kind", "not_in", f"Must be one of {', '.join(KINDS)}.", KINDS)
    return "webhook"


def _read_url(kind: Kind, url: str | None, options: ServiceOptions, found: list[Violation]) -> str:
    if not url:
        _refuse(found, "url", "required", "Required.")
        return ""
    if kind == "email":
        return _read_recipient(url, options, found)
    try:
        target = parse_target_url(url).document_url
        check_allowed(target, options.analyze)
    except (InvalidURL, URLNotAllowed) as error:
        _refuse(found, "url", error.reason or error.code, error.message)
        return ""
    return target


def _read_recipient(url: str, options: ServiceOptions, found: list[Violation]) -> str:
    address = url.strip().removeprefix(MAILTO)
    if domain_of(address) is None:
        _refuse(found, "url", "not_an_address", "Must be an e-mail address like name@example.com.")
    elif options.mail is None:
        _refuse(
            found, "url", "mail_not_configured", "This installation sends no e-mail; its operator sets "
            "PAGEGRADE_SMTP_URL and PAGEGRADE_MAIL_DOMAINS."
        )  # fmt: skip
    elif not options.mail.allows(address):
        _refuse(
            found, "url", "recipient_not_allowed", "The operator allows no e-mail to this domain "
            "(PAGEGRADE_MAIL_DOMAINS)."
        )  # fmt: skip
    return MAILTO + address


def _read_events(events: Sequence[str], found: list[Violation]) -> tuple[EventType, ...]:
    unknown = [each for each in events if each not in EVENT_TYPES]
    if unknown:
        _refuse(found, "events", "not_in", f"Must be one or more of {', '.join(EVENT_TYPES)}.", EVENT_TYPES)
    return tuple(known for known in EVENT_TYPES if known in events)


def _read_project(project: str | None, found: list[Violation]) -> str:
    name = project_of(project) if project else ""
    if project and not name:
        _refuse(found, "project", "invalid", "Must be a host, like example.com.")
    return name
