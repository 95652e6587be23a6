from __future__ import annotations

import re
from html import unescape
from itertools import pairwise
from typing import Any

import pytest
import turbohtml
from msgspec.structs import replace

from pagegrade.checks._registry import all_checks
from pagegrade.library import evaluate
from pagegrade.model.errors import FAILURE_CODES
from pagegrade.model.outcome import Evidence
from pagegrade.model.report import CategoryScore, Report, Withheld
from pagegrade.render.finding_list import MAX_ROWS, STATUSES, VIEWS, read_report_query
from pagegrade.render.history import MAX_RUNS, RunPoint
from pagegrade.render.html import Extras, render_article, render_comparison
from pagegrade.render.i18n import LOCALES, texts_for
from pagegrade.report.compare import compare_reports
from tests.builders import SKIPPED
from tests.examples import artifacts_of_example
from tests.render.test_history import run
from tests.render.test_html import FORBIDDEN, PAYLOADS
from tests.report_builders import make_failed_report, make_passed, make_report, make_result, poisoned_report

EN = texts_for("en")
STATES: tuple[dict[str, str], ...] = (
    {},
    *({"view": view} for view in VIEWS),
    *({"status": status} for status in STATUSES),
    {"sort": "severity", "expand": "1"},
    {"sort": "category", "category": "security", "severity": "high,low"},
    {"view": "history", "category": "seo"},
    {"search": "no such finding"},
)
"""Queries of a report page."""
HISTORY = (run(3, 79), run(2, None), run(1, 70))


def make_extras(**more: Any) -> Extras:
    """Extras that a server knows: two earlier runs, and addresses of its own."""
    defaults: dict[str, Any] = {
        "history": HISTORY,
        "shown_number": 3,
        "timezone": "Europe/Berlin",
        "run_url": lambda number: f"/reports/7/runs/{number}",
        "compare_url": lambda before, after: f"/reports/7/compare?from={before}&to={after}",
        "check_url": lambda check: f"/checks/{check}",
        "now_ms": 1_767_620_000_000,
    }
    return Extras(**{**defaults, **more})


def elements(text: str) -> list[turbohtml.Element]:
    """Every element a browser would make of the article on a page."""
    page = f"<!doctype html><html lang=en><head><title>t</title></head><body>{text}</body></html>"
    document = turbohtml.parse(page.encode(), encoding="utf-8")
    if document.errors or document.root is None:
        raise AssertionError(document.errors)
    return list(document.root.iter_elements())


def article(report: Report | None = None, *, tag: str = "en", **more: Any) -> str:
    """A report as its page has it."""
    return str(render_article(report or make_report(), texts_for(tag), make_extras(**more)))


def comparison_of(before: Report, after: Report, *, tag: str = "en", **more: Any) -> str:
    """Two reports beside each other, as runs 1 and 3."""
    return str(
        render_comparison(compare_reports(before, after), HISTORY[2], HISTORY[0], texts_for(tag), make_extras(**more))
    )


@pytest.mark.parametrize("payload", PAYLOADS)
def test_page_text_is_inert(payload: str) -> None:
    """No element, handler, style or foreign place comes of anything that a page holds."""
    poisoned = poisoned_report(payload)
    history = (replace(HISTORY[0], ruleset=payload, engine=payload), run(1, 70, ruleset="2025.2"))
    text = article(poisoned, history=history) + comparison_of(make_report(), poisoned)
    found = elements(text)

    assert not FORBIDDEN & {element.tag.lower() for element in found}
    for element in found:
        for name, value in element.attrs.items():
            assert not name.lower().startswith("on")
            assert name.lower() not in {"style", "src", "srcset", "srcdoc", "action", "formaction", "xlink:href"}
            if name == "href":
                assert str(value).startswith(("https://", "http://", "/reports/7", "/checks/", "#f-"))


@pytest.mark.parametrize("sent", STATES, ids=str)
@pytest.mark.parametrize("payload", PAYLOADS)
def test_page_text_is_inert_in_every_view(payload: str, sent: dict[str, str]) -> None:
    """Also what the query of a page repeats."""
    query = read_report_query(sent or {"search": payload.encode("utf-8", "replace").decode()}, "/reports/7")
    for element in elements(article(poisoned_report(payload), query=query)):
        assert element.tag.lower() not in FORBIDDEN - {"form", "input", "button"}
        for name, value in element.attrs.items():
            assert not name.lower().startswith("on")
            assert name.lower() not in {"style", "src", "srcset", "srcdoc", "formaction", "xlink:href"}
            if name in {"href", "action", "data-load"}:
                assert str(value).startswith(("https://", "http://", "/reports/7", "/checks/"))


