"""Where settings and the wishes of one call become the options of the use cases."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from pagegrade.model.errors import InvalidInput
from pagegrade.service.analysis import AnalyzeOptions, parse_networks
from pagegrade.service.judging import Thresholds

MAX_BUDGET_S: Final = 3600.0


def configured_options() -> AnalyzeOptions:
    """The options that the environment sets, the defaults otherwise.

    Raises:
        InvalidInput: A ``PAGEGRADE_*`` variable cannot be used; the message names it.
    """
    # Reading settings costs a quarter of a second of imports, which most calls from a terminal need not pay.
    if not any(name.upper().startswith("PAGEGRADE_") for name in os.environ):
        return AnalyzeOptions()
    from pagegrade.config import load_settings

    settings = load_settings()
    return AnalyzeOptions(
        budget_s=settings.run_budget_seconds,
        allow_networks=settings.allow_networks,
        allow_ports=settings.allow_ports,
        thresholds=Thresholds(good=settings.good_from, decent=settings.decent_from),
    )


def typed_options(
    *, budget_s: float | None = None, subresources: bool = True, allow_networks: Sequence[str] = ()
) -> AnalyzeOptions:
    """Options for addresses that the person at the terminal typed: these, and only these, may be private.

    Args:
        budget_s: Seconds, more than 0 and at most an hour; ``None``: as configured.
        subresources: Whether to fetch what the page refers to.
        allow_networks: CIDRs that may be reached besides the configured ones.

    Raises:
        InvalidInput: A setting or an argument cannot be used.
    """
    configured = configured_options()
    if budget_s is not None and not 0 < budget_s <= MAX_BUDGET_S:
        raise InvalidInput(
            f"--budget: {budget_s:g} seconds is no budget; give more than 0 and at most {MAX_BUDGET_S:g}."
        )
    networks = parse_networks(allow_networks)
    return replace(
        configured,
        budget_s=configured.budget_s if budget_s is None else budget_s,
        subresources=subresources,
        allow_networks=(*configured.allow_networks, *networks),
        allow_typed_private=True,
    )
