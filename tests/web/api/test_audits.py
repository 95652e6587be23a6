"""Audits over the API."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import httpx
import pytest
from msgspec.structs import replace

from pagegrade.render.audit import NO_GRADE
from tests.audit_builders import claim, fail, fill, result_of, ungraded
from tests.waiting import wait_for
from tests.web.calling import BASE_URL, Instance, with_instance

AUDITS = "/api/v1/audits"
NEW: dict[str, Any] = {"url": "https://Example.com", "exclude": ["/private/"], "max_pages": 7}


async def evaluated(instance: Instance) -> httpx.Response:
    """A new audit of Alice, whose crawl has ended with a finding."""
    made = await instance.call("POST", AUDITS, json=NEW)
    crawl = await asyncio.to_thread(claim, instance.services.database)
    assert crawl is not None
    await asyncio.to_thread(fill, instance.services.database, crawl)
    return made


def test_an_audit_goes_from_its_finding_to_its_pages(tmp_path: Path) -> None:
    """Each answer names what the next one asks for."""

    async def script(instance: Instance) -> list[httpx.Response]:
        made = await evaluated(instance)
        place = made.headers["location"].removeprefix(BASE_URL)
        paths = ("", "/crawls/1", "/findings", "/findings/1/pages", "/pages?search=OTHER", "/pages/2")
        return [made, *[await instance.call("GET", f"{place}{path}") for path in paths]]

    made, shown, crawl, findings, places, pages, page = with_instance(tmp_path, script)
    new, data = made.json()["data"], shown.json()["data"]

    assert (made.status_code, new["state"], new["score"], new["counts"]) == (201, "queued", None, None)
    assert (new["url"], new["settings"]["exclude"]) == ("https://example.com/", ["/private/"])
    assert (new["settings"]["max_pages"], new["settings"]["rate"]) == (7, 1.0)
    assert (data["state"], data["result"], data["score"], data["graded_crawl"]) == ("completed", "good", 95, 1)
    assert (data["counts"]["findings"], data["counts"]["high"], data["counts"]["low"]) == (1, 1, 0)
    assert (crawl.json()["data"]["fetched"], crawl.json()["data"]["score"]) == (2, 95)
    assert [one["check"] for one in findings.json()["data"]] == ["duplicate-title"]
    assert places.json()["data"] == [
        {
            "object": "finding_page",
            "page": 1,
            "url": "https://example.com/",
            "target": "https://example.com/other",
            "value": "Welcome",
        },
        {
            "object": "finding_page",
            "page": 2,
            "url": "https://example.com/other",
            "target": None,
            "value": "Welcome",
        },
    ]
    assert [(one["id"], one["title"], one["score"]) for one in pages.json()["data"]] == [(2, "Other", 70)]
    assert page.json()["data"]["canonical"] == "https://example.com/"
    assert [link["url"] for link in page.json()["data"]["linked_by"]] == ["https://example.com/"]


def test_pages_are_filtered_and_sorted_by_what_the_evaluation_found(tmp_path: Path) -> None:
    """From cursor to cursor as well; without an evaluation there is no such list, and nothing else is an order."""

    async def script(instance: Instance) -> list[httpx.Response]:
        made = await instance.call("POST", AUDITS, json=NEW)
        place = made.headers["location"].removeprefix(BASE_URL)
        early = [
            await instance.call("GET", f"{place}/pages?{query}") for query in ("template=0", "sort_by=inlinks", "")
        ]
        crawl = await asyncio.to_thread(claim, instance.services.database)
        assert crawl is not None
        await asyncio.to_thread(fill, instance.services.database, crawl)
        queries = (
            "template=1",
            "indexable=1",
            "indexable=0",
            "finding=1&sort_by=inlinks",
            "sort_by=pagerank",
            "sort_by=url&cursor=",
            "finding=2",
            "sort_by=words",
            "indexable=2",
        )
        late = [await instance.call("GET", f"{place}/pages?{query}") for query in queries]
        found = [await instance.call("GET", f"{place}/findings?template={number}") for number in (0, 1)]
        return [*early, *late, *found, await instance.call("GET", f"{place}/pages/2")]

    *early, one, may, may_not, linked, ranked, walked, none, words, both, of_no, of_one, page = with_instance(
        tmp_path, script
    )

    def ids(answer: httpx.Response) -> list[int]:
        return [each["id"] for each in answer.json()["data"]]

    assert [answer.status_code for answer in early] == [404, 404, 200]
    assert [ids(answer) for answer in (one, may, may_not, linked, ranked, walked)] == [
        [2],
        [1],
        [2],
        [2, 1],
        [1, 2],
        [1, 2],
    ]
    assert [answer.status_code for answer in (none, words, both)] == [404, 422, 422]
    assert [ids(answer) for answer in (of_no, of_one)] == [[], []]
    names = ("template", "indexable", "inlinks", "pagerank")

    assert [page.json()["data"][name] for name in names] == [1, False, 1, 0.25]
    assert one.json()["data"][0] == {name: page.json()["data"][name] for name in one.json()["data"][0]}


def test_an_audit_without_a_grade_says_why_and_its_findings_cost_nothing_that_is_known(tmp_path: Path) -> None:
    """The result of too few pages has findings, and no points that they would cost."""

    async def script(instance: Instance) -> list[dict[str, Any]]:
        made = await instance.call("POST", AUDITS, json=NEW)
        database = instance.services.database
        crawl = await asyncio.to_thread(claim, database)
        await asyncio.to_thread(fill, database, crawl, ungraded("https://example.com/"))
        place = made.headers["location"].removeprefix(BASE_URL)
        paths = ("", "/crawls/1", "/findings")
        return [made.json(), *[(await instance.call("GET", f"{place}{path}")).json() for path in paths]]

    new, shown, crawl, findings = with_instance(tmp_path, script)
    message, fix = NO_GRADE["too_few_pages"]
    why = {"kind": "too_few_pages", "message": message, "fix": fix}

    assert new["data"]["withheld"] is None  # its crawl has not ended
    assert (shown["data"]["score"], shown["data"]["withheld"]) == (None, why)
    assert (shown["data"]["crawl"]["withheld"], crawl["data"]["withheld"]) == (why, why)
    assert [one["lost"] for one in findings["data"]] == [None]
    assert "warnings" not in findings


def test_pages_are_excluded_while_a_crawl_is_under_way(tmp_path: Path) -> None:
    """In place of what was excluded; nothing else changes, and a pattern that is none is refused."""

    async def script(instance: Instance) -> list[httpx.Response]:
        made = await instance.call("POST", AUDITS, json=NEW)
        place = made.headers["location"].removeprefix(BASE_URL)
        bodies: tuple[dict[str, Any], ...] = ({"exclude": ["/b/*"]}, {"exclude": []}, {"exclude": ["b"]}, {})
        return [await instance.call("PUT", place, json=body) for body in bodies]

    changed, emptied, refused, same = with_instance(tmp_path, script)

    assert [one.json()["data"]["settings"]["exclude"] for one in (changed, emptied, same)] == [["/b/*"], [], []]
    assert [one.json()["data"]["state"] for one in (changed, emptied)] == ["queued", "queued"]
    assert (refused.status_code, list(refused.json()["errors"])) == (422, ["exclude"])


def test_a_failed_crawl_says_why_and_keeps_the_result_before_it(tmp_path: Path) -> None:
    """An empty list of its findings is not taken for a site without any."""

    async def script(instance: Instance) -> list[dict[str, Any]]:
        database = instance.services.database
        await instance.call("POST", AUDITS, json=NEW)
        await asyncio.to_thread(fail, database, await asyncio.to_thread(claim, database), reason="start_unreachable")
        failed = [(await instance.call("GET", f"{AUDITS}/1{path}")).json() for path in ("", "/findings")]
        await instance.call("PUT", f"{AUDITS}/1", json={"results": 1})
        await asyncio.to_thread(fill, database, await asyncio.to_thread(claim, database))
        await instance.call("PUT", f"{AUDITS}/1", json={"results": 1})
        await asyncio.to_thread(fail, database, await asyncio.to_thread(claim, database), reason=None, error="internal")
        return [*failed, *[(await instance.call("GET", f"{AUDITS}/1{path}")).json() for path in ("", "/findings")]]

    failed, unknown, kept, known = with_instance(tmp_path, script)

    assert (failed["data"]["state"], failed["data"]["withheld"]["kind"]) == ("failed", "start_unreachable")
    assert (unknown["data"], [(one["field"], one["code"]) for one in unknown["warnings"]]) == (
        [],
        [("crawl", "not_evaluated")],
    )
    assert "start page could not be fetched" in unknown["warnings"][0]["message"]
    assert (kept["data"]["state"], kept["data"]["score"], kept["data"]["withheld"]) == ("failed", 95, None)
    assert kept["data"]["crawl"]["withheld"]["kind"] == "internal"
    assert len(known["data"]) == 1


def test_who_prefers_to_wait_gets_the_audit_when_its_crawl_has_ended(tmp_path: Path) -> None:
    """As reports do; who does not wait is answered at once."""

    async def script(instance: Instance) -> list[httpx.Response]:
        database = instance.services.database
        at_once = await instance.call("POST", AUDITS, json={"url": "https://first.example/"})
        await instance.call("PUT", f"{AUDITS}/1", json={"cancel": 1})
        async with asyncio.TaskGroup() as group:
            waiting = group.create_task(instance.call("POST", AUDITS, json=NEW, headers={"Prefer": "wait=50"}))
            crawl = await wait_for(lambda: claim(database))
            await asyncio.to_thread(fill, database, crawl)
        made = waiting.result()
        return [at_once, made, await instance.call("GET", f"{AUDITS}/2", headers={"Prefer": "wait=50"})]

    at_once, made, shown = with_instance(tmp_path, script)

    assert (at_once.json()["data"]["state"], at_once.headers.get("preference-applied")) == ("queued", None)
    assert (made.status_code, made.json()["data"]["state"], made.json()["data"]["score"]) == (201, "completed", 95)
    assert (made.headers["preference-applied"], shown.headers["preference-applied"]) == ("wait=50", "wait=50")


def test_a_crawl_is_paused_resumed_canceled_and_done_again(tmp_path: Path) -> None:
    """One that has not ended is joined by who asks for another; the result of the last one stays."""

    async def script(instance: Instance) -> list[dict[str, Any]]:
        await evaluated(instance)
        changes = ({"results": 1}, {"results": 1}, {"paused": 1}, {"paused": 0}, {"cancel": 1}, {"paused": 1})
        return [(await instance.call("PUT", f"{AUDITS}/1", json=change)).json()["data"] for change in changes]

    found = with_instance(tmp_path, script)

    assert [(one["crawl"]["number"], one["state"]) for one in found] == [
        (2, "queued"),
        (2, "queued"),
        (2, "paused"),
        (2, "queued"),
        (2, "canceled"),
        (2, "canceled"),
    ]
    assert {(one["score"], one["graded_crawl"]) for one in found} == {(95, 1)}


@pytest.mark.parametrize(
    ("body", "field", "code"),
    [
        ({"url": "https://exa mple.com/"}, "url", "unparsable"),
        ({"url": "https://example.com/", "include": ["blog"]}, "include", "invalid"),
        ({"url": "https://example.com/", "max_pages": 10_001}, "max_pages", "too_large"),
        ({"url": "https://example.com/", "urls": ["mailto:a@example.com"]}, "urls", "scheme_not_allowed"),
        ({"url": "https://example.com/", "rate": 20.5}, "rate", "too_large"),
    ],
)
def test_what_cannot_be_crawled_is_refused_by_name(tmp_path: Path, body: dict[str, Any], field: str, code: str) -> None:
    """With the way out."""

    async def script(instance: Instance) -> httpx.Response:
        return await instance.call("POST", AUDITS, json=body)

    answer = with_instance(tmp_path, script)

    assert (answer.status_code, answer.json()["code"]) == (422, "validation_failed")
    assert [(each["field"], each["code"]) for each in answer.json()["violations"]] == [(field, code)]


@pytest.mark.parametrize(
    "url", ["http://10.0.0.1/", "http://localhost/", "http://169.254.169.254/", "http://[::1]/", "ftp://example.com/"]
)
def test_private_sites_are_refused_as_for_reports(tmp_path: Path, url: str) -> None:
    """Unless the operator allows them."""

    async def script(instance: Instance) -> list[httpx.Response]:
        return [await instance.call("POST", path, json={"url": url}) for path in (AUDITS, "/api/v1/reports")]

    audit, report = with_instance(tmp_path, script)

    assert (audit.status_code, audit.json()["code"]) == (422, "url_not_allowed")
    assert audit.json()["detail"] == report.json()["detail"]


def test_an_account_has_so_many_crawls_that_have_not_ended(tmp_path: Path) -> None:
    """One more is refused, and so is another crawl of an audit; canceling one makes a place."""

    async def script(instance: Instance) -> list[httpx.Response]:
        made = [await instance.call("POST", AUDITS, json={"url": f"https://{n}.example/"}) for n in range(20)]
        assert {one.status_code for one in made} == {201}
        more = {"url": "https://more.example/"}
        return [
            await instance.call("POST", AUDITS, json=more),
            await instance.call("PUT", f"{AUDITS}/1", json={"cancel": 1}),
            await instance.call("POST", AUDITS, json=more),
            await instance.call("PUT", f"{AUDITS}/1", json={"results": 1}),
        ]

    refused, canceled, made, again = with_instance(tmp_path, script)

    assert (refused.status_code, refused.json()["code"]) == (429, "crawl_limit")
    assert (canceled.status_code, made.status_code) == (200, 201)
    assert (again.status_code, again.json()["code"]) == (429, "crawl_limit")


def test_lists_have_filters(tmp_path: Path) -> None:
    """Of the start URL, the project, the state and the result."""

    async def script(instance: Instance) -> list[list[int]]:
        await evaluated(instance)
        await instance.call("POST", AUDITS, json={"url": "https://other.example/shop/", "scope": "folder"})
        filters = ("search=SHOP", "project=https://example.com/x", "project=//", "state=queued", "result=good", "")
        return [
            [one["id"] for one in (await instance.call("GET", f"{AUDITS}?{each}")).json()["data"]] for each in filters
        ]

    assert with_instance(tmp_path, script) == [[2], [1], [], [2], [1], [2, 1]]


def test_two_crawls_are_compared(tmp_path: Path) -> None:
    """The audit says in short what changed, and the comparison all of it; one crawl alone compares with nothing."""

    async def script(instance: Instance) -> list[httpx.Response]:
        await evaluated(instance)
        alone = await instance.call("GET", f"{AUDITS}/1/compare")
        await instance.call("PUT", f"{AUDITS}/1", json={"results": 1})
        crawl = await asyncio.to_thread(claim, instance.services.database)
        clean = replace(result_of("https://example.com/"), findings=(), score=100, exact=100.0)
        await asyncio.to_thread(fill, instance.services.database, crawl, clean)
        return [alone, *[await instance.call("GET", f"{AUDITS}/1{path}") for path in ("", "/compare?from=1&to=2")]]

    alone, shown, compared = with_instance(tmp_path, script)
    change, data = shown.json()["data"]["change"], compared.json()["data"]

    assert (alone.status_code, alone.json()["violations"][0]["code"]) == (422, "no_crawl")
    assert (change["crawl"], change["score"], change["fixed"], change["new"]) == (1, 95, 1, 0)
    assert [data[name] for name in ("from", "to", "comparable", "score_before", "score_after")] == [1, 2, True, 95, 100]
    assert [(one["kind"], one["pages_fixed"]) for one in data["findings"]] == [("fixed", 2)]


def test_the_links_of_a_crawl_are_filtered_and_walked(tmp_path: Path) -> None:
    """Links to the other parts keep the filters; ends are pages by their ids."""

    async def script(instance: Instance) -> list[httpx.Response]:
        await instance.call("POST", "/api/v1/audits", json={"url": "https://example.com/"})
        database = instance.services.database
        await asyncio.to_thread(fill, database, await asyncio.to_thread(claim, database))
        place = "/api/v1/audits/1/links"
        paths = ("", "?cursor=&from=1&count=1", "?from=2", "?to=2&status=200&state=fetched&kind=a", "?state=outside")
        return [await instance.call("GET", f"{place}{path}") for path in (*paths, "?state=x&from=0")]

    whole, walked, none, filtered, outside, wrong = with_instance(tmp_path, script)
    (link,) = whole.json()["data"]

    assert (link["from_url"], link["to_page"], link["to_url"], link["to_state"], link["to_status"], link["text"]) == (
        "https://example.com/",
        2,
        "https://example.com/other",
        "fetched",
        200,
        "Other",
    )
    assert [answer.json()["data"] for answer in (walked, none, filtered, outside)] == [[link], [], [link], []]
    assert walked.json()["meta"]["total"] == 1
    assert sorted(wrong.json()["errors"]) == ["from", "state"]
