"""Tables that follow from the relations of a crawl: redirects, copies, PageRank, weights and templates.

Each function adds tables. Nothing depends on the numbers of pages or on the order of rows: where one of several is
chosen, its URL decides, and shares are whole numbers, so that the same crawl gives the same bytes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, TypeVar

import msgspec

from pagegrade.model.audit import PANE
from pagegrade.store.analysis.relations import Relations

SCALE: Final = 10**12
"""Weights are whole parts of this."""
RANK_SCALE: Final = 10**15
"""PageRank is in whole parts of this."""
ROUNDS: Final = 10
MAX_HOPS: Final = 10
NEAR_BITS: Final = 3
"""Bits in which the simhashes of nearly equal contents may differ."""
NEAR_WORDS: Final = 50
"""Words below which one word makes too much of a difference."""
WINDOW: Final = 20
"""Neighbors in sorted order that a simhash is compared with, in each of four bands."""
TEMPLATE_VALUES: Final = 12
"""Of the 16 values of a template that agree on pages of one template."""
MAX_SHAPES: Final = 100_000
"""Different structures that are compared; what is left has no template."""
MAX_LEADERS: Final = 64
"""Templates that one structure is compared with."""
_SHAPE: Final = 16
_BAND: Final = 2
T = TypeVar("T", bound=Any)


def index(relations: Relations) -> None:
    """Add ``fact('key')`` and the ways between pages of the site, each (from, to) once: ``hrefs``."""
    relations.run("CREATE MACRO fact(name) AS (SELECT any_value(value) FROM site WHERE key = name)")
    relations.run(
        """
        CREATE TABLE hrefs AS
        SELECT from_id, to_id, bool_and(coalesce(nofollow, false)) AS nofollow, min(anchor) AS anchor
        FROM links SEMI JOIN pages ON pages.page_id = links.to_id
        WHERE kind IN ('a', 'refresh', 'frame') AND from_id <> to_id GROUP BY from_id, to_id
        """
    )


def resolve_redirects(relations: Relations) -> None:
    """Add ``lands``: for each page where a request for it ends, after how many hops, and whether it never does."""
    relations.run(
        f"""
        CREATE TABLE lands AS
        WITH RECURSIVE walk(page_id, spot, hops, passed) AS (
            SELECT page_id, redirect_id, 1, [page_id] FROM pages WHERE redirect_id IS NOT NULL
            UNION ALL
            SELECT walk.page_id, pages.redirect_id, walk.hops + 1, list_append(passed, walk.spot)
            FROM walk JOIN pages ON pages.page_id = walk.spot
            WHERE pages.redirect_id IS NOT NULL AND walk.hops < {MAX_HOPS} AND NOT list_contains(passed, walk.spot)
        ), ends AS (
            SELECT page_id, arg_max(spot, hops) AS final_id, max(hops) AS hops,
                arg_max(list_contains(passed, spot), hops) AS loops
            FROM walk GROUP BY page_id
        )
        SELECT pages.page_id, coalesce(ends.final_id, pages.page_id) AS final_id, coalesce(ends.hops, 0) AS hops,
            coalesce(ends.loops, false) AS loops, final.status AS status, final.state AS state
        FROM pages LEFT JOIN ends USING (page_id)
        LEFT JOIN pages AS final ON final.page_id = coalesce(ends.final_id, pages.page_id)
        """
    )


def find_panes(relations: Relations) -> None:
    """Add ``panes``, the navigation of framesets, which loses its score and what was found on it.

    A page of links alone that no frame shows is a page like any other.
    """
    relations.run(
        f"""
        CREATE TABLE panes AS
        SELECT page_id FROM pages SEMI JOIN links ON links.to_id = pages.page_id AND links.kind = 'frame'
        WHERE page_kind = '{PANE}'
        """
    )
    relations.run("UPDATE pages SET score = NULL WHERE page_id IN (SELECT page_id FROM panes)")
    relations.run("DELETE FROM found WHERE page_id IN (SELECT page_id FROM panes)")


def find_indexable(relations: Relations) -> None:
    """Add ``soft`` (pages that say what the site says of unknown URLs, or that they do not exist) and ``indexable``.

    Where the start page itself looks like a page that does not exist, the answers say nothing about that.
    """
    relations.run(
        """
        CREATE TABLE soft AS
        WITH probes AS (
            SELECT UNNEST(probe) FROM (
                SELECT unnest(from_json(fact('probes'), '[{"status":"INTEGER","simhash":"UBIGINT","words":"INTEGER"}]'))
                AS probe
            )
        ), alike AS (
            SELECT DISTINCT page_id FROM pages JOIN probes
            ON pages.status = 200 AND probes.status = 200 AND pages.words IS NOT NULL
            AND bit_count(xor(pages.simhash, probes.simhash)) <= 3
            AND abs(pages.words - probes.words) <= greatest(3, probes.words // 10)
            UNION
            SELECT page_id FROM pages WHERE status = 200 AND page_kind = 'soft_404'
        )
        SELECT page_id FROM alike WHERE CAST(fact('start') AS BIGINT) NOT IN (SELECT page_id FROM alike)
        """
    )
    relations.run(
        """
        CREATE TABLE indexable AS
        SELECT pages.* FROM pages ANTI JOIN soft USING (page_id) ANTI JOIN panes USING (page_id)
        WHERE state = 'fetched' AND status = 200 AND words IS NOT NULL AND NOT coalesce(noindex, false)
        AND (canonical_url IS NULL OR canonical_id IS NOT DISTINCT FROM page_id)
        """
    )


def find_copies(relations: Relations) -> None:
    """Add ``copies`` (the page that stands for each indexable page) and ``originals`` (those that stand for others).

    Pages are copies if their content is equal, or nearly so. The shortest URL stands for them, of these the first. So
    is a URL that was not fetched because another spelling of it was.
    """
    relations.run(
        f"""
        CREATE TABLE contents AS
        SELECT DISTINCT simhash FROM indexable WHERE words >= {NEAR_WORDS} AND simhash IS NOT NULL
        """
    )
    bands = " UNION ALL ".join(
        f"SELECT {band} AS band, (simhash >> {band * 16}) & 65535 AS slot, simhash FROM contents" for band in range(4)
    )
    pairs = relations.each(
        f"""
        WITH bands AS ({bands}), numbered AS (
            SELECT band, slot, simhash, row_number() OVER (PARTITION BY band, slot ORDER BY simhash) AS place FROM bands
        )
        SELECT DISTINCT one.simhash, other.simhash FROM numbered AS one CROSS JOIN range(1, {WINDOW + 1}) AS step(k)
        JOIN numbered AS other
        ON other.band = one.band AND other.slot = one.slot AND other.place = one.place + step.k
        WHERE bit_count(xor(one.simhash, other.simhash)) <= {NEAR_BITS}
        """
    )
    found = groups_of(pairs)
    relations.run("CREATE TABLE near (simhash UBIGINT, near UBIGINT)")
    relations.insert(
        "near",
        ({"simhash": one, "near": root} for one, root in sorted(found.items())),
        {"simhash": "UBIGINT", "near": "UBIGINT"},
    )
    # Equal contents have equal simhashes, so one key covers both; short and empty ones go by their digest, or alone.
    relations.run(
        f"""
        CREATE TABLE copies AS
        WITH keyed AS (
            SELECT page_id, url, CASE
                WHEN words >= {NEAR_WORDS} AND simhash IS NOT NULL THEN 's' || coalesce(near.near, simhash)
                WHEN words > 0 THEN 'd' || digest ELSE 'p' || page_id END AS key
            FROM indexable LEFT JOIN near USING (simhash)
        )
        SELECT page_id, first_value(page_id) OVER (PARTITION BY key ORDER BY length(url), url) AS original_id
        FROM keyed
        """
    )
    relations.run(
        """
        INSERT INTO copies
        SELECT other.page_id, arg_min(original_id, indexable.url) FROM pages AS other
        JOIN forms AS mine ON mine.page_id = other.page_id JOIN forms AS theirs ON theirs.plain = mine.plain
        JOIN copies ON copies.page_id = theirs.page_id JOIN indexable ON indexable.page_id = copies.page_id
        WHERE other.trap = 'variant' GROUP BY other.page_id
        """
    )
    relations.run(
        "CREATE TABLE originals AS SELECT indexable.* FROM indexable JOIN copies USING (page_id)"
        " WHERE page_id = original_id"
    )


def name_forms(relations: Relations) -> None:
    """Add ``forms``: the URL of each page in one spelling, with and without parameters."""
    relations.run(
        r"""
        CREATE TABLE forms AS
        WITH cut AS (
            SELECT page_id, split_part(url, '?', 2) AS parameters, regexp_replace(regexp_replace(
                regexp_replace(lower(split_part(url, '?', 1)), '^https?://(www\.)?', ''),
                '/(index|default)\.(html?|php|aspx?|jsp)$', '/'), '/+$', '') AS bare FROM pages
        )
        SELECT page_id, bare, bare || '?' || array_to_string(list_sort(string_split(parameters, '&')), '&') AS plain
        FROM cut
        """
    )


def find_linked(relations: Relations) -> None:
    """Add ``linked``: the originals that another page links to, through redirects or by a copy."""
    relations.run(
        """
        CREATE TABLE linked AS
        SELECT DISTINCT coalesce(copies.original_id, lands.final_id) AS page_id
        FROM hrefs JOIN lands ON lands.page_id = to_id LEFT JOIN copies ON copies.page_id = lands.final_id
        """
    )


def groups_of(pairs: Iterable[tuple[T, ...]]) -> dict[T, T]:
    """Each member of the connected groups -> the smallest member."""
    parent: dict[T, T] = {}

    def root(one: T) -> T:
        while parent.setdefault(one, one) != one:
            parent[one] = parent[parent[one]]
            one = parent[one]
        return one

    for one, other in pairs:
        low, high = sorted((root(one), root(other)))
        parent[high] = low
    return {one: root(one) for one in parent}


def rank_pages(relations: Relations) -> None:
    """Add ``ranks``: PageRank of the pages of status 200, copies as one, and how many other pages link to each.

    Links with ``nofollow`` and those of a page that asks to follow none give nothing; redirects are passed through.
    """
    relations.run(
        """
        CREATE TABLE nodes AS
        SELECT page_id, coalesce(copies.original_id, page_id) AS node, coalesce(nofollow, false) AS nofollow
        FROM pages LEFT JOIN copies USING (page_id)
        WHERE (state = 'fetched' AND status = 200 AND words IS NOT NULL)
            OR (trap = 'variant' AND original_id IS NOT NULL)
        """
    )
    relations.run(
        """
        CREATE TABLE edges AS
        SELECT DISTINCT one.node AS source, other.node AS target
        FROM hrefs JOIN nodes AS one ON one.page_id = hrefs.from_id
        JOIN lands ON lands.page_id = hrefs.to_id JOIN nodes AS other ON other.page_id = lands.final_id
        WHERE NOT hrefs.nofollow AND NOT one.nofollow AND one.node <> other.node
        """
    )
    relations.run("CREATE TABLE degrees AS SELECT source AS node, count(*) AS degree FROM edges GROUP BY source")
    (count,) = relations.row("SELECT count(DISTINCT node) FROM nodes")
    base = RANK_SCALE // max(1, count)
    relations.run(f"CREATE TABLE rank AS SELECT DISTINCT node, CAST({base} AS BIGINT) AS value FROM nodes")
    for _ in range(ROUNDS):
        relations.run(
            f"""
            CREATE OR REPLACE TABLE rank AS
            WITH parts AS (
                SELECT node, value // degree AS value FROM rank JOIN degrees USING (node)
            ), given AS (
                SELECT edges.target AS node, sum(parts.value) AS value FROM edges
                JOIN parts ON parts.node = edges.source GROUP BY edges.target
            ), dangling AS (
                SELECT coalesce(sum(value), 0) // {max(1, count)} AS value FROM rank ANTI JOIN degrees USING (node)
            )
            SELECT rank.node, CAST({15 * base // 100}
                + 85 * (coalesce(given.value, 0) + (SELECT value FROM dangling)) // 100 AS BIGINT) AS value
            FROM rank LEFT JOIN given USING (node)
            """
        )
    relations.run(
        """
        CREATE TABLE ranks AS
        SELECT nodes.page_id, nodes.node, rank.value AS pagerank, coalesce(sources.inlinks, 0) AS inlinks
        FROM nodes JOIN rank USING (node)
        LEFT JOIN (SELECT target AS node, count(*) AS inlinks FROM edges GROUP BY target) AS sources USING (node)
        """
    )


def weigh_pages(relations: Relations) -> None:
    """Add ``weights`` of the originals that have a score: half of ``SCALE`` in equal parts, half by PageRank."""
    count, total = relations.row(
        "SELECT count(*), coalesce(sum(pagerank), 0) FROM originals JOIN ranks USING (page_id) WHERE score IS NOT NULL"
    )
    relations.run(
        f"""
        CREATE TABLE weights AS SELECT page_id, CAST({SCALE // 2 // max(1, count)}
            + CAST(pagerank AS HUGEINT) * {SCALE // 2} // {max(1, total)} AS BIGINT) AS weight
        FROM originals JOIN ranks USING (page_id) WHERE score IS NOT NULL
        """
    )


def find_templates(relations: Relations) -> None:
    """Add ``templates``: the template of each page that has a structure, as the number of the group of pages."""
    shapes = relations.each(
        f"""
        SELECT template, count(*) FROM pages
        WHERE state = 'fetched' AND status = 200 AND len(template) = {_SHAPE}
        GROUP BY template ORDER BY count(*) DESC, template LIMIT {MAX_SHAPES}
        """
    )
    found = list(cluster_shapes(tuple(shape) for shape, _ in shapes))
    relations.run("CREATE TABLE shapes (template USMALLINT[], template_id INTEGER)")
    relations.insert(
        "shapes",
        ({"template": shape, "template_id": number} for shape, number in found),
        {"template": "USMALLINT[]", "template_id": "INTEGER"},
    )
    relations.run(
        "CREATE TABLE templates AS SELECT page_id, template_id FROM pages JOIN shapes USING (template)"
        " WHERE state = 'fetched' AND status = 200"
    )


def count_siblings(relations: Relations) -> None:
    """Add ``siblings``: how many pages the template of a page has."""
    relations.run(
        "CREATE TABLE siblings AS SELECT page_id, pages FROM templates"
        " JOIN (SELECT template_id, count(*) AS pages FROM templates GROUP BY template_id) USING (template_id)"
    )


def cluster_shapes(shapes: Iterator[tuple[int, ...]]) -> Iterator[tuple[tuple[int, ...], int]]:
    """Yield each structure with the number of its template, the most frequent structures leading.

    Of 16 values 12 that agree leave at least four of eight pairs untouched, so that a leader is found by its pairs.
    """
    leaders: list[tuple[int, ...]] = []
    by_pair: dict[tuple[int, ...], list[int]] = {}
    for shape in shapes:
        pairs = [(at, *shape[at : at + _BAND]) for at in range(0, _SHAPE, _BAND)]
        near = {number for pair in pairs for number in by_pair.get(pair, ())[:MAX_LEADERS]}
        same = (
            number
            for number in sorted(near)
            if sum(one == other for one, other in zip(leaders[number], shape, strict=True)) >= TEMPLATE_VALUES
        )
        number = next(same, len(leaders))
        if number == len(leaders):
            leaders.append(shape)
            for pair in pairs:
                by_pair.setdefault(pair, []).append(number)
        yield shape, number


class _Step(msgspec.Struct, frozen=True):
    """A function, the tables that it adds, and the functions whose tables it reads."""

    add: Callable[[Relations], None]
    tables: tuple[str, ...]
    after: tuple[Callable[[Relations], None], ...] = ()


_STEPS: Final = (
    _Step(index, ("hrefs", "fact")),
    _Step(resolve_redirects, ("lands",)),
    _Step(find_panes, ("panes",)),
    _Step(find_indexable, ("soft", "indexable"), (index, find_panes)),
    _Step(name_forms, ("forms",)),
    _Step(find_copies, ("copies", "originals"), (find_indexable, name_forms)),
    _Step(find_linked, ("linked",), (find_copies, resolve_redirects, index)),
    _Step(rank_pages, ("ranks",), (find_copies, resolve_redirects, index)),
    _Step(weigh_pages, ("weights",), (rank_pages,)),
    _Step(find_templates, ("templates",)),
    _Step(count_siblings, ("siblings",), (find_templates,)),
)
"""In the order in which they are run."""


def derive(relations: Relations, query: str | None = None) -> None:
    """Add the tables that a query names, with those that they need; without one, all that there are."""
    words = None if query is None else set(re.findall(r"[a-z]+", query))
    wanted: set[Callable[[Relations], None]] = set()
    for step in reversed(_STEPS):
        if words is None or step.add in wanted or words.intersection(step.tables):
            wanted.update((step.add, *step.after))
    for step in _STEPS:
        if step.add in wanted:
            step.add(relations)
