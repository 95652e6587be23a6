from __future__ import annotations

import asyncio
import html
import io
import re
from pathlib import Path
from typing import Any

import httpx
import pytest

from pagegrade.observability.logs import configure_logs
from pagegrade.service.accounts.passkeys import Party
from pagegrade.service.rate_limit import MemoryBuckets
from pagegrade.store.engine.database import Transaction
from pagegrade.web.http.body import MAX_BYTES
from pagegrade.web.pages.account.passkeys import ATTEMPT
from pagegrade.web.pages.account.sign_in import LINKS_PER_MINUTE
from pagegrade.web.session_cookie import SESSION, cookie_name
from tests.authenticator import Device
from tests.observability.test_logs import stream
from tests.store_builders import add_owner
from tests.waiting import HANG_S
from tests.web.calling import BASE_URL, Instance, with_instance
from tests.web.pages.account.test_account_page import PASSWORD, give_password

__all__ = ["stream"]

PARTY = Party("reports.example.org", BASE_URL)


def device() -> Device:
    """A new passkey."""
    return Device(origin=PARTY.origin, rp_id=PARTY.id)


def asked(page: httpx.Response) -> str:
    """Question of the script of a page for the device."""
    found = re.search(r'data-passkey="([^"]+)"', page.text)
    assert found is not None, page.text
    return html.unescape(found[1])


async def add(instance: Instance, own: Device, headers: dict[str, str], **typed: str) -> httpx.Response:
    """The answer to who adds a passkey in one browser."""
    page = await instance.call("POST", "/account/passkeys/new", key=None, headers=headers, data=typed)
    form = {"credential": own.make(asked(page)), "passkey_name": "Laptop <1>"}
    return await instance.call("POST", "/account/passkeys", key=None, headers=headers, data=form)


async def enter(instance: Instance, own: Device, *, next_page: str = "", **changes: Any) -> httpx.Response:
    """The answer to who signs in with a passkey in a new browser."""
    instance.client.cookies.clear()
    page = await instance.call("GET", f"/passkey{next_page}", key=None)
    cookie = page.headers["set-cookie"].partition(";")[0]
    instance.client.cookies.clear()
    place = re.search(r'name="next" value="([^"]*)"', page.text)
    form = {"credential": own.answer(asked(page)), "next": place[1] if place else ""}
    headers = {"Cookie": cookie, "Sec-Fetch-Site": "same-origin"}
    return await instance.call("POST", "/passkey", key=None, **{"headers": headers, "data": form, **changes})


def test_a_passkey_is_added_and_signs_in(tmp_path: Path) -> None:
    """After the password; the name is a text, and the place to go to one of ours."""

    async def script(instance: Instance) -> None:
        await give_password(instance)
        headers, own = await instance.sign_in(), device()
        added = await add(instance, own, headers, passkey_password=PASSWORD)
        page = await instance.call("GET", added.headers["location"], key=None, headers=headers)
        log = await instance.call("GET", "/team/log", key=None, headers=headers)
        entered = await enter(instance, own, next_page="?next=/monitors")
        elsewhere = await enter(instance, own, next_page="?next=https://evil.example/")
        instance.client.cookies.clear()
        entry = await instance.client.get("/sign-in?next=/monitors")

        assert (added.status_code, added.headers["location"]) == (303, "/account?said=passkey")
        assert "Your passkey is added." in page.text
        assert "<bdi>Laptop &lt;1&gt;</bdi>" in page.text
        assert "Add a passkey" in log.text
        assert (entered.status_code, entered.headers["location"]) == (303, "/monitors")
        cookies = entered.headers.get_list("set-cookie")
        assert any(each.startswith(f"{cookie_name(SESSION, BASE_URL)}=") for each in cookies)
        assert any(each.startswith(f"{cookie_name(ATTEMPT, BASE_URL)}=; Path=/; Max-Age=0") for each in cookies)
        assert elsewhere.headers["location"] == "/reports"
        assert 'href="/passkey?next=/monitors">Sign in with a passkey</a>' in entry.text

    with_instance(tmp_path, script)


def test_the_log_has_no_name_of_a_device(tmp_path: Path, stream: io.BytesIO) -> None:
    """It lasts, and tells whose browser it is; the library would write it both times."""

    async def script(instance: Instance) -> None:
        configure_logs("json", stream=stream)
        own = device()
        await add(instance, own, await instance.sign_in())
        entered = await enter(instance, own)

        assert entered.status_code == 303
        assert own.credential_id.hex().encode() not in stream.getvalue()
        assert b"fido2" not in stream.getvalue()

    with_instance(tmp_path, script)


