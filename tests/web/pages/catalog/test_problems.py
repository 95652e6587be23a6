from __future__ import annotations

from pathlib import Path

import httpx
import pytest

from pagegrade.model.errors import Unavailable
from pagegrade.web.http.response import Response
from pagegrade.web.operations import PAGES, Operation
from pagegrade.web.pages.catalog.problems import slug_of
from pagegrade.web.problem_texts import TEXTS
from pagegrade.web.problems import PROBLEMS
from pagegrade.web.request import Request
from tests.web.calling import BASE_URL, Instance, with_instance

BROWSER = "text/html,application/xhtml+xml,*/*;q=0.8"


def fetch(tmp_path: Path, path: str, accept: str, method: str = "GET") -> httpx.Response:
    """The answer for an anonymous client."""

    async def script(instance: Instance) -> httpx.Response:
        return await instance.call(method, path, key=None, headers={"Accept": accept})

    return with_instance(tmp_path, script)


def test_the_type_of_every_problem_is_a_page(tmp_path: Path) -> None:
    """That says what happened, why, what to do, and shows an example."""

    async def script(instance: Instance) -> dict[str, httpx.Response]:
        return {
            code: await instance.call("GET", f"/problems/{slug_of(code)}", key=None, headers={"Accept": BROWSER})
            for code in PROBLEMS
        }

    for code, answer in with_instance(tmp_path, script).items():
        assert answer.status_code == 200
        assert answer.headers["content-type"] == "text/html; charset=utf-8"
        assert f"<h1>{PROBLEMS[code][1]}</h1>" in answer.text
        assert all(f"<h2>{heading}</h2>" in answer.text for heading in ("Why", "What to do", "An example"))
        assert f"{BASE_URL}/problems/{slug_of(code)}" in answer.text
        assert "`" not in answer.text


def test_a_program_gets_the_same_as_data(tmp_path: Path) -> None:
    """When it asks for JSON."""
    answer = fetch(tmp_path, "/problems/rate-limited", "application/json")
    data = answer.json()["data"]

    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["vary"].startswith("Accept,")
    assert (data["code"], data["status"]) == ("rate_limited", 429)
    assert data["steps"] == list(TEXTS["rate_limited"].steps)
    assert data["example"]["code"] == "rate_limited"


@pytest.mark.parametrize("accept", [BROWSER, "application/json"])
def test_all_problems_are_listed(accept: str, tmp_path: Path) -> None:
    """For people and for programs."""
    answer = fetch(tmp_path, "/problems", accept)

    assert answer.status_code == 200
    assert all(slug_of(code) in answer.text for code in PROBLEMS)


@pytest.mark.parametrize("name", ["nonsense", "not_found", "NOT-FOUND", "not-found%00"])
def test_a_problem_has_one_address(name: str, tmp_path: Path) -> None:
    """Any other is not found."""
    assert fetch(tmp_path, f"/problems/{name}", BROWSER).status_code == 404


def test_a_browser_that_is_lost_gets_a_page(tmp_path: Path) -> None:
    """Only a person reads it."""
    answer = fetch(tmp_path, "/nothing/here", BROWSER)

    assert answer.status_code == 404
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert "<h1>Nothing here</h1>" in answer.text


@pytest.mark.parametrize("accept", ["*/*", "application/json"])
def test_a_program_that_is_lost_gets_a_problem(accept: str, tmp_path: Path) -> None:
    """As everywhere."""
    answer = fetch(tmp_path, "/nothing/here", accept)

    assert answer.status_code == 404
    assert answer.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize("path", ["/api/nothing", "/api/v1/reports"])
def test_the_api_never_answers_with_a_page(path: str, tmp_path: Path) -> None:
    """Whatever Accept says."""
    answer = fetch(tmp_path, path, BROWSER)

    assert answer.status_code in {401, 404}
    assert answer.headers["content-type"] == "application/problem+json"


def test_a_refused_method_is_answered_with_a_page(tmp_path: Path) -> None:
    """With the methods it knows in the header."""
    answer = fetch(tmp_path, "/docs", BROWSER, "DELETE")

    assert answer.status_code == 405
    assert answer.headers["allow"] == "GET, HEAD, OPTIONS"
    assert "/problems/method-not-allowed" in answer.text


def test_the_page_of_a_problem_keeps_its_headers_and_is_not_kept(tmp_path: Path) -> None:
    """A client that has to wait reads for how long from the header."""

    async def handler(_request: Request) -> Response:
        raise Unavailable("Later.", retry_after_s=7)

    async def script(instance: Instance) -> httpx.Response:
        return await instance.call("GET", "/here", key=None, headers={"Accept": BROWSER})

    operation = Operation(method="GET", path="/here", name="show_here", summary="Here", handler=handler, tag=PAGES)
    answer = with_instance(tmp_path, script, operations=(operation,))

    assert answer.status_code == 503
    assert (answer.headers["retry-after"], answer.headers["cache-control"]) == ("7", "private, no-store")
    assert "Later." in answer.text


def test_problems_are_explained_in_german(tmp_path: Path) -> None:
    """Every sentence but those of the example, which is what programs are sent."""

    async def script(instance: Instance) -> dict[str, str]:
        headers = {"Accept": BROWSER, "Accept-Language": "de"}
        return {
            code: (await instance.call("GET", f"/problems/{slug_of(code)}", key=None, headers=headers)).text
            for code in PROBLEMS
        }

    for code, page in with_instance(tmp_path, script).items():
        text, words = page.partition("Ein Beispiel")[0], TEXTS[code]

        assert f"<h1>{PROBLEMS[code][1]}</h1>" not in text
        assert [each for each in (words.happened, *words.causes, *words.steps) if each.replace("`", "") in text] == []
