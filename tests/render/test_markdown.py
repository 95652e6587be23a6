from __future__ import annotations

import html
import re

import pytest
from markdown_it import MarkdownIt

from pagegrade.render import render
from pagegrade.render.markdown import code, escape_markdown, render_markdown
from pagegrade.report.compare import compare_reports
from pagegrade.report.gates import Verdict
from tests.report_builders import make_failed_report, make_passed, make_report, make_result, poisoned_report

MARKDOWN = MarkdownIt("commonmark", {"html": True}).enable("table").enable("strikethrough")


def tags(text: str) -> set[str]:
    """Names of the elements that Markdown makes of ``text``, as a renderer without any sanitiser would."""
    return set(re.findall(r"<([a-zA-Z][a-zA-Z0-9]*)", MARKDOWN.render(text)))


INVISIBLE = ["\u202e", "\u2066", "\u200b", "\u200f", "\ufeff", "\U000e0041", "\x1b", "\x00", "\x9b", "\u2028", "\ud800"]
OURS = {"h1", "h2", "h3", "p", "strong", "em", "ul", "li", "code", "a", "table", "thead", "tbody", "tr", "th", "td"}
PAYLOADS = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "[click](javascript:alert(1))",
    "![pixel](https://evil.test/p.png)",
    "`code` ``more`` ```",
    "| cell | cell |",
    "# heading",
    "1. list",
    "- [ ] task",
    "> quote",
    "***bold*** ~~gone~~ __under__",
    "&lt;script&gt; &#60;b&#62;",
    "\\`escape\\",
    "<!-- comment",
    "]]> <![CDATA[",
    "[ref]: https://evil.test/",
    "line\n\n<b>new</b>\n```\n</details>",
    '"><svg onload=alert(1)>',
    "</title></script><script>alert(1)</script>",
    "javascript:alert(1)",
    " JaVaScRiPt:alert(1)",
    "<javascript:alert(1)>",
    "data:text/html,<script>alert(1)</script>",
    "red;background:url(//evil.test/p)",
    "> [!WARNING]\n> text",
    "$$x^2$$ $`y`$",
    ":bug: #1 GH-1 a@b.test",
]


@pytest.mark.parametrize("payload", PAYLOADS)
def test_page_text_makes_no_markup(payload: str) -> None:
    """Even a renderer without a sanitiser makes only the elements that are ours."""
    text = render_markdown([poisoned_report(payload)])

    assert tags(text) <= OURS | {"blockquote"}
    assert "javascript:" not in "".join(re.findall(r'href="([^"]*)"', MARKDOWN.render(text)))
    assert "evil.test" not in "".join(re.findall(r'(?:href|src)="([^"]*)"', MARKDOWN.render(text)))


@pytest.mark.parametrize("payload", ["{{7*7}}", "${7*7}", "{% raw %}", "<%= 7*7 %>", "%s%n{0.__class__}"])
def test_template_syntax_and_format_verbs_stay_as_they_are(payload: str) -> None:
    """The reader sees the text of the page."""
    shown = "".join(html.unescape(re.sub(r"<[^>]*>", "", MARKDOWN.render(render_markdown([poisoned_report(payload)])))))

    assert shown.count(payload) > 10


@pytest.mark.parametrize("payload", INVISIBLE)
def test_invisible_characters_are_shown_as_escapes(payload: str) -> None:
    """Nothing turns a line around, hides a letter or moves a cursor; a host of another script is shown beside."""
    text = render_markdown([poisoned_report(f"a{payload}b"), make_report(url="https://xn--80ak6aa92e.com/")])

    assert payload not in text
    assert "The host reads аррӏе.com." in text
    text.encode()


@pytest.mark.parametrize("payload", PAYLOADS)
def test_escaped_text_reads_as_it_was(payload: str) -> None:
    """Escaping changes how it is written, not what is read."""
    rendered = MARKDOWN.renderInline(escape_markdown(payload))
    shown = re.sub(r"<!-- -->", "", rendered)

    assert "<" not in shown
    for character in "`*[]|#":
        assert shown.count(character) == " ".join(payload.split()).count(character)


@pytest.mark.parametrize("payload", [*PAYLOADS, "`", "``", "a`", " ` "])
def test_code_spans_cannot_be_left(payload: str) -> None:
    """The fence is longer than any run of backticks inside."""
    rendered = MARKDOWN.renderInline(f"before {code(payload)} after")

    assert rendered.count("<code>") == 1
    assert rendered.startswith("before <code>")
    assert rendered.endswith("</code> after")


