from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

import pytest
from msgspec.structs import replace

from pagegrade.checks import all_checks
from pagegrade.model.errors import InvalidInput
from pagegrade.model.outcome import Detail, Evidence
from pagegrade.model.rendering import Device, LoadMetrics, RenderedPage
from pagegrade.model.report import Report, Result, RunFacts
from pagegrade.render.history import comparison_notes
from pagegrade.report.build import rendered_page
from pagegrade.report.compare import CUT, LINKED, WHOLE, Change, Comparison, compare_reports, fingerprints, match
from pagegrade.service.runs.analysis import artifacts_of_document
from pagegrade.service.runs.evaluation import evaluate_artifacts
from tests.rendering_builders import make_rendering
from tests.report_builders import make_failed_report, make_images, make_passed, make_report, make_result


def compare(before: Result, after: Result) -> Comparison:
    """The difference when one check said this, then that."""
    return compare_reports(make_report(before), make_report(after))


def sizes(comparison: Comparison) -> tuple[int, int, int, int]:
    """(new, fixed, still, not comparable)."""
    return (
        len(comparison.new),
        len(comparison.fixed),
        len(comparison.still),
        len(comparison.not_comparable),
    )


def ids(changes: Sequence[Change]) -> list[str]:
    """The checks of these changes."""
    return [change.result.check for change in changes]


FAILED = make_result("image-alt", evidence=make_images(3))
PASSED = make_passed("image-alt")


def test_the_same_report_has_only_what_is_still_there() -> None:
    """Nothing changed, so nothing is new and nothing is fixed."""
    comparison = compare_reports(make_report(), make_report())

    assert comparison.new == comparison.fixed == ()
    assert len(comparison.still) > 0


def test_the_gravest_change_comes_first() -> None:
    """By severity, then by points, then by the name of the check, whatever the order of the reports."""
    found = (
        make_result("h1", importance="low", lost=3.0),
        make_result("hsts", lost=1.0),
        make_result("title", lost=2.0),
        make_result("canonical", lost=1.0),
    )
    failed = make_report(*found)
    passed = make_report(*(make_passed(result.check) for result in found))
    order = ["title", "canonical", "hsts", "h1"]

    assert ids(compare_reports(passed, failed).new) == order
    assert ids(compare_reports(failed, passed).fixed) == order
    assert ids(compare_reports(failed, failed).still) == order


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (PASSED, FAILED, (3, 0, 0, 0)),
        (FAILED, PASSED, (0, 3, 0, 0)),
        (PASSED, PASSED, (0, 0, 0, 0)),
        (make_passed("image-alt", outcome="not_applicable"), FAILED, (3, 0, 0, 0)),
        (make_passed("image-alt", outcome="not_evaluated"), FAILED, (0, 0, 0, 1)),
        (FAILED, make_passed("image-alt", outcome="not_evaluated"), (0, 0, 0, 1)),
        (make_result("hsts", inherited_from="https"), make_result("hsts"), (0, 0, 0, 1)),
        (make_result("hsts", inherited_from="https"), make_result("hsts", inherited_from="https"), (0, 0, 0, 0)),
        (make_result("hsts", inherited_from="https"), make_passed("hsts"), (0, 0, 0, 0)),
        (make_passed("other"), PASSED, (0, 0, 0, 2)),
        (make_passed("amp", importance="informative", outcome="informative"), PASSED, (0, 0, 0, 1)),
        (make_passed("hsts", outcome="not_evaluated"), make_passed("hsts", outcome="not_evaluated"), (0, 0, 0, 0)),
    ],
)
def test_a_check_with_another_outcome_is_listed(
    before: Result, after: Result, expected: tuple[int, int, int, int]
) -> None:
    """A check that was not evaluated on one of the two days is neither new nor fixed."""
    assert sizes(compare(before, after)) == expected


