"""The pages of projects."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import unquote

import pytest

from pagegrade.clock import now_ms
from pagegrade.model.account import Role
from pagegrade.service.reports import operations, site_findings
from pagegrade.store.repositories.members import add_membership
from pagegrade.web.pages.reports.projects import SHOWN_TAGS
from tests.report_builders import make_failed_report, make_passed, make_report
from tests.store_builders import add_owner
from tests.web.calling import Instance, with_instance

HTML = {"Accept": "text/html"}


async def run_again(instance: Instance, score: int) -> None:
    """Another run of the first report."""
    await instance.call("PUT", "/api/v1/reports/1", data={"results": 1})
    await instance.finish(make_report(score=score))


async def fill(instance: Instance) -> None:
    """Alice's reports on three hosts."""
    await instance.create("https://a.example/")
    await instance.finish(make_report(score=90, result="good"))
    await instance.create("https://a.example:8443/1")
    await instance.create("https://www.xn--bcher-kva.example/")


def test_projects_are_listed_with_links_to_their_reports(tmp_path: Path) -> None:
    """And to those with one result; names are encoded where they stand in a path."""

    async def script(instance: Instance) -> None:
        await fill(instance)
        text = (await instance.page("GET", "/projects")).text

        assert "3 sites" in text
        assert 'href="/reports?project=a.example&amp;result=good"' in text
        assert 'href="/reports?project=a.example%3A8443"' in text
        assert 'href="/projects/a.example%3A8443/delete"' in text
        assert "bücher.example" in text

    with_instance(tmp_path, script)


def test_the_list_says_how_a_site_is_and_whether_it_got_worse(tmp_path: Path) -> None:
    """The mean score, and the pages with fewer points than a week ago; a site without a score has none."""

    async def script(instance: Instance) -> None:
        await fill(instance)
        before = (await instance.page("GET", "/projects")).text
        await run_again(instance, 60)
        after = (await instance.page("GET", "/projects")).text

        assert ("90 of 100" in before, "60 of 100" in after) == (True, True)
        assert before.count("No score") == 2
        assert "1 page worse this week</a>" not in before
        assert 'href="/reports?project=a.example&amp;sort_by=result&amp;sort=asc">1 page worse this week</a>' in after
        assert ("30 points down this week" in before, "30 points down this week" in after) == (False, True)

    with_instance(tmp_path, script)


def test_the_list_names_the_worst_page_the_findings_and_the_monitors(tmp_path: Path) -> None:
    """The worst of several pages by its path; monitors lead to those of the site alone."""

    async def script(instance: Instance) -> None:
        await fill(instance)
        single = (await instance.page("GET", "/projects")).text
        await instance.create("https://a.example/catalogue?x=<b>")
        await instance.finish(make_report(score=40))
        for report_id in (1, 3):
            await instance.call("POST", "/api/v1/monitors", json={"report_id": report_id, "schedule": "daily"})
        text = (await instance.page("GET", "/projects")).text
        monitors = (await instance.page("GET", "/monitors?project=a.example")).text
        none = (await instance.page("GET", "/monitors?project=%3Cb%3E.example")).text

        assert 'class="worst"' in single
        assert "/catalogue" not in single
        assert '<b>40</b> <a href="/reports/4" dir="ltr"><bdi>/catalogue?x=%3Cb%3E</bdi></a>' in text
        assert '<span class="importance high">8<span class="away"> High</span></span>' in text
        assert text.count('<a href="/monitors?project=a.example">1<span class="away"> monitor</span></a>') == 1
        assert "1 monitor of a.example." in monitors
        assert monitors.count('id="monitor-') == 1
        assert "0 monitors of &lt;b&gt;.example." in none

    with_instance(tmp_path, script)


@pytest.mark.parametrize(
    ("typed", "site"),
    [
        ("shop.example", "shop.example"),
        ("https%3A%2F%2Fwww.Shop.example%2Fa%2Fb", "shop.example"),
        ("b%C3%BCcher.example", "xn--bcher-kva.example"),
        ("http%3A%2F%2Fshop.example%3A8080%2F", "shop.example%3A8080"),
        ("%5B2606%3A4700%3A%3A1111%5D", "%5B2606%3A4700%3A%3A1111%5D"),
    ],
)
def test_a_site_leads_to_its_findings_however_it_is_typed(tmp_path: Path, typed: str, site: str) -> None:
    """A URL, other letters, a port or an address; the links are there."""

    async def script(instance: Instance) -> None:
        for page in "ab":
            await instance.create(f"http://{unquote(site)}/{page}")
            await instance.finish(make_report(score=50))
        text = (await instance.page("GET", f"/reports?project={typed}")).text
        links = set(re.findall(r'<a href="(/projects/[^"?]*)', text))
        found = await instance.page("GET", f"/projects/{site}/findings")

        assert links == {f"/projects/{site}/findings"}
        assert found.status_code == 200
        assert "Of 2 pages with results." in found.text

    with_instance(tmp_path, script)


