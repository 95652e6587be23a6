from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import httpx
import pytest

from pagegrade.checks import all_checks, all_site_checks
from pagegrade.model.errors import Unavailable
from pagegrade.model.report import CATEGORIES
from pagegrade.service.catalogue import check_penalties
from pagegrade.web.http.response import Response
from pagegrade.web.operations import PAGES, Operation
from pagegrade.web.pages.html import PLAIN
from pagegrade.web.pages.public import POLICY, slug_of
from pagegrade.web.problems import PROBLEMS, TEXTS
from pagegrade.web.request import Request
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


def test_the_catalogue_lists_every_check_for_anyone(tmp_path: Path) -> None:
    """Charlie needs no account; each has a page of its own."""

    async def script(instance: Instance) -> None:
        answer = await instance.call("GET", "/checks", key=None)
        listed = re.findall(r'<a href="/checks/([a-z0-9-]+)">', answer.text)

        assert answer.status_code == 200
        assert sorted(listed) == sorted(all_checks())
        assert 'href="/checks?category=site"' in answer.text
        assert answer.headers["content-security-policy"] == PLAIN
        assert len(answer.content) < 90_000

    with_instance(tmp_path, script)


def test_what_matters_most_comes_first(tmp_path: Path) -> None:
    """In each category by importance, and what costs most first where that is equal."""
    price = check_penalties()

    async def script(instance: Instance) -> None:
        answer = await instance.call("GET", "/checks?category=technical", key=None)
        listed = [all_checks()[name] for name in re.findall(r'<a href="/checks/([a-z0-9-]+)">', answer.text)]

        assert listed == sorted(listed, key=lambda check: (-check.severity.value, -price[check.id]))

    with_instance(tmp_path, script)


def test_checks_of_a_site_are_explained_too(tmp_path: Path) -> None:
    """With what they are not evaluated without; a finding of an audit leads here."""

    async def script(instance: Instance) -> None:
        listed = await instance.call("GET", "/checks?category=site", key=None)
        page = await instance.call("GET", "/checks/orphan-pages", key=None)

        assert sorted(re.findall(r'<a href="/checks/([a-z0-9-]+)">', listed.text)) == sorted(all_site_checks())
        assert "A site starts with 100 points of its own" in listed.text
        assert page.status_code == 200
        assert "The crawl did not reach the whole site." in page.text
        assert ("The site</th>" in page.text, "The page</th>" in page.text) == (True, False)
        assert "page_id" not in page.text

    with_instance(tmp_path, script)


@pytest.mark.parametrize("category", CATEGORIES)
def test_a_category_is_one_link_away(tmp_path: Path, category: str) -> None:
    """Its checks and no others, without scripts."""

    async def script(instance: Instance) -> None:
        answer = await instance.call("GET", f"/checks?category={category}", key=None)
        listed = re.findall(r'<a href="/checks/([a-z0-9-]+)">', answer.text)

        assert sorted(listed) == sorted(name for name, check in all_checks().items() if check.category == category)
        assert answer.text.count('aria-current="page"') == 1
        assert f'/checks?category={category}" aria-current="page"' in answer.text

    with_instance(tmp_path, script)


def test_every_check_is_explained(tmp_path: Path) -> None:
    """The reason and the fix of each fault, the states, examples and sources; small pages."""

    async def script(instance: Instance) -> None:
        for name, check in all_checks().items():
            answer = await instance.call("GET", f"/checks/{name}", key=None)

            assert answer.status_code == 200, name
            assert answer.text.count("<h1") == 1, name
            assert ("how to fix it" in answer.text) == bool(check.advice), name
            assert "up to 1 points" not in answer.text, name
            assert answer.text.count('rel="noopener noreferrer"') == len(check.sources), name
            assert answer.text.count('<th scope="row"') == len(check.states), name
            assert all(one.title in unescape(answer.text) for one in check.advice), name
            assert len(answer.content) < 90_000, name

    with_instance(tmp_path, script)


def test_a_check_that_limits_the_score_says_so(tmp_path: Path) -> None:
    """And one that shares its cause with another links it."""
    capped = next(check for check in all_checks().values() if check.caps)

    async def script(instance: Instance) -> None:
        limit = await instance.call("GET", f"/checks/{capped.id}", key=None)
        length = await instance.call("GET", "/checks/title-length", key=None)

        assert f"at most {min(cap.max_score for cap in capped.caps)} points" in limit.text
        assert 'href="/checks/title"' in length.text

    with_instance(tmp_path, script)


@pytest.mark.parametrize(
    "place", ["/checks/nothing", "/checks/TITLE-LENGTH", "/checks/%3Cscript%3E", "/checks?category=x", "/checks/a/b"]
)
def test_what_is_no_check_is_not_found(tmp_path: Path, place: str) -> None:
    """Nor what is no category; nothing of the address comes back."""

    async def script(instance: Instance) -> None:
        answer = await instance.call("GET", place, key=None, headers={"Accept": "text/html"})

        assert answer.status_code == 404
        assert "<script" not in answer.text

    with_instance(tmp_path, script)


def test_who_has_signed_in_keeps_their_menu(tmp_path: Path) -> None:
    """The catalogue is part of the instance."""

    async def script(instance: Instance) -> None:
        for place in ("/checks", "/checks/https"):
            signed_in = await instance.page("GET", place)
            anonymous = await instance.call("GET", place, key=None)

            assert 'action="/sign-out"' in signed_in.text
            assert 'action="/sign-out"' not in anonymous.text

    with_instance(tmp_path, script)


def test_german_pages_have_no_english_but_the_documentation(tmp_path: Path) -> None:
    """Titles, states, reasons and remedies are translated; what is English is folded, named and marked."""

    async def script(instance: Instance) -> None:
        listed = await instance.call("GET", "/checks", key=None, headers={"Accept-Language": "de"})
        page = await instance.call("GET", "/checks/title", key=None, headers={"Accept-Language": "de"})
        others = re.sub(r'<div lang="en">.*?</div>', "", page.text, flags=re.DOTALL)

        assert [
            check.title for check in all_checks().values() if f">{check.title}</a> {check.summary}" in listed.text
        ] == []
        assert 'lang="en"' not in listed.text
        assert "auf Englisch" in others
        assert all_checks()["title"].summary not in others
        assert all_checks()["title"].documentation["What it checks"][:40] not in others
        assert page.text.count('<div lang="en">') == 3

    with_instance(tmp_path, script)


@pytest.mark.parametrize("language", ["en", "de"])
def test_no_page_shows_what_was_gathered_in_the_form_it_is_kept_in(tmp_path: Path, language: str) -> None:
    """Examples of markup, answers and URLs are shown; those that only tests read are not."""

    async def script(instance: Instance) -> None:
        kept = 0
        for name, check in all_checks().items():
            answer = await instance.call("GET", f"/checks/{name}", key=None, headers={"Accept-Language": language})
            page = unescape(answer.text)
            artifacts = re.findall(r"```json \w+\n(.*?)\n```", "\n".join(check.documentation.values()), re.DOTALL)
            kept += len(artifacts)

            assert [text for text in artifacts if text in page] == [], name
        assert kept > 100

    with_instance(tmp_path, script)


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
