"""Convert settings and the options of one call into the options of the use cases."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Sequence
from dataclasses import fields, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

import msgspec

from pagegrade.model.errors import InvalidInput
from pagegrade.model.outcome import IgnoreRule
from pagegrade.model.rendering import Device
from pagegrade.model.report import Thresholds
from pagegrade.service.runs.options import AnalyzeOptions, parse_networks

if TYPE_CHECKING:
    from pydantic import SecretStr

    from pagegrade.config import Settings
    from pagegrade.gather.browser.options import RenderOptions
    from pagegrade.gather.outgoing_proxy import OutgoingProxy
    from pagegrade.model.account import Brand
    from pagegrade.observability.logs import Lines
    from pagegrade.observability.tracing import Tracing
    from pagegrade.service.access.operations import Vault
    from pagegrade.service.container import Services
    from pagegrade.service.options import MailOptions, RenderDefault, ServiceOptions
    from pagegrade.store.engine.database import Database
    from pagegrade.store.pubsub.notifications import Notices

logger = logging.getLogger(__name__)
_env_file: Path | None = None
"""File that settings are read from besides the environment."""

MAX_BUDGET_S: Final = 3600.0
AUDIT_DATABASE_NAME: Final = "audit.db"


class ServerOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Options of one server process beside those of the service."""

    hosts: tuple[str, ...]
    """Addresses to listen on, at least one."""
    port: int
    data_folder: Path | None
    """Made, and this user may write there; ``None``: everything is kept by a PostgreSQL server."""
    database_wait_s: float
    """Seconds to wait at the start for a server that does not respond."""
    migrates: bool
    """True if it brings the tables to its version as it starts."""
    bootstrap_api_key: str | None
    """The owner's first key on an empty database; ``None``: make one."""
    log_format: Literal["auto", "console", "json"]
    log_level: Literal["debug", "info", "warning", "error"]
    is_origin_known: bool = True
    """True if the operator said where people find this installation."""
    warnings: tuple[str, ...] = ()
    """Sentences about settings that are set and mean nothing."""


def configured_options() -> AnalyzeOptions:
    """The options that the environment sets, the defaults otherwise.

    Raises:
        InvalidInput: A ``PAGEGRADE_*`` variable cannot be used; the message names it.
    """
    # Reading settings costs a quarter of a second of imports, which most calls from a terminal need not pay.
    settings = given_settings()
    return AnalyzeOptions(proxies=_proxies()) if settings is None else _analyze_options(settings)


def configured_render() -> RenderDefault:
    """Return ``PAGEGRADE_RENDER``.

    Raises:
        InvalidInput: A setting cannot be used.
    """
    return _settings().render


class Rendered(msgspec.Struct, frozen=True, kw_only=True):
    """Options of the rendered engine as typed at the terminal."""

    device: Device = "mobile"
    network: str = ""
    """Name of a network shape; empty for that of the device."""
    cpu_slowdown: float = 1.0
    """Factor by which the page's processor is slowed down, 1 to 20."""
    trace: Path | None = None
    """File for the trace of the last load."""


