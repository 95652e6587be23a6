"""Model of the PDF of an audit (``templates/audit.typ``): a result becomes plain values, all escaped and bounded."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Final

from pagegrade.model.account import Brand
from pagegrade.model.audit_result import AuditResult, Place, SiteFinding
from pagegrade.model.identity import PROJECT_URL
from pagegrade.parse.url import project_of
from pagegrade.render.account import NO_BRAND
from pagegrade.render.audit import NO_GRADE, first_to_fix, told_apart
from pagegrade.render.english import N_
from pagegrade.render.escape import safe_href, visible
from pagegrade.render.finding_texts import translated
from pagegrade.render.html import ENGLISH_TAG
from pagegrade.render.i18n import Texts, texts_for
from pagegrade.render.pdf_model import GRADE_WORDS, SEVERITIES, Values, brand_values, breakable, prose_values

MAX_DETAILED: Final = 40
"""Findings with texts and pages; those after them have one line each."""
MAX_FINDINGS: Final = 200
"""More are counted, not shown."""
SHOWN_PLACES: Final = 3
SHOWN_TEMPLATES: Final = 20
MAX_UNEVALUATED: Final = 100
_LABELS: Final = {
    "boxes": N_("This file has no pictures for some characters of the page: they stand as boxes, and can be copied."),
    "check": N_("Check"),
    "finding": N_("Finding"),
    "findings": N_("Findings"),
    "first": N_("Fix first"),
    "fix": N_("Fix"),
    "folder": N_("Folder"),
    "further": N_("Further findings"),
    "further_note": N_("Without details; the other formats of the report have them."),
    "made_with": N_("Made with"),
    "mean": N_("Mean score"),
    "no_score": N_("no score"),
    "nothing": N_("Nothing was found."),
    "of_100": N_("of 100"),
    "pages": N_("Pages"),
    "points": N_("Points"),
    "structure": N_("Structure"),
    "template": N_("Most of its URLs"),
    "unevaluated": N_("Not evaluated"),
    "why": N_("Why"),
}


def audit_sheet(result: AuditResult, at_ms: int, *, tag: str = ENGLISH_TAG, brand: Brand = NO_BRAND) -> Values:
    """All that the template asks for, for ``pdf.render_sheet_pdf``.

    Args:
        result: What a crawl came to.
        at_ms: When it had ended.
        tag: Language of the document, one of ``i18n.LOCALES``.
    """
    marks = told_apart(result)
    words, said = texts_for(tag), cache(lambda text: translated(text, tag))
    site, date = visible(project_of(result.url), 100), words.date(at_ms)
    heading = words.gettext("Audit of %(site)s", site=site)
    score = words.gettext("no score")
    if result.score is not None:
        score = words.gettext("%(score)s of 100", score=words.number(result.score))
    shown = result.findings[:MAX_FINDINGS]
    rest = len(result.findings) - len(shown)
    return {
        "language": words.tag,
        "title": heading,
        "description": f"{heading}: {score}",
        "heading": breakable(heading),
        "running": breakable(visible(result.url, 90)),
        "project": site,
        "date": date,
        "date_and_score": f"{breakable(site[:50])} · {score} · {date}",
        "pages": words.gettext("Page %(number)s of %(count)s", number="{number}", count="{count}"),
        "labels": {name: words.gettext(label) for name, label in _LABELS.items()},
        "severities": {name: words.gettext(label) for name, label in SEVERITIES.items()},
        "grade": result.rating or "none",
        "score": result.score,
        "said": f"{words.gettext('Score')} {score}",
        "word": words.gettext(GRADE_WORDS[result.rating or "no grade"]),
        "summary": [breakable(line) for line in _summary(result, words)],
        "notes": [breakable(line) for line in _notes(result, words, said)],
        "first": [_line(one, words, said, marks) for one in first_to_fix(result)],
        "findings": [_finding(one, words, said, marks) for one in shown[:MAX_DETAILED]],
        "further": [_line(one, words, said, marks) for one in shown[MAX_DETAILED:]],
        "left_out": words.ngettext("%(num)s more is not listed.", "%(num)s more are not listed.", rest) if rest else "",
        "folders": [
            {
                "name": breakable(visible(one.url if one.level == 0 else f"{one.url.split('/')[-2]}/", 80)),
                "level": one.level,
                "pages": words.number(one.pages),
                "score": "–" if one.score is None else words.number(one.score, digits=1),
            }
            for one in (result.folders if len(result.folders) > 1 else ())
        ],
        "templates": [
            {
                "name": breakable(visible(one.name, 80)),
                "pages": words.number(one.pages),
                "score": "–" if one.score is None else words.number(one.score, digits=1),
            }
            for one in result.templates[:SHOWN_TEMPLATES]
        ],
        "unevaluated": [
            {"title": breakable(visible(said(one.title), 60)), "reason": breakable(visible(said(one.reason), 300))}
            for one in result.not_evaluated[:MAX_UNEVALUATED]
        ],
        "made": words.gettext(
            "Rules %(rules)s, Pagegrade %(engine)s",
            rules=visible(result.ruleset, 40),
            engine=visible(result.engine, 40),
        )
        + ".",
        "project_url": PROJECT_URL,
        "brand": brand_values(brand),
        "boxes": False,
    }


def _summary(result: AuditResult, words: Texts) -> list[str]:
    number, spread = words.number, result.distribution
    lines = [
        "" if result.score is not None else words.gettext(NO_GRADE[result.no_grade][0]),
        words.gettext(
            "%(fetched)s of %(found)s known URLs were fetched. Different pages with a grade: %(graded)s.",
            fetched=number(result.fetched),
            found=number(result.found),
            graded=number(result.graded),
        ),
        words.gettext(
            "Pages that are good: %(good)s, decent: %(decent)s, bad: %(bad)s.",
            good=number(spread.good),
            decent=number(spread.decent),
            bad=number(spread.bad),
        ),
    ]
    if result.carried:
        lines.append(
            words.ngettext(
                "%(num)s of the URLs has not changed since an earlier crawl, whose findings were carried over.",
                "%(num)s of the URLs have not changed since an earlier crawl, whose findings were carried over.",
                result.carried,
            )
        )
    return [line for line in lines if line]


def _notes(result: AuditResult, words: Texts, said: Callable[[str], str]) -> list[str]:
    if result.score is None:
        return [words.gettext(NO_GRADE[result.no_grade][1]), *(visible(said(note), 400) for note in result.notes)]
    notes = [
        f"{words.gettext('The score is at most %(score)s.', score=cap.max_score)} {said(cap.message)}"
        for cap in result.caps
    ]
    if result.partial or not result.complete:
        notes.append(
            words.gettext("The crawl did not reach the whole site: the score is of the pages that were fetched.")
        )
    return [*notes, *(visible(said(note), 400) for note in result.notes)]


def _title(finding: SiteFinding, said: Callable[[str], str], marks: Mapping[int, str]) -> str:
    title = visible(said(finding.title), 120)
    return breakable(f"{title}: {marks[finding.number]}" if finding.number in marks else title)


def _line(finding: SiteFinding, words: Texts, said: Callable[[str], str], marks: Mapping[int, str]) -> Values:
    return {
        "title": _title(finding, said, marks),
        "pages": words.number(finding.pages),
        "points": "–" if finding.lost is None or finding.counted_in else words.hundredths(finding.lost),
    }


def _finding(finding: SiteFinding, words: Texts, said: Callable[[str], str], marks: Mapping[int, str]) -> Values:
    cost = words.ngettext("%(num)s page", "%(num)s pages", finding.pages)
    if finding.counted_in:
        cost += f" · {words.gettext('counted in %(check)s', check=visible(finding.counted_in, 60))}"
    elif finding.lost is not None:
        cost += f" · {words.gettext('%(points)s points', points=words.hundredths(finding.lost))}"
    message = visible(said(finding.message), 400)
    if finding.template is not None:
        message += f" {words.gettext('Nearly all pages of one template have it.')}"
    # The result names some of the pages; a target of links counts as one.
    hidden = max(len(finding.places), 0 if finding.places[:1] and finding.places[0].sources else finding.pages)
    hidden -= min(SHOWN_PLACES, len(finding.places))
    return {
        "number": words.number(finding.number),
        "title": _title(finding, said, marks),
        "importance": finding.severity,
        "cost": cost,
        "message": breakable(message),
        "why": prose_values(said(finding.why)),
        "fix": prose_values(said(finding.fix)),
        "places": [
            {
                "url": breakable(visible(place.url, 160)),
                "href": safe_href(place.url),
                "value": breakable(_beside(place, words)),
            }
            for place in finding.places[:SHOWN_PLACES]
        ],
        "more": words.ngettext("%(num)s more is not listed.", "%(num)s more are not listed.", hidden)
        if hidden > 0
        else "",
        "check": breakable(visible(finding.check, 60)),
    }


def _beside(place: Place, words: Texts) -> str:
    """The thing found there; of a target of links, the number of pages that link to it."""
    linked = words.ngettext("%(num)s page", "%(num)s pages", place.count) if place.count else ""
    return " · ".join(filter(None, (visible(place.value, 100), linked)))
