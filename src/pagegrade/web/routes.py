"""Everything that can be asked, in the order of the description. A new operation is added to one of these lists."""

from __future__ import annotations

from typing import Final

from pagegrade.web import health, metrics, share
from pagegrade.web.api import account, checks, description, projects, reports, runs
from pagegrade.web.operations import Operation
from pagegrade.web.pages import assets, docs, home, problems

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
    *share.OPERATIONS,
    *health.OPERATIONS,
    *metrics.OPERATIONS,
)