def test_what_has_no_results_is_not_said_to_be_clean(tmp_path: Path) -> None:
    """Pages that failed or wait; with one that has results, nothing was found on it."""

    async def script(instance: Instance) -> None:
        await instance.create("https://shop.example/a")
        waiting = await instance.page("GET", "/projects/shop.example/findings")
        await instance.finish(make_failed_report("dns"))
        failed = await instance.page("GET", "/projects/shop.example/findings")
        asked = await instance.page("GET", "/projects/shop.example/findings?check=title")
        await instance.create("https://shop.example/b")
        await instance.finish(make_report(make_passed("title"), score=100))
        clean = (await instance.page("GET", "/projects/shop.example/findings")).text

        for page in (waiting, failed, asked):
            assert "No page has results yet." in page.text
            assert not re.search("Of 0 pages|Nothing was found|repaired", page.text)
        assert "Of 1 page with results." in clean
        assert "Nothing was found." in clean

    with_instance(tmp_path, script)


def test_no_page_has_a_finding_only_of_those_that_were_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The number of pages that were left out is said there, too."""
    monkeypatch.setattr(site_findings, "MAX_PAGES", 1)
    monkeypatch.setattr(operations, "READ_AT_ONCE", 1)

    async def script(instance: Instance) -> str:
        for page in "abc":
            await instance.create(f"https://shop.example/{page}")
            await instance.finish(make_report(make_passed("title")))
        return (await instance.page("GET", "/projects/shop.example/findings?check=title")).text

    text = with_instance(tmp_path, script)

    assert "No page has this finding" in text
    assert "Of 1 page with results. 2 pages that were analyzed earlier were left out." in text


def test_each_account_has_its_own_projects(tmp_path: Path) -> None:
    """Bob has none yet, and learns how to get one; Charlie has to sign in."""

    async def script(instance: Instance) -> None:
        await fill(instance)
        bob = add_owner(instance.services.database, "Bob")[0]
        of_bob = await instance.page("GET", "/projects", account=bob)
        charlie = await instance.call("GET", "/projects", key=None, headers=HTML)

        assert "No sites yet" in of_bob.text
        assert "a.example" not in of_bob.text
        assert charlie.headers["location"] == "/sign-in?next=%2Fprojects"

    with_instance(tmp_path, script)


def test_many_projects_come_in_pages(tmp_path: Path) -> None:
    """A page that cannot be is the first one, and behind the end there is a way back."""

    async def script(instance: Instance) -> None:
        for number in range(11):
            await instance.create(f"https://{number}.example/")
        second = await instance.page("GET", "/projects?per_page=10&page=2")
        strange = await instance.page("GET", "/projects?page=%22%3E&per_page=7")
        behind = await instance.page("GET", "/projects?page=99&per_page=10")

        assert "Page 2 of 2" in second.text
        assert 'href="/projects?per_page=10"' in second.text
        assert strange.status_code == 200
        assert "11 sites" in strange.text
        assert 'href="/projects?per_page=10&amp;page=2"' in behind.text

    with_instance(tmp_path, script)


@pytest.mark.parametrize("spelled", ["a.example%3A8443", "A.example:8443"])
def test_a_project_is_deleted_after_a_question(tmp_path: Path, spelled: str) -> None:
    """With its reports and no others."""

    async def script(instance: Instance) -> None:
        await fill(instance)
        question = await instance.page("GET", f"/projects/{spelled}/delete")
        done = await instance.page("POST", f"/projects/{spelled}/delete")
        left = await instance.call("GET", "/api/v1/projects")

        assert "a.example:8443" in question.text
        assert "Its 1 report is deleted" in question.text
        assert (done.status_code, done.headers["location"]) == (303, "/projects?said=deleted")
        assert [each["project"] for each in left.json()["data"]] == ["a.example", "xn--bcher-kva.example"]

    with_instance(tmp_path, script)


@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize("name", ["none.example", "%22%3E%3Cscript%3E", "%2F", "a.example"])
def test_what_is_not_ones_own_is_not_there(tmp_path: Path, method: str, name: str) -> None:
    """Bob cannot see or delete what Alice has; a name that cannot be is not there either."""

    async def script(instance: Instance) -> None:
        await fill(instance)
        bob = add_owner(instance.services.database, "Bob")[0]
        answer = await instance.page(method, f"/projects/{name}/delete", account=bob, headers=HTML)
        charlie = await instance.call(
            method, f"/projects/{name}/delete", key=None, headers={**HTML, "Sec-Fetch-Site": "same-origin"}
        )
        left = await instance.call("GET", "/api/v1/projects")

        assert answer.status_code == 404
        assert "<script>" not in answer.text
        assert charlie.status_code == (303 if method == "GET" else 401)
        assert left.json()["meta"]["total"] == 3

    with_instance(tmp_path, script)


def test_viewers_are_offered_nothing_that_they_may_not_do(tmp_path: Path) -> None:
    """Without sites, editors are named in place of the button; the list has no boxes to tick."""

    async def script(instance: Instance) -> None:
        vera, _ = add_owner(instance.services.database, "Vera")
        instance.services.database.write_here(
            lambda tx: add_membership(tx, instance.alice.id, vera.id, Role.VIEWER, now_ms())
        )
        cookie = await instance.sign_in(vera)
        await instance.call("POST", "/team/open", key=None, headers=cookie, data={"workspace": str(instance.alice.id)})
        none = await instance.call("GET", "/projects", key=None, headers=cookie)
        await instance.create()
        some = await instance.call("GET", "/projects", key=None, headers=cookie)

        assert "Editors of this workspace create them." in none.text
        assert "Analyze a page" not in none.text
        assert 'class="lists projects"' in some.text
        assert 'type="checkbox"' not in some.text

    with_instance(tmp_path, script)


def test_the_list_is_searched_sorted_and_filtered_by_tag(tmp_path: Path) -> None:
    """Each of the three keeps the others, and a search that finds nothing says so."""

    async def script(instance: Instance) -> None:
        await fill(instance)
        await instance.call("PUT", "/api/v1/projects/a.example", json={"tags": ["<b>", "shop"]})
        whole = (await instance.page("GET", "/projects")).text
        tagged = (await instance.page("GET", "/projects?tag=shop&sort_by=score&sort=desc")).text
        named = (await instance.page("GET", "/projects?search=B%C3%BCcher.example")).text
        nothing = (await instance.page("GET", "/projects?search=nothing")).text
        strange = await instance.page("GET", f"/projects?tag={'x' * 41}&sort_by=%22&sort=up")

        assert 'href="/projects?tag=shop"' in whole
        assert "&lt;b&gt;" in whole
        assert "<bdi><b>" not in whole
        assert 'href="/reports?project=a.example"' in tagged
        assert "a.example%3A8443" not in tagged
        assert "1 site found." in tagged
        assert 'href="/projects?tag=shop&amp;sort_by=score"' in tagged  # turned round
        assert 'aria-sort="descending"' in tagged
        assert 'name="tag" value="shop"' in tagged
        assert "xn--bcher-kva.example" in named
        assert "a.example%3A8443" not in named
        assert "No site found" in nothing
        assert strange.status_code == 200
        assert "3 sites" in strange.text

    with_instance(tmp_path, script)


def test_the_filter_offers_a_limited_number_of_tags(tmp_path: Path) -> None:
    """And the one that is chosen; how many there are besides is said."""

    async def script(instance: Instance) -> None:
        await instance.create()
        for number in range(SHOWN_TAGS // 20):
            await instance.create(f"https://{number}.example/")
            tags = [f"t{number * 20 + each:04}" for each in range(20)]
            await instance.call("PUT", f"/api/v1/projects/{number}.example", json={"tags": tags})
        full = (await instance.page("GET", "/projects?search=nothing")).text
        await instance.call("PUT", "/api/v1/projects/example.com", json={"tags": ["y", "z"]})
        more = (await instance.page("GET", "/projects?search=nothing")).text
        chosen = (await instance.page("GET", "/projects?search=nothing&tag=z")).text

        assert [text.count('<a class="pill"') for text in (full, more, chosen)] == [
            1 + SHOWN_TAGS,
            1 + SHOWN_TAGS,
            2 + SHOWN_TAGS,
        ]
        assert "and 2 more" in more
        assert "and 1 more" in chosen
        assert " more</span>" not in full

    with_instance(tmp_path, script)
