from __future__ import annotations

import pytest

from pagegrade.render.english import ENGLISH, N_
from pagegrade.render.i18n import texts_for


def test_messages_take_their_values() -> None:
    """A percent sign is written twice, with values and without, as in every other language."""
    assert ENGLISH.gettext("%(count)s pages", count=3) == "3 pages"
    assert ENGLISH.gettext("100%% sure") == texts_for("de").gettext("100%% sure") == "100% sure"
    assert N_("a word") == "a word"


@pytest.mark.parametrize(("number", "expected"), [(1, "1 page"), (0, "0 pages"), (1200, "1,200 pages")])
def test_one_and_many_have_their_own_texts(number: int, expected: str) -> None:
    """The number is written as people write it."""
    assert ENGLISH.ngettext("%(num)s page", "%(num)s pages", number) == expected


@pytest.mark.parametrize("value", [0, 1, 1234.5, 0.25, 1_000_000, 12.0])
@pytest.mark.parametrize("digits", [0, 1, 2])
def test_numbers_are_those_of_the_english_catalogue(value: float, digits: int) -> None:
    """A terminal and a page show the same figures."""
    assert ENGLISH.number(value, digits=digits) == texts_for("en").number(value, digits=digits)


@pytest.mark.parametrize("ratio", [0.0, 0.07, 0.98, 1.0])
def test_shares_are_those_of_the_english_catalogue(ratio: float) -> None:
    """The same for per cent."""
    assert ENGLISH.percent(ratio) == texts_for("en").percent(ratio)
