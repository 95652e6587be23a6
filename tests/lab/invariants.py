"""Invariants that hold after every case, whatever the row says."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

from pagegrade.model.identity import USER_AGENT
from pagegrade.parse.http.cors import PROBE_ORIGIN
from tests.lab.case import Case, Outcome, Seen
from tests.lab.keeper import Census
from tests.lab.servers import request_lines

SENT_HEADERS: Final = frozenset({"host", "user-agent", "accept", "accept-encoding", "accept-language"})
"""The header fields of every request; a Referer may come with them, and nothing else."""
DELIVERY_HEADERS: Final = frozenset(
    {"host", "user-agent", "accept", "accept-encoding", "content-type", "content-length"}
    | {"webhook-id", "webhook-timestamp", "webhook-signature"}
)
"""The header fields of every attempt at a delivery."""
MAX_REQUESTS: Final = 300
"""200 sub-resources, twenty links asked for twice, and the well-known files and probes with their redirects."""
SPARE_DESCRIPTORS: Final = 3
"""Difference in open descriptors that is not yet a leak: a pool may have one more worker than when it was counted."""

_OTHER_PROTOCOLS: Final = (b"\x16", b"PRI * HTTP/2.0\r\n")
"""TLS towards a plain port, and HTTP/2 where the server chose it."""
_UNEXCUSED: Final = re.compile(r"[IT]\d: |checks crashed|gatherers crashed")
"""Sentences that no lack of time explains."""
_ORIGIN: Final = re.compile(r"https?://[a-z0-9.:-]+/?")
_INTERNAL: Final = re.compile(
    r"(?<![\d.])(?:127\.\d+\.\d+\.\d+|10\.\d+\.\d+\.\d+|192\.168\.\d+\.\d+|169\.254\.\d+\.\d+|172\.(?:1[6-9]|2\d|3[01])\.\d+\.\d+)(?!\d|\.\d)"
)


def evaluate(case: Case, seen: Seen) -> list[str]:
    """Every sentence about what does not hold; empty when all is well."""
    checks = (
        _nothing_crashed,
        _ended_as_reported,
        _no_wire_touched,
        _in_time,
        _plain_requests,
        _silent_when_refused,
        _says_no_address,
    )
    found = [sentence for check in checks for sentence in check(case, seen)]
    if not found:
        found = [sentence for holds in case.holds if (sentence := holds(seen)) is not None]
    return found


def is_only_late(case: Case, broken: Sequence[str], outcome: Outcome) -> bool:
    """Return whether time alone may be what is wrong: that also depends on the other load of the machine.

    A case that used up its budget has seen a part of what it is about, so that what it must hold may not hold.
    """
    if outcome.state == "hung":
        return True
    if outcome.code == "internal":
        return False
    out_of_time = outcome.duration_s >= case.budget_s
    return bool(broken) and all(
        sentence.startswith("I2: ") or (out_of_time and not _UNEXCUSED.match(sentence)) for sentence in broken
    )


def leaks(before: Census, after: Census) -> list[str]:
    """I3: what the subject's process holds that it did not hold before."""
    found = []
    more = Counter(after.descriptors) - Counter(before.descriptors)
    if more.total() > SPARE_DESCRIPTORS:
        found.append(f"I3: descriptors were leaked: {dict(more)}")
    orphans = Counter(after.children) - Counter(before.children)
    if orphans.total() > 1:
        found.append(f"I3: processes were left behind: {dict(orphans)}")
    return found


def _ended_as_reported(case: Case, seen: Seen) -> list[str]:
    outcome, expect = seen.outcome, case.expect
    said = f"{outcome.state} {outcome.code} {outcome.reason} ({outcome.message[:300]})"
    if outcome.state not in expect.states:
        return [f"ended as {said}, not {sorted(expect.states)} {sorted(expect.codes)}"]
    if outcome.state == "done":
        return []
    if expect.codes and outcome.code not in expect.codes:
        return [f"ended as {said}, not with one of {sorted(expect.codes)}"]
    if expect.reasons and outcome.reason not in expect.reasons:
        return [f"gives the reason {outcome.reason!r}, not one of {sorted(expect.reasons)}"]
    return []


