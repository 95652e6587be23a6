"""The list of audits, and the form for a new one."""

from __future__ import annotations

import asyncio
from pathlib import Path

import httpx

from tests.audit_builders import claim, fill
from tests.web.calling import Instance, with_instance

PATH = "/audits"


def test_an_audit_is_created_and_listed(tmp_path: Path) -> None:
    """The form leads to its page; the list shows what its crawl came to, and a search finds it."""

    async def script(instance: Instance) -> list[httpx.Response]:
        empty = await instance.page("GET", PATH)
        sent = {"url": " example.com/shop ", "scope": "folder", "max_pages": "20", "exclude": "/print/\r\n\r\n*.pdf$"}
        made = await instance.page("POST", PATH, data=sent)
        settings = (await instance.call("GET", "/api/v1/audits/1")).json()["data"]["settings"]
        assert (settings["scope"], settings["max_pages"], settings["exclude"]) == ("folder", 20, ["/print/", "*.pdf$"])
        queued = await instance.page("GET", PATH)
        crawl = await asyncio.to_thread(claim, instance.services.database)
        await asyncio.to_thread(fill, instance.services.database, crawl)
        paths = (PATH, f"{PATH}?search=SHOP", f"{PATH}?search=other", f"{PATH}?page=9")
        return [empty, made, queued, *[await instance.page("GET", path) for path in paths]]

    empty, made, queued, graded, found, other, beyond = with_instance(tmp_path, script)

    assert "No audits yet" in empty.text
    assert (made.status_code, made.headers["location"]) == (303, f"{PATH}/1")
    assert ("Queued" in queued.text, "not known yet" in queued.text) == (True, True)
    assert all(words in graded.text for words in ("example.com/shop", "95 of 100", "Completed"))
    assert ("example.com/shop" in found.text, "example.com/shop" in other.text) == (True, False)
    assert "There is nothing on this page" in beyond.text


def test_an_access_profile_is_chosen_in_the_form(tmp_path: Path) -> None:
    """One for the origin of the site, or none; another is refused where it stands."""
    profile = {"name": "Staging", "origins": ["https://example.com/"], "headers": ["X-Key: 1"]}

    async def script(instance: Instance) -> list[httpx.Response]:
        without = await instance.page("GET", PATH)
        await instance.call("POST", "/api/v1/access-profiles", json=profile)
        sent = [("example.com", "1"), ("example.com", "none"), ("example.com", "default"), ("example.org", "1")]
        return [
            without,
            await instance.page("GET", PATH),
            *[await instance.page("POST", PATH, data={"url": url, "access": access}) for url, access in sent],
            *[await instance.call("GET", f"/api/v1/audits/{number}") for number in (1, 2, 3)],
        ]

    without, offered, *made, refused, named, none, default = with_instance(tmp_path, script)
    settings = [answer.json()["data"]["settings"]["access"] for answer in (named, none, default)]

    assert ('name="access"' in without.text, ">Staging</option>" in offered.text) == (False, True)
    assert [answer.status_code for answer in (*made, refused)] == [303, 303, 303, 422]
    assert settings == [1, 0, None]
    assert "This access profile is not for the page." in refused.text
    assert '<option value="1" selected' in refused.text


def test_each_wrong_field_is_named_and_what_was_typed_stays(tmp_path: Path) -> None:
    """In words of the form, not of the API."""

    async def script(instance: Instance) -> list[httpx.Response]:
        wrong = {"url": "exa mple.com", "max_pages": "10001", "max_depth": "0", "rate": "20.5"}
        wrong |= {"include": "blog", "scope": "all"}
        return [
            await instance.page("POST", PATH, data=wrong),
            await instance.page("POST", PATH, data={"url": "http://10.0.0.1/"}),
            await instance.page("POST", PATH, data={}),
        ]

    wrong, private, empty = with_instance(tmp_path, script)
    sentences = (
        "requests a second, above",
        "This is not a URL.",
        "a number of pages",
        "a number of clicks",
        "is no pattern",
        "one of the scopes",
    )

    assert [answer.status_code for answer in (wrong, private, empty)] == [422, 422, 422]
    assert [words for words in sentences if words not in wrong.text] == []
    assert 'value="10001"' in wrong.text
    assert "PAGEGRADE_ALLOW_NETWORKS=10." in private.text
    assert "Enter the URL of a page." in empty.text


def test_one_crawl_too_many_is_refused_with_the_way_out(tmp_path: Path) -> None:
    """Nothing is created."""

    async def script(instance: Instance) -> tuple[httpx.Response, int]:
        for number in range(20):
            await instance.call("POST", "/api/v1/audits", json={"url": f"https://{number}.example/"})
        refused = await instance.page("POST", PATH, data={"url": "https://more.example/"})
        return refused, (await instance.call("GET", "/api/v1/audits")).json()["meta"]["total"]

    refused, total = with_instance(tmp_path, script)

    assert (refused.status_code, total) == (429, 20)
    assert "Too many of your crawls have not ended." in refused.text
    assert 'value="https://more.example/"' in refused.text
