"""Quotas of an account as pages show them."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from pagegrade.model.account import QuotaName, QuotaState
from pagegrade.render.account_names import QUOTA_LABELS
from pagegrade.render.i18n import Texts


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
            label=texts.gettext(QUOTA_LABELS[quota.name]),
            used=texts.number(quota.used),
            most="" if quota.most is None else texts.number(quota.most),
            is_reached=quota.is_reached,
        )
        for quota in quotas
    ]
