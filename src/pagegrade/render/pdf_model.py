"""Model of the PDF (``templates/report.typ``): a Report becomes plain values, every text escaped and bounded."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from pagegrade.model.identity import PROJECT_URL
from pagegrade.model.outcome import Evidence
from pagegrade.model.report import CATEGORIES, Report, Result
from pagegrade.render import evidence_rows, view
from pagegrade.render.charts import score_strip, timing_bars
from pagegrade.render.escape import safe_href, unicode_host, visible
from pagegrade.render.failure_advice import retry_advice
from pagegrade.render.prose import parse_prose

Values = dict[str, Any]
MAX_FINDINGS: Final = 100
"""More are counted, not shown; a page at all limits has 200, the worst real ones have half as many."""
MAX_DETAILED: Final = 20
"""Findings with texts and evidence; those after them have one line each. One with its texts takes 2 to 4 ms to
typeset."""
MAX_EVIDENCE_CHARACTERS: Final = 4_200
"""Of the evidence of all findings; further entries are counted. Long words make them the most expensive text."""
MAX_ROWS: Final = 300
"""Of a list or a table."""
MAX_HOPS: Final = 10
"""Redirects of the page; notes about the run."""
BREAK: Final = "\u200b"
"""Zero-width space, which allows a line break inside a word; ``visible`` removes a page's own."""
_URL_CHARS: Final = 400
_PLACE_CHARS: Final = 300
_MESSAGE_CHARS: Final = 250
"""Of a finding; those of our checks have less than 200 without what they quote."""
_PROSE_CHARS: Final = 1_000
"""Of why and fix; those of our checks have less than half of it."""
_LONG_WORD: Final = 18
"""A word longer than this may be broken at its punctuation ..."""
_MAX_RUN: Final = 16
"""... and where it has none, after so many characters."""
_PROSE_BLOCKS: Final = 30
_MAX_MARKS: Final = 8
"""Marks on one letter; no script needs more, and text that piles up hundreds costs seconds to set."""
_BREAK_AFTER: Final = frozenset("/?&=_-.:;,>)]}|+%")
_JOINERS: Final = frozenset("\u200c\u200d\ufe0e\ufe0f")
_MONTHS: Final = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)


def sheet(report: Report, *, boxes: bool = False) -> Values:
    """All that the template asks for: dicts, lists, strings, numbers, booleans and ``None``.

    Args:
        report: The report.
        boxes: Say that some characters stand as empty boxes.
    """
    grade = report.result or "none"
    date = _date(report.generated_at)
    score = "no score" if report.score is None else f"{report.score} of 100"
    if report.state == "failed":
        score = "not analyzed"
    final = report.final_url if report.final_url not in {None, report.url} else None
    completed = report.state == "completed"
    shown, left_out = _cut(view.by_place(report) if completed else (), MAX_FINDINGS, "finding")
    return {
        "title": f"{visible(report.url, 100)}: {score}",
        "description": view.verdict(report),
        "project": visible(report.project, 100),
        "running": breakable(visible(report.url, 90)),
        "date": date,
        "date_and_score": f"{breakable(visible(report.project, 50))} · {score} · {date}",
        "url": breakable(visible(report.url, _URL_CHARS)),
        "url_href": safe_href(report.url),
        "final_url": breakable(visible(final or "", _URL_CHARS)),
        "final_href": safe_href(final),
        "host_reads": unicode_host(report.url),
        "state": report.state,
        "grade": grade,
        "score": report.score,
        "word": view.grade_word(report).upper(),
        "verdict": view.verdict(report),
        "counts": _counts(report) if completed else [],
        "scale": view.scale(report) if report.score is not None else "",
        "notes": [_text(note, 400) for note in report.run.notes[:MAX_HOPS]],
        "failure": _failure(report),
        "withheld": None
        if report.withheld is None
        else {"seen": _text(report.withheld.message, 400), "todo": _text(report.withheld.fix, 400)},
        "categories": _categories(report),
        "findings": _findings(shown[:MAX_DETAILED], report),
        "further": [
            {"rank": rank, "category": view.CATEGORY_NAMES[finding.result.category], **_headline(finding, report)}
            for rank, finding in enumerate(shown[MAX_DETAILED:], start=MAX_DETAILED + 1)
        ],
        "findings_heading": view.findings_heading(report),
        "nothing_found": view.nothing_found(report),
        "findings_left_out": left_out,
        "lists": _lists(report) if completed else [],
        "strip": [{"kind": kind, "start": start, "width": width} for kind, start, width in score_strip(report)]
        if completed and report.score is not None
        else [],
        "steps": [_text(step, 400) for step in view.score_steps(report)[:MAX_ROWS]],
        "facts": _facts(report),
        "timing": [
            {"label": label, "start": start, "width": max(width, 0.5), "took": view.format_ms(took)}
            for label, start, width, took in timing_bars(report)
        ],
        "evaluated": _text(view.evaluated_by(report), 300)
        + (f" Asked with {_text(report.run.vantage)}." if report.run.vantage else ""),
        "project_url": PROJECT_URL,
        "boxes": boxes,
    }


