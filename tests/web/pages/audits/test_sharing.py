"""The form that shares an audit, and the page behind its link."""

from __future__ import annotations

import asyncio
from http.cookies import SimpleCookie
from pathlib import Path
from typing import Any

import httpx
from msgspec.structs import replace

from pagegrade.model.audit_result import Folder, Place, Template
from pagegrade.service.rate_limit import Bucket, MemoryBuckets
from pagegrade.web.pages.share_access import SHARED_DOCUMENTS_PER_MINUTE
from tests.audit_builders import claim, fail, fill, result_of
from tests.render.test_pdf import text_of
from tests.store_builders import add_owner
from tests.web.calling import BASE_URL, Instance, with_instance

AUDITS = "/api/v1/audits"
FORM = "/audits/1/share"
OPENED = "<article"


async def make(instance: Instance, **fields: Any) -> None:
    """An audit of Alice, evaluated."""
    await instance.call("POST", AUDITS, json={"url": "https://example.com/", **fields})
    database = instance.services.database
    await asyncio.to_thread(fill, database, await asyncio.to_thread(claim, database))


async def shown(instance: Instance) -> dict[str, Any]:
    """The audit as programs see it."""
    found: dict[str, Any] = (await instance.call("GET", f"{AUDITS}/1")).json()["data"]
    return found


async def see(instance: Instance, path: str, method: str = "GET", **more: Any) -> httpx.Response:
    """The answer for someone who has nothing but the link."""
    instance.client.cookies.clear()
    return await instance.call(method, path, key=None, **{"headers": {"Sec-Fetch-Site": "same-origin"}, **more})


def test_a_shared_audit_is_a_page_for_all_who_have_the_link(tmp_path: Path) -> None:
    """It is not indexed, loads nothing, and is gone once the audit is private; its owner sees who else sees it."""

    async def script(instance: Instance) -> None:
        await make(instance)
        before = await shown(instance)
        saved = await instance.page("POST", FORM, data={"privacy": "0"})
        after = await shown(instance)
        path = after["share_url"].removeprefix(BASE_URL)
        form = await instance.page("GET", f"{FORM}?said=saved")
        page, german = await see(instance, path), await see(instance, path, headers={"Accept-Language": "de"})
        own = await instance.page("GET", path)
        await instance.page("POST", FORM, data={"privacy": "1"})
        gone, unknown = await see(instance, path), await see(instance, f"/a/{'A' * 22}")

        assert (before["privacy"], before["share_url"]) == (1, None)
        assert (saved.status_code, saved.headers["location"]) == (303, f"{FORM}?said=saved")
        assert after["privacy"] == 0
        assert after["share_url"] in form.text
        assert "The settings are saved." in form.text
        assert page.status_code == 200
        assert all(words in page.text for words in (OPENED, "95", "Pages have the same title"))
        assert page.headers["x-robots-tag"] == "noindex, nofollow, noarchive"
        assert "script-src 'none'" in page.headers["content-security-policy"]
        assert "<script" not in page.text
        assert 'href="/audits' not in page.text
        assert "Befunde" in german.text
        assert "This is what everyone with the link sees." in own.text
        assert (gone.status_code, gone.content) == (404, unknown.content)

    with_instance(tmp_path, script)


def test_a_password_opens_an_audit_for_one_browser(tmp_path: Path) -> None:
    """Until then the page says nothing about the site; a cookie of one audit opens no other one."""

    async def script(instance: Instance) -> None:
        await make(instance, privacy=2, password="secret word")
        await instance.call("POST", AUDITS, json={"url": "https://o.example/", "privacy": 2, "password": "x"})
        path = (await shown(instance))["share_url"].removeprefix(BASE_URL)
        other = (await instance.call("GET", f"{AUDITS}/2")).json()["data"]["share_url"].removeprefix(BASE_URL)
        asked = await see(instance, path)
        wrong = await see(instance, path, "POST", data={"password": "guess"})
        right = await see(instance, path, "POST", data={"password": "secret word"})
        cookie = next(iter(SimpleCookie(right.headers["set-cookie"]).values()))
        opened = await see(instance, path, headers={"Cookie": f"{cookie.key}={cookie.value}"})
        forged = {"Cookie": f"{cookie.key[:-8]}{other[3:11]}={cookie.value}"}
        closed = await see(instance, other, headers=forged)
        public = await instance.page("POST", FORM, data={"privacy": "0"})
        led = await see(instance, path, "POST", data={"password": "secret word"})

        assert (asked.status_code, wrong.status_code) == (200, 403)
        assert not any("example.com" in answer.text or OPENED in answer.text for answer in (asked, wrong))
        assert (right.status_code, right.headers["location"]) == (303, path)
        assert OPENED in opened.text
        assert OPENED not in closed.text
        assert public.status_code == 303
        assert (led.status_code, led.headers["location"]) == (303, path)

    with_instance(tmp_path, script)


