from __future__ import annotations

import re

import pytest
from msgspec.structs import replace
from rich.cells import cell_len

from pagegrade.render.prose import parse_prose
from pagegrade.render.text import render_markup, render_text, summary_line
from pagegrade.report.compare import compare_reports
from tests.report_builders import make_failed_report, make_passed, make_report, make_result, poisoned_report

CONTROL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def test_the_report_says_everything_a_person_needs() -> None:
    """Verdict, score, categories, findings with value, why, fix, evidence, the rest counted, how the score came."""
    text = render_text([make_report()])

    for part in (
        "https://example.com/pricing",
        "DECENT",
        "79 of 100",
        "Accessibility  83",
        "Fix first",
        " 1. HTTPS  HIGH  costs 4 points, at most 79 of 100 with it  [https]",
        "Includes   Strict-Transport-Security",
        "Why        ",
        "Fix        ",
        "Evidence   • head > title · line 4",
        "and 11 more",
        "Not evaluated (1)",
        "The handshake was not answered in time.",
        "Not applicable (1)",
        "Passed (2)",
        "at most 79",
        "48.2 kB, 11.9 kB transferred",
        "Not seen   sitemaps",
        "ruleset 2026.12",
        "pagegrade explain",
    ):
        assert part in text


@pytest.mark.parametrize("width", [20, 40, 60, 80, 100, 250])
@pytest.mark.parametrize("payload", ["word " * 60, "x" * 3000, "漢字" * 200, "<title>Ordinary</title>"])
def test_no_line_is_wider_than_the_terminal(width: int, payload: str) -> None:
    """Lines wrap at the width, at most 100 and at least 40 columns, wide characters counted as two."""
    for report in (make_report(), make_failed_report(), poisoned_report(payload)):
        lines = render_text([report], width=width).splitlines()

        assert max(map(cell_len, lines)) <= max(40, min(width, 100))


@pytest.mark.parametrize(
    "payload",
    [
        "\x1b[2J\x1b]0;owned\x07",
        "\x9b31m",
        "a\rb\x08\x08c",
        "\u202egpj.exe",
        "[bold red]markup[/] [link=http://evil.test]x[/link]",
        "\ud800",
        "%s%n{0.__class__}",
        ":smile:",
    ],
)
def test_page_text_cannot_touch_the_terminal(payload: str) -> None:
    """No control character of a page reaches the output, and nothing of it is read as markup."""
    text = render_text([poisoned_report(payload)])

    assert CONTROL.search(text) is None
    text.encode()
    if "[" in payload and "\x1b" not in payload:
        assert "[bold red]markup[/]" in text


def test_colour_comes_only_when_wanted_and_says_nothing_alone() -> None:
    """Without the colours the same words remain."""
    colored = render_text([make_report()], color=True)
    plain = render_text([make_report()])

    assert "\x1b[" not in plain
    assert "\x1b[" in colored
    assert re.sub(r"\x1b\[[0-9;]*m", "", colored).split() == plain.split()


def test_an_output_that_knows_only_ascii_gets_ascii() -> None:
    """The ornaments have plain forms."""
    text = render_text([make_report()], ascii_only=True)

    assert text.isascii()
    assert "#####" in text


def test_quiet_is_one_line_a_page() -> None:
    """For logs and for many pages."""
    lines = render_text([make_report(), make_failed_report()], quiet=True).splitlines()

    assert len(lines) == 2
    assert lines[0].startswith(" 79 decent")
    assert "failed" in lines[1]


def test_several_reports_end_in_a_summary() -> None:
    """The last thing on the screen is the overview."""
    end = render_text([make_report(), make_failed_report()]).rsplit("2 pages", 1)[1]

    assert " 79 decent" in end
    assert "blocked" in end


def test_a_failed_page_says_what_happened_and_what_to_do() -> None:
    """No score, no findings, but a way out."""
    text = render_text([make_failed_report("blocked")])

    assert "NOT ANALYZED" in text
    assert "HTTP status 403" in text
    assert "--html" in text
    assert "seldom passes by itself" in " ".join(text.split())
    assert "Fix first" not in text
    assert "of 100" not in text


def test_a_page_without_findings_says_so() -> None:
    """An empty list is not shown as an empty list."""
    assert "Nothing to fix" in render_text([make_report(make_passed())])


def test_the_difference_from_a_baseline_is_shown() -> None:
    """New and fixed findings come before the list of all."""
    before, after = make_report(make_passed("a"), make_result("b")), make_report(make_result("a"), make_passed("b"))
    text = render_text([after], comparisons=[compare_reports(before, after)])

    assert "Compared with the baseline" in text
    assert "New        1 finding" in text
    assert "Fixed      1 finding" in text


def test_what_does_not_compare_stands_once_for_all_checks() -> None:
    """And what got worse, though it is no new finding."""
    unseen = [make_passed(name, outcome="not_evaluated") for name in ("a", "b")]
    before = make_report(*unseen, make_result("csp", evidence=(), state="weak", lost=0.5), score=None)
    after = make_report(make_passed("a"), make_passed("b"), make_result("csp", evidence=(), state="missing"))
    text = render_text([after], comparisons=[compare_reports(before, after)])

    assert "Score – → 79." in text
    assert "Unclear    a, b: The check could not be evaluated in the older report." in text
    assert "Worse      Csp: " in text


@pytest.mark.parametrize(("number", "is_first"), [(5, False), (6, True)])
def test_the_reason_of_many_checks_comes_before_their_names(number: int, *, is_first: bool) -> None:
    """After 165 names a reader would not find it."""
    unseen = [
        make_passed(f"c{each}", outcome="not_evaluated", reason="skipped: It was left out.") for each in range(number)
    ]
    text = render_text([make_report(*unseen)])

    assert (text.index("It was left out.") < text.index(unseen[0].check_name)) is is_first


def test_a_host_in_another_script_is_shown_in_both_forms() -> None:
    """The address as it is, and as it reads."""
    report = replace(make_report(), url="https://xn--bcher-kva.example/", final_url=None)
    text = render_text([report])

    assert "https://xn--bcher-kva.example/" in text
    assert "the host reads bücher.example" in text


def test_documentation_keeps_its_code() -> None:
    """Fenced code is indented and keeps its lines."""
    text = render_markup(parse_prose("Add this:\n\n```html\n<html lang=en>\n  <p>\n```\n\n- an item"), indent=2)

    assert text == "  Add this:\n\n    <html lang=en>\n      <p>\n\n  • an item\n"


def test_a_line_says_where_the_page_ended() -> None:
    """Only where that is another page."""
    led, stays = (make_report(final_url=f"https://example.com/{path}") for path in ("prices", "pricing"))

    assert "https://example.com/pricing → https://example.com/prices  " in summary_line(led).plain
    assert "→" not in summary_line(stays).plain


@pytest.mark.parametrize("width", [60, 80, 120])
def test_the_share_that_was_evaluated_stands_beside_or_below_what_it_is_about(width: int) -> None:
    """Never at the left edge, where it would look like a line of its own."""
    report = make_report()
    category = replace(report.categories["seo"], coverage=0.5, failed=5)
    text = render_text([replace(report, categories={**report.categories, "seo": category})], width=width)
    lines = text.splitlines()
    (at,) = (number for number, line in enumerate(lines) if "50% evaluated" in line)
    column = lines[at].index("50%")

    assert all(cell_len(line) <= width for line in lines)
    assert "5 findings, 50% evaluated" in lines[at] or lines[at - 1].index("5 findings") == column
