"""Compare two crawls of a site: findings that are new, fixed, still there, or of which nothing can be said.

A finding is matched by its fingerprint, which names no URL. It is fixed only where every page that had it was asked for
again and is without it, and new only where a page that has it was known to be without it. What one of the two crawls
does not say is not comparable, with the reason.

A URL has one number in both crawls, from 1, and takes some 60 bytes; texts are compared by 64 bits.
"""

from __future__ import annotations

import heapq
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby, islice
from typing import Final, Literal, NamedTuple

import msgspec
from msgspec.structs import replace

from pagegrade.model.audit import AuditSettings, PageState
from pagegrade.model.audit_result import AuditResult, SiteFinding

ChangeKind = Literal["new", "worse", "fixed", "better", "still", "not_comparable"]
CHANGE_KINDS: Final[tuple[ChangeKind, ...]] = ("new", "worse", "fixed", "better", "still", "not_comparable")
AuditDifference = Literal["site", "ruleset", "settings", "access"]
_Outcome = Literal["same", "changed", "unclear", "unseen"]
ChangeReason = Literal["check_not_evaluated", "not_seen", "looks_different"]
PageAspect = Literal["status", "title", "canonical", "noindex", "content", "score"]
SHOWN_PAGES: Final = 100
"""Pages of one kind of change that are named; all of them are counted."""
_OTHERS: Final = frozenset(
    {
        "access",
        "external",
        "fresh",
        "render",
        "max_pages",
        "max_depth",
        "max_minutes",
        "rate_per_s",
        "connections",
        "sitemap",
        "sitemaps",
    }
)
"""Settings that decide how a site is asked, how much of it is seen and how fast, but not what belongs to it."""
_JUDGED: Final = frozenset({"blocked", "nofollow", "acts", "growing", "too_long", "variant"})
"""States, and reasons for not fetching, that say as much of a URL as an answer would where they are the same again."""
_GONE: Final = (404, 410)
_AT_ONCE: Final = 5_000
"""URLs that are read together."""


