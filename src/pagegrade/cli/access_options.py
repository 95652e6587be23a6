"""The options that let an analysis in: what is sent to the origins of a page, and which certificates are trusted."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from getpass import getpass
from typing import TYPE_CHECKING, Final

import typer

from pagegrade.cli.files import read_file, typed_lines
from pagegrade.model.access import Access
from pagegrade.model.errors import InvalidInput
from pagegrade.parse.http.access import read_access, split_cookies, split_header
from pagegrade.parse.url import Target, origin
from pagegrade.render.escape import visible
from pagegrade.wiring import given_settings

if TYPE_CHECKING:
    from pydantic import SecretStr

_ACCESS_OPTIONS: Final = {
    "user": "--user",
    "password": "--user",
    "headers": "--header",
    "cookies": "--cookie",
    "user_agent": "--user-agent",
    "certificates": "--cacert",
    "origins": "--access-origin",
}
"""Part of an access -> the option that gives it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TypedAccess:
    """Access as typed at the terminal; what is not stands in the settings ``PAGEGRADE_ACCESS_*``."""

    user: str | None = field(default=None, repr=False)
    """``USER:PASSWORD``."""
    headers: tuple[str, ...] = field(default=(), repr=False)
    """``Name: value`` each."""
    cookies: tuple[str, ...] = field(default=(), repr=False)
    """``a=b; c=d`` each."""
    user_agent: str | None = None
    origins: tuple[str, ...] = ()
    certificates: str | None = None
    """In PEM."""

    def for_page(self, url: str) -> Access | None:
        """The access of a run: to its page's origin, unless others are named; ``None``: there is nothing to send.

        Raises:
            InvalidInput: A part cannot be used; ``reason`` names it.
        """
        given = given_settings()
        user = self.user
        if user is None and given is not None and given.access_user is not None:
            user = given.access_user.get_secret_value()
        headers = self.headers or _lines(None if given is None else given.access_headers)
        cookies = self.cookies or _lines(None if given is None else given.access_cookies)
        agent = self.user_agent if self.user_agent is not None or given is None else given.access_user_agent
        if not (user or headers or cookies or agent or self.certificates):
            return None
        name, _, password = (user or "").partition(":")
        return read_access(
            origins=self.origins or (() if given is None else given.access_origins) or (origin(url),),
            user=name,
            password=password,
            headers=map(split_header, headers),
            cookies=(pair for line in cookies for pair in split_cookies(line)),
            user_agent=agent or "",
            certificates=self.certificates or "",
        )


def typed_access(
    user: str | None,
    headers: Sequence[str],
    cookies: Sequence[str],
    *,
    user_agent: str | None,
    origins: Sequence[str],
    cacert: str | None,
) -> TypedAccess:
    """The options that let a run in, with those read that stand in a file, and a missing password asked for.

    Raises:
        typer.BadParameter: A file cannot be read, or there is no password.
    """
    given = None if user is None else "".join(typed_lines(user, "--user")[:1])
    if given is not None and ":" not in given:
        if not sys.stdin.isatty():
            raise typer.BadParameter(
                "The password is missing. Give NAME:PASSWORD, with nothing behind the colon if it is empty.",
                param_hint="'--user'",
            )
        given = f"{given}:{getpass(f'Password of {visible(given, 100)}: ')}"
    return TypedAccess(
        user=given,
        headers=tuple(line for typed in headers for line in typed_lines(typed, "--header")),
        cookies=tuple(line for typed in cookies for line in typed_lines(typed, "--cookie")),
        user_agent=user_agent,
        origins=tuple(origins),
        certificates=None if cacert is None else _read_certificates(cacert),
    )


def _read_certificates(path: str) -> str:
    """Return the text of a file of certificates; empty for an empty name.

    Raises:
        typer.BadParameter: It cannot be read, or is blank.
    """
    text = read_file(path, "--cacert").decode("utf-8", "replace") if path else ""
    if path and not text.strip():
        raise typer.BadParameter(f"{path} holds no certificate.", param_hint="'--cacert'")
    return text


def accesses_of(typed: TypedAccess, targets: Sequence[Target]) -> dict[Target, Access | None]:
    """Return each page with what is sent for it."""
    try:
        return {target: typed.for_page(target.url) for target in targets}
    except InvalidInput as error:
        option = _ACCESS_OPTIONS.get(error.reason or "")
        if option is None:
            raise
        raise typer.BadParameter(error.message, param_hint=f"'{option}'") from error


def _lines(secret: SecretStr | None) -> tuple[str, ...]:
    return tuple(line for line in ("" if secret is None else secret.get_secret_value()).splitlines() if line.strip())
