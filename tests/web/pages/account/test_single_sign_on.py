from __future__ import annotations

import logging
from base64 import b64encode
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote, quote_plus

import httpx
import pytest

from pagegrade.clock import now_ms
from pagegrade.model.account import Caller, GroupRule, Role
from pagegrade.service.accounts.operations import disable
from pagegrade.service.accounts.team import invite
from pagegrade.store.repositories.accounts import find_email, list_accounts
from pagegrade.store.repositories.credentials import add_passkey
from pagegrade.store.repositories.members import load_role
from pagegrade.web.pages.account.single_sign_on import ATTEMPT, MAX_KEPT
from pagegrade.web.session_cookie import SESSION, cookie_name
from tests.identity_provider import CLIENT, SECRET, FakeIssuer, issuer_on_loopback, query_of, sign
from tests.server import running_server
from tests.web.calling import BASE_URL, Instance, with_instance

Script = Callable[[Instance], Awaitable[None]]


@pytest.fixture
def issuer() -> Iterator[FakeIssuer]:
    """A provider."""
    with issuer_on_loopback() as found:
        yield found


def run(tmp_path: Path, issuer: FakeIssuer, script: Script, *, password: bool = True, **changes: Any) -> None:
    """Run a script for an installation with the provider, told of it with these changes."""
    with_instance(tmp_path, script, provider=issuer.provider(**changes), password_sign_in=password)


async def leave(instance: Instance, *, query: str = "", headers: dict[str, str] | None = None) -> httpx.Response:
    """The answer of the page that sends a browser to the provider; the browser has no other cookie of an attempt."""
    instance.client.cookies.clear()
    return await instance.call("GET", f"/single-sign-on{query}", key=None, headers=headers)


async def come_back(
    instance: Instance, issuer: FakeIssuer, *, query: str = "", headers: dict[str, str] | None = None
) -> httpx.Response:
    """The answer to a browser that went to the provider and came back."""
    left = await leave(instance, query=query, headers=headers)
    assert left.status_code == 303, left.text
    attempt = left.headers["set-cookie"].partition(";")[0]
    instance.client.cookies.clear()
    sent = {**(headers or {}), "Cookie": "; ".join(filter(None, (attempt, (headers or {}).get("Cookie"))))}
    return await instance.call("GET", issuer.authorize(left.headers["location"]), key=None, headers=sent)


async def person_of(instance: Instance) -> str:
    """Text of the account page of the browser."""
    return (await instance.call("GET", "/account", key=None)).text


def addresses(instance: Instance) -> set[str]:
    """Of all accounts."""
    return {each.email for each in instance.services.database.read_here(list_accounts)}


def test_a_person_signs_in_and_out(tmp_path: Path, issuer: FakeIssuer) -> None:
    """Without a password; the second time as the same person, whatever their address is by then."""

    async def script(instance: Instance) -> None:
        entry = await instance.call("GET", "/sign-in?next=/monitors", key=None)
        first = await come_back(instance, issuer, query="?next=/monitors")
        inside = await person_of(instance)
        issuer.claims |= {"email": "robert@example.org"}
        second = await come_back(instance, issuer)
        again = await person_of(instance)
        out = await instance.call("POST", "/sign-out", key=None, headers={"Sec-Fetch-Site": "same-origin"})
        gone = await instance.call("GET", out.headers["location"], key=None)
        left = await instance.call("GET", "/single-sign-on/leave", key=None)

        assert 'href="/single-sign-on?next=/monitors">Sign in with Office</a>' in entry.text
        assert (first.status_code, first.headers["location"]) == (303, "/monitors")
        assert "bob@example.org" in inside
        assert second.headers["location"] == "/reports"
        assert "You sign in there as <bdi>robert@example.org</bdi>." in again
        assert addresses(instance) == {instance.alice.email, "bob@example.org"}
        assert "Sign out of Office as well" in gone.text
        assert left.headers["location"].startswith(f"{issuer.origin}/leave?client_id=pagegrade")

    run(tmp_path, issuer, script, sign_up=True)


