from __future__ import annotations

from pagegrade.model.account import QUOTA_NAMES, QuotaState
from pagegrade.render.i18n import texts_for
from pagegrade.web.pages.quota_rows import quota_rows


def test_each_quota_has_its_words_and_numbers() -> None:
    """As the language writes them; a quota without a limit is never used up."""
    states = [QuotaState(name=name, used=1_200, most=1_200) for name in QUOTA_NAMES]
    german = quota_rows(texts_for("de"), states)
    (free,) = quota_rows(texts_for("en"), [QuotaState(name="reports", used=7, most=None)])

    assert len({row.label for row in german}) == len(QUOTA_NAMES)
    assert all((row.used, row.most, row.is_reached) == ("1.200", "1.200", True) for row in german)
    assert (free.label, free.used, free.most, free.is_reached) == ("Reports", "7", "", False)
