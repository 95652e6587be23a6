"""Ignore rules as requests send them, whether a program or a person makes them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final

from pagegrade.model.errors import ValidationFailed, Violation
from pagegrade.model.ignores import IgnoreRule
from pagegrade.parse.url import project_of
from pagegrade.service.ignores.validation import find_violations
from pagegrade.web.parameters import CreateIgnoreBody

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def read_rule(fields: CreateIgnoreBody, violations: list[Violation], now_ms: int) -> IgnoreRule:
    """Read a rule from a body.

    Raises:
        ValidationFailed: Fields cannot be used.
    """
    project = project_of(fields.project) if fields.project else ""

    def refuse(field: str, code: str, message: str) -> None:
        violations.append(Violation(field=field, place="body", code=code, message=message))

    if fields.project and not project:
        refuse("project", "invalid", "Must be a host, like example.com.")
    if fields.project and fields.report_id is not None:
        refuse("project", "not_with_report_id", "Send report_id or project, not both.")
    if fields.expires_at is not None and fields.expires_at <= now_ms:
        refuse("expires_at", "past", "Must be in the future.")
    rule = IgnoreRule(
        check=fields.check or "",
        reason=fields.reason or "",
        selector=fields.selector or "",
        project=project,
        url_pattern=fields.url_pattern or "",
        expires_at=None if fields.expires_at is None else _EPOCH + timedelta(milliseconds=fields.expires_at),
        state=fields.state or None,
        places=fields.places,
    )
    known = {violation.field for violation in violations}
    violations += [violation for violation in find_violations(rule) if violation.field not in known]
    if violations:
        raise ValidationFailed(violations)
    return rule