class PageFacts(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """A URL in scope, as far as two crawls compare it."""

    state: PageState
    trap: str | None = None
    """Reason why it was not fetched."""
    status: int | None = None
    refusal: str | None = None
    """Reason why the answer is not the page, such as a challenge."""
    words: int | None = None
    """``None``: it was not read as a page."""
    unread: bool = False
    """It was read without style sheets that it names."""
    title: str | None = None
    canonical_url: str | None = None
    noindex: bool | None = None
    digest: int | None = None
    score: int | None = None

    @property
    def is_answered(self) -> bool:
        """The answer says what is at the URL: a page, a redirect, or that there is none."""
        if self.state != "fetched" or self.status is None or self.refusal:
            return False
        return 200 <= self.status < 400 or self.status in _GONE  # noqa: PLR2004 - the classes of HTTP

    @property
    def is_page(self) -> bool:
        """It was read as a page of status 200."""
        return self.is_answered and self.status == 200 and self.words is not None  # noqa: PLR2004 - OK


class SeenPages:
    """Facts of one crawl by the numbers of URLs; those of URLs in scope only."""

    def __init__(self) -> None:
        """Know nothing yet."""
        self._facts: list[PageFacts | None] = [None]
        self._codes: dict[PageFacts, int] = {}
        self._code_of = array("I")
        self._texts = (array("q"), array("q"), array("q"))

    def __len__(self) -> int:
        """One more than the greatest number."""
        return len(self._code_of)

    def add(self, number: int, facts: PageFacts) -> None:
        """Add what is known of a URL."""
        if (missing := number + 1 - len(self)) > 0:
            for values in (self._code_of, *self._texts):
                values.frombytes(bytes(missing * values.itemsize))
        # Most pages have the same facts as others, texts and numbers of words aside.
        words = None if facts.words is None else 0
        shared = replace(facts, words=words, title=None, canonical_url=None, digest=None)
        if (code := self._codes.get(shared)) is None:
            code = self._codes[shared] = len(self._facts)
            self._facts.append(shared)
        self._code_of[number] = code
        for values, text in zip(self._texts, (facts.title, facts.canonical_url, facts.digest), strict=True):
            values[number] = hash(text)

    def get(self, number: int) -> PageFacts | None:
        """Return the facts of a URL, with 0 words if it has any and without its texts; ``None``: nothing is known."""
        return self._facts[self._code_of[number]] if number < len(self) else None

    def texts(self, number: int) -> tuple[int, int, int]:
        """Numbers that stand for the title, the canonical URL and the digest of a page that is known."""
        title, canonical, digest = self._texts
        return title[number], canonical[number], digest[number]


class AuditSide(NamedTuple):
    """One of two crawls."""

    number: int
    """Of the crawl."""
    settings: AuditSettings
    result: AuditResult
    pages: SeenPages
    places: Callable[[int], Iterable[tuple[int, int | None]]]
    """Number of a finding -> its (page, target of its link); those of a page follow one another."""


class FindingChange(msgspec.Struct, frozen=True, kw_only=True):
    """Change of one finding."""

    kind: ChangeKind
    before: SiteFinding | None
    after: SiteFinding | None
    pages_new: int = 0
    """Pages that have it now and were known to be without it."""
    pages_fixed: int = 0
    """Pages that had it and are known to be without it now."""
    pages_unclear: int = 0
    """Pages that have it in one crawl, of which the other one says nothing."""
    reason: ChangeReason | None = None
    """Of what is not comparable."""
    detail: str = ""
    """Reason why the check was not evaluated, where that makes it incomparable."""

    @property
    def finding(self) -> SiteFinding:
        """As it is now, or as it was."""
        found = self.after or self.before
        if found is None:
            raise ValueError("a change is one of a finding")
        return found

    @property
    def cost(self) -> float | None:
        """Points that it costs the site more than before; ``None``: one of the two crawls has no grade."""
        if any(one is not None and one.lost is None for one in (self.before, self.after)):
            return None
        lost = [0.0 if one is None else one.lost or 0.0 for one in (self.before, self.after)]
        return round(lost[1] - lost[0], 2)


class PageChange(NamedTuple):
    """A page that is not what it was."""

    url: str
    aspects: tuple[PageAspect, ...]


class PageChanges(msgspec.Struct, frozen=True, kw_only=True):
    """Pages that came, went and changed; in the order of their URLs."""

    new: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    """They answer that there is nothing, or a whole crawl did not come across them."""
    changed: tuple[PageChange, ...] = ()
    totals: tuple[int, int, int] = (0, 0, 0)
    """Numbers of all that are new, gone and changed."""


class AuditComparison(msgspec.Struct, frozen=True, kw_only=True):
    """The difference between an older and a newer crawl."""

    before: int
    after: int
    """Numbers of the crawls."""
    differs_in: tuple[AuditDifference, ...]
    """Reasons why the two are not compared, so that there are no findings and pages; empty if they are."""
    rulesets: tuple[str, str]
    scores: tuple[int | None, int | None]
    exact: tuple[float | None, float | None]
    """Scores before caps and rounding."""
    findings: tuple[FindingChange, ...] = ()
    """By kind, the most expensive first."""
    pages: PageChanges = PageChanges()

    @property
    def counts(self) -> dict[ChangeKind, int]:
        """Number of findings by what became of them."""
        found = Counter(one.kind for one in self.findings)
        return {kind: found[kind] for kind in CHANGE_KINDS}


def audit_differences(
    before: AuditResult, after: AuditResult, settings: tuple[AuditSettings, AuditSettings]
) -> tuple[AuditDifference, ...]:
    """Return what keeps two crawls, the older one first, from being compared."""
    found: list[AuditDifference] = []
    if before.url != after.url:
        found.append("site")
    if before.ruleset != after.ruleset:
        found.append("ruleset")
    older, newer = settings
    if any(_of(older, name) != _of(newer, name) for name in AuditSettings.__struct_fields__ if name not in _OTHERS):
        found.append("settings")
    if before.notes != after.notes or older.access != newer.access:
        found.append("access")
    return tuple(found)


def _of(settings: AuditSettings, name: str) -> object:
    value = getattr(settings, name)
    # In which order patterns stand makes no difference.
    return frozenset(value) if name in {"include", "exclude"} else value


def compare_audits(
    before: AuditSide, after: AuditSide, names: Callable[[Sequence[int]], Iterable[str]]
) -> AuditComparison:
    """Compare two crawls of a site; the same two give the same comparison.

    Args:
        before: The older one.
        after: The newer one.
        names: Gives the URLs of some numbers, in their order.
    """
    differs_in = audit_differences(before.result, after.result, (before.settings, after.settings))
    return AuditComparison(
        before=before.number,
        after=after.number,
        differs_in=differs_in,
        rulesets=(before.result.ruleset, after.result.ruleset),
        scores=(before.result.score, after.result.score),
        exact=(before.result.exact, after.result.exact),
        findings=() if differs_in else _findings(before, after),
        pages=PageChanges() if differs_in else _page_changes(before, after, names),
    )


def _findings(before: AuditSide, after: AuditSide) -> tuple[FindingChange, ...]:
    checks = sorted({one.check for side in (before, after) for one in side.result.findings})
    found = [change for check in checks for change in _of_check(_Check(check, before, after))]
    return tuple(
        sorted(
            found,
            key=lambda one: (
                CHANGE_KINDS.index(one.kind),
                -abs(one.cost or 0.0),
                -(one.finding.lost or 0.0),
                -one.finding.pages,
                one.finding.fingerprint,
            ),
        )
    )


class _Check:
    """Findings of one check in both crawls."""

    def __init__(self, check: str, before: AuditSide, after: AuditSide) -> None:
        self.sides = (before, after)
        self.unevaluated = tuple(
            next((one.reason for one in side.result.not_evaluated if one.check == check), None) for side in self.sides
        )
        self.findings = tuple(
            {one.fingerprint: one for one in side.result.findings if one.check == check} for side in self.sides
        )
        # Findings that a page has in each of the two, and those that it has in both.
        size = max(len(side.pages) for side in self.sides)
        self._findings_of = tuple(array("H", bytes(2 * size)) for _ in self.sides)
        self._in_both = array("H", bytes(2 * size))
        for at in (0, 1):
            for fingerprint in self.findings[at]:
                there = self._pages_with(fingerprint, 0) if at and fingerprint in self.findings[0] else None
                for page, _ in self._pages_of(fingerprint, at):
                    self._findings_of[at][page] += 1
                    if there is not None and there[page]:
                        self._in_both[page] += 1

    def _pages_of(self, fingerprint: str, at: int) -> Iterator[tuple[int, Iterator[tuple[int, int | None]]]]:
        """The pages of a finding in one of the two, with their rows."""
        finding = self.findings[at].get(fingerprint)
        return groupby(() if finding is None else self.sides[at].places(finding.number), lambda row: row[0])

    def _pages_with(self, fingerprint: str, at: int) -> bytearray:
        """1 for each page that has a finding in one of the two."""
        found = bytearray(len(self._in_both))
        for page, _ in self._pages_of(fingerprint, at):
            found[page] = 1
        return found

    def outcomes(self, fingerprint: str, has_it: int) -> Counter[_Outcome]:
        """Count the words of the other crawl on the pages that have a finding in one of the two.

        Args:
            has_it: 0 where the older crawl has it, 1 for the newer.
        """
        other = 1 - has_it
        there = self._pages_with(fingerprint, other)
        finding = self.findings[has_it].get(fingerprint)
        of_pages = finding is not None and finding.extent != "site"
        found: Counter[_Outcome] = Counter()
        for page, rows in self._pages_of(fingerprint, has_it):
            if there[page]:
                outcome: _Outcome = "same"
            elif not self._is_seen(page, has_it, of_pages=of_pages) or not all(
                target is None or self._is_target_seen(target, has_it) for _, target in rows
            ):
                outcome = "unseen"
            else:
                # The same fault may look different now: where the check finds what it did not find there, nothing is
                # claimed.
                outcome = "unclear" if self._findings_of[other][page] > self._in_both[page] else "changed"
            found[outcome] += 1
        return found

    def _is_seen(self, page: int, has_it: int, *, of_pages: bool) -> bool:
        one, other = self.sides[has_it], self.sides[1 - has_it]
        mine, theirs = one.pages.get(page), other.pages.get(page)
        if theirs is None:
            # The older crawl would have come across a page that was there; of the newer one, a fetch is asked for.
            return has_it == 1 and other.result.complete
        if of_pages and theirs.unread and not (mine is not None and mine.unread):
            return False
        return theirs.is_answered or (mine is not None and _is_judged_alike(mine, theirs))

    def _is_target_seen(self, target: int, has_it: int) -> bool:
        theirs = self.sides[1 - has_it].pages.get(target)
        # A target that is not known is one that no page links to.
        return theirs is None or theirs.state in {"fetched", "failed"} or _is_judged(theirs)


def _is_judged(page: PageFacts) -> bool:
    return page.state in _JUDGED or page.trap in _JUDGED


def _is_judged_alike(one: PageFacts, other: PageFacts) -> bool:
    return _is_judged(other) and (one.state, one.trap) == (other.state, other.trap)


def _of_check(check: _Check) -> Iterator[FindingChange]:
    for fingerprint in sorted(check.findings[0].keys() | check.findings[1].keys()):
        before, after = (found.get(fingerprint) for found in check.findings)
        old, new = (check.outcomes(fingerprint, at) for at in (0, 1))
        unclear = sum(found[name] for found in (old, new) for name in ("unclear", "unseen"))
        kind, reason, detail = _kind(check, before, after, old, new)
        yield FindingChange(
            kind=kind,
            before=before,
            after=after,
            pages_new=new["changed"],
            pages_fixed=old["changed"],
            pages_unclear=unclear,
            reason=reason,
            detail=detail,
        )


def _kind(
    check: _Check, before: SiteFinding | None, after: SiteFinding | None, old: Counter[_Outcome], new: Counter[_Outcome]
) -> tuple[ChangeKind, ChangeReason | None, str]:
    if before is not None and after is not None:
        more = new["changed"] - old["changed"]
        return "worse" if more > 0 else "better" if more < 0 else "still", None, ""
    other = 0 if before is None else 1
    if (why := check.unevaluated[other]) is not None:
        return "not_comparable", "check_not_evaluated", why
    found = old if other else new
    uncertain = found["unseen"] + found["unclear"]
    # What pages have together may have been there unseen, where one of them was; what a page has alone was not.
    by_page = after is not None and after.extent != "site"
    if not uncertain or (by_page and found["changed"]):
        return "fixed" if other else "new", None, ""
    return "not_comparable", "not_seen" if found["unseen"] else "looks_different", ""


def _page_changes(before: AuditSide, after: AuditSide, names: Callable[[Sequence[int]], Iterable[str]]) -> PageChanges:
    new, gone, changed = array("I"), array("I"), array("I")
    for number in range(max(len(before.pages), len(after.pages))):
        then, now = before.pages.get(number), after.pages.get(number)
        if then is None:
            if now is not None and now.is_page and before.result.complete:
                new.append(number)
            continue
        if then.is_page and _is_gone(now, after):
            gone.append(number)
        if _aspects(before.pages, after.pages, number):
            changed.append(number)
    return PageChanges(
        new=tuple(url for url, _ in _first(new, names)),
        gone=tuple(url for url, _ in _first(gone, names)),
        changed=tuple(
            PageChange(url, _aspects(before.pages, after.pages, number)) for url, number in _first(changed, names)
        ),
        totals=(len(new), len(gone), len(changed)),
    )


def _first(numbers: Iterable[int], names: Callable[[Sequence[int]], Iterable[str]]) -> list[tuple[str, int]]:
    """The first URLs in their order, and their numbers."""

    def named() -> Iterator[tuple[str, int]]:
        rest = iter(numbers)
        while some := list(islice(rest, _AT_ONCE)):
            yield from zip(names(some), some, strict=True)

    return heapq.nsmallest(SHOWN_PAGES, named())


def _is_gone(page: PageFacts | None, after: AuditSide) -> bool:
    return after.result.complete if page is None else page.state == "fetched" and page.status in _GONE


def _aspects(before: SeenPages, after: SeenPages, number: int) -> tuple[PageAspect, ...]:
    """Parts in which a page that both crawls fetched is different, other than that it is gone."""
    one, other = before.get(number), after.get(number)
    if one is None or other is None:
        return ()
    if one.state != "fetched" or other.state != "fetched" or other.status in _GONE:
        return ()
    if not (one.is_page and other.is_page):
        return ("status",) if one.status != other.status else ()
    (title, canonical, content), texts = before.texts(number), after.texts(number)
    named: tuple[tuple[PageAspect, bool], ...] = (
        ("title", title != texts[0]),
        ("canonical", canonical != texts[1]),
        ("noindex", one.noindex != other.noindex),
        ("content", content != texts[2]),
        ("score", one.score != other.score),
    )
    return tuple(name for name, differs in named if differs)
