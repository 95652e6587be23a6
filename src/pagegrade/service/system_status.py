"""The installation as the one who runs it sees it: how busy, how large, how it is set, and what ails it."""

from __future__ import annotations

import platform
import shutil
import time
from collections.abc import Iterable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Final

import msgspec

from pagegrade.gather.transfer import libcurl_version
from pagegrade.model.account import Caller
from pagegrade.model.identity import VERSION
from pagegrade.model.report import RULESET
from pagegrade.model.stored import Priority
from pagegrade.service.container import Services
from pagegrade.service.doctor.machine import (
    Diagnosis,
    look_at_clock,
    look_at_guard,
    look_at_name_servers,
    look_at_proxy,
    look_at_versions,
)
from pagegrade.service.doctor.postgresql import look_at_postgres, server_version
from pagegrade.service.doctor.storage import (
    behind_clock_ms,
    look_at_crawls,
    look_at_database,
    look_at_folder,
    look_at_queue,
    look_at_sqlite,
    newest_row_ms,
)
from pagegrade.service.options import ServiceOptions, setting_of
from pagegrade.store.engine.database import Database, Transaction, is_shared
from pagegrade.store.queue.length import QueueState, Reason, count_by_reason, count_waiting, queue_state
from pagegrade.store.queue.postgresql_inspection import Use, look_at_use
from pagegrade.store.repositories.accounts import count_accounts, count_admins
from pagegrade.store.repositories.crawls import CrawlFigures, count_crawls
from pagegrade.store.repositories.installation import read_clock
from pagegrade.store.repositories.monitors import count_all, earliest_due_ms
from pagegrade.store.repositories.retention import Sizes, measure
from pagegrade.store.repositories.webhooks import count_waiting as count_waiting_deliveries
from pagegrade.store.schema.sqlite_inspection import SQLITE_VERSION

HIDDEN: Final = "(hidden)"
UNSET: Final = ""
GROUPS: Final = frozenset({"analyze", "brand", "mail", "provider"})
"""Options that hold several settings, each of which ``settings_in_force`` names."""


class SystemState(msgspec.Struct, frozen=True, kw_only=True):
    """The installation at one moment."""

    queue: QueueState
    reasons: Mapping[Reason, int]
    """Number of runs that wait, by what they wait for."""
    crawls: CrawlFigures
    sizes: Sizes
    free_bytes: int | None
    """On the disk of the database; ``None``: unknown."""
    workers: int
    """Analyses at the same time in this process."""
    idle_s: float | None
    """Seconds since the workers of this process last looked for work; ``None``: they never did."""
    versions: tuple[tuple[str, str], ...]
    """(what, which)."""
    settings: tuple[tuple[str, str], ...]
    """(variable, value in force); a secret that is set is ``HIDDEN``, what is not set is ``UNSET``."""
    diagnoses: tuple[Diagnosis, ...]


def look_at_system(services: Services, now_ms: int, *, all_of_it: bool = False) -> SystemState:
    """Look at everything; takes tens of milliseconds and more, so in a thread.

    Args:
        all_of_it: Whether to read the whole database in search of damage.

    Raises:
        Unavailable: The database cannot be read.
    """

    def work(tx: Transaction) -> tuple[QueueState, Mapping[Reason, int], CrawlFigures, Sizes]:
        options = services.options
        crawls = count_crawls(tx, now_ms=now_ms, account_crawls=options.account_crawls)
        return queue_state(tx, now_ms), _count_by_reason(tx, now_ms, options), crawls, measure(tx)

    queue, reasons, crawls, sizes = services.database.read_here(work)
    idle_s = None if services.worked_at_s is None else time.monotonic() - services.worked_at_s
    return SystemState(
        queue=queue,
        reasons=reasons,
        crawls=crawls,
        sizes=sizes,
        free_bytes=None if services.database.path is None else _free_bytes(services.database.path),
        workers=services.options.workers,
        idle_s=idle_s,
        versions=versions_in_use(services.database),
        settings=settings_in_force(services.options),
        diagnoses=tuple(_diagnose(services, now_ms, all_of_it=all_of_it)),
    )


def _count_by_reason(tx: Transaction, now_ms: int, options: ServiceOptions) -> Mapping[Reason, int]:
    return count_by_reason(tx, now_ms, target_runs=options.target_runs, per_minute=options.target_runs_per_minute)


def versions_in_use(database: Database) -> tuple[tuple[str, str], ...]:
    """(what, which version) of what decides how this process behaves; a server that does not answer has none."""
    kept_by = ("PostgreSQL", server_version(database)) if database.shared else ("SQLite", SQLITE_VERSION)
    return (
        ("Pagegrade", VERSION),
        ("Ruleset", RULESET),
        ("Python", platform.python_version()),
        kept_by,
        ("libcurl", libcurl_version()),
        ("System", f"{platform.system()} {platform.release()} ({platform.machine()})"),
    )


