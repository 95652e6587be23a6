from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest

from pagegrade.checks import all_checks, all_site_checks
from pagegrade.model.report import CATEGORIES
from pagegrade.service.catalogue import check_penalties
from pagegrade.web.pages.html import PLAIN
from tests.web.calling import Instance, with_instance


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
