from __future__ import annotations

from datetime import UTC, datetime

import pytest

from pagegrade.checks.content.copyright_year import TAIL_CHARS, copyright_year
from pagegrade.model.outcome import NotApplicable, Outcome
from tests.builders import evaluated, outcome, run

NOVEMBER = datetime(2026, 11, 22, tzinfo=UTC)


def state(footer: str, when: datetime = NOVEMBER) -> str:
    """State of a page with that footer."""
    found = run(copyright_year, _page(footer), gathered_at=when)
    if isinstance(found, NotApplicable):
        return "none"
    assert isinstance(found, Outcome)
    return found.state


def _page(footer: str) -> str:
    return f"<main><p>Oak.</main><footer>{footer}</footer>"


@pytest.mark.parametrize(
    ("footer", "expected"),
    [
        ("© 2026 Oak", "current"),
        ("&copy; 2019 Oak", "stale"),
        ("Copyright © 2019–2026 Oak", "current"),
        ("© 2019-26 Oak", "current"),
        ("© 2019/2021 Oak", "stale"),
        ("(c) 2020 Oak", "stale"),
        ("2020 © Oak", "stale"),
        ("Copyright 2024 by Oak", "stale"),
        ("© 2019, 2023, 2026 Oak", "current"),
        ("© 2027 Oak", "current"),
        ("© Oak", "none"),
        ("(c) see section 2020 of the terms", "none"),
        ("All rights reserved 2019", "none"),
        ("© Oak, phone 030/20199", "none"),
        ("© Oak, order 120199", "none"),
        ("© Oak. Founded in 1999", "none"),
        ("© Oak | Since 1999", "none"),
        ("© Oak Inc. 2019", "stale"),
        ("Founded 1999. © 2026 Oak", "current"),
        ("Built 1999 in Ulm. © Oak", "none"),
        ("2009–2026 © Oak", "current"),
        ("© 庭 2019", "stale"),
        ("© Дом, 2026 г.", "current"),
        ("© ٢٠٢٦ الحديقة", "current"),
        ("حقوق الطبع © ٢٠١٩-٢٠٢١ الحديقة", "stale"),
        ("© २०१९ बाग", "stale"),
        ("২০২০ © বাগান", "stale"),
        ("© ２０１９ 庭", "stale"),
        ("© ۱۴۰۴ باغ", "none"),
        ("© ๒๕๖๙ สวน", "none"),
        ("© 2019 Photo by A. Then © 2026 Oak", "current"),
        ("© Oak Ltd, since 1987", "none"),
        ("© Oak Ltd, registered 2009 in Ulm", "none"),
        ("© Oak, updated 12 March 2021", "none"),
        ("© Oak, March 12, 2021", "none"),
        ("© Oak, 2021-03-12", "none"),
        ("© Oak, phone 2015 1234", "none"),
        ("© oak 2019", "stale"),
        ("© 2019 and 2026 Oak", "current"),
        ("© 2019-present Oak", "none"),
        ("© 2019 - present Oak", "none"),
        ("© 2019 - Present Oak", "none"),
        ("© 2019 - Oak Ltd", "stale"),
        ("© 2019–heute Oak", "none"),
        ("© 2019 - all rights reserved", "stale"),
        ("© 2019 Oak, since 1987", "stale"),
    ],
)
def test_latest_year_of_the_notice_counts(footer: str, expected: str) -> None:
    """Of ranges, lists and several notices."""
    assert state(footer) == expected


@pytest.mark.parametrize(
    ("when", "expected"),
    [
        (datetime(2026, 1, 31, 23, tzinfo=UTC), "current"),
        (datetime(2026, 2, 1, tzinfo=UTC), "stale"),
        (datetime(2027, 1, 1, tzinfo=UTC), "stale"),
    ],
)
def test_january_is_allowed_for_the_change(when: datetime, expected: str) -> None:
    """Last year's notice is tolerated for a month, an older one is not."""
    assert state("© 2025 Oak", when) == expected


def test_the_notice_is_shown_in_its_own_digits() -> None:
    """The year is compared as a number, and quoted as it stands on the page."""
    found = outcome(copyright_year, "<footer>© ٢٠١٩ الحديقة</footer>")

    assert [(one.snippet, one.value) for one in found.evidence] == [("© ٢٠١٩ الحديقة", "copyright 2019")]


def test_a_notice_far_from_the_end_is_that_of_a_picture() -> None:
    """A footer stands at the end of the page."""
    near = f"<p>© 2019 Photographer</p><p>{'x' * (TAIL_CHARS - 50)}</p>"
    far = f"<p>© 2019 Photographer</p><p>{'x' * TAIL_CHARS}</p>"

    assert outcome(copyright_year, near, gathered_at=NOVEMBER).state == "stale"
    assert isinstance(run(copyright_year, far, gathered_at=NOVEMBER), NotApplicable)


def test_it_costs_nothing() -> None:
    """A year of first publication may be meant."""
    found = evaluated(copyright_year, _page("© 2019 Oak"), gathered_at=NOVEMBER)

    assert found.outcome == "informative"
