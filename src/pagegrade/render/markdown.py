"""A report as Markdown, for pull requests, wikis and files.

Page text is escaped so that it is text in CommonMark and on GitHub: no markup, no links, no mentions.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from pagegrade.model.outcome import Evidence
from pagegrade.model.report import CATEGORIES, Report, Result
from pagegrade.render import evidence_rows, view
from pagegrade.render.criteria import category_note
from pagegrade.render.escape import safe_href, unicode_host, visible
from pagegrade.render.failure_advice import retry_advice
from pagegrade.render.history import change_title, comparison_notes
from pagegrade.render.prose import Span, parse_prose
from pagegrade.report.compare import Change, Comparison, count_findings
from pagegrade.report.gates import Verdict

_PUNCTUATION: Final = re.compile(r"[\\`*_\[\]|~#!$^{}]")
_LINE_START: Final = re.compile(r"^([-+=>]|[0-9]{1,9}(?=[.)]))")
_BACKTICKS: Final = re.compile("`+")
_ENTITIES: Final = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
_SHOWN_IN_LIST: Final = 40
COMMENT_CHARS: Final = 65_536
"""Of a comment on GitHub."""
_ROWS_OF_COMMENT: Final = 50
"""Of the table of pages in a comment, so that it leaves room for what is wrong with the first of them."""
_URL_CHARS: Final = 200
"""Of a URL in the table of pages; the section of the page has it whole."""
_CUT_CHARS: Final = 200
"""Kept free for the sentence on what was cut."""


def render_markdown(
    reports: Sequence[Report],
    *,
    comparisons: Sequence[Comparison | None] = (),
    verdicts: Sequence[Sequence[Verdict]] = (),
    max_chars: int | None = None,
) -> str:
    """The reports from the worst on, several of them below a table of all; ends in one line break.

    Args:
        reports: In any order.
        comparisons: To the report at the same place, the difference from an older one.
        verdicts: To the report at the same place, the conditions of the build.
        max_chars: Of the whole text in UTF-16; longer text ends with a count of what was cut. ``None``: no limit.
    """
    lines: list[str] = []
    ordered = view.worst_first(reports, verdicts)
    if len(reports) > 1:
        lines += _overview(ordered, len(reports) if max_chars is None else _ROWS_OF_COMMENT)
    difference = {id(report): comparison for report, comparison in zip(reports, comparisons, strict=False)}
    for report, gates in ordered:
        lines += _report(report, difference.get(id(report)), gates)
    while lines and not lines[-1]:
        lines.pop()
    return "\n".join(lines if max_chars is None else _cut(lines, max_chars)) + "\n"


def _overview(ordered: Sequence[tuple[Report, Sequence[Verdict]]], max_rows: int) -> list[str]:
    """The table of pages, below the number of those that fail."""
    failed = sum(report.error is not None for report, _ in ordered)
    below = sum(any(gate.failure for gate in gates) for _, gates in ordered)
    verdict = [
        f"{number} {what}" for number, what in ((failed, "not analyzed"), (below, "below the conditions")) if number
    ]
    lines = [f"# Pagegrade: {len(ordered)} pages", ""]
    lines += [f"**{', '.join(verdict).capitalize()}.**", ""] if verdict else []
    lines += ["| Score | Result | Page | Findings |", "|---:|---|---|---|"]
    lines += [_summary_row(report) for report, _ in ordered[:max_rows]]
    rest = len(ordered) - max_rows
    return [*lines, "", *([f"and {view.plural(rest, 'more page')}.", ""] if rest > 0 else [])]


def _cut(lines: Sequence[str], max_chars: int) -> list[str]:
    """The first of the lines that fit into ``max_chars`` with the number of pages and findings that do not."""
    left = max_chars
    last = 0
    for number, line in enumerate(lines):
        left -= len(line.encode("utf-16-le", "replace")) // 2 + 1
        if left >= _CUT_CHARS:
            last = number + 1
        if left < 0:
            break
    else:
        return list(lines)
    # No text of a page begins a heading, which ``escape_markdown`` sees to.
    pages, findings = (sum(line.startswith(mark) for line in lines[last:]) for mark in ("# ", "### "))
    counts = ", ".join(view.plural(number, name) for number, name in ((pages, "page"), (findings, "finding")) if number)
    return [*lines[:last], "", f"_Cut at {max_chars:,} characters. Not shown: {counts or 'the last lines'}._"]


def render_finding(report: Report, check: str) -> str | None:
    """One finding with its page, for a ticket; ``None`` if the report has no such finding."""
    finding = view.find_finding(report, check)
    if finding is None:
        return None
    return "\n".join([f"Page: {code(report.url, 2048)}", "", *_finding(report, finding)]).rstrip("\n") + "\n"


def escape_markdown(text: object, limit: int = 200) -> str:
    """``text`` as Markdown that shows exactly its visible characters, on one line."""
    line = visible(text, limit)
    escaped = "".join(_ENTITIES.get(character, character) for character in line)
    escaped = _PUNCTUATION.sub(r"\\\g<0>", escaped)
    # GitHub makes links and mentions of plain text; an empty comment or an entity inside keeps it text.
    escaped = escaped.replace("@", "@<!-- -->").replace("://", ":&#47;/").replace("www.", "www&#46;")
    return _LINE_START.sub(lambda m: f"{m[1]}\\" if m[1].isdigit() else f"\\{m[1]}", escaped)


def code(text: object, limit: int = 200) -> str:
    """``text`` as a code span, fenced by more backticks than it holds itself."""
    line = visible(text, limit)
    if not line:
        return ""
    fence = "`" * (1 + longest_run(line))
    padding = " " if line.startswith("`") or line.endswith("`") else ""
    # In a table a bar would end the cell even inside code, and GitHub knows the escape there only; we keep code
    # spans out of tables.
    return f"{fence}{padding}{line}{padding}{fence}"


def longest_run(text: str) -> int:
    """The number of backticks that follow each other in ``text`` at most; a fence must be longer."""
    return max((len(run) for run in _BACKTICKS.findall(text)), default=0)


def _summary_row(report: Report) -> str:
    score = "–" if report.score is None else str(report.score)
    word = view.grade_word(report)
    detail = view.what_happened(report.error) if report.error else view.counted(report)
    return f"| {score} | {word} | {escape_markdown(report.url, _URL_CHARS)} | {escape_markdown(detail, 600)} |"


def _report(report: Report, comparison: Comparison | None, gates: Sequence[Verdict]) -> list[str]:
    lines = [f"# {code(report.url, 2048)}", ""]
    notes = [f"> {escape_markdown(note, 400)}\n" for note in report.run.notes]
    host = unicode_host(report.url)
    if host:
        lines += [f"The host reads {escape_markdown(host)}.", ""]
    if report.led_to is not None:
        lines += [f"Redirected to {code(report.led_to, 2048)}.", ""]
    if report.error is not None:
        lines += [
            f"**{view.grade_word(report).capitalize()}.** {view.verdict(report)}",
            "",
            f"- What happened: {escape_markdown(view.what_happened(report.error), 600)}",
            f"- What to do: {escape_markdown(view.what_to_do(report.error), 600)}",
            f"- {retry_advice(report.error)}",
            "",
        ]
        return [*lines, *notes, _footer(report), ""]
    if report.withheld is None:
        score = "" if report.score is None else f": {report.score} of 100"
        lines += [
            f"**{view.grade_word(report).capitalize()}{score}.** {view.verdict(report)}",
            f"{view.counted(report).capitalize()}. The scale: {view.scale(report)}.",
            *filter(None, [view.unseen_sentence(report)]),
            "",
        ]
    else:
        lines += [
            f"**{view.verdict(report)}**",
            "",
            f"- What was seen: {escape_markdown(report.withheld.message, 400)}",
            f"- What to do: {escape_markdown(report.withheld.fix, 400)}",
            "",
        ]
    failed = [gate.failure for gate in gates if gate.failure is not None]
    lines += [f"- **Condition failed:** {escape_markdown(failure, 600)}" for failure in failed]
    lines += [""] if failed else []
    lines += notes
    if report.withheld is None:
        lines += _categories(report)
    if comparison is not None:
        lines += _comparison(comparison)
    lines += _fix_first(report)
    lines += _messages("Good to know", view.with_outcome(report, "informative"))
    lines += _reasons("Ignored", view.with_outcome(report, "ignored"))
    lines += _reasons("Not evaluated", view.with_outcome(report, "not_evaluated"))
    lines += _reasons("Not applicable", view.with_outcome(report, "not_applicable"))
    passed = view.with_outcome(report, "passed")
    if passed:
        names = ", ".join(escape_markdown(result.check_name, 80) for result in passed)
        lines += [f"## Passed ({len(passed)})", "", names, ""]
    if steps := view.score_steps(report):
        lines += ["## How the score was made", "", *(f"- {escape_markdown(step, 400)}" for step in steps), ""]
    lines += ["## The page", ""]
    lines += [f"- {name}: {escape_markdown(value, 400)}" for name, value in view.page_facts(report)]
    lines += [f"- Not seen: {escape_markdown(name)}: {escape_markdown(why)}" for name, why in view.not_seen(report)]
    return [*lines, "", _footer(report), ""]


def _categories(report: Report) -> list[str]:
    lines = ["| Category | Score | Result | Findings |", "|---|---:|---|---:|"]
    for name in CATEGORIES:
        if (category := report.categories.get(name)) is not None:
            score = "" if category.score is None else str(category.score)
            title = view.CATEGORY_NAMES[name]
            share = category_note(report, name)
            result = f"{category.result or view.NO_GRADE}{f' ({share})' if share else ''}"
            lines.append(f"| {title} | {score} | {result} | {category.failed} |")
    return [*lines, ""]


def _fix_first(report: Report) -> list[str]:
    first = view.fix_first(report)
    lines = [f"## {view.findings_heading(report)}", ""]
    if not first:
        return [*lines, view.nothing_found(report), ""]
    lines += _findings(report, first, 1)
    number = len(first) + 1
    for name, found in view.further_findings(report):
        lines += [f"## {view.CATEGORY_NAMES[name]}: {len(found)} more", "", *_findings(report, found, number)]
        number += len(found)
    return lines


def _findings(report: Report, found: Sequence[view.Finding], first: int) -> list[str]:
    lines: list[str] = []
    for number, finding in enumerate(found, start=first):
        lines += _finding(report, finding, f"{number}. ")
    return lines


def _finding(report: Report, finding: view.Finding, number: str = "") -> list[str]:
    result = finding.result
    about = ", ".join(part for part in (result.importance, view.cost(finding, report)) if part)
    lines = [f"### {number}{escape_markdown(view.headline(result), 200)} ({about})", ""]
    lines += [f"{escape_markdown(result.message, 400)}", ""]
    if result.why:
        lines.append(f"- **Why:** {inline_prose(result.why)}")
    if result.fix:
        lines.append(f"- **Fix:** {inline_prose(result.fix)}")
    lines += [f"- {_evidence(evidence)}" for evidence in finding.evidence]
    if finding.evidence and finding.evidence_not_shown:
        lines.append(f"- and {finding.evidence_not_shown:,} more")
    for child in finding.counted:
        lines.append(f"- **Counted in it:** {escape_markdown(view.headline(child), 120)}")
    link = safe_href(result.learn_more)
    if link is not None:
        lines.append(f"- [Learn more](<{link.replace('<', '%3C').replace('>', '%3E')}>)")
    return [*lines, ""]


def inline_prose(text: str) -> str:
    """All blocks on one line, which a list item can hold; code stays code."""
    return " ".join("".join(map(_span, block.spans)) for block in parse_prose(text))


def _span(span: Span) -> str:
    if span.code:
        return code(span.text, 600)
    # The spaces beside code belong to the sentence; escaping works on what is between.
    text = escape_markdown(span.text, 2000)
    before, after = " " if span.text.startswith(" ") else "", " " if span.text.endswith(" ") else ""
    return f"{before}{text}{after}"


def _evidence(evidence: Evidence) -> str:
    where, facts = evidence_rows.place(evidence), evidence_rows.facts_of(evidence)
    parts = (code(where, 600), code(evidence.snippet), escape_markdown(facts, 400))
    return " ".join(part for part in parts if part)


def _messages(title: str, results: Sequence[Result]) -> list[str]:
    items = [
        f"- **{escape_markdown(view.headline(result), 200)}:** {escape_markdown(result.message)} "
        f"{inline_prose(result.fix)}"
        for result in results
    ]
    return [f"## {title} ({len(results)})", "", *items, ""] if items else []


def _reasons(title: str, results: Sequence[Result]) -> list[str]:
    items = [
        f"- {escape_markdown(view.names_of_checks(alike), 4_000)}: {escape_markdown(reason)}"
        for reason, alike in view.by_reason(results)
    ]
    return [f"## {title} ({len(results)})", "", *items, ""] if items else []


def _comparison(comparison: Comparison) -> list[str]:
    lines = ["## Compared with the baseline", "", " ".join(comparison_notes(comparison)), ""]
    if not comparison.is_comparable:
        return lines
    for label, changes in (("New", comparison.new), ("Fixed", comparison.fixed)):
        lines.append(f"- **{label}:** {view.plural(count_findings(changes), 'finding')}")
        lines += [f"  - {_change(change)}" for change in changes[:_SHOWN_IN_LIST]]
    lines.append(f"- **Still there:** {view.plural(count_findings(comparison.still), 'finding')}")
    lines += [
        f"- **Worse:** {escape_markdown(view.headline(result), 200)}: {escape_markdown(result.message)}"
        for result in comparison.worse
    ]
    lines += [
        f"- **Not comparable:** {', '.join(escape_markdown(each.check, 60) for each in found)}. {escape_markdown(why)}"
        for why, found in comparison.unclear
    ]
    return [*lines, ""]


def _change(change: Change) -> str:
    result = change.result
    where = code(evidence_rows.place(change.evidence), 400) if change.evidence else ""
    title = escape_markdown(change_title(change), 200)
    return f"{title} ({result.importance}) {where or escape_markdown(result.message)}"


def _footer(report: Report) -> str:
    return f"_{escape_markdown(view.evaluated_by(report), 400)}_"
