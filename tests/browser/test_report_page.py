"""The report page in Chromium: filters without scripts, what the script adds, and the budgets of the page."""

from __future__ import annotations

import gzip
import os
import re
from itertools import pairwise
from pathlib import Path
from typing import Final

import pytest

from pagegrade.web.pages.html import ASSETS
from tests.browser.browsing import PHONE, WIDE
from tests.browser.conftest import Open, Tabs
from tests.browser.instance import Instance
from tests.browser.world import RUNS

REPORTS: Final = (
    "good",
    "decent",
    "bad",
    "drawn",
    "poor",
    "partly",
    "real_hostile",
    "hostile_all",
    "right_to_left",
    "very_long",
)
LONG_TEXTS: Final = ("hostile_all", "very_long")
"""Pages whose titles and URLs are so long that their summary may be higher."""
SNAPSHOT: Final = Path(__file__).with_name("report_page.aria.txt")
_TIMES: Final = re.compile(r"\d{1,2} \w{3} \d{4}(, \d\d:\d\d( UTC)?)?|\d+ \w+ ago")
_SHOWN: Final = "() => [...document.querySelectorAll('details.row')].filter(e => e.checkVisibility()).length"


@pytest.mark.parametrize("name", REPORTS)
def test_a_report_page_keeps_its_budgets(name: str, instance: Instance, tabs: Tabs) -> None:
    """60 kB of HTML, 1,500 elements, a summary of at most 320 px and rows of 44 px at least on a desk."""
    window = tabs("Alice")
    answer = window.go(instance.fill(f"/reports/{{{name}.id}}"))
    page = window.page
    rows = page.evaluate(
        "() => [...document.querySelectorAll('.row > summary')].map(e => e.getBoundingClientRect().height)"
    )

    height = page.locator(".summary").first.evaluate("element => element.getBoundingClientRect().height")

    assert len(answer.body()) <= 60_000
    assert page.evaluate("document.querySelectorAll('*').length") <= 1_500
    assert name in LONG_TEXTS or height <= 320
    assert all(height >= 43.5 for height in rows)


def test_a_screen_reader_meets_the_report_in_a_fixed_order(instance: Instance, tabs: Tabs) -> None:
    """The roles, names and order of the report page are those of a committed file, which a change has to update.

    ``PAGEGRADE_WRITE_SNAPSHOT=1`` writes the file.
    """
    window = tabs("Alice")
    window.go(instance.fill("/reports/{decent.id}?open=title-length"))
    found = _TIMES.sub("TIME", window.page.locator("main").aria_snapshot())
    found = re.sub(r"(/reports/|Report )\d+", r"\1N", found) + "\n"
    if os.environ.get("PAGEGRADE_WRITE_SNAPSHOT"):
        SNAPSHOT.write_text(found, encoding="utf-8")

    assert found == SNAPSHOT.read_text(encoding="utf-8")


def test_styles_and_scripts_keep_their_budgets(instance: Instance) -> None:
    """Compressed: 30 kB of CSS and 15 kB of JavaScript."""
    page = instance.ask(instance.fill("/reports/{poor.id}"), person="Alice").body.decode()
    for name, most in (("site.css", 30_000), ("site.js", 15_000)):
        path = re.search(rf"/static/[0-9a-f]+/{re.escape(name)}", page)

        assert name in ASSETS
        assert path is not None
        assert len(gzip.compress(instance.ask(path[0]).body)) <= most


def test_filters_tabs_and_findings_work_without_scripts(instance: Instance, window_of: Open) -> None:
    """Each is a link or a form, and its state is in the URL."""
    with window_of("Alice", java_script_enabled=False) as window:
        window.go(instance.fill("/reports/{poor.id}"))
        page = window.page
        page.locator(".chips a.importance.high").click()
        by_severity = page.url
        kinds = {row.split()[0].lower() for row in page.locator(".row > summary").all_inner_texts()}
        page.locator(".categories a", has_text="SEO").click()
        by_category = page.url
        page.get_by_label("Search in findings").fill("title")
        page.get_by_role("button", name="Search").click()
        found = page.locator(".row .title").all_inner_texts()
        page.locator(".tabs a", has_text="Requests").click()
        table = page.locator("table.waterfall tbody tr").count()
        page.locator(".waterfall thead a", has_text="Size").click()
        order = page.locator(".waterfall [aria-sort]").get_attribute("aria-sort")

    assert "severity=high" in by_severity
    assert kinds == {"high"}
    assert "category=seo" in by_category
    assert len(found) == 1
    assert table > 3
    assert order == "descending"


