from __future__ import annotations

import html
import re
from pathlib import Path

import httpx
import pytest

from devtools.catalogues import load
from pagegrade.model.account import Account, Quotas
from pagegrade.render.i18n import texts_for
from pagegrade.service.accounts.operations import set_admin
from pagegrade.service.accounts.quotas import set_quotas
from pagegrade.service.health import Health
from pagegrade.store.repositories.accounts import list_accounts, load_account
from pagegrade.web.pages import admin
from pagegrade.web.pages.admin import duration
from tests.store_builders import add_owner
from tests.web.calling import BASE_URL, REPORTS, Instance, with_instance
from tests.web.pages.account.test_account_page import DETAILS


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


LINK = re.compile(r'<code class="secret" id="link">(https://[^<]+)</code>')
BOB = {"name": "Bob", "email": "bob@example.org"}


async def give_rights(instance: Instance, account: Account | None = None) -> None:
    """Let Alice, or another account, administer the installation."""
    owner = account or instance.alice
    await instance.services.database.write(lambda tx: set_admin(tx, owner.id, is_admin=True))


def stored(instance: Instance, account_id: int) -> Account:
    """The account as it is in the database."""
    found = instance.services.database.read_here(lambda tx: load_account(tx, account_id))
    if found is None:
        raise AssertionError(f"there is no account {account_id}")
    return found


def link_of(answer: httpx.Response) -> str:
    """The path of the link that an answer shows."""
    found = LINK.search(answer.text)
    if found is None:
        raise AssertionError(answer.text)
    return found[1].removeprefix(BASE_URL)


def test_an_invited_person_can_sign_in(tmp_path: Path) -> None:
    """The link is shown once; with it Bob signs in, sets a password, and sees nothing of Alice's."""

    async def script(instance: Instance) -> None:
        await give_rights(instance)
        report = await instance.create()
        answer = await instance.page("POST", "/admin/accounts", data=BOB)
        link = link_of(answer)
        bob = instance.services.database.read_here(list_accounts)[1]
        used = await instance.call("POST", link, key=None, headers={"Sec-Fetch-Site": "same-origin"})
        listed = await instance.page("GET", "/admin/accounts")

        assert answer.status_code == 200
        assert answer.headers["cache-control"] == "private, no-store"
        assert 'data-copy="link" hidden' in answer.text
        assert (bob.name, bob.email, bob.is_admin) == ("Bob", "bob@example.org", False)
        assert used.headers["location"] == "/account?said=set-password"
        assert link not in listed.text
        assert "Active, no password yet" in listed.text
        assert (await instance.page("GET", f"/reports/{report['id']}", account=bob)).status_code == 404
        assert (await instance.page("GET", "/admin", account=bob)).status_code == 404

    with_instance(tmp_path, script)


@pytest.mark.parametrize(
    ("wrong", "field"),
    [({"name": ""}, "name"), ({"email": "no-address"}, "email"), ({"email": "ALICE@example.org"}, "email")],
    ids=str,
)
def test_an_invitation_that_cannot_be_made_is_reported(tmp_path: Path, wrong: dict[str, str], field: str) -> None:
    """With what was typed; nothing is made."""

    async def script(instance: Instance) -> None:
        await give_rights(instance)
        answer = await instance.page("POST", "/admin/accounts", data={**BOB, **wrong})

        assert answer.status_code == 422
        assert f'id="{field}-error"' in answer.text
        assert 'value="Bob"' in answer.text or field == "name"
        assert len(instance.services.database.read_here(list_accounts)) == 1

    with_instance(tmp_path, script)


