"""Create an account oneself, where the operator allows it: a link proves who has the address.

Nothing is stored until the link is used. It holds no address, which has to be typed again, and works as long as no
account has that address.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
import secrets
from typing import Final

from pagegrade.model.errors import NotFound, RateLimited
from pagegrade.render.i18n import Texts
from pagegrade.render.notifications import sign_up_message
from pagegrade.service.accounts.operations import hold_accounts
from pagegrade.service.accounts.sessions import NewPerson, start_as_new
from pagegrade.service.container import Services
from pagegrade.service.invitation_mail import MAILS_TO_ADDRESS, Mailed, hand_over, sender_of
from pagegrade.service.rate_limit import HOUR_S, Bucket
from pagegrade.store.engine.database import Transaction
from pagegrade.store.repositories.accounts import count_accounts, list_addresses
from pagegrade.store.repositories.installation import load_or_make_secret, load_secret

LINK_MS: Final = 24 * 3_600_000
"""So long a link works."""
MAILS_OF_CLIENT: Final = 10
"""Links that a client address can have sent within an hour."""
MAILS: Final = 200
"""Links that are sent within an hour, to all together."""
SECRET: Final = "sign-up"  # noqa: S105 - its name
"""Name of the bytes that sign links."""
_TOKEN: Final = re.compile(r"([0-9a-f]{8,10})-([A-Za-z0-9_-]{43})")


async def send_sign_up(services: Services, address: str, *, client: str, texts: Texts, now_ms: int) -> Mailed:
    """Send the link that creates an account; who has one gets a message that says so.

    Args:
        address: Of a person who may create an account (``ServiceOptions.may_sign_up``).
        client: Address that rate limits count.

    Raises:
        RateLimited: The client or the address had too many links, or all together had.
    """
    folded = address.casefold()
    for kind, who, per_hour in (
        ("sign-up mails of client", client, MAILS_OF_CLIENT),
        ("invitation mails to address", folded, MAILS_TO_ADDRESS),
        ("sign-up mails", "", MAILS),
    ):
        standing = await services.limits.take_now(Bucket((kind, who), per_hour, HOUR_S))
        if not standing.allowed:
            raise RateLimited(f"At most {per_hour} {kind} are sent within an hour.", retry_after_s=standing.reset_s)

    def prepare(tx: Transaction) -> tuple[bool, bytes]:
        is_known = any(email.casefold() == folded for _, email in list_addresses(tx))
        return is_known, load_or_make_secret(tx, SECRET)

    is_known, secret = await services.database.write(prepare)
    base_url = services.options.base_url
    mail = sign_up_message(
        texts,
        link=f"{base_url}/sign-in" if is_known else f"{base_url}/sign-up/{sign_address(secret, address, now_ms)}",
        is_known=is_known,
        sender=sender_of(services.options),
        recipient=address,
        message_id=f"sign-up-{secrets.token_hex(12)}",
        at_ms=now_ms,
        brand=services.options.brand,
    )
    return await hand_over(services.options, mail, recipient=address)


def sign_address(secret: bytes, address: str, now_ms: int) -> str:
    """Return the token of a link for an address; it works for ``LINK_MS``."""
    until = f"{(now_ms + LINK_MS) // 1000:08x}"
    return f"{until}-{_mac(secret, address, until)}"


def is_fresh(token: str, now_ms: int) -> bool:
    """Return whether a token looks like one that still works, whosever it is."""
    found = _TOKEN.fullmatch(token)
    return found is not None and now_ms < int(found[1], 16) * 1000


def proves(tx: Transaction, token: str, address: str, now_ms: int) -> bool:
    """Return whether a token was sent to an address, and still works."""
    secret, found = load_secret(tx, SECRET), _TOKEN.fullmatch(token)
    if secret is None or found is None or not is_fresh(token, now_ms):
        return False
    return hmac.compare_digest(found[2], _mac(secret, address.strip(), found[1]))


def finish_sign_up(tx: Transaction, new: NewPerson, *, now_ms: int) -> str:
    """Create an account for who has proved an address, and sign them in; returns the token of the new session.

    Raises:
        InvalidInput: Name or address cannot be used; ``reason`` says which.
        NotFound: There is no account yet: the first one administers the installation.
    """
    hold_accounts(tx)
    if not count_accounts(tx):
        raise NotFound
    return start_as_new(tx, new, now_ms=now_ms)[1]


def _mac(secret: bytes, address: str, until: str) -> str:
    content = f"{until}\0{address.casefold()}".encode("utf-8", "surrogatepass")
    return base64.urlsafe_b64encode(hmac.digest(secret, content, hashlib.sha256)).rstrip(b"=").decode("ascii")