def test_a_body_that_was_left_out_is_loaded_when_it_is_opened(instance: Instance, tabs: Tabs) -> None:
    """In place, without leaving the page."""
    window = tabs("Alice")
    window.go(instance.fill("/reports/{poor.id}"))
    body = window.page.locator(".finding[data-load]").first
    name = body.get_attribute("id")
    body.locator("xpath=..").locator("summary").click()
    loaded = window.page.locator(f"#{name}:not([data-load]) h3").first
    loaded.wait_for()

    assert "open=" not in window.page.url
    assert window.misdeeds == []


def test_keys_move_and_open(instance: Instance, tabs: Tabs) -> None:
    """Move with j and k, open with o, search with /, and list the keys with ?."""
    window = tabs("Alice")
    window.go(instance.fill("/reports/{poor.id}"))
    page = window.page
    everything = page.evaluate(_SHOWN)
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("k")
    page.keyboard.press("o")
    is_open = page.locator("details.row").first.evaluate("element => element.open")
    page.keyboard.press("/")
    page.keyboard.type("doctype")
    filtered = page.evaluate(_SHOWN)
    page.keyboard.press("Tab")
    page.keyboard.press("?")
    page.locator("dialog[open]").wait_for()
    page.get_by_role("button", name="Close").click()

    assert is_open
    assert (everything > 20, filtered) == (True, 1)
    assert page.locator("dialog[open]").count() == 0
    assert window.misdeeds == []


def test_a_finding_is_copied_as_text(instance: Instance, window_of: Open) -> None:
    """The links copy the prompt and the Markdown that they lead to."""
    with window_of("Alice", permissions=["clipboard-read", "clipboard-write"]) as window:
        window.go(instance.fill("/reports/{poor.id}?open=html-lang"))
        row = window.page.locator("details.row[open]")
        copied = []
        for name in ("Copy as prompt", "Copy as Markdown"):
            link = row.get_by_role("link", name=name)
            link.click()
            row.get_by_role("link", name="Copied").wait_for()
            copied.append(window.page.evaluate("navigator.clipboard.readText()"))
            link.wait_for()

    prompt, markdown = copied

    assert prompt.startswith("# Fix 1 finding of a web page")
    assert "Rule: `html-lang`" in prompt
    assert markdown.startswith("Page: `http://127.0.0.1:")
    assert "### Declare the page language" in markdown


def test_an_invalid_url_has_a_red_border_and_opens_nothing(instance: Instance, tabs: Tabs) -> None:
    """The panel of privacy stays closed: nothing is wrong with it."""
    window = tabs("Alice")
    window.go("/reports")
    page = window.page
    page.locator("#url").fill("http://")
    page.locator("form.ask .button").first.click()
    page.wait_for_load_state()

    assert page.locator("#url").evaluate("element => getComputedStyle(element).borderTopColor") == page.evaluate(
        "() => getComputedStyle(document.querySelector('.error')).color"
    )
    assert page.locator("form.ask details[open]").count() == 0


def test_the_current_page_is_marked_in_forced_colours(tabs: Tabs) -> None:
    """By an outline, where backgrounds are gone."""
    window = tabs("Alice")
    window.page.emulate_media(forced_colors="active")
    window.go("/reports")

    style = window.page.locator("nav [aria-current]").first.evaluate(
        "element => getComputedStyle(element).outlineStyle"
    )

    assert style == "solid"


def test_reasons_of_a_comparison_are_readable_on_a_phone(instance: Instance, tabs: Tabs) -> None:
    """No column is so narrow that each letter has a line."""
    window = tabs("Alice")
    window.page.set_viewport_size({"width": 360, "height": 740})
    window.go(instance.fill("/reports/{decent.id}/compare?from=2&to=12"))
    narrow = window.page.evaluate(
        "() => [...document.querySelectorAll('.reasons dt, .reasons dd')].filter(e => e.clientWidth < 200).length"
    )

    assert narrow == 0


@pytest.mark.parametrize("name", REPORTS)
def test_a_summary_is_compact_on_a_phone(name: str, instance: Instance, tabs: Tabs) -> None:
    """The headline stands beside the gauge and wide enough for words, and a long URL takes three lines at most."""
    window = tabs("Alice")
    window.page.set_viewport_size({"width": 390, "height": 780})
    window.go(instance.fill(f"/reports/{{{name}.id}}"))
    gauge, headline, *urls = window.page.evaluate(
        "() => ['.summary .gauge', '.summary .verdict', '.about > .url a', '.about > .url bdi']"
        ".flatMap(each => [...document.querySelectorAll(each)]).map(each => each.getBoundingClientRect().toJSON())"
    )

    assert headline["right"] <= gauge["left"]
    assert headline["width"] >= 200
    assert [url for url in urls if url["height"] > 3 * 24 + 1] == []