def test_the_form_refuses_what_cannot_be_and_what_is_out_of_date(tmp_path: Path) -> None:
    """A password is missing; another tab was faster; the audit is of another account."""

    async def script(instance: Instance) -> None:
        await make(instance)
        bob = add_owner(instance.services.database, "Bob")[0]
        missing = await instance.page("POST", FORM, data={"privacy": "2"})
        stale = await instance.page("POST", FORM, data={"privacy": "0", "seen": "2-7"})
        others = await instance.page("POST", FORM, account=bob, data={"privacy": "0"})
        program = await instance.call("PUT", f"{AUDITS}/1", json={"privacy": 2})
        locked = await instance.page("POST", FORM, data={"privacy": "2", "password": "a b"})
        form = await instance.page("GET", FORM)

        assert (missing.status_code, stale.status_code, others.status_code, program.status_code) == (422, 412, 404, 422)
        assert "Nothing was saved yet." in stale.text
        assert locked.status_code == 303
        assert "A password is set." in form.text
        assert "a b" not in form.text.replace("a browser", "")

    with_instance(tmp_path, script)


def test_what_needs_an_access_profile_is_shared_only_when_asked_twice(tmp_path: Path) -> None:
    """Programs are warned; and a new profile makes the public audits of its origins private."""

    async def script(instance: Instance) -> None:
        await make(instance, privacy=0)
        access = {"name": "Staging", "origins": ["https://example.com"], "user": "reader", "password": "a password"}
        made = await instance.call("POST", "/api/v1/access-profiles", json=access)
        hidden = await shown(instance)
        asked = await instance.page("POST", FORM, data={"privacy": "0"})
        still = await shown(instance)
        confirmed = await instance.page("POST", FORM, data={"privacy": "0", "share_anyway": "1"})
        program = await instance.call("PUT", f"{AUDITS}/1", json={"privacy": 0, "password": "x"})

        assert [one["code"] for one in made.json()["warnings"]] == ["made_private"]
        assert (hidden["privacy"], still["privacy"]) == (1, 1)
        assert asked.status_code == 422
        assert 'name="share_anyway"' in asked.text
        assert confirmed.status_code == 303
        assert [one["code"] for one in program.json()["warnings"]] == ["password_ignored", "made_with_access"]

    with_instance(tmp_path, script)


def test_a_shared_audit_without_a_result_says_so(tmp_path: Path) -> None:
    """While it is crawled, and when the crawl came to nothing."""

    async def script(instance: Instance) -> None:
        made = await instance.call("POST", AUDITS, json={"url": "https://example.com/", "privacy": 0})
        path = made.json()["data"]["share_url"].removeprefix(BASE_URL)
        crawled = await see(instance, path)
        database = instance.services.database
        crawl = await asyncio.to_thread(claim, database)
        await asyncio.to_thread(lambda: fail(database, crawl, reason="start_unreachable"))
        failed = await see(instance, path)

        assert "still being crawled" in crawled.text
        assert "The start page could not be fetched." in failed.text

    with_instance(tmp_path, script)


def test_a_shared_audit_is_had_as_files_without_what_is_masked(tmp_path: Path) -> None:
    """They hold what the page shows, and every page of the findings; other files and other audits are not there."""

    async def script(instance: Instance) -> None:
        await instance.call("POST", AUDITS, json={"url": "https://example.com/?token=secret-value-1", "privacy": 0})
        database = instance.services.database
        await asyncio.to_thread(fill, database, await asyncio.to_thread(claim, database))
        path = (await shown(instance))["share_url"].removeprefix(BASE_URL)
        page = await see(instance, path)
        files = {name: await see(instance, f"{path}/export/{name}") for name in ("html", "findings", "prompt")}
        withheld = ("json", "pages", "pages-parquet", "sitemap", "x")
        others = [await see(instance, f"{path}/export/{name}") for name in withheld]
        made = [await see(instance, f"{path}/export/{name}") for name in ("pdf", "findings-parquet")]
        instance.services.limits = MemoryBuckets(lambda: 0.0)
        for _ in range(SHARED_DOCUMENTS_PER_MINUTE):
            await instance.services.limits.take_now(Bucket(("shared PDFs", "127.0.0.1"), SHARED_DOCUMENTS_PER_MINUTE))
        refused = [await see(instance, f"{path}/export/{name}") for name in ("pdf", "findings-parquet")]
        far = await see(instance, f"{path}/export/findings?part=2")
        unknown = await see(instance, f"/a/{'A' * 22}/export/html")

        assert all(f'href="{path}/export/{name}"' in page.text for name in files)
        assert [one.status_code for one in files.values()] == [200, 200, 200]
        assert all("secret-value-1" not in one.text for one in (page, *files.values()))
        assert all("Pages have the same title" in one.text for one in files.values())
        assert files["findings"].text.count("https://example.com/") >= 2
        assert all("attachment" in one.headers["content-disposition"] for one in files.values())
        assert [one.content[:4] for one in made] == [b"%PDF", b"PAR1"]
        assert b"secret-value-1" not in made[1].content
        assert [one.status_code for one in refused] == [429, 429]
        assert [one.status_code for one in (*others, far, unknown)] == [404] * 7
        await instance.page("POST", FORM, data={"privacy": "1"})
        gone = await see(instance, f"{path}/export/html")

        assert (gone.status_code, gone.content) == (404, unknown.content)

    with_instance(tmp_path, script)


