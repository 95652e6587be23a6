"""Compare two reports on a page: new, fixed, still present and not comparable findings.

A finding is matched by the check and by *what* its evidence shows (``report.fingerprint``), not by its position: a
line number or a selector that moved makes nothing new. What one of the two reports cannot speak for is not comparable,
and never new or fixed. ``docs/explanation/comparing.md`` says all of it for readers.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Collection, Sequence
from typing import Final

import msgspec
from msgspec.structs import replace

from pagegrade.model.errors import InvalidInput
from pagegrade.model.outcome import Evidence
from pagegrade.model.report import Basis, Difference, Report, Result
from pagegrade.report.fingerprint import Keys, identity, keys, repeats_places, settle_url
from pagegrade.report.gates import SEVERITIES, Importance

FINDINGS: Final = frozenset({"failed", "warning"})
WHOLE: Final = frozenset(
    "content-length dom-size domains-count font-count host-canonicalization http-requests http-status "
    "http-to-https-redirect http2 https in-page-links js-size css-size keep-alive load-time long-tasks not-found-page "
    "open-graph page-size redirect-chain structured-data text-compression third-party-cost tls-certificate tls-version "
    "total-byte-weight ttfb twitter-card url-length".split()
)
"""Checks of one amount, one answer or one connection: their evidence shows how the verdict came to be, and a file that
joins the ten heaviest is no finding of its own."""
LINKED: Final = "broken-links"
"""The check that asks for some of the pages that a page links to."""
CUT: Final = ("The page was not read to its end", "The page is larger than our limits")
"""Prefixes of notes of a run that did not see the whole page."""
SHELL: Final = "The served HTML is an empty shell"
"""Prefix of the note of ruleset 2026.1 about an empty shell; later reports withhold their result."""
_COST: Final = 1e-6
"""Points below which two losses are the same."""


class Change(msgspec.Struct, frozen=True):
    """One finding as it is compared."""

    result: Result
    """From the newer report, or from the older one for what is fixed."""
    evidence: Evidence | None
    """``None``: the finding is about the page as a whole."""


class NotComparable(msgspec.Struct, frozen=True):
    """A check that says nothing about what changed, or not all of it, and why."""

    check: str
    name: str
    """Of the check, for people."""
    reason: str


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """The difference between an older and a newer report."""

    new: tuple[Change, ...]
    fixed: tuple[Change, ...]
    still: tuple[Change, ...]
    not_comparable: tuple[NotComparable, ...]
    worse: tuple[Result, ...] = ()
    """Results of the newer report: a finding both times that is more severe now, or a list that was too long to be
    kept whole and is longer now. None of their places can be called new."""
    score_before: int | None
    score_after: int | None
    exact_before: float | None = None
    """The older score before caps and rounding."""
    exact_after: float | None = None
    """The newer one."""
    same_url: bool
    same_final_url: bool = True
    """True if the address led to the same page both times; a login page in between explains much."""
    bases: tuple[Basis, Basis]
    """Of the older and the newer report. Where they differ, nothing was compared: all the lists are empty."""

    @property
    def differs_in(self) -> tuple[Difference, ...]:
        """Reasons why the two reports are not compared; empty if they were."""
        return self.bases[0].differences(self.bases[1])

    @property
    def is_comparable(self) -> bool:
        """True if the same engine, device and rules made both reports."""
        return not self.differs_in

    @property
    def hidden_by_rounding(self) -> tuple[float, float] | None:
        """(before, after) with a decimal where the whole scores are equal and these are not; ``None`` elsewhere."""
        before, after = self.exact_before, self.exact_after
        if self.score_before is None or self.score_before != self.score_after or not self.is_comparable:
            return None
        return None if before is None or after is None or before == after else (before, after)

    @property
    def unclear(self) -> tuple[tuple[str, tuple[NotComparable, ...]], ...]:
        """(reason, the checks that are not comparable for it), in the order of the catalogue."""
        found: dict[str, list[NotComparable]] = {}
        for item in self.not_comparable:
            found.setdefault(item.reason, []).append(item)
        return tuple((reason, tuple(checks)) for reason, checks in found.items())

    def new_from(self, severity: Importance) -> tuple[Change, ...]:
        """The new findings of at least that severity."""
        return tuple(change for change in self.new if _rank(change.result) >= SEVERITIES.index(severity))

    def worse_from(self, severity: Importance) -> tuple[Result, ...]:
        """Return the findings that became worse, of at least that severity."""
        return tuple(result for result in self.worse if _rank(result) >= SEVERITIES.index(severity))


def count_findings(changes: Collection[Change]) -> int:
    """Return the number of findings as a report counts them: those counted in another with it, places once."""
    return len({carrier(change.result) for change in changes})


def carrier(result: Result) -> str:
    """Return the check that a finding is counted with: its own, or the one that is charged in its place."""
    return result.counted_in or result.check


def fingerprints(report: Report, result: Result) -> tuple[str, ...]:
    """A name for every finding of a result that is the same in later runs, as SARIF wants it.

    Hexadecimal SHA-256, the first 32 digits; one for each evidence, or a single one where there is none. Findings that
    look the same are numbered.
    """
    by_reason = repeats_places(result.evidence)
    seen: Counter[str] = Counter()
    names = []
    for text in [identity(entry, by_reason=by_reason) for entry in result.evidence] or [""]:
        seen[text] += 1
        whole = "\n".join((report.url, result.check, text, str(seen[text])))
        names.append(hashlib.sha256(whole.encode("utf-8", "replace")).hexdigest()[:32])
    return tuple(names)


def compare_reports(before: Report, after: Report) -> Comparison:
    """Compare two reports, the older one first; those with different bases are not compared.

    Losses a check only inherits from another are no findings of their own.

    Raises:
        InvalidInput: One of them is a failed analysis, so that there is nothing to compare.
    """
    for name, report in (("older", before), ("newer", after)):
        if report.state != "completed":
            raise InvalidInput(f"The {name} report on {report.url} is a failed analysis; there is nothing to compare.")
    old = {result.check: result for result in before.results}
    now = {result.check: result for result in after.results}
    found = _Found(before, after)
    for name in [*now, *(check for check in old if check not in now)] if before.basis == after.basis else ():
        found.add(name, old.get(name), now.get(name))
    return Comparison(
        new=tuple(sorted(found.new, key=_order)),
        fixed=tuple(sorted(found.fixed, key=_order)),
        still=tuple(sorted(found.still, key=_order)),
        not_comparable=tuple(found.not_comparable),
        worse=tuple(found.worse),
        score_before=before.score,
        score_after=after.score,
        exact_before=before.uncapped_score,
        exact_after=after.uncapped_score,
        same_url=before.url == after.url,
        same_final_url=before.url != after.url
        or settle_url(before.final_url or "") == settle_url(after.final_url or ""),
        bases=(before.basis, after.basis),
    )


class _Found:
    """Differences between two reports, by check."""

    def __init__(self, before: Report, after: Report) -> None:
        self.new: list[Change] = []
        self.fixed: list[Change] = []
        self.still: list[Change] = []
        self.worse: list[Result] = []
        self.not_comparable: list[NotComparable] = []
        copies = _origins(before).isdisjoint(_origins(after))
        self._origins = (_origins(before), _origins(after)) if copies else ((), ())
        self._unseen_page = _unseen_page(before, after)
        self._unseen_files = (_unseen_files(before), _unseen_files(after))

    def add(self, name: str, was: Result | None, is_: Result | None) -> None:
        """Compare what one check said; what was ignored in the older report counts as what it is without the rules."""
        if was is not None and was.ignored is not None:
            if is_ is not None and is_.ignored is not None:
                return
            was = replace(was, outcome=was.ignored.outcome, lost=was.ignored.points)
        reason = _why_not(was, is_)
        if reason is not None or was is None or is_ is None:
            # A check that only informs has no findings that could be missed.
            known = [one for one in (is_, was) if one is not None]
            if any(one.importance != "informative" or _found(one) for one in known):
                self.not_comparable.append(NotComparable(name, known[0].check_name, reason or ""))
            return
        if not _found(was) and not _found(is_):
            return
        if _found(was) and _found(is_):
            self._both(was, is_)
        else:
            gone, come = _changes(was) if _found(was) else [], _changes(is_) if _found(is_) else []
            self._left_over(was, is_, gone, come)

    def _both(self, was: Result, is_: Result) -> None:
        """The check found something both times: match what it showed."""
        if _is_whole(was) or _is_whole(is_):
            self.still.append(Change(is_, None))
            if is_.state != was.state and is_.lost > was.lost + _COST:
                self.worse.append(is_)
            return
        old_origins, now_origins = self._origins
        matched = match(was.evidence, is_.evidence, old_origins=old_origins, now_origins=now_origins)
        self.still += [Change(is_, evidence) for _, evidence in matched.both]
        gone = [Change(was, evidence) for evidence in matched.gone]
        come = [Change(is_, evidence) for evidence in matched.come]
        self._left_over(was, is_, gone, come)

    def _left_over(self, was: Result, is_: Result, gone: list[Change], come: list[Change]) -> None:
        """Classify a finding of only one report as new or fixed, if the other report would have shown it."""
        reasons: list[str] = []
        if self._unseen_page:
            seen = _of_answer(gone), _of_answer(come)
            reasons += self._unseen_page if seen != (gone, come) else []
            gone, come = seen
        if is_.check == LINKED and (gone or come) and not _asked_alike(was, is_):
            reasons.append("Only the first links of a page are followed, and those were not the same ones.")
            gone = come = []
        come, unsure_come = self._confirmed_by(was, "older", come, files_unseen=self._unseen_files[0])
        gone, unsure_gone = self._confirmed_by(is_, "newer", gone, files_unseen=self._unseen_files[1])
        self.new += come
        self.fixed += gone
        unsure = (*reasons, *unsure_come, *unsure_gone)
        self.not_comparable += [NotComparable(is_.check, is_.check_name, reason) for reason in unsure]
        grown = is_.evidence_total > was.evidence_total and len(was.evidence) < was.evidence_total
        if not self._unseen_page and _found(was) and _found(is_) and grown and not come:
            self.worse.append(is_)

    @staticmethod
    def _confirmed_by(
        other: Result, when: str, changes: list[Change], *, files_unseen: bool
    ) -> tuple[list[Change], list[str]]:
        """Of what only one report shows: what the ``other`` one would have shown, and why not the rest."""
        listed, total = len(other.evidence), other.evidence_total
        if changes and _found(other) and not _is_whole(other) and listed < total:
            return [], [
                f"The {when} report lists {listed} of {total} places; {len(changes)} that only the other report lists "
                "may be among the rest."
            ]
        if files_unseen and any(_is_file(change) for change in changes):
            seen = [change for change in changes if not _is_file(change)]
            return seen, [f"Not all files of the page were fetched for the {when} report."]
        return changes, []


def _found(result: Result) -> bool:
    return result.outcome in FINDINGS and result.inherited_from is None


def _is_whole(result: Result) -> bool:
    """Return whether the finding is one, about the page as a whole."""
    return result.check in WHOLE or not result.evidence


def _changes(result: Result) -> list[Change]:
    if _is_whole(result):
        return [Change(result, None)]
    return [Change(result, evidence) for evidence in distinct(result.evidence)]


def _why_not(was: Result | None, is_: Result | None) -> str | None:
    if was is None:
        return "The check did not exist in the older report."
    if is_ is None:
        return "The check does not exist in the newer report."
    if is_.ignored is not None:
        return "The finding is ignored in the newer report." if _found(was) else None
    unseen = [when for when, one in (("older", was), ("newer", is_)) if one.outcome == "not_evaluated"]
    if len(unseen) == 1:
        # What neither could evaluate has no difference to be unsure of; both reports list it themselves.
        return f"The check could not be evaluated in the {unseen[0]} report."
    if (was.inherited_from is None) != (is_.inherited_from is None) and (_found(was) or _found(is_)):
        when = "older" if was.inherited_from is not None else "newer"
        return f"In the {when} report the check waits for {is_.inherited_from or was.inherited_from}."
    return None


def _origins(report: Report) -> frozenset[str]:
    """Scheme and host of the page, both schemes."""
    hosts = set()
    for url in (report.url, report.final_url or ""):
        _, slashes, rest = url.partition("//")
        if slashes:
            hosts.add(rest.partition("/")[0].partition("?")[0])
    return frozenset(f"{scheme}://{host}" for host in hosts for scheme in ("http", "https"))


def _unseen_page(before: Report, after: Report) -> list[str]:
    """Return the reason why a finding may be missing from one of two reports although it was present."""
    reasons = []
    for when, report in (("older", before), ("newer", after)):
        if any(note.startswith(CUT) for note in report.run.notes):
            reasons.append(f"The {when} report did not see all of the page.")
    shells = [_is_shell(report) for report in (before, after)]
    if shells[0] != shells[1]:
        when = "older" if shells[0] else "newer"
        reasons.append(f"The {when} report saw an empty shell that scripts fill in.")
    return reasons


def _is_shell(report: Report) -> bool:
    if report.withheld is not None:
        return report.withheld.kind == "empty_shell"
    return any(note.startswith(SHELL) for note in report.run.notes)


def _unseen_files(report: Report) -> bool:
    """Return whether files of the page were left out because of our limits."""
    weight = next((result for result in report.results if result.check == "total-byte-weight"), None)
    if weight is None:
        return False
    left_out = any(
        detail.code == "files_not_fetched" and isinstance(detail.actual, int | float) and detail.actual > 0
        for detail in weight.errors
    )
    return left_out or (weight.outcome == "not_evaluated" and weight.reason.startswith("budget"))


def _asked_alike(was: Result, is_: Result) -> bool:
    """Return whether two reports checked the same links as far as their counts show: all, or as many of as many."""
    asked, linked = ([_number(result, code) for result in (was, is_)] for code in ("pages_evaluated", "pages_linked"))
    return asked == linked or (asked[0] == asked[1] and linked[0] == linked[1])


def _number(result: Result, code: str) -> object:
    return next((detail.actual for detail in result.errors if detail.code == code), None)


def _is_file(change: Change) -> bool:
    """Return whether a finding is about a file that the page loads, which is known only once it was fetched."""
    return change.evidence is not None and bool(change.evidence.url) and not change.evidence.selector


def _of_answer(changes: Collection[Change]) -> list[Change]:
    """The findings that do not need the whole page: those of the answer's headers."""
    return [change for change in changes if change.evidence is not None and change.evidence.header]