def test_a_new_password_says_that_passkeys_stay(tmp_path: Path) -> None:
    """To who has one: somebody who knew the old password may have added it."""

    async def script(instance: Instance) -> None:
        headers = await instance.sign_in()
        before = await instance.call("GET", "/account?said=password", key=None, headers=headers)
        await add(instance, device(), headers)
        after = await instance.call("GET", "/account?said=password", key=None, headers=headers)

        assert "All other browsers are signed out." in before.text
        assert "Your passkeys stay" not in before.text
        assert "Your passkeys stay: remove those that you do not know." in after.text

    with_instance(tmp_path, script)


def test_who_asks_does_not_write(tmp_path: Path) -> None:
    """After the first question: anybody may ask, and one thing is written at a time."""

    async def script(instance: Instance) -> None:
        first = await instance.call("GET", "/passkey", key=None)
        database = instance.services.database

        def ask_meanwhile(_tx: Transaction) -> httpx.Response:
            return asyncio.run_coroutine_threadsafe(instance.call("GET", "/passkey", key=None), loop).result(HANG_S)

        loop = asyncio.get_running_loop()
        second = await asyncio.to_thread(database.write_here, ask_meanwhile)

        assert first.status_code == second.status_code == 200

    with_instance(tmp_path, script)


def test_the_page_binds_the_browser(tmp_path: Path) -> None:
    """By a cookie that scripts do not see; an answer of another browser, or sent twice, signs nobody in."""

    async def script(instance: Instance) -> None:
        own = device()
        await add(instance, own, await instance.sign_in())
        page = await instance.call("GET", "/passkey", key=None)
        cookie = page.headers["set-cookie"]
        sent = {"credential": own.answer(asked(page))}
        own_cookie, other = cookie.partition(";")[0], f"{cookie_name(ATTEMPT, BASE_URL)}={'x' * 43}"
        answers = []
        for kept in ("", other, own_cookie, own_cookie):
            instance.client.cookies.clear()
            browser = {"Cookie": kept, "Sec-Fetch-Site": "same-origin"}
            answers.append(await instance.call("POST", "/passkey", key=None, headers=browser, data=sent))
        forged = await enter(instance, own, headers={"Cookie": "", "Sec-Fetch-Site": "cross-site"})

        assert cookie.endswith("; Path=/; Max-Age=600; HttpOnly; SameSite=Lax; Secure")
        assert [each.status_code for each in answers] == [400, 400, 303, 400]
        assert "begun in another tab or browser" in answers[0].text
        assert forged.status_code == 403

    with_instance(tmp_path, script)


def test_nobody_adds_one_without_the_password(tmp_path: Path) -> None:
    """Not even who sits at a browser that is signed in: they could come back for ever."""

    async def script(instance: Instance) -> None:
        await give_password(instance)
        headers = await instance.sign_in()
        for typed in ({}, {"passkey_password": "wrong"}):
            page = await instance.call("POST", "/account/passkeys/new", key=None, headers=headers, data=typed)
            assert page.status_code == 403
            assert "This is not your current password." in page.text
            assert "data-passkey" not in page.text
        guessed = [
            await instance.call(
                "POST", "/account/passkeys/new", key=None, headers=headers, data={"passkey_password": "wrong"}
            )
            for _ in range(20)
        ]
        invented = await instance.call(
            "POST", "/account/passkeys", key=None, headers=headers, data={"credential": "{}", "passkey_name": "x"}
        )

        assert guessed[-1].status_code == 429
        assert invented.status_code == 400

    with_instance(tmp_path, script)


def test_the_last_way_to_sign_in_stays(tmp_path: Path) -> None:
    """The page says so; with a password the passkey goes. That of another account is not there."""

    async def script(instance: Instance) -> None:
        await add(instance, device(), await instance.sign_in())
        bob = add_owner(instance.services.database, "Bob")[0]
        other = await instance.page("POST", "/account/passkeys/1/delete", account=bob)
        kept = await instance.page("POST", "/account/passkeys/1/delete")
        await give_password(instance)
        gone = await instance.page("POST", "/account/passkeys/1/delete")
        again = await instance.page("POST", "/account/passkeys/1/delete")

        assert other.status_code == again.status_code == 404
        assert kept.status_code == 409
        assert "Without this passkey you could not sign in any more." in kept.text
        assert gone.headers["location"] == "/account?said=no-passkey"

    with_instance(tmp_path, script)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"base_url": "http://192.168.1.10:8000"}, "This server’s address is http://192.168.1.10:8000."),
        ({"password_sign_in": False}, ""),
    ],
)
def test_where_browsers_have_none_there_is_no_page(tmp_path: Path, options: dict[str, Any], said: str) -> None:
    """Without TLS or a name; nor where people sign in at a provider only. The account says what is missing."""

    async def script(instance: Instance) -> None:
        base_url = instance.services.options.base_url
        token = (await instance.sign_in())["Cookie"].partition("=")[2]
        headers = {"Cookie": f"{cookie_name(SESSION, base_url)}={token}", "Sec-Fetch-Site": "same-origin"}
        account = await instance.call("GET", "/account", key=None, headers=headers)
        pages = [
            await instance.call(method, path, key=None, headers=headers)
            for method, path in (
                ("GET", "/passkey"),
                ("POST", "/passkey"),
                ("POST", "/account/passkeys/new"),
                ("POST", "/account/passkeys"),
            )
        ]
        entry = await instance.client.get("/sign-in")

        assert [each.status_code for each in pages] == [404] * 4
        assert ("Passkeys" in account.text) is bool(said)
        assert said in account.text
        assert "/account/passkeys/new" not in account.text
        assert "passkey" not in entry.text

    with_instance(tmp_path, script, **options)


