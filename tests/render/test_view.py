from __future__ import annotations

import csv
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from pagegrade.mcp.server import compared, summarize
from pagegrade.model.errors import FAILURE_CODES
from pagegrade.model.outcome import Saving
from pagegrade.model.report import AppliedCap, CategoryScore, NotGathered, Thresholds, Withheld
from pagegrade.render import view
from pagegrade.render.csv import render_csv
from pagegrade.render.history import RunPoint
from pagegrade.render.html import render_comparison, render_html
from pagegrade.render.i18n import texts_for
from pagegrade.render.markdown import render_markdown
from pagegrade.render.pdf_model import sheet
from pagegrade.render.text import render_text
from pagegrade.report.compare import FINDINGS, compare_reports
from pagegrade.service.runs.analysis import artifacts_of_document
from pagegrade.service.runs.evaluation import evaluate_artifacts
from tests.report_builders import make_failed_report, make_images, make_passed, make_report, make_result


def test_what_to_fix_comes_by_points_then_by_severity_then_by_id() -> None:
    """The most expensive finding stands first, whatever its severity."""
    report = make_report(
        make_result("low-costly", importance="low", lost=4.0),
        make_result("high-b", importance="high", lost=2.0),
        make_result("high-a", importance="high", lost=2.0),
        make_result("critical", importance="critical", lost=2.0),
        make_result("medium", importance="medium", lost=2.0),
        make_passed("passed"),
    )

    assert [f.result.check for f in view.findings(report)] == ["low-costly", "critical", "high-a", "high-b", "medium"]


def test_what_is_counted_in_another_finding_stands_with_it() -> None:
    """A cause is one entry."""
    report = make_report(
        make_result("title", lost=8.0, cause="title"),
        make_result("title-length", lost=0.0, cause="title", counted_in="title"),
        make_result("h1", lost=3.0),
    )

    assert [(f.result.check, [one.check for one in f.counted], f.lost) for f in view.findings(report)] == [
        ("title", ["title-length"], 8.0),
        ("h1", [], 3.0),
    ]


def test_five_findings_are_named_first_and_the_rest_by_category() -> None:
    """In the order of the categories, each by points."""
    report = make_report(
        *(make_result(f"first-{n}", lost=9.0 - n) for n in range(5)),
        make_result("late", category="content", lost=3.0),
        make_result("later", category="seo", lost=1.0),
        make_result("late-seo", category="seo", lost=2.0),
    )

    assert [f.result.check for f in view.fix_first(report)] == [f"first-{n}" for n in range(5)]
    assert [(name, [f.result.check for f in found]) for name, found in view.further_findings(report)] == [
        ("seo", ["late-seo", "later"]),
        ("content", ["late"]),
    ]


def test_losses_that_an_old_report_inherited_stand_with_their_check() -> None:
    """Reports of ruleset 2026.1 are shown as they were made."""
    report = make_report(
        make_result("https", lost=4.0),
        make_result("hsts", lost=1.0, inherited_from="https"),
        make_passed("mixed", lost=0.5, inherited_from="https"),
    )
    (finding,) = view.findings(report)

    assert [child.check for child in finding.counted] == ["hsts", "mixed"]
    assert finding.lost == 5.5
    assert view.with_outcome(report, "passed") == ()


def test_an_orphan_keeps_its_own_entry() -> None:
    """A finding whose cause is not in the report must not vanish."""
    report = make_report(make_result("hsts", inherited_from="gone"))

    assert [finding.result.check for finding in view.findings(report)] == ["hsts"]


def test_checks_with_one_reason_stand_together() -> None:
    """The reason is said once, where the first of them stood, without its machine word."""
    results = [
        make_passed("alt", outcome="not_applicable", reason="no_images: The page has no images."),
        make_passed("video", outcome="not_applicable", reason="no_videos: The page has no videos."),
        make_passed("lazy", outcome="not_applicable", reason="no_images: The page has no images."),
    ]
    grouped = [(reason, [result.check for result in alike]) for reason, alike in view.by_reason(results)]

    assert grouped == [("The page has no images.", ["alt", "lazy"]), ("The page has no videos.", ["video"])]


def test_evidence_is_shown_in_part_and_counted_whole() -> None:
    """Three entries, and how many more there are."""
    (finding,) = view.findings(make_report(make_result(evidence=make_images(5), evidence_total=14)))

    assert (len(finding.evidence), len(finding.further_evidence), finding.evidence_not_shown) == (3, 2, 11)


