from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import httpx
import pytest

from pagegrade.clock import now_ms
from pagegrade.model.account import Account, Caller
from pagegrade.model.report import PageFacts
from pagegrade.render.i18n import texts_for
from pagegrade.service.reports.operations import find_report
from pagegrade.store.repositories import search
from pagegrade.store.repositories.counts import count_matching, load_counts
from pagegrade.web.pages.html import HELPED
from pagegrade.web.pages.reports.report_list import PATH, SORTS, Asked, choices, read_asked
from tests.report_builders import make_failed_report, make_report
from tests.share_builders import DAY_MS, add_shared, finish, run_again
from tests.store_builders import add_owner
from tests.web.calling import Instance, with_instance

TEXTS = texts_for("en")


def asked(**sent: str) -> Asked:
    """The filters of a query."""
    return read_asked(sent, TEXTS)


FULL = {
    "search": "a b&<c>%_\"'",
    "project": "example.com:8080",
    "result": "bad",
    "state": "completed",
    "sort_by": "url",
    "sort": "asc",
    "per_page": "25",
    "page": "3",
}


def test_every_value_survives_a_link() -> None:
    """An address says all that was asked for, and is read back as the same."""
    first = asked(**FULL)
    query = first.page_url(3).partition("?")[2]

    assert not first.problems
    assert dict(parse_qsl(query)) == FULL
    assert read_asked(dict(parse_qsl(query)), TEXTS).query == first.query


def test_what_is_so_anyway_is_not_said() -> None:
    """Empty values count as none."""
    assert asked(search="", result="", sort="desc", per_page="10", page="1").page_url(1) == PATH


def test_another_list_begins_with_its_first_page() -> None:
    """While the same list goes on."""
    third = asked(page="3", search="x")

    assert third.url(result="good") == f"{PATH}?search=x&result=good"
    assert third.page_url(4) == f"{PATH}?search=x&page=4"
    assert third.project_url("example.com:8080") == f"{PATH}?project=example.com%3A8080"
    assert third.following() == f"{PATH}?search=x&page=3&follow=1"
    assert asked().following() == f"{PATH}?follow=1"


def test_headings_sort_and_turn_round() -> None:
    """First in the direction people want, then in the other one."""
    assert asked().sort_url("result") == f"{PATH}?sort_by=result&sort=asc"
    assert asked(sort_by="result", sort="asc").sort_url("result") == f"{PATH}?sort_by=result"
    assert asked().sort_url("generated_at") == f"{PATH}?sort_by=generated_at"
    assert [asked(sort_by="url", sort=sort).aria_sort("url") for sort in ("asc", "desc")] == ["ascending", "descending"]
    assert asked().aria_sort("url") == ""


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("result", "best"),
        ("state", "done"),
        ("sort_by", "id;drop"),
        ("sort", "up"),
        ("per_page", "11"),
        ("search", "x" * 101),
        ("project", "x" * 2_049),
    ],
)
def test_what_cannot_be_used_is_reported_and_left_out(name: str, value: str) -> None:
    """The list is shown all the same."""
    wrong = asked(**{name: value})

    assert list(wrong.problems) == [name]
    assert wrong.query == asked().query
    assert not wrong.is_filtered


@pytest.mark.parametrize("page", ["0", "-1", "x", "1" * 30, "²"])
def test_a_page_that_cannot_be_is_the_first(page: str) -> None:
    """Its sentence is about no field: there is none for it."""
    wrong = asked(page=page)

    assert list(wrong.problems) == [""]
    assert wrong.query.page == 1


def test_lists_offer_any_first() -> None:
    """In fields whose choice may stay open."""
    assert choices(TEXTS, {"a": "A"}, any_of=True) == [("", "Any"), ("a", "A")]
    assert [value for value, _ in choices(TEXTS, SORTS)] == ["id", "generated_at", "url", "result"]


HTML = {"Accept": "text/html"}


def shown(answer: httpx.Response) -> list[str]:
    """The reports in the list, as their links read."""
    return [html.unescape(found) for found in re.findall(r'<a id="a\d+"[^>]*><bdi>([^<]*)</bdi>', answer.text)]


def field(answer: httpx.Response, name: str) -> str:
    """The value of a field of the filters."""
    found = re.search(rf'<input id="{name}"[^>]*? value="([^"]*)"', answer.text)
    if found is not None:
        return html.unescape(found[1])
    options = re.search(rf'<select id="{name}".*?</select>', answer.text, re.DOTALL)
    chosen = re.search(r'<option value="([^"]*)" selected', options[0]) if options else None
    return html.unescape(chosen[1]) if chosen else ""


