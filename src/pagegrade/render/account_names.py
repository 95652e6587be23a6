"""Names and meanings of the roles of members, and quotas as pages show them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from pagegrade.model.account import QuotaName, QuotaState, Role
from pagegrade.render.english import N_
from pagegrade.render.i18n import Texts

ROLE_NAMES: Final = {
    Role.OWNER: N_("Owner"),
    Role.ADMIN: N_("Admin"),
    Role.EDITOR: N_("Editor"),
    Role.VIEWER: N_("Viewer"),
}
"""Role -> its name, the mightiest first."""
ROLE_MEANINGS: Final = {
    Role.OWNER: N_("All that an admin may do, and invite, change and remove members."),
    Role.ADMIN: N_("All that an editor may do, and change API keys, notifications and access profiles."),
    Role.EDITOR: N_("All that a viewer may do, and change reports, monitors, audits and ignore rules."),
    Role.VIEWER: N_("See everything but API keys, notifications and access profiles, and change nothing."),
}


def role_names(texts: Texts) -> Mapping[Role, str]:
    """Return the name of each role."""
    return {role: texts.gettext(name) for role, name in ROLE_NAMES.items()}


def role_choices(texts: Texts) -> list[tuple[int, str, str]]:
    """Return (value, name, meaning) of each role."""
    return [(int(role), texts.gettext(name), texts.gettext(ROLE_MEANINGS[role])) for role, name in ROLE_NAMES.items()]


def role_of(text: str) -> Role | None:
    """Return the role that a form names; ``None``: it is none."""
    return next((role for role in Role if str(int(role)) == text), None)


QUOTA_LABELS: Final[Mapping[QuotaName, str]] = {
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
            label=texts.gettext(QUOTA_LABELS[quota.name]),
            used=texts.number(quota.used),
            most="" if quota.most is None else texts.number(quota.most),
            is_reached=quota.is_reached,
        )
        for quota in quotas
    ]
