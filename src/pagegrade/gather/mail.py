"""Mail: one message to the operator's SMTP server.

The server is named by the operator and may be in a private network; no address of an account is contacted by it.
"""

from __future__ import annotations

import asyncio
import contextlib
import smtplib
import ssl
import threading
from collections.abc import Callable
from email.message import EmailMessage  # lint: allow slow-parser - written only
from typing import Final, Literal

from pagegrade.parse.mail import MailServer

TIMEOUT_S: Final = 20.0
"""For the connection and for each answer of the server."""
MailResult = Literal["sent", "smtp_refused", "smtp_unavailable"]
_Sent = tuple[MailResult, int | None]


async def send_mail_aside(
    server: MailServer, mail: EmailMessage, *, sender: str, recipient: str
) -> tuple[MailResult, int | None]:
    """Hand a message to the server in a thread of its own; (how it went, last reply code of the server).

    Not in the threads of the loop: a server that is silent would take them from requests to this process, and would
    hold up its end.
    """
    loop = asyncio.get_running_loop()
    sent: asyncio.Future[_Sent] = loop.create_future()

    def settle(settled: Callable[[], None]) -> None:
        # Its loop may have ended, or it may not be waited for any more.
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(lambda: None if sent.done() else settled())

    def work() -> None:
        try:
            result = send_mail(server, mail, sender=sender, recipient=recipient)
        except Exception as error:  # noqa: BLE001 - raised where it is waited for
            failure = error
            settle(lambda: sent.set_exception(failure))
        else:
            settle(lambda: sent.set_result(result))

    threading.Thread(target=work, name="pagegrade-mail", daemon=True).start()
    return await sent


def send_mail(server: MailServer, mail: EmailMessage, *, sender: str, recipient: str) -> tuple[MailResult, int | None]:
    """Hand a message to the server, in the calling thread; (how it went, last reply code of the server)."""
    context = ssl.create_default_context()
    try:
        with _connect(server, context) as smtp:
            if not server.is_tls:
                smtp.ehlo()
                if smtp.has_extn("starttls"):
                    smtp.starttls(context=context)
                elif server.user:
                    return "smtp_unavailable", None
            if server.user:
                smtp.login(server.user, server.password)
            smtp.send_message(mail, from_addr=sender, to_addrs=[recipient])
    except smtplib.SMTPRecipientsRefused as error:
        code = next((code for code, _ in error.recipients.values()), None)
        return ("smtp_refused" if code is not None and code >= 500 else "smtp_unavailable"), code
    except smtplib.SMTPResponseException as error:
        return "smtp_unavailable", error.smtp_code
    except (OSError, smtplib.SMTPException):
        return "smtp_unavailable", None
    return "sent", 250


def _connect(server: MailServer, context: ssl.SSLContext) -> smtplib.SMTP:
    if server.is_tls:
        return smtplib.SMTP_SSL(server.host, server.port, timeout=TIMEOUT_S, context=context)
    return smtplib.SMTP(server.host, server.port, timeout=TIMEOUT_S)
