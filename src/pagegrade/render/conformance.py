"""Reports by criterion of WCAG 2.2: a document to print, an accessibility statement, a table, and EARL.

The document has the parts that EN 301 549 and templates of accessibility reports ask for: what was evaluated, when and
how, what the words mean, and a row for every criterion with its clauses, the result and remarks.
Source of EARL: https://www.w3.org/TR/EARL10-Schema/
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC
from typing import Final

import msgspec

from pagegrade.model.account import Brand
from pagegrade.model.identity import PROJECT_URL
from pagegrade.model.report import ManualOutcome, ManualResult, Report, Result
from pagegrade.render.account import NO_BRAND
from pagegrade.render.criteria import (
    CRITERIA,
    STATUS_NAMES,
    Criterion,
    CriterionResult,
    Level,
    Status,
    by_criterion,
    links_of,
    machine_share,
    manual_remark,
    remark,
)
from pagegrade.render.csv import Cell, table
from pagegrade.render.english import ENGLISH, N_
from pagegrade.render.escape import safe_href, visible
from pagegrade.render.finding_texts import in_language
from pagegrade.render.html import ENGLISH_TAG, environment, look
from pagegrade.render.i18n import Texts, texts_for
from pagegrade.render.pdf_model import Values, brand_values, breakable
from pagegrade.render.rendered_view import engine_line
from pagegrade.render.view import access_note, headline, reason, was_seen, what_happened
from pagegrade.report.serialize import format_timestamp, timestamp

COLUMNS: Final = (
    *("url", "generated_at", "criterion", "name", "level", "wcag", "en_301_549", "section_508", "status", "remark"),
    *("found", "passed_checks", "not_evaluated_checks"),
    *("manual", "manual_note", "manual_evidence", "manual_author", "manual_at", "manual_stale"),
)
LEVELS: Final[tuple[Level, ...]] = ("A", "AA")
_WORST_FIRST: Final[tuple[Status, ...]] = (
    *("failed", "needs_person", "not_evaluated", "passed"),
    *("confirmed", "excluded"),
)
_CONTEXT: Final = {
    "earl": "http://www.w3.org/ns/earl#",
    "dct": "http://purl.org/dc/terms/",
    "ptr": "http://www.w3.org/2009/pointers#",
    "WCAG22": "https://www.w3.org/TR/WCAG22/#",
}
_LABELS: Final[Mapping[str, str]] = {
    "boxes": N_("This file has no pictures for some characters of the page: they stand as boxes, and can be copied."),
    "evaluated": N_("What was evaluated"),
    "made_with": N_("Made with"),
    "meanings": N_("What the results mean"),
    "method": N_("How it was evaluated"),
}
_PAGES_HEAD: Final = (N_("Page"), N_("Title"), N_("Date"), N_("Evaluated by machine"))
_CRITERIA_HEAD: Final = (N_("Criterion"), "EN 301 549", "Section 508", N_("Result"), N_("Remarks"))
_EARL_MANUAL: Final[dict[ManualOutcome, str]] = {
    "passed": "earl:passed",
    "failed": "earl:failed",
    "not_applicable": "earl:inapplicable",
}
_EARL_OUTCOMES: Final[dict[Status, str]] = {
    "failed": "earl:failed",
    # That automatic tests find no failure does not make a criterion met.
    "passed": "earl:cantTell",
    "not_evaluated": "earl:untested",
    "needs_person": "earl:cantTell",
}
_EARL_CHECKS: Final = {
    "passed": "earl:passed",
    "informative": "earl:passed",
    "not_applicable": "earl:inapplicable",
    "not_evaluated": "earl:untested",
}


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """A criterion on all pages of a document."""

    criterion: Criterion
    status: Status
    """The worst on any page."""
    pages: tuple[tuple[Report, CriterionResult], ...]
    """Each page with what its report says; pages with the same remark and without findings once."""

    @property
    def names_pages(self) -> bool:
        """Return whether remarks are about single pages."""
        return any(one.found or one.manual for _, one in self.pages)


def render_criteria(reports: Sequence[Report]) -> str:
    """A row for every criterion of every report, as CSV."""
    has_access = any(map(access_note, reports))
    rows = [
        [*_cells(report, one), *([access_note(report)] if has_access else [])]
        for report in reports
        for one in by_criterion(report)
    ]
    return table((*COLUMNS, *(["access"] if has_access else [])), rows)


def _cells(report: Report, one: CriterionResult) -> list[Cell]:
    criterion = one.criterion
    return [
        report.url,
        format_timestamp(report.generated_at),
        criterion.number,
        criterion.name,
        criterion.level,
        criterion.since,
        criterion.en_clause,
        criterion.section_508,
        one.status,
        remark(one),
        "; ".join(f"{result.check}: {_found(result)}" for result in one.found),
        "; ".join(result.check for result in one.passed),
        "; ".join(result.check for result in one.not_evaluated),
        *_manual_cells(one.manual),
    ]


def _manual_cells(manual: ManualResult | None) -> list[Cell]:
    if manual is None:
        return [""] * 6
    stale = "yes" if manual.is_stale else "no"
    return [manual.outcome, manual.note, manual.evidence, manual.author, timestamp(manual.at_ms), stale]


def _found(result: Result) -> str:
    return headline(result) if result.ignored is None else f"{headline(result)} (ignored: {reason(result)})"


def render_earl(reports: Sequence[Report]) -> str:
    """The reports as EARL in JSON-LD: an assertion for every criterion and for every check of one."""
    by = {
        "@id": PROJECT_URL,
        "@type": ["earl:Assertor", "earl:Software"],
        "dct:title": "Pagegrade",
        "dct:hasVersion": visible(reports[0].run.engine, 40),
    }
    hrefs = [safe_href(report.final_url or report.url) for report in reports]
    shared = Counter(hrefs)
    # Nodes with the same name are one for readers of JSON-LD, and would mix what two reports say of a page.
    names = [
        href if href is not None and shared[href] == 1 else f"urn:pagegrade:page:{number}"
        for number, href in enumerate(hrefs, 1)
    ]
    graph = [by, *(node for report, name in zip(reports, names, strict=True) for node in _nodes(report, name))]
    return f"{json.dumps({'@context': _CONTEXT, '@graph': graph}, ensure_ascii=True, allow_nan=False, indent=2)}\n"


def _nodes(report: Report, name: str) -> list[dict[str, object]]:
    subject: dict[str, object] = {
        "@id": name,
        "@type": ["earl:TestSubject"],
        "dct:identifier": visible(report.final_url or report.url, 2048),
        "dct:source": visible(report.url, 2048),
        "dct:title": visible(report.page.title, 200) if report.page is not None else "",
        "dct:date": format_timestamp(report.generated_at),
    }
    if access_note(report):
        subject["dct:description"] = access_note(report)

    def assertion(test: Mapping[str, object], outcome: str, description: str, **more: object) -> dict[str, object]:
        made = {"@type": ["earl:TestResult"], "earl:outcome": {"@id": outcome}, "dct:description": description}
        return {
            "@type": ["earl:Assertion"],
            "earl:assertedBy": {"@id": PROJECT_URL},
            "earl:mode": {"@id": "earl:automatic"},
            "earl:subject": {"@id": subject["@id"]},
            "earl:test": test,
            "earl:result": made | more,
        }

    nodes: list[dict[str, object]] = [subject]
    for one in by_criterion(report):
        requirement = {
            "@id": f"WCAG22:{one.criterion.slug}",
            "@type": ["earl:TestRequirement"],
            "dct:title": _named(one),
        }
        places = "; ".join(map(_found, one.found))
        said = f"{STATUS_NAMES[one.by_machine]}. {remark(one)} {places}".replace("  ", " ").strip()
        nodes.append(assertion(requirement, _EARL_OUTCOMES[one.by_machine], said))
        if one.manual is not None and not one.manual.is_stale:
            by_person = assertion(requirement, _EARL_MANUAL[one.manual.outcome], manual_remark(one))
            nodes.append(by_person | _by_person(one.manual))
    for result in report.results if was_seen(report) else ():
        links = links_of(result.check)
        if links:
            sure = any(result.state in link.failed for link in links)
            found = sure or any(result.state in link.person for link in links)
            outcome = _EARL_CHECKS.get(result.outcome, "earl:cantTell")
            if found:
                outcome = "earl:failed" if result.passed is False and sure else "earl:cantTell"
            case = {
                "@id": safe_href(result.learn_more) or f"urn:pagegrade:check:{result.check}",
                "@type": ["earl:TestCase"],
                "dct:title": visible(result.check_name, 120),
                "dct:isPartOf": [{"@id": f"WCAG22:{_BY_NUMBER[link.criterion].slug}"} for link in links],
            }
            nodes.append(assertion(case, outcome, visible(result.message or result.reason, 400), **_pointers(result)))
    return nodes


def _by_person(manual: ManualResult) -> dict[str, object]:
    """Return who asserted it and when, in place of what a program did."""
    return {
        "earl:assertedBy": {"@type": ["earl:Assertor", "dct:Agent"], "dct:title": visible(manual.author, 200)},
        "earl:mode": {"@id": "earl:manual"},
        "dct:date": timestamp(manual.at_ms),
    }


_BY_NUMBER: Final = {criterion.number: criterion for criterion in CRITERIA}


def _named(one: CriterionResult) -> str:
    return f"{one.criterion.number} {one.criterion.name} ({one.criterion.level})"


def _pointers(result: Result) -> dict[str, object]:
    pointers = [
        {"@type": ["ptr:CSSSelectorPointer"], "ptr:expression": visible(evidence.selector, 400)}
        for evidence in result.evidence
        if evidence.selector
    ]
    return {"earl:pointer": pointers} if pointers else {}


def render_conformance(reports: Sequence[Report], *, tag: str = ENGLISH_TAG, brand: Brand = NO_BRAND) -> str:
    """A conformance report on the pages, as a document that needs nothing but itself.

    Args:
        reports: At least one.
        tag: Language of the document, one of ``i18n.LOCALES``.
    """
    shown = [in_language(report, tag) for report in reports]
    rows, words = _rows(shown), texts_for(tag)
    return _document(
        "conformance_report",
        tag,
        brand,
        reports=shown,
        rows=rows,
        levels=LEVELS,
        heading=_heading(shown, words),
        method=_method(shown, rows, words),
        meanings=_meanings(rows, words),
    )


def conformance_sheet(reports: Sequence[Report], *, tag: str = ENGLISH_TAG, brand: Brand = NO_BRAND) -> Values:
    """The same document as plain values, every text escaped and bounded, for ``pdf.render_sheet_pdf``.

    Args:
        reports: At least one.
        tag: Language of the document, one of ``i18n.LOCALES``.
    """
    shown = [in_language(report, tag) for report in reports]
    rows, words = _rows(shown), texts_for(tag)
    heading, newest = _heading(shown, words), max(shown, key=lambda report: report.generated_at)
    date = _day(newest, words)
    return {
        "language": words.tag,
        "title": heading,
        "description": heading,
        "heading": breakable(heading),
        "running": breakable(heading),
        "project": visible(shown[0].project, 100),
        "date": date,
        "date_and_score": f"{breakable(visible(shown[0].project, 50))} · {date}",
        "pages": words.gettext("Page %(number)s of %(count)s", number="{number}", count="{count}"),
        "labels": {name: words.gettext(label) for name, label in _LABELS.items()},
        "pages_head": [words.gettext(label) for label in _PAGES_HEAD],
        "evaluated": [
            {
                "url": breakable(visible(report.final_url or report.url, 400)),
                "href": safe_href(report.final_url or report.url),
                "title": breakable(visible(report.page.title, 120)) if report.page else "–",
                "date": _day(report, words),
                "note": breakable(_evaluated(report, words)),
            }
            for report in shown
        ],
        "method": [{"term": term, "text": breakable(text)} for term, text in _method(shown, rows, words)],
        "meanings": [{"term": term, "text": text} for term, text in _meanings(rows, words)],
        "criteria_head": [words.gettext(label) for label in _CRITERIA_HEAD],
        "levels": [
            {
                "heading": words.gettext("Success criteria, level %(level)s", level=level),
                "rows": [_cells_of(row, len(shown), words) for row in rows if row.criterion.level == level],
            }
            for level in LEVELS
        ],
        "project_url": PROJECT_URL,
        "brand": brand_values(brand),
        "boxes": False,
    }


def _cells_of(row: Row, pages: int, words: Texts) -> Values:
    """A row of the table of criteria."""
    criterion = row.criterion
    return {
        "name": f"{criterion.number} {words.gettext(criterion.name)}",
        "href": criterion.source,
        "en_clause": criterion.en_clause or "–",
        "section_508": criterion.section_508 or "–",
        "status": words.gettext(STATUS_NAMES[row.status]),
        "grade": {"failed": "bad", "passed": "good", "confirmed": "good"}.get(row.status, "none"),
        "remarks": [
            {
                "page": _page_of(report, one, words) if pages > 1 and row.names_pages else "",
                "lines": [breakable(line) for line in _lines(one, words)],
            }
            for report, one in row.pages
        ],
    }


def _page_of(report: Report, one: CriterionResult, words: Texts) -> str:
    return breakable(visible(report.url, 200)) if one.found or one.manual else words.gettext("Other pages")


def _lines(one: CriterionResult, words: Texts) -> list[str]:
    found = [
        headline(result, words)
        if result.ignored is None
        else f"{headline(result, words)} ({words.gettext('ignored: %(reason)s', reason=reason(result, words))})"
        for result in one.found
    ]
    return [line for line in (*(found or [remark(one, words)]), manual_remark(one, words)) if line]


def _heading(reports: Sequence[Report], words: Texts) -> str:
    sites = list(dict.fromkeys(report.project for report in reports))
    shown = visible(sites[0], 100)
    if sites[1:]:
        more = len(sites) - 1
        shown = words.ngettext("%(site)s and %(num)s more site", "%(site)s and %(num)s more sites", more, site=shown)
    return words.gettext("Accessibility conformance report: %(site)s", site=shown)


def _day(report: Report, words: Texts) -> str:
    moment = report.generated_at
    return words.date(int((moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)).timestamp() * 1000))


def _evaluated(report: Report, words: Texts) -> str:
    seen = machine_share(report, words) if report.error is None else what_happened(report.error)
    return f"{seen}. {access_note(report)}" if access_note(report) else seen


def _method(reports: Sequence[Report], rows: Sequence[Row], words: Texts) -> tuple[tuple[str, str], ...]:
    """(what, sentences about it) of the way in which the pages were evaluated."""
    first, manual = reports[0], _manual_count(rows)
    by_machine = words.gettext(
        "Automatic tests by Pagegrade %(engine)s with ruleset %(ruleset)s.",
        engine=visible(first.run.engine, 40),
        ruleset=visible(first.run.ruleset, 40),
    )
    if manual:
        by_person = words.ngettext(
            "Persons evaluated %(num)s criterion, whose row names them; no person evaluated the others.",
            "Persons evaluated %(num)s criteria, whose rows name them; no person evaluated the others.",
            manual,
        )
    else:
        by_person = words.gettext("No person has evaluated these pages.")
    return (
        (
            words.gettext("Standards"),
            words.gettext("WCAG 2.2, levels A and AA; EN 301 549 V3.2.1, clause 9; Section 508, E205.4.")
            + " "
            + words.gettext(
                "EN 301 549 V3.2.1 has the criteria of WCAG 2.1, Section 508 those of WCAG 2.0; a dash stands where "
                "they lack one."
            ),
        ),
        (words.gettext("Method"), f"{by_machine} {engine_line(first, words)}."),
        (
            words.gettext("Not covered"),
            by_person
            + " "
            + words.gettext(
                "Documents, software, support and the other clauses of EN 301 549 were not evaluated, nor were "
                "processes of several pages as a whole."
            ),
        ),
    )


_MEANINGS: Final[Mapping[Status, str]] = {
    "failed": N_("At least one part of a page breaks the criterion."),
    "passed": N_("Automatic tests found no failure on any page. They find only some: a person has to confirm it."),
    "not_evaluated": N_("There are automatic tests, but they could not run; the remark says why."),
    "needs_person": N_("Automatic tests cannot decide it, or found what only may be a failure."),
    "confirmed": N_("A person found that every page meets it."),
    "excluded": N_("A person found that no page has anything it applies to."),
}


def _meanings(rows: Sequence[Row], words: Texts) -> tuple[tuple[str, str], ...]:
    """(result with its number of criteria, its meaning); those of persons only where one recorded something."""
    manual = _manual_count(rows)
    return tuple(
        (
            f"{words.gettext(STATUS_NAMES[status])} ({words.number(sum(row.status == status for row in rows))})",
            words.gettext(meaning),
        )
        for status, meaning in _MEANINGS.items()
        if manual or status not in {"confirmed", "excluded"}
    )


def render_statement(reports: Sequence[Report], *, tag: str = ENGLISH_TAG, brand: Brand = NO_BRAND) -> str:
    """A draft of the accessibility statement of a public body, with gaps for what only a person can say.

    Its parts are those of the model of Commission Implementing Decision (EU) 2018/1523.

    Args:
        reports: At least one, of pages of one site.
        tag: Language of the document, one of ``i18n.LOCALES``.
    """
    shown = [in_language(report, tag) for report in reports]
    rows = _rows(shown)
    failed = [row for row in rows if row.status == "failed"]
    undecided = [row for row in rows if row.status in {"needs_person", "not_evaluated"}]
    return _document(
        "accessibility_statement", tag, brand, reports=shown, failed=failed, open=undecided, manual=_manual_count(rows)
    )


def _document(template: str, tag: str, brand: Brand, **values: object) -> str:
    return environment(tag).get_template(f"{template}.html.jinja").render(**values, **look(brand))


def _rows(reports: Sequence[Report]) -> tuple[Row, ...]:
    made = []
    for criterion, *results in zip(CRITERIA, *map(by_criterion, reports), strict=True):
        pages: list[tuple[Report, CriterionResult]] = []
        said: set[str] = set()
        for report, result in zip(reports, results, strict=True):
            text = remark(result, ENGLISH)
            if result.found or result.manual is not None or text not in said:
                pages.append((report, result))
                said.add(text)
        status = min((result.status for result in results), key=_WORST_FIRST.index)
        made.append(Row(criterion=criterion, status=status, pages=tuple(pages)))
    return tuple(made)


def _manual_count(rows: Sequence[Row]) -> int:
    """Number of criteria of which a person recorded a result that is not stale, on some page."""
    return sum(any(one.manual is not None and not one.manual.is_stale for _, one in row.pages) for row in rows)


RENDERERS: Final[dict[str, Callable[[Sequence[Report]], str]]] = {
    "conformance": render_conformance,
    "criteria": render_criteria,
    "earl": render_earl,
    "statement": render_statement,
}
"""Format -> how it is written."""