@pytest.mark.parametrize(
    ("text", "forbidden"),
    [("@everyone", "@everyone"), ("see https://evil.test", "https://"), ("www.evil.test", "www.")],
)
def test_nothing_is_linked_or_mentioned(text: str, forbidden: str) -> None:
    """GitHub would turn these into links and notifications."""
    assert forbidden not in escape_markdown(text)


def test_the_report_has_its_parts() -> None:
    """Verdict, categories, findings, the rest, the page."""
    text = render_markdown([make_report()])

    for part in (
        "**Decent: 79 of 100.**",
        "| Security | 49 | bad | 3 |",
        "### 1. HTTPS (high, costs 4 points, at most 79 of 100 with it)",
        "- **Fix:**",
        "- and 11 more",
        "## Not evaluated (1)",
        "## Passed (2)",
        "## How the score was made",
        "Not seen: sitemaps",
    ):
        assert part in text


def test_several_pages_begin_with_a_table() -> None:
    """The overview comes first."""
    text = render_markdown([make_report(), make_failed_report()])

    assert text.startswith("# Pagegrade: 2 pages")
    assert "| 79 | decent |" in text
    assert "What to do" in text


def test_the_worst_page_comes_first_with_the_conditions_that_it_fails() -> None:
    """A reader of the beginning alone knows what to do."""
    reports = [make_report(url=f"https://example.com/{name}", score=score) for name, score in (("a", 90), ("b", 40))]
    text = render_markdown(reports, verdicts=[(), (Verdict("score<80", "score<80: the score is 40"),)])

    assert text.index("| 40 |") < text.index("| 90 |")
    assert text.index("# `https://example.com/b`") < text.index("# `https://example.com/a`")
    assert "**1 below the conditions.**" in text
    assert text.index("**Condition failed:** score&lt;80: the score is 40") < text.index("# `https://example.com/a`")


def utf16(text: str) -> int:
    """Characters as GitHub's limits count the most of them."""
    return len(text.encode("utf-16-le")) // 2


def test_a_comment_is_cut_one_past_its_limit_with_a_count() -> None:
    """At the limit it is whole."""
    reports = [make_report(url=f"https://example.com/{number}") for number in range(3)]
    whole = render_markdown(reports)
    size = utf16(whole)

    assert render_markdown(reports, max_chars=size) == whole

    cut = render_markdown(reports, max_chars=size - 1)

    assert utf16(cut) < size
    assert cut.endswith(f"_Cut at {size - 1:,} characters. Not shown: the last lines._\n")


@pytest.mark.parametrize("number", [1, 60])
@pytest.mark.parametrize("payload", ["x", "\U0001f4a9", "<@|`"])
def test_a_comment_fits_whatever_the_pages_hold(number: int, payload: str) -> None:
    """The table leaves room for what is wrong with the worst page."""
    found = [make_result(f"c{index}", message=payload * 400) for index in range(150 if number == 1 else 20)]
    reports = [make_report(*found, url=f"https://example.com/{index}/{payload * 300}") for index in range(number)]
    comment = render(reports, "comment")

    assert utf16(comment) <= 65_536
    assert "### 1\\. " in comment or "### 1. " in comment
    assert re.search(r"Not shown: (\d+ pages?, )?[\d,]+ findings?\._", comment) is not None
    assert (f"and {number - 50} more pages." in comment) is (number > 50)


def test_the_difference_from_a_baseline_is_shown() -> None:
    """For the comment on a pull request."""
    before, after = make_report(make_passed("a")), make_report(make_result("a"))

    assert "- **New:** 1 finding" in render_markdown([after], comparisons=[compare_reports(before, after)])


def test_what_does_not_compare_stands_in_one_line() -> None:
    """With its reason, and beside what got worse."""
    unseen = [make_passed(name, outcome="not_evaluated") for name in ("a", "b")]
    before = make_report(*unseen, make_result("csp", evidence=(), state="weak", lost=0.5))
    after = make_report(make_passed("a"), make_passed("b"), make_result("csp", evidence=(), state="missing"))
    text = render_markdown([after], comparisons=[compare_reports(before, after)])

    assert "- **Not comparable:** a, b. The check could not be evaluated in the older report" in text
    assert "- **Worse:** Csp: " in text
