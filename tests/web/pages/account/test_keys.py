from __future__ import annotations

import re
import shlex
from html import unescape
from pathlib import Path

import pytest

from pagegrade.clock import now_ms
from pagegrade.model.account import SCOPES
from pagegrade.service.accounts import own_keys
from pagegrade.store.repositories.credentials import list_keys
from pagegrade.web.pages.account.keys import DAY_MS
from pagegrade.web.pages.html import HELPED
from tests.store_builders import add_owner
from tests.web.calling import BASE_URL, Instance, with_instance

ALL = {scope.replace(":", "-"): "1" for scope in SCOPES}
SECRET = re.compile(r'<code class="secret" id="secret">(pgk_\w{49})</code>')


def test_a_key_is_shown_once(tmp_path: Path) -> None:
    """In the answer of the form, which is not cached; the list has its beginning only; the line works as it stands."""

    async def script(instance: Instance) -> None:
        answer = await instance.page("POST", "/keys", data={"name": "nightly", "expires": "90", **ALL})
        found = SECRET.search(answer.text)
        assert found is not None
        listed = await instance.page("GET", "/keys")
        line = re.search(r'<code id="line">(.*?)</code>', answer.text, re.DOTALL)
        assert line is not None
        words = shlex.split(unescape(line[1]).replace("\\\n", " "))

        assert answer.status_code == 200
        assert answer.headers["cache-control"] == "private, no-store"
        assert answer.headers["content-security-policy"] == HELPED
        assert re.search(r'<button [^>]*data-copy="secret" hidden>', answer.text)
        assert found[1] not in listed.text
        assert f"<code>{found[1][:12]}…</code>" in listed.text
        assert words == ["curl", f"{BASE_URL}/api/v1/reports", "-H", f"Authorization: Bearer {found[1]}", "-d",
                         "url=https://example.com"]  # fmt: skip
        assert (await instance.call("GET", "/api/v1/account", key=found[1])).status_code == 200

    with_instance(tmp_path, script)


@pytest.mark.parametrize(("choice", "days"), [("30", 30), ("90", 90), ("365", 365), ("never", None)])
def test_a_key_ends_when_it_was_said(tmp_path: Path, choice: str, days: int | None) -> None:
    """And may do what was ticked, and nothing else."""

    async def script(instance: Instance) -> None:
        before = now_ms()
        await instance.page("POST", "/keys", data={"name": "reader", "expires": choice, "reports-read": "1"})
        key = instance.services.database.read_here(lambda tx: list_keys(tx, instance.alice.id))[-1]

        assert key.scopes == ("reports:read",)
        if days is None:
            assert key.expires_at_ms is None
        else:
            assert key.expires_at_ms is not None
            assert 0 <= key.expires_at_ms - before - days * DAY_MS < 60_000

    with_instance(tmp_path, script)


def test_a_key_is_limited_to_a_project_on_its_page(tmp_path: Path) -> None:
    """The list says so, and the key finds no other reports."""

    async def script(instance: Instance) -> None:
        await instance.create("https://other.example/")
        sent = {"name": "reader", "expires": "90", "reports-read": "1", "project": "https://www.example.com/"}
        made = await instance.page("POST", "/keys", data=sent)
        secret = re.findall(r"pgk_\w{20,}", made.text)[0]
        listed = await instance.page("GET", "/keys")
        found = await instance.call("GET", "/api/v1/reports", key=secret)

        assert "Only the site <bdi>example.com</bdi>" in listed.text
        assert found.json()["meta"]["total"] == 0

    with_instance(tmp_path, script)


@pytest.mark.parametrize(
    ("sent", "field"),
    [
        ({"name": "nightly", "expires": "90", "project": "a b", **ALL}, "project"),
        ({"name": "", "expires": "90", **ALL}, "name"),
        ({"name": "x" * 201, "expires": "90", **ALL}, "name"),
        ({"name": "nightly", "expires": "90"}, "scopes"),
        ({"name": "nightly", "expires": "1", **ALL}, "expires"),
        ({"name": "nightly", **ALL}, "expires"),
    ],
    ids=str,
)
def test_what_makes_no_key_is_reported(tmp_path: Path, sent: dict[str, str], field: str) -> None:
    """At the field, with what was typed and ticked still there."""

    async def script(instance: Instance) -> None:
        answer = await instance.page("POST", "/keys", data=sent)

        assert answer.status_code == 422
        assert f'<a href="#{field}">' in answer.text
        assert f'id="{field}-error"' in answer.text
        assert answer.text.count('value="1" checked') == len(ALL.keys() & sent.keys())
        assert len(instance.services.database.read_here(lambda tx: list_keys(tx, instance.alice.id))) == 1

    with_instance(tmp_path, script)