def typed_options(
    *,
    budget_s: float | None = None,
    subresources: bool = True,
    allow_networks: Sequence[str] = (),
    render: Rendered | None = None,
    ignores: tuple[IgnoreRule, ...] = (),
    proxy: str | None = None,
) -> AnalyzeOptions:
    """Options for addresses that the person at the terminal typed: these, and only these, may be private.

    Args:
        budget_s: Seconds, more than 0 and at most an hour; ``None``: as configured.
        subresources: Whether to fetch what the page refers to.
        render: Options of the rendered engine; ``None``: static analysis alone.
        ignores: Ignore rules for every page.
        proxy: URL of the proxy; ``None``: as configured.

    Raises:
        InvalidInput: A setting or an argument cannot be used, or there is no browser.
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
        ignores=ignores,
        proxy=configured.proxy if proxy is None else _proxy(_settings(), proxy),
        render=None if render is None else _render_options(configured, render),
    )


def _render_options(configured: AnalyzeOptions, wanted: Rendered) -> RenderOptions:
    from pagegrade.gather.browser.options import RenderOptions

    program = _find_browser(configured.browser, wanted_by="--render")
    return RenderOptions(
        program=program,
        device=wanted.device,
        network=wanted.network or wanted.device,
        loads=configured.render_loads,
        cpu_slowdown=wanted.cpu_slowdown,
        trace=wanted.trace,
    )


def _find_browser(configured: str | None, *, wanted_by: str) -> Path:
    """Return the program of the browser.

    Raises:
        InvalidInput: There is none; the message begins with who wants it and says how to get one.
    """
    from pagegrade.gather.browser.options import HOW_TO_GET_ONE, find_browser

    program = find_browser(configured)
    if program is None:
        missing = "There is no browser on this machine"
        if configured is not None:
            missing = f"PAGEGRADE_BROWSER: {configured} is no program that can be run"
        raise InvalidInput(f"{wanted_by}: {missing}. {HOW_TO_GET_ONE}", reason="no_browser")
    return program


def _browser_of_service(settings: Settings, workers: int) -> Path | None:
    """Return the browser of a process that runs so many analyses at a time; ``None`` if it has none."""
    from pagegrade.gather.browser.options import find_browser

    if settings.render == "never" or sys.platform != "linux" or not workers:
        return None
    return find_browser(settings.browser)


def require_browser(options: ServiceOptions) -> None:
    """Check at the start of a process that it can draw all pages, where it is set to.

    Raises:
        InvalidInput: ``PAGEGRADE_RENDER`` is ``always`` and there is no browser; the message says how to get one.
    """
    if options.render != "always" or options.browser is not None or not options.workers:
        return
    if sys.platform != "linux":
        raise InvalidInput("PAGEGRADE_RENDER=always: the service isolates browsers on Linux only.", reason="no_browser")
    _find_browser(options.analyze.browser, wanted_by="PAGEGRADE_RENDER=always")


def service_options(
    *, hosts: Sequence[str] = (), port: int | None = None, workers: int | None = None
) -> ServiceOptions:
    """The options of the service as configured; an argument that is given wins over its setting.

    Raises:
        InvalidInput: A setting cannot be used.
    """
    from pagegrade.gather.resolver import origin_of
    from pagegrade.model.stored import Privacy
    from pagegrade.service.options import ServiceOptions, setting_of

    settings = _settings()
    slots = settings.workers if workers is None else workers
    base_url = settings.base_url or origin_of(_hosts(settings, hosts), settings.port if port is None else port)
    names = {each.name: setting_of(each.name) for each in fields(ServiceOptions)}
    given = {name: getattr(settings, setting) for name, setting in names.items() if hasattr(settings, setting)}
    derived: dict[str, Any] = {
        "base_url": base_url,
        "default_privacy": Privacy(settings.default_privacy),
        "metrics_token": _plain(settings.metrics_token),
        "mail": _mail_options(settings, base_url),
        "brand": _brand(settings),
        "workers": slots,
        "browser": _browser_of_service(settings, slots),
        "browsers": settings.browsers or max(1, (os.cpu_count() or 1) // 2),
        "analyze": _analyze_options(settings),
    }
    return ServiceOptions(**(given | derived))


def server_options(*, hosts: Sequence[str] = (), port: int | None = None) -> ServerOptions:
    """Prepare the start of a long-running process; creates the data folder if it is needed and missing.

    Raises:
        InvalidInput: A setting or the data folder cannot be used.
    """
    from pagegrade.config import given_settings, unknown_settings
    from pagegrade.store.engine.database import is_shared_url

    settings = _settings()
    shared = is_shared_url(planned_places()[1])
    return ServerOptions(
        hosts=_hosts(settings, hosts),
        port=settings.port if port is None else port,
        data_folder=None if shared else data_folder(),
        database_wait_s=settings.database_wait_seconds,
        migrates=settings.migrate == "auto",
        bootstrap_api_key=_plain(settings.bootstrap_api_key),
        log_format=settings.log_format,
        log_level=settings.log_level,
        warnings=(
            *unknown_settings(given_settings(_env_file)),
            *_system_warnings(sys.platform),
            *_key_warnings(make_vault()),
        ),
        is_origin_known=settings.base_url is not None,
    )


def _system_warnings(platform: str) -> tuple[str, ...]:
    if platform == "linux":
        return ()
    return (f"The service needs Linux to limit the memory of hostile pages; {platform} is for trials only.",)


def _key_warnings(vault: Vault) -> tuple[str, ...]:
    if vault.ignored_file is None:
        return ()
    return (
        f"{vault.ignored_file} has no effect, because PAGEGRADE_SECRET_KEY is set to another key; `pagegrade doctor` "
        "says what helps.",
    )


def data_folder() -> Path:
    """The folder of everything that is kept, made where it is missing.

    Raises:
        InvalidInput: It cannot be made or written, or lies on a network file system.
    """
    from pagegrade.store.engine.data_dir import prepare_folder

    return prepare_folder(planned_places()[0])


def database_url() -> str:
    """SQLAlchemy URL of the database; the folder of one that is a file is made where it is missing.

    Raises:
        InvalidInput: A setting, or the folder, cannot be used.
    """
    from pagegrade.store.engine.data_dir import prepare_folder
    from pagegrade.store.engine.database import is_shared_url

    url = planned_places()[1]
    if not is_shared_url(url):
        from pagegrade.store.engine.sqlite import sqlite_path

        prepare_folder(sqlite_path(url).absolute().parent)
    return url


def database_connections() -> int:
    """Connections to a PostgreSQL server that each process keeps, without the one for notices.

    Raises:
        InvalidInput: A setting cannot be used.
    """
    return _settings().database_connections


def planned_places() -> tuple[Path, str]:
    """The data folder and the database's URL as configured; nothing is looked at or made.

    Raises:
        InvalidInput: A setting cannot be used.
    """
    from pagegrade.store.engine.data_dir import DATABASE_NAME, default_folder

    settings = _settings()
    folder = (settings.data_dir or default_folder()).absolute()
    return folder, _plain(settings.database_url) or f"sqlite:///{folder / DATABASE_NAME}"


def shown_settings() -> tuple[tuple[tuple[str, str], ...], tuple[str, ...]]:
    """List the settings as (variable, value) with secrets hidden, and warnings about values without effect.

    Raises:
        InvalidInput: A setting cannot be used.
    """
    from pagegrade.config import given_settings, show_settings, unknown_settings

    _settings()
    given = given_settings(_env_file)
    return show_settings(given), unknown_settings(given)


def open_database(*, checkpoints: bool = False) -> Database:
    """The configured database. Nothing is migrated, and no connection is opened yet.

    Args:
        checkpoints: Whether this process moves the write-ahead log into the database: the server does, commands that
            run beside it do not.

    Raises:
        InvalidInput: A setting, or the folder, cannot be used.
    """
    from pagegrade.store.engine.database import is_shared_url
    from pagegrade.store.engine.factory import open_database as open_url

    url = database_url()
    if not is_shared_url(url):
        return open_url(url, checkpoints=checkpoints)
    connections = _settings().database_connections
    # Reading is quicker than writing, which waits for the disk.
    readers = max(1, 2 * connections // 5)
    return open_url(url, readers=readers, writers=connections - readers)


def open_audit_database(folder: Path) -> Database:
    """The database of the audits in a folder, both made where they are missing, with the tables of this version.

    Raises:
        InvalidInput: The folder cannot be used, or holds something else.
        Unavailable: The database cannot be written.
    """
    from pagegrade.store.engine.data_dir import prepare_folder
    from pagegrade.store.engine.factory import open_database as open_url
    from pagegrade.store.schema.migrate import migrate

    database = open_url(f"sqlite:///{prepare_folder(folder) / AUDIT_DATABASE_NAME}", checkpoints=True)
    try:
        migrate(database)
    except BaseException:
        database.close()
        raise
    return database


def public_origin(database: Database) -> str:
    """Return the public URL of the server for a command that prints one: as set, or as the server last stored it.

    Raises:
        InvalidInput: A setting cannot be used.
        Unavailable: The database cannot be read.
    """
    from pagegrade.gather.resolver import origin_of
    from pagegrade.store.repositories.installation import noted_origin

    settings = _settings()
    return settings.base_url or database.read_here(noted_origin) or origin_of(settings.host, settings.port)


def make_services(
    database: Database | None = None, options: ServiceOptions | None = None, *, lines: Lines | None = None
) -> Services:
    """Create the objects that requests and workers share; ``None`` stands for the configured value.

    Args:
        database: Where everything is kept.
        options: What the operator decided.
        lines: Where events are logged, of ``observability.logs``; ``None``: they are only counted.

    Raises:
        InvalidInput: A setting, or the data folder, cannot be used.
    """
    from pagegrade.observability.events import Observation
    from pagegrade.service.container import Services

    services = Services(
        database=open_database(checkpoints=True) if database is None else database,
        options=service_options() if options is None else options,
        observation=Observation(lines),
        vault=make_vault(),
    )
    services.tracing = start_tracing(services.process)
    return services


def make_vault() -> Vault:
    """Return what encrypts secrets, with the keys that are set or the one of the data folder.

    Raises:
        InvalidInput: A setting cannot be used.
    """
    from pagegrade.service.access.operations import KEY_FILE, Vault
    from pagegrade.store.engine.database import is_shared_url

    folder, url = planned_places()
    keys = (_plain(_settings().secret_key) or "").split(",")
    return Vault(
        keys=tuple(key.strip() for key in keys if key.strip()),
        file=None if is_shared_url(url) else folder / KEY_FILE,
    )


def open_notices(services: Services) -> Notices | None:
    """Create the notifier of other processes; ``None`` if there are none. The caller that starts it closes it.

    Raises:
        InvalidInput: The database URL cannot be used.
    """
    if not services.database.shared:
        return None
    # Late: it loads the driver.
    from pagegrade.store.pubsub.notifications import Notices

    return Notices(services.database.url, services.process)


def start_tracing(instance: str) -> Tracing:
    """Create the trace exporter if the ``OTEL_*`` variables name a collector; the caller that starts it closes it.

    That traces cannot be sent is said in the log, and is no reason not to work.

    Args:
        instance: Unique name of this process.
    """
    from pagegrade.observability.tracing import NO_TRACING, NOT_INSTALLED, doubts, wants_traces

    for sentence in doubts(os.environ):
        logger.warning("traces_set_up_strangely", extra={"reason": sentence})
    if not wants_traces(os.environ):
        return NO_TRACING
    try:
        # A quarter of a second of imports and a thread, for those who want them.
        from pagegrade.observability.otel import OpenTelemetryTracing
    except ImportError:
        logger.warning("traces_not_sent", extra={"reason": NOT_INSTALLED})
        return NO_TRACING
    try:
        return OpenTelemetryTracing(instance=instance)
    except Exception:
        logger.exception("traces_not_sent", extra={"reason": "OTEL_* variables cannot be used together."})
        return NO_TRACING


def use_env_file(path: Path) -> None:
    """Read settings from this file besides the environment, for the rest of the process; without it, from no file."""
    global _env_file  # noqa: PLW0603 - chosen once, by the command that starts the process
    _env_file = path


def _anything_set() -> bool:
    """Return whether any setting may be set; cheap, and never wrong when it says no."""
    return _env_file is not None or any(name.upper().startswith("PAGEGRADE_") for name in os.environ)


def given_settings() -> Settings | None:
    """The settings; ``None`` where none are given, which costs less than reading them.

    Raises:
        InvalidInput: A setting cannot be used.
    """
    return _settings() if _anything_set() else None


def _settings() -> Settings:
    """Return the settings of this process, which are read once: a start asks for them seven times."""
    from pagegrade.config import given_settings

    return _read_settings(_env_file, tuple(sorted(given_settings(_env_file).items())))


@lru_cache(maxsize=1)
def _read_settings(env_file: Path | None, _given: tuple[tuple[str, str], ...]) -> Settings:
    from pagegrade.config import load_settings

    return load_settings(env_file)


def _plain(secret: SecretStr | None) -> str | None:
    return None if secret is None else secret.get_secret_value()


def _analyze_options(settings: Settings) -> AnalyzeOptions:
    return AnalyzeOptions(
        budget_s=settings.run_budget_seconds,
        allow_networks=settings.allow_networks,
        deny_networks=settings.deny_networks,
        deny_hosts=settings.deny_hosts,
        allow_ports=settings.allow_ports,
        browser=settings.browser,
        render_loads=settings.render_loads,
        thresholds=Thresholds(good=settings.good_from, decent=settings.decent_from),
        proxy=_proxy(settings, _plain(settings.proxy)),
        authorities=_authorities(settings.ca_file),
        proxies=_proxies(),
    )


def _proxy(settings: Settings, url: str | None) -> OutgoingProxy | None:
    """Return the proxy at a URL with the rules of the settings; ``None`` for none.

    Raises:
        InvalidInput: It is no URL of a proxy.
    """
    if not url:
        return None
    from pagegrade.gather.outgoing_proxy import read_direct_hosts, read_proxy

    environment = os.environ.get("NO_PROXY") or os.environ.get("no_proxy") or ""
    direct = read_direct_hosts(environment if settings.no_proxy is None else settings.no_proxy)
    try:
        return read_proxy(url, direct=direct, resolves=settings.proxy_resolves)
    except ValueError as error:
        raise InvalidInput(f"--proxy: {error}.") from None  # lint: allow exception-text - our own reader's


def _authorities(path: Path | None) -> str:
    """Return the certificates of a file in PEM, empty without one.

    Raises:
        InvalidInput: It cannot be read, or holds no certificate.
    """
    if path is None:
        return ""
    from pagegrade.parse.http.certificates import read_authorities

    try:
        return read_authorities(path.read_bytes())
    except (OSError, ValueError):
        raise InvalidInput(f"PAGEGRADE_CA_FILE={str(path)!r} cannot be read as certificates in PEM.") from None


def _proxies() -> tuple[tuple[str, str], ...]:
    return tuple(sorted((name, value) for name, value in os.environ.items() if name.lower().endswith("_proxy")))


def _brand(settings: Settings) -> Brand:
    """Return the look of the installation.

    Raises:
        InvalidInput: A value cannot be used.
    """
    from pagegrade.model.account import Brand
    from pagegrade.service.accounts.operations import clean_brand, clean_logo

    path, logo = settings.brand_logo, b""
    if path is not None:
        try:
            logo = clean_logo(path.read_bytes())
        except OSError:
            raise InvalidInput(f"PAGEGRADE_BRAND_LOGO={str(path)!r} cannot be read.") from None
    values = {name: getattr(settings, f"brand_{name}") for name in ("name", "color", "footer", "credit")}
    return clean_brand(Brand(**values, logo=logo))


def _mail_options(settings: Settings, base_url: str) -> MailOptions | None:
    from pagegrade.parse.mail import read_server
    from pagegrade.parse.url import host
    from pagegrade.service.options import MailOptions

    url = _plain(settings.smtp_url)
    if url is None:
        return None
    return MailOptions(
        server=read_server(url),
        sender=settings.mail_from or f"pagegrade@{host(base_url)}",
        domains=tuple(domain.lower() for domain in settings.mail_domains),
    )


def _hosts(settings: Settings, given: Sequence[str]) -> tuple[str, ...]:
    """Return the addresses to listen on: those that were given and are not empty, else those of the settings."""
    return tuple(filter(None, given)) or settings.host