def breakable(text: str) -> str:
    """``text`` with ``BREAK`` inside long words, so that an address or a selector never leaves the page.

    Words of everyday length stay whole, and no mark is parted from its letter. Of the marks on one letter, those beyond
    ``_MAX_MARKS`` are left out.
    """
    return " ".join(word if len(word) <= _LONG_WORD else _breakable_word(word) for word in text.split(" "))


def _breakable_word(word: str) -> str:
    parts: list[str] = []
    run = marks = 0
    may_break = False
    for character in word:
        if unicodedata.category(character).startswith("M") or character in _JOINERS:
            marks += 1
            if marks > _MAX_MARKS:
                continue
        else:
            marks = 0
            if run >= _MAX_RUN or (may_break and character not in _BREAK_AFTER):
                parts.append(BREAK)
                run = 0
        parts.append(character)
        run += 1
        may_break = character in _BREAK_AFTER
    return "".join(parts)


def _text(text: object, limit: int = 200) -> str:
    return breakable(visible(text, limit))


def _date(moment: datetime) -> str:
    day = (moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)).astimezone(UTC)
    return f"{day.day} {_MONTHS[day.month - 1]} {day.year}"


def _cut(items: Sequence[Any], limit: int, noun: str) -> tuple[Sequence[Any], str]:
    """The first ``limit`` items, and a sentence about the rest."""
    rest = len(items) - limit
    return items[:limit], f"{view.plural(rest, noun)} more not shown." if rest > 0 else ""


def _counts(report: Report) -> list[Values]:
    found = [(name, number) for name, number in view.counted_findings(report) if number]
    shown: list[tuple[str, int]] = [*found, ("passed", report.counts.passed)]
    return [{"name": name, "number": f"{number:,}"} for name, number in shown]


def _failure(report: Report) -> Values | None:
    if report.error is None:
        return None
    return {
        "happened": _text(view.what_happened(report.error), 600),
        "todo": _text(view.what_to_do(report.error), 600),
        "retry": retry_advice(report.error),
    }


def _categories(report: Report) -> list[Values]:
    cards: list[Values] = []
    for name in CATEGORIES if report.withheld is None else ():
        category = report.categories.get(name)
        if category is None:
            continue
        found = view.plural(category.failed, "finding") if category.failed else "Nothing found"
        cards.append(
            {
                "name": view.CATEGORY_NAMES[name],
                "score": "–" if category.score is None else str(category.score),
                "share": max(0, min(category.score or 0, 100)) / 100,
                "grade": category.result or "none",
                "word": category.result or view.NO_GRADE,
                "found": f"{found}, {category.passed} passed",
            }
        )
    return cards


def _findings(found: Iterable[view.Finding], report: Report) -> list[Values]:
    """Findings with details; of the evidence as much as there are characters for, those to fix first come first."""
    shown: list[Values] = []
    left = MAX_EVIDENCE_CHARACTERS
    first = len(view.fix_first(report))
    for rank, finding in enumerate(found, start=1):
        evidence: list[Values] = []
        for item in finding.evidence:
            entry = _evidence(item)
            left -= sum(map(len, entry.values()))
            if left < 0:
                break
            evidence.append(entry)
        shown.append(_finding(rank, finding, evidence, report, first=first))
    return shown


