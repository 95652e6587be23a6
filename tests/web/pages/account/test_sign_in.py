from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import httpx
import pytest

from pagegrade.clock import now_ms
from pagegrade.model.account import Account
from pagegrade.service.accounts.operations import disable
from pagegrade.service.accounts.passwords import CLIENT, CLIENT_AT_ADDRESS
from pagegrade.service.rate_limit import MemoryBuckets
from pagegrade.service.sign_in import HOUR_MS, make_link, store_password
from pagegrade.web.ops import observe
from pagegrade.web.pages.account.sign_in import HOME, LINKS_PER_MINUTE, MAX_PLACE, own_place
from tests.store_builders import add_owner
from tests.web.calling import BASE_URL, Instance, with_instance

PASSWORD = " correct hörse "
OWN = {"Sec-Fetch-Site": "same-origin", "Accept": "text/html"}
COOKIE = re.compile(r"__Host-session=([\w-]{43}); Path=/; Max-Age=5184000; HttpOnly; SameSite=Lax; Secure")


async def give_password(instance: Instance, account: Account | None = None) -> None:
    """Let Alice, or another account, have a password."""
    hashed = await instance.services.passwords.hash(PASSWORD)
    owner = account or instance.alice
    await instance.services.database.write(lambda tx: store_password(tx, owner.id, hashed))


async def send(instance: Instance, cookie: str = "", **fields: str) -> httpx.Response:
    """The answer to Charlie for the form."""
    instance.client.cookies.clear()
    data = {"email": "alice@example.org", "password": PASSWORD, **fields}
    headers = {**OWN, **({"Cookie": cookie} if cookie else {})}
    return await instance.call("POST", "/sign-in", key=None, headers=headers, data=data)


async def look(instance: Instance, path: str, cookie: str = "", method: str = "GET") -> httpx.Response:
    """A page, for who has this cookie."""
    instance.client.cookies.clear()
    return await instance.call(method, path, key=None, headers={**OWN, **({"Cookie": cookie} if cookie else {})})


def cookie_of(answer: httpx.Response) -> str:
    """The cookie of a session, as a browser sends it back."""
    return str(answer.headers["set-cookie"].partition(";")[0])


async def link_for(instance: Instance, account: Account | None = None) -> str:
    """The path of a link for Alice, or another account."""
    owner = account or instance.alice
    made = await instance.services.database.write(lambda tx: make_link(tx, owner.id, hours=1, now_ms=now_ms()))
    return f"/sign-in/{made[0]}"


def bob_of(instance: Instance) -> Account:
    """Another account."""
    return add_owner(instance.services.database, "Bob")[0]


def test_who_signs_in_gets_a_session_and_goes_where_they_wanted(tmp_path: Path) -> None:
    """The cookie is for this host, over TLS, and for no script; the page they wanted opens."""

    async def script(instance: Instance) -> None:
        await give_password(instance)
        wanted = await look(instance, "/account?said=saved")
        form = await look(instance, wanted.headers["location"])
        answer = await send(instance, next="/account?said=saved")
        page = await look(instance, answer.headers["location"], cookie_of(answer))

        assert wanted.headers["location"] == "/sign-in?next=%2Faccount%3Fsaid%3Dsaved"
        assert '<input type="hidden" name="next" value="/account?said=saved">' in form.text
        assert 'autocomplete="username"' in form.text
        assert 'autocomplete="current-password"' in form.text
        assert "pagegrade accounts login-link" in form.text
        assert (answer.status_code, answer.headers["location"]) == (303, "/account?said=saved")
        assert COOKIE.fullmatch(answer.headers["set-cookie"])
        assert answer.headers["cache-control"] == "private, no-store"
        assert page.status_code == 200
        assert "alice@example.org" in page.text

    with_instance(tmp_path, script)


def test_without_tls_the_cookie_is_one_that_browsers_take(tmp_path: Path) -> None:
    """As on one's own machine."""

    async def script(instance: Instance) -> None:
        await give_password(instance)
        set_cookie = (await send(instance)).headers["set-cookie"]

        assert re.fullmatch(r"session=[\w-]{43}; Path=/; Max-Age=5184000; HttpOnly; SameSite=Lax", set_cookie)
        assert (await look(instance, "/account", set_cookie.partition(";")[0])).status_code == 200

    with_instance(tmp_path, script, base_url="http://127.0.0.1:8080")