def test_there_is_an_end_to_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The reason stands above the form."""
    monkeypatch.setattr(own_keys, "MAX_KEYS", 1)

    async def script(instance: Instance) -> None:
        answer = await instance.page("POST", "/keys", data={"name": "one more", "expires": "90", **ALL})

        assert answer.status_code == 422
        assert "Revoke one before you create another." in answer.text

    with_instance(tmp_path, script)


def test_a_key_is_revoked_after_a_question(tmp_path: Path) -> None:
    """Asking changes nothing; afterwards it works no longer and is listed as revoked."""

    async def script(instance: Instance) -> None:
        asked = await instance.page("GET", "/keys/1/revoke")
        still = await instance.call("GET", "/api/v1/account")
        done = await instance.page("POST", "/keys/1/revoke")
        listed = await instance.page("GET", done.headers["location"])
        again = [await instance.page(method, "/keys/1/revoke") for method in ("GET", "POST")]

        assert asked.status_code == 200
        assert "Revoke the key <bdi>test</bdi>?" in asked.text
        assert still.status_code == 200
        assert done.headers["location"] == "/keys?said=revoked"
        assert "The key is revoked." in listed.text
        assert '<span class="pill">Revoked</span>' in listed.text
        assert "/keys/1/revoke" not in listed.text
        assert [answer.status_code for answer in again] == [303, 303]
        assert (await instance.call("GET", "/api/v1/account")).status_code == 401

    with_instance(tmp_path, script)


def test_keys_are_their_owners_alone(tmp_path: Path) -> None:
    """Bob's are neither listed nor revoked: they are not there. Charlie is asked to sign in."""

    async def script(instance: Instance) -> None:
        bob, secret = add_owner(instance.services.database, "Bob")
        theirs = instance.services.database.read_here(lambda tx: list_keys(tx, bob.id))[0]
        for method in ("GET", "POST"):
            for which in (theirs.id, 99, 0, "x", 2**64):
                assert (await instance.page(method, f"/keys/{which}/revoke")).status_code == 404
        listed = await instance.page("GET", "/keys")
        charlie = await instance.client.get("/keys")

        assert theirs.prefix not in listed.text
        assert (await instance.call("GET", "/api/v1/account", key=secret)).status_code == 200
        assert charlie.headers["location"] == "/sign-in?next=%2Fkeys"

    with_instance(tmp_path, script)


def test_a_list_says_of_each_key_what_it_may_and_when_it_ends(tmp_path: Path) -> None:
    """Those that work come first; a name is shown as text."""

    async def script(instance: Instance) -> None:
        instance.add_key("reports:read", name="<i>old</i>", expires_at_ms=now_ms() - 1)
        instance.add_key("reports:read", "account:read", name="reader")
        page = await instance.page("GET", "/keys")
        names = re.findall(r'<th scope="row"><bdi>(.*?)</bdi>', page.text)

        assert names == ["reader", "test", "&lt;i&gt;old&lt;/i&gt;"]
        assert '<span class="pill">Expired</span>' in page.text
        assert "Read reports; Read the account and what it has used" in page.text
        assert "Everything" in page.text

    with_instance(tmp_path, script)


def test_a_key_that_only_reads_gets_no_line_that_writes(tmp_path: Path) -> None:
    """It would be refused."""

    async def script(instance: Instance) -> None:
        answer = await instance.page("POST", "/keys", data={"name": "reader", "expires": "never", "reports-read": "1"})

        assert SECRET.search(answer.text)
        assert "curl" not in answer.text

    assert len(ALL) == len(SCOPES)
    with_instance(tmp_path, script)
