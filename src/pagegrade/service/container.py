"""Objects that all requests and workers of one process share."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from pagegrade.observability.events import Observation
from pagegrade.observability.tracing import NO_TRACING, Tracing
from pagegrade.sandbox.fair_slots import FairSlots
from pagegrade.service.access.operations import Vault
from pagegrade.service.accounts.access import KeyUses
from pagegrade.service.accounts.passwords import PasswordAttempts, Passwords, SignInAttempts
from pagegrade.service.health import Health
from pagegrade.service.options import ServiceOptions
from pagegrade.service.pdf_pool import Documents
from pagegrade.service.rate_limit import Buckets, buckets_of
from pagegrade.service.reports.events import Changes, Waits
from pagegrade.service.unit_of_work import search_slots
from pagegrade.store.engine.database import Database

LARGE_PAGES_AT_ONCE: Final = 2
"""Runs that may hold more than ``held_bytes.SHARE_BYTES``, and one more of an account that has none."""
LARGE_PAGE_WAIT_S: Final = 60.0
"""As long as a run may take for everything that is asked of the network."""
SITEMAPS_AT_ONCE: Final = 2
"""A person waits for each, and each takes a process of its own."""
SITEMAP_WAIT_S: Final = 10.0
"""Half of the time for a whole sitemap."""
SITEMAPS_WAITING: Final = 8
"""Of one account; each keeps a connection."""


def _sitemap_slots() -> FairSlots:
    return FairSlots(SITEMAPS_AT_ONCE, spare=SITEMAPS_AT_ONCE, wait_s=SITEMAP_WAIT_S, line=SITEMAPS_WAITING)


def _large_page_slots() -> FairSlots:
    return FairSlots(LARGE_PAGES_AT_ONCE, spare=1, wait_s=LARGE_PAGE_WAIT_S)


def _nothing() -> None:
    """Notify no one."""


def _none() -> int:
    """Return 0: nobody counts."""
    return 0


@dataclass(slots=True, kw_only=True)
class Services:
    """Made once by ``wiring``, handed to the web and to the workers."""

    database: Database
    options: ServiceOptions = field(default_factory=ServiceOptions)
    changes: Changes = field(default_factory=Changes)
    """Notifies waiting requests that a report has changed."""
    waits: Waits = field(default_factory=Waits)
    """Requests that wait for a report."""
    limits: Buckets = field(init=False)
    """Rate limits of keys and client addresses."""
    key_uses: KeyUses = field(default_factory=KeyUses)
    """Times of last use of keys, saved at intervals."""
    passwords: Passwords = field(default_factory=Passwords)
    """Hashes passwords, a few at a time."""
    documents: Documents = field(default_factory=Documents)
    """Makes PDFs, a few at a time."""
    password_attempts: PasswordAttempts = field(init=False)
    """Failed attempts at share passwords."""
    sign_in_attempts: SignInAttempts = field(init=False)
    """Failed attempts at account passwords."""
    sitemap_slots: FairSlots = field(default_factory=_sitemap_slots)
    """One for each sitemap that may be read at the same time, shared between accounts."""
    large_pages: FairSlots = field(default_factory=_large_page_slots)
    """One for each run that may hold much of its page at the same time, shared between accounts."""
    search_slots: FairSlots = field(default_factory=search_slots)
    """One for each search in lists of reports at the same time, shared between accounts."""
    process: str = field(default_factory=lambda: secrets.token_hex(8))
    """Names this process among all that ever ran: who holds a lease, who answers a request."""
    wake: Callable[[], None] = _nothing
    """Notifies the workers that a run is waiting, those of this process first; from any thread."""
    wake_crawls: Callable[[], None] = _nothing
    """Notifies the workers of this process that a crawl is waiting; from any thread."""
    notify_job: Callable[[], None] = _nothing
    """Notifies the workers of other processes."""
    peers: int = 1
    """Processes that work on this database now, this one included, as far as we know."""
    awaits_browser: bool = False
    """Another process draws the pages that a browser is wanted for, or may come back to do so."""
    runs_that_draw: Callable[[], int] = _none
    """Number of runs of this process that have the place of a browser."""
    crawls_that_draw: int = 0
    """Crawls of this process that have the place of a browser, or the next one: 0 or 1."""
    browser_freed: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when a run of this process ends."""
    crawl_draws: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Held while a crawl draws a page or waits for a browser."""
    worked_at_s: float | None = None
    """Last time that the workers looked for work, by the monotonic clock; ``None`` before the first time."""
    stalled_runs: int = 0
    """Runs of this process that make no progress, and that it could not end yet."""
    observation: Observation = field(default_factory=Observation)
    """Counts and logs what happens."""
    tracing: Tracing = NO_TRACING
    """Records traces, if they are enabled."""
    vault: Vault = field(default_factory=Vault)
    """Encrypts and decrypts the secrets of access profiles."""
    health: Health = field(init=False)
    """Health checks of the database."""
    draining: bool = False
    """The process received a stop signal and accepts no new work."""

    def __post_init__(self) -> None:
        # Each has buckets of its own: many clients at one must not make another forget.
        self.limits = buckets_of(self.database)
        self.password_attempts = PasswordAttempts(buckets_of(self.database))
        self.sign_in_attempts = SignInAttempts(buckets_of(self.database))
        self.health = Health(self.database)
        self.database.on_commit = self.observation.group_written
