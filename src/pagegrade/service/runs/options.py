"""Options of an analysis: how a page is gathered, what may be reached for it, and how its score becomes a grade.

Apart from the analysis itself, so that a command which needs only settings does not import the parser and the checks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from ipaddress import IPv4Network, IPv6Network, ip_network
from typing import Final

from pagegrade.gather.browser.options import RenderOptions
from pagegrade.gather.guard import DEFAULT_PORTS, Policy
from pagegrade.gather.outgoing_proxy import OutgoingProxy
from pagegrade.model.access import Access
from pagegrade.model.errors import InvalidInput
from pagegrade.model.identity import USER_AGENT
from pagegrade.model.outcome import IgnoreRule
from pagegrade.model.report import Thresholds
from pagegrade.parse.url import host, port

DEFAULT_THRESHOLDS: Final = Thresholds()


@dataclass(frozen=True, slots=True, kw_only=True)
class AnalyzeOptions:
    """Options of gathering and evaluation."""

    budget_s: float = 60.0
    """Wall-clock time for everything the network is asked for."""
    subresources: bool = True
    """Fetch the files that the page refers to."""
    load_samples: int = 3
    """Number of measurements of the document's load time."""
    preview_images: bool = False
    """Fetch the image for shared links and the icon, to be stored with the report."""
    allow_networks: tuple[IPv4Network | IPv6Network, ...] = ()
    """The operator's own networks, which a page that lies there may reach on any port."""
    deny_networks: tuple[IPv4Network | IPv6Network, ...] = ()
    """Networks that are never contacted, whatever else allows them."""
    deny_hosts: tuple[str, ...] = ()
    """Canonical hosts that are never contacted, nor what lies below their names."""
    own_origins: frozenset[tuple[str, int]] = frozenset()
    """(host, port) pairs of this installation, which does not analyze itself."""
    own_key: bytes = field(default=b"", repr=False)
    """Key by which this installation recognizes its own responses; empty: it does not."""
    allow_ports: tuple[int, ...] = tuple(sorted(DEFAULT_PORTS))
    browser: str | None = None
    """Path or command of the browser; ``None`` to look for one."""
    render: RenderOptions | None = None
    """Options of the rendered engine; ``None``: static analysis alone."""
    render_loads: int = 3
    """Loads of a page in a browser, at least 1."""
    access: Access | None = None
    """Access that goes with requests to its origins, so that they let the run in; ``None``: nothing."""
    allow_typed_private: bool = False
    """A private host may be reached when it is the one the person typed: that host and port, nothing else."""
    thresholds: Thresholds = DEFAULT_THRESHOLDS
    ignores: tuple[IgnoreRule, ...] = ()
    """Rules for every page; those of an account are added to them."""
    proxy: OutgoingProxy | None = None
    """The proxy that sites are reached through; ``None``: directly."""
    authorities: str = field(default="", repr=False)
    """Certificates in PEM of authorities that are trusted besides those of everyone."""
    user_agent: str = USER_AGENT
    """Of all requests, unless an access sends another."""
    proxies: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    """Variables of the environment that name proxies, or hosts without one. They are not used, and explain failures."""


def parse_networks(networks: Sequence[str]) -> tuple[IPv4Network | IPv6Network, ...]:
    """The networks behind CIDR texts such as ``10.0.0.0/8``; a plain address is a network of one.

    Raises:
        InvalidInput: One of them is no network.
    """
    found = []
    for text in networks:
        try:
            found.append(ip_network(text.strip(), strict=False))
        except ValueError:
            name = text.strip().lower().partition(":")[0]
            like = "127.0.0.0/8 or ::1/128" if name == "localhost" else "10.0.0.0/8 or fd00::/8"
            raise InvalidInput(f"{text!r} is no network. Write it like {like}.") from None
    return tuple(found)


def policy_of(url: str, options: AnalyzeOptions) -> Policy:
    """Return the policy for everything that is asked for because a person or an account named this canonical URL."""
    typed = host(url), port(url) or 0
    return Policy(
        allowed_ports=frozenset(options.allow_ports),
        allow_networks=options.allow_networks,
        deny_networks=options.deny_networks,
        deny_hosts=options.deny_hosts,
        own_origins=options.own_origins,
        own_key=options.own_key,
        typed_host=typed[0],
        typed_private=frozenset({typed}) if options.allow_typed_private else frozenset(),
        proxy=options.proxy,
        authorities=options.authorities + ("" if options.access is None else options.access.certificates),
        user_agent=options.user_agent,
    )