def test_a_browser_that_did_not_leave_is_not_signed_in(tmp_path: Path, issuer: FakeIssuer) -> None:
    """Nobody can be signed in as somebody else by a link that they are sent; nor twice by one."""

    async def script(instance: Instance) -> None:
        left = await leave(instance)
        back = issuer.authorize(left.headers["location"])
        instance.client.cookies.clear()
        stranger = await instance.call("GET", back, key=None)
        await leave(instance)
        other = await instance.call("GET", back, key=None)
        cookies = {"Cookie": left.headers["set-cookie"].partition(";")[0]}
        wrong_state = back.replace("state=", "state=x")
        changed = await instance.call("GET", wrong_state, key=None, headers=cookies)
        instance.client.cookies.clear()
        own = await instance.call("GET", back, key=None, headers=cookies)
        instance.client.cookies.clear()
        replayed = await instance.call("GET", back, key=None, headers=cookies)

        assert [each.status_code for each in (stranger, other, changed, own, replayed)] == [400, 400, 400, 303, 400]
        assert "Begin again" in replayed.text
        assert SESSION not in replayed.headers["set-cookie"]

    run(tmp_path, issuer, script, sign_up=True)


def test_the_cookie_is_bound_and_ends(tmp_path: Path, issuer: FakeIssuer) -> None:
    """Hidden from scripts, of this host alone, for ten minutes; deleted as the browser comes back."""

    async def script(instance: Instance) -> None:
        left = await leave(instance)
        cookie = left.headers["set-cookie"]
        back = await instance.call("GET", issuer.authorize(left.headers["location"]), key=None)
        name = cookie_name(ATTEMPT, BASE_URL)

        assert name.startswith("__Host-")
        assert cookie.startswith(f"{name}=")
        assert cookie.endswith("; Path=/; Max-Age=600; HttpOnly; SameSite=Lax; Secure")
        assert any(each.startswith(f"{name}=; Path=/; Max-Age=0") for each in back.headers.get_list("set-cookie"))
        assert left.headers["cache-control"] == "private, no-store"

    run(tmp_path, issuer, script, sign_up=True)


@pytest.mark.parametrize(
    ("wanted", "place"),
    [
        ("//evil.example/", "/reports"),
        ("https://evil.example/", "/reports"),
        ("/monitors?a=%3B%2C%22", '/monitors?a=;,"'),
        ("/" + "x" * (MAX_KEPT - 1), "/" + "x" * (MAX_KEPT - 1)),
        ("/" + "x" * MAX_KEPT, "/reports"),
    ],
    ids=["host", "URL", "signs", "longest", "longer"],
)
def test_a_browser_comes_back_to_a_place_of_ours(tmp_path: Path, issuer: FakeIssuer, wanted: str, place: str) -> None:
    """Whatever a link says."""

    async def script(instance: Instance) -> None:
        answer = await come_back(instance, issuer, query=f"?next={wanted}")

        assert answer.headers["location"] == place

    run(tmp_path, issuer, script, sign_up=True)


def test_who_has_no_account_gets_none_by_itself(tmp_path: Path, issuer: FakeIssuer) -> None:
    """The page says whom to ask; with an invitation there is one, and the workspace is joined next."""

    async def script(instance: Instance) -> None:
        refused = await come_back(instance, issuer)
        caller = Caller(account=instance.alice)
        made = await instance.services.database.write(
            lambda tx: invite(tx, caller, role=Role.EDITOR, label="Bob", now_ms=now_ms())
        )
        page = await instance.call("GET", f"/join/{made.token}", key=None)
        wrong = await come_back(instance, issuer, query=f"?next=/join/{'x' * 43}")
        joined = await come_back(instance, issuer, query=f"?next=/join/{made.token}")
        asked = await instance.call("GET", joined.headers["location"], key=None)

        assert refused.status_code == wrong.status_code == 403
        assert "You have no account here yet." in refused.text
        assert f'href="/single-sign-on?next=/join/{made.token}"' in page.text
        assert "Join the workspace" in asked.text
        assert addresses(instance) == {instance.alice.email, "bob@example.org"}

    run(tmp_path, issuer, script)


