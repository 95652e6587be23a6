from __future__ import annotations

import re
from functools import partial
from pathlib import Path

import pytest

from pagegrade.clock import now_ms
from pagegrade.model.account import Account
from pagegrade.render.i18n import texts_for
from pagegrade.service.accounts.operations import set_admin
from pagegrade.service.accounts.passwords import CLIENT_AT_ADDRESS
from pagegrade.service.accounts.sessions import start_session
from pagegrade.service.sign_in import make_link, store_password
from pagegrade.store.repositories.accounts import load_account
from pagegrade.store.repositories.credentials import list_sessions
from pagegrade.web.pages.account.account_page import browser_name
from tests.store_builders import add_owner
from tests.web.calling import BASE_URL, REPORTS, Instance, with_instance

PASSWORD = "correct horse"
DETAILS = {
    "name": "Ada",
    "email": "ada@example.org",
    "locale": "en",
    "timezone": "Europe/Prague",
    "privacy": "1",
}


async def give_password(instance: Instance) -> None:
    """Let Alice have a password."""
    hashed = await instance.services.passwords.hash(PASSWORD)
    await instance.services.database.write(lambda tx: store_password(tx, instance.alice.id, hashed))


def alice_now(instance: Instance) -> Account:
    """Alice's account as it is stored."""
    found = instance.services.database.read_here(lambda tx: load_account(tx, instance.alice.id))
    if found is None:
        raise AssertionError("Alice is gone")
    return found


def test_the_page_shows_the_account_and_what_it_has_used(tmp_path: Path) -> None:
    """Of the one who has signed in; Charlie is asked to."""

    async def script(instance: Instance) -> None:
        await instance.create()
        await instance.create("https://example.org/")
        await instance.finish()
        alice = await instance.page("GET", "/account")
        bob = await instance.page("GET", "/account", account=add_owner(instance.services.database, "Bob")[0])
        charlie = await instance.client.get("/account")

        assert alice.status_code == 200
        assert 'value="alice@example.org"' in alice.text
        assert re.search(r'<p class="figure">2</p><p>reports</p><p class="quiet">of 50</p>', alice.text)
        assert re.search(r'<p class="figure">2</p><p>analyses today</p>', alice.text)
        assert "alice" not in bob.text.lower()
        assert re.search(r'<p class="figure">0</p><p>reports</p>', bob.text)
        assert charlie.headers["location"] == "/sign-in?next=%2Faccount"
        assert len(alice.content) < 60_000

    with_instance(tmp_path, script, max_reports=50)


def test_details_are_changed(tmp_path: Path) -> None:
    """Nothing but them, and of no other account; the form shows the saved values."""

    async def script(instance: Instance) -> None:
        bob, _ = add_owner(instance.services.database, "Bob")
        answer = await instance.page("POST", "/account", data=DETAILS)
        page = await instance.page("GET", answer.headers["location"])
        stored = alice_now(instance)

        assert (answer.status_code, answer.headers["location"]) == (303, "/account?said=saved")
        assert "Your details are saved." in page.text
        assert (stored.name, stored.email, stored.timezone, stored.default_privacy) == (
            "Ada",
            "ada@example.org",
            "Europe/Prague",
            1,
        )
        assert "<option selected>Europe/Prague</option>" in page.text
        assert not stored.is_admin
        assert instance.services.database.read_here(lambda tx: load_account(tx, bob.id)) == bob

    with_instance(tmp_path, script)