def test_the_list_has_pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A number that makes no sense shows the first."""
    monkeypatch.setattr(admin, "PER_PAGE", 2)

    async def script(instance: Instance) -> None:
        await give_rights(instance)
        for name in ("Bob", "Dora"):
            add_owner(instance.services.database, name)
        first, second = [await instance.page("GET", f"/admin/accounts?page={number}") for number in (1, 2)]
        odd = [
            await instance.page("GET", f"/admin/accounts?page={each}")
            for each in ("0", "-1", "x", "9" * 30, "0" * 7 + "9" * 5_000, "٣")
        ]

        assert "Bob" in first.text
        assert "Dora" not in first.text
        assert "Dora" in second.text
        assert 'href="/admin/accounts?page=2"' in first.text
        assert {answer.status_code for answer in odd} == {200}
        assert all("alice@example.org" in answer.text for answer in odd)

    with_instance(tmp_path, script)


def test_an_account_is_disabled_after_a_question_and_comes_back(tmp_path: Path) -> None:
    """Bob is out at once, from his browser and his program; afterwards his key works again and he signs in anew."""

    async def script(instance: Instance) -> None:
        await give_rights(instance)
        bob, secret = add_owner(instance.services.database, "Bob")
        place = f"/admin/accounts/{bob.id}"
        cookie = await instance.sign_in(bob)
        asked = await instance.page("GET", f"{place}/disable")
        still = await instance.call("GET", "/account", key=None, headers=cookie)
        done = await instance.page("POST", f"{place}/disable")
        shown = await instance.page("GET", done.headers["location"])
        instance.client.cookies.clear()
        out = await instance.call("GET", "/account", key=None, headers=cookie)
        refused = await instance.call("GET", "/api/v1/account", key=secret)
        no_link = await instance.page("POST", f"{place}/link")
        back = await instance.page("POST", f"{place}/enable")

        assert "Disable the account of <bdi>Bob</bdi>?" in asked.text
        assert still.status_code == 200
        assert done.headers["location"] == f"{place}?said=disabled"
        assert "The account is disabled." in shown.text
        assert (out.status_code, refused.status_code, no_link.status_code) == (303, 401, 422)
        assert back.headers["location"] == f"{place}?said=enabled"
        assert (await instance.call("GET", "/api/v1/account", key=secret)).status_code == 200
        instance.client.cookies.clear()
        assert (await instance.call("GET", "/account", key=None, headers=cookie)).status_code == 303

    with_instance(tmp_path, script)


def test_the_last_administrator_stays(tmp_path: Path) -> None:
    """One's own account is not disabled, and the last administrator stays one."""

    async def script(instance: Instance) -> None:
        await give_rights(instance)
        place = f"/admin/accounts/{instance.alice.id}"
        own = await instance.page("POST", f"{place}/disable")
        last = await instance.page("POST", f"{place}/admin", data={"is_admin": "0"})

        assert (own.status_code, last.status_code) == (422, 422)
        assert "You cannot disable your own account." in own.text
        assert "This is the only administrator of the installation." in last.text
        assert stored(instance, instance.alice.id).is_admin
        assert stored(instance, instance.alice.id).disabled_at_ms is None

    with_instance(tmp_path, script)


def test_rights_are_given_and_given_up(tmp_path: Path) -> None:
    """After a question; who gives theirs up is led away from pages they no longer see."""

    async def script(instance: Instance) -> None:
        await give_rights(instance)
        bob, _ = add_owner(instance.services.database, "Bob")
        asked = await instance.page("GET", f"/admin/accounts/{bob.id}/admin")
        given = await instance.page("POST", f"/admin/accounts/{bob.id}/admin", data={"is_admin": "1"})
        up = await instance.page("POST", f"/admin/accounts/{instance.alice.id}/admin", data={"is_admin": "0"})

        assert "Make <bdi>Bob</bdi> an administrator?" in asked.text
        assert given.headers["location"] == f"/admin/accounts/{bob.id}?said=admin"
        assert up.headers["location"] == "/reports"
        assert stored(instance, bob.id).is_admin
        assert not stored(instance, instance.alice.id).is_admin
        assert (await instance.page("GET", "/admin")).status_code == 404

    with_instance(tmp_path, script)


def test_a_link_signs_in_after_a_forgotten_password(tmp_path: Path) -> None:
    """It is for them, and works once."""

    async def script(instance: Instance) -> None:
        await give_rights(instance)
        bob, _ = add_owner(instance.services.database, "Bob")
        link = link_of(await instance.page("POST", f"/admin/accounts/{bob.id}/link"))
        instance.client.cookies.clear()
        used = [
            await instance.call("POST", link, key=None, headers={"Sec-Fetch-Site": "same-origin"}) for _ in range(2)
        ]
        cookie = {"Cookie": used[0].headers["set-cookie"].partition(";")[0]}
        instance.client.cookies.clear()
        page = await instance.call("GET", "/account", key=None, headers=cookie)

        assert [answer.status_code for answer in used] == [303, 404]
        assert "bob@example.org" in page.text

    with_instance(tmp_path, script)


def test_an_account_that_is_not_there_is_not_found(tmp_path: Path) -> None:
    """With every method, whatever its number."""

    async def script(instance: Instance) -> None:
        await give_rights(instance)
        for which in ("99", "0", "x", str(2**64)):
            for method, part in (("GET", ""), ("GET", "/disable"), ("POST", "/disable"), ("POST", "/enable"),
                                 ("POST", "/link"), ("GET", "/admin"), ("POST", "/admin")):  # fmt: skip
                answer = await instance.page(method, f"/admin/accounts/{which}{part}")

                assert (which, part, answer.status_code) == (which, part, 404)

    with_instance(tmp_path, script)


def test_of_two_administrators_who_act_on_each_other_one_stays(tmp_path: Path) -> None:
    """The check reads the database in the very transaction, not the state of the page before."""

    async def script(instance: Instance) -> None:
        await give_rights(instance)
        bob, _ = add_owner(instance.services.database, "Bob")
        await give_rights(instance, bob)
        first = await instance.page("POST", f"/admin/accounts/{bob.id}/disable")
        second = await instance.page("POST", f"/admin/accounts/{instance.alice.id}/disable", account=bob)
        working = [each for each in instance.services.database.read_here(list_accounts) if each.disabled_at_ms is None]

        assert first.status_code == 303
        assert second.status_code == 401
        assert [each.id for each in working] == [instance.alice.id]

    with_instance(tmp_path, script)


