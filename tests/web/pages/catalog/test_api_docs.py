from __future__ import annotations

import re
from pathlib import Path

import httpx

from pagegrade.web.pages.catalog.api_docs import POLICY
from tests.web.calling import Instance, with_instance


def test_the_page_loads_files_of_this_server_only(tmp_path: Path) -> None:
    """No other origin, no script or style in the markup, and a policy that says so."""

    async def script(instance: Instance) -> tuple[httpx.Response, list[int]]:
        answer = await instance.call("GET", "/docs/console", key=None)
        named = re.findall(r'(?:src|href)="(/[^"]+)"', answer.text)
        return answer, [(await instance.call("GET", address, key=None)).status_code for address in named]

    answer, statuses = with_instance(tmp_path, script)

    assert answer.headers["content-security-policy"] == POLICY
    assert "unsafe" not in POLICY
    assert statuses
    assert set(statuses) == {200}
    assert re.findall(r'(?:src|href)="(?!/|#)', answer.text) == []
    assert re.findall(r"<script(?! src=)|<style|\son\w+=|\sstyle=", answer.text) == []


def test_the_page_gets_the_headers_of_a_page(tmp_path: Path) -> None:
    """No site frames it, and no site learns where a link on it led from."""

    async def script(instance: Instance) -> httpx.Response:
        return await instance.call("GET", "/docs/console", key=None)

    answer = with_instance(tmp_path, script)

    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["x-frame-options"] == "DENY"
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]


def test_the_reference_shows_every_call_without_scripts(tmp_path: Path) -> None:
    """A light list leads to what each call takes and answers, in the pages themselves."""

    async def script(instance: Instance) -> tuple[str, str, list[str]]:
        listed = (await instance.call("GET", "/docs", key=None, headers={"Accept-Language": "de"})).text
        groups = sorted(set(re.findall(r'href="/docs\?group=([a-z-]+)"', listed)))
        pages = [(await instance.call("GET", f"/docs?group={group}", key=None)).text for group in groups]
        description = (await instance.call("GET", "/api/v1/openapi.json", key=None)).json()
        calls = [call["operationId"] for methods in description["paths"].values() for call in methods.values()]
        missing = [name for name in calls if f"#{name}" not in listed or f'<h3 id="{name}">' not in "".join(pages)]
        return listed, "".join(pages), missing

    listed, pages, missing = with_instance(tmp_path, script)

    assert missing == []
    assert "<script" not in listed + pages
    assert "<code>If-None-Match</code>" in pages
    assert "Die Aufrufe sind auf Englisch beschrieben" in listed
    assert len(re.findall("<[a-z]", listed)) < 600


def test_a_group_that_is_none_is_not_found(tmp_path: Path) -> None:
    """As a page."""

    async def script(instance: Instance) -> int:
        return (await instance.call("GET", "/docs?group=none", key=None)).status_code

    assert with_instance(tmp_path, script) == 404
