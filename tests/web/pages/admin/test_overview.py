from __future__ import annotations

import html
import re
from pathlib import Path

import pytest

from devtools.catalogues import load
from pagegrade.render.i18n import texts_for
from pagegrade.service.accounts.operations import set_admin
from pagegrade.service.health import Health
from pagegrade.web.pages.admin.overview import duration
from tests.web.calling import Instance, with_instance
from tests.web.pages.account.test_account_page import DETAILS


async def give_rights(instance: Instance) -> None:
    """Let Alice administer the installation."""
    await instance.services.database.write(lambda tx: set_admin(tx, instance.alice.id, is_admin=True))


@pytest.mark.backend("sqlite", reason="the server of the tests promises less than it should, and the page says so")
def test_the_overview_counts_and_leads_on(tmp_path: Path) -> None:
    """With nothing wrong it says nothing of it."""

    async def script(instance: Instance) -> None:
        await give_rights(instance)
        instance.add_bob()
        await instance.create()
        page = await instance.page("GET", "/admin")

        assert page.status_code == 200
        assert '<p class="figure">2</p><p>accounts</p>' in page.text
        assert '<p class="figure">1</p><p>analysis waits</p>' in page.text
        assert 'href="/admin/accounts"' in page.text
        assert 'href="/admin/system"' in page.text
        assert "Something needs attention" not in page.text

    with_instance(tmp_path, script)


def test_the_overview_says_what_is_wrong(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each part with its trouble; parts that are well are not named."""

    async def full(_health: Health) -> dict[str, str]:
        return {"database": "ok", "schema": "ok", "disk": "full"}

    monkeypatch.setattr(Health, "words", full)

    async def script(instance: Instance) -> None:
        await give_rights(instance)
        page = await instance.page("GET", "/admin")

        assert "Disk: full" in page.text
        assert "Tables:" not in page.text

    with_instance(tmp_path, script)


def test_the_overview_has_a_text_for_everything_that_can_be_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page comes with every word of the health checks."""
    found: dict[str, str] = {}

    async def words(_health: Health) -> dict[str, str]:
        return found

    monkeypatch.setattr(Health, "words", words)

    async def script(instance: Instance) -> None:
        await give_rights(instance)
        for word in ("unavailable", "slow", "changed", "full", "none", "unknown"):
            found.update(dict.fromkeys(("database", "schema", "disk"), word))
            page = await instance.page("GET", "/admin")

            assert page.text.count("<li>Database: ") == 1, word

    with_instance(tmp_path, script)


def test_health_checks_come_in_the_language_of_the_reader(tmp_path: Path) -> None:
    """Topics, observations and advice, and no sentence of the source among them."""
    messages = [str(each.id) for each in load("de") if any("doctor" in name for name, _ in each.locations)]
    literals = {part for message in messages for part in re.split(r"\{\d\}", message) if part.count(" ") > 2}

    async def script(instance: Instance) -> None:
        await give_rights(instance)
        await instance.page("POST", "/account", data={**DETAILS, "locale": "de"})
        page = await instance.page("POST", "/admin/system")
        table = page.text[page.text.index('id="checks"') : page.text.index('id="versions"')]

        for part in ("Uhr", "plausibel", "Warteschlange", "laufen"):
            assert part in table, part
        assert len(literals) > 100
        assert [text for text in literals if text in html.unescape(table)] == []

    with_instance(tmp_path, script)


@pytest.mark.backend("sqlite", reason="names the file")
def test_the_system_page_shows_the_machinery_and_no_secret(tmp_path: Path) -> None:
    """Queue, sizes, versions, settings, and what doctor looks at; reading all of the database on request."""

    async def script(instance: Instance) -> None:
        await give_rights(instance)
        await instance.create()
        page = await instance.page("GET", "/admin/system")
        checked = await instance.page("POST", "/admin/system")

        assert page.status_code == checked.status_code == 200
        for part in (
            "SQLite",
            "libcurl",
            "PAGEGRADE_BASE_URL",
            "durability",
            "free on the disk",
            "analysis waits",
            "one is admitted",
            "1 for a",
        ):
            assert part in page.text, part
        assert "for a busy site" not in page.text
        assert "s3cr3t" not in page.text + checked.text
        assert "(hidden)" in page.text
        assert "Search the database for damage" in page.text
        assert "is whole" not in page.text
        assert "is whole" in checked.text
        assert len(page.content) < 60_000

    with_instance(tmp_path, script, metrics_token="s3cr3t-of-the-metrics")


def test_a_right_that_is_taken_away_ends_with_the_next_request(tmp_path: Path) -> None:
    """The session goes on, the pages are gone, and the menu does not name them."""

    async def script(instance: Instance) -> None:
        await give_rights(instance)
        cookie = await instance.sign_in()
        before = await instance.call("GET", "/admin", key=None, headers=cookie)
        await instance.services.database.write(lambda tx: tx.exec_driver_sql("UPDATE accounts SET is_admin = 0"))
        after = await instance.call("GET", "/admin", key=None, headers=cookie)
        account = await instance.call("GET", "/account", key=None, headers=cookie)

        assert (before.status_code, after.status_code, account.status_code) == (200, 404, 200)
        assert 'href="/admin"' in before.text
        assert 'href="/admin"' not in account.text

    with_instance(tmp_path, script)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0 seconds"), (1.9, "1 second"), (59, "59 seconds"), (60, "1 minute"), (7_200, "120 minutes")],
)
def test_times_have_one_unit(seconds: float, text: str) -> None:
    """Seconds, then minutes."""
    assert duration(seconds, texts_for("en")) == text
