"""Tables that follow from the relations of a crawl, held against plain Python."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest

from pagegrade.model.audit import PANE
from pagegrade.store.analysis.derive import (
    MAX_HOPS,
    NEAR_BITS,
    RANK_SCALE,
    ROUNDS,
    SCALE,
    cluster_shapes,
    derive,
    groups_of,
)
from tests.site_builders import loaded, rows_of

pytestmark = pytest.mark.backend("sqlite")  # none is used here: the relations have an engine of their own


def test_pagerank_is_that_of_the_definition() -> None:
    """A thousand pages: the same ranks as a loop over lists, to a millionth."""
    chance = random.Random(5)  # noqa: S311 - a graph, no secret
    count = 1_000
    targets = [chance.sample(range(1, count + 1), chance.randint(0, 12)) for _ in range(count)]
    links = [{"from_id": at, "to_id": to} for at, some in enumerate(targets, 1) for to in some]
    with loaded(rows_of(pages=[{"page_id": 1, "repeat": count}], links=links)) as relations:
        derive(relations, "weights")
        found = {page: rank / RANK_SCALE for page, rank in relations.rows("SELECT page_id, pagerank FROM ranks")}
        total = relations.row("SELECT sum(weight) FROM weights")[0]
    ranks = [1 / count] * count
    graph = [[to for to in some if to != at] for at, some in enumerate(targets, 1)]
    for _ in range(ROUNDS):
        dangling = sum(rank for rank, some in zip(ranks, graph, strict=True) if not some) / count
        after = [0.15 / count + 0.85 * dangling] * count
        for rank, some in zip(ranks, graph, strict=True):
            for to in some:
                after[to - 1] += 0.85 * rank / len(some)
        ranks = after

    assert max(abs(found[at] - rank) for at, rank in enumerate(ranks, 1)) < 1e-6
    assert SCALE - 2 * count <= total <= SCALE


def test_pagerank_of_a_site_of_any_size_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    """The share of one of a million pages is a number that DuckDB takes for a short one; its multiples are not."""
    monkeypatch.setattr("pagegrade.store.analysis.derive.RANK_SCALE", 10**9)
    rows = rows_of(pages=[{"page_id": 1, "repeat": 2}], links=[{"from_id": 1, "to_id": 2}, {"from_id": 2, "to_id": 1}])
    with loaded(rows) as relations:
        derive(relations, "ranks")
        ranks = relations.rows("SELECT page_id, pagerank FROM ranks ORDER BY page_id")

    assert ranks == [(1, 5 * 10**8), (2, 5 * 10**8)]


def near_pairs(hashes: list[int]) -> set[tuple[int, int]]:
    """All pairs that differ in few bits, by comparing each with each."""
    return {
        (one, other)
        for at, one in enumerate(hashes)
        for other in hashes[at + 1 :]
        if (one ^ other).bit_count() <= NEAR_BITS
    }


def test_near_duplicates_are_those_of_comparing_each_with_each() -> None:
    """Every pair that differs in three bits or fewer is in one group, and no other pages are."""
    chance = random.Random(6)  # noqa: S311 - hashes, no secret
    hashes = sorted(chance.getrandbits(64) for _ in range(300))
    for base in hashes[:100]:
        changed = base
        for bit in chance.sample(range(64), chance.randint(1, 5)):
            changed ^= 1 << bit
        hashes.append(changed)
    pages = [{"page_id": at, "simhash": number} for at, number in enumerate(hashes, 1)]
    with loaded(rows_of(pages=pages)) as relations:
        derive(relations, "copies")
        rows = relations.rows("SELECT page_id, original_id FROM copies")
    found: dict[int, set[int]] = {}
    for page, original in rows:
        found.setdefault(original, set()).add(hashes[page - 1])
    wanted: dict[int, set[int]] = {}
    for one, root in groups_of(near_pairs(sorted(hashes))).items():
        wanted.setdefault(root, set()).add(one)

    assert sorted(map(sorted, (group for group in found.values() if len(group) > 1))) == sorted(
        map(sorted, wanted.values())
    )


def test_equal_hashes_in_number_cost_no_square() -> None:
    """Twenty thousand pages that share three of four bands are compared with their neighbors only."""
    pages = [{"page_id": at, "simhash": at, "url": f"http://example.com/{at:05}"} for at in range(1, 20_001)]
    with loaded(rows_of(pages=pages)) as relations:
        derive(relations, "copies")
        (groups,) = relations.row("SELECT count(DISTINCT original_id) FROM copies")

    assert groups <= 10_000


def test_the_shortest_url_stands_for_its_copies() -> None:
    """Of equally long ones the first; numbers of pages do not matter."""
    same = {"digest": 5, "simhash": 5}
    pages = [
        {"page_id": 1, "url": "http://example.com/bb", **same},
        {"page_id": 2, "url": "http://example.com/ab", **same},
        {"page_id": 3, "url": "http://example.com/long", **same},
    ]
    with loaded(rows_of(pages=pages)) as relations:
        derive(relations, "originals")

        assert relations.rows("SELECT page_id FROM originals") == [(2,)]


def test_redirects_are_followed_to_their_end() -> None:
    """A chain of ten steps ends, a longer one is cut, and a loop says so."""
    chain = [{"page_id": at, "status": 301, "redirect_id": at + 1} for at in range(1, 13)]
    loop = [{"page_id": 20, "status": 301, "redirect_id": 21}, {"page_id": 21, "status": 301, "redirect_id": 20}]
    with loaded(rows_of(pages=[*chain, {"page_id": 13}, *loop])) as relations:
        derive(relations, "lands")
        found = {row[0]: row[1:] for row in relations.rows("SELECT page_id, final_id, hops, loops FROM lands")}

    assert found[13] == (13, 0, False)
    assert found[3] == (13, MAX_HOPS, False)
    assert found[1] == (11, MAX_HOPS, False)
    assert found[20] == (20, 2, True)


def test_structures_that_agree_in_twelve_values_are_one_template() -> None:
    """Four other values are allowed and five are not, wherever they stand."""
    first = tuple(range(16))

    def changed(*places: int) -> tuple[int, ...]:
        return tuple(99 if at in places else value for at, value in enumerate(first))

    def shapes() -> Iterator[tuple[int, ...]]:
        yield first
        yield changed(0, 5, 10, 15)
        yield changed(0, 2, 4, 6)
        yield changed(0, 2, 4, 6, 8)

    assert [number for _, number in cluster_shapes(shapes())] == [0, 0, 0, 1]


@pytest.mark.parametrize("probe", [200, 404])
def test_pages_like_that_of_an_unknown_url_are_not_indexable(probe: int) -> None:
    """Pages with the text of an unknown URL are none, if the site answers that with status 200."""
    site = [{"key": "probes", "value": [{"status": probe, "simhash": 9, "words": 20}]}]
    pages = [{"page_id": 1}, {"page_id": 2, "simhash": 9, "words": 20}]
    with loaded(rows_of(pages=pages, site=site)) as relations:
        derive(relations, "indexable")
        found = [row[0] for row in relations.rows("SELECT page_id FROM indexable ORDER BY page_id")]

    assert found == ([1] if probe == 200 else [1, 2])


def test_the_navigation_of_a_frameset_is_no_page_of_the_site() -> None:
    """It has no score and no findings; links alone that no frame shows, and what a frame shows, are judged."""
    kinds = (None, PANE, "login_wall", PANE, None)
    pages = [{"page_id": number, "page_kind": kind, "score": 70} for number, kind in enumerate(kinds, 1)]
    found = [{"page_id": number, "check_id": "title", "state": "missing"} for number in range(1, 6)]
    links: list[dict[str, Any]] = [
        {"from_id": 1, "to_id": 2},
        {"from_id": 1, "to_id": None, "kind": "frame"},
        *({"from_id": 1, "to_id": number, "kind": "frame"} for number in (3, 4, 5)),
    ]
    with loaded(rows_of(pages=pages, links=links, found=found)) as relations:
        derive(relations, "indexable")

        for kept in ("SELECT page_id FROM indexable", "SELECT page_id FROM found", "SELECT page_id FROM pages"):
            where = " WHERE score IS NOT NULL" if kept.endswith("pages") else ""
            assert relations.rows(f"{kept}{where} ORDER BY page_id") == [(1,), (2,), (3,), (5,)]
