"""The laws of comparing two reports: on made-up results, and on pages that the real checks evaluated."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Final

from hypothesis import given, settings
from hypothesis import strategies as st

from pagegrade.model.outcome import Evidence
from pagegrade.model.report import Report, Result
from pagegrade.report.compare import WHOLE, Change, Comparison, compare_reports
from pagegrade.service.runs.analysis import artifacts_of_document
from pagegrade.service.runs.evaluation import evaluate_artifacts
from tests.report_builders import make_passed, make_report, make_result

CHECKS: Final = ("image-alt", "link-name", "csp", "cookies", "page-size")
WORDS: Final = st.sampled_from(("", "a", "b", "app.3f2a91bc.js", "app.77ab01fe.js", "5 times", "6 times"))
SNIPPETS: Final = st.sampled_from(
    ("", '<a href="/x">Read</a>', '<a href="/x">More</a>', '<img class="x" src="/y.png">', "<li>", "default-src *")
)
EVIDENCE: Final = st.builds(
    Evidence,
    selector=WORDS,
    line=st.none() | st.integers(1, 3),
    snippet=SNIPPETS,
    header=st.sampled_from(("", "CSP", "Set-Cookie")),
    url=WORDS,
    value=WORDS,
    reason=WORDS,
)
FOUND: Final = st.tuples(st.lists(EVIDENCE, max_size=5), st.sampled_from(("some", "all")), st.floats(0.1, 3))
PAGES: Final = st.fixed_dictionaries({name: st.none() | FOUND for name in CHECKS})
Page = dict[str, tuple[list[Evidence], str, float] | None]
OFFENDERS: Final = (
    '<img src="/img/{n}.png" class="photo" width="300" height="200">',
    '<img class="photo" src="/img/{n}.webp" id="img-{n}">',
    '<a href="/page/{n}"></a>',
    '<a href="/page/{n}" class="more" title="">  <span></span></a>',
    '<input type="text" name="field{n}" class="wide">',
    '<font color="red">Sale {n}</font>',
    "<center>Words in the middle {n}</center>",
    '<iframe src="https://other.test/frame/{n}"></iframe>',
    '<button type="button" name="b{n}"></button>',
    '<form action="http://other.test/{n}"><p>Form</p></form>',
    '<div role="nonsense" id="r{n}">Words</div>',
)
NEUTRAL: Final = (
    "<p>Some words.</p>",
    "<div><p>Closed on Monday.</p></div>",
    "<span>and</span>",
    "<!-- note -->",
    "\n\n",
)
PER_ELEMENT: Final = frozenset(
    "aria-roles button-name deprecated-html form-label frame-title image-alt insecure-form link-name".split()
)
"""Checks that evaluate every element by itself, wherever it stands."""


def report_of(page: Page) -> Report:
    """A report with these findings; where there are none, the check passed."""
    return make_report(*(_result(name, page[name]) for name in CHECKS))


def _result(name: str, found: tuple[list[Evidence], str, float] | None) -> Result:
    if found is None:
        return make_passed(name)
    evidence, state, lost = found
    return make_result(name, evidence=tuple(evidence), state=state, lost=lost)


def findings(result: Result, other: Result) -> int:
    """The number of findings of a result: its distinct places; one, where it or the other is about the whole page."""
    if result.outcome == "passed":
        return 0
    either = result.check in WHOLE or not result.evidence or (other.outcome != "passed" and not other.evidence)
    return 1 if either else len(set(result.evidence))


def names(changes: Sequence[Change]) -> list[str]:
    """The comparable parts of changes, in an order of their own."""
    return sorted(f"{change.result.check} {change.evidence}" for change in changes)


def compared(before: str, after: str) -> Comparison:
    """The comparison of two pages, as the real checks evaluate them."""
    return compare_reports(evaluated(before), evaluated(after))


def evaluated(body: str) -> Report:
    """The report on a page."""
    whole = f"<!doctype html><html lang=en><head><title>Lamps and wicks</title></head><body>{body}</body></html>"
    return evaluate_artifacts(
        artifacts_of_document(whole.encode(), url="https://example.com/", status=200, headers=(), robots_txt=None)
    )


def of_elements(changes: Sequence[Change]) -> list[tuple[str, Evidence | None]]:
    """The changes of checks that evaluate every element by itself."""
    return [(change.result.check, change.evidence) for change in changes if change.result.check in PER_ELEMENT]


def moved(pieces: Sequence[str], seed: int) -> str:
    """The pieces in another order, wrapped and between other things, with their attributes in another order."""
    chance = random.Random(seed)  # noqa: S311 - a test, not a secret
    shuffled = [_rewritten(piece, chance) for piece in pieces]
    chance.shuffle(shuffled)
    parts = []
    for piece in shuffled:
        parts += chance.choices(NEUTRAL, k=chance.randrange(3))
        depth = chance.randrange(4)
        parts.append("<div>" * depth + piece + "</div>" * depth)
    return '<div class="outer"><main>' + "".join(parts) + "</main></div>"


def _rewritten(piece: str, chance: random.Random) -> str:
    """The start tag with its attributes shuffled and more space between them."""
    tag, _, rest = piece.partition(">")
    name, *attributes = tag.split(" ")
    chance.shuffle(attributes)
    return (" " * chance.randrange(1, 4)).join([name, *attributes]) + ">" + rest


PIECES: Final = st.lists(
    st.builds(lambda piece, number: piece.format(n=number), st.sampled_from(OFFENDERS), st.integers(1, 4)),
    min_size=1,
    max_size=12,
)


@given(page=PAGES)
def test_a_report_compared_with_itself_has_nothing_new_and_nothing_fixed(page: Page) -> None:
    """Whatever its evidence holds."""
    comparison = compare_reports(report_of(page), report_of(page))

    assert comparison.new == comparison.fixed == ()
    assert comparison.worse == ()
    assert comparison.not_comparable == ()


@settings(max_examples=300)
@given(before=PAGES, after=PAGES)
def test_new_and_fixed_swap_when_the_reports_swap(before: Page, after: Page) -> None:
    """New findings become fixed ones, and the other way round."""
    there = compare_reports(report_of(before), report_of(after))
    back = compare_reports(report_of(after), report_of(before))

    assert names(there.new) == names(back.fixed)
    assert names(there.fixed) == names(back.new)
    assert len(there.still) == len(back.still)


@settings(max_examples=300)
@given(before=PAGES, after=PAGES)
def test_every_finding_is_counted_once(before: Page, after: Page) -> None:
    """Still and fixed are what was found before; still and new are what is found now."""
    old, now = report_of(before), report_of(after)
    comparison = compare_reports(old, now)
    pairs = list(zip(old.results, now.results, strict=True))

    assert len(comparison.still) + len(comparison.fixed) == sum(findings(was, is_) for was, is_ in pairs)
    assert len(comparison.still) + len(comparison.new) == sum(findings(is_, was) for was, is_ in pairs)


@settings(max_examples=300)
@given(before=PAGES, data=st.data())
def test_no_finding_stands_in_two_lists(before: Page, data: st.DataObject) -> None:
    """New, fixed and still there have nothing in common, also where entries repeat and some of them went."""
    after = {
        name: found and (data.draw(st.lists(st.sampled_from(found[0]), max_size=6)) if found[0] else [], *found[1:])
        for name, found in before.items()
    }
    comparison = compare_reports(report_of(before), report_of(after))
    lists = [names(changes) for changes in (comparison.new, comparison.fixed, comparison.still)]
    every = [name for one in lists for name in one]

    assert len(every) == len(set(every))


@settings(max_examples=30, deadline=None)
@given(pieces=PIECES, seed=st.integers(0, 1 << 30))
def test_elements_that_move_are_no_news(pieces: list[str], seed: int) -> None:
    """Another order, wrappers, neighbours and attribute order change no element's findings."""
    comparison = compared("".join(pieces), moved(pieces, seed))

    assert of_elements(comparison.new) == of_elements(comparison.fixed) == []
    assert len(of_elements(comparison.still)) > 0


@settings(max_examples=30, deadline=None)
@given(pieces=PIECES, seed=st.integers(0, 1 << 30), data=st.data())
def test_what_came_and_went_while_all_moved_is_listed(pieces: list[str], seed: int, data: st.DataObject) -> None:
    """One picture went, another one came, and everything else only moved."""
    gone = '<img src="/img/gone.png" class="photo">'
    come = '<img src="/img/come.png" class="photo">'
    place = data.draw(st.integers(0, len(pieces)))
    before = [*pieces[:place], gone, *pieces[place:]]
    comparison = compared("".join(before), moved([*pieces, come], seed))
    new = [entry for _, entry in of_elements(comparison.new) if entry is not None]
    fixed = [entry for _, entry in of_elements(comparison.fixed) if entry is not None]

    assert [entry.url for entry in new] == ["https://example.com/img/come.png"]
    assert [entry.url for entry in fixed] == ["https://example.com/img/gone.png"]
