"""Faults of pages are grouped by what causes them, held against sites whose causes are known."""

from __future__ import annotations

import random
from typing import Any

import pytest

from pagegrade.store.analysis.causes import find_causes
from pagegrade.store.analysis.derive import derive
from tests.site_builders import loaded, rows_of

pytestmark = pytest.mark.backend("sqlite")  # none is used here: the relations have an engine of their own


def grouped(found: list[dict[str, Any]], pages: list[dict[str, Any]]) -> dict[Any, set[int]]:
    """Cause -> its pages; ``None`` for the rest."""
    with loaded(rows_of(pages=pages, found=found)) as relations:
        derive(relations)
        find_causes(relations)
        groups: dict[Any, set[int]] = {}
        for cause, page_id in relations.rows("SELECT cause, page_id FROM cause_pages"):
            groups.setdefault(cause, set()).add(page_id)
    return groups


def mark(page_id: int, signature: int) -> dict[str, Any]:
    """A place that costs a point."""
    return {"page_id": page_id, "check_id": "title", "state": "missing", "lost": 1.0, "signature": signature}


@pytest.mark.parametrize("seed", range(10))
def test_causes_are_those_of_the_site(seed: int) -> None:
    """Ten sites of known templates: precision and recall of pairs (page, cause) are at least 0.95.

    A fault of a template has one to three signatures, which differ on a few of its pages; noise is on single pages.
    """
    chance = random.Random(seed)  # noqa: S311 - a site, no secret
    pages: list[dict[str, Any]] = []
    found: list[dict[str, Any]] = []
    truth: set[frozenset[int]] = set()
    for template in range(1, chance.randint(4, 8)):
        ids = range(template * 1_000, template * 1_000 + chance.randint(10, 60))
        pages += [{"page_id": at, "template": [template] * 16} for at in ids]
        signatures = [template * 10 + at for at in range(chance.randint(1, 3))]
        spared = set(chance.sample(list(ids), len(ids) // 30))
        found += [
            mark(at, signature) for at in ids for signature in signatures if signature % 10 == 0 or at not in spared
        ]
        truth.add(frozenset(ids))
        found += [mark(at, 1_000_000 + at) for at in ids if chance.random() < 0.1]
    groups = {frozenset(members) for cause, members in grouped(found, pages).items() if cause is not None}
    hit = sum(len(one) for one in groups & truth)

    assert hit >= 0.95 * sum(map(len, groups))
    assert hit >= 0.95 * sum(map(len, truth))


def test_nine_of_ten_pages_in_common_are_one_cause() -> None:
    """Just below it they are two."""
    pages = [{"page_id": 1, "repeat": 30}]
    base = [mark(at, 1) for at in range(1, 21)]
    same = grouped([*base, *(mark(at, 2) for at in range(1, 19))], pages)
    apart = grouped([*base, *(mark(at, 2) for at in range(1, 18))], pages)

    assert same == {1: set(range(1, 21))}
    assert apart == {1: set(range(1, 21)), 2: set(range(1, 18))}


def test_three_pages_are_a_cause_and_two_are_not() -> None:
    """Causes of fewer pages are listed together."""
    found = [mark(1, 1), mark(2, 1), mark(3, 1), mark(4, 2), mark(5, 2)]

    assert grouped(found, [{"page_id": 1, "repeat": 6}]) == {1: {1, 2, 3}, None: {4, 5}}


@pytest.mark.parametrize(("covered", "others", "template"), [(8, 2, True), (7, 0, False), (8, 3, False)])
def test_four_of_five_pages_make_a_fault_of_a_template(covered: int, others: int, *, template: bool) -> None:
    """Of the template, and of the pages that have it."""
    pages = [{"page_id": 1, "repeat": 10, "template": [1] * 16}, {"page_id": 50, "repeat": 10, "template": [2] * 16}]
    found = [mark(at, 1) for at in range(1, covered + 1)] + [mark(50 + at, 1) for at in range(others)]
    with loaded(rows_of(pages=pages, found=found)) as relations:
        derive(relations)
        find_causes(relations)
        ((home,),) = relations.rows("SELECT template_id FROM causes")

    assert (home is not None) == template
