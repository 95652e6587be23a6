from __future__ import annotations

import re
from pathlib import Path

import httpx

from pagegrade.web.pages.catalog.api_docs import POLICY
from tests.web.calling import Instance, with_instance


def test_the_page_loads_files_of_this_server_only(tmp_path: Path) -> None:
    """No other origin, no script or style in the markup, and a policy that says so."""

    async def script(instance: Instance) -> tuple[httpx.Response, list[int]]:
        answer = await instance.call("GET", "/docs", key=None)
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
        return await instance.call("GET", "/docs", key=None)

    answer = with_instance(tmp_path, script)

    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["x-frame-options"] == "DENY"
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