def _headline(finding: view.Finding, report: Report) -> Values:
    return {
        "title": _text(view.headline(finding.result), 200),
        "importance": finding.result.importance,
        "cost": view.cost(finding, report),
    }


def _finding(rank: int, finding: view.Finding, evidence: list[Values], report: Report, *, first: int) -> Values:
    result = finding.result
    counted = ", ".join(visible(view.headline(child), 120) for child in finding.counted[:20])
    not_shown = finding.evidence_not_shown + len(finding.evidence) - len(evidence)
    return {
        "rank": rank,
        "group": view.CATEGORY_NAMES[result.category] if rank > first else "",
        **_headline(finding, report),
        "message": _text(result.message, _MESSAGE_CHARS),
        "why": _prose(result.why),
        "fix": _prose(result.fix),
        "evidence": evidence,
        "more": _more(len(evidence), not_shown) if finding.evidence else "",
        "counted": breakable(counted),
        "check": _text(result.check, 60),
        "href": safe_href(result.learn_more),
    }


def _more(shown: int, not_shown: int) -> str:
    """Return the number of omitted entries as text; empty if all are shown."""
    if not not_shown:
        return ""
    return f"and {not_shown:,} more" if shown else f"{view.plural(not_shown, 'place')}, not shown here"


def _prose(text: str) -> list[Values]:
    return [
        {
            "kind": block.kind,
            "spans": [
                # A piece of code keeps its lines and is clipped at the edge; what runs on is broken.
                {"text": span.text if block.kind == "code" else breakable(span.text), "code": span.code}
                for span in block.spans
            ],
        }
        for block in parse_prose(text[:_PROSE_CHARS])[:_PROSE_BLOCKS]
        if block.spans
    ]


def _evidence(item: Evidence) -> Values:
    return {
        "snippet": _text(item.snippet),
        "place": _text(evidence_rows.place(item), _PLACE_CHARS),
        "facts": _text(evidence_rows.facts_of(item), _PLACE_CHARS),
    }


def _lists(report: Report) -> list[Values]:
    sections = (
        ("Ignored", "ignored"),
        ("Not evaluated", "not_evaluated"),
        ("Not applicable", "not_applicable"),
    )
    known = view.with_outcome(report, "informative")
    passed = view.with_outcome(report, "passed")
    lists = [
        _list("Good to know", "reasons", known, [(view.headline(one), one.message) for one in known]),
        *(
            _list(title, "reasons", found, _by_reason(found))
            for title, outcome in sections
            if (found := view.with_outcome(report, outcome))
        ),
        _list("Passed", "names", passed, [(view.headline(one), "") for one in passed]),
    ]
    return [part for part in lists if part["items"]]


def _by_reason(results: Sequence[Result]) -> list[tuple[str, str]]:
    return [(view.names_of_checks(alike), reason) for reason, alike in view.by_reason(results)]


def _list(title: str, kind: str, results: Sequence[Result], rows: Sequence[tuple[str, str]]) -> Values:
    """One list; ``rows`` has (name, text) of each line."""
    shown, left_out = _cut(rows, MAX_ROWS, "line")
    return {
        "title": f"{title} ({len(results)})",
        "kind": kind,
        "items": [{"name": _text(name, 4_000), "text": _text(text, 400)} for name, text in shown],
        "left_out": left_out,
    }


def _facts(report: Report) -> list[Values]:
    """Rows about the page; its times are drawn below them, not listed."""
    facts = [(name, value) for name, value in view.page_facts(report) if name != "Timing"]
    hops = report.page.redirects if report.page else ()
    facts += [("Redirect", f"{hop.status}  {visible(hop.url)} → {visible(hop.location)}") for hop in hops[:MAX_HOPS]]
    facts += [("Not seen", f"{name}: {why}") for name, why in view.not_seen(report)]
    return [{"name": name, "text": breakable(value)} for name, value in facts[:MAX_ROWS]]
