from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from pagegrade.checks import all_checks
from pagegrade.checks._run import Evaluated, evaluate
from pagegrade.model.artifacts import Artifacts, ImageFacts, NotGathered, PreviewImage, PreviewImages, Resource, Timings
from pagegrade.model.outcome import Detail, Evidence, NotApplicable, NotRun, Outcome, Saving
from pagegrade.model.rendering import AxeNode, AxeResult, ConsoleMessage, Picture, RenderedRequest, Rendering
from pagegrade.model.report import Preview, PreviewPicture, Result
from pagegrade.report.artifacts_file import load_artifacts, save_artifacts
from pagegrade.report.build import (
    MAX_FILE_URL,
    MAX_FILES,
    MAX_HEADER_VALUE,
    MAX_HEADERS,
    MAX_VALUE,
    count_results,
    loaded_files,
    page_facts,
    preview_of,
    resource_totals,
    result_of,
    shown_headers,
    stored_previews,
    with_pictures,
)
from pagegrade.report.codec import check_packed, pack_report, unpack_detail
from pagegrade.report.sanitize import clean
from pagegrade.report.serialize import report_from_dict, report_to_dict
from pagegrade.service.runs.evaluation import evaluate_artifacts
from tests.builders import make_artifacts, make_document, make_resource, make_resources, make_response
from tests.rendering_builders import make_rendering, make_timeline

SECRET = "s3cr3t-R4nd0m"
TITLE = all_checks()["title"]


def test_weight_is_added_up_by_type() -> None:
    """The page itself is a document, an icon is an image, and what did not come weighs nothing."""
    artifacts = make_artifacts(
        "<!doctype html>" + " " * 85,
        resources=make_resources(
            make_resource("https://example.com/a.js", kind="script", body_bytes=500),
            make_resource("https://example.com/b.js", kind="script", body_bytes=9, status=404),
            make_resource("https://example.com/a.png", body_bytes=300),
            make_resource("https://example.com/favicon.ico", kind="icon", body_bytes=40),
            make_resource("https://example.com/site.webmanifest", kind="manifest", body_bytes=7),
        ),
    )

    assert [(total.type, total.count, total.failed, total.transfer_bytes) for total in resource_totals(artifacts)] == [
        ("document", 1, 0, 100),
        ("script", 2, 1, 500),
        ("image", 2, 0, 340),
        ("other", 1, 0, 7),
    ]


def test_a_film_that_was_only_begun_weighs_what_it_announces() -> None:
    """Its beginning alone would be too little to say."""
    begun = make_response(
        url="https://example.com/film.mp4", headers=(("Content-Length", "9000000"),), wire_bytes=1000, truncated="limit"
    )
    artifacts = make_artifacts(
        resources=make_resources(make_resource("https://example.com/film.mp4", kind="media", response=begun))
    )

    assert resource_totals(artifacts)[-1].transfer_bytes == 9_000_000


@pytest.mark.parametrize("announced", ["", "-5", "many", "１２", "9" * 400])
def test_what_an_answer_announces_is_not_believed_blindly(announced: str) -> None:
    """A length that is none counts as unknown; one without end is cut."""
    begun = make_response(headers=(("Content-Length", announced),), wire_bytes=1000, truncated="limit")
    artifacts = make_artifacts(
        resources=make_resources(make_resource("https://a.test/x", kind="media", response=begun))
    )

    assert 1000 <= resource_totals(artifacts)[-1].transfer_bytes < 10**15


def test_nothing_is_said_of_resources_that_were_not_looked_at() -> None:
    """An empty list is not the same as a light page."""
    assert resource_totals(make_artifacts(resources=NotGathered(code="skipped"))) == ()


def test_files_are_listed_with_their_times_and_redirects() -> None:
    """Redirects count into the time to the first byte; a file without a response has the reason in its place."""
    hop = make_response(url="https://example.com/old.js", status=301, timings=Timings(total_ms=10.0))
    answer = make_response(
        url="https://example.com/a.js",
        wire_bytes=500,
        timings=Timings(connect_ms=5.0, first_byte_ms=20.0, download_ms=3.0, total_ms=28.0),
    )
    artifacts = make_artifacts(
        resources=make_resources(
            make_resource("https://example.com/old.js", kind="script", hops=(hop,), response=answer),
            Resource(
                url="https://example.com/b.png",
                kinds=("image",),
                initiator_url="https://example.com/",
                failure=NotGathered(code="timeout"),
            ),
        )
    )
    moved, missing = loaded_files(artifacts)

    assert (moved.type, moved.status, moved.redirects, moved.transfer_bytes) == ("script", 200, 1, 500)
    assert (moved.first_byte_ms, moved.total_ms) == (35.0, 38.0)
    assert (missing.type, missing.status, missing.failure, missing.total_ms) == ("image", None, "timeout", None)
    assert loaded_files(make_artifacts(resources=NotGathered(code="skipped"))) == ()