@pytest.mark.parametrize(
    ("more", "word", "start"),
    [
        ({"result": "good"}, "GOOD", "This page is in good shape"),
        ({"result": "decent"}, "DECENT", "This page is decent"),
        ({"result": "bad"}, "BAD", "This page needs work"),
        ({"result": None, "coverage": 0.62}, "NO GRADE", "No verdict: only 62%"),
        ({"result": None, "coverage": 0.95}, "NO GRADE", "No verdict: scripts draw this page"),
    ],
)
def test_the_verdict_is_in_words(more: dict[str, Any], word: str, start: str) -> None:
    """A reader who sees no colours and no bars knows it too."""
    report = make_report(**more)

    assert view.grade_word(report).upper() == word
    assert view.verdict(report).startswith(start)


@pytest.mark.parametrize("code", FAILURE_CODES)
def test_every_failure_has_a_way_out(code: str) -> None:
    """The reason is not enough: the reader wants to know what to do."""
    report = make_failed_report(code)

    assert report.error is not None
    assert code in view.what_happened(report.error)
    assert view.what_to_do(report.error).endswith((".", "URL"))


def test_every_failure_has_a_way_out_of_its_own() -> None:
    """No two kinds of failure are fixed the same way."""
    errors = [make_failed_report(code).error for code in FAILURE_CODES]

    assert len({view.what_to_do(error) for error in errors if error is not None}) == len(FAILURE_CODES)


@pytest.mark.parametrize(
    ("reason", "shown"),
    [
        ("timeout: No answer in time.", "No answer in time."),
        ("budget", "budget"),
        ("The page has no frames.", "The page has no frames."),
        ("Two words: a sentence.", "Two words: a sentence."),
        ("", view.NO_REASON),
    ],
)
def test_reasons_read_as_sentences(reason: str, shown: str) -> None:
    """The machine's word is left out where a sentence follows."""
    assert view.reason(make_passed(reason=reason)) == shown


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (view.points(0), "0 points"),
        (view.points(1), "1 point"),
        (view.points(0.04), "less than 0.1 points"),
        (view.points(3.14159), "3.1 points"),
        (view.plural(1, "check"), "1 check"),
        (view.plural(1200, "check"), "1,200 checks"),
    ],
)
def test_figures_have_their_units(text: str, expected: str) -> None:
    """One form for every figure in every format."""
    assert text == expected


def test_the_score_explains_itself() -> None:
    """The losses of every category, the rest, caps, rounding and coverage, in that order."""
    report = make_report(
        make_result("https", title="HTTPS", category="security", lost=25.0),
        make_result("hsts", category="security", lost=8.0),
        make_result("title", lost=4.5),
        score=65,
        uncapped_score=65.5,
    )

    assert view.score_steps(report) == (
        "Every page starts with 100 points.",
        "SEO takes 4.5 points.",
        "Security takes 30 points, the most it can take: its findings cost 33.",
        "That leaves 65.5 points.",
        "The score is at most 79 while “HTTPS” fails.",
        "The Security score is at most 49 while “HTTPS” fails.",
        "The score is a whole number, halves rounded down: 65.",
        "98% of the possible penalties could be evaluated; what could not be evaluated costs nothing.",
    )
    assert view.score_steps(make_failed_report()) == ()


def test_of_two_caps_of_one_check_only_the_strictest_is_said() -> None:
    """A looser cap of the same check changes nothing; one of its category is another sentence."""
    caps = (
        AppliedCap(check="https", max_score=79),
        AppliedCap(check="https", max_score=49),
        AppliedCap(check="https", max_score=60, category="technical"),
    )
    report = make_report(make_result("https", lost=54), score=46, uncapped_score=46, caps=caps)
    said = [step for step in view.score_steps(report) if "at most" in step]

    assert [(cap.max_score, cap.category) for cap in view.effective_caps(report)] == [(49, None), (60, "technical")]
    assert len(said) == 2


def test_a_score_that_a_cap_sets_is_not_called_rounded() -> None:
    """69.9 points under a cap of 69 are 69 because of the cap."""
    caps = (AppliedCap(check="https", max_score=69),)
    report = make_report(make_result("https", lost=30.1), score=69, uncapped_score=69.9, caps=caps)

    assert not [step for step in view.score_steps(report) if "whole number" in step]


@pytest.mark.parametrize(
    ("coverage", "said"),
    [
        (1.0, "Everything that applies to the page and needs no browser could be evaluated."),
        (0.9999, "99% of the possible penalties"),
        (0.99, "99% of the possible penalties"),
        (0.29, "29% of the possible penalties"),
    ],
)
def test_what_could_not_be_evaluated_is_never_rounded_away(coverage: float, said: str) -> None:
    """100 % is said only where it is so."""
    steps = view.score_steps(make_report(make_result("https", lost=25.0), coverage=coverage))

    assert steps[-1].startswith(said)


