"""All operations, in the order of the description, and their description as a file.

A new operation is added to one of these lists.
"""

from __future__ import annotations

import json
from typing import Final

from pagegrade.web import agents, ops
from pagegrade.web.api import (
    access_profiles,
    account,
    audits,
    batches,
    checks,
    criteria,
    ignores,
    members,
    monitors,
    projects,
    reports,
    runs,
    webhooks,
)
from pagegrade.web.openapi import description
from pagegrade.web.openapi.build import build_openapi
from pagegrade.web.operations import Operation
from pagegrade.web.pages import admin, html, public, share
from pagegrade.web.pages.account import access_profiles as own_access
from pagegrade.web.pages.account import account_page as own_account
from pagegrade.web.pages.account import action_log, brand, join, keys, passkeys, sign_in, sign_up, single_sign_on, team
from pagegrade.web.pages.account import webhooks as own_webhooks
from pagegrade.web.pages.audits import audit_list, audit_page
from pagegrade.web.pages.audits import sharing as audit_sharing
from pagegrade.web.pages.reports import bulk, exports, finding_forms, report_list, report_page, settings
from pagegrade.web.pages.reports import monitors as own_monitors
from pagegrade.web.pages.reports import projects as own_projects

PROBES: Final[tuple[Operation, ...]] = ops.OPERATIONS
"""Operations of a process that serves probes only."""

ALL_OPERATIONS: Final[tuple[Operation, ...]] = (
    *reports.OPERATIONS,
    *runs.OPERATIONS,
    *criteria.OPERATIONS,
    *reports.PICTURES,
    *batches.OPERATIONS,
    *ignores.OPERATIONS,
    *monitors.OPERATIONS,
    *webhooks.OPERATIONS,
    *access_profiles.OPERATIONS,
    *members.OPERATIONS,
    *audits.OPERATIONS,
    *projects.OPERATIONS,
    *account.OPERATIONS,
    *checks.OPERATIONS,
    *description.OPERATIONS,
    *agents.OPERATIONS,
    *public.OPERATIONS,
    *html.OPERATIONS,
    *report_list.OPERATIONS,
    *exports.OPERATIONS,
    *bulk.OPERATIONS,
    *settings.OPERATIONS,
    *own_monitors.OPERATIONS,
    *finding_forms.OPERATIONS,
    *own_projects.OPERATIONS,
    *report_page.OPERATIONS,
    *share.OPERATIONS,
    *passkeys.OPERATIONS,
    *sign_in.OPERATIONS,
    *join.OPERATIONS,
    *sign_up.OPERATIONS,
    *single_sign_on.OPERATIONS,
    *own_account.OPERATIONS,
    *team.OPERATIONS,
    *brand.OPERATIONS,
    *action_log.OPERATIONS,
    *keys.OPERATIONS,
    *own_webhooks.OPERATIONS,
    *audit_list.OPERATIONS,
    *audit_page.OPERATIONS,
    *audit_sharing.OPERATIONS,
    *own_access.OPERATIONS,
    *admin.OPERATIONS,
    *PROBES,
)


def describe_api() -> str:
    """The OpenAPI document as JSON, line by line, so that its diff can be read; addresses are relative."""
    return json.dumps(build_openapi(ALL_OPERATIONS), ensure_ascii=False, indent=2) + "\n"
