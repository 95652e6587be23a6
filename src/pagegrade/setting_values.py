"""Values of settings as operators write them, read into their one form.

A reader raises ``ValueError``, whose message says what to write instead.
"""

from __future__ import annotations

import re
from contextlib import suppress
from ipaddress import IPv4Network, IPv6Network, ip_network
from typing import Annotated, Any, Final

from pydantic import AfterValidator, BeforeValidator, Field, SecretStr
from pydantic_settings import NoDecode

from pagegrade.gather.outgoing_proxy import read_proxy
from pagegrade.model.account import read_group_rule, read_plan
from pagegrade.model.errors import InvalidURL, URLNotAllowed
from pagegrade.parse import url as urls
from pagegrade.parse.mail import domain_of, read_server

MIN_KEY_CHARACTERS: Final = 20
MAX_KEY_CHARACTERS: Final = 512
MIN_SECRET_KEY_CHARACTERS: Final = 32
"""Of ``BOOTSTRAP_API_KEY``, as of any key."""
_BASE_URL: Final = re.compile(r"([^/?#]*//[^/?#]+)((?:/[A-Za-z0-9._~-]{1,100}){0,8})/?")
"""Origin and path; the segments are written the same in URLs, cookies and configurations of proxies."""


def split(value: object) -> object:
    """The items of a comma-separated list, as text; blanks around them do not count."""
    return [item.strip() for item in value.split(",") if item.strip()] if isinstance(value, str) else value


def _read_network(value: object) -> object:
    # Read here, because a union of two types would report two errors for a wrong value.
    return ip_network(value, strict=False) if isinstance(value, str) else value


def _read_origin(value: str) -> str:
    """An origin in its one form: scheme, host and a port that is not the scheme's own, no slash at the end."""
    found = urls.origin(value)
    if not found or value.rstrip("/").lower() not in {found, _with_port(found)}:
        raise ValueError("give an origin such as https://reports.example.org, without a path")
    return found


def _read_base_url(value: str) -> str:
    """A public URL in its one form: an origin, and below it the path of the service without a slash at the end."""
    found = _BASE_URL.fullmatch(value)
    if found is not None and {".", ".."}.isdisjoint(found[2].split("/")):
        with suppress(ValueError):
            return _read_origin(found[1]) + found[2]
    raise ValueError(
        "give the URL that people use, such as https://reports.example.org or, below a path, "
        "https://example.org/pagegrade"
    )


def _with_port(origin: str) -> str:
    return f"{origin}:{urls.port(origin)}"


def read_cors_origin(value: str) -> str:
    """An origin in its one form, or ``*``."""
    return value if value == "*" else _read_origin(value)


def check_key(value: SecretStr) -> SecretStr:
    """Refuse what cannot be an API key."""
    text = value.get_secret_value()
    if not MIN_KEY_CHARACTERS <= len(text) <= MAX_KEY_CHARACTERS or not all("!" <= c <= "~" for c in text):
        raise ValueError(f"a key is {MIN_KEY_CHARACTERS} to {MAX_KEY_CHARACTERS} visible ASCII characters, no blanks")
    return value


def check_secret_key(value: SecretStr) -> SecretStr:
    """Refuse keys, separated by commas, of which one is too short."""
    for text in value.get_secret_value().split(","):
        if len(text.strip()) < MIN_SECRET_KEY_CHARACTERS or not all("!" <= c <= "~" for c in text.strip()):
            raise ValueError(
                f"a key is {MIN_SECRET_KEY_CHARACTERS} or more visible ASCII characters, such as those of "
                "`openssl rand -hex 32`"
            )
    return value


def check_smtp(value: SecretStr) -> SecretStr:
    """Refuse what is no URL of a mail server."""
    try:
        read_server(value.get_secret_value())
    except ValueError:
        # A message of the parser might quote the password.
        raise ValueError("give smtp://USER:PASSWORD@HOST:PORT or smtps://USER:PASSWORD@HOST:PORT") from None
    return value


def check_proxy(value: SecretStr) -> SecretStr:
    """Refuse what is no URL of a proxy."""
    try:
        read_proxy(value.get_secret_value())
    except ValueError as error:
        # Of our own reader, which repeats nothing of the URL; that of a parser might quote the password.
        raise ValueError(str(error)) from None
    return value


def check_address(value: str) -> str:
    """Refuse what is no mail address."""
    if domain_of(value) is None:
        raise ValueError("give an address such as pagegrade@example.org")
    return value


def lower(value: object) -> object:
    """Text in lower case; anything else as it is."""
    return value.lower() if isinstance(value, str) else value


def _read_host(value: str) -> str:
    """A host in its one form: ASCII, lower case."""
    found = urls.host(f"http://{value}/")
    if "/" in value or urls.host_problem(found) is not None:
        raise ValueError("give a host such as example.org, without a scheme or path")
    return found


def read_issuer(value: str) -> str:
    """The URL of a provider, exactly as it is given: the provider has to call itself so."""
    try:
        read = urls.parse_target_url(value)
    except (InvalidURL, URLNotAllowed):
        read = None
    if read is None or read.url.rstrip("/") != value.rstrip("/") or "?" in value:
        raise ValueError("give a URL such as https://login.example.org/realms/office, without a query")
    if urls.scheme(value) != "https" and not urls.is_nearby(urls.host(value)):
        raise ValueError("give a URL that begins with https://, or http:// for a host of your own network")
    return value


Pages = Annotated[int, Field(ge=1, le=100_000)]
Hosts = Annotated[tuple[Annotated[str, AfterValidator(_read_host)], ...], NoDecode, BeforeValidator(split)]
Network = Annotated[IPv4Network | IPv6Network, BeforeValidator(_read_network)]
Networks = Annotated[tuple[Network, ...], NoDecode, BeforeValidator(split)]
Port = Annotated[int, Field(ge=1, le=65535)]
Score = Annotated[int, Field(ge=0, le=100)]
Plan = Annotated[Any, AfterValidator(read_plan)]
GroupRules = Annotated[tuple[Annotated[Any, AfterValidator(read_group_rule)], ...], NoDecode, BeforeValidator(split)]
Count = Annotated[int, Field(ge=1, le=1_000_000_000)]
BaseURL = Annotated[str, AfterValidator(_read_base_url)]
