"""Writes the relations of a large made crawl, whose findings are known, without crawling it.

What a page is depends on the residue of its number modulo 1,000 alone, so that each thousand of pages has the same
faults, and the findings of a site of any size are known. The links of a page lead to 20 other thousands, those of the
menu to the first ten. The files are those that a crawl writes: lines of JSON, the largest ones compressed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Final

from pagegrade.model.audit_result import AuditResult
from pagegrade.store.repositories.crawl_segments import unpack_finding

CYCLE: Final = 1_000
MENU: Final = 10
LINKS: Final = 20
"""Of the main content; with those of the menu 30 a page."""
_STEP: Final = 47
"""Between the residues of two targets in a row."""
_ORIGIN: Final = "http://example.com"
MAX_PAGES: Final = 1_000_000
"""More would have more causes than a result lists by themselves."""
Pages = tuple[frozenset[int], int]
"""Residues of the pages of a finding, and how many pages it has of each."""

# Residues of pages that are not as the others.
GONE: Final = frozenset(range(7, CYCLE, 100))
FAILING: Final = frozenset({97})
LOOPS: Final = {153: 253, 253: 153}
CHAIN: Final = {503: 553}
MOVED: Final = {at: at + 1 for at in range(3, CYCLE, 50)} | LOOPS | CHAIN
BLOCKED: Final = frozenset({191})
HIDDEN: Final = frozenset(range(17, CYCLE, 250))
"""With noindex."""
ELSEWHERE: Final = {71: 70, 571: 570, 190: 207}
"""With the canonical URL of another page."""
COPIES: Final = frozenset(range(21, CYCLE, 100))
"""With the content of the page before."""
NEARLY: Final = frozenset(range(41, CYCLE, 200))
"""With nearly the content of the page before."""
WITH_PARAMETER: Final = frozenset({131})
"""The page before with a parameter."""
WITH_SLASH: Final = frozenset({142})
"""The page before with a slash at its end."""
ORPHANS: Final = frozenset(range(13, CYCLE, 200))
UNLISTED: Final = frozenset(range(81, CYCLE, 500))
"""Not in the sitemap."""
SOFT: Final = frozenset({195})
_SHARED_TITLE: Final = frozenset(range(60, 70))
_SHARED_DESCRIPTION: Final = frozenset({211, 212})
_SHARED_H1: Final = frozenset({214, 215})
_OTHER_ENDING: Final = frozenset({95})
_NO_TYPE: Final = frozenset({98})
_SHORT: Final = frozenset({91})
_FEW_HEADERS: Final = frozenset({96})
_SESSION: Final = frozenset({83})
_DEEP: Final = frozenset({333})
_SLOW: Final = 9
"""Last digit of the pages of a slow section."""
_ONE_WAY: Final = frozenset({150})
_PICTURE: Final = frozenset({160})
_DEAD_END: Final = frozenset({170})
_NO_FOLLOW: Final = frozenset({180})
_NO_TEXT: Final = frozenset({402})
_SAME_TEXT: Final = frozenset({404})
_SOFT_HASH: Final = 0x0123456789ABCDEF

_ALL: Final = frozenset(range(CYCLE))
READ: Final = _ALL - GONE - FAILING - BLOCKED - frozenset(MOVED)
_INDEXABLE: Final = READ - HIDDEN - frozenset(ELSEWHERE) - SOFT
_ORIGINALS: Final = _INDEXABLE - COPIES - NEARLY - WITH_PARAMETER - WITH_SLASH
LINKING: Final = READ - _DEAD_END


def targets(residue: int) -> list[int]:
    """Residues of the pages that the links of a page's main content lead to."""
    reached = [(residue + _STEP * at + 1) % CYCLE for at in range(LINKS)]
    return [at + 1 if at in ORPHANS else at for at in reached]


def _leading_to(wanted: Collection[int]) -> frozenset[int]:
    return frozenset(at for at in LINKING if any(target in wanted for target in targets(at)))


def _with_page_before(copies: Collection[int]) -> frozenset[int]:
    return frozenset(copies) | {at - 1 for at in copies}