def _rank(result: Result) -> int:
    return SEVERITIES.index(result.importance) if result.importance in SEVERITIES else -1


def _order(change: Change) -> tuple[int, float, str]:
    return -_rank(change.result), -change.result.lost, change.result.check


class Matched(msgspec.Struct, frozen=True):
    """Two lists of evidence, sorted out; every distinct entry is in exactly one pair or left over."""

    both: tuple[tuple[Evidence, Evidence], ...]
    """(older, newer) of what is in both lists."""
    gone: tuple[Evidence, ...]
    """Older ones without a partner."""
    come: tuple[Evidence, ...]
    """Newer ones without a partner."""


def match(
    old: Sequence[Evidence],
    now: Sequence[Evidence],
    *,
    old_origins: Collection[str] = (),
    now_origins: Collection[str] = (),
) -> Matched:
    """Pair the entries of two lists, each at most once: first by the strictest key, what is left by the next one.

    Entries that show nothing different are one entry. Of elements that look alike the one at the same place is the
    partner, so that the place that was fixed is the one that is gone: three before and two after are two pairs and
    one that is gone. Exchanging the lists exchanges ``gone`` and ``come``.

    Args:
        old_origins: Origins whose addresses count as relative, where the two reports are on copies of one page.
        now_origins: The same for the newer report.
    """
    by_reason = repeats_places(old) or repeats_places(now)
    before = [(entry, _ranked(entry, by_reason, old_origins)) for entry in distinct(old)]
    after = [(entry, _ranked(entry, by_reason, now_origins)) for entry in distinct(now)]
    both: list[tuple[Evidence, Evidence]] = []
    for rank in range(max((len(found) for _, found in (*before, *after)), default=0)):
        waiting: dict[str, list[int]] = {}
        for index, (_, found) in enumerate(before):
            waiting.setdefault(_at(found, rank), []).append(index)
        waiting.pop("", None)
        paired_old: set[int] = set()
        paired_now: set[int] = set()
        for place, (entry, found) in enumerate(after):
            partners = waiting.get(_at(found, rank))
            if partners:
                partner = partners.pop(0)
                both.append((before[partner][0], entry))
                paired_old.add(partner)
                paired_now.add(place)
        before = [one for index, one in enumerate(before) if index not in paired_old]
        after = [one for index, one in enumerate(after) if index not in paired_now]
    return Matched(tuple(both), tuple(entry for entry, _ in before), tuple(entry for entry, _ in after))


def distinct(evidence: Sequence[Evidence]) -> tuple[Evidence, ...]:
    """The entries without repetitions, in their order."""
    return tuple(dict.fromkeys(evidence))


def _ranked(entry: Evidence, by_reason: bool, own: Collection[str]) -> Keys:  # noqa: FBT001
    """Return the entry's visible value, the same without its source position, and the keys of the fingerprint."""
    shown = (entry.selector, entry.snippet, entry.header, entry.url, entry.value, entry.reason)
    return (
        repr((*shown, entry.line, entry.column)),
        repr(shown),
        *keys(entry, by_reason=by_reason, own=own),
    )


def _at(found: Keys, rank: int) -> str:
    return found[rank] if rank < len(found) else ""