async def fill(instance: Instance) -> Account:
    """Three reports of Alice in different states, one of Bob; Bob."""
    await instance.create("https://good.example/")
    await instance.finish(make_report(url="https://good.example/", score=91, result="good"))
    await instance.create("https://broken.example/page")
    await instance.finish(make_failed_report("dns", url="https://broken.example/page"))
    await instance.create("https://waits.example/", privacy=1)
    bob, key = add_owner(instance.services.database, "Bob")
    await instance.call("POST", "/api/v1/reports", key=key, data={"url": "https://of-bob.example/"})
    return bob


def test_the_reports_of_a_site_belong_to_the_sites(tmp_path: Path) -> None:
    """The navigation marks where a reader is: the list of all reports, or one of the sites."""

    async def script(instance: Instance) -> list[list[tuple[str, str]]]:
        await fill(instance)
        pages = [
            await instance.page("GET", path) for path in ("/reports", "/reports?project=good.example", "/projects")
        ]
        return [re.findall(r'<a href="([^"]*)" aria-current="([^"]*)"><svg', page.text) for page in pages]

    assert with_instance(tmp_path, script) == [
        [("/reports", "page")],
        [("/projects", "true")],
        [("/projects", "page")],
    ]


def test_each_account_sees_its_own_reports(tmp_path: Path) -> None:
    """Alice hers, newest first; Bob his; Charlie the form to sign in."""

    async def script(instance: Instance) -> None:
        bob = await fill(instance)
        alice = await instance.page("GET", "/reports")
        of_bob = await instance.page("GET", "/reports", account=bob)
        charlie = await instance.call("GET", "/reports?search=x", key=None, headers=HTML)

        assert alice.status_code == 200
        assert alice.headers["content-security-policy"] == HELPED
        assert shown(alice) == ["waits.example", "broken.example/page", "good.example"]
        assert shown(of_bob) == ["of-bob.example"]
        assert (charlie.status_code, charlie.headers["location"]) == (303, "/sign-in?next=%2Freports%3Fsearch%3Dx")

    with_instance(tmp_path, script)


def test_a_row_says_how_its_report_did(tmp_path: Path) -> None:
    """In words, beside the ring; a failed one says why."""

    async def script(instance: Instance) -> None:
        await fill(instance)
        text = (await instance.page("GET", "/reports")).text

        assert "91 of 100" in text
        assert ">Good</span>" in text
        assert "The name of the site was not found." in text
        assert "Only the workspace" in text
        assert "3 reports" in text

    with_instance(tmp_path, script)


def test_an_empty_list_says_what_to_do_first(tmp_path: Path) -> None:
    """And has no filters for nothing."""

    async def script(instance: Instance) -> None:
        answer = await instance.page("GET", "/reports")

        assert "Your first report" in answer.text
        assert 'id="search"' not in answer.text
        assert 'name="url"' in answer.text

    with_instance(tmp_path, script)


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("search=BROKEN", ["broken.example/page"]),
        ("search=+broken+", ["broken.example/page"]),
        ("search=%25", []),
        ("project=WWW.good.example", ["good.example"]),
        ("project=https%3A%2F%2Fgood.example%2Fx", ["good.example"]),
        ("project=%2F%2F", []),
        ("result=good", ["good.example"]),
        ("state=queued", ["waits.example"]),
        ("state=failed&result=good", []),
        ("sort_by=url&sort=asc", ["broken.example/page", "good.example", "waits.example"]),
        ("result=&state=&search=&sort=", ["waits.example", "broken.example/page", "good.example"]),
        ("page=2", []),
    ],
)
def test_the_list_finds_what_the_api_finds(tmp_path: Path, query: str, found: list[str]) -> None:
    """By the same names and values."""

    async def script(instance: Instance) -> None:
        await fill(instance)
        answer = await instance.page("GET", f"/reports?{query}")
        by_api = await instance.call("GET", f"/api/v1/reports?{query.replace('+', '')}")

        assert answer.status_code == 200
        assert shown(answer) == found
        assert [each["url"].removeprefix("https://").removesuffix("/") for each in by_api.json()["data"]] == found
        assert ("No report found" in answer.text) == (not found and query != "page=2")

    with_instance(tmp_path, script)


