"""Model of the PDF (``templates/report.typ``): a Report becomes plain values, every text escaped and bounded."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any, Final

from msgspec.structs import replace

from pagegrade.model.account import Brand
from pagegrade.model.identity import PROJECT_URL
from pagegrade.model.outcome import Evidence
from pagegrade.model.report import CATEGORIES, Report, Result
from pagegrade.render import evidence_rows, view
from pagegrade.render.account import LIGHT_GROUND, NO_BRAND, PRODUCT_COLOR, color_on, shown_name
from pagegrade.render.charts import score_strip, timing_bars
from pagegrade.render.criteria import category_note
from pagegrade.render.english import N_
from pagegrade.render.escape import safe_href, unicode_host, visible
from pagegrade.render.failure_advice import cause, retry_advice, way_out
from pagegrade.render.figures import format_ms, key_figures
from pagegrade.render.finding_texts import in_language
from pagegrade.render.history import RunPoint, finished
from pagegrade.render.i18n import Texts, texts_for
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
_NAMES_CHARS: Final = 4_000
"""Of the checks that share a reason."""
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
MAX_RUNS: Final = 12
"""Of the history."""
_LABELS: Final = MappingProxyType(
    {
        "analyzed": N_("Analyzed"),
        "at_most": N_("At most"),
        "category": N_("Category"),
        "check": N_("Check"),
        "counted_in_it": N_("Counted in it"),
        "evidence": N_("Evidence"),
        "fix": N_("Fix"),
        "further": N_("Further findings"),
        "further_note": N_("Without details; the other formats of the report have them."),
        "history": N_("History"),
        "host_reads": N_("the host reads"),
        "how_the_score_was_made": N_("How the score was made"),
        "boxes": N_(
            "This file has no pictures for some characters of the page: they stand as boxes, and can be copied."
        ),
        "learn_more": N_("learn more"),
        "kept": N_("kept"),
        "made_with": N_("Made with"),
        "no_grade": N_("Why there is no grade"),
        "no_score": N_("no score"),
        "no_score_why": N_("There is no score, because the page itself was not seen."),
        "of_100": N_("of 100"),
        "page": N_("The page"),
        "redirected_to": N_("redirected to"),
        "run": N_("Run"),
        "scale": N_("The scale:"),
        "score": N_("Score"),
        "time": N_("Time to the document"),
        "what_happened": N_("What happened"),
        "what_to_do": N_("What to do"),
        "why": N_("Why"),
    }
)
_OF_A_SCORE: Final = frozenset({"of_100"})
_LOST: Final = MappingProxyType(
    {
        "critical": N_("lost to critical findings"),
        "high": N_("lost to high findings"),
        "medium": N_("lost to medium findings"),
        "low": N_("lost to low findings"),
    }
)
SEVERITIES: Final = MappingProxyType(
    {
        "critical": N_("critical"),
        "high": N_("high"),
        "medium": N_("medium"),
        "low": N_("low"),
        "informative": N_("informative"),
        "passed": N_("passed"),
    }
)
GRADE_WORDS: Final = MappingProxyType(
    {
        "good": N_("good"),
        "decent": N_("decent"),
        "bad": N_("bad"),
        "no grade": N_("no grade"),
        "not analyzed": N_("not analyzed"),
    }
)


def sheet(
    stored: Report,
    texts: Texts | None = None,
    *,
    history: Sequence[RunPoint] = (),
    brand: Brand = NO_BRAND,
    boxes: bool = False,
) -> Values:
    """All that the template asks for: dicts, lists, strings, numbers, booleans and ``None``.

    Args:
        texts: The language of the document; ``None``: English.
        history: Runs of the same report, newest first.
        boxes: Say that some characters stand as empty boxes.
    """
    words = texts or texts_for("en")
    report = in_language(stored, words.tag)
    date = _date(report.generated_at, words)
    score = words.gettext("no score")
    if report.score is not None:
        score = words.gettext("%(score)s of 100", score=words.number(report.score))
    if report.state == "failed":
        score = words.gettext("not analyzed")
    completed = report.state == "completed"
    without = brand.left_out.split()
    most = MAX_DETAILED if "further" in without else MAX_FINDINGS
    shown, left_out = _cut(view.by_place(report) if completed else (), most)
    return {
        "language": words.tag,
        "labels": {
            # Without a score no text of the document is about one.
            name: words.gettext(label) if report.score is not None or name not in _OF_A_SCORE else ""
            for name, label in _LABELS.items()
        },
        "lost": {name: words.gettext(label) for name, label in _LOST.items()},
        "severities": {name: words.gettext(label) for name, label in SEVERITIES.items()},
        "title": f"{visible(report.url, 100)}: {score}",
        "description": view.verdict(report, words),
        "project": visible(report.project, 100),
        "running": breakable(visible(report.url, 90)),
        "date": date,
        "date_and_score": f"{breakable(visible(report.project, 50))} · {score} · {date}",
        "pages": words.gettext("Page %(number)s of %(count)s", number="{number}", count="{count}"),
        "url": breakable(visible(report.url, _URL_CHARS)),
        "url_href": safe_href(report.url),
        "final_url": breakable(visible(report.led_to or "", _URL_CHARS)),
        "final_href": safe_href(report.led_to),
        "host_reads": unicode_host(report.url),
        "state": report.state,
        "grade": report.result or "none",
        "score": report.score,
        "said": words.gettext("No score") if report.score is None else f"{words.gettext('Score')} {score}",
        "word": words.gettext(GRADE_WORDS.get(view.grade_word(report), view.grade_word(report))),
        "verdict": view.verdict(report, words),
        "figures": [
            {"name": figure.name, "meaning": figure.meaning, "value": figure.value, "rating": figure.rating or "none"}
            for figure in (key_figures(report, words) if completed else ())
        ],
        "counts": _counts(report, words) if completed else [],
        "scale": words.gettext(
            "good from %(good)s, decent from %(decent)s",
            good=report.run.thresholds.good,
            decent=report.run.thresholds.decent,
        )
        if report.score is not None
        else "",
        "notes": [_text(note, 400) for note in report.run.notes[:MAX_HOPS]],
        "failure": _failure(report, words),
        "withheld": None
        if report.withheld is None
        else {"seen": _text(report.withheld.message, 400), "todo": _text(report.withheld.fix, 400)},
        "categories": _categories(report, words),
        "findings": _findings(shown[:MAX_DETAILED], report, words),
        "further": [
            {
                "rank": rank,
                "category": words.gettext(view.CATEGORY_NAMES[finding.result.category]),
                **_headline(finding, report, words),
            }
            for rank, finding in enumerate(shown[MAX_DETAILED:], start=MAX_DETAILED + 1)
        ],
        "findings_heading": view.findings_heading(report, words),
        "nothing_found": view.nothing_found(report, words),
        "findings_left_out": _left_out(left_out, words),
        "lists": _lists(report, words) if completed and "lists" not in without else [],
        "strip": [{"kind": kind, "start": start, "width": width} for kind, start, width in score_strip(report)]
        if completed and report.score is not None and "score" not in without
        else [],
        "steps": [] if "score" in without else _steps(report, words),
        "history": [] if "history" in without else _history(history, words),
        "facts": [] if "page" in without else _facts(report, words),
        "timing": [
            {"label": label, "start": start, "width": max(width, 0.5), "took": format_ms(took, words)}
            for label, start, width, took in (() if "page" in without else timing_bars(report, words))
        ],
        "evaluated": _evaluated(report, words),
        "project_url": PROJECT_URL,
        "brand": brand_values(brand),
        "boxes": boxes,
        "contents": [],
    }


def sheet_of_several(stored: Sequence[Report], words: Texts, *, brand: Brand = NO_BRAND, boxes: bool = False) -> Values:
    """Return what the template asks for about several reports: that of each is in ``contents``.

    Args:
        stored: One at least; reports that have failed are not among them.
        boxes: As of ``sheet``.
    """
    # Of a logo, which is a list of up to 65,536 numbers, only the document has one.
    each = [sheet(report, words, brand=replace(brand, logo=b""), boxes=boxes) for report in stored]
    for values in each:
        score = "" if values["score"] is None else f"{words.number(values['score'])} "
        values["score_and_word"] = f"{score}{values['word']}"
    title = words.ngettext("Report on %(num)s page", "Reports on %(num)s pages", len(each))
    projects = sorted({report.project for report in stored})
    about = breakable(visible(projects[0], 50)) if len(projects) == 1 else ""
    date = _date(max(report.generated_at for report in stored), words)
    return each[0] | {
        "labels": each[0]["labels"] | {name: words.gettext(_LABELS[name]) for name in ("page", "score")},
        "title": f"{title}: {visible(projects[0], 100)}" if about else title,
        "description": title,
        "project": visible(projects[0], 100) if about else "",
        "running": about or title,
        "date": date,
        "date_and_score": " · ".join(part for part in (about, title, date) if part),
        "contents": each,
        "brand": brand_values(brand),
    }


def brand_values(brand: Brand) -> Values:
    """Return the look of whose document it is, as ``templates/parts.typ`` has it."""
    return {
        "name": _text(shown_name(brand), 60),
        "is_own": bool(brand.name),
        "color": color_on(brand, LIGHT_GROUND) or PRODUCT_COLOR,
        "footer": _text(brand.footer, 300),
        "credit": brand.credit,
        "logo": list(brand.logo),
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


def _date(moment: datetime, words: Texts) -> str:
    aware = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
    return words.date(int(aware.timestamp() * 1000))


def _cut(items: Sequence[Any], limit: int) -> tuple[Sequence[Any], int]:
    """The first ``limit`` items, and the number of the rest."""
    return items[:limit], max(0, len(items) - limit)


def _left_out(rest: int, words: Texts) -> str:
    return words.ngettext("%(num)s more is not listed.", "%(num)s more are not listed.", rest) if rest else ""


def _counts(report: Report, words: Texts) -> list[Values]:
    found = [(name, number) for name, number in view.counted_findings(report) if number]
    shown: list[tuple[str, int]] = [*found, *([("passed", report.counts.passed)] if view.was_seen(report) else [])]
    return [{"name": name, "number": words.number(number)} for name, number in shown]


def _failure(report: Report, words: Texts) -> Values | None:
    if report.error is None:
        return None
    return {
        "happened": _text(f"{visible(report.error.message, 400)} ({cause(report.error, words)})", 600),
        "todo": _text(" ".join(map(words.gettext, way_out(report.error).steps)), 600),
        "retry": retry_advice(report.error, words),
    }


def _steps(report: Report, words: Texts) -> list[str]:
    steps = (*view.score_steps(report, words)[:MAX_ROWS], view.unseen_sentence(report, words))
    return [_text(step, 400) for step in steps if step]


def _history(runs: Sequence[RunPoint], words: Texts) -> list[Values]:
    """Rows of the newest runs that have ended, newest first; none where this is the only one."""
    ended = finished(tuple(runs))[:MAX_RUNS]
    if len(ended) <= 1:
        return []
    return [
        {
            "number": words.number(run.number),
            "date": words.date(run.at_ms),
            "score": "–" if run.score is None else words.number(run.score),
            "grade": run.result or "none",
            "word": words.gettext(run.result or view.NO_GRADE),
        }
        for run in ended
    ]


def _evaluated(report: Report, words: Texts) -> str:
    made = words.gettext(
        "Evaluated by Pagegrade %(engine)s with ruleset %(ruleset)s.",
        engine=visible(report.run.engine, 40),
        ruleset=visible(report.run.ruleset, 40),
    )
    if not report.run.vantage:
        return _text(made, 300)
    requested = words.gettext("Requested with %(vantage)s.", vantage=visible(report.run.vantage, 200))
    return _text(f"{made} {requested}", 500)


def _categories(report: Report, words: Texts) -> list[Values]:
    cards: list[Values] = []
    for name in CATEGORIES if report.withheld is None else ():
        category = report.categories.get(name)
        if category is None:
            continue
        found = words.gettext("Nothing found")
        if category.failed:
            found = words.ngettext("%(num)s finding", "%(num)s findings", category.failed)
        passed = words.gettext("%(count)s passed", count=words.number(category.passed))
        cards.append(
            {
                "name": words.gettext(view.CATEGORY_NAMES[name]),
                "score": "–" if category.score is None else str(category.score),
                "share": max(0, min(category.score or 0, 100)) / 100,
                "grade": category.result or "none",
                "word": words.gettext(category.result or view.NO_GRADE),
                "found": ", ".join(filter(None, (found, passed, category_note(report, name, words)))),
            }
        )
    return cards


def _findings(found: Iterable[view.Finding], report: Report, words: Texts) -> list[Values]:
    """Findings with details; of the evidence as much as there are characters for, those to fix first come first."""
    shown: list[Values] = []
    left = MAX_EVIDENCE_CHARACTERS
    first = len(view.fix_first(report))
    for rank, finding in enumerate(found, start=1):
        evidence: list[Values] = []
        for item in finding.evidence:
            entry = _evidence(item, words)
            left -= sum(map(len, entry.values()))
            if left < 0:
                break
            evidence.append(entry)
        shown.append(_finding(rank, finding, evidence, report, words, first=first))
    return shown


def _headline(finding: view.Finding, report: Report, words: Texts) -> Values:
    return {
        "title": _text(view.headline(finding.result, words), 200),
        "importance": finding.result.importance,
        "cost": view.cost(finding, report, words),
    }


def _finding(
    rank: int, finding: view.Finding, evidence: list[Values], report: Report, words: Texts, *, first: int
) -> Values:
    result = finding.result
    counted = ", ".join(visible(view.headline(child, words), 120) for child in finding.counted[:20])
    not_shown = finding.evidence_not_shown + len(finding.evidence) - len(evidence)
    return {
        "rank": rank,
        "group": words.gettext(view.CATEGORY_NAMES[result.category]) if rank > first else "",
        **_headline(finding, report, words),
        "message": _text(result.message, _MESSAGE_CHARS),
        "why": prose_values(result.why),
        "fix": prose_values(result.fix),
        "evidence": evidence,
        "more": _more(len(evidence), not_shown, words) if finding.evidence else "",
        "counted": breakable(counted),
        "check": _text(result.check, 60),
        "href": safe_href(result.learn_more),
    }


def _more(shown: int, not_shown: int, words: Texts) -> str:
    """Return the number of omitted entries as text; empty if all are shown."""
    if not not_shown:
        return ""
    if shown:
        return words.ngettext("and %(num)s more", "and %(num)s more", not_shown)
    return words.ngettext("%(num)s place, not shown here", "%(num)s places, not shown here", not_shown)


def prose_values(text: str) -> list[Values]:
    """Paragraphs, entries of lists and code of a text, as ``templates/parts.typ`` sets them."""
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


def _evidence(item: Evidence, words: Texts) -> Values:
    return {
        "snippet": _text(item.snippet),
        "place": _text(evidence_rows.place(item, words), _PLACE_CHARS),
        "facts": _text(evidence_rows.facts_of(item), _PLACE_CHARS),
    }


def _lists(report: Report, words: Texts) -> list[Values]:
    sections = (
        (N_("Ignored"), "ignored"),
        (N_("Not evaluated"), "not_evaluated"),
        (N_("Not applicable"), "not_applicable"),
    )
    known = view.with_outcome(report, "informative")
    passed = view.with_outcome(report, "passed")
    rows = [(view.headline(one, words), one.message) for one in known]
    lists = [
        _list(N_("Good to know"), "messages", known, rows, words),
        *(
            _list(title, "reasons", found, _by_reason(found, words), words)
            for title, outcome in sections
            if (found := view.with_outcome(report, outcome))
        ),
        _list(N_("Passed"), "names", passed, [(view.headline(one, words), "") for one in passed], words),
    ]
    return [part for part in lists if part["items"]]


def _by_reason(results: Sequence[Result], words: Texts) -> list[tuple[str, str]]:
    return [(reason, view.names_of_checks(alike, words)) for reason, alike in view.by_reason(results, words)]


def _list(title: str, kind: str, results: Sequence[Result], rows: Sequence[tuple[str, str]], words: Texts) -> Values:
    """One list; ``rows`` has (name, text) of each line: of those by reason, the reason and the names of checks."""
    shown, left_out = _cut(rows, MAX_ROWS)
    limit = _NAMES_CHARS if kind == "reasons" else _MESSAGE_CHARS
    return {
        "title": f"{words.gettext(title)} ({words.number(len(results))})",
        "kind": kind,
        "items": [{"name": _text(name, _MESSAGE_CHARS), "text": _text(text, limit)} for name, text in shown],
        "left_out": _left_out(left_out, words),
    }


def _facts(report: Report, words: Texts) -> list[Values]:
    """Rows about the page; its times are drawn below them, not listed."""
    facts = list(view.page_facts(report, words, timing=False))
    hops = report.page.redirects if report.page else ()
    redirect, unseen = words.gettext("Redirect"), words.gettext("Not seen")
    facts += [(redirect, f"{hop.status}  {visible(hop.url)} → {visible(hop.location)}") for hop in hops[:MAX_HOPS]]
    facts += [(unseen, f"{name}: {why}") for name, why in view.not_seen(report, words)]
    return [{"name": name, "text": breakable(value)} for name, value in facts[:MAX_ROWS]]
