"""The list of ignore rules."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from pagegrade.clock import now_ms
from pagegrade.model.ignores import IgnoreRule
from pagegrade.store.repositories.decisions import add_ignore
from tests.store_builders import add_owner
from tests.web.calling import Instance, with_instance
from tests.web.pages.account.test_account_page import DETAILS


async def add(instance: Instance, rule: IgnoreRule) -> None:
    """Store a rule of Alice."""
    await instance.services.database.write(
        lambda tx: add_ignore(tx, instance.alice.id, rule, report_id=None, now_ms=now_ms())
    )


def test_rules_are_listed_with_what_they_cover(tmp_path: Path) -> None:
    """Hostile texts are text; an expired rule is marked; a check that is gone keeps its id."""

    async def script(instance: Instance) -> None:
        empty = (await instance.page("GET", "/ignores")).text
        await add(
            instance, IgnoreRule(check="title", reason="<b>later</b>", selector=".a & .b", project="shop.example")
        )
        await add(instance, IgnoreRule(check="gone-check", reason="x", expires_at=datetime(2020, 1, 2, tzinfo=UTC)))
        page = (await instance.page("GET", "/ignores")).text

        assert "No ignore rules yet" in empty
        assert "&lt;b&gt;later&lt;/b&gt;" in page
        assert ".a &amp; .b" in page
        assert 'href="/reports?project=shop.example"' in page
        assert 'href="/checks/title"' in page
        assert "gone-check" in page
        assert 'href="/checks/gone-check"' not in page
        assert "Expired" in page

    with_instance(tmp_path, script)


def test_checks_are_named_in_the_language_of_the_reader(tmp_path: Path) -> None:
    """As their reports name them; an id is no word."""

    async def script(instance: Instance) -> None:
        await instance.page("POST", "/account", data={**DETAILS, "locale": "de"})
        await add(instance, IgnoreRule(check="title", reason="x"))
        await add(instance, IgnoreRule(check="gone-check", reason="x"))
        page = (await instance.page("GET", "/ignores")).text

        assert '<bdi><a href="/checks/title">Seitentitel</a></bdi>' in page
        assert "<bdi>gone-check</bdi>" in page

    with_instance(tmp_path, script)


def test_a_rule_is_removed_by_its_owner_only(tmp_path: Path) -> None:
    """Bob gets what he gets for one that never was."""

    async def script(instance: Instance) -> None:
        await add(instance, IgnoreRule(check="title", reason="x"))
        bob = add_owner(instance.services.database, "Bob")[0]
        of_bob = await instance.page("POST", "/ignores/1/remove", account=bob, headers={"Accept": "text/html"})
        kept = (await instance.page("GET", "/ignores")).text
        own = await instance.page("POST", "/ignores/1/remove")
        said = (await instance.page("GET", own.headers["location"])).text

        assert of_bob.status_code == 404
        assert "/ignores/1/remove" in kept
        assert own.status_code == 303
        assert "The rule was removed." in said
        assert "/ignores/1/remove" not in said

    with_instance(tmp_path, script)


def test_pages_of_the_list(tmp_path: Path) -> None:
    """Twenty-five rules a page; behind the last one a link leads back."""

    async def script(instance: Instance) -> None:
        for number in range(26):
            await add(instance, IgnoreRule(check="title", reason=f"reason {number}."))
        first = (await instance.page("GET", "/ignores")).text
        second = (await instance.page("GET", "/ignores?page=2")).text
        beyond = (await instance.page("GET", "/ignores?page=9")).text

        assert first.count("/remove") == 25
        assert second.count("/remove") == 1
        assert "There is nothing on this page of the list" in beyond
        assert "/ignores?page=2" in beyond

    with_instance(tmp_path, script)