def site_truth() -> dict[tuple[str, str], frozenset[int]]:
    """(Site check, state) -> residues of the pages that it must name, and no others."""
    listed = READ - UNLISTED
    truth: dict[tuple[str, str], Collection[int]] = {
        ("anchor-text", "ambiguous"): _SAME_TEXT,
        ("anchor-text", "empty"): _NO_TEXT,
        ("blocked-in-sitemap", "listed"): BLOCKED,
        ("broken-assets", "broken"): _PICTURE,
        ("broken-internal-links", "broken"): _leading_to(GONE | FAILING),
        ("canonical-to-error", "error"): {at for at, target in ELSEWHERE.items() if target in GONE},
        ("dead-ends", "dead_end"): _DEAD_END,
        ("deep-pages", "deep"): _DEEP,
        ("duplicate-content", "copied"): _with_page_before(COPIES),
        ("duplicate-description", "shared"): _SHARED_DESCRIPTION,
        ("duplicate-h1", "shared"): _SHARED_H1,
        ("duplicate-title", "shared"): _SHARED_TITLE,
        ("header-drift", "missing"): _FEW_HEADERS,
        ("hreflang-clusters", "no_self"): _ONE_WAY,
        ("hreflang-reciprocity", "one_way"): _ONE_WAY,
        ("links-to-redirects", "redirected"): _leading_to(MOVED.keys() - LOOPS.keys()),
        ("missing-from-sitemap", "missing"): _ORIGINALS & UNLISTED,
        ("near-duplicate-content", "alike"): _with_page_before(NEARLY),
        ("nofollow-between-pages", "nofollow"): _NO_FOLLOW,
        ("noindex-in-sitemap", "listed"): HIDDEN & listed,
        ("non-canonical-in-sitemap", "listed"): ELSEWHERE.keys() & listed,
        ("orphan-pages", "orphaned"): ORPHANS,
        ("parameter-duplicates", "repeated"): _with_page_before(WITH_PARAMETER),
        ("redirect-chains", "chain"): CHAIN.keys(),
        ("redirect-loops", "loop"): LOOPS.keys(),
        ("server-errors", "errors"): FAILING,
        ("session-ids", "session"): _SESSION,
        ("slow-sections", "slow"): {at for at in _ORIGINALS if at % 10 == _SLOW},
        ("soft-404", "soft"): SOFT,
        ("structured-data-outliers", "missing"): _NO_TYPE,
        ("thin-for-its-template", "thin"): _SHORT,
        ("title-pattern-outliers", "other"): _OTHER_ENDING,
        ("url-variants", "variants"): _with_page_before(WITH_SLASH),
    }
    return {name: frozenset(residues) for name, residues in truth.items()}


def expected(pages: int) -> dict[tuple[str, str], Counter[Pages]]:
    """(Check, state) -> the pages of each of its findings, for a site of so many pages."""
    rounds = pages // CYCLE
    truth = {name: Counter({(residues, rounds): 1}) for name, residues in site_truth().items()}
    everywhere = Counter({(READ, rounds): 1})
    return truth | {
        ("title", "missing"): everywhere,
        ("csp", "missing"): Counter((frozenset(at for at in READ if at % 7 == shape), rounds) for shape in range(7)),
        ("image-alt", "missing"): everywhere,
        ("link-text", "missing"): Counter({(READ, 1): rounds}),
        ("lists", "missing"): everywhere,
    }


def compare(result: AuditResult, segments: Mapping[int, bytes], pages: int) -> list[str]:
    """Say which findings of a made crawl are not those that are expected.

    Args:
        result: Of its analysis.
        segments: The pages of the findings, as ``pack_findings`` has packed them.
        pages: Of the crawl.
    """
    found: dict[tuple[str, str], Counter[Pages]] = {}
    for one in result.findings:
        residues = Counter((page - 1) % CYCLE for page in {row.page_id for row in unpack_finding(segments, one.number)})
        each = set(residues.values())
        named = (frozenset(residues), each.pop() if len(each) == 1 else 0)
        found.setdefault((one.check, one.state), Counter())[named] += 1
    truth = expected(pages)
    return [
        f"{check}: {state}"
        for check, state in sorted(truth.keys() | found.keys())
        if truth.get((check, state)) != found.get((check, state))
    ]


def write_made(folder: Path, pages: int) -> None:
    """Write the relations of a crawl of so many pages into a folder.

    Args:
        folder: That is there.
        pages: 20,000 to a million, in thousands.
    """
    if pages % CYCLE or not LINKS * CYCLE <= pages <= MAX_PAGES:
        raise ValueError("The pages are 20,000 to a million, in thousands.")
    import duckdb

    with duckdb.connect(config={"memory_limit": "512MB", "threads": "2", "temp_directory": str(folder)}) as base:
        base.execute("SET preserve_insertion_order = false")
        for name, query in _queries(pages).items():
            large = name in {"links", "found"}
            target = folder / f"{name}.jsonl{'.gz' if large else ''}"
            base.execute(
                f"COPY ({query}) TO '{target}' (FORMAT json, COMPRESSION {'gzip' if large else 'uncompressed'})"
            )


def _among(residues: Collection[int]) -> str:
    return f"r IN ({', '.join(map(str, sorted(residues)))})"


def _mapped(residues: Mapping[int, int]) -> str:
    """The id of the other page, or NULL."""
    cases = " ".join(f"WHEN {at} THEN p - r + {target}" for at, target in residues.items())
    return f"CASE r {cases} END"