def test_a_client_is_asked_thirty_times_a_minute(tmp_path: Path) -> None:
    """Questions and answers together; the next one waits."""

    async def script(instance: Instance) -> None:
        instance.services.limits = MemoryBuckets(lambda: 0.0)
        pages = [await instance.call("GET", "/passkey", key=None) for _ in range(LINKS_PER_MINUTE + 1)]

        assert [each.status_code for each in pages] == [200] * LINKS_PER_MINUTE + [429]

    with_instance(tmp_path, script)


def test_what_is_too_large_is_refused(tmp_path: Path) -> None:
    """Before it is read, like every form; nonsense within the limit is said to be none."""

    async def script(instance: Instance) -> None:
        large = await instance.page("POST", "/passkey", data={"credential": "x" * MAX_BYTES})
        nonsense = await instance.page("POST", "/passkey", data={"credential": "x"})

        assert large.status_code == 413
        assert nonsense.status_code == 400

    with_instance(tmp_path, script)


def test_a_name_is_needed(tmp_path: Path) -> None:
    """It is all that tells passkeys apart; browsers ask for it before the device makes what would then be refused."""

    async def script(instance: Instance) -> None:
        headers, own = await instance.sign_in(), device()
        page = await instance.call("POST", "/account/passkeys/new", key=None, headers=headers)
        form = {"credential": own.make(asked(page)), "passkey_name": " "}
        pattern = re.search(r'id="passkey_name"[^>]* pattern="([^"]+)"', page.text)
        answer = await instance.call("POST", "/account/passkeys", key=None, headers=headers, data=form)

        assert pattern is not None
        assert [bool(re.fullmatch(pattern[1], name)) for name in (" ", " x ")] == [False, True]
        assert answer.status_code == 422
        assert "Enter a name of 1 to 60 characters." in answer.text

    with_instance(tmp_path, script)


def test_sign_ins_that_succeed_do_not_count(tmp_path: Path) -> None:
    """An office behind one address begins its day at the same minute."""

    async def script(instance: Instance) -> None:
        own = device()
        await add(instance, own, await instance.sign_in())
        instance.services.limits = MemoryBuckets(lambda: 0.0)
        entered = {(await enter(instance, own)).status_code for _ in range(LINKS_PER_MINUTE // 2 + 1)}
        pages = [await instance.call("GET", "/passkey", key=None) for _ in range(LINKS_PER_MINUTE + 1)]

        assert entered == {303}
        assert [each.status_code for each in pages] == [200] * LINKS_PER_MINUTE + [429]

    with_instance(tmp_path, script)


def test_a_passkey_is_renamed(tmp_path: Path) -> None:
    """By who has it, with a name of 1 to 60 characters; the log says so, and it still signs in."""

    async def script(instance: Instance) -> None:
        headers, own = await instance.sign_in(), device()
        await add(instance, own, headers)
        bob = await instance.sign_in(add_owner(instance.services.database, "Bob")[0])

        async def rename(name: str, number: int = 1, who: dict[str, str] = headers) -> int:
            path = f"/account/passkeys/{number}/name"
            return (await instance.call("POST", path, key=None, headers=who, data={"name": name})).status_code

        refused = [await rename(""), await rename(" "), await rename("x" * 61)]
        unknown = [await rename("x", 2), await rename("x", 1, bob)]
        longest = await rename("y" * 60)
        done = await rename(" Phone <2> ")
        account = await instance.call("GET", "/account?said=passkey-renamed", key=None, headers=headers)
        log = await instance.call("GET", "/team/log", key=None, headers=headers)

        assert (refused, unknown, longest, done) == ([422] * 3, [404] * 2, 303, 303)
        assert "<bdi>Phone &lt;2&gt;</bdi>" in account.text
        assert "The passkey has its new name." in account.text
        assert "Rename a passkey" in log.text
        assert (await enter(instance, own)).status_code == 303

    with_instance(tmp_path, script)
