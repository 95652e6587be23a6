"""Names of quotas."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pagegrade.model.account import QuotaName
from pagegrade.render.english import N_

LABELS: Final[Mapping[QuotaName, str]] = {
    "reports": N_("Reports"),
    "analyses_per_month": N_("Analyses this month"),
    "browser_minutes_per_month": N_("Minutes of the browser this month"),
    "monitors": N_("Monitors"),
    "audits": N_("Site audits"),
    "audit_pages_per_month": N_("Pages of site audits this month"),
    "stored_mb": N_("Stored results (MB)"),
}
