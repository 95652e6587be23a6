from __future__ import annotations

import pytest

from pagegrade.model.account import QUOTA_NAMES, QuotaState, Role
from pagegrade.render.account_names import ROLE_MEANINGS, quota_rows, role_choices, role_names, role_of
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


def test_each_quota_has_its_words_and_numbers() -> None:
    """As the language writes them; a quota without a limit is never used up."""
    states = [QuotaState(name=name, used=1_200, most=1_200) for name in QUOTA_NAMES]
    german = quota_rows(texts_for("de"), states)
    (free,) = quota_rows(texts_for("en"), [QuotaState(name="reports", used=7, most=None)])

    assert len({row.label for row in german}) == len(QUOTA_NAMES)
    assert all((row.used, row.most, row.is_reached) == ("1.200", "1.200", True) for row in german)
    assert (free.label, free.used, free.most, free.is_reached) == ("Reports", "7", "", False)
