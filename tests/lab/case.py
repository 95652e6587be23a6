"""A row of the hostile-input matrix, and the facts that are known after it ran."""

from __future__ import annotations

import ssl
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from tests.lab.authority import Authority, server_context
from tests.lab.names import Question, Zone, records
from tests.lab.servers import Record, Script
from tests.lab.wires import Touch

State = Literal["done", "failed", "refused", "crashed", "hung"]
DEFAULT_BUDGET_S = 3.0


@dataclass(slots=True, kw_only=True)
class Job:
    """One analysis asked of the subject."""

    id: str
    url: str
    budget_s: float
    measure_memory: bool = False
    typed_private: bool = False
    """As the command line does it: the URL itself may be private, nothing it leads to."""
    networks: list[str] = field(default_factory=list)
    """``PAGEGRADE_ALLOW_NETWORKS``: the operator's own networks."""
    deliveries: int = 0
    """The URL is that of a webhook, and so many attempts are made to deliver to it; 0: a page is analyzed."""


@dataclass(slots=True, kw_only=True)
class Outcome:
    """The end of a job as the subject reports it."""

    id: str
    state: State
    code: str = ""
    """Failure code, or the class of the refusal."""
    reason: str = ""
    message: str = ""
    final_url: str = ""
    status: int = 0
    body_bytes: int = 0
    body_sha256: str = ""
    body_head: str = ""
    """The first 200 bytes, as Latin-1."""
    headers: list[tuple[str, str]] = field(default_factory=list)
    truncated: str = ""
    notes: list[str] = field(default_factory=list)
    hops: list[tuple[str, int]] = field(default_factory=list)
    certificate_error: str = ""
    tls_verified: bool | None = None
    tls_verify_error: str = ""
    addresses: list[str] = field(default_factory=list)
    artifacts: dict[str, str] = field(default_factory=dict)
    """Artifact -> ``ok`` or the code of why it is missing."""
    resources: dict[str, str] = field(default_factory=dict)
    """Sub-resource URL -> status, or the code of why it is missing."""
    checks: dict[str, str] = field(default_factory=dict)
    """Check -> its state, or ``outcome:reason`` where it did not evaluate."""
    score: int | None = None
    title: str = ""
    report_bytes: int = 0
    duration_s: float = 0.0
    memory_growth_mb: float = 0.0
    """Peak resident memory above what it was before; only where the job asked for it."""
    memory_of_all_mb: float = 0.0
    """The same of the process and all its children together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """The names and addresses that belong to one case alone."""

    slug: str
    host: str
    other: str
    """A second host, of another registrable domain."""
    ip: str
    other_ip: str
    ip6: str
    authority: Authority
    unknown: Authority
    """An authority that no client trusts."""

    def context(self, host: str | None = None, **settings: object) -> ssl.SSLContext:
        """TLS settings of a well-behaved server for ``host``."""
        return server_context(self.authority.issue(host or self.host), **settings)  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """A listener on one address and port; without a script the address swallows connections."""

    address: str
    port: int
    script: Script | None
    tls: ssl.SSLContext | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """Everything that is set up for one case."""

    services: Sequence[Service] = ()
    zone: Zone = field(default_factory=dict)
    own: Sequence[str] = ()
    """Public addresses that may be contacted although nothing listens there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """All that is known after a case."""

    outcome: Outcome
    place: Place
    records: Sequence[Record]
    questions: Sequence[Question]
    touches: Sequence[Touch]
    stretch: float = 1.0
    """Factor by which a second of processor time took longer than alone."""


Stage = Callable[[Place], Scene]
Holds = Callable[[Seen], str | None]
"""Looks at what was seen; a sentence when something does not hold, else ``None``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Expect:
    """The required end of a case."""

    states: frozenset[State]
    """Any of these."""
    codes: frozenset[str] = frozenset()
    """Any of these, unless it is done; empty: not looked at."""
    reasons: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One row (or one input of a row) of the matrix."""

    id: str
    """Row, and a letter when the row has several inputs: ``E05``, ``A03b``."""
    title: str
    url: str | Callable[[Place], str] = "http://{host}/"
    """May name ``{host}``, ``{other}``, ``{ip}``, ``{ip6}``."""
    expect: Expect
    stage: Stage | None = None
    holds: Sequence[Holds] = ()
    budget_s: float = DEFAULT_BUDGET_S
    """For the network."""
    evaluation_s: float = 1.0
    """Time that the whole may take beyond its budget: parsing and checking come after the network."""
    typed_private: bool = False
    """The URL was typed at a terminal, where it may be a private one."""
    networks: Sequence[str] = ()
    """The operator's own networks."""
    memory_mb: float | None = None
    """Runs alone, and resident memory may grow by at most this much."""
    memory_of_all_mb: float = 150
    """The same for the process and all its children together, where ``memory_mb`` is set."""
    deliveries: int = 0
    """Attempts at deliveries to the URL; 0: it is analyzed."""
    trips_naive: bool = False
    """A deliberately naive fetcher must touch a wire here, or the lab is blind."""


@dataclass(frozen=True, slots=True)
class PerPlace:
    """A script that can be made only once the case's names and addresses are known."""

    make: Callable[[Place], Script]


def refused(*kinds: str) -> Expect:
    """Refused before any name is looked up, with one of these error classes."""
    return Expect(states=frozenset({"refused"}), codes=frozenset(kinds or ("InvalidURL", "URLNotAllowed")))


def failed(*codes: str, reasons: Sequence[str] = ()) -> Expect:
    """A failed analysis with one of these codes."""
    return Expect(states=frozenset({"failed"}), codes=frozenset(codes), reasons=frozenset(reasons))


def done() -> Expect:
    """A finished analysis."""
    return Expect(states=frozenset({"done"}))


def done_or_failed(*codes: str) -> Expect:
    """Finished or failed with one of these codes: the invariants are what the row is about."""
    return Expect(states=frozenset({"done", "failed"}), codes=frozenset(codes))


def web(
    script: Script | PerPlace | None,
    *,
    other: Callable[[Place], Script] | None = None,
    port: int = 80,
) -> Stage:
    """The case's host serves plain HTTP with ``script``; so does ``other``, when it is given."""

    def stage(place: Place) -> Scene:
        main = script.make(place) if isinstance(script, PerPlace) else script
        services = [Service(address=place.ip, port=port, script=main)]
        zone = {place.host: records(a=[place.ip])}
        if other is not None:
            services.append(Service(address=place.other_ip, port=80, script=other(place)))
            zone[place.other] = records(a=[place.other_ip])
        return Scene(services=services, zone=zone)

    return stage


def secure(script: Script, context: Callable[[Place], ssl.SSLContext] | None = None) -> Stage:
    """The case's host serves ``script`` over TLS on 443."""

    def stage(place: Place) -> Scene:
        tls = context(place) if context is not None else place.context()
        return Scene(
            services=[Service(address=place.ip, port=443, script=script, tls=tls)],
            zone={place.host: records(a=[place.ip])},
        )

    return stage


def named(zone: Callable[[Place], Zone], script: Script | None = None) -> Stage:
    """The case's names have the given answers; ``script`` serves plain HTTP on its addresses."""

    def stage(place: Place) -> Scene:
        services = [Service(address=each, port=80, script=script) for each in (place.ip, place.ip6)] if script else []
        return Scene(services=services, zone=zone(place))

    return stage
