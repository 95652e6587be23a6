"""What is new, fixed, still there or not comparable between two reports on a page.

A finding is known again by the check and by *what* its evidence shows (URL, snippet, header), not by where it
stands: a line number or a selector that moved makes nothing new.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from pagegrade.model.errors import InvalidInput
from pagegrade.model.outcome import Evidence
from pagegrade.model.report import Report, Result
from pagegrade.report.gates import SEVERITIES, Importance

_HASH: Final = re.compile(r"[0-9a-fA-F]{8,}")
FINDINGS: Final = frozenset({"failed", "warning"})


@dataclass(frozen=True, slots=True)
class Change:
    """One finding as it is compared."""

    result: Result
    """From the newer report, or from the older one for what is fixed."""
    evidence: Evidence | None
    """``None``: the finding is about the page as a whole."""


@dataclass(frozen=True, slots=True)
class NotComparable:
    """A check that says nothing about what changed, and why."""

    check: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """The difference between an older and a newer report."""

    new: tuple[Change, ...]
    fixed: tuple[Change, ...]
    still: tuple[Change, ...]
    not_comparable: tuple[NotComparable, ...]
    score_before: int | None
    score_after: int | None
    same_url: bool
    same_ruleset: bool
    """Otherwise the scores were made by different rules and only single checks compare."""

    def new_from(self, severity: Importance) -> tuple[Change, ...]:
        """The new findings of at least that severity."""
        return tuple(change for change in self.new if _rank(change.result) >= SEVERITIES.index(severity))


def identity(evidence: Evidence) -> str:
    """What an evidence shows, independent of its place; the same text for the same thing on a later day.

    Runs of 8 and more hexadecimal digits do not count: they are hashes in file names, which change with every build,
    nonces, or the random part of an address that a probe made up. Falls back to the selector, then to value and
    reason, where nothing else is known.
    """
    snippet = _HASH.sub("*", " ".join(evidence.snippet.split()))
    parts = ("url", _HASH.sub("*", evidence.url), "snippet", snippet, "header", evidence.header.lower())
    if any(parts[1::2]):
        return "\n".join(parts)
    if evidence.selector:
        return f"selector\n{evidence.selector}"
    return f"value\n{evidence.value}\n{evidence.reason}"


def fingerprint(report: Report, result: Result, evidence: Evidence | None) -> str:
    """Hexadecimal SHA-256 (first 32 digits) that names a finding across runs, as SARIF wants it."""
    text = "\n".join((report.url, result.check, identity(evidence) if evidence else ""))
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:32]


def compare_reports(before: Report, after: Report) -> Comparison:
    """Compare two reports, the older one first.

    Losses a check only inherits from another are no findings of their own.

    Raises:
        InvalidInput: One of them is a failed analysis, so that there is nothing to compare.
    """
    for name, report in (("older", before), ("newer", after)):
        if report.state != "completed":
            raise InvalidInput(f"The {name} report on {report.url} is a failed analysis; there is nothing to compare.")
    old = {result.check: result for result in before.results}
    now = {result.check: result for result in after.results}
    new: list[Change] = []
    fixed: list[Change] = []
    still: list[Change] = []
    not_comparable: list[NotComparable] = []
    for name in [*now, *(check for check in old if check not in now)]:
        reason = _why_not(old.get(name), now.get(name))
        if reason is not None:
            not_comparable.append(NotComparable(name, reason))
            continue
        was, is_ = old[name], now[name]
        if _found(is_) and not _found(was):
            new += _changes(is_)
        elif _found(was) and not _found(is_):
            fixed += _changes(was)
        elif _found(is_):
            _compare_findings(was, is_, new, fixed, still)
    return Comparison(
        new=tuple(sorted(new, key=_order)),
        fixed=tuple(sorted(fixed, key=_order)),
        still=tuple(sorted(still, key=_order)),
        not_comparable=tuple(not_comparable),
        score_before=before.score,
        score_after=after.score,
        same_url=before.url == after.url,
        same_ruleset=before.run.ruleset == after.run.ruleset,
    )


def _found(result: Result) -> bool:
    return result.outcome in FINDINGS and result.inherited_from is None


def _why_not(was: Result | None, is_: Result | None) -> str | None:
    if was is None:
        return "The check did not exist in the older report."
    if is_ is None:
        return "The check does not exist in the newer report."
    if "not_evaluated" in (was.outcome, is_.outcome):
        when = "older" if was.outcome == "not_evaluated" else "newer"
        return f"The check could not be evaluated in the {when} report."
    if (was.inherited_from is None) != (is_.inherited_from is None) and (_found(was) or _found(is_)):
        return f"The check waits for {is_.inherited_from or was.inherited_from}."
    return None


def _changes(result: Result) -> list[Change]:
    return [Change(result, evidence) for evidence in result.evidence] or [Change(result, None)]


def _compare_findings(was: Result, is_: Result, new: list[Change], fixed: list[Change], still: list[Change]) -> None:
    """The check found something both times: match what it showed."""
    if not was.evidence or not is_.evidence:
        # Without evidence on one side only the loss can tell worse from better.
        (new if is_.state != was.state and is_.lost > was.lost else still).extend(_changes(is_))
        return
    pairs, gone, come = _match(was.evidence, is_.evidence)
    still += [Change(is_, evidence) for evidence in pairs]
    if was.evidence_total > len(was.evidence) or is_.evidence_total > len(is_.evidence):
        # Only a part is listed: what seems to have come may have been there, unlisted. The totals decide how many.
        surplus = is_.evidence_total - was.evidence_total
        new += [Change(is_, evidence) for evidence in come[: max(0, surplus)]]
        still += [Change(is_, evidence) for evidence in come[max(0, surplus) :]]
        fixed += [Change(was, evidence) for evidence in gone[: max(0, -surplus)]]
        return
    new += [Change(is_, evidence) for evidence in come]
    fixed += [Change(was, evidence) for evidence in gone]


def _match(old: Sequence[Evidence], now: Sequence[Evidence]) -> tuple[list[Evidence], list[Evidence], list[Evidence]]:
    """(the newer half of every pair, older ones without partner, newer ones without partner).

    First by what is shown; then, for one thing whose text changed (a title that is still too long), by its place.
    """
    kept, gone, come = _pair(old, now, [identity(item) for item in old], [identity(item) for item in now])
    more, gone, come = _pair(gone, come, [_place(item) for item in gone], [_place(item) for item in come])
    return kept + more, gone, come


def _place(evidence: Evidence) -> str:
    """Where an evidence stands; empty where that does not tell it from others."""
    place = evidence.selector or evidence.header.lower()
    # Another URL at the same place is another thing.
    return f"{place}\n{_HASH.sub('*', evidence.url)}" if place else ""


def _pair(
    old: Sequence[Evidence], now: Sequence[Evidence], old_keys: Sequence[str], now_keys: Sequence[str]
) -> tuple[list[Evidence], list[Evidence], list[Evidence]]:
    waiting: dict[str, list[int]] = {}
    for index, key in enumerate(old_keys):
        waiting.setdefault(key, []).append(index)
    kept: list[Evidence] = []
    come: list[Evidence] = []
    for item, key in zip(now, now_keys, strict=True):
        partners = waiting.get(key) if key else None
        if partners:
            partners.pop(0)
            kept.append(item)
        else:
            come.append(item)
    left = sorted(index for indexes in waiting.values() for index in indexes)
    return kept, [old[index] for index in left], come


def _rank(result: Result) -> int:
    return SEVERITIES.index(result.importance) if result.importance in SEVERITIES else -1


def _order(change: Change) -> tuple[int, float, str]:
    return -_rank(change.result), -change.result.lost, change.result.check
