"""The result of an audit for people: text for a terminal, one self-contained HTML page, a table of all pages.

And the comparison of two crawls of a site: its words, and text for a terminal.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Final

from markupsafe import escape
from rich.text import Text

from pagegrade.model.account import Brand
from pagegrade.model.audit_result import AuditResult, Place, SiteFinding
from pagegrade.render.account import NO_BRAND
from pagegrade.render.csv import Cell, each_part, table
from pagegrade.render.english import ENGLISH, N_, Words
from pagegrade.render.escape import visible
from pagegrade.render.finding_texts import translated
from pagegrade.render.html import ENGLISH_TAG, environment, look
from pagegrade.render.prose import parse_prose
from pagegrade.render.text import GRADE_STYLES, MAX_WIDTH, MIN_WIDTH, TextPage
from pagegrade.report.compare_audits import (
    AuditComparison,
    AuditDifference,
    ChangeKind,
    ChangeReason,
    FindingChange,
    PageAspect,
)

FIX_FIRST: Final = 5
SHOWN_PLACES: Final = 5
NO_GRADE: Final[dict[str, tuple[str, str]]] = {
    "too_few_pages": (
        N_("Fewer than five different pages could be graded."),
        N_("Allow more pages, or a wider scope; a site this small is better analyzed page by page."),
    ),
    "start_refused": (
        N_("The start page lets nobody in without an access."),
        N_(
            "Give Pagegrade the user, header or cookie that the site asks for, by an option of the command or an "
            "access profile, or let its user agent in; then crawl the site again."
        ),
    ),
    "start_unreachable": (
        N_("The start page could not be fetched."),
        N_("Check its URL and that the site answers, then crawl it again."),
    ),
    "robots_unreachable": (
        N_("robots.txt could not be had, and without it nothing may be fetched."),
        N_("Let the site answer /robots.txt, with 404 if there is none, then crawl it again."),
    ),
    "site_not_proved": (
        N_("Crawls send an access only to a site that is proved to be yours, and this one is not."),
        N_(
            "Add the record, the file or the tag that the page of the audit names, then crawl the site again; or crawl "
            "it without an access."
        ),
    ),
    "target_limit": (
        N_("Crawls of this installation have fetched as many pages of the site today as they may without a proof."),
        N_(
            "Crawl it tomorrow, or prove that it is yours: add the record, the file or the tag that the page of the "
            "audit names."
        ),
    ),
    "analysis_not_installed": (
        N_("The pages were crawled, but this installation cannot evaluate them together."),
        N_("Ask its operator to install pagegrade[audit], then crawl the site again."),
    ),
    "analysis_failed": (
        N_("The pages were crawled, but could not be evaluated together."),
        N_("Crawl the site again; with fewer pages if it happens again."),
    ),
    "canceled": (N_("The crawl was canceled."), N_("Crawl the site again.")),
    "internal": (N_("The crawl ended with an error of this installation."), N_("Crawl the site again.")),
}
"""Reason for having no grade -> what happened, and what to do."""

_PAGE_COLUMNS: Final = (
    "finding INTEGER, check VARCHAR, state VARCHAR, title VARCHAR, page VARCHAR, target VARCHAR, value VARCHAR"
)
_SITE_COLUMNS: Final = (
    "id BIGINT, url VARCHAR, state VARCHAR, reason VARCHAR, status INTEGER, depth INTEGER, content_type VARCHAR,"
    "bytes BIGINT, time_ms DOUBLE, title VARCHAR, description VARCHAR, words INTEGER, noindex BOOLEAN,"
    "canonical VARCHAR, redirect VARCHAR, score INTEGER, carried_from INTEGER"
)
_LINK_COLUMNS: Final = (
    "from_page BIGINT, from_url VARCHAR, to_page BIGINT, to_url VARCHAR, to_state VARCHAR, to_status INTEGER,"
    "kind VARCHAR, place VARCHAR, nofollow BOOLEAN, hreflang VARCHAR, text VARCHAR"
)
PAGE_COLUMNS, SITE_COLUMNS, LINK_COLUMNS = (
    dict(part.split() for part in text.split(",")) for text in (_PAGE_COLUMNS, _SITE_COLUMNS, _LINK_COLUMNS)
)
"""Column -> its type in Parquet, of the tables of findings, of pages and of links."""
KIND_WORDS: Final[dict[ChangeKind, str]] = {
    "new": N_("New"),
    "worse": N_("Worse"),
    "fixed": N_("Fixed"),
    "better": N_("Better"),
    "still": N_("Still there"),
    "not_comparable": N_("Not comparable"),
}
_DIFFERENCES: Final[dict[AuditDifference, str]] = {
    "site": N_("They begin at different pages."),
    "ruleset": N_("Different rules evaluated the site: %(before)s and %(after)s."),
    "settings": N_("Different settings say what belongs to the site."),
    "access": N_("They asked for the site with different accesses."),
}
_REASONS: Final[dict[ChangeReason, str]] = {
    "check_not_evaluated": N_("The check was evaluated in one of the two crawls only."),
    "not_seen": N_("Not all of its pages were seen in both crawls."),
    "looks_different": N_("Its pages have findings of the same check that look different."),
}
ASPECT_WORDS: Final[dict[PageAspect, str]] = {
    "status": N_("status"),
    "title": N_("title"),
    "canonical": N_("canonical URL"),
    "noindex": N_("visibility to search engines"),
    "content": N_("content"),
    "score": N_("score"),
}
SHOWN_PAGES: Final = 10
"""Pages of one kind of change that the terminal shows."""


def withheld_object(reason: str | None) -> dict[str, str] | None:
    """The JSON object of a reason for having no grade, one of ``NO_GRADE``; ``None``: there is a grade, or none yet."""
    if reason is None:
        return None
    message, fix = NO_GRADE[reason]
    return {"kind": reason, "message": message, "fix": fix}


def first_to_fix(result: AuditResult) -> tuple[SiteFinding, ...]:
    """The findings that cost most, at most ``FIX_FIRST``."""
    return tuple(one for one in result.findings if one.lost)[:FIX_FIRST]


def told_apart(result: AuditResult) -> dict[int, str]:
    """Marks for findings of one name: number of the finding -> the first thing that it found, or its page."""
    names = Counter((one.check, one.state) for one in result.findings)
    return {
        one.number: visible(one.places[0].value or one.places[0].url, 100)
        for one in result.findings
        if names[one.check, one.state] > 1 and one.places
    }


def render_audit_text(result: AuditResult, *, width: int = 80, color: bool = False, ascii_only: bool = False) -> str:
    """The result for a person at a terminal; arguments as for ``render_text``."""
    page = TextPage(max(MIN_WIDTH, min(width, MAX_WIDTH)), color=color)
    _summary(page, result)
    marks = told_apart(result)
    if first := first_to_fix(result):
        page.heading("Fix first")
        for one in first:
            page.line(f"{one.lost:>6.2f}  {_headline(one, marks)}", indent=2, hang=10)
    if result.findings:
        page.heading(f"Findings: {len(result.findings)}")
    for one in result.findings:
        _finding(page, one, marks)
    if result.not_evaluated:
        page.heading("Not evaluated")
    for item in result.not_evaluated:
        page.line(f"{item.check}: {item.reason}", indent=2, hang=4)
    for title, names in (("Passed", result.passed), ("Not applicable", result.not_applicable)):
        if names:
            page.heading(title)
            page.line(", ".join(names), indent=2)
    page.gap()
    page.line(Text(f"Rules {result.ruleset}, Pagegrade {result.engine}", style="dim"))
    return page.done(ascii_only=ascii_only)


def _summary(page: TextPage, result: AuditResult) -> None:
    page.gap()
    page.line(Text.assemble(("Pagegrade audit", "bold"), "  ", visible(result.url, 2048)), hang=17)
    page.gap()
    if result.score is None:
        message, fix = NO_GRADE[result.no_grade]
        page.line(Text(f"No grade. {message}", style="bold"))
        page.line(fix)
    else:
        grade = (f"{result.score} of 100, {result.rating}", GRADE_STYLES[result.rating])
        page.line(Text.assemble(grade, f"  ({result.exact:g} before caps and rounding)"))
    for cap in () if result.score is None else result.caps:
        page.line(f"At most {cap.max_score}: {cap.message}", indent=2)
    page.line(
        f"{result.fetched:,} of {result.found:,} known URLs were fetched, {result.read:,} of them pages; "
        f"{result.graded:,} different ones are graded."
    )
    if result.carried:
        have = "has" if result.carried == 1 else "have"
        page.line(
            f"{result.carried:,} of the URLs {have} not changed since an earlier crawl, whose findings were carried "
            "over."
        )
    if result.score is not None and (result.partial or not result.complete):
        page.line("The crawl did not reach the whole site: the score is of the pages that were fetched.")
    for note in result.notes:
        page.line(visible(note, 400))
    spread = result.distribution
    page.line(
        f"Good {spread.good:,} ({spread.good_share:.0%} of the weight), "
        f"decent {spread.decent:,} ({spread.decent_share:.0%}), bad {spread.bad:,} ({spread.bad_share:.0%})."
    )
    if result.p10 is not None:
        page.line(f"A tenth of the pages score {result.p10} or less.")


def _headline(finding: SiteFinding, marks: Mapping[int, str]) -> str:
    mark = f", {marks[finding.number]}" if finding.number in marks else ""
    return f"{visible(finding.title, 120)}{mark}: {finding.pages:,} {'page' if finding.pages == 1 else 'pages'}"


def _finding(page: TextPage, finding: SiteFinding, marks: Mapping[int, str]) -> None:
    page.gap()
    cost = "" if finding.lost is None else f"costs {finding.lost:.2f}, "
    if finding.counted_in:
        cost = f"counted in {finding.counted_in}, "
    page.line(Text.assemble((_headline(finding, marks), "bold"), f"  [{finding.check}]"), indent=2, hang=4)
    where = "" if finding.template is None else ", nearly all pages of one template"
    page.line(f"{finding.severity}, {cost}{finding.share:.1%} affected{where}", indent=4)
    page.prose(parse_prose(finding.why), indent=4, first_label="Why")
    page.prose(parse_prose(finding.fix), indent=4, first_label="Fix")
    for place in finding.places[:SHOWN_PLACES]:
        page.line(f"• {_place(place)}", indent=4, hang=6)
    if len(finding.places) > SHOWN_PLACES:
        page.line("and more, all of them in the table of pages", indent=6)


def _place(place: Place) -> str:
    value = f" ({visible(place.value, 120)})" if place.value else ""
    sources = ""
    if place.sources:
        more = f" and {place.count - len(place.sources):,} more" if place.count > len(place.sources) else ""
        sources = f", on {', '.join(visible(url, 200) for url in place.sources)}{more}"
    return f"{visible(place.url, 300)}{value}{sources}"


def finding_rows(
    result: AuditResult, pages: Iterable[tuple[int, str, str | None, str | None]]
) -> Iterator[dict[str, Cell]]:
    """Yield a row of ``PAGE_COLUMNS`` for every page of every finding.

    Args:
        result: Names the findings.
        pages: (number of the finding, page, target, value), as the table ``finding_pages`` has them.
    """
    by_number = {one.number: one for one in result.findings}
    for number, url, target, value in pages:
        one = by_number[number]
        yield dict(zip(PAGE_COLUMNS, (number, one.check, one.state, one.title, url, target, value), strict=True))


def render_audit_csv(result: AuditResult, pages: Iterable[tuple[int, str, str | None, str | None]]) -> Iterator[str]:
    """Yield the table of ``finding_rows``, some rows at a time."""
    return each_part(tuple(PAGE_COLUMNS), (tuple(row.values()) for row in finding_rows(result, pages)))


def render_audit_table(columns: Iterable[str], rows: Iterable[Mapping[str, Cell]]) -> str:
    """A table of pages or links.

    Args:
        columns: ``SITE_COLUMNS`` or ``LINK_COLUMNS``.
        rows: Objects of the HTTP interface; what one lacks is an empty cell.
    """
    names = tuple(columns)
    return table(names, ([row.get(name) for name in names] for row in rows))


def render_sitemap(listed: Iterable[tuple[str, str]]) -> str:
    """A sitemap (https://www.sitemaps.org/protocol.html) of (URL, date of the last change or nothing)."""
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">']
    for url, date in listed:
        when = f"<lastmod>{escape(date)}</lastmod>" if date else ""
        lines.append(f"<url><loc>{escape(url)}</loc>{when}</url>")
    return "\n".join([*lines, "</urlset>", ""])


def render_audit_html(result: AuditResult, *, tag: str = ENGLISH_TAG, brand: Brand = NO_BRAND) -> str:
    """The result as a document that needs nothing but itself, in one of ``i18n.LOCALES``."""
    return (
        environment(tag)
        .get_template("audit.html.jinja")
        .render(
            result=result,
            no_grade=NO_GRADE,
            first=first_to_fix(result),
            marks=told_apart(result),
            said=cache(lambda text: translated(text, tag)),
            **look(brand),
        )
    )


def why_crawls_differ(comparison: AuditComparison, words: Words = ENGLISH) -> str:
    """Return why the two are not compared, in sentences; empty if they are."""
    before, after = (visible(one, 40) for one in comparison.rulesets)
    return " ".join(
        words.gettext(_DIFFERENCES[one], before=before, after=after)
        if one == "ruleset"
        else words.gettext(_DIFFERENCES[one])
        for one in comparison.differs_in
    )


def why_not_comparable(change: FindingChange, words: Words = ENGLISH) -> str:
    """Return why nothing can be said of a finding; empty if something can."""
    return "" if change.reason is None else words.gettext(_REASONS[change.reason])


def render_comparison_text(
    comparison: AuditComparison, *, width: int = 80, color: bool = False, ascii_only: bool = False
) -> str:
    """The comparison for a person at a terminal; arguments as for ``render_text``."""
    page = TextPage(max(MIN_WIDTH, min(width, MAX_WIDTH)), color=color)
    page.gap()
    page.line(Text(f"Crawl {comparison.before} and crawl {comparison.after}", style="bold"))
    if comparison.differs_in:
        page.line(f"They are not compared. {why_crawls_differ(comparison)}")
        return page.done(ascii_only=ascii_only)
    before, after = ("no grade" if score is None else str(score) for score in comparison.scores)
    exact = comparison.exact
    more = "" if None in exact else f" ({exact[0]:g} and {exact[1]:g} before caps and rounding)"
    page.line(f"Score: {before}, then {after}{more}.")
    for kind, count in comparison.counts.items():
        if count:
            page.heading(f"{KIND_WORDS[kind]}: {count}")
        for one in comparison.findings:
            if one.kind == kind:
                _difference(page, one)
    changes = comparison.pages
    changed = tuple(f"{visible(one.url, 300)} ({', '.join(one.aspects)})" for one in changes.changed[:SHOWN_PAGES])
    listed = (
        ("New pages", tuple(visible(url, 300) for url in changes.new[:SHOWN_PAGES])),
        ("Pages that are gone", tuple(visible(url, 300) for url in changes.gone[:SHOWN_PAGES])),
        ("Changed pages", changed),
    )
    for (title, lines), total in zip(listed, changes.totals, strict=True):
        if total:
            page.heading(f"{title}: {total:,}")
        for line in lines:
            page.line(f"• {line}", indent=2, hang=4)
        if total > len(lines):
            page.line(f"and {total - len(lines):,} more", indent=4)
    return page.done(ascii_only=ascii_only)


def _difference(page: TextPage, change: FindingChange) -> None:
    finding, cost = change.finding, change.cost
    points = "" if not cost else f"  {-cost:+.2f} points"
    page.line(f"{visible(finding.title, 120)}  [{finding.check}]{points}", indent=2, hang=4)
    before, after = (0 if one is None else one.pages for one in (change.before, change.after))
    page.line(f"{finding.severity}, {before:,} pages, then {after:,}", indent=4)
    if change.reason is not None:
        detail = f" {visible(change.detail, 200)}" if change.detail else ""
        page.line(f"{why_not_comparable(change)}{detail}", indent=4)
