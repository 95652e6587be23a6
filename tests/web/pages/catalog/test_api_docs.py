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
    """What a call takes, and what it answers, stands in the page itself."""

    async def script(instance: Instance) -> tuple[httpx.Response, httpx.Response]:
        page = await instance.call("GET", "/docs", key=None, headers={"Accept-Language": "de"})
        return page, await instance.call("GET", "/api/v1/openapi.json", key=None)

    page, description = with_instance(tmp_path, script)
    calls = [
        operation["operationId"] for methods in description.json()["paths"].values() for operation in methods.values()
    ]

    assert "<script" not in page.text
    assert [name for name in calls if f'<details id="{name}">' not in page.text] == []
    assert "<code>If-None-Match</code>" in page.text
    assert "Die Aufrufe sind auf Englisch beschrieben" in page.text