def test_the_filters_say_what_they_were_asked(tmp_path: Path) -> None:
    """Every one of them, however strange, and nothing of it becomes markup."""
    hostile = "\"><script>alert(1)</script>'&amp;\u202e"
    asked = {
        "search": hostile,
        "project": "bücher.example:8080",
        "result": "bad",
        "state": "failed",
        "sort_by": "result",
        "sort": "asc",
        "per_page": "50",
    }

    async def script(instance: Instance) -> None:
        await fill(instance)
        answer = await instance.page("GET", "/reports", params=asked)

        assert {name: field(answer, name) for name in asked} == asked
        assert "<script>alert" not in answer.text

    with_instance(tmp_path, script)


def test_a_wrong_filter_is_reported_and_the_rest_applied(tmp_path: Path) -> None:
    """With the form, not with a problem."""

    async def script(instance: Instance) -> None:
        await fill(instance)
        answer = await instance.page("GET", "/reports?result=best&search=good&page=x")

        assert answer.status_code == 422
        assert "There is a problem" in answer.text
        assert '<a href="#result">There is no such result.' in answer.text
        assert shown(answer) == ["good.example"]

    with_instance(tmp_path, script)


@pytest.mark.parametrize("query", ["search=%ff", "search=%00"])
def test_what_is_no_text_is_refused(tmp_path: Path, query: str) -> None:
    """As by the API."""

    async def script(instance: Instance) -> None:
        assert (await instance.page("GET", f"/reports?{query}", headers=HTML)).status_code == 400

    with_instance(tmp_path, script)


def test_a_search_that_takes_too_long_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The list is shown without it, and says so; a file of it is refused."""
    monkeypatch.setattr(search, "SEARCH_S", -1.0)
    monkeypatch.setattr(search, "_PROGRESS_STEPS", 1)

    async def script(instance: Instance) -> None:
        await fill(instance)
        answer = await instance.page("GET", "/reports?search=good&state=completed")
        file = await instance.page("GET", "/reports/export.csv?search=good")

        assert (answer.status_code, shown(answer)) == (422, ["good.example"])
        assert "The search took too long" in answer.text
        assert file.status_code == 422
        assert "good.example" not in file.text

    with_instance(tmp_path, script)


def test_what_pages_hold_stays_text(tmp_path: Path) -> None:
    """Titles and addresses of analyzed pages are written by others."""

    async def script(instance: Instance) -> None:
        await instance.create("https://a.example/%22%3E%3Cimg%20src=x%3E?q='onmouseover=alert(1)")
        title = "</td></table><script>alert(1)</script>\u202egpj.exe"
        await instance.finish(make_report(score=10, result="bad", page=PageFacts(http_status=200, title=title)))
        text = (await instance.page("GET", "/reports")).text

        assert "&lt;/td&gt;&lt;/table&gt;&lt;script&gt;alert(1)&lt;/script&gt;\\u202egpj.exe" in text
        assert "<script>" not in text
        assert "<img" not in text

    with_instance(tmp_path, script)


def test_long_lists_come_in_pages(tmp_path: Path) -> None:
    """With links to the others, and a way back from behind the end."""

    async def script(instance: Instance) -> None:
        for number in range(11):
            await instance.create(f"https://a.example/{number}")
        first = await instance.page("GET", "/reports?search=a.example")
        behind = await instance.page("GET", "/reports?page=9")

        assert len(shown(first)) == 10
        assert "Page 1 of 2" in first.text
        assert 'href="/reports?search=a.example&amp;page=2"' in first.text
        assert 'href="/reports?page=2"' in behind.text
        assert "nothing on this page" in behind.text

    with_instance(tmp_path, script)


def test_the_headings_say_how_the_list_is_sorted(tmp_path: Path) -> None:
    """And lead to the other direction."""

    async def script(instance: Instance) -> None:
        await fill(instance)
        text = (await instance.page("GET", "/reports?sort_by=url&sort=asc&result=good")).text

        assert text.count("aria-sort") == 1
        assert '<th scope="col" aria-sort="ascending"><a href="/reports?result=good&amp;sort_by=url">' in text

    with_instance(tmp_path, script)


def test_without_scripts_the_list_follows_only_who_wants_that(tmp_path: Path) -> None:
    """A page that loads again by itself removes typed text."""

    async def script(instance: Instance) -> None:
        await fill(instance)
        plain = (await instance.page("GET", "/reports")).text
        followed = (await instance.page("GET", "/reports?follow=1")).text
        finished = (await instance.page("GET", "/reports?follow=1&result=good")).text

        assert 'http-equiv="refresh"' not in plain
        assert 'href="/reports?follow=1"' in plain
        assert '<noscript><meta http-equiv="refresh" content="10"></noscript>' in followed
        assert 'http-equiv="refresh"' not in finished

    with_instance(tmp_path, script)


@pytest.mark.parametrize(
    ("said", "words"), [("deleted", "The report was deleted."), ("<b>", None), ("none_selected", "tick the reports")]
)
def test_what_was_done_is_said_in_fixed_words(tmp_path: Path, said: str, words: str | None) -> None:
    """An address cannot put others into our mouth."""

    async def script(instance: Instance) -> None:
        text = (await instance.page("GET", "/reports", params={"said": said})).text

        assert ('role="status"' in text) == (words is not None)
        assert words is None or words in text

    with_instance(tmp_path, script)


def test_states_are_shown_to_their_owner(tmp_path: Path) -> None:
    """A report that does not exist, or is Bob's, is gone; a signed-out visitor is sent away."""

    async def script(instance: Instance) -> None:
        bob = await fill(instance)
        answer = await instance.page("GET", "/reports/states?ids=1,3,4,99,x,-1," + "9" * 30)
        of_bob = await instance.page("GET", "/reports/states?ids=1,4", account=bob)
        charlie = await instance.call("GET", "/reports/states?ids=1", key=None)

        assert answer.headers["content-type"] == "application/json"
        assert [(each["id"], each["state"], each["finished"]) for each in answer.json()["reports"]] == [
            (1, "completed", True),
            (3, "queued", False),
            (4, "gone", True),
            (99, "gone", True),
        ]
        assert answer.json()["reports"][0]["said"] == "good.example is analyzed: 91 of 100, Good."
        assert answer.json()["left"] == "1 report on this page is not finished."
        assert answer.json()["counts"]["all"] == "3"
        assert [each["state"] for each in of_bob.json()["reports"]] == ["gone", "queued"]
        assert charlie.status_code == 303

    with_instance(tmp_path, script)