@pytest.mark.parametrize("tag", LOCALES)
@pytest.mark.parametrize("sent", STATES, ids=str)
def test_the_markup_of_every_view_is_sound(sent: dict[str, str], tag: str) -> None:
    """Nothing a parser has to fix, unique ids, labels that exist, no level of headings left out."""
    is_sound(elements(article(tag=tag, query=read_report_query(sent, "/reports/7"))))


@pytest.mark.parametrize("count", [0, 1, 26, 190])
def test_a_page_keeps_its_budget_however_much_was_found(count: int) -> None:
    """60 kB of HTML and 1,500 elements, with what stands around the report."""
    results = [make_result(f"check-{number}", lost=1.0) for number in range(count)]
    text = article(make_report(*results, make_passed()), query=read_report_query({}, "/reports/7"))

    assert len(text.encode()) < 54_000
    assert len(elements(text)) < 1_400
    assert text.count('<details class="row"') == min(count, MAX_ROWS)
    assert (f"Show all {count} findings" in text) == (count > MAX_ROWS)


def test_what_does_not_fit_is_one_click_away() -> None:
    """Without a script a link leads to the finding, open and whole; with one its body is loaded in place."""
    results = [make_result(f"check-{number:02}", lost=1.0, fix="Fix " * 200) for number in range(40)]
    report = make_report(*results)
    closed = article(report, query=read_report_query({}, "/reports/7"))
    opened = article(report, query=read_report_query({"open": "check-39"}, "/reports/7"))

    assert 'data-load="/reports/7?open=check-39"' in closed
    assert 'href="/reports/7?open=check-39#f-check-39"' in closed
    assert 'data-load="/reports/7?open=check-39"' not in opened
    assert opened.count('<details class="row" open>') == 1
    assert "data-load" not in article(report, query=read_report_query({"expand": "1"}, "/reports/7"))


@pytest.mark.parametrize("view", VIEWS)
def test_a_page_without_a_grade_has_no_figure(view: str) -> None:
    """Neither in its tabs nor in its categories; the view of the score leads to the findings."""
    report = make_report(
        result=None,
        score=None,
        withheld=Withheld(kind="login", message="A login page answered.", fix="Sign in."),
    )
    text = article(report, query=read_report_query({"view": view}, "/reports/7"), history=())

    assert "Why there is no grade" in text
    assert "view=score" not in text
    assert 'class="categories"' not in text
    assert "of 100" not in text
    assert "−" not in text


@pytest.mark.parametrize(("taken", "shown"), [(30.0, True), (41.5, False)], ids=["over budget", "within budget"])
def test_the_table_of_costs_says_what_the_budgets_let_through(taken: float, shown: bool) -> None:  # noqa: FBT001
    """Else its total would contradict the score."""
    category = CategoryScore(score=0, result="bad", passed=0, failed=1, lost=41.5, taken=taken, budget=30)
    report = make_report(make_result("csp", lost=41.5), categories={"accessibility": category})

    assert ("each category takes at most its budget" in article(report)) is shown


@pytest.mark.parametrize(
    ("tag", "said"),
    [("en", "(76.4 → 75.8 before caps and rounding)"), ("de", "(76,4 → 75,8 vor Obergrenzen und Rundung)")],
)
def test_a_change_that_rounding_hides_has_a_decimal(tag: str, said: str) -> None:
    """Beside equal whole scores, in a comparison and where a report names its last run; not where nothing changed."""
    before, after = (make_report(make_result("csp"), score=76, uncapped_score=exact) for exact in (76.4, 75.8))
    runs = (run(3, 76, exact=75.8), run(1, 76, exact=76.4))

    assert said in comparison_of(before, after, tag=tag)
    assert said in article(after, tag=tag, history=runs)
    assert "→" not in comparison_of(before, before, tag=tag)
    assert said not in article(after, tag=tag, history=(runs[0], replace(runs[1], exact=75.8)))


@pytest.mark.parametrize("payload", PAYLOADS)
def test_page_text_changes_no_structure(payload: str) -> None:
    """The elements are those of harmless text; only links and marked-up words may differ."""

    def shape(report: Report) -> list[str]:
        skipped = {"a", "bdi", "code", "pre", "span", "br"}
        return [element.tag for element in elements(article(report)) if element.tag not in skipped]

    assert shape(poisoned_report(payload)) == shape(poisoned_report("harmless text"))