def test_a_language_is_heeded_at_once(tmp_path: Path) -> None:
    """Whatever the browser would rather have."""

    async def script(instance: Instance) -> None:
        await instance.page("POST", "/account", data={**DETAILS, "locale": "de"})
        page = await instance.page("GET", "/account", headers={"Accept-Language": "en"})

        assert '<html lang="de"' in page.text

    with_instance(tmp_path, script)


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"name": " "}, "name"),
        ({"name": "x" * 201}, "name"),
        ({"email": "no-address"}, "email"),
        ({"email": "BOB@example.org"}, "email"),
        ({"locale": "xx"}, "locale"),
        ({"timezone": "Mars/Olympus"}, "timezone"),
        ({"privacy": "2"}, "privacy"),
        ({"privacy": "x"}, "privacy"),
    ],
    ids=str,
)
def test_details_that_cannot_be_used_are_reported(tmp_path: Path, wrong: dict[str, str], field: str) -> None:
    """At the top and at the field, with everything that was typed still there; nothing is saved."""

    async def script(instance: Instance) -> None:
        add_owner(instance.services.database, "Bob")
        answer = await instance.page("POST", "/account", data={**DETAILS, **wrong})

        assert answer.status_code == 422
        assert f'<a href="#{field}">' in answer.text
        assert f'id="{field}-error"' in answer.text
        assert 'value="Ada"' in answer.text or field == "name"
        assert 'value="ada@example.org"' in answer.text or field == "email"
        assert answer.text.count("aria-invalid") == 1
        assert alice_now(instance) == instance.alice

    with_instance(tmp_path, script)


def test_a_name_is_shown_as_text(tmp_path: Path) -> None:
    """Whatever characters the name has."""

    async def script(instance: Instance) -> None:
        await instance.page("POST", "/account", data={**DETAILS, "name": '"><script>alert(1)</script>'})
        page = await instance.page("GET", "/account")

        assert "<script" not in page.text
        assert "&lt;script&gt;alert(1)" in page.text

    with_instance(tmp_path, script)


def test_a_first_password_needs_none_before(tmp_path: Path) -> None:
    """The browser that sets it goes on with a new cookie; the others are signed out; it is in no answer."""

    async def script(instance: Instance) -> None:
        here, there = await instance.sign_in(), await instance.sign_in()
        answer = await instance.call("POST", "/account/password", key=None, headers=here, data={"new": PASSWORD})
        cookie = {"Cookie": answer.headers["set-cookie"].partition(";")[0]}
        instance.client.cookies.clear()
        page = await instance.call("GET", answer.headers["location"], key=None, headers=cookie)

        assert (answer.status_code, answer.headers["location"]) == (303, "/account?said=password")
        assert "Your password is set." in page.text
        assert 'autocomplete="current-password"' in page.text
        assert alice_now(instance).has_password
        assert PASSWORD not in page.text
        for old in (here, there):
            instance.client.cookies.clear()
            assert (await instance.call("GET", "/account", key=None, headers=old)).status_code == 303

    with_instance(tmp_path, script)


def test_a_wrong_current_password_changes_nothing(tmp_path: Path) -> None:
    """And is counted: the eleventh try waits, though it is right."""

    async def script(instance: Instance) -> None:
        await give_password(instance)
        answers = [
            await instance.page("POST", "/account/password", data={"current": "not this", "new": "another one"})
            for _ in range(CLIENT_AT_ADDRESS.count)
        ]
        late = await instance.page("POST", "/account/password", data={"current": PASSWORD, "new": "another one"})

        assert {answer.status_code for answer in answers} == {403}
        assert "This is not your current password." in answers[0].text
        assert "not this" not in answers[0].text
        assert late.status_code == 429
        assert int(late.headers["retry-after"]) > 0
        assert all("set-cookie" not in answer.headers for answer in (*answers, late))

    with_instance(tmp_path, script)


@pytest.mark.parametrize("new", ["", "x" * 7, "x" * 129])
def test_a_password_of_another_length_is_reported(tmp_path: Path, new: str) -> None:
    """At its field; what was typed is not repeated."""

    async def script(instance: Instance) -> None:
        answer = await instance.page("POST", "/account/password", data={"new": new})

        assert answer.status_code == 422
        assert "Enter a password of 8 to 128 characters." in answer.text
        assert '<a href="#new">' in answer.text
        assert not alice_now(instance).has_password
        assert "x" * 7 not in answer.text

    with_instance(tmp_path, script)