def test_states_of_nothing_are_nothing(tmp_path: Path) -> None:
    """However many are asked for, no more are sent than a list can show."""

    async def script(instance: Instance) -> None:
        none = await instance.page("GET", "/reports/states")
        many = await instance.page("GET", "/reports/states?ids=" + ",".join(str(number) for number in range(1, 500)))

        assert none.json()["reports"] == []
        assert len(many.json()["reports"]) == 100

    with_instance(tmp_path, script)


def test_pages_that_look_after_themselves_take_no_page_from_their_reader(tmp_path: Path) -> None:
    """Asking how reports are getting on has a count of its own, with the same limit."""

    async def script(instance: Instance) -> None:
        polls = [(await instance.page("GET", "/reports/states?ids=1")).status_code for _ in range(4)]
        read = await instance.page("GET", "/reports")

        assert polls == [200, 200, 200, 429]
        assert read.status_code == 200

    with_instance(tmp_path, script, requests_per_minute=3)


def test_a_full_list_is_a_small_page(tmp_path: Path) -> None:
    """A hundred rows with long addresses and titles stay bounded, and ten are light."""

    async def script(instance: Instance) -> None:
        for number in range(20):
            await instance.create(f"https://a.example/{number}?{'x' * 2_000}")
        await instance.finish()
        ten = await instance.page("GET", "/reports")

        assert len(ten.content) < 30_000

    with_instance(tmp_path, script)


def test_the_tiles_name_the_average_and_what_got_worse(tmp_path: Path) -> None:
    """Each page that got worse leads to what changed; of another project nothing is shown."""

    async def script(instance: Instance) -> None:
        empty = (await instance.page("GET", "/reports")).text
        for url, scores in (("https://worse.example/", (90, 60)), ("https://better.example/", (60, 90))):
            report_id = (await instance.create(url))["id"]
            for index, score in enumerate(scores):
                if index:
                    await instance.page("POST", f"/reports/{report_id}/run")
                await instance.finish(make_report(url=url, score=score))
        page = (await instance.page("GET", "/reports")).text
        project = (await instance.page("GET", "/reports?project=better.example")).text

        assert "Average score" not in empty
        assert re.search(r'Average score</p><p class="figure">75<', page)
        assert re.search(r'Worse this week</p><p class="figure">1<', page)
        assert 'href="/reports/1/compare?from=1&amp;to=2"' in page
        assert "90 → 60" in page
        assert re.search(r'Average score</p><p class="figure">90<', project)
        assert re.search(r'Worse this week</p><p class="figure">0<', project)
        assert "Worst pages first" not in page
        # Each column has a header, also that of the boxes.
        head = page.partition("<thead>")[2].partition("</thead>")[0]
        assert head.count("<th ") == len(re.findall(r"<t[dh][ >]", page.partition("<tbody>")[2].partition("</tr>")[0]))

    with_instance(tmp_path, script)


