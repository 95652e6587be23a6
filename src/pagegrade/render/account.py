"""Accounts for people: names and meanings of roles, quotas, and the look of an account in pages and documents.

A brand has a color, corrected until it can be read, and a logo. Grades, scores and what evaluated the page never take
it.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final

import msgspec

from pagegrade.model.account import Brand, QuotaName, QuotaState, Role
from pagegrade.parse.css.contrast import color_of, readable
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
PRODUCT_NAME: Final = "Pagegrade"
PRODUCT_COLOR: Final = "#214e44"
"""On paper."""
NO_BRAND: Final = Brand()
LIGHT_GROUND: Final = (233, 237, 235)
"""Darkest ground that text in the color stands on in light pages (``--none-wash`` of report.css)."""
DARK_GROUND: Final = (48, 56, 54)
"""Lightest such ground in dark pages (``--track``)."""


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


def shown_name(brand: Brand) -> str:
    """Return the name that stands where Pagegrade would."""
    return brand.name or PRODUCT_NAME


def color_on(brand: Brand, ground: tuple[int, int, int]) -> str:
    """Return the color as ``#rrggbb``, with a contrast of 4.5 to 1 on the ground at least; empty without one."""
    color = color_of(brand.color)
    if not isinstance(color, tuple):
        return ""
    return "#{:02x}{:02x}{:02x}".format(*readable(color, ground))


@lru_cache(maxsize=256)
def brand_css(color: str) -> str:
    """Rules that follow report.css for a color ``#rrggbb``; none for an empty one."""
    brand = Brand(color=color)
    light, dark = color_on(brand, LIGHT_GROUND), color_on(brand, DARK_GROUND)
    if not light:
        return ""
    return (
        f":root{{--brand:{light};--link:{light}}}"
        f"@media(prefers-color-scheme:dark){{:root{{--brand:{dark};--link:{dark}}}}}"
    )


def logo_url(brand: Brand) -> str:
    """Return the logo as a URL that holds it; empty without one."""
    return f"data:image/png;base64,{b64encode(brand.logo).decode('ascii')}" if brand.logo else ""
