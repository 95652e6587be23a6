from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from pathlib import Path

import httpx
import pytest
from msgspec.structs import replace

from pagegrade.service.options import MailOptions
from pagegrade.store.repositories.accounts import list_accounts
from tests.gather.test_mail import Mailbox
from tests.service.test_invitation_mail import mailbox, plain_text
from tests.web.calling import BASE_URL, Instance, with_instance

LINK = re.compile(rf"{re.escape(BASE_URL)}(/sign-up/[\w-]+)")
PASSWORD = "correct horse battery"
OWN = {"Sec-Fetch-Site": "same-origin"}
Mail = tuple[Mailbox, MailOptions]
__all__ = ["mailbox"]


def run(tmp_path: Path, options: MailOptions, script: Callable[[Instance], Awaitable[None]], *domains: str) -> None:
    """Run a script for an installation where people of these domains sign up; none of them gets other mail."""
    with_instance(tmp_path, script, mail=replace(options, domains=()), sign_up_domains=domains or ("example.org",))


async def post(instance: Instance, path: str, **data: str) -> httpx.Response:
    """The answer to a form of somebody who is not signed in."""
    instance.client.cookies.clear()
    return await instance.call("POST", path, key=None, headers=OWN, data=data)


def people(instance: Instance) -> list[tuple[str, bool]]:
    """Address of each account, and whether it administers the installation."""
    found = instance.services.database.read_here(list_accounts)
    return [(each.email, each.is_admin) for each in found if each.id != instance.alice.id]


def test_a_person_signs_up(tmp_path: Path, mailbox: Mail) -> None:
    """With a link that is not on the page; it holds no address, and works once."""
    box, options = mailbox

    async def script(instance: Instance) -> None:
        entry = await instance.call("GET", "/sign-in", key=None)
        asked = await post(instance, "/sign-up", email=" bob@example.org ")
        (mail,) = box.messages
        link = LINK.search(plain_text(mail))
        assert link is not None
        form = await instance.call("GET", link[1], key=None)
        typed = {"name": "Bob", "email": "Bob@example.org", "password": PASSWORD}
        made = await post(instance, link[1], **typed)
        again = await post(instance, link[1], **typed)
        inside = await instance.call("GET", "/account", key=None, headers={"Cookie": made.headers["set-cookie"]})

        assert '<a href="/sign-up">Create one</a>' in entry.text
        assert "was sent to <bdi>bob@example.org</bdi>" in asked.text
        assert link[0] not in asked.text
        assert "bob" not in link[1]
        assert form.status_code == 200
        assert (made.status_code, made.headers["location"]) == (303, "/reports")
        assert inside.status_code == 200
        assert again.status_code == 422
        assert "An account has this e-mail address already." in again.text
        assert people(instance) == [("Bob@example.org", False)]

    run(tmp_path, options, script)


def test_the_page_does_not_tell_who_has_an_account(tmp_path: Path, mailbox: Mail) -> None:
    """The mailbox does, which is theirs."""
    box, options = mailbox

    async def script(instance: Instance) -> None:
        address = instance.alice.email
        known = await post(instance, "/sign-up", email=address)
        unknown = await post(instance, "/sign-up", email="x" + address)

        assert known.status_code == unknown.status_code == 200
        assert known.text == unknown.text.replace("x" + address, address)
        assert [mail["Subject"] for mail in box.messages] == [
            "You have a Pagegrade account",
            "Create your Pagegrade account",
        ]
        assert LINK.search(plain_text(box.messages[0])) is None

    run(tmp_path, options, script, "*")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"email": "eve@example.org"}, "This link was sent to another address."),
        ({"password": "short"}, "Enter a password of 8 to 128 characters."),
        ({"name": ""}, "Enter a name of 1 to 200 characters."),
    ],
    ids=["address", "password", "name"],
)
def test_what_is_wrong_is_said(tmp_path: Path, mailbox: Mail, change: dict[str, str], message: str) -> None:
    """And no account is made."""
    box, options = mailbox

    async def script(instance: Instance) -> None:
        await post(instance, "/sign-up", email="bob@example.org")
        link = LINK.search(plain_text(box.messages[0]))
        assert link is not None
        answer = await post(
            instance, link[1], **{"name": "Bob", "email": "bob@example.org", "password": PASSWORD, **change}
        )

        assert answer.status_code == 422
        assert message in answer.text
        assert people(instance) == []

    run(tmp_path, options, script)


@pytest.mark.parametrize(
    "address", ["bob@elsewhere.example", "bob@sub.example.org", "bob", "", "b@example.org\r\nCc: e"]
)
def test_others_get_no_link(tmp_path: Path, mailbox: Mail, address: str) -> None:
    """Other domains, those below one that is named, and what is no address."""
    box, options = mailbox

    async def script(instance: Instance) -> None:
        answer = await post(instance, "/sign-up", email=address)

        assert answer.status_code == 422
        assert "Enter an address of a domain that may sign up here" in answer.text
        assert box.messages == []

    run(tmp_path, options, script)


def test_few_links_are_sent_to_an_address(tmp_path: Path, mailbox: Mail) -> None:
    """Three in an hour, whoever asks; then the page says how long to wait for the next one."""
    box, options = mailbox

    async def script(instance: Instance) -> None:
        statuses = [(await post(instance, "/sign-up", email="bob@example.org")).status_code for _ in range(4)]
        refused = await post(instance, "/sign-up", email="BOB@example.org")

        assert statuses == [200, 200, 200, 429]
        assert "Too many links were sent. Try again in 20 minutes." in refused.text
        assert len(box.messages) == 3

    run(tmp_path, options, script)


def test_few_links_are_sent_for_a_client(tmp_path: Path, mailbox: Mail) -> None:
    """Ten in an hour, to whichever addresses."""
    box, options = mailbox

    async def script(instance: Instance) -> None:
        statuses = [(await post(instance, "/sign-up", email=f"b{each}@example.org")).status_code for each in range(11)]

        assert statuses == [200] * 10 + [429]
        assert len(box.messages) == 10

    run(tmp_path, options, script)


def test_a_message_that_is_refused_is_said(tmp_path: Path, mailbox: Mail) -> None:
    """Instead of a mailbox in which nothing arrives."""
    _, options = mailbox

    async def script(instance: Instance) -> None:
        answer = await post(instance, "/sign-up", email="unknown@example.org")

        assert answer.status_code == 422
        assert "The message could not be sent to this address." in answer.text

    run(tmp_path, options, script)


def test_an_installation_lets_nobody_in_by_itself(tmp_path: Path) -> None:
    """Without the setting, or without mail, there is no such page."""

    async def script(instance: Instance) -> None:
        entry = await instance.call("GET", "/sign-in", key=None)
        token = f"{2**32:x}-{'x' * 43}"
        answers = [
            await instance.call("GET", "/sign-up", key=None),
            await post(instance, "/sign-up", email="bob@example.org"),
            await instance.call("GET", f"/sign-up/{token}", key=None),
            await post(instance, f"/sign-up/{token}", name="Bob", email="bob@example.org", password=PASSWORD),
        ]

        assert "/sign-up" not in entry.text
        assert [each.status_code for each in answers] == [404] * 4

    with_instance(tmp_path, script, sign_up_domains=("*",))
