from __future__ import annotations

from pagegrade.checks import all_checks
from pagegrade.model.outcome import Severity
from pagegrade.model.report import CATEGORIES
from pagegrade.service.catalogue import check_documentation, check_entries, check_penalties


def test_every_check_has_a_price() -> None:
    """The cost of its worst state; informative ones cost nothing."""
    cost = check_penalties()

    assert set(cost) == set(all_checks())
    assert {name for name, price in cost.items() if not price} == {
        name for name, check in all_checks().items() if check.severity is Severity.INFO
    }


def test_the_entries_stand_in_the_order_of_the_catalogue() -> None:
    """Every list shows them alike."""
    entries = check_entries()

    assert [entry.id for entry in entries] == list(all_checks())
    assert {entry.category for entry in entries} == set(CATEGORIES)


def test_every_check_is_explained_in_the_same_five_parts() -> None:
    """A client can rely on their names."""
    documented = [check_documentation(check) for check in all_checks().values()]

    assert all(one.what_it_checks and one.fails_on and one.passes_on for one in documented)


def test_a_cap_is_reported_with_its_score() -> None:
    """Most checks have none."""
    caps = {entry.id: entry.cap for entry in check_entries()}

    assert caps["https"] == 69
    assert None in caps.values()