def settings_in_force(options: ServiceOptions) -> tuple[tuple[str, str], ...]:
    """Return (variable, value) of everything that an operator can decide, sorted by variable."""
    analyze, proxy, provider = options.analyze, options.analyze.proxy, options.provider
    values: dict[str, object] = {
        setting_of(each.name): getattr(options, each.name) for each in fields(options) if each.name not in GROUPS
    }
    values |= {
        "allow_networks": analyze.allow_networks,
        "allow_ports": analyze.allow_ports,
        "brand_color": options.brand.color or None,
        "brand_credit": options.brand.credit,
        "brand_footer": options.brand.footer or None,
        "brand_logo": ("set" if options.brand.logo else None),
        "brand_name": options.brand.name or None,
        "browser": options.browser or analyze.browser,
        "ca_file": ("set" if analyze.authorities else None),
        "decent_from": analyze.thresholds.decent,
        "deny_hosts": analyze.deny_hosts,
        "deny_networks": analyze.deny_networks,
        "good_from": analyze.thresholds.good,
        "mail_domains": options.mail and options.mail.domains,
        "mail_from": options.mail and options.mail.sender,
        "metrics_token": options.metrics_token and HIDDEN,
        "no_proxy": proxy and proxy.direct.shown,
        "oidc_client_id": provider and provider.client_id,
        "oidc_client_secret": provider and provider.client_secret and HIDDEN,
        "oidc_groups": provider
        and tuple(f"{each.group}: {each.account_id} {each.role.name.lower()}" for each in provider.groups),
        "oidc_groups_claim": provider and provider.groups_claim,
        "oidc_issuer": provider and provider.issuer,
        "oidc_name": provider and provider.name,
        "oidc_scopes": provider and provider.scopes,
        "oidc_sign_up": provider is not None and provider.sign_up,
        "proxy": proxy and proxy.url,
        "proxy_resolves": proxy is not None and proxy.resolves,
        "render_loads": analyze.render_loads,
        "run_budget_seconds": analyze.budget_s,
        "smtp_url": options.mail and HIDDEN,
    }
    return tuple((f"PAGEGRADE_{name.upper()}", _readable(value)) for name, value in sorted(values.items()))


def _readable(value: object) -> str:
    """Return a value as an operator would set it."""
    match value:
        case None | ():
            return UNSET
        case bool():
            return str(value).lower()
        case float():
            return f"{value:g}"
        case tuple():
            return ", ".join(map(str, value))
        case _:
            return str(value)


def _diagnose(services: Services, now_ms: int, *, all_of_it: bool) -> Iterable[Diagnosis]:
    database = services.database
    yield from look_at_versions()
    if database.path is None:
        silent_ms = int(services.options.lease_s * 1000)
        yield from look_at_postgres(database, connections=services.options.database_connections, silent_ms=silent_ms)
    else:
        yield look_at_sqlite()
        yield from look_at_folder(database.path.absolute().parent)
        yield from look_at_database(database, all_of_it=all_of_it)
    yield from look_at_queue(
        database,
        now_ms,
        target_runs=services.options.target_runs,
        per_minute=services.options.target_runs_per_minute,
    )
    yield from look_at_crawls(database, now_ms, services.options.account_crawls)
    yield look_at_clock(now_ms, newest_row_ms(database), behind_clock_ms(database, now_ms))
    yield from look_at_guard(services.options.analyze)
    yield from look_at_proxy(services.options.analyze)
    yield look_at_name_servers()


def _free_bytes(path: Path) -> int | None:
    try:
        return shutil.disk_usage(path.absolute().parent).free
    except OSError:
        return None


class QueueFigures(msgspec.Struct, frozen=True, kw_only=True):
    """The queue and the database server at one moment, for metrics."""

    queue: QueueState
    waiting: Mapping[Priority, int]
    reasons: Mapping[Reason, int]
    crawls: CrawlFigures
    server: Use | None
    """``None``: the database is a file."""
    monitors: tuple[int, int]
    """(active, paused)."""
    overdue_ms: int
    """For how long the monitor that is due for the longest has been; 0 when none is."""
    deliveries: int
    """That wait to be sent, also those that are tried again later."""
    oldest_delivery_ms: int
    """For how long the oldest of them has been waiting; 0 when there is none."""
    behind_clock_ms: int
    """By how much the time by which rows are aged and deleted is behind the clock."""


def measure_queue(tx: Transaction, now_ms: int, options: ServiceOptions) -> QueueFigures:
    """Return how long the queue is, how much of the database server is used, and how late monitors and messages are."""
    earliest_ms = earliest_due_ms(tx)
    deliveries, oldest_ms = count_waiting_deliveries(tx)
    return QueueFigures(
        queue=queue_state(tx, now_ms),
        waiting=count_waiting(tx),
        reasons=_count_by_reason(tx, now_ms, options),
        crawls=count_crawls(tx, now_ms=now_ms, account_crawls=options.account_crawls),
        server=look_at_use(tx) if is_shared(tx) else None,
        monitors=count_all(tx),
        overdue_ms=0 if earliest_ms is None else max(0, now_ms - earliest_ms),
        deliveries=deliveries,
        oldest_delivery_ms=0 if oldest_ms is None else max(0, now_ms - oldest_ms),
        behind_clock_ms=read_clock(tx, now_ms).behind_ms,
    )


def find_overview(tx: Transaction, _caller: Caller, now_ms: int) -> tuple[int, int, QueueState]:
    """Return the number of accounts, that of administrators, and how long the queue is."""
    return count_accounts(tx), count_admins(tx), queue_state(tx, now_ms)