def test_who_came_by_a_link_is_not_asked_for_what_they_forgot(tmp_path: Path) -> None:
    """Until ten minutes have passed."""

    async def script(instance: Instance) -> None:
        await give_password(instance)
        made = await instance.services.database.write(
            lambda tx: make_link(tx, instance.alice.id, hours=1, now_ms=now_ms())
        )
        used = await instance.call("POST", f"/sign-in/{made[0]}", key=None, headers={"Sec-Fetch-Site": "same-origin"})
        cookie = {"Cookie": used.headers["set-cookie"].partition(";")[0], "Sec-Fetch-Site": "same-origin"}
        instance.client.cookies.clear()
        page = await instance.call("GET", "/account", key=None, headers=cookie)
        changed = await instance.call(
            "POST", "/account/password", key=None, headers=cookie, data={"new": "another one"}
        )

        assert "your current password is not asked for" in page.text
        assert 'name="current"' not in page.text
        assert changed.status_code == 303

    with_instance(tmp_path, script)


def test_browsers_are_listed_and_signed_out(tmp_path: Path) -> None:
    """One, or all others with the unused links; never those of another account, whose ids are not found."""

    async def script(instance: Instance) -> None:
        database = instance.services.database
        bob, _ = add_owner(database, "Bob")
        await instance.sign_in(bob)
        here = await instance.sign_in()
        agent = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
        for name in (agent, "<b>strange</b>\u202e"):
            await database.write(partial(start_session, account=instance.alice, agent=name, now_ms=now_ms()))
        bobs = database.read_here(lambda tx: list_sessions(tx, bob.id))[0].id
        others = database.read_here(lambda tx: list_sessions(tx, instance.alice.id))
        linux = next(each.id for each in others if "Linux" in each.agent)
        page = await instance.call("GET", "/account", key=None, headers=here)
        foreign = await instance.call("POST", f"/account/sessions/{bobs}/end", key=None, headers=here)
        one = await instance.call("POST", f"/account/sessions/{linux}/end", key=None, headers=here)
        rest = await instance.call("POST", "/account/sessions/end", key=None, headers=here)
        left = await instance.call("GET", rest.headers["location"], key=None, headers=here)

        assert "Firefox on Linux" in page.text
        assert "&lt;b&gt;strange" in page.text
        assert "\u202e" not in page.text
        assert page.text.count("This browser") == 1
        assert foreign.status_code == 404
        assert (one.status_code, one.headers["location"]) == (303, "/account?said=one")
        assert rest.headers["location"] == "/account?said=others"
        assert len(database.read_here(lambda tx: list_sessions(tx, instance.alice.id))) == 1
        assert len(database.read_here(lambda tx: list_sessions(tx, bob.id))) == 1
        assert "All other browsers are signed out" in left.text

    with_instance(tmp_path, script)


def test_signing_this_browser_out_leads_to_the_form(tmp_path: Path) -> None:
    """With its cookie gone."""

    async def script(instance: Instance) -> None:
        here = await instance.sign_in()
        session_id = instance.services.database.read_here(lambda tx: list_sessions(tx, instance.alice.id))[0].id
        answer = await instance.call("POST", f"/account/sessions/{session_id}/end", key=None, headers=here)

        assert answer.headers["location"] == "/sign-in"
        assert "Max-Age=0" in answer.headers["set-cookie"]

    with_instance(tmp_path, script)


def test_what_was_not_done_is_not_said(tmp_path: Path) -> None:
    """The address cannot make the page say anything of its own."""

    async def script(instance: Instance) -> None:
        page = await instance.page("GET", "/account?said=Send+your+password+to+evil.example")

        assert "evil.example" not in page.text
        assert 'role="status"' not in page.text

    with_instance(tmp_path, script)


@pytest.mark.parametrize(
    ("agent", "name"),
    [
        (
            "Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/140.0 Safari/537.36",
            "Chrome on Windows",
        ),
        ("Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/140.0 Safari/537.36 Edg/140.0", "Edge on Windows"),
        ("Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Safari/604.1", "Safari on iPhone"),
        ("Mozilla/5.0 (Linux; Android 15; Pixel) AppleWebKit/537.36 Chrome/140.0 Safari/537.36", "Chrome on Android"),
        ("Firefox/140.0", "Firefox"),
        ("curl/8.5.0", "curl/8.5.0"),
        ("\x1b[31m" + "x" * 500, "\\x1b[31m" + "x" * 51 + "…"),
        ("", "A browser without a name"),
    ],
    ids=ascii,
)
def test_a_browser_gets_a_short_page(agent: str, name: str) -> None:
    """Or in its own, made harmless."""
    assert browser_name(agent, texts_for("en")) == name


