from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from aiosmtpd.controller import Controller

from pagegrade.clock import now_ms
from pagegrade.parse.mail import MailServer
from pagegrade.service.invitation_mail import MAILS_OF_ACCOUNT, MAILS_TO_ADDRESS
from pagegrade.service.options import MailOptions
from pagegrade.store.repositories.accounts import save_account
from pagegrade.store.repositories.members import list_actions, list_invitations
from tests.gather.test_mail import Mailbox
from tests.ports import free_port
from tests.store_builders import add_owner
from tests.web.calling import BASE_URL, Instance, with_instance

LINK = re.compile(rf"{re.escape(BASE_URL)}/join/[\w-]{{43}}")


@pytest.fixture
def mailbox() -> Iterator[tuple[Mailbox, MailOptions]]:
    """A mail server on loopback, which serves people of one domain."""
    box = Mailbox()
    controller = Controller(box, hostname="127.0.0.1", port=free_port())
    controller.start()
    server = MailServer(host="127.0.0.1", port=controller.port, is_tls=False)
    yield box, MailOptions(server=server, sender="pagegrade@example.org", domains=("example.org",))
    controller.stop()


async def invite(instance: Instance, email: str, label: str = "") -> tuple[int, str]:
    """Status and text of the answer to the form."""
    form = {"label": label, "role": "2", "email": email}
    answer = await instance.page("POST", "/team/invitations", data=form)
    return answer.status_code, answer.text


def made(instance: Instance) -> list[str]:
    """Recipients of the invitations of Alice."""
    found = instance.services.database.read_here(lambda tx: list_invitations(tx, instance.alice.id, now_ms()))
    return [each.label for each in found]


def plain_text(mail: Any) -> str:
    """The text of a message."""
    return str(mail.get_body(("plain",)).get_content())


def test_an_invitation_is_sent(tmp_path: Path, mailbox: tuple[Mailbox, MailOptions]) -> None:
    """The page shows the link that was sent; without a name the list has the address, and the log has the id."""
    box, options = mailbox

    async def script(instance: Instance) -> None:
        status, page = await invite(instance, " bob@example.org ")
        (mail,) = box.messages
        link = LINK.search(plain_text(mail))
        actions = instance.services.database.read_here(lambda tx: list_actions(tx, instance.alice.id))

        assert status == 200
        assert "This link was sent to <bdi>bob@example.org</bdi>." in page
        assert link is not None
        assert link[0] in page
        assert mail["To"] == "bob@example.org"
        assert made(instance) == ["bob@example.org"]
        assert [(each.operation, each.target) for each in actions] == [("invite_to_team", 1)]

    with_instance(tmp_path, script, mail=options)


def test_an_invitation_is_in_the_language_of_who_has_the_address(
    tmp_path: Path, mailbox: tuple[Mailbox, MailOptions]
) -> None:
    """Of who invites, where nobody has it."""
    box, options = mailbox

    async def script(instance: Instance) -> None:
        bob, _ = add_owner(instance.services.database, "Bob")
        german = {
            **{name: getattr(bob, name) for name in bob.__struct_fields__},
            "locale": "de-CH",
            "email": "BOB@example.org",
        }
        instance.services.database.write_here(lambda tx: save_account(tx, type(bob)(**german)))
        await invite(instance, "bob@example.org", "Bob")
        await invite(instance, "eve@example.org", "Eve")

        assert [mail["Subject"].partition(" ")[0] for mail in box.messages] == ["Einladung", "Invitation"]

    with_instance(tmp_path, script, mail=options)


@pytest.mark.parametrize(
    ("email", "message"),
    [
        ("bob", "Enter an e-mail address like name@example.com."),
        ("bob@example.org, eve@example.org", "Enter an e-mail address like name@example.com."),
        ("bob@example.org\r\nBcc: eve@example.org", "Enter an e-mail address like name@example.com."),
        ("bob@elsewhere.example", "No e-mail is sent to this domain."),
    ],
)
def test_a_wrong_address_gets_nothing(
    tmp_path: Path, mailbox: tuple[Mailbox, MailOptions], email: str, message: str
) -> None:
    """No invitation is made either."""
    box, options = mailbox

    async def script(instance: Instance) -> None:
        status, page = await invite(instance, email, "Bob")

        assert status == 422
        assert message in page
        assert box.messages == []
        assert made(instance) == []

    with_instance(tmp_path, script, mail=options)


def test_an_installation_without_mail_sends_nothing(tmp_path: Path) -> None:
    """Its form asks for no address, and refuses one."""

    async def script(instance: Instance) -> None:
        form = await instance.page("GET", "/team")
        status, page = await invite(instance, "bob@example.org", "Bob")

        assert 'name="email"' not in form.text
        assert status == 422
        assert "No e-mail is sent to this domain." in page

    with_instance(tmp_path, script)


@pytest.mark.parametrize(
    ("email", "message"),
    [
        ("unknown@example.org", "The mail server accepts nothing for unknown@example.org."),
        ("later@example.org", "The message to later@example.org could not be sent."),
    ],
)
def test_a_message_that_is_not_accepted_is_said(
    tmp_path: Path, mailbox: tuple[Mailbox, MailOptions], email: str, message: str
) -> None:
    """The link works, and can be sent by hand."""
    _, options = mailbox

    async def script(instance: Instance) -> None:
        status, page = await invite(instance, email, "Bob")
        link = LINK.search(page)
        assert link is not None
        opened = await instance.call("GET", link[0].removeprefix(BASE_URL), key=None)

        assert status == 200
        assert message in page
        assert "was sent" not in page
        assert opened.status_code == 200

    with_instance(tmp_path, script, mail=options)


@pytest.mark.parametrize(
    ("addresses", "limit"),
    [(["bob@example.org", "Bob@example.org"], MAILS_TO_ADDRESS), (["b%d@example.org"], MAILS_OF_ACCOUNT)],
    ids=["one address", "one account"],
)
def test_few_invitations_are_sent_in_an_hour(
    tmp_path: Path, mailbox: tuple[Mailbox, MailOptions], addresses: list[str], limit: int
) -> None:
    """To an address, however it is written, and by an account; one more makes no invitation, but a link can be made."""
    box, options = mailbox

    async def script(instance: Instance) -> None:
        for number in range(limit):
            address = addresses[number % len(addresses)]
            assert (await invite(instance, address.replace("%d", str(number))))[0] == 200
        status, page = await invite(instance, addresses[-1].replace("%d", str(limit)))

        assert status == 429
        assert f"Too many invitations were sent. Try again in {60 // limit} minutes" in page
        assert len(box.messages) == len(made(instance)) == limit
        assert (await invite(instance, "", "Bob"))[0] == 200

    with_instance(tmp_path, script, mail=options)
