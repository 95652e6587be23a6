from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from email import message_from_bytes
from email.message import EmailMessage, Message
from email.policy import default
from pathlib import Path
from typing import Any

import pytest
import trustme
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult

from pagegrade.gather.mail import send_mail, send_mail_aside
from pagegrade.parse.mail import MailServer
from pagegrade.render.i18n import Texts
from pagegrade.render.notifications import email_message, make_message
from tests.ports import free_port


class Mailbox:
    """Takes every message, but for one recipient."""

    def __init__(self) -> None:
        self.messages: list[Message] = []

    async def handle_RCPT(self, _server: Any, _session: Any, envelope: Any, address: str, _options: Any) -> str:  # noqa: N802 - aiosmtpd's name
        if address.startswith("unknown@"):
            return "550 5.1.1 No such user"
        if address.startswith("later@"):
            return "451 4.7.1 Try again later"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, _server: Any, _session: Any, envelope: Any) -> str:  # noqa: N802 - aiosmtpd's name
        self.messages.append(message_from_bytes(envelope.content, policy=default))
        return "250 OK"


@pytest.fixture
def mailbox() -> Iterator[tuple[Mailbox, MailServer]]:
    """A mail server on loopback."""
    port = free_port()
    box = Mailbox()
    controller = Controller(box, hostname="127.0.0.1", port=port)
    controller.start()
    yield box, MailServer(host="127.0.0.1", port=port, is_tls=False)
    controller.stop()


@dataclass(frozen=True, slots=True)
class SecureServer:
    """A mail server that takes messages over TLS and after a login only."""

    box: Mailbox
    port: int
    is_tls: bool
    logins: list[tuple[bytes, bytes]]
    """Names and passwords that were sent."""

    def address(self, *, host: str = "127.0.0.1", password: str = "secret") -> MailServer:  # noqa: S107 - of a test
        """The server as an operator names it."""
        return MailServer(host=host, port=self.port, is_tls=self.is_tls, user="pagegrade", password=password)


class Closed(Mailbox):
    """Takes no message without a login, for which the server wants TLS."""

    async def handle_MAIL(self, _server: Any, session: Any, envelope: Any, address: str, _options: Any) -> str:  # noqa: N802 - aiosmtpd's name
        if not session.authenticated:
            return "530 5.7.0 Sign in first"
        envelope.mail_from = address
        return "250 OK"


@pytest.fixture(params=["starttls", "implicit"])
def secure(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SecureServer]:
    """A mail server on loopback with a certificate for ``127.0.0.1`` of an authority that is trusted."""
    is_tls = request.param == "implicit"
    authority = trustme.CA()
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    authority.cert_pem.write_to_path(tmp_path / "ca.pem")
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "ca.pem"))
    logins: list[tuple[bytes, bytes]] = []

    def authenticate(_server: Any, _session: Any, _envelope: Any, _mechanism: str, data: Any) -> AuthResult:
        logins.append((data.login, data.password))
        return AuthResult(success=logins[-1] == (b"pagegrade", b"secret"), handled=False)

    box = Closed()
    controller = Controller(
        box,
        hostname="127.0.0.1",
        port=free_port(),
        ssl_context=context if is_tls else None,
        tls_context=None if is_tls else context,
        authenticator=authenticate,
        auth_require_tls=not is_tls,
    )
    controller.start()
    yield SecureServer(box=box, port=controller.port, is_tls=is_tls, logins=logins)
    controller.stop()


def send(server: MailServer, recipient: str = "person@example.org") -> tuple[str, int | None]:
    """Send a message about a page with everything that could be read as a header."""
    report = {"url": "https://example.com/\r\nBcc: victim@example.net\r\n\r\n<b>?a=secret", "score": 70}
    payload = {
        "type": "report.regressed",
        "data": {"report": report, "links": {"report": "https://r.example/reports/1"}},
    }
    texts = Texts("en")
    mail = email_message(
        texts,
        make_message(texts, [payload]),
        sender="pagegrade@r.example",
        recipient=recipient,
        message_id="msg_1",
        unsubscribe_url="https://r.example/unsubscribe/1-x",
        at_ms=1_767_225_600_000,
    )
    return send_mail(server, mail, sender="pagegrade@r.example", recipient=recipient)