def test_a_verified_address_leads_to_an_account_once(tmp_path: Path, issuer: FakeIssuer) -> None:
    """One that is not verified leads nowhere, and an address that somebody else has later does not either."""

    async def script(instance: Instance) -> None:
        issuer.claims = {"sub": "1", "email": instance.alice.email.upper()}
        unverified = await come_back(instance, issuer)
        issuer.claims["email_verified"] = True
        verified = await come_back(instance, issuer)
        issuer.claims["sub"] = "2"
        successor = await come_back(instance, issuer)

        assert (unverified.status_code, verified.status_code, successor.status_code) == (403, 303, 403)
        assert "it is not confirmed that it is yours" in unverified.text
        assert len(addresses(instance)) == 1

    run(tmp_path, issuer, script, sign_up=True)


def test_a_person_connects_the_account_they_have(tmp_path: Path, issuer: FakeIssuer) -> None:
    """After a question, which others cannot answer for them; and takes it back, where they have a password."""
    issuer.claims = {"sub": "1", "email": "other@example.org", "name": "<b>"}

    async def script(instance: Instance) -> None:
        own = await instance.sign_in()
        asked = await come_back(instance, issuer, headers=own)
        offer = asked.text.partition('name="offer" value="')[2].partition('"')[0]
        instance.add_bob()
        bob = next(each for each in instance.services.database.read_here(list_accounts) if each.id != instance.alice.id)
        stolen = await instance.page("POST", "/single-sign-on/connect", account=bob, data={"offer": offer})
        forged = await instance.page("POST", "/single-sign-on/connect", data={"offer": offer[:-6] + "AAAAA="})
        foreign = await instance.call(
            "POST",
            "/single-sign-on/connect",
            key=None,
            headers={**own, "Sec-Fetch-Site": "cross-site"},
            data={"offer": offer},
        )
        before = instance.services.database.read_here(lambda tx: find_email(tx, instance.alice.id, issuer.origin))
        done = await instance.page("POST", "/single-sign-on/connect", data={"offer": offer})
        signed_in = await come_back(instance, issuer)
        inside = await person_of(instance)
        kept = await instance.page("POST", "/single-sign-on/disconnect")
        values: dict[str, Any] = {"name": "Phone", "credential_id": b"i", "credential": b"c", "sign_count": 0}
        await instance.services.database.write(
            lambda tx: add_passkey(tx, instance.alice.id, challenged_at_ms=1, now_ms=1, **values)
        )
        page = await instance.page("GET", "/account")
        off = await instance.page("POST", "/single-sign-on/disconnect")
        unknown = await come_back(instance, issuer)

        assert "You came back as <bdi>other@example.org</bdi>." in asked.text
        assert (stolen.status_code, forged.status_code, foreign.status_code) == (400, 400, 403)
        assert before is None
        assert done.headers["location"] == "/account?said=connected"
        assert signed_in.status_code == 303
        assert instance.alice.email in inside
        assert kept.status_code == 404
        assert ">Disconnect the account</button>" in page.text
        assert off.headers["location"] == "/account?said=disconnected"
        assert unknown.status_code == 403

    run(tmp_path, issuer, script)


def test_an_identity_is_of_one_account(tmp_path: Path, issuer: FakeIssuer) -> None:
    """A browser that is signed in as somebody else becomes that of the person whom the provider knows."""

    async def script(instance: Instance) -> None:
        await come_back(instance, issuer)
        answer = await come_back(instance, issuer, headers=await instance.sign_in())
        name = cookie_name(SESSION, BASE_URL)
        made = next(each for each in answer.headers.get_list("set-cookie") if each.startswith(name))
        instance.client.cookies.clear()
        inside = await instance.call("GET", "/account", key=None, headers={"Cookie": made.partition(";")[0]})

        assert "bob@example.org" in inside.text

    run(tmp_path, issuer, script, sign_up=True)