@pytest.mark.parametrize("when", ["older", "newer"])
def test_a_check_that_waited_for_another_names_it(when: str) -> None:
    """Whichever of the two reports it was."""
    pair = [make_result("hsts", inherited_from="https"), make_result("hsts")]
    before, after = pair if when == "older" else reversed(pair)
    (found,) = compare(before, after).not_comparable

    assert found.reason == f"In the {when} report the check waits for https."


def test_elements_that_move_are_still_the_same() -> None:
    """A line added above changes every line number and selector, and no finding."""
    moved = tuple(
        replace(evidence, line=(evidence.line or 0) + 40, column=1, selector=f"body > div:nth-child(9) > {n}")
        for n, evidence in enumerate(FAILED.evidence)
    )

    assert sizes(compare(FAILED, replace(FAILED, evidence=moved))) == (0, 0, 3, 0)


def test_one_more_offender_is_the_only_new_one() -> None:
    """The gate fires for an added offender, not for known ones."""
    comparison = compare(FAILED, make_result("image-alt", evidence=make_images(4)))

    assert sizes(comparison) == (1, 0, 3, 0)
    assert comparison.new[0].evidence == make_images(4)[3]


def test_equal_offenders_are_counted_one_by_one() -> None:
    """Two elements that look alike where one was are one new finding, at the place that is new."""
    same, other = (Evidence(selector=f"li:nth-child({n}) > img", snippet="<img src=a>") for n in (1, 2))
    comparison = compare(make_result(evidence=(other,)), make_result(evidence=(same, other)))

    assert sizes(comparison) == (1, 0, 1, 0)
    assert comparison.new[0].evidence == same


def test_a_text_that_changed_in_its_place_is_still_the_same_finding() -> None:
    """A title that was too long and is another too long title is no new problem."""
    before = make_result(evidence=(Evidence(selector="head > title", snippet="<title>Long one</title>"),))
    after = make_result(evidence=(Evidence(selector="head > title", snippet="<title>Long two</title>"),))

    assert sizes(compare(before, after)) == (0, 0, 1, 0)


def test_another_resource_in_the_same_place_is_new() -> None:
    """Replacing a broken image by another broken image fixes one and breaks one."""
    before = make_result(evidence=(Evidence(selector="img", url="https://example.com/a.png"),))
    after = make_result(evidence=(Evidence(selector="img", url="https://example.com/b.png"),))

    assert sizes(compare(before, after)) == (1, 1, 0, 0)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("https://example.com/app.3f2a91bc.js", "https://example.com/app.77ab01fe.js"),
        ("https://example.com/zebra-lantern-9b5559df3a14679f", "https://example.com/zebra-lantern-a5436482a9ba321c"),
    ],
)
def test_a_hash_in_an_address_makes_nothing_new(before: str, after: str) -> None:
    """File names change with every build, and made-up addresses with every run."""
    difference = compare(make_result(evidence=(Evidence(url=before),)), make_result(evidence=(Evidence(url=after),)))

    assert sizes(difference) == (0, 0, 1, 0)


def test_what_a_cut_list_does_not_show_is_neither_new_nor_fixed() -> None:
    """An entry that slid into the visible part of a long list may have been there before."""
    images = make_images(10)
    before = make_result(evidence=images[:3], evidence_total=10)
    after = make_result(evidence=images[1:4], evidence_total=9)
    comparison = compare(before, after)

    assert sizes(comparison) == (0, 0, 2, 2)
    assert [one.reason for one in comparison.not_comparable] == [
        "The older report lists 3 of 10 places; 1 that only the other report lists may be among the rest.",
        "The newer report lists 3 of 9 places; 1 that only the other report lists may be among the rest.",
    ]
    assert comparison.worse == ()