def test_a_row_of_the_list_is_compact_on_a_phone(tabs: Tabs) -> None:
    """Tick, grade and menu share a line; the page, and its findings and time, follow."""
    window = tabs("Alice")
    window.page.set_viewport_size({"width": 360, "height": 740})
    window.go("/reports?search=shop-1")
    rows = window.page.evaluate(
        "() => [...document.querySelectorAll('table.reports tbody tr')].map(row => ({"
        "height: row.getBoundingClientRect().height, "
        "tops: ['.tick', '.verdict-cell', '.deeds'].map(each => row.querySelector(each).getBoundingClientRect().top)}))"
    )

    assert len(rows) > 2
    assert [row for row in rows if row["height"] > 200] == []
    assert [row for row in rows if max(row["tops"]) - min(row["tops"]) > 20] == []


def test_rows_of_the_history_are_one_line_high(instance: Instance, tabs: Tabs) -> None:
    """With all of its columns, on a desk and on a phone."""
    window = tabs("Alice")
    window.go(instance.fill("/reports/{decent.id}?view=history"))
    for size in (WIDE, PHONE):
        window.page.set_viewport_size(size)
        heights = window.page.evaluate("[...document.querySelectorAll('.runs tbody tr')].map(row => row.offsetHeight)")

        assert len(heights) == RUNS
        assert max(heights) <= 40


def test_dates_of_the_history_do_not_touch(instance: Instance, tabs: Tabs) -> None:
    """On the narrowest screen that shows all of them, on a wide one, and on a phone."""
    window = tabs("Alice")
    window.go(instance.fill("/reports/{decent.id}?view=history"))
    for width in (320, 705, 1280):
        window.page.set_viewport_size({"width": width, "height": 900})
        boxes = window.page.evaluate(
            "[...document.querySelectorAll('.line .date')].filter(each => each.checkVisibility())"
            ".map(each => each.getBoundingClientRect()).map(box => [box.left, box.right])"
        )

        assert len(boxes) >= 2 - (width == 320)
        assert all(end + 4 <= start for (_, end), (start, _) in pairwise(boxes))


@pytest.mark.parametrize("view", ["requests", "previews", "headers", "history", "score", "criteria"])
def test_only_the_findings_stand_below_the_whole_summary(view: str, instance: Instance, tabs: Tabs) -> None:
    """The other views begin with their own content: their head has two lines."""
    window = tabs("Alice")
    window.go(instance.fill(f"/reports/{{decent.id}}?view={view}"))

    assert window.page.locator(".summary").count() == 0
    assert window.page.locator(".brief").evaluate("element => element.offsetHeight") <= 72


@pytest.mark.parametrize(("link", "first"), [("Skip to the findings", "summary"), ("Skip to the filters", "#find")])
def test_findings_and_filters_are_a_skip_link_away(link: str, first: str, instance: Instance, tabs: Tabs) -> None:
    """Not behind the fifty links and buttons above them."""
    window = tabs("Alice")
    window.go(instance.fill("/reports/{poor.id}"))
    page = window.page
    page.evaluate("document.body.tabIndex = -1; document.body.focus()")
    pressed = 0
    while page.locator(":focus").inner_text() != link and pressed < 5:
        page.keyboard.press("Tab")
        pressed += 1
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")

    assert pressed <= 3
    assert page.evaluate("which => document.activeElement.matches(which)", first)


def test_options_of_an_analysis_push_nothing_down(instance: Instance, tabs: Tabs) -> None:
    """They open above the list, on a desk and on a phone, and inside of the screen."""
    window = tabs("Alice")
    window.go("/reports")
    page = window.page
    for size in (WIDE, PHONE):
        page.set_viewport_size(size)
        page.evaluate("document.querySelector('.ask details').open = false")
        before = page.locator(".tiles").bounding_box()
        page.locator(".ask summary").click()
        shown = page.locator(".ask details > div").bounding_box()

        assert page.locator(".tiles").bounding_box() == before
        assert shown is not None
        assert (shown["x"] >= 0, shown["x"] + shown["width"] <= size["width"]) == (True, True)