def test_a_session_from_before_is_never_kept(tmp_path: Path) -> None:
    """A cookie that was planted is not signed in, nor does it stay alive."""

    async def script(instance: Instance) -> None:
        await give_password(instance)
        bob = bob_of(instance)
        planted = (await instance.sign_in(bob))["Cookie"]
        strange = f"__Host-session={'A' * 43}"
        answer = await send(instance, f"{planted}; {strange}")
        link = await look(instance, await link_for(instance), planted, "POST")

        assert len({cookie_of(answer), cookie_of(link), planted, strange}) == 4
        for old in (planted, strange):
            assert (await look(instance, "/account", old)).status_code == 303

    with_instance(tmp_path, script)


@pytest.mark.parametrize(
    "fields",
    [
        {"password": "wrong password"},
        {"email": "charlie@example.org"},
        {"email": "bob@example.org"},
        {"email": "dora@example.org"},
    ],
    ids=str,
)
def test_every_failed_sign_in_gets_the_same_words(tmp_path: Path, fields: dict[str, str]) -> None:
    """A wrong password, no account, one without a password, one that is disabled; what was typed stays but for it."""

    async def script(instance: Instance) -> None:
        await give_password(instance)
        bob_of(instance)
        dora, _ = add_owner(instance.services.database, "Dora")
        await give_password(instance, dora)
        await instance.services.database.write(lambda tx: disable(tx, dora.id, now_ms()))
        answer = await send(instance, next="/keys", **fields)
        email = fields.get("email", "alice@example.org")

        assert answer.status_code == 403
        assert answer.text.count("No account has this e-mail address and this password.") == 2
        assert 'role="alert"' in answer.text
        assert f'value="{email}"' in answer.text
        assert 'name="next" value="/keys"' in answer.text
        assert "set-cookie" not in answer.headers
        assert PASSWORD.strip() not in answer.text
        assert "wrong password" not in answer.text

    with_instance(tmp_path, script)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"email": " "}, "Enter your e-mail address."),
        ({"password": ""}, "Enter your password."),
        ({"password": "x" * 257}, "That is too long"),
        ({"email": "x" * 321}, "That is too long"),
    ],
    ids=ascii,
)
def test_impossible_values_are_reported_at_once(tmp_path: Path, fields: dict[str, str], message: str) -> None:
    """M09: nothing is hashed for it, and no password is in the answer."""

    async def script(instance: Instance) -> None:
        answer = await send(instance, **fields)

        assert answer.status_code == 422
        assert message in answer.text
        assert "x" * 257 not in answer.text.replace("x" * 320, "")
        assert 'name="password" type="password" value=""' in answer.text

    with_instance(tmp_path, script)


def test_attempts_are_limited_by_client_and_address(tmp_path: Path) -> None:
    """The right password is refused as well, with when to try again; a session and a link go on working."""

    async def script(instance: Instance) -> None:
        await give_password(instance)
        inside = (await instance.sign_in())["Cookie"]
        link = await link_for(instance)
        for _ in range(CLIENT_AT_ADDRESS.count):
            assert (await send(instance, password="wrong password")).status_code == 403
        refused = await send(instance)
        other = await send(instance, email="charlie@example.org")

        assert refused.status_code == 429
        assert 60 < int(refused.headers["retry-after"]) <= 90
        assert "Try again in 2 minutes" in refused.text
        assert other.status_code == 403
        assert (await look(instance, "/account", inside)).status_code == 200
        assert (await look(instance, link, method="POST")).status_code == 303

    with_instance(tmp_path, script)


def test_one_client_does_not_try_all_accounts(tmp_path: Path) -> None:
    """The same password for all accounts is as much an attempt as all passwords for one."""

    async def script(instance: Instance) -> None:
        statuses = [
            (await send(instance, email=f"{number}@example.org")).status_code for number in range(CLIENT.count + 2)
        ]

        assert statuses == [403] * CLIENT.count + [429] * 2

    with_instance(tmp_path, script)


