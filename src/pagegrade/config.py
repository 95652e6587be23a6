"""Settings from the environment, read once at the edge. Slow to import: only ``wiring`` does, when it must."""

from __future__ import annotations

from collections.abc import Mapping
from ipaddress import IPv4Network, IPv6Network, ip_network
from typing import Annotated, Final, Self

from pydantic import BeforeValidator, Field, ValidationError, model_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from pagegrade.model.errors import InvalidInput

PREFIX: Final = "PAGEGRADE_"


def _split(value: object) -> object:
    """The items of a comma-separated list, as text; blanks around them do not count."""
    return [item.strip() for item in value.split(",") if item.strip()] if isinstance(value, str) else value


def _read_network(value: object) -> object:
    # Read here, because a choice of two types would tell a wrong value two errors.
    return ip_network(value, strict=False) if isinstance(value, str) else value


Network = Annotated[IPv4Network | IPv6Network, BeforeValidator(_read_network)]
Port = Annotated[int, Field(ge=1, le=65535)]
Score = Annotated[int, Field(ge=0, le=100)]


class Settings(BaseSettings):
    """Everything an operator can set; the variable is the field's name in capitals after ``PAGEGRADE_``."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, env_ignore_empty=True, extra="ignore", frozen=True)

    allow_networks: Annotated[
        tuple[Network, ...],
        NoDecode,
        BeforeValidator(_split),
        Field(description="Comma-separated CIDRs of your own networks, reachable on any port."),
    ] = ()
    allow_ports: Annotated[
        tuple[Port, ...],
        NoDecode,
        BeforeValidator(_split),
        Field(min_length=1, description="Comma-separated ports that may be contacted."),
    ] = (80, 443, 8080, 8443)
    run_budget_seconds: Annotated[
        float, Field(gt=0, le=3600, description="Time for everything one analysis asks the network for, in seconds.")
    ] = 60.0
    good_from: Annotated[Score, Field(description="Score from which a page is good, 0 to 100.")] = 80
    decent_from: Annotated[Score, Field(description="Score from which a page is decent, at most GOOD_FROM.")] = 50

    @model_validator(mode="after")
    def _order(self) -> Self:
        if self.decent_from > self.good_from:
            raise ValueError(f"DECENT_FROM ({self.decent_from}) must not be above GOOD_FROM ({self.good_from})")
        return self


def load_settings() -> Settings:
    """The settings of this process.

    Raises:
        InvalidInput: A variable has a value that cannot be used; the message names it.
    """
    try:
        return Settings()
    except ValidationError as error:
        first = error.errors()[0]
        place = [str(part) for part in first["loc"]]
        name = f"{PREFIX}{place[0].upper()}" if place else f"{PREFIX}*"
        value = first.get("input")
        shown = "" if not place or isinstance(value, Mapping) else f"={value!r}"
        message = first["msg"].removeprefix("Value error, ")
        raise InvalidInput(
            f"The setting {name}{shown} cannot be used: {message}. Change or unset the variable."
        ) from None