def _nothing_crashed(case: Case, seen: Seen) -> list[str]:
    """A check or a gatherer that stops with an exception is our mistake, whatever the page."""
    del case
    stopped = sorted(name for name, state in seen.outcome.checks.items() if "check_error" in state)
    broken = sorted(name for name, state in seen.outcome.artifacts.items() if state.startswith("internal"))
    found = [f"checks crashed: {stopped}"] if stopped else []
    return [*found, f"gatherers crashed: {broken}"] if broken else found


def _no_wire_touched(case: Case, seen: Seen) -> list[str]:
    del case
    places = sorted({f"{touch.protocol}://{touch.address}:{touch.port}" for touch in seen.touches})
    return [f"I1: tripwires were touched meanwhile: {places[:10]}"] if places else []


def _in_time(case: Case, seen: Seen) -> list[str]:
    took = seen.outcome.duration_s
    late = took > case.budget_s + case.evaluation_s * seen.stretch
    found = [f"I2: took {took:.2f} s with a budget of {case.budget_s:.2f} s"] if late else []
    if case.memory_mb is not None and seen.outcome.memory_growth_mb > case.memory_mb:
        found.append(f"I3: memory grew by {seen.outcome.memory_growth_mb:.0f} MB, not at most {case.memory_mb:.0f}")
    if case.memory_mb is not None and seen.outcome.memory_of_all_mb > case.memory_of_all_mb:
        grown, most = seen.outcome.memory_of_all_mb, case.memory_of_all_mb
        found.append(f"I3: memory of all processes grew by {grown:.0f} MB, not at most {most:.0f}")
    return found


def _signed_requests(case: Case, seen: Seen) -> list[str]:
    """An attempt at a delivery is one request with a signature; it names nothing else of us."""
    found = set()
    sent = [record for record in seen.records if record.received]
    for record in sent:
        lines = bytes(record.received).partition(b"\r\n\r\n")[0].decode("latin-1").split("\r\n")
        names = {line.partition(":")[0].lower() for line in lines[1:]}
        if lines[0] != "POST / HTTP/1.1":
            found.add(f"I7: sent the request line {lines[0][:200]!r}")
        if strange := names ^ DELIVERY_HEADERS:
            found.add(f"I7: sent too many or too few header fields: {sorted(strange)}")
    if len(sent) > case.deliveries:
        found.add(f"I7: sent {len(sent)} requests in {case.deliveries} attempts")
    return sorted(found)


def _plain_requests(case: Case, seen: Seen) -> list[str]:
    if case.deliveries:
        return _signed_requests(case, seen)
    found, count = set(), 0
    spoken = [each for each in seen.records if not each.received.startswith(_OTHER_PROTOCOLS)]
    for line, fields in request_lines(spoken):
        count += 1
        if re.fullmatch(r"(?:GET|HEAD) /[!-~]* HTTP/1\.1", line) is None:
            found.add(f"I7: sent the request line {line[:200]!r}")
        names = [name.lower() for name, _ in fields]
        if any(name.lower() == "referer" and not _ORIGIN.fullmatch(value) for name, value in fields):
            found.add("I7: sent more than the origin as Referer")
        if any(name.lower() == "origin" and value != PROBE_ORIGIN for name, value in fields):
            found.add("I7: sent an Origin that is not the one of the probe")
        if strange := (set(names) - {"referer", "origin"}) ^ SENT_HEADERS:
            found.add(f"I7: sent too many or too few header fields: {sorted(strange)}")
        if any(name.lower() == "user-agent" and value != USER_AGENT for name, value in fields):
            found.add("I7: sent another User-Agent")
        if len(set(names)) != len(names):
            found.add(f"I7: sent a header field twice: {names}")
    if count > MAX_REQUESTS:
        found.add(f"I7: sent {count} requests")
    return sorted(found)


def _silent_when_refused(case: Case, seen: Seen) -> list[str]:
    if "refused" not in case.expect.states:
        return []
    found = []
    if seen.questions:
        found.append(f"asked the resolver although refused: {[each.name for each in seen.questions][:5]}")
    if seen.records:
        found.append("connected although refused")
    return found


def _says_no_address(case: Case, seen: Seen) -> list[str]:
    """T7: an answer does not reveal where an internal name points. What the caller typed may be echoed."""
    text = f"{seen.outcome.message} {seen.outcome.reason}"
    leaked = [each for each in _INTERNAL.findall(text) if each not in str(case.url)]
    return [f"T7: the message names internal addresses: {leaked}"] if leaked else []