@pytest.mark.parametrize("tag", LOCALES)
@pytest.mark.parametrize(
    "report",
    [
        make_report(),
        make_report(make_passed()),
        make_report(result=None, coverage=0.6),
        make_report(result=None, coverage=0.95),
        make_report(page=None),
        make_report(score=0, result="bad"),
        *(make_failed_report(code) for code in FAILURE_CODES),
    ],
)
def test_the_markup_is_sound(report: Report, tag: str) -> None:
    """No errors of markup, one main heading, no level left out, unique ids, labels that exist."""
    found = elements(article(report, tag=tag))
    is_sound(found)


def is_sound(found: list[turbohtml.Element]) -> None:
    """Check one main heading, the order of headings, ids, labels, and the names of pictures."""
    ids = [str(element.attrs["id"]) for element in found if "id" in element.attrs]
    labels = {part for element in found for part in str(element.attrs.get("aria-labelledby", "")).split()}
    levels = [int(element.tag[1]) for element in found if re.fullmatch("h[1-6]", element.tag)]

    assert levels.count(1) == 1
    assert levels[0] == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))
    assert len(ids) == len(set(ids))
    assert labels <= set(ids)
    for element in found:
        if element.tag == "svg":
            named = element.attrs.get("role") == "img" and element.attrs.get("aria-label")
            assert named or element.attrs.get("aria-hidden") == "true"


def test_the_report_says_everything() -> None:
    """Verdict, change, scores, findings with limits, advice, code and places, the rest, the page, the score."""
    text = article()

    for part in (
        "This page is decent",
        'aria-label="Score 79 of 100"',
        "Up 9 points since run 1, ",
        'href="/reports/7/compare?from=1&amp;to=3"',
        "Fix first",
        "should be at most 60",
        "costs 4 points",
        "Why it matters",
        'href="/checks/https"',
        "Show 2 more",
        "Strict-Transport-Security",
        "The handshake was not answered in time.",
        "1 redirect",
        "First byte",
        "640 kB",
        "1 did not load",
        "As a search result",
        "https://example.com/share.png",
        "id=…; Secure; HttpOnly",
        "The score is at most 79 while “HTTPS” fails.",
        "Points of each finding",
        "ruleset 2026.12",
        "5 Jan 2026, 13:34",
    ):
        assert part in text


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [(70, 79, "Up 9 points"), (80, 79, "Down 1 point since"), (79, 79, "The same score as in run 1")],
)
def test_the_change_is_written_in_words(before: int, after: int, words: str) -> None:
    """A symbol alone says nothing to those who do not see it."""
    assert words in article(history=(run(2, after), run(1, before)), shown_number=2)


def test_scores_of_other_rules_are_not_compared() -> None:
    """And the page says why."""
    text = article(history=(run(2, 79), run(1, 70, ruleset="2025.2")), shown_number=2)

    assert "Not compared with run 1" in text
    assert "2025.2" in text
    assert "new rules 2026.1" in text
    assert "Up 9" not in text


@pytest.mark.parametrize("history", [(), (run(1, 79),)], ids=["none", "one"])
def test_a_single_run_has_no_history(history: tuple[RunPoint, ...]) -> None:
    """A line needs two points."""
    assert "History" not in article(history=history, shown_number=1)


def test_the_chart_and_the_table_have_the_same_figures() -> None:
    """Readers who do not see the line have the rows; a failed run is a cross and a row without a score."""
    text = article()
    rows = re.findall(r'<th scope="row">(?:<a href="[^"]+">)?(\d+)', text)
    chart = re.search(r'<svg class="line".*?</svg>\s*</svg>', text, re.DOTALL)

    assert rows == ["3", "2", "1"]
    assert chart is not None
    assert chart[0].count("<circle") == 2
    assert chart[0].count('class="cross"') == 1
    assert "this run failed" in text


def test_a_hundred_runs_stay_readable_and_light() -> None:
    """The newest are drawn, and the page says that there are more."""
    history = tuple(run(number, 50 + number % 50) for number in range(100, 0, -1))
    text = article(history=history, shown_number=100)

    assert text.count("<circle cx") + text.count("<circle class=") >= MAX_RUNS
    assert f"The newest {MAX_RUNS} runs." in text
    assert len(text.encode()) < 60_000


def test_history_of_failures_alone_is_a_list() -> None:
    """There is no line to draw."""
    text = article(make_failed_report(), history=(run(2, None), run(1, None)), shown_number=2)

    assert 'class="line"' not in text
    assert 'href="/reports/7/runs/1"' in text