@pytest.mark.parametrize("count", [MAX_FILES, MAX_FILES + 1])
def test_files_are_bounded_in_number_and_length(count: int) -> None:
    """The totals count the others."""
    files = loaded_files(
        make_artifacts(
            resources=make_resources(
                *(make_resource(f"https://example.com/{number}{'x' * MAX_FILE_URL}") for number in range(count))
            )
        )
    )

    assert len(files) == MAX_FILES
    assert {len(file.url) for file in files} == {MAX_FILE_URL}


@pytest.mark.parametrize(
    ("name", "value", "shown"),
    [
        ("Set-Cookie", f"id={SECRET}; Path=/; Secure", "id=…; Path=/; Secure"),
        ("set-cookie", SECRET, "…"),
        ("Set-Cookie", f"{SECRET}; Secure", "…; Secure"),
        ("X-CSRF-Token", SECRET, "…"),
        ("X-Session-Id", SECRET, "…"),
        ("Authorization", SECRET, "…"),
        ("X-Api-Key", SECRET, "…"),
        ("X-Auth-Empty", "", ""),
        ("WWW-Authenticate", 'Basic realm="x"', 'Basic realm="x"'),
        ("Content-Type", "text/html", "text/html"),
    ],
)
def test_secrets_of_headers_are_not_kept(name: str, value: str, shown: str) -> None:
    """They were meant for one browser; a report is read by many."""
    assert shown_headers(make_response(headers=((name, value),))) == ((name, shown),)


def test_headers_are_bounded_in_number_and_length() -> None:
    """A hostile server sends thousands."""
    kept = shown_headers(make_response(headers=tuple((f"x-{number}" * 50, "v" * 9000) for number in range(500))))

    assert len(kept) == MAX_HEADERS
    assert max(len(value) for _, value in kept) == MAX_HEADER_VALUE


def test_a_preview_is_what_the_page_says_of_itself() -> None:
    """On one line each, the first of several, and ``name`` in place of ``property``."""
    document = make_document(
        """<!doctype html><title>T</title>
        <meta name="description" content="  Red
          shoes. ">
        <meta property="og:title" content="Shoes"><meta property="og:title" content="Second">
        <meta name="og:description" content="All red."><meta property="og:site_name" content="Shop">
        <meta property="og:image" content="  "><meta property="og:image:url" content="/shoes.png">"""
    )
    preview = preview_of(document)

    assert preview.description == "Red shoes."
    assert (preview.social_title, preview.social_description) == ("Shoes", "All red.")
    assert (preview.site_name, preview.image_url) == ("Shop", "/shoes.png")


def test_a_page_that_says_nothing_has_an_empty_preview() -> None:
    """That is a fact about it, and shown."""
    preview = preview_of(make_document("<!doctype html><title>T</title>"))

    assert {preview.description, preview.site_name, preview.social_title, preview.image_url} == {""}


def test_a_preview_is_bounded() -> None:
    """Whatever a page writes into its head."""
    preview = preview_of(make_document(f'<meta name=description content="{"x " * 100_000}">'))

    assert len(preview.description) == 400


@pytest.mark.parametrize(
    ("page", "image", "is_stored"),
    [
        ("https://example.com/", "https://example.com/card.png?v=12345678", True),
        ("https://example.com/?token=12345678", "https://example.com/card.png", True),
        ("https://example.com/?token=12345678", "https://example.com/12345678/card.png", False),
        ("https://example.com/?user=7", "https://example.com/card.png?user=7", False),
    ],
)
def test_images_whose_urls_repeat_what_is_masked_are_not_stored(page: str, image: str, is_stored: bool) -> None:  # noqa: FBT001
    """They may be meant for the one who asked."""
    found = PreviewImage(kind="social", url=image, facts=ImageFacts(format="png", width_px=1, height_px=1), data=b"x")
    artifacts = replace(make_artifacts(url=page), preview_images=PreviewImages(items=(found,)))

    assert stored_previews(artifacts) == ((found,) if is_stored else ())