def test_names_are_shown_as_text(tmp_path: Path) -> None:
    """In the list, on the page, in the title and in the question."""

    async def script(instance: Instance) -> None:
        await give_rights(instance)
        evil, _ = add_owner(instance.services.database, "<script>alert(1)</script>")
        for part in ("", f"/{evil.id}", f"/{evil.id}/disable", f"/{evil.id}/admin"):
            page = await instance.page("GET", f"/admin/accounts{part}")

            assert page.status_code == 200
            assert "<script" not in page.text
            assert "&lt;script&gt;" in page.text

    with_instance(tmp_path, script)


def test_an_account_is_deleted_with_everything_of_it(tmp_path: Path) -> None:
    """After a question; its share links, keys and reports are gone at once, those of others stay."""

    async def script(instance: Instance) -> None:
        await give_rights(instance)
        secret = instance.add_bob()
        bob = instance.services.database.read_here(list_accounts)[1]
        made = (await instance.call("POST", REPORTS, key=secret, data={"url": "https://bob.example/"})).json()["data"]
        share = made["share_url"].removeprefix(BASE_URL)
        kept = await instance.create()
        member = await instance.page("GET", f"/admin/accounts/{bob.id}")
        asked = await instance.page("GET", f"/admin/accounts/{bob.id}/delete")
        still = (await instance.call("GET", share, key=None)).status_code
        done = await instance.page("POST", f"/admin/accounts/{bob.id}/delete")
        gone = [
            (await instance.call("GET", share, key=None)).status_code,
            (await instance.call("GET", REPORTS, key=secret)).status_code,
            (await instance.page("GET", f"/admin/accounts/{bob.id}")).status_code,
            (await instance.page("POST", f"/admin/accounts/{bob.id}/delete")).status_code,
        ]
        listed = await instance.page("GET", "/admin/accounts")

        assert f'href="/admin/accounts/{bob.id}/delete"' in member.text
        assert "cannot be undone" in asked.text
        assert still == 200
        assert (done.status_code, done.headers["location"]) == (303, "/admin/accounts")
        assert gone == [404, 401, 404, 404]
        assert "bob@example.org" not in listed.text
        assert (await instance.call("GET", f"{REPORTS}/{kept['id']}")).status_code == 200

    with_instance(tmp_path, script)


def test_administrators_cannot_delete_themselves_among_the_accounts(tmp_path: Path) -> None:
    """That takes the password, on the page of the account."""

    async def script(instance: Instance) -> None:
        await give_rights(instance)
        member = await instance.page("GET", f"/admin/accounts/{instance.alice.id}")
        answer = await instance.page("POST", f"/admin/accounts/{instance.alice.id}/delete")

        assert f'href="/admin/accounts/{instance.alice.id}/delete"' not in member.text
        assert answer.status_code == 422
        assert "Delete your own account on the page of your account." in answer.text
        assert stored(instance, instance.alice.id).name == "Alice"

    with_instance(tmp_path, script)


def test_an_administrator_gives_quotas(tmp_path: Path) -> None:
    """With a plan; the account itself sees them, and what cannot be used comes back in the form."""

    async def script(instance: Instance) -> None:
        await give_rights(instance)
        bob, _ = add_owner(instance.services.database, "Bob")
        place = f"/admin/accounts/{bob.id}"
        form = {"plan": "agency", "audits": "4", "monitors": "none"}
        given = await instance.page("POST", f"{place}/quotas", data=form)
        shown = await instance.page("GET", f"{place}?said=quotas")
        own = await instance.page("GET", "/team", account=bob)
        wrong = await instance.page("POST", f"{place}/quotas", data={**form, "reports": "many"})
        unknown = await instance.page("POST", f"{place}/quotas", data={"plan": "other"})
        refused = await instance.page("POST", f"{place}/quotas", data=form, account=bob)

        assert given.headers["location"] == f"{place}?said=quotas"
        assert "apply from now on" in shown.text
        assert '<option value="agency" selected>' in shown.text
        assert re.search(r'name="monitors" [^>]*value="none"', shown.text)
        assert "1,234" in own.text
        assert (wrong.status_code, unknown.status_code, refused.status_code) == (422, 422, 404)
        assert 'id="reports-error"' in wrong.text
        assert 'id="audits-error"' not in wrong.text
        assert 'value="many"' in wrong.text
        assert 'id="plan-error"' in unknown.text
        assert (stored(instance, bob.id).plan, stored(instance, bob.id).quotas) == (
            "agency",
            {"audits": 4, "monitors": -1},
        )

    with_instance(tmp_path, script, plans=(("agency", {"reports": 1234}),))


def test_the_plan_of_an_account_that_is_gone_is_still_shown(tmp_path: Path) -> None:
    """So that an administrator sees why it has no effect."""

    async def script(instance: Instance) -> None:
        await give_rights(instance)
        alice = instance.alice.id
        plans: tuple[tuple[str, Quotas], ...] = (("old", {}),)
        await instance.services.database.write(lambda tx: set_quotas(tx, alice, plan="old", quotas={}, plans=plans))
        shown = await instance.page("GET", f"/admin/accounts/{alice}")

        assert '<option value="old" selected>' in shown.text

    with_instance(tmp_path, script)