def test_a_whole_list_shows_what_a_cut_one_added() -> None:
    """Whatever the cut list leaves out, the whole one did not have what it shows; what is gone may be left out."""
    images = make_images(8)
    whole = make_result(evidence=images[:3])
    cut = make_result(evidence=images[1:6], evidence_total=8)

    assert sizes(compare(whole, cut)) == (3, 0, 2, 1)
    assert sizes(compare(cut, whole)) == (0, 3, 2, 1)


def test_a_cut_list_that_grew_is_worse() -> None:
    """Some of it must be new, and it is unknown which."""
    before = make_result(evidence=make_images(3, 10), evidence_total=10)
    after = make_result(evidence=make_images(3, 10), evidence_total=11)
    comparison = compare(before, after)

    assert sizes(comparison) == (0, 0, 3, 0)
    assert comparison.worse == (after,)
    assert compare(after, before).worse == ()


@pytest.mark.parametrize(
    ("state", "lost", "is_worse"), [("missing", 2.0, True), ("weak", 0.5, False), ("some", 9.0, False)]
)
def test_a_finding_about_the_whole_page_stays_and_may_get_worse(state: str, lost: float, *, is_worse: bool) -> None:
    """From weak to missing is news; more of the same is not, and less of it is no other finding."""
    before = make_result("csp", evidence=(), state="some", lost=1.0)
    after = make_result("csp", evidence=(), state=state, lost=lost)
    comparison = compare(before, after)

    assert sizes(comparison) == (0, 0, 1, 0)
    assert comparison.worse == ((after,) if is_worse else ())


def test_a_list_that_only_explains_an_amount_is_one_finding() -> None:
    """Another file among the heaviest ones is not what is wrong with the page."""
    before = make_result("total-byte-weight", evidence=(Evidence(url="https://example.com/a.js", value="9 bytes"),))
    after = make_result("total-byte-weight", evidence=(Evidence(url="https://example.com/b.js", value="8 bytes"),))

    assert sizes(compare(before, after)) == (0, 0, 1, 0)
    assert [change.evidence for change in compare(PASSED, FAILED).new] == list(FAILED.evidence)


def test_places_found_where_before_there_was_nothing_to_point_at_are_the_same_finding() -> None:
    """No heading and three headings: the heading was wrong, and is."""
    without = make_result("h1", evidence=(), state="missing")
    headings = make_result("h1", evidence=make_images(3), state="several")

    assert sizes(compare(without, headings)) == (0, 0, 1, 0)
    assert sizes(compare(headings, without)) == (0, 0, 1, 0)


def test_checks_of_an_amount_exist() -> None:
    """A check that is renamed must be renamed here."""
    assert (WHOLE | {LINKED}) - set(all_checks()) == set()


def test_new_findings_are_chosen_by_severity() -> None:
    """--fail-on-new high does not care about a new low one."""
    before = make_report(make_passed("a"), make_passed("b"), make_passed("c"))
    after = make_report(
        make_result("a", importance="low"),
        make_result("b", importance="high"),
        make_result("c", importance="informative"),
    )
    comparison = compare_reports(before, after)

    assert [change.result.check for change in comparison.new_from("high")] == ["b"]
    assert [change.result.check for change in comparison.new_from("low")] == ["b", "a"]


def test_what_got_worse_is_chosen_by_severity() -> None:
    """--fail-on-new high does not care about a low one that got worse."""
    before = make_report(make_result("a", importance="low", evidence=(), state="weak", lost=0.1))
    after = make_report(make_result("a", importance="low", evidence=(), state="missing", lost=0.2))
    comparison = compare_reports(before, after)

    assert comparison.worse_from("high") == ()
    assert [result.check for result in comparison.worse_from("low")] == ["a"]


def test_another_page_or_other_rules_are_said() -> None:
    """The scores of two rulesets do not compare, and the comparison says so."""
    other = make_report(url="https://staging.example.com/")
    later = make_report(run=replace(make_report().run, ruleset="2027.1"))

    assert compare_reports(make_report(), other).same_url is False
    assert compare_reports(make_report(), later).differs_in == ("ruleset",)