@pytest.mark.parametrize("code", FAILURE_CODES)
def test_a_failed_page_has_a_way_out_and_no_score(code: str) -> None:
    """The reason, the steps, nothing that looks like a grade, and the last good run is not lost."""
    text = article(make_failed_report(code))

    assert "What happened" in text
    assert "What to do" in text
    assert 'aria-label="No score"' in text
    assert "There is no score" in text
    assert 'href="/reports/7/runs/3"' in text
    assert "--" not in re.sub(r"<[^>]+>", "", text)
    for absent in ("Fix first", "How the score was made", "of 100"):
        assert absent not in text


def test_a_site_that_blocks_us_gets_our_user_agent() -> None:
    """The string to allow, and where it goes."""
    blocked, unresolved = article(make_failed_report("blocked")), article(make_failed_report("dns"))

    assert "<pre><code>Pagegrade/0.1.0</code></pre>" in blocked
    assert "Allow Pagegrade" in blocked
    assert "Allow Pagegrade" not in unresolved


def test_only_the_first_finding_is_unfolded() -> None:
    """It shows what the others hold; what could not be evaluated is never hidden."""
    text = article()

    assert re.findall(r'<details class="(?:card|row)"( open)?', text).count(" open") == 2
    assert text.index("open>") < text.index("Not evaluated")


def test_texts_without_a_translation_are_marked_as_english_on_other_pages() -> None:
    """A screen reader changes its voice for them."""
    assert ' lang="en"' not in article()
    german = article(tag="de")

    assert "<bdi>Die Seite wird über unverschlüsseltes HTTP ausgeliefert.</bdi>" in german
    assert re.search(r'<div class="prose" lang="en">\s*<p dir="auto">Anyone on the way can read', german)


ENGLISH_WORDS = frozenset("and are as at be by for from has have is it no not of on or that the this to with".split())
CODE = re.compile(r"<(code|pre|svg)\b.*?</\1>", re.DOTALL)


@pytest.mark.parametrize("check", ["image-alt", "cookies", "sitemap", "font-display", "tls-certificate", "h1"])
def test_a_report_in_german_has_no_english_outside_of_code(check: str) -> None:
    """No word of English grammar stands in it, whatever was found."""
    report = evaluate(artifacts_of_example(all_checks()[check].documentation["Fails on"]))
    shown = str(render_article(report, texts_for("de"))).replace(str(SKIPPED.detail), "")
    text = unescape(re.sub(r"<[^>]+>", " ", CODE.sub(" ", shown)))
    words = re.findall(r"(?<![\w/.-])[^\W\d_]+(?![\w/.-])", text)
    english = [word for word in words if word.lower() in ENGLISH_WORDS]

    assert english == []
    assert len(words) > 500


def test_text_of_other_scripts_is_isolated() -> None:
    """A title from right to left turns nothing around it."""
    title = "מחירים ותוכניות"
    text = article(make_report(make_result(value=title, message=f"כותרת: {title}", title=title)))

    assert f"<bdi>{title}</bdi>" in text
    assert f"<bdi>כותרת: {title}</bdi>" in text


def test_a_page_of_our_own_is_preferred_to_a_source() -> None:
    """For a check without one, the result names its own."""
    learned = make_result("gone", learn_more="https://example.org/source")

    assert 'href="/checks/gone"' in article(make_report(learned))
    assert 'href="https://example.org/source"' in article(make_report(learned), check_url=lambda _: None)


def test_a_typical_report_is_light() -> None:
    """Below 60 kB without what was found on the page."""
    results = [make_result(f"check-{number}", importance="medium", fix="Fix it. " * 20) for number in range(25)]
    passed = [make_passed(f"passed-{number}") for number in range(40)]
    text = re.sub(r'<table class="evidence">.*?</table>', "", article(make_report(*results, *passed)), flags=re.DOTALL)

    assert len(text.encode()) < 57_000


def test_two_runs_are_compared() -> None:
    """Two scores and their difference; what is new, fixed, still there, and what does not compare."""
    before = make_report(make_passed("a"), make_result("b"), make_result("c"), make_passed("e"), score=70)
    after = make_report(
        make_result("a", title="Came"),
        make_passed("b"),
        make_result("c", title="Stayed"),
        make_passed("e", outcome="not_evaluated"),
        score=79,
    )
    text = comparison_of(before, after)
    parts = ("Run 1", "9 points up", ">New ", "Came", ">Fixed ", ">Still there ", "Stayed", "Not comparable")
    order = [text.index(part) for part in parts]

    assert order == sorted(order)
    assert "The check could not be evaluated in the newer report." in text
    assert 'href="/reports/7/runs/1"' in text


