"""Quotas of an account as pages show them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from pagegrade.model.quotas import QuotaName, QuotaState
from pagegrade.render.english import N_
from pagegrade.render.i18n import Texts

LABELS: Final[Mapping[QuotaName, str]] = {
    "reports": N_("Reports"),
    "analyses_per_month": N_("Analyses this month"),
    "browser_minutes_per_month": N_("Minutes of the browser this month"),
    "monitors": N_("Monitors"),
    "audits": N_("Site audits"),
    "audit_pages_per_month": N_("Pages of site audits this month"),
    "stored_mb": N_("Stored results (MB)"),
}


class QuotaRow(msgspec.Struct, frozen=True, kw_only=True):
    """A quota in the language of a person."""

    name: QuotaName
    label: str
    used: str
    most: str
    """Empty: there is no limit."""
    is_reached: bool


def quota_rows(texts: Texts, quotas: Sequence[QuotaState]) -> list[QuotaRow]:
    """Return the rows of the table of quotas."""
    return [
        QuotaRow(
            name=quota.name,
            label=texts.gettext(LABELS[quota.name]),
            used=texts.number(quota.used),
            most="" if quota.most is None else texts.number(quota.most),
            is_reached=quota.is_reached,
        )
        for quota in quotas
    ]