def test_an_account_without_password_is_asked_for_one_first(tmp_path: Path) -> None:
    """A new owner came by a link that works once; later it is one of several settings."""

    async def script(instance: Instance) -> None:
        new = await instance.page("GET", "/account")
        await give_password(instance)
        settled = await instance.page("GET", "/account")

        assert new.text.count('id="password"') == settled.text.count('id="password"') == 1
        assert new.text.index('id="password"') < new.text.index('id="details"')
        assert settled.text.index('id="password"') > settled.text.index('id="details"')

    with_instance(tmp_path, script)


def test_the_time_zones_are_those_of_places(tmp_path: Path) -> None:
    """Older names for the same zones, and names of no place, are offered only to who has one of them."""

    async def script(instance: Instance) -> None:
        before = await instance.page("GET", "/account")
        await instance.page("POST", "/account", data={**DETAILS, "timezone": "US/Pacific"})
        after = await instance.page("GET", "/account")

        assert "<option>Europe/Berlin</option>" in before.text
        assert ">UTC</option>" in before.text
        for name in ("Factory", "localtime", "US/Pacific", "Eire"):
            assert f"<option>{name}</option>" not in before.text
        assert "<option selected>US/Pacific</option>" in after.text
        assert ">US/Eastern</option>" not in after.text

    with_instance(tmp_path, script)


def test_an_account_is_deleted_by_its_owner_with_the_password(tmp_path: Path) -> None:
    """Keys, reports and share links go with it, and the browser is signed out."""

    async def script(instance: Instance) -> None:
        await give_password(instance)
        instance.add_bob()
        made = await instance.create()
        wrong = await instance.page("POST", "/account/delete", data={"confirm_password": "not this"})
        still = (await instance.call("GET", f"{REPORTS}/{made['id']}")).status_code
        done = await instance.page("POST", "/account/delete", data={"confirm_password": PASSWORD})
        gone = [
            (await instance.call("GET", REPORTS)).status_code,
            (await instance.call("GET", made["share_url"].removeprefix(BASE_URL), key=None)).status_code,
        ]

        assert wrong.status_code == 403
        assert 'id="confirm_password-error"' in wrong.text
        assert still == 200
        assert (done.status_code, done.headers["location"]) == (303, "/sign-in")
        assert "Max-Age=0" in done.headers["set-cookie"]
        assert gone == [401, 404]

    with_instance(tmp_path, script)


def test_the_last_administrator_cannot_delete_the_account(tmp_path: Path) -> None:
    """Another account has to become one first; nor can an account without a password be deleted."""

    async def script(instance: Instance) -> None:
        without = await instance.page("POST", "/account/delete", data={"confirm_password": ""})
        await give_password(instance)
        await instance.services.database.write(lambda tx: set_admin(tx, instance.alice.id, is_admin=True))
        last = await instance.page("POST", "/account/delete", data={"confirm_password": PASSWORD})

        assert (without.status_code, last.status_code) == (422, 422)
        assert "Set a password first" in without.text
        assert "This is the only administrator of the installation." in last.text
        assert (await instance.call("GET", REPORTS)).status_code == 200

    with_instance(tmp_path, script)


def test_passwords_typed_to_delete_an_account_are_counted(tmp_path: Path) -> None:
    """As those typed to sign in: the eleventh waits, though it is right."""

    async def script(instance: Instance) -> None:
        await give_password(instance)
        wrong = [
            (await instance.page("POST", "/account/delete", data={"confirm_password": "not this"})).status_code
            for _ in range(CLIENT_AT_ADDRESS.count)
        ]
        late = await instance.page("POST", "/account/delete", data={"confirm_password": PASSWORD})

        assert set(wrong) == {403}
        assert late.status_code == 429
        assert int(late.headers["retry-after"]) > 0

    with_instance(tmp_path, script)