def test_changes_of_one_cause_stand_together() -> None:
    """The one that is charged is the headline, whichever comes first; the others stand in it, with places."""
    counted = make_result("a-counted", title="Counted one", cause="slow", counted_in="b-charged", lost=0.0)
    charged = make_result("b-charged", title="Charged one", cause="slow", lost=9.0)
    passed = (make_passed("a-counted", cause="slow"), make_passed("b-charged", cause="slow"), make_passed("c"))
    text = comparison_of(make_report(*passed), make_report(counted, charged, make_result("c", title="Another")))
    new = text[text.index(">New ") : text.index('id="fixed"')]

    assert new.startswith('>New <span class="count">2</span>')
    assert new.count('<details class="row"') == 2
    assert "+1 with the same cause" in new
    assert new.index("Charged one") < new.index("Counted one") < new.index("Another")
    assert "<h3><bdi>Counted one</bdi></h3>" in new


def test_the_same_run_twice_has_nothing_new() -> None:
    """Empty parts say so."""
    text = comparison_of(make_report(make_passed("a")), make_report(make_passed("a")))

    for sentence in ("Nothing new was found.", "Nothing was fixed.", "the same score"):
        assert sentence in text


def test_runs_of_different_rules_are_marked_as_such() -> None:
    """Before anything else, and without a difference of scores."""
    before = make_report()
    after = replace(before, run=replace(before.run, ruleset="2027.1"))
    text = comparison_of(before, after)

    assert text.index("These runs are two different measurements") < text.index('aria-label="Before"')
    assert "Different rules evaluated the page" in text
    assert "not compared" in text
    assert "Nothing new was found." not in text


def test_what_got_worse_and_where_the_address_led_comes_first() -> None:
    """Both explain the lists that follow."""
    before = make_report(make_result("csp", evidence=(), state="weak", lost=0.5), final_url="https://example.com/login")
    after = make_report(make_result("csp", title="The policy", evidence=(), state="missing"))
    text = comparison_of(before, after)

    assert text.index("The URL led to another page than before.") < text.index('aria-label="Before"')
    assert text.index("Worse than before:") < text.index("The policy") < text.index(">New")


@pytest.mark.parametrize("tag", LOCALES)
def test_the_markup_of_a_comparison_is_sound(tag: str) -> None:
    """One main heading, unique ids, labels that exist."""
    found = elements(comparison_of(make_report(make_passed("a"), make_result("b")), make_report(), tag=tag))
    ids = [str(element.attrs["id"]) for element in found if "id" in element.attrs]
    labels = {part for element in found for part in str(element.attrs.get("aria-labelledby", "")).split()}

    assert [element.tag for element in found].count("h1") == 1
    assert len(ids) == len(set(ids))
    assert labels <= set(ids)


def test_words_come_from_the_catalogue() -> None:
    """The page is in the reader's language, as far as that has words."""
    assert EN.gettext("Fix first") in article()
    assert texts_for("de").gettext("Fix first") in article(tag="de")


def test_what_failed_was_tried_and_not_analyzed() -> None:
    """The two words would contradict each other in one header."""
    failed, completed = article(make_failed_report("timeout")), article()

    assert re.search(r"Tried <time", failed)
    assert not re.search(r"Analyzed <time", failed)
    assert re.search(r"Analyzed <time", completed)


def test_runs_of_one_day_are_distinguished() -> None:
    """The table of the history has the time of day."""
    table = article().partition('<table class="runs')[2].partition("</table>")[0]

    assert len(re.findall(r"<td>\d+ \w{3} \d{4}, \d\d:\d\d</td>", table)) == len(HISTORY)


def test_places_have_no_column_when_there_are_none() -> None:
    """A header of an answer is nowhere in the page."""
    nowhere = make_result(outcome="failed", evidence=(Evidence(header="Server", reason="names the version"),))
    somewhere = make_result(outcome="failed", evidence=(Evidence(snippet="<p>", selector="html > p"),))

    assert '<th scope="col">Where</th>' not in article(make_report(nowhere))
    assert '<th scope="col">Where</th>' in article(make_report(somewhere))
    assert '<th scope="col">Why it is listed</th>' not in article(make_report(somewhere))


def test_a_comparison_names_checks_and_gives_each_reason_once() -> None:
    """Twenty checks that one run could not evaluate are one row, without their ids."""
    names = [f"check-{number}" for number in range(20)]
    before = make_report(*(make_passed(name, outcome="not_evaluated", name=f"The {name}") for name in names))
    after = make_report(*(make_passed(name, name=f"The {name}") for name in names))
    page = comparison_of(before, after)
    section = page[page.index('id="not-comparable"') :]

    assert section.count("<dt>") == 1
    assert all(f"The {name}" in section for name in names)
    assert re.search(r"<bdi>check-\d", section) is None
