"""A report for a terminal: readable at 80 columns, in words first, in color where that is wanted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from io import StringIO
from typing import Final

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from pagegrade.model.outcome import Evidence
from pagegrade.model.report import CATEGORIES, Grade, Report, Result
from pagegrade.render import evidence_rows, view
from pagegrade.render.criteria import machine_share
from pagegrade.render.escape import unicode_host, visible
from pagegrade.render.failure_advice import retry_advice
from pagegrade.render.history import change_title, comparison_notes
from pagegrade.render.prose import Block, parse_prose
from pagegrade.report.compare import Change, Comparison, count_findings

MIN_WIDTH: Final = 40
MAX_WIDTH: Final = 100
"""Longer lines are hard to read."""
_LABEL_WIDTH: Final = 11
_BAR_WIDTH: Final = 24
_BESIDE_BAR: Final = 46
"""Columns that name, score, result and findings of a category take."""
_SHOWN_IN_LIST: Final = 40
GRADE_STYLES: Final[dict[Grade | None, str]] = {"good": "bold green", "decent": "bold yellow", "bad": "bold red"}
_IMPORTANCE_STYLES: Final = {"critical": "bold red", "high": "bold red", "medium": "bold yellow", "low": "bold cyan"}
_OPTIONS: Final = {
    "timeout": "Allow more time: --budget SECONDS",
    "blocked": "Save the page from a browser and evaluate the file: pagegrade evaluate --html FILE --url URL",
    "address_not_allowed": "Allow a network of your own: --allow-network CIDR",
}
"""Code of a failure -> the option of the command line that can help."""
_NAMED_BEFORE_REASON: Final = 5
"""Of more checks than these with one reason, the reason comes first: it would be lost after their names."""
_PLAIN: Final = str.maketrans(
    {"█": "#", "░": ".", "─": "-", "·": "-", "→": "->", "…": "...", "“": '"', "”": '"', "•": "*"}
)
"""Replacements of ornaments for output that cannot show them."""


def render_text(
    reports: Sequence[Report],
    *,
    width: int = 80,
    color: bool = False,
    ascii_only: bool = False,
    quiet: bool = False,
    comparisons: Sequence[Comparison | None] = (),
) -> str:
    """The reports for a person at a terminal.

    Args:
        reports: In the order to show; several are followed by a summary.
        width: Columns of the terminal; lines are at most 100 long, whatever it has.
        color: Emphasize with ANSI colors. Nothing is said by color alone.
        ascii_only: Keep bars and rules to ASCII, for outputs that cannot encode more.
        comparisons: To the report at the same place, the difference from an older one.
    """
    page = TextPage(max(MIN_WIDTH, min(width, MAX_WIDTH)), color=color)
    if quiet:
        for report in reports:
            page.row(summary_line(report))
        return page.done(ascii_only=ascii_only)
    for index, report in enumerate(reports):
        if index:
            page.gap()
            page.line(Text("═" * page.width, style="dim"))
        _report(page, report, comparisons[index] if index < len(comparisons) else None)
    if len(reports) > 1:
        page.heading(f"{len(reports)} pages")
        for report in reports:
            page.line(summary_line(report), indent=2, hang=17)
    return page.done(ascii_only=ascii_only)


def render_markup(blocks: Iterable[Block], *, width: int = 80, color: bool = False, indent: int = 0) -> str:
    """Documentation for a terminal, e.g. for ``pagegrade explain``."""
    page = TextPage(max(MIN_WIDTH, min(width, MAX_WIDTH)), color=color)
    previous = ""
    for block in blocks:
        if previous and (block.kind, previous) != ("item", "item"):
            page.gap()
        page.prose([block], indent=indent)
        previous = block.kind
    return page.done(ascii_only=False)


def summary_line(report: Report) -> Text:
    """Score, result, URL and counts on one line."""
    line = Text()
    if report.state == "failed":
        line.append(" -- failed     ", style="bold red")
    else:
        score = "--" if report.score is None else str(report.score)
        line.append(f"{score:>3} ", style="bold")
        line.append(f"{view.grade_word(report):<11}", style=GRADE_STYLES.get(report.result, "bold"))
    line.append(visible(report.url, 2048))
    if report.led_to is not None:
        line.append(f" → {visible(report.led_to, 2048)}")
    shown = [(name, number) for name, number in view.counted_findings(report) if number or name != "critical"]
    found = ", ".join(f"{number} {name}" for name, number in shown)
    detail = view.what_happened(report.error) if report.error else found
    line.append(f"  {detail}", style="dim")
    return line


class TextPage:
    """Lines on their way to a terminal. Page text arrives as ``Text``: it is never read as markup."""

    def __init__(self, width: int, *, color: bool) -> None:
        self.width = width
        self._out = StringIO()
        self._console = Console(
            file=self._out,
            width=width,
            force_terminal=color,
            color_system="standard" if color else None,
            no_color=not color,
            highlight=False,
            markup=False,
            emoji=False,
            soft_wrap=False,
            legacy_windows=False,
            _environ={},
        )

    def done(self, *, ascii_only: bool) -> str:
        """Everything written, without trailing spaces, ending in one line break."""
        lines = [line.rstrip() for line in self._out.getvalue().replace("═", "─").split("\n")]
        text = "\n".join(lines).strip("\n") + "\n"
        return text.translate(_PLAIN) if ascii_only else text

    def gap(self) -> None:
        """An empty line."""
        self._out.write("\n")

    def row(self, text: Text) -> None:
        """One line, however long: for logs, where a line is a record."""
        self._console.print(text, no_wrap=True, overflow="ignore", crop=False, soft_wrap=True)

    def line(self, text: Text | str, *, indent: int = 0, hang: int | None = None, label: str = "") -> None:
        """A paragraph, wrapped; ``hang`` is the indent of every line after the first, ``label`` fills the first."""
        text = Text(text) if isinstance(text, str) else text
        following = indent if hang is None else hang
        width = self.width - max(indent, following)
        for index, part in enumerate(text.wrap(self._console, width, overflow="fold")):
            part.rstrip()
            margin = Text(" " * following)
            if index == 0:
                margin = Text(" " * indent)
                if label:
                    margin = Text.assemble(margin, (label.ljust(_LABEL_WIDTH), "dim"))
            self._console.print(margin + part, no_wrap=True, overflow="ignore")

    def heading(self, title: str) -> None:
        """A heading with a rule that fills the line."""
        self.gap()
        rule = "─" * max(0, self.width - cell_len(title) - 1)
        self.line(Text.assemble((title, "bold"), " ", (rule, "dim")))

    def bar(self, score: int, style: str) -> Text:
        """The score from 0 to 100 as a bar, shorter where the terminal is narrow."""
        width = max(8, min(_BAR_WIDTH, self.width - _BESIDE_BAR))
        full = round(max(0, min(score, 100)) * width / 100)
        return Text.assemble(("█" * full, style.removeprefix("bold ")), ("░" * (width - full), "dim"))

    def field(self, label: str, value: Text | str, *, indent: int = 4) -> None:
        """A labeled value with a hanging indent."""
        gap = " " if not label or len(label) >= _LABEL_WIDTH else ""
        self.line(value, indent=indent, hang=indent + _LABEL_WIDTH, label=f"{label}{gap}")

    def prose(self, blocks: Iterable[Block], *, indent: int, first_label: str = "") -> None:
        """Paragraphs, items and code; the first one may carry a label."""
        label = first_label
        for block in blocks:
            margin = indent + (_LABEL_WIDTH if first_label else 0)
            if block.kind == "code":
                if label:
                    self.field(label, "", indent=indent)
                for row in block.spans[0].text.split("\n"):
                    self.line(Text(row, style="green"), indent=margin + 2, hang=margin + 4)
            else:
                body = Text()
                for span in block.spans:
                    # Without color the backticks are what sets code apart.
                    body.append(f"`{span.text}`" if span.code else span.text, style="green" if span.code else "")
                if label:
                    self.field(label, body, indent=indent)
                elif block.kind == "item":
                    self.line(Text("• ") + body, indent=margin, hang=margin + 2)
                else:
                    self.line(body, indent=margin)
            label = ""


def _report(page: TextPage, report: Report, comparison: Comparison | None) -> None:
    _address(page, report)
    if report.state == "failed":
        _failed(page, report)
    else:
        _score(page, report)
        if comparison is not None:
            _comparison(page, comparison)
        _fix_first(page, report)
        _informative(page, report)
        _reasons(page, "Ignored", view.with_outcome(report, "ignored"))
        _reasons(page, "Not evaluated", view.with_outcome(report, "not_evaluated"))
        _reasons(page, "Not applicable", view.with_outcome(report, "not_applicable"))
        _passed(page, report)
        if steps := view.score_steps(report):
            page.heading("How the score was made")
        for step in steps:
            page.line(f"• {step}", indent=2, hang=4)
    _page_facts(page, report)
    page.gap()
    page.line(Text(view.evaluated_by(report), style="dim"))
    if report.results:
        page.line(Text("More about a check: pagegrade explain CHECK", style="dim"))


def _address(page: TextPage, report: Report) -> None:
    page.gap()
    page.line(Text.assemble(("Pagegrade", "bold"), "  ", visible(report.url, 2048)), hang=11)
    for name, url in (("", report.url), ("→ ", report.led_to)):
        host = unicode_host(url)
        if name and url is not None:
            hops = len(report.page.redirects) if report.page else 0
            after = f"  ({view.plural(hops, 'redirect')})" if hops else ""
            page.line(f"{name}{visible(url, 2048)}{after}", indent=11, hang=13)
        if host:
            page.line(f"the host reads {host}", indent=11)


def _failed(page: TextPage, report: Report) -> None:
    page.gap()
    page.line(Text.assemble((view.grade_word(report).upper(), "bold red"), "  ", view.verdict(report)), indent=2)
    if report.error is None:
        return
    page.gap()
    page.field("What", view.what_happened(report.error), indent=2)
    page.field("To do", view.what_to_do(report.error), indent=2)
    if report.error.code in _OPTIONS:
        page.field("Option", _OPTIONS[report.error.code], indent=2)
    page.field("Retry", retry_advice(report.error), indent=2)
    page.line("There is no score, because the page itself was not seen.", indent=2 + _LABEL_WIDTH)
    _notes(page, report)


def _score(page: TextPage, report: Report) -> None:
    page.gap()
    style = GRADE_STYLES.get(report.result, "bold")
    line = Text.assemble((f"{view.grade_word(report).upper():<13}", style))
    if report.score is not None:
        line.append(f"{report.score:>3} of 100  ", style="bold")
        line.append_text(page.bar(report.score, style))
    page.line(line, indent=2)
    page.line(view.verdict(report), indent=2)
    if report.withheld is not None:
        page.gap()
        page.field("Seen", visible(report.withheld.message, 400), indent=2)
        page.field("To do", visible(report.withheld.fix, 400), indent=2)
        page.gap()
        page.line(f"{view.counted(report).capitalize()}, without a score.", indent=2)
    else:
        page.line(f"{view.counted(report).capitalize()}. The scale: {view.scale(report)}.", indent=2)
        if unseen := view.unseen_sentence(report):
            page.line(unseen, indent=2)
        page.gap()
    for name in CATEGORIES:
        category = report.categories.get(name)
        if category is None or report.withheld is not None:
            continue
        row = Text(f"{view.CATEGORY_NAMES[name]:<14}")
        score = "--" if category.score is None else str(category.score)
        row.append(f"{score:>3}  ", style="bold")
        row.append_text(page.bar(category.score or 0, GRADE_STYLES.get(category.result, "")))
        row.append(f"  {category.result or view.NO_GRADE:<8}", style=GRADE_STYLES.get(category.result, ""))
        column = 2 + row.cell_len + 2
        row.append(
            f"  {view.plural(category.failed, 'finding')}" if category.failed else "  nothing found", style="dim"
        )
        share = view.evaluated_share(category)
        if share and 2 + row.cell_len + 2 + len(share) <= page.width:
            row.append(f", {share}", style="dim")
            share = ""
        page.line(row, indent=2)
        if share:
            page.line(Text(share, style="dim"), indent=column)
    if (known := report.categories.get("accessibility")) is not None and known.score is not None:
        page.line(Text(f"{view.CATEGORY_NAMES['accessibility']}: {machine_share(report)}.", style="dim"), indent=2)
    _notes(page, report)


def _notes(page: TextPage, report: Report) -> None:
    for note in report.run.notes:
        page.gap()
        page.field("Note", visible(note, 400), indent=2)


def _fix_first(page: TextPage, report: Report) -> None:
    first = view.fix_first(report)
    page.heading(view.findings_heading(report))
    if not first:
        page.line(view.nothing_found(report), indent=2)
    _findings(page, report, first, 1)
    number = len(first) + 1
    for name, found in view.further_findings(report):
        page.heading(f"{view.CATEGORY_NAMES[name]}: {len(found)} more")
        _findings(page, report, found, number)
        number += len(found)


def _findings(page: TextPage, report: Report, found: Sequence[view.Finding], first: int) -> None:
    for number, finding in enumerate(found, start=first):
        result = finding.result
        if number > first:
            page.gap()
        title = Text(f"{number:>2}. ")
        title.append(view.headline(result), style="bold")
        title.append("  ")
        title.append(result.importance.upper(), style=_IMPORTANCE_STYLES.get(result.importance, "bold"))
        if cost := view.cost(finding, report):
            title.append(f"  {cost}")
        title.append(f"  [{visible(result.check, 60)}]", style="dim")
        page.line(title, hang=4)
        page.line(visible(result.message, 400), indent=4)
        page.prose(parse_prose(result.why), indent=4, first_label="Why")
        page.prose(parse_prose(result.fix), indent=4, first_label="Fix")
        _evidence(page, finding)
        if finding.counted:
            page.field("Includes", "; ".join(visible(view.headline(child), 120) for child in finding.counted))


def _evidence(page: TextPage, finding: view.Finding) -> None:
    label = "Evidence"
    for evidence in finding.evidence:
        for index, row in enumerate(_evidence_rows(evidence)):
            # The mark belongs to the margin: as a word of its own it would stand alone before a long address.
            mark = f"{label:<{_LABEL_WIDTH}}{'  ' if index else '• '}"
            page.line(row, indent=4, hang=6 + _LABEL_WIDTH, label=mark)
            label = ""
    if finding.evidence and finding.evidence_not_shown:
        page.field("", Text(f"and {finding.evidence_not_shown:,} more", style="dim"))


def _evidence_rows(evidence: Evidence) -> list[Text]:
    rows = [Text(text) for text in (evidence_rows.place(evidence), evidence_rows.facts_of(evidence)) if text]
    snippet = visible(evidence.snippet)
    if snippet:
        rows.insert(1 if evidence_rows.place(evidence) else 0, Text(snippet, style="green"))
    return rows


def _informative(page: TextPage, report: Report) -> None:
    results = view.with_outcome(report, "informative")
    if not results:
        return
    page.heading(f"Good to know ({len(results)})")
    for result in results[:_SHOWN_IN_LIST]:
        page.line(Text.assemble((view.headline(result), "bold"), f"  {visible(result.message)}"), indent=2, hang=4)
        page.prose(parse_prose(result.fix), indent=4, first_label="Fix")


def _reasons(page: TextPage, title: str, results: Sequence[Result]) -> None:
    if not results:
        return
    page.heading(f"{title} ({len(results)})")
    for reason, alike in view.by_reason(results):
        titles = view.names_of_checks(alike)
        if len(alike) > _NAMED_BEFORE_REASON:
            page.line(reason, indent=2, hang=4)
            page.line(Text(titles, style="bold"), indent=4)
        else:
            page.line(Text.assemble((titles, "bold"), f"  {reason}"), indent=2, hang=4)


def _passed(page: TextPage, report: Report) -> None:
    results = view.with_outcome(report, "passed")
    if results:
        page.heading(f"Passed ({len(results)})")
        page.line(", ".join(visible(result.check_name, 80) for result in results), indent=2)


def _page_facts(page: TextPage, report: Report) -> None:
    facts = view.page_facts(report)
    missing = view.not_seen(report)
    if not facts and not missing:
        return
    page.heading("The page")
    for name, value in facts:
        page.field(name, value, indent=2)
    redirects = report.page.redirects if report.page else ()
    for hop in redirects:
        page.field("Redirect", f"{hop.status}  {visible(hop.url)} → {visible(hop.location)}", indent=2)
    for name, why in missing:
        page.field("Not seen", f"{name}: {why}", indent=2)


def _comparison(page: TextPage, comparison: Comparison) -> None:
    page.heading("Compared with the baseline")
    for sentence in comparison_notes(comparison):
        page.line(sentence, indent=2)
    if not comparison.is_comparable:
        return
    for label, changes in (("New", comparison.new), ("Fixed", comparison.fixed)):
        page.field(label, view.plural(count_findings(changes), "finding"), indent=2)
        for change in changes[:_SHOWN_IN_LIST]:
            page.line(_change(change), indent=2 + _LABEL_WIDTH, hang=4 + _LABEL_WIDTH)
    page.field("Still", view.plural(count_findings(comparison.still), "finding"), indent=2)
    for result in comparison.worse:
        page.field("Worse", f"{view.headline(result)}: {visible(result.message)}", indent=2)
    for reason, checks in comparison.unclear:
        page.field("Unclear", f"{', '.join(visible(one.check, 60) for one in checks)}: {visible(reason)}", indent=2)


def _change(change: Change) -> Text:
    where = evidence_rows.place(change.evidence) if change.evidence else ""
    text = Text.assemble((change_title(change), "bold"), f"  {change.result.importance}")
    text.append(f"  {where or visible(change.result.message)}", style="dim")
    return text
