"""Chats and push services: the body that each takes, and the request that follows from the address a person enters.

The address is a URL that holds the secret. Where an API takes it in a header, it is sent there, because URLs get into
logs of the receiver and of what is before it.

Sources: https://docs.ntfy.sh/publish/, https://gotify.net/docs/pushmsg, https://core.telegram.org/bots/api#sendmessage,
https://spec.matrix.org/latest/client-server-api/#put_matrixclientv3roomsroomidsendeventtypetxnid
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final, Literal

import msgspec

from pagegrade.model.errors import InvalidURL
from pagegrade.model.webhooks import Kind
from pagegrade.render.notifications import (
    MAX_BYTES,
    SMALL_BYTES,
    Message,
    discord_body,
    gotify_body,
    matrix_body,
    ntfy_body,
    slack_body,
    teams_body,
    telegram_body,
)

_SECRET_START: Final = 8
"""Characters of a secret that tell that an answer repeats it: its end may be beyond what is read."""
_TOKEN: Final = r"(?P<token>[A-Za-z0-9._~+/=:-]{1,512})"  # noqa: S105 - a pattern
_NTFY: Final = re.compile(rf"(?P<url>https?://[^/?]+/)(?P<topic>[A-Za-z0-9_-]{{1,64}})(?:\?token={_TOKEN})?")
_GOTIFY: Final = re.compile(rf"(?P<url>https?://[^?]+/message)\?token={_TOKEN}")
_TELEGRAM: Final = re.compile(
    r"(?P<url>https?://[^/?]+/bot(?P<token>[0-9]{1,20}:[A-Za-z0-9_-]{1,100})/sendMessage)"
    r"\?chat_id=(?P<chat>-?[0-9]{1,20}|@[A-Za-z0-9_]{1,64})"
)
_MATRIX: Final = re.compile(
    rf"(?P<url>https?://[^?]+/_matrix/client/v3/rooms/[^/?]+/send/m\.room\.message)\?access_token={_TOKEN}"
)


class Destination(msgspec.Struct, frozen=True, kw_only=True):
    """The request for one message."""

    url: str
    method: Literal["POST", "PUT"] = "POST"
    headers: tuple[tuple[str, str], ...] = ()
    members: dict[str, str] = {}
    """More members of the JSON body."""
    secrets: tuple[str, ...] = ()
    """Parts of the address with which others could send or read."""

    def without_secrets(self, answer: bytes) -> bytes:
        """Return an answer that may be kept: empty where it repeats a secret."""
        return b"" if any(each[:_SECRET_START].encode() in answer for each in self.secrets) else answer


def _any(url: str, _transaction: str) -> Destination:
    return Destination(url=url)


def _ntfy(url: str, _transaction: str) -> Destination:
    found = _match(_NTFY, url, "https://ntfy.sh/TOPIC or https://ntfy.sh/TOPIC?token=TOKEN")
    token = found["token"]
    return Destination(
        url=found["url"],
        headers=(("Authorization", f"Bearer {token}"),) if token else (),
        members={"topic": found["topic"]},
        secrets=(found["topic"], token) if token else (found["topic"],),
    )


def _gotify(url: str, _transaction: str) -> Destination:
    found = _match(_GOTIFY, url, "https://gotify.example.com/message?token=TOKEN")
    return Destination(url=found["url"], headers=(("X-Gotify-Key", found["token"]),), secrets=(found["token"],))


def _telegram(url: str, _transaction: str) -> Destination:
    found = _match(_TELEGRAM, url, "https://api.telegram.org/botTOKEN/sendMessage?chat_id=ID")
    return Destination(url=found["url"], members={"chat_id": found["chat"]}, secrets=(found["token"],))


def _matrix(url: str, transaction: str) -> Destination:
    example = "https://HOMESERVER/_matrix/client/v3/rooms/ROOM/send/m.room.message?access_token=TOKEN"
    found = _match(_MATRIX, url, example)
    return Destination(
        url=f"{found['url']}/{transaction}",
        method="PUT",
        headers=(("Authorization", f"Bearer {found['token']}"),),
        secrets=(found["token"],),
    )


def _match(pattern: re.Pattern[str], url: str, example: str) -> re.Match[str]:
    found = pattern.fullmatch(url)
    if found is None:
        raise InvalidURL(f"Must be like {example}.", reason="not_a_receiver")
    return found


class Receiver(msgspec.Struct, frozen=True):
    """A chat or a push service."""

    body: Callable[[Message], dict[str, Any]]
    destination: Callable[[str, str], Destination] = _any
    """By (canonical URL that was entered, text that is the same in every repetition of a message); raises InvalidURL
    where it is not an address of this receiver."""
    room: int = MAX_BYTES
    """Bytes for the items of a message."""


RECEIVERS: Final[Mapping[Kind, Receiver]] = {
    "slack": Receiver(slack_body),
    "discord": Receiver(discord_body),
    "teams": Receiver(teams_body),
    "ntfy": Receiver(ntfy_body, _ntfy, SMALL_BYTES),
    "gotify": Receiver(gotify_body, _gotify),
    "telegram": Receiver(telegram_body, _telegram, SMALL_BYTES),
    "matrix": Receiver(matrix_body, _matrix),
}