def test_an_address_that_leads_elsewhere_is_said() -> None:
    """A login page in place of the page explains every difference."""
    elsewhere = make_report(final_url="https://example.com/login")

    session = [make_report(final_url=f"https://example.com/a;jsessionid={name}") for name in ("1A2B3C4D", "9Z8Y7X6W")]

    assert compare_reports(make_report(), elsewhere).same_final_url is False
    assert compare_reports(*session).same_final_url is True
    assert compare_reports(make_report(), make_report()).same_final_url is True


@pytest.mark.parametrize(
    "note",
    [
        "The page was not read to its end (limit); what follows was not evaluated.",
        "The page is larger than our limits (elements); the rest was not read.",
        "The served HTML is an empty shell that scripts fill in; what they add was not seen.",
    ],
)
def test_a_page_that_was_not_wholly_seen_fixes_nothing(note: str) -> None:
    """Findings in the rest of the page are still there; a header was seen in any case."""
    header = make_result("cors", evidence=(Evidence(header="Access-Control-Allow-Origin", snippet="*"),))
    whole = make_report(FAILED, header, run=RunFacts(engine="1"))
    part = make_report(PASSED, make_passed("cors"), run=RunFacts(engine="1", notes=(note,)))
    comparison = compare_reports(whole, part)

    assert [change.result.check for change in comparison.fixed] == ["cors"]
    assert [item.check for item in comparison.not_comparable] == ["image-alt"]
    assert [change.result.check for change in compare_reports(part, whole).new] == ["cors"]


def drawn_for(device: Device) -> RenderedPage:
    """The page in a browser that imitated this device."""
    return rendered_page(make_rendering(device=device), [], LoadMetrics())


BASES: Final = (
    make_report(FAILED),
    make_report(FAILED, rendered=drawn_for("mobile")),
    make_report(FAILED, rendered=drawn_for("desktop")),
    make_report(FAILED, run=replace(make_report().run, ruleset="2027.1")),
)


@pytest.mark.parametrize("before", BASES)
@pytest.mark.parametrize("after", BASES)
def test_only_reports_on_one_basis_are_compared(before: Report, after: Report) -> None:
    """With another engine, device or ruleset, nothing is new, fixed, still there, worse or unclear."""
    comparison = compare_reports(before, after)

    assert comparison.is_comparable is (before is after)
    assert sizes(comparison) == ((0, 0, len(FAILED.evidence), 0) if before is after else (0, 0, 0, 0))
    assert comparison.worse == ()
    assert comparison.differs_in == before.basis.differences(after.basis)


@pytest.mark.parametrize(
    ("body", "truncated", "known"),
    [
        (b"<!doctype html><title>Lamps</title><p>" + b"<b>" * 2000, None, CUT[1]),
        (b"<!doctype html><title>Lamps</title><p>Of brass", "limit", CUT[0]),
    ],
)
def test_the_notes_of_a_run_are_the_ones_known_here(
    body: bytes, truncated: Literal["limit"] | None, known: str
) -> None:
    """They are sentences, so a changed word would be overlooked."""
    artifacts = artifacts_of_document(body, url="https://example.com/", status=200, headers=(), robots_txt=None)
    response = replace(artifacts.navigation.response, truncated=truncated)
    seen = replace(artifacts, navigation=replace(artifacts.navigation, response=response))

    assert [note for note in evaluate_artifacts(seen).run.notes if note.startswith(known)] != []