def test_a_preview_says_what_is_stored_and_why_something_is_not() -> None:
    """Size and format of what is; the problem of the image alone, since an icon is not missed."""
    facts = ImageFacts(format="jpeg", width_px=1200, height_px=630)
    social = PreviewImage(kind="social", url="https://example.com/a.jpg", facts=facts, data=b"xyz")
    lost = PreviewImage(kind="icon", url="https://example.com/a.ico", problem="type")
    found = with_pictures(Preview(), (social, lost))
    other = with_pictures(Preview(), (replace(social, problem="bytes", data=b""),))

    assert found.image == PreviewPicture(name="social", format="jpeg", width_px=1200, height_px=630, bytes=3)
    assert (found.image_problem, found.icon) == ("", None)
    assert (other.image, other.image_problem) == (None, "bytes")


def test_a_page_without_og_image_is_shown_with_that_of_its_twitter_card() -> None:
    """As X and others take either."""
    both = '<meta name="twitter:image" content="/x.png"><meta property="og:image" content="/a.png">'

    assert preview_of(make_document(both)).image_url == "/a.png"
    assert preview_of(make_document(both.partition(">")[0] + ">")).image_url == "/x.png"


SHELL = (
    "<!doctype html><html lang=en><head><title>Shop</title><script src=/app.js></script></head>"
    "<body><div id=root></div></body></html>"
)
DRAWN = (
    "<!doctype html><html lang=en><head><title>Shop</title></head><body><div id=root><h1>Shop</h1>"
    + "<p>Tables and chairs made of oak, by hand, in a small workshop by the sea, for many years.</p>" * 20
    + "<img src=/a.jpg></div></body></html>"
)
CONTRAST = AxeResult(
    rule="color-contrast",
    impact="serious",
    help="",
    help_url="",
    outcome="violation",
    nodes=(AxeNode(selector="p", html="<p>", summary="", data=(("contrastRatio", "1.9"),)),),
    node_count=1,
)


def make_page(html: str, rendering: Rendering | NotGathered) -> Artifacts:
    """A page, and the way a browser drew it."""
    return make_artifacts(html, rendering=rendering)


def test_a_page_that_scripts_draw_gets_its_grade() -> None:
    """Without a browser it is an empty shell, which has none."""
    static = evaluate_artifacts(make_page(SHELL, NotGathered(code="no_browser", detail="None.")))
    rendered = evaluate_artifacts(make_page(SHELL, make_rendering(html=DRAWN, axe=())))

    assert static.withheld is not None
    assert static.withheld.kind == "empty_shell"
    assert rendered.withheld is None
    assert rendered.score is not None


@pytest.mark.parametrize(
    ("seen", "said"),
    [
        (
            {"console": (ConsoleMessage(level="error", source="exception", text="TypeError: x is\n undefined"),)},
            "its script fails with “TypeError: x is undefined”",
        ),
        (
            {"requests": (RenderedRequest(url="https://example.com/static/a.js", kind="script", status=404),)},
            "its script https://example.com/static/a.js cannot be loaded (status 404)",
        ),
        (
            {"requests": (RenderedRequest(url="https://x.example/a.js", kind="script", failure="net::ERR_FAILED"),)},
            "its script https://x.example/a.js cannot be loaded (net::ERR_FAILED)",
        ),
        ({"notes": ("load_timeout",)}, "still loading"),
        ({}, "although its scripts report no error"),
        (
            {"console": (ConsoleMessage(level="warning", source="exception", text="x"),)},
            "although its scripts report no error",
        ),
    ],
)
def test_a_page_that_stays_empty_says_what_the_browser_saw(seen: dict[str, Any], said: str) -> None:
    """It advises no browser where one was used."""
    withheld = evaluate_artifacts(make_page(SHELL, make_rendering(html=SHELL, axe=(), **seen))).withheld

    assert withheld is not None
    assert withheld.kind == "empty_shell"
    assert "stays empty in the browser" in withheld.message
    assert said in withheld.message
    assert "--render" not in withheld.fix


def test_content_and_accessibility_are_those_of_the_drawn_page() -> None:
    """And search engines and security see what the server sends."""
    report = evaluate_artifacts(make_page(SHELL, make_rendering(html=DRAWN, axe=(CONTRAST,))))
    outcomes = {result.check: result.outcome for result in report.results}

    assert outcomes["image-alt"] in {"warning", "failed"}
    assert outcomes["color-contrast"] == "warning"
    assert outcomes["h1"] != "passed"


