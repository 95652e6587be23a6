"""Every claim of a comparison rests on pages that both crawls saw."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from msgspec.structs import replace

from pagegrade.model.audit import AuditSettings
from pagegrade.model.audit_result import AuditResult, Unevaluated
from pagegrade.report.compare_audits import (
    AuditComparison,
    AuditSide,
    FindingChange,
    PageChange,
    PageFacts,
    SeenPages,
    compare_audits,
)
from tests.audit_builders import result_of

pytestmark = pytest.mark.backend("sqlite", reason="no database is asked")

SEEN = PageFacts(state="fetched", status=200, words=9)
GONE = PageFacts(state="fetched", status=404)
BROKEN = PageFacts(state="fetched", status=503)
BLOCKED = PageFacts(state="blocked")
WALL = PageFacts(state="fetched", status=200, refusal="challenge")
BARE = PageFacts(state="fetched", status=200, words=9, unread=True)
LATE = PageFacts(state="not_fetched", trap="limit")
Found = Mapping[str, Sequence[str | tuple[str, str]]]


def side(found: Found, *, number: int = 1, extent: str = "pages", complete: bool = True, **changed: Any) -> AuditSide:
    """A crawl of pages a to d.

    Args:
        found: ``CHECK/CAUSE`` -> pages, or (page, target).
        number: Of the crawl.
        extent: Of the findings.
        complete: The crawl was.
        changed: ``pages``: facts of some pages, ``None`` for one that is not known; ``unevaluated``: a check; and
            fields of the result.
    """
    facts: dict[str, PageFacts | None] = dict.fromkeys("abcd", SEEN) | changed.pop("pages", {})
    settings = AuditSettings(**changed.pop("settings", {}))
    (one,) = result_of("https://example.com/").findings
    findings = []
    places: dict[int, list[tuple[str, str | None]]] = {}
    for at, (name, pages) in enumerate(found.items(), 1):
        lost = {"number": at, "check": name[0], "fingerprint": name, "extent": extent, "pages": len(pages), "lost": 1.0}
        findings.append(replace(one, **lost))
        places[at] = [(page, None) if isinstance(page, str) else page for page in pages]
    unevaluated = changed.pop("unevaluated", ())
    result: AuditResult = replace(
        result_of("https://example.com/"),
        findings=tuple(findings),
        complete=complete,
        not_evaluated=tuple(Unevaluated(check=name, title=name, reason="No sitemap.") for name in unevaluated),
        **changed,
    )
    seen = SeenPages()
    for url, page in facts.items():
        if page is not None:
            seen.add(ord(url), page)
    numbered = {
        at: [(ord(page), None if target is None else ord(target)) for page, target in rows]
        for at, rows in places.items()
    }
    return AuditSide(number, settings, result, seen, lambda finding: numbered[finding])


def compared(before: AuditSide, after: AuditSide) -> AuditComparison:
    """The comparison of crawls of pages with names of one letter."""
    return compare_audits(before, after, lambda numbers: map(chr, numbers))


def only(before: AuditSide, after: AuditSide) -> FindingChange:
    """The one change there is."""
    (found,) = compared(before, after).findings
    return found


@pytest.mark.parametrize(
    ("now", "complete", "kind", "reason"),
    [
        (SEEN, True, "fixed", None),
        (SEEN, False, "fixed", None),
        (GONE, True, "fixed", None),
        (PageFacts(state="fetched", status=301), True, "fixed", None),
        (BROKEN, True, "not_comparable", "not_seen"),
        (WALL, True, "not_comparable", "not_seen"),
        (BLOCKED, True, "not_comparable", "not_seen"),
        (LATE, False, "not_comparable", "not_seen"),
        (BARE, True, "not_comparable", "not_seen"),
        (None, True, "not_comparable", "not_seen"),
    ],
)
def test_a_finding_is_fixed_where_all_of_its_pages_were_fetched_again(
    now: PageFacts | None, complete: Any, kind: str, reason: str | None
) -> None:
    """And say what is there: an error, a wall, or a page without its style sheets does not."""
    found = only(side({"x/1": "ab"}), side({}, complete=complete, pages={"b": now}))

    assert (found.kind, found.reason) == (kind, reason)
    assert (found.pages_fixed, found.pages_unclear) == ((2, 0) if kind == "fixed" else (1, 1))


@pytest.mark.parametrize(
    ("then", "complete", "kind"),
    [
        (SEEN, False, "new"),
        (None, True, "new"),
        (None, False, "not_comparable"),
        (BROKEN, True, "not_comparable"),
        (LATE, False, "not_comparable"),
        (BARE, True, "not_comparable"),
    ],
)
def test_a_finding_is_new_where_a_page_was_known_to_be_without_it(
    then: PageFacts | None, complete: Any, kind: str
) -> None:
    """It was fetched before, or a whole crawl did not come across it."""
    found = only(side({}, complete=complete, pages={"a": then}), side({"x/1": "a"}))

    assert found.kind == kind
    assert found.pages_new == (kind == "new")


def test_what_pages_have_together_is_new_only_where_all_of_them_were_seen() -> None:
    """Two pages have had one title unseen, if one of them was not fetched; a fault of a page alone is its own."""
    then: dict[str, Any] = {"complete": False, "pages": {"b": LATE}}

    assert only(side({}, **then), side({"x/1": "ab"}, extent="site")).kind == "not_comparable"
    assert only(side({}, **then), side({"x/1": "ab"})).kind == "new"


def test_a_link_is_repaired_where_its_target_was_asked_for_again() -> None:
    """A target that is not known any more has no links; one that was not fetched may be as broken as before."""
    before = side({"x/1": [("a", "t")]}, extent="site", pages={"t": GONE})

    assert only(before, side({}, pages={"t": SEEN})).kind == "fixed"
    assert only(before, side({})).kind == "fixed"
    assert only(before, side({}, pages={"t": LATE})).reason == "not_seen"


def test_what_robots_forbid_is_seen_without_being_fetched() -> None:
    """Its state is the answer, as long as it is the same."""
    before = side({"x/1": "a"}, extent="site", pages={"a": BLOCKED})

    assert only(before, side({}, pages={"a": BLOCKED})).kind == "fixed"
    assert only(before, side({}, pages={"a": LATE})).kind == "not_comparable"


def test_a_fault_that_looks_different_is_neither_fixed_nor_new() -> None:
    """A page whose check finds something else may have the same fault in other clothes."""
    found = compared(side({"x/1": "ab"}), side({"x/2": "ab"})).findings

    assert [(one.kind, one.reason) for one in found] == [("not_comparable", "looks_different")] * 2
    # Where the other fault was there before, the one that is gone is gone.
    found = compared(side({"x/1": "ab", "x/2": "a"}), side({"x/2": "a"})).findings

    assert [(one.kind, one.finding.fingerprint) for one in found] == [("fixed", "x/1"), ("still", "x/2")]


@pytest.mark.parametrize(
    ("before", "after", "kind"), [("ab", "abc", "worse"), ("abc", "a", "better"), ("a", "b", "still")]
)
def test_a_finding_of_both_is_worse_or_better_by_its_pages(before: str, after: str, kind: str) -> None:
    """Only pages count that both crawls saw."""
    assert only(side({"x/1": before}), side({"x/1": after})).kind == kind
    assert only(side({"x/1": before}, complete=False, pages={"c": LATE}), side({"x/1": after})).kind != "worse"


@pytest.mark.parametrize("at", [0, 1])
def test_a_check_that_was_evaluated_once_says_nothing(at: int) -> None:
    """With the reason that the crawl gave."""
    sides = [side({"x/1": "a"}, extent="site"), side({"x/1": "a"}, extent="site")]
    sides[at] = side({}, unevaluated=("x",))
    found = only(*sides)

    assert (found.kind, found.reason, found.detail) == ("not_comparable", "check_not_evaluated", "No sitemap.")


@pytest.mark.parametrize(
    ("changed", "differs_in"),
    [
        ({"url": "https://example.net/"}, ("site",)),
        ({"ruleset": "2"}, ("ruleset",)),
        ({"settings": {"exclude": ("/a",)}}, ("settings",)),
        ({"notes": ("With an access.",)}, ("access",)),
        ({"settings": {"access": 2}}, ("access",)),
        ({"settings": {"max_pages": 3, "rate_per_s": 9.0}}, ()),
    ],
)
def test_two_measurements_are_not_compared(changed: dict[str, Any], differs_in: tuple[str, ...]) -> None:
    """Another site, other rules, another scope; how much was fetched is no reason."""
    found = compared(side({"x/1": "a"}), side({}, **changed))

    assert found.differs_in == differs_in
    assert bool(found.findings) == (not differs_in)


@pytest.mark.parametrize("name", ["include", "exclude"])
def test_the_order_of_patterns_is_no_other_scope(name: str) -> None:
    """One that was taken out and put back stands last; one that is not in both is another scope."""
    older = side({"x/1": "a"}, settings={name: ("/a/", "/b/")})

    assert compared(older, side({}, settings={name: ("/b/", "/a/")})).differs_in == ()
    assert compared(older, side({}, settings={name: ("/b/", "/a/", "/c/")})).differs_in == ("settings",)
    assert compared(older, side({}, settings={name: ("/b/",)})).differs_in == ("settings",)


def test_pages_come_go_and_change() -> None:
    """In the order of their URLs, with what changed of them."""
    before = side({}, pages={"b": replace(SEEN, title="B", score=80), "e": SEEN, "f": SEEN})
    after = side({}, pages={"b": replace(SEEN, title="C", score=81), "c": GONE, "d": BROKEN, "e": None, "g": SEEN})
    found = compared(before, after).pages

    assert (found.new, found.gone, found.totals) == (("g",), ("c", "e", "f"), (1, 3, 2))
    assert found.changed == (PageChange("b", ("title", "score")), PageChange("d", ("status",)))
    part = compared(structs_of(before, complete=False), structs_of(after, complete=False)).pages

    assert (part.new, part.gone) == ((), ("c",))


def structs_of(one: AuditSide, **changed: Any) -> AuditSide:
    """A side with another result."""
    return one._replace(result=replace(one.result, **changed))


def test_the_points_of_the_findings_add_up_to_the_difference_of_the_scores() -> None:
    """Each cause has its share; the same two crawls say the same."""
    before, after = side({"x/1": "ab", "y/1": "a"}), side({"y/1": "a", "z/1": "cd"}, number=2)
    found = compared(before, after)

    assert [(one.kind, one.finding.check, one.cost) for one in found.findings] == [
        ("new", "z", 1.0),
        ("fixed", "x", -1.0),
        ("still", "y", 0.0),
    ]
    assert found == compared(before, after)
    assert found.counts == {"new": 1, "worse": 0, "fixed": 1, "better": 0, "still": 1, "not_comparable": 0}
    ungraded = structs_of(after, findings=tuple(replace(one, lost=None) for one in after.result.findings))

    assert [one.cost for one in compared(before, ungraded).findings] == [None, -1.0, None]


def test_more_pages_than_are_named_are_counted() -> None:
    """The first of them in the order of their URLs are named, whatever their numbers."""
    names = [chr(at) for at in range(0x400, 0x500)]
    found = compared(side({}), side({}, pages=dict.fromkeys(reversed(names), SEEN))).pages

    assert (found.totals[0], found.new) == (256, tuple(names[:100]))


def test_pages_that_differ_in_their_words_alone_share_what_is_kept() -> None:
    """Most pages of a large site do; a file that is no page is still none."""
    seen = SeenPages()
    for number, words in enumerate((100, 101, 0, None), 1):
        seen.add(number, replace(SEEN, words=words))
    known = [seen.get(number) for number in range(1, 5)]

    assert known[0] is known[1] is known[2]
    assert [one is not None and one.is_page for one in known] == [True, True, True, False]