def _url(page: str) -> str:
    """The URL of a page whose number is an expression."""
    plain = f"'{_ORIGIN}/s' || ({page}) % 10 || '/' || lpad(CAST({page} AS VARCHAR), 8, '0')"
    before = f"'{_ORIGIN}/s' || ({page} - 1) % 10 || '/' || lpad(CAST({page} - 1 AS VARCHAR), 8, '0')"
    cases = [f"WHEN ({page}) % {CYCLE} = {at} THEN {before} || '?sort=up'" for at in sorted(WITH_PARAMETER)]
    cases += [f"WHEN ({page}) % {CYCLE} = {at} THEN {before} || '/'" for at in sorted(WITH_SLASH)]
    return f"CASE {' '.join(cases)} ELSE {plain} END"


def _queries(pages: int) -> dict[str, str]:
    rounds = pages // CYCLE
    read = _among(READ)
    # Pages are counted from 0, as residues are; ids from 1.
    base = f"(SELECT range AS p, range % {CYCLE} AS r, range // {CYCLE} AS q FROM range({pages}))"
    same = "CASE WHEN {} THEN p - 1 ELSE p END"
    content = same.format(_among(COPIES | WITH_PARAMETER | WITH_SLASH))
    alike = same.format(_among(COPIES | WITH_PARAMETER | WITH_SLASH | NEARLY))
    shapes = ", ".join(f"hash(r % 7, {slot}) & 65535" for slot in range(16))
    gone = f"CASE WHEN {_among(GONE)} THEN 404 WHEN {_among(FAILING)} THEN 500"
    redirect, canonical = _mapped(MOVED), _mapped(ELSEWHERE)

    def if_read(value: str) -> str:
        return f"CASE WHEN {read} THEN {value} END"

    columns = {
        "page_id": "p + 1",
        "url": _url("p"),
        "host": "'example.com'",
        "path": f"substr({_url('p')}, {len(_ORIGIN) + 1})",
        "pattern": "'/s' || r % 10 || '/{n}'",
        "depth": f"CASE WHEN {_among(_DEEP)} THEN 8 WHEN {_among(ORPHANS)} THEN NULL ELSE least(5, 1 + q // 10) END",
        "state": f"CASE WHEN {_among(BLOCKED)} THEN 'blocked' ELSE 'fetched' END",
        "status": f"{gone} WHEN {_among(MOVED)} THEN 301 WHEN {_among(BLOCKED)} THEN NULL ELSE 200 END",
        "redirect_id": f"{redirect} + 1",
        "redirect_url": _url(f"({redirect})"),
        "hops": f"CASE WHEN {_among(MOVED)} THEN 1 ELSE 0 END",
        "content_type": "'text/html'",
        "bytes": "60_000",
        "time_ms": f"CASE WHEN r % 10 = {_SLOW} THEN 1_500 ELSE 80 END",
        "title": if_read(
            f"CASE WHEN {_among(_SHARED_TITLE)} THEN 'Shared ' || q ELSE 'Page ' || p END"
            f" || CASE WHEN {_among(_OTHER_ENDING)} THEN ' - Elsewhere' ELSE ' - Garden' END"
        ),
        "h1": if_read(f"CASE WHEN {_among(_SHARED_H1)} THEN 'Shared ' || q ELSE 'Heading ' || p END"),
        "description": if_read(
            f"CASE WHEN {_among(_SHARED_DESCRIPTION)} THEN 'Shared ' || q ELSE 'What is on page ' || p END"
        ),
        "noindex": if_read(_among(HIDDEN)),
        "nofollow": if_read("false"),
        "canonical_id": f"{canonical} + 1",
        "canonical_url": _url(f"({canonical})"),
        "lang": if_read("'en'"),
        "words": if_read(f"CASE WHEN {_among(_SHORT)} THEN 60 ELSE 300 END"),
        "digest": if_read(f"hash({content})"),
        "simhash": if_read(
            f"CASE WHEN {_among(SOFT)} THEN {_SOFT_HASH}::UBIGINT WHEN {_among(NEARLY)}"
            f" THEN xor(hash({alike}, 'text'), 1::UBIGINT << (q % 64)::INTEGER) ELSE hash({alike}, 'text') END"
        ),
        "template": if_read(f"[{shapes}]"),
        "types": if_read(f"CASE WHEN r % 7 = 0 AND NOT {_among(_NO_TYPE)} THEN ['Product'] ELSE [] END"),
        "score": if_read("CASE WHEN r % 3 = 0 THEN 72 ELSE 90 END"),
        "in_sitemap": f"({read} OR {_among(BLOCKED)}) AND NOT {_among(UNLISTED)}",
        "session_id": _among(_SESSION),
        "headers": if_read(
            f'CASE WHEN {_among(_FEW_HEADERS)} THEN \'{{"x-frame-options":"DENY"}}\''
            ' ELSE \'{"x-frame-options":"DENY","referrer-policy":"same-origin"}\' END'
        ),
    }
    there = f"WHERE {read}"
    linking = f"WHERE {_among(LINKING)}"
    menu = f"SELECT p + 1 AS from_id, k * {CYCLE} + 2 AS to_id, 'a' AS kind, false AS nofollow, 'nav' AS place,"
    reached = f"(r + {_STEP} * k + 1) % {CYCLE}"
    kept = " ".join(f"WHEN {at} THEN {at + 1}" for at in sorted(ORPHANS))
    # Each of the links leads into another part of the site, whatever its size.
    target = f"(q + k * {rounds} // {LINKS} + k) % {rounds} * {CYCLE} + CASE {reached} {kept} ELSE {reached} END + 1"
    same_text = f"CASE WHEN k = 0 AND {_among(_NO_TEXT)} THEN '' WHEN k = 1 AND {_among(_SAME_TEXT)} THEN 'More'"
    links = f"""
        {menu} 'Section ' || k AS anchor, NULL AS hreflang FROM {base} CROSS JOIN (SELECT range AS k FROM range({MENU}))
        {linking}
        UNION ALL
        SELECT p + 1, {target}, 'a', k = 2 AND {_among(_NO_FOLLOW)}, 'main',
            {same_text} ELSE 'Page ' || {target} END, NULL
        FROM {base} CROSS JOIN (SELECT range AS k FROM range({LINKS})) {linking}
        UNION ALL SELECT p + 1, redirect, 'redirect', false, 'main', NULL, NULL
        FROM (SELECT p, r, {redirect} + 1 AS redirect FROM {base}) WHERE redirect IS NOT NULL
        UNION ALL SELECT p + 1, canonical, 'canonical', false, 'main', NULL, NULL
        FROM (SELECT p, r, {canonical} + 1 AS canonical FROM {base}) WHERE canonical IS NOT NULL
        UNION ALL SELECT p + 1, p + 2, 'hreflang', false, 'main', NULL, 'de' FROM {base} WHERE {_among(_ONE_WAY)}
        UNION ALL SELECT p + 1, {pages + 1}, 'asset', false, 'main', NULL, NULL FROM {base} {there}
        UNION ALL SELECT p + 1, {pages + 2}, 'asset', false, 'main', NULL, NULL FROM {base} WHERE {_among(_PICTURE)}
    """
    # One look everywhere, one of each template, two on the same pages, one of each thousand, and one of each page.
    looks = {
        "title": "1",
        "csp": "10 + r % 7",
        "image-alt": "30",
        "link-text": "1_000 + q",
        "lists": f"{CYCLE}_000 + p",
    }
    found = " UNION ALL ".join(
        f"SELECT p + 1 AS page_id, '{check}' AS check_id, 'missing' AS state, {lost} AS lost, 1 AS total,"
        f" {look} AS signature FROM {base} {there}"
        for check, look, lost in (*((check, look, "1.0") for check, look in looks.items()), ("image-alt", "31", "0.5"))
    )
    probe = f'[{{"status":200,"simhash":{_SOFT_HASH},"words":300}}]'
    facts = {"url": f"{_ORIGIN}/", "crawl": "1", "settings": "{}", "start": "1", "complete": "1", "stop_reason": "done"}
    facts |= {"robots": "ok", "sitemap": "1", "external": "0", "assets": "1", "rendered": "0", "traps": "1"}
    facts |= {"https": "1", "probes": probe}
    return {
        "pages": f"SELECT {', '.join(f'{value} AS {name}' for name, value in columns.items())} FROM {base}",
        "links": links,
        "found": found,
        "evidence": f"SELECT page_id, check_id, state, signature, '<a> of ' || page_id AS example FROM ({found})"
        f" WHERE page_id <= {5 * CYCLE}",
        "assets": f"SELECT * FROM (VALUES ({pages + 1}, '{_ORIGIN}/a.css', 'stylesheet', 200),"
        f" ({pages + 2}, '{_ORIGIN}/a.png', 'image', 404)) AS t(asset_id, url, kind, status)",
        "sitemap": f"SELECT p + 1 AS page_id, '2026-01-' || lpad(CAST(1 + p % 28 AS VARCHAR), 2, '0') AS lastmod,"
        f" '{_ORIGIN}/sitemap.xml' AS file FROM {base}"
        f" WHERE ({read} OR {_among(BLOCKED)}) AND NOT {_among(UNLISTED)}",
        "site": "SELECT * FROM (VALUES "
        + ", ".join(f"('{key}', '{value}')" for key, value in facts.items())
        + ") AS t(key, value)",
    }