@pytest.mark.parametrize(
    "wanted",
    [
        "",
        "reports",
        "//evil.example",
        "///evil.example",
        "/\\evil.example",
        "\\/evil.example",
        "/path\\..\\evil",
        "https://evil.example/",
        "https:evil.example",
        "javascript:alert(1)",
        "/\t/evil.example",
        "/\n/evil.example",
        " //evil.example",
        "/ /evil.example",
        "/x\r\nSet-Cookie: a=b",
        "/ä",
        "/\u2028",
        "@evil.example",
        "/" + "x" * MAX_PLACE,
    ],
    ids=ascii,
)
def test_no_redirect_leaves_the_site(tmp_path: Path, wanted: str) -> None:
    """From the address, from the form, and for who has signed in already."""

    async def script(instance: Instance) -> None:
        await give_password(instance)
        signed_in = await send(instance, next=wanted)
        inside = await instance.page("GET", "/sign-in", params={"next": wanted})
        instance.client.cookies.clear()
        form = await instance.call("GET", "/sign-in", key=None, params={"next": wanted})

        assert signed_in.headers["location"] == inside.headers["location"] == HOME
        assert f'name="next" value="{HOME}"' in form.text

    assert own_place(wanted) == HOME
    with_instance(tmp_path, script)


def test_a_nul_leads_nowhere() -> None:
    """Requests that hold one are refused before that."""
    assert own_place("/\x00") == HOME


@pytest.mark.parametrize("wanted", ["/", "/reports?page=2&search=a%20b", "/r/abc#top", "/%2F%2Fevil", "/a//b", "/~x[]"])
def test_a_path_on_this_server_is_kept(wanted: str) -> None:
    """With its query."""
    assert own_place(wanted) == wanted


def test_signing_out_ends_the_session_for_good(tmp_path: Path) -> None:
    """The cookie goes, and a copy of it is of no use; without a session it is no error."""

    async def script(instance: Instance) -> None:
        cookie = (await instance.sign_in())["Cookie"]
        other = (await instance.sign_in())["Cookie"]
        out = await look(instance, "/sign-out", cookie, "POST")
        again = await look(instance, "/sign-out", cookie, "POST")
        anonymous = await look(instance, "/sign-out", method="POST")
        signed_out, usual = await look(instance, out.headers["location"]), await look(instance, "/sign-in")

        assert {answer.status_code for answer in (out, again, anonymous)} == {303}
        assert "You are signed out." in signed_out.text
        assert "You are signed out." not in usual.text
        assert out.headers["set-cookie"].startswith("__Host-session=; Path=/; Max-Age=0;")
        assert (await look(instance, "/account", cookie)).status_code == 303
        assert (await look(instance, "/account", other)).status_code == 200
        assert (await look(instance, "/sign-out")).status_code == 405

    with_instance(tmp_path, script)


def test_a_link_asks_first_and_works_once(tmp_path: Path) -> None:
    """Looking at it as often as mail programs do uses nothing up; afterwards it is as good as invented."""

    async def script(instance: Instance) -> None:
        path = await link_for(instance)
        looks = [await look(instance, path, method=method) for method in ("GET", "HEAD", "GET")]
        used = await look(instance, path, method="POST")
        late = [await look(instance, path, method=method) for method in ("GET", "POST")]
        invented = await look(instance, f"/sign-in/{'A' * 43}")

        assert [answer.status_code for answer in looks] == [200] * 3
        assert all("set-cookie" not in answer.headers for answer in looks)
        assert "Sign in as <bdi>Alice</bdi>" in looks[0].text
        assert (used.status_code, used.headers["location"]) == (303, "/account?said=set-password")
        assert COOKIE.fullmatch(used.headers["set-cookie"])
        assert "Set a password below" in (await look(instance, used.headers["location"], cookie_of(used))).text
        assert [answer.status_code for answer in late] == [404, 404]
        assert all("set-cookie" not in answer.headers for answer in late)
        assert late[0].text == invented.text
        assert "Alice" not in late[0].text

    with_instance(tmp_path, script)


