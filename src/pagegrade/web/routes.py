"""Everything that can be asked, in the order of the description. A new operation is added to one of these lists."""

from __future__ import annotations

from typing import Final

from pagegrade.web import health, metrics
from pagegrade.web.api import account, checks, description, projects, reports, runs
from pagegrade.web.operations import Operation
from pagegrade.web.pages import account as own_account
from pagegrade.web.pages import (
    admin,
    admin_accounts,
    assets,
    badge,
    bulk,
    check_pages,
    creating,
    docs,
    exports,
    home,
    keys,
    list_export,
    listing,
    problems,
    report,
    selecting,
    settings,
    share,
    sign_in,
)
from pagegrade.web.pages import projects as own_projects

PROBES: Final[tuple[Operation, ...]] = (*health.OPERATIONS, *metrics.OPERATIONS)
"""What a process answers that has no other business with strangers."""

ALL_OPERATIONS: Final[tuple[Operation, ...]] = (
    *reports.OPERATIONS,
    *runs.OPERATIONS,
    *projects.OPERATIONS,
    *account.OPERATIONS,
    *checks.OPERATIONS,
    *description.OPERATIONS,
    *home.OPERATIONS,
    *docs.OPERATIONS,
    *problems.OPERATIONS,
    *assets.OPERATIONS,
    *listing.OPERATIONS,
    *list_export.OPERATIONS,
    *creating.OPERATIONS,
    *bulk.OPERATIONS,
    *selecting.OPERATIONS,
    *settings.OPERATIONS,
    *own_projects.OPERATIONS,
    *report.OPERATIONS,
    *share.OPERATIONS,
    *exports.OPERATIONS,
    *badge.OPERATIONS,
    *check_pages.OPERATIONS,
    *sign_in.OPERATIONS,
    *own_account.OPERATIONS,
    *keys.OPERATIONS,
    *admin.OPERATIONS,
    *admin_accounts.OPERATIONS,
    *PROBES,
)
