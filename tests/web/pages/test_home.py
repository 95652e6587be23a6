from __future__ import annotations

from pathlib import Path

import httpx

from tests.web.calling import BASE_URL, Instance, with_instance


def test_the_start_page_leads_to_the_api(tmp_path: Path) -> None:
    """Charlie, who knows nothing and has no key, learns what this is and where to go."""

    async def script(instance: Instance) -> httpx.Response:
        return await instance.call("GET", "/", key=None)

    answer = with_instance(tmp_path, script)

    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert 'href="/docs"' in answer.text
    assert f"curl {BASE_URL}/api/v1/reports" in answer.text


def test_the_start_page_contains_nothing_of_the_installation(tmp_path: Path) -> None:
    """No name, no number, no version."""

    async def script(instance: Instance) -> httpx.Response:
        await instance.create()
        return await instance.call("GET", "/", key=None)

    answer = with_instance(tmp_path, script)

    assert "owner" not in answer.text
    assert "example.com/" not in answer.text.replace("https://example.com</code>", "")


def test_the_page_of_the_robot_says_how_to_stop_it(tmp_path: Path) -> None:
    """Owners of sites come here from the user agent in their logs, and nobody has to sign in."""

    async def script(instance: Instance) -> tuple[httpx.Response, str]:
        return await instance.call("GET", "/robot", key=None), instance.services.options.analyze.user_agent

    answer, agent = with_instance(tmp_path, script, contact="webmaster@example.org")

    assert answer.status_code == 200
    assert f"<code>{agent}</code>" in answer.text
    assert "User-agent: Pagegrade\nDisallow: /" in answer.text
    assert 'href="mailto:webmaster@example.org"' in answer.text