@pytest.mark.parametrize(
    "weight",
    [
        make_passed("total-byte-weight", errors=(Detail(code="files_not_fetched", actual=2),)),
        make_passed("total-byte-weight", outcome="not_evaluated", reason="budget: 9 files were not fetched."),
    ],
)
def test_a_file_that_was_not_fetched_is_not_fixed(weight: Result) -> None:
    """Its fault was not looked for."""
    slow = make_result("cache-headers", evidence=(Evidence(url="https://example.com/a.css"), *make_images(1)))
    fast = make_result("cache-headers", evidence=(Evidence(url="https://example.com/b.css"),))
    comparison = compare_reports(make_report(slow, weight), make_report(fast, make_passed("total-byte-weight")))
    reverse = compare_reports(make_report(slow, make_passed("total-byte-weight")), make_report(fast, weight))

    assert [len(comparison.new), len(comparison.fixed)] == [0, 2]
    assert [len(reverse.new), len(reverse.fixed)] == [1, 1]
    assert any("Not all files" in item.reason for item in comparison.not_comparable)


@pytest.mark.parametrize(
    ("before", "after", "counts"),
    [
        ((20, 134), (20, 134), (1, 0, 1, 0)),
        ((3, 3), (4, 4), (1, 0, 1, 0)),
        ((20, 134), (20, 135), (0, 0, 1, 1)),
        ((20, 134), (19, 134), (0, 0, 1, 1)),
    ],
)
def test_links_are_new_only_where_the_same_ones_were_followed(
    before: tuple[int, int], after: tuple[int, int], counts: tuple[int, int, int, int]
) -> None:
    """Only the first ones of a page are, so one more link moves another one out of sight."""

    def found(numbers: tuple[int, int], *paths: str) -> Result:
        asked, linked = numbers
        return make_result(
            "broken-links",
            evidence=tuple(Evidence(selector="a", url=f"https://example.com{path}") for path in paths),
            errors=(Detail(code="pages_evaluated", actual=asked), Detail(code="pages_linked", actual=linked)),
        )

    assert sizes(compare(found(before, "/a"), found(after, "/a", "/b"))) == counts


def test_copies_of_a_page_on_two_hosts_compare() -> None:
    """Staging against production: the own address is no difference."""
    live = make_result(evidence=(Evidence(url="https://example.com/a.css"), Evidence(url="https://cdn.test/b.css")))
    staged = make_result(evidence=(Evidence(url="https://cdn.test/b.css"), Evidence(url="https://new.test/a.css")))
    comparison = compare_reports(
        make_report(live), make_report(staged, url="https://new.test/x", final_url="https://new.test/x")
    )

    assert sizes(comparison) == (0, 0, 2, 0)


def test_what_is_unclear_is_listed_by_reason() -> None:
    """Forty checks that need the network are one line and not forty."""
    before = make_report(*(make_passed(name, outcome="not_evaluated") for name in ("a", "b")), make_passed("c"))
    comparison = compare_reports(before, make_report(make_passed("a"), make_passed("b")))

    assert [(reason, [one.check for one in checks]) for reason, checks in comparison.unclear] == [
        ("The check could not be evaluated in the older report.", ["a", "b"]),
        ("The check does not exist in the newer report.", ["c"]),
    ]


@pytest.mark.parametrize("failed_first", [True, False])
def test_a_failed_analysis_compares_with_nothing(*, failed_first: bool) -> None:
    """There are no findings to compare."""
    pair = (make_failed_report(), make_report())

    with pytest.raises(InvalidInput, match="failed analysis"):
        compare_reports(*(pair if failed_first else pair[::-1]))


def test_a_fingerprint_survives_moves_and_distinguishes_pages() -> None:
    """Code scanning follows a finding over time by it."""
    report = make_report()
    moved = replace(
        FAILED,
        evidence=tuple(
            replace(item, line=999, selector=f"main > img:nth-child({place})")
            for place, item in enumerate(FAILED.evidence)
        ),
    )
    names = fingerprints(report, FAILED)

    assert len(set(names)) == len(names) == 3
    assert fingerprints(report, moved) == names
    assert set(fingerprints(make_report(url="https://b.test/"), FAILED)).isdisjoint(names)
    assert len(fingerprints(report, replace(FAILED, evidence=()))) == 1