def test_who_has_a_password_is_not_asked_for_one(tmp_path: Path) -> None:
    """They go to their reports."""

    async def script(instance: Instance) -> None:
        await give_password(instance)
        used = await look(instance, await link_for(instance), method="POST")

        assert used.headers["location"] == HOME

    with_instance(tmp_path, script)


@pytest.mark.parametrize("token", ["x", "A" * 42, "%00", "%2e%2e", "A" * 5000, "<script>"], ids=ascii)
def test_an_unusable_link_has_one_page(tmp_path: Path, token: str) -> None:
    """However long or strange; nothing of it is repeated."""

    async def script(instance: Instance) -> None:
        for method in ("GET", "POST"):
            answer = await look(instance, f"/sign-in/{token}", method=method)

            assert answer.status_code == 404
            assert "This link no longer works" in answer.text
            assert "<script" not in answer.text

    with_instance(tmp_path, script)


def test_links_of_ended_hours_and_disabled_accounts_are_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same page."""

    async def script(instance: Instance) -> None:
        path, dead = await link_for(instance), await link_for(instance, bob := bob_of(instance))
        await instance.services.database.write(lambda tx: disable(tx, bob.id, now_ms()))
        later = now_ms() + HOUR_MS
        monkeypatch.setattr("pagegrade.web.request.now_ms", lambda: later)
        for each in (path, dead):
            assert (await look(instance, each, method="POST")).status_code == 404

    with_instance(tmp_path, script)


def test_a_client_does_not_try_many_links(tmp_path: Path) -> None:
    """256 bits are out of reach, but attempts are limited all the same."""

    async def script(instance: Instance) -> None:
        instance.services.limits = MemoryBuckets(lambda: 0.0)
        statuses = [(await look(instance, f"/sign-in/{number}")).status_code for number in range(LINKS_PER_MINUTE + 1)]
        last = await look(instance, await link_for(instance))

        assert statuses == [404] * LINKS_PER_MINUTE + [429]
        assert int(last.headers["retry-after"]) > 0

    with_instance(tmp_path, script)


def test_who_has_signed_in_is_sent_on(tmp_path: Path) -> None:
    """The form would only puzzle them; Charlie sees it."""

    async def script(instance: Instance) -> None:
        inside = await instance.page("GET", "/sign-in?next=/keys")
        charlie = await look(instance, "/sign-in?next=/keys")

        assert (inside.status_code, inside.headers["location"]) == (303, "/keys")
        assert charlie.status_code == 200
        assert BASE_URL not in charlie.text

    with_instance(tmp_path, script)


def test_no_token_or_password_stands_in_a_log_line(tmp_path: Path) -> None:
    """A reader of the log cannot sign in with it."""
    seen: list[Any] = []

    async def script(instance: Instance) -> None:
        instance.services.observation.request_done = lambda **about: seen.append(about)  # type: ignore[method-assign]
        instance.app._observe = observe
        path = await link_for(instance)
        await look(instance, path)
        used = await look(instance, path, method="POST")
        await look(instance, "/account", cookie_of(used))
        await give_password(instance)
        await send(instance)

        assert len(seen) == 4
        assert path.rpartition("/")[2] not in str(seen)
        assert cookie_of(used).partition("=")[2] not in str(seen)
        assert PASSWORD.strip() not in str(seen)
        assert {each["path"] for each in seen} == {"/sign-in/...", "/account", "/sign-in"}

    with_instance(tmp_path, script)


def test_links_that_are_right_do_not_count(tmp_path: Path) -> None:
    """So many people sign in from one address as like; wrong links still count."""

    async def script(instance: Instance) -> None:
        instance.services.limits = MemoryBuckets(lambda: 0.0)
        for _ in range(LINKS_PER_MINUTE):
            path = await link_for(instance)
            assert (await look(instance, path)).status_code == 200
            assert (await look(instance, path, method="POST")).status_code == 303
        statuses = [(await look(instance, f"/sign-in/{number}")).status_code for number in range(LINKS_PER_MINUTE + 1)]

        assert statuses == [404] * LINKS_PER_MINUTE + [429]

    with_instance(tmp_path, script)