def test_files_of_a_shared_audit_name_no_part_of_the_site_that_its_page_does_not(tmp_path: Path) -> None:
    """Folders and templates without any finding are for its account."""

    async def script(instance: Instance) -> tuple[str, list[str], list[str]]:
        await instance.call("POST", AUDITS, json={"url": "https://example.com/", "privacy": 0})
        hidden = "https://example.com/hidden-folder/"
        shown_too = "https://example.com/open-folder/"
        folders = tuple(
            Folder(url=url, level=at, pages=1, score=90.0) for at, url in enumerate((hidden[:20], hidden, shown_too))
        )
        template = Template(number=1, name="/hidden-template/{n}", pages=1, score=90.0, example=f"{hidden}example")
        (finding,) = result_of("https://example.com/").findings
        finding = replace(finding, places=(*finding.places, Place(url=f"{shown_too}page?key=secret-value-1")))
        result = replace(result_of("https://example.com/"), findings=(finding,), folders=folders, templates=(template,))
        database = instance.services.database
        await asyncio.to_thread(fill, database, await asyncio.to_thread(claim, database), result)
        path = (await shown(instance))["share_url"].removeprefix(BASE_URL)
        page = await see(instance, path)
        files = [(await see(instance, f"{path}/export/{name}")) for name in ("html", "findings", "prompt", "pdf")]
        own = await instance.page("GET", "/audits/1"), await instance.page("GET", "/audits/1/export/pdf")
        *others, pdf = files
        return page.text, [*(one.text for one in others), text_of(pdf.content)], [own[0].text, text_of(own[1].content)]

    page, files, own = with_instance(tmp_path, script)

    assert "Pages have the same title" in page
    assert not [text for text in (page, *files) if "hidden-" in text or "secret-value-1" in text]
    assert all("open-folder/" in text for text in (page, files[0], files[-1]))
    assert all("hidden-folder" in text and "hidden-template" in text for text in own)


def test_a_file_needs_the_password_of_its_audit(tmp_path: Path) -> None:
    """Nothing of it is had before."""

    async def script(instance: Instance) -> None:
        await make(instance, privacy=2, password="secret word")
        path = (await shown(instance))["share_url"].removeprefix(BASE_URL)
        locked = await see(instance, f"{path}/export/html")

        assert (locked.status_code, locked.headers["location"], locked.content) == (303, path, b"")

    with_instance(tmp_path, script)


def test_a_public_audit_is_sent_once_and_previewed_with_its_score(tmp_path: Path) -> None:
    """It is sent again once it changed and in another language; a password ends both."""

    async def script(instance: Instance) -> None:
        await make(instance, privacy=0)
        path = (await shown(instance))["share_url"].removeprefix(BASE_URL)
        first = await see(instance, path)
        same = {"If-None-Match": first.headers["etag"]}
        again = await see(instance, path, headers=same)
        german = await see(instance, path, headers={**same, "Accept-Language": "de"})
        own = await instance.page("GET", path)
        await instance.call("PUT", f"{AUDITS}/1", json={"results": 1})
        crawling = await see(instance, path, headers=same)
        await instance.call("PUT", f"{AUDITS}/1", json={"privacy": 2, "password": "secret word"})
        locked = await see(instance, path, headers=same)

        assert 'property="og:title" content="Audit of example.com: 95 of 100"' in first.text
        assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", first.headers["etag"])
        assert [one.status_code for one in (german, crawling, locked)] == [200, 200, 200]
        assert "etag" not in own.headers
        assert "etag" not in locked.headers
        assert "example.com" not in locked.text

    with_instance(tmp_path, script)


def test_all_pages_of_a_finding_are_listed_with_what_is_masked(tmp_path: Path) -> None:
    """For who may see the audit; a finding that is none, and a page behind the last one, are no fault of ours."""

    async def script(instance: Instance) -> tuple[httpx.Response, list[int], httpx.Response, list[httpx.Response]]:
        await make(instance, privacy=0, url="https://www.example.com/?token=secret-value-1")
        base = (await shown(instance))["share_url"].removeprefix(BASE_URL)
        article = await see(instance, base)
        paths = (f"{base}/findings/{number}" for number in ("1?page=2", "2", "0"))
        others = [(await see(instance, path)).status_code for path in paths]
        first = await see(instance, f"{base}/findings/1")
        await instance.call("PUT", "/api/v1/audits/1", json={"privacy": 2, "password": "correct horse"})
        closed = await see(instance, f"{base}/findings/1")
        await instance.call("PUT", "/api/v1/audits/1", json={"privacy": 1})
        return first, others, article, [closed, await see(instance, f"{base}/findings/1")]

    first, others, article, (closed, private) = with_instance(tmp_path, script)

    assert "/findings/1" in article.text
    assert "Pages have the same title" in first.text
    assert "https://www.example.com/" in first.text
    assert "secret-value-1" not in first.text
    assert others == [200, 404, 404]
    assert (closed.status_code, closed.content) == (303, b"")
    assert private.status_code == 404