def test_a_browser_that_is_not_there_costs_nothing() -> None:
    """The checks are listed as not evaluated with their reason, and do not lower the coverage."""
    missing = NotGathered(code="no_browser", detail="The page was not drawn in a browser.")
    report = evaluate_artifacts(make_page(DRAWN, missing))
    without = evaluate_artifacts(make_page(DRAWN, NotGathered(code="timeout", detail="Too slow.")))
    result = next(one for one in report.results if one.check == "largest-contentful-paint")

    assert result.outcome == "not_evaluated"
    assert result.reason == "no_browser: The page was not drawn in a browser."
    assert report.rendered is None
    assert (report.score, report.coverage) == (without.score, without.coverage)


def test_the_report_says_what_the_browser_saw_in_every_form() -> None:
    """As an object, as JSON and back, and packed for the store."""
    rendering = make_rendering(
        make_timeline(first_contentful_paint_ms=900.0),
        make_timeline(first_contentful_paint_ms=1_100.0),
        make_timeline(first_contentful_paint_ms=1_000.0),
        html=DRAWN,
        axe=(),
        axe_version="4.14.1",
        console=(ConsoleMessage(level="error", source="console", text="x"),),
        pictures=(Picture(kind="viewport", width_px=1, height_px=2, data=b"RIFF"),),
        refused_hosts=(("a.example", 2),),
    )
    report = evaluate_artifacts(make_page(SHELL, rendering))
    plain = report_to_dict(report)

    assert report.rendered is not None
    assert plain["analysis"] == {"engine": "rendered", "device": "mobile"}
    assert plain["rendered"]["metrics"]["fcp_ms"] == 1_000.0
    assert plain["rendered"]["spread"]["fcp_ms"] == {"min": 900.0, "max": 1_100.0}
    assert plain["rendered"]["pictures"] == [
        {"name": "viewport", "kind": "viewport", "width_px": 1, "height_px": 2, "bytes": 4, "time_ms": None}
    ]
    assert report_from_dict(plain) == report
    assert b'"rendered":{' in unpack_detail(check_packed(pack_report(report)).detail)


def test_saved_artifacts_give_the_same_report() -> None:
    """Pictures included."""
    artifacts = make_page(
        SHELL,
        make_rendering(
            html=DRAWN, axe=(CONTRAST,), pictures=(Picture(kind="frame", width_px=1, height_px=2, data=b"\xff"),)
        ),
    )

    assert load_artifacts(save_artifacts(artifacts)) == artifacts
    assert evaluate_artifacts(load_artifacts(save_artifacts(artifacts))) == evaluate_artifacts(artifacts)


def result(verdict: Outcome | NotApplicable | NotRun, *, counted_in: str | None = None, lost: float = 0.0) -> Result:
    """The line of the report for a verdict of the title check."""
    evaluated: Evaluated = evaluate(TITLE, verdict)
    return result_of(TITLE, evaluated, price=3.0, lost=lost, counted_in=counted_in)


def test_finding_carries_everything_a_person_needs() -> None:
    """The reason, the fix and the place."""
    line = result(
        Outcome(
            "missing", value="v", evidence=(Evidence(line=3),), details=(Detail(code="missing", actual=0, limit=1),)
        ),
        lost=3.0,
    )

    assert (line.check, line.category, line.outcome, line.state, line.passed) == (
        "title",
        "seo",
        "failed",
        "missing",
        False,
    )
    assert line.message == TITLE.state("missing").message
    assert (line.name, line.title) == (TITLE.title, TITLE.state("missing").title)
    assert (line.why, line.fix) == (TITLE.state("missing").why, TITLE.state("missing").fix)
    assert (line.count, line.saving) == (None, None)
    assert (line.price, line.lost, line.evidence_total) == (3.0, 3.0, 1)
    assert line.learn_more == TITLE.sources[0]


def test_what_passed_has_the_name_of_its_check_and_no_advice() -> None:
    """There is nothing to do."""
    line = result(Outcome("ok", value="Chairs"))

    assert (line.name, line.title, line.why, line.fix) == (TITLE.title, TITLE.title, "", "")