def test_groups_are_members(tmp_path: Path, issuer: FakeIssuer) -> None:
    """With the highest role, an account of their own, and no longer than they are in the group."""
    issuer.claims |= {"roles": ["design", "leads"]}

    async def script(instance: Instance) -> None:
        def role() -> Role | None:
            people = instance.services.database.read_here(list_accounts)
            bob = next(each for each in people if each.email == "bob@example.org")
            return instance.services.database.read_here(lambda tx: load_role(tx, instance.alice.id, bob.id))

        seen = []
        for groups in (["design", "leads"], "design", ["DESIGN"], ["leads"]):
            issuer.claims["roles"] = groups
            answer = await come_back(instance, issuer)
            assert answer.status_code == 303
            seen.append(role())
        log = await instance.page("GET", "/team/log")

        assert seen == [Role.ADMIN, Role.VIEWER, None, Role.ADMIN]
        assert log.text.count("Follow the groups of single sign-on") == 4

    rules = (GroupRule("design", 1, Role.VIEWER), GroupRule("leads", 1, Role.ADMIN), GroupRule("leads", 99, Role.OWNER))
    run(tmp_path, issuer, script, groups=rules, groups_claim="roles")


def test_a_disabled_account_stays_closed(tmp_path: Path, issuer: FakeIssuer) -> None:
    """And its address makes no new one for the same person."""

    async def script(instance: Instance) -> None:
        await come_back(instance, issuer)
        bob = next(
            each for each in instance.services.database.read_here(list_accounts) if each.email == "bob@example.org"
        )
        await instance.services.database.write(lambda tx: disable(tx, bob.id, now_ms()))
        answer = await come_back(instance, issuer)

        assert answer.status_code == 403
        assert "Your account is disabled." in answer.text

    run(tmp_path, issuer, script, sign_up=True)


def test_without_passwords_nobody_has_to_think_of_one(tmp_path: Path, issuer: FakeIssuer) -> None:
    """The form is gone, and what sends it is refused; links of the operator still sign in."""

    async def script(instance: Instance) -> None:
        entry = await instance.call("GET", "/sign-in", key=None)
        own = {"Sec-Fetch-Site": "same-origin"}
        typed = {"email": instance.alice.email, "password": "correct horse battery"}
        refused = await instance.call("POST", "/sign-in", key=None, headers=own, data=typed)
        caller = Caller(account=instance.alice)
        made = await instance.services.database.write(
            lambda tx: invite(tx, caller, role=Role.EDITOR, label="Bob", now_ms=now_ms())
        )
        invited = await instance.call("GET", f"/join/{made.token}", key=None)
        new = await instance.call("POST", f"/join/{made.token}", key=None, headers=own, data={**typed, "name": "Bob"})

        assert 'type="password"' not in entry.text
        assert 'type="password"' not in invited.text
        assert "Sign in with Office" in entry.text
        assert (refused.status_code, new.status_code) == (404, 404)

    run(tmp_path, issuer, script, password=False)


@pytest.mark.parametrize("metadata", [{}, {"issuer": "x"}], ids=["no metadata", "another name"])
def test_a_provider_that_is_not_set_up_is_said(
    tmp_path: Path, issuer: FakeIssuer, caplog: pytest.LogCaptureFixture, metadata: dict[str, str]
) -> None:
    """On the page, and for the operator in the log."""
    issuer.metadata = metadata and issuer.metadata | metadata

    async def script(instance: Instance) -> None:
        with caplog.at_level(logging.WARNING):
            answer = await leave(instance)

        assert answer.status_code == 502
        assert "its log says why" in answer.text

    run(tmp_path, issuer, script)

    assert "single_sign_on_failed" in caplog.text