def test_the_pages_of_a_site_can_be_listed_worst_first(tmp_path: Path) -> None:
    """The link is there for a site with several pages."""

    async def script(instance: Instance) -> None:
        for path, score in (("a", 90), ("b", 40)):
            await instance.create(f"https://shop.example/{path}")
            await instance.finish(make_report(url=f"https://shop.example/{path}", score=score))
        page = await instance.page("GET", "/reports?project=shop.example")
        place = re.search(r'href="([^"]*)">Worst pages first<', page.text)

        assert place is not None
        worst = await instance.page("GET", html.unescape(place[1]))
        assert shown(worst) == ["shop.example/b", "shop.example/a"]

    with_instance(tmp_path, script)


def test_a_site_shows_its_score_by_day(tmp_path: Path) -> None:
    """As a chart and as a table with the same figures; a site of one day and the list of all sites show none."""

    async def script(instance: Instance) -> None:
        alice, database, today = instance.alice, instance.services.database, now_ms()
        for path, before, after in (("", 40, 90), ("b", 61, 62)):
            url = f"https://shop.example/{path}"
            report = add_shared(database, alice, now_ms=today - DAY_MS, url=url, outcome=make_report(score=before))
            finish(database, run_again(database, report, now_ms=today), make_report(score=after), now_ms=today)
        add_shared(database, alice, now_ms=today, url="https://new.example/", outcome=make_report())
        site = (await instance.page("GET", "/reports?project=shop.example")).text
        others = [(await instance.page("GET", f"/reports{query}")).text for query in ("", "?project=new.example")]
        rows = re.findall(r'<td class="amount" data-label="Score">([\d.]+)</td>', site)

        assert rows == ["76", "50.5"]
        assert site.count("<circle class=") >= 2
        assert '<text class="value"' in site
        assert not any("Score of the site by day" in page for page in others)

    with_instance(tmp_path, script)


def reports_of_alice(instance: Instance) -> int:
    """The number of Alice's reports."""
    counts = instance.services.database.read_here(lambda tx: load_counts(tx, instance.alice.id))
    return count_matching(counts)


def test_a_report_is_made_and_shown(tmp_path: Path) -> None:
    """It is Alice's, with the privacy she chose, and a worker is woken."""

    async def script(instance: Instance) -> None:
        woken: list[int] = []
        instance.services.wake = lambda: woken.append(1)
        sent = {"url": "  example.com/a#top ", "privacy": "1"}
        answer = await instance.page("POST", "/reports", data=sent)
        report = instance.services.database.read_here(
            lambda tx: find_report(tx, Caller(account=instance.alice), 1, instance.services.options, now_ms())
        )

        assert (answer.status_code, answer.headers["location"]) == (303, "/reports/1?said=created")
        assert (report.url, report.privacy, report.state) == ("https://example.com/a", 1, "queued")
        assert woken == [1]

    with_instance(tmp_path, script)


def test_a_password_is_hashed_and_never_shown(tmp_path: Path) -> None:
    """Not even in the form that comes back."""

    async def script(instance: Instance) -> None:
        secret = "hunter2-hunter2"
        wrong = await instance.page("POST", "/reports", data={"url": "ftp://x", "privacy": "2", "password": secret})
        right = await instance.page("POST", "/reports", data={"url": "a.example", "privacy": "2", "password": secret})
        report = instance.services.database.read_here(
            lambda tx: find_report(tx, Caller(account=instance.alice), 1, instance.services.options, now_ms())
        )

        assert wrong.status_code == 422
        assert secret not in wrong.text
        assert 'id="privacy-2" name="privacy" value="2" checked' in wrong.text
        assert right.status_code == 303
        assert (report.password_hash or "").startswith("$argon2id$")

    with_instance(tmp_path, script)