@pytest.mark.parametrize(
    ("name", "verdict", "count"),
    [
        ("link-name", Outcome("nameless", total=400, loss=1.0), 400),
        ("image-alt", Outcome("missing", total=9, count=4, loss=1.0), 4),
        ("title", Outcome("several", total=2), None),
        ("image-alt", Outcome("described", total=2), None),
    ],
)
def test_titles_that_name_things_come_with_their_number(name: str, verdict: Outcome, count: int | None) -> None:
    """All offenders, or those that the title is about where lesser faults are listed with them."""
    check = all_checks()[name]
    line = result_of(check, evaluate(check, verdict), price=1.0, lost=0.0, counted_in=None)

    assert line.count == count


def test_a_saving_comes_with_the_finding() -> None:
    """With its unit."""
    check = all_checks()["asset-compression"]
    saving = Saving(113_000, "bytes")
    line = result_of(check, evaluate(check, Outcome("mostly", saving=saving)), price=1.0, lost=0.1, counted_in=None)

    assert line.saving == saving


def test_message_of_the_outcome_wins_over_the_state() -> None:
    """Numbers make it clearer."""
    assert result(Outcome("missing", message="It has 0 titles.")).message == "It has 0 titles."


def test_total_is_the_true_number() -> None:
    """More offenders than are shown are still counted."""
    assert result(Outcome("several", evidence=(Evidence(line=1),), total=400)).evidence_total == 400


@pytest.mark.parametrize(
    ("verdict", "reason"),
    [
        (NotApplicable("There is nothing."), "not_applicable: There is nothing."),
        (NotRun("timeout", "Too slow."), "timeout: Too slow."),
        (NotRun("budget"), "budget"),
    ],
)
def test_unevaluated_check_says_why(verdict: NotApplicable | NotRun, reason: str) -> None:
    """No state, no verdict, a reason."""
    line = result(verdict)

    assert line.reason == reason
    assert line.state is None
    assert line.passed is None


def test_finding_names_its_cause_and_where_it_is_counted() -> None:
    """It stays a finding of its own."""
    line = result(Outcome("missing"), counted_in="title-length")

    assert line.outcome == "failed"
    assert (line.cause, line.counted_in, line.lost) == ("title", "title-length", 0.0)


def test_counts_agree_with_the_lines() -> None:
    """Findings by importance, the others by outcome."""
    lines = [result(Outcome("missing")), result(Outcome("several")), result(Outcome("ok")), result(NotRun("x"))]
    counts, by_category = count_results(lines)

    assert (counts.high, counts.passed, counts.not_evaluated) == (2, 1, 1)
    assert by_category["seo"] == (1, 2)


def test_findings_of_one_cause_are_counted_once() -> None:
    """As reports list them: a finding that is counted in another stands with that one."""
    counts, by_category = count_results(
        [result(Outcome("missing"), lost=3.0), result(Outcome("missing"), counted_in="title-length")]
    )

    assert counts.high == 1
    assert by_category["seo"] == (0, 1)


def test_strings_of_pages_are_cut_and_storable() -> None:
    """No NUL, no lone surrogate, no novel."""
    assert clean("a\0b\ud800", 10) == "a\ufffdb\ufffd"
    assert clean("x" * 10, 10) == "x" * 10
    assert clean("x" * 11, 10) == "x" * 9 + "…"
    assert len(str(result(Outcome("ok", value="y" * 9999)).value)) == MAX_VALUE


def test_page_facts_contain_the_way_to_the_page() -> None:
    """Hops with their targets, sizes, requests, title and language."""
    hop = make_response(url="http://example.com/", status=301, headers=[("Location", "https://example.com/")])
    html = "<html lang=en><title> A  b </title><img src=a><img src=a><img src=b srcset='c 2x'>"
    artifacts = make_artifacts(html, hops=[hop])
    facts = page_facts(artifacts, make_document(html))

    assert facts.redirects[0].location == "https://example.com/"
    assert (facts.title, facts.language, facts.requests) == ("A b", "en", 2)
    assert facts.bytes == len(html)


@pytest.mark.parametrize(("total", "number"), [(None, ": 2"), (9, "")])
def test_milder_findings_are_named_with_their_number_where_all_are_listed(total: int | None, number: str) -> None:
    """Six scripts and two pictures are eight entries of one list, and the text says which are which."""
    check = all_checks()["mixed-content"]
    entries = (Evidence(line=1), *(Evidence(line=line, state="passive") for line in (2, 3)))
    evaluated = evaluate(check, Outcome("active", evidence=entries, total=total, count=1))
    line = result_of(check, evaluated, price=8.0, lost=8.0, counted_in=None)

    assert line.count == 1
    assert f"Also found: Images and media loaded over plain HTTP{number}. Change" in line.fix
