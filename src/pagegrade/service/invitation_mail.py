"""Send the link of an invitation by e-mail. The link is in the message only: nothing keeps it to send it again."""

from __future__ import annotations

import asyncio
from email.message import EmailMessage  # lint: allow slow-parser - written only
from typing import Final, Literal

from pagegrade.gather.mail import send_mail_aside
from pagegrade.model.account import Account, Caller
from pagegrade.model.errors import InvalidInput, RateLimited
from pagegrade.parse.mail import domain_of
from pagegrade.render.notifications import invitation_message
from pagegrade.service.accounts.team import NewInvitation
from pagegrade.service.container import Services
from pagegrade.service.options import ServiceOptions
from pagegrade.service.rate_limit import HOUR_S, Bucket
from pagegrade.service.webhooks.deliveries import texts_of
from pagegrade.store.engine.database import Transaction
from pagegrade.store.repositories.accounts import list_addresses, load_account

MAILS_TO_ADDRESS: Final = 3
"""Invitations that an address gets within an hour, from all accounts together."""
MAILS_OF_ACCOUNT: Final = 20
"""Invitations that an account sends within an hour."""
DEADLINE_S: Final = 25.0
"""A person waits for it."""
ADDRESS: Final = "address"
DOMAIN: Final = "domain"
Mailed = Literal["sent", "refused", "unavailable"]
"""``refused``: the server knows no such recipient."""


def check_recipient(options: ServiceOptions, address: str) -> str:
    """Return an address to which invitations may be sent, without the space around it.

    Raises:
        InvalidInput: It is no address, or the operator allows no messages to its domain; ``reason`` says which.
    """
    cleaned = address.strip()
    if domain_of(cleaned) is None:
        raise InvalidInput("Must be an e-mail address like name@example.com.", reason=ADDRESS)
    if options.mail is None or not options.mail.allows(cleaned):
        raise InvalidInput("The operator allows no e-mail to this domain (PAGEGRADE_MAIL_DOMAINS).", reason=DOMAIN)
    return cleaned


async def count_mail(services: Services, caller: Caller, recipient: str) -> None:
    """Count an invitation that is about to be sent.

    Raises:
        RateLimited: The account sent too many, or the recipient got too many.
    """
    counters = (
        ("invitation mails of account", str(caller.account.id), MAILS_OF_ACCOUNT),
        ("invitation mails to address", recipient.casefold(), MAILS_TO_ADDRESS),
    )
    for kind, who, per_hour in counters:
        standing = await services.limits.take_now(Bucket((kind, who), per_hour, HOUR_S))
        if not standing.allowed:
            raise RateLimited(f"At most {per_hour} {kind} are sent within an hour.", retry_after_s=standing.reset_s)


def find_recipient(tx: Transaction, caller: Caller, recipient: str) -> Account:
    """Return the person who has an address; the caller, whose language is known, if it belongs to no person here."""
    folded = recipient.casefold()
    known = next((each for each, email in list_addresses(tx) if email.casefold() == folded), None)
    return (None if known is None else load_account(tx, known)) or caller.person


async def mail_invitation(
    services: Services, made: NewInvitation, *, caller: Caller, reader: Account, recipient: str, now_ms: int
) -> Mailed:
    """Hand the link of an invitation to the operator's mail server.

    Args:
        services: Of the process; it has a mail server.
        made: The invitation with its token.
        reader: In whose language and time zone the message is.
        recipient: As ``check_recipient`` returned it.
    """
    mail = invitation_message(
        texts_of(reader.locale),
        made.invitation,
        inviter=caller.person.name,
        workspace=caller.account.name,
        link=f"{services.options.base_url}/join/{made.token}",
        sender=sender_of(services.options),
        recipient=recipient,
        timezone=reader.timezone,
        at_ms=now_ms,
        brand=services.options.brand,
    )
    return await hand_over(services.options, mail, recipient=recipient)


def sender_of(options: ServiceOptions) -> str:
    """Return the address in ``From``; empty where no mail is sent."""
    return "" if options.mail is None else options.mail.sender


async def hand_over(options: ServiceOptions, mail: EmailMessage, *, recipient: str) -> Mailed:
    """Hand a message that a person waits for to the operator's mail server, once."""
    if options.mail is None:
        return "unavailable"
    try:
        async with asyncio.timeout(DEADLINE_S):
            result, _ = await send_mail_aside(
                options.mail.server, mail, sender=options.mail.sender, recipient=recipient
            )
    except TimeoutError:
        return "unavailable"
    return "sent" if result == "sent" else "refused" if result == "smtp_refused" else "unavailable"