@pytest.mark.parametrize(
    ("sent", "where", "words"),
    [
        ({}, "url", "Enter the URL of a page."),
        ({"url": "   "}, "url", "Enter the URL of a page."),
        ({"url": 'https://10.0.0.1/"><script>'}, "url", "it is not a public one"),
        ({"url": "ftp://a.example"}, "url", "Only URLs that begin with http or https"),
        ({"url": "a.example", "privacy": "3"}, "privacy", "Choose who may see the report."),
        ({"url": "a.example", "privacy": "2"}, "password", "Enter a password"),
        ({"url": "a.example", "privacy": "2", "password": "x" * 129}, "password", "at most 128 characters"),
    ],
)
def test_what_cannot_be_used_comes_back_with_a_sentence(
    tmp_path: Path, sent: dict[str, str], where: str, words: str
) -> None:
    """At its field and above, with everything that was typed, and nothing is made."""

    async def script(instance: Instance) -> None:
        answer = await instance.page("POST", "/reports", data=sent)

        assert answer.status_code == 422
        assert f'<a href="#{where}">' in answer.text
        assert answer.text.count(words) == 2
        assert "<title>Error: " in answer.text
        assert "<script>" not in answer.text
        assert reports_of_alice(instance) == 0

    with_instance(tmp_path, script)


@pytest.mark.parametrize(
    ("options", "status", "words"),
    [
        ({"analyses_per_minute": 1}, 429, "Wait "),
        ({"max_reports": 1}, 429, "Delete some of them first"),
        ({"account_queue": 1}, 429, "when some of them are done"),
        ({"queue": 1}, 503, "busy right now"),
    ],
)
def test_limits_are_those_of_the_api(tmp_path: Path, options: dict[str, Any], status: int, words: str) -> None:
    """The page over a limit keeps the typed text, and says what to do."""

    async def script(instance: Instance) -> None:
        await instance.page("POST", "/reports", data={"url": "a.example"})
        answer = await instance.page("POST", "/reports", data={"url": "b.example/typed"})

        assert answer.status_code == status
        assert words in answer.text
        assert 'value="b.example/typed"' in answer.text
        assert reports_of_alice(instance) == 1

    with_instance(tmp_path, script, **options)


def test_no_account_creates_reports_for_others(tmp_path: Path) -> None:
    """Bob's are Bob's, Charlie makes none, and neither does a form of another site."""

    async def script(instance: Instance) -> None:
        bob = add_owner(instance.services.database, "Bob")[0]
        sent = {"url": "a.example"}
        by_bob = await instance.page("POST", "/reports", account=bob, data=sent)
        charlie = await instance.call(
            "POST", "/reports", key=None, data=sent, headers={"Sec-Fetch-Site": "same-origin", "Accept": "text/html"}
        )
        foreign = await instance.page("POST", "/reports", data=sent, headers={"Sec-Fetch-Site": "cross-site"})

        assert by_bob.status_code == 303
        assert (charlie.status_code, foreign.status_code) == (401, 403)
        assert reports_of_alice(instance) == 0

    with_instance(tmp_path, script)


def test_a_process_that_stops_makes_nothing(tmp_path: Path) -> None:
    """Another one will."""

    async def script(instance: Instance) -> None:
        instance.services.draining = True
        answer = await instance.page("POST", "/reports", data={"url": "a.example"}, headers={"Accept": "text/html"})

        assert answer.status_code == 503
        assert reports_of_alice(instance) == 0

    with_instance(tmp_path, script)


def test_a_report_with_an_access_profile_is_private(tmp_path: Path) -> None:
    """Whatever the form says: it says something even if nobody chose it. The page of the report says why."""

    async def script(instance: Instance) -> None:
        staging = {"name": "Staging", "origins": ["https://staging.example"], "user": "reader"}
        await instance.call("POST", "/api/v1/access-profiles", json=staging)
        sent = {"url": "https://staging.example/", "privacy": "0", "access": "1"}
        made = await instance.page("POST", "/reports", data=sent)
        shown = await instance.page("GET", made.headers["location"])
        wrong = await instance.page("POST", "/reports", data={**sent, "url": "https://example.com/"})
        report = instance.services.database.read_here(
            lambda tx: find_report(tx, Caller(account=instance.alice), 1, instance.services.options, now_ms())
        )

        assert (report.privacy, report.access) == (1, 1)
        assert "is private: it is made with an access profile" in shown.text
        assert wrong.status_code == 422
        assert '<a href="#access">This access profile is not for the page.' in wrong.text
        assert '<option value="1" selected>Staging</option>' in wrong.text

    with_instance(tmp_path, script)
