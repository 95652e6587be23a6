"""The comparison of two crawls of a site: its words, and text for a terminal."""

from __future__ import annotations

from typing import Final

from rich.text import Text

from pagegrade.render.english import ENGLISH, N_, Words
from pagegrade.render.escape import visible
from pagegrade.render.text import MAX_WIDTH, MIN_WIDTH, TextPage
from pagegrade.report.compare_audits import (
    AuditComparison,
    AuditDifference,
    ChangeKind,
    ChangeReason,
    FindingChange,
    PageAspect,
)

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
                _finding(page, one)
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


def _finding(page: TextPage, change: FindingChange) -> None:
    finding, cost = change.finding, change.cost
    points = "" if not cost else f"  {-cost:+.2f} points"
    page.line(f"{visible(finding.title, 120)}  [{finding.check}]{points}", indent=2, hang=4)
    before, after = (0 if one is None else one.pages for one in (change.before, change.after))
    page.line(f"{finding.severity}, {before:,} pages, then {after:,}", indent=4)
    if change.reason is not None:
        detail = f" {visible(change.detail, 200)}" if change.detail else ""
        page.line(f"{why_not_comparable(change)}{detail}", indent=4)
