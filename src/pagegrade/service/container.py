"""What one process shares between all requests and workers."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from pagegrade.observability.events import Observation
from pagegrade.observability.tracing import NO_TRACING, Tracing
from pagegrade.sandbox.fair_slots import FairSlots
from pagegrade.service.accounts.access import KeyUses
from pagegrade.service.accounts.login_throttle import Guesses, SignInGuesses, windows_of
from pagegrade.service.accounts.passwords import Passwords
from pagegrade.service.health import Health
from pagegrade.service.options import ServiceOptions
from pagegrade.service.pdf_pool import Documents
from pagegrade.service.rate_limit import Limits, limits_of
from pagegrade.service.reports.events import Changes
from pagegrade.store.engine.database import Database

SITEMAPS_AT_ONCE: Final = 2
"""Somebody waits for each, and each takes a process of its own."""


def _nothing() -> None:
    """Nobody to wake, or to tell."""


@dataclass(slots=True, kw_only=True)
class Services:
    """Made once by ``wiring``, handed to the web and to the workers."""

    database: Database
    options: ServiceOptions = field(default_factory=ServiceOptions)
    changes: Changes = field(default_factory=Changes)
    """Tells those who wait that a report has changed."""
    limits: Limits = field(init=False)
    """How often each key and each client address may ask."""
    key_uses: KeyUses = field(default_factory=KeyUses)
    """When keys were used; somebody has to save it now and then."""
    passwords: Passwords = field(default_factory=Passwords)
    """Hashes passwords, a few at a time."""
    documents: Documents = field(default_factory=Documents)
    """Makes PDFs, a few at a time."""
    guesses: Guesses = field(init=False)
    """How often share passwords were guessed."""
    sign_in_guesses: SignInGuesses = field(init=False)
    """How often passwords of accounts were guessed."""
    sitemap_slots: FairSlots = field(default_factory=lambda: FairSlots(SITEMAPS_AT_ONCE, spare=SITEMAPS_AT_ONCE))
    """One for each sitemap that may be read at the same time, shared between accounts."""
    process: str = field(default_factory=lambda: secrets.token_hex(8))
    """Names this process among all that ever ran: who holds a lease, who answers a request."""
    wake: Callable[[], None] = _nothing
    """Tells the workers that a run is waiting, those of this process first; from any thread."""
    tell_job: Callable[[], None] = _nothing
    """Tells the workers of other processes."""
    peers: int = 1
    """Processes that work on this database now, this one included, as far as we know."""
    worked_at_s: float | None = None
    """When the workers last looked for work, by the monotonic clock; ``None``: they never did."""
    observation: Observation = field(default_factory=Observation)
    """Counts and logs what happens."""
    tracing: Tracing = NO_TRACING
    """Says where the time went, if somebody wants to know."""
    health: Health = field(init=False)
    """Whether the database can be used right now."""
    draining: bool = False
    """The process was told to stop: it accepts no new work."""

    def __post_init__(self) -> None:
        self.limits = limits_of(self.database)
        self.guesses = Guesses(windows_of(self.database))
        self.sign_in_guesses = SignInGuesses(windows_of(self.database))
        self.health = Health(self.database)
        self.database.on_commit = self.observation.group_written
