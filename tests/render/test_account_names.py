from __future__ import annotations

import pytest

from pagegrade.model.account import Role
from pagegrade.render.account_names import ROLE_MEANINGS, role_choices, role_names, role_of
from pagegrade.render.i18n import texts_for


def test_each_role_has_a_name_and_a_meaning() -> None:
    """The mightiest is offered first."""
    choices = role_choices(texts_for("en"))

    assert set(ROLE_MEANINGS) == set(role_names(texts_for("en"))) == set(Role)
    assert [each[:2] for each in choices] == [(4, "Owner"), (3, "Admin"), (2, "Editor"), (1, "Viewer")]
    assert role_names(texts_for("de"))[Role.VIEWER] == "Betrachter"


@pytest.mark.parametrize("text", ["", "0", "5", "01", " 1", "owner", "\N{ARABIC-INDIC DIGIT ONE}"])
def test_nothing_else_is_a_role(text: str) -> None:
    """Only what the form sends."""
    assert role_of(text) is None
    assert role_of("1") is Role.VIEWER