def test_the_score_of_an_old_report_explains_itself_as_it_was_made() -> None:
    """Ruleset 2026.1 knew no budgets."""
    categories = {"seo": CategoryScore(score=81, result="good", passed=20, failed=2)}
    steps = view.score_steps(
        make_report(make_result("https", lost=4.25), score=79, uncapped_score=95.75, categories=categories)
    )

    assert "cost 4.2 points, which leaves 95.75." in steps[0]


def test_what_was_not_seen_shares_a_line_per_reason() -> None:
    """Nine artifacts that were skipped together are one fact, in words people use."""
    report = make_report()
    run = replace(
        report.run,
        not_gathered=(
            NotGathered(artifact="dns", reason="skipped: Offline."),
            NotGathered(artifact="tls", reason="skipped: Offline."),
            NotGathered(artifact="robots_txt", reason="timeout: Too slow."),
        ),
    )

    assert view.not_seen(replace(report, run=run)) == (
        ("DNS records, the certificate", "Offline."),
        ("robots.txt", "Too slow."),
    )


def test_the_scale_is_the_one_the_report_was_evaluated_by() -> None:
    """An operator who moved the thresholds reads their own numbers."""
    report = make_report()

    assert (
        view.scale(replace(report, run=replace(report.run, thresholds=Thresholds(good=90))))
        == "good from 90, decent from 50"
    )


def test_documentation_flattens_to_one_line() -> None:
    """Log lines and XML attributes know no blocks."""
    assert view.flat_prose("Switch it on:\n\n```nginx\ngzip on;\n```") == "Switch it on: `gzip on;`"


def test_sentences_come_in_the_words_that_are_handed_in() -> None:
    """The same sentence, from a catalogue."""
    german = texts_for("de")
    report = make_report()

    assert view.verdict(report, german) == german.gettext("This page is decent; some things should be fixed.")
    assert view.points(0.04, german) == german.gettext(
        "less than %(points)s points", points=german.number(0.1, digits=1)
    )


def test_a_headline_says_how_much_was_found() -> None:
    """The number of offenders or what fixing them saves, in the reader's units."""
    title = "Images without alternative text"

    assert view.headline(make_result(title=title)) == title
    assert view.headline(make_result(title=title, count=1_204)) == f"{title}: 1,204"
    assert view.headline(make_result(title="Compress", saving=Saving(113_200, "bytes"))) == "Compress: saves 113.2 kB"
    assert view.headline(make_result(title="Redirects", saving=Saving(820, "ms"))) == "Redirects: saves 820 ms"
    assert view.headline(make_result(title="A", count=2, saving=Saving(820, "ms"))) == "A: 2, saves 820 ms"
    assert view.headline(make_result(title="A", saving=Saving(0, "bytes"))) == "A"


def test_informative_results_without_advice_are_not_listed() -> None:
    """They repeat what is in order."""
    noted = make_passed("url-depth", outcome="informative", importance="informative")
    report = make_report(noted, replace(noted, check="frames", fix="Load them lazily."))

    assert [result.check for result in view.with_outcome(report, "informative")] == ["frames"]


def test_minor_findings_are_not_first_beside_important_ones() -> None:
    """They follow later; where all are minor, or without a score, nothing is left out."""
    hacked = make_result("hacked-page", importance="critical", lost=25.0)
    minor = [make_result(f"minor-{number}", importance="low", lost=1.0) for number in range(4)]
    medium = make_result("medium", importance="medium", lost=0.5)

    assert [one.result.check for one in view.fix_first(make_report(hacked, *minor))] == ["hacked-page"]
    assert len(view.fix_first(make_report(*minor))) == 4
    assert len(view.fix_first(make_report(hacked, *minor[:2], medium))) == 4
    assert len(view.by_place(make_report(hacked, *minor))) == 5


def test_informative_results_stand_with_the_finding_of_their_cause() -> None:
    """One cause is listed once, with its penalty."""
    finding = make_result("meta-description", cause="description")
    advice = make_result("meta-description-length", outcome="informative", price=0.0, lost=0.0, cause="description")
    report = make_report(finding, advice)

    assert [(one.result.check, [child.check for child in one.counted]) for one in view.findings(report)] == [
        ("meta-description", ["meta-description-length"])
    ]
    assert view.with_outcome(report, "informative") == ()
    assert view.with_outcome(make_report(advice), "informative") == (advice,)


def test_many_checks_with_one_reason_are_counted_and_not_named() -> None:
    """The reason says why; forty names are the most that are listed."""
    results = [make_passed(f"check-{number}") for number in range(view.NAMED_CHECKS + 1)]

    assert view.names_of_checks(results) == f"{view.NAMED_CHECKS + 1} checks"
    assert view.names_of_checks(results[:-1]).count(", ") == view.NAMED_CHECKS - 1


