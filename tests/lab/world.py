"""Runs cases inside the lab: ``python -m tests.lab.world`` in a fresh namespace, requests on stdin, verdicts on stdout.

The servers, the resolver and the tripwires live in this process; the product (or the naive fetcher) lives in another,
so that its descriptors, children and memory can be evaluated by themselves.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import msgspec

from tests.lab import invariants
from tests.lab.authority import Authority
from tests.lab.case import Case, Job, Outcome, Place, Scene, Seen, Service
from tests.lab.keeper import Subject, stretch
from tests.lab.names import NameServer, records
from tests.lab.namespace import RESOLVER, furnish
from tests.lab.servers import Blackhole, Listener, page
from tests.lab.wires import Touch, Tripwires

AT_ONCE: Final = 6
"""Cases run side by side; most of them wait."""
TIMED: Final = frozenset({"load-time", "ttfb"})
"""Checks whose outcome depends on how fast the canary answered."""
WARM_UPS: Final = 3
"""Attempts at the first analysis, which starts what parses."""
CHANCES: Final = 3
"""Further attempts at a case that time alone has broken."""
CANARY_S: Final = 10.0
"""Budget of the canary."""
CANARY_HOST: Final = "canary-lab.com"
CANARY_IP: Final = "11.10.10.10"
CANARY_PAGE: Final = (
    "<!doctype html><html lang=en><head><title>An ordinary page</title></head><body><h1>Hello</h1>"
    "<p>Nothing special happens here.</p></body></html>"
)


_LATE: Final = "late"


@dataclass(slots=True, kw_only=True)
class Order:
    """A job that the pytest side asks for."""

    cases: list[str]
    subject: str = "product"
    at_once: int = AT_ONCE


@dataclass(slots=True, kw_only=True)
class Verdict:
    """The outcome of one case."""

    id: str
    broken: list[str] = field(default_factory=list)
    """Sentences about what does not hold; empty when the row is as it must be."""
    outcome: Outcome
    touches: list[Touch] = field(default_factory=list)
    requests: int = 0


@dataclass(slots=True, kw_only=True)
class Verdicts:
    """All of them, and what is true of the whole run."""

    cases: list[Verdict]
    broken: list[str]
    """Leaks and orphans after the last case."""
    duration_s: float
    peak_memory_mb: float


class World:
    """The lab, furnished and populated."""

    def __init__(self, scratch: Path, subject: str) -> None:
        furnish(scratch)
        self._authority, self._unknown = Authority("Lab root"), Authority("Unknown root")
        trusted = scratch / "trusted.pem"
        trusted.write_bytes(self._authority.root_pem())
        self.names = NameServer(RESOLVER)
        self.wires = Tripwires(RESOLVER)
        self.wires.own([CANARY_IP])
        self._canary = Listener(CANARY_IP, 80, page(CANARY_PAGE))
        self.names.add({CANARY_HOST: records(a=[CANARY_IP])})
        self.subject = Subject(subject, trusted)
        self._normal: dict[str, object] = {}

    def place(self, case: Case, number: int) -> Place:
        """The names and addresses of the ``number``-th case."""
        high, low = divmod(number + 1, 200)
        slug = case.id.lower()
        return Place(
            slug=slug,
            host=f"{slug}-lab.com",
            other=f"{slug}-other.com",
            ip=f"11.20.{high}.{low + 1}",
            other_ip=f"11.21.{high}.{low + 1}",
            ip6=f"2a01:1ab:{high:x}::{low + 1:x}",
            authority=self._authority,
            unknown=self._unknown,
        )

    def run(self, case: Case, number: int) -> Verdict:
        """Set the case up, run it, take it down, look at everything."""
        place = self.place(case, number)
        scene = _staged(case, place)
        self.wires.own([place.ip, place.other_ip, place.ip6, *scene.own, *(each.address for each in scene.services)])
        self.names.add(scene.zone)
        listeners = [_open(service) for service in scene.services]
        url = case.url if isinstance(case.url, str) else case.url(place)
        for word, value in (("host", place.host), ("other", place.other), ("ip", place.ip), ("ip6", place.ip6)):
            url = url.replace("{" + word + "}", value)
        started = time.monotonic()
        job = Job(
            id=case.id,
            url=url,
            budget_s=case.budget_s,
            measure_memory=case.memory_mb is not None,
            typed_private=case.typed_private,
            networks=list(case.networks),
            deliveries=case.deliveries,
        )
        outcome = self.subject.run(job)
        self.wires.settle()
        ended = time.monotonic()
        for listener in listeners:
            listener.close()
        seen = Seen(
            outcome=outcome,
            place=place,
            records=[record for listener in listeners for record in listener.records],
            questions=[*self.names.asked(place.host), *self.names.asked(place.other)],
            touches=self.wires.between(started, ended),
            stretch=stretch(),
        )
        broken = invariants.evaluate(case, seen)
        if (strange := self._strange_canary()) is not None:
            broken.append(strange)
        requests = sum(1 for record in seen.records if record.received)
        return Verdict(id=case.id, broken=broken, outcome=outcome, touches=list(seen.touches), requests=requests)

    def warm_up(self) -> None:
        """Run the canary until it is analyzed, on a busy machine not at once, to know what normal is."""
        for _ in range(WARM_UPS):
            self._normal = self._canary_result()
            if self._normal["state"] == "done":
                return
        raise RuntimeError(f"the lab is no good: its canary ends as {self._normal}")

    def _canary_result(self) -> dict[str, object]:
        outcome = self.subject.run(Job(id="canary", url=f"http://{CANARY_HOST}/", budget_s=CANARY_S))
        if outcome.state == "hung" or outcome.duration_s >= CANARY_S:
            return {"state": _LATE}
        names = ("state", "code", "status", "body_sha256", "truncated", "score")
        return {name: getattr(outcome, name) for name in names} | outcome.checks

    def _strange_canary(self) -> str | None:
        result = self._canary_result()
        if result["state"] == _LATE:
            return f"I2: the canary took longer than {CANARY_S:.0f} s"
        names = {name for name in result | self._normal if result.get(name) != self._normal.get(name)}
        if TIMED & names:
            # A busy machine; the points that it cost are in the score.
            names -= TIMED | {"score"}
        changed = "; ".join(f"{name}: {result.get(name)} instead of {self._normal.get(name)}" for name in sorted(names))
        return f"I4: the canary changed: {changed}" if names else None


def _staged(case: Case, place: Place) -> Scene:
    try:
        return case.stage(place) if case.stage is not None else Scene()
    except Exception as error:
        raise RuntimeError(f"case {case.id} could not be set up") from error


def _open(service: Service) -> Listener | Blackhole:
    if service.script is None:
        return Blackhole(service.address, service.port)
    return Listener(service.address, service.port, service.script, service.tls)


def run_all(cases: Sequence[Case], order: Order, scratch: Path) -> Verdicts:
    """Run ``cases``: those that measure memory one by one at the end, the others side by side; the late once more."""
    started = time.monotonic()
    world = World(scratch, order.subject)
    world.warm_up()
    before = world.subject.census()
    numbered = list(enumerate(cases))
    together = [each for each in numbered if each[1].memory_mb is None]
    alone = [each for each in numbered if each[1].memory_mb is not None]
    with ThreadPoolExecutor(order.at_once) as pool:
        verdicts = list(pool.map(lambda each: world.run(each[1], each[0]), together))
    verdicts += [world.run(case, number) for number, case in alone]
    # Who is late because of the product is late again; who is late because the machine was busy has further chances.
    for index, (number, case) in enumerate([*together, *alone]):
        for _ in range(CHANCES):
            if not invariants.is_only_late(case, verdicts[index].broken, verdicts[index].outcome):
                break
            verdicts[index] = world.run(case, number)
    broken = invariants.leaks(before, world.subject.census())
    if lost := world.wires.lost():
        broken.append(f"the lab is no good: its tripwires lost {lost} packets")
    peak = world.subject.close()
    world.wires.close()
    return Verdicts(cases=verdicts, broken=broken, duration_s=time.monotonic() - started, peak_memory_mb=peak)


def main() -> None:
    """Read an order from stdin, run it, write the verdicts to stdout."""
    from tests.fault.table import all_cases

    order = msgspec.json.decode(sys.stdin.buffer.read(), type=Order)
    wanted = set(order.cases)
    with tempfile.TemporaryDirectory() as scratch:
        verdicts = run_all([case for case in all_cases() if case.id in wanted], order, Path(scratch))
    sys.stdout.buffer.write(msgspec.json.encode(verdicts))
    sys.stdout.flush()
    os._exit(0)  # scripted servers may still hold threads that only a timeout would end


if __name__ == "__main__":
    main()
