"""Options of the service; ``wiring`` derives them from the settings, tests construct them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from ipaddress import IPv4Network, IPv6Network
from pathlib import Path
from typing import Final, Literal

import msgspec

from pagegrade.model.account import Brand, Provider, Quotas
from pagegrade.model.identity import user_agent_of
from pagegrade.model.stored import Privacy
from pagegrade.parse.mail import MailServer, domain_of
from pagegrade.parse.url import host, is_nearby, port, root_path
from pagegrade.service.runs.options import AnalyzeOptions

RenderDefault = Literal["auto", "never", "always"]
ROBOT_PATH: Final = "/robot"
"""Page of the service that says who sends its requests, and how to stop them."""
AT_ONCE: Final = 500
"""Reports that are made in one go."""


def setting_of(option: str) -> str:
    """Return the name of the setting of an option: the same, with seconds written out."""
    return f"{option.removesuffix('_s')}_seconds" if option.endswith("_s") else option


class MailOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Settings of messages by e-mail."""

    server: MailServer
    sender: str
    """Address in ``From``."""
    domains: tuple[str, ...]
    """Domains of recipients, in lower case; others get no message."""

    def allows(self, recipient: str) -> bool:
        """Return whether the operator allows messages to an address."""
        return domain_of(recipient) in self.domains


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceOptions:
    """Everything an operator decides about the service.

    An option that has the name of a setting takes its value; ``wiring`` derives the others.
    """

    base_url: str = "http://127.0.0.1:8080"
    """Public URL, without a slash at the end; every link is built from it, never from a request's Host."""
    contact: str | None = None
    """Mail address of the operator, for owners of sites."""
    default_privacy: Privacy = Privacy.PUBLIC
    requests_per_minute: int = 120
    """For each key."""
    analyses_per_minute: int = 30
    """New reports and re-runs, for each key."""
    wrong_keys_per_minute: int = 30
    """For each client address."""
    create_wait_s: float = 15.0
    """Seconds that a call that starts an analysis waits for it, unless ``Prefer`` asks otherwise."""
    max_reports: int | None = None
    """Reports an account may have; ``None``: as many as it likes."""
    max_monitors: int = 100
    """Monitors an account may have."""
    plans: tuple[tuple[str, Quotas], ...] = ()
    """Quotas by the name of a plan; ``model.account.DEFAULT_PLAN`` is that of accounts without one."""
    crawls: int = 2
    """Crawls of audits at the same time in this process, beside the analyses; 0: none."""
    account_crawls: int = 1
    """Crawls of an account at the same time."""
    crawl_pages: int = 500
    """URLs that a crawl may fetch of a site that is not proved to be the account's."""
    proved_crawl_pages: int = 10_000
    """URLs that a crawl may fetch of one that is, or of the operator's own network."""
    target_pages_per_day: int = 1_000
    """URLs of a registrable domain that crawls without a proof may fetch in a day, of all accounts together."""
    account_queue: int = 1_000
    """Unfinished runs an account may have."""
    queue: int = 10_000
    """Unfinished runs the installation may have."""
    retention_days: int | None = None
    """A report expires so many days after its last analysis; ``None``: never."""
    retention_runs: int | None = None
    """Finished runs kept for each report, at least 1; ``None``: all."""
    trusted_proxies: tuple[IPv4Network | IPv6Network, ...] = ()
    """Only they may say in X-Forwarded-For who the client is."""
    cors_origins: tuple[str, ...] = ("*",)
    metrics_token: str | None = None
    """Bearer token that ``/metrics`` asks for; ``None``: it answers this machine and the allowed networks only."""
    hsts: bool = False
    """Send Strict-Transport-Security; for installations that are only reached over TLS."""
    workers: int = 4
    """Analyses at the same time in this process; 0: none, it only answers requests."""
    parsers: int | None = None
    """Child processes that parse and evaluate; ``None``: one for each CPU."""
    grace_s: float = 20.0
    """Seconds to finish work in progress after a stop signal."""
    lease_s: float = 30.0
    """A run whose worker has been silent for so long is given to another."""
    target_runs: int = 2
    """Runs at the same time per registrable domain and per address."""
    target_runs_per_minute: int = 20
    render: RenderDefault = "auto"
    """Reports that do not say it themselves and whose pages a browser draws; ``auto``: all, where there is one."""
    browser: Path | None = None
    """The browser of this process; ``None``: there is none."""
    browsers: int = 1
    """Browsers at the same time in this process."""
    database_connections: int = 10
    """To a PostgreSQL server, that this process keeps besides the one for notices."""
    mail: MailOptions | None = None
    """Sends messages by e-mail; ``None``: there are none."""
    brand: Brand = field(default_factory=Brand)
    """Look of what accounts show to others, where they chose none."""
    sign_up_domains: tuple[str, ...] = ()
    """Domains of people who may create an account themselves, ``*`` for all; none without ``mail``."""
    provider: Provider | None = None
    """Signs people in; ``None``: there is no single sign-on."""
    password_sign_in: bool = True
    """People may sign in with a password."""
    analyze: AnalyzeOptions = field(default_factory=AnalyzeOptions)
    """Whatever is given, ``own_origins`` becomes that of ``base_url``, and so does a ``user_agent`` that is public.

    A host that is shared with other sites, of which the service has a path, may be analyzed: there the service is told
    by its answers (``own_key``).
    """

    @property
    def root(self) -> str:
        """Path that everything lies below: empty, or one such as ``/pagegrade``."""
        return root_path(self.base_url)

    @property
    def most_crawl_pages(self) -> int:
        """URLs that a crawl may fetch of any site."""
        return max(self.crawl_pages, self.proved_crawl_pages)

    @property
    def has_sign_up(self) -> bool:
        """Return whether anybody may create an account themselves."""
        return self.mail is not None and self.password_sign_in and bool(self.sign_up_domains)

    def may_sign_up(self, address: str) -> bool:
        """Return whether the person with an e-mail address may create an account themselves."""
        domain = domain_of(address) if self.has_sign_up else None
        allowed = {each.lower() for each in self.sign_up_domains}
        return domain is not None and bool(allowed & {domain, "*"})

    def __post_init__(self) -> None:
        number = port(self.base_url)
        own = frozenset() if number is None or self.root else frozenset({(host(self.base_url), number)})
        # Sites are told by whom they are asked, where they can open the page that says it.
        is_public = not is_nearby(host(self.base_url))
        agent = user_agent_of(f"{self.base_url}{ROBOT_PATH}") if is_public else self.analyze.user_agent
        object.__setattr__(self, "analyze", replace(self.analyze, own_origins=own, user_agent=agent))