def test_a_provider_that_is_away_is_said(tmp_path: Path, issuer: FakeIssuer) -> None:
    """With a button to try again, and the other ways."""

    async def script(instance: Instance) -> None:
        answer = await leave(instance)

        assert answer.status_code == 503
        assert "does not answer" in answer.text
        assert 'href="/sign-in"' in answer.text

    with_instance(tmp_path, script, provider=issuer.provider(issuer="http://127.0.0.1:1"))


def test_who_was_not_let_in_is_told_so(tmp_path: Path, issuer: FakeIssuer) -> None:
    """In our words, not in those of the address."""

    async def script(instance: Instance) -> None:
        left = await leave(instance)
        state = query_of(left.headers["location"])["state"]
        path = f"/single-sign-on/back?error=access_denied&error_description=Call+555-0100&state={state}"
        answer = await instance.call("GET", path, key=None)

        assert answer.status_code == 403
        assert "You were not let in there." in answer.text
        assert "555" not in answer.text

    run(tmp_path, issuer, script)


def test_few_sign_ins_are_begun_for_a_client(tmp_path: Path, issuer: FakeIssuer) -> None:
    """Each asks the provider."""

    async def script(instance: Instance) -> None:
        statuses = [(await leave(instance)).status_code for _ in range(40)]

        # It gets one more every two seconds.
        assert statuses[:30] == [303] * 30
        assert 429 in statuses

    run(tmp_path, issuer, script)


def test_the_log_of_a_server_has_no_secret_of_a_sign_in(tmp_path: Path, issuer: FakeIssuer) -> None:
    """Neither of the installation nor of the person, whether it works or not, at its most talkative."""
    settings: dict[str, Any] = {
        "OIDC_ISSUER": issuer.origin,
        "OIDC_CLIENT_ID": CLIENT,
        "OIDC_CLIENT_SECRET": SECRET,
        "OIDC_SIGN_UP": True,
        "LOG_LEVEL": "debug",
    }
    issuer.access_token = "access-token-of-bob"
    signed: list[str] = []

    def signer(claims: dict[str, Any]) -> str:
        signed.append(sign(claims))
        return signed[-1]

    issuer.signer = signer
    issuer.claims = {"sub": "248289"}
    issuer.userinfo = {"sub": "248289", "email": "bob@example.org", "email_verified": True}
    statuses, secrets = [], [SECRET, quote_plus(SECRET), quote(SECRET), issuer.access_token]
    secrets.append(b64encode(f"{CLIENT}:{quote_plus(SECRET)}".encode()).decode())
    with (
        running_server(tmp_path / "data", key="", **settings) as server,
        httpx.Client(base_url=server.origin) as browser,
    ):
        for answer in (
            None,
            (401, {"error": "invalid_client", "error_description": SECRET}),
            (200, b"x" + SECRET.encode()),
        ):
            issuer.token_answer = answer
            browser.cookies.clear()
            left = browser.get("/single-sign-on")
            back = issuer.authorize(left.headers["location"])
            statuses.append(browser.get(back).status_code)
            secrets += [query_of(back)["code"], query_of(back)["state"], left.cookies[ATTEMPT].partition(".")[0]]
        log = server.log

    assert statuses == [303, 502, 502]
    assert log.count("single_sign_on_failed") == 2
    assert len(signed) == 1
    assert [secret for secret in (*secrets, *signed[0].split(".")) if secret in log] == []


def test_without_a_provider_there_is_no_such_page(tmp_path: Path) -> None:
    """And no button leads there."""

    async def script(instance: Instance) -> None:
        paths = ("", "/back?code=x&state=y", "/leave")
        answers = [await instance.call("GET", f"/single-sign-on{path}", key=None) for path in paths]
        answers += [await instance.page("POST", f"/single-sign-on/{name}") for name in ("connect", "disconnect")]
        entry = await instance.call("GET", "/sign-in", key=None)

        assert [each.status_code for each in answers] == [404] * 5
        assert "single-sign-on" not in entry.text

    with_instance(tmp_path, script)