def test_a_finding_that_limits_the_score_stands_where_its_limit_puts_it() -> None:
    """The points that one finding alone holds a page down by decide, whether it costs or limits them."""
    report = make_report(
        make_result("contrast", importance="high", lost=8.0),
        make_result("leaves", importance="medium", lost=3.0),
        make_result("breadcrumb", importance="low", lost=1.0),
        make_result("canonical", importance="critical", lost=25.0),
        make_result("lorem", importance="low", lost=0.5),
        caps=(
            AppliedCap(check="leaves", max_score=49),
            AppliedCap(check="lorem", max_score=90),
            AppliedCap(check="breadcrumb", max_score=9, category="seo"),
        ),
    )
    found = view.findings(report)

    assert [f.result.check for f in found] == ["leaves", "canonical", "lorem", "contrast", "breadcrumb"]
    assert view.cost(found[0], report) == "costs 3 points, at most 49 of 100 with it"
    assert view.cost(found[3], report) == "costs 8 points"


@given(
    st.lists(
        st.tuples(st.floats(0, 25), st.none() | st.integers(0, 99), st.sampled_from(view.IMPORTANCE_ORDER)), max_size=8
    )
)
def test_findings_never_stand_behind_what_holds_the_page_down_less(found: list[tuple[float, int | None, Any]]) -> None:
    """Whatever their severities and names are."""
    results = [make_result(f"c{at}", lost=lost, importance=name) for at, (lost, _, name) in enumerate(found)]
    limits = {f"c{at}": limit for at, (_, limit, _) in enumerate(found) if limit is not None}
    caps = tuple(AppliedCap(check=check, max_score=limit) for check, limit in limits.items())
    ordered = view.findings(make_report(*results, make_passed(), caps=caps))
    held = [max(round(f.lost, 4), 100 - limits.get(f.result.check, 100)) for f in ordered]

    assert held == sorted(held, reverse=True)


@pytest.mark.parametrize(("kind", "names"), [("parked_domain", []), ("notice", []), ("coverage", ["title"])])
def test_a_page_that_was_not_seen_has_no_list_of_what_passed(kind: str, names: list[str]) -> None:
    """Checks that passed on something else say nothing about it; one of which little was seen is the page itself."""
    withheld = Withheld(kind=kind, message="A notice.", fix="Wait.")
    report = make_report(make_passed("title"), make_result(), withheld=withheld, score=None, result=None)

    assert [result.check for result in view.with_outcome(report, "passed")] == names
    assert ("passed" in view.counted(report)) == bool(names)


def test_a_score_without_a_browser_says_how_far_it_can_fall() -> None:
    """In every format for people, once."""
    reason = "no_browser: The page was not drawn in a browser."
    open_check = make_result("contrast", outcome="not_evaluated", lost=0.0, price=8.0, reason=reason)
    report = make_report(make_passed("title"), open_check)
    sentence = "Only a browser can evaluate 1 more check; at worst it costs 8 points."

    shown = [render_text([report], width=100), render_markdown([report]), render_html([report])]

    assert view.unseen_sentence(report) == sentence
    assert [" ".join(text.split()).count(sentence) for text in shown] == [1, 1, 1]
    assert sentence in sheet(report)["steps"]
    assert view.unseen_sentence(make_report(make_passed("title"))) == ""


def test_findings_have_one_number_everywhere() -> None:
    """On pages, in comparisons, in files and for agents: a cause is one, however many checks and places have it."""
    images = "".join(f"<img src=/{number}.png><a href=/{number}></a>" for number in range(30))
    body = f"<title>x</title><meta name=robots content=noindex>{images}<input><button></button>".encode()
    report = evaluate_artifacts(
        artifacts_of_document(body, url="https://example.com/", status=200, headers=(), robots_txt=None)
    )
    number, comparison = len(view.findings(report)), compare_reports(report, report)
    rows = list(csv.DictReader(render_csv([report]).removeprefix("\ufeff").splitlines()))
    listed = [row for row in rows if row["outcome"] in FINDINGS and not row["counted_in"]]
    summary, difference = summarize(report, "a"), compared("a", "b", comparison)
    point = RunPoint(number=1, state="completed", result=None, score=None, ruleset=None, engine=None, at_ms=0)
    page = str(render_comparison(comparison, point, point, texts_for("en")))

    assert len(comparison.still) > number + 20
    assert len(listed) == number
    assert sum(found for _, found in view.counted_findings(report)) == number
    assert len(summary.findings) + summary.findings_not_named == number
    assert difference.still_count == number
    assert f'Still there <span class="count">{number}</span>' in page
    assert f"{number} findings" in render_text([report])
    assert re.search(rf"Still +{number} findings", render_text([report], comparisons=[comparison]))
    assert f"**Still there:** {number} findings" in render_markdown([report], comparisons=[comparison])
    assert f"<strong>{number}</strong> still there" in render_html([report], comparisons=[comparison])
