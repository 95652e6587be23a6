"""Evaluates a crawl: site checks, causes of what was found on pages, and the grade of the site."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, Literal

import msgspec

from pagegrade.checks import NEEDS, Need, SiteCheck, State, all_checks, all_site_checks
from pagegrade.model.audit_result import (
    MAX_PLACES,
    MAX_SOURCES,
    AuditResult,
    Distribution,
    Extent,
    Folder,
    Place,
    SiteCap,
    SiteFinding,
    Template,
    Unevaluated,
)
from pagegrade.model.identity import VERSION
from pagegrade.model.outcome import Importance, Severity
from pagegrade.model.report import DECENT_FROM, GOOD_FROM, RULESET, severity_of_finding
from pagegrade.scoring import site
from pagegrade.store.analysis.causes import find_causes
from pagegrade.store.analysis.derive import SCALE, derive
from pagegrade.store.analysis.relations import Relations

MAX_TEMPLATES: Final = 50
MAX_FOLDERS: Final = 60
MAX_LEVEL: Final = 4
"""Names in the path of the deepest folder that is shown."""
FOLDER_PAGES: Final = 2
"""A folder with fewer pages says no more than its page."""
WORST: Final = 10
LOST_PARTS: Final = 10_000
"""Parts of a point in which the penalties of pages are counted."""
ONE_HUNDREDTH: Final = SCALE * LOST_PARTS // site.HUNDREDTHS
"""Units of weight and penalty in a hundredth of a point of the site."""


class _Line(msgspec.Struct, frozen=True, kw_only=True):
    """A finding before it has a place in the result."""

    extent: Extent
    check: str
    state: str
    severity: Importance
    words: State | None
    cause: str
    pages: int
    share: float
    units: int
    template: int | None = None
    counted_in: str | None = None


def evaluate_crawl(relations: Relations, checks: Mapping[str, SiteCheck] | None = None) -> AuditResult:
    """Evaluate the loaded relations; also fills the table ``finding_pages`` (number, page_id, target_id, value).

    Args:
        relations: With the rows of one crawl.
        checks: To run; ``None``: all.
    """
    derive(relations)
    facts = facts_of(relations)
    chosen = (all_site_checks() if checks is None else checks).values()
    outcomes = {check.id: run_check(relations, check, facts) for check in chosen}
    find_causes(relations)
    counts = _counts(relations)
    graded = counts["graded"] >= site.MIN_GRADED
    lines = sorted(
        (*_site_lines(relations), *_cause_lines(relations)),
        # Without a grade the points are not shown, so they do not decide either.
        key=lambda one: (
            -one.units if graded else 0,
            _ORDER[one.severity],
            -one.pages,
            one.check,
            one.state,
            one.cause,
        ),
    )
    wanted = counts["found"] - counts["variants"]
    lost = site.in_hundredths([one.units for one in lines], ONE_HUNDREDTH)
    _fill_pages(relations, lines)
    places = _places(relations)
    caps = _caps(relations, facts)
    score, exact = site.site_score(sum(lost), caps)
    return AuditResult(
        url=facts.get("url", ""),
        ruleset=RULESET,
        engine=VERSION,
        found=counts["found"],
        fetched=counts["fetched"],
        read=counts["read"],
        carried=counts["carried"],
        graded=counts["graded"],
        complete=_is_true(facts, "complete"),
        coverage=counts["fetched"] / max(1, wanted),
        partial=counts["fetched"] < site.MIN_COVERAGE * wanted,
        score=score if graded else None,
        exact=exact if graded else None,
        rating=site.site_grade(score) if graded else None,
        no_grade="" if graded else _why_no_grade(relations),
        caps=tuple(SiteCap(code=code, message=site.CAPS[code][1], max_score=site.CAPS[code][0]) for code in caps),
        distribution=_distribution(relations),
        p10=relations.row("SELECT quantile_disc(score, 0.1) FROM originals WHERE score IS NOT NULL")[0],
        worst=tuple(
            Place(url=url, value=str(value))
            for url, value in relations.rows(
                f"SELECT url, score FROM originals WHERE score IS NOT NULL ORDER BY score, url LIMIT {WORST}"
            )
        ),
        findings=tuple(
            _finding(number, one, points / site.HUNDREDTHS if graded else None, places.get(number, ()))
            for number, (one, points) in enumerate(zip(lines, lost, strict=True), 1)
        ),
        passed=tuple(name for name, outcome in outcomes.items() if outcome == "passed"),
        not_applicable=tuple(name for name, outcome in outcomes.items() if outcome == "not_applicable"),
        not_evaluated=tuple(outcome for outcome in outcomes.values() if isinstance(outcome, Unevaluated)),
        templates=_templates(relations),
        folders=_folders(relations),
        notes=tuple(filter(None, (facts.get("access"), facts.get("visitors")))),
    )


_ORDER: Final[Mapping[Importance, int]] = {"critical": 0, "high": 1, "medium": 2, "low": 3, "informative": 4}


def _why_no_grade(relations: Relations) -> str:
    """Return the reason for which a site with too few pages has no grade: its start page may let nobody in."""
    refused = relations.row(
        "SELECT count(*) FROM pages WHERE page_id = CAST(fact('start') AS BIGINT) AND status IN (401, 403, 407, 451)"
    )[0]
    return "start_refused" if refused else "too_few_pages"


def _is_true(facts: Mapping[str, str], name: str) -> bool:
    return facts.get(name) == "1"


def _reason_not_to(relations: Relations, check: SiteCheck, facts: Mapping[str, str]) -> str | None:
    """The reason why a check cannot be evaluated; ``None`` if it can."""
    return next((NEEDS[need] for need in check.needs if not _is_there(relations, need, facts)), None)


def _is_there(relations: Relations, need: Need, facts: Mapping[str, str]) -> bool:
    match need:
        case "complete" | "sitemap" | "assets" | "external" | "traps" | "rendered":
            return _is_true(facts, need)
        case "probes":
            return facts.get("probes", "[]") != "[]"
        case "headers":
            return bool(relations.row("SELECT count(headers) FROM pages")[0])


def facts_of(relations: Relations) -> dict[str, str]:
    """The facts of the site."""
    return {str(key): str(value) for key, value in relations.rows("SELECT key, value FROM site")}


def run_check(
    relations: Relations, check: SiteCheck, facts: Mapping[str, str]
) -> Literal["found", "passed", "not_applicable"] | Unevaluated:
    """Add what a check finds to the table ``hits``, and say how it ended."""
    relations.run(
        "CREATE TABLE IF NOT EXISTS hits"
        " (check_id VARCHAR, state VARCHAR, page_id BIGINT, target_id BIGINT, value VARCHAR)"
    )
    if (reason := _reason_not_to(relations, check, facts)) is not None:
        return Unevaluated(check=check.id, title=check.title, reason=reason)
    if not relations.row(f"SELECT count(*) FROM {check.over}")[0]:
        return "not_applicable"
    relations.run(
        "INSERT INTO hits SELECT DISTINCT $1, state, page_id, target_id, CAST(value AS VARCHAR)"
        f" FROM ({check.function()})",
        [check.id],
    )
    found = relations.row("SELECT count(*) FROM hits WHERE check_id = $1", [check.id])[0]
    return "found" if found else "passed"


def _site_lines(relations: Relations) -> Iterator[_Line]:
    found = relations.rows(
        "SELECT check_id, state, count(DISTINCT page_id) FROM hits GROUP BY check_id, state ORDER BY check_id, state"
    )
    checks = all_site_checks()
    observed = []
    for name, state, _ in found:
        check = checks[name]
        share = _share(relations, check, state)
        observed.append(
            site.SiteObserved(name, state, check.severity, check.state(state).highest, share, cause=check.cause)
        )
    for (name, state, pages), one, (penalty, counted_in) in zip(found, observed, site.charge(observed), strict=True):
        yield _Line(
            extent="site",
            check=name,
            state=state,
            severity=Severity.of_points(one.severity.value * one.loss).label,
            words=checks[name].state(state),
            cause="",
            pages=pages,
            share=one.share,
            units=penalty * ONE_HUNDREDTH,
            counted_in=None if counted_in == name else counted_in,
        )


def _share(relations: Relations, check: SiteCheck, state: str) -> float:
    """The affected share of what the check says, 0 to 1."""
    mine = "FROM hits WHERE check_id = $1 AND state = $2"
    if check.share == "site":
        return 1.0
    if check.share == "pages":
        affected = f"SELECT coalesce(sum(weight), 0) FROM weights SEMI JOIN (SELECT page_id {mine}) USING (page_id)"
        whole = f"SELECT {SCALE}"
    elif check.share == "links":
        links = f"SELECT DISTINCT page_id, target_id {mine}"
        affected = f"SELECT count(*) FROM ({links}) SEMI JOIN originals USING (page_id)"
        whole = "SELECT count(*) FROM hrefs SEMI JOIN originals ON page_id = from_id"
    else:
        affected = f"SELECT count(*) FROM (SELECT DISTINCT page_id, target_id {mine})"
        # One of three redirects is a trifle on a site of a thousand pages.
        whole = f"SELECT greatest((SELECT count(*) FROM {check.over}), (SELECT count(*) FROM pages))"
    part, total = relations.row(f"SELECT ({affected}), ({whole})", [check.id, state])
    return min(1.0, int(part) / max(1, int(total)))


def _cause_lines(relations: Relations) -> Iterator[_Line]:
    checks = all_checks()
    (read,) = relations.row("SELECT count(*) FROM pages WHERE state = 'fetched' AND status = 200 AND words IS NOT NULL")
    for name, state, cause, pages, template, units in relations.rows(
        "SELECT check_id, state, cause, pages, template_id, units FROM causes ORDER BY ALL"
    ):
        check = checks.get(name)
        known = check is not None and any(one.name == state for one in check.states)
        extent: Extent = "various" if cause is None else "pages" if template is None else "template"
        yield _Line(
            extent=extent,
            check=name,
            state=state,
            # That of its worst place.
            severity=severity_of_finding(check, state, check.state(state).highest).label
            if check is not None and known
            else "informative",
            words=check.state(state) if check is not None and known else None,
            cause="" if cause is None else f"{cause:016x}",
            pages=pages,
            share=min(1.0, pages / max(1, read)),
            units=int(units),
            template=template,
        )


def _fill_pages(relations: Relations, lines: Sequence[_Line]) -> None:
    """Make the table of all pages of all findings."""
    relations.run(
        "CREATE TABLE numbers (number INTEGER, extent VARCHAR, check_id VARCHAR, state VARCHAR, cause VARCHAR)"
    )
    relations.insert(
        "numbers",
        (
            {"number": at, "extent": one.extent, "check_id": one.check, "state": one.state, "cause": one.cause}
            for at, one in enumerate(lines, 1)
        ),
        {"number": "INTEGER", "extent": "VARCHAR", "check_id": "VARCHAR", "state": "VARCHAR", "cause": "VARCHAR"},
    )
    relations.run(
        """
        CREATE TABLE finding_pages AS
        SELECT number, page_id, target_id, value FROM hits JOIN numbers USING (check_id, state) WHERE extent = 'site'
        UNION ALL
        SELECT number, page_id, NULL, example FROM cause_pages
        JOIN numbers ON numbers.check_id = cause_pages.check_id AND numbers.state = cause_pages.state
        AND extent <> 'site'
        AND numbers.cause = coalesce(lower(lpad(to_hex(cause_pages.cause), 16, '0')), '')
        """
    )
    relations.run(
        "CREATE TABLE names AS SELECT page_id AS id, url FROM pages UNION ALL SELECT target_id, url FROM outside"
        " UNION ALL SELECT asset_id, url FROM assets"
    )


def _places(relations: Relations) -> dict[int, tuple[Place, ...]]:
    """Number of a finding -> its first pages, or its targets with the pages that link to them.

    All findings at once: of a large site, a thousand of them would go over millions of rows a thousand times.
    """
    found: dict[int, list[Place]] = {}
    for number, url, value, count, sources in relations.rows(
        f"""
        WITH ties AS (
            SELECT number, target_id, page_id, min(value) AS value FROM finding_pages
            WHERE target_id IS NOT NULL GROUP BY ALL
        ), counted AS (SELECT number, target_id, count(*) AS pages FROM ties GROUP BY ALL), shown AS (
            SELECT number, target_id, url, pages FROM counted JOIN names ON id = target_id
            QUALIFY row_number() OVER (PARTITION BY number ORDER BY pages DESC, url) <= {MAX_PLACES}
        )
        SELECT number, shown.url, min(value), any_value(pages), min(names.url, {MAX_SOURCES})
        FROM shown JOIN ties USING (number, target_id) JOIN names ON id = page_id
        GROUP BY number, shown.url ORDER BY number, any_value(pages) DESC, shown.url
        """
    ):
        found.setdefault(number, []).append(Place(url=url, value=value or "", count=count, sources=tuple(sources)))
    for number, url, value in relations.rows(
        f"""
        WITH each AS (SELECT number, page_id, min(value) AS value FROM finding_pages GROUP BY ALL)
        SELECT number, url, value FROM each JOIN names ON id = page_id LEFT JOIN weights USING (page_id)
        QUALIFY row_number() OVER (
            PARTITION BY number ORDER BY value IS NULL, coalesce(weight, 0) DESC, url
        ) <= {MAX_PLACES}
        ORDER BY number, value IS NULL, coalesce(weight, 0) DESC, url
        """
    ):
        # Of links their targets are shown.
        if not (known := found.setdefault(number, [])) or not known[0].sources:
            known.append(Place(url=url, value=value or ""))
    return {number: tuple(places) for number, places in found.items()}


def _finding(number: int, line: _Line, lost: float | None, places: tuple[Place, ...]) -> SiteFinding:
    words = line.words
    named = f"{line.check}\n{line.state}\n{line.cause}"
    return SiteFinding(
        number=number,
        extent=line.extent,
        check=line.check,
        state=line.state,
        severity=line.severity,
        title=(words.title if words is not None else "") or line.check,
        message=words.message if words is not None else "",
        why=words.why if words is not None else "",
        fix=words.fix if words is not None else "",
        pages=line.pages,
        share=line.share,
        lost=lost,
        places=places,
        template=line.template,
        counted_in=line.counted_in,
        fingerprint=hashlib.blake2b(named.encode(), digest_size=8).hexdigest(),
    )


def _counts(relations: Relations) -> dict[str, int]:
    names = ("found", "variants", "fetched", "read", "carried", "graded")
    row = relations.row(
        """
        SELECT count(*), count(*) FILTER (trap = 'variant'), count(*) FILTER (state = 'fetched'),
            count(*) FILTER (state = 'fetched' AND status = 200 AND words IS NOT NULL), count(carried_from),
            (SELECT count(*) FROM weights)
        FROM pages
        """
    )
    return dict(zip(names, map(int, row), strict=True))


def _caps(relations: Relations, facts: Mapping[str, str]) -> tuple[str, ...]:
    """Codes of the caps that hold, the lowest first."""
    start = int(facts.get("start", "-1"))
    shown, failing, whole, bad = relations.row(
        f"""
        SELECT (SELECT count(*) FROM lands SEMI JOIN indexable ON indexable.page_id = lands.final_id
                WHERE lands.page_id = $1),
            (SELECT count(*) FROM pages WHERE status BETWEEN 500 AND 599), (SELECT count(*) FROM originals),
            (SELECT coalesce(sum(weight), 0) FROM weights JOIN originals USING (page_id) WHERE score < {DECENT_FROM})
        """,
        [start],
    )
    holds = {
        "start_not_indexable": not shown,
        "robots_blocks_all": facts.get("robots") == "blocks_all",
        "server_errors": failing * 10 > failing + whole,
        "no_https": facts.get("https") == "0",
        "bad_fifth": int(bad) * 5 > SCALE,
    }
    return tuple(code for code in site.CAPS if holds[code])


def _distribution(relations: Relations) -> Distribution:
    rows = {
        name: (int(pages), int(weight) / SCALE)
        for name, pages, weight in relations.rows(
            f"""
            SELECT CASE WHEN score >= {GOOD_FROM} THEN 'good' WHEN score >= {DECENT_FROM} THEN 'decent' ELSE 'bad' END,
                count(*), sum(weight)
            FROM originals JOIN weights USING (page_id) GROUP BY ALL
            """
        )
    }
    good, decent, bad = (rows.get(name, (0, 0.0)) for name in ("good", "decent", "bad"))
    return Distribution(
        good=good[0],
        decent=decent[0],
        bad=bad[0],
        good_share=round(good[1], 4),
        decent_share=round(decent[1], 4),
        bad_share=round(bad[1], 4),
    )


def _templates(relations: Relations) -> tuple[Template, ...]:
    return tuple(
        Template(number=number, name=name or "", pages=pages, score=score, example=example)
        for number, name, pages, score, example in relations.rows(
            f"""
            WITH patterns AS (
                SELECT template_id, coalesce(pattern, path) AS pattern, count(*) AS pages
                FROM templates JOIN pages USING (page_id) GROUP BY ALL
            ), named AS (
                SELECT template_id, first(pattern ORDER BY pages DESC, pattern) AS name
                FROM patterns GROUP BY template_id
            )
            SELECT template_id, name, count(*), round(avg(score), 1), min(url)
            FROM templates JOIN pages USING (page_id) JOIN named USING (template_id)
            GROUP BY template_id, name ORDER BY count(*) DESC, min(url) LIMIT {MAX_TEMPLATES}
            """
        )
    )


def _folders(relations: Relations) -> tuple[Folder, ...]:
    """The folders with most pages. One has no more pages than that above it, so none is without the one above."""
    return tuple(
        Folder(url=url, level=level, pages=pages, score=None if total is None else round(int(total) / graded, 1))
        for url, level, pages, total, graded in relations.rows(
            f"""
            WITH parts AS (
                SELECT regexp_extract(url, '^[a-z]+://[^/]+') AS origin,
                    string_split(split_part(path, '?', 1), '/')[2:-2] AS names, score
                FROM pages WHERE state = 'fetched' AND status = 200 AND words IS NOT NULL
            ), above AS (
                SELECT origin, names, score,
                    unnest(generate_series(0, least(len(names), {MAX_LEVEL}))) AS level
                FROM parts
            ), folders AS (
                SELECT origin || '/' || array_to_string(names[1:level], '/') || CASE WHEN level > 0 THEN '/' ELSE '' END
                    AS url, level, count(*) AS pages, sum(score) AS total, count(score) AS graded
                FROM above GROUP BY ALL
            )
            SELECT * FROM (
                SELECT * FROM folders WHERE pages >= {FOLDER_PAGES} OR level = 0
                ORDER BY pages DESC, level, url LIMIT {MAX_FOLDERS}
            ) ORDER BY string_split(url, '/')
            """
        )
    )
