"""Groups what was found on pages by what causes it: the same place of a template, or the same fault on some pages."""

from __future__ import annotations

from typing import Final

from pagegrade.store.analysis.derive import groups_of
from pagegrade.store.analysis.relations import Relations

MIN_PAGES: Final = 3
"""Pages that share a cause; what fewer share is listed together, check by check."""
MAX_CAUSES: Final = 2_000
"""Causes that are listed by themselves, those of most pages first."""
SAME_PAGES: Final = 0.9
"""Signatures of one check that share this part of their pages (Jaccard) have one cause."""
TEMPLATE_SHARE: Final = 0.8
"""Part of the pages of a template that a cause has to have, and part of its pages that the template has to have."""
_SKETCHES: Final = 4
_LOST_PARTS: Final = 10_000


def find_causes(relations: Relations) -> None:
    """Add ``cause_pages`` (a row for each page of each cause) and ``causes``.

    A cause is the number of its smallest signature, NULL for what is listed together. ``units`` is what it costs the
    site: the weight of each page times the ten-thousandths of a point that the page loses.
    """
    relations.run(
        f"""
        CREATE TABLE marks AS
        SELECT found.page_id, check_id, found.state, coalesce(signature, 0) AS signature,
            CAST(round(sum(coalesce(lost, 0)) * {_LOST_PARTS}) AS BIGINT) AS lost
        FROM found JOIN pages USING (page_id)
        WHERE pages.state = 'fetched' AND pages.status = 200 GROUP BY ALL
        """
    )
    sketches = ", ".join(f"{{slot: {slot}, value: min(hash(url, {slot}))}}" for slot in range(_SKETCHES))
    relations.run(
        f"""
        CREATE TABLE signatures AS
        SELECT check_id, marks.state, signature, count(*) AS pages, [{sketches}] AS sketches
        FROM marks JOIN pages USING (page_id) GROUP BY ALL HAVING count(*) >= {MIN_PAGES}
        ORDER BY pages DESC, check_id, marks.state, signature LIMIT {MAX_CAUSES}
        """
    )
    pairs = relations.each(
        f"""
        WITH sketched AS (
            SELECT check_id, state, signature, pages, one.slot, one.value
            FROM (SELECT check_id, state, signature, pages, unnest(sketches) AS one FROM signatures)
        ), near AS (
            SELECT DISTINCT a.check_id, a.state, a.signature AS one, b.signature AS other, a.pages, b.pages AS others
            FROM sketched AS a JOIN sketched AS b ON a.check_id = b.check_id AND a.state = b.state
            AND a.slot = b.slot AND a.value = b.value AND a.signature < b.signature
            WHERE least(a.pages, b.pages) >= {SAME_PAGES} * greatest(a.pages, b.pages)
        )
        SELECT near.check_id, near.state, one, other FROM near
        JOIN marks AS a ON a.check_id = near.check_id AND a.state = near.state AND a.signature = one
        JOIN marks AS b ON b.check_id = near.check_id AND b.state = near.state AND b.signature = other
            AND b.page_id = a.page_id
        GROUP BY near.check_id, near.state, one, other, near.pages, others
        HAVING count(*) >= {SAME_PAGES} * (near.pages + others - count(*))
        """
    )
    groups = groups_of(((check, state, one), (check, state, other)) for check, state, one, other in pairs)
    relations.run("CREATE TABLE merged (check_id VARCHAR, state VARCHAR, signature UBIGINT, cause UBIGINT)")
    relations.insert(
        "merged",
        (
            {"check_id": check, "state": state, "signature": one, "cause": first[2]}
            for (check, state, one), first in sorted(groups.items())
        ),
        {"check_id": "VARCHAR", "state": "VARCHAR", "signature": "UBIGINT", "cause": "UBIGINT"},
    )
    relations.run(
        """
        CREATE TABLE cause_pages AS
        WITH shown AS (
            SELECT check_id, state, signature, page_id, min(example) AS example FROM evidence GROUP BY ALL
        )
        SELECT check_id, state, coalesce(merged.cause, CASE WHEN signatures.pages IS NULL THEN NULL ELSE signature END)
            AS cause, page_id, sum(lost) AS lost, min(example) AS example
        FROM marks LEFT JOIN signatures USING (check_id, state, signature)
        LEFT JOIN merged USING (check_id, state, signature) LEFT JOIN shown USING (check_id, state, signature, page_id)
        GROUP BY ALL
        """
    )
    relations.run(
        f"""
        CREATE TABLE causes AS
        WITH sizes AS (SELECT template_id, count(*) AS size FROM templates GROUP BY template_id), spread AS (
            SELECT check_id, state, cause, template_id, count(*) AS pages FROM cause_pages
            JOIN templates USING (page_id) WHERE cause IS NOT NULL GROUP BY ALL
        ), totals AS (
            SELECT check_id, state, cause, count(*) AS pages,
                coalesce(sum(CAST(lost AS HUGEINT) * coalesce(weight, 0)), 0) AS units
            FROM cause_pages LEFT JOIN weights USING (page_id) GROUP BY check_id, state, cause
        ), homes AS (
            SELECT spread.check_id, spread.state, spread.cause, template_id FROM spread
            JOIN sizes USING (template_id) JOIN totals USING (check_id, state, cause)
            WHERE size >= {MIN_PAGES} AND spread.pages >= {TEMPLATE_SHARE} * size
            AND spread.pages >= {TEMPLATE_SHARE} * totals.pages
        )
        SELECT totals.*, homes.template_id FROM totals LEFT JOIN homes USING (check_id, state, cause)
        """
    )
