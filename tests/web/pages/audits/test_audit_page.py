"""The pages of an audit in each of its states."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from pathlib import Path

import httpx
import pytest
from msgspec.structs import replace
from sqlalchemy import delete

from pagegrade.model.audit import Pattern
from pagegrade.model.audit_result import Template
from pagegrade.store.repositories.crawl_urls import save_patterns
from pagegrade.store.schema.tables import crawl_segments
from tests.audit_builders import claim, fail, fill, result_of, ungraded
from tests.web.calling import Instance, with_instance

PATH = "/audits/1"
EVIL = "<script>alert(1)</script>"


async def make(instance: Instance) -> None:
    """An audit of Alice."""
    await instance.call("POST", "/api/v1/audits", json={"url": "https://example.com/", "exclude": ["/print/"]})


def test_it_goes_from_the_site_to_its_findings_pages_and_reports(tmp_path: Path) -> None:
    """Each page links to the next one, and a button makes the report of a page."""

    async def script(instance: Instance) -> list[httpx.Response]:
        await make(instance)
        database = instance.services.database
        found = result_of("https://example.com/")
        (finding,) = found.findings
        evil = replace(finding, number=2, check="title", title=EVIL, message=EVIL, lost=0.5)
        result = replace(found, findings=(finding, evil))
        await asyncio.to_thread(fill, database, await asyncio.to_thread(claim, database), result)
        paths = ("", "?category=seo", "/findings/1", "/pages", "/pages?state=blocked", "/pages/2", "/findings/3")
        odd = (f"?page={number}" for number in ("0", "-1", "x", "9", "9" * 30))
        return [await instance.page("GET", f"{PATH}{path}") for path in (*paths, *odd)]

    site, seo, finding, pages, none, page, unknown, *odd = with_instance(tmp_path, script)

    assert all(words in site.text for words in ("Score 95 of 100", "Fix first", "Whole site", "/print/"))
    assert f'href="{PATH}/findings/1"' in site.text
    assert [one.text.count(f'href="{PATH}/findings/1"') for one in (site, seo)] == [2, 1]
    assert "refresh" not in site.headers
    assert all(words in finding.text for words in ("Name them apart.", "Welcome", "https://example.com/other"))
    assert finding.text.count('action="/reports"') == 2
    assert f'href="{PATH}/pages/2"' in pages.text
    assert "No URL found" in none.text
    assert all(words in page.text for words in ("Other", "Canonical URL", "Links to the page", 'action="/reports"'))
    assert unknown.status_code == 404
    assert [one.text.count(f'href="{PATH}/findings/1"') for one in odd] == [2] * 5
    assert not any("<script>alert" in answer.text for answer in (site, seo, finding))


def test_links_are_filtered_sorted_and_saved(tmp_path: Path) -> None:
    """Each leads to the pages of its ends; what is wrong in a query is left out."""

    async def script(instance: Instance) -> list[httpx.Response]:
        await make(instance)
        database = instance.services.database
        await asyncio.to_thread(fill, database, await asyncio.to_thread(claim, database))
        queries = (
            "",
            "?kind=a&status=200&order=target&to=2",
            "?kind=redirect",
            "?page=9",
            "?kind=x&order=x&to=x&page=x",
        )
        return [await instance.page("GET", f"{PATH}/links{query}") for query in queries]

    every, fit, none, beyond, odd = with_instance(tmp_path, script)

    for answer in (every, fit, odd):
        assert all(f'href="{PATH}/pages/{number}"' in answer.text for number in (1, 2))
        assert "1 link" in answer.text

    assert f'href="{PATH}/export/links"' in every.text
    assert f'href="{PATH}/export/links?kind=a&amp;status=200&amp;to=2"' in fit.text
    assert '<input type="hidden" name="to" value="2">' in fit.text
    assert "No link found" in none.text
    assert beyond.status_code == 200


def test_pages_are_sorted_and_those_of_so_many_clicks_listed(tmp_path: Path) -> None:
    """The page of the audit leads to them, and the pager keeps the order."""

    async def script(instance: Instance) -> list[str]:
        await make(instance)
        database = instance.services.database
        await asyncio.to_thread(fill, database, await asyncio.to_thread(claim, database))
        paths = ("", "/pages?sort_by=score", "/pages?sort_by=x", "/pages?depth=1&status=200")
        return [(await instance.page("GET", f"{PATH}{path}")).text for path in paths]

    site, lowest, odd, near = with_instance(tmp_path, script)

    def ids(text: str) -> list[str]:
        return re.findall(f'href="{PATH}/pages/([0-9]+)"', text)

    assert f'href="{PATH}/pages?depth=1&amp;status=200"' in site
    assert (ids(lowest), ids(odd), ids(near)) == (["2", "1"], ["1", "2"], ["2"])
    assert "1 click from the start page" in near


def test_a_template_leads_to_its_pages(tmp_path: Path) -> None:
    """Its list keeps the template when it is sorted; how pages are linked is no order before they were evaluated."""

    async def script(instance: Instance) -> list[httpx.Response]:
        await make(instance)
        before = await instance.page("GET", f"{PATH}/pages")
        database = instance.services.database
        result = result_of("https://example.com/")
        template = Template(number=1, name="/{s}", pages=1, score=70.0, example="https://example.com/other")
        of_site = replace(result, templates=(template,))
        await asyncio.to_thread(fill, database, await asyncio.to_thread(claim, database), of_site)
        paths = (
            "",
            "/pages?template=1",
            "/pages?template=1&sort_by=inlinks&page=1",
            "/pages?indexable=1",
            "/pages?finding=1&sort_by=inlinks",
            "/pages?finding=2",
            "/pages?sort_by=pagerank",
        )
        seen = [before, *[await instance.page("GET", f"{PATH}{path}") for path in paths]]
        # An earlier version kept nothing of this.
        earlier = delete(crawl_segments).where(crawl_segments.c.kind == "standing")
        await asyncio.to_thread(database.write_here, lambda tx: tx.execute(earlier))
        return [*seen, *[await instance.page("GET", f"{PATH}{path}") for path in ("", "/pages")]]

    before, site, listed, ordered, may, having, unknown, ranked, old_site, old = with_instance(tmp_path, script)

    def ids(answer: httpx.Response) -> list[str]:
        return re.findall(f'href="{PATH}/pages/([0-9]+)"', answer.text)

    assert f'href="{PATH}/pages?template=1"' in site.text
    assert [ids(answer) for answer in (listed, ordered, may, having)] == [["2"], ["2"], ["1"], ["2", "1"]]
    assert '<input type="hidden" name="template" value="1">' in listed.text
    assert "of one template" in listed.text
    assert "of one finding" in having.text
    assert ["Most linked" in answer.text for answer in (before, listed)] == [False, True]
    assert ["Indexable" in answer.text for answer in (before, listed)] == [False, True]
    assert re.findall(r'data-label="(?:Links to the page|PageRank)">(.*?)<', ordered.text) == ["1"]
    assert re.findall(r'data-label="(?:Links to the page|PageRank)">(.*?)<', ranked.text) == ["0.75", "0.25"]
    assert "Links to the page" not in listed.text
    assert unknown.status_code == 404
    assert "/{s}" in old_site.text
    assert "pages?template=" not in old_site.text
    assert not re.search("Most linked|PageRank|Indexable", old.text)


def test_a_shape_of_urls_is_left_out_by_a_button(tmp_path: Path) -> None:
    """While the crawl is under way, and none with more than half of the URLs; another button takes that back."""

    async def script(instance: Instance) -> list[httpx.Response]:
        await make(instance)
        database = instance.services.database
        crawl = await asyncio.to_thread(claim, database)
        assert crawl is not None
        counts = {"example.com/tag/{s}": 50, "a/{n}": 0, "example.com/en/{s}": 51}
        patterns = [
            Pattern(pattern_no=at, text=text, found=found) for at, (text, found) in enumerate(counts.items(), start=1)
        ]
        await asyncio.to_thread(database.write_here, lambda tx: save_patterns(tx, crawl.id, patterns))
        seen = [await instance.page("GET", PATH)]
        for data in ({"exclude": "/tag/*"}, {"exclude": "/tag/*"}, {"readmit": "/print/"}, {"exclude": "tag"}):
            answer = await instance.page("POST", PATH, data=data)
            seen.append(await instance.page("GET", PATH) if answer.status_code == 303 else answer)
        return seen

    before, once, twice, readmitted, wrong = with_instance(tmp_path, script)
    button = 'name="exclude" value="/tag/*"'

    assert [button in one.text for one in (before, once, readmitted)] == [True, False, False]
    assert before.text.count('name="exclude"') == 1
    assert [re.findall('name="readmit" value="(.*?)"', one.text) for one in (before, once, twice, readmitted)] == [
        ["/print/"],
        ["/print/", "/tag/*"],
        ["/print/", "/tag/*"],
        ["/tag/*"],
    ]
    assert ["Fetched again by the next crawl" in one.text for one in (before, twice, readmitted)] == [
        False,
        False,
        True,
    ]
    assert wrong.status_code == 422


def test_of_several_clicks_at_once_none_is_lost(tmp_path: Path) -> None:
    """Two people may leave out different shapes; past the most, the page says so."""

    async def script(instance: Instance) -> tuple[list[int], list[str], httpx.Response]:
        await make(instance)
        clicks = [instance.page("POST", PATH, data={"exclude": f"/{at}/*"}) for at in range(6)]
        codes = [answer.status_code for answer in await asyncio.gather(*clicks)]
        kept = (await instance.call("GET", f"/api/v1{PATH}")).json()["data"]["settings"]["exclude"]
        full = {"exclude": [f"/{at}/*" for at in range(100)]}
        await instance.call("PUT", f"/api/v1{PATH}", json=full)
        return codes, kept, await instance.page("POST", PATH, data={"exclude": "/more/*"})

    codes, kept, past = with_instance(tmp_path, script)

    assert codes == [303] * 6
    assert sorted(kept) == sorted(["/print/", *(f"/{at}/*" for at in range(6))])
    assert past.status_code == 422
    assert "There are at most 100 patterns." in past.text
    assert "no pattern" not in past.text


def test_a_crawl_under_way_shows_how_far_it_is_and_loads_itself_again(tmp_path: Path) -> None:
    """Without scripts; pausing, going on, canceling and crawling again are buttons."""

    async def script(instance: Instance) -> list[tuple[str, httpx.Response]]:
        await make(instance)
        seen = [("queued", await instance.page("GET", PATH))]
        for deed in ("pause", "resume", "cancel", "again", "nothing"):
            answer = await instance.page("POST", PATH, data={"deed": deed})
            assert (answer.status_code, answer.headers["location"]) == (303, PATH)
            seen.append((deed, await instance.page("GET", PATH)))
        return seen

    found: Mapping[str, httpx.Response] = dict(with_instance(tmp_path, script))
    words = {
        "queued": "Waiting for a worker",
        "pause": "It goes on when you say so.",
        "resume": "Waiting for a worker",
        "cancel": "The crawl was canceled.",
        "again": "Waiting for a worker",
        "nothing": "Waiting for a worker",
    }
    reloads = {deed for deed, answer in found.items() if "refresh" in answer.headers}

    assert [deed for deed, expected in words.items() if expected not in found[deed].text] == []
    assert reloads == {"queued", "resume", "again", "nothing"}
    assert found["queued"].headers["refresh"].endswith(f";url={PATH}")


@pytest.mark.parametrize("has_result", [False, True])
def test_a_failed_crawl_says_why_and_shows_the_result_before_it(tmp_path: Path, *, has_result: bool) -> None:
    """Without one, nothing looks like a site without faults."""

    async def script(instance: Instance) -> httpx.Response:
        await make(instance)
        database = instance.services.database
        if has_result:
            await asyncio.to_thread(fill, database, await asyncio.to_thread(claim, database))
            await instance.page("POST", PATH, data={"deed": "again"})
        await asyncio.to_thread(fail, database, await asyncio.to_thread(claim, database), reason="start_unreachable")
        return await instance.page("GET", PATH)

    text = with_instance(tmp_path, script).text

    assert "The start page could not be fetched." in text
    assert ("What follows is of crawl 1" in text, "Score 95 of 100" in text) == (has_result, has_result)
    assert "Nothing was found." not in text


def test_without_a_grade_the_reason_stands_in_its_place(tmp_path: Path) -> None:
    """And no finding costs points."""

    async def script(instance: Instance) -> list[httpx.Response]:
        await make(instance)
        database = instance.services.database
        result = ungraded("https://example.com/")
        await asyncio.to_thread(fill, database, await asyncio.to_thread(claim, database), result)
        return [await instance.page("GET", f"{PATH}{path}") for path in ("", "/findings/1")]

    site, finding = with_instance(tmp_path, script)

    assert "Fewer than five different pages could be graded." in site.text
    assert "Fix first" not in site.text
    assert " points" not in finding.text


def test_an_audit_is_deleted_after_a_question(tmp_path: Path) -> None:
    """It is gone from the list, and from the API."""

    async def script(instance: Instance) -> list[httpx.Response]:
        await make(instance)
        return [
            await instance.page("GET", f"{PATH}/delete"),
            await instance.page("POST", f"{PATH}/delete"),
            await instance.page("GET", "/audits?said=deleted"),
            await instance.call("GET", "/api/v1/audits/1"),
        ]

    asked, deleted, listed, gone = with_instance(tmp_path, script)

    assert "Delete this audit?" in asked.text
    assert (deleted.status_code, deleted.headers["location"]) == (303, "/audits?said=deleted")
    assert "The audit was deleted" in listed.text
    assert gone.status_code == 404


def test_two_crawls_are_compared_on_a_page_and_in_short_on_that_of_the_site(tmp_path: Path) -> None:
    """With a form that selects them; text of pages stays text, and what cannot be compared is said."""

    async def script(instance: Instance) -> list[httpx.Response]:
        await make(instance)
        database = instance.services.database
        found = result_of("https://example.com/")
        (finding,) = found.findings
        evil = replace(finding, title=EVIL, fingerprint="e")
        await asyncio.to_thread(fill, database, await asyncio.to_thread(claim, database))
        early = await instance.page("GET", f"{PATH}/compare")
        await instance.call("PUT", f"/api/v1{PATH}", json={"results": 1})
        result = replace(found, findings=(evil,), score=90)
        await asyncio.to_thread(fill, database, await asyncio.to_thread(claim, database), result)
        paths = (f"{PATH}/compare", PATH, "/audits", f"{PATH}/compare?from=2&to=1", f"{PATH}/compare?from=7")
        return [early, *[await instance.page("GET", path) for path in paths]]

    early, compared, site, listed, swapped, unknown = with_instance(tmp_path, script)

    assert "takes two crawls that were evaluated" in early.text
    assert "Crawls until now" in site.text
    assert f'href="{PATH}/compare?from=1&amp;to=2">Since crawl 1' in site.text
    said = ("Crawl 1 and crawl 2", "95 → 90", "look different", "&lt;script&gt;")

    assert all(words in compared.text for words in said)
    assert '<option value="1" selected>' in compared.text
    assert "<script>alert" not in compared.text
    assert "Since crawl 1:" in site.text
    assert "5 points down" in site.text
    assert f'href="{PATH}/compare?from=1&amp;to=2"' in site.text
    assert "▼ 5" in listed.text
    assert (swapped.status_code, "is not older than the other one" in swapped.text) == (422, True)
    assert (unknown.status_code, "is not there, or was not evaluated" in unknown.text) == (422, True)