def test_a_message_arrives_with_text_and_html(mailbox: tuple[Mailbox, MailServer]) -> None:
    """No header comes from a page; one-click unsubscription is offered (RFC 8058)."""
    box, server = mailbox

    assert send(server) == ("sent", 250)
    (mail,) = box.messages
    parts = {part.get_content_type(): part for part in mail.walk()}
    html = parts["text/html"].get_content()  # type: ignore[attr-defined]

    assert mail["Bcc"] is None
    assert mail["To"] == "person@example.org"
    assert mail["Message-ID"] == "<msg_1@r.example>"
    assert mail["List-Unsubscribe"] == "<https://r.example/unsubscribe/1-x>"
    assert mail["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert "\n" not in mail["Subject"]
    assert "<b>" not in html
    assert "secret" not in html
    assert "https://r.example/reports/1" in parts["text/plain"].get_content()  # type: ignore[attr-defined]


def test_refusals_differ(mailbox: tuple[Mailbox, MailServer]) -> None:
    """A recipient that does not exist is final; a server that is busy or gone is not."""
    _, server = mailbox
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        gone = MailServer(host="127.0.0.1", port=closed.getsockname()[1], is_tls=False)

        assert send(gone) == ("smtp_unavailable", None)

    assert send(server, "unknown@example.org") == ("smtp_refused", 550)
    assert send(server, "later@example.org") == ("smtp_unavailable", 451)


def test_a_password_is_not_sent_without_tls(mailbox: tuple[Mailbox, MailServer]) -> None:
    """A server that does not offer it gets no message."""
    box, server = mailbox
    named = MailServer(host=server.host, port=server.port, is_tls=False, user="u", password="p")

    assert send(named) == ("smtp_unavailable", None)
    assert box.messages == []
    assert "p" not in repr(named).removeprefix("MailServer")


def test_a_message_is_sent_over_tls_after_a_login(secure: SecureServer) -> None:
    """By STARTTLS, and where TLS comes first."""
    server = secure

    assert send(server.address()) == ("sent", 250)
    assert len(server.box.messages) == 1
    assert server.logins == [(b"pagegrade", b"secret")]


def test_a_wrong_password_is_tried_again_later(secure: SecureServer) -> None:
    """An operator may correct it meanwhile; no message is handed over without a login."""
    server = secure

    assert send(server.address(password="wrong")) == ("smtp_unavailable", 535)
    assert server.box.messages == []


@pytest.mark.parametrize("wrong", ["name", "authority"])
def test_a_certificate_that_does_not_verify_gets_neither_password_nor_message(
    secure: SecureServer, wrong: str, tmp_path: Path
) -> None:
    """It is for another name, or of an authority that is not trusted."""
    server = secure
    if wrong == "authority":
        trustme.CA().cert_pem.write_to_path(tmp_path / "ca.pem")
    host = "localhost" if wrong == "name" else "127.0.0.1"

    assert send(server.address(host=host)) == ("smtp_unavailable", None)
    assert (server.logins, server.box.messages) == ([], [])


def test_a_silent_server_takes_no_thread_from_others() -> None:
    """The threads of the loop serve requests meanwhile."""
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        server = MailServer(host="127.0.0.1", port=silent.getsockname()[1], is_tls=False)

        async def script() -> None:
            loop = asyncio.get_running_loop()
            loop.set_default_executor(ThreadPoolExecutor(1))
            async with asyncio.TaskGroup() as group:
                sending = group.create_task(
                    send_mail_aside(server, EmailMessage(), sender="a@r.example", recipient="b@r.example")
                )
                connection, _ = await loop.sock_accept(silent)
                served = await asyncio.to_thread(lambda: not sending.done())
                connection.close()

            assert served
            assert sending.result() == ("smtp_unavailable", None)

        silent.settimeout(0)
        asyncio.run(script())


def test_an_error_of_the_thread_is_raised_where_it_is_awaited(mailbox: tuple[Mailbox, MailServer]) -> None:
    """And does not leave it waiting for ever."""
    _, server = mailbox

    with pytest.raises(ValueError, match="Resent"):
        asyncio.run(send_mail_aside(server, resent_twice(), sender="a@r.example", recipient="b@r.example"))


def resent_twice() -> EmailMessage:
    """A message that smtplib refuses to send."""
    mail = EmailMessage()
    for _ in range(2):
        mail["Resent-Date"] = "Thu, 01 Jan 2026 00:00:00 +0000"
    return mail