def test_fingerprints_of_equal_findings_are_numbered() -> None:
    """Two of three equal ones keep their names when one is fixed."""
    same = Evidence(selector="a", snippet="<a href=x>")
    three = fingerprints(make_report(), make_result(evidence=(same, same, same)))
    two = fingerprints(make_report(), make_result(evidence=(same, same)))

    assert len(set(three)) == 3
    assert three[:2] == two


def test_a_change_that_rounding_hides_is_said_with_a_decimal() -> None:
    """Two equal whole scores beside new findings need the tenths; other rules compare nothing."""
    before = make_report(FAILED, score=76, uncapped_score=76.4)
    after = make_report(FAILED, score=76, uncapped_score=75.8)
    other = replace(after, run=replace(after.run, ruleset="2027.1"))

    assert compare_reports(before, after).hidden_by_rounding == (76.4, 75.8)
    assert compare_reports(before, before).hidden_by_rounding is None
    assert compare_reports(before, replace(after, score=75)).hidden_by_rounding is None
    assert compare_reports(before, other).hidden_by_rounding is None
    assert "Score 76 → 76 (76.4 → 75.8 before caps and rounding)." in comparison_notes(compare_reports(before, after))


def link(target: str, selector: str = "a", text: str = "Read") -> Evidence:
    """Evidence for a link."""
    return Evidence(selector=selector, snippet=f'<a href="{target}">{text}</a>')


def test_elements_that_look_alike_are_counted() -> None:
    """Three before and two after are two pairs and one that is gone."""
    old = [link("/x", f"li:nth-of-type({n}) > a") for n in (1, 2, 3)]
    matched = match(old, old[:2])

    assert len(matched.both) == 2
    assert matched.gone == (old[2],)
    assert matched.come == ()


def test_of_elements_that_look_alike_the_one_whose_place_is_free_is_gone() -> None:
    """The second of three was fixed: the others keep their places, in whatever lines they stand now."""
    old = [replace(link("/x", f"li:nth-of-type({n}) > a"), line=n) for n in (1, 2, 3)]
    now = [replace(old[0], line=11), replace(old[2], line=13)]
    there, back = match(old, now), match(now, old)

    assert there.gone == back.come == (old[1],)
    assert there.come == back.gone == ()
    assert there.both == ((old[0], now[0]), (old[2], now[1]))


def test_entries_that_show_nothing_different_are_one() -> None:
    """Else one of them would be gone while the other one is still there."""
    there, back = match([link("/x")] * 3, [link("/x")] * 2), match([link("/x")], [link("/x")] * 2)

    assert there == back
    assert there.both == ((link("/x"), link("/x")),)


def test_the_closest_partner_is_taken_first() -> None:
    """The one that changed its text waits until the one that did not has found its partner."""
    old = [link("/x", text="One"), link("/x", text="Two")]
    now = [link("/x", text="Three"), link("/x", text="One")]
    matched = match(old, now)

    assert matched.both == ((old[0], now[1]), (old[1], now[0]))
    assert matched.gone == matched.come == ()


def test_a_swap_of_the_lists_swaps_what_is_left() -> None:
    """New entries become gone ones, and the other way round."""
    old, now = [link("/x"), link("/y", "b")], [link("/z"), link("/y", "c")]
    there, back = match(old, now), match(now, old)

    assert (there.gone, there.come) == (back.come, back.gone) == ((old[0],), (now[0],))


def test_copies_on_two_hosts_have_equal_addresses() -> None:
    """The own host of each list is left out."""
    old, now = [Evidence(url="https://a.test/x.css")], [Evidence(url="https://b.test/x.css")]
    matched = match(old, now, old_origins=("https://a.test",), now_origins=("https://b.test",))

    assert len(matched.both) == 1
    assert len(match(old, now).both) == 0


def test_nothing_matches_nothing() -> None:
    """Empty lists are fine."""
    assert match([], []).both == ()
    assert match([link("/x")], []).gone == (link("/x"),)
